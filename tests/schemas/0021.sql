insert into saved_posts (id, user_id, post_id, saved_at_ms) values
    (2101, 102, 201, 1772300000008), (2102, 101, 1306, 1772300000009);

insert into posts (id, author_id, title, text, tag, tag_key, created_at_ms, updated_at_ms) values
    (201, 101, 'Spring', 'the first post', 'Walks', 'walks', 1772100000000, 1772100000000),
    (202, 102, null, 'a post of Ben', null, null, 1772100000001, 1772100000001);
insert into votes (post_id, user_id, vote) values (201, 102, 1), (201, 103, -1);
insert into comments (id, post_id, author_id, text, created_at_ms) values
    (211, 201, 102, 'Yes, @101+Ana.', 1772100000002);

insert into posts (id, author_id, text, audience, group_id, only_author, created_at_ms, updated_at_ms) values
    (1901, 101, 'for Ana alone', 'group', null, 1, 1772300000007, 1772300000007);

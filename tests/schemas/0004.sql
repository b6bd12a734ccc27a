insert into files (id, full_path, name, owner_id, size_bytes, content_type, token, created_at_ms, updated_at_ms) values
    (303, 'photos/101/2_0_me.jpg', '2_0_me.jpg', 101, 5, 'image/jpeg', 'cccccccccccccccccccccc', 1772100000000, 1772100000000),
    (304, 'photos/101/2_0_me.card.jpg', '2_0_me.card.jpg', 101, 5, 'image/jpeg', 'dddddddddddddddddddddd', 1772100000000, 1772100000000);
insert into photos (user_id, width, height, thumbhash, screen_file_id, card_file_id) values
    (101, 8, 8, zeroblob(8), 303, 304);
update users set photo_url = '/media/photos/101/2_0_me.card.jpg?token=dddddddddddddddddddddd', hide_numbers = 1 where id = 101;
update users set pending_email = 'ben@new.example.org' where id = 102;
insert into notifications (id, user_id, kind, actor_id, post_id, comment_id, created_at_ms) values
    (401, 101, 'comment', 102, 201, 211, 1772100000002), (402, 101, 'follow', 102, null, null, 1772100000003);
insert into links (token_hash, user_id, purpose, email, expires_at_ms) values
    (zeroblob(32), 102, 'confirm', 'ben@new.example.org', 1772400000000);
insert into mails (id, user_id, kind, to_email, token, created_at_ms, expires_at_ms, next_try_at_ms) values
    (405, 102, 'confirm', 'ben@new.example.org', 'token', 1772355000000, 1772400000000, 1772390000000);

insert into files (id, full_path, name, owner_id, size_bytes, content_type, token, created_at_ms, updated_at_ms) values
    (301, 'posts/101/1_0_tree.jpg', '1_0_tree.jpg', 101, 5, 'image/jpeg', 'aaaaaaaaaaaaaaaaaaaaaa', 1772100000000, 1772100000000),
    (302, 'posts/101/1_0_tree.card.jpg', '1_0_tree.card.jpg', 101, 5, 'image/jpeg', 'bbbbbbbbbbbbbbbbbbbbbb', 1772100000000, 1772100000000);
insert into pictures (post_id, position, alt, width, height, thumbhash, screen_file_id, card_file_id) values
    (201, 0, 'A tree.', 8, 6, zeroblob(8), 301, 302);

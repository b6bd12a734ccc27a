insert into users (id, email, email_key, password_hash, name, name_key, created_at_ms, updated_at_ms) values
    (1301, 'dan@people.example.org', 'dan@people.example.org', 'HASH', 'Dan', 'dan', 1772000000003, 1772000000003),
    (1302, 'eve@people.example.org', 'eve@people.example.org', 'HASH', 'Eve', 'eve', 1772000000004, 1772000000004),
    (1303, 'finn@people.example.org', 'finn@people.example.org', 'HASH', 'Finn', 'finn', 1772000000005, 1772000000005);
insert into posts (id, author_id, text, created_at_ms, updated_at_ms) values
    (1304, 1301, 'a post of Dan', 1772200000002, 1772200000002), (1305, 1302, 'a post of Eve', 1772200000003, 1772200000003),
    (1306, 1303, 'a post of Finn', 1772200000004, 1772200000004);
insert into follows (follower_id, followed_id, id) values (102, 1302, 1307), (102, 1303, 1308);
insert into blocks (blocker_id, blocked_id, created_at_ms) values (102, 1301, 1772300000000);
insert into mutes (muter_id, muted_id, created_at_ms) values (102, 1303, 1772300000001);
update users set suspended_at = 1772300000002 where id = 1302;

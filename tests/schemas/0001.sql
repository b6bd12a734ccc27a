insert into users (id, email, email_key, password_hash, name, bio, created_at_ms, updated_at_ms) values
    (101, 'ana@people.example.org', 'ana@people.example.org', 'HASH', 'Ana', 'Walks.', 1772000000000, 1772000000000),
    (102, 'Ben@People.example.org', 'ben@people.example.org', 'HASH', 'Ben', '', 1772000000001, 1772000000001),
    (103, 'cleo@people.example.org', 'cleo@people.example.org', 'HASH', 'Cleo', '', 1772000000002, 1772000000002);
insert into logins (id, user_id, token_hash, created_at_ms, used_at_ms) values
    (105, 101, zeroblob(32), 1772000000000, 1772355000000);
insert into follows (follower_id, followed_id, id) values (102, 101, 111), (103, 102, 112);
insert into keys (user_id, key, body_hash, answer, made_at_ms) values
    (101, zeroblob(16), zeroblob(16), x'80', 1772355000000);

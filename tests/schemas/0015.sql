update users set is_admin = 1 where id = 101;
insert into admin_log (id, at_ms, by_command, admin_id, act, user_id) values
    (1501, 1772300000005, 1, null, 'promoted', 101), (1502, 1772300000006, 0, 101, 'suspended', 1302);
insert into mails (id, user_id, kind, to_email, token, created_at_ms, expires_at_ms, next_try_at_ms) values
    (1503, 103, 'made', 'cleo@people.example.org', 'token', 1772355000000, 1772400000000, 1772390000000);

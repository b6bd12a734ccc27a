insert into logins (id, user_id, token_hash, created_at_ms, used_at_ms) values
    (2401, 101, x'0101010101010101010101010101010101010101010101010101010101010101', 1772355000001, 1772355000001);
insert into notices (id, login_id, kind, text, about_login_id, created_at_ms) values
    (2402, 105, 'login', 'Firefox, Linux', 2401, 1772355000001), (2403, 105, 'passkey_added', 'Laptop', null, 1772355000002);
insert into mails (id, user_id, kind, to_email, token, device, created_at_ms, expires_at_ms, next_try_at_ms) values
    (2404, 101, 'login', 'ana@people.example.org', 'token', 'Firefox, Linux', 1772355000001, 1772400000000, 1772390000000);

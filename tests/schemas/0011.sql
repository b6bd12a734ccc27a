insert into mails (id, user_id, kind, to_email, token, created_at_ms, expires_at_ms, next_try_at_ms) values
    (1101, 101, 'notice', 'ana@people.example.org', 'token', 1772355000000, 1772400000000, 1772390000000);

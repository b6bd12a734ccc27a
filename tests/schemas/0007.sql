insert into keys (user_id, key, body_hash, answer, made_at_ms, group_id, answer_outside) values
    (102, zeroblob(16), zeroblob(16), x'80', 1772355000000, 601, x'80');

insert into devices (user_id, token_hash, used_at_ms) values (102, zeroblob(32), 1772355000000);

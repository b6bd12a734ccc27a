insert into imports (id, user_id, key, phase, file_bytes, source, audience, total, done, position, created_at_ms, started_at_ms) values
    (2601, 101, zeroblob(16), 'done', 2048, 'mastodon', 'public', 1, 1, 1, 1772355000004, 1772355000005);
insert into posts (id, author_id, text, created_at_ms, updated_at_ms, import_id, import_key) values
    (2602, 101, 'from elsewhere', 1560000000000, 1560000000000, 2601, zeroblob(16));

insert into moods (user_id, slot, mood, local_date, made_at_ms, expires_at_ms) values
    (101, 'morning', 'Cozy', '2026-03-01', 1772355000000, 1772409600000);
insert into mood_marks (user_id, local_date, slot, made_at_ms) values (101, '2026-03-01', 'morning', 1772355000000);
insert into polls (id, creator_id, question, created_at_ms, closes_at_ms) values
    (150181478400000, 101, 'Tea?', 1772355000000, 1772959800000);
insert into poll_options (poll_id, position, text) values (150181478400000, 0, 'Yes'), (150181478400000, 1, 'Later');
insert into ballots (poll_id, user_id, position, voted_at_ms) values (150181478400000, 102, 1, 1772355000001);
insert into themes (day, title, description, tag) values ('2026-03-05', 'Boats', 'Which one?', 'boats');

update users set adders = 'nobody', commenters = 'followed' where id = 103;
insert into left_groups (user_id, group_id, name, left_at_ms) values (103, 601, 'Walkers', 1772300000003);
insert into reports (id, reporter_id, kind, about_id, author_id, reason, details, words, reported_at_ms) values
    (1401, 102, 'post', 1305, 1302, 'spam', 'Every day.', 'a post of Eve', 1772300000004);

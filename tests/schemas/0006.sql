insert into groups (id, owner_id, name, created_at_ms) values (601, 101, 'Walkers', 1772200000000);
insert into members (group_id, user_id, id) values (601, 102, 602);
insert into posts (id, author_id, text, audience, group_id, created_at_ms, updated_at_ms) values
    (603, 101, 'for the walkers', 'group', 601, 1772200000001, 1772200000001);

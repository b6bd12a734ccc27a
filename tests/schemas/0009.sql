insert into invites (code, maker_id, created_at_ms, ends_at_ms, uses, uses_max) values
    ('eeeeeeeeeeeeeeeeeeeeee', 101, 1772200000000, 1774800000000, 1, 20),
    ('ffffffffffffffffffffff', null, 1772200000000, null, 0, null);
update users set invited_by = 101 where id = 103;

update users set name_key = lower(name);
update users set listed = 0 where id = 103;

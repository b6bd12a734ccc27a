insert into newcomers (user_id, has_followed, inviter_id) values (103, 1, 101);

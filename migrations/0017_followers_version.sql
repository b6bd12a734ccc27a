-- A number that changes whenever somebody begins or ends to follow a user, so that a list of followers in memory can be
-- checked. It is random: a counter would, after a rollback, reach the same value again with other followers.
alter table users add column followers_version integer not null default 0;

drop trigger follows_counted;
create trigger follows_counted after insert on follows begin
    update users set following_count = following_count + 1 where id = new.follower_id;
    update users set followers_count = followers_count + 1, followers_version = random() where id = new.followed_id;
end;

drop trigger follows_uncounted;
create trigger follows_uncounted after delete on follows begin
    update users set following_count = following_count - 1 where id = old.follower_id;
    update users set followers_count = followers_count - 1, followers_version = random() where id = old.followed_id;
end;

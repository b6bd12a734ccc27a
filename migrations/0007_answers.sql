-- An answer that its user may see as a member of a group or as a follower, and the one for a user who is no more.
alter table keys add column group_id integer;
alter table keys add column followed_id integer check (followed_id is null or group_id is null);
alter table keys add column answer_outside blob
    check ((answer_outside is null) = (group_id is null and followed_id is null));

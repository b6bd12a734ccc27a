-- An answer that holds something of a group, for a user who is out of it by the time they ask again.
alter table keys add column group_id integer;
alter table keys add column answer_outside blob check ((answer_outside is null) = (group_id is null));

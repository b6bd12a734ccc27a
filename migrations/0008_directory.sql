-- False: this person is not listed under People, nor among close matches. The exact search finds them still.
alter table users add column listed integer not null default 1 check (listed in (0, 1));
-- The name, case-folded: the order of People, and what close matches look into. Null: to be filled at the next start,
-- because SQLite cannot fold.
alter table users add column name_key text;

create index users_listed on users (name_key, id) where listed = 1;
create index users_to_fold on users (id) where name_key is null;

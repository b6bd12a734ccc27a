-- Quiet hours: a span of times by the clock of a zone. Null: never saved.
alter table users add column quiet_zone text check (length(quiet_zone) between 1 and 64);
alter table users add column quiet_from text check (quiet_from glob '[0-2][0-9]:[0-5][0-9]' and quiet_from < '24:00');
-- A time before `quiet_from` is on the next day.
alter table users add column quiet_to text
    check (quiet_to glob '[0-2][0-9]:[0-5][0-9]' and quiet_to < '24:00' and quiet_to <> quiet_from);
-- The weekdays on which they begin: 1 is Monday, 2 Tuesday, 64 Sunday, and others are sums of these.
alter table users add column quiet_days integer check (quiet_days between 1 and 127);
alter table users add column quiet_on integer not null default 0 check (
    quiet_on = 0
    or quiet_on = 1 and quiet_zone is not null and quiet_from is not null and quiet_to is not null and quiet_days is not null
);

-- The start of the server reads those that are switched on.
create index users_quiet on users (id) where quiet_on = 1;

-- True: an admin. A command on this machine alone sets it.
alter table users add column is_admin integer not null default 0 check (is_admin in (0, 1));

create index users_admins on users (id) where is_admin = 1;

-- What admins and the host's commands changed, without any content.
create table admin_log (
    id integer primary key,
    at_ms integer not null,
    -- True: by a command on this machine.
    by_command integer not null check (by_command in (0, 1)),
    -- Null: a command did it, or the account of the admin is gone.
    admin_id integer references users (id) on delete set null check (admin_id is null or by_command = 0),
    act text not null check (length(act) between 1 and 40),
    -- Whose account it concerned. Null: none, or one that is gone.
    user_id integer references users (id) on delete set null
) strict;

create index admin_log_by_age on admin_log (at_ms);
create index admin_log_of_admin on admin_log (admin_id) where admin_id is not null;
create index admin_log_of_user on admin_log (user_id) where user_id is not null;

-- A mail that tells somebody of a link that an admin made.
create table new_mails (
    id integer primary key,
    user_id integer not null references users (id) on delete cascade,
    kind text not null check (kind in ('reset', 'confirm', 'notice', 'made')),
    to_email text not null check (length(to_email) between 3 and 254),
    -- What its link carries. Gone with the row.
    token text not null,
    created_at_ms integer not null,
    -- When the link ends: after it nobody needs the mail.
    expires_at_ms integer not null,
    tries integer not null default 0 check (tries >= 0),
    next_try_at_ms integer not null
) strict;

insert into new_mails
select id, user_id, kind, to_email, token, created_at_ms, expires_at_ms, tries, next_try_at_ms from mails;
drop table mails;
alter table new_mails rename to mails;

create index mails_due on mails (next_try_at_ms);
create index mails_of_user on mails (user_id);

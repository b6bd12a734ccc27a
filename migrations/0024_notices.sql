-- What happened to an account: one row for each other login of it, until it is answered there (D-V6).
create table notices (
    -- The newest has the highest.
    id integer primary key,
    -- The login that sees it.
    login_id integer not null references logins (id) on delete cascade,
    kind text not null check (kind in ('login', 'passkey_added', 'passkey_removed')),
    -- The label of the device of the new login, '' if unknown; or the name of the passkey.
    text text not null check (length(text) <= 60),
    -- The new login. Null: it has ended, or the notice is about a passkey.
    about_login_id integer references logins (id) on delete set null
        check (about_login_id is null or kind = 'login'),
    created_at_ms integer not null,
    check (about_login_id is not login_id)
) strict;

create index notices_of_login on notices (login_id, id);
create index notices_about_login on notices (about_login_id) where about_login_id is not null;
-- The purge.
create index notices_by_age on notices (created_at_ms);

-- Whether the login began in silence: its device was known, so that it made no notice.
alter table logins add column silent integer not null default 0 check (silent in (0, 1));

-- A mail that tells somebody of a new login, or of a passkey.
create table new_mails (
    id integer primary key,
    user_id integer not null references users (id) on delete cascade,
    kind text not null
        check (kind in ('reset', 'confirm', 'notice', 'made', 'login', 'passkey_added', 'passkey_removed')),
    to_email text not null check (length(to_email) between 3 and 254),
    -- What its link carries. Gone with the row.
    token text not null,
    -- The label of the device that the mail names, '' if unknown. Null: the mail names no device.
    device text check (length(device) <= 60),
    created_at_ms integer not null,
    -- When the link ends: after it nobody needs the mail.
    expires_at_ms integer not null,
    tries integer not null default 0 check (tries >= 0),
    next_try_at_ms integer not null
) strict;

insert into new_mails (id, user_id, kind, to_email, token, created_at_ms, expires_at_ms, tries, next_try_at_ms)
select id, user_id, kind, to_email, token, created_at_ms, expires_at_ms, tries, next_try_at_ms from mails;
drop table mails;
alter table new_mails rename to mails;

create index mails_due on mails (next_try_at_ms);
create index mails_of_user on mails (user_id);

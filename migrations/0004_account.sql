-- The small size of somebody's photo, ready to be fetched; null for initials. It travels beside each name.
alter table users add column photo_url text;
-- True: how many follow and are followed is for their owner alone.
alter table users add column hide_numbers integer not null default 0 check (hide_numbers in (0, 1));
-- A new address that waits for its confirmation; the old one logs in until then.
alter table users add column pending_email text check (length(pending_email) between 3 and 254);

-- On what somebody logged in, in a few plain words; '' where nobody knows.
alter table logins add column device text not null default '' check (length(device) <= 60);

-- A person's photo: the one there is.
create table photos (
    user_id integer primary key references users (id) on delete cascade,
    -- Of the larger size, in pixels.
    width integer not null check (width between 1 and 1600),
    height integer not null check (height between 1 and 1600),
    thumbhash blob not null check (length(thumbhash) between 5 and 40),
    screen_file_id integer not null unique references files (id),
    card_file_id integer not null unique references files (id)
) strict;

create trigger photos_deleted after delete on photos begin
    delete from files where id in (old.screen_file_id, old.card_file_id);
end;

-- What people are told of what concerns them. A row goes with its cause.
create table notifications (
    id integer primary key,
    user_id integer not null references users (id) on delete cascade,
    kind text not null check (kind in ('comment', 'reply', 'follow')),
    actor_id integer not null references users (id) on delete cascade,
    post_id integer references posts (id) on delete cascade,
    comment_id integer references comments (id) on delete cascade,
    created_at_ms integer not null,
    unread integer not null default 1 check (unread in (0, 1)),
    -- Nobody is told of their own doing.
    check (user_id <> actor_id),
    check ((kind = 'follow') = (post_id is null)),
    check ((post_id is null) = (comment_id is null))
) strict;

create index notifications_of_user on notifications (user_id, id);
-- The dot.
create index notifications_unread on notifications (user_id) where unread;
-- What goes with its cause; a comment tells each person once.
create unique index notifications_of_comment on notifications (comment_id, user_id) where comment_id is not null;
create index notifications_of_post on notifications (post_id) where post_id is not null;
create index notifications_of_actor on notifications (actor_id, user_id, kind);
-- The purge.
create index notifications_by_age on notifications (created_at_ms);

-- What a link in a mail stands for. It works once.
create table links (
    -- SHA-256 of the token; the token itself is in the mail alone.
    token_hash blob primary key check (length(token_hash) = 32),
    user_id integer not null references users (id) on delete cascade,
    purpose text not null check (purpose in ('reset', 'confirm', 'undo')),
    -- confirm: the address that is confirmed; undo: the one that comes back.
    email text check ((purpose = 'reset') = (email is null)),
    expires_at_ms integer not null
) strict, without rowid;

create index links_of_user on links (user_id, purpose);
create index links_by_end on links (expires_at_ms);

-- Mail that is still to be sent; a row goes when it was, or when nobody can use it any more.
create table mails (
    id integer primary key,
    user_id integer not null references users (id) on delete cascade,
    kind text not null check (kind in ('reset', 'confirm', 'notice')),
    to_email text not null check (length(to_email) between 3 and 254),
    -- What its link carries. Gone with the row.
    token text not null,
    -- notice: the new address, as its reader is told it.
    detail text,
    created_at_ms integer not null,
    -- When the link ends: after it nobody needs the mail.
    expires_at_ms integer not null,
    tries integer not null default 0 check (tries >= 0),
    next_try_at_ms integer not null
) strict;

create index mails_due on mails (next_try_at_ms);
create index mails_of_user on mails (user_id);

-- People whose letters in the outbox folder are to be removed: their accounts are gone.
create table doomed_letters (
    user_id integer primary key
) strict;

create trigger users_letters_doomed after delete on users begin
    insert or ignore into doomed_letters (user_id) values (old.id);
end;

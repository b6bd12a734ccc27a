-- The site's own facts: one row.
create table site (
    id integer primary key check (id = 1),
    -- Changes when a backup is restored, so that clients do not trust old numbers.
    epoch text not null check (length(epoch) = 32),
    -- The number of the last committed event.
    seq integer not null check (seq >= 0),
    -- False while Mellow runs: after a crash the numbers go on with a gap, so that nobody believes
    -- to have missed nothing when a last word was lost on the way.
    stopped_cleanly integer not null default 1 check (stopped_cleanly in (0, 1))
) strict;

insert into site (id, epoch, seq) values (1, lower(hex(randomblob(16))), 0);

-- Everybody with an account.
create table users (
    id integer primary key,
    -- As typed; sign-in compares email_key (lower case).
    email text not null check (length(email) between 3 and 254),
    email_key text not null unique,
    password_hash text not null,
    name text not null check (length(name) between 1 and 50),
    bio text not null default '' check (length(bio) <= 300),
    from_color text not null default 'blue' check (from_color in ('red', 'blue', 'green', 'yellow', 'purple')),
    to_color text not null default 'blue' check (to_color in ('red', 'blue', 'green', 'yellow', 'purple')),
    -- Derived by triggers on follows; never negative by construction.
    followers_count integer not null default 0 check (followers_count >= 0),
    following_count integer not null default 0 check (following_count >= 0),
    created_at_ms integer not null,
    updated_at_ms integer not null
) strict;

-- Search by prefix: a range over the binary order of names.
create index users_by_name on users (name);

-- Proof of who somebody is, kept: one row per signed-in browser.
create table logins (
    id integer primary key,
    user_id integer not null references users (id) on delete cascade,
    -- SHA-256 of the cookie's value; the value itself is nowhere.
    token_hash blob not null unique check (length(token_hash) = 32),
    created_at_ms integer not null,
    used_at_ms integer not null
) strict;

create index logins_of_user on logins (user_id);
-- The purge of logins that ran out.
create index logins_by_use on logins (used_at_ms);

-- The answers already given, so that a request sent twice happens once. Rows live for 24 hours.
create table keys (
    user_id integer not null,
    key blob not null check (length(key) = 16),
    -- What was asked: the same key for something else is a conflict.
    body_hash blob not null check (length(body_hash) = 16),
    answer blob not null,
    made_at_ms integer not null,
    primary key (user_id, key)
) strict, without rowid;

create index keys_by_age on keys (made_at_ms);

-- Who follows whom.
create table follows (
    follower_id integer not null references users (id) on delete cascade,
    followed_id integer not null references users (id) on delete cascade,
    -- An id of its own, so that lists can be paged newest first.
    id integer not null unique,
    primary key (follower_id, followed_id),
    check (follower_id <> followed_id)
) strict, without rowid;

-- Who hears an author: asked when the author speaks.
create index follows_of_followed on follows (followed_id, id, follower_id);
create index follows_of_follower on follows (follower_id, id, followed_id);

create trigger follows_counted after insert on follows begin
    update users set following_count = following_count + 1 where id = new.follower_id;
    update users set followers_count = followers_count + 1 where id = new.followed_id;
end;

create trigger follows_uncounted after delete on follows begin
    update users set following_count = following_count - 1 where id = old.follower_id;
    update users set followers_count = followers_count - 1 where id = old.followed_id;
end;

-- Browsers that logged in to an account before. Guesses of strangers do not count for them (S6).
create table devices (
    user_id integer not null references users (id) on delete cascade,
    -- SHA-256 of the cookie's value; the value itself is nowhere.
    token_hash blob not null check (length(token_hash) = 32),
    used_at_ms integer not null,
    primary key (user_id, token_hash)
) strict, without rowid;

-- The purge of devices that were not used for long.
create index devices_by_use on devices (used_at_ms);

-- The passkeys of users: a second way to log in, beside the password (D-V1).
create table passkeys (
    -- The newest has the highest.
    id integer primary key,
    user_id integer not null references users (id) on delete cascade,
    name text not null check (length(name) between 1 and 40),
    -- The host name that it belongs to. It works nowhere else.
    host text not null check (length(host) between 1 and 253),
    -- What the passkey says of its user: random, and the same for all passkeys of a user.
    handle blob not null check (length(handle) = 16),
    -- The id that the device chose.
    credential_id blob not null check (length(credential_id) between 1 and 1023),
    -- The public key and the counter of signatures, as the library of WebAuthn writes them (JSON).
    credential text not null check (length(credential) between 2 and 8192),
    added_at_ms integer not null,
    -- Null: not used yet.
    used_at_ms integer,
    unique (host, credential_id)
) strict;

create index passkeys_of_user on passkeys (user_id, id);

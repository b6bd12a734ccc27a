-- Who blocked whom. Neither of the two sees anything of the other.
create table blocks (
    blocker_id integer not null references users (id) on delete cascade,
    blocked_id integer not null references users (id) on delete cascade,
    created_at_ms integer not null,
    primary key (blocker_id, blocked_id),
    check (blocker_id <> blocked_id)
) strict, without rowid;

create index blocks_of_blocked on blocks (blocked_id, blocker_id);

-- Who muted whom: what the muted publish leaves the lists of who muted them.
create table mutes (
    muter_id integer not null references users (id) on delete cascade,
    muted_id integer not null references users (id) on delete cascade,
    created_at_ms integer not null,
    primary key (muter_id, muted_id),
    check (muter_id <> muted_id)
) strict, without rowid;

create index mutes_of_muted on mutes (muted_id, muter_id);

-- When the host suspended the account, in milliseconds since 1970 UTC. Null: it is not suspended. For others a
-- suspended user and all of theirs are as if gone.
alter table users add column suspended_at integer;

create index users_suspended on users (id) where suspended_at is not null;

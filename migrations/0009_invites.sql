-- Links by which people let others in.
create table invites (
    -- What the link ends with. Whoever has it may use it.
    code text primary key check (length(code) = 22),
    -- Null: made on the host's command line.
    maker_id integer references users (id) on delete cascade,
    created_at_ms integer not null,
    -- Null: it never ends.
    ends_at_ms integer check (ends_at_ms > created_at_ms),
    uses integer not null default 0 check (uses >= 0),
    -- Null: as often as one likes.
    uses_max integer check (uses <= uses_max)
) strict, without rowid;

create index invites_of_maker on invites (maker_id, created_at_ms);

-- By whose invitation somebody came. For admins alone.
alter table users add column invited_by integer references users (id) on delete set null;

create index users_by_inviter on users (invited_by) where invited_by is not null;

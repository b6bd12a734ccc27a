-- What is shown to who is new. Accounts from before have no row.
create table newcomers (
    user_id integer primary key references users (id) on delete cascade,
    -- What they did once stays done.
    has_photo integer not null default 0 check (has_photo in (0, 1)),
    has_followed integer not null default 0 check (has_followed in (0, 1)),
    has_invited integer not null default 0 check (has_invited in (0, 1)),
    has_answered integer not null default 0 check (has_answered in (0, 1)),
    -- They do not want to see the steps any more.
    is_dismissed integer not null default 0 check (is_dismissed in (0, 1)),
    -- Who invited them, until they say whether they follow this user.
    inviter_id integer references users (id) on delete set null
) strict;

create index newcomers_of_inviter on newcomers (inviter_id) where inviter_id is not null;

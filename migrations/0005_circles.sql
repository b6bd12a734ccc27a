-- Moods of today: one in the morning, one in the evening. They go at their owner's midnight.
create table moods (
    user_id integer not null references users (id) on delete cascade,
    slot text not null check (slot in ('morning', 'evening')),
    -- Its word, such as `Cozy`.
    mood text not null check (length(mood) between 1 and 20),
    -- The owner's own day, `2026-11-21`, by their own clock when they shared it.
    local_date text not null check (length(local_date) = 10),
    made_at_ms integer not null,
    -- The owner's next midnight.
    expires_at_ms integer not null,
    primary key (user_id, local_date, slot)
) strict, without rowid;

create index moods_by_end on moods (expires_at_ms);

-- That something was shared, never what: so that a day stays a day, also for who travels.
create table mood_marks (
    user_id integer not null references users (id) on delete cascade,
    local_date text not null check (length(local_date) = 10),
    slot text not null check (slot in ('morning', 'evening')),
    made_at_ms integer not null,
    primary key (user_id, local_date, slot)
) strict, without rowid;

create index mood_marks_by_age on mood_marks (made_at_ms);

-- A question with two to four answers, open for seven days.
create table polls (
    id integer primary key,
    creator_id integer not null references users (id) on delete cascade,
    question text not null check (length(question) between 1 and 140),
    created_at_ms integer not null,
    closes_at_ms integer not null check (closes_at_ms > created_at_ms)
) strict;

create index polls_of_creator on polls (creator_id, id);

create table poll_options (
    poll_id integer not null references polls (id) on delete cascade,
    position integer not null check (position between 0 and 3),
    text text not null check (length(text) between 1 and 40),
    -- Derived by the triggers below.
    votes_count integer not null default 0 check (votes_count >= 0),
    primary key (poll_id, position)
) strict, without rowid;

-- One vote each, and final.
create table ballots (
    poll_id integer not null,
    user_id integer not null references users (id) on delete cascade,
    position integer not null,
    voted_at_ms integer not null,
    primary key (poll_id, user_id),
    foreign key (poll_id, position) references poll_options (poll_id, position) on delete cascade
) strict, without rowid;

-- Who chose an option, in the order of their names' owners.
create index ballots_of_option on ballots (poll_id, position, user_id);
create index ballots_of_user on ballots (user_id);

create trigger ballots_counted after insert on ballots begin
    update poll_options set votes_count = votes_count + 1
     where poll_id = new.poll_id and position = new.position;
end;

create trigger ballots_final before update on ballots begin
    select raise(abort, 'a vote is final');
end;

create trigger ballots_uncounted after delete on ballots begin
    update poll_options set votes_count = votes_count - 1
     where poll_id = old.poll_id and position = old.position;
end;

-- Themes that the host set for a day; on other days the program's own rotate.
create table themes (
    -- The day by the site's clock, `2026-11-21`.
    day text primary key check (length(day) = 10),
    title text not null check (length(title) between 1 and 100),
    description text not null check (length(description) <= 500),
    tag text not null check (length(tag) between 1 and 30)
) strict, without rowid;

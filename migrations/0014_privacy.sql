-- Who may add this user to groups (beside whom they follow themselves), and who may comment on their public posts.
alter table users add column adders text not null default 'followers' check (adders in ('followers', 'followed', 'nobody'));
alter table users add column commenters text not null default 'everyone'
    check (commenters in ('everyone', 'followers', 'followed'));

-- Groups that somebody left. Nobody adds them to one again until they allow it.
create table left_groups (
    user_id integer not null references users (id) on delete cascade,
    group_id integer not null references groups (id) on delete cascade,
    -- The name it had then: who is not in a group does not learn a later one.
    name text not null check (length(name) between 1 and 50),
    left_at_ms integer not null,
    primary key (user_id, group_id)
) strict, without rowid;

create index left_groups_of_group on left_groups (group_id);

-- What people report to the host.
create table reports (
    id integer primary key,
    reporter_id integer not null references users (id) on delete cascade,
    -- What was reported, which may be gone: a post, a comment, a poll or a user, by its id.
    kind text not null check (kind in ('post', 'comment', 'poll', 'user')),
    about_id integer not null,
    -- Whose it is; of a user, that user.
    author_id integer not null references users (id) on delete cascade,
    reason text not null check (reason in ('spam', 'harassment', 'hate', 'private', 'other')),
    details text not null check (length(details) <= 500 and (reason <> 'other' or details <> '')),
    -- The words as they were.
    words text not null,
    reported_at_ms integer not null,
    -- Null: open.
    handled_at_ms integer,
    check (reporter_id <> author_id)
) strict;

-- One open report for each reporter and thing.
create unique index reports_once on reports (reporter_id, kind, about_id) where handled_at_ms is null;
create index reports_open on reports (id) where handled_at_ms is null;
create index reports_of_reporter on reports (reporter_id, id);
create index reports_of_author on reports (author_id);
create index reports_about on reports (kind, about_id);
-- The purge.
create index reports_handled on reports (handled_at_ms) where handled_at_ms is not null;

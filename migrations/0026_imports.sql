-- Posts that a user wrote elsewhere and brings here: one row from the first byte of the file until the posts are deleted.
create table imports (
    id integer primary key,
    user_id integer not null references users (id) on delete cascade,
    -- The key of the request that began it.
    key blob not null check (length(key) = 16),
    -- undoing: its posts are gone for everybody, and are deleted little by little.
    phase text not null check (phase in ('uploading', 'reading', 'preview', 'importing', 'done', 'undoing')),
    -- The announced size of the file.
    file_bytes integer not null check (file_bytes > 0),
    -- Where the posts come from. Null until the file was read.
    source text check (source in ('mellow', 'mastodon')),
    -- What was found in the file, as JSON, from the reading to the start.
    preview text check ((preview is not null) = (phase = 'preview')),
    -- Whom the posts are for, as in posts. Null until the start.
    audience text check (audience in ('public', 'group')),
    group_id integer check (group_id is null or audience = 'group'),
    -- Posts of the file that are to be written, and those that were.
    total integer not null default 0 check (total >= 0),
    done integer not null default 0 check (done >= 0),
    -- Posts of the file that were dealt with, from the first on. A restart goes on here.
    position integer not null default 0 check (position >= 0),
    created_at_ms integer not null,
    started_at_ms integer check (started_at_ms is not null or phase not in ('importing', 'done', 'undoing')),
    check (source is not null or phase in ('uploading', 'reading')),
    check (audience is not null or phase in ('uploading', 'reading', 'preview'))
) strict;

-- One at a time of each user.
create unique index imports_current on imports (user_id) where phase not in ('done', 'undoing');
create index imports_of_user on imports (user_id, id);
create index imports_by_phase on imports (phase, id);

-- The import that a post came with. Null: it was written here.
alter table posts add column import_id integer references imports (id) on delete cascade;
-- A hash of where it comes from, its id, date and words there. It stays when the post is edited.
alter table posts add column import_key blob
    check (length(import_key) = 16) check ((import_key is null) = (import_id is null));

-- Each post once.
create unique index posts_imported on posts (author_id, import_key) where import_key is not null;
create index posts_of_import on posts (import_id, created_at_ms, id) where import_id is not null;

-- The lists of an author go by date, in which imported posts have their places.
create index posts_by_date on posts (author_id, created_at_ms, id, import_id);
create index posts_public_by_date on posts (author_id, created_at_ms, id, import_id) where audience = 'public';
create index posts_of_group_by_date on posts (group_id, author_id, created_at_ms, id, import_id)
    where group_id is not null;

-- The feed and the page of a group go by id and leave imported posts out.
drop index posts_of_author;
drop index posts_of_tag;
drop index posts_public_of_author;
drop index posts_public_of_tag;
drop index posts_of_group;
drop index posts_of_group_tag;
create index posts_of_author on posts (author_id, id, import_id);
create index posts_of_tag on posts (tag_key, author_id, id, import_id)
    where tag_key is not null and import_id is null;
create index posts_public_of_author on posts (author_id, id, import_id)
    where audience = 'public' and import_id is null;
-- The audience comes last: SQLite looks for a constant there, and then needs no column for it.
create index posts_public_of_tag on posts (tag_key, author_id, id, import_id)
    where tag_key is not null and import_id is null and audience = 'public';
create index posts_of_group on posts (group_id, import_id, id, author_id) where group_id is not null;
create index posts_of_group_tag on posts (group_id, tag_key, id, import_id)
    where group_id is not null and tag_key is not null and import_id is null;

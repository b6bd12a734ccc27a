-- Stored files: what lies under media/, by path. A file without a row is taken by the sweeper.
create table files (
    id integer primary key,
    bucket text not null default 'media' check (bucket = 'media'),
    -- posts/{userId}/{timestamp}_{index}_{filename}
    full_path text not null unique check (length(full_path) between 1 and 255),
    -- The last part of the path.
    name text not null check (length(name) between 1 and 120),
    owner_id integer not null references users (id) on delete cascade,
    size_bytes integer not null check (size_bytes > 0),
    content_type text not null check (content_type in ('image/jpeg', 'image/gif')),
    -- What its maker said of it, as a JSON object.
    custom_metadata text not null default '{}' check (json_type(custom_metadata) = 'object'),
    -- Who fetches the file names this, and must be entitled besides.
    token text not null check (length(token) = 22),
    created_at_ms integer not null,
    updated_at_ms integer not null
) strict;

-- How much room one person's files take.
create index files_of_owner on files (owner_id, size_bytes);

-- Files whose rows are gone. The sweeper removes them from the disk, then from here.
create table doomed_files (
    full_path text primary key
) strict, without rowid;

create trigger files_doomed after delete on files begin
    insert or ignore into doomed_files (full_path) values (old.full_path);
end;

-- The pictures of posts, at most four each, in the order they are shown.
create table pictures (
    post_id integer not null references posts (id) on delete cascade,
    position integer not null check (position between 0 and 3),
    -- What is on it, for those who do not see it; '' for nothing said.
    alt text not null check (length(alt) <= 300),
    -- Of the larger size, in pixels.
    width integer not null check (width between 1 and 1600),
    height integer not null check (height between 1 and 1600),
    -- A blurred likeness in some twenty bytes.
    thumbhash blob not null check (length(thumbhash) between 5 and 40),
    -- The larger size, the smaller one, and what moves if anything does.
    screen_file_id integer not null unique references files (id),
    card_file_id integer not null unique references files (id),
    motion_file_id integer unique references files (id),
    primary key (post_id, position)
) strict, without rowid;

create trigger pictures_deleted after delete on pictures begin
    delete from files where id in (old.screen_file_id, old.card_file_id, old.motion_file_id);
end;

-- So that pages read pictures only for posts that have some.
alter table posts add column pictures_count integer not null default 0 check (pictures_count between 0 and 4);

create trigger pictures_counted after insert on pictures begin
    update posts set pictures_count = pictures_count + 1 where id = new.post_id;
end;

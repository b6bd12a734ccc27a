-- Small private circles: who owns one, and who is in it.
create table groups (
    id integer primary key,
    owner_id integer not null references users (id) on delete cascade,
    name text not null check (length(name) between 1 and 50),
    created_at_ms integer not null
) strict;

create index groups_of_owner on groups (owner_id, id);

-- Its owner is one of them, from the moment it is there.
create table members (
    group_id integer not null references groups (id) on delete cascade,
    user_id integer not null references users (id) on delete cascade,
    -- In the order they were added.
    id integer not null unique,
    primary key (group_id, user_id)
) strict, without rowid;

create index members_of_user on members (user_id, group_id);

create trigger groups_owned after insert on groups begin
    insert into members (group_id, user_id, id) values (new.id, new.owner_id, new.id);
end;

-- Who a post is for. A group's post whose group is gone is for its author alone: it never becomes public.
alter table posts add column audience text not null default 'public' check (audience in ('public', 'group'));
alter table posts add column group_id integer references groups (id) on delete set null
    check (group_id is null or audience = 'group');

-- The feed has two sides: what people publish for everybody, and what is said in the viewer's groups.
create index posts_public_of_author on posts (author_id, id) where audience = 'public';
create index posts_public_of_tag on posts (tag_key, author_id, id) where tag_key is not null and audience = 'public';
create index posts_of_group on posts (group_id, id, author_id) where group_id is not null;
create index posts_of_group_tag on posts (group_id, tag_key, id) where group_id is not null and tag_key is not null;

-- Who a poll is for; null for who follows its creator. It goes with its group.
alter table polls add column group_id integer references groups (id) on delete cascade;

create index polls_of_group on polls (group_id, id) where group_id is not null;

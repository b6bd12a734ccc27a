-- What people publish.
create table posts (
    id integer primary key,
    author_id integer not null references users (id) on delete cascade,
    title text check (length(title) between 1 and 100),
    text text not null check (length(text) between 1 and 2000),
    -- As typed, and folded for comparing.
    tag text check (length(tag) between 1 and 30),
    tag_key text check ((tag is null) = (tag_key is null)),
    created_at_ms integer not null,
    updated_at_ms integer not null,
    -- Derived by triggers below; never negative by construction.
    comments_count integer not null default 0 check (comments_count >= 0),
    positive_count integer not null default 0 check (positive_count >= 0),
    negative_count integer not null default 0 check (negative_count >= 0)
) strict;

-- The feed and the profile: an author's posts, newest first, the feed's join covered.
create index posts_of_author on posts (author_id, id);
-- The feed with a tag.
create index posts_of_tag on posts (tag_key, author_id, id) where tag_key is not null;

-- One person's quiet yes (1) or no (-1) on a post.
create table votes (
    post_id integer not null references posts (id) on delete cascade,
    user_id integer not null references users (id) on delete cascade,
    vote integer not null check (vote in (-1, 1)),
    primary key (post_id, user_id)
) strict, without rowid;

create index votes_of_user on votes (user_id);

create trigger votes_counted after insert on votes begin
    update posts set positive_count = positive_count + (new.vote = 1),
                     negative_count = negative_count + (new.vote = -1)
     where id = new.post_id;
end;

create trigger votes_recounted after update of vote on votes begin
    update posts set positive_count = positive_count + (new.vote = 1) - (old.vote = 1),
                     negative_count = negative_count + (new.vote = -1) - (old.vote = -1)
     where id = new.post_id;
end;

create trigger votes_uncounted after delete on votes begin
    update posts set positive_count = positive_count - (old.vote = 1),
                     negative_count = negative_count - (old.vote = -1)
     where id = old.post_id;
end;

-- What people say under a post.
create table comments (
    id integer primary key,
    post_id integer not null references posts (id) on delete cascade,
    author_id integer not null references users (id) on delete cascade,
    -- At most 4 KiB as it travels; what people see is at most 500 characters.
    text text not null check (length(text) >= 1 and octet_length(text) <= 4096),
    created_at_ms integer not null
) strict;

-- A thread, oldest first.
create index comments_of_post on comments (post_id, id);
create index comments_of_author on comments (author_id);

create trigger comments_counted after insert on comments begin
    update posts set comments_count = comments_count + 1 where id = new.post_id;
end;

create trigger comments_uncounted after delete on comments begin
    update posts set comments_count = comments_count - 1 where id = old.post_id;
end;

-- The posts of others that a user saved. Nobody but this user learns of it.
create table saved_posts (
    -- The latest saved has the highest.
    id integer primary key,
    user_id integer not null references users (id) on delete cascade,
    post_id integer not null references posts (id) on delete cascade,
    saved_at_ms integer not null,
    unique (user_id, post_id)
) strict;

create index saved_posts_of_user on saved_posts (user_id, id);
create index saved_posts_of_post on saved_posts (post_id);

-- Own posts are searched, not saved. A post never gets another author.
create trigger saved_posts_of_others before insert on saved_posts
when exists (select 1 from posts where id = new.post_id and author_id = new.user_id)
begin
    select raise(abort, 'nobody saves a post of their own');
end;

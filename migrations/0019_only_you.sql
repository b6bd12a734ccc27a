-- Whether the author chose that only they see the post. Otherwise a post of no group is one whose group was deleted.
alter table posts add column only_author integer not null default 0 check (only_author in (0, 1));

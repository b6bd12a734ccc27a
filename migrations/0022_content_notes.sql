-- What an author says before a post is shown. Null: nothing.
alter table posts add column content_note text check (length(content_note) between 1 and 60);
-- The note of a reported post, as it was.
alter table reports add column content_note text check (length(content_note) between 1 and 60);

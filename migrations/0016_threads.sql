-- Who commented on a post, without reading the comments: one who may not meet them sees another count.
create index comments_of_post_by_author on comments (post_id, author_id);

//! The SQL of comments: writing one in one trip, deleting one, reading a thread.

use bytes::Bytes;
use sqlx::{FromRow, Row, SqliteConnection};

use super::wire::{Created, Deleted, Done, Made, Thread};
use crate::access::{self, PostFacts, Viewer};
use crate::db::writer::{KeyUse, Pending, Stage, Work, known_answer};
use crate::error::{Error, Refusal};
use crate::features::Event;
use crate::features::views::{Comment, User, first_comments, users_named};
use crate::ids::{CommentId, PostId, Seq, UserId};
use crate::limits::COMMENTS_PAGE;
use crate::wire::codec;

/// Writes a comment.
pub struct Create {
    pub key: KeyUse,
    pub id: CommentId,
    pub post_id: PostId,
    pub viewer: Viewer,
    pub author_id: UserId,
    pub text: String,
}

/// All of it in one trip: savepoint, the comment, its key, the facts after, release.
///
/// Arguments: 1 post, 2 author, 3 key, 4 comment, 5 text, 6 now, 7 body, 8 answer; without gaps, as
/// in `votes/store.rs`. Nothing is written, its key neither, when the post is gone.
/// A public post may be commented on by everybody signed in (`access::may_comment`, asked before).
const CREATE: &str = "
    savepoint one;
    insert into comments (id, post_id, author_id, text, created_at_ms)
      select ?4, ?1, ?2, ?5, ?6 where exists (select 1 from posts where id = ?1)
         and not exists (select 1 from keys where user_id = ?2 and key = ?3);
    insert into keys (user_id, key, body_hash, answer, made_at_ms)
      select ?2, ?3, ?7, ?8, ?6 from comments where id = ?4 and post_id = ?1 and text = ?5;
    select k.body_hash, k.answer, exists (select 1 from comments where id = ?4) as is_new,
           p.author_id, p.comments_count, u.name
      from keys k left join posts p on p.id = ?1 left join users u on u.id = ?2
     where k.user_id = ?2 and k.key = ?3;
    release one";

impl Work for Create {
    type Event = Event;

    fn key(&self) -> Option<&KeyUse> {
        Some(&self.key)
    }

    fn is_one_trip(&self) -> bool {
        true
    }

    fn weight_bytes(&self) -> usize {
        self.text.len() + 256
    }

    fn apply<'a>(&'a mut self, stage: &'a mut Stage<'_, Event>) -> Pending<'a, Result<Bytes, Error>> {
        Box::pin(async move {
            let comment = Comment {
                id: self.id,
                post_id: self.post_id,
                author_id: self.author_id,
                text: self.text.clone(),
                created_at_ms: stage.now_ms,
            };
            let made = codec::encode(&Made { comment: comment.clone(), seq: Seq(stage.seq().0 + 1) })?;
            let rows = sqlx::query(CREATE)
                .bind(self.post_id)
                .bind(self.author_id)
                .bind(&self.key.key[..])
                .bind(self.id)
                .bind(&self.text)
                .bind(stage.now_ms)
                .bind(&self.key.body_hash[..])
                .bind(made)
                .fetch_all(&mut *stage.connection)
                .await?;
            let row = rows.first().ok_or(Refusal::NotFound)?;
            let answer = known_answer(&self.key, row.try_get("body_hash")?, row.try_get("answer")?)?;
            if row.try_get("is_new")? {
                let facts =
                    PostFacts { author_id: row.try_get("author_id")?, audience: access::Audience::Public };
                debug_assert!(
                    access::may_comment(self.viewer, &facts),
                    "the SQL lets through what access does"
                );
                let users = vec![User { id: self.author_id, name: row.try_get("name")? }];
                let comments_count = row.try_get("comments_count")?;
                stage.tell(Event::CommentCreated(Created { comment, users, comments_count }));
            }
            Ok(answer)
        })
    }
}

/// Deletes a comment.
pub struct Delete {
    pub key: KeyUse,
    pub comment_id: CommentId,
    pub viewer: Viewer,
}

#[derive(FromRow)]
struct Facts {
    post_id: PostId,
    author_id: UserId,
    post_author_id: UserId,
}

impl Work for Delete {
    type Event = Event;

    fn key(&self) -> Option<&KeyUse> {
        Some(&self.key)
    }

    fn weight_bytes(&self) -> usize {
        128
    }

    fn apply<'a>(&'a mut self, stage: &'a mut Stage<'_, Event>) -> Pending<'a, Result<Bytes, Error>> {
        Box::pin(async move {
            let facts: Option<Facts> = sqlx::query_as(
                "select c.post_id, c.author_id, p.author_id as post_author_id
                   from comments c join posts p on p.id = c.post_id where c.id = ?1",
            )
            .bind(self.comment_id)
            .fetch_optional(&mut *stage.connection)
            .await?;
            let may = |facts: &Facts| {
                let post = PostFacts { author_id: facts.post_author_id, audience: access::Audience::Public };
                access::may_delete_comment(self.viewer, facts.author_id, &post)
            };
            let facts = facts.filter(may).ok_or(Refusal::NotFound)?;
            sqlx::query("delete from comments where id = ?1")
                .bind(self.comment_id)
                .execute(&mut *stage.connection)
                .await?;
            let comments_count = count(stage.connection, facts.post_id).await?.unwrap_or(0);
            let first_comments = first_comments(stage.connection, &[facts.post_id.0]).await?;
            let authors = first_comments.iter().map(|comment| comment.author_id);
            let users = users_named(stage.connection, authors).await?;
            let seq = stage.tell(Event::CommentDeleted(Deleted {
                post_id: facts.post_id,
                comment_id: self.comment_id,
                comments_count,
                first_comments,
                users,
            }));
            Ok(Bytes::from(codec::encode(&Done { seq })?))
        })
    }
}

async fn count(connection: &mut SqliteConnection, post_id: PostId) -> Result<Option<i64>, Error> {
    let count = sqlx::query_scalar("select comments_count from posts where id = ?1")
        .bind(post_id)
        .fetch_optional(connection)
        .await?;
    Ok(count)
}

/// Returns the next comments of a thread, oldest first; None when the viewer may not see its post.
///
/// # Errors
/// A database fault.
pub async fn page(
    connection: &mut SqliteConnection,
    viewer: Viewer,
    post_id: PostId,
    after: Option<CommentId>,
    seq: Seq,
) -> Result<Option<Thread>, Error> {
    let post: Option<(UserId, i64)> =
        sqlx::query_as("select author_id, comments_count from posts where id = ?1")
            .bind(post_id)
            .fetch_optional(&mut *connection)
            .await?;
    let may = |(author_id, _): &(UserId, i64)| {
        access::may_see_post(viewer, &PostFacts { author_id: *author_id, audience: access::Audience::Public })
    };
    let Some((_, comments_count)) = post.filter(may) else { return Ok(None) };
    let mut comments: Vec<Comment> = sqlx::query_as(
        "select id, post_id, author_id, text, created_at_ms from comments
          where post_id = ?1 and id > ?2 order by id limit ?3",
    )
    .bind(post_id)
    .bind(after.map_or(0, |after| after.0))
    .bind(i64::try_from(COMMENTS_PAGE + 1).unwrap_or(i64::MAX))
    .fetch_all(&mut *connection)
    .await?;
    let more = comments.len() > COMMENTS_PAGE;
    comments.truncate(COMMENTS_PAGE);
    let users = users_named(connection, comments.iter().map(|comment| comment.author_id)).await?;
    Ok(Some(Thread { comments, users, more, comments_count, seq }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::testing::{ANA, BEN, CLEO, Room, key, told, viewer};

    fn comment(author_id: UserId, post_id: PostId, id: i64, text: &str) -> Create {
        let key = key(author_id, u8::try_from(id % 256).unwrap(), &[text.as_bytes()]);
        Create { key, id: CommentId(id), post_id, viewer: viewer(author_id), author_id, text: text.into() }
    }

    fn removal(user_id: UserId, id: i64) -> Delete {
        let comment_id = CommentId(id);
        Delete { key: key(user_id, 200, &[&id.to_be_bytes()]), comment_id, viewer: viewer(user_id) }
    }

    async fn thread(room: &Room, post_id: PostId) -> Thread {
        let mut look = room.looks().await;
        let seq = look.seq;
        page(look.connection(), viewer(BEN), post_id, None, seq).await.unwrap().unwrap()
    }

    #[test]
    fn a_thread_is_oldest_first_and_its_count_agrees() {
        told(|room| async move {
            let post = room.has_post(10, ANA, 5);
            for (id, text) in [(21, "one"), (22, "two"), (23, "three")] {
                room.does(comment(BEN, post, id, text)).await.unwrap();
            }
            let thread = thread(&room, post).await;
            let texts: Vec<_> = thread.comments.iter().map(|comment| comment.text.as_str()).collect();
            assert_eq!((texts, thread.comments_count, thread.more), (vec!["one", "two", "three"], 3, false));
        });
    }

    #[test]
    fn c29_a_deletion_tells_the_two_oldest_that_are_left() {
        told(|room| async move {
            let post = room.has_post(10, ANA, 5);
            for (id, text) in [(21, "one"), (22, "two"), (23, "three")] {
                room.does(comment(BEN, post, id, text)).await.unwrap();
            }
            room.heard();
            room.does(removal(ANA, 21)).await.unwrap();
            let heard = room.heard();
            let [Event::CommentDeleted(deleted)] = &heard[..] else { panic!("{heard:?}") };
            let left: Vec<_> = deleted.first_comments.iter().map(|comment| comment.text.as_str()).collect();
            assert_eq!((left, deleted.comments_count), (vec!["two", "three"], 2));
        });
    }

    #[test]
    fn a_stranger_deletes_nothing_and_learns_nothing() {
        told(|room| async move {
            let post = room.has_post(10, ANA, 5);
            room.does(comment(BEN, post, 21, "one")).await.unwrap();
            let not_hers = room.does(removal(CLEO, 21)).await;
            let not_there = room.does(removal(CLEO, 99)).await;
            assert_eq!((not_hers, not_there), (Err(Refusal::NotFound), Err(Refusal::NotFound)));
            assert_eq!(thread(&room, post).await.comments_count, 1);
        });
    }

    #[test]
    fn a_comment_on_a_post_deleted_meanwhile_is_refused_and_others_in_its_group_are_not() {
        told(|room| async move {
            let post = room.has_post(10, ANA, 5);
            let together = futures_util::future::join(
                room.does(comment(BEN, PostId(99), 21, "too late")),
                room.does(comment(CLEO, post, 22, "in time")),
            );
            let (late, in_time) = together.await;
            assert_eq!(late, Err(Refusal::NotFound));
            assert!(in_time.is_ok());
            assert_eq!(thread(&room, post).await.comments_count, 1);
        });
    }

    #[test]
    fn r5_the_same_key_writes_one_comment_also_after_it_was_deleted() {
        told(|room| async move {
            let post = room.has_post(10, ANA, 5);
            let first = room.does(comment(BEN, post, 21, "once")).await.unwrap();
            let mut again = comment(BEN, post, 22, "once");
            again.key = key(BEN, 21, &[b"once"]);
            assert_eq!(room.does(again).await.unwrap(), first);
            assert_eq!(thread(&room, post).await.comments_count, 1);
            let mut other = comment(BEN, post, 23, "other words");
            other.key = key(BEN, 21, &[b"other words"]);
            assert_eq!(room.does(other).await, Err(Refusal::KeyConflict));
        });
    }

    #[test]
    fn r9_the_schema_itself_refuses_an_empty_comment_and_one_without_a_post() {
        told(|room| async move {
            room.has_post(10, ANA, 5);
            for (post, text) in [(10, "''"), (11, "'x'"), (10, "printf('%.*c', 4097, 'x')")] {
                let sql = format!(
                    "insert into comments (id, post_id, author_id, text, created_at_ms) values (1, {post}, 2, {text}, 0)"
                );
                assert!(room.by_hand(&sql).is_err(), "{sql}");
            }
        });
    }
}

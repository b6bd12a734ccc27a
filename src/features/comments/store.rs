//! The SQL of comments: writing one in one trip, deleting one, reading a thread.

use std::collections::HashMap;

use bytes::Bytes;
use sqlx::{FromRow, Row, SqliteConnection};

use super::wire::{Created, Deleted, Done, Made, Thread};
use crate::access::{self, PostFacts, Viewer};
use crate::db::work::{BoxedWork, KeyUse, Pending, Stage, Work, known_answer, run_of};
use crate::error::{Error, Refusal};
use crate::features::Event;
use crate::features::kit::{hex, text_of_hex};
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
           p.author_id, p.comments_count, u.name, u.photo_url
      from keys k left join posts p on p.id = ?1 left join users u on u.id = ?2
     where k.user_id = ?2 and k.key = ?3;
    release one";

/// A run of comments in one trip, as `votes/store.rs` does it for votes.
///
/// Comments whose key is known or whose post is gone are left for [`CREATE`].
/// Arguments: 1 rows of `[post, author, key, comment, text, body, answer]` (bytes as hexadecimal), 2 now.
const CREATE_MANY: &str = "
    savepoint one;
    create temp table if not exists comment_run (
        n integer primary key, post_id integer, author_id integer, key blob, id integer, text text,
        body_hash blob, answer blob, post_author_id integer, comments_count integer, name text,
        photo_url text, is_known integer) strict;
    delete from temp.comment_run;
    insert into temp.comment_run
      select r.key, r.value ->> 0, r.value ->> 1, unhex(r.value ->> 2), r.value ->> 3,
             cast(unhex(r.value ->> 4) as text), unhex(r.value ->> 5), unhex(r.value ->> 6),
             p.author_id, p.comments_count, u.name, u.photo_url,
             exists (select 1 from keys k where k.user_id = r.value ->> 1 and k.key = unhex(r.value ->> 2))
        from json_each(?1) r join posts p on p.id = r.value ->> 0 join users u on u.id = r.value ->> 1;
    delete from temp.comment_run where is_known;
    insert into comments (id, post_id, author_id, text, created_at_ms)
      select id, post_id, author_id, text, ?2 from temp.comment_run where ?1 is not null order by n;
    insert into keys (user_id, key, body_hash, answer, made_at_ms)
      select author_id, key, body_hash, answer, ?2 from temp.comment_run where ?1 is not null;
    select group_concat(format('%d %d %d %s %s', n, post_author_id, comments_count, hex(name), hex(photo_url))) from temp.comment_run;
    release one";

impl Create {
    fn row(&self, answer: &[u8]) -> String {
        format!(
            "[{},{},\"{}\",{},\"{}\",\"{}\",\"{}\"]",
            self.post_id.0,
            self.author_id.0,
            hex(&self.key.key),
            self.id.0,
            hex(self.text.as_bytes()),
            hex(&self.key.body_hash),
            hex(answer)
        )
    }

    /// Two uses of one key come one after the other.
    fn meets(&self, other: &Self) -> bool {
        self.author_id == other.author_id && self.key.key == other.key.key
    }

    fn comment(&self, now_ms: i64) -> Comment {
        Comment {
            id: self.id,
            post_id: self.post_id,
            author_id: self.author_id,
            text: self.text.clone(),
            created_at_ms: now_ms,
        }
    }
}

/// What became of one comment of a run.
struct Became {
    n: usize,
    post_author_id: UserId,
    /// Before the run.
    comments_count: i64,
    name: String,
    photo_url: Option<String>,
}

impl Became {
    fn read(text: &str) -> Option<Self> {
        let mut parts = text.split(' ');
        Some(Self {
            n: parts.next()?.parse().ok()?,
            post_author_id: UserId(parts.next()?.parse().ok()?),
            comments_count: parts.next()?.parse().ok()?,
            name: text_of_hex(parts.next()?)?,
            photo_url: text_of_hex(parts.next()?).filter(|url| !url.is_empty()),
        })
    }
}

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

    fn unites(&self, next: &[BoxedWork<Event>]) -> usize {
        run_of(self, next, Self::meets).len() - 1
    }

    fn apply_united<'a>(
        &'a mut self,
        others: &'a mut [BoxedWork<Event>],
        stage: &'a mut Stage<'_, Event>,
    ) -> Pending<'a, Result<Vec<Option<Bytes>>, Error>> {
        Box::pin(async move {
            let run = run_of(&*self, others, Self::meets);
            // A number for each; those that turn out to be repeats leave theirs unused.
            let seqs: Vec<Seq> = run.iter().map(|_| stage.promise(1)).collect();
            let mut answers = Vec::with_capacity(run.len());
            for (create, seq) in run.iter().zip(&seqs) {
                let made = Made { comment: create.comment(stage.now_ms), seq: *seq };
                answers.push(Bytes::from(codec::encode(&made)?));
            }
            let rows: Vec<String> =
                run.iter().zip(&answers).map(|(create, answer)| create.row(answer)).collect();
            let became: Option<String> = sqlx::query_scalar(CREATE_MANY)
                .bind(format!("[{}]", rows.join(",")))
                .bind(stage.now_ms)
                .fetch_one(&mut *stage.connection)
                .await?;
            let mut became: Vec<Became> = became
                .as_deref()
                .into_iter()
                .flat_map(|became| became.split(','))
                .map(|became| Became::read(became).ok_or(Error::Broken("a run of comments left no trace")))
                .collect::<Result<_, _>>()?;
            // Events are told in the order of their numbers, and each says the count as of itself.
            became.sort_unstable_by_key(|became| became.n);
            let mut done = vec![None; run.len()];
            let mut added: HashMap<PostId, i64> = HashMap::new();
            for Became { n, post_author_id, comments_count, name, photo_url } in became {
                let (Some(create), Some(seq)) = (run.get(n), seqs.get(n)) else {
                    return Err(Error::Broken("a run of comments lost count"));
                };
                let facts = PostFacts { author_id: post_author_id, audience: access::Audience::Public };
                debug_assert!(
                    access::may_comment(create.viewer, &facts),
                    "the SQL lets through what access does"
                );
                let added = added.entry(create.post_id).or_insert(0);
                *added += 1;
                let users = vec![User { id: create.author_id, name, photo_url }];
                let comment = create.comment(stage.now_ms);
                let comments_count = comments_count + *added;
                stage.tell_as(*seq, Event::CommentCreated(Created { comment, users, comments_count }));
                done[n] = Some(answers[n].clone());
            }
            Ok(done)
        })
    }

    fn apply<'a>(&'a mut self, stage: &'a mut Stage<'_, Event>) -> Pending<'a, Result<Bytes, Error>> {
        Box::pin(async move {
            let comment = self.comment(stage.now_ms);
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
                let users = vec![User {
                    id: self.author_id,
                    name: row.try_get("name")?,
                    photo_url: row.try_get("photo_url")?,
                }];
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
    fn a_crowd_commenting_at_once_is_counted_as_if_one_by_one() {
        told(|room| async move {
            let post = room.has_post(10, ANA, 5);
            let mut crowd = Vec::new();
            for id in 0..20 {
                let words = format!("thought {id}, \"quoted\", {{}} 🌿");
                crowd.push(room.does(comment(BEN, post, 100 + id, &words)));
                crowd.push(room.does(comment(CLEO, PostId(99), 200 + id, "too late")));
                crowd.push(room.does(comment(ANA, post, 300 + id, "a line\nand another")));
            }
            let answers = futures_util::future::join_all(crowd).await;
            for three in answers.chunks(3) {
                assert!(three[0].is_ok() && three[2].is_ok());
                assert_eq!(three[1], Err(Refusal::NotFound));
            }
            assert!(room.seqs().is_sorted());
            let counts = room.heard().into_iter().map(|event| match event {
                Event::CommentCreated(created) => created.comments_count,
                other => panic!("{other:?}"),
            });
            assert!(counts.eq(1..=40), "each says the count as of itself");
            let thread = thread(&room, post).await;
            assert_eq!(thread.comments_count, 40);
            assert!(thread.comments.iter().any(|comment| comment.text == "thought 7, \"quoted\", {} 🌿"));
            assert!(thread.comments.iter().any(|comment| comment.text == "a line\nand another"));
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

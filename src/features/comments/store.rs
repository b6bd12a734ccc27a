//! The SQL of comments: writing one, deleting one, reading a thread, and who may be meant in it.

mod create;

pub use create::Create;

use std::collections::{BTreeSet, HashMap};

use bytes::Bytes;
use sqlx::{FromRow, SqliteConnection};

use super::rules::{Term, is_meant};
use super::wire::{Deleted, Done, Thread};
use crate::access::{self, PostFacts, Viewer};
use crate::db::sql::{Sql, list};
use crate::db::work::{KeyUse, Pending, Stage, Work};
use crate::error::{Error, Refusal};
use crate::features::kit::text_of_hex;
use crate::features::views::{
    Audience, Comment, User, first_comments, first_comments_async, is_for, is_member, json_of, people_of,
    users_named, users_named_async,
};
use crate::features::{Event, notices};
use crate::ids::{CommentId, GroupId, PostId, Seq, UserId};
use crate::limits::{COMMENTS_PAGE, MENTIONABLE_MAX, THREAD_PEOPLE_LOOKED_AT};
use crate::wire::codec;

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
    #[sqlx(flatten)]
    post: Commented,
}

/// The post of a thread, and where the viewer stands to it.
#[derive(FromRow)]
struct Commented {
    post_author_id: UserId,
    audience: String,
    group_id: Option<GroupId>,
    is_member: bool,
}

impl Commented {
    fn facts(&self) -> PostFacts {
        let audience = Audience::kept(&self.audience, self.group_id);
        PostFacts { author_id: self.post_author_id, audience: audience.fact(self.is_member) }
    }
}

/// The columns of [`Commented`], of `posts p` and a viewer who is the second argument. What is not for the
/// viewer is not read in the first place ([`is_for`]), so that it takes the time of what is not there.
macro_rules! commented {
    () => {
        concat!(
            "p.author_id as post_author_id, p.audience, p.group_id, ",
            is_member!("p", "?2"),
            " as is_member"
        )
    };
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
            let facts: Option<Facts> = sqlx::query_as(concat!(
                "select c.post_id, c.author_id, ",
                commented!(),
                " from comments c join posts p on p.id = c.post_id where c.id = ?1 and ",
                is_for!("p", "?2"),
            ))
            .bind(self.comment_id)
            .bind(self.viewer.user_id())
            .fetch_optional(&mut *stage.connection)
            .await?;
            let may =
                |facts: &Facts| access::may_delete_comment(self.viewer, facts.author_id, &facts.post.facts());
            let facts = facts.filter(may).ok_or(Refusal::NotFound)?;
            // Its notices first: who had one is told.
            let withdrawn = notices::of_comment_async(stage.connection, self.comment_id).await?;
            sqlx::query("delete from comments where id = ?1")
                .bind(self.comment_id)
                .execute(&mut *stage.connection)
                .await?;
            let gone = [(facts.post_id, self.comment_id)];
            let mut seq = stage.seq();
            for deleted in deleted_async(stage.connection, &gone).await? {
                seq = stage.tell(Event::CommentDeleted(deleted));
            }
            notices::tell_gone_async(stage, withdrawn).await?;
            Ok(Bytes::from(codec::encode(&Done { seq })?))
        })
    }
}

/// Returns the events of these comments, one of a post, now that they are deleted; in this order.
///
/// # Errors
/// A database fault.
pub fn deleted(sql: Sql<'_>, gone: &[(PostId, CommentId)]) -> Result<Vec<Deleted>, Error> {
    let post_ids = || gone.iter().map(|(post_id, _)| *post_id);
    let known: Vec<(PostId, i64, Option<GroupId>)> = sql.rows(
        "select id, comments_count, group_id from posts
          where id in rarray(?1) and (audience = 'public' or group_id is not null)",
        (list(post_ids()),),
    )?;
    let known: HashMap<PostId, (i64, Option<GroupId>)> =
        known.into_iter().map(|(id, count, group_id)| (id, (count, group_id))).collect();
    let mut left: HashMap<PostId, Vec<Comment>> = HashMap::new();
    for comment in first_comments(sql, post_ids())? {
        left.entry(comment.post_id).or_default().push(comment);
    }
    let named = left.values().flat_map(|comments| people_of(comments));
    let people = users_named(sql, named)?;
    let people: HashMap<UserId, User> = people.into_iter().map(|user| (user.id, user)).collect();
    let deleted = |(post_id, comment_id): &(PostId, CommentId)| {
        let first_comments = left.remove(post_id).unwrap_or_default();
        let named: BTreeSet<UserId> = people_of(&first_comments).collect();
        let users = named.iter().filter_map(|id| people.get(id).cloned()).collect();
        let (comments_count, group_id) = *known.get(post_id)?;
        Some(Deleted {
            post_id: *post_id,
            comment_id: *comment_id,
            comments_count,
            first_comments,
            users,
            group_id,
        })
    };
    Ok(gone.iter().filter_map(deleted).collect())
}

/// Returns what is told once these comments are gone, one of a post, in this order. Posts that are gone
/// are left out, and those of groups that are: nobody reads what was said there.
///
/// # Errors
/// A database fault.
pub async fn deleted_async(
    connection: &mut SqliteConnection,
    gone: &[(PostId, CommentId)],
) -> Result<Vec<Deleted>, Error> {
    let post_ids: Vec<i64> = gone.iter().map(|(post_id, _)| post_id.0).collect();
    let known: Vec<(PostId, i64, Option<GroupId>)> = sqlx::query_as(
        "select id, comments_count, group_id from posts
          where id in (select value from json_each(?1)) and (audience = 'public' or group_id is not null)",
    )
    .bind(json_of(&post_ids))
    .fetch_all(&mut *connection)
    .await?;
    let known: HashMap<PostId, (i64, Option<GroupId>)> =
        known.into_iter().map(|(id, count, group_id)| (id, (count, group_id))).collect();
    let mut left: HashMap<PostId, Vec<Comment>> = HashMap::new();
    for comment in first_comments_async(connection, &post_ids).await? {
        left.entry(comment.post_id).or_default().push(comment);
    }
    let named = left.values().flat_map(|comments| people_of(comments));
    let people = users_named_async(connection, named).await?;
    let people: HashMap<UserId, User> = people.into_iter().map(|user| (user.id, user)).collect();
    let deleted = |(post_id, comment_id): &(PostId, CommentId)| {
        let first_comments = left.remove(post_id).unwrap_or_default();
        let named: BTreeSet<UserId> = people_of(&first_comments).collect();
        let users = named.iter().filter_map(|id| people.get(id).cloned()).collect();
        let (comments_count, group_id) = *known.get(post_id)?;
        Some(Deleted {
            post_id: *post_id,
            comment_id: *comment_id,
            comments_count,
            first_comments,
            users,
            group_id,
        })
    };
    Ok(gone.iter().filter_map(deleted).collect())
}

/// Returns the next comments of a thread, oldest first; None when its post is not for the viewer.
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
    #[derive(FromRow)]
    struct Row {
        comments_count: i64,
        #[sqlx(flatten)]
        post: Commented,
    }
    let post: Option<Row> = sqlx::query_as(concat!(
        "select p.comments_count, ",
        commented!(),
        " from posts p where p.id = ?1 and ",
        is_for!("p", "?2"),
    ))
    .bind(post_id)
    .bind(viewer.user_id())
    .fetch_optional(&mut *connection)
    .await?;
    let may = |row: &Row| access::may_take_part(viewer, &row.post.facts());
    let Some(Row { comments_count, .. }) = post.filter(may) else { return Ok(None) };
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
    let users = users_named_async(connection, people_of(&comments)).await?;
    Ok(Some(Thread { comments, users, more, comments_count, seq }))
}

/// Returns who may be meant by a term: people of the thread first, then who the viewer follows, by name; of a
/// group's post its members alone. None when the post is not for the viewer.
///
/// # Errors
/// A database fault.
pub async fn mentionable(
    connection: &mut SqliteConnection,
    viewer: Viewer,
    post_id: PostId,
    term: &Term,
) -> Result<Option<Vec<User>>, Error> {
    let post: Option<Commented> = sqlx::query_as(concat!(
        "select ",
        commented!(),
        " from posts p where p.id = ?1 and ",
        is_for!("p", "?2"),
    ))
    .bind(post_id)
    .bind(viewer.user_id())
    .fetch_optional(&mut *connection)
    .await?;
    let Some(post) = post.filter(|post| access::may_comment(viewer, &post.facts())) else { return Ok(None) };
    // One row, because each costs a trip of its own.
    let joined: Option<String> = sqlx::query_scalar(
        "with near (id) as
           (select author_id from posts where id = ?1 union
            select author_id from (select author_id from comments where post_id = ?1 order by id desc limit ?3)),
         known (id, place) as
           (select id, 0 from near
             where ?5 is null or exists (select 1 from members where group_id = ?5 and user_id = near.id) union all
            select followed_id, 1 from follows
             where follower_id = ?2 and ?4 and ?5 is null and followed_id not in (select id from near) union all
            select user_id, 1 from members
             where group_id = ?5 and ?4 and user_id not in (select id from near))
         select group_concat(format('%d %d %s %s', k.place, u.id, hex(u.name), hex(u.photo_url)))
           from known k join users u on u.id = k.id where u.id <> ?2",
    )
    .bind(post_id)
    .bind(viewer.user_id())
    .bind(THREAD_PEOPLE_LOOKED_AT)
    .bind(!term.is_empty())
    .bind(post.group_id)
    .fetch_one(connection)
    .await?;
    let mut found: Vec<(u8, String, User)> = joined
        .as_deref()
        .into_iter()
        .flat_map(|joined| joined.split(','))
        .filter_map(|row| {
            let mut parts = row.split(' ');
            let place = parts.next()?.parse().ok()?;
            let id = UserId(parts.next()?.parse().ok()?);
            let name = text_of_hex(parts.next()?)?;
            let photo_url = text_of_hex(parts.next()?).filter(|url| !url.is_empty());
            is_meant(&name, term).then(|| (place, name.clone(), User { id, name, photo_url }))
        })
        .collect();
    found.sort_by(|(place, name, user), (other_place, other_name, other)| {
        (place, name, user.id).cmp(&(other_place, other_name, other.id))
    });
    found.truncate(MENTIONABLE_MAX);
    Ok(Some(found.into_iter().map(|(_, _, user)| user).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::mentions::mentioned;
    use crate::features::testing::{ANA, BEN, CLEO, Room, key, told, viewer};
    use crate::ids::NotificationId;

    fn comment(author_id: UserId, post_id: PostId, id: i64, text: &str) -> Create {
        let key = key(author_id, u8::try_from(id % 256).unwrap(), &[text.as_bytes()]);
        let mentions = mentioned(text).into_iter().zip(1..);
        let mentions = mentions.map(|(user, n)| (user, NotificationId(id * 1_000 + n))).collect();
        let (id, text) = (CommentId(id), text.into());
        Create { key, id, post_id, viewer: viewer(author_id), author_id, text, mentions }
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
            let [Event::CommentDeleted(deleted), Event::NotificationsDeleted(withdrawn)] = &heard[..] else {
                panic!("{heard:?}")
            };
            assert_eq!(
                (withdrawn.notification_ids.as_slice(), withdrawn.has_unread),
                (&[NotificationId(21)][..], true)
            );
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
            let (mut counts, mut told) = (Vec::new(), 0);
            for event in room.heard() {
                match event {
                    Event::CommentCreated(created) => counts.push(created.comments_count),
                    Event::NotificationCreated(created) => {
                        assert_eq!((created.user_id, created.notification.actor_id), (ANA, BEN));
                        told += 1;
                    }
                    other => panic!("{other:?}"),
                }
            }
            assert!(counts.into_iter().eq(1..=40), "each says the count as of itself");
            assert_eq!(told, 20, "Ana is told of Ben's, and not of her own");
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
    fn in_a_group_its_members_may_be_meant_those_of_the_thread_first_and_nobody_else() {
        told(|room| async move {
            let [dora, emil, fay, gil] = ["Dora", "Emil", "Fay", "Gil"]
                .into_iter()
                .zip(4..)
                .map(|(name, id)| room.has_person(id, name))
                .collect::<Vec<_>>()[..]
            else {
                unreachable!("four people")
            };
            room.by_hand("insert into follows (follower_id, followed_id, id) values (2, 7, 1)").unwrap();
            let group_id = room.has_group(100, ANA, &[BEN, CLEO, dora, emil, fay]);
            let post = room.has_group_post(10, emil, Some(group_id));
            for (id, who) in [(21, fay), (22, dora)] {
                room.does(comment(who, post, id, "here")).await.unwrap();
            }
            for who in [emil, dora] {
                room.has_left(group_id, who);
            }
            let offered = async |term: &str| {
                let (mut look, term) =
                    (room.looks().await, crate::features::comments::rules::parse_term(term).unwrap());
                let users = mentionable(look.connection(), viewer(BEN), post, &term).await.unwrap().unwrap();
                users.into_iter().map(|user| user.id).collect::<Vec<_>>()
            };
            assert_eq!(offered("").await, [fay]);
            for (term, expected) in
                [("f", vec![fay]), ("a", vec![ANA]), ("c", vec![CLEO]), ("d", vec![]), ("g", vec![])]
            {
                assert_eq!(offered(term).await, expected, "{term}, and never {gil:?}");
            }
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

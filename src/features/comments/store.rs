//! The SQL of comments: create, delete, read a thread, and the users who can be mentioned in it.

use std::collections::{BTreeSet, HashMap, HashSet};

use bytes::Bytes;

use super::rules::{Term, is_meant};
use super::wire::{Created, Deleted, Made, Thread};
use crate::authz::{self, PostFacts, Viewer};
use crate::db::command::{KeyUse, Transaction, WriteCommand, keyed};
use crate::db::sql::{Sql, list};
use crate::error::{Error, Refusal};
use crate::events::Users;
use crate::features::events::Event;
use crate::features::shared::commenters::commenter_facts;
use crate::features::shared::mentions;
use crate::features::shared::notices::{self, Cause, Kind, Notice};
use crate::features::shared::views::{
    Audience, Comment, KnownPost, User, done, first_comments, known_post, members_alone, members_of,
    people_of, users_named,
};
use crate::ids::{CommentId, GroupId, NotificationId, PostId, Seq, UserId};
use crate::limits::{COMMENTS_PAGE, MENTIONABLE_MAX, THREAD_PEOPLE_LOOKED_AT};
use crate::wire::codec;

/// Creates a comment, and notifies the post's author and the mentioned users.
pub struct Create {
    pub key: KeyUse,
    pub id: CommentId,
    pub post_id: PostId,
    pub viewer: Viewer,
    pub author_id: UserId,
    pub text: String,
    /// The mentioned users, each once, and the id of the notification for each.
    pub mentions: Vec<(UserId, NotificationId)>,
}

impl WriteCommand for Create {
    type Event = Event;

    keyed!();

    fn weight_bytes(&self) -> usize {
        self.text.len() + 256
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Bytes, Error> {
        let sql = transaction.sql;
        let post = known_post(sql, self.post_id, Some(self.author_id))?;
        let reads = |post: &KnownPost| authz::may_take_part(self.viewer, &post.facts());
        let post = post.filter(reads).ok_or(Refusal::NotFound)?;
        let author = commenter_facts(sql, self.author_id, post.author_id)?;
        if !authz::may_comment(self.viewer, &post.facts(), &author) {
            return Err(Refusal::CommentsLimited.into());
        }
        let mentioned = self.mentions.iter().map(|(user_id, _)| *user_id);
        let users = users_named(sql, mentioned.chain([self.author_id]))?;
        let author = users.iter().find(|user| user.id == self.author_id).cloned().ok_or(Refusal::NotFound)?;
        let comment = Comment {
            id: self.id,
            post_id: self.post_id,
            author_id: self.author_id,
            text: self.text.clone(),
            created_at_ms: transaction.now_ms,
        };
        sql.execute(
            "insert into comments (id, post_id, author_id, text, created_at_ms) values (?1, ?2, ?3, ?4, ?5)",
            (comment.id, comment.post_id, comment.author_id, &comment.text, comment.created_at_ms),
        )?;
        let notices = self.notices(sql, &post, &users)?;
        let only = members_alone(sql, post.audience)?;
        transaction.publish(Event::CommentCreated(Created {
            comment: comment.clone(),
            users,
            comments_count: post.comments_count + 1,
            only,
        }));
        let seq = transaction.seq();
        notices::give(transaction, notices, &author)?;
        Ok(Bytes::from(codec::encode(&Made { comment, seq })?))
    }
}

impl Create {
    /// Returns the notifications of this comment, one for each user: the post's author gets one as such (D-D7), its
    /// own author none (D-D8), and users who may not read the comment none (D-D9).
    fn notices(&self, sql: Sql<'_>, post: &KnownPost, users: &[User]) -> Result<Vec<Notice>, Error> {
        let mut concerned = vec![(post.author_id, NotificationId(self.id.0), Kind::Comment)];
        let mentioned = self.mentions.iter().filter(|(user_id, _)| *user_id != post.author_id);
        concerned.extend(mentioned.map(|(user_id, id)| (*user_id, *id, Kind::Reply)));
        concerned.retain(|(user_id, ..)| *user_id != self.author_id);
        if concerned.is_empty() {
            return Ok(Vec::new());
        }
        let readers: Vec<UserId> = sql.values(
            concat!(
                "select u.id from users u join posts p on p.id = ?1 where u.id in rarray(?2) and ",
                authz::sql::may_take_part!("p", "u.id")
            ),
            (self.post_id, list(concerned.iter().map(|(user_id, ..)| *user_id))),
        )?;
        let post_text: String = sql.value("select text from posts where id = ?1", (self.post_id,))?;
        let names: HashMap<UserId, &str> = users.iter().map(|user| (user.id, user.name.as_str())).collect();
        let cause = Cause {
            post_id: self.post_id,
            comment_id: self.id,
            comment_text: mentions::preview(&self.text, &names),
            post_text: mentions::beginning(&post_text),
        };
        let notice = |(user_id, id, kind)| {
            let cause = Some(cause.clone());
            Notice { id, user_id, kind, actor_id: self.author_id, cause }
        };
        concerned.retain(|(user_id, ..)| readers.contains(user_id));
        Ok(concerned.into_iter().map(notice).collect())
    }
}

/// Deletes a comment.
pub struct Delete {
    pub key: KeyUse,
    pub comment_id: CommentId,
    pub viewer: Viewer,
}

impl WriteCommand for Delete {
    type Event = Event;

    keyed!();

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Bytes, Error> {
        let sql = transaction.sql;
        let post_id = self.deletable(sql)?.ok_or(Refusal::NotFound)?;
        // Notifications are read before they are deleted, because their users receive an event.
        let gone = notices::of_comment(sql, self.comment_id)?;
        sql.execute("delete from comments where id = ?1", (self.comment_id,))?;
        for deleted in deleted(sql, &[(post_id, self.comment_id)])? {
            transaction.publish(Event::CommentDeleted(deleted));
        }
        let seq = transaction.seq();
        notices::publish_gone(transaction, gone)?;
        done(seq)
    }
}

impl Delete {
    /// Returns the post of the comment; None if the viewer may not delete it, or if there is no such comment.
    fn deletable(&self, sql: Sql<'_>) -> Result<Option<PostId>, Error> {
        let known: Option<(PostId, UserId, UserId, String, Option<GroupId>, bool, Option<UserId>)> = sql.optional_row(
            concat!(
                "select c.post_id, c.author_id, p.author_id, p.audience, p.group_id, ",
                authz::sql::is_member!("p", "?2"),
                ", g.owner_id from comments c join posts p on p.id = c.post_id left join groups g on g.id = p.group_id
                  where c.id = ?1"
            ),
            (self.comment_id, self.viewer.user_id()),
        )?;
        let deletable =
            known.filter(|(_, comment_author, author_id, word, group_id, is_member, group_owner)| {
                let audience = Audience::kept(word, *group_id).fact(*is_member);
                let facts = PostFacts { author_id: *author_id, audience };
                authz::may_delete_comment(self.viewer, *comment_author, *group_owner, &facts)
            });
        Ok(deletable.map(|(post_id, ..)| post_id))
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
    let mut changed: HashMap<PostId, (i64, Option<Users>)> = HashMap::new();
    for (post_id, comments_count, group_id) in known {
        let only = match group_id {
            Some(group_id) => Some(members_of(sql, group_id)?.into()),
            None => None,
        };
        changed.insert(post_id, (comments_count, only));
    }
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
        let (comments_count, only) = changed.get(post_id).cloned()?;
        Some(Deleted {
            post_id: *post_id,
            comment_id: *comment_id,
            comments_count,
            first_comments,
            users,
            only,
        })
    };
    Ok(gone.iter().filter_map(deleted).collect())
}

/// Returns the next comments of a thread, oldest first; None when its post is not for the viewer.
///
/// # Errors
/// A database fault.
pub fn page(
    sql: Sql<'_>,
    viewer: Viewer,
    post_id: PostId,
    after: Option<CommentId>,
    seq: Seq,
) -> Result<Option<Thread>, Error> {
    let post = known_post(sql, post_id, viewer.user_id())?;
    let Some(post) = post.filter(|post| authz::may_take_part(viewer, &post.facts())) else {
        return Ok(None);
    };
    let rows: Vec<(CommentId, UserId, String, i64)> = sql.rows(
        "select id, author_id, text, created_at_ms from comments
          where post_id = ?1 and id > ?2 order by id limit ?3",
        (post_id, after.map_or(0, |after| after.0), COMMENTS_PAGE + 1),
    )?;
    let more = rows.len() > COMMENTS_PAGE;
    let comments: Vec<Comment> = rows
        .into_iter()
        .take(COMMENTS_PAGE)
        .map(|(id, author_id, text, created_at_ms)| Comment { id, post_id, author_id, text, created_at_ms })
        .collect();
    let users = users_named(sql, people_of(&comments))?;
    Ok(Some(Thread { comments, users, more, comments_count: post.comments_count, seq }))
}

/// Returns the users who match a term: first those in the thread, then those the viewer follows, by name. For a post
/// of a group, only its members. None if the viewer may not see the post.
///
/// # Errors
/// A database fault.
pub fn mentionable(
    sql: Sql<'_>,
    viewer: Viewer,
    post_id: PostId,
    term: &Term,
) -> Result<Option<Vec<User>>, Error> {
    let viewer_id = viewer.user_id();
    let post = known_post(sql, post_id, viewer_id)?;
    let Some(post) = post.filter(|post| authz::may_take_part(viewer, &post.facts())) else {
        return Ok(None);
    };
    let in_thread: Vec<Named> = sql.rows(
        concat!(
            "with thread (user_id) as
               (select author_id from posts where id = ?1 union
                select author_id from
                  (select author_id from comments where post_id = ?1 order by id desc limit ?2))
             select u.id, u.name, u.photo_url
               from thread join users u on u.id = thread.user_id join posts p on p.id = ?1 where ",
            authz::sql::may_take_part!("p", "u.id")
        ),
        (post_id, THREAD_PEOPLE_LOOKED_AT),
    )?;
    let connected: Vec<Named> = match post.audience.group_id() {
        _ if term.is_empty() => Vec::new(),
        Some(group_id) => sql.rows(
            "select u.id, u.name, u.photo_url from members m join users u on u.id = m.user_id
              where m.group_id = ?1",
            (group_id,),
        )?,
        None => sql.rows(
            "select u.id, u.name, u.photo_url from follows f join users u on u.id = f.followed_id
              where f.follower_id = ?1",
            (viewer_id,),
        )?,
    };
    let mut offered: HashSet<UserId> = viewer_id.into_iter().collect();
    let mut users = Vec::new();
    for people in [in_thread, connected] {
        let is_new = |(id, name, _): &Named| is_meant(name, term) && offered.insert(*id);
        let mut people: Vec<Named> = people.into_iter().filter(is_new).collect();
        people.sort_by(|(id, name, _), (other_id, other_name, _)| (name, id).cmp(&(other_name, other_id)));
        users.extend(people.into_iter().map(|(id, name, photo_url)| User { id, name, photo_url }));
    }
    users.truncate(MENTIONABLE_MAX);
    Ok(Some(users))
}

/// A user's id, name and photo.
type Named = (UserId, String, Option<String>);

#[cfg(test)]
mod tests {
    use super::super::rules::parse_term;
    use super::*;
    use crate::db::readers::Snapshot;
    use crate::features::shared::mentions::mentioned;
    use crate::features::testing::{ANA, BEN, CLEO, TestDatabase, key, viewer, with_database};

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

    async fn thread(db: &TestDatabase, post_id: PostId) -> Thread {
        db.read(move |Snapshot { sql, seq }| page(sql, viewer(BEN), post_id, None, seq)).await.unwrap()
    }

    #[test]
    fn a_thread_is_oldest_first_and_its_count_agrees() {
        with_database(|db| async move {
            let post = db.has_post(10, ANA, 5);
            for (id, text) in [(21, "one"), (22, "two"), (23, "three")] {
                db.write(comment(BEN, post, id, text)).await.unwrap();
            }
            let thread = thread(&db, post).await;
            let texts: Vec<_> = thread.comments.iter().map(|comment| comment.text.as_str()).collect();
            assert_eq!((texts, thread.comments_count, thread.more), (vec!["one", "two", "three"], 3, false));
        });
    }

    #[test]
    fn c29_a_deletion_has_the_two_oldest_comments_that_remain() {
        with_database(|db| async move {
            let post = db.has_post(10, ANA, 5);
            for (id, text) in [(21, "one"), (22, "two"), (23, "three")] {
                db.write(comment(BEN, post, id, text)).await.unwrap();
            }
            db.published();
            db.write(removal(ANA, 21)).await.unwrap();
            let published = db.published();
            let [Event::CommentDeleted(deleted), Event::NotificationsDeleted(withdrawn)] = &published[..]
            else {
                panic!("{published:?}")
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
        with_database(|db| async move {
            let post = db.has_post(10, ANA, 5);
            db.write(comment(BEN, post, 21, "one")).await.unwrap();
            let not_hers = db.write(removal(CLEO, 21)).await;
            let not_there = db.write(removal(CLEO, 99)).await;
            assert_eq!((not_hers, not_there), (Err(Refusal::NotFound), Err(Refusal::NotFound)));
            assert_eq!(thread(&db, post).await.comments_count, 1);
        });
    }

    #[test]
    fn a_comment_on_a_post_deleted_meanwhile_is_refused_and_others_in_its_group_are_not() {
        with_database(|db| async move {
            let post = db.has_post(10, ANA, 5);
            let together = futures_util::future::join(
                db.write(comment(BEN, PostId(99), 21, "too late")),
                db.write(comment(CLEO, post, 22, "in time")),
            );
            let (late, in_time) = together.await;
            assert_eq!(late, Err(Refusal::NotFound));
            assert!(in_time.is_ok());
            assert_eq!(thread(&db, post).await.comments_count, 1);
        });
    }

    #[test]
    fn a_crowd_commenting_at_once_is_counted_as_if_one_by_one() {
        with_database(|db| async move {
            let post = db.has_post(10, ANA, 5);
            let mut crowd = Vec::new();
            for id in 0..20 {
                let words = format!("thought {id}, \"quoted\", {{}} 🌿");
                crowd.push(db.write(comment(BEN, post, 100 + id, &words)));
                crowd.push(db.write(comment(CLEO, PostId(99), 200 + id, "too late")));
                crowd.push(db.write(comment(ANA, post, 300 + id, "a line\nand another")));
            }
            let answers = futures_util::future::join_all(crowd).await;
            for three in answers.chunks(3) {
                assert!(three[0].is_ok() && three[2].is_ok());
                assert_eq!(three[1], Err(Refusal::NotFound));
            }
            assert!(db.seqs().is_sorted());
            let (mut counts, mut published) = (Vec::new(), 0);
            for event in db.published() {
                match event {
                    Event::CommentCreated(created) => counts.push(created.comments_count),
                    Event::NotificationCreated(created) => {
                        assert_eq!((created.user_id, created.notification.actor_id), (ANA, BEN));
                        published += 1;
                    }
                    other => panic!("{other:?}"),
                }
            }
            assert!(counts.into_iter().eq(1..=40), "each says the count as of itself");
            assert_eq!(published, 20, "Ana is notified of Ben's comments, and not of her own");
            let thread = thread(&db, post).await;
            assert_eq!(thread.comments_count, 40);
            assert!(thread.comments.iter().any(|comment| comment.text == "thought 7, \"quoted\", {} 🌿"));
            assert!(thread.comments.iter().any(|comment| comment.text == "a line\nand another"));
        });
    }

    #[test]
    fn r5_the_same_key_writes_one_comment_also_after_it_was_deleted() {
        with_database(|db| async move {
            let post = db.has_post(10, ANA, 5);
            let first = db.write(comment(BEN, post, 21, "once")).await.unwrap();
            let mut again = comment(BEN, post, 22, "once");
            again.key = key(BEN, 21, &[b"once"]);
            assert_eq!(db.write(again).await.unwrap(), first);
            assert_eq!(thread(&db, post).await.comments_count, 1);
            let mut other = comment(BEN, post, 23, "other words");
            other.key = key(BEN, 21, &[b"other words"]);
            assert_eq!(db.write(other).await, Err(Refusal::KeyConflict));
        });
    }

    #[test]
    fn in_a_group_its_members_may_be_meant_those_of_the_thread_first_and_nobody_else() {
        with_database(|db| async move {
            let [dora, emil, fay, gil] = ["Dora", "Emil", "Fay", "Gil"]
                .into_iter()
                .zip(4..)
                .map(|(name, id)| db.has_person(id, name))
                .collect::<Vec<_>>()[..]
            else {
                unreachable!("four people")
            };
            db.execute("insert into follows (follower_id, followed_id, id) values (2, 7, 1)").unwrap();
            let group_id = db.has_group(100, ANA, &[BEN, CLEO, dora, emil, fay]);
            let post = db.has_group_post(10, emil, Some(group_id));
            for (id, who) in [(21, fay), (22, dora)] {
                db.write(comment(who, post, id, "here")).await.unwrap();
            }
            for who in [emil, dora] {
                db.has_left(group_id, who);
            }
            let offered = async |term: &str| {
                let term = parse_term(term).unwrap();
                let users =
                    db.read(move |Snapshot { sql, .. }| mentionable(sql, viewer(BEN), post, &term)).await;
                users.unwrap().into_iter().map(|user| user.id).collect::<Vec<_>>()
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
        with_database(|db| async move {
            db.has_post(10, ANA, 5);
            for (post, text) in [(10, "''"), (11, "'x'"), (10, "printf('%.*c', 4097, 'x')")] {
                let sql = format!(
                    "insert into comments (id, post_id, author_id, text, created_at_ms) values (1, {post}, 2, {text}, 0)"
                );
                assert!(db.execute(&sql).is_err(), "{sql}");
            }
        });
    }
}

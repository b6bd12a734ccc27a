//! The SQL of comments: creates and deletes them, reads a thread, and finds the users who can be mentioned in it.

pub mod commenters;
mod delete;

use std::collections::{HashMap, HashSet};

use self::commenters::commenter_facts;
use super::rules::{Term, is_meant};
use super::wire::{Created, Made, Readers, Thread};
use crate::authz::sql::may_meet;
use crate::authz::{self, Viewer};
use crate::db::command::{KeyUse, Transaction, WriteCommand, keyed};
use crate::db::sql::{Sql, list};
use crate::error::{Error, Refusal};
use crate::events::{Users, within};
use crate::features::events::Event;
use crate::features::notifications::store::notify::{self as notifications, Cause, NewNotification, Quote};
use crate::features::notifications::wire::Kind;
use crate::ids::{CommentId, PostId, Seq, UserId};
use crate::limits::{COMMENTS_PAGE, MENTIONABLE_MAX, THREAD_PEOPLE_LOOKED_AT};
use crate::model::archive::{ArchiveFile, time};
use crate::model::audience::{Audience, members_alone};
use crate::model::between::{self, ANY_VIEWER, RestrictedViewers};
use crate::model::comments::{Comment, comments_seen, hide_mentions, people_of};
use crate::model::mentions;
use crate::model::posts::{KnownPost, known_post};
use crate::model::users::{User, users_named};
pub use delete::{Delete, deleted, deleted_for, remove};

/// Creates a comment, and notifies the author of the post and the mentioned users.
pub struct Create {
    pub key: KeyUse,
    pub post_id: PostId,
    pub viewer: Viewer,
    pub author_id: UserId,
    pub text: String,
    /// The audience that the author of the comment saw.
    pub seen: Audience,
    /// The mentioned users, each once.
    pub mentions: Vec<UserId>,
}

impl WriteCommand for Create {
    type Event = Event;
    type Value = Made;

    keyed!();

    fn weight_bytes(&self) -> usize {
        self.text.len() + 256
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Made, Error> {
        let sql = transaction.sql;
        let post = known_post(sql, self.post_id, Some(self.author_id))?;
        let reads = |post: &KnownPost| authz::may_take_part(self.viewer, &post.facts());
        let post = post.filter(reads).ok_or(Refusal::NotFound)?;
        if self.seen != post.audience {
            return Err(Refusal::AudienceChanged.into());
        }
        let author = commenter_facts(sql, self.author_id, post.author_id)?;
        if !authz::may_comment(self.viewer, &post.facts(), &author) {
            return Err(Refusal::CommentsLimited.into());
        }
        let mentioned = self.mentions.iter().copied();
        let users = users_named(sql, self.author_id, mentioned.chain([self.author_id]))?;
        let author = users.iter().find(|user| user.id == self.author_id).cloned().ok_or(Refusal::NotFound)?;
        let mut comment = Comment {
            id: CommentId(transaction.new_id()),
            post_id: self.post_id,
            author_id: self.author_id,
            text: self.text.clone(),
            created_at_ms: transaction.now_ms,
        };
        // A mention of a user whom the author may not meet becomes plain text.
        hide_mentions(sql, self.author_id, std::slice::from_mut(&mut comment))?;
        sql.execute(
            "insert into comments (id, post_id, author_id, text, created_at_ms) values (?1, ?2, ?3, ?4, ?5)",
            (comment.id, comment.post_id, comment.author_id, &comment.text, comment.created_at_ms),
        )?;
        let new = self.notifications(sql, &post, comment.id, &users)?;
        for created in created(sql, &post, &comment)? {
            transaction.publish(Event::CommentCreated(created));
        }
        let seq = transaction.seq();
        notifications::notify(transaction, new, &author)?;
        Ok(Made { comment, seq })
    }
}

impl Create {
    /// Returns the notifications of this comment, at most one for each user. The author of the post gets one of a
    /// comment, even if mentioned (D-D7). The author of the comment gets none (D-D8), nor do users who may not read the
    /// comment (D-D9).
    fn notifications(
        &self,
        sql: Sql<'_>,
        post: &KnownPost,
        comment_id: CommentId,
        users: &[User],
    ) -> Result<Vec<NewNotification>, Error> {
        let mut concerned = vec![(post.author_id, Kind::Comment)];
        let mentioned = self.mentions.iter().filter(|user_id| **user_id != post.author_id);
        concerned.extend(mentioned.map(|user_id| (*user_id, Kind::Reply)));
        concerned.retain(|(user_id, _)| *user_id != self.author_id);
        if concerned.is_empty() {
            return Ok(Vec::new());
        }
        let readers: Vec<UserId> = sql.values(
            concat!(
                "select u.id from users u join posts p on p.id = ?1 where u.id in rarray(?2) and ",
                authz::sql::may_take_part!("p", "u.id")
            ),
            (self.post_id, list(concerned.iter().map(|(user_id, _)| *user_id))),
        )?;
        let (post_text, content_note): (String, Option<String>) =
            sql.row("select text, content_note from posts where id = ?1", (self.post_id,))?;
        concerned.retain(|(user_id, _)| readers.contains(user_id));
        let notice = |(user_id, kind)| {
            let quote = match &content_note {
                Some(note) => Quote::ContentNote(note.clone()),
                None => self.quote(sql, user_id, users, &post_text)?,
            };
            let cause = Some(Cause { post_id: self.post_id, comment_id, quote });
            Ok(NewNotification { user_id, kind, actor_id: self.author_id, cause })
        };
        concerned.into_iter().map(notice).collect()
    }

    /// Returns excerpts of the comment and of its post for a notification to this user.
    fn quote(&self, sql: Sql<'_>, user_id: UserId, users: &[User], post_text: &str) -> Result<Quote, Error> {
        // The preview has the names of only those mentioned users whom its reader may meet.
        let named = users_named(sql, user_id, users.iter().map(|user| user.id))?;
        let names: HashMap<UserId, &str> = named.iter().map(|user| (user.id, user.name.as_str())).collect();
        Ok(Quote::Texts {
            comment_text: mentions::preview(&self.text, &names),
            post_text: mentions::beginning(post_text),
        })
    }
}

/// Returns the events of a new comment. One is the shared event. Viewers who may not meet a user in the thread see
/// another count or other mentions; each set of viewers who see the same gets an event of its own.
fn created(sql: Sql<'_>, post: &KnownPost, comment: &Comment) -> Result<Vec<Created>, Error> {
    let post_id = comment.post_id;
    let about = [post.author_id, comment.author_id];
    let restricted = between::restricted_in_thread(sql, about, post_id, mentions::mentioned(&comment.text))?;
    let members = members_alone(sql, post.audience)?;
    let created = |viewer_id: UserId, readers: Readers| {
        let mut comment = comment.clone();
        hide_mentions(sql, viewer_id, std::slice::from_mut(&mut comment))?;
        let users = users_named(sql, viewer_id, people_of(std::slice::from_ref(&comment)))?;
        let comments_count = comments_seen(sql, viewer_id, post_id)?;
        Ok(Created { comment, users, comments_count, readers })
    };
    readers_of(&restricted, members.as_ref())
        .into_iter()
        .map(|(viewer_id, to)| created(viewer_id, to))
        .collect()
}

/// Returns the readers of the shared event and of each other event. Each comes with a viewer for whom the event is
/// read.
fn readers_of(restricted: &RestrictedViewers, members: Option<&Users>) -> Vec<(UserId, Readers)> {
    let shared = Readers { only: members.cloned(), except: restricted.all() };
    let mut readers = vec![(ANY_VIEWER, shared)];
    for view in &restricted.views {
        let only = members.map_or_else(|| view.clone(), |members| within(view, members));
        if let Some(viewer_id) = only.first() {
            readers.push((*viewer_id, Readers { only: Some(only), except: Users::default() }));
        }
    }
    readers
}

/// Returns the next comments of a thread, oldest first; None if the viewer may not see the post.
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
        concat!(
            "select c.id, c.author_id, c.text, c.created_at_ms from comments c
              where c.post_id = ?1 and c.id > ?2 and ",
            authz::sql::may_meet!("c.author_id", "?4"),
            " order by c.id limit ?3"
        ),
        (post_id, after.map_or(0, |after| after.0), COMMENTS_PAGE + 1, viewer.user_id()),
    )?;
    let more = rows.len() > COMMENTS_PAGE;
    let mut comments: Vec<Comment> = rows
        .into_iter()
        .take(COMMENTS_PAGE)
        .map(|(id, author_id, text, created_at_ms)| Comment { id, post_id, author_id, text, created_at_ms })
        .collect();
    let viewer_id = viewer.user_id().unwrap_or(ANY_VIEWER);
    hide_mentions(sql, viewer_id, &mut comments)?;
    let users = users_named(sql, viewer_id, people_of(&comments))?;
    Ok(Some(Thread { comments, users, more, comments_count: post.comments_count, seq }))
}

/// Returns the users who match a term: first those in the thread, then those whom the viewer follows, by name. For a
/// post of a group, only members of the group are returned. Returns None if the viewer may not see the post.
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
            authz::sql::may_take_part!("p", "u.id"),
            " and ",
            authz::sql::may_meet!("u.id", "?3")
        ),
        (post_id, THREAD_PEOPLE_LOOKED_AT, viewer_id),
    )?;
    let connected: Vec<Named> = match post.audience.group_id() {
        _ if term.is_empty() => Vec::new(),
        Some(group_id) => sql.rows(
            concat!(
                "select u.id, u.name, u.photo_url from members m join users u on u.id = m.user_id
                  where m.group_id = ?1 and ",
                authz::sql::may_meet!("u.id", "?2")
            ),
            (group_id, viewer_id),
        )?,
        None => sql.rows(
            concat!(
                "select u.id, u.name, u.photo_url from follows f join users u on u.id = f.followed_id
                  where f.follower_id = ?1 and ",
                authz::sql::may_meet!("u.id", "?1")
            ),
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

/// The id, name and photo of a user.
type Named = (UserId, String, Option<String>);

/// The files that this feature adds to the archive of a user.
pub const ARCHIVE: &[ArchiveFile] = &[ArchiveFile::with_mentions(
    "comments.json",
    "your comments on posts",
    // A post of a user whom the viewer may not meet is left out, like that of a deleted account.
    concat!(
        "select c.id, json_object('id', c.id, 'post_id', c.post_id, 'text', c.text,
                'written_at', ",
        time!("c.created_at_ms"),
        ")
           from comments c join posts p on p.id = c.post_id
          where c.author_id = ?1 and c.id < ?2 and ",
        authz::sql::is_there!("p"),
        " and ",
        may_meet!("p.author_id", "?1"),
        " order by c.id desc limit ?3"
    ),
)];

#[cfg(test)]
mod tests {
    use super::super::rules::parse_term;
    use super::*;
    use crate::db::readers::Snapshot;
    use crate::ids::NotificationId;
    use crate::model::mentions::mentioned;
    use crate::testing::database::{ANA, BEN, CLEO, TestDatabase, key, nth_id, viewer, with_database};

    fn comment(author_id: UserId, post_id: PostId, key_number: u8, text: &str) -> Create {
        let key = key(author_id, key_number, &[text.as_bytes()]);
        let (mentions, text, seen) = (mentioned(text), text.into(), Audience::Public {});
        Create { key, post_id, viewer: viewer(author_id), author_id, text, seen, mentions }
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
            for (number, text) in [(21, "one"), (22, "two"), (23, "three")] {
                db.write(comment(BEN, post, number, text)).await.unwrap();
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
            for (number, text) in [(21, "one"), (22, "two"), (23, "three")] {
                db.write(comment(BEN, post, number, text)).await.unwrap();
            }
            db.published();
            // Of each two ids, the first is that of the comment and the second that of its notification.
            db.write(removal(ANA, nth_id(1))).await.unwrap();
            let published = db.published();
            let [Event::CommentDeleted(deleted), Event::NotificationsDeleted(withdrawn)] = &published[..]
            else {
                panic!("{published:?}")
            };
            assert_eq!(
                (withdrawn.notification_ids.as_slice(), withdrawn.has_unread),
                (&[NotificationId(nth_id(2))][..], true)
            );
            let left: Vec<_> = deleted.first_comments.iter().map(|comment| comment.text.as_str()).collect();
            assert_eq!((left, deleted.comments_count), (vec!["two", "three"], 2));
        });
    }

    #[test]
    fn another_user_deletes_nothing_and_learns_nothing() {
        with_database(|db| async move {
            let post = db.has_post(10, ANA, 5);
            db.write(comment(BEN, post, 21, "one")).await.unwrap();
            let not_hers = db.write(removal(CLEO, nth_id(1))).await;
            let not_there = db.write(removal(CLEO, 99)).await;
            assert_eq!((not_hers, not_there), (Err(Refusal::NotFound), Err(Refusal::NotFound)));
            assert_eq!(thread(&db, post).await.comments_count, 1);
        });
    }

    #[test]
    fn a_comment_on_a_deleted_post_is_refused_and_others_in_its_batch_are_not() {
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
    fn comments_at_the_same_time_are_counted_one_by_one() {
        with_database(|db| async move {
            let post = db.has_post(10, ANA, 5);
            let mut crowd = Vec::new();
            for number in 0..20 {
                let words = format!("thought {number}, \"quoted\", {{}} 🌿");
                crowd.push(db.write(comment(BEN, post, number, &words)));
                crowd.push(db.write(comment(CLEO, PostId(99), number, "too late")));
                crowd.push(db.write(comment(ANA, post, number, "a line\nand another")));
            }
            let answers = futures_util::future::join_all(crowd).await;
            for three in answers.chunks(3) {
                assert!(three[0].is_ok() && three[2].is_ok(), "{three:?}");
                assert_eq!(three[1], Err(Refusal::NotFound));
            }
            assert!(db.seqs().is_sorted());
            let (mut counts, mut ids, mut published) = (Vec::new(), Vec::new(), 0);
            for event in db.published() {
                match event {
                    Event::CommentCreated(created) => {
                        counts.push(created.comments_count);
                        ids.push(created.comment.id);
                    }
                    Event::NotificationCreated(created) => {
                        assert_eq!((created.user_id, created.notification.actor_id), (ANA, BEN));
                        published += 1;
                    }
                    other => panic!("{other:?}"),
                }
            }
            assert!(counts.into_iter().eq(1..=40), "each says the count as of itself");
            assert!(ids.is_sorted(), "who adds each at the end has the order of who reads them all: {ids:?}");
            assert_eq!(published, 20, "Ana is notified of Ben's comments, and not of her own");
            let thread = thread(&db, post).await;
            assert_eq!(thread.comments_count, 40);
            assert!(thread.comments.iter().any(|comment| comment.text == "thought 7, \"quoted\", {} 🌿"));
            assert!(thread.comments.iter().any(|comment| comment.text == "a line\nand another"));
        });
    }

    #[test]
    fn r5_the_same_key_writes_one_comment_even_after_it_was_deleted() {
        with_database(|db| async move {
            let post = db.has_post(10, ANA, 5);
            let first = db.write(comment(BEN, post, 21, "once")).await.unwrap();
            assert_eq!(db.write(comment(BEN, post, 21, "once")).await.unwrap(), first);
            assert_eq!(thread(&db, post).await.comments_count, 1);
            db.execute("delete from comments").unwrap();
            db.write(comment(BEN, post, 21, "once")).await.ok();
            assert_eq!(db.number("select count(*) from comments").await, 0);
            assert_eq!(db.write(comment(BEN, post, 21, "other words")).await, Err(Refusal::KeyConflict));
        });
    }

    #[test]
    fn in_a_group_only_members_can_be_mentioned_those_in_the_thread_first() {
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
                let seen = Audience::Group { group_id: Some(group_id) };
                db.write(Create { seen, ..comment(who, post, id, "here") }).await.unwrap();
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

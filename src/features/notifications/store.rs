//! The SQL of notifications: reads them, marks them as seen, deletes one, and deletes those that have expired.

pub mod notify;

use std::collections::HashMap;

use super::wire::{Kind, Listed, Notification, Seen};
use crate::authz::sql::may_take_part;
use crate::authz::{self, PostFacts, Viewer};
use crate::db::command::{KeyUse, Transaction, WriteCommand, deletes, keyed};
use crate::db::sql::Sql;
use crate::error::{Error, Refusal};
use crate::features::events::Event;
use crate::ids::{CommentId, GroupId, ID_LIMIT, NotificationId, PostId, Seq, UserId};
use crate::limits::{NOTIFICATION_LIFE_MS, NOTIFICATIONS_PAGE, PURGE_ROWS_MAX};
use crate::model::archive::{ArchiveFile, time};
use crate::model::audience::Audience;
use crate::model::mentions;
use crate::model::users::users_named;
use crate::reply::Done;

/// Reads a page of a user's notifications, newest first: the columns of [`Row`] in order.
///
/// Arguments: 1 the user, 2 the id before which the page begins, 3 the number of rows. The condition is that of
/// `authz::may_see_notification`; `testing/audiences.rs` compares the two.
const PAGE: &str = concat!(
    "select n.id, n.kind, n.actor_id, n.post_id, n.comment_id, n.created_at_ms, n.unread,
            p.author_id, p.audience, p.group_id, ",
    authz::sql::is_member!("p", "?1"),
    ", ",
    authz::sql::may_meet!("coalesce(p.author_id, 0)", "?1"),
    ", p.text, c.text, p.content_note
       from notifications n left join posts p on p.id = n.post_id left join comments c on c.id = n.comment_id
      where n.user_id = ?1 and n.id < ?2 and ",
    authz::sql::is_notification_listed!("?1"),
    " order by n.id desc limit ?3"
);

/// Whose notification this is. None if the list of its user does not show it.
const OF: &str = concat!(
    "select n.user_id from notifications n where n.id = ?1 and ",
    authz::sql::is_notification_listed!("n.user_id")
);

struct Row {
    id: NotificationId,
    kind: Kind,
    actor_id: UserId,
    post_id: Option<PostId>,
    comment_id: Option<CommentId>,
    created_at_ms: i64,
    unread: bool,
    post_author_id: Option<UserId>,
    audience: Option<String>,
    group_id: Option<GroupId>,
    is_member: bool,
    may_meet: bool,
    post_text: Option<String>,
    comment_text: Option<String>,
    content_note: Option<String>,
}

impl TryFrom<&rusqlite::Row<'_>> for Row {
    type Error = rusqlite::Error;

    fn try_from(row: &rusqlite::Row<'_>) -> Result<Self, Self::Error> {
        Ok(Self {
            id: row.get(0)?,
            kind: row.get(1)?,
            actor_id: row.get(2)?,
            post_id: row.get(3)?,
            comment_id: row.get(4)?,
            created_at_ms: row.get(5)?,
            unread: row.get(6)?,
            post_author_id: row.get(7)?,
            audience: row.get(8)?,
            group_id: row.get(9)?,
            is_member: row.get(10)?,
            may_meet: row.get(11)?,
            post_text: row.get(12)?,
            comment_text: row.get(13)?,
            content_note: row.get(14)?,
        })
    }
}

impl Row {
    /// Returns whether the user may read the subject now.
    fn is_open_to(&self, viewer: Viewer) -> bool {
        let post = self.post_author_id.zip(self.audience.as_deref());
        post.is_some_and(|(author_id, word)| {
            let audience = Audience::kept(word, self.group_id).fact(self.is_member);
            authz::may_take_part(viewer, &PostFacts { author_id, may_meet: self.may_meet, audience })
        })
    }
}

/// Returns a page of the viewer's own notifications, newest first.
///
/// # Errors
/// A database fault.
pub fn page(
    sql: Sql<'_>,
    viewer: Viewer,
    user_id: UserId,
    before: Option<NotificationId>,
    seq: Seq,
) -> Result<Listed, Error> {
    let before = before.map_or(ID_LIMIT, |before| before.0);
    let mut rows: Vec<Row> = sql.rows(PAGE, (user_id, before, NOTIFICATIONS_PAGE + 1))?;
    let has_more = rows.len() > NOTIFICATIONS_PAGE;
    rows.truncate(NOTIFICATIONS_PAGE);
    let older = rows.last().map(|row| row.id).filter(|_| has_more);
    let texts = rows.iter().filter_map(|row| row.comment_text.as_deref());
    let mentioned: Vec<UserId> = texts.flat_map(mentions::mentioned).collect();
    let named = users_named(sql, user_id, rows.iter().map(|row| row.actor_id).chain(mentioned))?;
    let names: HashMap<UserId, &str> = named.iter().map(|user| (user.id, user.name.as_str())).collect();
    let has_unread = sql.value(notify::has_unread!(), (user_id,))?;
    let notifications: Vec<Notification> = rows
        .iter()
        .map(|row| {
            let is_open = row.is_open_to(viewer);
            let open = |text: &Option<String>| text.clone().filter(|_| is_open);
            // The note stands in place of what it covers (D-U8).
            let quoted = |text: &Option<String>| open(text).filter(|_| row.content_note.is_none());
            Notification {
                id: row.id,
                kind: row.kind,
                actor_id: row.actor_id,
                // If the viewer may not read the post, the notification names nothing of it.
                post_id: row.post_id.filter(|_| is_open),
                comment_id: row.comment_id.filter(|_| is_open),
                comment_text: quoted(&row.comment_text).map(|text| mentions::preview(&text, &names)),
                post_text: quoted(&row.post_text).map(|text| mentions::beginning(&text)),
                content_note: open(&row.content_note),
                created_at_ms: row.created_at_ms,
                unread: row.unread,
            }
        })
        .collect();
    let users = named.iter().filter(|user| rows.iter().any(|row| row.actor_id == user.id)).cloned().collect();
    Ok(Listed { notifications, users, older, has_unread, seq })
}

/// Marks all notifications as seen.
pub struct Read {
    pub key: KeyUse,
    pub user_id: UserId,
}

impl WriteCommand for Read {
    type Event = Event;
    type Value = Done;

    keyed!();

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Done, Error> {
        // Those that the list does not show were not seen.
        let seen = transaction.sql.execute(
            concat!(
                "update notifications as n set unread = 0 where n.user_id = ?1 and n.unread and ",
                authz::sql::is_notification_listed!("?1")
            ),
            (self.user_id,),
        )?;
        if seen > 0 {
            transaction.publish(Event::NotificationsSeen(Seen { user_id: self.user_id }));
        } else {
            transaction.changes_nothing();
        }
        Ok(Done { seq: transaction.seq() })
    }
}

/// Deletes a notification, by request of its user.
pub struct Delete {
    pub key: KeyUse,
    pub viewer: Viewer,
    pub notification_id: NotificationId,
}

impl WriteCommand for Delete {
    type Event = Event;
    type Value = Done;

    keyed!();

    deletes!(Content);

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Done, Error> {
        let (sql, id) = (transaction.sql, self.notification_id);
        let user_id: Option<UserId> = sql.optional_value(OF, (id,))?;
        // A notification of another user is refused like an unknown one (D-H4).
        let user_id = user_id.filter(|user_id| authz::may_see_notification(self.viewer, *user_id));
        let user_id = user_id.ok_or(Refusal::NotFound)?;
        sql.execute("delete from notifications where id = ?1", (id,))?;
        notify::publish_deleted(transaction, vec![(user_id, id)])?;
        Ok(Done { seq: transaction.seq() })
    }
}

/// Deletes notifications that are older than [`NOTIFICATION_LIFE_MS`], the oldest first.
///
/// # Errors
/// A database fault.
pub fn purge(transaction: &mut Transaction<'_, Event>) -> Result<(), Error> {
    let gone = transaction.sql.rows(
        "delete from notifications where id in
           (select id from notifications where created_at_ms < ?1 order by created_at_ms limit ?2)
         returning user_id, id",
        (transaction.now_ms - NOTIFICATION_LIFE_MS, PURGE_ROWS_MAX),
    )?;
    notify::publish_deleted(transaction, gone)?;
    Ok(())
}

/// The files that this feature adds to the archive of a user.
pub const ARCHIVE: &[ArchiveFile] = &[ArchiveFile::new(
    "notifications.json",
    "your notifications: what happened, and who did it",
    concat!(
        "select n.id, json_object('id', n.id, 'kind', n.kind,
                'from', json_object('id', u.id, 'name', u.name),
                'post_id', iif(",
        may_take_part!("p", "?1"),
        ", n.post_id, null),
                'comment_id', iif(",
        may_take_part!("p", "?1"),
        ", n.comment_id, null),
                'at', ",
        time!("n.created_at_ms"),
        ", 'unread', json(iif(n.unread, 'true', 'false')))
               from notifications n join users u on u.id = n.actor_id left join posts p on p.id = n.post_id
              where n.user_id = ?1 and n.id < ?2 and ",
        authz::sql::is_notification_listed!("?1"),
        " order by n.id desc limit ?3"
    ),
)];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::command::Housekeeping;
    use crate::db::readers::Snapshot;
    use crate::features::comments::store as comments;
    use crate::features::follows::store as follows;
    use crate::features::posts::store as posts;
    use crate::testing::database::{
        ANA, BEN, CLEO, NOW_MS, TestDatabase, key, nth_id, viewer, with_database,
    };

    fn comment(author_id: UserId, post_id: PostId, key_number: u8, text: &str) -> comments::Create {
        comments::Create {
            key: key(author_id, key_number, &[text.as_bytes()]),
            post_id,
            viewer: viewer(author_id),
            author_id,
            text: text.into(),
            seen: Audience::Public {},
            mentions: mentions::mentioned(text),
        }
    }

    fn follow(number: u8, follower_id: UserId, followed_id: UserId, following: bool) -> follows::Set {
        let key = key(follower_id, number, &[&[u8::from(following)]]);
        follows::Set { key, follower_id, followed_id, following, notifies: true }
    }

    async fn list(db: &TestDatabase, user_id: UserId) -> Listed {
        db.read(move |Snapshot { sql, seq }| page(sql, viewer(user_id), user_id, None, seq)).await
    }

    fn said(listed: &Listed) -> Vec<(Kind, UserId, Option<&str>)> {
        let items = listed.notifications.iter();
        items.map(|item| (item.kind, item.actor_id, item.comment_text.as_deref())).collect()
    }

    #[test]
    fn d_d7_d_d8_each_user_is_notified_once_and_never_of_their_own_action() {
        with_database(|db| async move {
            let post = db.has_post(10, ANA, 5);
            db.write(comment(BEN, post, 21, "@1+Ana @3+Cleo @2+Ben @99+Nobody look")).await.unwrap();
            db.write(comment(ANA, post, 22, "mine")).await.unwrap();
            let says = Some("@Ana @Cleo @Ben @Nobody look");
            assert_eq!(said(&list(&db, ANA).await), [(Kind::Comment, BEN, says)]);
            assert_eq!(said(&list(&db, CLEO).await), [(Kind::Reply, BEN, says)]);
            assert!(list(&db, BEN).await.notifications.is_empty());
            assert!(list(&db, ANA).await.has_unread && !list(&db, BEN).await.has_unread);
        });
    }

    #[test]
    fn r6_live_events_agree_with_reads() {
        with_database(|db| async move {
            let post = db.has_post(10, ANA, 5);
            for (number, text) in [(21, "plain words"), (22, "hello @3+Cleo_X and\nmore")] {
                db.write(comment(BEN, post, number, text)).await.unwrap();
            }
            db.write(follow(1, BEN, ANA, true)).await.unwrap();
            let mut live = HashMap::new();
            for event in db.published() {
                if let Event::NotificationCreated(created) = event {
                    let beside: Vec<_> = created.users.iter().map(|user| user.id).collect();
                    assert_eq!(beside, [BEN]);
                    let list: &mut Vec<_> = live.entry(created.user_id).or_default();
                    list.insert(0, format!("{:?}", created.notification));
                }
            }
            for user_id in [ANA, CLEO] {
                let read = list(&db, user_id).await.notifications;
                let read: Vec<_> = read.iter().map(|item| format!("{item:?}")).collect();
                assert_eq!(live[&user_id], read);
            }
        });
    }

    #[test]
    fn names_and_texts_are_current() {
        with_database(|db| async move {
            let post = db.has_post(10, ANA, 5);
            db.write(comment(BEN, post, 21, "hi @3+Cleo_Old")).await.unwrap();
            db.execute("update users set name = 'Cleo New' where id = 3").unwrap();
            assert_eq!(said(&list(&db, ANA).await)[0].2, Some("hi @Cleo New"));
        });
    }

    #[test]
    fn c31_seen_notifications_stay_seen_and_later_ones_are_new() {
        with_database(|db| async move {
            let post = db.has_post(10, ANA, 5);
            db.write(comment(BEN, post, 21, "one")).await.unwrap();
            db.published();
            db.write(Read { key: key(ANA, 1, &[]), user_id: ANA }).await.unwrap();
            assert!(matches!(db.published()[..], [Event::NotificationsSeen(Seen { user_id: ANA })]));
            assert!(!list(&db, ANA).await.has_unread);
            db.write(Read { key: key(ANA, 2, &[]), user_id: ANA }).await.unwrap();
            assert!(db.published().is_empty(), "there was nothing more to see");
            db.write(comment(CLEO, post, 22, "two")).await.unwrap();
            let listed = list(&db, ANA).await;
            assert!(listed.has_unread);
            assert_eq!(
                listed.notifications.iter().map(|item| item.unread).collect::<Vec<_>>(),
                [true, false]
            );
        });
    }

    #[test]
    fn c30_a_notification_without_its_cause_is_gone_and_so_is_its_dot() {
        with_database(|db| async move {
            let post = db.has_post(10, ANA, 5);
            db.write(comment(BEN, post, 21, "@3+Cleo one")).await.unwrap();
            db.write(comment(BEN, post, 22, "two")).await.unwrap();
            db.published();
            let delete = posts::Delete { key: key(ANA, 9, &[]), post_id: post, viewer: viewer(ANA) };
            db.write(delete).await.unwrap();
            let gone: Vec<_> = db
                .published()
                .into_iter()
                .filter_map(|event| match event {
                    Event::NotificationsDeleted(gone) => {
                        Some((gone.user_id, gone.notification_ids.len(), gone.has_unread))
                    }
                    _ => None,
                })
                .collect();
            assert_eq!(gone, [(ANA, 2, false), (CLEO, 1, false)]);
            assert!(list(&db, CLEO).await.notifications.is_empty());
        });
    }

    #[test]
    fn d_h3_following_again_today_shows_a_notification_that_was_not_seen_again_as_it_was() {
        with_database(|db| async move {
            db.write(follow(1, BEN, ANA, true)).await.unwrap();
            let first = list(&db, ANA).await.notifications.remove(0);
            db.write(follow(2, BEN, ANA, false)).await.unwrap();
            let withdrawn = list(&db, ANA).await;
            assert!(withdrawn.notifications.is_empty() && !withdrawn.has_unread);
            // What is not shown is not seen, and cannot be deleted.
            db.write(Read { key: key(ANA, 1, &[]), user_id: ANA }).await.unwrap();
            let delete = Delete { key: key(ANA, 2, &[]), viewer: viewer(ANA), notification_id: first.id };
            assert_eq!(db.write(delete).await, Err(Refusal::NotFound));
            db.published();
            let again = follows::Set { notifies: false, ..follow(3, BEN, ANA, true) };
            db.write(again).await.unwrap();
            let created = db.published().into_iter().find_map(|event| match event {
                Event::NotificationCreated(created) => Some(format!("{:?}", created.notification)),
                _ => None,
            });
            let returned = list(&db, ANA).await;
            assert!(returned.has_unread);
            assert_eq!(format!("{:?}", returned.notifications[0]), format!("{first:?}"));
            assert_eq!(created, Some(format!("{first:?}")), "with its first time");
        });
    }

    #[test]
    fn d_h3_following_again_today_does_not_notify_of_what_was_seen_or_deleted() {
        with_database(|db| async move {
            db.write(follow(1, BEN, ANA, true)).await.unwrap();
            db.write(Read { key: key(ANA, 1, &[]), user_id: ANA }).await.unwrap();
            db.write(follow(2, BEN, ANA, false)).await.unwrap();
            db.write(follow(3, BEN, ANA, true)).await.unwrap();
            let listed = list(&db, ANA).await;
            assert_eq!((said(&listed), listed.has_unread), (vec![(Kind::Follow, BEN, None)], false));
            db.execute("update notifications set created_at_ms = created_at_ms - 24 * 3600000").unwrap();
            db.write(follow(4, BEN, ANA, false)).await.unwrap();
            db.write(follow(5, BEN, ANA, true)).await.unwrap();
            assert_eq!(list(&db, ANA).await.notifications.len(), 2);
            // A day after a follow that was withdrawn unseen, the notification is a new one.
            db.execute("update notifications set created_at_ms = created_at_ms - 24 * 3600000").unwrap();
            db.write(follow(6, BEN, ANA, false)).await.unwrap();
            db.write(follow(7, BEN, ANA, true)).await.unwrap();
            let listed = list(&db, ANA).await.notifications;
            assert_eq!((listed.len(), listed[0].created_at_ms), (2, NOW_MS));
            let delete = Delete { key: key(ANA, 3, &[]), viewer: viewer(ANA), notification_id: listed[0].id };
            db.write(delete).await.unwrap();
            db.write(follow(8, BEN, ANA, false)).await.unwrap();
            db.write(follows::Set { notifies: false, ..follow(9, BEN, ANA, true) }).await.unwrap();
            assert_eq!(list(&db, ANA).await.notifications.len(), 1);
        });
    }

    #[test]
    fn d_h4_users_delete_only_their_own_notifications() {
        with_database(|db| async move {
            let post = db.has_post(10, ANA, 5);
            db.write(comment(BEN, post, 21, "one")).await.unwrap();
            let delete = |user_id, n| Delete {
                key: key(user_id, n, &[]),
                viewer: viewer(user_id),
                notification_id: NotificationId(nth_id(2)),
            };
            assert_eq!(db.write(delete(BEN, 1)).await, Err(Refusal::NotFound));
            assert!(db.write(delete(ANA, 2)).await.is_ok());
            assert!(list(&db, ANA).await.notifications.is_empty());
        });
    }

    #[test]
    fn d_h6_three_hundred_notifications_are_kept_for_ninety_days() {
        with_database(|db| async move {
            let post = db.has_post(10, ANA, 5);
            db.execute(
                "insert into comments (id, post_id, author_id, text, created_at_ms)
                 with recursive n(i) as (select 1 union all select i + 1 from n where i < 300)
                 select i, 10, 2, 'x', 0 from n",
            )
            .unwrap();
            db.execute(
                "insert into notifications (id, user_id, kind, actor_id, post_id, comment_id, created_at_ms, unread)
                 select id, 1, 'comment', 2, 10, id, 0, 0 from comments",
            )
            .unwrap();
            let count = "select count(*) from notifications where user_id = 1";
            db.write(comment(BEN, post, 21, "alone")).await.unwrap();
            let dropped = db.published().into_iter().find_map(|event| match event {
                Event::NotificationsDeleted(gone) => {
                    Some((gone.user_id, gone.notification_ids, gone.has_unread))
                }
                _ => None,
            });
            assert_eq!(dropped, Some((ANA, vec![NotificationId(1)], true)), "her pages learn which one");
            db.write(comment(BEN, post, 22, "@3+Cleo step by step")).await.unwrap();
            let crowd = (0..9).map(|n| db.write(comment(CLEO, post, n, "together")));
            futures_util::future::join_all(crowd).await;
            assert_eq!(db.number(count).await, 300);
            assert_eq!(db.number("select min(id) from notifications").await, 12);
            db.write(Housekeeping(purge)).await.unwrap();
            assert_eq!(db.number(count).await, 11);
            let old = db.number("select min(created_at_ms) from notifications").await;
            assert!(old >= NOW_MS - NOTIFICATION_LIFE_MS);
        });
    }

    #[test]
    fn r9_the_schema_itself_refuses_a_notice_without_a_cause_or_of_an_own_action() {
        with_database(|db| async move {
            db.has_post(10, ANA, 5);
            for (user, kind, actor, post) in [
                (1, "'follow'", 1, "null"),
                (1, "'comment'", 2, "null"),
                (1, "'follow'", 2, "10"),
                (1, "'like'", 2, "null"),
                (9, "'follow'", 2, "null"),
            ] {
                let sql = format!(
                    "insert into notifications (id, user_id, kind, actor_id, post_id, comment_id, created_at_ms)
                     values (1, {user}, {kind}, {actor}, {post}, null, 0)"
                );
                assert!(db.execute(&sql).is_err(), "{sql}");
            }
        });
    }
}

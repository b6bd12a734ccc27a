//! The rows of notifications. A row is written in the commit of its cause, and deleted with its cause.
//!
//! Guarantees:
//! - Only users who may see the cause get a notification. Nobody gets one of their own action, or more than one of a
//!   comment.
//! - A user whose notification is deleted receives an event. It says whether an unseen one remains.
//!
//! Comments, follows and posts write their notifications through this module.

use std::collections::{BTreeMap, HashSet};

use super::super::wire::{Created, Deleted, Kind, Notification};
use crate::authz;
use crate::db::command::Transaction;
use crate::db::sql::{Sql, list};
use crate::error::Error;
use crate::features::events::Event;
use crate::ids::{CommentId, ImportId, NotificationId, PostId, UserId};
use crate::limits::{FOLLOW_NOTIFY_PAUSE_MS, NOTIFICATIONS_MAX, NOTIFICATIONS_UNSEEN_PER_ACTOR};
use crate::model::users::User;

/// Returns whether a user has an unseen notification, among those that the user's list shows. Argument: the user.
macro_rules! has_unread {
    () => {
        concat!(
            "select exists (select 1 from notifications n where n.user_id = ?1 and n.unread and ",
            $crate::authz::sql::is_notification_listed!("?1"),
            ")"
        )
    };
}
pub(crate) use has_unread;

/// Deleted notifications: the user and the notification.
pub type DeletedNotifications = Vec<(UserId, NotificationId)>;

/// A notification that is not written yet.
pub struct NewNotification {
    /// The user who is notified.
    pub user_id: UserId,
    pub kind: Kind,
    /// The user who acted.
    pub actor_id: UserId,
    /// None for a follow.
    pub cause: Option<Cause>,
}

/// The comment that caused a notification, and what the notification quotes.
#[derive(Clone)]
pub struct Cause {
    pub post_id: PostId,
    pub comment_id: CommentId,
    pub quote: Quote,
}

/// What a notification quotes.
#[derive(Clone)]
pub enum Quote {
    /// Excerpts as readers see them.
    Texts { comment_text: String, post_text: String },
    /// The content note of the post, in place of all that it covers.
    ContentNote(String),
}

impl NewNotification {
    /// Returns the event of the notification.
    #[must_use]
    pub fn event(self, id: NotificationId, actor: &User, now_ms: i64) -> Event {
        let (post_id, comment_id) =
            self.cause.as_ref().map(|cause| (cause.post_id, cause.comment_id)).unzip();
        let (comment_text, post_text, content_note) = match self.cause.map(|cause| cause.quote) {
            None => (None, None, None),
            Some(Quote::Texts { comment_text, post_text }) => (Some(comment_text), Some(post_text), None),
            Some(Quote::ContentNote(note)) => (None, None, Some(note)),
        };
        let notification = Notification {
            id,
            kind: self.kind,
            actor_id: self.actor_id,
            post_id,
            comment_id,
            created_at_ms: now_ms,
            unread: true,
            comment_text,
            post_text,
            content_note,
        };
        Event::NotificationCreated(Created {
            notification,
            users: vec![actor.clone()],
            user_id: self.user_id,
        })
    }
}

/// May a user be notified of an actor? They must be allowed to meet, and the user has not muted the actor. Arguments: 1
/// the actor, 2 the user.
const IS_WANTED: &str =
    concat!("select ", authz::sql::may_meet!("?1", "?2"), " and not ", authz::sql::is_muted!("?1", "?2"));

/// Writes notifications and publishes them. A notification is left out if its user muted the actor or may not meet
/// them, or already has [`NOTIFICATIONS_UNSEEN_PER_ACTOR`] unseen ones of the actor.
///
/// # Errors
/// A database fault.
pub fn notify(
    transaction: &mut Transaction<'_, Event>,
    new: Vec<NewNotification>,
    actor: &User,
) -> Result<(), Error> {
    for notification in new {
        let is_wanted: bool =
            transaction.sql.value(IS_WANTED, (notification.actor_id, notification.user_id))?;
        if !is_wanted {
            continue;
        }
        let unseen: i64 = transaction.sql.value(
            "select count(*) from notifications where user_id = ?1 and actor_id = ?2 and unread",
            (notification.user_id, notification.actor_id),
        )?;
        if unseen >= NOTIFICATIONS_UNSEEN_PER_ACTOR {
            continue;
        }
        let (post_id, comment_id) =
            notification.cause.as_ref().map(|cause| (cause.post_id, cause.comment_id)).unzip();
        let id = NotificationId(transaction.new_id());
        transaction.sql.execute(
            "insert into notifications (id, user_id, kind, actor_id, post_id, comment_id, created_at_ms)
               values (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            (
                id,
                notification.user_id,
                notification.kind,
                notification.actor_id,
                post_id,
                comment_id,
                transaction.now_ms,
            ),
        )?;
        let gone = make_room(transaction.sql, notification.user_id)?;
        let event = notification.event(id, actor, transaction.now_ms);
        transaction.publish(event);
        publish_deleted(transaction, gone)?;
    }
    Ok(())
}

/// Deletes a notification if a user has more than [`NOTIFICATIONS_MAX`]: the oldest one of the actor who caused most of
/// them, so that one actor cannot push out the notifications that others caused. Returns it for [`publish_deleted`], so
/// that clients need no rule of their own.
fn make_room(sql: Sql<'_>, user_id: UserId) -> Result<DeletedNotifications, Error> {
    let held: i64 = sql.value("select count(*) from notifications where user_id = ?1", (user_id,))?;
    if held <= NOTIFICATIONS_MAX {
        return Ok(DeletedNotifications::new());
    }
    Ok(sql.rows(
        "delete from notifications where id =
           (select min(id) from notifications where user_id = ?1
             group by actor_id order by count(*) desc, min(id) limit 1)
         returning user_id, id",
        (user_id,),
    )?)
}

/// Notifies a user of a new follower. If the user was notified of the same follower within [`FOLLOW_NOTIFY_PAUSE_MS`],
/// there is no second notification: one that was withdrawn returns as it was, and one that was seen stays (D-H3).
/// `is_new` is whether a new notification may be made at all.
///
/// # Errors
/// A database fault.
pub fn notify_follow(
    transaction: &mut Transaction<'_, Event>,
    user_id: UserId,
    actor: &User,
    is_new: bool,
) -> Result<(), Error> {
    let (sql, since_ms) = (transaction.sql, transaction.now_ms - FOLLOW_NOTIFY_PAUSE_MS);
    // The notification of an earlier follow that was not seen was withdrawn when that follow ended.
    sql.execute(
        "delete from notifications
          where actor_id = ?1 and user_id = ?2 and kind = 'follow' and unread and created_at_ms <= ?3",
        (actor.id, user_id, since_ms),
    )?;
    let earlier: Option<(NotificationId, i64, bool)> = sql.optional_row(
        "select id, created_at_ms, unread from notifications
          where actor_id = ?1 and user_id = ?2 and kind = 'follow' and created_at_ms > ?3
          order by unread desc, id desc limit 1",
        (actor.id, user_id, since_ms),
    )?;
    let follow = NewNotification { user_id, kind: Kind::Follow, actor_id: actor.id, cause: None };
    match earlier {
        Some((id, created_at_ms, true)) => {
            let event = follow.event(id, actor, created_at_ms);
            transaction.publish(event);
            Ok(())
        }
        None if is_new => notify(transaction, vec![follow], actor),
        _ => Ok(()),
    }
}

/// Withdraws the notification of a follow that ended, unless it was seen (D-H3).
///
/// # Errors
/// A database fault.
pub fn withdraw_follow(
    transaction: &mut Transaction<'_, Event>,
    user_id: UserId,
    actor_id: UserId,
) -> Result<(), Error> {
    let withdrawn = transaction.sql.rows(
        "select user_id, id from notifications
          where actor_id = ?1 and user_id = ?2 and kind = 'follow' and unread",
        (actor_id, user_id),
    )?;
    publish_deleted(transaction, withdrawn)
}

/// Deletes the notifications of a comment. Returns them for [`publish_deleted`], which the caller calls after it
/// published the event of the comment.
///
/// # Errors
/// A database fault.
pub fn delete_of_comment(sql: Sql<'_>, comment_id: CommentId) -> Result<DeletedNotifications, Error> {
    Ok(sql.rows("delete from notifications where comment_id = ?1 returning user_id, id", (comment_id,))?)
}

/// Deletes the notifications of a post. Returns them for [`publish_deleted`].
///
/// # Errors
/// A database fault.
pub fn delete_of_post(sql: Sql<'_>, post_id: PostId) -> Result<DeletedNotifications, Error> {
    Ok(sql.rows("delete from notifications where post_id = ?1 returning user_id, id", (post_id,))?)
}

/// Deletes the notifications of all posts of an import. Returns them for [`publish_deleted`].
///
/// # Errors
/// A database fault.
pub fn delete_of_import(sql: Sql<'_>, import_id: ImportId) -> Result<DeletedNotifications, Error> {
    Ok(sql.rows(
        "delete from notifications where post_id in (select id from posts where import_id = ?1)
         returning user_id, id",
        (import_id,),
    )?)
}

/// Deletes the notifications of each of two users that are about an action of the other or about a post of the other.
/// Returns them for [`publish_deleted`].
///
/// # Errors
/// A database fault.
pub fn delete_between(
    sql: Sql<'_>,
    user_id: UserId,
    other_id: UserId,
) -> Result<DeletedNotifications, Error> {
    let mut deleted = DeletedNotifications::new();
    for (user_id, hidden_id) in [(user_id, other_id), (other_id, user_id)] {
        deleted.extend(sql.rows::<(UserId, NotificationId)>(
            "delete from notifications
              where user_id = ?1 and (actor_id = ?2 or post_id in (select id from posts where author_id = ?2))
             returning user_id, id",
            (user_id, hidden_id),
        )?);
    }
    Ok(deleted)
}

/// Deletes a user's notifications of the actions of another user. Returns them for [`publish_deleted`].
///
/// # Errors
/// A database fault.
pub fn delete_from(sql: Sql<'_>, user_id: UserId, actor_id: UserId) -> Result<DeletedNotifications, Error> {
    Ok(sql.rows(
        "delete from notifications where user_id = ?1 and actor_id = ?2 returning user_id, id",
        (user_id, actor_id),
    )?)
}

/// Returns the users with a notification of a post. A user may occur more than once.
///
/// # Errors
/// A database fault.
pub fn notified_of_post(sql: Sql<'_>, post_id: PostId) -> Result<Vec<UserId>, Error> {
    Ok(sql.values("select user_id from notifications where post_id = ?1", (post_id,))?)
}

/// Publishes deleted notifications to their users, with whether an unseen one remains.
///
/// # Errors
/// A database fault.
pub fn publish_deleted(
    transaction: &mut Transaction<'_, Event>,
    deleted: DeletedNotifications,
) -> Result<(), Error> {
    if deleted.is_empty() {
        return Ok(());
    }
    let mut by_user: BTreeMap<UserId, Vec<NotificationId>> = BTreeMap::new();
    for (user_id, id) in deleted {
        by_user.entry(user_id).or_default().push(id);
    }
    let unread: Vec<UserId> = transaction.sql.values(
        concat!(
            "select p.value from rarray(?1) p
              where exists (select 1 from notifications n where n.user_id = p.value and n.unread and ",
            authz::sql::is_notification_listed!("p.value"),
            ")"
        ),
        (list(by_user.keys().copied()),),
    )?;
    let unread: HashSet<UserId> = unread.into_iter().collect();
    for (user_id, notification_ids) in by_user {
        let has_unread = unread.contains(&user_id);
        transaction.publish(Event::NotificationsDeleted(Deleted { notification_ids, has_unread, user_id }));
    }
    Ok(())
}

//! Requests, replies and events of notifications.

use serde::{Deserialize, Serialize};

use crate::db::sql::kept_as_text;
use crate::features::key::Key;
use crate::ids::{CommentId, NotificationId, PostId, Seq, UserId};
use crate::model::users::User;
pub use crate::reply::Done;
use crate::wire::named;
use crate::wire::requests;

requests! {
    "notifications.page" Page -> Listed,
    "notifications.read" Read -> Done,
    "notifications.delete" Delete -> Done,
}

/// Asks for a page of the viewer's own notifications, newest first.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Page {
    /// The `older` of the previous page; None for the first page.
    pub before: Option<NotificationId>,
}

/// Marks all notifications as seen.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Read {
    pub key: Key,
}

/// Deletes a notification.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Delete {
    pub key: Key,
    pub notification_id: NotificationId,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Listed {
    pub notifications: Vec<Notification>,
    pub users: Vec<User>,
    /// The `before` of the next page; None if nothing older remains.
    pub older: Option<NotificationId>,
    pub has_unread: bool,
    pub seq: Seq,
}

/// A notification of an action that concerns the viewer.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Notification {
    pub id: NotificationId,
    pub kind: Kind,
    /// The user who acted.
    pub actor_id: UserId,
    /// None for a follow, or if the viewer may not read the post.
    pub post_id: Option<PostId>,
    pub comment_id: Option<CommentId>,
    /// The first hundred characters of the comment as readers see them, made when the notification was read. None if
    /// the post has a content note.
    pub comment_text: Option<String>,
    /// The first hundred characters of the post. None if it has a content note.
    pub post_text: Option<String>,
    /// The content note of the post, which stands in place of both texts.
    pub content_note: Option<String>,
    #[cfg_attr(test, ts(type = "number"))]
    pub created_at_ms: i64,
    pub unread: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Kind {
    /// A comment on the viewer's post.
    Comment,
    /// A mention of the viewer in a comment.
    Reply,
    /// A new follower.
    Follow,
}

named!(Kind { Comment = "comment", Reply = "reply", Follow = "follow" });
kept_as_text!(Kind);

/// A new notification. The event is sent to the connections of its user.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Created {
    pub notification: Notification,
    /// The user who acted.
    pub users: Vec<User>,
    #[serde(skip)]
    pub user_id: UserId,
}

/// Notifications were deleted, with their cause or by their user. The event is sent to the connections of their user.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Deleted {
    pub notification_ids: Vec<NotificationId>,
    /// Whether an unseen notification remains.
    pub has_unread: bool,
    #[serde(skip)]
    pub user_id: UserId,
}

/// All notifications were seen. The event is sent to the connections of their user.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Seen {
    #[serde(skip)]
    pub user_id: UserId,
}

#[cfg(test)]
pub(crate) mod examples {
    use serde_json::json;

    use crate::features::events::Event;
    use crate::ids::{CommentId, NotificationId};
    use crate::testing::examples::{ANA, BEN, Messages, NOW_MS, POST, SEQ, key, ok, users};

    /// An unseen notification of a comment, or a seen one of a follow.
    fn notification(kind: super::Kind) -> super::Notification {
        let of_comment = kind != super::Kind::Follow;
        super::Notification {
            id: NotificationId(if of_comment { 4_294_967_296 } else { 65_536 }),
            kind,
            actor_id: BEN,
            post_id: of_comment.then_some(POST),
            comment_id: of_comment.then_some(CommentId(128)),
            comment_text: of_comment.then(|| "@Ana come and see!".into()),
            post_text: of_comment.then(|| "one two".into()),
            content_note: None,
            created_at_ms: NOW_MS,
            unread: of_comment,
        }
    }

    /// An unseen notification of a reply under a post with a content note.
    fn noted() -> super::Notification {
        super::Notification {
            comment_text: None,
            post_text: None,
            content_note: Some("Grief, a funeral".into()),
            ..notification(super::Kind::Reply)
        }
    }

    pub(crate) fn messages() -> Messages {
        Messages {
            requests: vec![
                (
                    "notifications.page",
                    json!({ "before": 4_294_967_296_u64 }),
                    ok(&super::Listed {
                        notifications: vec![
                            notification(super::Kind::Comment),
                            noted(),
                            notification(super::Kind::Follow),
                        ],
                        users: users(),
                        older: Some(NotificationId(65_536)),
                        has_unread: true,
                        seq: SEQ,
                    }),
                ),
                ("notifications.read", json!({ "key": key() }), ok(&super::Done { seq: SEQ })),
                (
                    "notifications.delete",
                    json!({ "key": key(), "notification_id": 65_536 }),
                    ok(&super::Done { seq: SEQ }),
                ),
            ],
            events: vec![
                Event::NotificationCreated(super::Created {
                    notification: notification(super::Kind::Reply),
                    users: vec![users()[1].clone()],
                    user_id: ANA,
                }),
                Event::NotificationsDeleted(super::Deleted {
                    notification_ids: vec![NotificationId(65_536), NotificationId(4_294_967_296)],
                    has_unread: false,
                    user_id: ANA,
                }),
                Event::NotificationsSeen(super::Seen { user_id: ANA }),
            ],
        }
    }
}

//! What is asked, answered and told about notifications.

use serde::{Deserialize, Serialize};

use crate::features::kit::Key;
use crate::features::requests;
pub use crate::features::views::Done;
use crate::features::views::User;
use crate::ids::{CommentId, NotificationId, PostId, Seq, UserId};

requests! {
    "notifications.page" Page -> Listed,
    "notifications.read" Read -> Done,
    "notifications.delete" Delete -> Done,
}

/// A page of the viewer's own notifications, newest first.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Page {
    /// From the page before: its `older`.
    pub before: Option<NotificationId>,
}

/// Says that all there are were seen.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Read {
    pub key: Key,
}

/// Takes one away.
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
    /// Where the next page begins; None when nothing older remains.
    pub older: Option<NotificationId>,
    pub has_unread: bool,
    pub seq: Seq,
}

/// What somebody did that concerns the viewer.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Notification {
    pub id: NotificationId,
    pub kind: Kind,
    /// Who did it.
    pub actor_id: UserId,
    /// None for a follow.
    pub post_id: Option<PostId>,
    pub comment_id: Option<CommentId>,
    /// The comment's first hundred characters as people see them, made when this was read.
    pub comment_text: Option<String>,
    /// The post's, likewise.
    pub post_text: Option<String>,
    #[cfg_attr(test, ts(type = "number"))]
    pub created_at_ms: i64,
    pub unread: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Kind {
    /// Somebody commented on the viewer's post.
    Comment,
    /// Somebody mentioned the viewer in a comment.
    Reply,
    /// Somebody follows the viewer.
    Follow,
}

crate::db::sql::kept_as_text!(Kind { Comment = "comment", Reply = "reply", Follow = "follow" });

/// Told to its person's own sockets.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Created {
    pub notification: Notification,
    /// Who did it.
    pub users: Vec<User>,
    #[serde(skip)]
    pub user_id: UserId,
}

/// Some went with their cause, or were taken away. Told to their person's own sockets.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Deleted {
    pub notification_ids: Vec<NotificationId>,
    /// Is there one left that was not seen?
    pub has_unread: bool,
    #[serde(skip)]
    pub user_id: UserId,
}

/// All there are were seen. Told to their person's own sockets.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Seen {
    #[serde(skip)]
    pub user_id: UserId,
}

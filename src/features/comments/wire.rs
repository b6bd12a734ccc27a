//! What is asked, answered and told about comments.

use crate::events::Users;
use serde::{Deserialize, Serialize};

use crate::features::kit::Key;
use crate::features::requests;
pub use crate::features::views::Done;
use crate::features::views::{Comment, User};
use crate::ids::{CommentId, PostId, Seq};

requests! {
    "comments.create" Create -> Made,
    "comments.delete" Delete -> Done,
    "comments.mentionable" Mentionable -> Offered,
    "comments.page" Page -> Thread,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Create {
    pub key: Key,
    pub post_id: PostId,
    pub text: String,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Delete {
    pub key: Key,
    pub comment_id: CommentId,
}

/// The next comments of a thread, oldest first.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Page {
    pub post_id: PostId,
    pub after: Option<CommentId>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Made {
    pub comment: Comment,
    pub seq: Seq,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Thread {
    pub comments: Vec<Comment>,
    pub users: Vec<User>,
    /// True when newer ones follow.
    pub more: bool,
    #[cfg_attr(test, ts(type = "number"))]
    pub comments_count: i64,
    pub seq: Seq,
}

/// Told to who shows the post.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Created {
    pub comment: Comment,
    pub users: Vec<User>,
    #[cfg_attr(test, ts(type = "number"))]
    pub comments_count: i64,
    /// The users who alone receive it; None: whoever shows the post.
    #[serde(skip)]
    pub only: Option<Users>,
}

/// Told to who shows the post; the two oldest that are left come along.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Deleted {
    pub post_id: PostId,
    pub comment_id: CommentId,
    #[cfg_attr(test, ts(type = "number"))]
    pub comments_count: i64,
    pub first_comments: Vec<Comment>,
    pub users: Vec<User>,
    /// The users who alone receive it; None: whoever shows the post.
    #[serde(skip)]
    pub only: Option<Users>,
}

/// Who may be meant: people of this thread, and people the viewer follows, whose names have a word that
/// begins so, whatever the capitals. Of a group's post its members alone.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Mentionable {
    pub post_id: PostId,
    /// What was typed after the `@`; "" offers those of the thread.
    pub term: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Offered {
    /// At most eight, those of the thread first.
    pub users: Vec<User>,
    pub seq: Seq,
}

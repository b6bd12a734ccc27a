//! What a report is about, and why, as it is sent and stored.

use serde::{Deserialize, Serialize};

use crate::db::sql::kept_as_text;
use crate::ids::{CommentId, PollId, PostId, UserId};
use crate::wire::named;

/// The subject of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum About {
    Post { post_id: PostId },
    Comment { comment_id: CommentId },
    Poll { poll_id: PollId },
    User { user_id: UserId },
}

impl About {
    /// Returns the stored word of the kind, and the id.
    #[must_use]
    pub fn parts(self) -> (&'static str, i64) {
        match self {
            Self::Post { post_id } => ("post", post_id.0),
            Self::Comment { comment_id } => ("comment", comment_id.0),
            Self::Poll { poll_id } => ("poll", poll_id.0),
            Self::User { user_id } => ("user", user_id.0),
        }
    }

    /// Returns the subject with this stored word and id.
    #[must_use]
    pub fn kept(kind: &str, id: i64) -> Self {
        match kind {
            "post" => Self::Post { post_id: PostId(id) },
            "comment" => Self::Comment { comment_id: CommentId(id) },
            "poll" => Self::Poll { poll_id: PollId(id) },
            _ => Self::User { user_id: UserId(id) },
        }
    }
}

/// The reason of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", try_from = "String")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Reason {
    Spam,
    Harassment,
    Hate,
    Private,
    Other,
}

named!(Reason { Spam = "spam", Harassment = "harassment", Hate = "hate", Private = "private", Other = "other" });
kept_as_text!(Reason);

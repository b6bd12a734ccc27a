//! Requests, replies and events of comments.

use crate::events::Users;
use serde::{Deserialize, Serialize};

use crate::features::key::Key;
use crate::ids::{CommentId, PostId, Seq, UserId};
use crate::model::audience::Audience;
use crate::model::choices::Commenters;
use crate::model::comments::Comment;
use crate::model::users::User;
pub use crate::reply::Done;
use crate::wire::requests;

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
    /// The audience of the post as the author of the comment saw it. If the audience is another now, the comment is
    /// refused.
    pub audience: Audience,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Delete {
    pub key: Key,
    pub comment_id: CommentId,
}

/// Asks for the next comments of a thread, oldest first.
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
    /// Whether newer comments follow.
    pub more: bool,
    #[cfg_attr(test, ts(type = "number"))]
    pub comments_count: i64,
    pub seq: Seq,
}

/// A new comment. The event is sent to connections that show the post.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Created {
    pub comment: Comment,
    pub users: Vec<User>,
    #[cfg_attr(test, ts(type = "number"))]
    pub comments_count: i64,
    #[serde(skip)]
    pub readers: Readers,
}

/// Limits which of the connections that show the post receive an event about its thread.
#[derive(Clone, Debug, Default)]
pub struct Readers {
    /// Only these users receive it; None for everybody.
    pub only: Option<Users>,
    /// These users do not receive it, because they may not meet a user in the event.
    pub except: Users,
}

/// A comment was deleted. The event is sent to connections that show the post. It has the two oldest comments that
/// remain.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Deleted {
    pub post_id: PostId,
    pub comment_id: CommentId,
    #[cfg_attr(test, ts(type = "number"))]
    pub comments_count: i64,
    pub first_comments: Vec<Comment>,
    pub users: Vec<User>,
    #[serde(skip)]
    pub readers: Readers,
}

/// An author changed who may comment on their public posts, or the recipients may now comment or may no longer.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Allowed {
    pub author_id: UserId,
    /// None if the recipients may comment; otherwise those who may.
    pub only_for: Option<Commenters>,
    #[serde(skip)]
    pub to: AllowedTo,
}

/// The recipients of [`Allowed`].
#[derive(Debug)]
pub enum AllowedTo {
    These(Users),
    /// Everybody except these users, because anybody may have a post of the author on screen.
    AllBut(Users),
}

/// Asks for the users who can be mentioned. They are in the thread or followed by the viewer, and a word of their name
/// begins with the term, ignoring case. For a post of a group, they are members of the group.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Mentionable {
    pub post_id: PostId,
    /// The text that was typed after the `@`. For an empty term, the users in the thread are offered.
    pub term: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Offered {
    /// At most eight users, those in the thread first.
    pub users: Vec<User>,
    pub seq: Seq,
}

#[cfg(test)]
pub(crate) mod examples {
    use serde_json::json;

    use crate::features::events::Event;
    use crate::ids::CommentId;
    use crate::model::choices::Commenters;
    use crate::testing::examples::{BEN, Messages, POST, SEQ, comment, key, ok, some_users, users};

    pub(crate) fn messages() -> Messages {
        Messages {
            requests: vec![
                (
                    "comments.create",
                    json!({ "key": key(), "post_id": POST.0, "text": format!("so true, @{}+Zoë_🌿_שלום !", BEN.0), "audience": { "type": "public" } }),
                    ok(&super::Made { comment: comment(128), seq: SEQ }),
                ),
                (
                    "comments.delete",
                    json!({ "key": key(), "comment_id": 65_536 }),
                    ok(&super::Done { seq: SEQ }),
                ),
                (
                    "comments.mentionable",
                    json!({ "post_id": POST.0, "term": "zo" }),
                    ok(&super::Offered { users: users(), seq: SEQ }),
                ),
                (
                    "comments.page",
                    json!({ "post_id": POST.0, "after": 128 }),
                    ok(&super::Thread {
                        comments: vec![comment(128)],
                        users: users(),
                        more: false,
                        comments_count: 1,
                        seq: SEQ,
                    }),
                ),
            ],
            events: vec![
                Event::CommentCreated(super::Created {
                    comment: comment(128),
                    users: users(),
                    comments_count: 1,
                    readers: super::Readers::default(),
                }),
                Event::CommentDeleted(super::Deleted {
                    post_id: POST,
                    comment_id: CommentId(128),
                    comments_count: 1,
                    first_comments: vec![comment(65_536)],
                    users: users(),
                    readers: super::Readers::default(),
                }),
                Event::CommentsAllowed(super::Allowed {
                    author_id: BEN,
                    only_for: Some(Commenters::Followers),
                    to: super::AllowedTo::AllBut(some_users()),
                }),
            ],
        }
    }
}

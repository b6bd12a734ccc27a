//! What is asked, answered and told about posts.

use crate::events::Users;
use serde::{Deserialize, Serialize};

use crate::features::kit::Key;
use crate::features::requests;
pub use crate::features::views::Done;
use crate::features::views::{Audience, Comment, GroupName, User, Vote};
use crate::ids::{PostId, Seq, UserId};

requests! {
    "posts.feed" Feed -> FeedPage,
    "posts.by_author" ByAuthor -> Page,
    "posts.get" Get -> One,
    "posts.refresh" Refresh -> Refreshed,
    "posts.create" Create -> One,
    "posts.update" Update -> One,
    "posts.delete" Delete -> Done,
}

/// A page of Your Space.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Feed {
    pub tag: Option<String>,
    /// From the page before: its `older`.
    pub before: Option<PostId>,
}

/// A page of one person's posts.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ByAuthor {
    pub user_id: UserId,
    pub before: Option<PostId>,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Get {
    pub post_id: PostId,
}

/// Posts on a screen, read again.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Refresh {
    pub post_ids: Vec<PostId>,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Create {
    pub key: Key,
    pub title: Option<String>,
    pub text: String,
    pub tag: Option<String>,
    pub audience: Audience,
    /// At most four, in the order they are shown.
    pub pictures: Option<Vec<ChosenPicture>>,
}

/// A picture of a post that is being written.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "ChosenPicture"))]
pub struct ChosenPicture {
    /// The name of its upload, which is committed.
    pub upload: Key,
    /// What is on it.
    pub alt: Option<String>,
}

/// The words of a post, and who it is for, set anew.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Update {
    pub key: Key,
    pub post_id: PostId,
    pub title: Option<String>,
    pub text: String,
    pub audience: Audience,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Delete {
    pub key: Key,
    pub post_id: PostId,
}

/// A post, the same for everybody who may see it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Post {
    pub id: PostId,
    pub author_id: UserId,
    pub title: Option<String>,
    pub text: String,
    /// As typed.
    pub tag: Option<String>,
    /// What tags are compared by.
    pub tag_key: Option<String>,
    pub audience: Audience,
    pub pictures: Vec<Picture>,
    #[cfg_attr(test, ts(type = "number"))]
    pub created_at_ms: i64,
    /// Another time than `created_at_ms` only when title, text or audience were really changed.
    #[cfg_attr(test, ts(type = "number"))]
    pub updated_at_ms: i64,
    #[cfg_attr(test, ts(type = "number"))]
    pub comments_count: i64,
    /// The (at most two) oldest.
    pub first_comments: Vec<Comment>,
}

/// A picture of a post: always re-encoded, in two sizes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Picture {
    /// What is on it; empty for nothing said.
    pub alt: String,
    /// Of the larger size, in pixels.
    pub width: u32,
    pub height: u32,
    /// A blurred likeness, base64 of a thumbhash.
    pub thumbhash: String,
    /// The larger size, at most 1,600 pixels a side, JPEG.
    pub url: String,
    /// The smaller size, at most 800 pixels a side, JPEG.
    pub card_url: String,
    /// A GIF, for a picture that moves when it is asked to.
    pub motion_url: Option<String>,
}

/// A post as one viewer sees it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PostView {
    #[serde(flatten)]
    pub post: Post,
    /// The viewer's own.
    pub vote: Vote,
    /// For the author alone.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub positive_count: Option<i64>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Page {
    pub posts: Vec<PostView>,
    pub users: Vec<User>,
    /// The groups these are shared with.
    pub groups: Vec<GroupName>,
    /// Where the next page begins; None when nothing older remains.
    pub older: Option<PostId>,
    pub seq: Seq,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FeedPage {
    pub posts: Vec<PostView>,
    pub users: Vec<User>,
    /// The groups these are shared with.
    pub groups: Vec<GroupName>,
    pub older: Option<PostId>,
    /// False: an empty feed is empty because nobody is followed.
    pub follows_anyone: bool,
    pub seq: Seq,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct One {
    pub post: PostView,
    pub users: Vec<User>,
    /// The group it is shared with.
    pub groups: Vec<GroupName>,
    pub seq: Seq,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Refreshed {
    pub posts: Vec<PostView>,
    pub users: Vec<User>,
    /// The groups these are shared with.
    pub groups: Vec<GroupName>,
    /// Gone, or not for this viewer: nobody learns which.
    pub gone: Vec<PostId>,
    pub seq: Seq,
}

/// Told: somebody published, or shares a post with more people than before. Told of a post that is known it says
/// nothing new.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Created {
    pub post: Post,
    pub users: Vec<User>,
    /// The group it is shared with.
    pub groups: Vec<GroupName>,
    #[serde(skip)]
    pub recipients: Users,
}

/// Told: an author changed the words of a post, or who it is for.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Updated {
    pub post_id: PostId,
    pub author_id: UserId,
    pub title: Option<String>,
    pub text: String,
    pub audience: Audience,
    /// The group it is shared with.
    pub groups: Vec<GroupName>,
    #[cfg_attr(test, ts(type = "number"))]
    pub updated_at_ms: i64,
    #[serde(skip)]
    pub recipients: Users,
}

/// Told: a post is gone, for everybody or for who this is told to.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Deleted {
    pub post_id: PostId,
    pub author_id: UserId,
    #[serde(skip)]
    pub recipients: Users,
    /// Was it for everybody? Then also who shows it or the author's profile receives this.
    #[serde(skip)]
    pub was_public: bool,
    /// The users who keep it: it is narrowed and not gone. None: it is gone.
    #[serde(skip)]
    pub kept_by: Option<Users>,
}

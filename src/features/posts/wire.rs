//! Requests, replies and events of posts.

use crate::events::Users;
use serde::{Deserialize, Serialize};

use crate::features::key::Key;
pub use crate::features::shared::views::Done;
use crate::features::shared::views::{Audience, Comment, Commenters, GroupName, User, Vote};
use crate::ids::{PostId, Seq, UserId};
use crate::wire::requests;

requests! {
    "posts.feed" Feed -> FeedPage,
    "posts.by_author" ByAuthor -> Page,
    "posts.get" Get -> One,
    "posts.refresh" Refresh -> Refreshed,
    "posts.create" Create -> One,
    "posts.update" Update -> Edited,
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

/// A page of a user's posts.
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
    /// The description of the picture.
    pub alt: Option<String>,
}

/// Sets the texts and the audience of a post.
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

/// A post, the same for every viewer.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Post {
    pub id: PostId,
    pub author_id: UserId,
    pub title: Option<String>,
    pub text: String,
    /// As typed.
    pub tag: Option<String>,
    /// The normalised form, by which tags are compared.
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
    /// The description of the picture; may be empty.
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
    /// For the author only.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub positive_count: Option<i64>,
    /// Who may comment on the author's public posts, if the viewer may not; None: the viewer may.
    pub comments_only_for: Option<Commenters>,
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
    /// False: the feed is empty because the viewer follows no one.
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

/// A post after an edit: what [`Updated`] says of it, and no words of others.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Edited {
    pub post_id: PostId,
    pub author_id: UserId,
    pub title: Option<String>,
    pub text: String,
    pub audience: Audience,
    /// The group it is shared with.
    pub groups: Vec<GroupName>,
    #[cfg_attr(test, ts(type = "number"))]
    pub updated_at_ms: i64,
    pub seq: Seq,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Refreshed {
    pub posts: Vec<PostView>,
    pub users: Vec<User>,
    /// The groups these are shared with.
    pub groups: Vec<GroupName>,
    /// Deleted, or not visible to this viewer; the two are not distinguished.
    pub gone: Vec<PostId>,
    pub seq: Seq,
}

/// A post was published, or its audience grew. For a client that has the post already, it changes nothing.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Created {
    pub post: Post,
    pub users: Vec<User>,
    /// The group it is shared with.
    pub groups: Vec<GroupName>,
    #[serde(skip)]
    pub recipients: Users,
    /// Of the connections that show the author's profile, only those of these users; None: all.
    #[serde(skip)]
    pub only: Option<Users>,
    /// None of these: they may not meet somebody in the event.
    #[serde(skip)]
    pub except: Users,
}

/// The texts or the audience of a post changed.
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
    /// Of the connections that show the post, only those of these users; None: all.
    #[serde(skip)]
    pub only: Option<Users>,
    /// The users who may not meet the author.
    #[serde(skip)]
    pub except: Users,
}

/// A post was deleted, or is no longer visible to the recipients.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Deleted {
    pub post_id: PostId,
    pub author_id: UserId,
    #[serde(skip)]
    pub recipients: Users,
    /// Whether it was public. Then connections that show the post or its author's profile also receive this.
    #[serde(skip)]
    pub was_public: bool,
    /// The users who keep it, if its audience was narrowed; None if it was deleted.
    #[serde(skip)]
    pub kept_by: Option<Users>,
    /// The users who may not meet the author.
    #[serde(skip)]
    pub apart: Users,
}

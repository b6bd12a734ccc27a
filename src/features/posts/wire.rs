//! Requests, replies and events of posts.

use crate::events::Users;
use serde::{Deserialize, Serialize};

use crate::features::key::Key;
use crate::ids::{GroupId, PostId, SavedId, Seq, UserId, Whole};
use crate::model::audience::Audience;
use crate::model::choices::Commenters;
use crate::model::comments::Comment;
use crate::model::groups::GroupName;
use crate::model::users::User;
use crate::model::vote::Vote;
pub use crate::reply::Done;
use crate::wire::requests;

requests! {
    "posts.feed" Feed -> FeedPage,
    "posts.by_author" ByAuthor -> DatedPage,
    "posts.by_group" ByGroup -> Page,
    "posts.saved" Saved -> SavedPage,
    "posts.search" Search -> DatedPage,
    "posts.get" Get -> One,
    "posts.refresh" Refresh -> Refreshed,
    "posts.create" Create -> One,
    "posts.update" Update -> Edited,
    "posts.delete" Delete -> Done,
}

/// Asks for a page of Your Space.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Feed {
    pub tag: Option<String>,
    /// The `older` of the previous page; None for the first page.
    pub before: Option<PostId>,
}

/// Asks for a page of a user's posts.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ByAuthor {
    pub user_id: UserId,
    pub before: Option<PostId>,
    /// The `older_at_ms` of the previous page; None for the first page.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub before_at_ms: Option<Whole>,
}

/// Asks for a page of the posts of a group.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ByGroup {
    pub group_id: GroupId,
    pub before: Option<PostId>,
}

/// Asks for a page of the posts that the viewer saved, the latest saved first.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Saved {
    pub before: Option<SavedId>,
}

/// Asks for a page of the viewer's own posts in which each word of a term begins a word.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Search {
    pub term: String,
    pub before: Option<PostId>,
    /// The `older_at_ms` of the previous page; None for the first page.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub before_at_ms: Option<Whole>,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Get {
    pub post_id: PostId,
}

/// Asks for posts that are on screen again.
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
    /// What is said before the post is shown. None or a blank text is no note.
    pub content_note: Option<String>,
    pub audience: Audience,
    /// At most four pictures, in the order in which they are shown.
    pub pictures: Option<Vec<ChosenPicture>>,
}

/// A picture of a new post.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "ChosenPicture"))]
pub struct ChosenPicture {
    /// The name of a committed upload.
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
    /// A blank text removes the note. None keeps it, because a client that does not know notes must not remove one.
    pub content_note: Option<String>,
    pub audience: Audience,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Delete {
    pub key: Key,
    pub post_id: PostId,
}

/// A post. It is the same for every viewer who may meet the same users.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Post {
    pub id: PostId,
    pub author_id: UserId,
    pub title: Option<String>,
    pub text: String,
    /// The tag as typed.
    pub tag: Option<String>,
    /// The folded form, by which tags are compared.
    pub tag_key: Option<String>,
    /// What the author says before the post is shown.
    pub content_note: Option<String>,
    pub audience: Audience,
    pub pictures: Vec<Picture>,
    #[cfg_attr(test, ts(type = "number"))]
    pub created_at_ms: i64,
    /// Equal to `created_at_ms` until the title, text, content note or audience is changed.
    #[cfg_attr(test, ts(type = "number"))]
    pub updated_at_ms: i64,
    /// Whether the author wrote it elsewhere and imported it. Its date is then the author's word.
    pub imported: bool,
    #[cfg_attr(test, ts(type = "number"))]
    pub comments_count: i64,
    /// The oldest comments, at most two.
    pub first_comments: Vec<Comment>,
}

/// A picture of a post. The server encoded it again, in two sizes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Picture {
    /// The description of the picture; may be empty.
    pub alt: String,
    /// The width of the larger size, in pixels.
    pub width: u32,
    pub height: u32,
    /// A thumbhash in base64, from which a blurred preview is drawn.
    pub thumbhash: String,
    /// The address of the larger size: a JPEG with at most 1,600 pixels on a side.
    pub url: String,
    /// The address of the smaller size: a JPEG with at most 800 pixels on a side.
    pub card_url: String,
    /// The address of the animated version, a GIF. The app plays it on request.
    pub motion_url: Option<String>,
}

/// A post as one viewer sees it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PostView {
    #[serde(flatten)]
    pub post: Post,
    /// The viewer's own vote.
    pub vote: Vote,
    /// Whether the viewer saved the post.
    pub saved: bool,
    /// The number of positive votes; None for everybody but the author.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub positive_count: Option<i64>,
    /// Who may comment on the author's public posts, if the viewer may not; None if the viewer may.
    pub comments_only_for: Option<Commenters>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Page {
    pub posts: Vec<PostView>,
    pub users: Vec<User>,
    /// The groups that these posts are shared with.
    pub groups: Vec<GroupName>,
    /// The `before` of the next page; None if nothing older remains.
    pub older: Option<PostId>,
    pub seq: Seq,
}

/// A page of an author's posts. It is in the order of their dates.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct DatedPage {
    pub posts: Vec<PostView>,
    pub users: Vec<User>,
    /// The groups that these posts are shared with.
    pub groups: Vec<GroupName>,
    /// The `before` of the next page; None if nothing older remains.
    pub older: Option<PostId>,
    /// The `before_at_ms` of the next page.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub older_at_ms: Option<i64>,
    pub seq: Seq,
}

/// A page of saved posts. It is not in the order of the ids of its posts.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SavedPage {
    pub posts: Vec<PostView>,
    pub users: Vec<User>,
    /// The groups that these posts are shared with.
    pub groups: Vec<GroupName>,
    pub older: Option<SavedId>,
    pub seq: Seq,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FeedPage {
    pub posts: Vec<PostView>,
    pub users: Vec<User>,
    /// The groups that these posts are shared with.
    pub groups: Vec<GroupName>,
    pub older: Option<PostId>,
    /// Whether the viewer follows anybody. If not, that is why the feed is empty.
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

/// A post after an edit: what [`Updated`] has of it, and no texts of others.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Edited {
    pub post_id: PostId,
    pub author_id: UserId,
    pub title: Option<String>,
    pub text: String,
    pub content_note: Option<String>,
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
    /// The groups that these posts are shared with.
    pub groups: Vec<GroupName>,
    /// Posts that were deleted or are not visible to this viewer. The two are not distinguished.
    pub gone: Vec<PostId>,
    pub seq: Seq,
}

/// A post was published, or its audience grew. A client that already has the post changes nothing.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Created {
    pub post: Post,
    pub users: Vec<User>,
    /// The group it is shared with.
    pub groups: Vec<GroupName>,
    #[serde(skip)]
    pub recipients: Users,
    /// If set, of the connections that show the author's profile, only those of these users receive the event.
    #[serde(skip)]
    pub only: Option<Users>,
    /// These users do not receive the event, because they may not meet a user in it.
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
    pub content_note: Option<String>,
    pub audience: Audience,
    /// The group it is shared with.
    pub groups: Vec<GroupName>,
    #[cfg_attr(test, ts(type = "number"))]
    pub updated_at_ms: i64,
    #[serde(skip)]
    pub recipients: Users,
    /// If set, of the connections that show the post, only those of these users receive the event.
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
    /// Whether the post was public. If so, connections that show the post or its author's profile also receive the
    /// event.
    #[serde(skip)]
    pub was_public: bool,
    /// The users who may still see the post, if it got a smaller audience; None if it was deleted.
    #[serde(skip)]
    pub kept_by: Option<Users>,
    /// Whether its author imported it. It is in no list of others, so the event goes to connections that show it alone
    /// (D-W5). The recipients are then, of a public post, users with a notification of it; of another post, those who
    /// may receive the event.
    #[serde(skip)]
    pub is_imported: bool,
    /// The users who may not meet the author.
    #[serde(skip)]
    pub hidden_from: Users,
}

#[cfg(test)]
pub(crate) mod examples {
    use serde_json::json;

    use crate::features::events::Event;
    use crate::ids::{PostId, SavedId};
    use crate::model::audience::Audience;
    use crate::model::choices::Commenters;
    use crate::model::vote::Vote;
    use crate::testing::examples::{
        ANA, GROUP, IN_GROUP, IN_NO_GROUP, Messages, NOW_MS, POST, SEQ, comment, group_names, key, left_out,
        ok, some_users, upload, users,
    };

    /// A still picture and an animated one.
    fn pictures() -> Vec<super::Picture> {
        let url = |number: u32, ending: &str| {
            format!("/media/posts/{}/{NOW_MS}_{number}_Zo%C3%AB.{ending}?token=AAECAwQFBgcICQoLDA0O_w", ANA.0)
        };
        let picture = |number: u32, alt: &str, width, height, moves: bool| super::Picture {
            alt: alt.into(),
            width,
            height,
            thumbhash: "1QcSHQRnh493V4dIh4eXh1h4kJUI".into(),
            url: url(number, "jpg"),
            card_url: url(number, "card.jpg"),
            motion_url: moves.then(|| url(number, "motion.gif")),
        };
        vec![picture(0, "Zoë 🌿 by the sea", 1_600, 1_200, false), picture(1, "", 128, 255, true)]
    }

    fn post() -> super::Post {
        super::Post {
            id: POST,
            author_id: ANA,
            title: None,
            text: "one\ntwo".into(),
            tag: Some("Slow Mornings".into()),
            tag_key: Some("slow mornings".into()),
            content_note: None,
            audience: Audience::Public {},
            pictures: pictures(),
            created_at_ms: NOW_MS,
            updated_at_ms: NOW_MS,
            imported: false,
            comments_count: 70_000,
            first_comments: vec![comment(128), comment(65_536)],
        }
    }

    fn view(vote: Vote, positive_count: Option<i64>) -> super::PostView {
        super::PostView { post: post(), vote, saved: false, positive_count, comments_only_for: None }
    }

    fn shared(post: super::PostView, audience: Audience) -> super::PostView {
        super::PostView { post: super::Post { audience, ..post.post }, ..post }
    }

    /// A public post, one of a group, one whose comments are limited, one in whose group the
    /// viewer is no longer, one that the author took out of a group, and one whose group was deleted.
    fn posts() -> Vec<super::PostView> {
        vec![
            view(Vote::Positive, None),
            shared(view(Vote::None, None), IN_GROUP),
            super::PostView { comments_only_for: Some(Commenters::Followed), ..view(Vote::None, None) },
            shared(view(Vote::Negative, Some(3)), IN_NO_GROUP),
            shared(view(Vote::None, Some(0)), Audience::Author {}),
            shared(view(Vote::None, Some(0)), Audience::GroupDeleted {}),
        ]
    }

    /// A post that was imported.
    fn imported() -> super::PostView {
        let view = view(Vote::None, Some(0));
        super::PostView { post: super::Post { imported: true, ..view.post }, ..view }
    }

    /// A post with a content note.
    fn one() -> super::One {
        let post = super::Post { content_note: Some("Grief, a funeral".into()), ..post() };
        let post = super::PostView { post, ..view(Vote::None, Some(0)) };
        super::One { post, users: users(), groups: Vec::new(), seq: SEQ }
    }

    pub(crate) fn messages() -> Messages {
        Messages {
            requests: vec![
                (
                    "posts.feed",
                    json!({ "tag": "Slow Mornings", "before": null }),
                    ok(&super::FeedPage {
                        posts: posts(),
                        users: users(),
                        groups: group_names(),
                        older: Some(POST),
                        follows_anyone: true,
                        seq: SEQ,
                    }),
                ),
                (
                    "posts.by_author",
                    json!({ "user_id": ANA.0, "before": POST.0, "before_at_ms": NOW_MS }),
                    ok(&super::DatedPage {
                        posts: posts(),
                        users: users(),
                        groups: group_names(),
                        older: None,
                        older_at_ms: None,
                        seq: SEQ,
                    }),
                ),
                (
                    "posts.by_group",
                    json!({ "group_id": GROUP.0, "before": null }),
                    ok(&super::Page {
                        posts: vec![shared(view(Vote::None, None), IN_GROUP)],
                        users: users(),
                        groups: group_names(),
                        older: Some(POST),
                        seq: SEQ,
                    }),
                ),
                (
                    "posts.saved",
                    json!({ "before": POST.0 }),
                    ok(&super::SavedPage {
                        posts: vec![super::PostView { saved: true, ..view(Vote::None, None) }],
                        users: users(),
                        groups: group_names(),
                        older: Some(SavedId(POST.0)),
                        seq: SEQ,
                    }),
                ),
                (
                    "posts.search",
                    json!({ "term": "slow zoë", "before": POST.0, "before_at_ms": NOW_MS }),
                    ok(&super::DatedPage {
                        posts: vec![imported()],
                        users: users(),
                        groups: Vec::new(),
                        older: Some(POST),
                        older_at_ms: Some(NOW_MS),
                        seq: SEQ,
                    }),
                ),
                ("posts.get", json!({ "post_id": POST.0 }), ok(&one())),
                (
                    "posts.refresh",
                    json!({ "post_ids": [1, 127, 128, 255, 256, 65_535, 65_536, 4_294_967_295_u32, 4_294_967_296_u64, POST.0] }),
                    ok(&super::Refreshed {
                        posts: posts(),
                        users: users(),
                        groups: group_names(),
                        gone: vec![PostId(7)],
                        seq: SEQ,
                    }),
                ),
                (
                    "posts.create",
                    json!({
                        "key": key(), "title": "A title", "text": "one\ntwo", "tag": null,
                        "content_note": "Grief, a funeral", "audience": { "type": "public" },
                        "pictures": [{ "upload": upload(), "alt": "Zoë 🌿 by the sea" }, { "upload": key(), "alt": null }],
                    }),
                    ok(&one()),
                ),
                (
                    "posts.update",
                    json!({ "key": key(), "post_id": POST.0, "title": null, "text": "three", "content_note": "Grief, a funeral", "audience": { "type": "group", "group_id": null } }),
                    ok(&super::Edited {
                        post_id: POST,
                        author_id: ANA,
                        title: Some("A title".into()),
                        text: "three".into(),
                        content_note: Some("Grief, a funeral".into()),
                        audience: IN_GROUP,
                        groups: group_names(),
                        updated_at_ms: NOW_MS + 1,
                        seq: SEQ,
                    }),
                ),
                ("posts.delete", json!({ "key": key(), "post_id": POST.0 }), ok(&super::Done { seq: SEQ })),
            ],
            events: vec![
                Event::PostCreated(super::Created {
                    post: post(),
                    users: users(),
                    groups: Vec::new(),
                    recipients: some_users(),
                    only: None,
                    except: left_out(),
                }),
                Event::PostUpdated(super::Updated {
                    post_id: POST,
                    author_id: ANA,
                    title: Some("A title".into()),
                    text: "three".into(),
                    content_note: Some("Grief, a funeral".into()),
                    audience: IN_GROUP,
                    groups: group_names(),
                    updated_at_ms: NOW_MS + 1,
                    recipients: some_users(),
                    only: None,
                    except: left_out(),
                }),
                Event::PostDeleted(super::Deleted {
                    post_id: POST,
                    author_id: ANA,
                    recipients: some_users(),
                    was_public: true,
                    kept_by: Some(some_users()),
                    is_imported: false,
                    hidden_from: left_out(),
                }),
            ],
        }
    }
}

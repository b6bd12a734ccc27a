//! The golden messages of posts.

use mellow::features::events::Event;
use mellow::features::posts::wire;
use mellow::features::shared::views::{Audience, Commenters, Vote};
use mellow::ids::PostId;
use serde_json::json;

use super::{
    ANA, IN_GROUP, IN_NO_GROUP, Messages, NOW_MS, POST, SEQ, comment, event, group_names, key, no_one, ok,
    upload, users,
};

/// A picture that does not move, and one that does.
fn pictures() -> Vec<wire::Picture> {
    let url = |number: u32, ending: &str| {
        format!("/media/posts/{}/{NOW_MS}_{number}_Zo%C3%AB.{ending}?token=AAECAwQFBgcICQoLDA0O_w", ANA.0)
    };
    let picture = |number: u32, alt: &str, width, height, moves: bool| wire::Picture {
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

fn post() -> wire::Post {
    wire::Post {
        id: POST,
        author_id: ANA,
        title: None,
        text: "one\ntwo".into(),
        tag: Some("Slow Mornings".into()),
        tag_key: Some("slow mornings".into()),
        audience: Audience::Public {},
        pictures: pictures(),
        created_at_ms: NOW_MS,
        updated_at_ms: NOW_MS,
        comments_count: 70_000,
        first_comments: vec![comment(128), comment(65_536)],
    }
}

fn view(vote: Vote, positive_count: Option<i64>) -> wire::PostView {
    wire::PostView { post: post(), vote, positive_count, comments_only_for: None }
}

/// A post for everybody, one for a group, one whose comments are limited, and one whose group is gone.
fn posts() -> Vec<wire::PostView> {
    let shared = |post: wire::PostView, audience| wire::PostView {
        post: wire::Post { audience, ..post.post },
        ..post
    };
    vec![
        view(Vote::Positive, None),
        shared(view(Vote::None, None), IN_GROUP),
        wire::PostView { comments_only_for: Some(Commenters::Followed), ..view(Vote::None, None) },
        shared(view(Vote::Negative, Some(3)), IN_NO_GROUP),
    ]
}

fn one() -> wire::One {
    wire::One { post: view(Vote::None, Some(0)), users: users(), groups: Vec::new(), seq: SEQ }
}

pub fn messages() -> Messages {
    Messages {
        requests: vec![
            (
                "posts.feed",
                json!({ "tag": "Slow Mornings", "before": null }),
                ok(&wire::FeedPage {
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
                json!({ "user_id": ANA.0, "before": POST.0 }),
                ok(&wire::Page {
                    posts: posts(),
                    users: users(),
                    groups: group_names(),
                    older: None,
                    seq: SEQ,
                }),
            ),
            ("posts.get", json!({ "post_id": POST.0 }), ok(&one())),
            (
                "posts.refresh",
                json!({ "post_ids": [1, 127, 128, 255, 256, 65_535, 65_536, 4_294_967_295_u32, 4_294_967_296_u64, POST.0] }),
                ok(&wire::Refreshed {
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
                    "key": key(), "title": "A title", "text": "one\ntwo", "tag": null, "audience": { "type": "public" },
                    "pictures": [{ "upload": upload(), "alt": "Zoë 🌿 by the sea" }, { "upload": key(), "alt": null }],
                }),
                ok(&one()),
            ),
            (
                "posts.update",
                json!({ "key": key(), "post_id": POST.0, "title": null, "text": "three", "audience": { "type": "group", "group_id": null } }),
                ok(&wire::Edited {
                    post_id: POST,
                    author_id: ANA,
                    title: Some("A title".into()),
                    text: "three".into(),
                    audience: IN_GROUP,
                    groups: group_names(),
                    updated_at_ms: NOW_MS + 1,
                    seq: SEQ,
                }),
            ),
            ("posts.delete", json!({ "key": key(), "post_id": POST.0 }), ok(&wire::Done { seq: SEQ })),
        ],
        events: vec![
            (
                "posts.created",
                event(Event::PostCreated(wire::Created {
                    post: post(),
                    users: users(),
                    groups: Vec::new(),
                    recipients: no_one(),
                    only: None,
                    except: no_one(),
                })),
            ),
            (
                "posts.updated",
                event(Event::PostUpdated(wire::Updated {
                    post_id: POST,
                    author_id: ANA,
                    title: Some("A title".into()),
                    text: "three".into(),
                    audience: IN_GROUP,
                    groups: group_names(),
                    updated_at_ms: NOW_MS + 1,
                    recipients: no_one(),
                    only: None,
                    except: no_one(),
                })),
            ),
            (
                "posts.deleted",
                event(Event::PostDeleted(wire::Deleted {
                    post_id: POST,
                    author_id: ANA,
                    recipients: no_one(),
                    was_public: true,
                    kept_by: Some(no_one()),
                    apart: no_one(),
                })),
            ),
        ],
    }
}

//! The golden messages of comments.

use mellow::features::comments::wire;
use mellow::features::events::Event;
use mellow::features::shared::views::Commenters;
use mellow::ids::CommentId;
use serde_json::json;

use super::{BEN, Messages, POST, SEQ, comment, event, key, no_one, ok, users};

pub fn messages() -> Messages {
    Messages {
        requests: vec![
            (
                "comments.create",
                json!({ "key": key(), "post_id": POST.0, "text": format!("so true, @{}+Zoë_🌿_שלום !", BEN.0) }),
                ok(&wire::Made { comment: comment(128), seq: SEQ }),
            ),
            ("comments.delete", json!({ "key": key(), "comment_id": 65_536 }), ok(&wire::Done { seq: SEQ })),
            (
                "comments.mentionable",
                json!({ "post_id": POST.0, "term": "zo" }),
                ok(&wire::Offered { users: users(), seq: SEQ }),
            ),
            (
                "comments.page",
                json!({ "post_id": POST.0, "after": 128 }),
                ok(&wire::Thread {
                    comments: vec![comment(128)],
                    users: users(),
                    more: false,
                    comments_count: 1,
                    seq: SEQ,
                }),
            ),
        ],
        events: vec![
            (
                "comments.created",
                event(Event::CommentCreated(wire::Created {
                    comment: comment(128),
                    users: users(),
                    comments_count: 1,
                    readers: wire::Readers::default(),
                })),
            ),
            (
                "comments.deleted",
                event(Event::CommentDeleted(wire::Deleted {
                    post_id: POST,
                    comment_id: CommentId(128),
                    comments_count: 1,
                    first_comments: vec![comment(65_536)],
                    users: users(),
                    readers: wire::Readers::default(),
                })),
            ),
            (
                "comments.allowed",
                event(Event::CommentsAllowed(wire::Allowed {
                    author_id: BEN,
                    only_for: Some(Commenters::Followers),
                    to: wire::AllowedTo::AllBut(no_one()),
                })),
            ),
        ],
    }
}

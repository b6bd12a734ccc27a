//! The golden messages of notifications.

use mellow::features::events::Event;
use mellow::features::notifications::wire;
use mellow::ids::{CommentId, NotificationId};
use serde_json::json;

use super::{ANA, BEN, Messages, NOW_MS, POST, SEQ, event, key, ok, users};

/// A notification of a comment, unseen, or of a follow, seen.
fn notification(kind: wire::Kind) -> wire::Notification {
    let of_comment = kind != wire::Kind::Follow;
    wire::Notification {
        id: NotificationId(if of_comment { 4_294_967_296 } else { 65_536 }),
        kind,
        actor_id: BEN,
        post_id: of_comment.then_some(POST),
        comment_id: of_comment.then_some(CommentId(128)),
        comment_text: of_comment.then(|| "@Ana come and see!".into()),
        post_text: of_comment.then(|| "one two".into()),
        created_at_ms: NOW_MS,
        unread: of_comment,
    }
}

pub fn messages() -> Messages {
    Messages {
        requests: vec![
            (
                "notifications.page",
                json!({ "before": 4_294_967_296_u64 }),
                ok(&wire::Listed {
                    notifications: vec![notification(wire::Kind::Comment), notification(wire::Kind::Follow)],
                    users: users(),
                    older: Some(NotificationId(65_536)),
                    has_unread: true,
                    seq: SEQ,
                }),
            ),
            ("notifications.read", json!({ "key": key() }), ok(&wire::Done { seq: SEQ })),
            (
                "notifications.delete",
                json!({ "key": key(), "notification_id": 65_536 }),
                ok(&wire::Done { seq: SEQ }),
            ),
        ],
        events: vec![
            (
                "notifications.created",
                event(Event::NotificationCreated(wire::Created {
                    notification: notification(wire::Kind::Reply),
                    users: vec![users()[1].clone()],
                    user_id: ANA,
                })),
            ),
            (
                "notifications.deleted",
                event(Event::NotificationsDeleted(wire::Deleted {
                    notification_ids: vec![NotificationId(65_536), NotificationId(4_294_967_296)],
                    has_unread: false,
                    user_id: ANA,
                })),
            ),
            ("notifications.seen", event(Event::NotificationsSeen(wire::Seen { user_id: ANA }))),
        ],
    }
}

//! Notifications: who may send which request, and who receives which event.

use serde_json::json;

use crate::access::delivered::Watch;
use crate::access::rows::Then::NotFound;
use crate::access::rows::{SIGNED_IN, THE_AUTHOR};
use crate::feature::{Feature, NONE};
use crate::support::value::key;

pub const FEATURE: Feature = Feature {
    rows: &[
        ("notifications.page", |_| json!({ "before": null }), SIGNED_IN, None),
        ("notifications.read", |_| json!({ "key": key() }), SIGNED_IN, None),
        (
            "notifications.delete",
            |things| json!({ "key": key(), "notification_id": things.notification }),
            THE_AUTHOR,
            Some(NotFound),
        ),
    ],
    delivered: &[
        ("notifications.created", &["author", "author's tab"]),
        ("notifications.seen", &["author", "author's tab"]),
        ("notifications.deleted", &["author", "author's tab"]),
    ],
    in_group: &[
        ("notifications.created", &["author", "author's tab"]),
        ("notifications.deleted", &["author", "author's tab"]),
    ],
    play: |watch| Box::pin(play(watch)),
    reads: &["notifications.page"],
    ..NONE
};

/// A notification of a comment, which its user sees and deletes.
async fn play(watch: &Watch<'_>) {
    let author = watch.person("author");
    watch.sees("comment", watch.person("doer").comments(watch.post_id, "hi")).await;
    watch.sees("see", author.sees_all()).await;
    let newest = author.reads_notifications().await["notifications"][0]["id"].as_i64().unwrap();
    watch.sees("dismiss", author.dismisses(newest)).await;
}

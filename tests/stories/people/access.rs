//! Blocking and muting: who may send which request, and who receives which event.

use serde_json::json;

use crate::access::about;
use crate::access::delivered::Watch;
use crate::access::rows::Then::{NotFound, Yes};
use crate::access::rows::{SIGNED_IN, THE_OTHERS};
use crate::feature::{Feature, NONE};
use crate::support::value::key;

pub const FEATURE: Feature = Feature {
    rows: &[
        (
            "people.block",
            |things| json!({ "key": key(), "user_id": things.author }),
            THE_OTHERS,
            Some(NotFound),
        ),
        (
            "people.mute",
            |things| json!({ "key": key(), "user_id": things.author }),
            THE_OTHERS,
            Some(NotFound),
        ),
        ("people.unblock", |things| json!({ "key": key(), "user_id": things.author }), THE_OTHERS, Some(Yes)),
        ("people.unmute", |things| json!({ "key": key(), "user_id": things.author }), THE_OTHERS, Some(Yes)),
        ("people.hidden", |_| json!({}), SIGNED_IN, None),
    ],
    delivered: &[
        ("people.changed", &["author", "author's tab"]),
        ("users.returned", &["author", "author's tab"]),
    ],
    end: |watch| Box::pin(end(watch)),
    reads: &["people.hidden"],
    ..NONE
};

/// The author unblocks somebody, who is then visible again.
async fn end(watch: &Watch<'_>) {
    watch
        .sees("unblock", watch.person("author").asks("people.unblock", about(watch.person("blocked"))))
        .await;
}

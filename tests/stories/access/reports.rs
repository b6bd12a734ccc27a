//! Who may report what.

use serde_json::json;

use super::rows::Then::{NotFound, NotSignedIn, Yes};
use super::rows::{Row, SIGNED_IN, THE_READERS};
use super::sweeps;
use crate::reports::access::report;

#[tokio::test]
async fn s1_only_what_one_sees_of_others_is_reported() {
    sweeps(table()).await;
}

/// Reports about what is public, about people, and about what is shared with a group.
fn table() -> Vec<Row> {
    vec![
        // A comment of `other` under the author's post.
        (
            "reports.create",
            |things| report(json!({ "type": "comment", "comment_id": things.comment })),
            SIGNED_IN,
            Some(NotFound),
        ),
        // A poll is visible to the followers of its creator.
        (
            "reports.create",
            |things| report(json!({ "type": "poll", "poll_id": things.poll })),
            [NotSignedIn, NotFound, Yes, NotFound, NotFound, NotSignedIn, NotFound, NotFound, NotFound],
            Some(NotFound),
        ),
        (
            "reports.create",
            |things| report(json!({ "type": "user", "user_id": things.author })),
            THE_READERS,
            Some(NotFound),
        ),
        (
            "reports.create",
            |things| report(json!({ "type": "post", "post_id": things.shared.post })),
            [NotSignedIn, NotFound, NotFound, NotFound, NotFound, NotSignedIn, Yes, NotFound, Yes],
            Some(NotFound),
        ),
        // The member's own comment.
        (
            "reports.create",
            |things| report(json!({ "type": "comment", "comment_id": things.shared.comment })),
            [NotSignedIn, NotFound, NotFound, NotFound, Yes, NotSignedIn, NotFound, NotFound, Yes],
            Some(NotFound),
        ),
        (
            "reports.create",
            |things| report(json!({ "type": "poll", "poll_id": things.shared.poll })),
            [NotSignedIn, NotFound, NotFound, NotFound, NotFound, NotSignedIn, Yes, NotFound, Yes],
            Some(NotFound),
        ),
    ]
}

//! Votes: who may send which request, and who receives which event.

use serde_json::json;

use crate::access::delivered::Watch;
use crate::access::rows::Then::{NoVote, Yes};
use crate::access::rows::{SIGNED_IN, members};
use crate::feature::{Feature, NONE};
use crate::support::value::key;

pub const FEATURE: Feature = Feature {
    rows: &[(
        "votes.set",
        |things| json!({ "key": key(), "post_id": things.post, "vote": "positive" }),
        SIGNED_IN,
        Some(NoVote),
    )],
    of_group: &[(
        "votes.set",
        |things| json!({ "key": key(), "post_id": things.shared.post, "vote": "positive" }),
        members(Yes, NoVote),
        Some(NoVote),
    )],
    delivered: &[("votes.changed", &["doer", "doer's tab"]), ("votes.counted", &["author", "author's tab"])],
    in_group: &[("votes.changed", &["member"]), ("votes.counted", &["author", "author's tab"])],
    ..NONE
};

pub async fn play(watch: &Watch<'_>, post_id: i64) {
    watch.sees("vote", watch.person("doer").votes(post_id, "positive")).await;
}

pub async fn play_in_group(watch: &Watch<'_>, post_id: i64) {
    watch.sees("vote", watch.person("member").votes(post_id, "positive")).await;
}

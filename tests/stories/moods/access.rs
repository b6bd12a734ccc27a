//! Moods: who may send which request, and who receives which event.

use mellow::clock::Clock;
use serde_json::{Value, json};

use crate::access::delivered::Watch;
use crate::access::rows::SIGNED_IN;
use crate::feature::{Feature, NONE};
use crate::support::value::key;

pub const FEATURE: Feature = Feature {
    rows: &[
        ("moods.today", |_| json!({ "zone": "Asia/Kathmandu" }), SIGNED_IN, None),
        ("moods.set", |_| mood(), SIGNED_IN, None),
    ],
    delivered: &[("moods.changed", &["author", "author's tab", "follower"])],
    end: |watch| Box::pin(end(watch)),
    reads: &["moods.today"],
    ..NONE
};

/// A mood for the slot that it is in UTC.
pub fn mood() -> Value {
    let slot = if Clock::Real.now_ms() % DAY_MS < 15 * DAY_MS / 24 { "morning" } else { "evening" };
    json!({ "key": key(), "slot": slot, "mood": "Cozy", "zone": "UTC" })
}

const DAY_MS: i64 = 24 * 3_600_000;

async fn end(watch: &Watch<'_>) {
    watch.sees("mood", watch.person("author").asks("moods.set", mood())).await;
}

//! Reports: who may send which request.

use serde_json::{Value, json};

use crate::access::rows::THE_READERS;
use crate::access::rows::Then::NotFound;
use crate::feature::{Feature, NONE};
use crate::support::value::key;

pub const FEATURE: Feature = Feature {
    rows: &[
        // What one sees of others, and nothing of one's own.
        (
            "reports.create",
            |things| report(json!({ "type": "post", "post_id": things.post })),
            THE_READERS,
            Some(NotFound),
        ),
    ],
    writes: |stage, sender| Box::pin(super::send_writes(stage, sender)),
    ..NONE
};

/// The fields of a report.
pub fn report(about: Value) -> Value {
    json!({ "key": key(), "about": about, "reason": "spam", "details": "" })
}

//! The day's theme: who may send which request, and who receives which event.

use serde_json::{Value, json};

use crate::access::delivered::{WATCHERS, Watch};
use crate::access::rows::{NOBODY, SIGNED_IN};
use crate::feature::{Feature, NONE};
use crate::support::value::key;

pub const FEATURE: Feature = Feature {
    rows: &[("theme.get", |_| json!({}), SIGNED_IN, None)],
    for_admins: &[
        ("theme.schedule", |_| json!({}), NOBODY, None),
        ("theme.set", |_| theme(), NOBODY, None),
        ("theme.clear", |_| json!({ "key": key(), "day": SET_DAY }), NOBODY, None),
    ],
    delivered: &[("theme.changed", WATCHERS)],
    end: |watch| Box::pin(end(watch)),
    reads: &["theme.get", "theme.schedule"],
    ..NONE
};

/// The day whose theme an admin sets.
const SET_DAY: &str = "2027-01-01";

fn theme() -> Value {
    json!({ "key": key(), "day": SET_DAY, "title": "Boats", "description": "Which?", "tag": "boats" })
}

/// The host sets the day's theme.
async fn end(watch: &Watch<'_>) {
    let result = watch.server.host(&["theme", "set", "--title=a", "--description=b", "--tag=c"]);
    let result = watch.sees("theme", result).await;
    assert_eq!(result.code, 0, "{result:?}");
}

//! What admins alone may ask for: who may send which request, and who receives which event.

use serde_json::json;

use crate::access::rows::NOBODY;
use crate::access::rows::Then::NotFound;
use crate::feature::{Feature, NONE};
use crate::support::person::PASSWORD;
use crate::support::value::key;

pub const FEATURE: Feature = Feature {
    for_admins: &[
        ("admin.people", |_| json!({ "term": "Ana" }), NOBODY, None),
        ("admin.log", |_| json!({}), NOBODY, None),
        ("admin.health", |_| json!({}), NOBODY, None),
        ("admin.back_up", |_| json!({}), NOBODY, None),
        ("admin.reports", |_| json!({}), NOBODY, None),
        ("admin.dismiss_report", |_| json!({ "key": key(), "report_id": 7 }), NOBODY, None),
        ("admin.remove_content", |_| json!({ "key": key(), "report_id": 7 }), NOBODY, None),
        ("admin.reset_link", |things| json!({ "user_id": things.author }), NOBODY, Some(NotFound)),
        (
            "admin.suspend",
            |things| json!({ "key": key(), "user_id": things.author, "suspended": true }),
            NOBODY,
            Some(NotFound),
        ),
        (
            "admin.end_logins",
            |things| json!({ "key": key(), "user_id": things.author }),
            NOBODY,
            Some(NotFound),
        ),
        (
            "admin.delete",
            |things| json!({ "user_id": things.author, "password": PASSWORD }),
            NOBODY,
            Some(NotFound),
        ),
    ],
    delivered: &[("admin.changed", &["admin"])],
    reads: &["admin.health", "admin.log", "admin.people", "admin.reports"],
    ..NONE
};

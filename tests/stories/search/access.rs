//! Search: who may send which request.

use serde_json::json;

use crate::access::rows::SIGNED_IN;
use crate::feature::{Feature, NONE};

pub const FEATURE: Feature = Feature {
    rows: &[
        ("search.names", |_| json!({ "term": "A" }), SIGNED_IN, None),
        ("search.people", |_| json!({ "after": null }), SIGNED_IN, None),
    ],
    ..NONE
};

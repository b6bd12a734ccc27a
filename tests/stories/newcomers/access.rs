//! Newcomers: who may send which request.

use serde_json::json;

use crate::access::rows::SIGNED_IN;
use crate::feature::{Feature, NONE};
use crate::support::value::key;

pub const FEATURE: Feature = Feature {
    rows: &[("newcomers.dismiss", |_| json!({ "key": key(), "what": "steps" }), SIGNED_IN, None)],
    ..NONE
};

//! Requests `live.*`: who may send which request.

use serde_json::json;

use crate::access::rows::Then::Yes;
use crate::access::rows::{EVERYBODY, SIGNED_IN};
use crate::feature::{Feature, NONE};

pub const FEATURE: Feature = Feature {
    rows: &[
        ("live.probe", |_| json!({}), EVERYBODY, None),
        (
            "live.resume",
            |things| json!({ "epoch": "", "seq": 0, "posts": [things.post], "profiles": [things.author] }),
            SIGNED_IN,
            Some(Yes),
        ),
        (
            "live.leave",
            |things| json!({ "posts": [things.post], "profiles": [things.author] }),
            SIGNED_IN,
            Some(Yes),
        ),
    ],
    ..NONE
};

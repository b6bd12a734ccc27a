//! The golden messages of reports.

use mellow::features::reports::wire;
use serde_json::json;

use super::{Messages, SEQ, key, ok};

pub fn messages() -> Messages {
    Messages {
        requests: vec![(
            "reports.create",
            json!({
                "key": key(), "about": { "type": "comment", "comment_id": 65_536 }, "reason": "other",
                "details": "Every day. 🌿",
            }),
            ok(&wire::Done { seq: SEQ }),
        )],
        events: vec![],
    }
}

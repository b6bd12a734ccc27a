//! The golden messages of newcomers.

use mellow::features::newcomers::wire;
use serde_json::json;

use super::{Messages, SEQ, key, ok};

pub fn messages() -> Messages {
    Messages {
        requests: vec![(
            "newcomers.dismiss",
            json!({ "key": key(), "what": "inviter" }),
            ok(&wire::Dismissed { seq: SEQ }),
        )],
        events: vec![],
    }
}

//! Requests of reports to the host.

use serde::Deserialize;

pub use super::subject::{About, Reason};
use crate::features::key::Key;
pub use crate::reply::Done;
use crate::wire::requests;

requests! {
    "reports.create" Create -> Done,
}

/// Reports something to the host. A second report of the same thing replaces the first while that is open.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Create {
    pub key: Key,
    pub about: About,
    pub reason: Reason,
    /// Details in the reporter's own words; may be empty, except with the reason `other`.
    pub details: String,
}

#[cfg(test)]
pub(crate) mod examples {
    use serde_json::json;

    use crate::testing::examples::{Messages, SEQ, key, ok};

    pub(crate) fn messages() -> Messages {
        Messages {
            requests: vec![(
                "reports.create",
                json!({
                    "key": key(), "about": { "type": "comment", "comment_id": 65_536 }, "reason": "other",
                    "details": "Every day. 🌿",
                }),
                ok(&super::Done { seq: SEQ }),
            )],
            events: Vec::new(),
        }
    }
}

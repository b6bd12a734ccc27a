//! Requests of new users.

use serde::{Deserialize, Serialize};

use crate::features::key::Key;
use crate::ids::Seq;
use crate::wire::named;
use crate::wire::requests;

requests! {
    "newcomers.dismiss" Dismiss -> Dismissed,
}

/// Dismisses for good something that is shown to a new user.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Dismiss {
    pub key: Key,
    pub what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case", try_from = "String")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum What {
    /// The first steps.
    Steps,
    /// The offer to follow the inviter.
    Inviter,
}

named!(What { Steps = "steps", Inviter = "inviter" });

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Dismissed {
    pub seq: Seq,
}

#[cfg(test)]
pub(crate) mod examples {
    use serde_json::json;

    use crate::testing::examples::{Messages, SEQ, key, ok};

    pub(crate) fn messages() -> Messages {
        Messages {
            requests: vec![(
                "newcomers.dismiss",
                json!({ "key": key(), "what": "inviter" }),
                ok(&super::Dismissed { seq: SEQ }),
            )],
            events: Vec::new(),
        }
    }
}

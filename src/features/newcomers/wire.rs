//! Requests of new users.

use serde::{Deserialize, Serialize};

use crate::features::key::Key;
use crate::ids::Seq;
use crate::wire::requests;

requests! {
    "newcomers.dismiss" Dismiss -> Dismissed,
}

/// Dismisses, for good, what is shown to a new user.
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
    /// The question whether to follow the inviter.
    Inviter,
}

/// By name only: MessagePack's reader would also take a variant's number.
impl TryFrom<String> for What {
    type Error = &'static str;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        match name.as_str() {
            "steps" => Ok(Self::Steps),
            "inviter" => Ok(Self::Inviter),
            _ => Err("no such thing"),
        }
    }
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Dismissed {
    pub seq: Seq,
}

//! Requests and replies of quiet hours.

use serde::{Deserialize, Serialize};

use crate::features::key::Key;
use crate::ids::Seq;
use crate::model::quiet::{QuietHours, Weekday};
use crate::wire::requests;

requests! {
    "quiet.set" Set -> Saved,
}

/// Sets the viewer's quiet hours.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Set {
    pub key: Key,
    /// Whether they are switched on.
    pub on: bool,
    /// When they begin, such as `22:00`.
    pub from: String,
    /// When they end. If it is before `from`, they end on the next day.
    pub to: String,
    /// The weekdays on which they begin.
    pub days: Vec<Weekday>,
    /// The IANA name of their time zone, as the browser names it.
    pub zone: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Saved {
    pub quiet_hours: QuietHours,
    pub seq: Seq,
}

#[cfg(test)]
pub(crate) mod examples {
    use serde_json::json;

    use crate::testing::examples::{Messages, SEQ, key, ok, quiet_hours};

    pub(crate) fn messages() -> Messages {
        Messages {
            requests: vec![(
                "quiet.set",
                json!({
                    "key": key(), "on": true, "from": "22:00", "to": "07:00", "days": ["sunday", "monday"],
                    "zone": "Europe/Berlin",
                }),
                ok(&super::Saved { quiet_hours: quiet_hours(), seq: SEQ }),
            )],
            events: Vec::new(),
        }
    }
}

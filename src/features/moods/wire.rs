//! Requests, replies and events of moods.

use crate::db::sql::kept_as_text;
use crate::events::Users;
use crate::wire::named;
use serde::{Deserialize, Serialize};

use crate::features::key::Key;
use crate::ids::{Seq, UserId};
use crate::model::users::User;
use crate::wire::requests;

requests! {
    "moods.today" Today -> Listed,
    "moods.set" Set -> Shared,
}

/// Asks for the viewer's own day, and the moods of followed users.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Today {
    /// The IANA name of the viewer's time zone.
    pub zone: String,
    /// How far the viewer's clock is ahead of UTC now, in minutes. It counts if no zone has this name.
    pub offset_minutes: Option<f64>,
}

/// Shares a mood for the current slot.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Set {
    pub key: Key,
    /// The slot for which the grid was opened. If it is over, nothing is saved and the refusal is `slot_changed`.
    pub slot: Slot,
    /// One of the words in [`MOODS`](super::rules::MOODS).
    pub mood: String,
    pub zone: String,
    pub offset_minutes: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", try_from = "String")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Slot {
    /// Before 15:00 by the owner's clock.
    Morning,
    Evening,
}

named!(Slot { Morning = "morning", Evening = "evening" });
kept_as_text!(Slot);

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Listed {
    pub mine: Day,
    /// The followed users who shared a mood today. The user who shared last comes first.
    pub moods: Vec<Mood>,
    pub users: Vec<User>,
    pub seq: Seq,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Shared {
    pub mine: Day,
    pub seq: Seq,
}

/// The day of the viewer, by the viewer's own clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Day {
    /// The current slot.
    pub slot: Slot,
    /// When the current slot ends: at 15:00 or at midnight.
    #[cfg_attr(test, ts(type = "number"))]
    pub slot_ends_at_ms: i64,
    /// Whether a mood may be shared now. It may not if one was shared in this slot, or if the limit of a day is
    /// reached.
    pub open: bool,
    /// The mood of this morning; None if none was shared.
    pub morning: Option<String>,
    pub evening: Option<String>,
}

/// The moods of a user today. Their event is sent to the followers and to the user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Mood {
    pub user_id: UserId,
    pub morning: Option<String>,
    pub evening: Option<String>,
    /// When the later mood was shared.
    #[cfg_attr(test, ts(type = "number"))]
    pub made_at_ms: i64,
    /// The owner's midnight, at which the moods end.
    #[cfg_attr(test, ts(type = "number"))]
    pub expires_at_ms: i64,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Changed {
    pub mood: Mood,
    pub users: Vec<User>,
    /// The recipients; sorted.
    #[serde(skip)]
    pub recipients: Users,
}

#[cfg(test)]
pub(crate) mod examples {
    use serde_json::json;

    use crate::features::events::Event;
    use crate::testing::examples::{BEN, Messages, NOW_MS, SEQ, key, ok, some_users, users};

    /// The viewer's day in the evening, before a mood is shared (`open`) or after.
    fn day(open: bool) -> super::Day {
        super::Day {
            slot: super::Slot::Evening,
            slot_ends_at_ms: NOW_MS + 54_000_000,
            open,
            morning: Some("Mind Blown".into()),
            evening: (!open).then(|| "Cozy".into()),
        }
    }

    /// The moods of a user who shared one in the morning and none in the evening.
    fn mood() -> super::Mood {
        super::Mood {
            user_id: BEN,
            morning: Some("Snacking".into()),
            evening: None,
            made_at_ms: NOW_MS,
            expires_at_ms: NOW_MS + 54_000_000,
        }
    }

    pub(crate) fn messages() -> Messages {
        Messages {
            requests: vec![
                (
                    "moods.today",
                    json!({ "zone": "Europe/Berlin", "offset_minutes": 60 }),
                    ok(&super::Listed { mine: day(true), moods: vec![mood()], users: users(), seq: SEQ }),
                ),
                (
                    "moods.set",
                    json!({ "key": key(), "slot": "evening", "mood": "Mind Blown", "zone": "America/New_York",
                        "offset_minutes": -300 }),
                    ok(&super::Shared { mine: day(false), seq: SEQ }),
                ),
            ],
            events: vec![Event::MoodChanged(super::Changed {
                mood: mood(),
                users: vec![users()[1].clone()],
                recipients: some_users(),
            })],
        }
    }
}

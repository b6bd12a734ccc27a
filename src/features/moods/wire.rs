//! Requests, replies and events of moods.

use crate::db::sql::kept_as_text;
use crate::events::Users;
use crate::wire::named;
use serde::{Deserialize, Serialize};

use crate::features::key::Key;
use crate::features::shared::views::User;
use crate::ids::{Seq, UserId};
use crate::wire::requests;

requests! {
    "moods.today" Today -> Listed,
    "moods.set" Set -> Shared,
}

/// The viewer's own day, and the moods of those they follow.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Today {
    /// The viewer's time zone, as IANA names it.
    pub zone: String,
}

/// Shares a mood for the current slot, once.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Set {
    pub key: Key,
    /// The slot that the grid was opened for. When it is over nothing is saved: `slot_changed`.
    pub slot: Slot,
    /// One of the twenty-five words.
    pub mood: String,
    pub zone: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", try_from = "String")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Slot {
    /// Before 15:00 of the owner's clock.
    Morning,
    Evening,
}

named!(Slot { Morning = "morning", Evening = "evening" });
kept_as_text!(Slot);

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Listed {
    pub mine: Day,
    /// The followed users who shared one today, by the latest share.
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

/// The viewer's own day, by their own clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Day {
    /// Which slot it is now.
    pub slot: Slot,
    /// When that ends: 15:00, or the midnight after.
    #[cfg_attr(test, ts(type = "number"))]
    pub slot_ends_at_ms: i64,
    /// May a mood be shared now? Not while this slot's is, and not more often than a day has slots.
    pub open: bool,
    /// The word; None if it was not shared today.
    pub morning: Option<String>,
    pub evening: Option<String>,
}

/// A user's moods of today. Sent to their followers and to themselves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Mood {
    pub user_id: UserId,
    pub morning: Option<String>,
    pub evening: Option<String>,
    /// Of the later one.
    #[cfg_attr(test, ts(type = "number"))]
    pub made_at_ms: i64,
    /// The owner's midnight, when it ends.
    #[cfg_attr(test, ts(type = "number"))]
    pub expires_at_ms: i64,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Changed {
    pub mood: Mood,
    pub users: Vec<User>,
    /// Sorted.
    #[serde(skip)]
    pub recipients: Users,
}

#[cfg(test)]
pub(crate) mod examples {
    use serde_json::json;

    use crate::features::events::Event;
    use crate::features::examples::{BEN, Messages, NOW_MS, SEQ, key, ok, some_users, users};

    /// The viewer's own evening, before and after it is set.
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
                    json!({ "zone": "Europe/Berlin" }),
                    ok(&super::Listed { mine: day(true), moods: vec![mood()], users: users(), seq: SEQ }),
                ),
                (
                    "moods.set",
                    json!({ "key": key(), "slot": "evening", "mood": "Mind Blown", "zone": "America/New_York" }),
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

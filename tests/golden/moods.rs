//! The golden messages of moods.

use mellow::features::events::Event;
use mellow::features::moods::wire;
use serde_json::json;

use super::{BEN, Messages, NOW_MS, SEQ, event, key, no_one, ok, users};

/// The viewer's own evening, before and after it is set.
fn day(open: bool) -> wire::Day {
    wire::Day {
        slot: wire::Slot::Evening,
        slot_ends_at_ms: NOW_MS + 54_000_000,
        open,
        morning: Some("Mind Blown".into()),
        evening: (!open).then(|| "Cozy".into()),
    }
}

/// The moods of a user who shared one in the morning and none in the evening.
fn mood() -> wire::Mood {
    wire::Mood {
        user_id: BEN,
        morning: Some("Snacking".into()),
        evening: None,
        made_at_ms: NOW_MS,
        expires_at_ms: NOW_MS + 54_000_000,
    }
}

pub fn messages() -> Messages {
    Messages {
        requests: vec![
            (
                "moods.today",
                json!({ "zone": "Europe/Berlin" }),
                ok(&wire::Listed { mine: day(true), moods: vec![mood()], users: users(), seq: SEQ }),
            ),
            (
                "moods.set",
                json!({ "key": key(), "slot": "evening", "mood": "Mind Blown", "zone": "America/New_York" }),
                ok(&wire::Shared { mine: day(false), seq: SEQ }),
            ),
        ],
        events: vec![(
            "moods.changed",
            event(Event::MoodChanged(wire::Changed {
                mood: mood(),
                users: vec![users()[1].clone()],
                recipients: no_one(),
            })),
        )],
    }
}

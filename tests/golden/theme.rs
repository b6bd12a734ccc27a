//! The golden messages of theme.

use mellow::features::events::Event;
use mellow::features::shared::views::Done;
use mellow::features::theme::wire;
use serde_json::json;

use super::{Messages, SEQ, event, key, ok};

fn theme() -> wire::Theme {
    wire::Theme {
        day: "2026-11-21".into(),
        title: "The view from your window".into(),
        description: "What is in it? \"All\" & 🌿.".into(),
        tag: "windows".into(),
    }
}

pub fn messages() -> Messages {
    Messages {
        requests: vec![
            (
                "theme.schedule",
                json!({}),
                ok(&wire::Days {
                    days: vec![
                        wire::Planned { day: "2026-11-21".into(), theme: Some(theme()), is_set: true },
                        wire::Planned { day: "2026-11-22".into(), theme: None, is_set: false },
                    ],
                    seq: SEQ,
                }),
            ),
            (
                "theme.set",
                json!({ "key": key(), "day": "2026-11-21", "title": "Boats", "description": "Which?", "tag": "boats" }),
                ok(&Done { seq: SEQ }),
            ),
            ("theme.clear", json!({ "key": key(), "day": "2026-11-21" }), ok(&Done { seq: SEQ })),
            ("theme.get", json!({}), ok(&wire::Today { theme: Some(theme()), seq: SEQ })),
        ],
        events: vec![("theme.changed", event(Event::ThemeChanged(wire::Changed { theme: None })))],
    }
}

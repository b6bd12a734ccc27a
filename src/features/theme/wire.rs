//! Requests, replies and events of the daily theme.

use serde::{Deserialize, Serialize};

use crate::features::key::Key;
pub use crate::features::shared::views::Done;
use crate::ids::Seq;
use crate::wire::requests;

requests! {
    "theme.get" Get -> Today,
    "theme.schedule" Schedule -> Days,
    "theme.set" Set -> Done,
    "theme.clear" Clear -> Done,
}

/// Today's theme.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Get {}

/// The themes of today and the days after it. For admins.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Schedule {}

/// Sets the theme of a day. For admins.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Set {
    pub key: Key,
    /// `2026-11-21`
    pub day: String,
    pub title: String,
    pub description: String,
    pub tag: String,
}

/// Gives a day the theme of the rotation again. For admins.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Clear {
    pub key: Key,
    pub day: String,
}

/// The theme of a day to come.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Planned {
    pub day: String,
    /// None: there is none.
    pub theme: Option<Theme>,
    /// Whether it is set for this day; otherwise it is from the rotation.
    pub is_set: bool,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Days {
    pub days: Vec<Planned>,
    pub seq: Seq,
}

/// One theme for all, for a day of the site's clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Theme {
    /// `2026-11-21`
    pub day: String,
    pub title: String,
    pub description: String,
    pub tag: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Today {
    /// None: there is none today.
    pub theme: Option<Theme>,
    pub seq: Seq,
}

/// The theme changed, at midnight or by the host. Sent to all signed-in connections.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Changed {
    pub theme: Option<Theme>,
}

#[cfg(test)]
pub(crate) mod examples {
    use serde_json::json;

    use crate::features::events::Event;
    use crate::features::examples::{Messages, SEQ, key, ok};
    use crate::features::shared::views::Done;

    fn theme() -> super::Theme {
        super::Theme {
            day: "2026-11-21".into(),
            title: "The view from your window".into(),
            description: "What is in it? \"All\" & 🌿.".into(),
            tag: "windows".into(),
        }
    }

    pub(crate) fn messages() -> Messages {
        Messages {
            requests: vec![
                (
                    "theme.schedule",
                    json!({}),
                    ok(&super::Days {
                        days: vec![
                            super::Planned { day: "2026-11-21".into(), theme: Some(theme()), is_set: true },
                            super::Planned { day: "2026-11-22".into(), theme: None, is_set: false },
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
                ("theme.get", json!({}), ok(&super::Today { theme: Some(theme()), seq: SEQ })),
            ],
            events: vec![Event::ThemeChanged(super::Changed { theme: None })],
        }
    }
}

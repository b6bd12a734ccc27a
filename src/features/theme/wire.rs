//! Requests, replies and events of the daily theme.

use serde::{Deserialize, Serialize};

use crate::features::key::Key;
use crate::ids::Seq;
pub use crate::reply::Done;
use crate::wire::requests;

requests! {
    "theme.get" Get -> Today,
    "theme.schedule" Schedule -> Days,
    "theme.set" Set -> Done,
    "theme.clear" Clear -> Done,
}

/// Asks for today's theme.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Get {}

/// Asks for the themes of today and of the days after it. Only admins may ask.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Schedule {}

/// Sets the theme of a day. Only admins may do so.
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

/// Gives a day the theme of the rotation again. Only admins may do so.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Clear {
    pub key: Key,
    pub day: String,
}

/// The theme of a coming day.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Planned {
    pub day: String,
    /// None if the day has no theme.
    pub theme: Option<Theme>,
    /// Whether the host set it for this day. If not, it is from the rotation.
    pub is_set: bool,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Days {
    pub days: Vec<Planned>,
    pub seq: Seq,
}

/// The theme of a day in the site's time zone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Theme {
    /// `2026-11-21`
    pub day: String,
    pub title: String,
    pub description: String,
    pub tag: String,
    /// The number among the themes of the program, from 1 to 60, for clients that say it in another language; None for
    /// a theme of the host.
    pub own: Option<u16>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Today {
    /// None if there is no theme today.
    pub theme: Option<Theme>,
    pub seq: Seq,
}

/// The theme changed, at midnight or by the host. The event is sent to all signed-in connections.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Changed {
    pub theme: Option<Theme>,
}

#[cfg(test)]
pub(crate) mod examples {
    use serde_json::json;

    use crate::features::events::Event;
    use crate::reply::Done;
    use crate::testing::examples::{Messages, SEQ, key, ok};

    fn theme() -> super::Theme {
        super::Theme {
            day: "2026-11-21".into(),
            title: "The view from your window".into(),
            description: "What is in it? \"All\" & 🌿.".into(),
            tag: "windows".into(),
            own: Some(60),
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

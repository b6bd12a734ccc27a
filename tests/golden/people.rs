//! The golden messages of people.

use mellow::features::events::Event;
use mellow::features::people::wire;
use serde_json::json;

use super::{ANA, BEN, Messages, SEQ, event, key, ok, users};

pub fn messages() -> Messages {
    Messages {
        requests: vec![
            ("people.block", json!({ "key": key(), "user_id": BEN.0 }), ok(&wire::Done { seq: SEQ })),
            ("people.unblock", json!({ "key": key(), "user_id": BEN.0 }), ok(&wire::Done { seq: SEQ })),
            ("people.mute", json!({ "key": key(), "user_id": BEN.0 }), ok(&wire::Done { seq: SEQ })),
            ("people.unmute", json!({ "key": key(), "user_id": BEN.0 }), ok(&wire::Done { seq: SEQ })),
            (
                "people.hidden",
                json!({}),
                ok(&wire::HiddenPeople { blocked: vec![users()[1].clone()], muted: users(), seq: SEQ }),
            ),
        ],
        events: vec![(
            "people.changed",
            event(Event::PeopleChanged(wire::Changed {
                user_id: BEN,
                blocked: false,
                muted: true,
                viewer_id: ANA,
            })),
        )],
    }
}

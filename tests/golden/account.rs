//! The golden messages of account.

use mellow::features::account::wire;
use mellow::features::events::Event;
use mellow::features::shared::views::{Adders, Commenters, Me};
use serde_json::json;

use super::{ANA, BEN, Messages, SEQ, event, key, me, no_one, ok};

pub fn messages() -> Messages {
    Messages {
        requests: vec![
            (
                "account.set_privacy",
                json!({ "key": key(), "hide_numbers": null, "listed": false, "adders": "followed", "commenters": null }),
                ok(&wire::Set {
                    hide_numbers: true,
                    listed: false,
                    adders: Adders::Nobody,
                    commenters: Commenters::Everyone,
                    seq: SEQ,
                }),
            ),
            ("account.export", json!({}), ok(&wire::Ready { url: "/export/00ff".into() })),
            ("account.delete", json!({ "password": "slow mornings" }), ok(&wire::Gone {})),
        ],
        events: vec![
            ("users.deleted", event(Event::UserDeleted(wire::Ended::for_one(BEN, ANA)))),
            (
                "users.returned",
                event(Event::UserReturned(wire::Returned {
                    user_id: BEN,
                    viewers: wire::Viewers::AllBut(no_one()),
                })),
            ),
            (
                "account.changed",
                event(Event::AccountChanged(wire::Changed {
                    me: Me { pending_email: Some("ana@new.example.org".into()), hide_numbers: true, ..me() },
                })),
            ),
        ],
    }
}

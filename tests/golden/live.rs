//! The golden messages of the connection itself.

use mellow::backend::{Backups, Hello, LoginState};
use mellow::socket::wire as live;
use mellow::wire::PROTOCOL;
use serde_json::json;

use super::{ANA, BEN, Messages, NOW_MS, POLL, POST, SEQ, me, ok, sent};

pub fn messages() -> Messages {
    Messages {
        requests: vec![
            ("live.probe", json!({}), ok(&live::Probed { seq: SEQ })),
            (
                "live.resume",
                json!({ "epoch": "00ff", "seq": 70_000, "posts": [1, POST.0], "profiles": [BEN.0] }),
                ok(&live::Resumed { resync: true, seq: SEQ }),
            ),
            (
                "live.leave",
                json!({ "posts": [], "profiles": [ANA.0, BEN.0], "polls": [POLL.0] }),
                ok(&live::Left {}),
            ),
        ],
        events: vec![
            (
                "hello",
                sent(&Hello {
                    ev: "hello",
                    epoch: "00ff",
                    protocol: PROTOCOL,
                    build: "0.1.0+abc",
                    now_ms: NOW_MS,
                    beat_ms: 25_000,
                    me: Some(me()),
                    login: LoginState::Live,
                    backups: Backups { every_hours: 24, kept: 30 },
                }),
            ),
            ("beat", sent(&live::Beat { ev: "beat", sent: 300, back_ms: Some(1_500) })),
        ],
    }
}

//! The golden messages of invites.

use mellow::features::events::Event;
use mellow::features::invites::wire;
use serde_json::json;

use super::{ANA, BEN, CODE, Messages, NOW_MS, SEQ, event, key, ok, users};

/// Two invitations: one that has ends, and one that has none.
fn invite_list() -> Vec<wire::Invite> {
    let invite = |code: &str, ends: bool| wire::Invite {
        code: code.into(),
        created_at_ms: NOW_MS,
        ends_at_ms: ends.then_some(NOW_MS + 2_592_000_000),
        uses: 3,
        uses_max: ends.then_some(20),
    };
    vec![invite("AAECAwQFBgcICQoLDA0ODw", true), invite("DwECAwQFBgcICQoLDA0OAA", false)]
}

pub fn messages() -> Messages {
    Messages {
        requests: vec![
            (
                "invites.get",
                json!({ "code": CODE }),
                ok(&wire::Shown { name: Some("Ben".into()), user_id: Some(BEN) }),
            ),
            ("invites.list", json!({}), ok(&wire::Listed { invites: invite_list(), seq: SEQ })),
            (
                "invites.create",
                json!({ "key": key() }),
                ok(&wire::Listed { invites: invite_list(), seq: SEQ }),
            ),
            (
                "invites.revoke",
                json!({ "key": key(), "code": CODE }),
                ok(&wire::Listed { invites: Vec::new(), seq: SEQ }),
            ),
            (
                "invites.all",
                json!({ "after": { "created_at_ms": 1_772_355_600_000_i64, "code": CODE } }),
                ok(&wire::AllListed {
                    invites: invite_list()
                        .into_iter()
                        .zip([users().pop(), None])
                        .map(|(invite, maker)| wire::Made { invite, maker })
                        .collect(),
                    next: Some(wire::Place { created_at_ms: NOW_MS, code: "DwECAwQFBgcICQoLDA0OAA".into() }),
                    seq: SEQ,
                }),
            ),
        ],
        events: vec![(
            "invites.changed",
            event(Event::InvitesChanged(wire::Changed { invites: invite_list(), maker_id: ANA })),
        )],
    }
}

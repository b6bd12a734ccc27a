//! The golden messages of logins.

use mellow::features::auth::wire;
use mellow::ids::LoginId;
use serde_json::json;

use super::{CODE, Messages, NOW_MS, SEQ, key, me, ok};

/// What the link of a mail carries.
const TOKEN: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHv8";

fn login(id: i64, device: &str, current: bool) -> wire::Login {
    let device = device.into();
    wire::Login { id: LoginId(id), device, created_at_ms: NOW_MS, used_at_ms: NOW_MS + 1, current }
}

fn signed_in() -> wire::SignedIn {
    wire::SignedIn { ticket: "00ff".into(), me: me() }
}

pub fn messages() -> Messages {
    Messages {
        requests: vec![
            (
                "auth.sign_up",
                json!({
                    "key": key(), "email": "ana@example.org", "password": "slow mornings", "name": null, "invite": CODE,
                }),
                ok(&signed_in()),
            ),
            (
                "auth.log_in",
                json!({ "email": "ana@example.org", "password": "slow mornings" }),
                ok(&signed_in()),
            ),
            ("auth.log_out", json!({}), ok(&wire::Done {})),
            ("auth.request_reset", json!({ "email": "ana@example.org" }), ok(&wire::Done {})),
            ("auth.send_reset", json!({ "key": key() }), ok(&wire::Done {})),
            (
                "auth.reset_password",
                json!({ "key": key(), "token": TOKEN, "password": "slower mornings" }),
                ok(&wire::Done {}),
            ),
            (
                "auth.change_email",
                json!({ "key": key(), "email": "ana@new.example.org", "password": "slow mornings" }),
                ok(&wire::Pending { pending_email: "ana@new.example.org".into(), seq: SEQ }),
            ),
            ("auth.confirm_email", json!({ "key": key(), "token": TOKEN }), ok(&wire::Done {})),
            ("auth.undo_email", json!({ "key": key(), "token": TOKEN }), ok(&wire::Done {})),
            (
                "auth.logins",
                json!({}),
                ok(&wire::Listed {
                    logins: vec![login(1, "Firefox on Linux", true), login(2, "", false)],
                    seq: SEQ,
                }),
            ),
            ("auth.log_out_others", json!({ "key": key() }), ok(&wire::Done {})),
        ],
        events: vec![],
    }
}

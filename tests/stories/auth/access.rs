//! Logins: who may send which request.

use serde_json::json;

use crate::access::rows::Then::PasskeyUnknown;
use crate::access::rows::{ANY_CLIENT, EVERYBODY, SIGNED_IN};
use crate::feature::{Feature, NONE};
use crate::support::person::{PASSWORD, email_of};
use crate::support::value::key;

pub const FEATURE: Feature = Feature {
    rows: &[
        (
            "auth.sign_up",
            |_| json!({ "key": key(), "email": new_email(), "password": PASSWORD }),
            EVERYBODY,
            None,
        ),
        ("auth.log_in", |_| json!({ "email": email_of("Ana"), "password": PASSWORD }), EVERYBODY, None),
        ("auth.begin_passkey", |_| json!({}), EVERYBODY, None),
        (
            "auth.log_in_with_passkey",
            |_| json!({ "challenge": "none was begun", "response": "{}" }),
            [PasskeyUnknown; 9],
            None,
        ),
        ("auth.log_out", |_| json!({}), SIGNED_IN, None),
        ("auth.request_reset", |_| json!({ "email": email_of("Ana") }), EVERYBODY, None),
        ("auth.send_reset", |_| json!({ "key": key() }), SIGNED_IN, None),
        (
            "auth.reset_password",
            |_| json!({ "key": key(), "token": NO_TOKEN, "password": PASSWORD }),
            ANY_CLIENT,
            None,
        ),
        ("auth.reset_passkeys", |_| json!({ "token": NO_TOKEN }), EVERYBODY, None),
        (
            "auth.change_email",
            |_| json!({ "key": key(), "email": new_email(), "password": PASSWORD }),
            SIGNED_IN,
            None,
        ),
        ("auth.confirm_email", |_| json!({ "key": key(), "token": NO_TOKEN }), ANY_CLIENT, None),
        ("auth.undo_email", |_| json!({ "key": key(), "token": NO_TOKEN }), ANY_CLIENT, None),
        ("auth.logins", |_| json!({}), SIGNED_IN, None),
        ("auth.log_out_others", |_| json!({ "key": key() }), SIGNED_IN, None),
    ],
    // `auth.undo_email` has a story of its own, in `emails.rs`.
    reads: &["auth.logins", "auth.undo_email", "auth.begin_passkey", "auth.reset_passkeys"],
    ..NONE
};

/// A token with a valid shape that belongs to no link.
const NO_TOKEN: &str = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

fn new_email() -> String {
    static NEXT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    email_of(&format!("new {}", NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed)))
}

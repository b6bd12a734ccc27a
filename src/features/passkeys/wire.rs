//! Requests, replies and events of passkeys. Guests log in with `auth.begin_passkey` and `auth.log_in_with_passkey`.

use serde::{Deserialize, Serialize};

use crate::features::key::Key;
use crate::ids::{PasskeyId, Seq, UserId};
pub use crate::reply::Done;
use crate::wire::requests;

requests! {
    "passkeys.list" List -> Listed,
    "passkeys.begin_add" BeginAdd -> Begun,
    "passkeys.finish_add" FinishAdd -> Saved,
    "passkeys.rename" Rename -> Saved,
    "passkeys.begin_use" BeginUse -> Begun,
    "passkeys.remove" Remove -> Done,
}

/// Asks for the viewer's passkeys, in the order in which they were added.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct List {}

/// Begins a new passkey.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct BeginAdd {
    pub name: String,
    /// The current password.
    pub password: String,
}

/// Adds the passkey that the device has made.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FinishAdd {
    pub key: Key,
    /// The challenge that was begun.
    pub challenge: String,
    /// What the browser returned, as JSON.
    pub response: String,
}

/// Renames a passkey.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Rename {
    pub key: Key,
    pub passkey_id: PasskeyId,
    pub name: String,
}

/// Begins the use of any passkey of the viewer.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct BeginUse {}

/// Removes a passkey, with the password or with the use of a passkey.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Remove {
    pub key: Key,
    pub passkey_id: PasskeyId,
    /// The current password; None if a passkey is used.
    pub password: Option<String>,
    /// The challenge that was begun; None with a password.
    pub challenge: Option<String>,
    /// What the browser returned, as JSON; None with a password.
    pub response: Option<String>,
}

// Derived implementations would put passwords, and what devices return, into log lines.
impl std::fmt::Debug for BeginAdd {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        out.write_str("BeginAdd")
    }
}
impl std::fmt::Debug for FinishAdd {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        out.write_str("FinishAdd")
    }
}
impl std::fmt::Debug for Remove {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        out.write_str("Remove")
    }
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Listed {
    pub passkeys: Vec<Passkey>,
    /// Whether passkeys can be added here.
    pub available: bool,
    pub seq: Seq,
}

/// A passkey, as its user sees it.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Passkey {
    pub id: PasskeyId,
    pub name: String,
    /// The host name that it belongs to; None if it is the one of this Mellow. It can then only be removed.
    pub host: Option<String>,
    #[cfg_attr(test, ts(type = "number"))]
    pub added_at_ms: i64,
    /// When it was last used; None if it was not used yet.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub used_at_ms: Option<i64>,
}

/// A challenge for a device.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Begun {
    /// The id of the challenge. It works once, for five minutes.
    pub challenge: String,
    /// The options for the browser, as JSON.
    pub options: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Saved {
    pub passkey: Passkey,
    pub seq: Seq,
}

/// A passkey of the user was added, renamed or removed. The event is sent to the user's own connections, which read the
/// list again.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Changed {
    #[serde(skip)]
    pub user_id: UserId,
}

#[cfg(test)]
pub(crate) mod examples {
    use serde_json::json;

    use super::{Begun, Done, Listed, Passkey, Saved};
    use crate::features::events::Event;
    use crate::ids::PasskeyId;
    use crate::testing::examples::{ANA, Messages, NOW_MS, SEQ, key, ok};

    /// The id of a challenge.
    pub(crate) const CHALLENGE: &str = "000102030405060708090a0b0c0d0eff";
    /// What a browser returned, shortened.
    pub(crate) const RESPONSE: &str = r#"{"id":"AAEC","type":"public-key"}"#;

    const ID: i64 = 65_536;

    fn passkey(host: Option<&str>, used_at_ms: Option<i64>) -> Passkey {
        let (id, name) = (PasskeyId(ID), "Zoë's phone 🌿".into());
        Passkey { id, name, host: host.map(Into::into), added_at_ms: NOW_MS, used_at_ms }
    }

    fn saved() -> Saved {
        Saved { passkey: passkey(None, None), seq: SEQ }
    }

    pub(crate) fn begun() -> Begun {
        let options = r#"{"publicKey":{"challenge":"AAEC","rpId":"mellow.example"}}"#.into();
        Begun { challenge: CHALLENGE.into(), options }
    }

    pub(crate) fn messages() -> Messages {
        let passkeys = vec![passkey(None, Some(NOW_MS + 1)), passkey(Some("old.example"), None)];
        Messages {
            requests: vec![
                ("passkeys.list", json!({}), ok(&Listed { passkeys, available: true, seq: SEQ })),
                (
                    "passkeys.begin_add",
                    json!({ "name": "Zoë's phone 🌿", "password": "slow mornings" }),
                    ok(&begun()),
                ),
                (
                    "passkeys.finish_add",
                    json!({ "key": key(), "challenge": CHALLENGE, "response": RESPONSE }),
                    ok(&saved()),
                ),
                (
                    "passkeys.rename",
                    json!({ "key": key(), "passkey_id": ID, "name": "Zoë's phone 🌿" }),
                    ok(&saved()),
                ),
                ("passkeys.begin_use", json!({}), ok(&begun())),
                (
                    "passkeys.remove",
                    json!({
                        "key": key(), "passkey_id": ID, "password": null, "challenge": CHALLENGE,
                        "response": RESPONSE,
                    }),
                    ok(&Done { seq: SEQ }),
                ),
            ],
            events: vec![Event::PasskeysChanged(super::Changed { user_id: ANA })],
        }
    }
}

//! Requests, replies and events of signing in.

use serde::{Deserialize, Serialize};

use crate::features::key::Key;
#[cfg(test)]
use crate::features::passkeys::wire::Begun;
use crate::ids::{LoginId, Seq, UserId};
use crate::model::me::Me;
use crate::wire::requests;

requests! {
    "auth.sign_up" SignUp -> SignedIn,
    "auth.log_in" LogIn -> SignedIn,
    "auth.begin_passkey" BeginPasskey -> Begun,
    "auth.log_in_with_passkey" LogInWithPasskey -> SignedIn,
    "auth.log_out" LogOut -> Done,
    "auth.request_reset" RequestReset -> Done,
    "auth.send_reset" SendReset -> Done,
    "auth.reset_password" ResetPassword -> Done,
    "auth.reset_passkeys" ResetPasskeys -> Counted,
    "auth.change_email" ChangeEmail -> Pending,
    "auth.confirm_email" ConfirmEmail -> Done,
    "auth.undo_email" UndoEmail -> Done,
    "auth.logins" Logins -> Listed,
    "auth.log_out_others" LogOutOthers -> Done,
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SignUp {
    pub key: Key,
    pub email: String,
    pub password: String,
    /// The name. If it is left out, the part of the address before the `@` is the name.
    pub name: Option<String>,
    /// The code of an invitation, if the guest has one.
    pub invite: Option<String>,
    /// The tag of the language that the guest chose on this device; None if the guest chose none.
    pub language: Option<String>,
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct LogIn {
    pub email: String,
    pub password: String,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct LogOut {}

/// Begins a log-in with a passkey.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct BeginPasskey {}

/// Logs in with the passkey that a device has used.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct LogInWithPasskey {
    /// The challenge that was begun.
    pub challenge: String,
    /// What the browser returned, as JSON.
    pub response: String,
    /// The only user who may log in; None if anybody may.
    pub user_id: Option<UserId>,
}

/// Asks for a mail with a link that sets a new password. The reply is the same for every address.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RequestReset {
    pub email: String,
}

/// Asks for the same mail to the viewer's own address.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SendReset {
    pub key: Key,
}

/// Sets a new password with the link of a mail. Every login of the account ends.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ResetPassword {
    pub key: Key,
    pub token: String,
    pub password: String,
    /// Whether all passkeys of the account are removed too. If it is left out, they stay.
    pub remove_passkeys: Option<bool>,
}

/// Asks how many passkeys the account has whose password a link sets.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ResetPasskeys {
    pub token: String,
}

/// Asks for a change to a new address. The new address counts once it is confirmed.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ChangeEmail {
    pub key: Key,
    pub email: String,
    /// The current password.
    pub password: String,
}

/// Confirms a new address with the link of a mail.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ConfirmEmail {
    pub key: Key,
    pub token: String,
}

/// Keeps or restores the old address with the link of a mail.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct UndoEmail {
    pub key: Key,
    pub token: String,
}

/// Asks for the viewer's logins, the one that was used last first.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Logins {}

/// Ends every login of the viewer but this one.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct LogOutOthers {
    pub key: Key,
}

// Derived implementations would put passwords and tokens into log lines.
impl std::fmt::Debug for SignUp {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        out.write_str("SignUp")
    }
}
impl std::fmt::Debug for LogIn {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        out.write_str("LogIn")
    }
}
impl std::fmt::Debug for LogInWithPasskey {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        out.write_str("LogInWithPasskey")
    }
}
impl std::fmt::Debug for ResetPasskeys {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        out.write_str("ResetPasskeys")
    }
}
impl std::fmt::Debug for ResetPassword {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        out.write_str("ResetPassword")
    }
}
impl std::fmt::Debug for ChangeEmail {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        out.write_str("ChangeEmail")
    }
}
impl std::fmt::Debug for ConfirmEmail {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        out.write_str("ConfirmEmail")
    }
}
impl std::fmt::Debug for UndoEmail {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        out.write_str("UndoEmail")
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SignedIn {
    /// The ticket for `POST /session`. It works once, for 30 seconds.
    pub ticket: String,
    pub me: Me,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Done {}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Counted {
    pub passkeys: u32,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Pending {
    pub pending_email: String,
    pub seq: Seq,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Listed {
    pub logins: Vec<Login>,
    pub seq: Seq,
}

/// A browser that is logged in.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Login {
    pub id: LoginId,
    /// The label of the device, such as `Firefox on Linux`; empty if unknown.
    pub device: String,
    #[cfg_attr(test, ts(type = "number"))]
    pub created_at_ms: i64,
    /// When the login was last used. It is noted at most once a day.
    #[cfg_attr(test, ts(type = "number"))]
    pub used_at_ms: i64,
    /// Whether it is the login of this connection.
    pub current: bool,
}

/// A login has ended. The event is sent to nobody, and closes the connections of the login.
#[derive(Clone, Copy, Debug)]
pub struct Ended {
    pub login_id: LoginId,
    pub close_code: u16,
}

impl Ended {
    /// The user logged out in this browser.
    #[must_use]
    pub fn logged_out(login_id: LoginId) -> Self {
        Self { login_id, close_code: 4001 }
    }

    /// The account of the login was deleted.
    #[must_use]
    pub fn with_its_account(login_id: LoginId) -> Self {
        Self { login_id, close_code: 4003 }
    }

    /// The user ended the login from another device, or it expired.
    #[must_use]
    pub fn elsewhere(login_id: LoginId) -> Self {
        Self { login_id, close_code: 4002 }
    }

    /// Another login of the same browser replaces the login. The browser connects again with the new cookie.
    #[must_use]
    pub fn replaced(login_id: LoginId) -> Self {
        Self { login_id, close_code: 1012 }
    }
}

#[cfg(test)]
pub(crate) mod examples {
    use serde_json::json;

    use crate::features::passkeys::wire::examples::{CHALLENGE, RESPONSE, begun};
    use crate::ids::LoginId;
    use crate::testing::examples::{ANA, CODE, Messages, NOW_MS, SEQ, key, me, ok};

    /// The token of a link.
    const TOKEN: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHv8";

    fn login(id: i64, device: &str, current: bool) -> super::Login {
        let device = device.into();
        super::Login { id: LoginId(id), device, created_at_ms: NOW_MS, used_at_ms: NOW_MS + 1, current }
    }

    fn signed_in() -> super::SignedIn {
        super::SignedIn { ticket: "00ff".into(), me: me() }
    }

    pub(crate) fn messages() -> Messages {
        Messages {
            requests: vec![
                (
                    "auth.sign_up",
                    json!({
                        "key": key(), "email": "ana@example.org", "password": "slow mornings", "name": null, "invite": CODE,
                        "language": "de",
                    }),
                    ok(&signed_in()),
                ),
                (
                    "auth.log_in",
                    json!({ "email": "ana@example.org", "password": "slow mornings" }),
                    ok(&signed_in()),
                ),
                ("auth.begin_passkey", json!({}), ok(&begun())),
                (
                    "auth.log_in_with_passkey",
                    json!({ "challenge": CHALLENGE, "response": RESPONSE, "user_id": ANA.0 }),
                    ok(&signed_in()),
                ),
                ("auth.log_out", json!({}), ok(&super::Done {})),
                ("auth.request_reset", json!({ "email": "ana@example.org" }), ok(&super::Done {})),
                ("auth.send_reset", json!({ "key": key() }), ok(&super::Done {})),
                (
                    "auth.reset_password",
                    json!({
                        "key": key(), "token": TOKEN, "password": "slower mornings", "remove_passkeys": true,
                    }),
                    ok(&super::Done {}),
                ),
                ("auth.reset_passkeys", json!({ "token": TOKEN }), ok(&super::Counted { passkeys: 2 })),
                (
                    "auth.change_email",
                    json!({ "key": key(), "email": "ana@new.example.org", "password": "slow mornings" }),
                    ok(&super::Pending { pending_email: "ana@new.example.org".into(), seq: SEQ }),
                ),
                ("auth.confirm_email", json!({ "key": key(), "token": TOKEN }), ok(&super::Done {})),
                ("auth.undo_email", json!({ "key": key(), "token": TOKEN }), ok(&super::Done {})),
                (
                    "auth.logins",
                    json!({}),
                    ok(&super::Listed {
                        logins: vec![login(1, "Firefox on Linux", true), login(2, "", false)],
                        seq: SEQ,
                    }),
                ),
                ("auth.log_out_others", json!({ "key": key() }), ok(&super::Done {})),
            ],
            events: Vec::new(),
        }
    }
}

//! What is asked and answered about signing in.

use serde::{Deserialize, Serialize};

use crate::features::kit::Key;
use crate::features::requests;
use crate::features::views::Me;
use crate::ids::{LoginId, Seq};

requests! {
    "auth.sign_up" SignUp -> SignedIn,
    "auth.log_in" LogIn -> SignedIn,
    "auth.log_out" LogOut -> Done,
    "auth.request_reset" RequestReset -> Done,
    "auth.send_reset" SendReset -> Done,
    "auth.reset_password" ResetPassword -> Done,
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
    /// What should people call you? Left out: the local part of the address.
    pub name: Option<String>,
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

/// Asks for a mail with a link that sets a new password. The answer is the same for every address.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RequestReset {
    pub email: String,
}

/// The same, for the viewer's own address.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SendReset {
    pub key: Key,
}

/// Sets a new password by the link of a mail; every login of the account ends.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ResetPassword {
    pub key: Key,
    pub token: String,
    pub password: String,
}

/// Asks for a new address; it counts once it is confirmed.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ChangeEmail {
    pub key: Key,
    pub email: String,
    /// The current one.
    pub password: String,
}

/// Confirms a new address by the link of a mail.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ConfirmEmail {
    pub key: Key,
    pub token: String,
}

/// Keeps, or brings back, the old address by the link of a mail.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct UndoEmail {
    pub key: Key,
    pub token: String,
}

/// The viewer's logins, the one used last first.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Logins {}

/// Ends every login of the viewer but this one.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct LogOutOthers {
    pub key: Key,
}

// Passwords and tokens stay out of every log line.
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
    /// Works once, for 30 seconds, at `POST /session`.
    pub ticket: String,
    pub me: Me,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Done {}

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
    /// A few plain words such as `Firefox on Linux`; "" where nobody knows.
    pub device: String,
    #[cfg_attr(test, ts(type = "number"))]
    pub created_at_ms: i64,
    /// Noted once a day.
    #[cfg_attr(test, ts(type = "number"))]
    pub used_at_ms: i64,
    /// Is it this one?
    pub current: bool,
}

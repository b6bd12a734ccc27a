//! Requests, replies and events of admins.

use serde::{Deserialize, Serialize};

use crate::features::key::Key;
use crate::features::shared::admins::Act;
pub use crate::features::shared::views::Done;
use crate::features::shared::views::User;
use crate::ids::{Seq, UserId, Whole};
use crate::wire::requests;

requests! {
    "admin.people" People -> PeoplePage,
    "admin.end_logins" EndLogins -> Done,
    "admin.reset_link" ResetLink -> Link,
    "admin.delete" Delete -> Done,
    "admin.log" Log -> LogPage,
}

/// A page of all accounts, newest first.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct People {
    /// A part of the name, in any case, or a whole address. None or empty: everybody.
    pub term: Option<String>,
    /// From the page before: the id of its last account.
    pub before: Option<UserId>,
}

/// Ends every login of an account.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct EndLogins {
    pub key: Key,
    pub user_id: UserId,
}

/// Makes a link that sets a new password of an account, in place of an older one.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ResetLink {
    pub user_id: UserId,
}

/// Deletes an account, at once and for good.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Delete {
    pub user_id: UserId,
    /// The current one of the admin.
    pub password: String,
}

// Passwords stay out of every log line.
impl std::fmt::Debug for Delete {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        out.write_str("Delete")
    }
}

/// A page of the log, newest first.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Log {
    /// From the page before: the id of its last line.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub before: Option<Whole>,
}

/// An account, as admins see it. They see no address.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "AdminPerson"))]
pub struct Person {
    pub user: User,
    #[cfg_attr(test, ts(type = "number"))]
    pub created_at_ms: i64,
    /// By whose invitation they came.
    pub inviter: Option<User>,
    pub is_admin: bool,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PeoplePage {
    pub people: Vec<Person>,
    pub has_more: bool,
    pub seq: Seq,
}

/// A line of the log.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "LogLine"))]
pub struct Line {
    #[cfg_attr(test, ts(type = "number"))]
    pub id: i64,
    #[cfg_attr(test, ts(type = "number"))]
    pub at_ms: i64,
    /// Was it a command on the host's machine?
    pub by_command: bool,
    /// The admin. None for a command, or if the account is gone.
    pub admin: Option<User>,
    pub act: Act,
    /// Whose account it concerned. None: none, or one that is gone.
    pub user: Option<User>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct LogPage {
    pub lines: Vec<Line>,
    pub has_more: bool,
    pub seq: Seq,
}

/// The address that sets a new password, once.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Link {
    pub url: String,
}

/// What an admin's page shows has changed. Sent to the connections of all admins, which read it again.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Changed {
    #[serde(skip)]
    pub admins: Vec<UserId>,
    /// Somebody is no admin any more.
    #[serde(skip)]
    pub has_demoted: bool,
}

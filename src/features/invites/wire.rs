//! Requests, replies and events of invitations.

use serde::{Deserialize, Serialize};

use crate::features::key::Key;
use crate::ids::{Seq, UserId};
use crate::wire::requests;

requests! {
    "invites.get" Get -> Shown,
    "invites.list" List -> Listed,
    "invites.create" Create -> Listed,
    "invites.revoke" Revoke -> Listed,
}

/// Asks whose invitation this is. A guest may ask.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Get {
    pub code: String,
}

/// The viewer's own invitations.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct List {}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Create {
    pub key: Key,
}

/// Takes back one of the viewer's own.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Revoke {
    pub key: Key,
    pub code: String,
}

// Codes stay out of every log line: they let people in.
impl std::fmt::Debug for Get {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        out.write_str("Get")
    }
}
impl std::fmt::Debug for Revoke {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        out.write_str("Revoke")
    }
}

/// Whose invitation it is.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Shown {
    /// None: it was made on the host's command line.
    pub name: Option<String>,
    /// For signed-in viewers alone.
    pub user_id: Option<UserId>,
}

/// An invitation, as its maker sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Invite {
    /// The link ends with it.
    pub code: String,
    #[cfg_attr(test, ts(type = "number"))]
    pub created_at_ms: i64,
    /// None: it never ends.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub ends_at_ms: Option<i64>,
    #[cfg_attr(test, ts(type = "number"))]
    pub uses: i64,
    /// None: as often as one likes.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub uses_max: Option<i64>,
}

/// The viewer's invitations that have not ended, newest first.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Listed {
    pub invites: Vec<Invite>,
    pub seq: Seq,
}

/// The invitations of a user are others, or were used. Sent to the connections of that user, with all of them.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Changed {
    pub invites: Vec<Invite>,
    #[serde(skip)]
    pub maker_id: UserId,
}

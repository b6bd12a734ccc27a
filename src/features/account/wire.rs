//! What is asked, answered and told about one's own account.

use serde::{Deserialize, Serialize};

use crate::features::kit::Key;
use crate::features::requests;
use crate::features::views::Me;
use crate::ids::{Seq, UserId};

requests! {
    "account.set_privacy" SetPrivacy -> Set,
    "account.export" Export -> Ready,
    "account.delete" Delete -> Gone,
}

/// Sets whether the numbers of followers and followed are for their owner alone.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SetPrivacy {
    pub key: Key,
    pub hide_numbers: bool,
}

/// Asks for everything the viewer has here, as one archive.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Export {}

/// Ends the account, at once and for good.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Delete {
    /// The current one.
    pub password: String,
}

// Passwords stay out of every log line.
impl std::fmt::Debug for Delete {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        out.write_str("Delete")
    }
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Set {
    pub hide_numbers: bool,
    pub seq: Seq,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Ready {
    /// Where the archive is fetched, with the cookie: once, within ten minutes.
    pub url: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Gone {}

/// Something of the account changed. Told to its person's own sockets.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Changed {
    pub me: Me,
}

/// An account ended: nothing of this person is here any more. Told to everybody who is here.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Ended {
    pub user_id: UserId,
}

//! Requests, replies and events of the viewer's account.

use serde::{Deserialize, Serialize};

use crate::events::Users;
use crate::features::key::Key;
use crate::features::shared::views::{Adders, Commenters, Me};
use crate::ids::{Seq, UserId};
use crate::wire::requests;

requests! {
    "account.set_privacy" SetPrivacy -> Set,
    "account.export" Export -> Ready,
    "account.delete" Delete -> Gone,
}

/// Sets what others see of the viewer. What is left out stays as it is.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SetPrivacy {
    pub key: Key,
    /// Only the owner sees the numbers of followers and followed.
    pub hide_numbers: Option<bool>,
    /// The viewer is in the list of people and among close matches.
    pub listed: Option<bool>,
    /// Who may add the viewer to groups.
    pub adders: Option<Adders>,
    /// Who may comment on the viewer's public posts.
    pub commenters: Option<Commenters>,
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
    pub listed: bool,
    pub adders: Adders,
    pub commenters: Commenters,
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

/// The account changed. Sent to the connections of its user.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Changed {
    pub me: Me,
}

/// An account was deleted, or is gone for these viewers. For them the two are the same.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Ended {
    pub user_id: UserId,
    #[serde(skip)]
    pub viewers: Viewers,
}

/// For whom a user is gone, or there again.
#[derive(Debug)]
pub enum Viewers {
    /// Everybody but these users: one of the two blocked the other, so the user is gone for them anyway.
    AllBut(Users),
    /// The one whom the user blocked, or who blocked the user.
    One(UserId),
}

impl Ended {
    /// Makes the event by which a user is gone for one viewer.
    #[must_use]
    pub fn for_one(user_id: UserId, viewer_id: UserId) -> Self {
        Self { user_id, viewers: Viewers::One(viewer_id) }
    }
}

/// A user who was gone for these viewers is there again.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Returned {
    pub user_id: UserId,
    #[serde(skip)]
    pub viewers: Viewers,
}

#[cfg(test)]
pub(crate) mod examples {
    use serde_json::json;

    use crate::features::events::Event;
    use crate::features::examples::{ANA, BEN, Messages, SEQ, key, me, ok, some_users};
    use crate::features::shared::views::{Adders, Commenters, Me};

    pub(crate) fn messages() -> Messages {
        Messages {
            requests: vec![
                (
                    "account.set_privacy",
                    json!({ "key": key(), "hide_numbers": null, "listed": false, "adders": "followed", "commenters": null }),
                    ok(&super::Set {
                        hide_numbers: true,
                        listed: false,
                        adders: Adders::Nobody,
                        commenters: Commenters::Everyone,
                        seq: SEQ,
                    }),
                ),
                ("account.export", json!({}), ok(&super::Ready { url: "/export/00ff".into() })),
                ("account.delete", json!({ "password": "slow mornings" }), ok(&super::Gone {})),
            ],
            events: vec![
                Event::UserDeleted(super::Ended::for_one(BEN, ANA)),
                Event::UserReturned(super::Returned {
                    user_id: BEN,
                    viewers: super::Viewers::AllBut(some_users()),
                }),
                Event::AccountChanged(super::Changed {
                    me: Me { pending_email: Some("ana@new.example.org".into()), hide_numbers: true, ..me() },
                }),
            ],
        }
    }
}

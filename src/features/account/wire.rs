//! Requests, replies and events of the viewer's account.

use serde::{Deserialize, Serialize};

use crate::events::Users;
use crate::features::key::Key;
use crate::ids::{Seq, UserId};
use crate::model::choices::{Adders, Commenters};
use crate::model::me::Me;
use crate::wire::requests;

requests! {
    "account.set_privacy" SetPrivacy -> Set,
    "account.export" Export -> Ready,
    "account.delete" Delete -> Gone,
}

/// Sets what others see of the viewer. A field that is left out stays as it is.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SetPrivacy {
    pub key: Key,
    /// Whether only the owner sees the numbers of followers and followed users.
    pub hide_numbers: Option<bool>,
    /// Whether the viewer is in the list of people and among close matches.
    pub listed: Option<bool>,
    /// Who may add the viewer to groups.
    pub adders: Option<Adders>,
    /// Who may comment on the viewer's public posts.
    pub commenters: Option<Commenters>,
}

/// Asks for all data of the viewer, as one archive.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Export {}

/// Deletes the account, at once and for good.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Delete {
    /// The current password.
    pub password: String,
}

// A derived implementation would put the password into log lines.
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
    /// The address of the archive. It works once, within ten minutes, with the cookie of the login.
    pub url: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Gone {}

/// The account changed. The event is sent to the connections of its user.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Changed {
    pub me: Me,
    #[serde(skip)]
    pub cause: Cause,
}

/// Why an account changed, where others or quiet hours depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The user hid their numbers.
    NumbersHidden,
    /// The first report was opened, or the last one was closed.
    Reports,
    Other,
}

impl Changed {
    #[must_use]
    pub fn of(me: Me) -> Self {
        Self { me, cause: Cause::Other }
    }
}

/// An account was deleted, or has disappeared for these viewers. They cannot tell the two apart.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Ended {
    pub user_id: UserId,
    #[serde(skip)]
    pub viewers: Viewers,
}

/// The viewers for whom a user disappears or appears again.
#[derive(Debug)]
pub enum Viewers {
    /// Everybody but these users. The user has disappeared for them anyway, because one of the two blocked the other.
    AllBut(Users),
    /// A viewer whom the user blocked, or who blocked the user.
    One(UserId),
}

impl Ended {
    /// Makes the event that makes a user disappear for one viewer.
    #[must_use]
    pub fn for_one(user_id: UserId, viewer_id: UserId) -> Self {
        Self { user_id, viewers: Viewers::One(viewer_id) }
    }
}

/// A user appears again for these viewers.
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
    use crate::model::choices::{Adders, Commenters};
    use crate::model::me::Me;
    use crate::testing::examples::{ANA, BEN, Messages, SEQ, key, me, ok, some_users};

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
                Event::AccountChanged(super::Changed::of(Me {
                    pending_email: Some("ana@new.example.org".into()),
                    hide_numbers: true,
                    ..me()
                })),
            ],
        }
    }
}

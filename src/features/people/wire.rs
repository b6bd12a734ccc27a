//! Requests, replies and events of blocking and muting.

use serde::{Deserialize, Serialize};

use crate::features::key::Key;
use crate::ids::{Seq, UserId};
use crate::model::users::User;
pub use crate::reply::Done;
use crate::wire::requests;

requests! {
    "people.block" Block -> Done,
    "people.unblock" Unblock -> Done,
    "people.mute" Mute -> Done,
    "people.unmute" Unmute -> Done,
    "people.hidden" Hidden -> HiddenPeople,
}

/// Blocks a user. The viewer and this user no longer meet.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Block {
    pub key: Key,
    pub user_id: UserId,
}

/// Ends the viewer's own block.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Unblock {
    pub key: Key,
    pub user_id: UserId,
}

/// Removes what this user publishes from the viewer's lists.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Mute {
    pub key: Key,
    pub user_id: UserId,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Unmute {
    pub key: Key,
    pub user_id: UserId,
}

/// Asks for the users whom the viewer blocked and muted.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Hidden {}

/// The users whom the viewer blocked and muted, by name. Each list has a limit, so there are no pages.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct HiddenPeople {
    pub blocked: Vec<User>,
    pub muted: Vec<User>,
    pub seq: Seq,
}

/// The viewer blocked, unblocked, muted or unmuted a user. The event is sent to the viewer's own connections.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Changed {
    pub user_id: UserId,
    pub blocked: bool,
    pub muted: bool,
    #[serde(skip)]
    pub viewer_id: UserId,
}

#[cfg(test)]
pub(crate) mod examples {
    use serde_json::json;

    use crate::features::events::Event;
    use crate::testing::examples::{ANA, BEN, Messages, SEQ, key, ok, users};

    pub(crate) fn messages() -> Messages {
        Messages {
            requests: vec![
                ("people.block", json!({ "key": key(), "user_id": BEN.0 }), ok(&super::Done { seq: SEQ })),
                ("people.unblock", json!({ "key": key(), "user_id": BEN.0 }), ok(&super::Done { seq: SEQ })),
                ("people.mute", json!({ "key": key(), "user_id": BEN.0 }), ok(&super::Done { seq: SEQ })),
                ("people.unmute", json!({ "key": key(), "user_id": BEN.0 }), ok(&super::Done { seq: SEQ })),
                (
                    "people.hidden",
                    json!({}),
                    ok(&super::HiddenPeople { blocked: vec![users()[1].clone()], muted: users(), seq: SEQ }),
                ),
            ],
            events: vec![Event::PeopleChanged(super::Changed {
                user_id: BEN,
                blocked: false,
                muted: true,
                viewer_id: ANA,
            })],
        }
    }
}

//! Requests, replies and events of following.

use serde::{Deserialize, Serialize};

use crate::events::Users;
use crate::features::key::Key;
use crate::ids::{FollowId, Seq, UserId};
use crate::model::users::User;
pub use crate::reply::Done;
use crate::wire::named;
use crate::wire::requests;

requests! {
    "follows.set" Set -> Followed,
    "follows.remove" Remove -> Done,
    "follows.page" Page -> People,
}

/// Sets whether the viewer follows a user. It sets the state and does not toggle it.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Set {
    pub key: Key,
    pub user_id: UserId,
    pub following: bool,
}

/// Ends a user's follow of the viewer. The user may follow again.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Remove {
    pub key: Key,
    pub user_id: UserId,
}

/// Asks for a page of the viewer's own followers or followed users, newest first.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Page {
    pub side: Side,
    /// The `older` of the previous page; None for the first page.
    pub before: Option<FollowId>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case", try_from = "String")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Side {
    Followers,
    Following,
}

named!(Side { Followers = "followers", Following = "following" });

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Followed {
    pub user_id: UserId,
    pub following: bool,
    pub seq: Seq,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct People {
    pub users: Vec<User>,
    /// The `before` of the next page; None if nothing older remains.
    pub older: Option<FollowId>,
    pub seq: Seq,
}

/// A follow began or ended. The event is sent to the connections of the follower.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Changed {
    pub user_id: UserId,
    pub following: bool,
    #[serde(skip)]
    pub follower_id: UserId,
}

/// The counts of a user changed. The event is sent to connections that show this profile; hidden counts are sent to
/// their owner alone.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Counted {
    pub user_id: UserId,
    #[cfg_attr(test, ts(type = "number"))]
    pub followers_count: i64,
    #[cfg_attr(test, ts(type = "number"))]
    pub following_count: i64,
    /// Whether the counts are visible only to their owner.
    #[serde(skip)]
    pub hide_numbers: bool,
    /// The users who may not meet this user.
    #[serde(skip)]
    pub hidden_from: Users,
}

#[cfg(test)]
pub(crate) mod examples {
    use serde_json::json;

    use crate::features::events::Event;
    use crate::ids::FollowId;
    use crate::testing::examples::{ANA, BEN, Messages, SEQ, key, left_out, ok, users};

    pub(crate) fn messages() -> Messages {
        Messages {
            requests: vec![
                (
                    "follows.set",
                    json!({ "key": key(), "user_id": BEN.0, "following": true }),
                    ok(&super::Followed { user_id: BEN, following: false, seq: SEQ }),
                ),
                ("follows.remove", json!({ "key": key(), "user_id": BEN.0 }), ok(&super::Done { seq: SEQ })),
                (
                    "follows.page",
                    json!({ "side": "followers", "before": null }),
                    ok(&super::People { users: users(), older: Some(FollowId(BEN.0)), seq: SEQ }),
                ),
            ],
            events: vec![
                Event::FollowChanged(super::Changed { user_id: BEN, following: true, follower_id: ANA }),
                Event::ProfileCounted(super::Counted {
                    user_id: BEN,
                    followers_count: 1,
                    following_count: 2,
                    hide_numbers: false,
                    hidden_from: left_out(),
                }),
            ],
        }
    }
}

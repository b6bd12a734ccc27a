//! Requests, replies and events of notices.

use serde::{Deserialize, Serialize};

use crate::db::sql::kept_as_text;
use crate::features::key::Key;
use crate::ids::{NoticeId, Seq, UserId};
pub use crate::reply::Done;
use crate::wire::named;
use crate::wire::requests;

requests! {
    "notices.list" List -> Listed,
    "notices.answer" Answer -> Done,
    "notices.end_login" EndLogin -> Done,
}

/// Asks for the notices that the login of this connection sees, newest first.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct List {}

/// Deletes a notice for this login, because its user knows of what it says.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Answer {
    pub key: Key,
    pub notice_id: NoticeId,
}

/// Ends the login that a notice is about, and deletes every notice about it.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct EndLogin {
    pub key: Key,
    pub notice_id: NoticeId,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Listed {
    pub notices: Vec<Notice>,
    pub seq: Seq,
}

/// What another login of the account did.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Notice {
    pub id: NoticeId,
    pub kind: Kind,
    /// The label of the device of the new login, empty if unknown; or the name of the passkey.
    pub text: String,
    #[cfg_attr(test, ts(type = "number"))]
    pub at_ms: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "NoticeKind"))]
pub enum Kind {
    /// A log-in from a browser that had not logged in to the account before.
    Login,
    PasskeyAdded,
    PasskeyRemoved,
}

named!(Kind { Login = "login", PasskeyAdded = "passkey_added", PasskeyRemoved = "passkey_removed" });
kept_as_text!(Kind);

/// The notices of some logins of a user have changed. The event is sent to the user's own connections, which read them
/// again.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Changed {
    #[serde(skip)]
    pub user_id: UserId,
}

#[cfg(test)]
pub(crate) mod examples {
    use serde_json::json;

    use crate::features::events::Event;
    use crate::ids::NoticeId;
    use crate::testing::examples::{ANA, Messages, NOW_MS, SEQ, key, ok};

    fn notice(id: i64, kind: super::Kind, text: &str) -> super::Notice {
        super::Notice { id: NoticeId(id), kind, text: text.into(), at_ms: NOW_MS }
    }

    pub(crate) fn messages() -> Messages {
        Messages {
            requests: vec![
                (
                    "notices.list",
                    json!({}),
                    ok(&super::Listed {
                        notices: vec![
                            notice(4_294_967_296, super::Kind::PasskeyRemoved, "Zoë’s laptop 🌿"),
                            notice(65_537, super::Kind::PasskeyAdded, "Phone"),
                            notice(65_536, super::Kind::Login, "Firefox on Linux"),
                        ],
                        seq: SEQ,
                    }),
                ),
                (
                    "notices.answer",
                    json!({ "key": key(), "notice_id": 65_537 }),
                    ok(&super::Done { seq: SEQ }),
                ),
                (
                    "notices.end_login",
                    json!({ "key": key(), "notice_id": 65_536 }),
                    ok(&super::Done { seq: SEQ }),
                ),
            ],
            events: vec![Event::NoticesChanged(super::Changed { user_id: ANA })],
        }
    }
}

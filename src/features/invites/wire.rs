//! Requests, replies and events of invitations.

use serde::{Deserialize, Serialize};

use crate::features::key::Key;
use crate::ids::{Seq, UserId, Whole};
use crate::model::users::User;
use crate::wire::requests;

requests! {
    "invites.get" Get -> Shown,
    "invites.list" List -> Own,
    "invites.create" Create -> Listed,
    "invites.revoke" Revoke -> Listed,
    "invites.all" All -> AllListed,
}

/// Asks who made this invitation. A guest may ask.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Get {
    pub code: String,
}

/// Asks for the viewer's own invitations.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct List {}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Create {
    pub key: Key,
}

/// Asks for a page of all invitations that have not ended, newest first. Only admins may ask.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct All {
    /// The `next` of the previous page; None for the first page.
    pub after: Option<Place>,
}

/// A place in the order of all invitations.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "InvitePlace"))]
pub struct Place {
    #[serde(deserialize_with = "whole")]
    #[cfg_attr(test, ts(type = "number"))]
    pub created_at_ms: i64,
    pub code: String,
}

fn whole<'de, D: serde::Deserializer<'de>>(from: D) -> Result<i64, D::Error> {
    Whole::deserialize(from).map(|whole| whole.0)
}

/// Revokes one of the viewer's own invitations. An admin may revoke any.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Revoke {
    pub key: Key,
    pub code: String,
}

// Derived implementations would put codes into log lines, and with a code anybody could sign up.
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

/// The maker of an invitation.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Shown {
    /// None if the invitation was made on the host's command line.
    pub name: Option<String>,
    /// Set only for signed-in viewers.
    pub user_id: Option<UserId>,
}

/// An invitation, as its maker sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Invite {
    /// The code with which the link ends.
    pub code: String,
    #[cfg_attr(test, ts(type = "number"))]
    pub created_at_ms: i64,
    /// None if it never ends.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub ends_at_ms: Option<i64>,
    #[cfg_attr(test, ts(type = "number"))]
    pub uses: i64,
    /// None for no limit.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub uses_max: Option<i64>,
}

/// The viewer's invitations that have not ended, newest first, and whether the viewer may make more.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Own {
    pub invites: Vec<Invite>,
    pub may_create: bool,
    pub seq: Seq,
}

/// The viewer's invitations after a change, newest first.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Listed {
    pub invites: Vec<Invite>,
    pub seq: Seq,
}

/// An invitation and its maker, for admins.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "MadeInvite"))]
pub struct Made {
    pub invite: Invite,
    /// None if the invitation was made on the host's command line.
    pub maker: Option<User>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct AllListed {
    pub invites: Vec<Made>,
    /// The `after` of the next page; None if nothing remains.
    pub next: Option<Place>,
    pub seq: Seq,
}

/// The invitations of a user changed, or one was used. The event has all of them, and is sent to the connections of
/// that user.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Changed {
    pub invites: Vec<Invite>,
    #[serde(skip)]
    pub maker_id: UserId,
}

#[cfg(test)]
pub(crate) mod examples {
    use serde_json::json;

    use crate::features::events::Event;
    use crate::testing::examples::{ANA, BEN, CODE, Messages, NOW_MS, SEQ, key, ok, users};

    /// Two invitations: one with an end and a limit of uses, and one without.
    fn invite_list() -> Vec<super::Invite> {
        let invite = |code: &str, ends: bool| super::Invite {
            code: code.into(),
            created_at_ms: NOW_MS,
            ends_at_ms: ends.then_some(NOW_MS + 2_592_000_000),
            uses: 3,
            uses_max: ends.then_some(20),
        };
        vec![invite("AAECAwQFBgcICQoLDA0ODw", true), invite("DwECAwQFBgcICQoLDA0OAA", false)]
    }

    pub(crate) fn messages() -> Messages {
        Messages {
            requests: vec![
                (
                    "invites.get",
                    json!({ "code": CODE }),
                    ok(&super::Shown { name: Some("Ben".into()), user_id: Some(BEN) }),
                ),
                (
                    "invites.list",
                    json!({}),
                    ok(&super::Own { invites: invite_list(), may_create: true, seq: SEQ }),
                ),
                (
                    "invites.create",
                    json!({ "key": key() }),
                    ok(&super::Listed { invites: invite_list(), seq: SEQ }),
                ),
                (
                    "invites.revoke",
                    json!({ "key": key(), "code": CODE }),
                    ok(&super::Listed { invites: Vec::new(), seq: SEQ }),
                ),
                (
                    "invites.all",
                    json!({ "after": { "created_at_ms": 1_772_355_600_000_i64, "code": CODE } }),
                    ok(&super::AllListed {
                        invites: invite_list()
                            .into_iter()
                            .zip([users().pop(), None])
                            .map(|(invite, maker)| super::Made { invite, maker })
                            .collect(),
                        next: Some(super::Place {
                            created_at_ms: NOW_MS,
                            code: "DwECAwQFBgcICQoLDA0OAA".into(),
                        }),
                        seq: SEQ,
                    }),
                ),
            ],
            events: vec![Event::InvitesChanged(super::Changed { invites: invite_list(), maker_id: ANA })],
        }
    }
}

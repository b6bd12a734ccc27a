//! What the live engine itself asks, answers and tells.

use serde::{Deserialize, Serialize};

use crate::features::requests;
use crate::features::views::Me;
use crate::ids::{PollId, PostId, Seq, UserId, Whole};

requests! {
    "live.probe" Probe -> Probed,
    "live.resume" Resume -> Resumed,
    "live.leave" Leave -> Left,
}

/// Are you there?
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Probe {}

/// What have I missed since this number, for what I show?
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Resume {
    pub epoch: String,
    #[cfg_attr(test, ts(type = "number"))]
    pub seq: SeqAsked,
    pub posts: Vec<PostId>,
    pub profiles: Vec<UserId>,
}

/// A number that a client believes to be a commit's.
#[derive(Clone, Copy, Debug)]
pub struct SeqAsked(pub Seq);

impl<'de> Deserialize<'de> for SeqAsked {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Whole::deserialize(from).map(|whole| Self(Seq(whole.0)))
    }
}

/// I no longer show these.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Leave {
    pub posts: Vec<PostId>,
    pub profiles: Vec<UserId>,
    #[cfg_attr(test, ts(optional))]
    pub polls: Option<Vec<PollId>>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Probed {
    pub seq: Seq,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Resumed {
    /// True: nobody can tell what was missed; read again what is on screen.
    pub resync: bool,
    pub seq: Seq,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Left {}

/// The first message on each socket. Its `seq` is the head.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Hello<'a> {
    #[cfg_attr(test, ts(skip))]
    pub ev: &'static str,
    pub epoch: &'a str,
    pub protocol: u32,
    pub build: &'a str,
    #[cfg_attr(test, ts(type = "number"))]
    pub now_ms: i64,
    #[cfg_attr(test, ts(type = "number"))]
    pub beat_ms: u64,
    pub me: Option<Me>,
    pub login: LoginState,
}

/// What became of the login that the cookie named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum LoginState {
    None,
    Live,
    Ended,
}

/// A heartbeat. Its `seq` is the head.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Beat {
    #[cfg_attr(test, ts(skip))]
    pub ev: &'static str,
    /// Events put on this socket so far.
    #[cfg_attr(test, ts(type = "number"))]
    pub sent: u64,
}

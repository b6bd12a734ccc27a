//! What is asked and told about votes.

use serde::{Deserialize, Serialize};

use crate::features::kit::Key;
use crate::features::requests;
use crate::features::views::Vote;
use crate::ids::{PostId, Seq, UserId};

requests! {
    "votes.set" Set -> Voted,
}

/// Sets the viewer's vote; it never toggles.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Set {
    pub key: Key,
    pub post_id: PostId,
    pub vote: Vote,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Voted {
    pub post_id: PostId,
    pub vote: Vote,
    pub seq: Seq,
}

/// Told to the voter's own sockets.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Changed {
    pub post_id: PostId,
    pub vote: Vote,
    #[serde(skip)]
    pub voter_id: UserId,
}

/// Told to the author's own sockets.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Counted {
    pub post_id: PostId,
    #[cfg_attr(test, ts(type = "number"))]
    pub positive_count: i64,
    #[serde(skip)]
    pub author_id: UserId,
}

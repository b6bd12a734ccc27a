//! Requests and events about the connection itself: probe, resume, leave and heartbeats.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::ids::{PollId, PostId, Seq, UserId, Whole};
use crate::transport::frame::frame;
use crate::wire::{self, codec, requests};

requests! {
    "live.probe" Probe -> Probed,
    "live.resume" Resume -> Resumed,
    "live.leave" Leave -> Left,
}

/// Asks whether the server answers, and for the number of the last delivered write.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Probe {}

/// Asks for the events since this write that name the viewer or concern the topics on screen.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Resume {
    pub epoch: String,
    #[cfg_attr(test, ts(type = "number"))]
    pub seq: Whole,
    pub posts: Vec<PostId>,
    pub profiles: Vec<UserId>,
}

/// Ends subscriptions, because the screen no longer shows these topics.
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
    /// True if the missed events are not replayed. The client then reads everything on screen again.
    pub resync: bool,
    pub seq: Seq,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Left {}

/// A heartbeat. Its `seq` is the last write that is delivered.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Beat {
    #[cfg_attr(test, ts(skip))]
    pub ev: &'static str,
    /// Events that were put on this socket so far.
    #[cfg_attr(test, ts(type = "number"))]
    pub sent: u64,
    /// If the server stops: the client comes back after a random time below this.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional, type = "number"))]
    pub back_ms: Option<u64>,
}

/// Returns the frame of a heartbeat.
#[must_use]
pub fn beat_frame(head: Seq, sent: u64, back_ms: Option<u64>) -> Bytes {
    let body = codec::encode(&Beat { ev: "beat", sent, back_ms }).unwrap_or_default();
    frame(&wire::event(head, &body))
}

//! The reply to a request. A feature returns it, and a session sends it.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::events::{Right, Topic};
use crate::ids::{LoginId, Seq, UserId};
use crate::wire::codec;

/// The reply to a request that was not refused: plain data, which may be encoded.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    /// The encoded value of `ok`.
    pub ok: Bytes,
    /// The last write that the reply includes; 0 if nothing in the reply can become outdated.
    pub seq: Seq,
    /// Whether the request was a read. A read can run again, because it changes nothing.
    pub is_read: bool,
    /// Topics to which the connection subscribes. It receives their events after `seq`.
    pub subscribe: Vec<Topic>,
    /// A right, and the value of `ok` that is sent instead if the viewer has lost this right.
    pub if_lost: Option<(Right, Bytes)>,
    /// False for a write that changed nothing.
    pub is_change: bool,
    /// The user and login as which the connection is signed in from now on; None if that does not change.
    pub signed_in: Option<(UserId, LoginId)>,
}

impl Reply {
    /// Encodes a reply in which nothing can become outdated.
    ///
    /// # Errors
    /// The value cannot be encoded, which is a bug.
    pub fn of(ok: &impl Serialize) -> Result<Self, Error> {
        Self::read(ok, Seq(0))
    }

    /// Encodes a value read in the snapshot `seq`.
    ///
    /// # Errors
    /// The value cannot be encoded, which is a bug.
    pub fn read(ok: &impl Serialize, seq: Seq) -> Result<Self, Error> {
        let (ok, is_read) = (Bytes::from(codec::encode(ok)?), seq > Seq(0));
        Ok(Self { ok, seq, is_read, subscribe: Vec::new(), if_lost: None, is_change: false, signed_in: None })
    }

    /// Adds topics to which the connection subscribes.
    #[must_use]
    pub fn subscribing(mut self, topics: impl IntoIterator<Item = Topic>) -> Self {
        self.subscribe.extend(topics);
        self
    }
}

/// The reply to a write that returns only its number.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Done {
    pub seq: Seq,
}

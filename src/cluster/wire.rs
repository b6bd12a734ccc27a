//! The messages between fronts and their home, their subjects, and the pieces of a long message.
//!
//! The encoded forms of these types, of published events and of replies have one version, [`ENCODING`]. It is the first
//! byte of every sealed message. There is none before 1, so nothing older is read or written yet.

use std::collections::VecDeque;
use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::authz::{Device, Viewer};
use crate::error::RefusalView;
use crate::events::PublishedEvent;
use crate::ids::{LoginId, Seq, UserId};
use crate::limits::{CLUSTER_PIECE_BYTES, CLUSTER_PIECES_MAX, CLUSTER_UNFINISHED_MAX};
use crate::random::random;
use crate::reply::Reply;

pub use crate::events::ENCODING;

/// One start of a process. Its name is 16 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Instance(pub u64);

impl Instance {
    /// Makes a new instance.
    ///
    /// # Errors
    /// One line: the system has no random bytes.
    pub fn new() -> Result<Self, String> {
        random().map(|bytes| Self(u64::from_be_bytes(bytes))).map_err(|why| why.to_string())
    }
}

impl fmt::Display for Instance {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:016x}", self.0)
    }
}

/// The subjects of one community.
#[derive(Clone)]
pub struct Subjects(pub Arc<str>);

impl Subjects {
    /// Batches and beats, from the home to all.
    #[must_use]
    pub fn log(&self) -> String {
        format!("{}.log", self.0)
    }

    /// [`AskTerms`], from a front to a home.
    #[must_use]
    pub fn terms(&self, home: Instance) -> String {
        format!("{}.{home}.terms", self.0)
    }

    /// [`Since`], from a front to its home.
    #[must_use]
    pub fn since(&self, home: Instance) -> String {
        format!("{}.{home}.since", self.0)
    }

    /// [`Identify`], from a front to its home.
    #[must_use]
    pub fn identify(&self, home: Instance) -> String {
        format!("{}.{home}.identify", self.0)
    }

    /// [`Ask`], from a front to one lane of its home.
    #[must_use]
    pub fn ask(&self, home: Instance, lane: u32) -> String {
        format!("{}.{home}.ask.{lane}", self.0)
    }

    /// [`At`], from a front to its home.
    #[must_use]
    pub fn at(&self, home: Instance) -> String {
        format!("{}.{home}.at", self.0)
    }
}

/// A message of a home to all its fronts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FromHome {
    Batch(Batch),
    Beat(Beat),
}

/// The events of whole writes, in commit order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Batch {
    pub home: Instance,
    pub epoch: Arc<str>,
    /// The last write before the batch.
    pub prev: Seq,
    /// The last write of the batch. A batch without events moves the head to it.
    pub last: Seq,
    pub quiet: QuietState,
    pub events: Vec<Arc<PublishedEvent>>,
}

/// The users who are in quiet hours when a batch is sent. It counts before the events of the batch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuietState {
    /// The number of its changes at this home.
    pub version: u64,
    /// The end of each user's quiet hours, in milliseconds since 1970 UTC; None if it is what the fronts already have.
    pub ends: Option<Vec<(UserId, i64)>>,
}

/// A sign of life of a home. It follows all batches up to its head.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Beat {
    pub home: Instance,
    /// When the home started, in milliseconds since 1970 UTC. Of two homes the one that started later counts.
    pub started_ms: i64,
    /// The time at the home, in milliseconds since 1970 UTC.
    pub now_ms: i64,
    pub epoch: Arc<str>,
    /// The last write before this start of the home. The start itself takes the next number.
    pub start: Seq,
    /// The last write that was published.
    pub head: Seq,
    /// The version of the quiet users that was published.
    pub quiet: u64,
    /// Whether the home stops. It counts its fronts for longer from now on.
    pub stops: bool,
}

/// Asks a home for what a front must know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskTerms {
    pub front: Instance,
}

/// What a front must know of its home.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    pub settings: HomeSettings,
    pub epoch: Arc<str>,
    /// The last write.
    pub head: Seq,
    /// A write after which the home has all events, and has them until the front has asked for them.
    pub log_from: Seq,
    /// The number of lanes for requests; at least 1.
    pub lanes: u32,
}

/// The settings that a front takes from its home.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HomeSettings {
    /// The address at which people reach the site; empty if it is not known.
    pub public_url: String,
    pub sockets_per_login: u64,
    pub sockets_per_address: u64,
    pub http_connections_per_address: u64,
    pub http_requests_per_minute: u64,
    pub requests_per_second: u64,
    pub chunks_per_second: u64,
}

/// Asks for the events of the writes after `from`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Since {
    pub epoch: Arc<str>,
    pub from: Seq,
    /// The version of the quiet users that the front has; None if it has none of this home.
    pub quiet: Option<u64>,
}

/// The answer to [`Since`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Missed {
    /// The next events. There may be more.
    Batch(Batch),
    /// The home does not have them: it started later, they were dropped, or they are of another history.
    Gone,
}

/// Asks who a new connection is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identify {
    pub front: Instance,
    /// The hash of the cookie of its login; None without a cookie.
    pub token_hash: Option<[u8; 32]>,
}

/// The identity of a new connection. The home has registered its user as connected, until the front says so itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identified {
    pub viewer: Viewer,
    /// The last write that the identity includes.
    pub since: Seq,
    pub epoch: Arc<str>,
    /// The body of `hello`, encoded.
    pub hello: Bytes,
}

/// A request of a socket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ask {
    pub front: Instance,
    /// The worker of the front that has the socket. It sends all its requests in one lane.
    pub worker: u32,
    /// The number of the request among those of the worker. It rises.
    pub number: u64,
    pub what: Asked,
}

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Asked {
    Request {
        viewer: Viewer,
        address: IpAddr,
        device: Device,
        op: String,
        /// The message of the client, unchanged.
        frame: Bytes,
    },
    /// Notes that a login is in use. It has no answer.
    NoteUse(LoginId),
}

/// The reply to a request.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replied {
    pub reply: Reply,
    /// Whether the home has registered the user as connected, because the reply signs the connection in. If it has not,
    /// the connection is closed after such a reply.
    pub is_present: bool,
}

/// The answer to a question that may be refused.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Answer<T> {
    Done(T),
    Refused(RefusalView),
}

/// A report of a front.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct At {
    pub front: Instance,
    /// The number of the report. It rises.
    pub number: u64,
    /// The write up to which every connection of the front has received its events.
    pub delivered: Seq,
    /// Open sockets.
    pub sockets: u64,
    /// The version of the program.
    pub build: String,
    /// The connections of users that began and ended, as far as the home has not confirmed it yet.
    pub changes: Vec<PresenceChange>,
}

/// A change of how many connections of a user a front has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PresenceChange {
    /// The number of the first report with this change. The home applies it once.
    pub number: u64,
    pub user_id: UserId,
    /// The connections that began, minus those that ended.
    pub by: i64,
}

/// The answer to a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AtAnswer {
    /// How long the home counts the front from the receipt of the report on, in milliseconds; 0 if it extends no lease,
    /// because the front has not delivered what it must.
    pub lease_ms: u64,
}

/// The bytes before each piece: the number of its message (8), its place (2) and the number of pieces (2).
const PIECE_HEAD_BYTES: usize = 12;

/// Cuts an encoded message into pieces. `number` names the message: no other message of this process has it.
pub fn cut(number: u64, bytes: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let pieces = bytes.len().div_ceil(CLUSTER_PIECE_BYTES).max(1);
    let count = u16::try_from(pieces).unwrap_or(u16::MAX);
    (0..count).map(move |place| {
        let from = usize::from(place) * CLUSTER_PIECE_BYTES;
        let part = &bytes[from..bytes.len().min(from + CLUSTER_PIECE_BYTES)];
        let mut piece = Vec::with_capacity(PIECE_HEAD_BYTES + part.len());
        piece.extend_from_slice(&number.to_be_bytes());
        piece.extend_from_slice(&place.to_be_bytes());
        piece.extend_from_slice(&count.to_be_bytes());
        piece.extend_from_slice(part);
        piece
    })
}

/// Joins pieces to messages. It keeps the pieces of [`CLUSTER_UNFINISHED_MAX`] messages.
#[derive(Default)]
pub struct Pieces(VecDeque<Unfinished>);

/// A message of which pieces are missing.
struct Unfinished {
    number: u64,
    parts: Vec<Option<Bytes>>,
}

impl Pieces {
    /// Adds a piece. Returns the message when its last piece is there.
    pub fn add(&mut self, piece: Bytes) -> Option<Bytes> {
        let (head, _) = piece.split_at_checked(PIECE_HEAD_BYTES)?;
        let number = u64::from_be_bytes(head.get(..8)?.try_into().ok()?);
        let place = usize::from(u16::from_be_bytes(head.get(8..10)?.try_into().ok()?));
        let count = usize::from(u16::from_be_bytes(head.get(10..12)?.try_into().ok()?));
        let part = piece.slice(PIECE_HEAD_BYTES..);
        if count == 1 {
            return Some(part);
        }
        if count > CLUSTER_PIECES_MAX || place >= count {
            return None;
        }
        let at = match self.0.iter().position(|open| open.number == number) {
            Some(at) => at,
            None => {
                if self.0.len() >= CLUSTER_UNFINISHED_MAX {
                    self.0.pop_front();
                }
                self.0.push_back(Unfinished { number, parts: vec![None; count] });
                self.0.len() - 1
            }
        };
        let open = self.0.get_mut(at)?;
        *open.parts.get_mut(place)? = Some(part);
        if open.parts.iter().any(Option::is_none) {
            return None;
        }
        let whole = self.0.remove(at)?;
        Some(whole.parts.into_iter().flatten().collect::<Vec<_>>().concat().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(number: u64, bytes: &[u8]) -> Vec<Bytes> {
        cut(number, bytes).map(Bytes::from).collect()
    }

    /// Adds pieces. Returns the numbers of bytes of the messages that were whole.
    fn lengths(joined: &mut Pieces, pieces: impl IntoIterator<Item = Bytes>) -> Vec<usize> {
        pieces.into_iter().filter_map(|piece| joined.add(piece)).map(|whole| whole.len()).collect()
    }

    #[test]
    fn a_long_message_is_whole_after_its_last_piece_in_any_order_and_with_repeats() {
        let bytes: Vec<u8> =
            (0..3 * CLUSTER_PIECE_BYTES - 7).map(|at| u8::try_from(at % 251).unwrap()).collect();
        let cut = pieces(9, &bytes);
        assert_eq!(cut.len(), 3);
        let mut joined = Pieces::default();
        for place in [2, 0, 2, 0] {
            assert_eq!(joined.add(cut[place].clone()), None);
        }
        assert_eq!(joined.add(cut[1].clone()).unwrap(), bytes);
        assert!(joined.0.is_empty());
    }

    #[test]
    fn a_short_message_is_one_piece_even_without_bytes() {
        let mut joined = Pieces::default();
        for bytes in [&b""[..], b"short"] {
            let cut = pieces(1, bytes);
            assert_eq!((cut.len(), joined.add(cut[0].clone()).unwrap()), (1, Bytes::copy_from_slice(bytes)));
        }
    }

    #[test]
    fn messages_whose_pieces_were_lost_make_room_for_later_ones() {
        let long = vec![7; CLUSTER_PIECE_BYTES + 1];
        let mut joined = Pieces::default();
        for number in 0..100 {
            // The second piece is lost.
            assert_eq!(lengths(&mut joined, pieces(number, &long).into_iter().take(1)), [0; 0]);
        }
        assert_eq!(joined.0.len(), CLUSTER_UNFINISHED_MAX);
        assert_eq!(lengths(&mut joined, pieces(100, &long)), [long.len()]);
        assert_eq!(lengths(&mut joined, pieces(99, &long).into_iter().skip(1)), [long.len()], "it was kept");
        assert_eq!(lengths(&mut joined, pieces(0, &long).into_iter().skip(1)), [0; 0], "it was not");
    }

    #[test]
    fn bytes_that_are_no_piece_are_dropped() {
        let mut joined = Pieces::default();
        let mut out_of_place = pieces(1, &vec![7; CLUSTER_PIECE_BYTES + 1])[0].to_vec();
        out_of_place[9] = 2;
        let mut too_many = out_of_place.clone();
        too_many[10..12].copy_from_slice(&u16::MAX.to_be_bytes());
        for bytes in
            [vec![], vec![0; PIECE_HEAD_BYTES - 1], vec![0; PIECE_HEAD_BYTES], out_of_place, too_many]
        {
            assert_eq!(joined.add(bytes.into()), None);
        }
        assert!(joined.0.is_empty());
    }
}

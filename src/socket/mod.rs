//! Sockets: taken over from the HTTP server at the upgrade, read, and written.
//!
//! [`session`] is an actor for each socket, which runs for what comes in. [`transport`] reads and writes, with the
//! pure [`frame`] and [`limiter`] beside it. [`send_queue`] is what leaves: replies of the session, and events,
//! which never pass through the actor. [`subscriber`] is a socket's place in delivery.
//!
//! Guarantees:
//! - A frame is checked and paid for before it is handled; nothing is allocated that arrived bytes did not need.
//! - A socket is not read while its requests in flight or its send queue are at their bounds: nothing
//!   accumulates here, and the kernel holds its peer back.
//! - A peer that takes nothing is cut from outside its session. An idle socket holds no buffer.
//!
//! Never: anything of a feature or of the database. A session asks one type, its [`Backend`].

mod frame;
mod limiter;
mod send_queue;
mod session;
mod subscriber;
mod transport;

use std::net::IpAddr;
use std::rc::Rc;

use bytes::Bytes;

pub use self::frame::{PING, frame};
pub use self::send_queue::SendQueue;
pub use self::session::{Opening, open};
use crate::access::Viewer;
use crate::error::Refusal;
use crate::ids::{LoginId, Seq};
use crate::live::seats::Topic;

/// All that a session asks of the rest of the server.
pub trait Backend: 'static {
    /// Keeps a person present for as long as it is held.
    type Presence: Unpin + 'static;

    /// Returns who a cookie belongs to.
    ///
    /// # Errors
    /// Nobody can tell now: the socket is to be opened later.
    fn identify(
        &self,
        cookie: Option<&str>,
    ) -> impl Future<Output = Result<Identity<Self::Presence>, Refusal>>;

    /// Answers a request that passed the check of its frame.
    ///
    /// The request is begun when the future is first polled, so that requests of one socket begin in their order.
    fn ask(
        &self,
        asker: Asker,
        op: &str,
        request: &[u8],
    ) -> impl Future<Output = Result<Answer<Self::Presence>, Refusal>> + use<Self> + 'static;

    /// Returns what a request of this name costs.
    fn cost(&self, op: &str) -> Cost;

    /// Counts a request of this name against the rate limit of its viewer.
    ///
    /// # Errors
    /// [`Refusal::SlowDown`] when it is over.
    fn admit(&self, viewer: Viewer, op: &str) -> Result<(), Refusal>;

    /// Notes that a login is in use.
    fn note_use(&self, login_id: LoginId);

    /// Was everything delivered that concerns a present person? If not, their socket is to come back.
    fn is_settled(&self, presence: &Self::Presence) -> bool;

    /// Returns the time, in milliseconds since 1970.
    fn now_ms(&self) -> i64;

    /// Names the history that sequence numbers belong to.
    fn epoch(&self) -> &str;
}

/// Who a new socket is of.
pub struct Identity<P> {
    pub viewer: Viewer,
    /// What was committed when that was read.
    pub since: Seq,
    pub presence: Option<P>,
    /// The body of `hello`, encoded.
    pub hello: Vec<u8>,
}

/// Who asks.
pub struct Asker {
    pub viewer: Viewer,
    pub address: IpAddr,
    /// Label of the device; empty if unknown.
    pub device: Rc<str>,
}

/// A yes.
pub struct Answer<P> {
    /// The encoded value of `ok`.
    pub ok: Bytes,
    /// What the socket subscribes to, beginning after `since`.
    pub topics: Vec<Topic>,
    /// What was committed when the answer was read; 0 for what was written.
    pub since: Seq,
    /// Set when the socket is this person's from now on.
    pub signed_in: Option<SignedIn<P>>,
}

/// A person whose socket this becomes.
pub struct SignedIn<P> {
    pub viewer: Viewer,
    pub presence: P,
}

/// What a request costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// How many ordinary requests it stands for among those in flight.
    pub weight: u32,
    /// Does a goodbye wait for its reply?
    pub is_owed: bool,
}

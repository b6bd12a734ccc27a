//! Sockets: each has a session, between the bytes of [`crate::transport`] and the [`Backend`].
//!
//! A [`session`] is an actor that handles the incoming messages of one socket. Events do not pass through it, but go
//! straight to the send queue of the socket. [`connection_limits`] limits the number of sockets.
//!
//! Never here: anything of a feature or of the database. A session calls only its [`Backend`].

pub mod connection_limits;
mod session;
pub mod wire;

use std::future::Future;
use std::net::IpAddr;
use std::rc::Rc;

pub use self::session::{Opening, open};
use crate::authz::{Device, Viewer};
use crate::error::Refusal;
use crate::ids::{LoginId, Seq};
use crate::reply::Reply;

/// The part of the server that a session needs.
pub trait Backend: 'static {
    /// The registration of a user as connected. Dropping it ends it.
    type Presence: Unpin + 'static;

    /// Returns the identity of a new connection whose login has the cookie with this hash; None without a cookie.
    ///
    /// # Errors
    /// The identity cannot be read now. The client connects again later.
    fn identify(
        &self,
        token_hash: Option<[u8; 32]>,
    ) -> impl Future<Output = Result<Identity<Self::Presence>, Refusal>>;

    /// Answers a request that passed the check of its frame.
    ///
    /// The request begins when the future is first polled, so that requests of one socket begin in their order.
    fn ask(
        &self,
        requester: Requester,
        op: &str,
        request: &[u8],
    ) -> impl Future<Output = RequestResult<Self::Presence>> + use<Self> + 'static;

    /// Returns the cost of a request of this name.
    fn cost(&self, op: &str) -> Cost;

    /// Counts a request of this name against the rate limit of its viewer.
    ///
    /// # Errors
    /// [`Refusal::SlowDown`] if the limit is reached.
    fn admit(&self, viewer: Viewer, op: &str) -> Result<(), Refusal>;

    /// Notes that a login is in use.
    fn note_use(&self, login_id: LoginId);

    /// Returns the time, in milliseconds since 1970 UTC.
    fn now_ms(&self) -> i64;

    /// Returns whether this is the epoch: the history that sequence numbers belong to.
    fn has_epoch(&self, epoch: &str) -> bool;
}

/// The identity of a connection.
pub struct Identity<P> {
    pub viewer: Viewer,
    /// The last write that the identity includes.
    pub since: Seq,
    /// None for a guest.
    pub presence: Option<P>,
    /// The body of `hello`, encoded.
    pub hello: Vec<u8>,
}

/// The client that sent a request.
#[derive(Clone)]
pub struct Requester {
    pub viewer: Viewer,
    pub address: IpAddr,
    pub device: Rc<Device>,
}

/// The reply to a request.
///
/// A reply that signs the connection in comes with the presence of that user. It comes with None if their groups cannot
/// be read; the connection is then closed after the reply, and the client reconnects. Any other reply comes with None.
pub type RequestResult<P> = Result<(Reply, Option<P>), NoReply>;

/// Why a request has no reply.
#[derive(Debug)]
pub enum NoReply {
    Refused(Refusal),
    /// Nobody knows whether the request was done. The connection is closed, and the client repeats it with its key.
    Unknown,
}

impl From<Refusal> for NoReply {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// The cost of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// The number of ordinary requests that it counts for among those in flight.
    pub weight: u32,
    /// Whether a close of the connection waits until this request is answered.
    pub is_awaited: bool,
}

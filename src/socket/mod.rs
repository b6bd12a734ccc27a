//! Sockets: a session for each, between the bytes of [`crate::transport`] and the [`Backend`].
//!
//! [`session`] is an actor for each socket, which handles incoming messages. Outgoing replies and events do not pass
//! through it; they go to the socket's send queue. [`connection_limits`] bounds the number of sockets.
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
use crate::delivery::groups::Presence;
use crate::error::Refusal;
use crate::ids::{LoginId, Seq};
use crate::reply::Reply;

/// All that a session asks of the rest of the server.
pub trait Backend: 'static {
    /// Returns the identity that a cookie gives to a new connection.
    ///
    /// # Errors
    /// The identity cannot be determined now; the client connects again later.
    fn identify(&self, cookie: Option<&str>) -> impl Future<Output = Result<Identity, Refusal>>;

    /// Answers a request that passed the check of its frame.
    ///
    /// The request is begun when the future is first polled, so that requests of one socket begin in their order.
    fn ask(
        &self,
        requester: Requester,
        op: &str,
        request: &[u8],
    ) -> impl Future<Output = Answer> + use<Self> + 'static;

    /// Returns the cost of a request of this name.
    fn cost(&self, op: &str) -> Cost;

    /// Counts a request of this name against the rate limit of its viewer.
    ///
    /// # Errors
    /// [`Refusal::SlowDown`] when it is over.
    fn admit(&self, viewer: Viewer, op: &str) -> Result<(), Refusal>;

    /// Notes that a login is in use.
    fn note_use(&self, login_id: LoginId);

    /// Returns the time, in milliseconds since 1970 UTC.
    fn now_ms(&self) -> i64;

    /// Names the history that sequence numbers belong to.
    fn epoch(&self) -> &str;
}

/// The identity of a connection.
pub struct Identity {
    pub viewer: Viewer,
    /// The write as of which this is right.
    pub since: Seq,
    /// None for a guest.
    pub presence: Option<Presence>,
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
/// A reply that signs the connection in comes with the presence of that user, or with None if their groups cannot be
/// read: the connection is then closed after the reply, and the client reconnects. Any other reply comes with None.
pub type Answer = Result<(Reply, Option<Presence>), Refusal>;

/// The cost of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// How many ordinary requests it counts for among those in flight.
    pub weight: u32,
    /// The connection is not closed before this request is answered.
    pub is_awaited: bool,
}

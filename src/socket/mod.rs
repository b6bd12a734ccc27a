//! Sockets: a session for each, between the bytes of [`crate::transport`] and the one type it asks.
//!
//! [`session`] is an actor for each socket, which runs for what comes in. What goes out never passes through it: replies
//! and events go to the socket's send queue. [`connection_limits`] bounds how many sockets there are.
//!
//! Never here: anything of a feature or of the database. A session asks one type, its [`Backend`].

pub mod connection_limits;
mod session;
pub mod wire;

use std::future::Future;
use std::net::IpAddr;
use std::rc::Rc;

use bytes::Bytes;

pub use self::session::{Opening, open};
use crate::access::Viewer;
use crate::delivery::groups::Presence;
use crate::error::Refusal;
use crate::events::{Right, Topic};
use crate::ids::{LoginId, Seq};

/// All that a session asks of the rest of the server.
pub trait Backend: 'static {
    /// Returns whose socket it is, by its cookie.
    ///
    /// # Errors
    /// Nobody can tell now: the socket is to be opened later.
    fn identify(&self, cookie: Option<&str>) -> impl Future<Output = Result<Identity, Refusal>>;

    /// Answers a request that passed the check of its frame.
    ///
    /// The request is begun when the future is first polled, so that requests of one socket begin in their order.
    fn ask(
        &self,
        asker: Asker,
        op: &str,
        request: &[u8],
    ) -> impl Future<Output = Result<Answer, Refusal>> + use<Self> + 'static;

    /// Returns what a request of this name costs.
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

/// Whose socket it is.
pub struct Identity {
    pub viewer: Viewer,
    /// The write that this is right as of.
    pub since: Seq,
    /// None for a guest.
    pub presence: Option<Presence>,
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
pub struct Answer {
    /// The encoded value of `ok`.
    pub ok: Bytes,
    /// The write that it is right as of; 0: nothing in it can be outdated.
    pub seq: Seq,
    /// A read: run again it answers anew, and changes nothing.
    pub is_read: bool,
    /// What the connection subscribes to, beginning after `seq`.
    pub subscribe: Vec<Topic>,
    /// What is answered instead once the viewer has lost this right.
    pub if_lost: Option<(Right, Bytes)>,
    /// Set when the socket is this user's from now on.
    pub signed_in: Option<SignedIn>,
}

/// A user whose socket this becomes.
pub struct SignedIn {
    pub viewer: Viewer,
    /// None when the groups of the user cannot be had: the socket is closed after the answer, and the client comes back.
    pub presence: Option<Presence>,
}

/// What a request costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// How many ordinary requests it stands for among those in flight.
    pub weight: u32,
    /// Does a goodbye wait for its reply?
    pub is_owed: bool,
}

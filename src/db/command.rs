//! Write commands: what one request does inside the writer's transaction, and the key it is remembered by.

use bytes::Bytes;

use super::sql::Sql;
use crate::error::Error;
use crate::events::Right;
use crate::ids::{Seq, UserId};
use crate::limits::KEY_BYTES;

/// A key and what it was used for.
#[derive(Clone, Debug)]
pub struct KeyUse {
    /// Whose key it is.
    pub user_id: UserId,
    /// 16 random bytes made by the client.
    pub key: [u8; KEY_BYTES],
    /// Tells this request from another under the same key.
    pub body_hash: [u8; 16],
}

/// One request's write.
pub trait WriteCommand: Send {
    /// What is published after the commit.
    type Event: Send + 'static;

    /// The key this command is remembered by; None for what only the server asks for.
    fn key(&self) -> Option<&KeyUse> {
        None
    }

    /// Is its key written down? Asked once it is done. False for what changed nothing and has no rate limit:
    /// done again it changes nothing either, and its rows would have no bound.
    fn is_remembered(&self) -> bool {
        true
    }

    /// True when nothing of what this removes may be left in the database's file or log.
    fn erases_securely(&self) -> bool {
        false
    }

    /// True for what the server does by itself and nobody asked for: without an event it takes no number.
    fn is_housekeeping(&self) -> bool {
        false
    }

    /// Bytes this command holds while it waits: its texts, and a few hundred for the rest.
    fn weight_bytes(&self) -> usize {
        256
    }

    /// Loads facts, asks `access`, applies, publishes events; returns the encoded answer.
    ///
    /// # Errors
    /// A refusal or a fault: everything since the savepoint is taken back.
    fn apply(&mut self, transaction: &mut Transaction<'_, Self::Event>) -> Result<Bytes, Error>;
}

/// A command of any kind, as it waits.
pub type BoxedCommand<E> = Box<dyn WriteCommand<Event = E>>;

/// The answer of a command that was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// The encoded value of `ok`.
    pub ok: Bytes,
    /// The number of the write; of one that was done before, of the write before this one.
    pub seq: Seq,
    /// What is answered instead once the user has lost this right.
    pub if_lost: Option<(Right, Bytes)>,
}

/// Where a command writes: inside its savepoint.
pub struct Transaction<'c, E> {
    /// The writer's connection.
    pub sql: Sql<'c>,
    /// When this batch of commands began, in milliseconds since 1970 UTC.
    pub now_ms: i64,
    seq: Seq,
    events: Vec<E>,
    if_lost: Option<(Right, Bytes)>,
}

impl<'c, E> Transaction<'c, E> {
    /// Begins a command that gets the number `seq` if it is done.
    pub(super) fn new(sql: Sql<'c>, now_ms: i64, seq: Seq) -> Self {
        Self { sql, now_ms, seq, events: Vec::new(), if_lost: None }
    }

    /// Has an event published after the commit, in the order of these calls.
    pub fn publish(&mut self, event: E) {
        self.events.push(event);
    }

    /// Returns the number of this write.
    #[must_use]
    pub fn seq(&self) -> Seq {
        self.seq
    }

    /// Says what is answered instead of what [`WriteCommand::apply`] returns once the user has lost a right: a write
    /// that was done is answered as done, without what its author may no longer see.
    pub fn answer_if_lost(&mut self, right: Right, ok: Bytes) {
        self.if_lost = Some((right, ok));
    }

    /// Makes the answer.
    pub(super) fn done(&mut self, ok: Bytes) -> Done {
        Done { ok, seq: self.seq(), if_lost: self.if_lost.take() }
    }

    /// Returns the events, in the order they were published.
    pub(super) fn into_events(self) -> Vec<E> {
        self.events
    }
}

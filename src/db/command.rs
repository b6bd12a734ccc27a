//! Write commands: what one request does inside the writer's transaction, and the key it is remembered by.

use bytes::Bytes;

use super::sql::Sql;
pub use super::work::KeyUse;
use crate::error::Error;
use crate::ids::Seq;

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

/// Where a command writes: inside its savepoint.
pub struct Transaction<'c, E> {
    /// The writer's connection.
    pub sql: Sql<'c>,
    /// When this batch of commands began, in milliseconds since 1970 UTC.
    pub now_ms: i64,
    pub(super) events: Vec<(Seq, E)>,
    pub(super) seq: Seq,
}

impl<E> Transaction<'_, E> {
    /// Has an event published after the commit, in the order of these calls.
    pub fn publish(&mut self, event: E) {
        self.seq = Seq(self.seq.0 + 1);
        self.events.push((self.seq, event));
    }

    /// Returns the number of this write. Ask it last, for the answer.
    #[must_use]
    pub fn seq(&self) -> Seq {
        self.seq
    }
}

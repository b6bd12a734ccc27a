//! Write commands: what one request does inside the writer's transaction, and the idempotency key of the request.

use bytes::Bytes;
use serde::Serialize;

use super::sql::Sql;
use crate::error::Error;
use crate::events::Right;
use crate::ids::{IdMaker, Seq, UserId};
use crate::limits::KEY_BYTES;
use crate::wire::codec;

/// A key, and a hash of the request that used it.
#[derive(Clone, Debug)]
pub struct KeyUse {
    /// The user whose key it is.
    pub user_id: UserId,
    /// 16 random bytes made by the client.
    pub key: [u8; KEY_BYTES],
    /// A hash of the request. It differs between requests that use the same key.
    pub body_hash: [u8; 16],
}

/// The kind of data that a command deletes. Whatever the writer does for one kind, it also does for the kinds after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Deletes {
    /// Nothing. Only such a command is refused below the floor of free disk space.
    Nothing,
    /// Content or logins.
    Content,
    /// A secret, such as the link of a mail. The write-ahead log is emptied.
    Secret,
    /// An account, or the remains of one. Its data is also overwritten in the file of the database.
    Account,
}

/// The write of one request.
pub trait WriteCommand: Send + 'static {
    /// The events that are published after the commit.
    type Event: Send + 'static;
    /// The result. Encoded, it is the value of `ok` in the reply.
    type Value: Serialize + Send + 'static;

    /// The key of the request; None for commands of the server itself.
    fn key(&self) -> Option<&KeyUse> {
        None
    }

    /// Returns what the command deletes.
    fn deletes(&self) -> Deletes {
        Deletes::Nothing
    }

    /// Returns whether the command belongs to the server itself and not to a request. Such a command takes no number if
    /// it publishes no event.
    fn is_housekeeping(&self) -> bool {
        false
    }

    /// Returns the bytes that the command holds while it waits: its texts, and a few hundred for the rest.
    fn weight_bytes(&self) -> usize {
        256
    }

    /// Loads the facts, asks `authz`, writes and publishes events.
    ///
    /// # Errors
    /// A refusal or a fault. Everything since the savepoint is rolled back.
    fn apply(&mut self, transaction: &mut Transaction<'_, Self::Event>) -> Result<Self::Value, Error>;
}

/// A command of the server itself without fields, such as one that deletes what has expired.
pub struct Housekeeping<E: 'static>(pub fn(&mut Transaction<'_, E>) -> Result<(), Error>);

impl<E: Send + 'static> WriteCommand for Housekeeping<E> {
    type Event = E;
    type Value = ();

    fn is_housekeeping(&self) -> bool {
        true
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, E>) -> Result<(), Error> {
        self.0(transaction)
    }
}

/// Implements [`WriteCommand::key`] for a command with a field `key: KeyUse`; with `optional`, for a field `key:
/// Option<KeyUse>`.
macro_rules! keyed {
    (optional) => {
        fn key(&self) -> Option<&$crate::db::command::KeyUse> {
            self.key.as_ref()
        }
    };
    () => {
        fn key(&self) -> Option<&$crate::db::command::KeyUse> {
            Some(&self.key)
        }
    };
}
pub(crate) use keyed;

/// Implements [`WriteCommand::deletes`] for a command that always deletes the same kind.
macro_rules! deletes {
    ($kind:ident) => {
        fn deletes(&self) -> $crate::db::command::Deletes {
            $crate::db::command::Deletes::$kind
        }
    };
}
pub(crate) use deletes;

/// The result of a command that was not refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done<V> {
    /// The result of [`WriteCommand::apply`]; None if the key was used before, and the first reply is given again.
    pub value: Option<V>,
    /// The encoded value of `ok`: the result, or the first reply.
    pub ok: Bytes,
    /// The number of the write. If the key was used before, the number of the newest write so far.
    pub seq: Seq,
    /// The reply that is sent instead if the user has lost this right.
    pub if_lost: Option<(Right, Bytes)>,
    /// False if this command changed nothing, because the state was already as requested or the key was used before.
    pub is_change: bool,
}

/// The open savepoint of a command.
pub struct Transaction<'c, E> {
    /// The writer's connection.
    pub sql: Sql<'c>,
    /// When this batch of commands began, in milliseconds since 1970 UTC.
    pub now_ms: i64,
    ids: &'c IdMaker,
    seq: Seq,
    events: Vec<E>,
    if_lost: Option<(Right, Bytes)>,
    is_change: bool,
    /// True if the key of a command that changed nothing is remembered however many keys its user has.
    pub(super) is_remembered: bool,
}

impl<'c, E> Transaction<'c, E> {
    /// Begins a command, which gets the number `seq` if it is not refused.
    pub(super) fn new(sql: Sql<'c>, now_ms: i64, ids: &'c IdMaker, seq: Seq) -> Self {
        Self {
            sql,
            now_ms,
            ids,
            seq,
            events: Vec::new(),
            if_lost: None,
            is_change: true,
            is_remembered: false,
        }
    }

    /// Makes the id of a new row. These ids rise in the order of commits, so a client that appends each new row has the
    /// same list as one that reads it.
    #[must_use]
    pub fn new_id(&self) -> i64 {
        self.ids.make(self.now_ms)
    }

    /// Publishes an event after the commit. Events are published in the order of these calls.
    pub fn publish(&mut self, event: E) {
        self.events.push(event);
    }

    /// Returns the number of this write.
    #[must_use]
    pub fn seq(&self) -> Seq {
        self.seq
    }

    /// Sets the reply that is sent instead of the result of [`WriteCommand::apply`] if the user has lost a right. The
    /// write stays done; the reply leaves out what the user may no longer see.
    ///
    /// # Errors
    /// The value cannot be encoded, which is a bug.
    pub fn reply_if_lost(&mut self, right: Right, value: &impl Serialize) -> Result<(), Error> {
        self.if_lost = Some((right, codec::encode(value)?.into()));
        Ok(())
    }

    /// Notes that the command changed nothing. It then does not count against its rate limit. Its key is remembered, so
    /// that a retry after another write changes nothing either. The key is not remembered if the user has many keys
    /// ([`KEYS_OF_NOTHING_MAX`](crate::limits::KEYS_OF_NOTHING_MAX)).
    pub fn changes_nothing(&mut self) {
        self.is_change = false;
    }

    /// Like [`Transaction::changes_nothing`], for a command that counts against its rate limit all the same. So its key
    /// is remembered however many keys the user has.
    pub fn changes_nothing_but_counts(&mut self) {
        self.is_change = false;
        self.is_remembered = true;
    }

    /// Makes the result of the command, without its value.
    pub(super) fn done(&mut self, ok: Bytes) -> Done<()> {
        let (seq, if_lost, is_change) = (self.seq(), self.if_lost.take(), self.is_change);
        Done { value: None, ok, seq, if_lost, is_change }
    }

    /// Returns the events in the order in which they were published.
    pub(super) fn into_events(self) -> Vec<E> {
        self.events
    }
}

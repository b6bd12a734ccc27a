//! Write commands: what one request does inside the writer's transaction, and the idempotency key of the request.

use bytes::Bytes;

use super::sql::Sql;
use crate::error::Error;
use crate::events::Right;
use crate::ids::{IdMaker, Seq, UserId};
use crate::limits::KEY_BYTES;

/// A key, and a hash of the request it was used for.
#[derive(Clone, Debug)]
pub struct KeyUse {
    /// Whose key it is.
    pub user_id: UserId,
    /// 16 random bytes made by the client.
    pub key: [u8; KEY_BYTES],
    /// Distinguishes requests that use the same key.
    pub body_hash: [u8; 16],
}

/// What a command deletes. Each kind is treated as the kinds before it, and more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Deletes {
    /// Nothing. Only such a command is refused below the floor of free disk space.
    Nothing,
    /// Content or logins.
    Content,
    /// A secret, such as the link of a mail. The database's log is emptied.
    Secret,
    /// An account, or what was left of one. Its data is overwritten in the database's file, too.
    Account,
}

/// One request's write.
pub trait WriteCommand: Send {
    /// The events that are published after the commit.
    type Event: Send + 'static;

    /// The key of the request; None for commands of the server itself.
    fn key(&self) -> Option<&KeyUse> {
        None
    }

    /// Returns what the command deletes.
    fn deletes(&self) -> Deletes {
        Deletes::Nothing
    }

    /// Returns whether the command belongs to the server itself and not to a request. Without an event it takes no
    /// number.
    fn is_housekeeping(&self) -> bool {
        false
    }

    /// Bytes this command holds while it waits: its texts, and a few hundred for the rest.
    fn weight_bytes(&self) -> usize {
        256
    }

    /// Loads facts, asks `authz`, applies, publishes events; returns the encoded answer.
    ///
    /// # Errors
    /// A refusal or a fault: everything since the savepoint is taken back.
    fn apply(&mut self, transaction: &mut Transaction<'_, Self::Event>) -> Result<Bytes, Error>;
}

/// Implements [`WriteCommand::key`] for a command with a field `key: KeyUse`; or, `optional`, `key: Option<KeyUse>`.
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

/// A command of any kind, as it waits.
pub type BoxedCommand<E> = Box<dyn WriteCommand<Event = E>>;

/// The answer of a command that was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// The encoded value of `ok`.
    pub ok: Bytes,
    /// The number of the write; of one that was done before, of the write before this one.
    pub seq: Seq,
    /// The reply that is sent instead if the user has lost this right.
    pub if_lost: Option<(Right, Bytes)>,
    /// False if this command changed nothing: the state was so already, or the key was used before.
    pub is_change: bool,
}

/// Where a command writes: inside its savepoint.
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
    /// False: the key of a command that changed nothing leaves no row.
    pub(super) is_remembered: bool,
}

impl<'c, E> Transaction<'c, E> {
    /// Begins a command that gets the number `seq` if it is done.
    pub(super) fn new(sql: Sql<'c>, now_ms: i64, ids: &'c IdMaker, seq: Seq) -> Self {
        Self {
            sql,
            now_ms,
            ids,
            seq,
            events: Vec::new(),
            if_lost: None,
            is_change: true,
            is_remembered: true,
        }
    }

    /// Makes the id of a new row. These ids rise in the order of commits, so a client that appends each new row has the
    /// same list as one that reads it.
    #[must_use]
    pub fn new_id(&self) -> i64 {
        self.ids.make(self.now_ms)
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

    /// Sets the reply that is sent instead of the result of [`WriteCommand::apply`] if the user has lost a right. The
    /// write stays done; the reply leaves out what the user may no longer see.
    pub fn answer_if_lost(&mut self, right: Right, ok: Bytes) {
        self.if_lost = Some((right, ok));
    }

    /// Notes that the command changed nothing. It does not count against its rate limit. Its key is remembered, so that
    /// it changes nothing either if it comes again after another write, but only while the user has few keys
    /// ([`KEYS_OF_NOTHING_MAX`](crate::limits::KEYS_OF_NOTHING_MAX)).
    pub fn changes_nothing(&mut self) {
        self.is_change = false;
    }

    /// Notes that the command changed nothing, and leaves no row of its key.
    pub fn changes_nothing_and_forgets(&mut self) {
        self.is_change = false;
        self.is_remembered = false;
    }

    /// Makes the answer.
    pub(super) fn done(&mut self, ok: Bytes) -> Done {
        Done { ok, seq: self.seq(), if_lost: self.if_lost.take(), is_change: self.is_change }
    }

    /// Returns the events, in the order they were published.
    pub(super) fn into_events(self) -> Vec<E> {
        self.events
    }
}

//! Work for the writer: what one piece of it is, the stage it is done on, the key it is remembered by.

use std::any::Any;
use std::future::Future;
use std::pin::Pin;

use bytes::Bytes;
use sqlx::SqliteConnection;

use crate::error::{Error, Refusal};
use crate::ids::{Seq, UserId};
use crate::limits;

/// What a future of this module looks like behind a trait.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A key and what it was used for.
#[derive(Clone, Debug)]
pub struct KeyUse {
    /// Whose key it is.
    pub user_id: UserId,
    /// 16 random bytes made by the client.
    pub key: [u8; limits::KEY_BYTES],
    /// Tells this request from another under the same key.
    pub body_hash: [u8; 16],
}

/// Work of any kind, as it waits.
pub type BoxedWork<E> = Box<dyn Work<Event = E>>;

/// One request's work inside the writer's transaction.
pub trait Work: Any + Send {
    /// What is told to people after the commit.
    type Event: Send + 'static;

    /// The key this work is remembered by; None for work that only the server asks for.
    fn key(&self) -> Option<&KeyUse> {
        None
    }

    /// Is its key written down? Asked once it is done. Not for what changed nothing and is not paced: done
    /// again it changes nothing either, and its rows would have no bound but a person's haste.
    fn is_remembered(&self) -> bool {
        true
    }

    /// True when [`Work::apply`] sets its own savepoint `one`, records its key and releases it, all
    /// in one trip. For the frequent writes: each trip to SQLite's thread costs about 55 µs.
    /// What such work refuses, it refuses after the release, having written nothing.
    fn is_one_trip(&self) -> bool {
        false
    }

    /// True when nothing of what this removes may be left in the file: the writer empties the log, where
    /// pages stand as they were, after the commit and as soon as no reader needs it, and soon writes pages
    /// anew.
    fn scours(&self) -> bool {
        false
    }

    /// How many of `next`, counted from its first, can be done together with this in one trip.
    fn unites(&self, next: &[BoxedWork<Self::Event>]) -> usize {
        let _ = next;
        0
    }

    /// Does this and those it unites with in one trip that also sets their savepoint `one`, records
    /// their keys and releases it. None stands for one that must be done alone after all.
    ///
    /// # Errors
    /// A fault: everything since the savepoint is taken back, and each is done alone.
    fn apply_united<'a>(
        &'a mut self,
        others: &'a mut [BoxedWork<Self::Event>],
        stage: &'a mut Stage<'_, Self::Event>,
    ) -> Pending<'a, Result<Vec<Option<Bytes>>, Error>> {
        let _ = stage;
        let alone = others.len() + 1;
        Box::pin(async move { Ok(vec![None; alone]) })
    }

    /// Bytes this work holds while it waits.
    fn weight_bytes(&self) -> usize;

    /// Loads facts, asks `access`, applies, names the events; returns the encoded answer.
    ///
    /// # Errors
    /// A refusal or a fault: everything since the savepoint is taken back.
    fn apply<'a>(&'a mut self, stage: &'a mut Stage<'_, Self::Event>) -> Pending<'a, Result<Bytes, Error>>;
}

/// While the writer still works through sqlx: a command is done on the connection that sqlx holds.
impl<C: super::command::WriteCommand + 'static> Work for C {
    type Event = C::Event;

    fn key(&self) -> Option<&KeyUse> {
        super::command::WriteCommand::key(self)
    }

    fn is_remembered(&self) -> bool {
        super::command::WriteCommand::is_remembered(self)
    }

    fn scours(&self) -> bool {
        self.erases_securely()
    }

    fn weight_bytes(&self) -> usize {
        super::command::WriteCommand::weight_bytes(self)
    }

    fn apply<'a>(&'a mut self, stage: &'a mut Stage<'_, Self::Event>) -> Pending<'a, Result<Bytes, Error>> {
        Box::pin(async move {
            let (answer, events) = {
                let mut handle = stage.connection.lock_handle().await?;
                let handle = handle.as_raw_handle().as_ptr();
                // SAFETY: the handle is locked, so nobody else uses the connection while this lives.
                let connection = unsafe { rusqlite::Connection::from_handle(handle.cast())? };
                super::sql::prepare(&connection)?;
                let sql = super::sql::Sql::new(&connection);
                let mut transaction = super::command::Transaction::new(sql, stage.now_ms, stage.seq);
                transaction.counts_events = true;
                let answer = super::command::WriteCommand::apply(self, &mut transaction);
                (answer, transaction.into_events())
            };
            for event in events {
                stage.tell(event);
            }
            answer
        })
    }
}

/// Returns the run that begins with `first`: it and what follows of its kind, until one meets
/// (must come after) one that is in the run already.
pub fn run_of<'a, E, W>(first: &'a W, next: &'a [BoxedWork<E>], meets: impl Fn(&W, &W) -> bool) -> Vec<&'a W>
where
    W: Work<Event = E>,
    E: Send + 'static,
{
    let mut run = vec![first];
    for work in next {
        let any: &dyn Any = work.as_ref();
        match any.downcast_ref::<W>() {
            Some(work) if !run.iter().any(|held| meets(held, work)) => run.push(work),
            _ => break,
        }
    }
    run
}

/// Where work happens: the transaction, the time, and the events so far.
pub struct Stage<'c, E> {
    /// The writer's connection, inside its transaction.
    pub connection: &'c mut SqliteConnection,
    /// When this batch began.
    pub now_ms: i64,
    pub(super) events: Vec<(Seq, E)>,
    pub(super) seq: Seq,
}

impl<E> Stage<'_, E> {
    /// Names an event; returns its number.
    pub fn tell(&mut self, event: E) -> Seq {
        self.seq = Seq(self.seq.0 + 1);
        self.events.push((self.seq, event));
        self.seq
    }

    /// Names an event under a number that was promised with [`Stage::promise`].
    pub fn tell_as(&mut self, seq: Seq, event: E) {
        debug_assert!(seq <= self.seq, "only promised numbers");
        self.events.push((seq, event));
    }

    /// Sets `count` numbers aside and returns the last; unused ones are skipped for good.
    pub fn promise(&mut self, count: i64) -> Seq {
        self.seq = Seq(self.seq.0 + count);
        self.seq
    }

    /// Returns the number of the last event so far.
    #[must_use]
    pub fn seq(&self) -> Seq {
        self.seq
    }
}

/// Returns the answer a key was given before.
///
/// # Errors
/// [`Refusal::KeyConflict`] when the key was used for something else; [`Refusal::NotFound`] when the answer
/// was forgotten, because it had words of somebody in it whose account ended.
pub fn known_answer(key: &KeyUse, body_hash: &[u8], answer: &[u8]) -> Result<Bytes, Error> {
    if body_hash == key.body_hash && answer.is_empty() {
        Err(Refusal::NotFound.into())
    } else if body_hash == key.body_hash {
        Ok(Bytes::copy_from_slice(answer))
    } else {
        Err(Refusal::KeyConflict.into())
    }
}

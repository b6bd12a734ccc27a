//! The single writer: an actor that owns the only connection that writes, on its own thread.
//!
//! Commands that arrive during a commit are committed together next (group commit). Each command has its own
//! savepoint: a refused command leaves nothing behind, takes no number and does not affect others. After the commit
//! the events are published and then the requests are answered, both in commit order.
//!
//! Guarantees:
//! - A reply is sent only after the commit is on disk (`synchronous = full`).
//! - One command takes one `seq`, regardless of its number of events.
//! - The same key gets the same reply; the row of the key is part of the command's commit.
//! - A full disk refuses every command of the batch with `storage_full`. Writes succeed again once there is space.
//!   Below a floor of free space, commands of requests that do not delete are refused earlier.
//! - A deleted account leaves no key. Its commands that are still queued are refused.
//! - A failed sync or a panic ends the process with one line. The next start recovers: every acknowledged command is in
//!   the database, and every other command is there completely or not at all.
//!
//! Never here: slow work (hashing, pictures, mail), or code of a feature.

mod submitted;

use std::io::Write;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use actix::dev::channel::channel;
use actix::prelude::*;
use rusqlite::{Connection, ffi};
use tokio::sync::oneshot;

use super::command::{Deletes, Done, KeyUse, Transaction, WriteCommand};
use super::disk_floor::DiskFloor;
use super::secure_erase::SecureErase;
use super::sql::Sql;
use crate::clock::Clock;
use crate::counters;
use crate::error::{Error, Refusal};
use crate::events::Right;
use crate::ids::{GroupId, IdMaker, Seq, UserId};
use crate::limits;
use submitted::{AnyCommand, Submitted};

/// The result of a command: what it did, or its refusal.
type CommandResult<V> = Result<Done<V>, Refusal>;

/// The result of one batch.
pub struct Committed<E> {
    /// The number of its last command.
    pub head: Seq,
    /// In commit order, each with the number of its command.
    pub events: Vec<(Seq, E)>,
}

/// A function that is called after each commit. It must be quick, because the next commit waits for it.
pub type Publish<E> = Box<dyn FnMut(Committed<E>) + Send>;

/// A function that returns whether a user has a right, as of all writes so far.
pub type HasRight = fn(Sql<'_>, UserId, Right) -> Result<bool, Error>;

/// Counts of commands. They are kept outside the actor, so that a full queue refuses quickly.
#[derive(Default)]
pub struct Load {
    /// Commands that wait or run.
    pub commands: AtomicUsize,
    /// The bytes of these commands.
    pub bytes: AtomicUsize,
    /// Commits so far.
    pub commits: AtomicUsize,
    /// Commands committed so far.
    pub committed: AtomicUsize,
}

/// A handle to the writer.
pub struct WriterHandle<E: Send + 'static> {
    address: Addr<Writer<E>>,
    load: Arc<Load>,
}

impl<E: Send + 'static> Clone for WriterHandle<E> {
    fn clone(&self) -> Self {
        Self { address: self.address.clone(), load: self.load.clone() }
    }
}

impl<E: Send + 'static> WriterHandle<E> {
    /// Submits a command to the writer and waits for its commit.
    ///
    /// # Errors
    /// [`Refusal::Busy`] if [`limits::WRITER_QUEUE_MAX`] commands or [`limits::WRITER_QUEUE_BYTES_MAX`] bytes already
    /// wait; the command is then not applied. Otherwise the refusal of the command.
    pub async fn submit<C: WriteCommand<Event = E>>(&self, command: C) -> CommandResult<C::Value> {
        let bytes = command.weight_bytes();
        let commands = self.load.commands.fetch_add(1, Ordering::Relaxed);
        let held = self.load.bytes.fetch_add(bytes, Ordering::Relaxed);
        let counted = Counted { load: self.load.clone(), bytes };
        if commands >= limits::WRITER_QUEUE_MAX || held + bytes > limits::WRITER_QUEUE_BYTES_MAX {
            return Err(Refusal::Busy);
        }
        let (request, awaited) = oneshot::channel();
        let command = Box::new(Submitted::new(command, request));
        self.address.try_send(Submit { command, counted }).map_err(|_| Refusal::Busy)?;
        // The writer answers every command that it began. A command that was dropped without an answer was therefore
        // never begun.
        awaited.await.unwrap_or(Err(Refusal::Busy))
    }

    /// Returns the counts of commands.
    #[must_use]
    pub fn load(&self) -> &Load {
        &self.load
    }

    /// Waits until all commands submitted so far are committed and answered, then ends the writer.
    pub async fn close(&self) {
        if self.address.send(Close).await.is_err() {
            log::warn!("the writer had already stopped");
        }
    }
}

/// Counts a command while it waits or runs, even if its request was dropped.
struct Counted {
    load: Arc<Load>,
    bytes: usize,
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.load.commands.fetch_sub(1, Ordering::Relaxed);
        self.load.bytes.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

struct Submit<E: Send + 'static> {
    command: Box<dyn AnyCommand<E>>,
    counted: Counted,
}

impl<E: Send + 'static> Message for Submit<E> {
    type Result = ();
}

struct Close;

impl Message for Close {
    type Result = ();
}

/// The actor.
pub struct Writer<E: Send + 'static> {
    /// None after the writer is closed.
    connection: Option<Connection>,
    clock: Clock,
    ids: Arc<IdMaker>,
    seq: Seq,
    publish: Publish<E>,
    has_right: HasRight,
    load: Arc<Load>,
    queue: Vec<Submit<E>>,
    /// A commit of the queue is scheduled.
    is_scheduled: bool,
    erase: SecureErase,
    floor: DiskFloor,
}

/// Starts the writer on a thread of its own and returns its handle. Below the `floor` of free disk space, requests can
/// only delete. `ids` makes the ids of new rows. `seq` is the number of the last write so far. `has_right` decides
/// which reply is given to a key that was used before.
pub fn start<E: Send + 'static>(
    connection: Connection,
    floor: DiskFloor,
    clock: Clock,
    ids: Arc<IdMaker>,
    seq: Seq,
    publish: Publish<E>,
    has_right: HasRight,
) -> WriterHandle<E> {
    let load = Arc::new(Load::default());
    let writer = Writer {
        connection: Some(connection),
        clock,
        ids,
        seq,
        publish,
        has_right,
        load: load.clone(),
        queue: Vec::new(),
        is_scheduled: false,
        erase: SecureErase::default(),
        floor,
    };
    // The mailbox that `start_in_arbiter` makes holds only sixteen commands until the thread runs.
    let (sender, receiver) = channel(limits::WRITER_QUEUE_MAX);
    Arbiter::new().spawn_fn(move || drop(Context::with_receiver(receiver).run(writer)));
    WriterHandle { address: Addr::new(sender), load }
}

impl<E: Send + 'static> Actor for Writer<E> {
    type Context = Context<Self>;
}

impl<E: Send + 'static> Handler<Submit<E>> for Writer<E> {
    type Result = ();

    fn handle(&mut self, submit: Submit<E>, context: &mut Context<Self>) {
        self.queue.push(submit);
        self.schedule(context);
    }
}

impl<E: Send + 'static> Handler<Close> for Writer<E> {
    type Result = ();

    fn handle(&mut self, _: Close, context: &mut Context<Self>) {
        while !self.queue.is_empty() {
            self.commit();
        }
        context.stop();
        let Some(connection) = self.connection.take() else { return };
        or_die(self.erase.rewrite_pages(&connection), "the database's pages are not rewritten");
        // If this is not set, the next start checks the structure of the database.
        let clean = Sql::new(&connection).execute("update site set stopped_cleanly = 1", ());
        or_die(clean.map(drop), "this stop will look like a crash to the next start");
        if let Err((_, why)) = connection.close() {
            log::warn!("the database did not close cleanly: {why}");
        }
    }
}

impl<E: Send + 'static> Writer<E> {
    /// Commits the queue once the mailbox is empty. The futures of an actor run after its messages, so all commands
    /// that arrived by then form one batch.
    fn schedule(&mut self, context: &mut Context<Self>) {
        if std::mem::replace(&mut self.is_scheduled, true) {
            return;
        }
        let now = actix::fut::ready::<()>(());
        context.spawn(ActorFutureExt::map(now, |(), writer: &mut Self, context| {
            writer.is_scheduled = false;
            writer.commit();
            writer.schedule_erase(context);
            if !writer.queue.is_empty() {
                writer.schedule(context);
            }
        }));
    }

    /// Commits the next batch, publishes its events and answers its requests.
    fn commit(&mut self) {
        let count = self.queue.len().min(limits::WRITER_BATCH_MAX);
        let Some(connection) = self.connection.as_ref().filter(|_| count > 0) else { return };
        let mut submitted: Vec<_> = self.queue.drain(..count).collect();
        let now_ms = self.clock.now_ms();
        let begun = Instant::now();
        let is_disk_low = self.floor.is_reached();
        let rules = Rules { has_right: self.has_right, now_ms, ids: &self.ids, is_disk_low };
        let outcome = std::panic::catch_unwind(AssertUnwindSafe(|| {
            let Batch { seq, events, results } =
                try_commit(Sql::new(connection), &rules, self.seq, &mut submitted)?;
            counters::COMMITS.add(begun.elapsed());
            (self.publish)(Committed { head: seq, events });
            Ok((seq, results))
        }));
        // After a panic a transaction may be open, or a batch may be committed but not published, so no other commit
        // may follow.
        let outcome = outcome.unwrap_or_else(|_| die("the writer panicked"));
        let mut deletes = Deletes::Nothing;
        let results = match outcome {
            Ok((seq, results)) => {
                self.seq = seq;
                self.load.commits.fetch_add(1, Ordering::Relaxed);
                self.load.committed.fetch_add(results.len(), Ordering::Relaxed);
                for (submit, _) in submitted.iter().zip(&results).filter(|(_, result)| result.is_ok()) {
                    deletes = deletes.max(submit.command.deletes());
                }
                results
            }
            Err(why) => {
                let refusal = roll_back(connection, &why);
                submitted.iter().map(|_| Err(refusal.clone())).collect()
            }
        };
        for (Submit { command, counted }, result) in submitted.into_iter().zip(results) {
            drop(counted);
            command.answer(result);
        }
        if deletes >= Deletes::Account {
            self.erase.request();
        }
        if deletes >= Deletes::Secret {
            self.erase.request_empty_log();
            or_die(self.erase.empty_log(connection), "the database's log is emptied later");
        }
    }

    /// Schedules a rewrite of the pages and another truncation of the log, after a pause.
    fn schedule_erase(&mut self, context: &mut Context<Self>) {
        if !self.erase.is_due() {
            return;
        }
        let pause = Duration::from_millis(limits::SECURE_ERASE_AGAIN_MS);
        context.run_later(pause, |writer, context| {
            let Some(connection) = &writer.connection else { return };
            or_die(writer.erase.rewrite_pages(connection), "the database's pages are not rewritten");
            or_die(writer.erase.empty_log(connection), "the database's log is emptied later");
            writer.schedule_erase(context);
        });
    }
}

/// The values that all commands of a batch share.
struct Rules<'a> {
    has_right: HasRight,
    now_ms: i64,
    ids: &'a IdMaker,
    is_disk_low: bool,
}

/// A committed batch.
struct Batch<E> {
    seq: Seq,
    events: Vec<(Seq, E)>,
    results: Vec<CommandResult<()>>,
}

/// Runs a batch in one transaction.
///
/// # Errors
/// An error of the whole batch: the disk is full or failed, or SQLite cannot commit.
fn try_commit<E: Send + 'static>(
    sql: Sql<'_>,
    rules: &Rules<'_>,
    seq: Seq,
    submitted: &mut [Submit<E>],
) -> rusqlite::Result<Batch<E>> {
    sql.execute("begin immediate", ())?;
    let mut batch = Batch { seq, events: Vec::new(), results: Vec::with_capacity(submitted.len()) };
    for submit in submitted {
        let result = run(sql, rules, submit.command.as_mut(), &mut batch)?;
        batch.results.push(result);
    }
    sql.execute("update site set seq = ?1", (batch.seq,))?;
    sql.execute("commit", ())?;
    Ok(batch)
}

/// Runs one command in its savepoint. The changes of a refused command are rolled back, without an effect on other
/// commands.
fn run<E: Send + 'static>(
    sql: Sql<'_>,
    rules: &Rules<'_>,
    command: &mut dyn AnyCommand<E>,
    batch: &mut Batch<E>,
) -> rusqlite::Result<CommandResult<()>> {
    sql.execute("savepoint command", ())?;
    let mut transaction = Transaction::new(sql, rules.now_ms, rules.ids, Seq(batch.seq.0 + 1));
    let outcome = once(command, &mut transaction, rules);
    match outcome {
        Ok((done, was_new)) => {
            sql.execute("release command", ())?;
            if was_new {
                let (seq, events) = (transaction.seq(), transaction.into_events());
                if !events.is_empty() || !command.is_housekeeping() {
                    batch.seq = seq;
                    batch.events.extend(events.into_iter().map(|event| (seq, event)));
                }
            }
            Ok(Ok(done))
        }
        Err(Error::Sqlite(why)) if !matches!(trouble(&why), Trouble::Command) => Err(why),
        Err(error) => {
            sql.execute("rollback to command", ())?;
            sql.execute("release command", ())?;
            Ok(Err(error.into_refusal()))
        }
    }
}

/// Applies a command, unless its key was used before. Returns its result, and whether the command was applied now.
fn once<E: Send + 'static>(
    command: &mut dyn AnyCommand<E>,
    transaction: &mut Transaction<'_, E>,
    rules: &Rules<'_>,
) -> Result<(Done<()>, bool), Error> {
    let sql = transaction.sql;
    let key = command.key().cloned();
    if let Some(key) = &key {
        // User 0 is a guest who uses the link of a mail. The account of any other user must still exist.
        let has_account = "select ?1 = 0 or exists (select 1 from users where id = ?1)";
        if !sql.value::<bool>(has_account, (key.user_id,))? {
            return Err(Refusal::NotSignedIn.into());
        }
        let seq = Seq(transaction.seq().0 - 1);
        if let Some(done) = stored_reply(sql, key, seq, rules.has_right)? {
            return Ok((done, false));
        }
    }
    if rules.is_disk_low && !command.is_housekeeping() && command.deletes() == Deletes::Nothing {
        return Err(Refusal::StorageFull.into());
    }
    let ok = command.apply(transaction)?;
    let done = transaction.done(ok);
    if let Some(key) = key
        && (done.is_change || transaction.is_remembered || has_few_keys(sql, key.user_id)?)
    {
        let (right, ok_outside) = done.if_lost.as_ref().map(|(right, ok)| (*right, &ok[..])).unzip();
        // Nobody follows themselves, so the user's own id stands for [`Right::Meeting`]. The right of a creator to
        // their own poll is stored with the same id and read as `Meeting`. Both are lost in the same cases.
        let (group_id, followed_id) = match right {
            Some(Right::Membership(group_id)) => (Some(group_id), None),
            Some(Right::Following(user_id)) => (None, Some(user_id)),
            Some(Right::Meeting) => (None, Some(key.user_id)),
            None => (None, None),
        };
        sql.execute(
            "insert into keys
               (user_id, key, body_hash, answer, made_at_ms, group_id, followed_id, answer_outside)
               values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            (
                key.user_id,
                key.key,
                key.body_hash,
                &done.ok[..],
                transaction.now_ms,
                group_id,
                followed_id,
                ok_outside,
            ),
        )?;
    }
    Ok((done, true))
}

/// Returns whether the user has few enough keys that the key of a command that changed nothing is remembered.
fn has_few_keys(sql: Sql<'_>, user_id: UserId) -> rusqlite::Result<bool> {
    let keys: i64 = sql.value(
        "select count(*) from (select 1 from keys where user_id = ?1 limit ?2)",
        (user_id, limits::KEYS_OF_NOTHING_MAX),
    )?;
    Ok(keys < limits::KEYS_OF_NOTHING_MAX)
}

/// Returns the reply that was given to this key before, as its user may see it at `seq`. With it comes the reply that
/// replaces it if the user loses the right before it is sent.
///
/// # Errors
/// [`Refusal::KeyConflict`] if the key was used for another request; [`Refusal::NotFound`] if the reply was erased.
fn stored_reply(
    sql: Sql<'_>,
    key: &KeyUse,
    seq: Seq,
    has_right: HasRight,
) -> Result<Option<Done<()>>, Error> {
    type Row = ([u8; 16], Vec<u8>, Option<GroupId>, Option<UserId>, Option<Vec<u8>>);
    let row: Option<Row> = sql.optional_row(
        "select body_hash, answer, group_id, followed_id, answer_outside
           from keys where user_id = ?1 and key = ?2",
        (key.user_id, key.key),
    )?;
    let Some((body_hash, ok, group_id, followed_id, ok_outside)) = row else { return Ok(None) };
    if body_hash != key.body_hash {
        return Err(Refusal::KeyConflict.into());
    }
    if ok.is_empty() {
        return Err(Refusal::NotFound.into());
    }
    let right = match (group_id, followed_id) {
        (Some(group_id), _) => Some(Right::Membership(group_id)),
        (None, Some(user_id)) if user_id == key.user_id => Some(Right::Meeting),
        (None, Some(user_id)) => Some(Right::Following(user_id)),
        (None, None) => None,
    };
    let (ok, if_lost) = match right.zip(ok_outside) {
        None => (ok, None),
        Some((right, ok_outside)) if has_right(sql, key.user_id, right)? => {
            (ok, Some((right, ok_outside.into())))
        }
        Some((_, ok_outside)) => (ok_outside, None),
    };
    Ok(Some(Done { value: None, ok: ok.into(), seq, if_lost, is_change: false }))
}

/// The part that an error of SQLite affects.
enum Trouble {
    /// The command alone.
    Command,
    /// The disk is full. The transaction may have been rolled back.
    Full,
    /// The disk failed. Its contents are unknown.
    Disk,
}

fn trouble(error: &rusqlite::Error) -> Trouble {
    let rusqlite::Error::SqliteFailure(why, _) = error else { return Trouble::Command };
    match why.extended_code & 0xff {
        ffi::SQLITE_FULL => Trouble::Full,
        ffi::SQLITE_IOERR | ffi::SQLITE_CORRUPT | ffi::SQLITE_NOTADB => Trouble::Disk,
        _ => Trouble::Command,
    }
}

/// Rolls back a batch that could not be committed. Returns the refusal of its requests.
fn roll_back(connection: &Connection, why: &rusqlite::Error) -> Refusal {
    let refusal = match trouble(why) {
        Trouble::Full => Refusal::StorageFull,
        Trouble::Command => Refusal::Fault,
        Trouble::Disk => die(&why.to_string()),
    };
    log::error!("a batch was rolled back: {why}");
    // SQLite may have rolled back already. The error then says that no transaction is open.
    if !connection.is_autocommit()
        && let Err(why) = connection.execute_batch("rollback")
    {
        die(&format!("a batch cannot be rolled back: {why}"));
    }
    refusal
}

/// Ends the process if the disk failed; otherwise logs the error.
fn or_die(outcome: rusqlite::Result<()>, what: &str) {
    match outcome {
        Ok(()) => {}
        Err(why) if matches!(trouble(&why), Trouble::Disk) => die(&why.to_string()),
        Err(why) => log::warn!("{what}: {why}"),
    }
}

/// Ends the process, because after a failed sync the contents of the disk are unknown. The next start recovers.
fn die(why: &str) -> ! {
    log::error!("stopping at once: {why}. Nothing acknowledged is lost; start Mellow again.");
    // `eprintln!` panics if standard error is closed, and this must not unwind.
    let _ = writeln!(
        std::io::stderr(),
        "mellow: stopping at once: {why}. Nothing acknowledged is lost; start Mellow again."
    );
    std::process::abort();
}

#[cfg(test)]
mod tests;

//! The readers: a few threads, each with its own read-only connection. There is one for each core, within limits.
//!
//! A read is one closure that runs on one of these threads in one snapshot. It crosses between threads once, and never
//! waits for the writer. An actix `SyncArbiter` would cross twice, because its messages pass through the thread of
//! their system.
//!
//! A read wakes the reader that became idle last, because the cache of its connection is the warmest. When readers took
//! turns instead, a page of the feed took 2.4 times as long with one request in flight (`benches/reads`).
//!
//! Never here: a write.

use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{JoinHandle, Thread};

use rusqlite::{Connection, TransactionBehavior};
use tokio::sync::oneshot;

use super::open_to_read;
use super::sql::Sql;
use crate::error::{Error, Refusal};
use crate::ids::Seq;
use crate::limits::{READ_QUEUE_MAX, readers};

/// The database as it was at one commit.
#[derive(Clone, Copy)]
pub struct Snapshot<'c> {
    /// Runs statements that all see this commit.
    pub sql: Sql<'c>,
    /// The last write that it includes.
    pub seq: Seq,
}

type Job = Box<dyn FnOnce(&mut Connection) + Send>;

/// A handle to the readers.
#[derive(Clone)]
pub struct Readers {
    shared: Arc<Shared>,
}

struct Shared {
    queue: Mutex<Queue>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

#[derive(Default)]
struct Queue {
    /// The parked readers, in the order in which they became idle.
    idle: Vec<Thread>,
    /// Reads that no reader has begun; at most [`READ_QUEUE_MAX`].
    waiting: VecDeque<Job>,
    is_closed: bool,
}

impl Readers {
    /// Starts the threads, each with a connection to the database at `path`.
    ///
    /// # Errors
    /// The database cannot be opened, or the system refuses a thread.
    pub fn start(path: &Path) -> Result<Self, String> {
        let shared = Arc::new(Shared { queue: Mutex::default(), threads: Mutex::default() });
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        for number in 0..readers(cores) {
            let mut connection = open_to_read(path)?;
            let queue_of = shared.clone();
            let thread = std::thread::Builder::new().name(format!("reader-{number}")).spawn(move || {
                while let Some(job) = queue_of.next() {
                    job(&mut connection);
                }
            });
            lock(&shared.threads).push(thread.map_err(|why| format!("no thread for a reader: {why}"))?);
        }
        Ok(Self { shared })
    }

    /// Runs a read on one of the threads, in a snapshot of its own.
    ///
    /// # Errors
    /// [`Refusal::Busy`] if [`READ_QUEUE_MAX`] reads already wait; otherwise the error of the read.
    pub async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(Snapshot<'_>) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let (result, awaited) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            if result.is_closed() {
                // Nobody waits for the result any more.
                return;
            }
            let outcome = std::panic::catch_unwind(AssertUnwindSafe(|| in_snapshot(connection, read)));
            let _ = result.send(outcome.unwrap_or(Err(Error::Broken("a read panicked"))));
        });
        self.shared.give(job)?;
        awaited.await.map_err(|_| Refusal::Busy)?
    }

    /// Returns how many reads wait for a reader.
    #[must_use]
    pub fn waiting(&self) -> usize {
        lock(&self.shared.queue).waiting.len()
    }

    /// Ends the threads after the waiting reads, and closes their connections.
    pub fn close(&self) {
        lock(&self.shared.queue).is_closed = true;
        for thread in lock(&self.shared.threads).drain(..) {
            // An idle reader wakes and sees that the queue is closed.
            thread.thread().unpark();
            if thread.join().is_err() {
                log::warn!("a reader had already stopped");
            }
        }
    }
}

impl Shared {
    /// Queues a read and wakes the reader that became idle last.
    fn give(&self, job: Job) -> Result<(), Refusal> {
        let mut queue = lock(&self.queue);
        if queue.is_closed || queue.waiting.len() >= READ_QUEUE_MAX {
            return Err(Refusal::Busy);
        }
        queue.waiting.push_back(job);
        let reader = queue.idle.pop();
        // The lock is released first, so that the woken reader can take it at once.
        drop(queue);
        if let Some(reader) = reader {
            reader.unpark();
        }
        Ok(())
    }

    /// Waits for the next read; None if the readers are closed and no read waits.
    fn next(&self) -> Option<Job> {
        let own = std::thread::current();
        let mut queue = lock(&self.queue);
        loop {
            if let Some(job) = queue.waiting.pop_front() {
                return Some(job);
            }
            if queue.is_closed {
                return None;
            }
            queue.idle.push(own.clone());
            drop(queue);
            std::thread::park();
            queue = lock(&self.queue);
            // A parked thread may wake without a reason.
            queue.idle.retain(|idle| idle.id() != own.id());
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn in_snapshot<T>(
    connection: &mut Connection,
    read: impl FnOnce(Snapshot<'_>) -> Result<T, Error>,
) -> Result<T, Error> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Deferred)?;
    let sql = Sql::new(&transaction);
    let seq = sql.value("select seq from site", ())?;
    // Dropping the transaction releases the snapshot, even after a panic.
    read(Snapshot { sql, seq })
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[test]
    fn there_is_a_reader_for_each_core_within_limits() {
        let counts = [1, 2, 4, 6, 16, 128].map(readers);
        assert_eq!(counts, [4, 4, 4, 6, 16, 16]);
    }

    #[test]
    fn closing_does_not_wait_for_a_client_that_reads_no_reply() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mellow.db");
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch("create table site (seq integer); insert into site values (7)").unwrap();
        let readers = Readers::start(&path).unwrap();
        let (go_on, goes_on) = std::sync::mpsc::channel();
        let mut reading = Box::pin(readers.read(move |snapshot| {
            goes_on.recv().unwrap();
            Ok(snapshot.seq)
        }));
        assert!(reading.as_mut().now_or_never().is_none());
        go_on.send(()).unwrap();
        readers.close();
        assert_eq!(reading.now_or_never().unwrap().unwrap(), Seq(7));
    }
}

//! The readers: a few threads, each with a connection of its own that cannot write.
//!
//! A read is one closure that runs on one of them in one snapshot: one hop for a request, whatever it asks, and no
//! wait for the writer. Threads of our own and not an actix `SyncArbiter`, whose messages pass through the thread of
//! their system first: that is a second hop.
//!
//! Never here: a write. The connections are opened read-only.

use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::sync::Arc;
use std::sync::Mutex;
use std::thread::JoinHandle;

use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use tokio::sync::oneshot;

use super::sql::{self, Sql};
use crate::error::{Error, Refusal};
use crate::ids::Seq;
use crate::limits::{READ_QUEUE_MAX, READERS};

/// The database as it was at one commit.
#[derive(Clone, Copy)]
pub struct Snapshot<'c> {
    /// Statements that all see this commit.
    pub sql: Sql<'c>,
    /// The last write that it includes.
    pub seq: Seq,
}

type Job = Box<dyn FnOnce(&mut Connection) + Send>;

/// How everybody reaches the readers.
#[derive(Clone)]
pub struct Readers {
    shared: Arc<Shared>,
}

struct Shared {
    /// None once they are closed.
    jobs: Mutex<Option<Sender<Job>>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl Readers {
    /// Starts the threads, each with a connection to the database at `path`.
    ///
    /// # Errors
    /// The database cannot be opened; the system gives no thread.
    pub fn start(path: &Path) -> Result<Self, String> {
        let (sender, jobs) = bounded(READ_QUEUE_MAX);
        let mut threads = Vec::new();
        for number in 0..READERS {
            let connection = open(path).map_err(|why| format!("cannot read {}: {why}", path.display()))?;
            let jobs: Receiver<Job> = jobs.clone();
            let thread = std::thread::Builder::new().name(format!("reader-{number}")).spawn(move || {
                let mut connection = connection;
                while let Ok(job) = jobs.recv() {
                    job(&mut connection);
                }
            });
            threads.push(thread.map_err(|why| format!("no thread for a reader: {why}"))?);
        }
        let shared = Shared { jobs: Mutex::new(Some(sender)), threads: Mutex::new(threads) };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Runs a read on one of the threads, in a snapshot of its own.
    ///
    /// # Errors
    /// [`Refusal::Busy`] when [`READ_QUEUE_MAX`] reads wait already; what the read answers.
    pub async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(Snapshot<'_>) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            if answer.is_closed() {
                // Nobody waits any more.
                return;
            }
            let outcome = std::panic::catch_unwind(AssertUnwindSafe(|| in_snapshot(connection, read)));
            let _ = answer.send(outcome.unwrap_or(Err(Error::Broken("a read panicked"))));
        });
        self.send(job)?;
        answered.await.map_err(|_| Refusal::Busy)?
    }

    /// Queues a job. Nobody keeps a sender while they wait: [`Readers::close`] would wait for them.
    fn send(&self, job: Job) -> Result<(), Refusal> {
        let jobs = lock(&self.shared.jobs);
        let jobs = jobs.as_ref().ok_or(Refusal::Busy)?;
        jobs.try_send(job).map_err(|why| match why {
            TrySendError::Full(_) | TrySendError::Disconnected(_) => Refusal::Busy,
        })
    }

    /// Ends the threads once the reads that wait are done, and closes their connections.
    pub fn close(&self) {
        lock(&self.shared.jobs).take();
        for thread in lock(&self.shared.threads).drain(..) {
            if thread.join().is_err() {
                log::warn!("a reader had already stopped");
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn open(path: &Path) -> sql::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(std::time::Duration::from_secs(5))?;
    connection.pragma_update(None, "temp_store", "memory")?;
    sql::prepare(&connection)?;
    Ok(connection)
}

fn in_snapshot<T>(
    connection: &mut Connection,
    read: impl FnOnce(Snapshot<'_>) -> Result<T, Error>,
) -> Result<T, Error> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Deferred)?;
    let sql = Sql::new(&transaction);
    let seq = sql.value("select seq from site", ())?;
    // Dropping the transaction lets the snapshot go, also after a panic.
    read(Snapshot { sql, seq })
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[test]
    fn closing_does_not_wait_for_whoever_has_not_taken_an_answer() {
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

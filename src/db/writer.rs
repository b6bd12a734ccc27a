//! The single writer: an actor, alone allowed to begin a transaction that writes.
//!
//! What arrives while it waits for the disk is committed together next (group commit). Each piece
//! of work has a savepoint of its own: a refused one leaves nothing behind, uses no number and
//! disturbs nobody. After the commit, in commit order: events are published, then people answered.
//!
//! Promises:
//! - An answer is given only after the disk has the commit (`synchronous = full`).
//! - The same key answers the same; its row is in the commit of its work. What changed nothing may have none.
//! - A disk that is full refuses everybody in the batch, says so, and heals by itself.
//! - Nobody who is gone leaves a key: what is still on its way of an account that ended is refused.
//! - A failed sync or a panic ends the process with one line. The next start recovers: what was
//!   acknowledged is there, what was not is whole or absent.
//!
//! Never here: anything slow (hashing, pictures, mail), anything that knows a feature.

use std::collections::VecDeque;
use std::io::Write;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use actix::prelude::*;
use bytes::Bytes;
use futures_util::FutureExt;
use sqlx::{Connection, Row, SqliteConnection};
use tokio::sync::oneshot;

use super::work::{BoxedWork, Stage, Work, known_answer};
use crate::clock::Clock;
use crate::error::{Error, Refusal};
use crate::ids::Seq;
use crate::limits;

type Answer = Result<Bytes, Refusal>;
type Publish<E> = Box<dyn FnMut(Vec<(Seq, E)>) + Send>;

struct Waiting<E> {
    work: BoxedWork<E>,
    answer: oneshot::Sender<Answer>,
}

#[derive(Message)]
#[rtype(result = "()")]
struct Submit<E: Send + 'static>(Waiting<E>);

/// What waits for the writer, counted outside it, so that a full queue is a quick no.
#[derive(Default)]
pub struct Load {
    /// Works waiting or under way.
    pub works: AtomicUsize,
    /// Their bytes.
    pub bytes: AtomicUsize,
    /// Commits so far.
    pub commits: AtomicUsize,
    /// Works committed so far.
    pub committed: AtomicUsize,
}

/// How everybody else reaches the writer.
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
    /// Hands work to the writer and waits for its commit.
    ///
    /// # Errors
    /// [`Refusal::Busy`] when too much waits already; else what the work was refused for.
    pub async fn submit(&self, work: BoxedWork<E>) -> Answer {
        let bytes = work.weight_bytes();
        let works = self.load.works.fetch_add(1, Ordering::Relaxed);
        let held = self.load.bytes.fetch_add(bytes, Ordering::Relaxed);
        let _leaves = Leaves { load: &self.load, bytes };
        if works >= limits::WRITER_QUEUE_MAX || held + bytes > limits::WRITER_QUEUE_BYTES_MAX {
            return Err(Refusal::Busy);
        }
        let (answer, answered) = oneshot::channel();
        self.address.try_send(Submit(Waiting { work, answer })).map_err(|_| Refusal::Busy)?;
        answered.await.unwrap_or(Err(Refusal::Busy))
    }

    /// Returns what waits.
    #[must_use]
    pub fn load(&self) -> &Load {
        &self.load
    }

    /// Waits until everything handed over so far is committed and answered, then ends the writer.
    pub async fn close(&self) {
        if self.address.send(Close).await.is_err() {
            log::warn!("the writer had already stopped");
        }
    }
}

struct Leaves<'a> {
    load: &'a Load,
    bytes: usize,
}

impl Drop for Leaves<'_> {
    fn drop(&mut self) {
        self.load.works.fetch_sub(1, Ordering::Relaxed);
        self.load.bytes.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[derive(Message)]
#[rtype(result = "()")]
struct Close;

/// The actor.
pub struct Writer<E: Send + 'static> {
    /// Away while a batch is under way.
    desk: Option<Desk<E>>,
    queue: VecDeque<Waiting<E>>,
    is_woken: bool,
    /// True while a second, closer scouring is on its way.
    scours_later: bool,
}

struct Desk<E> {
    connection: SqliteConnection,
    clock: Clock,
    seq: Seq,
    publish: Publish<E>,
    load: Arc<Load>,
    /// True when this batch removed something that must leave nothing behind.
    has_scouring_work: bool,
    /// True while pages may still have something of it, and while the log may.
    is_to_renew: bool,
    is_to_scour: bool,
}

/// Starts the writer on a thread of its own.
///
/// `publish` is called after each commit with its events in order; it must be quick.
pub fn start<E: Send + 'static>(
    connection: SqliteConnection,
    clock: Clock,
    seq: Seq,
    publish: Publish<E>,
) -> WriterHandle<E> {
    let load = Arc::new(Load::default());
    let desk = Desk {
        connection,
        clock,
        seq,
        publish,
        load: load.clone(),
        has_scouring_work: false,
        is_to_renew: false,
        is_to_scour: false,
    };
    let writer = Writer { desk: Some(desk), queue: VecDeque::new(), is_woken: false, scours_later: false };
    let address = Writer::start_in_arbiter(&Arbiter::new().handle(), |context| {
        context.set_mailbox_capacity(limits::WRITER_QUEUE_MAX);
        writer
    });
    WriterHandle { address, load }
}

impl<E: Send + 'static> Actor for Writer<E> {
    type Context = Context<Self>;
}

impl<E: Send + 'static> Handler<Submit<E>> for Writer<E> {
    type Result = ();

    fn handle(&mut self, Submit(waiting): Submit<E>, context: &mut Context<Self>) {
        self.queue.push_back(waiting);
        if !self.is_woken {
            self.is_woken = true;
            // Spawned futures run once the mailbox is drained: all that came by then is one batch.
            let now = actix::fut::ready::<()>(());
            context.spawn(ActorFutureExt::map(now, |(), writer: &mut Self, context| {
                writer.is_woken = false;
                writer.commit_next(context);
            }));
        }
    }
}

impl<E: Send + 'static> Handler<Close> for Writer<E> {
    type Result = ResponseActFuture<Self, ()>;

    fn handle(&mut self, _: Close, _: &mut Context<Self>) -> Self::Result {
        // Messages wait while a batch is under way, so the desk is here, and what the queue holds
        // came before this message.
        let batch: Vec<_> = self.queue.drain(..).collect();
        let desk = self.desk.take();
        let closing = async move {
            let Some(mut desk) = desk else { return };
            if !batch.is_empty() && AssertUnwindSafe(desk.commit(batch)).catch_unwind().await.is_err() {
                die("the writer panicked");
            }
            desk.renew().await;
            // Told to the next start: nobody holds a number that this life did not tell.
            let clean = desk.connection.execute_quietly("update site set stopped_cleanly = 1").await;
            if let Err(why) = clean {
                log::warn!("this stop will look like a crash to the next start: {why}");
            }
            if let Err(why) = desk.connection.close().await {
                log::warn!("the database did not close cleanly: {why}");
            }
        };
        Box::pin(closing.into_actor(self).map(|(), _, context| context.stop()))
    }
}

impl<E: Send + 'static> Writer<E> {
    fn commit_next(&mut self, context: &mut Context<Self>) {
        if self.queue.is_empty() {
            return;
        }
        let Some(mut desk) = self.desk.take() else { return };
        let count = self.queue.len().min(limits::WRITER_BATCH_MAX);
        let batch: Vec<_> = self.queue.drain(..count).collect();
        let committing = async move {
            // A writer that panicked has an unknown transaction open: nothing may follow it.
            if AssertUnwindSafe(desk.commit(batch)).catch_unwind().await.is_err() {
                die("the writer panicked");
            }
            desk
        };
        // While this is awaited the mailbox gathers the next batch.
        context.wait(committing.into_actor(self).map(|desk, writer, context| writer.goes_on(desk, context)));
    }

    fn goes_on(&mut self, desk: Desk<E>, context: &mut Context<Self>) {
        if desk.is_to_scour && !self.scours_later {
            self.scours_later = true;
            context.run_later(Duration::from_millis(limits::SCOUR_AGAIN_MS), Self::scour_again);
        }
        self.desk = Some(desk);
        self.commit_next(context);
    }

    /// Leaves nothing in the pages either, and empties the log once more.
    fn scour_again(&mut self, context: &mut Context<Self>) {
        self.scours_later = false;
        let Some(mut desk) = self.desk.take() else { return };
        let scouring = async move {
            desk.renew().await;
            desk.scour().await;
            desk
        };
        context.wait(scouring.into_actor(self).map(|desk, writer, context| writer.goes_on(desk, context)));
    }
}

/// Ends the process: after a failed sync nobody knows what the disk holds. The next start recovers.
fn die(why: &str) -> ! {
    log::error!("stopping at once: {why}. Nothing acknowledged is lost; start Mellow again.");
    // Not `eprintln!`: it panics where nobody reads, and this must not unwind.
    let _ = writeln!(
        std::io::stderr(),
        "mellow: stopping at once: {why}. Nothing acknowledged is lost; start Mellow again."
    );
    std::process::abort();
}

/// What SQLite's word means for the batch.
enum Trouble {
    /// This work only.
    Mine,
    /// The disk is full: the transaction may be gone.
    Full,
    /// The disk failed: nobody knows.
    Disk(String),
}

fn trouble(error: &sqlx::Error) -> Trouble {
    let database = match error {
        sqlx::Error::Database(database) => database,
        sqlx::Error::Io(_) | sqlx::Error::WorkerCrashed => return Trouble::Disk(error.to_string()),
        // A row that is not what was expected: our fault, but the disk's is another matter.
        _ => return Trouble::Mine,
    };
    let code: u32 = database.code().and_then(|code| code.parse().ok()).unwrap_or(0);
    // Primary result codes: 10 I/O error, 11 corrupt, 13 full, 26 not a database.
    match code & 0xff {
        13 => Trouble::Full,
        10 | 11 | 26 => Trouble::Disk(database.to_string()),
        _ => Trouble::Mine,
    }
}

impl<E: Send + 'static> Desk<E> {
    async fn commit(&mut self, batch: Vec<Waiting<E>>) {
        let mut answers = Vec::with_capacity(batch.len());
        let mut senders = Vec::with_capacity(batch.len());
        let outcome = self.try_commit(batch, &mut answers, &mut senders).await;
        let events = match outcome {
            Ok(events) => events,
            Err(why) => {
                let refusal = self.take_back(&why).await;
                answers.clear();
                answers.resize_with(senders.len(), || Err(refusal.clone()));
                Vec::new()
            }
        };
        if !events.is_empty() {
            (self.publish)(events);
        }
        for (sender, answer) in senders.into_iter().zip(answers) {
            // Nobody may be waiting any more; the write stands all the same.
            let _ = sender.send(answer);
        }
        if std::mem::take(&mut self.has_scouring_work) {
            self.scour().await;
            // The pages themselves a little later, for all who leave within a second at once.
            (self.is_to_renew, self.is_to_scour) = (true, true);
        }
    }

    /// Writes the pages anew: when SQLite moves rows from page to page it leaves copies in the gaps, which
    /// `secure_delete` knows nothing of. A large database is left to overwrite its gaps by and by.
    async fn renew(&mut self) {
        if !std::mem::take(&mut self.is_to_renew) {
            return;
        }
        let renewing = async {
            let bytes: i64 = sqlx::query_scalar(
                "select page_count * page_size from pragma_page_count(), pragma_page_size()",
            )
            .fetch_one(&mut self.connection)
            .await?;
            if bytes <= limits::RENEW_BYTES_MAX {
                self.connection.execute_quietly("vacuum").await?;
            }
            Ok(())
        };
        match renewing.await {
            Ok(()) => {}
            Err(why) if matches!(trouble(&why), Trouble::Disk(_)) => die(&why.to_string()),
            Err(why) => log::warn!("the database's pages are not written anew: {why}"),
        }
    }

    /// Empties the log of pages, unless readers need it for longer than a moment.
    async fn scour(&mut self) {
        let scouring = async {
            self.connection.execute_quietly("pragma busy_timeout = 100").await?;
            let busy: i64 =
                sqlx::query_scalar("pragma wal_checkpoint(truncate)").fetch_one(&mut self.connection).await?;
            // As the database was opened.
            self.connection.execute_quietly("pragma busy_timeout = 5000").await?;
            Ok(busy != 0)
        };
        match scouring.await {
            Ok(is_busy) => self.is_to_scour = is_busy,
            Err(why) if matches!(trouble(&why), Trouble::Disk(_)) => die(&why.to_string()),
            Err(why) => log::warn!("the database's log is emptied later: {why}"),
        }
    }

    /// After trouble with the whole batch: die, or roll back, say why, and go on.
    async fn take_back(&mut self, why: &sqlx::Error) -> Refusal {
        let refusal = match trouble(why) {
            Trouble::Full => Refusal::StorageFull,
            Trouble::Mine => Refusal::Fault,
            Trouble::Disk(what) => die(&what),
        };
        log::error!("a batch was taken back: {why}");
        // SQLite may have rolled back by itself; then this says so and nothing is open.
        if let Err(why) = self.connection.execute_quietly("rollback").await {
            log::debug!("nothing to roll back: {why}");
        }
        refusal
    }

    async fn try_commit(
        &mut self,
        batch: Vec<Waiting<E>>,
        answers: &mut Vec<Answer>,
        senders: &mut Vec<oneshot::Sender<Answer>>,
    ) -> Result<Vec<(Seq, E)>, sqlx::Error> {
        let mut works: Vec<BoxedWork<E>> = batch
            .into_iter()
            .map(|waiting| {
                senders.push(waiting.answer);
                waiting.work
            })
            .collect();

        self.connection.execute_quietly("begin immediate").await?;
        let mut stage = Stage {
            connection: &mut self.connection,
            now_ms: self.clock.now_ms(),
            events: Vec::new(),
            seq: self.seq,
        };
        let mut rest = &mut works[..];
        while let Some((first, next)) = rest.split_first_mut() {
            let (run, after) = next.split_at_mut(first.unites(next).min(next.len()));
            if run.is_empty() {
                answers.push(alone(first.as_mut(), &mut stage).await?);
            } else {
                let done = united(first.as_mut(), run, &mut stage).await?;
                for (work, done) in std::iter::once(first).chain(run).zip(done) {
                    answers.push(match done {
                        Some(answer) => Ok(answer),
                        None => alone(work.as_mut(), &mut stage).await?,
                    });
                }
            }
            rest = after;
        }
        let (seq, events) = (stage.seq, stage.events);
        let scours = works.iter().zip(answers.iter()).any(|(work, answer)| work.scours() && answer.is_ok());
        sqlx::query("update site set seq = ?1; commit").bind(seq.0).execute(&mut self.connection).await?;
        self.seq = seq;
        self.has_scouring_work = scours;
        self.load.commits.fetch_add(1, Ordering::Relaxed);
        self.load.committed.fetch_add(answers.len(), Ordering::Relaxed);
        Ok(events)
    }
}

/// Does one piece of work; what it is refused for is taken back and disturbs nobody.
async fn alone<E: Send + 'static>(
    work: &mut dyn Work<Event = E>,
    stage: &mut Stage<'_, E>,
) -> Result<Answer, sqlx::Error> {
    let (seq, told) = (stage.seq, stage.events.len());
    match one(work, stage).await {
        Ok(answer) => Ok(Ok(answer)),
        Err(Error::Database(why)) if !matches!(trouble(&why), Trouble::Mine) => Err(why),
        Err(error) => {
            if !(work.is_one_trip() && matches!(error, Error::Refused(_))) {
                stage.connection.execute_quietly("rollback to one; release one").await?;
            }
            stage.seq = seq;
            stage.events.truncate(told);
            Ok(Err(error.into_refusal()))
        }
    }
}

/// Does a run of work in one trip; where that fails, all of it is taken back, to be done one by one.
async fn united<E: Send + 'static>(
    first: &mut dyn Work<Event = E>,
    run: &mut [BoxedWork<E>],
    stage: &mut Stage<'_, E>,
) -> Result<Vec<Option<Bytes>>, sqlx::Error> {
    let (seq, told) = (stage.seq, stage.events.len());
    let count = run.len() + 1;
    match first.apply_united(run, stage).await {
        Ok(done) if done.len() == count => Ok(done),
        Err(Error::Database(why)) if !matches!(trouble(&why), Trouble::Mine) => Err(why),
        unsound => {
            log::warn!("a run of {count} is done one by one: {:?}", unsound.err());
            stage.connection.execute_quietly("rollback to one; release one").await?;
            stage.seq = seq;
            stage.events.truncate(told);
            Ok(vec![None; count])
        }
    }
}

/// Does one piece of work inside its savepoint.
async fn one<E>(work: &mut dyn Work<Event = E>, stage: &mut Stage<'_, E>) -> Result<Bytes, Error>
where
    E: Send + 'static,
{
    if work.is_one_trip() {
        return work.apply(stage).await;
    }
    let key = work.key().cloned();
    let Some(key) = key else {
        stage.connection.execute_quietly("savepoint one").await?;
        let answer = work.apply(stage).await?;
        stage.connection.execute_quietly("release one").await?;
        return Ok(answer);
    };
    let known = sqlx::query(
        "savepoint one;
         select k.body_hash, k.answer from (select 1) left join keys k on k.user_id = ?1 and k.key = ?2
          where ?1 = 0 or exists (select 1 from users where id = ?1)",
    )
    .bind(key.user_id)
    .bind(&key.key[..])
    .fetch_optional(&mut *stage.connection)
    .await?;
    // An account that ended asks for nothing more. 0 is nobody: a guest with the link of a mail.
    let known = known.ok_or(Refusal::NotSignedIn)?;
    let answer = match known.try_get(0)? {
        Some(body_hash) => known_answer(&key, body_hash, known.try_get(1)?)?,
        None => {
            let answer = work.apply(stage).await?;
            if !work.is_remembered() {
                stage.connection.execute_quietly("release one").await?;
                return Ok(answer);
            }
            sqlx::query(
                "insert into keys (user_id, key, body_hash, answer, made_at_ms) values (?1, ?2, ?3, ?4, ?5);
                 release one",
            )
            .bind(key.user_id)
            .bind(&key.key[..])
            .bind(&key.body_hash[..])
            .bind(&answer[..])
            .bind(stage.now_ms)
            .execute(&mut *stage.connection)
            .await?;
            return Ok(answer);
        }
    };
    stage.connection.execute_quietly("release one").await?;
    Ok(answer)
}

/// Statements without arguments or rows.
trait ExecuteQuietly {
    async fn execute_quietly(&mut self, sql: &'static str) -> Result<(), sqlx::Error>;
}

impl ExecuteQuietly for SqliteConnection {
    async fn execute_quietly(&mut self, sql: &'static str) -> Result<(), sqlx::Error> {
        sqlx::query(sql).execute(self).await.map(drop)
    }
}

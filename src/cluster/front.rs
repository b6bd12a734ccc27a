//! A front: holds sockets, and gets everything else from its home.
//!
//! [`follower`](super::follower) copies the event log of the home, a task here reports to it, and
//! [`remote`](super::remote) passes the requests of the sockets on.

use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use actix::Arbiter;
use futures_util::StreamExt;
use serde::de::DeserializeOwned;
use tokio::sync::{Notify, oneshot, watch};

use super::copy::LogCopy;
use super::follower::Follower;
use super::link::{Broker, Messages};
use super::presences::Presences;
use super::seal::{Keys, Unopened};
use super::sealed::{Question, Questions, SealedLink, Unanswered, decode};
use super::why_failed;
use super::wire::{
    AskTerms, At, AtAnswer, Beat, ENCODING, FromHome, HomeSettings, Instance, Pieces, Subjects, Terms,
};
use crate::clock::{Clock, since_boot_ms};
use crate::delivery::barrier::Barrier;
use crate::delivery::dispatcher::Dispatchers;
use crate::delivery::lease::Lease;
use crate::delivery::log::EventLog;
use crate::ids::{Seq, UserId};
use crate::limits::{CLUSTER_ANSWER_MS_MAX, CLUSTER_BEAT_MS, FRONT_LEASE_AT_STOP_MS, FRONT_LEASE_MS};
use crate::quiet_users::QuietUsers;
use crate::rate_limit::{RateLimit, RateLimiter};
use crate::settings::version;

/// How long a front waits for the answer to a report, before it sends the next one.
const REPORT_ANSWER: Duration = Duration::from_millis(2 * CLUSTER_BEAT_MS);

/// The home to which requests are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenHome {
    pub home: Instance,
    pub lanes: u32,
}

/// What a front knows of its home.
#[derive(Clone, Copy)]
struct Known {
    open: OpenHome,
    /// Whether the home has answered a report of this front.
    is_reported: bool,
    /// Whether the home has extended the lease.
    has_granted: bool,
    /// Whether nothing was heard of the home for too long, or it said that it stops.
    is_away: bool,
}

impl Known {
    /// Returns what is known of a home that was just heard for the first time.
    fn of(open: OpenHome) -> Self {
        Self { open, is_reported: false, has_granted: false, is_away: false }
    }
}

/// The state of a front, shared by all its threads.
pub struct Front {
    pub link: Arc<SealedLink>,
    pub subjects: Subjects,
    pub questions: Arc<Questions>,
    pub log: Arc<EventLog>,
    pub quiet_users: Arc<QuietUsers>,
    pub barrier: Arc<Barrier>,
    pub dispatchers: Arc<Dispatchers>,
    pub lease: Arc<Lease>,
    pub presences: Arc<Presences>,
    /// The settings of the home, with which the front runs.
    pub settings: HomeSettings,
    pub requests: RateLimiter<UserId>,
    pub chunks: RateLimiter<UserId>,
    /// Requests of sockets that are not answered yet.
    pub asks: AtomicUsize,
    instance: AtomicU64,
    epoch: RwLock<Arc<str>>,
    clock: Clock,
    /// How much the clock of the home is ahead, in milliseconds.
    ahead_ms: AtomicI64,
    known: Mutex<Known>,
    /// The home to which requests are sent now; None if they wait.
    open: watch::Sender<Option<OpenHome>>,
    /// The last write in the log.
    head: watch::Sender<Seq>,
    /// When the last report that was answered was sent, in milliseconds since the machine started.
    answered_ms: AtomicU64,
    /// The last write that the home is known to have.
    heard: AtomicI64,
    /// When the home was heard last, in milliseconds since the machine started.
    heard_ms: AtomicU64,
    /// Makes the front report at once.
    pub report: Notify,
    fails: watch::Sender<Option<String>>,
    sockets: Box<dyn Fn() -> u64 + Send + Sync>,
}

/// A front that runs.
pub struct FrontSide {
    pub front: Arc<Front>,
    arbiter: Arbiter,
}

/// What a front needs of its process.
pub struct Parts {
    pub clock: Clock,
    /// Returns how many sockets are open.
    pub sockets: Box<dyn Fn() -> u64 + Send + Sync>,
}

/// Starts a front: waits until it hears its home, and takes its terms. The front then fills its log and takes a lease.
///
/// # Errors
/// One line that says why it cannot: the broker does not answer, or the home has another key or version.
pub async fn start(
    broker: &Broker,
    keys: &Arc<Keys>,
    subjects: &Subjects,
    parts: Parts,
) -> Result<FrontSide, String> {
    let (begun, begins) = oneshot::channel();
    let arbiter = Arbiter::new();
    let (broker, keys, subjects) = (broker.clone(), keys.clone(), subjects.clone());
    arbiter.spawn_fn(move || {
        actix_web::rt::spawn(async move {
            let started = start_here(&broker, keys, subjects, parts).await;
            // If nobody waits any more, the process ends.
            let _ = begun.send(started);
        });
    });
    let front = begins.await.map_err(|_| "the thread of the front ended".to_owned())??;
    Ok(FrontSide { front, arbiter })
}

async fn start_here(
    broker: &Broker,
    keys: Arc<Keys>,
    subjects: Subjects,
    parts: Parts,
) -> Result<Arc<Front>, String> {
    let link = SealedLink::new(broker.connect().await?, keys)?;
    let mut messages = link.link.subscribe(&subjects.log()).await?;
    let instance = Instance::new()?;
    let questions = Questions::start_here(link.clone(), instance).await?;
    let (beat, terms) = loop {
        let beat = first_beat(&link, &mut messages).await?;
        let ask = questions.ask(&subjects.terms(beat.home), &AskTerms { front: instance });
        match answer::<Terms>(ask).await {
            Ok(terms) => break (beat, terms),
            Err(Unanswered) => log::warn!("the home does not answer; asking again"),
        }
    };
    let Terms { settings, epoch, lanes, log_from, .. } = &terms;
    let per_second = |count: u64| RateLimiter::new(RateLimit::per_second(count));
    let open = OpenHome { home: beat.home, lanes: (*lanes).max(1) };
    let front = Arc::new(Front {
        link,
        subjects,
        questions,
        log: Arc::new(EventLog::starting_after(*log_from)),
        quiet_users: Arc::default(),
        barrier: Arc::default(),
        dispatchers: Arc::default(),
        lease: Arc::default(),
        presences: Presences::new(instance),
        requests: per_second(settings.requests_per_second),
        chunks: per_second(settings.chunks_per_second),
        settings: settings.clone(),
        asks: AtomicUsize::new(0),
        instance: AtomicU64::new(instance.0),
        epoch: RwLock::new(epoch.clone()),
        clock: parts.clock,
        ahead_ms: AtomicI64::new(0),
        known: Mutex::new(Known::of(open)),
        open: watch::Sender::new(None),
        head: watch::Sender::new(*log_from),
        answered_ms: AtomicU64::new(0),
        heard: AtomicI64::new(terms.head.0),
        heard_ms: AtomicU64::new(since_boot_ms()),
        report: Notify::new(),
        fails: watch::Sender::new(None),
        sockets: parts.sockets,
    });
    front.presences.follow(beat.home);
    let copy = LogCopy::new(front.log.clone(), front.quiet_users.clone(), beat.home, &terms);
    actix_web::rt::spawn(Follower::new(front.clone(), copy, &beat).run(messages));
    actix_web::rt::spawn(report(front.clone()));
    Ok(front)
}

/// Waits for the first beat of a home that does not stop.
async fn first_beat(link: &SealedLink, messages: &mut Messages) -> Result<Beat, String> {
    let mut pieces = Pieces::default();
    while let Some(message) = messages.next().await {
        match link.open(&message, &mut pieces).map(|bytes| bytes.and_then(|bytes| decode(&bytes))) {
            Ok(Some(FromHome::Beat(beat))) if !beat.stops => return Ok(beat),
            Ok(_) | Err(Unopened::Damaged) => {}
            Err(why) => return Err(unusable(why)),
        }
    }
    Err("the broker has closed the connection".into())
}

/// Returns why the messages of a home are of no use to this front.
fn unusable(why: Unopened) -> String {
    match why {
        Unopened::Version(version) => format!(
            "the home speaks version {version} of the messages between fronts and their home, and this front version \
             {ENCODING}. Upgrade fronts first, and then the home."
        ),
        Unopened::Key | Unopened::Damaged => {
            "the home has another key. Give both the same file as cluster_key_file.".into()
        }
    }
}

/// Waits for the answer to a question.
pub(super) async fn answer<T: DeserializeOwned>(
    question: Result<Question, Unanswered>,
) -> Result<T, Unanswered> {
    question?.answer(Duration::from_millis(CLUSTER_ANSWER_MS_MAX)).await
}

impl Front {
    /// Returns the name of this front. A front that lost its lease takes another one.
    pub fn instance(&self) -> Instance {
        Instance(self.instance.load(Ordering::SeqCst))
    }

    /// Returns the history that the numbers of writes belong to.
    pub fn epoch(&self) -> Arc<str> {
        self.epoch.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes the history that the log has from now on.
    pub fn set_epoch(&self, epoch: &Arc<str>) {
        *self.epoch.write().unwrap_or_else(PoisonError::into_inner) = epoch.clone();
    }

    /// Returns the time of the home, in milliseconds since 1970 UTC.
    pub fn now_ms(&self) -> i64 {
        self.clock.now_ms() + self.ahead_ms.load(Ordering::Relaxed)
    }

    /// Notes the time of the home.
    pub fn hear_time(&self, home_ms: i64) {
        self.ahead_ms.store(home_ms - self.clock.now_ms(), Ordering::Relaxed);
    }

    /// Returns the home to which requests are sent, and waits for it at most `time_limit`.
    pub async fn open_home(&self, time_limit: Duration) -> Option<OpenHome> {
        let mut open = self.open.subscribe();
        let found = tokio::time::timeout(time_limit, open.wait_for(Option::is_some)).await;
        found.ok().and_then(Result::ok).and_then(|open| *open)
    }

    /// Waits until the log has the write `seq`. Returns whether it had it within `time_limit`.
    pub async fn has(&self, seq: Seq, time_limit: Duration) -> bool {
        let mut head = self.head.subscribe();
        tokio::time::timeout(time_limit, head.wait_for(|head| *head >= seq))
            .await
            .is_ok_and(|head| head.is_ok())
    }

    /// Notes that the log has a new head, and wakes the dispatchers.
    pub fn appended(&self) {
        self.head.send_replace(self.log.head());
        self.dispatchers.wake();
    }

    /// Follows another home. Requests wait until it has answered a report.
    pub fn follow(&self, home: Instance, lanes: u32) {
        self.presences.follow(home);
        // Nobody answers what the home before was asked.
        self.questions.give_up();
        self.change(|known| *known = Known::of(OpenHome { home, lanes: lanes.max(1) }));
        self.report.notify_one();
    }

    /// Notes whether the home is away: nothing was heard of it, or it stops.
    pub fn set_away(&self, is_away: bool) {
        self.change(|known| known.is_away = is_away);
    }

    /// Notes that the home was heard, and the last write that it is known to have.
    pub fn hear(&self, heard: Seq) {
        self.heard.store(heard.0, Ordering::Relaxed);
        self.heard_ms.store(since_boot_ms(), Ordering::Relaxed);
    }

    /// Returns how many writes of the home are not delivered yet, and how long ago it was heard, in milliseconds.
    pub fn lag(&self) -> (u64, u64) {
        let delivered = delivered(&self.barrier, &self.log);
        let writes = (self.heard.load(Ordering::Relaxed) - delivered.0).max(0).unsigned_abs();
        (writes, since_boot_ms().saturating_sub(self.heard_ms.load(Ordering::Relaxed)))
    }

    /// Lengthens the lease, because the home stops and acknowledges nothing before it has started again.
    pub fn lengthen_lease(&self) {
        // From the last report that the home answered on, because the beat may have been late.
        self.lease.extend_if_held(self.answered_ms.load(Ordering::SeqCst) + FRONT_LEASE_AT_STOP_MS);
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut Known)) {
        let mut known = self.known();
        change(&mut known);
        let open = (known.is_reported && !known.is_away).then_some(known.open);
        self.open.send_if_modified(|before| std::mem::replace(before, open) != open);
    }

    fn home(&self) -> Instance {
        self.known().open.home
    }

    /// Ends the front.
    pub fn fail(&self, why: impl Into<String>) {
        self.fails.send_replace(Some(why.into()));
    }

    /// Ends the front if it cannot use the messages of its home.
    pub fn check(&self, why: Unopened) {
        // A message with another key is only lost: keys are changed one process after the other.
        if matches!(why, Unopened::Version(version) if version > ENCODING) {
            self.fail(unusable(why));
        }
    }

    /// Sends one report, and waits for its answer.
    async fn report_once(&self, number: u64) {
        let (home, front, sent_ms) = (self.home(), self.instance(), since_boot_ms());
        let delivered = delivered(&self.barrier, &self.log);
        let (sockets, build) = ((self.sockets)(), version().to_owned());
        let at = At { front, number, delivered, sockets, build, changes: self.presences.report(number) };
        let Ok(question) = self.questions.ask(&self.subjects.at(home), &at) else { return };
        let Ok(AtAnswer { lease_ms }) = question.answer(REPORT_ANSWER).await else { return };
        if home != self.home() {
            return;
        }
        self.presences.confirmed(number);
        let (grants, had_granted) = (lease_ms > 0, self.known().has_granted);
        if grants {
            self.answered_ms.store(sent_ms, Ordering::SeqCst);
            let until_ms = sent_ms + FRONT_LEASE_MS;
            if had_granted {
                self.lease.extend(until_ms);
            } else {
                // The home before may have lengthened the lease, and this one does not count the front for so long.
                self.lease.set(until_ms);
            }
        }
        self.change(|known| {
            known.is_reported = true;
            known.has_granted |= grants;
        });
    }
}

/// Returns the write up to which every connection has received its events. A worker that does not know yet that the log
/// began anew, perhaps with lower numbers, has delivered nothing of it, and has no connections.
fn delivered(barrier: &Barrier, log: &EventLog) -> Seq {
    let head = log.head();
    barrier.delivered().map_or(head, |delivered| delivered.min(head))
}

/// Reports to the home as long as the front runs.
async fn report(front: Arc<Front>) {
    let mut connections = front.link.link.connections();
    let (mut number, mut had_lease, mut since_ms) = (0, false, since_boot_ms());
    loop {
        number += 1;
        // The home may have acknowledged a removal since the lease ended, so the connections of before count no more. It
        // also stops counting a front that gets no lease for long, and never counts that instance again.
        let is_over = had_lease || since_boot_ms() >= since_ms + FRONT_LEASE_MS;
        if is_over && front.lease.held().is_none() {
            match Instance::new() {
                Ok(instance) => {
                    front.instance.store(instance.0, Ordering::SeqCst);
                    front.presences.begin_anew(instance);
                    (had_lease, since_ms) = (false, since_boot_ms());
                }
                Err(why) => log::error!("{why}"),
            }
        }
        front.report_once(number).await;
        had_lease |= front.lease.held().is_some();
        let pause = tokio::time::sleep(Duration::from_millis(CLUSTER_BEAT_MS));
        tokio::select! {
            () = pause => {}
            () = front.report.notified() => {}
            Ok(()) = connections.changed() => {}
        }
    }
}

impl FrontSide {
    /// Waits until the front has a lease.
    ///
    /// # Errors
    /// One line that says why the front must end.
    pub async fn ready(&self) -> Result<(), String> {
        let has_lease = async {
            while self.front.lease.held().is_none() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::select! {
            () = has_lease => Ok(()),
            why = self.failed() => Err(why),
        }
    }

    /// Returns why the front must end; waits for ever if it need not.
    pub fn failed(&self) -> impl Future<Output = String> + use<> {
        why_failed(self.front.fails.subscribe())
    }

    /// Ends the thread.
    pub fn end(&self) {
        self.arbiter.stop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_front_says_no_write_of_the_history_before_as_delivered() {
        let (barrier, log) = (Barrier::default(), EventLog::starting_after(Seq(100)));
        assert_eq!(delivered(&barrier, &log), Seq(100), "it has no connections yet");
        let worker = barrier.add_worker(Seq(100));
        log.append(Seq(120), []);
        assert_eq!(delivered(&barrier, &log), Seq(100));
        worker.send_replace(Seq(120));
        // A backup was restored, and the worker was not woken yet.
        log.restart_after(Seq(7));
        assert_eq!(delivered(&barrier, &log), Seq(7));
    }
}

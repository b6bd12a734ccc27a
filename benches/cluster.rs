//! Measures how many commits a second a home publishes to two fronts over a real broker, and what fronts cost the writer
//! while the broker is stopped.
//!
//! `cargo bench --bench cluster` runs it; with `-- second` it runs briefly. It starts `nats-server`, which
//! `scripts/nats` installs. Without it nothing is measured, and the output says so.
//!
//! The publisher, the sealed link and the copies of the log are those of a cluster, the home on one thread and each
//! front on another. There is no database and there are no sockets. A commit has one event for a hundred users, and is
//! published as a batch of its own.
//!
//! The hand-over is what the writer does for fronts after a commit: it appends the events to the log, where a single
//! host does the same, and wakes the publisher.
#![expect(clippy::unwrap_used, reason = "a bench that cannot go on stops")]

#[path = "support/figures.rs"]
#[expect(dead_code, reason = "nothing is compared with a neighbour")]
mod figures;
#[path = "support/quantile.rs"]
mod quantile;

use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::StreamExt;
use mellow::cluster::copy::{LogCopy, Next};
use mellow::cluster::link::Broker;
use mellow::cluster::nats::{Nats, read_addresses};
use mellow::cluster::publisher::{Publisher, Source};
use mellow::cluster::seal::{Keys, new_key};
use mellow::cluster::sealed::SealedLink;
use mellow::cluster::wire::{FromHome, HomeSettings, Instance, Pieces, Terms};
use mellow::delivery::dispatcher::Dispatchers;
use mellow::delivery::log::EventLog;
use mellow::events::{Effects, PublishedEvent, Recipients};
use mellow::ids::{Seq, UserId};
use quantile::quantile;
use rustix::process::{Pid, Signal, kill_process};
use tokio::runtime::Runtime;
use tokio::sync::Notify;

/// The size of a run.
struct Size {
    turns: usize,
    /// The number of commits in a turn.
    commits: i64,
    hand_overs: usize,
}

const SIZE: Size = Size { turns: 5, commits: 20_000, hand_overs: 10_000 };
const TRIAL: Size = Size { turns: 1, commits: 300, hand_overs: 100 };

/// The last write before the home starts.
const START: Seq = Seq(100);
/// The number of users that an event is for, and the bytes of its frame.
const READERS: i64 = 100;
const FRAME: &[u8] = &[7; 400];
/// How many commits the home may be ahead of a front.
const AHEAD_MAX: i64 = 1_000;
/// Pause between two hand-overs.
const PAUSE: Duration = Duration::from_micros(200);
/// Pause between two looks at whether something has arrived.
const LOOK: Duration = Duration::from_millis(1);

/// The broker. It ends when this value is dropped.
struct NatsServer {
    child: Child,
    address: String,
}

impl NatsServer {
    /// Starts the broker; None if it is not installed.
    fn start() -> Option<Self> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::env::split_paths(&path).chain([PathBuf::from("/usr/sbin")]);
        let program = folders.map(|folder| folder.join("nats-server")).find(|program| program.is_file())?;
        // The port is free until the broker takes it.
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new(program);
        command.args(["-a", "127.0.0.1", "-p", &port.to_string()]);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let mut server = Self { child, address: format!("127.0.0.1:{port}") };
        while TcpStream::connect(&server.address).is_err() {
            assert!(server.child.try_wait().unwrap().is_none(), "the broker has ended");
            std::thread::sleep(LOOK);
        }
        Some(server)
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        if let Err(why) = self.child.kill().and_then(|()| self.child.wait().map(drop)) {
            eprintln!("the broker had already ended: {why}");
        }
    }
}

/// What all processes of a cluster have.
#[derive(Clone)]
struct Cluster {
    broker: Broker,
    keys: Arc<Keys>,
}

impl Cluster {
    fn new(server: &NatsServer) -> Self {
        let brokers = read_addresses(&format!("nats://{}", server.address)).unwrap();
        let broker = Broker::Nats(Nats { brokers, seed: None, ca: None, may_be_away: false });
        let keys = Keys::read(&new_key().unwrap(), None).unwrap();
        Self { broker, keys: Arc::new(keys) }
    }

    async fn link(&self) -> Arc<SealedLink> {
        SealedLink::new(self.broker.connect().await.unwrap(), self.keys.clone()).unwrap()
    }
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// A home that has just started.
fn home() -> Source {
    Source {
        home: Instance(1),
        started_ms: 0,
        epoch: "bench".into(),
        start: START,
        log: Arc::new(EventLog::new(Seq(START.0 + 1))),
        quiet_users: Arc::default(),
    }
}

fn terms(home: &Source) -> Terms {
    let (head, log_from) = (home.log.head(), home.log.lasts_after());
    Terms { settings: HomeSettings::default(), epoch: home.epoch.clone(), head, log_from, lanes: 1 }
}

/// Returns the event of the next commit.
fn next_event(log: &EventLog, recipients: &Recipients) -> Arc<PublishedEvent> {
    Arc::new(PublishedEvent {
        seq: Seq(log.head().0 + 1),
        at_ms: 0,
        kind: 0,
        frame: Bytes::from_static(FRAME),
        recipients: recipients.clone(),
        effects: Effects::default(),
    })
}

fn readers() -> Recipients {
    Recipients::users((1..=READERS).map(UserId))
}

/// A front on a thread of its own, which ends with the bench.
struct Front {
    /// The last write that it has.
    head: Arc<AtomicI64>,
    /// How often it missed something, which it then took from the log of the home itself.
    fills: Arc<AtomicU64>,
}

impl Front {
    fn start(cluster: Cluster, home: Source, subject: &'static str) -> Self {
        let front = Self { head: Arc::new(AtomicI64::new(START.0)), fills: Arc::default() };
        let (head, fills) = (front.head.clone(), front.fills.clone());
        std::thread::spawn(move || {
            runtime().block_on(async move {
                let link = cluster.link().await;
                let mut messages = link.link.subscribe(subject).await.unwrap();
                let log = Arc::new(EventLog::starting_after(START));
                let mut copy = LogCopy::new(log.clone(), Arc::default(), home.home, &terms(&home));
                let mut pieces = Pieces::default();
                while let Some(message) = messages.next().await {
                    let Some(from_home) = link.read(&message, &mut pieces) else { continue };
                    let mut next = match from_home {
                        FromHome::Batch(batch) => copy.batch(batch),
                        FromHome::Beat(beat) => copy.beat(&beat),
                    };
                    while next == Next::Fill {
                        fills.fetch_add(1, Ordering::Relaxed);
                        let missed = home.missed(&copy.since());
                        next = copy.missed(missed);
                    }
                    assert!(next != Next::BeginAnew, "the home no longer has what a front missed");
                    head.store(log.head().0, Ordering::SeqCst);
                }
            });
        });
        front
    }

    fn head(&self) -> i64 {
        self.head.load(Ordering::SeqCst)
    }
}

/// Publishes commits, as fast as two fronts take them. Returns the commits a second of each turn, and how often a front
/// missed something.
fn commits_per_second(cluster: &Cluster, size: &Size) -> (Vec<f64>, u64) {
    const SUBJECT: &str = "bench.log";
    let (home, recipients) = (home(), readers());
    let fronts = [(); 2].map(|()| Front::start(cluster.clone(), home.clone(), SUBJECT));
    let per_second = runtime().block_on(async {
        let mut publisher = Publisher::new(home.clone(), cluster.link().await, SUBJECT.into());
        // Until both hear the home.
        while fronts.iter().any(|front| front.head() <= START.0) {
            publisher.beat(0, false);
            tokio::time::sleep(LOOK).await;
        }
        let mut per_second = Vec::new();
        for _ in 0..size.turns {
            let begun = Instant::now();
            for _ in 0..size.commits {
                let event = next_event(&home.log, &recipients);
                let head = event.seq.0;
                home.log.append(event.seq, [event]);
                publisher.publish();
                tokio::task::yield_now().await;
                while fronts.iter().any(|front| head - front.head() > AHEAD_MAX) {
                    tokio::time::sleep(LOOK).await;
                }
            }
            while fronts.iter().any(|front| front.head() < home.log.head().0) {
                publisher.beat(0, false);
                tokio::time::sleep(LOOK).await;
            }
            per_second.push(size.commits as f64 / begun.elapsed().as_secs_f64());
        }
        per_second
    });
    (per_second, fronts.iter().map(|front| front.fills.load(Ordering::Relaxed)).sum())
}

/// Hands commits over while the broker is stopped. Returns the times of the hand-overs, in microseconds.
fn hand_over_us(cluster: &Cluster, server: &NatsServer, size: &Size) -> Vec<f64> {
    let (home, recipients) = (home(), readers());
    let (log, dispatchers, woken) = (home.log.clone(), Dispatchers::default(), Arc::<Notify>::default());
    dispatchers.add_reader(woken.clone());
    let (connected, connects) = mpsc::channel();
    let cluster = cluster.clone();
    std::thread::spawn(move || {
        runtime().block_on(async move {
            let mut publisher = Publisher::new(home, cluster.link().await, "bench.hand-over".into());
            connected.send(()).unwrap();
            loop {
                woken.notified().await;
                publisher.publish();
            }
        });
    });
    connects.recv().unwrap();
    server.signal(Signal::STOP);
    let hand_over = |_| {
        std::thread::sleep(PAUSE);
        let event = next_event(&log, &recipients);
        let begun = Instant::now();
        log.append(event.seq, [event]);
        dispatchers.wake();
        begun.elapsed().as_nanos() as f64 / 1_000.0
    };
    let times = (0..size.hand_overs).map(hand_over).collect();
    server.signal(Signal::CONT);
    times
}

fn main() {
    let size = if figures::is_trial(&figures::arguments()) { TRIAL } else { SIZE };
    let Some(server) = NatsServer::start() else {
        println!("Nothing is measured, because nats-server is missing. `scripts/nats` installs it.");
        return;
    };
    let cluster = Cluster::new(&server);
    let (per_second, fills) = commits_per_second(&cluster, &size);
    let mut times_us = hand_over_us(&cluster, &server, &size);
    println!(
        "medians of {} turns of {} commits; the fronts missed something {fills} times\n",
        size.turns, size.commits
    );
    let row = |name: &str, figure: f64, goal: &str| vec![name.into(), format!("{figure:.1}"), goal.into()];
    figures::print_table(
        &["", "", "goal"],
        &[
            row("commits/s to two fronts", figures::median(per_second), "at least 5,000"),
            row("hand-over, broker stopped, p50 µs", quantile(&mut times_us, 0.5), ""),
            row("the same, p99 µs", quantile(&mut times_us, 0.99), "at most 50"),
        ],
    );
}

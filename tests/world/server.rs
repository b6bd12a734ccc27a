//! The world: a server in this process, its folder, its clock, and the people who come.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::thread::JoinHandle;

use mellow::clock::Clock;
use mellow::delivery::groups::Groups;
use tempfile::TempDir;
use tokio::sync::{OnceCell, oneshot};

use super::person::Person;
use super::socket::Socket;

/// 2026-03-01T09:00:00Z, when every told clock begins.
pub const MORNING_MS: i64 = 1_772_355_600_000;

/// The program whose worker judges pictures; these servers run inside the test's own.
const PROGRAM: &str = env!("CARGO_BIN_EXE_mellow");

pub struct World {
    pub at: SocketAddr,
    folder: Arc<TempDir>,
    settings: Vec<String>,
    clock: Clock,
    running: Option<Running>,
    bell: OnceCell<Person>,
}

struct Running {
    groups: Arc<Groups>,
    stop: oneshot::Sender<()>,
    stopped: oneshot::Receiver<()>,
    thread: JoinHandle<()>,
}

impl World {
    /// A world without throttles, at the real time.
    pub async fn new() -> Self {
        Self::with(&[]).await
    }

    /// A world with these settings, such as `votes_per_minute=3`.
    pub async fn with(settings: &[&str]) -> Self {
        Self::begin(settings, Clock::Real)
    }

    /// A world whose time moves only when told.
    pub async fn told(settings: &[&str]) -> Self {
        Self::begin(settings, Clock::Told(Arc::new(AtomicI64::new(MORNING_MS))))
    }

    /// A world on a folder that somebody prepared.
    pub fn on(folder: TempDir, settings: &[&str]) -> Self {
        Self::begin_in(folder, settings, Clock::Real)
    }

    fn begin(settings: &[&str], clock: Clock) -> Self {
        Self::begin_in(tempfile::tempdir().unwrap(), settings, clock)
    }

    fn begin_in(folder: TempDir, settings: &[&str], clock: Clock) -> Self {
        let folder = Arc::new(folder);
        let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
        let (at, running) = start("127.0.0.1:0", &folder, &settings, &clock);
        Self { at, folder, settings, clock, running: Some(running), bell: OnceCell::new() }
    }

    /// Lets time pass, in a told world.
    pub fn later(&self, ms: i64) {
        let Clock::Told(now) = &self.clock else { panic!("this world has the real time") };
        now.fetch_add(ms, Ordering::Relaxed);
    }

    /// Stops the server in order, and waits for it.
    pub async fn stops(&mut self) {
        let Some(running) = self.running.take() else { return };
        running.stop.send(()).unwrap();
        running.stopped.await.unwrap();
        running.thread.join().unwrap();
    }

    /// Starts it again, on the same address and folder.
    pub fn starts(&mut self) {
        let (at, running) = start(&self.at.to_string(), &self.folder, &self.settings, &self.clock);
        self.at = at;
        self.running = Some(running);
        self.bell = OnceCell::new();
    }

    pub async fn restarts(&mut self) {
        self.stops().await;
        self.starts();
    }

    /// Where groups meet on this server.
    pub fn halls(&self) -> &Groups {
        &self.running.as_ref().expect("a server that runs").groups
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn database(&self) -> PathBuf {
        self.folder().join("mellow.db")
    }

    /// The host says a word, at the machine.
    pub async fn host(&self, arguments: &[&str]) -> super::child::Said {
        super::child::host(self.folder(), arguments).await
    }

    /// Looks into the database; sees what is committed.
    pub fn look(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.database()).unwrap()
    }

    /// Somebody new signs up.
    pub async fn person(&self, name: &str) -> Person {
        Person::signs_up(self.at, name).await
    }

    /// Several people sign up, in this order.
    pub async fn people<const COUNT: usize>(&self, names: [&str; COUNT]) -> [Person; COUNT] {
        let mut people = Vec::new();
        for name in names {
            people.push(self.person(name).await);
        }
        people.try_into().unwrap_or_else(|_| unreachable!("one for each name"))
    }

    /// Somebody who has not said who they are.
    pub async fn guest(&self) -> Socket {
        let guest = Socket::open(self.at, None).await;
        guest.hello().await;
        guest
    }

    /// Something happens that concerns nobody; returns its number. Whoever was told of everything
    /// up to it was told of all that came before.
    pub async fn rings(&self) -> i64 {
        let bell = self.bell.get_or_init(|| Person::signs_up_again(self.at, "~bell")).await;
        bell.asks("posts.create", super::person::post("ding")).await["seq"].as_i64().unwrap()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            let _ = running.stop.send(());
        }
    }
}

fn start(listen: &str, folder: &Arc<TempDir>, settings: &[String], clock: &Clock) -> (SocketAddr, Running) {
    let mut flags: Vec<std::ffi::OsString> = vec!["mellow".into(), "serve".into()];
    let mut set = |name: &str, value: &str| {
        flags.push(format!("--{}", name.replace('_', "-")).into());
        flags.push(value.into());
    };
    set("listen", listen);
    set("data", folder.path().to_str().unwrap());
    let given = |name: &str| settings.iter().any(|setting| setting.split('=').next() == Some(name));
    for (name, value) in super::child::CALM {
        if !given(name) {
            set(name, value);
        }
    }
    for setting in settings {
        let (name, value) = setting.split_once('=').expect("name=value");
        set(name, value);
    }
    let config =
        mellow::config::read(flags, [], Path::new("no mellow.toml here")).expect("settings that can be");

    let (began, begins) = std::sync::mpsc::channel();
    let (stop, stops) = oneshot::channel();
    let (says_stopped, stopped) = oneshot::channel();
    let (clock, folder) = (clock.clone(), folder.clone());
    let thread = std::thread::spawn(move || {
        actix_web::rt::System::new().block_on(async move {
            let running = mellow::server::start(config, clock, PROGRAM.into()).await.expect("a server");
            began.send((running.listens_on, running.groups())).unwrap();
            let _ = stops.await;
            running.stop().await;
        });
        // The folder goes after the server that uses it.
        drop(folder);
        let _ = says_stopped.send(());
    });
    let (at, groups) = begins.recv().expect("a server that starts");
    (at, Running { groups, stop, stopped, thread })
}

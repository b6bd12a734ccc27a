//! A test server in this process, with its folder, its clock and its users. With `MELLOW_TEST_SPLIT=1` each server is a
//! home and a front of it.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use mellow::clock::Clock;
use mellow::cluster::link::Hub;
use mellow::db::sql::Sql;
use mellow::delivery::groups::Groups;
use mellow::features::context::App;
use mellow::settings::Settings;
use tempfile::TempDir;
use tokio::sync::{OnceCell, oneshot};

use super::TIMEOUT;
use super::person::Person;
use super::port::Port;
use super::socket::Socket;

/// 2026-03-01T09:00:00Z, the start of every manual clock.
pub const MORNING_MS: i64 = 1_772_355_600_000;

/// The program that runs as the picture worker. The servers themselves run inside the test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_mellow");

/// The empty database of a new server. Migrations take 40 ms in a debug build, so they run once, and each server gets a
/// copy. All servers of one test binary therefore have the same epoch.
static EMPTY_DATABASE: OnceCell<Vec<u8>> = OnceCell::const_new();

pub struct TestServer {
    pub at: SocketAddr,
    /// Reserved also while the server is stopped, because users come back to the same address.
    _port: Port,
    folder: Arc<TempDir>,
    settings: Vec<String>,
    clock: Clock,
    /// Joins the home and the front of a split server; None if its sockets are those of the home.
    pub hub: Option<Arc<Hub>>,
    running: Option<Running>,
    marker: OnceCell<Person>,
}

struct Running {
    app: Arc<App>,
    groups: Arc<Groups>,
    stop: oneshot::Sender<()>,
    stopped: oneshot::Receiver<()>,
    thread: JoinHandle<()>,
}

impl TestServer {
    /// A server without rate limits, with the real clock.
    pub async fn new() -> Self {
        Self::with(&[]).await
    }

    /// A server with these settings, such as `votes_per_minute=3`.
    pub async fn with(settings: &[&str]) -> Self {
        Self::begin_in(new_folder().await, settings, Clock::Real)
    }

    /// A home and a front of it in one process, joined by a hub that can lose, repeat and delay what they say.
    pub async fn with_front() -> Self {
        Self::begin(new_folder().await, &[], Clock::Real, Some(Arc::default()))
    }

    /// A server whose clock moves only with [`later`](Self::later).
    pub async fn with_manual_clock(settings: &[&str]) -> Self {
        let clock = Clock::Manual(Arc::new(AtomicI64::new(MORNING_MS)));
        Self::begin_in(new_folder().await, settings, clock)
    }

    /// A server on a prepared folder.
    pub fn on(folder: TempDir, settings: &[&str]) -> Self {
        Self::begin_in(folder, settings, Clock::Real)
    }

    /// A server on a prepared folder, whose clock shows the morning.
    pub fn on_at_morning(folder: TempDir) -> Self {
        Self::begin_in(folder, &[], Clock::Manual(Arc::new(AtomicI64::new(MORNING_MS))))
    }

    fn begin_in(folder: TempDir, settings: &[&str], clock: Clock) -> Self {
        let is_split = std::env::var_os("MELLOW_TEST_SPLIT").is_some();
        Self::begin(folder, settings, clock, is_split.then(Arc::default))
    }

    fn begin(folder: TempDir, settings: &[&str], clock: Clock, hub: Option<Arc<Hub>>) -> Self {
        let folder = Arc::new(folder);
        let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
        let port = Port::reserve();
        let running = start(port.at, &folder, &settings, &clock, hub.clone());
        Self {
            at: port.at,
            _port: port,
            folder,
            settings,
            clock,
            hub,
            running: Some(running),
            marker: OnceCell::new(),
        }
    }

    /// Advances the manual clock.
    pub fn later(&self, ms: i64) {
        let Clock::Manual(now) = &self.clock else { panic!("this server has the real time") };
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
        let hub = self.hub.clone();
        self.running = Some(start(self.at, &self.folder, &self.settings, &self.clock, hub));
        self.marker = OnceCell::new();
    }

    pub async fn restarts(&mut self) {
        self.stops().await;
        self.starts();
    }

    /// Starts it again with other settings.
    pub async fn restarts_with(&mut self, settings: &[&str]) {
        self.stops().await;
        self.settings = settings.iter().map(ToString::to_string).collect();
        self.starts();
    }

    /// The group registry of this server.
    pub fn groups(&self) -> &Groups {
        &self.running.as_ref().expect("a server that runs").groups
    }

    /// The services of this server.
    pub fn app(&self) -> &App {
        &self.running.as_ref().expect("a server that runs").app
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn database(&self) -> PathBuf {
        self.folder().join("mellow.db")
    }

    /// Runs a command of the host.
    pub async fn host(&self, arguments: &[&str]) -> super::child::CommandResult {
        super::child::host(self.folder(), arguments).await
    }

    /// Opens the database; sees committed data.
    pub fn look(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.database()).unwrap()
    }

    /// Signs up a user.
    pub async fn person(&self, name: &str) -> Person {
        Person::signs_up(self.at, name).await
    }

    /// Signs up several users, in this order.
    pub async fn people<const COUNT: usize>(&self, names: [&str; COUNT]) -> [Person; COUNT] {
        let mut people = Vec::new();
        for name in names {
            people.push(self.person(name).await);
        }
        people.try_into().unwrap_or_else(|_| unreachable!("one for each name"))
    }

    /// Connects a guest.
    pub async fn guest(&self) -> Socket {
        let guest = Socket::open(self.at, None).await;
        guest.hello().await;
        guest
    }

    /// Publishes an event without other recipients. Returns its `seq`. A client that was delivered everything up to it
    /// has received all earlier events.
    pub async fn publishes_marker(&self) -> i64 {
        let marker = self.marker.get_or_init(|| Person::signs_up_again(self.at, "~bell")).await;
        marker.asks("posts.create", super::person::post("ding")).await["seq"].as_i64().unwrap()
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            let _ = running.stop.send(());
        }
    }
}

/// Starts a server; with a hub, a home and a front of it, which the hub joins. A child process that another test forks at
/// the same time also has the lock file open until it runs its program, so a locked folder is tried again.
async fn start_when_unlocked(
    settings: Settings,
    clock: Clock,
    hub: Option<Arc<Hub>>,
) -> mellow::server::Running {
    let begun = Instant::now();
    loop {
        let (settings, clock) = (settings.clone(), clock.clone());
        let started = match &hub {
            Some(hub) => mellow::server::start_split(settings, clock, PROGRAM.into(), hub.clone()),
            None => mellow::server::start(settings, clock, PROGRAM.into()),
        };
        match started.await {
            Ok(running) => return running,
            Err(why) => assert!(why.contains("another Mellow") && begun.elapsed() < TIMEOUT, "{why}"),
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

async fn new_folder() -> TempDir {
    let database = EMPTY_DATABASE.get_or_init(|| async {
        let folder = tempfile::tempdir().unwrap();
        // The start of the server takes the `seq` 1, as on an empty folder.
        let begins_anew =
            |sql: Sql<'_>| sql.execute("update site set seq = 0", ()).map_err(|why| why.to_string());
        mellow::db::fill(folder.path(), begins_anew).await.unwrap();
        std::fs::read(folder.path().join("mellow.db")).unwrap()
    });
    let database = database.await;
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mellow.db"), database).unwrap();
    folder
}

fn start(
    listen: SocketAddr,
    folder: &Arc<TempDir>,
    settings: &[String],
    clock: &Clock,
    hub: Option<Arc<Hub>>,
) -> Running {
    let mut flags: Vec<std::ffi::OsString> = vec!["mellow".into(), "serve".into()];
    let mut set = |name: &str, value: &str| {
        flags.push(format!("--{}", name.replace('_', "-")).into());
        flags.push(value.into());
    };
    set("listen", &listen.to_string());
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
    let settings = mellow::cli::read_settings(flags, [], Path::new("no mellow.toml here"))
        .expect("settings that can be");

    let (began, begins) = std::sync::mpsc::channel();
    let (stop, stops) = oneshot::channel();
    let (says_stopped, stopped) = oneshot::channel();
    let (clock, folder) = (clock.clone(), folder.clone());
    let thread = std::thread::spawn(move || {
        actix_web::rt::System::new().block_on(async move {
            let running = start_when_unlocked(settings, clock, hub).await;
            began.send((running.app(), running.groups())).unwrap();
            let _ = stops.await;
            running.stop().await;
        });
        // The folder is removed after its server has stopped.
        drop(folder);
        let _ = says_stopped.send(());
    });
    let (app, groups) = begins.recv().expect("a server that starts");
    Running { app, groups, stop, stopped, thread }
}

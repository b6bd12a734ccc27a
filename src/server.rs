//! A running Mellow: database, writer, hubs and HTTP put together, and taken apart again in order.

use std::fs::{File, TryLockError};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use actix_http::{HttpService, KeepAlive};
use actix_service::map_config;
use actix_web::App as HttpApp;
use actix_web::dev::{AppConfig, Server, ServerHandle};

use crate::backend::AppBackend;
use crate::clock::Clock;
use crate::config::Config;
use crate::control::Control;
use crate::db;
use crate::db::writer::Committed;
use crate::features::auth::Desk;
use crate::features::kit::{App, UserPaces};
use crate::features::letters::Postbox;
use crate::features::{Event, theme, uploads};
use crate::http::{self, Site};
use crate::ids::IdMaker;
use crate::limits;
use crate::live::door::Door;
use crate::live::halls::Halls;
use crate::live::hub::{Goodbye, Hub};
use crate::live::postman::Postman;
use crate::live::ring::Ring;
use crate::live::ticker::Ticker;
use crate::mail;

/// A server that runs until it is stopped.
pub struct Running {
    /// Where it listens.
    pub listens_on: std::net::SocketAddr,
    app: Arc<App>,
    ring: Arc<Ring>,
    door: Arc<Door>,
    postman: Postman,
    control: Control,
    handle: ServerHandle,
    /// Held for life: one Mellow per folder.
    _lock: File,
}

/// Starts a server; `clock` is the real one but in tests. `program` is this program, which judges
/// pictures in a process of its own (`mellow picture-worker`).
///
/// # Errors
/// One sentence for the host: what is in the way, and what to do.
pub async fn start(config: Config, clock: Clock, program: PathBuf) -> Result<Running, String> {
    prepare_folder(&config.data)?;
    let lock = lock_folder(&config.data)?;
    let connections = Connections::of(&config);
    let listener = bind(&config)?;
    let listens_on = listener.local_addr().map_err(|why| format!("cannot listen: {why}"))?;
    let mail = mail::Desk::open(&config, listens_on)?;
    let theme = Arc::new(theme::desk::Desk::open(&config)?);
    let opened = db::open(&config.data).await?;

    let ring = Arc::new(Ring::new(opened.seq, clock.clone()));
    let published = ring.clone();
    let shown = theme.clone();
    let publish = Box::new(move |Committed { events, .. }: Committed<Event>| {
        // Before anybody hears: the page that is fetched then has the theme that was told.
        if events.iter().any(|(_, event)| matches!(event, Event::ThemeChanged(_))) {
            shown.turns();
        }
        if !events.is_empty() {
            published.append(events);
        }
    });
    let writer = db::writer::start(opened.writer, clock.clone(), opened.seq, publish);
    let app = Arc::new(App {
        desk: Desk::open(&config)?,
        uploads: Arc::new(uploads::desk::Desk::open(&config.data, program)?),
        exports: Arc::default(),
        postbox: Postbox::default(),
        theme,
        told: ring.told().clone(),
        paces: UserPaces::new(&config),
        ids: IdMaker::starting_after(opened.highest_id),
        readers: opened.readers,
        writer,
        clock,
        config: config.clone(),
    });
    ring.halls().open(app.readers.clone());
    Ticker::start_here(app.clone());
    let postman = Postman::start_here(app.clone(), mail);
    let control = Control::start_here(app.clone());

    let trial = http::Trial::default();
    let door = Door::new(&config, connections.sockets);
    let epoch: Arc<str> = opened.epoch.into();
    let made = (app.clone(), ring.clone(), door.clone(), trial);
    let workers = match usize::try_from(config.workers.0) {
        Ok(workers) if workers > 0 => workers,
        _ => std::thread::available_parallelism().map_or(2, std::num::NonZero::get),
    };
    let server = Server::build()
        .workers(workers)
        .backlog(limits::BACKLOG)
        .max_concurrent_connections((connections.http / workers).max(1))
        .disable_signals()
        .shutdown_timeout(1)
        .listen("mellow", listener, move || {
            // Called once on each worker's thread: this is where its hub begins.
            let (app, ring, door, trial) = made.clone();
            let seats = Hub::start_here(&ring);
            let backend = Rc::new(AppBackend::new(app.clone(), ring.clone(), epoch.clone()));
            let site = Site { app, ring, seats, backend, door, trial };
            let pages = HttpApp::new()
                .app_data(site.clone())
                .app_data(actix_web::web::PayloadConfig::new(limits::HTTP_BODY_BYTES_MAX))
                .configure(http::routes);
            HttpService::build()
                .keep_alive(KeepAlive::default())
                .client_request_timeout(Duration::from_millis(limits::HTTP_HEAD_MS_MAX))
                .client_disconnect_timeout(Duration::from_millis(limits::HTTP_DISCONNECT_MS_MAX))
                .local_addr(listens_on)
                .upgrade(http::upgrades(site))
                .on_connect_ext(http::on_connect)
                .finish(map_config(pages, |()| AppConfig::default()))
                .tcp()
        })
        .map_err(|why| format!("cannot listen on {listens_on}: {why}"))?
        .run();
    let handle = server.handle();
    actix_web::rt::spawn(server);
    Ok(Running { listens_on, app, ring, door, postman, control, handle, _lock: lock })
}

impl Running {
    /// Returns where groups meet: what their actors say, and who is here.
    #[must_use]
    pub fn halls(&self) -> Arc<Halls> {
        self.ring.halls().clone()
    }

    /// Stops: no new sockets, a goodbye to each open one, the writer's queue committed, then the end.
    pub async fn stop(self) {
        self.handle.pause().await;
        for hub in self.ring.hubs().all() {
            // A hub whose worker is gone has nobody to say goodbye to.
            let _ = hub.send(Goodbye).await;
        }
        let begun = Instant::now();
        let patience = Duration::from_millis(limits::GOODBYE_MS_MAX);
        let everybody_left = async {
            while self.door.open() > 0 && begun.elapsed() < patience {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::join!(everybody_left, self.postman.stop(), self.control.stop());
        // The writer last: whoever closes last puts the log away into the database.
        self.app.readers.close();
        self.app.writer.close().await;
        self.ring.halls().close();
        self.handle.stop(false).await;
    }
}

fn prepare_folder(folder: &Path) -> Result<(), String> {
    let say = |why: &dyn std::fmt::Display| {
        format!("the data folder {} cannot be written: {why}. Choose another with --data.", folder.display())
    };
    std::fs::create_dir_all(folder).map_err(|why| say(&why))?;
    let trial = folder.join(".mellow-writes-here");
    std::fs::write(&trial, b"").map_err(|why| say(&why))?;
    std::fs::remove_file(&trial).map_err(|why| say(&why))
}

/// Takes the folder for this process; the system gives it back when the process ends, however it ends.
fn lock_folder(folder: &Path) -> Result<File, String> {
    try_lock_folder(folder)?.ok_or_else(|| {
        format!(
            "another Mellow is using the data folder {}. Stop it first, or choose another folder with --data.",
            folder.display()
        )
    })
}

/// Takes the folder, unless a Mellow is using it.
pub(crate) fn try_lock_folder(folder: &Path) -> Result<Option<File>, String> {
    let path = folder.join("mellow.lock");
    let file = File::create(&path).map_err(|why| format!("cannot write {}: {why}", path.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(why)) => Err(format!("cannot lock {}: {why}", path.display())),
    }
}

/// How many connections the system gives this process. A socket is taken over from the HTTP server, which does
/// not count it any more.
struct Connections {
    sockets: u64,
    http: usize,
}

impl Connections {
    /// Raises the number of descriptors as far as the system lets us, and shares them out.
    fn of(config: &Config) -> Self {
        let descriptors = rlimit::increase_nofile_limit(u64::MAX).unwrap_or_else(|why| {
            log::warn!("the number of open files stays as it is: {why}");
            1_024
        });
        let all = descriptors.saturating_sub(limits::DESCRIPTORS_KEPT);
        let most = all - all / limits::HTTP_CONNECTIONS_SHARE;
        if config.sockets_max > most {
            log::warn!(
                "the system gives this process {descriptors} open files, so at most {most} of \
                 sockets_max = {} sockets; raise the limit (ulimit -n)",
                config.sockets_max
            );
        }
        let sockets = if config.sockets_max == 0 { most } else { config.sockets_max.min(most) };
        Self { sockets, http: usize::try_from(all - sockets).unwrap_or(usize::MAX) }
    }
}

fn bind(config: &Config) -> Result<TcpListener, String> {
    let listen = config.listen;
    let domain = socket2::Domain::for_address(listen);
    let made = socket2::Socket::new(domain, socket2::Type::STREAM, None).and_then(|socket| {
        socket.set_reuse_address(true)?;
        socket.bind(&listen.into())?;
        socket.listen(i32::try_from(limits::BACKLOG).unwrap_or(i32::MAX))?;
        Ok(TcpListener::from(socket))
    });
    made.map_err(|why| match why.kind() {
        std::io::ErrorKind::AddrInUse => {
            format!(
                "port {} on {} is taken by another program. Choose another with --listen.",
                listen.port(),
                listen.ip()
            )
        }
        std::io::ErrorKind::PermissionDenied => {
            format!(
                "{listen} needs more rights than this program has. Choose a port above 1023 with --listen."
            )
        }
        _ => format!("cannot listen on {listen}: {why}. Choose another address with --listen."),
    })
}

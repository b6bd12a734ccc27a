//! A running Mellow: starts the database, writer, delivery and HTTP, and stops them in order.

use std::fs::File;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use actix_http::{HttpService, KeepAlive, Protocol};
use actix_service::{ServiceFactoryExt, fn_service, map_config};
use actix_web::App as HttpApp;
use actix_web::dev::{AppConfig, Server, ServerHandle};
use actix_web::middleware::from_fn;
use futures_util::future::LocalBoxFuture;
use tokio::net::TcpStream;

use crate::backend::AppBackend;
use crate::backend::publish::Publisher;
use crate::backup::BackupService;
use crate::clock::Clock;
use crate::control::Control;
use crate::db;
use crate::db::disk_floor::DiskFloor;
use crate::db::sql::Sql;
use crate::delivery::barrier::Barrier;
use crate::delivery::connections::Connections;
use crate::delivery::dispatcher::Dispatchers;
use crate::delivery::groups::Groups;
use crate::delivery::log::EventLog;
use crate::features::auth::service::AuthService;
use crate::features::auth::store::mail_queue::MailQueue;
use crate::features::context::{App, RateLimiters};
use crate::features::quiet::service::QuietService;
use crate::features::{admin, quiet, search, theme, uploads};
use crate::http::{self, Site};
use crate::jobs::mail_sender::MailSender;
use crate::jobs::ticker;
use crate::languages::Languages;
use crate::limits;
use crate::mail;
use crate::model::stored_replies::has_right;
use crate::quiet_users::QuietUsers;
use crate::settings::{Settings, version};
use crate::socket::connection_limits::{AddressSlots, ConnectionLimits};
use crate::socket::wire::beat_frame;

/// A server that runs until it is stopped.
pub struct Running {
    /// The address on which the server listens.
    pub listens_on: std::net::SocketAddr,
    app: Arc<App>,
    dispatchers: Arc<Dispatchers>,
    connection_limits: Arc<ConnectionLimits>,
    mail_sender: MailSender,
    control: Control,
    handle: ServerHandle,
    /// The lock of the data folder, held until the process ends.
    _lock: File,
}

/// Starts a server. `clock` is the machine's clock, except in tests. `program` is the path of this program, which
/// renders pictures in a process of its own (`mellow picture-worker`).
///
/// The future is boxed, so that it is compiled with the library and not again with each program that starts a server,
/// such as the tests.
///
/// # Errors
/// One sentence for the host: the cause, and what to do.
pub fn start(
    settings: Settings,
    clock: Clock,
    program: PathBuf,
) -> LocalBoxFuture<'static, Result<Running, String>> {
    Box::pin(start_parts(settings, clock, program))
}

async fn start_parts(settings: Settings, clock: Clock, program: PathBuf) -> Result<Running, String> {
    prepare_folder(&settings.data)?;
    let lock = lock_folder(&settings.data)?;
    let room = ConnectionBudget::of(&settings);
    let listener = bind(&settings)?;
    let listens_on = listener.local_addr().map_err(|why| format!("cannot listen: {why}"))?;
    let mail = mail::Mailer::open(&settings, listens_on)?;
    let theme = Arc::new(theme::service::ThemeService::open(&settings)?);
    let languages = Languages::open(&settings.data, &settings.language.0, http::built_language);
    let opened = db::open(&settings.data).await?;
    log::info!("Mellow {} starts", version());
    search::store::fold_names(Sql::new(&opened.writer))
        .map_err(|why| format!("cannot list the people here: {why}"))?;

    let all = quiet::store::all(Sql::new(&opened.writer))
        .map_err(|why| format!("cannot read the quiet hours of the people here: {why}"))?;
    let quiet_users = Arc::<QuietUsers>::default();
    let quiet = Arc::new(QuietService::new(quiet_users.clone(), all, clock.now_ms()));

    let log = Arc::new(EventLog::new(opened.seq));
    let (barrier, dispatchers) = (Arc::<Barrier>::default(), Arc::<Dispatchers>::default());
    let groups = Groups::new(log.clone(), barrier.clone());
    let publisher = Publisher {
        log: log.clone(),
        groups: groups.clone(),
        dispatchers: dispatchers.clone(),
        theme: theme.clone(),
        quiet: quiet.clone(),
        clock: clock.clone(),
    };
    let publish = Box::new(move |committed| publisher.publish(committed));
    let floor =
        DiskFloor::new(settings.data.clone(), settings.database_free_mib_min.saturating_mul(1024 * 1024));
    let writer = db::writer::start(
        opened.writer,
        floor,
        clock.clone(),
        opened.ids.clone(),
        opened.seq,
        publish,
        has_right,
    );
    let connection_limits = ConnectionLimits::new(&settings, room.sockets);
    let counted = connection_limits.clone();
    let app = Arc::new(App {
        open_sockets: Box::new(move || counted.open()),
        auth: AuthService::open(&settings)?,
        uploads: Arc::new(uploads::service::UploadService::open(&settings.data, program)?),
        exports: Arc::default(),
        backups: BackupService::open(&settings),
        mail_queue: MailQueue::default(),
        theme,
        quiet,
        languages,
        followers: Arc::default(),
        barrier: barrier.clone(),
        groups,
        rate_limiters: RateLimiters::new(&settings),
        ids: opened.ids,
        readers: opened.readers,
        writer,
        clock,
        site_url: mail::site_url(&settings, listens_on),
        settings: settings.clone(),
    });
    if let (Some(typed), Some(origin)) = (&settings.public_url.typed, &settings.public_url.origin) {
        log::info!("public_url is {typed}; browsers write it as {origin}, and so does Mellow");
    }
    admin::log_if_none(&app).await.map_err(|why| format!("cannot read the database: {why}"))?;
    let day = theme::publish_at_start(&app).await.map_err(|why| format!("cannot begin to write: {why:?}"))?;
    ticker::start_here(&app, day);
    let mail_sender = MailSender::start_here(app.clone(), mail);
    let control = Control::start_here(app.clone());

    let trial = http::Trial::default();
    let epoch: Arc<str> = opened.epoch.into();
    let http_limits = Arc::new(http::HttpLimits::new(&settings));
    let http_slots = Arc::new(AddressSlots::new(settings.http_connections_per_address));
    let shared = (app.clone(), connection_limits.clone(), http_limits, trial);
    let delivery = (log, quiet_users, barrier, dispatchers.clone());
    let workers = match usize::try_from(settings.workers.0) {
        Ok(workers) if workers > 0 => workers,
        _ => std::thread::available_parallelism().map_or(2, std::num::NonZero::get),
    };
    let server = Server::build()
        .workers(workers)
        .backlog(limits::BACKLOG)
        .max_concurrent_connections((room.http / workers).max(1))
        .disable_signals()
        .shutdown_timeout(1)
        .listen("mellow", listener, move || {
            // The HTTP server calls this once on each worker thread. The dispatcher of the thread starts here.
            let (app, connection_limits, http_limits, trial) = shared.clone();
            let (log, quiet_users, barrier, dispatchers) = delivery.clone();
            let connections = Connections::new(log.clone(), quiet_users, &barrier, beat_frame);
            let connections = dispatchers.start_here(connections);
            let backend = Rc::new(AppBackend::new(app.clone(), epoch.clone()));
            let site = Site { app, log, connections, backend, connection_limits, http_limits, trial };
            let slots = http_slots.clone();
            let pages = HttpApp::new()
                .wrap(from_fn(http::limited))
                .app_data(site.clone())
                .app_data(actix_web::web::PayloadConfig::new(limits::HTTP_BODY_BYTES_MAX))
                .configure(http::routes);
            let service = HttpService::build()
                // actix limits the time of a head only for the first request of a connection, so each connection serves
                // one request.
                .keep_alive(KeepAlive::Disabled)
                .client_request_timeout(Duration::from_millis(limits::HTTP_HEAD_MS_MAX))
                .client_disconnect_timeout(Duration::from_millis(limits::HTTP_DISCONNECT_MS_MAX))
                .local_addr(listens_on)
                .upgrade(http::upgrades(site))
                .on_connect_ext(move |stream, extensions| http::on_connect(&slots, stream, extensions))
                .finish(map_config(pages, |()| AppConfig::default()));
            // The address is None here, because `on_connect` reads the peer's address.
            fn_service(|stream: TcpStream| async { Ok((stream, Protocol::Http1, None)) }).and_then(service)
        })
        .map_err(|why| format!("cannot listen on {listens_on}: {why}"))?
        .run();
    let handle = server.handle();
    actix_web::rt::spawn(server);
    Ok(Running { listens_on, app, dispatchers, connection_limits, mail_sender, control, handle, _lock: lock })
}

impl Running {
    /// Returns the group registry.
    #[must_use]
    pub fn groups(&self) -> Arc<Groups> {
        self.app.groups.clone()
    }

    /// Returns the parts of the server that handle requests.
    #[must_use]
    pub fn app(&self) -> Arc<App> {
        self.app.clone()
    }

    /// Stops the server: no new connections, a close frame to each open one, then the writer commits its queue.
    pub async fn stop(self) {
        self.handle.pause().await;
        let time_limit = Duration::from_millis(limits::CLOSE_WORKER_MS_MAX);
        let back_ms = limits::back_ms(self.connection_limits.open());
        if !self.dispatchers.close_all(time_limit, back_ms).await {
            log::warn!("a worker thread is stuck: its sockets are closed without a close frame");
        }
        let begun = Instant::now();
        let time_limit = Duration::from_millis(limits::CLOSE_MS_MAX);
        let all_closed = async {
            while self.connection_limits.open() > 0 && begun.elapsed() < time_limit {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::join!(all_closed, self.mail_sender.stop(), self.control.stop());
        // The writer stops last. The database connection that closes last merges SQLite's write-ahead log into the
        // database.
        self.app.readers.close();
        self.app.writer.close().await;
        self.app.groups.close();
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

/// Locks the folder for this process. The system releases the lock when the process ends, even after a crash.
fn lock_folder(folder: &Path) -> Result<File, String> {
    db::try_lock_folder(folder)?.ok_or_else(|| {
        format!(
            "another Mellow is using the data folder {}. Stop it first, or choose another folder with --data.",
            folder.display()
        )
    })
}

/// The connections that the system allows this process: sockets, and connections over HTTP. The two are counted apart,
/// because the HTTP server no longer counts a connection that became a socket.
struct ConnectionBudget {
    sockets: u64,
    http: usize,
}

impl ConnectionBudget {
    /// Raises the limit of open files as far as the system allows, and divides it between sockets and HTTP.
    fn of(settings: &Settings) -> Self {
        let descriptors = rlimit::increase_nofile_limit(u64::MAX).unwrap_or_else(|why| {
            log::warn!("the limit of open files could not be read or raised: {why}");
            1_024
        });
        let all = descriptors.saturating_sub(limits::DESCRIPTORS_KEPT);
        let most = all - all / limits::HTTP_CONNECTIONS_SHARE;
        if settings.sockets_max > most {
            log::warn!(
                "the system gives this process {descriptors} open files, so at most {most} of \
                 sockets_max = {} sockets; raise the limit (ulimit -n)",
                settings.sockets_max
            );
        }
        let sockets = if settings.sockets_max == 0 { most } else { settings.sockets_max.min(most) };
        Self { sockets, http: usize::try_from(all - sockets).unwrap_or(usize::MAX) }
    }
}

fn bind(settings: &Settings) -> Result<TcpListener, String> {
    let listen = settings.listen;
    let domain = socket2::Domain::for_address(listen);
    let made = socket2::Socket::new(domain, socket2::Type::STREAM, None).and_then(|socket| {
        socket.set_reuse_address(true)?;
        // An accepted connection inherits these options from the listener.
        socket.set_tcp_nodelay(true)?;
        socket.set_send_buffer_size(limits::SEND_BUFFER_BYTES)?;
        socket.set_tcp_user_timeout(Some(Duration::from_millis(limits::HTTP_STALL_MS_MAX)))?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_accepted_connection_inherits_the_options_of_the_listener() {
        let typed = ["mellow", "--listen", "127.0.0.1:0"].map(Into::into);
        let settings = crate::cli::read_settings(typed, [], Path::new("no such file")).unwrap();
        let listener = bind(&settings).unwrap();
        let _client = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let accepted = socket2::Socket::from(listener.accept().unwrap().0);
        let stall_limit = Duration::from_millis(limits::HTTP_STALL_MS_MAX);
        assert!(accepted.tcp_nodelay().unwrap());
        assert_eq!(accepted.tcp_user_timeout().unwrap(), Some(stall_limit));
        // Linux doubles the size of a buffer, to have room for its own records.
        assert_eq!(accepted.send_buffer_size().unwrap(), 2 * limits::SEND_BUFFER_BYTES);
    }
}

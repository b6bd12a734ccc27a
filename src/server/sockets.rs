//! The sockets of a process: its listener, its worker threads, and the delivery to their connections.
//!
//! Never here: a feature or the database. What answers a request is a [`Backend`], and pages are handed in.

use std::net::{SocketAddr, TcpListener};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use actix_http::{HttpService, KeepAlive, Protocol};
use actix_service::{ServiceFactoryExt, fn_service, map_config};
use actix_web::App as HttpApp;
use actix_web::dev::{AppConfig, Server, ServerHandle};
use actix_web::middleware::from_fn;
use actix_web::web::{PayloadConfig, ServiceConfig};
use tokio::net::TcpStream;

use crate::clock::Clock;
use crate::delivery::barrier::Barrier;
use crate::delivery::connections::Connections;
use crate::delivery::dispatcher::Dispatchers;
use crate::delivery::lease::Lease;
use crate::delivery::log::EventLog;
use crate::http::{self, HttpLimits, SocketSite};
use crate::limits;
use crate::quiet_users::QuietUsers;
use crate::settings::Settings;
use crate::socket::Backend;
use crate::socket::connection_limits::{AddressSlots, ConnectionLimits};
use crate::socket::wire::beat_frame;

/// The listener of a process, which accepts nothing yet.
pub struct Listening {
    listener: TcpListener,
    pub listens_on: SocketAddr,
    /// The most connections over HTTP.
    http_max: usize,
    pub connection_limits: Arc<ConnectionLimits>,
}

/// Takes the port, and computes how many connections the system allows.
///
/// # Errors
/// One sentence for the host: why the port cannot be taken, and what to do.
pub fn listen(settings: &Settings) -> Result<Listening, String> {
    let budget = ConnectionBudget::of(settings);
    let listener = bind(settings)?;
    let listens_on = listener.local_addr().map_err(|why| format!("cannot listen: {why}"))?;
    let connection_limits = ConnectionLimits::new(settings, budget.sockets);
    Ok(Listening { listener, listens_on, http_max: budget.http, connection_limits })
}

/// What the workers deliver, and what follows them.
#[derive(Clone)]
pub struct Delivery {
    pub log: Arc<EventLog>,
    pub quiet_users: Arc<QuietUsers>,
    pub barrier: Arc<Barrier>,
    pub dispatchers: Arc<Dispatchers>,
    /// The lease of a front; None for the sockets of a home.
    pub lease: Option<Arc<Lease>>,
}

/// Sockets that run.
pub struct Sockets {
    dispatchers: Arc<Dispatchers>,
    connection_limits: Arc<ConnectionLimits>,
    handle: ServerHandle,
}

/// Starts the worker threads. `backend` makes the backend of one worker, and `pages` adds the addresses beside `/ws`.
///
/// # Errors
/// One sentence for the host: the port cannot be listened on.
pub fn start<B: Backend>(
    listening: Listening,
    settings: Settings,
    clock: Clock,
    delivery: Delivery,
    backend: impl Fn() -> B + Send + Clone + 'static,
    pages: impl Fn(&mut ServiceConfig) + Send + Clone + 'static,
) -> Result<Sockets, String> {
    let Listening { listener, listens_on, http_max, connection_limits } = listening;
    let settings = Arc::new(settings);
    let http_limits = Arc::new(HttpLimits::new(&settings, clock));
    let http_slots = Arc::new(AddressSlots::new(settings.http_connections_per_address));
    let workers = workers(&settings);
    let (dispatchers, limits_of_sockets) = (delivery.dispatchers.clone(), connection_limits.clone());
    let server = Server::build()
        .workers(workers)
        .backlog(limits::BACKLOG)
        .max_concurrent_connections((http_max / workers).max(1))
        .disable_signals()
        .shutdown_timeout(1)
        .listen("mellow", listener, move || {
            // The HTTP server calls this once on each worker thread. The dispatcher of the thread starts here.
            let Delivery { log, quiet_users, barrier, dispatchers, lease } = delivery.clone();
            let connections = Connections::new(log, quiet_users, &barrier, beat_frame).with_lease(lease);
            let site = SocketSite {
                settings: settings.clone(),
                http_limits: http_limits.clone(),
                connection_limits: limits_of_sockets.clone(),
                connections: dispatchers.start_here(connections),
                backend: Rc::new(backend()),
            };
            let (slots, settings) = (http_slots.clone(), settings.clone());
            let app = HttpApp::new()
                .wrap(from_fn(http::limited))
                .app_data(settings.clone())
                .app_data(http_limits.clone())
                .app_data(PayloadConfig::new(limits::HTTP_BODY_BYTES_MAX))
                .configure(http::socket_route)
                .configure(&pages);
            let service = HttpService::build()
                // actix limits the time of a head only for the first request of a connection, so each connection serves
                // one request.
                .keep_alive(KeepAlive::Disabled)
                .client_request_timeout(Duration::from_millis(limits::HTTP_HEAD_MS_MAX))
                .client_disconnect_timeout(Duration::from_millis(limits::HTTP_DISCONNECT_MS_MAX))
                .local_addr(listens_on)
                .upgrade(http::upgrades(site))
                .on_connect_ext(move |stream, extensions| {
                    http::on_connect(&slots, &settings.trusted_proxies, stream, extensions);
                })
                .finish(map_config(app, |()| AppConfig::default()));
            // The address is None here, because `on_connect` reads the peer's address.
            fn_service(|stream: TcpStream| async { Ok((stream, Protocol::Http1, None)) }).and_then(service)
        })
        .map_err(|why| format!("cannot listen on {listens_on}: {why}"))?
        .run();
    let handle = server.handle();
    actix_web::rt::spawn(server);
    Ok(Sockets { dispatchers, connection_limits, handle })
}

/// Returns how many worker threads there are.
#[must_use]
pub fn workers(settings: &Settings) -> usize {
    match usize::try_from(settings.workers.0) {
        Ok(workers) if workers > 0 => workers,
        _ => std::thread::available_parallelism().map_or(2, std::num::NonZero::get),
    }
}

impl Sockets {
    /// Accepts no more connections, and sends a close frame to each open one.
    pub async fn close(&self) {
        self.handle.pause().await;
        let time_limit = Duration::from_millis(limits::CLOSE_WORKER_MS_MAX);
        let back_ms = limits::back_ms(self.connection_limits.open());
        if !self.dispatchers.close_all(time_limit, back_ms).await {
            log::warn!("a worker thread is stuck: its sockets are closed without a close frame");
        }
    }

    /// Waits until every socket is closed, or for as long as a stop may wait.
    pub async fn all_closed(&self) {
        let begun = Instant::now();
        let time_limit = Duration::from_millis(limits::CLOSE_MS_MAX);
        while self.connection_limits.open() > 0 && begun.elapsed() < time_limit {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Ends the worker threads.
    pub async fn end(self) {
        self.handle.stop(false).await;
    }
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
    use std::path::Path;

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

//! A running Mellow: starts the home and the sockets, and stops both in order.
//!
//! The [`home`] owns the data folder. The [`sockets`] know nothing of it but the backend that answers their requests.
//! In a cluster, fronts have sockets too ([`cluster`](crate::cluster)). A process without one runs nothing of it.

mod home;
mod sockets;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use actix_web::web::ServiceConfig;
use futures_util::future::LocalBoxFuture;

use self::home::Home;
use self::sockets::{Delivery, Sockets};
use crate::backend::AppBackend;
use crate::clock::Clock;
use crate::cluster::front::{self, Front, FrontSide};
use crate::cluster::home::{self as home_side, HomeSide};
use crate::cluster::link::{Broker, Hub};
use crate::cluster::publisher::Source;
use crate::cluster::remote::RemoteBackend;
use crate::cluster::seal::{Keys, new_key};
use crate::cluster::wire::{HomeSettings, Instance, Subjects};
use crate::cluster::{self, Joining};
use crate::delivery::groups::Groups;
use crate::features::context::App;
use crate::http::{self, FrontSite, Site};
use crate::ids::Seq;
use crate::settings::{PublicUrl, Settings};
use crate::socket::connection_limits::ConnectionLimits;

/// A server that runs until it is stopped.
pub struct Running {
    /// The address on which the server listens.
    pub listens_on: std::net::SocketAddr,
    home: Home,
    sockets: Sockets,
    cluster: Option<HomeSide>,
    /// The front of a split server.
    front: Option<FrontSide>,
}

/// Where the sockets of a home are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// Here.
    Alone,
    /// Here and at fronts.
    WithFronts,
    /// At a front in this process.
    Split,
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

/// Starts a server whose sockets are at a front in the same process. Home and front are joined as over a broker, by
/// sealed bytes in `hub`, which may lose, repeat and delay them. Pages are those of the home.
///
/// # Errors
/// One sentence for the host: the cause, and what to do.
pub fn start_split(
    settings: Settings,
    clock: Clock,
    program: PathBuf,
    hub: Arc<Hub>,
) -> LocalBoxFuture<'static, Result<Running, String>> {
    Box::pin(start_split_parts(settings, clock, program, hub))
}

/// Starts a front: the sockets of a home in another process.
///
/// # Errors
/// One sentence for the host: the cause, and what to do.
pub fn start_front(
    settings: Settings,
    clock: Clock,
) -> LocalBoxFuture<'static, Result<RunningFront, String>> {
    Box::pin(start_front_parts(settings, clock))
}

async fn start_parts(settings: Settings, clock: Clock, program: PathBuf) -> Result<Running, String> {
    let lock = home::lock(&settings.data)?;
    let joining = cluster::joining(&settings, true)?;
    if let Some(Joining { broker, keys, subjects }) = &joining {
        home_side::check_alone(broker, keys, subjects).await?;
    }
    let listening = sockets::listen(&settings)?;
    let listens_on = listening.listens_on;
    let shape = if joining.is_some() { Shape::WithFronts } else { Shape::Alone };
    let home = home::start(&settings, clock.clone(), program, lock, &listening, shape).await?;
    let cluster = match &joining {
        Some(Joining { broker, keys, subjects }) => {
            Some(start_home_side(broker, keys, subjects, &home, &settings).await?)
        }
        None => None,
    };

    let (app, epoch, delivery) = (home.app.clone(), home.epoch.clone(), home.delivery.clone());
    let pages = pages(&home);
    let backend = move || AppBackend::new(app.clone(), epoch.clone());
    let sockets = sockets::start(listening, settings, clock, delivery, backend, pages)?;
    Ok(Running { listens_on, home, sockets, cluster, front: None })
}

async fn start_front_parts(mut settings: Settings, clock: Clock) -> Result<RunningFront, String> {
    let joining = cluster::joining(&settings, false)?.ok_or("a front needs cluster and cluster_key_file")?;
    let Joining { broker, keys, subjects } = &joining;
    let open = Arc::<OnceLock<Arc<ConnectionLimits>>>::default();
    let counted = open.clone();
    let sockets = Box::new(move || counted.get().map_or(0, |counted| counted.open()));
    let front = front::start(broker, keys, subjects, front::Parts { clock: clock.clone(), sockets }).await?;
    let HomeSettings {
        public_url,
        sockets_per_login,
        sockets_per_address,
        http_connections_per_address,
        http_requests_per_minute,
        requests_per_second,
        chunks_per_second,
    } = front.front.settings.clone();
    let origin = (!public_url.is_empty()).then_some(public_url);
    settings.public_url = PublicUrl { origin, typed: None };
    settings.sockets_per_login = sockets_per_login;
    settings.sockets_per_address = sockets_per_address;
    settings.http_connections_per_address = http_connections_per_address;
    settings.http_requests_per_minute = http_requests_per_minute;
    settings.requests_per_second = requests_per_second;
    settings.chunks_per_second = chunks_per_second;

    let listening = sockets::listen(&settings)?;
    let listens_on = listening.listens_on;
    let connection_limits = listening.connection_limits.clone();
    open.get_or_init(|| connection_limits.clone());
    let metrics_public = settings.metrics_public;
    let site = FrontSite { front: front.front.clone(), connection_limits, metrics_public };
    let pages = move |service: &mut ServiceConfig| http::front_routes(service, site.clone());
    let backend = remote_backends(&front.front);
    let sockets = sockets::start(listening, settings, clock, delivery_of(&front.front), backend, pages)?;
    Ok(RunningFront { listens_on, sockets, front })
}

async fn start_split_parts(
    settings: Settings,
    clock: Clock,
    program: PathBuf,
    hub: Arc<Hub>,
) -> Result<Running, String> {
    let lock = home::lock(&settings.data)?;
    let listening = sockets::listen(&settings)?;
    let listens_on = listening.listens_on;
    let home = home::start(&settings, clock.clone(), program, lock, &listening, Shape::Split).await?;

    let key = new_key().map_err(|why| why.to_string())?;
    let keys = Arc::new(Keys::read(&key, None).ok_or("a new key is no key")?);
    let (broker, subjects) = (Broker::Hub(hub), Subjects("mellow".into()));
    let counted = listening.connection_limits.clone();
    let parts = front::Parts { clock: clock.clone(), sockets: Box::new(move || counted.open()) };
    // The front hears the first beat of the home if it is there before.
    let front = front::start(&broker, &keys, &subjects, parts);
    let cluster = start_home_side(&broker, &keys, &subjects, &home, &settings);
    let (front, cluster) = tokio::try_join!(front, cluster)?;
    front.ready().await?;
    let (delivery, pages) = (delivery_of(&front.front), pages(&home));
    let backend = remote_backends(&front.front);
    let sockets = sockets::start(listening, settings, clock, delivery, backend, pages)?;
    Ok(Running { listens_on, home, sockets, cluster: Some(cluster), front: Some(front) })
}

/// Returns what adds the pages of a home.
fn pages(home: &Home) -> impl Fn(&mut ServiceConfig) + Send + Clone + 'static {
    let site = Site {
        app: home.app.clone(),
        log: home.delivery.log.clone(),
        trial: http::Trial::default(),
        fronts: home.fronts.clone(),
    };
    move |service: &mut ServiceConfig| http::routes(service, site.clone())
}

/// Starts the home's side of a cluster.
async fn start_home_side(
    broker: &Broker,
    keys: &Arc<Keys>,
    subjects: &Subjects,
    home: &Home,
    settings: &Settings,
) -> Result<HomeSide, String> {
    let fronts = home.fronts.clone().ok_or("this home has no fronts")?;
    let Delivery { log, quiet_users, dispatchers, .. } = home.delivery.clone();
    let source = Source {
        home: Instance::new()?,
        started_ms: home.app.clock.now_ms(),
        epoch: home.epoch.clone(),
        start: Seq(home.number.0 - 1),
        log,
        quiet_users,
    };
    let (app, epoch) = (home.app.clone(), home.epoch.clone());
    let parts = home_side::Parts {
        source,
        fronts,
        dispatchers,
        clock: home.app.clock.clone(),
        settings: HomeSettings::of(settings),
        lanes: u32::try_from(sockets::workers(settings)).unwrap_or(1),
        backend: Arc::new(move || AppBackend::new(app.clone(), epoch.clone())),
    };
    home_side::start(broker, keys, subjects, parts).await
}

/// Returns what the workers of a front deliver.
fn delivery_of(front: &Front) -> Delivery {
    Delivery {
        log: front.log.clone(),
        quiet_users: front.quiet_users.clone(),
        barrier: front.barrier.clone(),
        dispatchers: front.dispatchers.clone(),
        lease: Some(front.lease.clone()),
    }
}

/// Returns what makes the backends of the workers of a front.
fn remote_backends(front: &Arc<Front>) -> impl Fn() -> RemoteBackend + Send + Clone + 'static {
    let (front, workers) = (front.clone(), Arc::<AtomicU32>::default());
    move || RemoteBackend::start_here(front.clone(), workers.fetch_add(1, Ordering::SeqCst))
}

/// A front that runs until it is stopped.
pub struct RunningFront {
    /// The address on which the front listens.
    pub listens_on: std::net::SocketAddr,
    sockets: Sockets,
    front: FrontSide,
}

impl RunningFront {
    /// Returns why the front has to end; waits for ever if it need not.
    pub fn failed(&self) -> impl Future<Output = String> + use<> {
        self.front.failed()
    }

    /// Stops the front: no new connections, and a close frame to each open one.
    pub async fn stop(self) {
        self.sockets.close().await;
        self.sockets.all_closed().await;
        self.front.end();
        self.sockets.end().await;
    }
}

impl Running {
    /// Returns why the server has to end; waits for ever if it need not.
    pub fn failed(&self) -> impl Future<Output = String> + use<> {
        let failed = self.cluster.as_ref().map(HomeSide::failed);
        async move {
            match failed {
                Some(failed) => failed.await,
                None => std::future::pending().await,
            }
        }
    }

    /// Returns the group registry.
    #[must_use]
    pub fn groups(&self) -> Arc<Groups> {
        self.home.app.groups.clone()
    }

    /// Returns the parts of the server that handle requests.
    #[must_use]
    pub fn app(&self) -> Arc<App> {
        self.home.app.clone()
    }

    /// Stops the server: no new connections, a close frame to each open one, then the writer commits its queue.
    pub async fn stop(self) {
        let Self { home, sockets, cluster, front, .. } = self;
        sockets.close().await;
        tokio::join!(sockets.all_closed(), home.mail_sender.stop(), home.control.stop());
        if let Some(cluster) = &cluster {
            cluster.stop_asks().await;
        }
        // The writer stops last. The database connection that closes last merges SQLite's write-ahead log into the
        // database.
        home.app.readers.close();
        home.app.writer.close().await;
        if let Some(cluster) = cluster {
            cluster.end().await;
        }
        if let Some(front) = front {
            front.end();
        }
        home.app.groups.close();
        sockets.end().await;
    }
}

//! A running Mellow: starts the home and the sockets, and stops both in order.
//!
//! The [`home`] owns the data folder. The [`sockets`] know nothing of it but the backend that answers their requests.

mod home;
mod sockets;

use std::path::PathBuf;
use std::sync::Arc;

use actix_web::web::ServiceConfig;
use futures_util::future::LocalBoxFuture;

use self::home::Home;
use self::sockets::Sockets;
use crate::backend::AppBackend;
use crate::clock::Clock;
use crate::delivery::groups::Groups;
use crate::features::context::App;
use crate::http::{self, Site};
use crate::settings::Settings;

/// A server that runs until it is stopped.
pub struct Running {
    /// The address on which the server listens.
    pub listens_on: std::net::SocketAddr,
    home: Home,
    sockets: Sockets,
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
    let lock = home::lock(&settings.data)?;
    let listening = sockets::listen(&settings)?;
    let listens_on = listening.listens_on;
    let home = home::start(&settings, clock.clone(), program, lock, &listening).await?;

    let (app, epoch, delivery) = (home.app.clone(), home.epoch.clone(), home.delivery.clone());
    let site = Site { app: app.clone(), log: delivery.log.clone(), trial: http::Trial::default() };
    let backend = move || AppBackend::new(app.clone(), epoch.clone());
    let pages = move |service: &mut ServiceConfig| http::routes(service, site.clone());
    let sockets = sockets::start(listening, settings, clock, delivery, backend, pages)?;
    Ok(Running { listens_on, home, sockets })
}

impl Running {
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
        let Self { home, sockets, .. } = self;
        sockets.close().await;
        tokio::join!(sockets.all_closed(), home.mail_sender.stop(), home.control.stop());
        // The writer stops last. The database connection that closes last merges SQLite's write-ahead log into the
        // database.
        home.app.readers.close();
        home.app.writer.close().await;
        home.app.groups.close();
        sockets.end().await;
    }
}

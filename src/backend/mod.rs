//! The backend of sessions: identifies viewers, answers requests and returns their cost. Only this module connects
//! sessions with features.

mod fronts;
mod hello;
pub mod publish;

use std::sync::Arc;

pub use self::hello::{Backups, Hello, LoginState};
use crate::authz::Viewer;
use crate::delivery::groups::Presence;
use crate::error::{Error, Refusal};
use crate::features::auth;
use crate::features::context::{App, RequestContext};
use crate::features::{self, Request, registry};
use crate::ids::{LoginId, Seq, UserId};
use crate::limits::BEAT_MS;
use crate::model::groups::groups_of;
use crate::model::me::Me;
use crate::settings::version;
use crate::socket::{Backend, Cost, Identity, NoReply, RequestResult, Requester};
use crate::wire::{PROTOCOL, codec};

/// The backend that passes requests to the features.
pub struct AppBackend {
    app: Arc<App>,
    epoch: Arc<str>,
}

impl AppBackend {
    /// Makes the backend of one worker's sessions.
    #[must_use]
    pub fn new(app: Arc<App>, epoch: Arc<str>) -> Self {
        Self { app, epoch }
    }

    fn hello(&self, mut me: Option<Me>, login: LoginState) -> Vec<u8> {
        if let Some(me) = &mut me {
            // The user is registered as connected, so quiet hours that begin from now on reach their connection.
            self.app.quiet.hide(me);
        }
        let hello = Hello {
            ev: "hello",
            epoch: &self.epoch,
            protocol: PROTOCOL,
            build: version(),
            now_ms: self.app.clock.now_ms(),
            beat_ms: BEAT_MS,
            me,
            login,
            backups: Backups {
                every_hours: self.app.settings.backup_every_hours,
                kept: self.app.settings.backups_kept,
            },
        };
        codec::encode(&hello).unwrap_or_default()
    }
}

/// Registers the connection of a user who just signed in. Returns None if their groups cannot be read now; the login
/// is valid nevertheless, so nothing is refused.
async fn connect(app: &App, user_id: UserId) -> Option<Presence> {
    let read = app.readers.read(move |snapshot| Ok((groups_of(snapshot.sql, user_id)?, snapshot.seq)));
    match read.await {
        Ok((groups, since)) => app.groups.connect(user_id, groups, since),
        Err(why) => {
            log::warn!("the groups of a signed-in user could not be read: {why}");
            None
        }
    }
}

/// Returns the cost of a request of this name.
#[must_use]
pub fn cost(op: &str) -> Cost {
    Cost { weight: registry::weight(op), is_awaited: registry::is_awaited(op) }
}

/// Returns whether a request is a chunk of a file. Chunks have a rate limit of their own.
#[must_use]
pub fn is_chunk(op: &str) -> bool {
    registry::is_chunk(op)
}

impl Backend for AppBackend {
    type Presence = Presence;

    async fn identify(&self, token_hash: Option<[u8; 32]>) -> Result<Identity<Presence>, Refusal> {
        let guest = |login| Identity {
            viewer: Viewer::Guest,
            since: Seq(0),
            presence: None,
            hello: self.hello(None, login),
        };
        let Some(token_hash) = token_hash else { return Ok(guest(LoginState::None)) };
        match auth::recognise_hash(token_hash, &self.app).await.map_err(Error::into_refusal)? {
            auth::Recognised::NoCookie => Ok(guest(LoginState::None)),
            auth::Recognised::EndedLogin => Ok(guest(LoginState::Ended)),
            auth::Recognised::User { me, login_id, groups, since } => {
                let presence = self.app.groups.connect(me.id, groups, since).ok_or(Refusal::Busy)?;
                Ok(Identity {
                    viewer: Viewer::User { user_id: me.id, login_id },
                    since,
                    presence: Some(presence),
                    hello: self.hello(Some(*me), LoginState::Live),
                })
            }
        }
    }

    fn ask(
        &self,
        requester: Requester,
        op: &str,
        request: &[u8],
    ) -> impl Future<Output = RequestResult<Presence>> + use<> + 'static {
        let request = Request::read(op, request);
        let app = self.app.clone();
        async move {
            let Requester { viewer, address, device } = requester;
            let context = RequestContext { app: &app, viewer, address, device: &device };
            let reply = features::handle(request?, context).await;
            let reply = reply.map_err(|why| NoReply::Refused(why.into_refusal()))?;
            let presence = match reply.signed_in {
                Some((user_id, _)) => connect(&app, user_id).await,
                None => None,
            };
            Ok((reply, presence))
        }
    }

    fn cost(&self, op: &str) -> Cost {
        cost(op)
    }

    /// Chunks of files have a rate limit of their own.
    fn admit(&self, viewer: Viewer, op: &str) -> Result<(), Refusal> {
        let Some(user_id) = viewer.user_id() else { return Ok(()) };
        let limiters = &self.app.rate_limiters;
        let limiter = if registry::is_chunk(op) { &limiters.chunks } else { &limiters.requests };
        limiter.take(user_id, self.app.clock.now_ms())
    }

    fn note_use(&self, login_id: LoginId) {
        let app = self.app.clone();
        actix_web::rt::spawn(async move { auth::touch(login_id, &app).await });
    }

    fn now_ms(&self) -> i64 {
        self.app.clock.now_ms()
    }

    fn has_epoch(&self, epoch: &str) -> bool {
        *self.epoch == *epoch
    }
}

//! What sessions ask of this server: identity, answers, costs. The one place where sockets and features meet.

mod hello;
pub mod publish;

use std::sync::Arc;

pub use self::hello::{Hello, LoginState};
use crate::access::Viewer;
use crate::config::version;
use crate::delivery::groups::Presence;
use crate::error::{Error, Refusal};
use crate::features::kit::{App, Ask, Turn};
use crate::features::uploads::wire::CHUNK;
use crate::features::views::{Me, groups_of};
use crate::features::{self, Request, auth};
use crate::ids::{LoginId, Seq, UserId};
use crate::limits::BEAT_MS;
use crate::socket::{Answer, Asker, Backend, Cost, Identity, SignedIn};
use crate::wire::{PROTOCOL, codec};

/// Answers sessions by the features of this server.
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

    fn hello(&self, me: Option<Me>, login: LoginState) -> Vec<u8> {
        let hello = Hello {
            ev: "hello",
            epoch: &self.epoch,
            protocol: PROTOCOL,
            build: version(),
            now_ms: self.app.clock.now_ms(),
            beat_ms: BEAT_MS,
            me,
            login,
        };
        codec::encode(&hello).unwrap_or_default()
    }
}

/// Notes that a user who signed in just now is connected. None when their groups cannot be had at the moment: the login
/// stands all the same, so this refuses nothing.
async fn connect(app: &App, user_id: UserId) -> Option<Presence> {
    let read = app.readers.read(move |snapshot| Ok((groups_of(snapshot.sql, user_id)?, snapshot.seq)));
    match read.await {
        Ok((groups, since)) => app.groups.connect(user_id, groups, since),
        Err(why) => {
            log::warn!("the groups of somebody who signed in could not be read: {why}");
            None
        }
    }
}

impl Backend for AppBackend {
    async fn identify(&self, cookie: Option<&str>) -> Result<Identity, Refusal> {
        let guest = |login| Identity {
            viewer: Viewer::Guest,
            since: Seq(0),
            presence: None,
            hello: self.hello(None, login),
        };
        match auth::recognise(cookie, &self.app).await.map_err(Error::into_refusal)? {
            auth::Recognised::Nobody => Ok(guest(LoginState::None)),
            auth::Recognised::Former => Ok(guest(LoginState::Ended)),
            auth::Recognised::Somebody { me, login_id, groups, since } => {
                let presence = self.app.groups.connect(me.id, groups, since).ok_or(Refusal::Busy)?;
                Ok(Identity {
                    viewer: Viewer::User { user_id: me.id, login_id },
                    since,
                    presence: Some(presence),
                    hello: self.hello(Some(me), LoginState::Live),
                })
            }
        }
    }

    fn ask(
        &self,
        asker: Asker,
        op: &str,
        request: &[u8],
    ) -> impl Future<Output = Result<Answer, Refusal>> + use<> + 'static {
        let request = Request::read(op, request);
        let app = self.app.clone();
        async move {
            let Asker { viewer, address, device } = asker;
            let ask = Ask { app: &app, viewer, address, device: &device };
            let answer = features::handle(request?, ask).await.map_err(Error::into_refusal)?;
            let signed_in = match answer.turn {
                Some(Turn::SignedIn(user_id, login_id)) => {
                    let presence = connect(&app, user_id).await;
                    Some(SignedIn { viewer: Viewer::User { user_id, login_id }, presence })
                }
                None => None,
            };
            let features::kit::Answer { ok, seq, is_read, subscribe, if_lost, .. } = answer;
            Ok(Answer { ok, seq, is_read, subscribe, if_lost, signed_in })
        }
    }

    fn cost(&self, op: &str) -> Cost {
        Cost { weight: features::weight(op), is_owed: features::is_owed(op) }
    }

    /// Chunks of pictures are counted by themselves.
    fn admit(&self, viewer: Viewer, op: &str) -> Result<(), Refusal> {
        let Some(user_id) = viewer.user_id() else { return Ok(()) };
        let paces = if op == CHUNK { &self.app.paces.chunks } else { &self.app.paces.requests };
        paces.take(user_id, self.app.clock.now_ms())
    }

    fn note_use(&self, login_id: LoginId) {
        let app = self.app.clone();
        actix_web::rt::spawn(async move { auth::touch(login_id, &app).await });
    }

    fn now_ms(&self) -> i64 {
        self.app.clock.now_ms()
    }

    fn epoch(&self) -> &str {
        &self.epoch
    }
}

//! What sessions ask of this server: identity, answers, costs. The one place where sockets and features meet.

use std::sync::Arc;

use crate::access::Viewer;
use crate::config::version;
use crate::error::{Error, Refusal};
use crate::features::kit::{App, Ask, Turn};
use crate::features::uploads::wire::CHUNK;
use crate::features::views::Me;
use crate::features::{self, Request, auth};
use crate::ids::{LoginId, Seq};
use crate::limits::BEAT_MS;
use crate::live::halls::Presence;
use crate::live::ring::Ring;
use crate::live::wire::{Hello, LoginState};
use crate::socket::{Answer, Asker, Backend, Cost, Identity, SignedIn};
use crate::wire::{PROTOCOL, codec};

/// Answers sessions by the features of this server.
pub struct AppBackend {
    app: Arc<App>,
    ring: Arc<Ring>,
    epoch: Arc<str>,
}

impl AppBackend {
    /// Makes the backend of one worker's sessions.
    #[must_use]
    pub fn new(app: Arc<App>, ring: Arc<Ring>, epoch: Arc<str>) -> Self {
        Self { app, ring, epoch }
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

impl Backend for AppBackend {
    type Presence = Presence;

    async fn identify(&self, cookie: Option<&str>) -> Result<Identity<Presence>, Refusal> {
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
                let welcomed = self.ring.welcome(me.id, groups, since).await;
                Ok(Identity {
                    viewer: Viewer::User { user_id: me.id, login_id },
                    since,
                    presence: Some(welcomed.map_err(Error::into_refusal)?),
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
    ) -> impl Future<Output = Result<Answer<Presence>, Refusal>> + use<> + 'static {
        let request = Request::read(op, request);
        let (app, ring) = (self.app.clone(), self.ring.clone());
        async move {
            let Asker { viewer, address, device } = asker;
            let ask = Ask { app: &app, viewer, address, device: &device };
            let answer = features::handle(request?, ask).await.map_err(Error::into_refusal)?;
            let signed_in = match answer.turn {
                Some(Turn::SignedIn(user_id, login_id)) => {
                    // In all their groups before the socket is theirs: nothing falls in between.
                    let entered = Box::pin(ring.halls().enter(user_id)).await;
                    let presence = entered.map_err(Error::into_refusal)?;
                    Some(SignedIn { viewer: Viewer::User { user_id, login_id }, presence })
                }
                None => None,
            };
            Ok(Answer { ok: answer.ok, topics: answer.hear, since: answer.since, signed_in })
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

    fn is_settled(&self, presence: &Presence) -> bool {
        presence.is_settled()
    }

    fn now_ms(&self) -> i64 {
        self.app.clock.now_ms()
    }

    fn epoch(&self) -> &str {
        &self.epoch
    }
}

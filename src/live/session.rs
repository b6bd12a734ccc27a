//! A session: one actor per socket. It handles what comes in; what goes out is the outbox's.
//!
//! The only file that knows `actix_web_actors`, whose actor is not run while its peer does not
//! read. So nothing here guards against that: the hub and the outbox do, from outside.
//!
//! Rules by the ids of the protocol: W2 (three malformed messages), W4 (joined messages), W5 (text).

use std::cell::RefCell;
use std::net::IpAddr;
use std::os::fd::RawFd;
use std::rc::Rc;
use std::sync::Arc;

use actix::prelude::*;
use actix_http::ws::{Codec, Item};
use actix_web::error::PayloadError;
use actix_web::http::header::{HeaderMap, SEC_WEBSOCKET_PROTOCOL, USER_AGENT};
use actix_web::web::Payload;
use actix_web::{Error, HttpRequest, HttpResponse};
use actix_web_actors::ws::{self, CloseCode, Message, ProtocolError, WebsocketContext};
use bytes::{Bytes, BytesMut};
use futures_util::FutureExt;

use super::door::Place;
use super::guard::FrameGuard;
use super::halls::Presence;
use super::outbox::{Outbox, Outgoing, frame};
use super::ring::Ring;
use super::seats::{SeatId, SharedSeats};
use super::wire::{Hello, Left, LoginState, Probed, Request as LiveRequest, Resume, Resumed};
use crate::access::Viewer;
use crate::config::version;
use crate::error::Refusal;
use crate::features::auth::{self, Recognised};
use crate::features::kit::{Answer, App, Ask, Topic, Turn};
use crate::features::uploads::wire::CHUNK;
use crate::features::views::Me;
use crate::features::{self, Request};
use crate::ids::{Seq, UserId};
use crate::limits::{
    BEAT_MS, FRAME_BYTES_MAX, GUEST_MESSAGE_BYTES_MAX, GUEST_REQUESTS_MAX, HASTE_MAX, IN_FLIGHT_MAX,
    LOGIN_TOUCH_MS, MESSAGE_BYTES_MAX, POSTS_HEARD_MAX, PROFILES_HEARD_MAX, STRIKES_MAX,
};
use crate::wire::{self, Head, PROTOCOL, SUBPROTOCOL, codec};

/// What a session needs of its server.
#[derive(Clone)]
pub struct Surroundings {
    pub app: Arc<App>,
    pub ring: Arc<Ring>,
    pub seats: SharedSeats,
    pub epoch: Arc<str>,
}

/// Says whether a handshake names the subprotocol.
#[must_use]
pub fn speaks_mellow(headers: &HeaderMap) -> bool {
    headers
        .get_all(SEC_WEBSOCKET_PROTOCOL)
        .filter_map(|value| value.to_str().ok())
        .any(|value| value.split(',').any(|offer| offer.trim() == SUBPROTOCOL))
}

fn device(headers: &HeaderMap) -> String {
    let named = headers.get(USER_AGENT).and_then(|value| value.to_str().ok());
    named.map(auth::devices::named_by).unwrap_or_default()
}

/// Who a new socket is of.
pub struct Comer {
    /// What the cookie says.
    pub who: Recognised,
    /// Somebody is here by it, and in all their groups.
    pub presence: Option<Presence>,
    /// From where it comes.
    pub address: IpAddr,
}

/// Upgrades a request to a socket and starts its session.
///
/// # Errors
/// A handshake that is none.
pub fn open(
    request: &HttpRequest,
    payload: Payload,
    around: Surroundings,
    Comer { who, presence, address }: Comer,
    socket: Option<RawFd>,
    mut place: Place,
) -> Result<HttpResponse, Error> {
    let mut response = ws::handshake_with_protocols(request, &[SUBPROTOCOL])?;
    let outbox = Outbox::new(socket);
    let (me, viewer, login, since) = match who {
        Recognised::Nobody => (None, Viewer::Guest, LoginState::None, Seq(0)),
        Recognised::Former => (None, Viewer::Guest, LoginState::Ended, Seq(0)),
        Recognised::Somebody { me, login_id, since, .. } => {
            if !place.belongs_to(login_id) {
                return Ok(HttpResponse::ServiceUnavailable()
                    .insert_header(("Retry-After", "30"))
                    .body("This login has as many tabs open as one may have."));
            }
            let viewer = Viewer::User { user_id: me.id, login_id };
            (Some(me), viewer, LoginState::Live, since)
        }
    };
    if around.seats.borrow().has_said_goodbye() {
        return Ok(HttpResponse::ServiceUnavailable()
            .insert_header(("Retry-After", "2"))
            .body("Restarting."));
    }
    let (id, head) = {
        let mut seats = around.seats.borrow_mut();
        (seats.sit(outbox.clone()), seats.cursor())
    };
    outbox.push(hello(&around, head, me, login));
    around.seats.borrow_mut().becomes(id, viewer, since);
    let presence = Rc::new(RefCell::new(presence));
    catch_up_unless_settled(presence.borrow().as_ref(), &outbox);

    let place = Rc::new(RefCell::new(place));
    let ends_with = (place.clone(), presence.clone());
    let seated = Seated { seats: around.seats.clone(), id, _ends_with: ends_with };
    let around_now_ms = around.app.clock.now_ms();
    let session = Session {
        around,
        id,
        viewer,
        address,
        device: device(request.headers()).into(),
        place,
        presence,
        outbox: outbox.clone(),
        joined: BytesMut::new(),
        is_joining: false,
        strikes: 0,
        haste: 0,
        in_flight: 0,
        asked: 0,
        touched_at_ms: around_now_ms,
    };
    let guarded = FrameGuard::new(payload, FRAME_BYTES_MAX);
    let codec = Codec::new().max_size(FRAME_BYTES_MAX);
    let actor = WebsocketContext::with_codec(session, guarded, codec);
    Ok(response.streaming(Outgoing::new(actor, outbox, Box::new(seated))))
}

/// A hall was taken down between entering it and taking the seat: nobody can tell what was missed.
fn catch_up_unless_settled(presence: Option<&Presence>, outbox: &Outbox) {
    if presence.is_some_and(|presence| !presence.is_settled()) {
        outbox.leave(1012, "catch up");
    }
}

fn hello(around: &Surroundings, head: Seq, me: Option<Me>, login: LoginState) -> Bytes {
    let hello = Hello {
        ev: "hello",
        epoch: &around.epoch,
        protocol: PROTOCOL,
        build: version(),
        now_ms: around.app.clock.now_ms(),
        beat_ms: BEAT_MS,
        me,
        login,
    };
    frame(&wire::event(head, &codec::encode(&hello).unwrap_or_default()))
}

/// A seat that is freed with its socket.
struct Seated {
    seats: SharedSeats,
    id: SeatId,
    _ends_with: (Rc<RefCell<Place>>, Rc<RefCell<Option<Presence>>>),
}

impl Drop for Seated {
    fn drop(&mut self) {
        self.seats.borrow_mut().rise(self.id);
    }
}

/// The actor.
struct Session {
    around: Surroundings,
    id: SeatId,
    viewer: Viewer,
    address: IpAddr,
    /// What a log-in on this socket is called among others of its person.
    device: Rc<str>,
    place: Rc<RefCell<Place>>,
    /// Whoever sits here is here by it.
    presence: Rc<RefCell<Option<Presence>>>,
    outbox: Rc<Outbox>,
    /// Fragments of a message that is still coming.
    joined: BytesMut,
    is_joining: bool,
    /// Malformed messages so far.
    strikes: u32,
    /// Refusals for haste since the last request that was let through.
    haste: u32,
    in_flight: u32,
    /// Requests so far, while a guest.
    asked: u32,
    /// When the use of this login was last noted.
    touched_at_ms: i64,
}

/// A request that is being answered.
#[derive(Clone, Copy)]
struct Asked {
    id: u32,
    /// Who asked; None: a guest.
    user_id: Option<UserId>,
    /// What it counts for among those in flight.
    weight: u32,
    /// Whether a goodbye waits for its reply.
    is_owed: bool,
}

impl Actor for Session {
    type Context = WebsocketContext<Self>;
}

impl StreamHandler<Result<Message, ProtocolError>> for Session {
    fn handle(&mut self, message: Result<Message, ProtocolError>, context: &mut Self::Context) {
        self.around.seats.borrow_mut().heard_from(self.id);
        match message {
            Ok(Message::Binary(bytes)) if !self.is_joining => self.message(&bytes, context),
            Ok(Message::Continuation(item)) => self.fragment(item, context),
            Ok(Message::Ping(body)) => context.pong(&body),
            Ok(Message::Pong(_) | Message::Nop) => {}
            Ok(Message::Text(_)) => self.end(context, CloseCode::Unsupported, "binary messages only"),
            Ok(Message::Close(reason)) => {
                self.outbox.hear_goodbye();
                let code = reason.map_or(CloseCode::Normal, |reason| reason.code);
                self.end(context, code, "");
            }
            Ok(Message::Binary(_)) => self.end(context, CloseCode::Protocol, "a message within a message"),
            // The guard's refusal comes as a failed read, a frame that grew too large as an overflow.
            Err(ProtocolError::Overflow) => self.end(context, CloseCode::Size, "too large"),
            Err(ProtocolError::Io(why)) if why.to_string() == PayloadError::Overflow.to_string() => {
                self.end(context, CloseCode::Size, "too large");
            }
            // The only other failure of this kind on an open line: a text that is not even text.
            Err(ProtocolError::Io(_)) => {
                self.end(context, CloseCode::Unsupported, "binary messages only");
            }
            Err(_) => self.end(context, CloseCode::Protocol, "not this protocol"),
        }
    }
}

impl Session {
    /// Says goodbye after what is queued, and stops reading.
    fn end(&self, context: &mut WebsocketContext<Self>, code: CloseCode, why: &str) {
        self.outbox.close(u16::from(code), why);
        context.stop();
    }

    fn fragment(&mut self, item: Item, context: &mut WebsocketContext<Self>) {
        let (bytes, is_last) = match item {
            Item::FirstText(_) => return self.end(context, CloseCode::Unsupported, "binary messages only"),
            Item::FirstBinary(bytes) => {
                self.joined.clear();
                self.is_joining = true;
                (bytes, false)
            }
            Item::Continue(bytes) => (bytes, false),
            Item::Last(bytes) => (bytes, true),
        };
        if !self.is_joining {
            return self.end(context, CloseCode::Protocol, "a continuation of nothing");
        }
        let most = if self.viewer == Viewer::Guest { GUEST_MESSAGE_BYTES_MAX } else { MESSAGE_BYTES_MAX };
        if self.joined.len() + bytes.len() > most {
            return self.end(context, CloseCode::Size, "too large");
        }
        self.joined.extend_from_slice(&bytes);
        if is_last {
            self.is_joining = false;
            let whole = std::mem::take(&mut self.joined).freeze();
            self.message(&whole, context);
        }
    }

    fn reply(&self, reply: &[u8]) {
        self.outbox.push(frame(reply));
    }

    fn message(&mut self, message: &[u8], context: &mut WebsocketContext<Self>) {
        if !self.outbox.is_open() {
            // Whoever is being said goodbye to is not asked what else there is.
            return;
        }
        self.around.seats.borrow_mut().asked(self.id);
        if self.viewer == Viewer::Guest {
            self.asked += 1;
            if message.len() > GUEST_MESSAGE_BYTES_MAX {
                return self.end(context, CloseCode::Size, "too large before log-in");
            }
            if self.asked > GUEST_REQUESTS_MAX {
                return self.end(context, CloseCode::Policy, "too many before log-in");
            }
        }
        let head = match codec::check(message) {
            Ok(head) => head,
            Err((id, refusal)) => {
                self.reply(&wire::reply_err(id, refusal));
                self.strikes += 1;
                if self.strikes >= STRIKES_MAX {
                    self.end(context, CloseCode::Policy, "malformed messages");
                }
                return;
            }
        };
        if let Err(refusal) = self.pace(head.op) {
            self.reply(&wire::reply_err(Some(head.id), refusal));
            self.haste += 1;
            if self.haste > HASTE_MAX {
                self.end(context, CloseCode::Other(4429), "too many requests");
            }
            return;
        }
        // It fades and is not forgiven: a flood that now and then hits a free moment is still one.
        self.haste = self.haste.saturating_sub(1);
        self.note_use(context);
        if head.op.starts_with("live.") {
            return self.live(&head, message);
        }
        match Request::read(head.op, message) {
            Ok(request) => self.ask(head.id, request, context),
            Err(refusal) => self.reply(&wire::reply_err(Some(head.id), refusal)),
        }
    }

    /// A tab that stays open for weeks keeps its login alive.
    fn note_use(&mut self, context: &mut WebsocketContext<Self>) {
        let Viewer::User { login_id, .. } = self.viewer else { return };
        let now_ms = self.around.app.clock.now_ms();
        if now_ms - self.touched_at_ms > LOGIN_TOUCH_MS {
            self.touched_at_ms = now_ms;
            let app = self.around.app.clone();
            let noting = async move { auth::touch(login_id, &app).await };
            context.spawn(noting.into_actor(self));
        }
    }

    /// Haste: too many at once on this socket, or too many a second of this person. Pictures on
    /// their way in are counted by themselves.
    fn pace(&self, op: &str) -> Result<(), Refusal> {
        if self.in_flight >= IN_FLIGHT_MAX || self.outbox.is_crowded() {
            return Err(Refusal::SlowDown(50));
        }
        let app = &self.around.app;
        match self.viewer.user_id() {
            Some(user_id) => {
                let paces = if op == CHUNK { &app.paces.chunks } else { &app.paces.requests };
                paces.take(user_id, app.clock.now_ms())
            }
            None => Ok(()),
        }
    }

    fn ask(&mut self, id: u32, request: Request, context: &mut WebsocketContext<Self>) {
        let user_id = self.viewer.user_id();
        let asked = Asked { id, user_id, weight: request.weight(), is_owed: request.is_owed() };
        if self.in_flight + asked.weight > IN_FLIGHT_MAX {
            return self.reply(&wire::reply_err(Some(id), Refusal::SlowDown(50)));
        }
        self.in_flight += asked.weight;
        if asked.is_owed {
            self.outbox.owes();
        }
        let (app, viewer, address) = (self.around.app.clone(), self.viewer, self.address);
        let (device, ring) = (self.device.clone(), self.around.ring.clone());
        let mut asking = Box::pin(async move {
            let answer =
                features::handle(request, Ask { app: &app, viewer, address, device: &device }).await?;
            let presence = match &answer.turn {
                // In all their groups before they sit here: nothing falls in between.
                Some(Turn::SignedIn(user_id, _)) => Some(Box::pin(ring.halls().enter(*user_id)).await?),
                None => None,
            };
            Ok((answer, presence))
        });
        // Begun here, in the order of arrival: the context polls what is spawned in an order of its
        // own, and of two writes of one person the later must be the last word.
        match (&mut asking).now_or_never() {
            Some(answer) => self.finished(asked, answer, context),
            None => {
                let asking = asking.into_actor(self);
                context.spawn(
                    asking.map(move |answer, session, context| session.finished(asked, answer, context)),
                );
            }
        }
    }

    fn finished(
        &mut self,
        asked: Asked,
        answer: Result<(Answer, Option<Presence>), crate::error::Error>,
        context: &mut WebsocketContext<Self>,
    ) {
        self.in_flight -= asked.weight;
        match answer {
            Ok((answer, presence)) => self.answered(asked, answer, presence, context),
            Err(why) => self.pay(asked, &wire::reply_err(Some(asked.id), why.into_refusal())),
        }
    }

    fn pay(&self, asked: Asked, reply: &[u8]) {
        if asked.is_owed {
            self.outbox.pays(frame(reply));
        } else {
            self.reply(reply);
        }
    }

    fn answered(
        &mut self,
        asked: Asked,
        answer: Answer,
        presence: Option<Presence>,
        context: &mut WebsocketContext<Self>,
    ) {
        if let Some(Turn::SignedIn(user_id, login_id)) = answer.turn {
            if !self.place.borrow_mut().belongs_to(login_id) {
                return self.end(context, CloseCode::Other(4429), "too many tabs");
            }
            self.viewer = Viewer::User { user_id, login_id };
        } else if asked.user_id.is_some_and(|before| self.viewer.user_id() != Some(before)) {
            // Somebody else sits here meanwhile: this is not for them, nor is what it listens to.
            return self.pay(asked, &wire::reply_err(Some(asked.id), Refusal::NotSignedIn));
        }
        let is_read = answer.turn.is_none() && answer.since > Seq(0);
        if is_read && self.around.seats.borrow().is_outlived(self.id, answer.since) {
            // Asked again it is read anew, and a write answers by its key.
            return self.pay(asked, &wire::reply_err(Some(asked.id), Refusal::Busy));
        }
        // The reply first: what came after its snapshot follows it.
        self.pay(asked, &wire::reply_ok(asked.id, &answer.ok));
        if answer.turn.is_some() {
            // The end of this login is among it, when another's word came between.
            self.around.seats.borrow_mut().becomes(self.id, self.viewer, answer.since);
            // Whoever sat here before is gone with this.
            self.presence.replace(presence);
            catch_up_unless_settled(self.presence.borrow().as_ref(), &self.outbox);
        }
        if !answer.hear.is_empty() {
            self.around.seats.borrow_mut().listen(self.id, &answer.hear, answer.since);
        }
    }

    /// What is about the socket itself is answered here and at once.
    fn live(&mut self, head: &Head<'_>, message: &[u8]) {
        let answered = LiveRequest::read(head.op, message).and_then(|request| match request {
            LiveRequest::Probe(_) => {
                let seq = self.around.seats.borrow().cursor();
                codec::encode(&Probed { seq }).map_err(|_| Refusal::Fault)
            }
            LiveRequest::Resume(resume) => self.resume(&resume),
            LiveRequest::Leave(leave) => {
                self.signed_in()?;
                let polls = leave.polls.unwrap_or_default();
                self.around.seats.borrow_mut().leave(self.id, &leave.posts, &leave.profiles, &polls);
                codec::encode(&Left {}).map_err(|_| Refusal::Fault)
            }
        });
        match answered {
            Ok(ok) => self.reply(&wire::reply_ok(head.id, &ok)),
            Err(refusal) => self.reply(&wire::reply_err(Some(head.id), refusal)),
        }
    }

    fn signed_in(&self) -> Result<(), Refusal> {
        self.viewer.user_id().map(drop).ok_or(Refusal::NotSignedIn)
    }

    /// Listens again to what is on screen, tells what was missed, and answers last: until then the
    /// client's cursor stays. Anybody may name any post: who hears what of it is asked of each event, so that
    /// naming one of a group tells nothing to who is not in it.
    fn resume(&mut self, resume: &Resume) -> Result<Vec<u8>, Refusal> {
        self.signed_in()?;
        if resume.posts.len() > POSTS_HEARD_MAX || resume.profiles.len() > PROFILES_HEARD_MAX {
            return Err(Refusal::BadRequest);
        }
        let mut seats = self.around.seats.borrow_mut();
        let posts = resume.posts.iter().map(|id| Topic::Post(*id));
        let profiles = resume.profiles.iter().map(|id| Topic::Profile(*id));
        let topics: Vec<Topic> = posts.chain(profiles).collect();
        let cursor = seats.cursor();
        seats.listen(self.id, &topics, cursor);
        let knows = resume.epoch == *self.around.epoch && seats.resume(self.id, resume.seq.0);
        codec::encode(&Resumed { resync: !knows, seq: cursor }).map_err(|_| Refusal::Fault)
    }
}

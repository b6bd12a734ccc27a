//! A session: one actor for each socket. It runs for what comes in; what goes out is the send queue's.
//!
//! Rules by the ids of the protocol: W2 (three malformed messages), W4 (joined messages), W5 (text).

use std::net::IpAddr;
use std::rc::Rc;

use actix::prelude::*;
use bytes::Bytes;
use futures_util::FutureExt;
use tokio::net::TcpStream;

use super::frame::{CloseCode, Message, Violation, frame, pong};
use super::send_queue::SendQueue;
use super::subscriber::Subscriber;
use super::transport::{Inbound, Intake, split};
use super::{Answer, Asker, Backend, Cost, Identity};
use crate::access::Viewer;
use crate::error::Refusal;
use crate::ids::{Seq, UserId};
use crate::limits::{
    GUEST_REQUESTS_MAX, HASTE_MAX, LOGIN_TOUCH_MS, POSTS_HEARD_MAX, PROFILES_HEARD_MAX, STRIKES_MAX,
};
use crate::live::door::Place;
use crate::live::seats::{SharedSeats, Topic};
use crate::live::wire::{Left, Probed, Request as LiveRequest, Resume, Resumed};
use crate::wire::{self, Head, codec};

/// A socket that is taken over.
pub struct Opening<B: Backend> {
    pub backend: Rc<B>,
    pub seats: SharedSeats,
    pub socket: TcpStream,
    /// The answer to the handshake, encoded: it is written before anything else.
    pub handshake: Bytes,
    /// What arrived with the handshake.
    pub unread: Bytes,
    pub place: Place,
    pub address: IpAddr,
    /// Label of the device; empty if unknown.
    pub device: Rc<str>,
}

/// Starts the session of a socket.
pub fn open<B: Backend>(opening: Opening<B>, identity: Identity<B::Presence>) {
    let (reading, writer) = split(opening.socket);
    let queue = SendQueue::new(Some(writer));
    let subscriber = Subscriber::enter(opening.seats, queue.clone());
    queue.push(opening.handshake);
    queue.push(frame(&wire::event(subscriber.cursor(), &identity.hello)));
    let intake = Rc::new(Intake::default());
    if identity.viewer != Viewer::Guest {
        intake.is_signed_in();
    }
    subscriber.becomes(identity.viewer, identity.since);
    let inbound = Inbound::new(reading, &opening.unread, queue.clone(), intake.clone());
    let session = Session {
        touched_at_ms: opening.backend.now_ms(),
        backend: opening.backend,
        subscriber,
        queue,
        intake,
        viewer: identity.viewer,
        address: opening.address,
        device: opening.device,
        place: opening.place,
        presence: identity.presence,
        strikes: 0,
        haste: 0,
        asked: 0,
    };
    session.catch_up_unless_settled();
    if session.subscriber.has_said_goodbye() {
        session.queue.leave(1012, "restarting");
    }
    session.queue.flush();
    Session::create(|context| {
        Session::add_stream(inbound, context);
        session
    });
}

/// The actor.
struct Session<B: Backend> {
    backend: Rc<B>,
    subscriber: Subscriber,
    queue: Rc<SendQueue>,
    intake: Rc<Intake>,
    viewer: Viewer,
    address: IpAddr,
    device: Rc<str>,
    place: Place,
    /// Keeps the viewer present.
    presence: Option<B::Presence>,
    /// Malformed messages so far.
    strikes: u32,
    /// Refusals by the rate limit since the last request that was let through.
    haste: u32,
    /// Requests so far.
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
    cost: Cost,
}

impl<B: Backend> Actor for Session<B> {
    type Context = Context<Self>;
}

impl<B: Backend> Drop for Session<B> {
    fn drop(&mut self) {
        self.queue.cut();
    }
}

impl<B: Backend> StreamHandler<Result<Message, Violation>> for Session<B> {
    fn handle(&mut self, message: Result<Message, Violation>, context: &mut Self::Context) {
        self.subscriber.heard_from();
        match message {
            Ok(Message::Binary(message)) => self.message(message, context),
            Ok(Message::Ping(body)) => {
                self.queue.push(pong(&body));
            }
            Ok(Message::Close(reason)) => {
                let code = reason.map_or(CloseCode::Normal, |reason| reason.code);
                self.queue.answer_goodbye(u16::from(code));
            }
            Ok(_) => {}
            Err(violation) => self.end(violation.code, violation.why),
        }
    }
}

impl<B: Backend> Session<B> {
    /// Says goodbye after what is queued; nothing more is read.
    fn end(&self, code: CloseCode, why: &str) {
        self.queue.end(u16::from(code), why);
    }

    fn reply(&self, reply: &[u8]) {
        self.queue.push(frame(reply));
    }

    fn message(&mut self, message: Bytes, context: &mut Context<Self>) {
        if !self.queue.is_open() {
            // Nothing new is begun after a goodbye.
            return;
        }
        let checked = codec::check(&message);
        let cost = checked.as_ref().map_or(NOTHING, |head| self.cost(head.op));
        if !self.intake.begin(&message, cost.weight) {
            return;
        }
        self.subscriber.asked();
        let is_begun = match checked {
            _ if self.is_guest_over_bound() => {
                self.end(CloseCode::Policy, "too many before log-in");
                false
            }
            Ok(head) => self.request(&head, &message, cost, context),
            Err((id, refusal)) => {
                self.malformed(id, refusal);
                false
            }
        };
        if !is_begun {
            self.intake.finish(cost.weight);
        }
    }

    fn is_guest_over_bound(&mut self) -> bool {
        self.asked = self.asked.saturating_add(1);
        self.viewer == Viewer::Guest && self.asked > GUEST_REQUESTS_MAX
    }

    fn cost(&self, op: &str) -> Cost {
        // Answered at once: never in flight.
        if op.starts_with("live.") { NOTHING } else { self.backend.cost(op) }
    }

    fn malformed(&mut self, id: Option<u32>, refusal: Refusal) {
        self.reply(&wire::reply_err(id, refusal));
        self.strikes += 1;
        if self.strikes >= STRIKES_MAX {
            self.end(CloseCode::Policy, "malformed messages");
        }
    }

    /// Begins a request; false when it is answered already.
    fn request(&mut self, head: &Head<'_>, message: &[u8], cost: Cost, context: &mut Context<Self>) -> bool {
        if let Err(refusal) = self.backend.admit(self.viewer, head.op) {
            self.reply(&wire::reply_err(Some(head.id), refusal));
            self.haste += 1;
            if self.haste > HASTE_MAX {
                self.end(CloseCode::Other(4429), "too many requests");
            }
            return false;
        }
        // It fades and is not forgiven: a flood that now and then hits a free moment is still one.
        self.haste = self.haste.saturating_sub(1);
        self.note_use();
        if head.op.starts_with("live.") {
            self.live(head, message);
            return false;
        }
        self.ask(head, message, cost, context);
        true
    }

    /// A tab that stays open for weeks keeps its login alive.
    fn note_use(&mut self) {
        let Viewer::User { login_id, .. } = self.viewer else { return };
        let now_ms = self.backend.now_ms();
        if now_ms - self.touched_at_ms > LOGIN_TOUCH_MS {
            self.touched_at_ms = now_ms;
            self.backend.note_use(login_id);
        }
    }

    fn ask(&mut self, head: &Head<'_>, message: &[u8], cost: Cost, context: &mut Context<Self>) {
        let asked = Asked { id: head.id, user_id: self.viewer.user_id(), cost };
        if cost.is_owed {
            self.queue.owes();
        }
        let asker = Asker { viewer: self.viewer, address: self.address, device: self.device.clone() };
        let mut asking = Box::pin(self.backend.ask(asker, head.op, message));
        // Begun here, in the order of arrival: the context polls what is spawned in an order of its
        // own, and of two writes of one person the later must be the last word.
        match (&mut asking).now_or_never() {
            Some(answer) => self.finished(asked, answer),
            None => {
                let asking = asking.into_actor(self);
                context.spawn(asking.map(move |answer, session, _| session.finished(asked, answer)));
            }
        }
    }

    fn finished(&mut self, asked: Asked, answer: Result<Answer<B::Presence>, Refusal>) {
        self.intake.finish(asked.cost.weight);
        match answer {
            Ok(answer) => self.answered(asked, answer),
            Err(refusal) => self.pay(asked, &wire::reply_err(Some(asked.id), refusal)),
        }
        self.queue.wake_reader();
    }

    fn pay(&self, asked: Asked, reply: &[u8]) {
        if asked.cost.is_owed {
            self.queue.pays(frame(reply));
        } else {
            self.reply(reply);
        }
    }

    fn answered(&mut self, asked: Asked, answer: Answer<B::Presence>) {
        let is_read = answer.signed_in.is_none() && answer.since > Seq(0);
        if let Some(signed_in) = &answer.signed_in {
            if let Viewer::User { login_id, .. } = signed_in.viewer
                && !self.place.belongs_to(login_id)
            {
                return self.end(CloseCode::Other(4429), "too many tabs");
            }
            self.viewer = signed_in.viewer;
            self.intake.is_signed_in();
        } else if asked.user_id.is_some_and(|before| self.viewer.user_id() != Some(before)) {
            // The socket is somebody else's meanwhile: this is not for them, nor is what it subscribes to.
            return self.pay(asked, &wire::reply_err(Some(asked.id), Refusal::NotSignedIn));
        }
        if is_read && self.subscriber.is_outlived(answer.since) {
            // Asked again it is read anew, and a write answers by its key.
            return self.pay(asked, &wire::reply_err(Some(asked.id), Refusal::Busy));
        }
        // The reply first: what came after its snapshot follows it.
        self.pay(asked, &wire::reply_ok(asked.id, &answer.ok));
        if let Some(signed_in) = answer.signed_in {
            // The end of this login is among it, when another's word came between.
            self.subscriber.becomes(self.viewer, answer.since);
            // The viewer before is not present by this socket any more.
            self.presence = Some(signed_in.presence);
            self.catch_up_unless_settled();
        }
        if !answer.topics.is_empty() {
            self.subscriber.subscribe(&answer.topics, answer.since);
        }
    }

    /// A group was taken down between entering it and subscribing: nobody can tell what was missed.
    fn catch_up_unless_settled(&self) {
        if self.presence.as_ref().is_some_and(|presence| !self.backend.is_settled(presence)) {
            self.queue.leave(1012, "catch up");
        }
    }

    /// What is about the socket itself is answered here and at once.
    fn live(&mut self, head: &Head<'_>, message: &[u8]) {
        let answered = LiveRequest::read(head.op, message).and_then(|request| match request {
            LiveRequest::Probe(_) => {
                codec::encode(&Probed { seq: self.subscriber.cursor() }).map_err(|_| Refusal::Fault)
            }
            LiveRequest::Resume(resume) => self.resume(&resume),
            LiveRequest::Leave(leave) => {
                self.signed_in()?;
                let polls = leave.polls.unwrap_or_default();
                self.subscriber.unsubscribe(&leave.posts, &leave.profiles, &polls);
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

    /// Subscribes again to what is on screen, delivers what was missed, and answers last: until then the
    /// client's cursor stays. Anybody may name any post: who is delivered what of it is asked of each event, so
    /// that naming one of a group delivers nothing to who is not in it.
    fn resume(&mut self, resume: &Resume) -> Result<Vec<u8>, Refusal> {
        self.signed_in()?;
        if resume.posts.len() > POSTS_HEARD_MAX || resume.profiles.len() > PROFILES_HEARD_MAX {
            return Err(Refusal::BadRequest);
        }
        let posts = resume.posts.iter().map(|id| Topic::Post(*id));
        let profiles = resume.profiles.iter().map(|id| Topic::Profile(*id));
        let topics: Vec<Topic> = posts.chain(profiles).collect();
        let cursor = self.subscriber.cursor();
        self.subscriber.subscribe(&topics, cursor);
        let knows = resume.epoch == self.backend.epoch() && self.subscriber.resume(resume.seq.0);
        codec::encode(&Resumed { resync: !knows, seq: cursor }).map_err(|_| Refusal::Fault)
    }
}

/// The cost of what is answered at once.
const NOTHING: Cost = Cost { weight: 0, is_owed: false };

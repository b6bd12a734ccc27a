//! A session: one actor for each socket. It handles incoming messages, and queues their replies. Events do not pass
//! through it.
//!
//! Rules of the protocol: W2 (three malformed messages), W4 (joined messages), W5 (text).

use std::net::IpAddr;
use std::rc::Rc;

use actix::prelude::*;
use bytes::Bytes;
use futures_util::FutureExt;
use tokio::net::TcpStream;

use super::connection_limits::Slot;
use super::wire::{Left, Probed, Request as LiveRequest, Resume, Resumed};
use super::{Backend, Cost, Identity, NoReply, RequestResult, Requester};
use crate::authz::{Device, Viewer};
use crate::delivery::ConnectionId;
use crate::delivery::connections::SharedConnections;
use crate::error::Refusal;
use crate::events::{MissedEvents, Right, Topic};
use crate::ids::{Seq, UserId};
use crate::limits::{
    GUEST_REQUESTS_MAX, LOGIN_TOUCH_MS, POST_TOPICS_MAX, PROFILE_TOPICS_MAX, RATE_STRIKES_MAX,
    READS_AGAIN_MAX, STRIKES_MAX,
};
use crate::reply::Reply;
use crate::transport::frame::{CloseCode, Message, Violation, frame, pong};
use crate::transport::send_queue::SendQueue;
use crate::transport::socket::Socket;
use crate::transport::stream::{Inbound, Intake};
use crate::wire::{self, Head, codec};

/// A socket that was taken over from the HTTP server.
pub struct Opening<B: Backend> {
    pub backend: Rc<B>,
    pub connections: SharedConnections,
    pub socket: TcpStream,
    /// The encoded response to the handshake. It is written before anything else.
    pub handshake: Bytes,
    pub slot: Slot,
    pub address: IpAddr,
    pub device: Rc<Device>,
}

/// Starts the session of a socket.
pub fn open<B: Backend>(opening: Opening<B>, identity: Identity<B::Presence>) {
    let queue = SendQueue::new(Some(Socket::new(opening.socket)));
    let connections = opening.connections;
    let id = connections.borrow_mut().add(queue.clone());
    queue.push(opening.handshake);
    queue.push(frame(&wire::event(connections.borrow().head(), &identity.hello)));
    let intake = Rc::new(Intake::default());
    if identity.viewer != Viewer::Guest {
        intake.sign_in();
    }
    connections.borrow_mut().sign_in(id, identity.viewer, identity.since);
    queue.flush();
    let inbound = Inbound::new(queue.clone(), intake.clone());
    let session = Session {
        touched_at_ms: opening.backend.now_ms(),
        backend: opening.backend,
        connections,
        id,
        queue,
        intake,
        viewer: identity.viewer,
        address: opening.address,
        device: opening.device,
        slot: opening.slot,
        presence: identity.presence,
        strikes: 0,
        rate_strikes: 0,
        requests_count: 0,
    };
    Session::create(|context| {
        Session::add_stream(inbound, context);
        session
    });
}

/// The actor.
struct Session<B: Backend> {
    backend: Rc<B>,
    connections: SharedConnections,
    /// The id of its connection on its worker.
    id: ConnectionId,
    queue: Rc<SendQueue>,
    intake: Rc<Intake>,
    viewer: Viewer,
    address: IpAddr,
    device: Rc<Device>,
    slot: Slot,
    /// The registration of the viewer as connected.
    presence: Option<B::Presence>,
    /// Malformed messages so far.
    strikes: u32,
    /// Requests that the rate limit refused, minus those that it accepted; at least 0.
    rate_strikes: u32,
    /// Requests so far.
    requests_count: u32,
    /// When the use of this login was last noted, in milliseconds since 1970 UTC.
    touched_at_ms: i64,
}

/// A request that is being answered.
struct PendingRequest {
    id: u32,
    /// The user who sent it; None for a guest.
    user_id: Option<UserId>,
    cost: Cost,
}

impl<B: Backend> Actor for Session<B> {
    type Context = Context<Self>;
}

impl<B: Backend> Drop for Session<B> {
    fn drop(&mut self) {
        self.queue.cut();
        self.connections.borrow_mut().remove(self.id);
    }
}

impl<B: Backend> StreamHandler<Result<Message, Violation>> for Session<B> {
    fn handle(&mut self, message: Result<Message, Violation>, context: &mut Self::Context) {
        self.connections.borrow_mut().note_frame(self.id, false);
        match message {
            Ok(Message::Binary(message)) => self.message(message, context),
            Ok(Message::Ping(body)) => {
                self.queue.push(pong(&body));
            }
            Ok(Message::Close(reason)) => {
                let code = reason.map_or(CloseCode::Normal, |reason| reason.code);
                self.queue.answer_close(u16::from(code));
            }
            Ok(_) => {}
            Err(violation) => self.end(violation.code, violation.why),
        }
    }
}

impl<B: Backend> Session<B> {
    /// Closes the connection after the queued frames; nothing more is read.
    fn end(&self, code: CloseCode, why: &str) {
        self.queue.end(u16::from(code), why);
    }

    fn reply(&self, reply: &[u8]) {
        self.queue.push(frame(reply));
    }

    fn message(&mut self, message: Bytes, context: &mut Context<Self>) {
        if !self.connections.borrow_mut().may_deliver() || !self.queue.is_open() {
            // No request begins after the connection began to close.
            return;
        }
        let checked = codec::check(&message);
        let cost = checked.as_ref().map_or(NOTHING, |head| self.cost(head.op));
        if !self.intake.begin(&message, cost.weight) {
            return;
        }
        self.connections.borrow_mut().note_frame(self.id, true);
        // The request may be answered at once, and its reply must follow the events before it.
        self.connections.borrow_mut().write_to(self.id);
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
        self.requests_count = self.requests_count.saturating_add(1);
        self.viewer == Viewer::Guest && self.requests_count > GUEST_REQUESTS_MAX
    }

    fn cost(&self, op: &str) -> Cost {
        // Such a request is answered at once, so it is never in flight.
        if op.starts_with("live.") { NOTHING } else { self.backend.cost(op) }
    }

    fn malformed(&mut self, id: Option<u32>, refusal: Refusal) {
        self.reply(&wire::reply_err(id, refusal));
        self.strikes += 1;
        if self.strikes >= STRIKES_MAX {
            self.end(CloseCode::Policy, "malformed messages");
        }
    }

    /// Begins a request. Returns false if it is already answered.
    fn request(&mut self, head: &Head<'_>, message: &Bytes, cost: Cost, context: &mut Context<Self>) -> bool {
        if let Err(refusal) = self.backend.admit(self.viewer, head.op) {
            self.reply(&wire::reply_err(Some(head.id), refusal));
            self.rate_strikes += 1;
            if self.rate_strikes > RATE_STRIKES_MAX {
                self.end(CloseCode::Other(4429), "too many requests");
            }
            return false;
        }
        // An accepted request takes back one strike and not all, because otherwise a flood would go on if a few of its
        // requests were accepted.
        self.rate_strikes = self.rate_strikes.saturating_sub(1);
        self.note_use();
        if head.op.starts_with("live.") {
            self.live(head, message);
            return false;
        }
        self.ask(head, message, cost, context);
        true
    }

    /// Notes the use of the login, at most once a day. A tab that stays open thus keeps its login valid.
    fn note_use(&mut self) {
        let Viewer::User { login_id, .. } = self.viewer else { return };
        let now_ms = self.backend.now_ms();
        if now_ms - self.touched_at_ms > LOGIN_TOUCH_MS {
            self.touched_at_ms = now_ms;
            self.backend.note_use(login_id);
        }
    }

    fn ask(&mut self, head: &Head<'_>, message: &Bytes, cost: Cost, context: &mut Context<Self>) {
        if cost.is_awaited {
            self.queue.expect_reply();
        }
        let pending = PendingRequest { id: head.id, user_id: self.viewer.user_id(), cost };
        let requester = Requester { viewer: self.viewer, address: self.address, device: self.device.clone() };
        let (backend, connections) = (self.backend.clone(), self.connections.clone());
        let mut running = Box::pin(run(backend, connections, requester, head.op.into(), message.clone()));
        // The first poll begins the request, so requests begin in the order of their arrival. The context would poll
        // spawned futures in another order, but the later of two writes of a user must win.
        match (&mut running).now_or_never() {
            Some(result) => self.finished(&pending, result),
            None => {
                let running = running.into_actor(self);
                context.spawn(running.map(move |result, session, _| session.finished(&pending, result)));
            }
        }
    }

    fn finished(&mut self, pending: &PendingRequest, result: RequestResult<B::Presence>) {
        self.intake.finish(pending.cost.weight);
        // If nothing may be sent any more, this closes the connection, and the reply is lost.
        self.connections.borrow_mut().may_deliver();
        self.connections.borrow_mut().write_to(self.id);
        match result {
            Ok((reply, presence)) => self.finish_ok(pending, &reply, presence),
            Err(NoReply::Refused(refusal)) => {
                self.send_reply(pending, &wire::reply_err(Some(pending.id), refusal));
            }
            Err(NoReply::Unknown) => self.queue.close(1012, "catch up"),
        }
        self.queue.wake_reader();
    }

    fn send_reply(&self, pending: &PendingRequest, reply: &[u8]) {
        if pending.cost.is_awaited {
            self.queue.push_awaited(frame(reply));
        } else {
            self.reply(reply);
        }
    }

    fn finish_ok(&mut self, pending: &PendingRequest, reply: &Reply, presence: Option<B::Presence>) {
        if let Some((user_id, login_id)) = reply.signed_in {
            if !self.slot.belongs_to(login_id) {
                return self.end(CloseCode::Other(4429), "too many tabs");
            }
            self.viewer = Viewer::User { user_id, login_id };
            self.intake.sign_in();
        } else if pending.user_id.is_some_and(|before| self.viewer.user_id() != Some(before)) {
            // Another user has signed in on this connection meanwhile. The reply and its subscriptions are not for
            // them.
            return self.send_reply(pending, &wire::reply_err(Some(pending.id), Refusal::NotSignedIn));
        }
        if let Some((right, ok)) = &reply.if_lost
            && has_lost(&self.connections, pending.user_id, Some(*right), reply.seq)
        {
            return self.send_reply(pending, &wire::reply_ok(pending.id, ok));
        }
        // The reply is sent before the events since its snapshot.
        self.send_reply(pending, &wire::reply_ok(pending.id, &reply.ok));
        if reply.signed_in.is_some() {
            // If another request ended this login, these events hold its end.
            self.connections.borrow_mut().sign_in(self.id, self.viewer, reply.seq);
            // The previous viewer is no longer connected by this socket.
            self.presence = presence;
            if self.presence.is_none() {
                self.queue.leave(1012, "catch up");
            }
        } else if reply.is_read || !reply.subscribe.is_empty() {
            let mut connections = self.connections.borrow_mut();
            let which = if reply.is_read { MissedEvents::OfViewer } else { MissedEvents::OfTopics };
            connections.subscribe(self.id, &reply.subscribe, reply.seq, which);
        }
    }

    /// Answers a request about the connection itself at once.
    fn live(&mut self, head: &Head<'_>, message: &[u8]) {
        let result = LiveRequest::read(head.op, message).and_then(|request| match request {
            LiveRequest::Probe(_) => {
                codec::encode(&Probed { seq: self.connections.borrow().head() }).map_err(|_| Refusal::Fault)
            }
            LiveRequest::Resume(resume) => self.resume(&resume),
            LiveRequest::Leave(leave) => {
                self.signed_in()?;
                let polls = leave.polls.unwrap_or_default();
                self.connections.borrow_mut().unsubscribe(self.id, &leave.posts, &leave.profiles, &polls);
                codec::encode(&Left {}).map_err(|_| Refusal::Fault)
            }
        });
        match result {
            Ok(ok) => self.reply(&wire::reply_ok(head.id, &ok)),
            Err(refusal) => self.reply(&wire::reply_err(Some(head.id), refusal)),
        }
    }

    fn signed_in(&self) -> Result<(), Refusal> {
        self.viewer.user_id().map(drop).ok_or(Refusal::NotSignedIn)
    }

    /// Subscribes again to the topics on screen and delivers the missed events. The reply comes last, because the
    /// cursor of the client stays until it arrives. A client may name any post: each event is checked against its
    /// recipients, so a user who is not in a group receives nothing of its posts.
    fn resume(&mut self, resume: &Resume) -> Result<Vec<u8>, Refusal> {
        self.signed_in()?;
        if resume.posts.len() > POST_TOPICS_MAX || resume.profiles.len() > PROFILE_TOPICS_MAX {
            return Err(Refusal::BadRequest);
        }
        let posts = resume.posts.iter().map(|id| Topic::Post(*id));
        let profiles = resume.profiles.iter().map(|id| Topic::Profile(*id));
        let topics: Vec<Topic> = posts.chain(profiles).collect();
        let mut connections = self.connections.borrow_mut();
        let (head, now_ms) = (connections.head(), self.backend.now_ms());
        connections.add_topics(self.id, &topics);
        let knows =
            self.backend.has_epoch(&resume.epoch) && connections.resume(self.id, Seq(resume.seq.0), now_ms);
        codec::encode(&Resumed { resync: !knows, seq: head }).map_err(|_| Refusal::Fault)
    }
}

/// Runs a request in the backend. If the viewer lost a right during a read, the reply may hold what they may no longer
/// see, so the read runs again.
async fn run<B: Backend>(
    backend: Rc<B>,
    connections: SharedConnections,
    requester: Requester,
    op: Box<str>,
    message: Bytes,
) -> RequestResult<B::Presence> {
    for _ in 0..=READS_AGAIN_MAX {
        let (reply, presence) = backend.ask(requester.clone(), &op, &message).await?;
        if !(reply.is_read && has_lost(&connections, requester.viewer.user_id(), None, reply.seq)) {
            return Ok((reply, presence));
        }
    }
    Err(Refusal::Busy.into())
}

/// Returns whether this user lost the right `by` since the write `seq`; if `by` is None, whether they lost any right.
fn has_lost(connections: &SharedConnections, user_id: Option<UserId>, by: Option<Right>, seq: Seq) -> bool {
    user_id.is_some_and(|user_id| connections.borrow().has_lost(user_id, by, seq))
}

/// The cost of a request that is answered at once.
const NOTHING: Cost = Cost { weight: 0, is_awaited: false };

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::sync::Arc;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;
    use crate::cli;
    use crate::delivery::barrier::Barrier;
    use crate::delivery::connections::Connections;
    use crate::delivery::log::EventLog;
    use crate::ids::LoginId;
    use crate::socket::connection_limits::ConnectionLimits;
    use crate::socket::wire::beat_frame;
    use crate::transport::frame::close_frame;

    /// A backend that signs in every client, without their groups.
    struct SignsIn;

    impl Backend for SignsIn {
        type Presence = ();

        async fn identify(&self, _: Option<[u8; 32]>) -> Result<Identity<()>, Refusal> {
            Err(Refusal::Busy)
        }

        fn ask(
            &self,
            _: Requester,
            _: &str,
            _: &[u8],
        ) -> impl Future<Output = RequestResult<()>> + use<> + 'static {
            let reply = Reply {
                ok: Bytes::from_static(&[0xc3]),
                seq: Seq(0),
                is_read: false,
                subscribe: Vec::new(),
                if_lost: None,
                is_change: true,
                signed_in: Some((UserId(1), LoginId(2))),
            };
            std::future::ready(Ok((reply, None)))
        }

        fn cost(&self, _: &str) -> Cost {
            Cost { weight: 1, is_awaited: true }
        }

        fn admit(&self, _: Viewer, _: &str) -> Result<(), Refusal> {
            Ok(())
        }

        fn note_use(&self, _: LoginId) {}

        fn now_ms(&self) -> i64 {
            0
        }

        fn has_epoch(&self, _: &str) -> bool {
            true
        }
    }

    #[actix_web::test]
    async fn a_user_whose_groups_cannot_be_read_at_log_in_is_answered_and_must_reconnect() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (socket, from) = listener.accept().await.unwrap();
        let settings =
            cli::read_settings(["mellow".into()], [], std::path::Path::new("no such file")).unwrap();
        let log = Arc::new(EventLog::new(Seq(1)));
        let barrier = Arc::<Barrier>::default();
        let connections = Connections::new(log, Arc::default(), &barrier, beat_frame);
        let opening = Opening {
            backend: Rc::new(SignsIn),
            connections: Rc::new(std::cell::RefCell::new(connections)),
            socket,
            handshake: Bytes::new(),
            slot: ConnectionLimits::new(&settings, 0).admit(from.ip()).unwrap(),
            address: from.ip(),
            device: Rc::default(),
        };
        let hello = vec![0x80];
        let identity =
            Identity { viewer: Viewer::Guest, since: Seq(0), presence: None, hello: hello.clone() };
        open(opening, identity);

        // `{"id": 1, "op": "auth.log_in"}`, masked with zeros.
        let message = b"\x82\xa2id\x01\xa2op\xabauth.log_in";
        let mut request = vec![0x82, 0x80 | u8::try_from(message.len()).unwrap(), 0, 0, 0, 0];
        request.extend_from_slice(message);
        client.write_all(&request).await.unwrap();
        let mut expected = frame(&wire::event(Seq(1), &hello)).to_vec();
        expected.extend_from_slice(&frame(&wire::reply_ok(1, &[0xc3])));
        expected.extend_from_slice(&close_frame(1012, "catch up"));
        let mut got = vec![0; expected.len()];
        let reading = tokio::time::timeout(std::time::Duration::from_secs(20), client.read_exact(&mut got));
        reading.await.expect("an answer and a goodbye").unwrap();
        assert_eq!(got, expected);
    }
}

//! The link: how the bytes of sealed messages reach other processes. It publishes to subjects and subscribes to them.
//!
//! A message is delivered at most once, and the messages of one link on one subject arrive in their order. Any of them
//! may be lost: whoever needs them all numbers them. A link never waits: what cannot be sent now is lost.
//!
//! [`nats`](super::nats) joins processes, and [`Channel`] a home and fronts within one process.

use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::stream::{self, Stream, StreamExt};
use tokio::sync::{mpsc, watch};

use super::nats::Nats;

/// Bytes on a subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    pub subject: String,
    /// The subject to which the answer is published; None if none is expected.
    pub reply: Option<String>,
    pub bytes: Bytes,
    /// True for an answer that the link itself gives: nobody subscribes to the subject of the question.
    pub is_unheard: bool,
}

impl Message {
    /// Makes a message.
    #[must_use]
    pub fn new(subject: impl Into<String>, reply: Option<String>, bytes: impl Into<Bytes>) -> Self {
        Self { subject: subject.into(), reply, bytes: bytes.into(), is_unheard: false }
    }
}

/// The messages of a subscription. They end with the link.
pub type Messages = Pin<Box<dyn Stream<Item = Message> + Send>>;

/// A link of a process.
pub trait Link: Send + Sync + 'static {
    /// Publishes a message to all other links that subscribe to its subject. Returns false if it is lost, because the
    /// link is away or has too much to send.
    fn publish(&self, message: Message) -> bool;

    /// Subscribes to a subject: `*` stands for one part of it, `>` for all further ones. What this link itself
    /// publishes does not come back.
    ///
    /// The error is one line that says why that is impossible.
    fn subscribe(&self, subject: &str) -> BoxFuture<'static, Result<Messages, String>>;

    /// Returns how often the link was connected so far.
    fn connections(&self) -> watch::Receiver<u64>;

    /// Waits until everything that was published has left this process.
    fn flush(&self) -> BoxFuture<'static, ()>;
}

/// What passes messages between processes. Each of its links has a connection of its own.
#[derive(Clone)]
pub enum Broker {
    /// The links of this process.
    Hub(Arc<Hub>),
    Nats(Nats),
}

impl Broker {
    /// Connects.
    ///
    /// # Errors
    /// One line that says why that is impossible.
    pub async fn connect(&self) -> Result<Arc<dyn Link>, String> {
        match self {
            Self::Hub(hub) => Ok(Arc::new(hub.link())),
            Self::Nats(nats) => nats.connect().await,
        }
    }
}

/// Returns whether a subject is one of those that a subscription names.
fn includes(subscription: &str, subject: &str) -> bool {
    let mut parts = subject.split('.');
    for named in subscription.split('.') {
        match (named, parts.next()) {
            (">", Some(_)) => return true,
            ("*", Some(_)) => {}
            (named, Some(part)) if named == part => {}
            _ => return false,
        }
    }
    parts.next().is_none()
}

/// What happens to a message within a [`Hub`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Arrives,
    IsLost,
    ArrivesTwice,
    /// It arrives when the hub is told so.
    IsLate,
}

type Decide = Box<dyn FnMut(&Message) -> Fate + Send>;

/// Joins the links of one process.
#[derive(Default)]
pub struct Hub {
    subscriptions: Mutex<Vec<Subscription>>,
    decide: Mutex<Option<Decide>>,
    late: Mutex<Vec<(u64, Message)>>,
    links: AtomicU64,
}

struct Subscription {
    /// The link that subscribes.
    link: u64,
    subject: String,
    messages: mpsc::UnboundedSender<Message>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Hub {
    /// Makes a link to this hub.
    #[must_use]
    pub fn link(self: &Arc<Self>) -> Channel {
        let number = self.links.fetch_add(1, Ordering::Relaxed);
        Channel { hub: self.clone(), number, connections: watch::Sender::new(1) }
    }

    /// Decides from now on what happens to each message.
    pub fn decide(&self, decide: impl FnMut(&Message) -> Fate + Send + 'static) {
        *locked(&self.decide) = Some(Box::new(decide));
    }

    /// Lets the late messages arrive, in their order.
    pub fn let_late_ones_arrive(&self) {
        for (link, message) in std::mem::take(&mut *locked(&self.late)) {
            self.deliver(link, &message);
        }
    }

    /// Delivers a message of a link to all others.
    fn deliver(&self, link: u64, message: &Message) {
        let mut subscriptions = locked(&self.subscriptions);
        let mut is_heard = false;
        subscriptions.retain(|subscription| {
            let is_for = subscription.link != link && includes(&subscription.subject, &message.subject);
            is_heard |= is_for;
            !subscription.messages.is_closed()
                && (!is_for || subscription.messages.send(message.clone()).is_ok())
        });
        let Some(reply) = message.reply.as_ref().filter(|_| !is_heard) else { return };
        let unheard = Message { is_unheard: true, ..Message::new(reply.clone(), None, Bytes::new()) };
        for subscription in subscriptions.iter().filter(|other| includes(&other.subject, reply)) {
            // A subscription that ended needs no answer.
            let _ = subscription.messages.send(unheard.clone());
        }
    }
}

/// A link within one process.
pub struct Channel {
    hub: Arc<Hub>,
    number: u64,
    connections: watch::Sender<u64>,
}

impl Link for Channel {
    fn publish(&self, message: Message) -> bool {
        let fate = locked(&self.hub.decide).as_mut().map_or(Fate::Arrives, |decide| decide(&message));
        match fate {
            Fate::Arrives => self.hub.deliver(self.number, &message),
            Fate::IsLost => {}
            Fate::ArrivesTwice => {
                self.hub.deliver(self.number, &message);
                self.hub.deliver(self.number, &message);
            }
            Fate::IsLate => locked(&self.hub.late).push((self.number, message)),
        }
        true
    }

    fn subscribe(&self, subject: &str) -> BoxFuture<'static, Result<Messages, String>> {
        let (messages, mut received) = mpsc::unbounded_channel();
        let subscription = Subscription { link: self.number, subject: subject.into(), messages };
        locked(&self.hub.subscriptions).push(subscription);
        let messages = stream::poll_fn(move |context| received.poll_recv(context)).boxed();
        Box::pin(std::future::ready(Ok(messages)))
    }

    fn connections(&self) -> watch::Receiver<u64> {
        self.connections.subscribe()
    }

    fn flush(&self) -> BoxFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subscription_names_one_subject_or_many() {
        for (subscription, inside, outside) in [
            ("mellow.log", "mellow.log", "mellow.log.more"),
            ("mellow.*.at", "mellow.0123.at", "mellow.0123.since"),
            ("mellow.h.ask.*", "mellow.h.ask.3", "mellow.h.ask"),
            ("mellow.h.>", "mellow.h.ask.3", "mellow.h"),
        ] {
            assert!(includes(subscription, inside), "{subscription} has {inside}");
            assert!(!includes(subscription, outside), "{subscription} has not {outside}");
        }
    }

    #[actix_web::test]
    async fn others_receive_what_a_link_publishes_and_it_does_not() {
        let hub = Arc::<Hub>::default();
        let (home, front) = (hub.link(), hub.link());
        let mut at_home = home.subscribe("mellow.>").await.unwrap();
        let mut at_front = front.subscribe("mellow.log").await.unwrap();
        home.publish(Message::new("mellow.log", None, "one"));
        front.publish(Message::new("mellow.h.at", None, "two"));
        assert_eq!(at_front.next().await.unwrap().bytes, "one");
        assert_eq!(at_home.next().await.unwrap().bytes, "two");
    }

    #[actix_web::test]
    async fn a_question_that_nobody_hears_is_answered_by_the_link() {
        let hub = Arc::<Hub>::default();
        let front = hub.link();
        let mut inbox = front.subscribe("_INBOX.f.*").await.unwrap();
        front.publish(Message::new("mellow.h.at", Some("_INBOX.f.1".into()), "anybody?"));
        let answer = inbox.next().await.unwrap();
        assert!(answer.is_unheard && answer.subject == "_INBOX.f.1");
    }

    #[actix_web::test]
    async fn a_hub_loses_repeats_and_delays_messages() {
        let hub = Arc::<Hub>::default();
        let (home, front) = (hub.link(), hub.link());
        let mut received = front.subscribe("log").await.unwrap();
        hub.decide(|message| match &message.bytes[..] {
            b"lost" => Fate::IsLost,
            b"twice" => Fate::ArrivesTwice,
            b"late" => Fate::IsLate,
            _ => Fate::Arrives,
        });
        for bytes in ["late", "lost", "twice", "one"] {
            assert!(home.publish(Message::new("log", None, bytes)));
        }
        hub.let_late_ones_arrive();
        for expected in ["twice", "twice", "one", "late"] {
            assert_eq!(received.next().await.unwrap().bytes, expected);
        }
    }
}

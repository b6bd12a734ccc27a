//! Fixtures for the tests of delivery: one worker, connections, and readable events.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;

use super::ConnectionId;
use super::barrier::Barrier;
use super::connections::Connections;
use super::log::EventLog;
use crate::authz::Viewer;
use crate::events::{Effects, Loss, Named, PublishedEvent, Recipients, Right, Topic, users};
use crate::ids::{GroupId, LoginId, PollId, PostId, Seq, UserId};
use crate::quiet_users::QuietUsers;
use crate::transport::send_queue::SendQueue;

pub(super) const ANA: UserId = UserId(1);
pub(super) const BEN: UserId = UserId(2);
pub(super) const CLEO: UserId = UserId(3);

pub(super) const POST: Topic = Topic::Post(PostId(31));
pub(super) const TEA: GroupId = GroupId(71);
/// A poll of Ana, for her followers.
pub(super) const POLL: Topic = Topic::Poll(PollId(41), Right::Following(ANA));
/// A poll in the group [`TEA`].
pub(super) const TEA_POLL: Topic = Topic::Poll(PollId(42), Right::Membership(TEA));

/// The last write before a test begins.
pub(super) const START: Seq = Seq(100);

/// One worker, and the log that it reads.
pub(super) struct Worker {
    pub(super) log: Arc<EventLog>,
    pub(super) barrier: Arc<Barrier>,
    pub(super) quiet_users: Arc<QuietUsers>,
    pub(super) connections: Connections,
    head: Seq,
    now_ms: i64,
}

/// A connection in a test.
pub(super) struct TestConnection {
    pub(super) id: ConnectionId,
    pub(super) queue: Rc<SendQueue>,
}

fn beat(seq: Seq, sent: u64, back_ms: Option<u64>) -> Bytes {
    let back = back_ms.map(|back_ms| format!(" back {back_ms}")).unwrap_or_default();
    Bytes::from(format!("beat {} {sent}{back};", seq.0))
}

impl Worker {
    pub(super) fn new() -> Self {
        let (log, barrier) = (Arc::new(EventLog::new(START)), Arc::new(Barrier::default()));
        let quiet_users = Arc::<QuietUsers>::default();
        let connections = Connections::new(log.clone(), quiet_users.clone(), &barrier, beat);
        Self { log, barrier, quiet_users, connections, head: START, now_ms: 0 }
    }

    /// Connects a guest.
    pub(super) fn guest(&mut self) -> TestConnection {
        let queue = SendQueue::new(None);
        TestConnection { id: self.connections.add(queue.clone()), queue }
    }

    /// Connects this user, who was identified after all delivered events.
    pub(super) fn connect(&mut self, user_id: UserId) -> TestConnection {
        let head = self.connections.head();
        self.connect_since(user_id, head)
    }

    /// Connects this user, who was identified after the write `since`.
    pub(super) fn connect_since(&mut self, user_id: UserId, since: Seq) -> TestConnection {
        let line = self.guest();
        self.connections.sign_in(line.id, viewer(user_id), since);
        line
    }

    /// Commits one write with these events, without delivering them. Returns its number.
    pub(super) fn commit(&mut self, events: impl IntoIterator<Item = PublishedEvent>) -> Seq {
        self.head = Seq(self.head.0 + 1);
        let (seq, at_ms) = (self.head, self.now_ms);
        self.log
            .append(seq, events.into_iter().map(|event| Arc::new(PublishedEvent { seq, at_ms, ..event })));
        seq
    }

    /// Commits one write with these events, and delivers them. Returns its number.
    pub(super) fn write(&mut self, events: impl IntoIterator<Item = PublishedEvent>) -> Seq {
        let seq = self.commit(events);
        while self.connections.turn() {}
        seq
    }

    /// Delivers the counts whose pause is over at `now`.
    pub(super) fn releases(&mut self, now: Instant) {
        self.connections.release_held(now);
        while self.connections.turn() {}
    }

    /// Advances the time of later commits.
    pub(super) fn passes_ms(&mut self, ms: i64) {
        self.now_ms += ms;
    }
}

impl TestConnection {
    /// Returns what was sent since the last call: events by their text, heartbeats, and close codes.
    pub(super) fn got(&self) -> Vec<String> {
        let mut bytes = Vec::new();
        while let Some(taken) = self.queue.take() {
            bytes.extend_from_slice(&taken);
        }
        let (mut left, mut got) = (&bytes[..], Vec::new());
        while let Some(first) = left.first() {
            let length = match first {
                0x88 | 0x89 => 2 + usize::from(left[1]),
                _ => left.iter().position(|byte| *byte == b';').unwrap() + 1,
            };
            let (frame, rest) = left.split_at(length);
            match first {
                0x89 => {}
                0x88 => got.push(format!("closed {}", u16::from_be_bytes([frame[2], frame[3]]))),
                _ => got.push(String::from_utf8(frame[..length - 1].to_vec()).unwrap()),
            }
            left = rest;
        }
        got
    }
}

pub(super) fn viewer(user_id: UserId) -> Viewer {
    Viewer::User { user_id, login_id: LoginId(user_id.0 * 10) }
}

/// An event with this text.
pub(super) fn event(words: &str, recipients: Recipients) -> PublishedEvent {
    let frame = Bytes::from(format!("{words};"));
    PublishedEvent { seq: Seq(0), at_ms: 0, kind: 0, frame, recipients, effects: Effects::default() }
}

/// An event with these effects.
pub(super) fn with(event: PublishedEvent, effects: Effects) -> PublishedEvent {
    PublishedEvent { effects, ..event }
}

/// All connections of these users.
pub(super) fn to(user_ids: &[UserId]) -> Recipients {
    Recipients::users(user_ids.iter().copied())
}

/// The subscribers of these topics.
pub(super) fn on(topics: &[Topic]) -> Recipients {
    Recipients::users_and(users([]), topics)
}

/// The subscribers of this topic who are among these users.
pub(super) fn on_only(topic: Topic, only: &[UserId]) -> Recipients {
    let only = Some(users(only.iter().copied()));
    Recipients::Named(Named { topics: vec![topic], only, ..Named::default() })
}

/// A count of this topic, for its subscribers.
pub(super) fn count(words: &str, topic: Topic) -> PublishedEvent {
    with(event(words, on(&[topic])), Effects { coalesce: Some(topic), ..Effects::default() })
}

/// An event for a user who loses a right.
pub(super) fn loses(words: &str, user_id: UserId, right: Right) -> PublishedEvent {
    let loss = Some(Loss::Right { users: users([user_id]), right });
    with(event(words, to(&[user_id])), Effects { loss, ..Effects::default() })
}

/// An event after which any user may have lost a right.
pub(super) fn all_lose(words: &str, recipients: Recipients) -> PublishedEvent {
    with(event(words, recipients), Effects { loss: Some(Loss::Any), ..Effects::default() })
}

//! The connections of one worker: their viewers, their subscriptions, and the delivery of events to them.
//!
//! The sessions of a worker and its dispatcher share the connections without locks, because they run on one thread. A
//! turn reads at most [`TURN_EVENTS_MAX`] events from the log, in commit order. It then writes to each connection once,
//! to at most [`TURN_SOCKETS_MAX`] connections. Sessions run between turns. Before a session answers, it writes the
//! events of its own connection.
//!
//! Guarantees:
//! - A connection receives each event that names it once, in order, or it is cut and catches up.
//! - A subscription ends when its viewer loses the right to the topic.
//! - Without its lease, a front sends nothing more and closes its connections ([`lease`](super::lease)).
//!
//! Never here: a query, or a decoded event.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use rustc_hash::FxHashMap;
use slab::Slab;
use smallvec::SmallVec;
use tokio::sync::watch;

use super::ConnectionId;
use super::barrier::Barrier;
use super::batch::{Batch, Path};
use super::coalescing::Coalescing;
use super::lease::Lease;
use super::log::{EventLog, Position};
use super::subscriptions::Subscriptions;
use crate::authz::Viewer;
use crate::counters;
use crate::events::{Loss, MissedEvents, Named, PublishedEvent, Recipients, Right, Topic, is_among};
use crate::ids::{LoginId, PollId, PostId, Seq, UserId};
use crate::limits::{
    BEAT_MS, GUEST_IDLE_MS_MAX, SILENCE_MS_MAX, STALL_MS_MAX, TICK_MS, TURN_EVENTS_MAX, TURN_SOCKETS_MAX,
    back_ms,
};
use crate::quiet_users::{QuietUsers, Reach};
use crate::transport::frame::PING;
use crate::transport::send_queue::SendQueue;

/// The connections of one worker, shared by its dispatcher and its sessions.
pub type SharedConnections = Rc<RefCell<Connections>>;

/// Makes the frame of a heartbeat. Its parameters are the number of the last write, the number of events that the
/// connection was sent, and the milliseconds within which its client comes back; None unless the server stops.
pub type BeatFrame = fn(Seq, u64, Option<u64>) -> Bytes;

pub(super) struct Connection {
    pub(super) queue: Rc<SendQueue>,
    pub(super) viewer: Viewer,
    /// The events that are not yet written to the connection.
    path: Path,
    /// The delivery that was added last. An event that names the connection twice is added once.
    delivery: u64,
    /// The number of events sent so far.
    sent: u64,
    /// The tick at which the peer last sent a frame, pongs included.
    last_frame_at: u64,
    /// The tick of the last request.
    asked_at: u64,
    /// The tick of the heartbeat, within the pause between two heartbeats.
    beat_at: u64,
}

impl Connection {
    /// Writes the events of its path now.
    fn write(&mut self, batch: &mut Batch) {
        if let Some((bytes, count)) = batch.bytes(std::mem::take(&mut self.path))
            && self.queue.send_joined(bytes, count)
        {
            self.sent += count as u64;
        }
    }
}

/// All connections of one worker.
pub struct Connections {
    pub(super) log: Arc<EventLog>,
    pub(super) quiet_users: Arc<QuietUsers>,
    /// The position up to which the log was read. An event before it is written to the connection or in its path.
    pub(super) position: Position,
    /// The last write of which an event was read. The position may be between two events of this write.
    pub(super) newest: Seq,
    /// Sends the position to the delivery barrier, once every connection is written to.
    delivered: watch::Sender<Seq>,
    beat: BeatFrame,
    pub(super) connections: Slab<Connection>,
    users: FxHashMap<UserId, SmallVec<[ConnectionId; 2]>>,
    pub(super) subscriptions: Subscriptions,
    coalescing: Coalescing,
    batch: Batch,
    /// Connections with a path that is not empty.
    touched: Vec<ConnectionId>,
    /// The number of deliveries so far.
    deliveries: u64,
    ticks: u64,
    is_closing: bool,
    /// The lease of a front, and its number when the connections were opened; None if all were closed without it.
    lease: Option<(Arc<Lease>, Option<u64>)>,
}

impl Connections {
    /// Makes an empty set of connections. It delivers the events that are appended to the log from now on.
    #[must_use]
    pub fn new(log: Arc<EventLog>, quiet_users: Arc<QuietUsers>, barrier: &Barrier, beat: BeatFrame) -> Self {
        let position = log.end();
        Self {
            log,
            quiet_users,
            position,
            newest: position.seq,
            delivered: barrier.add_worker(position.seq),
            beat,
            connections: Slab::new(),
            users: HashMap::default(),
            subscriptions: Subscriptions::default(),
            coalescing: Coalescing::default(),
            batch: Batch::default(),
            touched: Vec::new(),
            deliveries: 0,
            ticks: 0,
            is_closing: false,
            lease: None,
        }
    }

    /// Returns the connections with the lease of a front.
    #[must_use]
    pub fn with_lease(mut self, lease: Option<Arc<Lease>>) -> Self {
        self.lease = lease.map(|lease| (lease, None));
        self
    }

    /// Returns whether anything may be sent to the connections. If the lease of a front is over, or another one began,
    /// its connections are closed first.
    pub fn may_deliver(&mut self) -> bool {
        let Some((lease, number)) = &mut self.lease else { return true };
        let held = lease.held();
        if held.is_some() && held == *number {
            return true;
        }
        if std::mem::replace(number, held).is_some() {
            self.close_without_lease();
        }
        held.is_some()
    }

    /// Closes every connection without the events that were not written yet.
    fn close_without_lease(&mut self) {
        let back_ms = back_ms(self.connections.len() as u64);
        for (_, connection) in &mut self.connections {
            // A heartbeat says that all events up to its number were sent.
            if std::mem::take(&mut connection.path) == Path::EMPTY {
                connection.queue.push((self.beat)(self.position.seq, connection.sent, Some(back_ms)));
            }
            connection.queue.close(1012, "catch up");
        }
        self.touched.clear();
        self.batch.clear();
        self.coalescing = Coalescing::default();
    }

    /// Adds a connection of a guest.
    pub fn add(&mut self, queue: Rc<SendQueue>) -> ConnectionId {
        self.connections.insert(Connection {
            queue,
            viewer: Viewer::Guest,
            path: Path::EMPTY,
            delivery: 0,
            sent: 0,
            last_frame_at: self.ticks,
            asked_at: self.ticks,
            beat_at: self.ticks % (BEAT_MS / TICK_MS),
        })
    }

    /// Removes a connection.
    pub fn remove(&mut self, id: ConnectionId) {
        let Some(connection) = self.connections.try_remove(id) else { return };
        self.leave_user(connection.viewer, id);
        self.subscriptions.remove(id, |_| true);
    }

    /// Assigns the connection to this viewer, and delivers the viewer's events since the write `since`.
    pub fn sign_in(&mut self, id: ConnectionId, viewer: Viewer, since: Seq) {
        let Some(user_id) = viewer.user_id() else { return };
        let Some(connection) = self.connections.get_mut(id) else { return };
        let before = std::mem::replace(&mut connection.viewer, viewer);
        self.leave_user(before, id);
        // The previous viewer of the connection may have voted.
        self.subscriptions.remove(id, |topic| matches!(topic, Topic::Poll(..)));
        self.users.entry(user_id).or_default().push(id);
        self.catch_up(id, since, &[], MissedEvents::OfViewer);
    }

    fn leave_user(&mut self, viewer: Viewer, id: ConnectionId) {
        let Some(user_id) = viewer.user_id() else { return };
        if let Some(ids) = self.users.get_mut(&user_id) {
            ids.retain(|held| *held != id);
            if ids.is_empty() {
                self.users.remove(&user_id);
            }
        }
    }

    /// Notes that the peer sent a frame, and whether it was a request.
    pub fn note_frame(&mut self, id: ConnectionId, is_request: bool) {
        if let Some(connection) = self.connections.get_mut(id) {
            connection.last_frame_at = self.ticks;
            if is_request {
                connection.asked_at = self.ticks;
            }
        }
    }

    /// Subscribes to these topics, and delivers the events since the write `since`, the last one that a reply includes.
    /// No event is lost between the two. `which` selects the events.
    pub fn subscribe(&mut self, id: ConnectionId, topics: &[Topic], since: Seq, which: MissedEvents) {
        self.add_topics(id, topics);
        self.catch_up(id, since, topics, which);
    }

    /// Subscribes to these topics from now on. The caller delivers the missed events.
    pub fn add_topics(&mut self, id: ConnectionId, topics: &[Topic]) {
        if self.connections.contains(id) {
            topics.iter().for_each(|topic| self.subscriptions.add(id, *topic));
        }
    }

    /// Unsubscribes from topics that the connection no longer shows.
    pub fn unsubscribe(&mut self, id: ConnectionId, posts: &[PostId], profiles: &[UserId], polls: &[PollId]) {
        self.subscriptions.remove(id, |topic| match topic {
            Topic::Post(post_id) => posts.contains(&post_id),
            Topic::Profile(user_id) => profiles.contains(&user_id),
            Topic::Poll(poll_id, _) => polls.contains(&poll_id),
        });
    }

    /// Returns the last write of which all events were read. A connection without a path has received its events up to
    /// that write.
    #[must_use]
    pub fn head(&self) -> Seq {
        self.position.seq
    }

    /// Returns whether this user lost a right after the write `since`, in an event that was read here. Returns true if
    /// that is unknown, because the caller must then read again. If `by` names a right, only the loss of that right
    /// counts.
    #[must_use]
    pub fn has_lost(&self, user_id: UserId, by: Option<Right>, since: Seq) -> bool {
        if since >= self.newest {
            return false;
        }
        let Some(events) = self.log.after(since, self.position) else { return true };
        events.iter().any(|event| event.effects.loss.as_ref().is_some_and(|loss| loss.concerns(user_id, by)))
    }

    /// Returns whether a new connection may be added. It may not while every connection is being closed.
    pub fn takes_connections(&mut self) -> bool {
        !self.is_closing && self.may_deliver()
    }

    /// Delivers new events of the log in one turn. Returns whether events or connections remain for another turn. A
    /// turn reads at most [`TURN_EVENTS_MAX`] events and writes to at most [`TURN_SOCKETS_MAX`] connections.
    pub fn turn(&mut self) -> bool {
        // Without a lease the connections are closed, and take nothing. The log is read on.
        self.may_deliver();
        if self.touched.is_empty() {
            self.read();
        }
        for _ in 0..TURN_SOCKETS_MAX {
            let Some(id) = self.touched.pop() else { break };
            self.write_to(id);
        }
        if self.touched.is_empty() {
            self.batch.clear();
            self.delivered.send_replace(self.position.seq);
        }
        !self.touched.is_empty() || self.position != self.log.end()
    }

    /// Reads the next events of the log, and adds them to the paths of their recipients.
    fn read(&mut self) {
        let Some((events, position)) = self.log.read(self.position, TURN_EVENTS_MAX) else {
            log::warn!(
                "a dispatcher fell behind the event log: its connections are closed, and clients reconnect"
            );
            self.position = self.log.end();
            self.newest = self.position.seq;
            for (_, connection) in &self.connections {
                connection.queue.leave(1012, "catch up");
            }
            return;
        };
        let now = Instant::now();
        for event in &events {
            if matches!(event.effects.loss, Some(Loss::Meeting { .. } | Loss::Any)) {
                // A held count goes to those who were recipients before the loss, so it is delivered before the loss.
                self.deliver_all_held();
            }
            match event.effects.coalesce {
                Some(topic) if !self.coalescing.is_due(topic, event, now) => {}
                _ => self.deliver(event),
            }
        }
        self.position = position;
        self.newest = events.last().map_or(position.seq, |last| last.seq.max(position.seq));
    }

    /// Delivers one event: applies its effects, and adds it to the path of every connection it names.
    fn deliver(&mut self, event: &Arc<PublishedEvent>) {
        let effects = &event.effects;
        self.deliveries += 1;
        if let Some((login_id, code)) = effects.closes {
            self.close_login(login_id, code);
        }
        self.batch.begin(event.clone());
        if let Some((users, right)) = effects.loss.as_ref().and_then(Loss::of_polls) {
            for id in users.iter().filter_map(|user_id| self.users.get(user_id)).flatten() {
                self.subscriptions
                    .remove(*id, |topic| matches!(topic, Topic::Poll(_, held) if held == right));
            }
        }
        let reach = self.quiet_users.reach(effects.hours);
        match &event.recipients {
            Recipients::None => {}
            Recipients::SignedInBut(except) => {
                let is_recipient = |user_id| !is_among(except, user_id) && reach.includes(user_id);
                for (_, ids) in self.users.iter().filter(|(user_id, _)| is_recipient(**user_id)) {
                    for id in ids {
                        add(&mut self.connections, &mut self.batch, &mut self.touched, self.deliveries, *id);
                    }
                }
            }
            Recipients::Named(named) => self.deliver_to(named, &reach, effects.subscribe),
        }
        self.log.count_frames(event.kind, self.batch.steps());
        if let Some(topic) = effects.ends {
            self.coalescing.end(topic);
            self.subscriptions.end(topic);
        }
    }

    fn deliver_to(&mut self, named: &Named, reach: &Reach, subscribe: Option<Topic>) {
        let Named { users, topics, except, .. } = named;
        let Self { connections, users: here, subscriptions, batch, touched, deliveries, .. } = self;
        let mut to_user = |user_id: &UserId, ids: &[ConnectionId]| {
            if is_among(except, *user_id) || !reach.includes(*user_id) {
                return;
            }
            for id in ids {
                add(connections, batch, touched, *deliveries, *id);
                if let Some(topic) = subscribe {
                    subscriptions.add(*id, topic);
                }
            }
        };
        // The smaller side is walked: an author may have more followers than this worker has users, or fewer.
        if users.len() <= here.len() {
            for user_id in users.iter() {
                if let Some(ids) = here.get(user_id) {
                    to_user(user_id, ids);
                }
            }
        } else {
            for (user_id, ids) in here.iter().filter(|(user_id, _)| is_among(users, **user_id)) {
                to_user(user_id, ids);
            }
        }
        for id in topics.iter().flat_map(|topic| subscriptions.of(*topic)) {
            let user_id = connections.get(id).and_then(|connection| connection.viewer.user_id());
            if user_id.is_some_and(|user_id| named.allows(user_id) && reach.includes(user_id)) {
                add(connections, batch, touched, *deliveries, id);
            }
        }
    }

    fn close_login(&mut self, login_id: LoginId, code: u16) {
        for (_, connection) in &mut self.connections {
            if matches!(connection.viewer, Viewer::User { login_id: held, .. } if held == login_id) {
                // Earlier events are sent before the close frame.
                connection.write(&mut self.batch);
                connection.queue.leave(code, "this login is over");
            }
        }
    }

    /// Writes the events of a connection's path now. Its session calls this before it answers, so that the order of
    /// events and replies does not depend on turns.
    pub fn write_to(&mut self, id: ConnectionId) {
        if let Some(connection) = self.connections.get_mut(id) {
            connection.write(&mut self.batch);
        }
    }

    /// Adds the counts whose pause is over to the paths of their recipients. The next turns write them.
    pub fn release_held(&mut self, now: Instant) {
        for event in self.coalescing.take_due(now) {
            self.deliver(&event);
        }
    }

    fn deliver_all_held(&mut self) {
        for event in self.coalescing.take_all() {
            self.deliver(&event);
        }
    }

    /// Returns whether a pause runs. Only during a pause is a count held.
    #[must_use]
    pub fn holds_counts(&self) -> bool {
        !self.coalescing.is_empty()
    }

    /// Closes every connection. The clients come back within `back_ms` milliseconds.
    pub fn close_all(&mut self, back_ms: u64) {
        self.is_closing = true;
        while self.turn() {}
        // Held events would be lost when this process ends.
        self.deliver_all_held();
        while let Some(id) = self.touched.pop() {
            self.write_to(id);
        }
        // The next start takes the number after the last write, so a client that knows this number has every event. A
        // front that stops does not know the next number.
        let last = match self.lease {
            Some(_) => self.position.seq,
            None => Seq(self.position.seq.0 + 1),
        };
        for (_, connection) in &self.connections {
            connection.queue.push((self.beat)(last, connection.sent, Some(back_ms)));
            connection.queue.leave(1012, "restarting");
        }
    }

    /// Sends the heartbeats that are due, and ends the connections of peers that are gone or stuck. The dispatcher
    /// calls this every [`TICK_MS`].
    pub fn tick(&mut self) {
        self.ticks += 1;
        self.may_deliver();
        let head = self.position.seq;
        let beat_at = self.ticks % (BEAT_MS / TICK_MS);
        for (_, connection) in &mut self.connections {
            let idle_ms = |since: u64| (self.ticks - since) * TICK_MS;
            if connection.queue.holds_reader() {
                // While the reader waits for room, no frame of the peer is read.
                connection.last_frame_at = self.ticks;
            }
            let is_silent = idle_ms(connection.last_frame_at) > SILENCE_MS_MAX;
            if connection.queue.tick() > STALL_MS_MAX / TICK_MS || is_silent {
                // The connection remains until its session ends, so a later tick may find it again, but it is counted
                // once.
                counters::CUT_STALLED.add(u64::from(!connection.queue.is_cut()));
                connection.queue.cut();
            } else if connection.viewer == Viewer::Guest && idle_ms(connection.asked_at) > GUEST_IDLE_MS_MAX {
                connection.queue.close(4408, "idle");
            } else if connection.beat_at == beat_at {
                // A heartbeat follows all events up to its number.
                connection.write(&mut self.batch);
                connection.queue.push((self.beat)(head, connection.sent, None));
                connection.queue.push(PING);
            }
        }
    }

    /// Pushes events that a connection missed, one by one.
    pub(super) fn push(&mut self, id: ConnectionId, events: &[Arc<PublishedEvent>]) {
        let Some(connection) = self.connections.get_mut(id) else { return };
        for event in events {
            if !event.frame.is_empty() && connection.queue.push(event.frame.clone()) {
                connection.sent += 1;
                self.log.count_frames(event.kind, 1);
            }
        }
    }
}

/// Adds the current event to a connection, unless it was added already.
fn add(
    connections: &mut Slab<Connection>,
    batch: &mut Batch,
    touched: &mut Vec<ConnectionId>,
    delivery: u64,
    id: ConnectionId,
) {
    let Some(connection) = connections.get_mut(id) else { return };
    if std::mem::replace(&mut connection.delivery, delivery) == delivery {
        return;
    }
    if connection.path == Path::EMPTY {
        touched.push(id);
    }
    connection.path = batch.step(connection.path);
}

#[cfg(test)]
mod tests;

//! The seats of one worker: who listens where, and what each is told.
//!
//! Sessions of a worker and its hub share them without locks: they live on one thread. Each event is
//! put into the send queue of every socket that listens, at most [`HUB_TURN_MAX`] before sockets may write.
//! Counts of which only the newest matters are told at once and then four times a second, tallies twice.
//! Nobody comes past an event of a group before the group has ruled who was in it.

mod gate;
mod held;
mod listening;
mod repeats;
#[cfg(test)]
pub(super) mod testing;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use slab::Slab;

use self::gate::Passage;
use self::held::HeldCounts;
use self::listening::{Heard, leave};
use super::entry::Entry;
use super::ring::{Missed, Ring};
use super::wire::Beat;
use crate::access::Viewer;
pub use crate::features::kit::Topic;
use crate::features::kit::{Membership, Right};
use crate::features::told::Teller;
use crate::ids::{PollId, PostId, Seq, UserId};
use crate::limits::{
    BEAT_MS, GUEST_IDLE_MS_MAX, HUB_TURN_MAX, SILENCE_MS_MAX, STALL_MS_MAX, TALLY_PAUSE_MS, TICK_MS,
};
use crate::socket::{PING, SendQueue, frame};
use crate::wire::{self, codec};

/// The seats of one worker, shared by its hub and its sessions.
pub type SharedSeats = Rc<RefCell<Seats>>;

/// A socket's number at its hub.
pub type SeatId = usize;

struct Seat {
    outbox: Rc<SendQueue>,
    viewer: Viewer,
    /// The last event told, so that one heard in two places is told once.
    told: Seq,
    /// The last event by which its person was out of a group.
    lost: Seq,
    /// Events told so far.
    sent: u64,
    /// Anything at all, pongs too.
    last_heard: Instant,
    /// A request.
    last_asked: Instant,
    /// Which second of the heartbeat's pause is this socket's.
    beat_at: u64,
}

/// Who listens where, on one worker.
pub struct Seats {
    ring: Arc<Ring>,
    /// The last event told here.
    cursor: Seq,
    /// Who waits for that.
    teller: Teller,
    /// The last event told here by which something was over for some alone, or that was passed over untold.
    lost: Seq,
    /// The last event told here by which an account ended: nothing of before is repeated.
    forgotten: Seq,
    seats: Slab<Seat>,
    people: HashMap<UserId, Vec<SeatId>>,
    heard: Heard,
    held: HeldCounts,
    ticks: u64,
    has_said_goodbye: bool,
}

impl Seats {
    /// Prepares an empty room that tells what the ring gains from now on.
    pub(super) fn new(ring: Arc<Ring>) -> Self {
        let cursor = ring.head();
        Self {
            cursor,
            teller: ring.told().counts_on(cursor),
            forgotten: ring.forgotten(),
            ring,
            lost: Seq(0),
            seats: Slab::new(),
            people: HashMap::new(),
            heard: Heard::new(),
            held: HeldCounts::default(),
            ticks: 0,
            has_said_goodbye: false,
        }
    }

    /// Takes a seat for a new socket; tells nothing yet.
    pub fn sit(&mut self, outbox: Rc<SendQueue>) -> SeatId {
        self.seats.insert(Seat {
            outbox,
            viewer: Viewer::Guest,
            told: Seq(0),
            lost: Seq(0),
            sent: 0,
            last_heard: Instant::now(),
            last_asked: Instant::now(),
            beat_at: self.ticks % (BEAT_MS / TICK_MS),
        })
    }

    /// Gives the seat to somebody, who is told what concerns them after `since`.
    pub fn becomes(&mut self, id: SeatId, viewer: Viewer, since: Seq) {
        let Some(user_id) = viewer.user_id() else { return };
        let Some(seat) = self.seats.get_mut(id) else { return };
        let before = std::mem::replace(&mut seat.viewer, viewer);
        if let Some(before) = before.user_id() {
            leave(&mut self.people, &before, id);
            // Whoever sat here before may have voted.
            self.heard.leave_polls(id);
        }
        self.people.entry(user_id).or_default().push(id);
        if let Some(missed) = self.missed(id, since) {
            self.tell_missed(id, &missed, &[Topic::User(user_id)]);
        }
    }

    /// Frees a seat.
    pub fn rise(&mut self, id: SeatId) {
        let Some(seat) = self.seats.try_remove(id) else { return };
        if let Some(user_id) = seat.viewer.user_id() {
            leave(&mut self.people, &user_id, id);
        }
        self.heard.leave_all(id);
    }

    /// Notes that the peer said something.
    pub fn heard_from(&mut self, id: SeatId) {
        if let Some(seat) = self.seats.get_mut(id) {
            seat.last_heard = Instant::now();
        }
    }

    /// Notes that the peer asked something.
    pub fn asked(&mut self, id: SeatId) {
        if let Some(seat) = self.seats.get_mut(id) {
            seat.last_asked = Instant::now();
        }
    }

    fn enter(&mut self, id: SeatId, topic: Topic) {
        if self.seats.contains(id) {
            self.heard.enter(id, topic);
        }
    }

    /// Stops listening.
    pub fn leave(&mut self, id: SeatId, posts: &[PostId], profiles: &[UserId], polls: &[PollId]) {
        self.heard.leave(id, posts, profiles, polls);
    }

    /// Returns the number of the last event told here.
    #[must_use]
    pub fn cursor(&self) -> Seq {
        self.cursor
    }

    /// Is what was read at `since` of before something that was told here already, and took from this seat what
    /// may be in it: an account that ended, a group that its person is out of, a post that is for fewer now?
    #[must_use]
    pub fn is_outlived(&self, id: SeatId, since: Seq) -> bool {
        let out_of_a_group = self.seats.get(id).map_or(Seq(0), |seat| seat.lost);
        since < self.forgotten.max(self.lost).max(out_of_a_group)
    }

    /// True once everybody was told goodbye.
    #[must_use]
    pub fn has_said_goodbye(&self) -> bool {
        self.has_said_goodbye
    }

    fn push(&mut self, id: SeatId, entry: &Entry) {
        if let Some(seat) = self.seats.get_mut(id)
            && seat.outbox.push(entry.frame.clone())
        {
            seat.sent += 1;
        }
    }

    /// Tells one event to all who listen and are let through.
    fn deliver(&mut self, entry: &Arc<Entry>) {
        let hearers = &entry.hearers;
        if let Some((login_id, _)) = hearers.closes {
            let of_login = |(_, seat): &(usize, &Seat)| matches!(seat.viewer, Viewer::User { login_id: held, .. } if held == login_id);
            let ids: Vec<SeatId> = self.seats.iter().filter(of_login).map(|(id, _)| id).collect();
            for id in ids {
                self.tell_closed(id, entry);
            }
            return;
        }
        if let Some((who, whose)) = hearers.shuts_polls {
            for id in self.people.get(&who).into_iter().flatten() {
                self.heard.leave_polls_of(*id, Right::Following(whose));
            }
        }
        if hearers.forgets {
            self.forgotten = entry.seq;
        }
        if hearers.voids.is_some() && hearers.ends.is_none() {
            self.lost = entry.seq;
        }
        let passage = Passage::of(entry, &self.ring);
        if hearers.topics.contains(&Topic::Everyone) {
            for (_, seat) in self.seats.iter_mut().filter(|(_, seat)| seat.viewer != Viewer::Guest) {
                if seat.outbox.push(entry.frame.clone()) {
                    seat.sent += 1;
                }
            }
            self.end(hearers.ends);
            return;
        }
        let opens = hearers.opens;
        let mut opened = Vec::new();
        let Self { seats, people, heard, .. } = self;
        let mut tell = |ids: Option<&Vec<SeatId>>| {
            for id in ids.into_iter().flatten() {
                let Some(seat) = seats.get_mut(*id) else { continue };
                // Held counts come late and in their own order; only a repeat of this very one is
                // left out.
                if seat.told == entry.seq || !passage.lets(seat.viewer.user_id()) {
                    continue;
                }
                seat.told = entry.seq;
                if seat.outbox.push(entry.frame.clone()) {
                    seat.sent += 1;
                }
                if opens.is_some() {
                    opened.push(*id);
                }
            }
        };
        for topic in &hearers.topics {
            match topic {
                Topic::User(user_id) => tell(people.get(user_id)),
                Topic::Group(_) => tell_each(people, passage.members(), &mut tell),
                topic => tell(heard.seats(*topic)),
            }
        }
        tell_each(people, &hearers.people, &mut tell);
        if let Some(topic) = opens {
            for id in opened {
                self.enter(id, topic);
            }
        }
        self.end(hearers.ends);
        if let Some(changed) = &hearers.membership {
            self.part(changed, entry.seq);
        }
    }

    /// Whoever is out of a group has heard the last of it.
    fn part(&mut self, changed: &Membership, seq: Seq) {
        for id in changed.left.iter().filter_map(|user_id| self.people.get(user_id)).flatten() {
            self.heard.leave_polls_of(*id, Right::Membership(changed.group_id));
            if let Some(seat) = self.seats.get_mut(*id) {
                seat.lost = seq;
            }
        }
        if changed.members.is_empty() {
            self.end(Some(Topic::Group(changed.group_id)));
        }
    }

    /// Lets everybody go who listens here: it is over, with what was held back of it.
    fn end(&mut self, topic: Option<Topic>) {
        if let Some(topic) = topic {
            self.held.forget(topic);
            self.heard.end(topic);
        }
    }

    fn tell_closed(&mut self, id: SeatId, entry: &Entry) {
        if let (Some(seat), Some((_, code))) = (self.seats.get(id), entry.hearers.closes) {
            seat.outbox.leave(code, "this login is over");
        }
    }

    /// Lets everybody go who is signed in: they come back, and catch up.
    fn let_catch_up(&self) {
        for (_, seat) in self.seats.iter().filter(|(_, seat)| seat.viewer != Viewer::Guest) {
            seat.outbox.leave(1012, "catch up");
        }
    }

    /// Reads on, up to what a group has not ruled on yet; true when more remains for the next turn.
    pub(super) fn turn(&mut self) -> bool {
        let Missed::Events(entries) = self.ring.since(self.cursor, HUB_TURN_MAX) else {
            // The ring has outrun this hub: everybody here catches up by a fresh socket.
            log::warn!("a hub fell behind and lets its sockets reconnect");
            for (_, seat) in &self.seats {
                seat.outbox.leave(1012, "catch up");
            }
            self.cursor = self.ring.head();
            self.forgotten = self.ring.forgotten();
            self.lost = self.cursor;
            self.teller.moves(self.cursor);
            return false;
        };
        let mut more = entries.len() == HUB_TURN_MAX;
        let now = Instant::now();
        for entry in entries {
            if !entry.is_ruled() {
                // Its group wakes the hub.
                more = false;
                break;
            }
            self.cursor = entry.seq;
            if entry.is_lost() {
                log::warn!("an event did not reach its group: a hub lets its sockets reconnect");
                self.lost = entry.seq;
                self.let_catch_up();
                continue;
            }
            match entry.hearers.pace {
                Some(pace) if !self.held.is_its_turn(pace, &entry, now) => {}
                _ => self.deliver(&entry),
            }
        }
        self.teller.moves(self.cursor);
        more
    }

    /// Tells the counts whose pause is over by `now`.
    pub(super) fn release_held(&mut self, now: Instant) {
        for entry in self.held.take_due(now) {
            self.deliver(&entry);
        }
    }

    /// True while counts wait for their pause to end.
    pub(super) fn holds_counts(&self) -> bool {
        !self.held.is_empty()
    }

    /// Tells everybody goodbye; returns how many that were.
    pub(super) fn say_goodbye(&mut self) -> usize {
        self.has_said_goodbye = true;
        // What is held back would be forgotten with this process.
        self.release_held(Instant::now() + Duration::from_millis(2 * TALLY_PAUSE_MS));
        for (_, seat) in &self.seats {
            seat.outbox.leave(1012, "restarting");
        }
        self.seats.len()
    }

    /// At each tick: heartbeats whose turn it is, and those who are gone or stuck.
    pub(super) fn tick(&mut self) {
        self.ticks += 1;
        let now = Instant::now();
        let turn = self.ticks % (BEAT_MS / TICK_MS);
        let head = self.cursor;
        let idle =
            |since: Instant| u64::try_from(now.saturating_duration_since(since).as_millis()).unwrap_or(0);
        for (_, seat) in &self.seats {
            let is_silent = idle(seat.last_heard) > SILENCE_MS_MAX && !seat.outbox.holds_reader();
            if seat.outbox.tick() > STALL_MS_MAX / TICK_MS || is_silent {
                seat.outbox.cut();
            } else if seat.viewer == Viewer::Guest && idle(seat.last_asked) > GUEST_IDLE_MS_MAX {
                seat.outbox.close(4408, "idle");
            } else if seat.beat_at == turn {
                seat.outbox.push(beat(head, seat.sent));
                seat.outbox.push(PING);
            }
        }
    }
}

/// Tells the seats of each of these people; sorted.
fn tell_each(
    here: &HashMap<UserId, Vec<SeatId>>,
    people: &[UserId],
    tell: &mut impl FnMut(Option<&Vec<SeatId>>),
) {
    // An author may have more followers than there are people here, or the other way round.
    if people.len() <= here.len() {
        for user_id in people {
            tell(here.get(user_id));
        }
    } else {
        for (user_id, ids) in here {
            if people.binary_search(user_id).is_ok() {
                tell(Some(ids));
            }
        }
    }
}

fn beat(head: Seq, sent: u64) -> bytes::Bytes {
    let body = codec::encode(&Beat { ev: "beat", sent }).unwrap_or_default();
    frame(&wire::event(head, &body))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::features::profiles::wire::Renamed;
    use crate::features::views::User;
    use crate::features::{Event, moods};
    use crate::ids::LoginId;

    pub(super) const ANA: UserId = UserId(1);
    pub(super) const BEN: UserId = UserId(2);

    pub(super) fn renamed(seq: i64) -> (Seq, Event) {
        let user = User { id: ANA, name: "Ana".into(), photo_url: None };
        (Seq(seq), Event::UserRenamed(Renamed { user }))
    }

    /// A room with a guest's seat, and Ben's.
    pub(super) fn room(ring: &Arc<Ring>) -> (Seats, [SeatId; 2]) {
        let mut seats = Seats::new(ring.clone());
        let taken = [seats.sit(SendQueue::new(None)), seats.sit(SendQueue::new(None))];
        let viewer = Viewer::User { user_id: BEN, login_id: LoginId(9) };
        seats.becomes(taken[1], viewer, Seq(0));
        (seats, taken)
    }

    pub(super) fn sent(seats: &Seats, ids: [SeatId; 2]) -> [u64; 2] {
        ids.map(|id| seats.seats[id].sent)
    }

    #[test]
    fn what_everyone_is_told_is_told_once_to_who_is_somebody() {
        let ring = Arc::new(Ring::new(Seq(0), Clock::Real));
        let (mut seats, ids) = room(&ring);
        // However much of it one shows.
        seats.listen(ids[1], &[Topic::Profile(ANA), Topic::Post(PostId(3))], Seq(0));
        ring.append(vec![renamed(1)]);
        seats.turn();
        assert_eq!(sent(&seats, ids), [0, 1]);
    }

    #[test]
    fn l3_what_everyone_was_told_is_told_again_behind_an_answer_that_lacks_it() {
        let ring = Arc::new(Ring::new(Seq(0), Clock::Real));
        let (mut seats, ids) = room(&ring);
        ring.append(vec![renamed(1), renamed(2)]);
        seats.turn();
        assert_eq!(sent(&seats, ids), [0, 2]);
        for topic in [Topic::Everyone, Topic::Post(PostId(3))] {
            seats.listen(ids[1], &[topic], Seq(2));
            assert_eq!(sent(&seats, ids), [0, 2], "an answer that has it");
        }
        seats.listen(ids[1], &[Topic::Everyone], Seq(1));
        assert_eq!(sent(&seats, ids), [0, 3]);
        seats.listen(ids[1], &[Topic::Post(PostId(4))], Seq(1));
        assert_eq!(sent(&seats, ids), [0, 4]);
        seats.listen(ids[0], &[Topic::Everyone], Seq(0));
        assert_eq!(sent(&seats, ids), [0, 4], "a guest is nobody");
    }

    #[test]
    fn what_passes_is_told_to_who_is_here_and_not_to_who_comes_back() {
        let ring = Arc::new(Ring::new(Seq(0), Clock::Real));
        let (mut seats, ids) = room(&ring);
        let (morning, evening) = (Some("Cozy".into()), None);
        let mood = moods::wire::Mood { user_id: ANA, morning, evening, made_at_ms: 0, expires_at_ms: 1 };
        let changed = moods::wire::Changed { mood, users: Vec::new(), followers: vec![BEN] };
        ring.append(vec![(Seq(1), Event::MoodChanged(changed)), renamed(2)]);
        seats.turn();
        assert_eq!(sent(&seats, ids), [0, 2]);
        // A new socket of Ben's, and of Ana's own, that missed both.
        for user_id in [BEN, ANA] {
            let id = seats.sit(SendQueue::new(None));
            seats.becomes(id, Viewer::User { user_id, login_id: LoginId(9) }, Seq(0));
            assert_eq!(sent(&seats, [id, id]), [1, 1]);
            assert!(seats.resume(id, Seq(0)));
            assert_eq!(sent(&seats, [id, id]), [2, 2]);
            seats.listen(id, &[Topic::Everyone], Seq(0));
            assert_eq!(sent(&seats, [id, id]), [3, 3]);
        }
    }
}

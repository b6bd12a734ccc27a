//! One socket's place in delivery: all that a session asks of the connections of its worker, in one file.

use std::rc::Rc;

use super::send_queue::SendQueue;
use crate::access::Viewer;
use crate::ids::{PollId, PostId, Seq, UserId};
use crate::live::seats::{SeatId, SharedSeats, Topic};

/// One socket among the connections of its worker; dropping it takes it out.
pub(super) struct Subscriber {
    seats: SharedSeats,
    id: SeatId,
}

impl Subscriber {
    /// Enters a socket; nothing is delivered to it yet.
    pub(super) fn enter(seats: SharedSeats, queue: Rc<SendQueue>) -> Self {
        let id = seats.borrow_mut().sit(queue);
        Self { seats, id }
    }

    /// Returns the number of the last event that was delivered on this worker.
    pub(super) fn cursor(&self) -> Seq {
        self.seats.borrow().cursor()
    }

    /// True once everybody was said goodbye to.
    pub(super) fn has_said_goodbye(&self) -> bool {
        self.seats.borrow().has_said_goodbye()
    }

    /// Gives the socket to a viewer, who is delivered what concerns them after `since`.
    pub(super) fn becomes(&self, viewer: Viewer, since: Seq) {
        self.seats.borrow_mut().becomes(self.id, viewer, since);
    }

    /// Notes that a frame came in.
    pub(super) fn heard_from(&self) {
        self.seats.borrow_mut().heard_from(self.id);
    }

    /// Notes that a request came in.
    pub(super) fn asked(&self) {
        self.seats.borrow_mut().asked(self.id);
    }

    /// Was something taken from this viewer since `since` that an answer read then may carry?
    pub(super) fn is_outlived(&self, since: Seq) -> bool {
        self.seats.borrow().is_outlived(self.id, since)
    }

    /// Subscribes, and delivers what came after `since`.
    pub(super) fn subscribe(&self, topics: &[Topic], since: Seq) {
        self.seats.borrow_mut().listen(self.id, topics, since);
    }

    /// Unsubscribes.
    pub(super) fn unsubscribe(&self, posts: &[PostId], profiles: &[UserId], polls: &[PollId]) {
        self.seats.borrow_mut().leave(self.id, posts, profiles, polls);
    }

    /// Delivers what a returning socket missed since this number; false when nobody can tell.
    pub(super) fn resume(&self, since: Seq) -> bool {
        self.seats.borrow_mut().resume(self.id, since)
    }
}

impl Drop for Subscriber {
    fn drop(&mut self) {
        self.seats.borrow_mut().rise(self.id);
    }
}

//! An event, ready to be written to any socket, and what groups say of who hears it.
//!
//! An event of a group waits in the ring until the group's actor has ruled who was in it. The ruling is made
//! once, for all hubs, and never changes.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;

use crate::features::Event;
use crate::features::kit::{Hearers, Membership};
use crate::ids::{GroupId, Seq, UserId};
use crate::socket::frame;
use crate::wire::{self, codec};

/// One event, ready to be written to any socket.
pub struct Entry {
    pub seq: Seq,
    pub at_ms: i64,
    /// The whole WebSocket frame; empty for what only the server hears.
    pub frame: Bytes,
    pub hearers: Hearers,
    /// What the group it is of says ...
    of_group: OnceLock<Ruling>,
    /// ... and the one whose members are passed over.
    past_group: OnceLock<Ruling>,
}

/// What a group says of one event.
pub enum Ruling {
    /// These were its members when it happened; sorted. Who leaves by it and who comes by it are both among them.
    Members(Arc<[UserId]>),
    /// It says nothing: nobody of it was here, or it had not yet read who is in it. The event is for who is here
    /// by the time it is told and was a member already when it happened.
    Nothing,
    /// It never heard of the event. Everybody comes back and catches up.
    Lost,
}

impl Entry {
    /// Encodes and frames an event.
    pub(super) fn new(seq: Seq, at_ms: i64, event: &Event) -> Self {
        let hearers = event.hearers();
        let frame = if hearers.closes.is_some() { Bytes::new() } else { encode(seq, event) };
        Self { seq, at_ms, frame, hearers, of_group: OnceLock::new(), past_group: OnceLock::new() }
    }

    /// Returns what it holds in memory beside itself, in bytes.
    pub(super) fn weight_bytes(&self) -> usize {
        let members = self.membership().map_or(0, |membership| size_of_val(&*membership.members));
        self.frame.len() + size_of_val(&*self.hearers.people) + members
    }

    /// Returns the group it is of: whose members hear it, or who is in which it changes.
    fn group(&self) -> Option<GroupId> {
        let Hearers { gate, membership, .. } = &self.hearers;
        let changed = membership.as_ref().map(|membership| membership.group_id);
        gate.and_then(|gate| gate.only).or(changed)
    }

    /// Returns the group whose members are passed over.
    fn passed_over(&self) -> Option<GroupId> {
        self.hearers.gate.and_then(|gate| gate.except)
    }

    /// Returns the groups that have a say in it.
    pub(super) fn groups(&self) -> impl Iterator<Item = GroupId> {
        self.group().into_iter().chain(self.passed_over())
    }

    /// Returns what it changes of a membership.
    pub(super) fn membership(&self) -> Option<&Membership> {
        self.hearers.membership.as_ref()
    }

    /// Returns what it changes of this group's membership.
    pub(super) fn changes(&self, group_id: GroupId) -> Option<&Membership> {
        self.membership().filter(|changed| changed.group_id == group_id)
    }

    /// Has every group said what it has to say?
    pub(super) fn is_ruled(&self) -> bool {
        (self.group().is_none() || self.of_group.get().is_some())
            && (self.passed_over().is_none() || self.past_group.get().is_some())
    }

    /// Notes what a group says. The first word stands.
    pub(super) fn settle(&self, group_id: GroupId, ruling: Ruling) {
        let is_of = self.group() == Some(group_id);
        let ruled = if is_of { &self.of_group } else { &self.past_group };
        let _ = ruled.set(ruling);
    }

    /// Returns what the group it is of says.
    pub(super) fn of_group(&self) -> Option<(GroupId, Option<&Ruling>)> {
        self.group().map(|group_id| (group_id, self.of_group.get()))
    }

    /// Returns what the group says whose members are passed over.
    pub(super) fn past_group(&self) -> Option<(GroupId, Option<&Ruling>)> {
        self.passed_over().map(|group_id| (group_id, self.past_group.get()))
    }

    /// Did it never reach a group?
    pub(super) fn is_lost(&self) -> bool {
        [&self.of_group, &self.past_group].iter().any(|ruled| matches!(ruled.get(), Some(Ruling::Lost)))
    }
}

fn encode(seq: Seq, event: &Event) -> Bytes {
    match codec::encode(event) {
        Ok(body) => frame(&wire::event(seq, &body)),
        Err(why) => {
            log::error!("an event could not be told: {why}");
            Bytes::new()
        }
    }
}

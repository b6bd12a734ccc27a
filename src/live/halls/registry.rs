//! Who is here, and which halls are open: what [`super::Halls`] knows, under its lock.

use std::collections::{BTreeSet, HashMap};

use actix::prelude::*;

use super::super::group::Group;
use crate::ids::{GroupId, UserId};

/// People and halls.
#[derive(Default)]
pub(super) struct Registry {
    pub(super) people: HashMap<UserId, Person>,
    pub(super) halls: HashMap<GroupId, Hall>,
    /// Halls opened so far.
    pub(super) opened: u64,
    /// Halls taken down so far because their actor missed something.
    pub(super) taken_down: u64,
}

/// Somebody who is here.
#[derive(Default)]
pub(super) struct Person {
    pub(super) sockets: usize,
    /// Have they entered all their groups?
    pub(super) is_settled: bool,
    /// Those they have entered.
    pub(super) groups: Vec<GroupId>,
}

/// Where a group meets.
pub(super) struct Hall {
    pub(super) number: u64,
    /// The only address that events are sent to: its mailbox is bounded for each sender.
    pub(super) actor: Addr<Group>,
    pub(super) present: BTreeSet<UserId>,
    /// How many are about to enter, and how many changes of its membership are on their way: it stays open for
    /// them.
    pub(super) holds: usize,
}

impl Registry {
    /// Somebody has one more socket here.
    pub(super) fn arrive(&mut self, user_id: UserId) {
        self.people.entry(user_id).or_default().sockets += 1;
    }

    /// Somebody has one socket fewer here; with the last they are out of all halls.
    pub(super) fn leave(&mut self, user_id: UserId) {
        let Some(person) = self.people.get_mut(&user_id) else { return };
        person.sockets -= 1;
        if person.sockets > 0 {
            return;
        }
        let groups = self.people.remove(&user_id).map(|person| person.groups).unwrap_or_default();
        for group_id in groups {
            self.part(group_id, user_id);
            self.tidy(group_id);
        }
    }

    /// Returns this hall of a group, unless it is no more.
    pub(super) fn hall(&mut self, group_id: GroupId, number: u64) -> Option<&mut Hall> {
        self.halls.get_mut(&group_id).filter(|hall| hall.number == number)
    }

    /// Somebody is in a hall from now on, if both are there.
    pub(super) fn admit(&mut self, group_id: GroupId, number: u64, user_id: UserId) {
        let Self { people, halls, .. } = self;
        let hall = halls.get_mut(&group_id).filter(|hall| hall.number == number);
        if let (Some(person), Some(hall)) = (people.get_mut(&user_id), hall)
            && hall.present.insert(user_id)
        {
            person.groups.push(group_id);
        }
    }

    /// Somebody is in a hall no more.
    pub(super) fn part(&mut self, group_id: GroupId, user_id: UserId) {
        if let Some(person) = self.people.get_mut(&user_id) {
            person.groups.retain(|held| *held != group_id);
        }
        if let Some(hall) = self.halls.get_mut(&group_id) {
            hall.present.remove(&user_id);
        }
    }

    /// Takes a hall out that nobody is in or about to enter. With its address its actor ends.
    pub(super) fn tidy(&mut self, group_id: GroupId) {
        if self.halls.get(&group_id).is_some_and(|hall| hall.present.is_empty() && hall.holds == 0) {
            self.halls.remove(&group_id);
        }
    }

    /// Takes a hall down whose actor missed something: everybody enters again, for whoever came into the group as
    /// it fell behind is not in the hall yet.
    pub(super) fn take_down(&mut self, group_id: GroupId) {
        self.taken_down += 1;
        self.halls.remove(&group_id);
        for person in self.people.values_mut() {
            person.groups.retain(|held| *held != group_id);
            person.is_settled = false;
        }
    }
}

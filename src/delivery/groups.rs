//! The group registry: the connected users, their groups, and the running group actors.
//!
//! All threads share it. Each signed-in connection holds a [`Presence`]. The actor of a group starts with the first
//! connected member and ends with the last. Changes of membership come from the writer, in commit order.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use actix::prelude::*;

use super::barrier::Barrier;
use super::group::{self, Change, Group};
use super::log::EventLog;
use crate::events::{Membership, Users};
use crate::ids::{GroupId, Seq, UserId};

/// The registry, shared by all threads.
pub struct Groups {
    registry: Mutex<Registry>,
    log: Arc<EventLog>,
    barrier: Arc<Barrier>,
    /// The thread of all group actors.
    arbiter: Arbiter,
}

#[derive(Default)]
struct Registry {
    users: HashMap<UserId, Connected>,
    running: HashMap<GroupId, Running>,
}

/// A user with at least one signed-in connection.
struct Connected {
    connections: usize,
    /// The groups of the user; sorted.
    groups: Vec<GroupId>,
    /// The last write that `groups` includes.
    as_of: Seq,
}

/// A group with at least one connected member. The actor ends when its last address is dropped.
struct Running {
    actor: Addr<Group>,
    /// The number of connected members.
    present: usize,
}

impl Groups {
    /// Starts the thread of the group actors. No user is connected yet.
    #[must_use]
    pub fn new(log: Arc<EventLog>, barrier: Arc<Barrier>) -> Arc<Self> {
        Arc::new(Self { registry: Mutex::default(), log, barrier, arbiter: Arbiter::new() })
    }

    /// Ends the thread of the group actors.
    pub fn close(&self) {
        self.registry().running.clear();
        self.arbiter.stop();
    }

    fn registry(&self) -> MutexGuard<'_, Registry> {
        self.registry.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a connection of this user. `groups` are the user's groups as of the write `since`. Returns None if the
    /// log no longer reaches back to `since`; the groups must then be read again.
    #[must_use]
    pub fn connect(self: &Arc<Self>, user_id: UserId, groups: Vec<GroupId>, since: Seq) -> Option<Presence> {
        let mut registry = self.registry();
        let Registry { users, running } = &mut *registry;
        match users.entry(user_id) {
            Entry::Occupied(mut connected) => connected.get_mut().connections += 1,
            Entry::Vacant(vacant) => {
                // A change that is already in the log is applied here. A later change finds this entry, because
                // `membership_changed` is called after the log has the event.
                let end = self.log.end();
                let mut connected = Connected { connections: 1, groups, as_of: end.seq.max(since) };
                connected.groups.sort_unstable();
                for event in self.log.after(since, end)? {
                    if let Some(membership) = &event.effects.membership {
                        connected.apply(user_id, membership);
                    }
                }
                for group_id in &vacant.insert(connected).groups {
                    self.enter(running, *group_id);
                }
            }
        }
        Some(Presence { groups: self.clone(), user_id })
    }

    /// Returns whether a user has a signed-in connection.
    #[must_use]
    pub fn is_connected(&self, user_id: UserId) -> bool {
        self.registry().users.contains_key(&user_id)
    }

    fn disconnect(&self, user_id: UserId) {
        let mut registry = self.registry();
        let Registry { users, running } = &mut *registry;
        let Some(connected) = users.get_mut(&user_id) else { return };
        connected.connections -= 1;
        if connected.connections == 0 {
            for group_id in users.remove(&user_id).map(|gone| gone.groups).unwrap_or_default() {
                leave(running, group_id);
            }
        }
    }

    fn enter(&self, running: &mut HashMap<GroupId, Running>, group_id: GroupId) {
        running.entry(group_id).or_insert_with(|| Running { actor: self.start(), present: 0 }).present += 1;
    }

    fn start(&self) -> Addr<Group> {
        let barrier = self.barrier.clone();
        Group::start_in_arbiter(&self.arbiter.handle(), move |_| Group(barrier))
    }

    /// Applies a change of membership. It is called in commit order, after the log has the event.
    pub fn membership_changed(&self, membership: &Membership, seq: Seq) {
        let mut registry = self.registry();
        let Registry { users, running } = &mut *registry;
        for user_id in membership.joined.iter().chain(membership.left.iter()) {
            let Some(connected) = users.get_mut(user_id).filter(|connected| connected.as_of < seq) else {
                continue;
            };
            match connected.apply(*user_id, membership) {
                Some(Move::In) => self.enter(running, membership.group_id),
                Some(Move::Out) => leave(running, membership.group_id),
                None => {}
            }
        }
    }

    /// Runs a write of this user that changes the members of a group. The future `write` returns a result and, if the
    /// write took rights away, its `seq`. Returns the result after the commit or, if rights were taken away, after the
    /// events were delivered to every connection; None if the server stops.
    ///
    /// The group actor runs the write of a connected member. The write of anybody else runs here, because its duration
    /// must not reveal whether the group exists or its actor runs. The writer refuses such a write, unless the user
    /// joined at this moment or repeats a request.
    pub async fn change<T: Send + 'static>(
        &self,
        user_id: UserId,
        group_id: GroupId,
        write: impl Future<Output = (T, Option<Seq>)> + Send + 'static,
    ) -> Option<T> {
        match self.actor_for(user_id, group_id) {
            Some(actor) => actor.send(Change(Box::pin(write))).await.ok(),
            None => Some(group::run(write, &self.barrier).await),
        }
    }

    /// Returns the actor of a group, if the user is connected and in the group now.
    fn actor_for(&self, user_id: UserId, group_id: GroupId) -> Option<Addr<Group>> {
        let registry = self.registry();
        registry.users.get(&user_id)?.groups.binary_search(&group_id).ok()?;
        registry.running.get(&group_id).map(|group| group.actor.clone())
    }

    /// Returns the groups whose actor runs, each with the number of its connected members. For diagnosis.
    #[must_use]
    pub fn running(&self) -> BTreeMap<GroupId, usize> {
        self.registry().running.iter().map(|(group_id, group)| (*group_id, group.present)).collect()
    }
}

enum Move {
    In,
    Out,
}

impl Connected {
    /// Applies a change of membership to this user. Returns whether the user joined or left.
    fn apply(&mut self, user_id: UserId, membership: &Membership) -> Option<Move> {
        let place = self.groups.binary_search(&membership.group_id);
        let is_in = |users: &Users| users.binary_search(&user_id).is_ok();
        match place {
            Err(place) if is_in(&membership.joined) => {
                self.groups.insert(place, membership.group_id);
                Some(Move::In)
            }
            Ok(place) if is_in(&membership.left) => {
                self.groups.remove(place);
                Some(Move::Out)
            }
            _ => None,
        }
    }
}

/// Notes that a member of a group disconnected or left it.
fn leave(running: &mut HashMap<GroupId, Running>, group_id: GroupId) {
    let Some(group) = running.get_mut(&group_id) else { return };
    group.present -= 1;
    if group.present == 0 {
        running.remove(&group_id);
    }
}

/// The registration of a signed-in connection of a user. Dropping it removes the connection.
pub struct Presence {
    groups: Arc<Groups>,
    user_id: UserId,
}

impl Drop for Presence {
    fn drop(&mut self) {
        self.groups.disconnect(self.user_id);
    }
}

#[cfg(test)]
mod tests;

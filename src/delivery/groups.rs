//! The group registry: the connected users, their groups, and the running group actors.
//!
//! All threads share it. Each signed-in connection holds a [`Presence`]. The actor of a group starts with the first
//! connected member and ends with the last. Changes of membership come from the writer, in commit order.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicIsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use actix::prelude::*;

use super::barrier::Barrier;
use super::group::{self, Change, Changed, GetState, Group, GroupState, Write};
use super::log::EventLog;
use crate::events::{Membership, Users};
use crate::ids::{GroupId, Seq, UserId};

/// Reads the sorted members of a group, and the last write that they include; None if they cannot be read.
pub type LoadMembers =
    Arc<dyn Fn(GroupId) -> Pin<Box<dyn Future<Output = Option<(Users, Seq)>>>> + Send + Sync>;

/// The registry, shared by all threads.
pub struct Groups {
    registry: Mutex<Registry>,
    log: Arc<EventLog>,
    barrier: Arc<Barrier>,
    load: LoadMembers,
    /// The thread of all group actors.
    arbiter: Arbiter,
    actors: AtomicIsize,
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

/// A group with at least one connected member.
struct Running {
    actor: Addr<Group>,
    present: usize,
}

impl Groups {
    /// Starts the thread of the group actors. No user is connected yet.
    #[must_use]
    pub fn new(log: Arc<EventLog>, barrier: Arc<Barrier>, load: LoadMembers) -> Arc<Self> {
        let (registry, arbiter, actors) = (Mutex::default(), Arbiter::new(), AtomicIsize::new(0));
        Arc::new(Self { registry, log, barrier, load, arbiter, actors })
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
                    self.enter(running, *group_id, user_id);
                }
            }
        }
        Some(Presence { groups: self.clone(), user_id })
    }

    fn disconnect(self: &Arc<Self>, user_id: UserId) {
        let mut registry = self.registry();
        let Registry { users, running } = &mut *registry;
        let Some(connected) = users.get_mut(&user_id) else { return };
        connected.connections -= 1;
        if connected.connections == 0 {
            for group_id in users.remove(&user_id).map(|gone| gone.groups).unwrap_or_default() {
                leave(running, group_id, user_id);
            }
        }
    }

    fn enter(self: &Arc<Self>, running: &mut HashMap<GroupId, Running>, group_id: GroupId, user_id: UserId) {
        let group =
            running.entry(group_id).or_insert_with(|| Running { actor: self.start(group_id), present: 0 });
        group.present += 1;
        notify(&group.actor, group::Presence::Connected(user_id));
    }

    fn start(self: &Arc<Self>, group_id: GroupId) -> Addr<Group> {
        let (groups, barrier, load) = (self.clone(), self.barrier.clone(), self.load.clone());
        Group::start_in_arbiter(&self.arbiter.handle(), move |_| Group::new(group_id, groups, barrier, load))
    }

    /// Applies a change of membership. It is called in commit order, after the log has the event.
    pub fn membership_changed(self: &Arc<Self>, membership: &Membership, seq: Seq) {
        let mut registry = self.registry();
        let Registry { users, running } = &mut *registry;
        for user_id in membership.joined.iter().chain(membership.left.iter()) {
            let Some(connected) = users.get_mut(user_id).filter(|connected| connected.as_of < seq) else {
                continue;
            };
            match connected.apply(*user_id, membership) {
                Some(Move::In) => self.enter(running, membership.group_id, *user_id),
                Some(Move::Out) => leave(running, membership.group_id, *user_id),
                None => {}
            }
        }
        if let Some(group) = running.get(&membership.group_id) {
            notify(&group.actor, Changed { members: membership.members.clone(), seq });
        }
    }

    /// Executes a write of this user that changes the members of a group. Returns after the commit. If the write takes
    /// rights away, returns after its events were delivered to every connection.
    ///
    /// The group actor executes the write of a connected member. The write of anybody else is executed here, because
    /// its duration must not reveal whether the group exists or its actor runs. The writer refuses such a write, unless
    /// the user joined at this moment or repeats a request.
    pub async fn change(&self, user_id: UserId, group_id: GroupId, write: Write) {
        let Some(actor) = self.actor_for(user_id, group_id) else {
            return group::execute(write, &self.barrier).await;
        };
        if actor.send(Change(write)).await.is_err() {
            log::warn!("a group's actor ended during a change");
        }
    }

    /// Returns the actor of a group, if the user is connected and in the group now.
    fn actor_for(&self, user_id: UserId, group_id: GroupId) -> Option<Addr<Group>> {
        let registry = self.registry();
        registry.users.get(&user_id)?.groups.binary_search(&group_id).ok()?;
        registry.running.get(&group_id).map(|group| group.actor.clone())
    }

    /// Returns the state of every running actor, sorted by group. For tests and diagnosis.
    pub async fn states(&self) -> Vec<GroupState> {
        let actors: Vec<_> = self.registry().running.values().map(|group| group.actor.clone()).collect();
        let mut states = Vec::new();
        for actor in actors {
            states.extend(actor.send(GetState).await.ok());
        }
        states.sort_by_key(|state| state.group_id);
        states
    }

    /// Returns how many actors run.
    #[must_use]
    pub fn actors(&self) -> usize {
        usize::try_from(self.actors.load(Ordering::Relaxed)).unwrap_or(0)
    }

    pub(super) fn count_actor(&self, change: isize) {
        self.actors.fetch_add(change, Ordering::Relaxed);
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

/// Sends a message to the actor of a group.
#[expect(
    clippy::disallowed_methods,
    reason = "few: one for a connection and one for a change; the actor takes them at once"
)]
fn notify<M>(actor: &Addr<Group>, message: M)
where
    M: Message<Result = ()> + Send + 'static,
    Group: Handler<M>,
{
    actor.do_send(message);
}

/// Notes that a member of a group disconnected or left it. The actor ends when its last address is dropped.
fn leave(running: &mut HashMap<GroupId, Running>, group_id: GroupId, user_id: UserId) {
    let Some(group) = running.get_mut(&group_id) else { return };
    group.present -= 1;
    notify(&group.actor, group::Presence::Disconnected(user_id));
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

//! Who is connected, in which groups, and which groups' actors run.
//!
//! Shared by all threads. Each signed-in connection holds a [`Presence`]; a group's actor starts with the first member
//! who is connected and ends with the last. Changes of membership come from the writer, in commit order.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicIsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use actix::prelude::*;

use super::barrier::Barrier;
use super::group::{self, Change, Changed, GetRoll, Group, Roll, Write};
use super::log::EventLog;
use crate::events::{Membership, Users};
use crate::ids::{GroupId, Seq, UserId};

/// Reads the members of a group, sorted, and the write that they are right as of; None when it cannot be read.
pub type LoadMembers =
    Arc<dyn Fn(GroupId) -> Pin<Box<dyn Future<Output = Option<(Users, Seq)>>>> + Send + Sync>;

/// Who is connected, and the running groups.
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
    /// The groups they are in; sorted.
    groups: Vec<GroupId>,
    /// The write that `groups` is right as of.
    as_of: Seq,
}

/// A group with at least one member connected.
struct Running {
    actor: Addr<Group>,
    present: usize,
}

impl Groups {
    /// Starts the thread of the group actors. Nobody is connected yet.
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

    /// A connection of this user begins, who was in these groups as of the write `since`. None when the log no longer
    /// tells what changed since: read again.
    #[must_use]
    pub fn connect(self: &Arc<Self>, user_id: UserId, groups: Vec<GroupId>, since: Seq) -> Option<Presence> {
        let mut registry = self.registry();
        let Registry { users, running } = &mut *registry;
        match users.entry(user_id) {
            Entry::Occupied(mut connected) => connected.get_mut().connections += 1,
            Entry::Vacant(vacant) => {
                // A change that is in the log is applied here; one that is not finds this entry, because the log grows
                // before `membership_changed` is called.
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

    /// Takes over a change of membership. Called in commit order, after the log has its event.
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

    /// Has a group's actor carry out a write that changes who is in the group; with no member connected there is no
    /// actor, and the write is carried out here. Returns when it is done and, where it takes rights away, delivered to
    /// every connection.
    ///
    /// For a viewer who [is in](Self::is_in) the group: how long it takes says whether its actor runs.
    pub async fn change(&self, group_id: GroupId, write: Write) {
        let running = self.registry().running.get(&group_id).map(|group| group.actor.clone());
        let Some(actor) = running else { return group::carry_out(write, &self.barrier).await };
        if actor.send(Change(write)).await.is_err() {
            log::warn!("a group ended while somebody changed it");
        }
    }

    /// Returns whether a user is connected and in this group now.
    #[must_use]
    pub fn is_in(&self, user_id: UserId, group_id: GroupId) -> bool {
        let registry = self.registry();
        registry.users.get(&user_id).is_some_and(|user| user.groups.binary_search(&group_id).is_ok())
    }

    /// Asks every running actor who is in its group. For whoever looks after the server; sorted.
    pub async fn roll(&self) -> Vec<Roll> {
        let actors: Vec<_> = self.registry().running.values().map(|group| group.actor.clone()).collect();
        let mut roll = Vec::new();
        for actor in actors {
            roll.extend(actor.send(GetRoll).await.ok());
        }
        roll.sort_by_key(|roll| roll.group_id);
        roll
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
    /// Applies a change of a group's membership to this user; returns what it was to them.
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

/// Notes something with a group's actor.
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

/// A member of a group is not connected any more, or left it. The actor ends with the last address of it.
fn leave(running: &mut HashMap<GroupId, Running>, group_id: GroupId, user_id: UserId) {
    let Some(group) = running.get_mut(&group_id) else { return };
    group.present -= 1;
    notify(&group.actor, group::Presence::Gone(user_id));
    if group.present == 0 {
        running.remove(&group_id);
    }
}

/// A signed-in connection of a user; dropping it disconnects them.
pub struct Presence {
    groups: Arc<Groups>,
    user_id: UserId,
}

impl Presence {
    /// Returns whether the user is in this group now.
    #[must_use]
    pub fn is_in(&self, group_id: GroupId) -> bool {
        self.groups.is_in(self.user_id, group_id)
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        self.groups.disconnect(self.user_id);
    }
}

#[cfg(test)]
mod tests;

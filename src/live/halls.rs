//! Halls: which groups have a member here, and which groups those who are here are in.
//!
//! Shared by all threads. Somebody is here while a socket of theirs is signed in, which holds a [`Presence`];
//! the first one enters the groups they are in, the last one leaves them. A group has a hall, and in it its
//! actor, while somebody of it is here or about to enter; without anybody it ends.

mod registry;

use std::collections::BTreeSet;
use std::collections::hash_map::Entry as Slot;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use actix::dev::channel::channel;
use actix::prelude::*;
use futures_util::future::join_all;
use tokio::sync::oneshot;

use self::registry::{Hall, Registry};
use super::entry::{Entry, Ruling};
use super::group::{Enter, Group, Rule, Who};
use super::hub::Hubs;
use crate::db::readers::{Readers, Snapshot};
use crate::error::{Error, Refusal};
use crate::features::views;
use crate::ids::{GroupId, UserId};
use crate::limits::{ENTER_TRIES_MAX, GROUP_MAILBOX_MAX};

/// Where groups meet.
pub struct Halls {
    registry: Mutex<Registry>,
    hubs: Arc<Hubs>,
    /// Set once the server is there; before that no hall opens.
    house: OnceLock<House>,
    actors: AtomicUsize,
}

/// The thread of all group actors, and where they read who is in their group.
struct House {
    arbiter: ArbiterHandle,
    readers: Readers,
}

/// What a group's actor says, beside who is here.
#[derive(Debug, PartialEq, Eq)]
pub struct Roll {
    pub group_id: GroupId,
    /// Who is in the group; sorted.
    pub members: Vec<UserId>,
    /// Who of them is here; sorted.
    pub present: Vec<UserId>,
}

impl Halls {
    /// Makes a place where nobody is yet.
    pub(super) fn new(hubs: Arc<Hubs>) -> Arc<Self> {
        let (registry, house, actors) = (Mutex::default(), OnceLock::new(), AtomicUsize::new(0));
        Arc::new(Self { registry, hubs, house, actors })
    }

    /// Opens it: from now on groups have their actors, on a thread of theirs.
    pub fn open(&self, readers: Readers) {
        let house = House { arbiter: Arbiter::new().handle(), readers };
        if let Err(second) = self.house.set(house) {
            second.arbiter.stop();
        }
    }

    /// Ends the actors' thread.
    pub fn close(&self) {
        if let Some(house) = self.house.get() {
            house.arbiter.stop();
        }
    }

    fn registry(&self) -> MutexGuard<'_, Registry> {
        self.registry.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Somebody signs in on a socket: they are here, and in the halls of all their groups.
    ///
    /// # Errors
    /// A database fault; [`Refusal::Busy`] when the groups cannot be entered now.
    pub async fn enter(self: &Arc<Self>, user_id: UserId) -> Result<Presence, Error> {
        // Here first: whoever is added from now on is let in by their group itself.
        let presence = self.arrives(user_id);
        self.settle(presence, None).await
    }

    /// Has somebody who is here enter these groups, and those that are read when None are given. One that is not
    /// theirs any more lets nobody in.
    pub(super) async fn settle(
        self: &Arc<Self>,
        presence: Presence,
        mut groups: Option<Vec<GroupId>>,
    ) -> Result<Presence, Error> {
        let user_id = presence.user_id;
        for _ in 0..ENTER_TRIES_MAX {
            let taken_down = {
                let registry = self.registry();
                if registry.people.get(&user_id).is_some_and(|person| person.is_settled) {
                    return Ok(presence);
                }
                registry.taken_down
            };
            let groups = match groups.take() {
                Some(groups) => groups,
                None => self.read_groups(user_id).await?,
            };
            let entering = groups.into_iter().map(|group_id| self.enter_hall(group_id, user_id));
            let all_answered = join_all(entering).await.into_iter().all(|has_answered| has_answered);
            if all_answered && self.settles(user_id, taken_down) {
                return Ok(presence);
            }
        }
        Err(Refusal::Busy.into())
    }

    async fn read_groups(&self, user_id: UserId) -> Result<Vec<GroupId>, Error> {
        let house = self.house.get().ok_or(Error::Broken("the halls are not open"))?;
        house.readers.read(move |Snapshot { sql, .. }| views::groups_of(sql, user_id)).await
    }

    /// Somebody is here from now on.
    pub(super) fn arrives(self: &Arc<Self>, user_id: UserId) -> Presence {
        self.registry().arrive(user_id);
        Presence { halls: self.clone(), user_id }
    }

    /// Notes that somebody has entered all their groups; false when a hall was taken down meanwhile.
    fn settles(&self, user_id: UserId, taken_down: u64) -> bool {
        let mut registry = self.registry();
        let is_whole = registry.taken_down == taken_down;
        if let Some(person) = registry.people.get_mut(&user_id).filter(|_| is_whole) {
            person.is_settled = true;
        }
        is_whole
    }

    /// Enters one hall, opening it; false when its actor ended without an answer.
    async fn enter_hall(self: &Arc<Self>, group_id: GroupId, user_id: UserId) -> bool {
        let (answer, answered) = oneshot::channel();
        let hold = {
            let mut registry = self.registry();
            let Some(hall) = self.hall(&mut registry, group_id, false) else { return false };
            hall.holds += 1;
            let hold = Hold { halls: self, group_id, number: hall.number };
            // By an address of its own: it is this one that waits when the mailbox is full, and not the one for
            // events.
            if hall.actor.clone().try_send(Enter { user_id, answer }).is_err() {
                log::debug!("a hall ended while somebody entered");
            }
            hold
        };
        let has_answered = answered.await.is_ok();
        drop(hold);
        has_answered
    }

    /// Returns a group's hall, opened if need be. `is_told`: what its actor hears first says who is in it.
    fn hall<'a>(
        self: &Arc<Self>,
        registry: &'a mut Registry,
        group_id: GroupId,
        is_told: bool,
    ) -> Option<&'a mut Hall> {
        let Registry { halls, opened, .. } = registry;
        let vacant = match halls.entry(group_id) {
            Slot::Occupied(hall) => return Some(hall.into_mut()),
            Slot::Vacant(vacant) => vacant,
        };
        let house = self.house.get()?;
        *opened += 1;
        let number = *opened;
        // The mailbox has its size from the first message on, which may be there before the actor is.
        let (sender, receiver) = channel(GROUP_MAILBOX_MAX);
        let (shared, readers) = (self.clone(), house.readers.clone());
        house.arbiter.spawn_fn(move || {
            let group = Group::new(group_id, number, shared, readers, is_told);
            Context::with_receiver(receiver).run(group);
        });
        let hall = Hall { number, actor: Addr::new(sender), present: BTreeSet::new(), holds: 0 };
        Some(vacant.insert(hall))
    }

    /// Hands an event to the groups that have a say in it. Called in commit order.
    pub(super) fn tell(self: &Arc<Self>, entry: &Arc<Entry>) {
        for group_id in entry.groups() {
            let mut registry = self.registry();
            if !registry.halls.contains_key(&group_id) {
                self.open_for(&mut registry, group_id, entry);
            }
            let Some(hall) = registry.halls.get_mut(&group_id) else {
                entry.settle(group_id, Ruling::Nothing);
                continue;
            };
            if entry.changes(group_id).is_some() {
                hall.holds += 1;
            }
            let rule = Rule::new(entry.clone(), group_id, self.hubs.clone());
            match hall.actor.try_send(rule) {
                Ok(()) => {}
                Err(SendError::Full(rule) | SendError::Closed(rule)) => {
                    log::warn!("a group fell behind: every socket comes back");
                    registry.take_down(group_id);
                    // Within the lock: whoever is settled after this comes to no hub that is past it.
                    rule.misses();
                }
            }
        }
    }

    /// Opens a hall for who is here and comes into a group by this event.
    fn open_for(self: &Arc<Self>, registry: &mut Registry, group_id: GroupId, entry: &Entry) {
        let Some(changed) = entry.changes(group_id) else { return };
        let joined: Vec<UserId> =
            changed.joined.iter().copied().filter(|user_id| registry.people.contains_key(user_id)).collect();
        if joined.is_empty() {
            return;
        }
        let Some(number) = self.hall(registry, group_id, true).map(|hall| hall.number) else { return };
        for user_id in joined {
            registry.admit(group_id, number, user_id);
        }
    }

    /// A member has come. Said by the group's actor.
    pub(super) fn admit(&self, group_id: GroupId, number: u64, user_id: UserId) {
        self.registry().admit(group_id, number, user_id);
    }

    /// A change of a group's membership has reached its actor: these came and these went. Said before it lets any
    /// hub past.
    pub(super) fn moves(
        &self,
        group_id: GroupId,
        number: u64,
        joined: impl Iterator<Item = UserId>,
        left: impl Iterator<Item = UserId>,
    ) {
        let mut registry = self.registry();
        let Some(hall) = registry.hall(group_id, number) else { return };
        hall.holds -= 1;
        for user_id in joined {
            registry.admit(group_id, number, user_id);
        }
        for user_id in left {
            registry.part(group_id, user_id);
        }
        registry.tidy(group_id);
    }

    /// Returns which groups somebody is in, of those who are here.
    #[must_use]
    pub fn groups_of(&self, user_id: UserId) -> Vec<GroupId> {
        self.registry().people.get(&user_id).map(|person| person.groups.clone()).unwrap_or_default()
    }

    /// Returns the members of a group who are here; sorted.
    #[must_use]
    pub fn present(&self, group_id: GroupId) -> Vec<UserId> {
        let registry = self.registry();
        registry.halls.get(&group_id).map(|hall| hall.present.iter().copied().collect()).unwrap_or_default()
    }

    /// Asks every actor who is in its group. For whoever looks after the server.
    pub async fn roll(&self) -> Vec<Roll> {
        let halls: Vec<_> = {
            let registry = self.registry();
            let asked = registry.halls.iter();
            asked
                .map(|(id, hall)| (*id, hall.actor.clone(), hall.present.iter().copied().collect()))
                .collect()
        };
        let mut roll = Vec::new();
        for (group_id, actor, present) in halls {
            if let Ok(members) = actor.send(Who).await {
                let members = members.map(|members| members.to_vec()).unwrap_or_default();
                roll.push(Roll { group_id, members, present });
            }
        }
        roll.sort_by_key(|roll| roll.group_id);
        roll
    }

    /// Returns how many actors there are.
    #[must_use]
    pub fn actors(&self) -> usize {
        self.actors.load(Ordering::Relaxed)
    }

    pub(super) fn begins(&self) {
        self.actors.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn ends(&self) {
        self.actors.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A signed-in socket of somebody; dropping it takes them out of their groups, when it is their last.
pub struct Presence {
    halls: Arc<Halls>,
    user_id: UserId,
}

impl Presence {
    /// Are they in all their groups? Not when one was taken down since: then they are to come back.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.halls.registry().people.get(&self.user_id).is_some_and(|person| person.is_settled)
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        self.halls.registry().leave(self.user_id);
    }
}

/// Somebody is about to enter a hall, which stays open for them.
struct Hold<'a> {
    halls: &'a Halls,
    group_id: GroupId,
    number: u64,
}

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        let mut registry = self.halls.registry();
        if let Some(hall) = registry.hall(self.group_id, self.number) {
            hall.holds -= 1;
            registry.tidy(self.group_id);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::features::testing::{ANA, BEN, CLEO};
    use crate::ids::Seq;
    use crate::live::seats::testing::{CHESS, TEA, chat, created, deleted, joined, left, told};

    impl Halls {
        /// Holds the actors' thread up until what is returned is dropped.
        pub(in crate::live) fn hold_up(&self) -> std::sync::mpsc::Sender<()> {
            let (lets_go, holds) = std::sync::mpsc::channel::<()>();
            self.house.get().unwrap().arbiter.spawn_fn(move || {
                let _ = holds.recv();
            });
            lets_go
        }

        /// Has nobody opened this group's hall?
        pub(in crate::live) fn is_shut(&self, group_id: GroupId) -> bool {
            !self.registry().halls.contains_key(&group_id)
        }

        /// Waits until there are so many actors.
        async fn has_actors(&self, count: usize) {
            let waiting = async {
                while self.actors() != count {
                    tokio::task::yield_now().await;
                }
            };
            tokio::time::timeout(Duration::from_secs(20), waiting).await.expect("actors that begin and end");
        }
    }

    fn roll(group_id: GroupId, members: &[UserId], present: &[UserId]) -> Roll {
        Roll { group_id, members: members.to_vec(), present: present.to_vec() }
    }

    #[test]
    fn a_hall_opens_with_the_first_member_and_ends_with_the_last() {
        told(|house| async move {
            house.has_group(TEA, &[BEN]);
            house.has_group(CHESS, &[]);
            let halls = house.ring.halls();
            let cleo = house.sits(CLEO).await;
            assert_eq!((halls.roll().await, halls.actors()), (vec![], 0), "she is in none");
            let ben = house.sits(BEN).await;
            assert_eq!(halls.roll().await, [roll(TEA, &[ANA, BEN], &[BEN])]);
            let [ana, anas_phone] = [house.sits(ANA).await, house.sits(ANA).await];
            let both = [roll(TEA, &[ANA, BEN], &[ANA, BEN]), roll(CHESS, &[ANA], &[ANA])];
            assert_eq!(halls.roll().await, both);
            house.rises(ana);
            assert_eq!(halls.roll().await, both, "her telephone is still here");
            house.rises(anas_phone);
            assert_eq!(halls.roll().await, [roll(TEA, &[ANA, BEN], &[BEN])]);
            house.rises(ben);
            house.rises(cleo);
            assert_eq!(halls.roll().await, []);
            halls.has_actors(0).await;
            assert!(halls.registry().people.is_empty());
        });
    }

    #[test]
    fn who_comes_into_a_group_is_in_its_hall_and_who_goes_is_not() {
        told(|house| async move {
            let halls = house.ring.halls();
            let _ben = house.sits(BEN).await;
            house.says([joined(BEN, &[ANA, BEN])]);
            house.is_told().await;
            assert_eq!(halls.roll().await, [roll(TEA, &[ANA, BEN], &[BEN])], "nobody of it was here before");
            house.says([joined(CLEO, &[ANA, BEN, CLEO])]);
            house.is_told().await;
            assert_eq!(halls.roll().await, [roll(TEA, &[ANA, BEN, CLEO], &[BEN])], "Cleo is away");
            house.says([left(BEN, &[ANA, CLEO])]);
            house.is_told().await;
            assert_eq!((halls.roll().await, halls.groups_of(BEN)), (vec![], vec![]));
            halls.has_actors(0).await;
        });
    }

    #[test]
    fn whoever_is_let_in_again_at_once_is_in_the_hall() {
        told(|house| async move {
            house.has_group(TEA, &[BEN]);
            let halls = house.ring.halls();
            let ben = house.sits(BEN).await;
            let held = halls.hold_up();
            house.says([left(BEN, &[ANA]), joined(BEN, &[ANA, BEN]), chat(TEA)]);
            drop(held);
            house.says([chat(TEA)]);
            house.is_told().await;
            assert_eq!(halls.roll().await, [roll(TEA, &[ANA, BEN], &[BEN])]);
            assert_eq!(house.heard(&ben), [1_001, 1_002, 1_003, 1_004]);
        });
    }

    #[test]
    fn whoever_came_before_the_group_had_read_is_in_the_hall() {
        told(|house| async move {
            let halls = house.ring.halls();
            let cleo = house.sits(CLEO).await;
            house.has_group(TEA, &[CLEO]);
            house.room.by_hand("update site set seq = 1002").unwrap();
            // What is read has both already that are told after it.
            let ana = house.sits(ANA).await;
            house.says([joined(CLEO, &[ANA, CLEO]), chat(TEA)]);
            house.says([chat(TEA)]);
            house.is_told().await;
            assert_eq!(halls.roll().await, [roll(TEA, &[ANA, CLEO], &[ANA, CLEO])]);
            assert_eq!(house.heard(&cleo), [1_001, 1_002, 1_003]);
            assert_eq!(house.heard(&ana), [1_001, 1_002, 1_003]);
        });
    }

    #[test]
    fn whoever_was_added_while_they_came_is_in_the_hall() {
        told(|house| async move {
            house.has_group(TEA, &[]);
            let halls = house.ring.halls();
            // Read before she was added, and here after she was.
            house.says([joined(CLEO, &[ANA, CLEO])]);
            house.adds(TEA, CLEO);
            let cleo = house.ring.welcome(CLEO, Vec::new(), Seq(1_000)).await.ok().unwrap();
            assert_eq!(halls.roll().await, [roll(TEA, &[ANA, CLEO], &[CLEO])]);
            drop(cleo);
            // From before anybody remembers it is read again.
            let cleo = house.ring.welcome(CLEO, Vec::new(), Seq(999)).await.ok().unwrap();
            assert_eq!(halls.groups_of(CLEO), [TEA]);
            drop(cleo);
            // What was hers when it was read, and is not any more, lets her not in.
            house.removes(TEA, CLEO);
            let _cleo = house.ring.welcome(CLEO, vec![TEA], Seq(1_001)).await.ok().unwrap();
            assert!(halls.groups_of(CLEO).is_empty() && halls.roll().await.is_empty());
        });
    }

    #[test]
    fn a_new_group_has_its_owner_and_a_group_that_is_gone_nobody() {
        told(|house| async move {
            let halls = house.ring.halls();
            let ana = house.sits(ANA).await;
            house.says([created(TEA), chat(TEA)]);
            house.is_told().await;
            assert_eq!(halls.roll().await, [roll(TEA, &[ANA], &[ANA])]);
            assert_eq!(house.heard(&ana), [1_001, 1_002]);
            house.says([deleted(&[ANA])]);
            house.is_told().await;
            assert_eq!((halls.roll().await, house.heard(&ana)), (vec![], vec![1_003]));
            halls.has_actors(0).await;
        });
    }

    #[test]
    fn who_goes_while_they_enter_leaves_no_hall_behind() {
        told(|house| async move {
            house.has_group(TEA, &[BEN]);
            let halls = house.ring.halls();
            let held = halls.hold_up();
            {
                let mut entering = std::pin::pin!(halls.enter(BEN));
                let begun = async {
                    tokio::select! {
                        _ = &mut entering => unreachable!("the actor is held up"),
                        () = async { while halls.registry().halls.is_empty() { tokio::task::yield_now().await } } => {}
                    }
                };
                begun.await;
                assert_eq!(halls.registry().halls[&TEA].holds, 1);
            }
            assert!(halls.registry().halls.is_empty() && halls.registry().people.is_empty());
            drop(held);
            halls.has_actors(0).await;
        });
    }

    #[test]
    fn a_group_that_falls_behind_has_everybody_come_back() {
        told(|house| async move {
            house.has_group(TEA, &[BEN]);
            let halls = house.ring.halls();
            let [ben, cleo] = [house.sits(BEN).await, house.sits(CLEO).await];
            let held = halls.hold_up();
            for _ in 0..GROUP_MAILBOX_MAX {
                house.says([chat(TEA)]);
            }
            assert!(ben.presence.is_settled());
            house.says([chat(TEA)]);
            assert!(!ben.presence.is_settled() && !cleo.presence.is_settled());
            drop(held);
            house.is_told().await;
            assert!(!ben.outbox.is_open() && !cleo.outbox.is_open());
            // A new socket of his is told what its group missed, whatever the old one still does.
            let again = house.sits_since(BEN, 1_000 + i64::try_from(GROUP_MAILBOX_MAX).unwrap()).await;
            house.says([chat(TEA)]);
            house.is_told().await;
            let last = house.says([]);
            assert_eq!(house.heard(&again), [last - 1, last], "what was lost, and what came after");
            assert_eq!(halls.roll().await, [roll(TEA, &[ANA, BEN], &[BEN])]);
        });
    }

    #[test]
    fn whoever_came_into_a_group_as_it_fell_behind_is_in_it_when_they_come_back() {
        told(|house| async move {
            house.has_group(TEA, &[BEN]);
            let halls = house.ring.halls();
            let [_ben, _cleo] = [house.sits(BEN).await, house.sits(CLEO).await];
            let held = halls.hold_up();
            house.adds(TEA, CLEO);
            house.says([joined(CLEO, &[ANA, BEN, CLEO])]);
            for _ in 0..GROUP_MAILBOX_MAX {
                house.says([chat(TEA)]);
            }
            drop(held);
            house.is_told().await;
            // Her old socket may still be there when the new one comes.
            let _again = house.sits(CLEO).await;
            assert_eq!(halls.groups_of(CLEO), [TEA]);
        });
    }
}

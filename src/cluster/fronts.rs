//! The fronts of a home: their leases, what they have delivered, and which users are connected there.
//!
//! Guarantees:
//! - A front with a lease is one more worker of the delivery barrier. A write that takes a right away is acknowledged
//!   after each of them has delivered it or lost its lease.
//! - A lease begins when the front has delivered what was committed when it reported first, so what was acknowledged
//!   before does not matter to it. It is not extended for a front that stays behind.
//! - A front that is counted no more never comes back under its name. What it sent before, and what somebody at the
//!   broker repeats, has no effect.
//! - A user with a connection at a front is registered as connected, once for each front.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::wire::{At, AtAnswer, Instance};
use crate::delivery::barrier::Barrier;
use crate::delivery::groups::Presence;
use crate::delivery::log::EventLog;
use crate::ids::{Seq, UserId};
use crate::limits::{
    CLUSTER_ARRIVAL_MS, CLUSTER_FRONTS_OVER, FRONT_BEHIND_MS_MAX, HOME_LEASE_AT_STOP_MS, HOME_LEASE_MS,
};

const LEASE: Duration = Duration::from_millis(HOME_LEASE_MS);

/// The fronts that a home counts, shared by its lanes.
pub struct Fronts {
    counted: Mutex<Counted>,
    log: Arc<EventLog>,
    barrier: Arc<Barrier>,
}

#[derive(Default)]
struct Counted {
    fronts: HashMap<Instance, Front>,
    /// The fronts that were counted last and are no more.
    over: VecDeque<Instance>,
}

struct Front {
    /// When the home stops counting it.
    until: Instant,
    /// The number of its last report.
    number: u64,
    delivered: watch::Sender<Seq>,
    /// Whether it has delivered what was committed when it reported first.
    serves: bool,
    /// The write that it must deliver next, and since when it says that it has not.
    expected: Seq,
    behind_since: Option<Instant>,
    sockets: u64,
    users: HashMap<UserId, Connected>,
    /// The users who were identified for it, of whom it has not said that they are connected: their registrations, and
    /// how long these are kept.
    arriving: HashMap<UserId, (Presence, Instant)>,
}

/// A user who is connected at a front.
#[derive(Default)]
struct Connected {
    connections: i64,
    /// The registration of the user; None while it is read anew.
    presence: Option<Presence>,
}

/// What the host sees of a front.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrontState {
    pub front: Instance,
    pub sockets: u64,
    /// Writes that it has not delivered yet.
    pub lag: u64,
    /// How long its lease still lasts, in milliseconds.
    pub lease_ms: u64,
}

/// Makes every removal of a right wait until this time, because fronts of the home before this one may have leases, of
/// which this home knows nothing. A removal that the home before did not acknowledge waits too, if it is repeated.
pub fn hold_removals(barrier: &Barrier, until: Instant) {
    let worker = barrier.add_worker(Seq(0));
    actix_web::rt::spawn(async move {
        tokio::time::sleep_until(until.into()).await;
        drop(worker);
    });
}

impl Fronts {
    /// Counts no front yet.
    #[must_use]
    pub fn new(log: Arc<EventLog>, barrier: Arc<Barrier>) -> Arc<Self> {
        Arc::new(Self { counted: Mutex::default(), log, barrier })
    }

    fn counted(&self) -> MutexGuard<'_, Counted> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Handles a report, which came at `now`. Returns the answer, and the users whose presence must be read anew. Returns
    /// None for a report that is repeated or came late, and for one of a front that is counted no more.
    pub fn at(&self, at: &At, now: Instant) -> Option<(AtAnswer, Vec<UserId>)> {
        let mut counted = self.counted();
        let Counted { fronts, over } = &mut *counted;
        let front = match fronts.entry(at.front) {
            Entry::Occupied(front) => front.into_mut(),
            Entry::Vacant(_) if over.contains(&at.front) => return None,
            Entry::Vacant(vacant) => {
                // The barrier waits for the front from here on, and so for every write that is not in the log yet.
                let delivered = self.barrier.add_worker(at.delivered);
                vacant.insert(Front {
                    until: now + LEASE,
                    number: 0,
                    delivered,
                    serves: false,
                    expected: self.log.head(),
                    behind_since: None,
                    sockets: 0,
                    users: HashMap::new(),
                    arriving: HashMap::new(),
                })
            }
        };
        if at.number <= front.number || front.until <= now {
            return None;
        }
        let before = std::mem::replace(&mut front.number, at.number);
        front.sockets = at.sockets;
        front.delivered.send_if_modified(|delivered| {
            let is_new = at.delivered > *delivered;
            *delivered = at.delivered.max(*delivered);
            is_new
        });
        let is_extended = front.extend_lease(at.delivered, self.log.head(), now);
        let lease_ms = if is_extended { HOME_LEASE_MS } else { 0 };
        let (ended, unread) = front.change(at, before, now);
        drop(counted);
        // The end of a presence locks the group registry.
        drop(ended);
        Some((AtAnswer { lease_ms }, unread))
    }

    /// Returns whether a front is counted at `now`. What another one asks is refused.
    #[must_use]
    pub fn has(&self, front: Instance, now: Instant) -> bool {
        self.counted().fronts.get(&front).is_some_and(|front| now < front.until)
    }

    /// Registers a user who was identified for a front at `now`, until the front says that they are connected. Returns
    /// false if the front is not counted.
    pub fn connect(&self, front: Instance, user_id: UserId, presence: Presence, now: Instant) -> bool {
        let mut counted = self.counted();
        let Some(front) = counted.fronts.get_mut(&front) else { return false };
        // The identity may never arrive at the front, or come too late for its client.
        let until = now + Duration::from_millis(CLUSTER_ARRIVAL_MS);
        let before = front.arriving.insert(user_id, (presence, until));
        drop(counted);
        drop(before);
        true
    }

    /// Keeps the presences that were read anew, as far as they are still needed.
    pub fn keep(&self, front: Instance, presences: Vec<(UserId, Presence)>) {
        let mut spare = Vec::new();
        let mut counted = self.counted();
        let mut front = counted.fronts.get_mut(&front);
        for (user_id, presence) in presences {
            match front.as_mut().and_then(|front| front.users.get_mut(&user_id)) {
                Some(user) if user.presence.is_none() => user.presence = Some(presence),
                _ => spare.push(presence),
            }
        }
        drop(counted);
        drop(spare);
    }

    /// Returns those of these users whose presence at a front must still be read anew.
    #[must_use]
    pub fn unread(&self, front: Instance, mut users: Vec<UserId>) -> Vec<UserId> {
        let counted = self.counted();
        let connected = counted.fronts.get(&front).map(|front| &front.users);
        users.retain(|user_id| {
            connected.and_then(|all| all.get(user_id)).is_some_and(|user| user.presence.is_none())
        });
        users
    }

    /// Counts the fronts no more whose leases are over at `now`. Returns how many these are.
    pub fn expire(&self, now: Instant) -> usize {
        let mut counted = self.counted();
        let Counted { fronts, over } = &mut *counted;
        let ended: Vec<(Instance, Front)> = fronts.extract_if(|_, front| front.until <= now).collect();
        over.extend(ended.iter().map(|(name, _)| *name));
        over.drain(..over.len().saturating_sub(CLUSTER_FRONTS_OVER));
        drop(counted);
        for (_, front) in &ended {
            log::warn!("the lease of a front with {} sockets is over", front.sockets);
        }
        ended.len()
    }

    /// Lengthens all leases, because this home stops and answers no more reports.
    pub fn lengthen(&self, now: Instant) {
        for front in self.counted().fronts.values_mut() {
            front.until = front.until.max(now + Duration::from_millis(HOME_LEASE_AT_STOP_MS));
        }
    }

    /// Returns what the host sees, in the order of the names of the fronts.
    #[must_use]
    pub fn states(&self, now: Instant) -> Vec<FrontState> {
        let head = self.log.head();
        let counted = self.counted();
        let states = counted.fronts.iter().map(|(front, state)| FrontState {
            front: *front,
            sockets: state.sockets,
            lag: (head.0 - state.delivered.borrow().0).max(0).unsigned_abs(),
            lease_ms: u64::try_from(state.until.saturating_duration_since(now).as_millis()).unwrap_or(0),
        });
        let mut states: Vec<FrontState> = states.collect();
        states.sort_unstable_by_key(|state| state.front);
        states
    }

    /// Returns how many sockets are open at all fronts.
    #[must_use]
    pub fn sockets(&self) -> u64 {
        self.counted().fronts.values().map(|front| front.sockets).sum()
    }
}

impl Front {
    /// Extends the lease, unless the front has not delivered yet what was committed when it reported first, or stays
    /// behind, because nobody waits for ever. Returns whether the lease was extended.
    fn extend_lease(&mut self, delivered: Seq, head: Seq, now: Instant) -> bool {
        if delivered >= self.expected {
            (self.serves, self.expected, self.behind_since) = (true, head, None);
        } else {
            let since = *self.behind_since.get_or_insert(now);
            if now.saturating_duration_since(since) >= Duration::from_millis(FRONT_BEHIND_MS_MAX) {
                return false;
            }
        }
        if self.serves {
            self.until = self.until.max(now + LEASE);
        }
        self.serves
    }

    /// Applies the changes of a report that no report up to the number `before` said. Returns the presences that ended,
    /// and the users whose presence must be read anew.
    fn change(&mut self, at: &At, before: u64, now: Instant) -> (Vec<Presence>, Vec<UserId>) {
        let (mut ended, mut unread) = (Vec::new(), Vec::new());
        for change in at.changes.iter().filter(|change| change.number > before) {
            let user = self.users.entry(change.user_id).or_default();
            user.connections += change.by;
            // With a change of 0, a connection arrived and ended since the last report.
            let arrived = match user.connections > 0 || change.by == 0 {
                true => self.arriving.remove(&change.user_id).map(|(presence, _)| presence),
                false => None,
            };
            if user.connections <= 0 {
                ended.extend(arrived);
                ended.extend(self.users.remove(&change.user_id).and_then(|user| user.presence));
            } else if user.presence.is_some() {
                ended.extend(arrived);
            } else {
                user.presence = arrived;
                if user.presence.is_none() {
                    unread.push(change.user_id);
                }
            }
        }
        let late = self.arriving.extract_if(|_, (_, until)| *until <= now);
        ended.extend(late.map(|(_, (presence, _))| presence));
        (ended, unread)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;
    use crate::cluster::wire::PresenceChange;
    use crate::delivery::groups::Groups;
    use crate::ids::GroupId;

    const ANA: UserId = UserId(1);
    const BEN: UserId = UserId(2);
    const TEA: GroupId = GroupId(71);
    const FRONT: Instance = Instance(1);
    const OTHER: Instance = Instance(2);

    struct Home {
        fronts: Arc<Fronts>,
        groups: Arc<Groups>,
        log: Arc<EventLog>,
        barrier: Arc<Barrier>,
        now: Instant,
    }

    fn home() -> Home {
        let (log, barrier) = (Arc::new(EventLog::new(Seq(100))), Arc::<Barrier>::default());
        let groups = Groups::new(log.clone(), barrier.clone());
        Home { fronts: Fronts::new(log.clone(), barrier.clone()), groups, log, barrier, now: Instant::now() }
    }

    fn at(front: Instance, number: u64, delivered: i64) -> At {
        At {
            front,
            number,
            delivered: Seq(delivered),
            sockets: number,
            build: "1".into(),
            changes: Vec::new(),
        }
    }

    fn change(number: u64, user_id: UserId, by: i64) -> PresenceChange {
        PresenceChange { number, user_id, by }
    }

    impl Home {
        /// Handles a report. Returns how long the home counts the front.
        fn lease_ms(&self, at: &At) -> Option<u64> {
            self.fronts.at(at, self.now).map(|(answer, _)| answer.lease_ms)
        }

        fn passes_ms(&mut self, ms: u64) -> usize {
            self.now += Duration::from_millis(ms);
            self.fronts.expire(self.now)
        }

        fn presence(&self, user_id: UserId) -> Presence {
            self.groups.connect(user_id, vec![TEA], Seq(100)).unwrap()
        }

        /// Identifies a user for a front. Returns whether the front is counted.
        fn identifies(&self, front: Instance, user_id: UserId) -> bool {
            self.fronts.connect(front, user_id, self.presence(user_id), self.now)
        }
    }

    #[actix_web::test]
    async fn a_removal_waits_for_each_front_until_it_delivered_or_lost_its_lease() {
        let mut home = home();
        assert_eq!(home.lease_ms(&at(FRONT, 1, 100)), Some(HOME_LEASE_MS));
        assert_eq!(home.lease_ms(&at(OTHER, 1, 100)), Some(HOME_LEASE_MS));
        let barrier = home.barrier.clone();
        let mut removal = std::pin::pin!(barrier.wait(Seq(101)));
        assert!((&mut removal).now_or_never().is_none());
        home.lease_ms(&at(FRONT, 2, 101));
        assert!((&mut removal).now_or_never().is_none(), "one of two");
        assert_eq!(home.passes_ms(HOME_LEASE_MS - 1), 0);
        home.lease_ms(&at(FRONT, 3, 101));
        assert_eq!(home.passes_ms(1), 1);
        assert!((&mut removal).now_or_never().is_some());
        assert!(home.fronts.has(FRONT, home.now) && !home.fronts.has(OTHER, home.now));
    }

    #[actix_web::test]
    async fn every_removal_waits_for_the_leases_of_the_home_before() {
        let barrier = Barrier::default();
        hold_removals(&barrier, Instant::now() + Duration::from_millis(20));
        // It is repeated, because the home before committed it and acknowledged nothing.
        let mut removal = std::pin::pin!(barrier.wait(Seq(1)));
        assert!((&mut removal).now_or_never().is_none());
        removal.await;
    }

    #[actix_web::test]
    async fn a_front_that_stays_behind_loses_its_lease_although_it_reports() {
        let mut home = home();
        assert_eq!(home.lease_ms(&at(FRONT, 1, 100)), Some(HOME_LEASE_MS));
        home.log.append(Seq(101), []);
        let barrier = home.barrier.clone();
        let mut removal = std::pin::pin!(barrier.wait(Seq(101)));
        // The first of these reports still has what was the last write at the one before.
        for (number, lease_ms) in [(2, HOME_LEASE_MS), (3, HOME_LEASE_MS), (4, 0)] {
            home.passes_ms(HOME_LEASE_MS / 2);
            assert_eq!(home.lease_ms(&at(FRONT, number, 100)), Some(lease_ms));
        }
        assert!((&mut removal).now_or_never().is_none());
        home.passes_ms(HOME_LEASE_MS / 2);
        assert!((&mut removal).now_or_never().is_some());
    }

    #[actix_web::test]
    async fn nobody_waits_longer_than_a_lease_for_a_front_that_does_not_serve_yet() {
        let mut home = home();
        home.log.append(Seq(105), []);
        for number in 1..=2 {
            assert_eq!(home.lease_ms(&at(FRONT, number, 100)), Some(0));
            home.passes_ms(HOME_LEASE_MS / 2);
        }
        assert_eq!(home.barrier.delivered(), None);
    }

    #[actix_web::test]
    async fn a_front_that_is_counted_no_more_does_not_come_back_under_its_name() {
        let mut home = home();
        home.lease_ms(&at(FRONT, 1, 100));
        home.now += Duration::from_millis(HOME_LEASE_MS);
        assert!(!home.fronts.has(FRONT, home.now), "also before anybody looked at its lease");
        assert_eq!(home.lease_ms(&at(FRONT, 2, 100)), None);
        home.passes_ms(0);
        assert_eq!(home.lease_ms(&at(FRONT, 3, 100)), None, "it was late, or somebody repeated it");
        assert_eq!(home.barrier.delivered(), None);
        assert_eq!(home.lease_ms(&at(OTHER, 4, 100)), Some(HOME_LEASE_MS), "it has another name now");
    }

    #[actix_web::test]
    async fn a_front_serves_when_it_has_delivered_what_was_committed_before_it_came() {
        let home = home();
        home.log.append(Seq(105), []);
        assert_eq!(home.lease_ms(&at(FRONT, 1, 100)), Some(0));
        home.log.append(Seq(106), []);
        assert_eq!(home.lease_ms(&at(FRONT, 2, 104)), Some(0));
        assert_eq!(home.lease_ms(&at(FRONT, 3, 105)), Some(HOME_LEASE_MS));
        let state = home.fronts.states(home.now).remove(0);
        assert_eq!((state.sockets, state.lag, state.lease_ms), (3, 1, HOME_LEASE_MS));
    }

    #[actix_web::test]
    async fn a_report_that_is_repeated_or_late_changes_nothing() {
        let home = home();
        assert!(home.lease_ms(&at(FRONT, 2, 102)).is_some());
        for number in [1, 2] {
            assert_eq!(home.lease_ms(&at(FRONT, number, 101)), None);
        }
        assert_eq!(home.barrier.delivered(), Some(Seq(102)));
    }

    #[actix_web::test]
    async fn a_stop_lengthens_every_lease() {
        let mut home = home();
        home.lease_ms(&at(FRONT, 1, 100));
        home.fronts.lengthen(home.now);
        assert_eq!(home.passes_ms(HOME_LEASE_AT_STOP_MS - 1), 0);
        assert_eq!(home.passes_ms(1), 1);
    }

    #[actix_web::test]
    async fn a_user_is_connected_until_the_last_connection_at_a_front_ends() {
        let mut home = home();
        assert!(!home.identifies(FRONT, ANA), "the front is not counted yet");
        assert!(!home.groups.is_connected(ANA));
        home.lease_ms(&at(FRONT, 1, 100));
        for _ in 0..2 {
            assert!(home.identifies(FRONT, ANA));
        }
        assert_eq!(home.groups.running(), [(TEA, 1)].into());
        home.lease_ms(&At { changes: vec![change(2, ANA, 2)], ..at(FRONT, 2, 100) });
        let one_left = At { changes: vec![change(3, ANA, -1)], ..at(FRONT, 3, 100) };
        home.lease_ms(&one_left);
        // The answer was lost, so the front says it again.
        home.lease_ms(&At { number: 4, ..one_left });
        assert!(home.groups.is_connected(ANA));
        home.lease_ms(&At { changes: vec![change(3, ANA, -1), change(5, ANA, -1)], ..at(FRONT, 5, 100) });
        assert!(!home.groups.is_connected(ANA));

        assert!(home.identifies(FRONT, BEN));
        home.lease_ms(&At { changes: vec![change(6, BEN, 0)], ..at(FRONT, 6, 100) });
        assert!(!home.groups.is_connected(BEN), "he came and left");

        assert!(home.identifies(FRONT, BEN));
        home.passes_ms(HOME_LEASE_MS);
        assert!(!home.groups.is_connected(BEN), "the lease is over");
    }

    #[actix_web::test]
    async fn a_user_whose_identity_never_arrived_at_the_front_is_not_connected_for_ever() {
        let mut home = home();
        home.lease_ms(&at(FRONT, 1, 100));
        assert!(home.identifies(FRONT, ANA) && home.identifies(FRONT, BEN));
        home.lease_ms(&At { changes: vec![change(2, BEN, 1)], ..at(FRONT, 2, 100) });
        for number in 3..3 + CLUSTER_ARRIVAL_MS / 1_000 {
            assert!(home.groups.is_connected(ANA));
            home.passes_ms(1_000);
            home.lease_ms(&at(FRONT, number, 100));
        }
        assert!(!home.groups.is_connected(ANA) && home.groups.is_connected(BEN));
    }

    #[actix_web::test]
    async fn a_home_that_starts_again_reads_the_presences_that_the_one_before_had() {
        let home = home();
        let report = At { changes: vec![change(7, ANA, 2), change(7, BEN, 1)], ..at(FRONT, 7, 100) };
        let (_, unread) = home.fronts.at(&report, home.now).unwrap();
        assert_eq!(unread, [ANA, BEN]);
        assert_eq!(home.fronts.unread(FRONT, unread.clone()), [ANA, BEN]);
        // Ben leaves while his groups are read.
        home.lease_ms(&At { changes: vec![change(8, BEN, -1)], ..at(FRONT, 8, 100) });
        let read = unread.iter().map(|user_id| (*user_id, home.presence(*user_id))).collect();
        home.fronts.keep(FRONT, read);
        assert!(home.fronts.unread(FRONT, unread).is_empty());
        assert!(home.groups.is_connected(ANA) && !home.groups.is_connected(BEN));
        home.lease_ms(&At { changes: vec![change(9, ANA, -2)], ..at(FRONT, 9, 100) });
        assert!(!home.groups.is_connected(ANA));
    }
}

//! The fronts of a home: their leases, what they have delivered, and which users are connected there.
//!
//! Guarantees:
//! - A front with a lease is one more worker of the delivery barrier. A write that takes a right away is acknowledged
//!   after each of them has delivered it or lost its lease.
//! - A lease begins when the front has delivered what was committed when it reported first, so what was acknowledged
//!   before does not matter to it.
//! - A user with a connection at a front is registered as connected, once for each front.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::wire::{At, AtAnswer, Instance};
use crate::delivery::barrier::Barrier;
use crate::delivery::groups::Presence;
use crate::delivery::log::EventLog;
use crate::ids::{Seq, UserId};
use crate::limits::{HOME_LEASE_AT_STOP_MS, HOME_LEASE_MS};

/// The fronts that a home counts, shared by its lanes.
pub struct Fronts {
    counted: Mutex<HashMap<Instance, Front>>,
    log: Arc<EventLog>,
    barrier: Arc<Barrier>,
}

struct Front {
    /// When the home stops to count it.
    until: Instant,
    /// The number of its last report.
    number: u64,
    delivered: watch::Sender<Seq>,
    /// The last write before it reported first.
    serves_from: Seq,
    sockets: u64,
    build: String,
    users: HashMap<UserId, Connected>,
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
    pub build: String,
    pub sockets: u64,
    /// Writes that it has not delivered yet.
    pub lag: u64,
    /// How long its lease still lasts, in milliseconds.
    pub lease_ms: u64,
}

impl Fronts {
    /// Counts no front yet.
    #[must_use]
    pub fn new(log: Arc<EventLog>, barrier: Arc<Barrier>) -> Arc<Self> {
        Arc::new(Self { counted: Mutex::default(), log, barrier })
    }

    fn counted(&self) -> MutexGuard<'_, HashMap<Instance, Front>> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Handles a report, which came at `now`. Returns the answer, and the users whose presence must be read anew. Returns
    /// None for a report that is repeated or came late.
    pub fn at(&self, at: &At, now: Instant) -> Option<(AtAnswer, Vec<UserId>)> {
        let mut counted = self.counted();
        let front = counted.entry(at.front).or_insert_with(|| {
            // The barrier waits for the front from here on, and so for every write that is not in the log yet.
            let delivered = self.barrier.add_worker(at.delivered);
            Front {
                until: now,
                number: 0,
                delivered,
                serves_from: self.log.head(),
                sockets: 0,
                build: String::new(),
                users: HashMap::new(),
            }
        });
        if at.number <= front.number {
            return None;
        }
        let before = std::mem::replace(&mut front.number, at.number);
        front.until = front.until.max(now + Duration::from_millis(HOME_LEASE_MS));
        front.sockets = at.sockets;
        front.build.clone_from(&at.build);
        front.delivered.send_if_modified(|delivered| {
            let is_new = at.delivered > *delivered;
            *delivered = at.delivered.max(*delivered);
            is_new
        });
        let (mut ended, mut unread) = (Vec::new(), Vec::new());
        for change in at.changes.iter().filter(|change| change.number > before) {
            let user = front.users.entry(change.user_id).or_default();
            user.connections += change.by;
            if user.connections <= 0 {
                ended.extend(front.users.remove(&change.user_id));
            } else if user.presence.is_none() {
                unread.push(change.user_id);
            }
        }
        let lease_ms = if at.delivered >= front.serves_from { HOME_LEASE_MS } else { 0 };
        drop(counted);
        // The end of a presence locks the group registry.
        drop(ended);
        Some((AtAnswer { lease_ms }, unread))
    }

    /// Returns whether a front is counted. What another one asks is refused.
    #[must_use]
    pub fn has(&self, front: Instance) -> bool {
        self.counted().contains_key(&front)
    }

    /// Counts a connection of a user at a front. Returns false if the front is not counted.
    pub fn connect(&self, front: Instance, user_id: UserId, presence: Presence) -> bool {
        let mut counted = self.counted();
        let Some(front) = counted.get_mut(&front) else { return false };
        let user = front.users.entry(user_id).or_default();
        user.connections += 1;
        let spare = match &user.presence {
            Some(_) => Some(presence),
            None => user.presence.replace(presence),
        };
        drop(counted);
        drop(spare);
        true
    }

    /// Keeps the presences that were read anew, as far as they are still needed.
    pub fn keep(&self, front: Instance, presences: Vec<(UserId, Presence)>) {
        let mut spare = Vec::new();
        let mut counted = self.counted();
        let mut front = counted.get_mut(&front);
        for (user_id, presence) in presences {
            match front.as_mut().and_then(|front| front.users.get_mut(&user_id)) {
                Some(user) if user.presence.is_none() => user.presence = Some(presence),
                _ => spare.push(presence),
            }
        }
        drop(counted);
        drop(spare);
    }

    /// Counts the fronts no more whose leases are over at `now`. Returns how many these are.
    pub fn expire(&self, now: Instant) -> usize {
        let over: Vec<Front> =
            self.counted().extract_if(|_, front| front.until <= now).map(|(_, front)| front).collect();
        for front in &over {
            log::warn!("the lease of a front with {} sockets is over", front.sockets);
        }
        over.len()
    }

    /// Lengthens all leases, because this home stops and answers no more reports.
    pub fn lengthen(&self, now: Instant) {
        for front in self.counted().values_mut() {
            front.until = front.until.max(now + Duration::from_millis(HOME_LEASE_AT_STOP_MS));
        }
    }

    /// Returns what the host sees, in the order of the names of the fronts.
    #[must_use]
    pub fn states(&self, now: Instant) -> Vec<FrontState> {
        let head = self.log.head();
        let counted = self.counted();
        let states = counted.iter().map(|(front, state)| FrontState {
            front: *front,
            build: state.build.clone(),
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
        self.counted().values().map(|front| front.sockets).sum()
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
        assert!(home.fronts.has(FRONT) && !home.fronts.has(OTHER));
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
        assert!(!home.fronts.connect(FRONT, ANA, home.presence(ANA)), "the front is not counted yet");
        assert!(!home.groups.is_connected(ANA));
        home.lease_ms(&at(FRONT, 1, 100));
        for _ in 0..2 {
            assert!(home.fronts.connect(FRONT, ANA, home.presence(ANA)));
        }
        assert_eq!(home.groups.running(), [(TEA, 1)].into());
        let one_left = At { changes: vec![change(2, ANA, -1)], ..at(FRONT, 2, 100) };
        home.lease_ms(&one_left);
        // The answer was lost, so the front says it again.
        home.lease_ms(&At { number: 3, ..one_left });
        assert!(home.groups.is_connected(ANA));
        home.lease_ms(&At { changes: vec![change(2, ANA, -1), change(4, ANA, -1)], ..at(FRONT, 4, 100) });
        assert!(!home.groups.is_connected(ANA));

        assert!(home.fronts.connect(FRONT, BEN, home.presence(BEN)));
        home.passes_ms(HOME_LEASE_MS);
        assert!(!home.groups.is_connected(BEN), "the lease is over");
    }

    #[actix_web::test]
    async fn a_home_that_starts_again_reads_the_presences_that_the_one_before_had() {
        let home = home();
        let report = At { changes: vec![change(7, ANA, 2), change(7, BEN, 1)], ..at(FRONT, 7, 100) };
        let (_, unread) = home.fronts.at(&report, home.now).unwrap();
        assert_eq!(unread, [ANA, BEN]);
        // Ben leaves while his groups are read.
        home.lease_ms(&At { changes: vec![change(8, BEN, -1)], ..at(FRONT, 8, 100) });
        home.fronts
            .keep(FRONT, unread.into_iter().map(|user_id| (user_id, home.presence(user_id))).collect());
        assert!(home.groups.is_connected(ANA) && !home.groups.is_connected(BEN));
        home.lease_ms(&At { changes: vec![change(9, ANA, -2)], ..at(FRONT, 9, 100) });
        assert!(!home.groups.is_connected(ANA));
    }
}

//! The users who are connected at a front, and what of it the home does not know yet.
//!
//! The front says of each connection when it began and when it ended, until the home confirms it, so the home counts what
//! the front counts. A home that starts again has counted nothing, so the front says all of it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::wire::{Instance, PresenceChange};
use crate::ids::UserId;
use crate::limits::CLUSTER_CHANGES_MAX;

/// The connected users of a front.
pub struct Presences(Mutex<Held>);

struct Held {
    /// The front, which is another one after it lost its lease. It then begins with no connections.
    front: Instance,
    /// The home that is told of the connections; None before the first.
    home: Option<Instance>,
    connections: HashMap<UserId, i64>,
    /// What is not in a report yet.
    new: HashMap<UserId, i64>,
    /// What was reported, and is not confirmed yet.
    reported: Vec<PresenceChange>,
}

/// A connection of a user. Dropping it ends it.
pub struct Presence {
    presences: Arc<Presences>,
    front: Instance,
    user_id: UserId,
}

impl Presences {
    /// Begins without connections.
    #[must_use]
    pub fn new(front: Instance) -> Arc<Self> {
        let (connections, new, reported) = (HashMap::new(), HashMap::new(), Vec::new());
        Arc::new(Self(Mutex::new(Held { front, home: None, connections, new, reported })))
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a connection that the home identified for this front.
    pub fn add(self: &Arc<Self>, front: Instance, user_id: UserId) -> Presence {
        let mut held = self.held();
        if held.front == front {
            *held.connections.entry(user_id).or_default() += 1;
            held.change(user_id, 1);
        }
        drop(held);
        Presence { presences: self.clone(), front, user_id }
    }

    /// From now on another home counts the connections. It is told of all that there are.
    pub fn follow(&self, home: Instance) {
        let mut held = self.held();
        if held.home.replace(home) != Some(home) {
            held.new = held.connections.clone();
            held.reported.clear();
        }
    }

    /// Begins anew as another front, because the lease was lost. The connections of before are closed.
    pub fn begin_anew(&self, front: Instance) {
        let mut held = self.held();
        let home = held.home;
        *held = Held { front, home, connections: HashMap::new(), new: HashMap::new(), reported: Vec::new() };
    }

    /// Returns what the report of this number says: all that is not confirmed, and what is new.
    pub fn report(&self, number: u64) -> Vec<PresenceChange> {
        let mut held = self.held();
        let room = CLUSTER_CHANGES_MAX.saturating_sub(held.reported.len());
        let some: Vec<UserId> = held.new.keys().take(room).copied().collect();
        for user_id in some {
            if let Some(by) = held.new.remove(&user_id) {
                held.reported.push(PresenceChange { number, user_id, by });
            }
        }
        held.reported.clone()
    }

    /// Notes that the report of this number was answered.
    pub fn confirmed(&self, number: u64) {
        self.held().reported.retain(|change| change.number > number);
    }
}

impl Held {
    fn change(&mut self, user_id: UserId, by: i64) {
        // A change of 0 is said too: the home still waits for a connection that began and ended.
        *self.new.entry(user_id).or_default() += by;
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        let mut held = self.presences.held();
        if held.front != self.front {
            return;
        }
        if let Some(connections) = held.connections.get_mut(&self.user_id) {
            *connections -= 1;
            if *connections == 0 {
                held.connections.remove(&self.user_id);
            }
        }
        held.change(self.user_id, -1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANA: UserId = UserId(1);
    const BEN: UserId = UserId(2);
    const FRONT: Instance = Instance(1);
    const HOME: Instance = Instance(10);
    const NEXT_HOME: Instance = Instance(11);

    fn front() -> Arc<Presences> {
        let presences = Presences::new(FRONT);
        presences.follow(HOME);
        presences
    }

    /// Returns what a report says, in the order of the users.
    fn says(presences: &Presences, number: u64) -> Vec<(u64, i64, i64)> {
        let mut changes: Vec<_> = presences
            .report(number)
            .iter()
            .map(|change| (change.number, change.user_id.0, change.by))
            .collect();
        changes.sort_unstable();
        changes
    }

    #[test]
    fn the_beginning_and_the_end_of_a_connection_are_said_until_they_are_confirmed() {
        let presences = front();
        let [ana, anas_phone] = [0; 2].map(|_| presences.add(FRONT, ANA));
        assert_eq!(says(&presences, 1), [(1, 1, 2)]);
        drop(ana);
        assert_eq!(says(&presences, 2), [(1, 1, 2), (2, 1, -1)]);
        drop(anas_phone);
        assert_eq!(says(&presences, 3), [(1, 1, 2), (2, 1, -1), (3, 1, -1)]);
        presences.confirmed(2);
        assert_eq!(says(&presences, 4), [(3, 1, -1)]);
        presences.confirmed(4);
        assert_eq!(says(&presences, 5), []);
        drop(presences.add(FRONT, ANA));
        assert_eq!(says(&presences, 6), [(6, 1, 0)], "it was over before anybody was told");
    }

    #[test]
    fn a_home_that_starts_again_is_told_of_all_connections() {
        let presences = front();
        let [_ana, ben] = [ANA, BEN].map(|user_id| presences.add(FRONT, user_id));
        assert_eq!(says(&presences, 1), [(1, 1, 1), (1, 2, 1)]);
        presences.follow(NEXT_HOME);
        let _anas_phone = presences.add(FRONT, ANA);
        assert_eq!(says(&presences, 2), [(2, 1, 2), (2, 2, 1)]);
        presences.confirmed(2);
        drop(ben);
        assert_eq!(says(&presences, 3), [(3, 2, -1)]);
        presences.follow(NEXT_HOME);
        assert_eq!(says(&presences, 4), [(3, 2, -1)]);
    }

    #[test]
    fn a_front_that_lost_its_lease_begins_without_connections() {
        let presences = front();
        let ana = presences.add(FRONT, ANA);
        presences.begin_anew(Instance(2));
        let late = presences.add(FRONT, BEN);
        drop([ana, late]);
        assert_eq!(says(&presences, 1), []);
    }

    #[test]
    fn a_report_has_a_limit_and_the_next_one_goes_on() {
        let presences = front();
        let many = i64::try_from(CLUSTER_CHANGES_MAX).unwrap() + 1;
        let _users: Vec<Presence> = (0..many).map(|id| presences.add(FRONT, UserId(id))).collect();
        presences.follow(NEXT_HOME);
        assert_eq!(presences.report(1).len(), CLUSTER_CHANGES_MAX);
        presences.confirmed(1);
        assert_eq!(presences.report(2).len(), 1);
    }
}

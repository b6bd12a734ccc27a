//! The users who are in quiet hours now. Delivery and the replies to requests ask this set, and nothing else, so that
//! they cannot disagree. `features/quiet` decides who is in it.

use std::sync::{Arc, PoisonError, RwLock};

use rustc_hash::FxHashMap;

use crate::events::Hours;
use crate::ids::UserId;

/// The end of the quiet hours of each user who is in them, in milliseconds since 1970 UTC.
type Ends = FxHashMap<UserId, i64>;

/// The set, shared by all threads.
#[derive(Default)]
pub struct QuietUsers(RwLock<Current>);

#[derive(Default)]
struct Current {
    ends: Arc<Ends>,
    /// The number of changes so far.
    version: u64,
}

impl QuietUsers {
    fn ends(&self) -> Arc<Ends> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).ends.clone()
    }

    /// Returns the number of changes so far and, unless the caller already knows the set of this number, the set.
    #[must_use]
    pub fn state(&self, known: Option<u64>) -> (u64, Option<Vec<(UserId, i64)>>) {
        let current = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let is_known = known == Some(current.version);
        let all = || current.ends.iter().map(|(user_id, until_ms)| (*user_id, *until_ms)).collect();
        (current.version, (!is_known).then(all))
    }

    /// Replaces the set by the one of another process.
    pub fn replace(&self, all: impl IntoIterator<Item = (UserId, i64)>) {
        let mut current = self.0.write().unwrap_or_else(PoisonError::into_inner);
        current.ends = Arc::new(all.into_iter().collect());
        current.version += 1;
    }

    /// Returns when the quiet hours of a user end, in milliseconds since 1970 UTC; None if the user is not in them.
    #[must_use]
    pub fn until_ms(&self, user_id: UserId) -> Option<i64> {
        self.ends().get(&user_id).copied()
    }

    /// Sets for each of these users when their quiet hours end; None if they are not in them.
    pub fn set(&self, changes: impl IntoIterator<Item = (UserId, Option<i64>)>) {
        let mut current = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let Current { ends, version } = &mut *current;
        // A reader may still hold the map as it was.
        let ends = Arc::make_mut(ends);
        for (user_id, until_ms) in changes {
            let before = match until_ms {
                Some(until_ms) => ends.insert(user_id, until_ms),
                None => ends.remove(&user_id),
            };
            *version += u64::from(before != until_ms);
        }
    }

    /// Returns whom an event of these hours reaches at this moment.
    #[must_use]
    pub fn reach(&self, hours: Hours) -> Reach {
        // Most events are for all hours, and need no look at the set.
        Reach { hours, ends: (hours != Hours::All).then(|| self.ends()) }
    }
}

/// Whom an event reaches, by their hours.
pub struct Reach {
    hours: Hours,
    /// None if the hours of a user do not matter.
    ends: Option<Arc<Ends>>,
}

impl Reach {
    /// Returns whether the event may be sent to this user now.
    #[must_use]
    pub fn includes(&self, user_id: UserId) -> bool {
        self.ends.as_ref().is_none_or(|ends| self.hours.include(user_id, ends.contains_key(&user_id)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANA: UserId = UserId(1);
    const BEN: UserId = UserId(2);

    #[test]
    fn an_event_reaches_those_whose_hours_it_is_for() {
        let users = QuietUsers::default();
        users.set([(ANA, Some(7))]);
        let reached = |hours| [ANA, BEN].map(|user_id| users.reach(hours).includes(user_id));
        assert_eq!(reached(Hours::All), [true, true]);
        assert_eq!(reached(Hours::NotQuiet { but: None }), [false, true]);
        assert_eq!(reached(Hours::NotQuiet { but: Some(ANA) }), [true, true], "her own doing");
        assert_eq!(reached(Hours::Quiet), [true, false]);
        assert_eq!((users.until_ms(ANA), users.until_ms(BEN)), (Some(7), None));
    }

    #[test]
    fn a_user_leaves_the_set_when_their_quiet_hours_end() {
        let users = QuietUsers::default();
        users.set([(ANA, Some(7)), (BEN, Some(8))]);
        let before = users.reach(Hours::Quiet);
        users.set([(ANA, None), (BEN, Some(9))]);
        assert_eq!((users.until_ms(ANA), users.until_ms(BEN)), (None, Some(9)));
        assert!(before.includes(ANA) && !users.reach(Hours::Quiet).includes(ANA));
    }

    #[test]
    fn another_process_has_the_same_set_after_each_change() {
        let (users, copy) = (QuietUsers::default(), QuietUsers::default());
        let mut known = None;
        for changes in [vec![], vec![(ANA, Some(7)), (BEN, Some(8))], vec![(ANA, None), (BEN, Some(8))]] {
            users.set(changes);
            let (version, all) = users.state(known);
            assert_ne!(known.replace(version), Some(version));
            copy.replace(all.unwrap());
            assert_eq!(copy.until_ms(ANA), users.until_ms(ANA));
            assert_eq!(copy.until_ms(BEN), users.until_ms(BEN));
        }
        users.set([(ANA, None), (BEN, Some(8))]);
        assert_eq!(users.state(known), (known.unwrap(), None), "nothing has changed");
    }
}

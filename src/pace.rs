//! How often somebody may do something: buckets that refill, remembered in memory only.
//!
//! A bucket holds `count` and refills evenly over its period, so a person may do a day's worth at
//! once and then waits. A restart forgives everybody, which is all right: limits are for floods.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::Refusal;
use crate::limits::PACES_MAX;

/// So many in so long a time; a count of 0 is off.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// How many at once, and in each period.
    pub count: u64,
    /// Milliseconds until an empty bucket is full again.
    pub period_ms: u64,
}

/// The buckets of one kind of act.
pub struct Paces<K> {
    pace: Pace,
    /// When the bucket of this key will be full again.
    full_at_ms: Mutex<HashMap<K, i64>>,
}

impl<K: Hash + Eq> Paces<K> {
    /// Makes full buckets.
    #[must_use]
    pub fn new(pace: Pace) -> Self {
        Self { pace, full_at_ms: Mutex::new(HashMap::new()) }
    }

    /// Takes one from `key`'s bucket.
    ///
    /// # Errors
    /// [`Refusal::SlowDown`] with the time until there is one, when the bucket is empty.
    pub fn take(&self, key: K, now_ms: i64) -> Result<(), Refusal> {
        self.take_many(key, 1, now_ms)
    }

    /// Takes so many from `key`'s bucket, or none.
    ///
    /// # Errors
    /// [`Refusal::SlowDown`] with the time until there are as many.
    pub fn take_many(&self, key: K, many: u64, now_ms: i64) -> Result<(), Refusal> {
        if self.pace.count == 0 {
            return Ok(());
        }
        let period = i64::try_from(self.pace.period_ms).unwrap_or(i64::MAX);
        let each = self.each_ms().saturating_mul(i64::try_from(many).unwrap_or(i64::MAX));
        let mut buckets = self.lock();
        if buckets.len() >= PACES_MAX {
            buckets.retain(|_, full_at| *full_at > now_ms);
            if buckets.len() >= PACES_MAX {
                buckets.clear();
            }
        }
        let full_at = buckets.entry(key).or_insert(now_ms);
        // A clock that was set back must not keep anybody out for longer than an empty bucket does.
        *full_at = (*full_at).min(now_ms.saturating_add(period));
        let next = (*full_at).max(now_ms).saturating_add(each);
        if next - now_ms > period {
            return Err(Refusal::SlowDown(u64::try_from(next - now_ms - period).unwrap_or(0)));
        }
        *full_at = next;
        Ok(())
    }

    /// Gives one back: what was taken came to nothing.
    pub fn give_back(&self, key: &K) {
        self.give_back_many(key, 1);
    }

    /// Gives so many back.
    pub fn give_back_many(&self, key: &K, many: u64) {
        let each = self.each_ms().saturating_mul(i64::try_from(many).unwrap_or(i64::MAX));
        if let Some(full_at) = self.lock().get_mut(key) {
            *full_at = full_at.saturating_sub(each);
        }
    }

    /// Returns how long one takes to refill.
    fn each_ms(&self) -> i64 {
        let each = self.pace.period_ms / self.pace.count.max(1);
        i64::try_from(each).unwrap_or(i64::MAX).max(1)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<K, i64>> {
        self.full_at_ms.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THREE_A_MINUTE: Pace = Pace { count: 3, period_ms: 60_000 };

    #[test]
    fn three_at_once_then_one_every_twenty_seconds() {
        let paces = Paces::new(THREE_A_MINUTE);
        for _ in 0..3 {
            paces.take("ana", 1_000).unwrap();
        }
        assert_eq!(paces.take("ana", 1_000), Err(Refusal::SlowDown(20_000)));
        assert_eq!(paces.take("ben", 1_000), Ok(()));
        assert_eq!(paces.take("ana", 21_000), Ok(()));
        assert_eq!(paces.take("ana", 21_000), Err(Refusal::SlowDown(20_000)));
    }

    #[test]
    fn l9_a_clock_set_back_keeps_nobody_out_for_long() {
        let paces = Paces::new(THREE_A_MINUTE);
        paces.take("ana", 100_000_000).unwrap();
        assert_eq!(paces.take("ana", 1_000), Err(Refusal::SlowDown(20_000)));
        assert_eq!(paces.take("ana", 21_000), Ok(()));
    }

    #[test]
    fn many_are_taken_whole_or_not_at_all() {
        let paces = Paces::new(THREE_A_MINUTE);
        assert_eq!(paces.take_many("ana", 2, 0), Ok(()));
        assert_eq!(paces.take_many("ana", 2, 0), Err(Refusal::SlowDown(20_000)));
        assert_eq!(paces.take("ana", 0), Ok(()));
        paces.give_back_many(&"ana", 2);
        assert_eq!(paces.take_many("ana", 2, 0), Ok(()));
    }

    #[test]
    fn zero_is_off() {
        let paces = Paces::new(Pace { count: 0, period_ms: 60_000 });
        for _ in 0..1_000 {
            paces.take("ana", 0).unwrap();
        }
    }

    #[test]
    fn what_came_to_nothing_is_given_back() {
        let paces = Paces::new(Pace { count: 1, period_ms: 60_000 });
        paces.take("ana", 0).unwrap();
        paces.give_back(&"ana");
        assert_eq!(paces.take("ana", 0), Ok(()));
    }
}

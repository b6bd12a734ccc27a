//! Rate limits: buckets that refill over time, kept in memory.
//!
//! A bucket holds `count` and refills evenly over its period. A user may therefore use a whole day's amount at once,
//! and then waits. A restart fills all buckets, which is acceptable because the limits are against floods.
//!
//! A limiter keeps a bounded number of keys. When there are too many, it forgets the buckets that are full soonest, and
//! so never those that refuse somebody for longest. A client that adds keys to make it forget another bucket must take
//! as much from each of them as was taken from that one. A key that a client can choose freely therefore belongs behind
//! a limit of its network address.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::Refusal;
use crate::limits::{RATE_LIMITED_KEYS_MAX, REQUESTS_BURST, WIDE_NETWORK_FACTOR};

/// The size of a bucket and the time in which it refills. A count of 0 means no limit.
#[derive(Clone, Copy, Debug)]
pub struct RateLimit {
    /// The number that is allowed at once, and in each period.
    pub count: u64,
    /// Milliseconds until an empty bucket is full again.
    pub period_ms: u64,
}

impl RateLimit {
    /// Allows this many per second, and [`REQUESTS_BURST`] times as many at once.
    #[must_use]
    pub fn per_second(count: u64) -> Self {
        Self { count: count * REQUESTS_BURST, period_ms: 1_000 * REQUESTS_BURST }
    }
}

/// The buckets of one kind of action, one for each key.
pub struct RateLimiter<K> {
    limit: RateLimit,
    /// When the bucket of each key will be full again, in milliseconds since 1970 UTC. A key without an entry has a
    /// full bucket.
    full_at_ms: Mutex<HashMap<K, i64>>,
    /// The most keys that are kept.
    keys_max: usize,
}

impl<K: Hash + Eq> RateLimiter<K> {
    /// Makes a limiter whose buckets are full.
    #[must_use]
    pub fn new(limit: RateLimit) -> Self {
        Self::of_keys(limit, RATE_LIMITED_KEYS_MAX)
    }

    fn of_keys(limit: RateLimit, keys_max: usize) -> Self {
        Self { limit, full_at_ms: Mutex::new(HashMap::new()), keys_max }
    }

    /// Takes one from the bucket of `key`.
    ///
    /// # Errors
    /// [`Refusal::SlowDown`] if the bucket is empty, with the time until it holds one.
    pub fn take(&self, key: K, now_ms: i64) -> Result<(), Refusal> {
        self.take_many(key, 1, now_ms)
    }

    /// Takes `many` from the bucket of `key`, or nothing.
    ///
    /// # Errors
    /// [`Refusal::SlowDown`] if the bucket holds fewer, with the time until it holds `many`.
    pub fn take_many(&self, key: K, many: u64, now_ms: i64) -> Result<(), Refusal> {
        if self.limit.count == 0 {
            return Ok(());
        }
        let period = i64::try_from(self.limit.period_ms).unwrap_or(i64::MAX);
        let each = self.each_ms().saturating_mul(i64::try_from(many).unwrap_or(i64::MAX));
        let mut buckets = self.lock();
        if buckets.len() >= self.keys_max && !buckets.contains_key(&key) {
            make_room(&mut buckets, now_ms, now_ms.saturating_add(period));
        }
        let full_at = buckets.entry(key).or_insert(now_ms);
        // If the clock was set back, a user waits no longer than for an empty bucket.
        *full_at = (*full_at).min(now_ms.saturating_add(period));
        let next = (*full_at).max(now_ms).saturating_add(each);
        if next - now_ms > period {
            return Err(Refusal::SlowDown(u64::try_from(next - now_ms - period).unwrap_or(0)));
        }
        *full_at = next;
        Ok(())
    }

    /// Puts one back into the bucket of `key`, because the action had no effect.
    pub fn give_back(&self, key: &K) {
        self.give_back_many(key, 1);
    }

    /// Puts `many` back into the bucket of `key`.
    pub fn give_back_many(&self, key: &K, many: u64) {
        let each = self.each_ms().saturating_mul(i64::try_from(many).unwrap_or(i64::MAX));
        if let Some(full_at) = self.lock().get_mut(key) {
            *full_at = full_at.saturating_sub(each);
        }
    }

    /// Returns the milliseconds in which a bucket refills by one.
    fn each_ms(&self) -> i64 {
        let each = self.limit.period_ms / self.limit.count.max(1);
        i64::try_from(each).unwrap_or(i64::MAX).max(1)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<K, i64>> {
        self.full_at_ms.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Forgets the buckets that are full. If these are fewer than an eighth, it forgets an eighth: those that are full
/// soonest. It forgets an eighth at a time, so that a flood of keys does not cost a pass for each key. No bucket of
/// this limiter is full later than `latest_ms`, unless the clock was set back.
fn make_room<K: Hash + Eq>(buckets: &mut HashMap<K, i64>, now_ms: i64, latest_ms: i64) {
    let mut times: Vec<i64> = Vec::with_capacity(buckets.len());
    for full_at in buckets.values_mut() {
        *full_at = (*full_at).min(latest_ms);
        times.push(*full_at);
    }
    let forgotten = (times.len() / 8).max(1);
    let (sooner, last, _) = times.select_nth_unstable(forgotten - 1);
    let last = *last;
    // Of the buckets that are full at the same time as the last one, only as many as needed are forgotten.
    let mut of_last = forgotten - sooner.iter().filter(|full_at| **full_at < last).count();
    buckets.retain(|_, full_at| {
        if *full_at <= now_ms || *full_at < last {
            return false;
        }
        let is_forgotten = *full_at == last && of_last > 0;
        of_last -= usize::from(is_forgotten);
        !is_forgotten
    });
}

/// A rate limit of network addresses. An IPv6 network of 48 bits has a bucket too, because all its 65,536 networks of
/// 64 bits may belong to one person.
pub struct AddressLimiter {
    narrow: RateLimiter<IpAddr>,
    wide: RateLimiter<IpAddr>,
}

impl AddressLimiter {
    /// Makes a limiter with this limit for each address, and [`WIDE_NETWORK_FACTOR`] times as much for each network of
    /// 48 bits.
    #[must_use]
    pub fn new(limit: RateLimit) -> Self {
        let wide = RateLimit { count: limit.count * WIDE_NETWORK_FACTOR, ..limit };
        Self { narrow: RateLimiter::new(limit), wide: RateLimiter::new(wide) }
    }

    /// Takes one from the buckets of this address, like [`RateLimiter::take`]. The wide network comes first, so that
    /// its limit also bounds how many keys its addresses add.
    ///
    /// # Errors
    /// [`Refusal::SlowDown`], as [`RateLimiter::take`].
    pub fn take(&self, address: IpAddr, now_ms: i64) -> Result<(), Refusal> {
        let wide = wide_network(address);
        if let Some(wide) = wide {
            self.wide.take(wide, now_ms)?;
        }
        self.narrow.take(address, now_ms).inspect_err(|_| {
            if let Some(wide) = &wide {
                self.wide.give_back(wide);
            }
        })
    }

    /// Puts one back into the buckets of this address, because the action had no effect.
    pub fn give_back(&self, address: &IpAddr) {
        self.narrow.give_back(address);
        if let Some(wide) = wide_network(*address) {
            self.wide.give_back(&wide);
        }
    }
}

/// Returns the IPv6 network of 48 bits that holds an address; None for IPv4.
#[must_use]
pub fn wide_network(address: IpAddr) -> Option<IpAddr> {
    match address {
        IpAddr::V4(_) => None,
        IpAddr::V6(address) => {
            let [a, b, c, ..] = address.segments();
            Some(IpAddr::from([a, b, c, 0, 0, 0, 0, 0]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THREE_A_MINUTE: RateLimit = RateLimit { count: 3, period_ms: 60_000 };

    #[test]
    fn three_at_once_then_one_every_twenty_seconds() {
        let limiter = RateLimiter::new(THREE_A_MINUTE);
        for _ in 0..3 {
            limiter.take("ana", 1_000).unwrap();
        }
        assert_eq!(limiter.take("ana", 1_000), Err(Refusal::SlowDown(20_000)));
        assert_eq!(limiter.take("ben", 1_000), Ok(()));
        assert_eq!(limiter.take("ana", 21_000), Ok(()));
        assert_eq!(limiter.take("ana", 21_000), Err(Refusal::SlowDown(20_000)));
    }

    #[test]
    fn lv9_after_a_clock_is_set_back_nobody_waits_long() {
        let limiter = RateLimiter::new(THREE_A_MINUTE);
        limiter.take("ana", 100_000_000).unwrap();
        assert_eq!(limiter.take("ana", 1_000), Err(Refusal::SlowDown(20_000)));
        assert_eq!(limiter.take("ana", 21_000), Ok(()));
    }

    #[test]
    fn many_are_taken_together_or_not_at_all() {
        let limiter = RateLimiter::new(THREE_A_MINUTE);
        assert_eq!(limiter.take_many("ana", 2, 0), Ok(()));
        assert_eq!(limiter.take_many("ana", 2, 0), Err(Refusal::SlowDown(20_000)));
        assert_eq!(limiter.take("ana", 0), Ok(()));
        limiter.give_back_many(&"ana", 2);
        assert_eq!(limiter.take_many("ana", 2, 0), Ok(()));
    }

    #[test]
    fn a_limit_of_zero_is_off() {
        let limiter = RateLimiter::new(RateLimit { count: 0, period_ms: 60_000 });
        for _ in 0..1_000 {
            limiter.take("ana", 0).unwrap();
        }
    }

    #[test]
    fn an_action_without_effect_is_given_back() {
        let limiter = RateLimiter::new(RateLimit { count: 1, period_ms: 60_000 });
        limiter.take("ana", 0).unwrap();
        limiter.give_back(&"ana");
        assert_eq!(limiter.take("ana", 0), Ok(()));
    }

    #[test]
    fn s6_a_flood_of_new_keys_makes_a_limiter_forget_only_the_buckets_that_are_full_soonest() {
        let limiter = RateLimiter::of_keys(RateLimit { count: 10, period_ms: 600_000 }, 64);
        let size = |limiter: &RateLimiter<u64>| limiter.lock().len();
        // All but one of 0 is taken, from keys of a flood one each: all in the same millisecond.
        limiter.take_many(0, 9, 0).unwrap();
        for key in 1..10_000 {
            limiter.take(key, 0).unwrap();
            assert!(size(&limiter) <= 64);
        }
        assert_eq!(limiter.take(0, 0), Ok(()));
        assert_eq!(limiter.take(0, 0), Err(Refusal::SlowDown(60_000)), "nothing was forgotten of it");
        // An eighth is forgotten at a time, also of keys that are alike.
        assert!(size(&limiter) >= 56, "{}", size(&limiter));
        // As long as there are full buckets, no other is forgotten.
        let limiter = RateLimiter::of_keys(RateLimit { count: 10, period_ms: 600_000 }, 64);
        for key in 0..32 {
            limiter.take(key, 0).unwrap();
        }
        for key in 32..65 {
            limiter.take(key, 60_000).unwrap();
        }
        assert_eq!(size(&limiter), 33);
    }

    #[test]
    fn the_addresses_of_a_network_add_no_more_keys_than_its_limit_allows() {
        let limiter = AddressLimiter::new(RateLimit { count: 2, period_ms: 60_000 });
        let address = |number: u16| IpAddr::from([0x2001, 0xdb8, 1, number, 0, 0, 0, 0]);
        let admitted = (0..1_000).filter(|number| limiter.take(address(*number), 0).is_ok()).count();
        assert_eq!(admitted, 20);
        assert_eq!((limiter.wide.lock().len(), limiter.narrow.lock().len()), (1, 20));
        // An address over its own limit takes nothing from its network.
        let limiter = AddressLimiter::new(RateLimit { count: 2, period_ms: 60_000 });
        for _ in 0..100 {
            let _ = limiter.take(address(0), 0);
        }
        assert_eq!((1..1_000).filter(|number| limiter.take(address(*number), 0).is_ok()).count(), 18);
    }
}

//! The incoming byte rate of a connection: a bucket that refills over time. Every frame takes its cost from it. Pure:
//! the clock is a parameter.

use std::time::{Duration, Instant};

use crate::limits::{
    GUEST_BURST_BYTES, GUEST_BYTES_PER_SECOND, PAUSE_MS_MIN, SOCKET_BURST_BYTES, SOCKET_BYTES_PER_SECOND,
};

/// How fast a bucket refills, and how much it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Budget {
    per_second: u32,
    burst: u32,
}

impl Budget {
    /// The budget of a signed-in socket.
    pub(crate) const USER: Self = Self { per_second: SOCKET_BYTES_PER_SECOND, burst: SOCKET_BURST_BYTES };
    /// The budget of a guest's socket.
    pub(crate) const GUEST: Self = Self { per_second: GUEST_BYTES_PER_SECOND, burst: GUEST_BURST_BYTES };
}

/// The bucket of one socket.
pub(crate) struct Limiter {
    left: u32,
    refilled_at: Instant,
}

impl Limiter {
    /// Makes a full bucket.
    pub(crate) fn new(budget: Budget, now: Instant) -> Self {
        Self { left: budget.burst, refilled_at: now }
    }

    /// Takes a cost from the bucket.
    ///
    /// # Errors
    /// The time to wait, if the bucket does not hold enough.
    pub(crate) fn pay(
        &mut self,
        budget: Budget,
        price: usize,
        now: impl FnOnce() -> Instant,
    ) -> Result<(), Duration> {
        let price = u32::try_from(price).unwrap_or(u32::MAX);
        self.left = self.left.min(budget.burst);
        if self.left < price {
            // The clock is read only when the bucket does not hold enough.
            self.refill(budget, now());
        }
        match self.left.checked_sub(price) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => {
                let missing = u64::from(price - self.left);
                let wait_ms = missing * 1_000 / u64::from(budget.per_second) + 1;
                Err(Duration::from_millis(wait_ms.max(PAUSE_MS_MIN)))
            }
        }
    }

    fn refill(&mut self, budget: Budget, now: Instant) {
        let past_us = now.saturating_duration_since(self.refilled_at).as_micros();
        let gained = u128::from(budget.per_second) * past_us / 1_000_000;
        self.left = u32::try_from(gained).unwrap_or(u32::MAX).saturating_add(self.left).min(budget.burst);
        self.refilled_at = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUDGET: Budget = Budget { per_second: 1_000, burst: 500 };

    #[test]
    fn a_bucket_allows_a_burst_and_then_what_refills() {
        let begun = Instant::now();
        let at = |ms| begun + Duration::from_millis(ms);
        let mut limiter = Limiter::new(BUDGET, begun);
        assert_eq!(limiter.pay(BUDGET, 400, || at(0)), Ok(()));
        assert_eq!(limiter.pay(BUDGET, 100, || at(0)), Ok(()));
        assert_eq!(limiter.pay(BUDGET, 200, || at(0)), Err(Duration::from_millis(201)));
        assert_eq!(limiter.pay(BUDGET, 200, || at(200)), Ok(()));
        assert_eq!(limiter.pay(BUDGET, 1, || at(200)), Err(Duration::from_millis(PAUSE_MS_MIN)));
        assert_eq!(limiter.pay(BUDGET, 500, || at(100_000)), Ok(()), "never more than a burst");
        assert!(limiter.pay(BUDGET, 1, || at(100_000)).is_err());
    }

    #[test]
    fn a_smaller_budget_holds_from_the_next_cost_on() {
        let begun = Instant::now();
        let mut limiter = Limiter::new(BUDGET, begun);
        let smaller = Budget { per_second: 100, burst: 50 };
        assert_eq!(limiter.pay(smaller, 60, || begun), Err(Duration::from_millis(101)));
        assert_eq!(limiter.pay(smaller, 50, || begun), Ok(()));
    }
}

//! The lease of a front: how long its connections may be sent anything.
//!
//! The home waits for each front that has a lease before it acknowledges that a right was taken away. A front whose
//! lease is over therefore delivers nothing more and closes its connections. A process without a home in another one
//! has no lease.
//!
//! The time of a lease also passes while the process is stopped or the machine sleeps.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::clock::since_boot_ms;

/// The lease, shared by all threads of a front. Only one thread changes it.
#[derive(Default)]
pub struct Lease {
    /// When it ends, in milliseconds since the machine started; 0 = there is none.
    until_ms: AtomicU64,
    /// The number of leases so far. One that ended and was not noticed in time is another one.
    number: AtomicU64,
}

impl Lease {
    /// Returns the number of the lease; None if it is over.
    #[must_use]
    pub fn held(&self) -> Option<u64> {
        let until_ms = self.until_ms.load(Ordering::SeqCst);
        // The number changes before the end, so whoever reads a new end reads the new number after it.
        let number = self.number.load(Ordering::SeqCst);
        (since_boot_ms() < until_ms).then_some(number)
    }

    /// Returns how many leases have ended so far. One that another one followed has ended, also if nobody noticed.
    #[must_use]
    pub fn ended(&self) -> u64 {
        let is_held = self.held().is_some();
        self.number.load(Ordering::SeqCst).saturating_sub(is_held.into())
    }

    /// Extends the lease until this time, in milliseconds since the machine started. If it was over, another one
    /// begins.
    pub fn extend(&self, until_ms: u64) {
        if until_ms <= since_boot_ms() {
            return;
        }
        if self.held().is_none() {
            // The number changes first, so that nobody takes the new lease for the one before.
            self.number.fetch_add(1, Ordering::SeqCst);
        }
        self.until_ms.fetch_max(until_ms, Ordering::SeqCst);
    }

    /// Like [`Lease::extend`], but the lease ends at this time, also if it lasted longer before.
    pub fn set(&self, until_ms: u64) {
        self.extend(until_ms);
        self.until_ms.fetch_min(until_ms, Ordering::SeqCst);
    }

    /// Like [`Lease::extend`], but a lease that is over stays over.
    pub fn extend_if_held(&self, until_ms: u64) {
        if self.held().is_some() {
            self.extend(until_ms);
        }
    }

    /// Ends the lease.
    pub fn end(&self) {
        self.until_ms.store(0, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_that_was_over_is_another_one_when_it_is_extended() {
        let lease = Lease::default();
        let soon = since_boot_ms() + 100_000;
        assert_eq!(lease.held(), None);
        lease.extend_if_held(soon);
        assert_eq!(lease.held(), None);
        lease.extend(since_boot_ms());
        assert_eq!(lease.held(), None, "an answer that comes too late extends nothing");
        lease.extend(soon);
        assert_eq!(lease.held(), Some(1));
        lease.extend(soon - 50_000);
        lease.extend_if_held(soon + 1);
        assert_eq!((lease.held(), lease.until_ms.load(Ordering::SeqCst)), (Some(1), soon + 1));
        assert_eq!(lease.ended(), 0);
        lease.set(soon - 50_000);
        assert_eq!((lease.held(), lease.until_ms.load(Ordering::SeqCst)), (Some(1), soon - 50_000));
        lease.end();
        assert_eq!((lease.held(), lease.ended()), (None, 1));
        lease.extend(soon);
        assert_eq!((lease.held(), lease.ended()), (Some(2), 1));
    }
}

//! The clock. Only this module reads the time of day; other code is given a [`Clock`].

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Returns milliseconds since the machine started. They also pass while the machine sleeps.
#[must_use]
pub fn since_boot_ms() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    let [seconds, nanoseconds] = [now.tv_sec, now.tv_nsec].map(|part| u64::try_from(part).unwrap_or(0));
    seconds * 1_000 + nanoseconds / 1_000_000
}

/// A source of the time of day, in milliseconds since 1970 UTC.
#[derive(Clone, Default)]
pub enum Clock {
    /// The machine's clock.
    #[default]
    Real,
    /// A clock that a test sets.
    Manual(Arc<AtomicI64>),
}

impl Clock {
    /// Returns milliseconds since 1970 UTC.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the one place")]
    pub fn now_ms(&self) -> i64 {
        match self {
            Self::Real => SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX)),
            Self::Manual(ms) => ms.load(Ordering::Relaxed),
        }
    }
}

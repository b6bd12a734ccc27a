//! The clock. Only this module reads the time of day; other code is given a [`Clock`].

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

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

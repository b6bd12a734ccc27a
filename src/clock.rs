//! The one place that asks what time it is. Everybody else is told.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// The time of day, in milliseconds since 1970 UTC; in tests, the one they set.
#[derive(Clone, Default)]
pub enum Clock {
    /// The machine's.
    #[default]
    Real,
    /// One that moves when its owner says so.
    Told(Arc<AtomicI64>),
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
            Self::Told(ms) => ms.load(Ordering::Relaxed),
        }
    }
}

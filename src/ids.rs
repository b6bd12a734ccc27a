//! Ids: one integer type for each kind of thing, so that ids of different kinds cannot be mixed up.
//!
//! An id is below 2^53 (safe in JavaScript) and ordered by time: 41 bits of milliseconds since 2025 and a counter of
//! 12 bits. Sorting by id is sorting by creation. Clients may send an id as an integer or as a whole float, because
//! some encoders have only floats.

use std::fmt;
use std::sync::atomic::{AtomicI64, Ordering};

use rusqlite::types::{FromSql, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize};

/// 2025-01-01T00:00:00Z in milliseconds since 1970.
pub const EPOCH_MS: i64 = 1_735_689_600_000;
/// Ids are below this. JavaScript represents every integer below it exactly.
pub const ID_LIMIT: i64 = 1 << 53;
const COUNTER_BITS: u32 = 12;

/// An integer below 2^53. It may be sent as a whole float.
#[derive(Clone, Copy, Debug)]
pub struct Whole(pub i64);

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reads;
        impl Visitor<'_> for Reads {
            type Value = Whole;
            fn expecting(&self, out: &mut fmt::Formatter) -> fmt::Result {
                out.write_str("a whole number from 0 to 2^53")
            }
            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Whole, E> {
                if (0..ID_LIMIT).contains(&value) {
                    Ok(Whole(value))
                } else {
                    Err(E::invalid_value(de::Unexpected::Signed(value), &self))
                }
            }
            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Whole, E> {
                match i64::try_from(value) {
                    Ok(value) => self.visit_i64(value),
                    Err(_) => Err(E::invalid_value(de::Unexpected::Unsigned(value), &self)),
                }
            }
            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Whole, E> {
                if value.fract() == 0.0 && (0.0..ID_LIMIT as f64).contains(&value) {
                    Ok(Whole(value as i64))
                } else {
                    Err(E::invalid_value(de::Unexpected::Float(value), &self))
                }
            }
        }
        from.deserialize_any(Reads)
    }
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(transparent)]
        #[cfg_attr(test, derive(ts_rs::TS), ts(type = "number"))]
        pub struct $name(pub i64);

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                Whole::deserialize(from).map(|whole| $name(whole.0))
            }
        }

        impl ToSql for $name {
            fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                self.0.to_sql()
            }
        }

        impl FromSql for $name {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                i64::column_result(value).map($name)
            }
        }

        impl From<$name> for i64 {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
                write!(out, "{}:{}", stringify!($name), self.0)
            }
        }
    };
}

id! {
    /// A user.
    UserId
}
id! {
    /// A post.
    PostId
}
id! {
    /// A comment.
    CommentId
}
id! {
    /// A login: the stored proof of a user's identity.
    LoginId
}
id! {
    /// A follow: one user follows another.
    FollowId
}
id! {
    /// A saved post: one user saved one post.
    SavedId
}
id! {
    /// A notification.
    NotificationId
}
id! {
    /// A notice about an account, for one of its logins.
    NoticeId
}
id! {
    /// A passkey.
    PasskeyId
}
id! {
    /// A mail in the queue.
    MailId
}
id! {
    /// A poll.
    PollId
}
id! {
    /// A group.
    GroupId
}
id! {
    /// A report to the host.
    ReportId
}
id! {
    /// An import: posts that a user wrote elsewhere and brought here.
    ImportId
}
id! {
    /// The number of a write. It rises in the order of commits.
    Seq
}

/// Makes ids. Each is larger than all earlier ones.
pub struct IdMaker {
    last: AtomicI64,
}

impl IdMaker {
    /// Starts after `highest`, the largest id in use (0 if there is none).
    #[must_use]
    pub fn starting_after(highest: i64) -> Self {
        Self { last: AtomicI64::new(highest) }
    }

    /// Returns the next id. Ids do not decrease when the clock is set back.
    pub fn make(&self, now_ms: i64) -> i64 {
        let by_clock = first_of(now_ms);
        let next = |last: i64| Some(by_clock.max(last + 1));
        match self.last.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next) {
            Ok(last) | Err(last) => by_clock.max(last + 1),
        }
    }
}

/// Returns when a row with this id was made, in milliseconds since 1970 UTC.
#[must_use]
pub fn ms_of(id: i64) -> i64 {
    (id >> COUNTER_BITS) + EPOCH_MS
}

/// Returns the smallest id of rows made at `now_ms`, milliseconds since 1970 UTC, or later.
#[must_use]
pub fn first_of(now_ms: i64) -> i64 {
    now_ms.saturating_sub(EPOCH_MS).max(0) << COUNTER_BITS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_rise_even_if_the_clock_is_set_back() {
        let maker = IdMaker::starting_after(0);
        let first = maker.make(EPOCH_MS + 10_000);
        let second = maker.make(EPOCH_MS + 5_000);
        let third = maker.make(EPOCH_MS + 10_001);
        assert!(first < second && second < third);
    }

    #[test]
    fn ids_stay_safe_in_javascript_for_sixty_years() {
        let sixty_years_ms = 60 * 366 * 24 * 60 * 60 * 1000_i64;
        assert!(IdMaker::starting_after(0).make(EPOCH_MS + sixty_years_ms) < ID_LIMIT);
    }
}

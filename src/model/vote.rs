//! The vote of a user, as it is sent and stored.

use serde::{Deserialize, Serialize};

use crate::wire::named;

/// The vote of one user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", try_from = "String")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Vote {
    None,
    Positive,
    Negative,
}

named!(Vote { None = "none", Positive = "positive", Negative = "negative" });

impl Vote {
    /// Returns the stored number: 1, -1, or 0 for no row.
    #[must_use]
    pub fn number(self) -> i64 {
        match self {
            Self::None => 0,
            Self::Positive => 1,
            Self::Negative => -1,
        }
    }

    /// Returns the vote for a stored number.
    #[must_use]
    pub fn of(number: Option<i64>) -> Self {
        match number {
            Some(1) => Self::Positive,
            Some(-1) => Self::Negative,
            _ => Self::None,
        }
    }
}

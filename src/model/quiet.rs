//! The quiet hours of an account (D-U1), as they are stored and as their owner sees them.

use serde::{Deserialize, Serialize};

use crate::wire::named;

/// The quiet hours of an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct QuietHours {
    /// Whether they are switched on.
    pub on: bool,
    /// When they begin, such as `22:00`, by the clock of `zone`.
    pub from: String,
    /// When they end. If it is before `from`, they end on the next day.
    pub to: String,
    /// The weekdays on which they begin, in the order of the week; at least one.
    pub days: Vec<Weekday>,
    /// The IANA name of a time zone.
    pub zone: String,
}

impl QuietHours {
    /// Returns the quiet hours of these columns. `days` are the bits of the weekdays.
    #[must_use]
    pub fn kept(on: bool, from: String, to: String, days: i64, zone: String) -> Self {
        Self { on, from, to, days: Weekday::of_bits(days), zone }
    }
}

/// A day of the week.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", try_from = "String")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Weekday {
    Monday,
    Tuesday,
    Wednesday,
    Thursday,
    Friday,
    Saturday,
    Sunday,
}

named!(Weekday {
    Monday = "monday",
    Tuesday = "tuesday",
    Wednesday = "wednesday",
    Thursday = "thursday",
    Friday = "friday",
    Saturday = "saturday",
    Sunday = "sunday",
});

impl Weekday {
    /// All weekdays, in their order.
    pub const ALL: [Self; 7] = [
        Self::Monday,
        Self::Tuesday,
        Self::Wednesday,
        Self::Thursday,
        Self::Friday,
        Self::Saturday,
        Self::Sunday,
    ];

    /// Returns the bits of some weekdays, as they are stored: 1 is Monday.
    #[must_use]
    pub fn bits(days: &[Self]) -> i64 {
        days.iter().fold(0, |bits, day| bits | day.bit())
    }

    /// Returns the weekdays of these bits, in their order.
    #[must_use]
    pub fn of_bits(bits: i64) -> Vec<Self> {
        Self::ALL.into_iter().filter(|day| bits & day.bit() != 0).collect()
    }

    fn bit(self) -> i64 {
        1 << self as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weekdays_are_stored_as_bits_and_come_back_in_their_order() {
        let days = [Weekday::Sunday, Weekday::Monday, Weekday::Sunday];
        assert_eq!(Weekday::bits(&days), 65);
        assert_eq!(Weekday::of_bits(65), [Weekday::Monday, Weekday::Sunday]);
        assert_eq!((Weekday::bits(&Weekday::ALL), Weekday::of_bits(127)), (127, Weekday::ALL.to_vec()));
    }
}

//! Rules for moods: the words, the day of a user, and when a mood may be shared. Pure: the time is a parameter.

use super::Slot;
use crate::error::{Field, Refusal};
use crate::limits::{EVENING_HOUR, MOODS_PER_DAY};
use crate::sentence::Sentence;
use crate::zones::{Date, Zone};

const MOOD_UNKNOWN: Sentence = Sentence::new("mood_unknown", "There is no such mood.");
const MORNING_NOW: Sentence =
    Sentence::new("slot_changed_morning", "It's morning where you are now. Set your morning vibe instead?");
pub const EVENING_NOW: Sentence =
    Sentence::new("slot_changed_evening", "It's evening where you are now. Set your evening vibe instead?");

const fn now_is(slot: Slot) -> Sentence {
    match slot {
        Slot::Morning => MORNING_NOW,
        Slot::Evening => EVENING_NOW,
    }
}

/// All moods, in the order of the grid.
pub const MOODS: [&str; 25] = [
    "Happy",
    "Relaxing",
    "Productive",
    "Thinking",
    "Celebrating",
    "Cozy",
    "Silly",
    "Inspired",
    "Strong",
    "Sleepy",
    "Loved",
    "Joking",
    "Studying",
    "Listening",
    "Meh",
    "Hopeful",
    "Active",
    "Gaming",
    "Traveling",
    "Snacking",
    "Sad",
    "Mind Blown",
    "Quiet",
    "Partying",
    "Excited",
];

/// Parses the word of a mood.
///
/// # Errors
/// The word is unknown.
pub fn parse_mood(raw: &str) -> Result<&'static str, Refusal> {
    let known = MOODS.into_iter().find(|mood| *mood == raw);
    known.ok_or(Refusal::Invalid(Field::MOOD, MOOD_UNKNOWN))
}

/// The time zone that a browser names.
pub struct Said<'a> {
    /// Its IANA name.
    pub name: &'a str,
    /// How far its clock is ahead of UTC now, in minutes.
    pub offset_minutes: Option<f64>,
}

impl Said<'_> {
    /// Returns the time zone of this name. A browser may name no zone, or one that is newer than this program, which
    /// nobody chose. The zone is then that of its clock, or that of the site if its clock is not known either.
    #[must_use]
    pub fn zone(&self, of_site: &Zone) -> Zone {
        Zone::named(self.name).unwrap_or_else(|| {
            let of_clock = self.offset_minutes.and_then(Zone::ahead_of_utc);
            of_clock.unwrap_or_else(|| of_site.clone())
        })
    }

    /// Returns what a key covers. The clock of a known zone may be moved between two tries.
    #[must_use]
    pub fn key_part(&self) -> String {
        match Zone::named(self.name) {
            Some(_) => self.name.to_owned(),
            None => format!("{} {:?}", self.name, self.offset_minutes),
        }
    }
}

/// A moment of a user's day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    pub date: Date,
    pub slot: Slot,
    /// When the slot ends, in milliseconds since 1970 UTC. The next field has the same unit.
    pub slot_ends_at_ms: i64,
    pub day_ends_at_ms: i64,
}

impl Moment {
    /// Returns the moment in this zone at `at_ms`, milliseconds since 1970 UTC.
    #[must_use]
    pub fn of(zone: &Zone, at_ms: i64) -> Self {
        let now = zone.local(at_ms);
        let day_ends_at_ms = zone.next_midnight(at_ms);
        let (slot, slot_ends_at_ms) = if now.hour < EVENING_HOUR {
            (Slot::Morning, zone.first_instant(now.date, EVENING_HOUR))
        } else {
            (Slot::Evening, day_ends_at_ms)
        };
        Self { date: now.date, slot, slot_ends_at_ms, day_ends_at_ms }
    }
}

/// The facts that the stored marks give about the moods that a user shared.
#[derive(Clone, Copy, Debug, Default)]
pub struct Marks {
    /// Whether there is a mark of this slot on this date.
    pub has_slot: bool,
    /// Whether there is a mark of a later date. Then the user travelled back over the date line, or claims so.
    pub has_later_date: bool,
    /// The number of marks within 24 hours.
    pub within_a_day: i64,
}

impl Marks {
    /// Returns whether a mood may be shared now. A date allows two moods, because it has two slots.
    #[must_use]
    pub fn allow_mood(&self) -> bool {
        !self.has_slot && !self.has_later_date && self.within_a_day < MOODS_PER_DAY
    }
}

/// Checks whether a mood that was chosen for the slot `picked` may be shared now.
///
/// # Errors
/// [`Refusal::SlotChanged`] if the slot has changed meanwhile; [`Refusal::MoodSet`] if no mood may be shared now.
pub fn check(picked: Slot, now: &Moment, marks: &Marks) -> Result<(), Refusal> {
    if picked != now.slot {
        return Err(Refusal::SlotChanged(now_is(now.slot)));
    }
    if marks.allow_mood() { Ok(()) } else { Err(Refusal::MoodSet) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zones::ms_of;

    /// Returns the date and the slot at an instant, and when the slot and the date end.
    fn says(zone: &str, at: &str) -> (String, Slot, i64, i64) {
        let moment = Moment::of(&Zone::named(zone).unwrap(), ms_of(at));
        (moment.date.to_string(), moment.slot, moment.slot_ends_at_ms, moment.day_ends_at_ms)
    }

    /// Checks a day in a zone: when it begins, when it is 15:00, and when it ends.
    fn day(zone: &str, date: &str, begins: &str, evening: &str, ends: &str) {
        let (begins, evening, ends) = (ms_of(begins), ms_of(evening), ms_of(ends));
        let zone_of = Zone::named(zone).unwrap();
        let at = |ms| {
            let moment = Moment::of(&zone_of, ms);
            (moment.date.to_string(), moment.slot, moment.slot_ends_at_ms, moment.day_ends_at_ms)
        };
        let morning_says = (date.to_owned(), Slot::Morning, evening, ends);
        let evening_says = (date.to_owned(), Slot::Evening, ends, ends);
        assert_ne!(at(begins - 1_000).0, date, "{zone}: the second before {date}");
        assert_eq!(at(begins - 1_000).3, begins, "{zone}: the day before {date} ends");
        assert_eq!(at(begins), morning_says, "{zone}: the first instant of {date}");
        assert_eq!(at(evening - 1_000), morning_says, "{zone}: 14:59:59");
        assert_eq!(at(evening - 1), morning_says, "{zone}: 14:59:59.999");
        assert_eq!(at(evening), evening_says, "{zone}: 15:00:00");
        assert_eq!(at(ends - 1_000), evening_says, "{zone}: 23:59:59");
        let next = at(ends);
        assert!(next.0.as_str() > date && next.1 == Slot::Morning, "{zone}: 00:00:00");
        for hour in 0..30 {
            let (date, slot, ..) = at(begins + hour * 3_600_000);
            let expected = if begins + hour * 3_600_000 < evening { Slot::Morning } else { Slot::Evening };
            assert!(date != morning_says.0 || slot == expected, "{zone}: one morning, one evening");
        }
    }

    #[test]
    fn there_are_twenty_five_moods_and_each_fits_into_its_column() {
        for (number, mood) in MOODS.iter().enumerate() {
            assert_eq!(parse_mood(mood), Ok(*mood));
            assert!(!MOODS[..number].contains(mood) && mood.len() <= 20);
        }
        for odd in ["", "happy", "Happy ", "Furious", "<b>"] {
            assert_eq!(parse_mood(odd), Err(Refusal::Invalid(Field::MOOD, MOOD_UNKNOWN)));
        }
    }

    #[test]
    fn a_browser_without_a_known_zone_has_the_day_of_its_clock_or_of_the_site() {
        let site = Zone::named("Europe/Berlin").unwrap();
        let zone = |name, offset_minutes| Said { name, offset_minutes }.zone(&site);
        assert_eq!(zone("Asia/Kathmandu", Some(0.0)), Zone::named("Asia/Kathmandu").unwrap());
        for odd in ["", "+05:30", "UTC+5", "Mars/Base", "Etc/Unknown", "undefined"] {
            assert_eq!(zone(odd, Some(330.0)), Zone::ahead_of_utc(330.0).unwrap(), "{odd}");
            assert_eq!(zone(odd, None), site, "{odd}");
            assert_eq!(zone(odd, Some(100_000.0)), site, "{odd}");
        }
    }

    #[test]
    fn c35_the_evening_begins_at_three_and_the_day_at_midnight_in_every_zone() {
        for (zone, begins, evening, ends) in [
            ("UTC", "2026-05-10T00:00:00Z", "2026-05-10T15:00:00Z", "2026-05-11T00:00:00Z"),
            ("Pacific/Niue", "2026-05-10T11:00:00Z", "2026-05-11T02:00:00Z", "2026-05-11T11:00:00Z"),
            ("Asia/Kathmandu", "2026-05-09T18:15:00Z", "2026-05-10T09:15:00Z", "2026-05-10T18:15:00Z"),
            ("Pacific/Kiritimati", "2026-05-09T10:00:00Z", "2026-05-10T01:00:00Z", "2026-05-10T10:00:00Z"),
        ] {
            day(zone, "2026-05-10", begins, evening, ends);
        }
    }

    #[test]
    fn c35_a_day_on_which_the_clock_is_moved_has_one_morning_and_one_evening() {
        for (zone, date, begins, evening, ends) in [
            ("Europe/Berlin", "2026-03-29", "2026-03-28T23:00Z", "2026-03-29T13:00Z", "2026-03-29T22:00Z"),
            ("Europe/Berlin", "2026-10-25", "2026-10-24T22:00Z", "2026-10-25T14:00Z", "2026-10-25T23:00Z"),
            ("America/New_York", "2026-03-08", "2026-03-08T05:00Z", "2026-03-08T19:00Z", "2026-03-09T04:00Z"),
            ("America/New_York", "2026-11-01", "2026-11-01T04:00Z", "2026-11-01T20:00Z", "2026-11-02T05:00Z"),
            // The clock skips midnight.
            ("Africa/Cairo", "2026-04-24", "2026-04-23T22:00Z", "2026-04-24T12:00Z", "2026-04-24T21:00Z"),
            ("Atlantic/Azores", "2026-03-29", "2026-03-29T01:00Z", "2026-03-29T15:00Z", "2026-03-30T00:00Z"),
            ("America/Asuncion", "2023-10-01", "2023-10-01T04:00Z", "2023-10-01T18:00Z", "2023-10-02T03:00Z"),
            // The hour before or after midnight occurs twice.
            ("Africa/Cairo", "2026-10-29", "2026-10-28T21:00Z", "2026-10-29T12:00Z", "2026-10-29T22:00Z"),
            ("Atlantic/Azores", "2026-10-25", "2026-10-25T00:00Z", "2026-10-25T16:00Z", "2026-10-26T01:00Z"),
            ("America/Asuncion", "2024-03-23", "2024-03-23T03:00Z", "2024-03-23T18:00Z", "2024-03-24T04:00Z"),
        ] {
            day(zone, date, begins, evening, ends);
        }
    }

    #[test]
    fn c35_a_user_who_crosses_the_date_line_has_the_local_date() {
        let noon = "2026-05-10T22:00:00Z";
        let (ahead, behind) = (says("Pacific/Kiritimati", noon), says("Pacific/Honolulu", noon));
        assert_eq!((ahead.0.as_str(), ahead.1), ("2026-05-11", Slot::Morning));
        assert_eq!((behind.0.as_str(), behind.1), ("2026-05-10", Slot::Morning));
        assert_eq!(ahead.3 - behind.3, 0, "the same wall clock, a day apart");
    }

    #[test]
    fn d_e9_a_slot_a_date_and_a_day_each_have_a_limit() {
        let moment = Moment::of(&Zone::named("UTC").unwrap(), ms_of("2026-05-10T16:00:00Z"));
        let db = Marks { within_a_day: 2, ..Marks::default() };
        assert_eq!(check(Slot::Evening, &moment, &db), Ok(()));
        assert_eq!(check(Slot::Morning, &moment, &db), Err(Refusal::SlotChanged(EVENING_NOW)));
        for none in [
            Marks { has_slot: true, ..db },
            Marks { has_later_date: true, ..db },
            Marks { within_a_day: 3, ..db },
        ] {
            assert_eq!(check(Slot::Evening, &moment, &none), Err(Refusal::MoodSet));
            // A changed slot is reported first, because a mood may still be possible in the new one.
            assert_eq!(check(Slot::Morning, &moment, &none), Err(Refusal::SlotChanged(EVENING_NOW)));
        }
    }
}

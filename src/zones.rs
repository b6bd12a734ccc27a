//! Wall clocks of time zones. Pure: the instant is a parameter.
//!
//! Guarantees:
//! - Changes of a wall clock are handled. A time that a clock skips means the first instant after the gap. If midnight
//!   occurs twice, the day begins at the first.
//! - The result is the same on every host, because the zones are part of this program and those of the system are not
//!   used.
//!
//! Only this file uses `jiff`.

use std::fmt;
use std::sync::LazyLock;

use jiff::tz::{AmbiguousOffset, Offset, TimeZone, TimeZoneDatabase};
use jiff::{Span, Timestamp, Zoned};

static ZONES: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);

/// A time zone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Zone(TimeZone);

/// A date, written as `2026-11-21`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date(jiff::civil::Date);

impl fmt::Display for Date {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        self.0.fmt(out)
    }
}

impl Date {
    /// Returns the weekday, from 0 for Monday to 6 for Sunday.
    #[must_use]
    pub fn weekday(self) -> usize {
        usize::try_from(self.0.weekday().to_monday_zero_offset()).unwrap_or(0)
    }

    /// Returns the date so many days later, or the same one if there is no such date.
    #[must_use]
    pub fn plus_days(self, days: i64) -> Self {
        let later = Span::new().try_days(days).and_then(|days| self.0.checked_add(days));
        later.map_or(self, Self)
    }
}

/// A time of a wall clock, to the minute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TimeOfDay {
    hour: i8,
    minute: i8,
}

impl TimeOfDay {
    /// Parses a time such as `07:00`; None if the text is no such time.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (hour, minute) = text.split_once(':')?;
        let number = |digits: &str, below: i8| {
            let is_number = digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
            digits.parse().ok().filter(|number| is_number && *number < below)
        };
        Some(Self { hour: number(hour, 24)?, minute: number(minute, 60)? })
    }
}

/// Which of the two instants is meant if a clock shows a time twice on a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Twice {
    First,
    Second,
}

/// The date and time of a wall clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Local {
    pub date: Date,
    /// From 0 to 23.
    pub hour: i8,
}

impl Zone {
    /// Returns the zone with this IANA name, ignoring case; None if there is none.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        // The zone `Etc/Unknown` is refused.
        ZONES.get(name).ok().filter(|zone| !zone.is_unknown()).map(Self)
    }

    /// Returns the zone whose clock is always so many minutes ahead of UTC; None if no clock is.
    #[must_use]
    pub fn ahead_of_utc(minutes: f64) -> Option<Self> {
        // ISO 8601 has offsets of less than a day. The clocks in use are at most 14 hours from UTC.
        let minutes = Some(minutes).filter(|minutes| minutes.abs() < 24.0 * 60.0)?;
        Offset::from_seconds((60.0 * minutes) as i32).ok().map(|offset| Self(TimeZone::fixed(offset)))
    }

    /// Returns its IANA name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.0.iana_name().unwrap_or("UTC")
    }

    /// Returns the wall clock at `at_ms`, milliseconds since 1970 UTC.
    #[must_use]
    pub fn local(&self, at_ms: i64) -> Local {
        let says = self.0.to_datetime(instant(at_ms));
        Local { date: Date(says.date()), hour: says.hour() }
    }

    /// Returns the wall clock at `at_ms`, milliseconds since 1970 UTC, in a format of `strftime`, such as `%H:%M`.
    #[must_use]
    pub fn written(&self, at_ms: i64, format: &'static str) -> String {
        self.0.to_datetime(instant(at_ms)).strftime(format).to_string()
    }

    /// Returns the instant after `at_ms` at which the date changes next, in milliseconds since 1970 UTC.
    #[must_use]
    pub fn next_midnight(&self, at_ms: i64) -> i64 {
        let tomorrow = self.local(at_ms).date.0.tomorrow().unwrap_or(jiff::civil::Date::MAX);
        let midnight = self.0.to_ambiguous_zoned(tomorrow.at(0, 0, 0, 0));
        let first = milliseconds(midnight.clone().compatible());
        // A clock that is moved back over midnight passes it twice.
        if first > at_ms { first } else { milliseconds(midnight.later()) }
    }

    /// Returns the first instant of an hour of a date, in milliseconds since 1970 UTC. If the clock skips the hour, it
    /// is the first instant after the gap.
    #[must_use]
    pub fn first_instant(&self, date: Date, hour: i8) -> i64 {
        milliseconds(date.0.at(hour, 0, 0, 0).to_zoned(self.0.clone()))
    }

    /// Returns when the clock shows a time of a date, in milliseconds since 1970 UTC. If the clock skips the time, it is
    /// the first instant after the gap.
    #[must_use]
    pub fn instant_of(&self, date: Date, time: TimeOfDay, twice: Twice) -> i64 {
        let at = self.0.to_ambiguous_timestamp(date.0.at(time.hour, time.minute, 0, 0));
        let found = match (at.offset(), twice) {
            (AmbiguousOffset::Gap { .. }, _) => at.earlier().map(|before| {
                let gap = self.0.following(before).next();
                gap.map_or(before, |gap| gap.timestamp())
            }),
            (_, Twice::First) => at.earlier(),
            (_, Twice::Second) => at.later(),
        };
        found.unwrap_or(Timestamp::MAX).as_millisecond()
    }
}

/// Returns an instant in milliseconds since 1970 UTC; if it is out of range, the last one.
fn milliseconds(at: Result<Zoned, jiff::Error>) -> i64 {
    at.map_or(Timestamp::MAX, |at| at.timestamp()).as_millisecond()
}

/// Returns the number of days from 1970-01-01 to `day`; None if the text is no valid date.
#[must_use]
pub fn number_of(day: &str) -> Option<i64> {
    let date: jiff::civil::Date = day.parse().ok()?;
    let begins = date.to_zoned(TimeZone::UTC).ok()?.timestamp().as_second();
    (date.to_string() == day).then(|| begins.div_euclid(24 * 3_600))
}

/// Returns the date that is `days` after `day`; None if either is no valid date.
#[must_use]
pub fn days_after(day: &str, days: i64) -> Option<String> {
    let date: jiff::civil::Date = day.parse().ok()?;
    Some(date.checked_add(Span::new().try_days(days).ok()?).ok()?.to_string())
}

/// The format of a stamp, such as `20261122T074400Z`.
const STAMP: &str = "%Y%m%dT%H%M%SZ";

/// Returns an instant as a stamp in UTC, to the second. Stamps sort by time.
#[must_use]
pub fn stamp(at_ms: i64) -> String {
    instant(at_ms).strftime(STAMP).to_string()
}

/// Returns the instant of a stamp, in milliseconds since 1970 UTC; None if the text is no stamp.
#[must_use]
pub fn ms_of_stamp(text: &str) -> Option<i64> {
    let at = jiff::civil::DateTime::strptime(STAMP, text).ok()?;
    let at_ms = at.to_zoned(TimeZone::UTC).ok()?.timestamp().as_millisecond();
    (stamp(at_ms) == text).then_some(at_ms)
}

/// Longest RFC 3339 text that is read, in bytes: one with nine digits of a second has 35.
const RFC_3339_BYTES_MAX: usize = 40;

/// Returns the instant of an RFC 3339 text, such as `2026-11-22T07:44:00Z`, in milliseconds since 1970 UTC; None if the
/// text is no such instant.
#[must_use]
pub fn ms_of_rfc_3339(text: &str) -> Option<i64> {
    let text = Some(text).filter(|text| text.len() <= RFC_3339_BYTES_MAX)?;
    text.parse::<Timestamp>().ok().map(Timestamp::as_millisecond)
}

/// Returns the instant as a timestamp of `jiff`; if it is out of range, the last one.
fn instant(at_ms: i64) -> Timestamp {
    let edge = if at_ms < 0 { Timestamp::MIN } else { Timestamp::MAX };
    Timestamp::from_millisecond(at_ms).unwrap_or(edge)
}

/// Returns the instant of an RFC 3339 text, in milliseconds since 1970 UTC.
#[cfg(test)]
pub(crate) fn ms_of(text: &str) -> i64 {
    text.parse::<Timestamp>().expect("an instant").as_millisecond()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the midnight that follows an instant in a zone.
    fn midnight(zone: &str, after: &str) -> i64 {
        Zone::named(zone).unwrap().next_midnight(ms_of(after))
    }

    #[test]
    fn days_are_counted() {
        assert_eq!((number_of("1970-01-01"), number_of("2026-11-21")), (Some(0), Some(20_778)));
        for none in ["", "2026-02-29", "2026-1-1", "20261121", "2026-11-21T00:00", "tomorrow", "2026-11-21 "]
        {
            assert_eq!(number_of(none), None, "{none}");
        }
        assert_eq!(days_after("2028-02-28", 2).as_deref(), Some("2028-03-01"));
        assert_eq!(days_after("9999-12-31", 1), None);
    }

    #[test]
    fn a_zone_is_known_by_its_present_and_former_names_alone() {
        for name in ["UTC", "Etc/GMT+12", "Europe/Kyiv", "Europe/Kiev", "Asia/Calcutta", "Asia/Kathmandu"] {
            assert!(Zone::named(name).is_some(), "{name}");
        }
        let long = "Europe/".repeat(2_000);
        for name in
            ["", " ", "Mars/Base", "Etc/Unknown", "+01:00", "CET-1CEST", "../UTC", "/etc/localtime", &long]
        {
            assert!(Zone::named(name).is_none(), "{name}");
        }
    }

    #[test]
    fn a_clock_ahead_of_utc_is_a_zone() {
        let hour = |minutes| {
            let local = Zone::ahead_of_utc(minutes).unwrap().local(ms_of("2026-03-01T20:00:00Z"));
            (local.date.to_string(), local.hour)
        };
        assert_eq!(hour(330.0), ("2026-03-02".into(), 1));
        assert_eq!(hour(-180.0), ("2026-03-01".into(), 17));
        let india = Zone::ahead_of_utc(330.0).unwrap();
        assert_eq!(india.next_midnight(ms_of("2026-03-01T12:00:00Z")), ms_of("2026-03-01T18:30:00Z"));
        for odd in [1_440.0, -1_440.0, f64::MAX, f64::NAN] {
            assert!(Zone::ahead_of_utc(odd).is_none(), "{odd}");
        }
    }

    #[test]
    fn a_date_is_written_as_it_is_stored() {
        let local = Zone::named("Asia/Kathmandu").unwrap().local(ms_of("2026-03-01T18:14:59Z"));
        assert_eq!((local.date.to_string().as_str(), local.hour), ("2026-03-01", 23));
        let local = Zone::named("Asia/Kathmandu").unwrap().local(ms_of("2026-03-01T18:15:00Z"));
        assert_eq!((local.date.to_string().as_str(), local.hour), ("2026-03-02", 0));
    }

    #[test]
    fn a_day_ends_at_its_own_midnight() {
        for (zone, at, end) in [
            ("UTC", "2026-03-01T09:00:00Z", "2026-03-02T00:00:00Z"),
            ("UTC", "2026-03-01T23:59:59.999Z", "2026-03-02T00:00:00Z"),
            ("UTC", "2026-03-02T00:00:00Z", "2026-03-03T00:00:00Z"),
            ("Pacific/Niue", "2026-03-01T09:00:00Z", "2026-03-01T11:00:00Z"),
            ("Asia/Kathmandu", "2026-03-01T09:00:00Z", "2026-03-01T18:15:00Z"),
            ("Pacific/Kiritimati", "2026-03-01T09:00:00Z", "2026-03-01T10:00:00Z"),
            // The clock was moved back from 00:01 to 23:01, so there were two midnights.
            ("America/St_Johns", "2010-11-07T02:29:00Z", "2010-11-07T02:30:00Z"),
            ("America/St_Johns", "2010-11-07T02:31:00Z", "2010-11-07T03:30:00Z"),
        ] {
            assert_eq!(midnight(zone, at), ms_of(end), "{zone} after {at}");
        }
    }

    #[test]
    fn a_day_on_which_the_clock_is_moved_is_shorter_or_longer() {
        for (zone, begins, ends, hours) in [
            ("Europe/Berlin", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z", 23),
            ("Europe/Berlin", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z", 25),
            ("America/New_York", "2026-03-08T05:00:00Z", "2026-03-09T04:00:00Z", 23),
            ("America/New_York", "2026-11-01T04:00:00Z", "2026-11-02T05:00:00Z", 25),
            // The clock moves by half an hour.
            ("Australia/Lord_Howe", "2026-04-04T13:00:00Z", "2026-04-05T13:30:00Z", 24),
            // There is no midnight: 23:59:59 is followed by 01:00.
            ("Africa/Cairo", "2026-04-23T22:00:00Z", "2026-04-24T21:00:00Z", 23),
            ("Atlantic/Azores", "2026-03-29T01:00:00Z", "2026-03-30T00:00:00Z", 23),
            ("America/Asuncion", "2023-10-01T04:00:00Z", "2023-10-02T03:00:00Z", 23),
            // The last hour before midnight, or the first after it, occurs twice.
            ("Africa/Cairo", "2026-10-28T21:00:00Z", "2026-10-29T22:00:00Z", 25),
            ("America/Asuncion", "2024-03-23T03:00:00Z", "2024-03-24T04:00:00Z", 25),
            ("Atlantic/Azores", "2026-10-25T00:00:00Z", "2026-10-26T01:00:00Z", 25),
            // A whole date was left out.
            ("Pacific/Apia", "2011-12-29T10:00:00Z", "2011-12-30T10:00:00Z", 24),
        ] {
            let (begins, ends) = (ms_of(begins), ms_of(ends));
            let known = Zone::named(zone).unwrap();
            assert_eq!(known.next_midnight(begins - 1), begins, "{zone} begins a day at {begins}");
            assert_ne!(known.local(begins - 1).date, known.local(begins).date);
            assert_eq!(known.next_midnight(begins), ends, "{zone} ends it at {ends}");
            assert_eq!((ends - begins) / 3_600_000, hours, "{zone}");
        }
    }

    #[test]
    fn a_time_that_a_clock_skips_is_the_instant_after_the_gap_and_one_that_comes_twice_is_two_instants() {
        let date = |text: &str| Date(text.parse().unwrap());
        for (zone, day, time, first, second) in [
            ("Europe/Berlin", "2026-03-01", "22:00", "2026-03-01T21:00:00Z", "2026-03-01T21:00:00Z"),
            // 02:00 is followed by 03:00.
            ("Europe/Berlin", "2026-03-29", "01:59", "2026-03-29T00:59:00Z", "2026-03-29T00:59:00Z"),
            ("Europe/Berlin", "2026-03-29", "02:00", "2026-03-29T01:00:00Z", "2026-03-29T01:00:00Z"),
            ("Europe/Berlin", "2026-03-29", "02:30", "2026-03-29T01:00:00Z", "2026-03-29T01:00:00Z"),
            ("Europe/Berlin", "2026-03-29", "03:00", "2026-03-29T01:00:00Z", "2026-03-29T01:00:00Z"),
            // 03:00 is followed by 02:00.
            ("Europe/Berlin", "2026-10-25", "01:59", "2026-10-24T23:59:00Z", "2026-10-24T23:59:00Z"),
            ("Europe/Berlin", "2026-10-25", "02:30", "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"),
            ("Europe/Berlin", "2026-10-25", "03:00", "2026-10-25T02:00:00Z", "2026-10-25T02:00:00Z"),
            // The clock moves by half an hour.
            ("Australia/Lord_Howe", "2026-10-04", "02:10", "2026-10-03T15:30:00Z", "2026-10-03T15:30:00Z"),
            ("Australia/Lord_Howe", "2026-04-05", "01:45", "2026-04-04T14:45:00Z", "2026-04-04T15:15:00Z"),
            // There is no midnight.
            ("Africa/Cairo", "2026-04-24", "00:30", "2026-04-23T22:00:00Z", "2026-04-23T22:00:00Z"),
            // A whole date was left out.
            ("Pacific/Apia", "2011-12-30", "22:00", "2011-12-30T10:00:00Z", "2011-12-30T10:00:00Z"),
        ] {
            let (known, time) = (Zone::named(zone).unwrap(), TimeOfDay::parse(time).unwrap());
            let found = [Twice::First, Twice::Second].map(|twice| known.instant_of(date(day), time, twice));
            assert_eq!(found, [ms_of(first), ms_of(second)], "{zone} {day} {time:?}");
        }
    }

    #[test]
    fn a_time_of_day_has_two_digits_each() {
        let parsed = |text| TimeOfDay::parse(text).map(|TimeOfDay { hour, minute }| (hour, minute));
        assert_eq!(
            (parsed("00:00"), parsed("07:05"), parsed("23:59")),
            (Some((0, 0)), Some((7, 5)), Some((23, 59)))
        );
        for odd in
            ["", "7:05", "07:5", "24:00", "07:60", "-1:00", "+1:00", "07:05:00", "07.05", "0٧:05", " 7:05"]
        {
            assert_eq!(parsed(odd), None, "{odd}");
        }
    }

    #[test]
    fn dates_have_weekdays_and_neighbours() {
        let date = Date("2026-11-27".parse().unwrap());
        assert_eq!((date.weekday(), date.plus_days(3).weekday(), date.plus_days(2).weekday()), (4, 0, 6));
        assert_eq!(date.plus_days(4).to_string(), "2026-12-01");
        assert_eq!(date.plus_days(i64::MAX), date);
    }

    #[test]
    fn an_instant_is_read_with_any_offset_and_only_as_a_whole() {
        for (text, stamp_there) in [
            ("2026-11-22T07:44:00Z", "20261122T074400Z"),
            ("2026-11-22T07:44:00.999Z", "20261122T074400Z"),
            ("2026-11-22T07:44:00+05:30", "20261122T021400Z"),
            ("2016-12-31T23:59:60Z", "20161231T235959Z"),
        ] {
            assert_eq!(ms_of_rfc_3339(text).map(stamp).as_deref(), Some(stamp_there), "{text}");
        }
        let long = format!("2026-11-22T07:44:00.{}Z", "0".repeat(9_000));
        for none in ["", "2026-11-22", "2026-11-22T07:44:00", "2026-02-30T00:00:00Z", "yesterday", &long] {
            assert_eq!(ms_of_rfc_3339(none), None, "{none}");
        }
    }

    #[test]
    fn an_instant_out_of_all_calendars_has_a_date_too() {
        let zone = Zone::named("UTC").unwrap();
        for odd in [i64::MIN, i64::MAX] {
            assert!((0..24).contains(&zone.local(odd).hour));
            assert_ne!(zone.next_midnight(odd), odd);
        }
    }

    #[test]
    fn lv6_a_stamp_that_is_read_is_written_the_same() {
        crate::testing::fuzz::text(&["20261122T074400Z", "20000229T235959Z"], |text| {
            if let Some(at_ms) = ms_of_stamp(text) {
                assert_eq!(stamp(at_ms), text);
            }
        });
    }
}

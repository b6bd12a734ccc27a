//! Rules for quiet hours: which are accepted, and when they last. Pure: the time is a parameter.

use std::ops::Range;

use crate::error::{Field, Refusal};
use crate::model::quiet::{QuietHours, Weekday};
use crate::sentence::Sentence;
use crate::zones::{Date, TimeOfDay, Twice, Zone};

const SAME_TIMES: Sentence = Sentence::new("quiet_same_times", "Choose two different times.");
const NO_DAY: Sentence = Sentence::new("quiet_no_day", "Choose at least one day.");

/// One day, in milliseconds.
const DAY_MS: i64 = 24 * 3_600_000;

/// Returns quiet hours as they are kept, from what was sent. If the zone is unknown, which nobody chose, they are by the
/// time of the site.
///
/// # Errors
/// [`Refusal::BadRequest`] for what is no time of a day; the two times are the same; no day is named.
pub fn parse(sent: QuietHours, of_site: &Zone) -> Result<QuietHours, Refusal> {
    let QuietHours { on, from, to, days, zone } = sent;
    let times = TimeOfDay::parse(&from).zip(TimeOfDay::parse(&to));
    let (begins, ends) = times.ok_or(Refusal::BadRequest)?;
    if begins == ends {
        return Err(Refusal::Invalid(Field::TO, SAME_TIMES));
    }
    if days.is_empty() {
        return Err(Refusal::Invalid(Field::DAYS, NO_DAY));
    }
    let zone = Zone::named(&zone).unwrap_or_else(|| of_site.clone());
    Ok(QuietHours::kept(on, from, to, Weekday::bits(&days), zone.name().to_owned()))
}

/// Quiet hours that are switched on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    from: TimeOfDay,
    to: TimeOfDay,
    days: Vec<Weekday>,
    zone: Zone,
}

/// What quiet hours mean at a moment. Both fields are in milliseconds since 1970 UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// When they end; None if they do not last now.
    pub until_ms: Option<i64>,
    /// When they end or begin next. Until then the state is the same.
    pub changes_at_ms: i64,
}

impl Plan {
    /// Returns the plan of these quiet hours; None if they are switched off. It is also None if this program does not
    /// know their zone any more.
    #[must_use]
    pub fn of(hours: &QuietHours) -> Option<Self> {
        let (from, to) = TimeOfDay::parse(&hours.from).zip(TimeOfDay::parse(&hours.to))?;
        let zone = Zone::named(&hours.zone).filter(|_| hours.on)?;
        Some(Self { from, to, days: hours.days.clone(), zone })
    }

    /// Returns the state at `now_ms`, milliseconds since 1970 UTC.
    #[must_use]
    pub fn at(&self, now_ms: i64) -> State {
        let today = self.zone.local(now_ms).date;
        // A span is shorter than a day, but a clock may skip a whole date. Within eight days each weekday comes.
        let spans = (-2..=8).filter_map(|days| self.span(today.plus_days(days)));
        let spans: Vec<Range<i64>> = spans.filter(|span| !span.is_empty()).collect();
        let mut until_ms = None;
        for span in &spans {
            // The span of this moment, and then the one that has its end: where a clock is moved back, a span may begin
            // before the one of the day before has ended.
            let moment = until_ms.unwrap_or(now_ms);
            if span.contains(&moment) {
                until_ms = Some(span.end);
            }
        }
        let next = spans.iter().map(|span| span.start).filter(|start| *start > now_ms).min();
        // If none begins, because a clock skips it, the next day shows more.
        let changes_at_ms = until_ms.or(next).unwrap_or_else(|| now_ms.saturating_add(DAY_MS));
        State { until_ms, changes_at_ms }
    }

    /// Returns the span that begins on a date; None on other weekdays. It is empty if the clock skips it.
    fn span(&self, date: Date) -> Option<Range<i64>> {
        if !self.days.contains(&Weekday::ALL[date.weekday()]) {
            return None;
        }
        let last = if self.to < self.from { date.plus_days(1) } else { date };
        let begins = self.zone.instant_of(date, self.from, Twice::First);
        Some(begins..self.zone.instant_of(last, self.to, Twice::Second))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zones::ms_of;

    const ALL: i64 = 127;

    fn hours(from: &str, to: &str, days: i64, zone: &str) -> QuietHours {
        QuietHours::kept(true, from.into(), to.into(), days, zone.into())
    }

    fn sent(from: &str, to: &str, days: &[Weekday], zone: &str) -> QuietHours {
        QuietHours { on: true, from: from.into(), to: to.into(), days: days.to_vec(), zone: zone.into() }
    }

    /// Asserts that the quiet hours around `begins` last from there to `ends`, and neither a moment before nor after.
    fn last(hours: &QuietHours, begins: &str, ends: &str) {
        let plan = Plan::of(hours).unwrap();
        let (from, to) = (ms_of(begins), ms_of(ends));
        let quiet = State { until_ms: Some(to), changes_at_ms: to };
        assert_eq!(plan.at(from), quiet, "{hours:?} at {begins}");
        assert_eq!(plan.at(to - 1), quiet, "{hours:?} until {ends}");
        assert_eq!(plan.at(from - 1), State { until_ms: None, changes_at_ms: from }, "before {begins}");
        assert_eq!(plan.at(to).until_ms, None, "{hours:?} after {ends}");
        assert!(plan.at(to).changes_at_ms > to);
    }

    #[test]
    fn two_different_times_and_a_day_are_accepted() {
        let site = Zone::named("Europe/Kyiv").unwrap();
        let days = [Weekday::Sunday, Weekday::Monday, Weekday::Sunday];
        let parsed = parse(sent("22:00", "07:00", &days, "europe/berlin"), &site);
        assert_eq!(parsed, Ok(hours("22:00", "07:00", 65, "Europe/Berlin")));
        // A browser may name no zone, or one that is newer than this program.
        for odd in ["", "Mars/Base", "Etc/Unknown"] {
            assert_eq!(
                parse(sent("22:00", "07:00", &days, odd), &site).unwrap().zone,
                "Europe/Kyiv",
                "{odd}"
            );
        }
    }

    #[test]
    fn the_same_time_twice_no_day_and_what_is_no_time_are_refused() {
        let site = Zone::named("UTC").unwrap();
        let refused = |from, to, days: &[Weekday]| parse(sent(from, to, days, "UTC"), &site).unwrap_err();
        let all = Weekday::ALL;
        assert_eq!(refused("22:00", "22:00", &all), Refusal::Invalid(Field::TO, SAME_TIMES));
        assert_eq!(
            refused("22:00", "22:00", &[]),
            Refusal::Invalid(Field::TO, SAME_TIMES),
            "the times first"
        );
        assert_eq!(refused("22:00", "07:00", &[]), Refusal::Invalid(Field::DAYS, NO_DAY));
        for odd in ["", "7:00", "24:00", "10 pm", "22:00:00"] {
            assert_eq!(refused(odd, "07:00", &all), Refusal::BadRequest, "{odd}");
            assert_eq!(refused("22:00", odd, &all), Refusal::BadRequest, "{odd}");
        }
    }

    #[test]
    fn d_u1_they_last_over_midnight_from_their_first_moment_to_before_their_last() {
        last(&hours("22:00", "07:00", ALL, "UTC"), "2026-03-01T22:00:00Z", "2026-03-02T07:00:00Z");
        last(&hours("13:00", "14:30", ALL, "Asia/Kathmandu"), "2026-03-01T07:15:00Z", "2026-03-01T08:45:00Z");
        last(&hours("00:00", "23:59", ALL, "UTC"), "2026-03-01T00:00:00Z", "2026-03-01T23:59:00Z");
        last(&hours("23:59", "00:00", ALL, "UTC"), "2026-03-01T23:59:00Z", "2026-03-02T00:00:00Z");
        // All but a minute of each day.
        last(&hours("07:01", "07:00", ALL, "UTC"), "2026-03-01T07:01:00Z", "2026-03-02T07:00:00Z");
    }

    #[test]
    fn d_u1_the_chosen_days_are_those_on_which_they_begin() {
        // 2026-03-01 is a Sunday. They begin on Friday evening and last into Saturday.
        let friday = hours("22:00", "07:00", Weekday::bits(&[Weekday::Friday]), "Europe/Berlin");
        last(&friday, "2026-03-06T21:00:00Z", "2026-03-07T06:00:00Z");
        let plan = Plan::of(&friday).unwrap();
        let next = plan.at(ms_of("2026-03-07T21:30:00Z"));
        assert_eq!(
            next,
            State { until_ms: None, changes_at_ms: ms_of("2026-03-13T21:00:00Z") },
            "on Saturday"
        );
        let at_begin = plan.at(ms_of("2026-03-06T21:00:00Z") - 1);
        assert_eq!(at_begin.changes_at_ms, ms_of("2026-03-06T21:00:00Z"));
    }

    #[test]
    fn d_u2_a_time_that_the_clock_skips_is_the_moment_after_the_gap() {
        // In Berlin 02:00 is followed by 03:00 on 2026-03-29, at 01:00 UTC.
        last(&hours("02:30", "06:00", ALL, "Europe/Berlin"), "2026-03-29T01:00:00Z", "2026-03-29T04:00:00Z");
        last(&hours("22:00", "02:30", ALL, "Europe/Berlin"), "2026-03-28T21:00:00Z", "2026-03-29T01:00:00Z");
        last(&hours("22:00", "07:00", ALL, "Europe/Berlin"), "2026-03-28T21:00:00Z", "2026-03-29T05:00:00Z");
        // In Cairo there is no midnight on 2026-04-24.
        last(&hours("00:30", "05:00", ALL, "Africa/Cairo"), "2026-04-23T22:00:00Z", "2026-04-24T02:00:00Z");
    }

    #[test]
    fn d_u2_a_span_that_the_clock_skips_as_a_whole_is_left_out() {
        let skipped = hours("02:10", "02:50", ALL, "Europe/Berlin");
        let plan = Plan::of(&skipped).unwrap();
        let gap = ms_of("2026-03-29T01:00:00Z");
        for at_ms in [gap - 1, gap, gap + 1] {
            let next = ms_of("2026-03-30T00:10:00Z");
            assert_eq!(plan.at(at_ms), State { until_ms: None, changes_at_ms: next });
        }
        // Only on Sundays: none begins within the next eight days.
        let sunday = hours("02:10", "02:50", Weekday::bits(&[Weekday::Sunday]), "Europe/Berlin");
        let at_ms = ms_of("2026-03-24T12:00:00Z");
        let state = Plan::of(&sunday).unwrap().at(at_ms);
        assert_eq!(state, State { until_ms: None, changes_at_ms: at_ms + DAY_MS });
    }

    #[test]
    fn d_u2_a_time_that_comes_twice_begins_at_its_first_and_ends_at_its_second() {
        // In Berlin 03:00 is followed by 02:00 on 2026-10-25, at 01:00 UTC.
        last(&hours("02:30", "06:00", ALL, "Europe/Berlin"), "2026-10-25T00:30:00Z", "2026-10-25T05:00:00Z");
        last(&hours("22:00", "02:30", ALL, "Europe/Berlin"), "2026-10-24T20:00:00Z", "2026-10-25T01:30:00Z");
        last(&hours("02:10", "02:50", ALL, "Europe/Berlin"), "2026-10-25T00:10:00Z", "2026-10-25T01:50:00Z");
    }

    #[test]
    fn d_u2_spans_that_meet_where_the_clock_is_moved_back_are_one() {
        // The span of Saturday ends at the second 02:05, and that of Sunday begins at the first 02:10.
        let plan = Plan::of(&hours("02:10", "02:05", ALL, "Europe/Berlin")).unwrap();
        let ends = ms_of("2026-10-26T01:05:00Z");
        let at = |text: &str| plan.at(ms_of(text)).until_ms;
        assert_eq!(at("2026-10-25T00:09:00Z"), Some(ends));
        assert_eq!(at("2026-10-25T01:30:00Z"), Some(ends));
        assert_eq!(at("2026-10-26T01:04:59Z"), Some(ends));
        assert_eq!(at("2026-10-26T01:05:00Z"), None);
    }

    #[test]
    fn d_u2_a_date_that_the_clock_skips_begins_them_after_it() {
        // Samoa went from the end of Thursday, 2011-12-29, to the beginning of Saturday.
        let friday = hours("22:00", "07:00", Weekday::bits(&[Weekday::Friday]), "Pacific/Apia");
        last(&friday, "2011-12-30T10:00:00Z", "2011-12-30T17:00:00Z");
    }

    #[test]
    fn they_are_no_plan_while_they_are_switched_off_or_their_zone_is_unknown() {
        let on = hours("22:00", "07:00", ALL, "UTC");
        assert!(Plan::of(&on).is_some());
        assert!(Plan::of(&QuietHours { on: false, ..on.clone() }).is_none());
        assert!(Plan::of(&QuietHours { zone: "Mars/Base".into(), ..on }).is_none());
    }
}

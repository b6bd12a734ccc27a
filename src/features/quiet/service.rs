//! The quiet hours of all accounts that have switched them on, and whom they concern now.
//!
//! Guarantees:
//! - Only the time decides, by the server's own clock: after a restart, and after the clock was set, the result is the
//!   same as if it had always been so.
//! - [`QuietUsers`] changes here and nowhere else.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::rules::{Plan, State};
use crate::ids::UserId;
use crate::model::me::Me;
use crate::model::quiet::QuietHours;
use crate::quiet_users::QuietUsers;

/// The service, shared by all threads.
pub struct QuietService {
    users: Arc<QuietUsers>,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    accounts: HashMap<UserId, Account>,
    /// Users whose quiet hours began or ended, which is not published to their connections yet.
    unpublished: BTreeSet<UserId>,
}

struct Account {
    plan: Plan,
    /// The state since `since_ms`, when it was looked at.
    state: State,
    since_ms: i64,
}

impl Account {
    fn at(plan: Plan, now_ms: i64) -> Self {
        Self { state: plan.at(now_ms), since_ms: now_ms, plan }
    }

    /// Returns whether the state is the one of `now_ms`. If the clock was set back, it must be looked at again.
    fn holds_at(&self, now_ms: i64) -> bool {
        (self.since_ms..self.state.changes_at_ms).contains(&now_ms)
    }
}

impl QuietService {
    /// Makes the service of these quiet hours.
    #[must_use]
    pub fn new(users: Arc<QuietUsers>, all: Vec<(UserId, QuietHours)>, now_ms: i64) -> Self {
        let service = Self { users, known: Mutex::default() };
        for (user_id, hours) in &all {
            service.know(*user_id, Some(hours), now_ms);
        }
        service
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes the quiet hours of an account, as of the newest commit. They count from now on.
    pub fn know(&self, user_id: UserId, hours: Option<&QuietHours>, now_ms: i64) {
        let plan = hours.and_then(Plan::of);
        let mut known = self.known();
        if known.accounts.get(&user_id).map(|account| &account.plan) == plan.as_ref() {
            return;
        }
        let until_ms = match plan {
            Some(plan) => {
                let account = Account::at(plan, now_ms);
                let until_ms = account.state.until_ms;
                known.accounts.insert(user_id, account);
                until_ms
            }
            None => {
                known.accounts.remove(&user_id);
                None
            }
        };
        self.users.set([(user_id, until_ms)]);
    }

    /// Begins and ends the quiet hours for which it is time. Returns the users to whom that must be published, with
    /// those of earlier calls to whom it was not.
    #[must_use]
    pub fn turn(&self, now_ms: i64) -> Vec<UserId> {
        let mut known = self.known();
        let Known { accounts, unpublished } = &mut *known;
        let mut turned = Vec::new();
        for (user_id, account) in accounts.iter_mut().filter(|(_, account)| !account.holds_at(now_ms)) {
            let before = account.state.until_ms;
            (account.state, account.since_ms) = (account.plan.at(now_ms), now_ms);
            if account.state.until_ms != before {
                turned.push((*user_id, account.state.until_ms));
            }
        }
        unpublished.extend(turned.iter().map(|(user_id, _)| *user_id));
        self.users.set(turned);
        unpublished.iter().copied().collect()
    }

    /// Notes that it was published to the connections of these users, and that the accounts of some of them are deleted.
    pub fn published(&self, users: &[UserId], deleted: &[UserId]) {
        let mut known = self.known();
        for user_id in users {
            known.unpublished.remove(user_id);
        }
        for user_id in deleted {
            known.accounts.remove(user_id);
        }
        self.users.set(deleted.iter().map(|user_id| (*user_id, None)));
    }

    /// Returns when quiet hours begin or end next, in milliseconds since 1970 UTC; None if nobody has any.
    #[must_use]
    pub fn next_turn_ms(&self) -> Option<i64> {
        self.known().accounts.values().map(|account| account.state.changes_at_ms).min()
    }

    /// Returns whether a user is in quiet hours.
    #[must_use]
    pub fn is_quiet(&self, user_id: UserId) -> bool {
        self.users.until_ms(user_id).is_some()
    }

    /// Makes an account what its user may be sent now: it says until when their quiet hours last, and in them not that
    /// something is unread or waits.
    pub fn hide(&self, me: &mut Me) {
        me.quiet_until_ms = self.users.until_ms(me.id);
        if me.quiet_until_ms.is_some() {
            hide_dots(me);
        }
    }
}

/// Makes an account say neither that a notification is unseen nor that a report is open.
pub fn hide_dots(me: &mut Me) {
    (me.has_unread, me.has_reports) = (false, false);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::examples::{ANA, BEN, me};
    use crate::zones::ms_of;

    /// From 22:00 to 07:00 every day.
    fn nights(zone: &str) -> QuietHours {
        QuietHours::kept(true, "22:00".into(), "07:00".into(), 127, zone.into())
    }

    fn service(all: Vec<(UserId, QuietHours)>, now: &str) -> QuietService {
        QuietService::new(Arc::default(), all, ms_of(now))
    }

    /// Turns at this time. Returns to whom it must be published.
    fn turn(service: &QuietService, now: &str) -> Vec<UserId> {
        service.turn(ms_of(now))
    }

    #[test]
    fn quiet_hours_begin_and_end_for_those_whose_time_it_is() {
        let service =
            service(vec![(ANA, nights("Europe/Berlin")), (BEN, nights("UTC"))], "2026-03-01T20:00:00Z");
        let quiet = || [ANA, BEN].map(|user_id| service.is_quiet(user_id));
        assert_eq!(quiet(), [false, false]);
        for (now, turned, expected) in [
            ("2026-03-01T20:59:59.999Z", vec![], [false, false]),
            ("2026-03-01T21:00:00Z", vec![ANA], [true, false]),
            ("2026-03-01T21:30:00Z", vec![], [true, false]),
            ("2026-03-01T22:00:00Z", vec![BEN], [true, true]),
            ("2026-03-02T06:00:00Z", vec![ANA], [false, true]),
            ("2026-03-02T07:00:00Z", vec![BEN], [false, false]),
        ] {
            assert_eq!(turn(&service, now), turned, "{now}");
            assert_eq!(quiet(), expected, "{now}");
            service.published(&turned, &[]);
        }
    }

    #[test]
    fn the_clock_decides_after_a_restart_and_when_it_was_set() {
        let all = || vec![(ANA, nights("UTC"))];
        assert!(service(all(), "2026-03-01T23:00:00Z").is_quiet(ANA), "the server was down when they began");
        assert!(!service(all(), "2026-03-02T08:00:00Z").is_quiet(ANA), "and when they ended");
        let service = service(all(), "2026-03-01T12:00:00Z");
        for (now, is_quiet) in [
            // The machine slept over the beginning, and over a whole night.
            ("2026-03-02T01:00:00Z", true),
            ("2026-03-03T12:00:00Z", false),
            // The clock was set back into a night, before it, and by a year.
            ("2026-03-02T06:59:00Z", true),
            ("2026-03-01T21:59:00Z", false),
            ("2025-03-01T23:00:00Z", true),
        ] {
            assert_eq!(turn(&service, now), [ANA], "{now}");
            assert_eq!(service.is_quiet(ANA), is_quiet, "{now}");
            service.published(&[ANA], &[]);
        }
    }

    #[test]
    fn a_turn_that_could_not_be_published_is_named_again() {
        let service = service(vec![(ANA, nights("UTC"))], "2026-03-01T12:00:00Z");
        assert_eq!(turn(&service, "2026-03-01T22:00:00Z"), [ANA]);
        assert_eq!(turn(&service, "2026-03-01T22:00:01Z"), [ANA], "the write failed");
        service.published(&[ANA], &[]);
        assert!(turn(&service, "2026-03-01T22:00:02Z").is_empty());
    }

    #[test]
    fn what_an_account_saves_counts_at_once() {
        let service = service(Vec::new(), "2026-03-01T23:00:00Z");
        let now_ms = ms_of("2026-03-01T23:00:00Z");
        let knows = |hours: Option<&QuietHours>| {
            service.know(ANA, hours, now_ms);
            (service.is_quiet(ANA), service.next_turn_ms())
        };
        let ends = |text| Some(ms_of(text));
        assert_eq!(knows(Some(&nights("UTC"))), (true, ends("2026-03-02T07:00:00Z")));
        assert_eq!(knows(Some(&nights("America/New_York"))), (false, ends("2026-03-02T03:00:00Z")));
        assert_eq!(knows(Some(&nights("UTC"))), (true, ends("2026-03-02T07:00:00Z")));
        assert_eq!(knows(Some(&QuietHours { on: false, ..nights("UTC") })), (false, None));
        assert_eq!(knows(None), (false, None));
        assert!(turn(&service, "2026-03-01T23:00:00Z").is_empty(), "the account itself was published");
    }

    #[test]
    fn a_deleted_account_is_forgotten() {
        let service = service(vec![(ANA, nights("UTC")), (BEN, nights("UTC"))], "2026-03-01T12:00:00Z");
        assert_eq!(turn(&service, "2026-03-01T22:00:00Z"), [ANA, BEN]);
        service.published(&[ANA, BEN], &[BEN]);
        assert_eq!([ANA, BEN].map(|user_id| service.is_quiet(user_id)), [true, false]);
        assert_eq!(turn(&service, "2026-03-02T07:00:00Z"), [ANA]);
    }

    #[test]
    fn d_u3_an_account_in_quiet_hours_says_until_when_and_has_no_dots() {
        let service = service(vec![(ANA, nights("UTC"))], "2026-03-01T12:00:00Z");
        let hidden = || {
            let mut me = me();
            service.hide(&mut me);
            (me.quiet_until_ms, me.has_unread, me.has_reports)
        };
        assert_eq!(hidden(), (None, true, true));
        service.published(&turn(&service, "2026-03-01T22:00:00Z"), &[]);
        assert_eq!(hidden(), (Some(ms_of("2026-03-02T07:00:00Z")), false, false));
    }
}

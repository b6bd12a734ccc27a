//! The SQL of moods: shares one, lists those of today, and deletes those that have ended.

use super::rules::{Marks, Moment, check};
use super::wire::{Changed, Day, Listed, Mood, Shared, Slot};
use crate::authz;
use crate::db::command::{KeyUse, Transaction, WriteCommand, keyed};
use crate::db::sql::{Sql, from_row};
use crate::error::Error;
use crate::features::events::Event;
use crate::ids::{Seq, UserId};
use crate::limits::{MOOD_MARK_LIFE_MS, MOODS_DAY_MS, MOODS_LISTED_MAX, PURGE_ROWS_MAX};
use crate::model::archive::{ArchiveFile, time};
use crate::model::audience::{Audience, listeners_of};
use crate::model::users::users_named;
use crate::zones::Zone;

/// The stored facts about the day of a user at one moment.
struct Own {
    has_slot: bool,
    has_later_date: bool,
    within_a_day: i64,
    morning: Option<String>,
    evening: Option<String>,
}

from_row!(Own { has_slot, has_later_date, within_a_day, morning, evening });

impl Own {
    fn read(sql: Sql<'_>, user_id: UserId, moment: &Moment, now_ms: i64) -> Result<Self, Error> {
        let own = sql.row(
            "select exists (select 1 from mood_marks where user_id = ?1 and local_date = ?2 and slot = ?3)
                      as has_slot,
                    exists (select 1 from mood_marks where user_id = ?1 and local_date > ?2) as has_later_date,
                    (select count(*) from mood_marks where user_id = ?1 and made_at_ms > ?4) as within_a_day,
                    (select mood from moods where user_id = ?1 and local_date = ?2 and slot = 'morning'
                        and expires_at_ms > ?5) as morning,
                    (select mood from moods where user_id = ?1 and local_date = ?2 and slot = 'evening'
                        and expires_at_ms > ?5) as evening",
            (user_id, moment.date.to_string(), moment.slot, now_ms - MOODS_DAY_MS, now_ms),
        )?;
        Ok(own)
    }

    fn marks(&self) -> Marks {
        let Self { has_slot, has_later_date, within_a_day, .. } = *self;
        Marks { has_slot, has_later_date, within_a_day }
    }

    fn day(self, moment: &Moment) -> Day {
        let open = self.marks().allow_mood();
        let Self { morning, evening, .. } = self;
        Day { slot: moment.slot, slot_ends_at_ms: moment.slot_ends_at_ms, open, morning, evening }
    }
}

/// Shares a mood.
pub struct Set {
    pub key: KeyUse,
    pub user_id: UserId,
    /// The slot for which the grid was opened.
    pub slot: Slot,
    pub mood: &'static str,
    pub zone: Zone,
}

impl WriteCommand for Set {
    type Event = Event;
    type Value = Shared;

    keyed!();

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Shared, Error> {
        let (sql, now_ms, user_id) = (transaction.sql, transaction.now_ms, self.user_id);
        let moment = Moment::of(&self.zone, now_ms);
        let own = Own::read(sql, user_id, &moment, now_ms)?;
        check(self.slot, &moment, &own.marks())?;
        let date = moment.date.to_string();
        sql.execute(
            "insert into mood_marks (user_id, local_date, slot, made_at_ms) values (?1, ?2, ?3, ?4)",
            (user_id, &date, moment.slot, now_ms),
        )?;
        // The two moods of a date end together, at the midnight of the time zone that the owner named last.
        sql.execute(
            "update moods set expires_at_ms = ?4 where user_id = ?1 and local_date = ?2 and expires_at_ms > ?3",
            (user_id, &date, now_ms, moment.day_ends_at_ms),
        )?;
        sql.execute(
            "insert into moods (user_id, local_date, slot, mood, made_at_ms, expires_at_ms)
               values (?1, ?2, ?3, ?4, ?5, ?6)",
            (user_id, &date, moment.slot, self.mood, now_ms, moment.day_ends_at_ms),
        )?;
        let mine = Own::read(sql, user_id, &moment, now_ms)?.day(&moment);
        let mood = Mood {
            user_id,
            morning: mine.morning.clone(),
            evening: mine.evening.clone(),
            made_at_ms: now_ms,
            expires_at_ms: moment.day_ends_at_ms,
        };
        let users = users_named(sql, user_id, [user_id])?;
        let recipients = listeners_of(sql, user_id, Audience::Public {})?;
        transaction.publish(Event::MoodChanged(Changed { mood, users, recipients }));
        Ok(Shared { mine, seq: transaction.seq() })
    }
}

/// Reads the moods of the users whom the viewer follows. The user who shared last comes first.
///
/// Arguments: 1 the viewer, 2 the time, 3 the number of rows. The condition is that of `authz::may_see_mood`;
/// `testing/audiences.rs` compares the two.
const FOLLOWED: &str = concat!(
    "select m.user_id, max(iif(m.slot = 'morning', m.mood, null)) as morning,
                max(iif(m.slot = 'evening', m.mood, null)) as evening,
                max(m.made_at_ms) as made_at_ms, max(m.expires_at_ms) as expires_at_ms
           from follows f cross join moods m on m.user_id = f.followed_id
          where f.follower_id = ?1 and m.expires_at_ms > ?2 and ",
    authz::sql::may_meet!("f.followed_id", "?1"),
    " and not ",
    authz::sql::is_muted!("f.followed_id", "?1"),
    " and m.local_date = (select max(local_date) from moods
                                 where user_id = f.followed_id and expires_at_ms > ?2)
          group by m.user_id order by 4 desc, 1 limit ?3"
);

from_row!(Mood { user_id, morning, evening, made_at_ms, expires_at_ms });

/// Returns the viewer's day, and the moods of followed users that have not ended at `now_ms`.
///
/// # Errors
/// A database fault.
pub fn today(sql: Sql<'_>, user_id: UserId, zone: &Zone, now_ms: i64, seq: Seq) -> Result<Listed, Error> {
    let moment = Moment::of(zone, now_ms);
    let mine = Own::read(sql, user_id, &moment, now_ms)?.day(&moment);
    let moods: Vec<Mood> = sql.rows(FOLLOWED, (user_id, now_ms, MOODS_LISTED_MAX))?;
    let users = users_named(sql, user_id, moods.iter().map(|mood| mood.user_id))?;
    Ok(Listed { mine, moods, users, seq })
}

/// Returns the latest plausible end of a mood. If the clock was once far ahead, moods have later ends. Without this
/// limit they would stay until then, and their owners could share none.
fn too_far_ahead(now_ms: i64) -> i64 {
    now_ms.saturating_add(2 * MOOD_MARK_LIFE_MS)
}

/// Returns whether [`Purge`] has something to delete.
///
/// # Errors
/// A database fault.
pub fn is_due(sql: Sql<'_>, now_ms: i64) -> Result<bool, Error> {
    let is_due = sql.value(
        "select exists (select 1 from moods where expires_at_ms <= ?1 or expires_at_ms > ?3)
             or exists (select 1 from mood_marks where made_at_ms <= ?2 or made_at_ms > ?3)",
        (now_ms, now_ms - MOOD_MARK_LIFE_MS, too_far_ahead(now_ms)),
    )?;
    Ok(is_due)
}

/// Deletes some moods whose day has ended, and erases the stored replies with them. Also deletes marks that are no
/// longer needed, and what a clock that was far ahead left.
pub struct Purge {
    /// The time with which [`is_due`] was asked.
    pub now_ms: i64,
}

impl WriteCommand for Purge {
    type Event = Event;
    type Value = ();

    fn is_housekeeping(&self) -> bool {
        true
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<(), Error> {
        let (sql, now_ms) = (transaction.sql, self.now_ms);
        let forgotten_ms = now_ms - MOOD_MARK_LIFE_MS;
        let ahead_ms = too_far_ahead(now_ms);
        // A mood whose end is too far ahead ends now.
        sql.execute(
            "update moods set expires_at_ms = ?1 where (user_id, local_date, slot) in
               (select user_id, local_date, slot from moods where expires_at_ms > ?2 limit ?3)",
            (now_ms, ahead_ms, PURGE_ROWS_MAX),
        )?;
        sql.execute(
            "update mood_marks set made_at_ms = ?1 where (user_id, local_date, slot) in
               (select user_id, local_date, slot from mood_marks where made_at_ms > ?2 limit ?3)",
            (forgotten_ms, ahead_ms, PURGE_ROWS_MAX),
        )?;
        // The reply to a mood of the evening also has the mood of the morning. The two end together.
        sql.execute(
            "update keys set answer = x'' where (user_id, key) in
               (select k.user_id, k.key
                  from (select user_id, made_at_ms, mood from moods
                         where expires_at_ms <= ?1
                         order by expires_at_ms limit ?2) m
                 cross join keys k on k.user_id = m.user_id and k.made_at_ms = m.made_at_ms
                 where instr(k.answer, cast(m.mood as blob)) > 0)",
            (now_ms, PURGE_ROWS_MAX),
        )?;
        sql.execute(
            "delete from moods where (user_id, local_date, slot) in
               (select user_id, local_date, slot from moods
                 where expires_at_ms <= ?1
                 order by expires_at_ms limit ?2)",
            (now_ms, PURGE_ROWS_MAX),
        )?;
        sql.execute(
            "delete from mood_marks where (user_id, local_date, slot) in
               (select user_id, local_date, slot from mood_marks
                 where made_at_ms <= ?1
                 order by made_at_ms limit ?2)",
            (forgotten_ms, PURGE_ROWS_MAX),
        )?;
        Ok(())
    }
}

/// The files that this feature adds to the archive of a user.
pub const ARCHIVE: &[ArchiveFile] = &[ArchiveFile::new(
    "moods.json",
    "your moods of today",
    concat!(
        "select m.made_at_ms, json_object('date', m.local_date, 'slot', m.slot, 'mood', m.mood,
                'shared_at', ",
        time!("m.made_at_ms"),
        ")
               from moods m where m.user_id = ?1 and m.made_at_ms < ?2 and m.expires_at_ms > ?4
              order by m.made_at_ms desc limit ?3"
    ),
)];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::readers::Snapshot;
    use crate::error::Refusal;
    use crate::testing::database::{ANA, BEN, CLEO, NOW_MS, TestDatabase, key, receivers, with_database};

    /// Returns the moment in UTC at which these tests happen.
    fn now() -> Moment {
        Moment::of(&Zone::named("UTC").unwrap(), NOW_MS)
    }

    fn share(user_id: UserId, number: u8, mood: &'static str) -> Set {
        let zone = Zone::named("UTC").unwrap();
        Set { key: key(user_id, number, &[mood.as_bytes()]), user_id, slot: now().slot, mood, zone }
    }

    fn follows(db: &TestDatabase, follower_id: UserId, followed_id: UserId) {
        let id = follower_id.0 * 10 + followed_id.0;
        let (follower, followed) = (follower_id.0, followed_id.0);
        db.execute(&format!(
            "insert into follows (follower_id, followed_id, id) values ({follower}, {followed}, {id})"
        ))
        .unwrap();
    }

    async fn list(db: &TestDatabase, user_id: UserId) -> Listed {
        let zone = Zone::named("UTC").unwrap();
        db.read(move |Snapshot { sql, seq }| today(sql, user_id, &zone, NOW_MS, seq)).await
    }

    #[test]
    fn r6_live_events_agree_with_reads() {
        with_database(|db| async move {
            follows(&db, CLEO, ANA);
            follows(&db, BEN, ANA);
            db.write(share(ANA, 1, "Mind Blown")).await.unwrap();
            let published = db.published();
            let [Event::MoodChanged(changed)] = &published[..] else { panic!("{published:?}") };
            assert_eq!(changed.recipients[..], [ANA, BEN, CLEO]);
            assert_eq!(receivers(&published[0], &[ANA, BEN, CLEO, UserId(4)], true), [ANA, BEN, CLEO]);
            assert_eq!(changed.users[0].name, "Ana");
            assert_eq!(changed.mood.expires_at_ms, now().day_ends_at_ms);
            for follower in [BEN, CLEO] {
                let listed = list(&db, follower).await;
                assert_eq!(listed.moods, std::slice::from_ref(&changed.mood));
                assert_eq!(listed.users.len(), 1);
                assert!(listed.mine.open);
            }
            let own = list(&db, ANA).await;
            assert!(own.moods.is_empty(), "one's own is not among those of others");
            assert!(!own.mine.open);
            assert_eq!(db.write(share(ANA, 2, "Cozy")).await, Err(Refusal::MoodSet));
            assert!(db.published().is_empty());
        });
    }

    #[test]
    fn d_e9_three_moods_within_a_day_are_the_limit_in_any_zone() {
        with_database(|db| async move {
            let day = |days: i64| NOW_MS - days * 3_600_000;
            for (date, slot, hours) in
                [("2019-01-01", "evening", 23), ("2019-01-02", "morning", 2), ("2019-01-02", "evening", 1)]
            {
                db.execute(&format!(
                    "insert into mood_marks (user_id, local_date, slot, made_at_ms)
                       values (1, '{date}', '{slot}', {})",
                    day(hours)
                ))
                .unwrap();
            }
            assert_eq!(db.write(share(ANA, 1, "Cozy")).await, Err(Refusal::MoodSet));
            assert!(!list(&db, ANA).await.mine.open);
            db.execute(&format!(
                "update mood_marks set made_at_ms = {} where local_date = '2019-01-01'",
                day(24)
            ))
            .unwrap();
            assert!(list(&db, ANA).await.mine.open);
            db.write(share(ANA, 1, "Cozy")).await.unwrap();
        });
    }

    #[test]
    fn d_e5_each_user_has_one_row_with_both_moods_of_the_newest_date() {
        with_database(|db| async move {
            follows(&db, CLEO, ANA);
            follows(&db, CLEO, BEN);
            for (user, date, slot, mood, ago, left) in [
                (1, "2020-01-01", "evening", "Sad", 9, 5),
                (1, "2020-01-02", "morning", "Cozy", 8, 5),
                (1, "2020-01-02", "evening", "Quiet", 1, 5),
                (2, "2020-01-01", "morning", "Meh", 7, 0),
                (2, "2020-01-01", "evening", "Strong", 2, 5),
                // Cleo does not follow this user.
                (3, "2020-01-01", "evening", "Loved", 0, 5),
            ] {
                db.execute(&format!(
                    "insert into moods (user_id, local_date, slot, mood, made_at_ms, expires_at_ms)
                       values ({user}, '{date}', '{slot}', '{mood}', {NOW_MS} - {ago}, {NOW_MS} + {left})"
                ))
                .unwrap();
            }
            let moods = list(&db, CLEO).await.moods;
            let said: Vec<_> = moods
                .iter()
                .map(|mood| {
                    (mood.user_id, mood.morning.as_deref(), mood.evening.as_deref(), NOW_MS - mood.made_at_ms)
                })
                .collect();
            assert_eq!(said, [(ANA, Some("Cozy"), Some("Quiet"), 1), (BEN, None, Some("Strong"), 2)]);
        });
    }

    #[test]
    fn d_e7_a_day_that_is_over_leaves_only_the_mark_that_a_mood_was_shared() {
        with_database(|db| async move {
            db.write(share(ANA, 1, "Hopeful")).await.unwrap();
            db.write(share(BEN, 1, "Hopeful")).await.unwrap();
            let due = async |now_ms| db.read(move |Snapshot { sql, .. }| is_due(sql, now_ms)).await;
            let count = async |sql| db.number(sql).await;
            let ends = now().day_ends_at_ms;
            assert!(!due(ends - 1).await);
            db.write(Purge { now_ms: ends - 1 }).await.unwrap();
            assert_eq!(count("select count(*) from moods").await, 2);
            db.execute("update moods set expires_at_ms = expires_at_ms + 1 where user_id = 2").unwrap();
            assert!(due(ends).await);
            db.write(Purge { now_ms: ends }).await.unwrap();
            assert!(!due(ends).await);
            assert_eq!(count("select sum(user_id) from moods").await, 2);
            // The stored reply of Ana's key is erased too. Ben's is unchanged.
            assert_eq!(db.write(share(ANA, 1, "Hopeful")).await, Err(Refusal::NotFound));
            assert!(db.write(share(BEN, 1, "Hopeful")).await.is_ok());
            let words = "select count(*) from keys where instr(answer, cast('Hopeful' as blob)) > 0";
            assert_eq!(count(words).await, 1);

            assert_eq!(count("select count(*) from mood_marks").await, 2);
            let forgotten = NOW_MS + MOOD_MARK_LIFE_MS;
            db.write(Purge { now_ms: forgotten - 1 }).await.unwrap();
            assert_eq!(count("select count(*) from mood_marks").await, 2);
            db.write(Purge { now_ms: forgotten }).await.unwrap();
            let rows = "select (select count(*) from mood_marks) + (select count(*) from moods)";
            assert_eq!(count(rows).await, 0);
            assert!(!due(forgotten).await);
        });
    }

    #[test]
    fn after_a_clock_was_far_ahead_moods_end_and_everybody_can_share() {
        with_database(|db| async move {
            follows(&db, BEN, ANA);
            let year_ms = 365 * MOODS_DAY_MS;
            db.write(share(ANA, 1, "Cozy")).await.unwrap();
            db.execute("update mood_marks set local_date = '2099-01-01'").unwrap();
            let later = format!("made_at_ms = made_at_ms + {year_ms}");
            db.execute(&format!("update mood_marks set {later}")).unwrap();
            let ends = format!("expires_at_ms = expires_at_ms + {year_ms}");
            db.execute(&format!("update moods set {later}, {ends}")).unwrap();
            assert_eq!(db.write(share(ANA, 2, "Quiet")).await, Err(Refusal::MoodSet));
            assert_eq!(list(&db, BEN).await.moods.len(), 1);
            let due = async || db.read(|Snapshot { sql, .. }| is_due(sql, NOW_MS)).await;
            assert!(due().await);
            db.write(Purge { now_ms: NOW_MS }).await.unwrap();
            assert!(!due().await);
            assert!(list(&db, BEN).await.moods.is_empty());
            assert!(db.write(share(ANA, 3, "Quiet")).await.is_ok());
            assert!(!due().await, "what is of today stays");
        });
    }

    #[test]
    fn the_list_of_moods_scans_no_whole_table() {
        with_database(|db| async move {
            let plan = db.plan(FOLLOWED);
            assert!(!plan.iter().any(|step| step.starts_with("SCAN")), "{plan:?}");
        });
    }
}

//! The SQL of quiet hours, which are columns of `users`.

use super::wire::Saved;
use crate::db::command::{KeyUse, Transaction, WriteCommand, keyed};
use crate::db::sql::Sql;
use crate::error::{Error, Refusal};
use crate::features::account::wire as account;
use crate::features::events::Event;
use crate::ids::UserId;
use crate::model::me::me;
use crate::model::quiet::{QuietHours, Weekday};

/// Sets the quiet hours of a user.
pub struct Set {
    pub key: KeyUse,
    pub user_id: UserId,
    pub quiet_hours: QuietHours,
}

impl WriteCommand for Set {
    type Event = Event;
    type Value = Saved;

    keyed!();

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Saved, Error> {
        let (sql, hours) = (transaction.sql, &self.quiet_hours);
        let is_there: bool =
            sql.value("select exists (select 1 from users where id = ?1)", (self.user_id,))?;
        if !is_there {
            return Err(Refusal::NotSignedIn.into());
        }
        let changed = sql.execute(
            "update users set quiet_on = ?2, quiet_from = ?3, quiet_to = ?4, quiet_days = ?5, quiet_zone = ?6
              where id = ?1
                and (quiet_on, quiet_from, quiet_to, quiet_days, quiet_zone) is not (?2, ?3, ?4, ?5, ?6)",
            (self.user_id, hours.on, &hours.from, &hours.to, Weekday::bits(&hours.days), &hours.zone),
        )?;
        if changed > 0 {
            transaction.publish(Event::AccountChanged(account::Changed::of(me(sql, self.user_id)?)));
        } else {
            transaction.changes_nothing();
        }
        Ok(Saved { quiet_hours: hours.clone(), seq: transaction.seq() })
    }
}

/// Publishes the accounts of users whose quiet hours began or ended.
pub struct Turn {
    /// The users, and whether they are connected. The others receive their account when they connect.
    pub users: Vec<(UserId, bool)>,
}

impl WriteCommand for Turn {
    type Event = Event;
    /// The users whose accounts were deleted.
    type Value = Vec<UserId>;

    fn is_housekeeping(&self) -> bool {
        true
    }

    fn weight_bytes(&self) -> usize {
        256 + size_of_val(&self.users[..])
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Vec<UserId>, Error> {
        let sql = transaction.sql;
        let mut deleted = Vec::new();
        for (user_id, is_connected) in &self.users {
            let is_there: bool =
                sql.value("select exists (select 1 from users where id = ?1)", (user_id,))?;
            if !is_there {
                deleted.push(*user_id);
            } else if *is_connected {
                transaction.publish(Event::AccountChanged(account::Changed::of(me(sql, *user_id)?)));
            }
        }
        Ok(deleted)
    }
}

/// Returns all quiet hours that are switched on, with their users.
///
/// # Errors
/// A database fault.
pub fn all(sql: Sql<'_>) -> Result<Vec<(UserId, QuietHours)>, Error> {
    let rows: Vec<(UserId, String, String, i64, String)> = sql
        .rows("select id, quiet_from, quiet_to, quiet_days, quiet_zone from users where quiet_on = 1", ())?;
    let kept = |(user_id, from, to, days, zone)| (user_id, QuietHours::kept(true, from, to, days, zone));
    Ok(rows.into_iter().map(kept).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::database::{ANA, BEN, TestDatabase, key, with_database};

    fn hours(on: bool, to: &str) -> QuietHours {
        QuietHours::kept(on, "22:00".into(), to.into(), 65, "Europe/Berlin".into())
    }

    fn set(user_id: UserId, number: u8, quiet_hours: QuietHours) -> Set {
        Set { key: key(user_id, number, &[]), user_id, quiet_hours }
    }

    /// Returns the quiet hours in the accounts that were published since the last call.
    fn published(db: &TestDatabase) -> Vec<(UserId, Option<QuietHours>)> {
        let of = |event| match event {
            Event::AccountChanged(account::Changed { me, .. }) => (me.id, me.quiet_hours),
            other => panic!("{other:?}"),
        };
        db.published().into_iter().map(of).collect()
    }

    #[test]
    fn quiet_hours_are_replaced_and_published_to_their_user() {
        with_database(|db| async move {
            for (number, hours) in
                [(1, hours(true, "07:00")), (2, hours(true, "06:30")), (3, hours(false, "06:30"))]
            {
                db.write(set(ANA, number, hours.clone())).await.unwrap();
                assert_eq!(published(&db), [(ANA, Some(hours))]);
            }
            // The same again, and a retry of the first.
            db.write(set(ANA, 4, hours(false, "06:30"))).await.unwrap();
            db.write(set(ANA, 1, hours(true, "07:00"))).await.unwrap();
            assert!(published(&db).is_empty());
        });
    }

    #[test]
    fn only_those_that_are_switched_on_are_read_at_the_start() {
        with_database(|db| async move {
            db.write(set(ANA, 1, hours(true, "07:00"))).await.unwrap();
            db.write(set(BEN, 1, hours(false, "07:00"))).await.unwrap();
            let read = db.read(|snapshot| all(snapshot.sql)).await;
            assert_eq!(read, [(ANA, hours(true, "07:00"))]);
        });
    }

    #[test]
    fn a_turn_is_published_to_those_who_are_connected_and_names_those_who_are_gone() {
        with_database(|db| async move {
            let gone = UserId(9);
            let done =
                db.submit(Turn { users: vec![(ANA, true), (BEN, false), (gone, true)] }).await.unwrap();
            assert_eq!(done.value, Some(vec![gone]));
            assert_eq!(published(&db), [(ANA, None)]);
        });
    }

    #[test]
    fn the_schema_itself_refuses_what_the_rules_refuse() {
        with_database(|db| async move {
            let kept = "quiet_zone = 'UTC', quiet_from = '22:00', quiet_to = '07:00', quiet_days = 127";
            db.execute(&format!("update users set {kept}, quiet_on = 1 where id = 1")).unwrap();
            for odd in [
                "quiet_to = '22:00'",
                "quiet_to = '24:00'",
                "quiet_from = '7:00'",
                "quiet_from = '07:60'",
                "quiet_days = 0",
                "quiet_days = 128",
                "quiet_zone = ''",
                "quiet_zone = null",
                "quiet_on = 2",
            ] {
                assert!(db.execute(&format!("update users set {odd} where id = 1")).is_err(), "{odd}");
            }
            assert!(db.execute("update users set quiet_on = 1 where id = 2").is_err(), "without any");
        });
    }
}

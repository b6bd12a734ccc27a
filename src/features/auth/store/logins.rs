//! The SQL of the list of logins.

use crate::db::command::{KeyUse, Transaction, WriteCommand, deletes, keyed};
use crate::db::sql::{Sql, from_row};
use crate::error::{Error, Refusal};
use crate::features::auth::wire::Ended;
use crate::features::auth::wire::{Done, Login};
use crate::features::events::Event;
use crate::ids::{LoginId, UserId};
use crate::limits::{LOGIN_IDLE_MS_MAX, LOGIN_LIFE_MS_MAX, LOGINS_PER_USER};

from_row!(Login { id, device, created_at_ms, used_at_ms, current });

/// Returns the valid logins of a user, the one that was used last first.
///
/// # Errors
/// A database fault.
pub fn list(sql: Sql<'_>, user_id: UserId, current: LoginId, now_ms: i64) -> Result<Vec<Login>, Error> {
    let logins = sql.rows(
        "select id, device, created_at_ms, used_at_ms, id = ?2 as current from logins
          where user_id = ?1 and used_at_ms >= ?3 and created_at_ms >= ?4
          order by used_at_ms desc, id desc limit ?5",
        (user_id, current, now_ms - LOGIN_IDLE_MS_MAX, now_ms - LOGIN_LIFE_MS_MAX, LOGINS_PER_USER),
    )?;
    Ok(logins)
}

/// Ends every login of a user except `kept`. Their connections close with the commit. Returns whether there was such a
/// login.
///
/// # Errors
/// A database fault.
pub fn end_all(
    transaction: &mut Transaction<'_, Event>,
    user_id: UserId,
    kept: Option<LoginId>,
) -> Result<bool, Error> {
    let ended: Vec<LoginId> = transaction
        .sql
        .values("delete from logins where user_id = ?1 and id is not ?2 returning id", (user_id, kept))?;
    let any = !ended.is_empty();
    for login_id in ended {
        transaction.publish(Event::LoginEnded(Ended::elsewhere(login_id)));
    }
    Ok(any)
}

/// Ends all logins of a user except the one that asks.
pub struct LogOutOthers {
    pub key: KeyUse,
    pub user_id: UserId,
    pub login_id: LoginId,
}

impl WriteCommand for LogOutOthers {
    type Event = Event;
    type Value = Done;

    keyed!();

    deletes!(Content);

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Done, Error> {
        // A login that was ended meanwhile may not end others.
        let lives: bool = transaction.sql.value(
            "select exists (select 1 from logins where id = ?1 and user_id = ?2)",
            (self.login_id, self.user_id),
        )?;
        if !lives {
            return Err(Refusal::NotSignedIn.into());
        }
        if !end_all(transaction, self.user_id, Some(self.login_id))? {
            transaction.changes_nothing();
        }
        Ok(Done {})
    }
}

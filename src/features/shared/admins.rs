//! Admins, and the log of what they and commands of the host change.
//!
//! Guarantees:
//! - Whether a user is an admin is read in the snapshot or the transaction of each request.
//! - A change is logged in its own transaction: when, who, what and whom, without content.
//! - Open pages of admins receive an event when something changed, and then read it again.

use std::collections::BTreeSet;

use crate::authz;
use crate::db::command::Transaction;
use crate::db::sql::Sql;
use crate::error::{Error, Refusal};
pub use crate::features::admin::wire::Act;
use crate::features::admin::wire::Changed;
use crate::features::events::Event;
use crate::features::shared::{people, reports};
use crate::ids::UserId;

/// Who makes a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actor {
    Admin(UserId),
    /// A command on this machine.
    CommandLine,
}

/// Returns whether a user is an admin now.
///
/// # Errors
/// A database fault.
pub fn is_admin(sql: Sql<'_>, user_id: UserId) -> Result<bool, Error> {
    let is_admin =
        sql.value("select exists (select 1 from users where id = ?1 and is_admin = 1)", (user_id,))?;
    Ok(is_admin)
}

/// Checks that the actor is an admin or a command.
///
/// # Errors
/// [`Refusal::NotFound`] for anybody else.
pub fn require(sql: Sql<'_>, actor: Actor) -> Result<(), Error> {
    let may = match actor {
        Actor::CommandLine => true,
        Actor::Admin(user_id) => authz::may_administer(is_admin(sql, user_id)?),
    };
    if may { Ok(()) } else { Err(Refusal::NotFound.into()) }
}

/// Publishes to admins that something on their pages has changed.
///
/// # Errors
/// A database fault.
pub fn changed(transaction: &mut Transaction<'_, Event>) -> Result<(), Error> {
    let admins = ids(transaction.sql)?;
    if !admins.is_empty() {
        transaction.publish(Event::AdminChanged(Changed { admins, has_demoted: false }));
    }
    Ok(())
}

/// Logs a change, and publishes to admins that something changed. `user_id` is the user whose account the change
/// concerns.
///
/// # Errors
/// A database fault.
pub fn log(
    transaction: &mut Transaction<'_, Event>,
    actor: Actor,
    act: Act,
    user_id: Option<UserId>,
) -> Result<(), Error> {
    let admin_id = match actor {
        Actor::Admin(admin_id) => Some(admin_id),
        Actor::CommandLine => None,
    };
    transaction.sql.execute(
        "insert into admin_log (at_ms, by_command, admin_id, act, user_id) values (?1, ?2, ?3, ?4, ?5)",
        (transaction.now_ms, actor == Actor::CommandLine, admin_id, act, user_id),
    )?;
    changed(transaction)
}

/// Publishes the own account of each admin for whom this write made the first open report or ended the last one. `had`
/// are the admins who had one before.
///
/// # Errors
/// A database fault.
pub fn reports_changed(
    transaction: &mut Transaction<'_, Event>,
    had: &BTreeSet<UserId>,
) -> Result<(), Error> {
    let sql = transaction.sql;
    let has = reports::admins_with_open(sql)?;
    for admin_id in ids(sql)?.into_iter().filter(|admin_id| had.contains(admin_id) != has.contains(admin_id))
    {
        transaction.publish(people::account_changed(sql, admin_id)?);
    }
    Ok(())
}

fn ids(sql: Sql<'_>) -> Result<Vec<UserId>, Error> {
    Ok(sql.values("select id from users where is_admin = 1", ())?)
}

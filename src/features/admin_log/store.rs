//! The SQL that reads who is an admin, and that writes the log.

use crate::authz;
use crate::db::command::Transaction;
use crate::db::sql::Sql;
use crate::error::{Error, Refusal};
use crate::features::admin::wire::{Act, Changed};
use crate::features::events::Event;
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
    let admins = admins(transaction.sql)?;
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

/// Returns the admins.
///
/// # Errors
/// A database fault.
pub fn admins(sql: Sql<'_>) -> Result<Vec<UserId>, Error> {
    Ok(sql.values("select id from users where is_admin = 1", ())?)
}

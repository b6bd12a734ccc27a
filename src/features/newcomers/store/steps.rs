//! The first steps of a new user: which of them are done, and who invited the user.
//!
//! Guarantee: a step that is done stays done. A new step is published to all connections of its user.

use crate::db::command::Transaction;
use crate::db::sql::Sql;
use crate::error::Error;
use crate::features::account::wire as account;
use crate::features::events::Event;
use crate::ids::UserId;
use crate::model::me::me;

/// One of the steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Photo,
    Follow,
    Invite,
    Answer,
}

/// Begins the first steps of a new account. The app offers the user to follow `inviter_id`.
///
/// # Errors
/// A database fault.
pub fn begin(sql: Sql<'_>, user_id: UserId, inviter_id: Option<UserId>) -> Result<(), Error> {
    sql.execute("insert into newcomers (user_id, inviter_id) values (?1, ?2)", (user_id, inviter_id))?;
    Ok(())
}

/// Notes that a user took a step, and publishes the account if the step is new.
///
/// # Errors
/// A database fault.
pub fn take(transaction: &mut Transaction<'_, Event>, user_id: UserId, step: Step) -> Result<(), Error> {
    let sql = transaction.sql;
    let note = match step {
        Step::Photo => "update newcomers set has_photo = 1 where user_id = ?1 and has_photo = 0",
        Step::Follow => "update newcomers set has_followed = 1 where user_id = ?1 and has_followed = 0",
        Step::Invite => "update newcomers set has_invited = 1 where user_id = ?1 and has_invited = 0",
        Step::Answer => "update newcomers set has_answered = 1 where user_id = ?1 and has_answered = 0",
    };
    if sql.execute(note, (user_id,))? > 0 {
        transaction.publish(Event::AccountChanged(account::Changed::of(me(sql, user_id)?)));
    }
    Ok(())
}

/// Notes that a user followed another. If the other is the inviter, the offer to follow the inviter ends too.
///
/// # Errors
/// A database fault.
pub fn follow(
    transaction: &mut Transaction<'_, Event>,
    user_id: UserId,
    followed_id: UserId,
) -> Result<(), Error> {
    let sql = transaction.sql;
    let changed = sql.execute(
        "update newcomers set has_followed = 1, inviter_id = nullif(inviter_id, ?2)
          where user_id = ?1 and (has_followed = 0 or inviter_id = ?2)",
        (user_id, followed_id),
    )?;
    if changed > 0 {
        transaction.publish(Event::AccountChanged(account::Changed::of(me(sql, user_id)?)));
    }
    Ok(())
}

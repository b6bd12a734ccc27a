//! The first steps of a new user: which are done, and who invited the user.
//!
//! Guarantee: what is done stays done. A step that is taken is published to all connections of its user.

use crate::db::command::Transaction;
use crate::db::sql::Sql;
use crate::error::Error;
use crate::features::events::Event;
use crate::features::shared::people;
use crate::features::shared::tags::Tag;
use crate::ids::UserId;

/// One of the steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Photo,
    Follow,
    Invite,
    Answer,
}

/// Begins the first steps of an account that is made now. `inviter_id` is offered to be followed.
///
/// # Errors
/// A database fault.
pub fn begin(sql: Sql<'_>, user_id: UserId, inviter_id: Option<UserId>) -> Result<(), Error> {
    sql.execute("insert into newcomers (user_id, inviter_id) values (?1, ?2)", (user_id, inviter_id))?;
    Ok(())
}

/// Notes that a user took a step, and publishes it if it is new.
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
        transaction.publish(people::account_changed(sql, user_id)?);
    }
    Ok(())
}

/// Notes that a user followed another. If that is the inviter, the question about the inviter is answered too.
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
        transaction.publish(people::account_changed(sql, user_id)?);
    }
    Ok(())
}

/// A day, and the tag that its theme has by the rotation.
#[derive(Clone, Debug, Default)]
pub struct ThemeDay {
    pub day: String,
    /// Applies if the host set no theme for that day.
    pub rotation_tag: Option<String>,
}

/// Returns whether a tag is the one of the theme of a day.
///
/// # Errors
/// A database fault.
pub fn answers(sql: Sql<'_>, tag: &Tag, theme: &ThemeDay) -> Result<bool, Error> {
    let set: Option<String> = sql.optional_value("select tag from themes where day = ?1", (&theme.day,))?;
    let theme = set.or_else(|| theme.rotation_tag.clone());
    let theme = theme.and_then(|tag| Tag::parse(&tag).ok().flatten());
    Ok(theme.is_some_and(|theme| theme.key == tag.key))
}

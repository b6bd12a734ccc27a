//! Invitations, for the features that use them: which of them work, who made them, and their use by a sign-up.

use crate::db::command::Transaction;
use crate::db::sql::{Sql, from_row};
use crate::error::{Error, Refusal};
use crate::features::events::Event;
use crate::features::invites::wire::{Changed, Invite};
use crate::features::shared::between::ANY_VIEWER;
use crate::features::shared::views::{User, users_named};
use crate::ids::UserId;

from_row!(Invite { code, created_at_ms, ends_at_ms, uses, uses_max });

/// Returns a user's invitations that have not ended, newest first.
///
/// # Errors
/// A database fault.
pub fn of(sql: Sql<'_>, maker_id: UserId, now_ms: i64) -> Result<Vec<Invite>, Error> {
    let invites = sql.rows(
        "select code, created_at_ms, ends_at_ms, uses, uses_max from invites
          where maker_id = ?1 and coalesce(ends_at_ms > ?2, 1) order by created_at_ms desc, code",
        (maker_id, now_ms),
    )?;
    Ok(invites)
}

/// Returns the event with the invitations of a user.
#[must_use]
pub fn changed(maker_id: UserId, invites: Vec<Invite>) -> Event {
    Event::InvitesChanged(Changed { invites, maker_id })
}

/// Returns the maker of an invitation that works for this viewer. The outer None means that none works; the inner None
/// is the host.
///
/// # Errors
/// A database fault.
pub fn maker_of(
    sql: Sql<'_>,
    viewer_id: UserId,
    code: &str,
    now_ms: i64,
) -> Result<Option<Option<User>>, Error> {
    let made: Option<(Option<UserId>,)> = sql.optional_row(
        "select maker_id from invites
          where code = ?1 and coalesce(ends_at_ms > ?2, 1) and coalesce(uses < uses_max, 1)",
        (code, now_ms),
    )?;
    let Some((maker_id,)) = made else { return Ok(None) };
    let maker = users_named(sql, viewer_id, maker_id)?.pop();
    // The invitations of a suspended user, or of a user whom the viewer may not meet, do not work.
    Ok((maker_id.is_none() || maker.is_some()).then_some(maker))
}

/// Counts a use of an invitation. Returns its maker; None for the host. It is called in the transaction that makes the
/// account.
///
/// # Errors
/// [`Refusal::InviteExpired`] if the invitation does not work; a database fault.
pub fn consume(transaction: &mut Transaction<'_, Event>, code: &str) -> Result<Option<User>, Error> {
    let (sql, now_ms) = (transaction.sql, transaction.now_ms);
    let maker = maker_of(sql, ANY_VIEWER, code, now_ms)?.ok_or(Refusal::InviteExpired)?;
    sql.execute("update invites set uses = uses + 1 where code = ?1", (code,))?;
    if let Some(maker) = &maker {
        transaction.publish(changed(maker.id, of(sql, maker.id, now_ms)?));
    }
    Ok(maker)
}

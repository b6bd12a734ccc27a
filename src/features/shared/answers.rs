//! The remembered answers of keys.

use crate::db::sql::Sql;
use crate::error::Error;
use crate::ids::UserId;

/// Erases the answers to a user that hold this. Their keys stay, so that no request is applied twice.
///
/// # Errors
/// A database fault.
pub fn erase(sql: Sql<'_>, user_id: UserId, part: &[u8]) -> Result<(), Error> {
    sql.execute(
        "update keys set answer = x'', group_id = null, followed_id = null, answer_outside = null
           where user_id = ?1 and instr(answer, ?2) > 0",
        (user_id, part),
    )?;
    Ok(())
}

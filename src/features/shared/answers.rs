//! The stored answers of keys, which repeated requests get again.

use crate::db::sql::Sql;
use crate::error::Error;
use crate::features::shared::mentions;
use crate::ids::UserId;
use crate::wire::codec;

/// Erases the answers to a user that contain these bytes. Their keys stay, so that no request is applied twice.
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

/// Erases the answers to others that name this user.
///
/// # Errors
/// A database fault.
pub fn erase_naming(sql: Sql<'_>, named: UserId) -> Result<(), Error> {
    sql.execute(
        "update keys set answer = x'', group_id = null, followed_id = null, answer_outside = null
           where user_id <> ?1 and (instr(answer, ?2) > 0 or instr(answer, ?3) > 0)",
        (named, codec::encode(&named)?, mentions::begin(named).as_bytes()),
    )?;
    Ok(())
}

//! The files of a user, and whether the login that fetches them is still there.

use crate::db::sql::Sql;
use crate::error::Error;
use crate::ids::{LoginId, UserId};
use crate::limits::EXPORT_PAGE;

/// Returns the paths of a user's files with ids after `after`, in the order of their ids: the larger size of each
/// picture, and its animated version.
///
/// # Errors
/// A database fault.
pub fn files(sql: Sql<'_>, user_id: UserId, after: i64) -> Result<Vec<(i64, String)>, Error> {
    let files = sql.rows(
        "select f.id, f.full_path from files f
          where f.owner_id = ?1 and f.id > ?2
            and (exists (select 1 from pictures i where i.screen_file_id = f.id)
                 or exists (select 1 from pictures i where i.motion_file_id = f.id)
                 or exists (select 1 from photos p where p.screen_file_id = f.id))
          order by f.id limit ?3",
        (user_id, after, EXPORT_PAGE),
    )?;
    Ok(files)
}

/// Returns whether this login still exists, and with it the account.
///
/// # Errors
/// A database fault.
pub fn has_login(sql: Sql<'_>, user_id: UserId, login_id: LoginId) -> Result<bool, Error> {
    let has_login = sql
        .value("select exists (select 1 from logins where id = ?2 and user_id = ?1)", (user_id, login_id))?;
    Ok(has_login)
}

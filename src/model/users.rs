//! Users by name, as messages name them.

use serde::Serialize;

use crate::authz;
use crate::db::sql::{Sql, from_row, list};
use crate::error::Error;
use crate::ids::UserId;

/// A user with the name. A message names each user once; its other parts carry ids.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct User {
    pub id: UserId,
    pub name: String,
    /// The address of the small size of the photo; None if the user has none, and the app shows initials.
    pub photo_url: Option<String>,
}

from_row!(User { id, name, photo_url });

/// Returns these users with their names, sorted by id. A missing id is a deleted account, or a user whom the viewer may
/// not meet.
///
/// # Errors
/// A database fault.
pub fn users_named(
    sql: Sql<'_>,
    viewer_id: UserId,
    ids: impl IntoIterator<Item = UserId>,
) -> Result<Vec<User>, Error> {
    let mut ids = ids.into_iter().peekable();
    if ids.peek().is_none() {
        return Ok(Vec::new());
    }
    let users = sql.rows(
        concat!(
            "select u.id, u.name, u.photo_url from users u where u.id in rarray(?1) and ",
            authz::sql::may_meet!("u.id", "?2"),
            " order by u.id"
        ),
        (list(ids), viewer_id),
    )?;
    Ok(users)
}

/// Returns the followers of a user, in no particular order.
///
/// # Errors
/// A database fault.
pub fn followers_of(sql: Sql<'_>, user_id: UserId) -> Result<Vec<UserId>, Error> {
    Ok(sql.values("select follower_id from follows where followed_id = ?1", (user_id,))?)
}

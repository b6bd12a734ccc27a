//! Groups by name, and their members.

use serde::Serialize;

use crate::db::sql::{Sql, from_row, list};
use crate::error::Error;
use crate::ids::{GroupId, UserId};

/// A group with its name. A message names each group once, and only to its members; its other parts carry ids.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct GroupName {
    pub id: GroupId,
    pub name: String,
    pub owner_id: UserId,
}

from_row!(GroupName { id, name, owner_id });

/// Returns these groups with their names, sorted by id. A missing id is a deleted group. The caller checks membership.
///
/// # Errors
/// A database fault.
pub fn groups_named(sql: Sql<'_>, ids: impl IntoIterator<Item = GroupId>) -> Result<Vec<GroupName>, Error> {
    let mut ids = ids.into_iter().peekable();
    if ids.peek().is_none() {
        return Ok(Vec::new());
    }
    Ok(sql.rows("select id, name, owner_id from groups where id in rarray(?1) order by id", (list(ids),))?)
}

/// Returns the members of a group, sorted; empty if there is no such group.
///
/// # Errors
/// A database fault.
pub fn members_of(sql: Sql<'_>, group_id: GroupId) -> Result<Vec<UserId>, Error> {
    Ok(sql.values("select user_id from members where group_id = ?1 order by user_id", (group_id,))?)
}

/// Returns the groups that a user is in, sorted.
///
/// # Errors
/// A database fault.
pub fn groups_of(sql: Sql<'_>, user_id: UserId) -> Result<Vec<GroupId>, Error> {
    Ok(sql.values("select group_id from members where user_id = ?1 order by group_id", (user_id,))?)
}

/// Returns whether a user is a member of a group; false for a deleted group.
///
/// # Errors
/// A database fault.
pub fn is_member_of(sql: Sql<'_>, group_id: GroupId, user_id: UserId) -> Result<bool, Error> {
    let is_member = sql.value(
        "select exists (select 1 from members where group_id = ?1 and user_id = ?2)",
        (group_id, user_id),
    )?;
    Ok(is_member)
}

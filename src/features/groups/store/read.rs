//! The SQL that reads groups: the viewer's groups, one group with its members, and the facts for permissions.

use super::super::wire::{Group, Listed, One};
use crate::authz::{self, GroupFacts, Viewer};
use crate::db::sql::{Sql, from_row};
use crate::error::Error;
use crate::ids::{GroupId, Seq, UserId};
use crate::model::users::users_named;

from_row!(Group { id, name, owner_id, members_count, created_at_ms });

/// Reads the groups of a user, newest first.
///
/// Arguments: 1 the viewer. The condition is that of `authz::may_see_group`; a test compares the two.
pub(super) const LIST: &str = concat!(
    "select g.id, g.name, g.owner_id, g.created_at_ms,
            (select count(*) from members c where c.group_id = g.id and ",
    authz::sql::may_meet!("c.user_id", "?1"),
    ") as members_count
       from members m join groups g on g.id = m.group_id
      where m.user_id = ?1 order by m.group_id desc"
);

/// Reads a group as a member sees it.
///
/// Arguments: 1 the group, 2 the viewer. The query begins with the membership, so that for a user who is not in the
/// group an existing group and an unknown one take the same time.
pub(super) const KNOWN: &str = concat!(
    "select g.id, g.name, g.owner_id, g.created_at_ms,
            (select count(*) from members c where c.group_id = g.id and ",
    authz::sql::may_meet!("c.user_id", "?2"),
    ") as members_count
       from members m join groups g on g.id = m.group_id
      where m.group_id = ?1 and m.user_id = ?2"
);

/// Returns the groups that this viewer is in, newest first, and their owners.
///
/// # Errors
/// A database fault.
pub fn list(sql: Sql<'_>, user_id: UserId, seq: Seq) -> Result<Listed, Error> {
    let groups: Vec<Group> = sql.rows(LIST, (user_id,))?;
    let users = users_named(sql, user_id, groups.iter().map(|group| group.owner_id))?;
    Ok(Listed { groups, users, seq })
}

/// Returns a group with its members; None if the viewer may not know of it.
///
/// # Errors
/// A database fault.
pub fn one(sql: Sql<'_>, viewer: Viewer, group_id: GroupId, seq: Seq) -> Result<Option<One>, Error> {
    let Some(group) = known(sql, viewer, group_id)? else { return Ok(None) };
    let members = sql.rows(
        concat!(
            "select u.id, u.name, u.photo_url from members m join users u on u.id = m.user_id
              where m.group_id = ?1 and ",
            authz::sql::may_meet!("u.id", "?3"),
            " order by m.user_id <> ?2, m.id"
        ),
        (group_id, group.owner_id, viewer.user_id()),
    )?;
    let posts_count = sql.value(
        concat!(
            "select count(*) from posts p where p.group_id = ?1 and ",
            authz::sql::is_there!("p"),
            " and ",
            authz::sql::may_meet!("p.author_id", "?2")
        ),
        (group_id, viewer.user_id()),
    )?;
    Ok(Some(One { group, members, posts_count, seq }))
}

/// Returns a group, if this viewer may know of it.
///
/// # Errors
/// A database fault.
pub fn known(sql: Sql<'_>, viewer: Viewer, group_id: GroupId) -> Result<Option<Group>, Error> {
    let group: Option<Group> = sql.optional_row(KNOWN, (group_id, viewer.user_id()))?;
    Ok(group.filter(|group| authz::may_see_group(viewer, &facts(group))))
}

/// Returns the number of members of a group whom the viewer may meet.
///
/// # Errors
/// A database fault.
pub fn members_seen(sql: Sql<'_>, group_id: GroupId, viewer_id: UserId) -> Result<i64, Error> {
    let count = sql.value(
        concat!(
            "select count(*) from members m where m.group_id = ?1 and ",
            authz::sql::may_meet!("m.user_id", "?2")
        ),
        (group_id, viewer_id),
    )?;
    Ok(count)
}

/// Returns the facts for `authz`. The group was found by the viewer's membership.
pub(super) fn facts(group: &Group) -> GroupFacts {
    GroupFacts { owner_id: group.owner_id, is_member: true }
}

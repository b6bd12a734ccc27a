//! The SQL that reads groups: those somebody is in, one with its members, and what decides about one.

use sqlx::SqliteConnection;

use super::super::wire::{Group, Listed, One};
use crate::access::{self, GroupFacts, Viewer};
use crate::error::Error;
use crate::features::views::{User, users_named_async};
use crate::ids::{GroupId, Seq, UserId};

/// The groups somebody is in, newest first.
///
/// Arguments: 1 the viewer. Says what `access::may_see_group` says; a test compares.
pub(super) const LIST: &str = "select g.id, g.name, g.owner_id, g.created_at_ms,
            (select count(*) from members c where c.group_id = g.id) as members_count
       from members m join groups g on g.id = m.group_id
      where m.user_id = ?1 order by m.group_id desc";

/// One group as a member sees it.
///
/// Arguments: 1 the group, 2 the viewer. It begins with the membership: for who is not in it, a group that is
/// there and one that is not are the same empty place, found by the same look.
pub(super) const KNOWN: &str = "select g.id, g.name, g.owner_id, g.created_at_ms,
            (select count(*) from members c where c.group_id = g.id) as members_count
       from members m join groups g on g.id = m.group_id
      where m.group_id = ?1 and m.user_id = ?2";

/// Returns the groups this viewer is in, newest first, and their owners.
///
/// # Errors
/// A database fault.
pub async fn list(connection: &mut SqliteConnection, user_id: UserId, seq: Seq) -> Result<Listed, Error> {
    let groups: Vec<Group> = sqlx::query_as(LIST).bind(user_id).fetch_all(&mut *connection).await?;
    let users = users_named_async(connection, groups.iter().map(|group| group.owner_id)).await?;
    Ok(Listed { groups, users, seq })
}

/// Returns a group with its members; None when the viewer may not know of it.
///
/// # Errors
/// A database fault.
pub async fn one(
    connection: &mut SqliteConnection,
    viewer: Viewer,
    group_id: GroupId,
    seq: Seq,
) -> Result<Option<One>, Error> {
    let Some(group) = known(connection, viewer, group_id).await? else { return Ok(None) };
    let members: Vec<User> = sqlx::query_as(
        "select u.id, u.name, u.photo_url from members m join users u on u.id = m.user_id
          where m.group_id = ?1 order by m.user_id <> ?2, m.id",
    )
    .bind(group_id)
    .bind(group.owner_id)
    .fetch_all(&mut *connection)
    .await?;
    let posts_count = sqlx::query_scalar("select count(*) from posts where group_id = ?1")
        .bind(group_id)
        .fetch_one(connection)
        .await?;
    Ok(Some(One { group, members, posts_count, seq }))
}

/// Returns a group that this viewer may know of; None for any other.
///
/// # Errors
/// A database fault.
pub async fn known(
    connection: &mut SqliteConnection,
    viewer: Viewer,
    group_id: GroupId,
) -> Result<Option<Group>, Error> {
    let group: Option<Group> =
        sqlx::query_as(KNOWN).bind(group_id).bind(viewer.user_id()).fetch_optional(connection).await?;
    Ok(group.filter(|group| access::may_see_group(viewer, &facts(group))))
}

/// Returns what `access` asks about, of a group that was found by the viewer's membership.
pub(super) fn facts(group: &Group) -> GroupFacts {
    GroupFacts { owner_id: group.owner_id, is_member: true }
}

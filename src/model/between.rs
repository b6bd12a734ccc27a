//! Facts about two users: whether they may meet, and whether one muted the other.
//!
//! Guarantee: an event about a user names the users who may not meet them, as of the commit of the event. Delivery and
//! replay leave these users out.

use std::collections::{BTreeMap, HashSet};

use crate::authz;
use crate::db::sql::{Sql, list};
use crate::error::Error;
use crate::events::{self, Users};
use crate::ids::{CommentId, GroupId, PostId, UserId};
use crate::limits::{BLOCK_EVENTS_MAX, RESTRICTED_VIEWS_MAX};

/// A viewer who may meet everybody who is not suspended. No user has this id.
pub const ANY_VIEWER: UserId = UserId(0);

/// Returns whether the viewer may meet a user; false if there is no such user.
///
/// # Errors
/// A database fault.
pub fn may_meet(sql: Sql<'_>, viewer_id: UserId, user_id: UserId) -> Result<bool, Error> {
    let may_meet = sql.value(
        concat!(
            "select exists (select 1 from users u where u.id = ?1 and ",
            authz::sql::may_meet!("u.id", "?2"),
            ")"
        ),
        (user_id, viewer_id),
    )?;
    Ok(may_meet)
}

/// Returns whether the host suspended this user.
///
/// # Errors
/// A database fault.
pub fn is_suspended(sql: Sql<'_>, user_id: UserId) -> Result<bool, Error> {
    let is_suspended = "select exists (select 1 from users where id = ?1 and suspended_at is not null)";
    Ok(sql.value(is_suspended, (user_id,))?)
}

/// The blocks of the users ?1, in both directions. A row has the other user, and the one of ?1.
const BLOCKS_OF: &str =
    "select b.blocker_id, b.blocked_id from rarray(?1) p join blocks b on b.blocked_id = p.value
     union select b.blocked_id, b.blocker_id from rarray(?1) p join blocks b on b.blocker_id = p.value";

/// Returns all users who may not meet one of `people`, because one of the two blocked the other.
///
/// # Errors
/// A database fault.
pub fn users_hidden_from(sql: Sql<'_>, people: impl IntoIterator<Item = UserId>) -> Result<Users, Error> {
    let rows: Vec<(UserId, UserId)> = sql.rows(BLOCKS_OF, (list(people),))?;
    Ok(events::users(rows.into_iter().map(|(viewer_id, _)| viewer_id)))
}

/// The viewers who do not receive the shared form of an event, because it names users whom they may not meet. Everybody
/// else receives the shared form.
#[derive(Debug, Default)]
pub struct RestrictedViewers {
    /// Viewers who receive nothing: those who may not meet a user whom the event is about, and those in
    /// none of the first [`RESTRICTED_VIEWS_MAX`] `views`.
    pub out: Users,
    /// Viewers who may not meet another user in the event. Viewers with the same hidden users are listed together, and
    /// receive one form.
    pub views: Vec<Users>,
}

impl RestrictedViewers {
    /// Adds viewers who receive nothing.
    pub fn hide_from(&mut self, out: &Users) {
        for view in &mut self.views {
            *view = events::without(view, out);
        }
        self.out = events::users(self.out.iter().chain(out.iter()).copied());
    }

    /// Returns all viewers who do not receive the shared form.
    #[must_use]
    pub fn all(&self) -> Users {
        events::users(self.out.iter().chain(self.views.iter().flat_map(|view| view.iter())).copied())
    }
}

/// Returns the viewers who may not meet the users whom an event is about, and those who may not meet others in it.
///
/// # Errors
/// A database fault.
pub fn restricted_viewers(
    sql: Sql<'_>,
    about: impl IntoIterator<Item = UserId>,
    others: impl IntoIterator<Item = UserId>,
) -> Result<RestrictedViewers, Error> {
    let pairs = sql.rows(BLOCKS_OF, (list(others),))?;
    Ok(grouped(users_hidden_from(sql, about)?, pairs))
}

/// Like [`BLOCKS_OF`], for the users who commented on the post ?1. A user with several comments counts once.
const BLOCKS_OF_COMMENTERS: &str = "
    with commenters (user_id) as (select distinct author_id from comments where post_id = ?1)
    select b.blocker_id, b.blocked_id from commenters c cross join blocks b on b.blocked_id = c.user_id
    union
    select b.blocked_id, b.blocker_id from commenters c cross join blocks b on b.blocker_id = c.user_id";

/// Like [`restricted_viewers`], for an event about a post. The event also names the commenters of the post, and
/// `others`.
///
/// # Errors
/// A database fault.
pub fn restricted_in_thread(
    sql: Sql<'_>,
    about: impl IntoIterator<Item = UserId>,
    post_id: PostId,
    others: impl IntoIterator<Item = UserId>,
) -> Result<RestrictedViewers, Error> {
    let mut pairs: Vec<(UserId, UserId)> = sql.rows(BLOCKS_OF_COMMENTERS, (post_id,))?;
    let mut others = others.into_iter().peekable();
    if others.peek().is_some() {
        pairs.extend(sql.rows::<(UserId, UserId)>(BLOCKS_OF, (list(others),))?);
    }
    Ok(grouped(users_hidden_from(sql, about)?, pairs))
}

/// Groups viewers by the users whom they may not meet. Each pair is a viewer and such a user. Viewers in `out` are left
/// out. Viewers beyond the first [`RESTRICTED_VIEWS_MAX`] groups are added to `out`.
fn grouped(out: Users, pairs: Vec<(UserId, UserId)>) -> RestrictedViewers {
    let mut hidden: BTreeMap<UserId, Vec<UserId>> = BTreeMap::new();
    for (viewer_id, user_id) in pairs {
        if !events::is_among(&out, viewer_id) {
            hidden.entry(viewer_id).or_default().push(user_id);
        }
    }
    let mut views: BTreeMap<Vec<UserId>, Vec<UserId>> = BTreeMap::new();
    for (viewer_id, mut whom) in hidden {
        whom.sort_unstable();
        whom.dedup();
        views.entry(whom).or_default().push(viewer_id);
    }
    let mut restricted =
        RestrictedViewers { out, views: Vec::with_capacity(views.len().min(RESTRICTED_VIEWS_MAX)) };
    let mut rest = Vec::new();
    for view in views.into_values() {
        if restricted.views.len() < RESTRICTED_VIEWS_MAX {
            restricted.views.push(events::users(view));
        } else {
            rest.extend(view);
        }
    }
    restricted.out = events::users(restricted.out.iter().copied().chain(rest));
    restricted
}

/// Returns the users who muted this user.
///
/// # Errors
/// A database fault.
pub fn muters_of(sql: Sql<'_>, user_id: UserId) -> Result<Vec<UserId>, Error> {
    Ok(sql.values("select muter_id from mutes where muted_id = ?1", (user_id,))?)
}

/// Returns the memberships of each of two users in groups that the other owns: the group and the member.
///
/// # Errors
/// A database fault.
pub fn memberships(sql: Sql<'_>, user_id: UserId, other_id: UserId) -> Result<Vec<(GroupId, UserId)>, Error> {
    let memberships = sql.rows(
        "select m.group_id, m.user_id from members m join groups g on g.id = m.group_id
          where m.user_id = ?1 and g.owner_id = ?2 or m.user_id = ?2 and g.owner_id = ?1",
        (user_id, other_id),
    )?;
    Ok(memberships)
}

/// Returns the groups that both of two users are in.
///
/// # Errors
/// A database fault.
pub fn groups_of_both(sql: Sql<'_>, user_id: UserId, other_id: UserId) -> Result<Vec<GroupId>, Error> {
    let groups = sql.values(
        "select m.group_id from members m join members o on o.group_id = m.group_id
          where m.user_id = ?1 and o.user_id = ?2",
        (user_id, other_id),
    )?;
    Ok(groups)
}

/// Returns the posts that a viewer may read and another user commented on, with the newest of these comments. The post
/// with the newest comment comes first.
///
/// # Errors
/// A database fault.
pub fn commented(
    sql: Sql<'_>,
    viewer_id: UserId,
    user_id: UserId,
) -> Result<Vec<(PostId, CommentId)>, Error> {
    let commented = sql.rows(
        concat!(
            "select c.post_id, max(c.id) from comments c join posts p on p.id = c.post_id
              where c.author_id = ?2 and ",
            authz::sql::may_take_part!("p", "?1"),
            " group by c.post_id order by 2 desc limit ?3"
        ),
        (viewer_id, user_id, BLOCK_EVENTS_MAX),
    )?;
    Ok(commented)
}

/// Returns those of these users whom the viewer may not meet, or who have no account.
///
/// # Errors
/// A database fault.
pub fn hidden_among(
    sql: Sql<'_>,
    viewer_id: UserId,
    users: impl IntoIterator<Item = UserId>,
) -> Result<Vec<UserId>, Error> {
    let mut users: Vec<UserId> = users.into_iter().collect();
    if users.is_empty() {
        return Ok(users);
    }
    let met: HashSet<UserId> = sql
        .values(
            concat!(
                "select u.id from users u where u.id in rarray(?1) and ",
                authz::sql::may_meet!("u.id", "?2")
            ),
            (list(users.iter().copied()), viewer_id),
        )?
        .into_iter()
        .collect();
    users.retain(|user_id| !met.contains(user_id));
    Ok(users)
}

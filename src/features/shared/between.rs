//! Between users: who may meet whom, and who muted whom.
//!
//! Guarantee: an event about a user names the users who may not meet them, as of its own commit, so that delivery and
//! replay leave them out.

use std::collections::{BTreeMap, HashSet};

use crate::authz;
use crate::db::sql::{Sql, list};
use crate::error::Error;
use crate::events::{self, Users};
use crate::features::shared::mentions;
use crate::features::shared::views::{Comment, oldest_comments, people_of};
use crate::ids::{CommentId, GroupId, PostId, UserId};
use crate::limits::{BLOCK_EVENTS_MAX, VIEWS_APART_MAX};

/// A viewer who meets everybody who is not suspended. No user has this id.
pub const ANY_VIEWER: UserId = UserId(0);

/// Returns whether the viewer may meet a user; false for an unknown one.
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

/// The blocks of the users ?1, in both directions: a row has the other user, and one of ?1.
const APART: &str =
    "select b.blocker_id, b.blocked_id from rarray(?1) p join blocks b on b.blocked_id = p.value
     union select b.blocked_id, b.blocker_id from rarray(?1) p join blocks b on b.blocker_id = p.value";

/// Returns all users who may not meet one of these, because one of the two blocked the other.
///
/// # Errors
/// A database fault.
pub fn apart_from(sql: Sql<'_>, people: impl IntoIterator<Item = UserId>) -> Result<Users, Error> {
    let rows: Vec<(UserId, UserId)> = sql.rows(APART, (list(people),))?;
    Ok(events::users(rows.into_iter().map(|(viewer_id, _)| viewer_id)))
}

/// Who does not receive an event that names several users. Everybody else receives this shared event.
#[derive(Debug, Default)]
pub struct Apart {
    /// The users who may not meet those whom the event is about. They receive nothing.
    pub out: Users,
    /// The users who may not meet somebody in it, grouped by whom they see. Each group receives an event of its own.
    pub views: Vec<Users>,
}

impl Apart {
    /// These users receive nothing either.
    pub fn hide_from(&mut self, out: &Users) {
        for view in &mut self.views {
            *view = events::without(view, out);
        }
        self.out = events::users(self.out.iter().chain(out.iter()).copied());
    }

    /// Returns who does not receive the shared event.
    #[must_use]
    pub fn all(&self) -> Users {
        events::users(self.out.iter().chain(self.views.iter().flat_map(|view| view.iter())).copied())
    }
}

/// Returns who may not meet the users whom an event is about, and who may not meet others in it.
///
/// # Errors
/// A database fault.
pub fn apart(
    sql: Sql<'_>,
    about: impl IntoIterator<Item = UserId>,
    others: impl IntoIterator<Item = UserId>,
) -> Result<Apart, Error> {
    let pairs = sql.rows(APART, (list(others),))?;
    Ok(grouped(apart_from(sql, about)?, pairs))
}

/// Like [`APART`], for the users who commented on the post ?1. A user with many comments counts once.
const APART_IN_THREAD: &str = "
    with commenters (user_id) as (select distinct author_id from comments where post_id = ?1)
    select b.blocker_id, b.blocked_id from commenters c cross join blocks b on b.blocked_id = c.user_id
    union
    select b.blocked_id, b.blocker_id from commenters c cross join blocks b on b.blocker_id = c.user_id";

/// Like [`apart`], for an event about a post: it also names the commenters of the post, and `others`.
///
/// # Errors
/// A database fault.
pub fn apart_in_thread(
    sql: Sql<'_>,
    about: impl IntoIterator<Item = UserId>,
    post_id: PostId,
    others: impl IntoIterator<Item = UserId>,
) -> Result<Apart, Error> {
    let mut pairs: Vec<(UserId, UserId)> = sql.rows(APART_IN_THREAD, (post_id,))?;
    let mut others = others.into_iter().peekable();
    if others.peek().is_some() {
        pairs.extend(sql.rows::<(UserId, UserId)>(APART, (list(others),))?);
    }
    Ok(grouped(apart_from(sql, about)?, pairs))
}

/// Like [`apart`], for an event with the first comments of a post. It is about the author, and also names the
/// commenters and the users whom the first comments mention; which comments are the first depends on the viewer.
///
/// # Errors
/// A database fault.
pub fn apart_in_first_comments(sql: Sql<'_>, author_id: UserId, post_id: PostId) -> Result<Apart, Error> {
    // Viewers who may not meet the same commenters see the same comments.
    let by_commenters = apart_in_thread(sql, [author_id], post_id, [])?;
    let viewers = by_commenters.views.iter().filter_map(|view| view.first().copied());
    let mut mentioned = Vec::new();
    for viewer_id in viewers.chain([ANY_VIEWER]) {
        mentioned.extend(people_of(&oldest_comments(sql, viewer_id, [post_id])?));
    }
    let mut apart = apart_in_thread(sql, [author_id], post_id, mentioned)?;
    apart.hide_from(&by_commenters.out);
    Ok(apart)
}

/// Groups the viewers who are not `out` by the users whom they may not meet. Each pair is a viewer and such a user.
fn grouped(out: Users, pairs: Vec<(UserId, UserId)>) -> Apart {
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
    let mut apart = Apart { out, views: Vec::with_capacity(views.len().min(VIEWS_APART_MAX)) };
    let mut rest = Vec::new();
    for view in views.into_values() {
        if apart.views.len() < VIEWS_APART_MAX {
            apart.views.push(events::users(view));
        } else {
            rest.extend(view);
        }
    }
    apart.out = events::users(apart.out.iter().copied().chain(rest));
    apart
}

/// Returns the users who muted this one.
///
/// # Errors
/// A database fault.
pub fn muters_of(sql: Sql<'_>, user_id: UserId) -> Result<Vec<UserId>, Error> {
    Ok(sql.values("select muter_id from mutes where muted_id = ?1", (user_id,))?)
}

/// Returns the memberships of two users in groups that one of them owns: the group, and its member.
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

/// Returns the groups that two users are in.
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

/// Returns the posts that a viewer may read and another user commented on, with the newest of these comments; the
/// newest first.
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

/// Returns those of these users whom the viewer may not meet.
///
/// # Errors
/// A database fault.
pub fn hidden_among(
    sql: Sql<'_>,
    viewer_id: UserId,
    users: impl IntoIterator<Item = UserId>,
) -> Result<Vec<UserId>, Error> {
    let mut users = users.into_iter().peekable();
    if users.peek().is_none() {
        return Ok(Vec::new());
    }
    let hidden = sql.values(
        concat!(
            "select u.id from users u where u.id in rarray(?1) and not (",
            authz::sql::may_meet!("u.id", "?2"),
            ")"
        ),
        (list(users), viewer_id),
    )?;
    Ok(hidden)
}

/// Replaces mentions of users whom the viewer may not meet with plain words.
///
/// # Errors
/// A database fault.
pub fn hide_mentions(sql: Sql<'_>, viewer_id: UserId, comments: &mut [Comment]) -> Result<(), Error> {
    // Few comments contain a mention, and those contain an `@`.
    let with_mentions = || comments.iter().filter(|comment| comment.text.contains('@'));
    let mentioned: HashSet<UserId> =
        with_mentions().flat_map(|comment| mentions::mentioned(&comment.text)).collect();
    let hidden = hidden_among(sql, viewer_id, mentioned)?;
    if !hidden.is_empty() {
        for comment in comments.iter_mut() {
            comment.text = mentions::plain(&comment.text, &hidden);
        }
    }
    Ok(())
}

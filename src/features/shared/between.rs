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
use crate::features::shared::views::Comment;
use crate::ids::UserId;

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

/// Who blocked one of the users ?1, and whom one of them blocked: the other, and the user.
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

/// Returns the users who may not meet some of these, by those they may not meet: each group of viewers sees the same.
///
/// # Errors
/// A database fault.
pub fn views_apart(
    sql: Sql<'_>,
    people: impl IntoIterator<Item = UserId>,
) -> Result<Vec<Vec<UserId>>, Error> {
    let rows: Vec<(UserId, UserId)> = sql.rows(APART, (list(people),))?;
    let mut hidden: BTreeMap<UserId, Vec<UserId>> = BTreeMap::new();
    for (viewer_id, user_id) in rows {
        hidden.entry(viewer_id).or_default().push(user_id);
    }
    let mut viewers: BTreeMap<Vec<UserId>, Vec<UserId>> = BTreeMap::new();
    for (viewer_id, mut whom) in hidden {
        whom.sort_unstable();
        viewers.entry(whom).or_default().push(viewer_id);
    }
    Ok(viewers.into_values().collect())
}

/// Returns the users who muted this one.
///
/// # Errors
/// A database fault.
pub fn muters_of(sql: Sql<'_>, user_id: UserId) -> Result<Vec<UserId>, Error> {
    Ok(sql.values("select muter_id from mutes where muted_id = ?1", (user_id,))?)
}

/// Makes the mentions of users whom the viewer may not meet plain words.
///
/// # Errors
/// A database fault.
pub fn hide_mentions(sql: Sql<'_>, viewer_id: UserId, comments: &mut [Comment]) -> Result<(), Error> {
    // Few comments contain a mention, and those contain an `@`.
    let with_mentions = || comments.iter().filter(|comment| comment.text.contains('@'));
    let mentioned: HashSet<UserId> =
        with_mentions().flat_map(|comment| mentions::mentioned(&comment.text)).collect();
    if mentioned.is_empty() {
        return Ok(());
    }
    let hidden: Vec<UserId> = sql.values(
        concat!(
            "select u.id from users u where u.id in rarray(?1) and not (",
            authz::sql::may_meet!("u.id", "?2"),
            ")"
        ),
        (list(mentioned), viewer_id),
    )?;
    if !hidden.is_empty() {
        for comment in comments.iter_mut() {
            comment.text = mentions::plain(&comment.text, &hidden);
        }
    }
    Ok(())
}

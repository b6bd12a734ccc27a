//! Comments as several features show them: those that are sent with their post, and the users whom they name.

use std::collections::HashSet;

use serde::Serialize;

use super::between::{ANY_VIEWER, RestrictedViewers, hidden_among, restricted_in_thread};
use super::mentions;
use crate::authz;
use crate::db::sql::{Sql, from_row, list};
use crate::error::Error;
use crate::ids::{CommentId, PostId, UserId};
use crate::limits::COMMENTS_SHOWN;

/// A comment. As it is sent to a viewer, its text mentions no user whom the viewer may not meet ([`hide_mentions`]).
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Comment {
    pub id: CommentId,
    pub post_id: PostId,
    pub author_id: UserId,
    pub text: String,
    #[cfg_attr(test, ts(type = "number"))]
    pub created_at_ms: i64,
}

from_row!(Comment { id, post_id, author_id, text, created_at_ms });

/// Returns the comments that are sent with these posts: the oldest ones that the viewer sees, sorted by id.
///
/// # Errors
/// A database fault.
pub fn first_comments(
    sql: Sql<'_>,
    viewer_id: UserId,
    post_ids: impl IntoIterator<Item = PostId>,
) -> Result<Vec<Comment>, Error> {
    let mut comments = oldest_comments(sql, viewer_id, post_ids)?;
    hide_mentions(sql, viewer_id, &mut comments)?;
    Ok(comments)
}

/// Returns the same comments as [`first_comments`], but keeps the mentions of users whom the viewer may not meet.
///
/// # Errors
/// A database fault.
pub fn oldest_comments(
    sql: Sql<'_>,
    viewer_id: UserId,
    post_ids: impl IntoIterator<Item = PostId>,
) -> Result<Vec<Comment>, Error> {
    let comments = sql.rows(
        concat!(
            "select c.id, c.post_id, c.author_id, c.text, c.created_at_ms
               from rarray(?1) p
               join comments c on c.id in (select s.id from comments s where s.post_id = p.value and ",
            authz::sql::may_meet!("s.author_id", "?3"),
            " order by s.id limit ?2)
              order by c.id"
        ),
        (list(post_ids), COMMENTS_SHOWN, viewer_id),
    )?;
    Ok(comments)
}

/// Returns how many comments of a post this viewer sees.
///
/// # Errors
/// A database fault.
pub fn comments_seen(sql: Sql<'_>, viewer_id: UserId, post_id: PostId) -> Result<i64, Error> {
    let count = sql.value(
        concat!("select ", authz::sql::comments_seen!("p", "?2"), " from posts p where p.id = ?1"),
        (post_id, viewer_id),
    )?;
    Ok(count)
}

/// Returns the users to name in a message with these comments: their authors, and the mentioned users.
pub fn people_of(comments: &[Comment]) -> impl Iterator<Item = UserId> + '_ {
    comments.iter().flat_map(|comment| {
        // Few comments have a mention, and a comment without `@` has none, so it is not searched.
        let mentioned =
            if comment.text.contains('@') { mentions::mentioned(&comment.text) } else { Vec::new() };
        std::iter::once(comment.author_id).chain(mentioned)
    })
}

/// Replaces mentions of users whom the viewer may not meet, or whose accounts are gone, with plain text. Both look
/// alike, so that nobody can tell one from the other.
///
/// # Errors
/// A database fault.
pub fn hide_mentions(sql: Sql<'_>, viewer_id: UserId, comments: &mut [Comment]) -> Result<(), Error> {
    // Few comments have a mention, and a comment without `@` has none, so it is not searched.
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

/// Like [`restricted_in_thread`], for an event with the first comments of a post. The event is about the author, and
/// also names the commenters and the users whom the first comments mention. Which comments are the first depends on the
/// viewer.
///
/// # Errors
/// A database fault.
pub fn restricted_in_first_comments(
    sql: Sql<'_>,
    author_id: UserId,
    post_id: PostId,
) -> Result<RestrictedViewers, Error> {
    // Viewers who may not meet the same commenters see the same comments.
    let by_commenters = restricted_in_thread(sql, [author_id], post_id, [])?;
    let viewers = by_commenters.views.iter().filter_map(|view| view.first().copied());
    let mut mentioned = Vec::new();
    for viewer_id in viewers.chain([ANY_VIEWER]) {
        mentioned.extend(people_of(&oldest_comments(sql, viewer_id, [post_id])?));
    }
    let mut restricted = restricted_in_thread(sql, [author_id], post_id, mentioned)?;
    restricted.hide_from(&by_commenters.out);
    Ok(restricted)
}

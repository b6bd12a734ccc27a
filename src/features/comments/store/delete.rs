//! The SQL that deletes comments, and the events of a deletion.

use super::readers_of;
use crate::authz::{self, Viewer};
use crate::db::command::{KeyUse, Transaction, WriteCommand, deletes, keyed};
use crate::db::sql::Sql;
use crate::error::{Error, Refusal};
use crate::events::Users;
use crate::features::comments::wire::{Deleted, Readers};
use crate::features::events::Event;
use crate::features::notifications::store::notify as notifications;
use crate::ids::{CommentId, PostId, UserId};
use crate::model::audience::{Audience, members_alone};
use crate::model::between::{self, ANY_VIEWER};
use crate::model::comments::{comments_seen, first_comments, people_of, restricted_in_first_comments};
use crate::model::posts::known_post;
use crate::model::users::users_named;
use crate::reply::Done;

/// Deletes a comment.
pub struct Delete {
    pub key: KeyUse,
    pub comment_id: CommentId,
    pub viewer: Viewer,
}

impl WriteCommand for Delete {
    type Event = Event;
    type Value = Done;

    keyed!();

    deletes!(Content);

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Done, Error> {
        let sql = transaction.sql;
        let found: Option<(PostId, UserId, Option<UserId>)> = sql.optional_row(
            "select c.post_id, c.author_id, g.owner_id
               from comments c join posts p on p.id = c.post_id left join groups g on g.id = p.group_id
              where c.id = ?1",
            (self.comment_id,),
        )?;
        let (post_id, author_id, group_owner) = found.ok_or(Refusal::NotFound)?;
        let viewer_id = self.viewer.user_id();
        let may_meet = between::may_meet(sql, viewer_id.unwrap_or(ANY_VIEWER), author_id)?;
        let post = known_post(sql, post_id, viewer_id)?.ok_or(Refusal::NotFound)?;
        if !authz::may_delete_comment(self.viewer, author_id, may_meet, group_owner, &post.facts()) {
            return Err(Refusal::NotFound.into());
        }
        delete(transaction, post_id, author_id, self.comment_id)?;
        Ok(Done { seq: transaction.seq() })
    }
}

/// Deletes a comment without a check of permission. Returns whether it existed.
///
/// # Errors
/// A database fault.
pub fn remove(transaction: &mut Transaction<'_, Event>, comment_id: CommentId) -> Result<bool, Error> {
    let found: Option<(PostId, UserId)> = transaction
        .sql
        .optional_row("select post_id, author_id from comments where id = ?1", (comment_id,))?;
    if let Some((post_id, author_id)) = found {
        delete(transaction, post_id, author_id, comment_id)?;
    }
    Ok(found.is_some())
}

fn delete(
    transaction: &mut Transaction<'_, Event>,
    post_id: PostId,
    author_id: UserId,
    comment_id: CommentId,
) -> Result<(), Error> {
    let sql = transaction.sql;
    // The notifications are returned, because their users receive an event.
    let gone = notifications::delete_of_comment(sql, comment_id)?;
    sql.execute("delete from comments where id = ?1", (comment_id,))?;
    let out = between::users_hidden_from(sql, [author_id])?;
    for event in deleted(sql, &[(post_id, comment_id)], &out)? {
        transaction.publish(event);
    }
    notifications::publish_deleted(transaction, gone)
}

/// Returns the events of these deleted comments in this order, at most one for each post. The users in `out` could not
/// meet the author, so they receive nothing.
///
/// # Errors
/// A database fault.
pub fn deleted(sql: Sql<'_>, gone: &[(PostId, CommentId)], out: &Users) -> Result<Vec<Event>, Error> {
    let mut deleted = Vec::new();
    for (post_id, comment_id) in gone.iter().copied() {
        let Some(post) = known_post(sql, post_id, None)? else { continue };
        if post.audience == (Audience::Author {}) {
            // Nobody reads the comments of a deleted group.
            continue;
        }
        let members = members_alone(sql, post.audience)?;
        let mut restricted = restricted_in_first_comments(sql, post.author_id, post_id)?;
        restricted.hide_from(out);
        for (viewer_id, readers) in readers_of(&restricted, members.as_ref()) {
            deleted.push(deleted_for(sql, viewer_id, post_id, comment_id, readers)?);
        }
    }
    Ok(deleted)
}

/// Returns the event of a deleted comment, for viewers who see the same as this viewer.
///
/// # Errors
/// A database fault.
pub fn deleted_for(
    sql: Sql<'_>,
    viewer_id: UserId,
    post_id: PostId,
    comment_id: CommentId,
    readers: Readers,
) -> Result<Event, Error> {
    let first_comments = first_comments(sql, viewer_id, [post_id])?;
    let users = users_named(sql, viewer_id, people_of(&first_comments))?;
    let comments_count = comments_seen(sql, viewer_id, post_id)?;
    let deleted = Deleted { post_id, comment_id, comments_count, first_comments, users, readers };
    Ok(Event::CommentDeleted(deleted))
}

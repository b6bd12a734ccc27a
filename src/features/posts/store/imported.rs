//! The SQL of posts that their authors wrote elsewhere: writes one, and deletes those of an import that is undone.
//!
//! Guarantees:
//! - Nobody receives anything of a post that is imported, and nobody is notified (D-W5).
//! - The schema has each of them once (D-W9).
//!
//! `imports` decides what is written, and when.

use super::keep_picture;
use crate::db::command::Transaction;
use crate::error::Error;
use crate::events::Users;
use crate::features::events::Event;
use crate::features::notifications::store::notify as notifications;
use crate::features::posts::rules::NewPost;
use crate::features::posts::wire::Deleted;
use crate::ids::{GroupId, ImportId, PostId, UserId};
use crate::model::audience::{Audience, recipients_of};
use crate::model::between::{is_suspended, users_hidden_from};
use crate::model::files::ReadyPicture;

/// A post that was written elsewhere.
pub struct Imported<'a> {
    pub import_id: ImportId,
    /// The hash of the post as it was there.
    pub key: [u8; 16],
    pub author_id: UserId,
    pub audience: Audience,
    pub new: &'a NewPost,
    pub created_at_ms: i64,
    /// Equal to `created_at_ms` unless it was edited there.
    pub updated_at_ms: i64,
    /// The pictures with their descriptions, in the order in which they are shown. Their files are on the disk.
    pub pictures: &'a [(ReadyPicture, String)],
}

/// Writes a post, unless its author has it already. Returns whether it was written.
///
/// # Errors
/// A picture that belongs to something already; a database fault.
pub fn add(transaction: &Transaction<'_, Event>, post: &Imported<'_>) -> Result<bool, Error> {
    let id = PostId(transaction.new_id());
    let tag = post.new.tag.as_ref();
    let added = transaction.sql.execute(
        "insert into posts (id, author_id, title, text, tag, tag_key, audience, group_id,
                            created_at_ms, updated_at_ms, content_note, import_id, import_key)
           values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
           on conflict do nothing",
        (
            id,
            post.author_id,
            &post.new.title,
            &post.new.text,
            tag.map(|tag| &tag.shown),
            tag.map(|tag| &tag.key),
            post.audience.word(),
            post.audience.group_id(),
            post.created_at_ms,
            post.updated_at_ms,
            &post.new.content_note,
            post.import_id,
            post.key,
        ),
    )?;
    if added == 0 {
        return Ok(false);
    }
    for (position, (picture, alt)) in (0..).zip(post.pictures) {
        keep_picture(transaction, post.author_id, id, position, picture, alt)?;
    }
    Ok(true)
}

/// Deletes the notifications of all posts of an import, in the commit in which the posts are gone for everybody.
///
/// # Errors
/// A database fault.
pub fn withdraw(transaction: &mut Transaction<'_, Event>, import_id: ImportId) -> Result<(), Error> {
    let gone = notifications::delete_of_import(transaction.sql, import_id)?;
    notifications::publish_deleted(transaction, gone)
}

/// Deletes at most `limit` posts of an import that is undone. Those with the newest dates come first, because they are
/// the first on screens. Only connections that show one of them receive its event. Returns how many were deleted.
///
/// # Errors
/// A database fault.
pub fn delete_some(
    transaction: &mut Transaction<'_, Event>,
    import_id: ImportId,
    limit: i64,
) -> Result<usize, Error> {
    let sql = transaction.sql;
    let posts: Vec<(PostId, UserId, String, Option<GroupId>)> = sql.rows(
        "select id, author_id, audience, group_id from posts indexed by posts_of_import
          where import_id = ?1 order by created_at_ms desc, id desc limit ?2",
        (import_id, limit),
    )?;
    let Some(author_id) = posts.first().map(|(_, author_id, ..)| *author_id) else { return Ok(0) };
    // The posts of a suspended author have already disappeared for everybody.
    let is_shown = !is_suspended(sql, author_id)?;
    let hidden_from = users_hidden_from(sql, [author_id])?;
    for (post_id, _, word, group_id) in &posts {
        sql.execute("delete from posts where id = ?1", (post_id,))?;
        if !is_shown {
            continue;
        }
        let audience = Audience::kept(word, *group_id);
        let was_public = audience == Audience::Public {};
        let recipients = if was_public { Users::default() } else { recipients_of(sql, author_id, audience)? };
        transaction.publish(Event::PostDeleted(Deleted {
            post_id: *post_id,
            author_id,
            recipients,
            was_public,
            kept_by: None,
            is_imported: true,
            hidden_from: hidden_from.clone(),
        }));
    }
    Ok(posts.len())
}

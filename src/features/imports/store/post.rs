//! The SQL that writes one post of an import, and that deletes the posts of an import that is undone, a few at a time.

use serde::Serialize;

use super::super::wire::{Changed, Import};
use super::{current, may_share};
use crate::authz::Viewer;
use crate::db::command::{Transaction, WriteCommand, deletes};
use crate::db::sql::Sql;
use crate::error::Error;
use crate::features::events::Event;
use crate::features::posts::rules::NewPost;
use crate::features::posts::store::imported::{self, Imported};
use crate::ids::{GroupId, ImportId, LoginId, UserId};
use crate::limits::IMPORT_UNDO_AT_ONCE;
use crate::model::audience::Audience;
use crate::model::files::ReadyPicture;

/// Does the import `i` go on now? A suspension of its user pauses it. So do posts of another import of this user that are
/// not deleted yet, because they may be the same.
macro_rules! goes_on {
    () => {
        "i.phase = 'importing'
         and not exists (select 1 from users su where su.id = i.user_id and su.suspended_at is not null)
         and not exists (select 1 from imports u where u.user_id = i.user_id and u.phase = 'undoing')"
    };
}

/// An import that goes on.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    pub id: ImportId,
    pub user_id: UserId,
    /// The posts of the file that were dealt with, from the first on.
    pub position: usize,
}

/// Returns the next import that goes on, in turn: the first one after the import `after`, or else the first of all.
///
/// # Errors
/// A database fault.
pub fn next(sql: Sql<'_>, after: ImportId) -> Result<Option<Work>, Error> {
    let row: Option<(ImportId, UserId, i64)> = sql.optional_row(
        concat!(
            "select i.id, i.user_id, i.position from imports i where ",
            goes_on!(),
            " order by i.id <= ?1, i.id limit 1"
        ),
        (after,),
    )?;
    let Some((id, user_id, position)) = row else { return Ok(None) };
    Ok(Some(Work { id, user_id, position: usize::try_from(position).unwrap_or(0) }))
}

/// Writes a post of an import.
pub struct Add {
    pub id: ImportId,
    /// The posts of the file that are dealt with then.
    pub position: i64,
    /// The hash of the post as it was elsewhere.
    pub key: [u8; 16],
    pub new: NewPost,
    pub created_at_ms: i64,
    /// When it was edited there, later than it was written; None if it was not.
    pub updated_at_ms: Option<i64>,
    /// The pictures with their descriptions. Their files are on the disk.
    pub pictures: Vec<(ReadyPicture, String)>,
    /// Whether the user's connections receive the numbers of the import.
    pub tells: bool,
}

/// What became of a post.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Added {
    Yes,
    /// Its author has it already.
    Known,
    /// The import does not go on now.
    Stopped,
    /// The author may no longer share anything with this audience, and the import ends.
    NotShared,
}

impl WriteCommand for Add {
    type Event = Event;
    type Value = Added;

    fn weight_bytes(&self) -> usize {
        self.new.text.len() + 512 + 2_048 * self.pictures.len()
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Added, Error> {
        let (sql, id) = (transaction.sql, self.id);
        let row: Option<(UserId, String, Option<GroupId>)> = sql.optional_row(
            concat!(
                "select i.user_id, i.audience, i.group_id from imports i where i.id = ?1 and ",
                goes_on!()
            ),
            (id,),
        )?;
        let Some((author_id, word, group_id)) = row else { return Ok(Added::Stopped) };
        let audience = Audience::kept(&word, group_id);
        // The import goes on after its user has left, so there may be no login.
        let viewer = Viewer::User { user_id: author_id, login_id: LoginId(0) };
        if !may_share(sql, viewer, author_id, audience)? {
            return Ok(Added::NotShared);
        }
        let is_new = imported::add(
            transaction,
            &Imported {
                import_id: id,
                key: self.key,
                author_id,
                audience,
                new: &self.new,
                created_at_ms: self.created_at_ms,
                updated_at_ms: self.updated_at_ms.unwrap_or(self.created_at_ms),
                pictures: &self.pictures,
            },
        )?;
        sql.execute(
            "update imports set position = ?2, done = done + ?3 where id = ?1",
            (id, self.position, i64::from(is_new)),
        )?;
        if self.tells {
            let current = current(sql, author_id)?;
            transaction.publish(Event::ImportsChanged(numbers_of(current, author_id)));
        }
        Ok(if is_new { Added::Yes } else { Added::Known })
    }
}

/// Notes that a post of an import is dealt with, although nothing of it can be written.
pub struct Pass {
    pub id: ImportId,
    /// The posts of the file that are dealt with then.
    pub position: i64,
}

impl WriteCommand for Pass {
    type Event = Event;
    type Value = ();

    fn is_housekeeping(&self) -> bool {
        true
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<(), Error> {
        transaction.sql.execute(
            "update imports set position = ?2 where id = ?1 and phase = 'importing'",
            (self.id, self.position),
        )?;
        Ok(())
    }
}

/// Returns the event that has only numbers of an import.
fn numbers_of(current: Option<Import>, user_id: UserId) -> Changed {
    Changed { current, ended: None, user_id, is_progress: true, takes_posts: false }
}

/// Publishes to the user of an import that it does not go on for the moment.
pub struct PublishPaused {
    pub work: Work,
}

impl WriteCommand for PublishPaused {
    type Event = Event;
    type Value = ();

    fn is_housekeeping(&self) -> bool {
        true
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<(), Error> {
        let user_id = self.work.user_id;
        if let Some(import) = current(transaction.sql, user_id)?.filter(|import| import.id == self.work.id) {
            let current = Some(Import { paused: true, ..import });
            transaction.publish(Event::ImportsChanged(numbers_of(current, user_id)));
        }
        Ok(())
    }
}

/// Deletes some posts of an import that is undone; the import itself after its last post. Returns whether it is deleted.
pub struct DeleteSome {
    pub id: ImportId,
}

impl WriteCommand for DeleteSome {
    type Event = Event;
    type Value = bool;

    deletes!(Content);

    fn is_housekeeping(&self) -> bool {
        true
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<bool, Error> {
        let are_gone = imported::delete_some(transaction, self.id, IMPORT_UNDO_AT_ONCE)? == 0;
        if are_gone {
            super::delete(transaction.sql, self.id)?;
        }
        Ok(are_gone)
    }
}

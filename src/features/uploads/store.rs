//! The SQL of the sweeper: finds the files that are queued for removal, and the files that have a row.

use crate::db::command::{Deletes, Transaction, WriteCommand};
use crate::db::sql::{Sql, list};
use crate::error::Error;
use crate::features::events::Event;
use crate::ids::UserId;

/// Files queued for removal that are read at a time.
const FILES_PAGE: i64 = 256;

/// Returns some files that are queued for removal, those with paths after `last`. Their rows were deleted.
///
/// # Errors
/// A database fault.
pub fn files_to_delete(sql: Sql<'_>, last: &str) -> Result<Vec<String>, Error> {
    let paths = sql.values(
        "select full_path from doomed_files where full_path > ?1 order by full_path limit ?2",
        (last, FILES_PAGE),
    )?;
    Ok(paths)
}

/// Returns whether a file has a row.
///
/// # Errors
/// A database fault.
pub fn is_kept(sql: Sql<'_>, full_path: &str) -> Result<bool, Error> {
    Ok(sql.value("select exists (select 1 from files where full_path = ?1)", (full_path,))?)
}

/// Returns which of these users have an account.
///
/// # Errors
/// A database fault.
pub fn with_account(sql: Sql<'_>, user_ids: impl IntoIterator<Item = UserId>) -> Result<Vec<UserId>, Error> {
    Ok(sql.values("select id from users where id in rarray(?1)", (list(user_ids),))?)
}

/// Removes files from the queue that are no longer on the disk.
pub struct ForgetDeletedFiles {
    pub paths: Vec<String>,
    /// Whether one of them belonged to a deleted account. The names are then also erased from the file of the database
    /// and from its write-ahead log.
    pub had_deleted_account: bool,
}

impl WriteCommand for ForgetDeletedFiles {
    type Event = Event;
    type Value = ();

    fn is_housekeeping(&self) -> bool {
        true
    }

    fn deletes(&self) -> Deletes {
        if self.had_deleted_account { Deletes::Account } else { Deletes::Nothing }
    }

    fn weight_bytes(&self) -> usize {
        self.paths.iter().map(String::len).sum()
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<(), Error> {
        for path in &self.paths {
            transaction.sql.execute("delete from doomed_files where full_path = ?1", (path,))?;
        }
        Ok(())
    }
}

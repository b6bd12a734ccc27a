//! The SQL of the sweeper: which files are queued for removal, and which files have a row.

use bytes::Bytes;

use crate::db::command::{Deletes, Transaction, WriteCommand};
use crate::db::sql::{Sql, list};
use crate::error::Error;
use crate::features::events::Event;
use crate::ids::UserId;

/// Doomed files looked at in one go.
const DOOMED_PAGE: i64 = 256;

/// Returns some files whose rows were deleted, those with paths after `last`.
///
/// # Errors
/// A database fault.
pub fn doomed(sql: Sql<'_>, last: &str) -> Result<Vec<String>, Error> {
    let paths = sql.values(
        "select full_path from doomed_files where full_path > ?1 order by full_path limit ?2",
        (last, DOOMED_PAGE),
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

/// Returns those of these users who have an account.
///
/// # Errors
/// A database fault.
pub fn still_here(sql: Sql<'_>, user_ids: impl IntoIterator<Item = UserId>) -> Result<Vec<UserId>, Error> {
    Ok(sql.values("select id from users where id in rarray(?1)", (list(user_ids),))?)
}

/// Forgets doomed files that are no longer on the disk.
pub struct Undoom {
    pub paths: Vec<String>,
    /// One of them was of a deleted account, so that their names leave the database's file and log.
    pub had_deleted_account: bool,
}

impl WriteCommand for Undoom {
    type Event = Event;

    fn is_housekeeping(&self) -> bool {
        true
    }

    fn deletes(&self) -> Deletes {
        if self.had_deleted_account { Deletes::Account } else { Deletes::Nothing }
    }

    fn weight_bytes(&self) -> usize {
        self.paths.iter().map(String::len).sum()
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Bytes, Error> {
        for path in &self.paths {
            transaction.sql.execute("delete from doomed_files where full_path = ?1", (path,))?;
        }
        Ok(Bytes::new())
    }
}

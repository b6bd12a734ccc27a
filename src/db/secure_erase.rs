//! Secure erase: a deleted account leaves nothing in the file of the database and in its write-ahead log.
//!
//! `secure_delete` overwrites deleted rows in place. Two kinds of copies remain: earlier versions of pages in the log,
//! and fragments in free space, which SQLite leaves when it moves rows between pages. The log is emptied right after
//! the commit. All pages are rewritten a second later, once for all accounts that were deleted within that second.
//! After a mail was sent, only the log is emptied, because the link of the mail may still work.

use std::time::Duration;

use rusqlite::Connection;

use super::sql::{Result, Sql};
use crate::limits::SECURE_ERASE_BYTES_MAX;

/// The parts of an erase that are still to be done.
#[derive(Default)]
pub(super) struct SecureErase {
    /// The log may hold deleted rows.
    log: bool,
    /// The free space of pages may hold deleted rows.
    pages: bool,
    /// A rewrite of the pages is scheduled.
    is_scheduled: bool,
}

impl SecureErase {
    /// Notes that a commit deleted rows that must leave nothing in the database.
    pub(super) fn request(&mut self) {
        (self.log, self.pages) = (true, true);
    }

    /// Notes that a commit deleted rows that must not stay in the log.
    pub(super) fn request_empty_log(&mut self) {
        self.log = true;
    }

    /// Returns whether the caller must schedule [`SecureErase::rewrite_pages`]. It returns true once for each rewrite.
    pub(super) fn is_due(&mut self) -> bool {
        (self.log || self.pages) && !std::mem::replace(&mut self.is_scheduled, true)
    }

    /// Rewrites all pages if that is due. A database above [`SECURE_ERASE_BYTES_MAX`] is not rewritten; later writes
    /// overwrite its free space.
    ///
    /// # Errors
    /// An error of SQLite. The rewrite stays due.
    pub(super) fn rewrite_pages(&mut self, connection: &Connection) -> Result<()> {
        self.is_scheduled = false;
        if !self.pages {
            return Ok(());
        }
        let size = "select page_count * page_size from pragma_page_count(), pragma_page_size()";
        if Sql::new(connection).value::<i64>(size, ())? <= SECURE_ERASE_BYTES_MAX {
            connection.execute_batch("vacuum")?;
            self.log = true;
        }
        self.pages = false;
        Ok(())
    }

    /// Empties the log if that is due. If readers need the log for longer than 100 ms, it stays due.
    ///
    /// # Errors
    /// An error of SQLite.
    pub(super) fn empty_log(&mut self, connection: &Connection) -> Result<()> {
        if !self.log {
            return Ok(());
        }
        connection.busy_timeout(Duration::from_millis(100))?;
        let busy = Sql::new(connection).value::<i64>("pragma wal_checkpoint(truncate)", ());
        connection.busy_timeout(super::BUSY_TIMEOUT)?;
        self.log = busy? != 0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_rewrite_of_pages_is_tried_again() {
        let connection = Connection::open_in_memory().unwrap();
        let mut erase = SecureErase::default();
        erase.request();
        assert!(erase.is_due());
        // Pages cannot be rewritten inside a transaction.
        connection.execute_batch("begin").unwrap();
        assert!(erase.rewrite_pages(&connection).is_err());
        erase.log = false;
        assert!(erase.is_due(), "the pages still hold what was deleted");
        connection.execute_batch("commit").unwrap();
        erase.rewrite_pages(&connection).unwrap();
        erase.empty_log(&connection).unwrap();
        assert!(!erase.is_due());
    }
}

//! The files of rows in an archive: each feature lists its own, and [`ArchiveFile::page`] reads a page of one.
//!
//! SQLite makes one JSON object for each row. Times are in UTC. Texts of other people are left out, and so is
//! everything about users whom the user may not meet and about their content, as if their accounts were deleted. Two
//! exceptions are the list of those whom the user blocked, and a group of a suspended owner, which is listed without
//! the owner.

use super::{between, mentions};
use crate::db::sql::Sql;
use crate::error::Error;
use crate::ids::{ID_LIMIT, UserId};
use crate::limits::EXPORT_PAGE;

/// One file of an archive.
#[derive(Clone, Copy)]
pub struct ArchiveFile {
    /// Its name.
    pub file: &'static str,
    /// What it holds, for the person who opens the archive.
    pub about: &'static str,
    sql: &'static str,
    has_mentions: bool,
}

/// SQL: a column of milliseconds as UTC text.
macro_rules! time {
    ($column:literal) => {
        concat!("strftime('%Y-%m-%dT%H:%M:%SZ', ", $column, " / 1000, 'unixepoch')")
    };
}

/// SQL: the path in the archive of the file in the row `$file`.
macro_rules! place {
    ($file:literal) => {
        concat!("'media/' || ", $file, ".full_path")
    };
}

/// SQL: the name of the group of a row; a fixed text if the user is no longer in it or the group is gone.
macro_rules! group_name {
    ($row:literal) => {
        concat!(
            "coalesce((select g.name from members x join groups g on g.id = x.group_id
                        where x.group_id = ",
            $row,
            ".group_id and x.user_id = ?1),
                      iif(",
            $row,
            ".group_id is null, 'a group that no longer exists', 'a group that you are no longer in'))"
        )
    };
}

pub(crate) use {group_name, place, time};

impl ArchiveFile {
    /// A file of rows. The query gives `(id, json)` for one page, newest first. Its arguments: ?1 the user, ?2 only
    /// ids below this, ?3 the number of rows, ?4 the time, if the query has it.
    #[must_use]
    pub const fn new(file: &'static str, about: &'static str, sql: &'static str) -> Self {
        Self { file, about, sql, has_mentions: false }
    }

    /// Like [`ArchiveFile::new`], for objects with a `text` that has mentions.
    #[must_use]
    pub const fn with_mentions(file: &'static str, about: &'static str, sql: &'static str) -> Self {
        Self { file, about, sql, has_mentions: true }
    }

    /// Returns the page of objects with ids below `before` (None: the newest), and the `before` of the next page (None:
    /// there is none).
    ///
    /// # Errors
    /// A database fault.
    pub fn page(
        &self,
        sql: Sql<'_>,
        user_id: UserId,
        before: Option<i64>,
        now_ms: i64,
    ) -> Result<(Vec<String>, Option<i64>), Error> {
        let before = before.unwrap_or(ID_LIMIT);
        // SQLite requires exactly as many arguments as the query has.
        let mut rows: Vec<(i64, String)> = match self.sql.contains("?4") {
            true => sql.rows(self.sql, (user_id, before, EXPORT_PAGE, now_ms))?,
            false => sql.rows(self.sql, (user_id, before, EXPORT_PAGE))?,
        };
        if self.has_mentions {
            for (_, json) in &mut rows {
                hide_mentions(sql, user_id, json)?;
            }
        }
        let is_full = i64::try_from(rows.len()).is_ok_and(|count| count == EXPORT_PAGE);
        let next = rows.last().map(|(id, _)| *id).filter(|_| is_full);
        Ok((rows.into_iter().map(|(_, json)| json).collect(), next))
    }
}

/// Replaces the mentions of users whom the user may not meet, or whose accounts are gone, with plain text, in an object
/// with a text.
fn hide_mentions(sql: Sql<'_>, user_id: UserId, json: &mut String) -> Result<(), Error> {
    let text: String = sql.value("select json_extract(?1, '$.text')", (&*json,))?;
    let hidden = between::hidden_among(sql, user_id, mentions::mentioned(&text))?;
    if !hidden.is_empty() {
        let plain = mentions::plain(&text, &hidden);
        *json = sql.value("select json_set(?1, '$.text', ?2)", (&*json, plain))?;
    }
    Ok(())
}

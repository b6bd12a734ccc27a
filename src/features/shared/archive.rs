//! The archive of a user's data: each feature lists the files that it adds, and this reads them page by page.
//!
//! SQLite writes one JSON object a row. Times are in UTC. Texts of other people are left out, and so are the ids of users
//! whom the user may not meet, but for those whom they blocked.

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

/// A time of a column of milliseconds.
macro_rules! time {
    ($column:literal) => {
        concat!("strftime('%Y-%m-%dT%H:%M:%SZ', ", $column, " / 1000, 'unixepoch')")
    };
}

/// Where the file of a row `f` is in the archive.
macro_rules! place {
    ($file:literal) => {
        concat!("'media/' || ", $file, ".full_path")
    };
}

/// The name of the audience group, or a text in its place for a group that is gone or that the user is no longer in.
macro_rules! group_name {
    ($row:literal) => {
        concat!(
            "coalesce((select g.name from members x join groups g on g.id = x.group_id
                        where x.group_id = ",
            $row,
            ".group_id and x.user_id = ?1),
                      'a group that no longer exists')"
        )
    };
}

pub(crate) use {group_name, place, time};

impl ArchiveFile {
    /// A file of rows. The query gives `(id, json)` for one page, newest first. Its arguments: 1 user, 2 the id before
    /// which the page ends, 3 rows, 4 the time, if the query has it.
    #[must_use]
    pub const fn new(file: &'static str, about: &'static str, sql: &'static str) -> Self {
        Self { file, about, sql, has_mentions: false }
    }

    /// Like [`ArchiveFile::new`], for objects with a `text` that has mentions.
    #[must_use]
    pub const fn with_mentions(file: &'static str, about: &'static str, sql: &'static str) -> Self {
        Self { file, about, sql, has_mentions: true }
    }

    /// Returns some of its objects, those before `before` (None: the newest), and where the next begin; None
    /// when nothing remains.
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
        // SQLite takes as many arguments as the query has.
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

/// Makes the mentions of users whom the user may not meet plain words, in an object with a text.
fn hide_mentions(sql: Sql<'_>, user_id: UserId, json: &mut String) -> Result<(), Error> {
    let text: String = sql.value("select json_extract(?1, '$.text')", (&*json,))?;
    let hidden = between::hidden_among(sql, user_id, mentions::mentioned(&text))?;
    if !hidden.is_empty() {
        let plain = mentions::plain(&text, &hidden);
        *json = sql.value("select json_set(?1, '$.text', ?2)", (&*json, plain))?;
    }
    Ok(())
}

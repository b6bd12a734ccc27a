//! The database of a backup: copies one commit, checks a copy, and changes a restored copy.
//!
//! Guarantees:
//! - A copy is one commit. The caller learns its stored files before the copy is made, so that it can copy them too.
//! - Only [`renew`] writes, and only to a database that no server uses yet.
//! - The database of a running server is read as by any other reader. The writer continues meanwhile.

use std::path::Path;

use rusqlite::{Connection, MAIN_DB};

use super::sql::{Sql, from_row};
use super::{
    check_references, check_structure, failed, has_table, open_to_read, open_to_write, schema, unreadable,
};
use crate::ids::Seq;
use crate::limits::BACKUP_TRIES_MAX;

/// A stored file that a row of the database names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredFile {
    /// Below `media/`.
    pub full_path: String,
    pub size_bytes: u64,
}

from_row!(StoredFile { full_path, size_bytes });

/// The rows that a restored database holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    pub people: u64,
    pub posts: u64,
    pub pictures: u64,
}

from_row!(Counts { people, posts, pictures });

/// Copies the database at `path` to `target`, a new file. `take` receives the stored files of a commit before that
/// commit is copied. It returns false if one of them was deleted meanwhile; then a newer commit is tried.
///
/// # Errors
/// One sentence that says that the database cannot be read or that `target` cannot be written, or the error of `take`.
pub fn copy(
    path: &Path,
    target: &Path,
    mut take: impl FnMut(&[StoredFile]) -> Result<bool, String>,
) -> Result<(), String> {
    let source = open_to_read(path)?;
    let say = |why: rusqlite::Error| failed("cannot copy", path, why);
    for _ in 0..BACKUP_TRIES_MAX {
        // The first statement takes the snapshot. The copy below is made of the same snapshot.
        let snapshot = source.unchecked_transaction().map_err(say)?;
        let files = files_of(Sql::new(&snapshot)).map_err(say)?;
        if !take(&files)? {
            continue;
        }
        return copy_pages(&source, target)
            .map_err(|why| format!("cannot copy {} to {}: {why}", path.display(), target.display()));
    }
    Err("pictures are deleted faster than they can be copied; please try again later".into())
}

fn copy_pages(source: &Connection, target: &Path) -> rusqlite::Result<()> {
    source.backup(MAIN_DB, target, None)?;
    // A copy is one file, without a write-ahead log.
    Connection::open(target)?.pragma_update_and_check(None, "journal_mode", "delete", |_| Ok(()))
}

/// Checks the structure of a database, its schema and its references.
///
/// # Errors
/// One sentence that says what is wrong with the database.
pub fn check(path: &Path) -> Result<(), String> {
    let connection = open_to_read(path)?;
    let sql = Sql::new(&connection);
    check_structure(sql)?;
    schema::check(sql)?;
    check_references(sql)
}

/// Returns the schema of the database at `path`, if [`super::open`] would upgrade it. None if there is no database, or if
/// it is new, up to date or newer than this program.
///
/// # Errors
/// One sentence that says that the database cannot be read, or that `open` refuses its schema.
pub fn schema_to_upgrade(path: &Path) -> Result<Option<i64>, String> {
    if !path.try_exists().map_err(|why| failed("cannot read", path, why))? {
        return Ok(None);
    }
    let connection = open_to_read(path)?;
    let sql = Sql::new(&connection);
    let number = || -> rusqlite::Result<Option<i64>> {
        match has_table(sql, "_sqlx_migrations")? {
            true => sql.value("select max(version) from _sqlx_migrations", ()),
            false => Ok(None),
        }
    };
    let number = number().map_err(|why| failed("will not use", path, unreadable(why)))?;
    if number.is_none_or(|number| number >= schema::newest()) {
        return Ok(None);
    }
    schema::check(sql).map_err(|why| failed("will not use", path, why))
}

/// Returns the epoch of the database at `path` and the number of its last write. None if they cannot be read.
#[must_use]
pub fn last_write(path: &Path) -> Option<(String, Seq)> {
    let connection = open_to_read(path).ok()?;
    let sql = Sql::new(&connection);
    sql.row("select epoch, seq from site", ()).ok()
}

/// Returns the stored files that the database names.
///
/// # Errors
/// One sentence that says that the database cannot be read.
pub fn stored_files(path: &Path) -> Result<Vec<StoredFile>, String> {
    let connection = open_to_read(path)?;
    files_of(Sql::new(&connection)).map_err(|why| failed("cannot read", path, why))
}

/// Gives a restored database the newest schema and a new epoch. Ends all logins and all links of mails, because one
/// that ended after the backup must not work again. Returns the number of its rows.
///
/// # Errors
/// One sentence that says that the database is damaged or newer than this program.
pub async fn renew(path: &Path) -> Result<Counts, String> {
    let connection = open_to_write(path).await?;
    let say = |why: rusqlite::Error| failed("cannot renew", path, why);
    connection
        .execute_batch(
            "begin immediate;
             update site set epoch = lower(hex(randomblob(16))), stopped_cleanly = 1;
             delete from logins;
             delete from links;
             -- A pending address waits for a link.
             update users set pending_email = null where pending_email is not null;
             delete from mails;
             commit;",
        )
        .map_err(say)?;
    let sql = Sql::new(&connection);
    let counts = sql
        .row(
            "select (select count(*) from users) as people, (select count(*) from posts) as posts,
                    (select count(*) from pictures) as pictures",
            (),
        )
        .map_err(say)?;
    connection.close().map_err(|(_, why)| say(why))?;
    Ok(counts)
}

/// Returns the stored files. A schema that is older than pictures has none.
fn files_of(sql: Sql<'_>) -> rusqlite::Result<Vec<StoredFile>> {
    if !has_table(sql, "files")? {
        return Ok(Vec::new());
    }
    sql.rows("select full_path, size_bytes from files order by full_path", ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r8_a_database_that_cannot_be_read_is_not_taken_for_a_new_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        assert_eq!(schema_to_upgrade(&path("none.db")), Ok(None));
        std::fs::write(path("new.db"), "").unwrap();
        assert_eq!(schema_to_upgrade(&path("new.db")), Ok(None));
        std::fs::write(path("text.db"), "no database ".repeat(1_000)).unwrap();
        std::fs::create_dir(path("folder.db")).unwrap();
        for name in ["text.db", "folder.db", "text.db/mellow.db"] {
            let why = schema_to_upgrade(&path(name)).unwrap_err();
            assert!(why.contains(name) && !why.contains('\n'), "{why}");
        }
    }
}

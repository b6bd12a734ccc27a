//! The database: one file, one writer and several readers.
//!
//! Guarantees:
//! - Only [`writer`] begins a transaction that writes, and it replies after the commit is on disk.
//! - Only [`readers`] takes snapshots, on connections that cannot write.
//! - If this program does not understand a database, the start ends with a sentence for the host.

pub mod backup;
pub mod command;
pub mod disk_floor;
pub mod readers;
mod schema;
mod secure_erase;
pub mod sql;
pub mod writer;

use std::fmt::Display;
use std::fs::{File, TryLockError};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};
use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};
use sqlx::sqlite::{SqliteConnectOptions, SqliteSynchronous};
use sqlx::{Connection as _, SqlSafeStr, SqliteConnection};

use self::readers::Readers;
use self::sql::Sql;
use crate::disk;
use crate::ids::{IdMaker, Seq};

/// If a database cannot be opened and fewer bytes than this are free, the disk is reported as full, because the files
/// of a database grow by more than this.
const ROOM_BYTES: u64 = 1024 * 1024;
/// How long a statement waits for another connection that writes.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Every file of `migrations/`: version, description and statements. `build.rs` lists them.
const MIGRATIONS: &[(i64, &str, &str)] = include!(concat!(env!("OUT_DIR"), "/migrations.rs"));

// The first SQLite without the WAL-reset bug that could corrupt a database. It is compiled in.
const _: () = assert!(rusqlite::ffi::SQLITE_VERSION_NUMBER >= 3_051_003);

/// The settings of every connection that writes. Each is read back after it is set, because the server must not use a
/// connection that does not wait for the disk.
const PRAGMAS: [(&str, &str, &str); 6] = [
    ("journal_mode", "wal", "wal"),
    // FULL: SQLite syncs the write-ahead log before a commit returns.
    ("synchronous", "full", "2"),
    ("foreign_keys", "on", "1"),
    ("secure_delete", "on", "1"),
    ("temp_store", "memory", "2"),
    ("journal_size_limit", "67108864", "67108864"),
];

/// A database that is open and up to date.
pub struct Opened {
    /// The writer's own connection.
    pub writer: Connection,
    /// The reader threads.
    pub readers: Readers,
    /// The epoch: the history that the numbers belong to.
    pub epoch: String,
    /// The number that this start took. All earlier writes have lower numbers.
    pub seq: Seq,
    /// Makes ids above all ids in use.
    pub ids: Arc<IdMaker>,
}

/// Locks a data folder for this process; None if another Mellow is using it. The system releases the lock when the
/// process ends, even after a crash.
///
/// # Errors
/// One line that says that the folder cannot be written.
pub fn try_lock_folder(folder: &Path) -> Result<Option<File>, String> {
    try_lock(&folder.join("mellow.lock"))
}

/// Takes a lock that one process can hold at a time; None if another process holds it.
///
/// # Errors
/// One line that says that the file cannot be made or locked.
pub fn try_lock(path: &Path) -> Result<Option<File>, String> {
    let file = File::create(path).map_err(|why| format!("cannot write {}: {why}", path.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(why)) => Err(format!("cannot lock {}: {why}", path.display())),
    }
}

/// Returns whether `folder` has a database.
#[must_use]
pub fn is_in(folder: &Path) -> bool {
    folder.join("mellow.db").exists()
}

/// Returns the message that a folder has no database. Most often the command ran in the wrong folder.
#[must_use]
pub fn no_database_in(folder: &Path) -> String {
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    format!(
        "there is no Mellow in {}: run this in the folder of its mellow.toml, such as /etc/mellow, name its data \
         folder with --data, or start it once",
        folder.display()
    )
}

/// Opens the database in `folder`, making and migrating it as needed.
///
/// # Errors
/// One sentence for the host: the file cannot be opened, is newer than this program, or is damaged.
pub async fn open(folder: &Path) -> Result<Opened, String> {
    let opened = open_in(folder).await;
    opened.map_err(|why| match disk::free_bytes(folder) {
        // SQLite reports some failures of a full disk as I/O errors.
        Ok(free) if free < ROOM_BYTES => format!("{why}. Its disk is full: please free some space."),
        _ => why,
    })
}

async fn open_in(folder: &Path) -> Result<Opened, String> {
    let path = folder.join("mellow.db");
    let writer = open_to_write(&path).await?;
    let sql = Sql::new(&writer);
    // The write-ahead log may still hold pages of an earlier run that a secure erase should have removed.
    sql.value::<i64>("pragma wal_checkpoint(truncate)", ())
        .map_err(|why| failed("cannot tidy", &path, why))?;
    let (epoch, seq) = begin(sql).map_err(|why| failed("cannot begin with", &path, why))?;
    let highest_id = highest_id(sql).map_err(|why| failed("cannot read", &path, why))?;
    let ids = Arc::new(IdMaker::starting_after(highest_id));
    let readers = Readers::start(&path)?;
    Ok(Opened { writer, readers, epoch, seq, ids })
}

/// Returns whether the database in `folder` has an account. It changes nothing and makes no database.
///
/// # Errors
/// One sentence that says that the file cannot be read.
pub fn has_accounts(folder: &Path) -> Result<bool, String> {
    if !is_in(folder) {
        return Ok(false);
    }
    let path = folder.join("mellow.db");
    let connection = open_to_read(&path)?;
    let sql = Sql::new(&connection);
    let has_accounts = || -> rusqlite::Result<bool> {
        Ok(has_table(sql, "users")? && sql.value("select exists (select 1 from users)", ())?)
    };
    has_accounts().map_err(|why| failed("cannot read", &path, why))
}

/// Fills the database in `folder`, which nobody else uses, in one transaction. SQLite waits for the disk only at the
/// end, because a caller whose run was interrupted begins again with a new database.
///
/// # Errors
/// Those of [`open`], of `write` and of SQLite.
pub async fn fill<T>(folder: &Path, write: impl FnOnce(Sql<'_>) -> Result<T, String>) -> Result<T, String> {
    let Opened { writer, readers, .. } = open(folder).await?;
    readers.close();
    let run = |statements: &str| writer.execute_batch(statements).map_err(|why| why.to_string());
    run("pragma synchronous = off; pragma foreign_keys = off; pragma secure_delete = off")?;
    run("pragma cache_size = -262144; begin immediate")?;
    let sql = Sql::new(&writer);
    let filled = write(sql)?;
    check_references(sql)?;
    run("commit; pragma synchronous = full; pragma wal_checkpoint(truncate)")?;
    run("update site set stopped_cleanly = 1")?;
    writer.close().map_err(|(_, why)| why.to_string())?;
    Ok(filled)
}

/// Opens a database to write it: makes it if it is not there, checks its structure if it was not closed cleanly, and
/// brings its schema up to date.
async fn open_to_write(path: &Path) -> Result<Connection, String> {
    let connection = connect(path).map_err(|why| failed("cannot open", path, why))?;
    let sql = Sql::new(&connection);
    // The check of a large database takes a while, so only a database that was not closed cleanly is checked.
    if !sql.value("select stopped_cleanly from site", ()).unwrap_or(false) {
        check_structure(sql)
            .map_err(|why| failed("will not use", path, format_args!("{why}; restore a backup")))?;
    }
    // Nothing is written before this check, because a write would run the triggers of a foreign schema.
    let found = schema::check(sql).map_err(|why| failed("will not use", path, why))?;
    if let Some(schema) = found.filter(|schema| *schema < schema::newest()) {
        log::info!("the database is upgraded from schema {schema} to {}", schema::newest());
    }
    migrate(path).await?;
    Ok(connection)
}

/// Brings the schema of a database up to date. sqlx runs the migrations, and is used for nothing else.
async fn migrate(path: &Path) -> Result<(), String> {
    let say = |why: &dyn Display| failed("cannot bring up to date", path, why);
    let options = SqliteConnectOptions::new()
        .filename(path)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(BUSY_TIMEOUT);
    let mut connection = SqliteConnection::connect_with(&options).await.map_err(|why| say(&why))?;
    migrator().run(&mut connection).await.map_err(|why| match why {
        MigrateError::VersionMissing(version) => failed("will not use", path, schema::newer(version)),
        why => say(&why),
    })?;
    connection.close().await.map_err(|why| say(&why))
}

fn migrator() -> Migrator {
    let migrations = MIGRATIONS.iter().map(|&(version, description, statements)| {
        let kind = MigrationType::Simple;
        Migration::new(version, description.into(), kind, statements.into_sql_str(), false)
    });
    Migrator::with_migrations(migrations.collect())
}

/// Checks the structure of a database, and that each index has every row. The quick check of SQLite leaves the indexes
/// out, and does not decode the rows of tables without row ids.
fn check_structure(sql: Sql<'_>) -> Result<(), String> {
    let finding: String = sql.value("pragma integrity_check(1)", ()).map_err(unreadable)?;
    if finding == "ok" { Ok(()) } else { Err(format!("it is damaged ({})", one_line(finding))) }
}

/// Checks that every foreign key refers to an existing row.
fn check_references(sql: Sql<'_>) -> Result<(), String> {
    let broken: i64 = sql.value("select count(*) from pragma_foreign_key_check", ()).map_err(unreadable)?;
    if broken == 0 { Ok(()) } else { Err(format!("{broken} rows refer to nothing")) }
}

fn unreadable(why: rusqlite::Error) -> String {
    format!("it cannot be read ({})", one_line(why))
}

/// Returns one line: what does not work with a file, and why.
fn failed(what: &str, path: &Path, why: impl Display) -> String {
    format!("{what} {}: {}", path.display(), one_line(why))
}

/// Puts a message of SQLite on one line. SQLite quotes a damaged schema with its line breaks.
fn one_line(why: impl Display) -> String {
    why.to_string().lines().collect::<Vec<_>>().join(" ")
}

fn has_table(sql: Sql<'_>, name: &str) -> rusqlite::Result<bool> {
    sql.value("select exists (select 1 from sqlite_master where type = 'table' and name = ?1)", (name,))
}

/// Opens a connection that only reads. A server may use the database meanwhile.
fn open_to_read(path: &Path) -> Result<Connection, String> {
    let open = || {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.pragma_update(None, "temp_store", "memory")?;
        sql::prepare(&connection)?;
        Ok(connection)
    };
    open().map_err(|why: rusqlite::Error| failed("cannot read", path, why))
}

/// Opens a connection that writes, and makes the file if it is not there.
fn connect(path: &Path) -> Result<Connection, String> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(|why| why.to_string())?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(|why| why.to_string())?;
    for (name, value, expected) in PRAGMAS {
        set_pragma(&connection, name, value, expected)?;
    }
    sql::prepare(&connection).map_err(|why| why.to_string())?;
    Ok(connection)
}

fn set_pragma(connection: &Connection, name: &str, value: &str, expected: &str) -> Result<(), String> {
    let set = || {
        connection.execute_batch(&format!("pragma {name} = {value}"))?;
        connection.query_row(&format!("select {name} || '' from pragma_{name}"), (), |row| row.get(0))
    };
    let found: String = set().map_err(|why| format!("SQLite refuses {name}: {why}"))?;
    if found == expected {
        Ok(())
    } else {
        Err(format!("SQLite has {name} = {found} instead of {expected}, so writes would not be safe"))
    }
}

/// Takes the number of this start. A client that was sent this number when the previous run closed has every event of
/// that run.
fn begin(sql: Sql<'_>) -> rusqlite::Result<(String, Seq)> {
    sql.row("update site set seq = seq + 1, stopped_cleanly = 0 returning epoch, seq", ())
}

/// Returns the highest id of any table, 0 without rows. Ids are in columns named `id`. Those that SQLite counts (D-A15)
/// are lower than those of the generator.
fn highest_id(sql: Sql<'_>) -> rusqlite::Result<i64> {
    let tables: Vec<String> = sql.values(
        "select m.name from sqlite_master m join pragma_table_info(m.name) c
          where m.type = 'table' and c.name = 'id'",
        (),
    )?;
    let highest = |table: &String| sql.value(&format!("select coalesce(max(id), 0) from \"{table}\""), ());
    tables.iter().map(highest).try_fold(0, |all: i64, one| Ok(all.max(one?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_in_the_folder_of_migrations_is_in_the_program() {
        let mut files: Vec<(String, String)> = std::fs::read_dir("migrations")
            .unwrap()
            .map(|entry| entry.unwrap())
            .map(|entry| {
                (entry.file_name().into_string().unwrap(), std::fs::read_to_string(entry.path()).unwrap())
            })
            .collect();
        files.sort();
        let listed: Vec<_> = MIGRATIONS
            .iter()
            .map(|(version, description, statements)| {
                (format!("{version:04}_{description}.sql"), (*statements).to_owned())
            })
            .collect();
        assert_eq!(files, listed, "a migration is named like 0017_bookmarks.sql");
    }

    #[test]
    fn ids_begin_after_the_highest_of_every_table() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        let sql = Sql::new(&connection);
        assert_eq!(highest_id(sql).unwrap(), 0);
        connection
            .execute_batch(
                "create table posts (id integer primary key); create table votes (post_id, vote);
                 create table bookmarks (post_id, id unique);
                 insert into posts values (7); insert into bookmarks values (90, 8); insert into votes values (9, 1);",
            )
            .unwrap();
        assert_eq!(highest_id(sql).unwrap(), 8);
    }

    #[actix_web::test]
    async fn r10_a_schema_with_damaged_lines_is_refused_in_one_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mellow.db");
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection
            .execute_batch(
                "create table site (stopped_cleanly integer);
                 pragma writable_schema = on;
                 update sqlite_master set sql = 'create table site' || char(10) || '\"' || char(10) || 'x';",
            )
            .unwrap();
        drop(connection);
        let refused = open(folder.path()).await.err().unwrap();
        assert!(refused.contains("malformed database schema") && !refused.contains('\n'), "{refused}");
    }

    #[test]
    fn a_connection_that_does_not_keep_its_settings_is_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mellow.db");
        let connection = rusqlite::Connection::open(&path).unwrap();
        assert_eq!(set_pragma(&connection, "synchronous", "full", "2"), Ok(()));
        let refused = set_pragma(&connection, "synchronous", "normal", "2").unwrap_err();
        assert!(refused.contains("synchronous = 1 instead of 2"), "{refused}");
        // A database in memory has no write-ahead log.
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        assert!(set_pragma(&connection, "journal_mode", "wal", "wal").is_err());
        assert!(connect(&path).is_ok());
    }
}

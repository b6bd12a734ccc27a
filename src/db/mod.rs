//! The database: one file, one writer and several readers. It knows no feature.
//!
//! Guarantees:
//! - Only [`writer`] begins a transaction that writes, and it replies after the commit is on disk.
//! - Only [`readers`] takes snapshots, on connections that cannot write.
//! - If this program does not understand a database, the start ends with a sentence for the host.

pub mod backup;
pub mod command;
pub mod disk_floor;
pub mod readers;
mod secure_erase;
pub mod sql;
pub mod writer;

use std::fs::{File, TryLockError};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rusqlite::OpenFlags;
use rusqlite::types::ValueRef;
use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{Connection, SqlSafeStr, SqliteConnection};

use self::readers::Readers;
use self::sql::Sql;
use crate::disk;
use crate::ids::{IdMaker, Seq};

/// Free space of a disk on which a database that cannot be opened lacks room, in bytes: less than its files grow by.
const ROOM_BYTES: u64 = 1024 * 1024;
/// How long a statement waits for another connection that is about to write.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Every file of `migrations/`: version, description and statements. `build.rs` lists them.
const MIGRATIONS: &[(i64, &str, &str)] = include!(concat!(env!("OUT_DIR"), "/migrations.rs"));

// The first SQLite without the WAL-reset bug that could corrupt a database. It is compiled in.
const _: () = assert!(rusqlite::ffi::SQLITE_VERSION_NUMBER >= 3_051_003);

/// The settings of every connection that writes. Each is read back after it is set, because a connection that does
/// not wait for the disk must not serve.
const PRAGMAS: [(&str, &str, &str); 6] = [
    ("journal_mode", "wal", "wal"),
    // FULL: the log is synced before a commit is answered.
    ("synchronous", "full", "2"),
    ("foreign_keys", "on", "1"),
    ("secure_delete", "on", "1"),
    ("temp_store", "memory", "2"),
    ("journal_size_limit", "67108864", "67108864"),
];

/// A database that is open and up to date.
pub struct Opened {
    /// The writer's own connection.
    pub writer: rusqlite::Connection,
    /// The threads that read.
    pub readers: Readers,
    /// Which history the numbers below belong to.
    pub epoch: String,
    /// The number that this start took: every write of before has a lower one.
    pub seq: Seq,
    /// Makes ids above all that are in use.
    pub ids: Arc<IdMaker>,
}

/// Locks a data folder for this process; None if another Mellow is using it. The system releases the lock when the
/// process ends, however it ends.
///
/// # Errors
/// One line: the folder cannot be written.
pub fn try_lock_folder(folder: &Path) -> Result<Option<File>, String> {
    try_lock(&folder.join("mellow.lock"))
}

/// Takes a lock that only one process has; None if another one has it.
///
/// # Errors
/// One line: the file cannot be made or locked.
pub fn try_lock(path: &Path) -> Result<Option<File>, String> {
    let file = File::create(path).map_err(|why| format!("cannot write {}: {why}", path.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(why)) => Err(format!("cannot lock {}: {why}", path.display())),
    }
}

/// Returns why a command can do nothing in a folder that has no database. Most often it runs in the wrong folder.
#[must_use]
pub fn no_database_in(folder: &Path) -> String {
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    format!(
        "there is no Mellow in {}: run this in the folder of its mellow.toml, name its data folder with --data, or \
         start it once",
        folder.display()
    )
}

/// Opens the database in `folder`, making and migrating it as needed.
///
/// # Errors
/// One sentence for the host, when the file cannot be opened, is newer than this program or is damaged.
pub async fn open(folder: &Path) -> Result<Opened, String> {
    let opened = open_in(folder).await;
    opened.map_err(|why| match disk::free_bytes(folder) {
        // SQLite calls some of it an I/O error.
        Ok(free) if free < ROOM_BYTES => format!("{why}. Its disk is full: please free some space."),
        _ => why,
    })
}

async fn open_in(folder: &Path) -> Result<Opened, String> {
    let path = folder.join("mellow.db");
    migrate(&path).await?;
    let say = |what: &str, why: &dyn std::fmt::Display| {
        format!("{what} {}: {}", path.display(), one_line(&why.to_string()))
    };
    let writer = connect(&path).map_err(|why| say("cannot open", &why))?;
    let sql = Sql::new(&writer);
    // The log may still hold pages of an earlier run from before an erasure.
    sql.value::<i64>("pragma wal_checkpoint(truncate)", ()).map_err(|why| say("cannot tidy", &why))?;
    let (epoch, seq) = begin(sql).map_err(|why| say("cannot begin with", &why))?;
    let highest_id = highest_id(sql).map_err(|why| say("cannot read", &why))?;
    let ids = Arc::new(IdMaker::starting_after(highest_id));
    let readers = Readers::start(&path)?;
    Ok(Opened { writer, readers, epoch, seq, ids })
}

/// Returns whether somebody has an account in the database in `folder`. It changes nothing and makes no database.
///
/// # Errors
/// One sentence: the file cannot be read.
pub fn has_accounts(folder: &Path) -> Result<bool, String> {
    let path = folder.join("mellow.db");
    if !path.exists() {
        return Ok(false);
    }
    let say = |why: rusqlite::Error| format!("cannot read {}: {why}", path.display());
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
    let connection = rusqlite::Connection::open_with_flags(&path, flags).map_err(say)?;
    let sql = Sql::new(&connection);
    let has_users = "select exists (select 1 from sqlite_master where type = 'table' and name = 'users')";
    Ok(sql.value(has_users, ()).map_err(say)?
        && sql.value("select exists (select 1 from users)", ()).map_err(say)?)
}

/// Fills the database in `folder`, which nobody else uses, in one transaction. Nothing waits for the disk before its end:
/// a database that is not whole is filled anew.
///
/// # Errors
/// As [`open`]; what `write` returns; SQLite's.
pub async fn fill<T>(folder: &Path, write: impl FnOnce(Sql<'_>) -> Result<T, String>) -> Result<T, String> {
    let Opened { writer, readers, .. } = open(folder).await?;
    readers.close();
    let filled = fill_on(Sql::new(&writer), write)?;
    writer.close().map_err(|(_, why)| why.to_string())?;
    Ok(filled)
}

fn fill_on<T>(sql: Sql<'_>, write: impl FnOnce(Sql<'_>) -> Result<T, String>) -> Result<T, String> {
    let run = |statement: &str| sql.execute(statement, ()).map(drop).map_err(|why| why.to_string());
    let set = |pragma: &str| sql.optional_row::<(i64,)>(pragma, ()).map(drop).map_err(|why| why.to_string());
    for pragma in ["synchronous = off", "foreign_keys = off", "secure_delete = off", "cache_size = -262144"] {
        set(&format!("pragma {pragma}"))?;
    }
    run("begin immediate")?;
    let filled = write(sql)?;
    let broken: i64 = sql
        .value("select count(*) from pragma_foreign_key_check", ())
        .map_err(|why| format!("references cannot be checked: {why}"))?;
    if broken > 0 {
        return Err(format!("{broken} rows refer to nothing"));
    }
    run("commit")?;
    set("pragma synchronous = full")?;
    set("pragma wal_checkpoint(truncate)")?;
    run("update site set stopped_cleanly = 1")?;
    Ok(filled)
}

/// Checks the structure of a database that was not closed cleanly, and brings its schema up to date.
///
/// Through sqlx, whose migrations these are; it is not used for requests.
async fn migrate(path: &Path) -> Result<(), String> {
    let say = |what: &str, why: &dyn std::fmt::Display| {
        format!("{what} {}: {}", path.display(), one_line(&why.to_string()))
    };
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(BUSY_TIMEOUT);
    let mut connection =
        SqliteConnection::connect_with(&options).await.map_err(|why| say("cannot open", &why))?;
    check_structure(&mut connection).await.map_err(|why| say("will not use", &why))?;
    let newest = MIGRATIONS.last().map_or(0, |(version, _, _)| *version);
    if let Some(schema) = schema_of(&mut connection).await.filter(|schema| *schema < newest) {
        log::info!("the database is upgraded from schema {schema} to {newest}");
    }
    migrator().run(&mut connection).await.map_err(|why| match why {
        MigrateError::VersionMissing(version) => say(
            "will not use",
            &format!("it was made by a newer Mellow (schema {version}); please update this program"),
        ),
        why => say("cannot bring up to date", &why),
    })?;
    connection.close().await.map_err(|why| say("cannot bring up to date", &why))
}

/// Returns the newest schema that a database has; None for a new database.
async fn schema_of(connection: &mut SqliteConnection) -> Option<i64> {
    let newest = sqlx::query_scalar("select max(version) from _sqlx_migrations");
    newest.fetch_one(connection).await.ok().flatten()
}

fn migrator() -> Migrator {
    let migrations = MIGRATIONS.iter().map(|&(version, description, statements)| {
        let kind = MigrationType::Simple;
        Migration::new(version, description.into(), kind, statements.into_sql_str(), false)
    });
    Migrator::with_migrations(migrations.collect())
}

/// Checks the structure, unless the database was closed cleanly: on a large one that takes a while.
async fn check_structure(connection: &mut SqliteConnection) -> Result<(), String> {
    let unreadable = |why: sqlx::Error| format!("it cannot be read ({why}); restore a backup");
    let has_site: bool = sqlx::query_scalar(
        "select exists (select 1 from sqlite_master where type = 'table' and name = 'site')",
    )
    .fetch_one(&mut *connection)
    .await
    .map_err(unreadable)?;
    if has_site {
        let clean: Option<bool> = sqlx::query_scalar("select stopped_cleanly from site")
            .fetch_optional(&mut *connection)
            .await
            .map_err(unreadable)?;
        if clean == Some(true) {
            return Ok(());
        }
    }
    let findings: Vec<String> =
        sqlx::query_scalar("pragma quick_check(1)").fetch_all(connection).await.map_err(unreadable)?;
    match findings.first().map(String::as_str) {
        None | Some("ok") => Ok(()),
        Some(finding) => Err(format!("it is damaged ({}); restore a backup", one_line(finding))),
    }
}

/// Puts a message of SQLite on one line. SQLite quotes a damaged schema with its line breaks.
fn one_line(finding: &str) -> String {
    finding.lines().collect::<Vec<_>>().join(" ")
}

/// Opens a connection that writes.
fn connect(path: &Path) -> Result<rusqlite::Connection, String> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = rusqlite::Connection::open_with_flags(path, flags).map_err(|why| why.to_string())?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(|why| why.to_string())?;
    for (name, value, expected) in PRAGMAS {
        set_pragma(&connection, name, value, expected)?;
    }
    sql::prepare(&connection).map_err(|why| why.to_string())?;
    Ok(connection)
}

fn set_pragma(
    connection: &rusqlite::Connection,
    name: &str,
    value: &str,
    expected: &str,
) -> Result<(), String> {
    let read = |row: &rusqlite::Row<'_>| {
        row.get_ref(0).map(|value| match value {
            ValueRef::Integer(number) => number.to_string(),
            value => value.as_str().unwrap_or_default().to_owned(),
        })
    };
    let set = connection.pragma_update_and_check(None, name, value, read);
    let set = match set {
        // Some pragmas return no row when they are set.
        Err(rusqlite::Error::QueryReturnedNoRows) => Ok(String::new()),
        set => set,
    };
    set.map_err(|why| format!("SQLite refuses {name}: {why}"))?;
    let found = connection.pragma_query_value(None, name, read).map_err(|why| why.to_string())?;
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

fn highest_id(sql: Sql<'_>) -> rusqlite::Result<i64> {
    sql.value(
        "select max(coalesce((select max(id) from users), 0), coalesce((select max(id) from posts), 0),
                    coalesce((select max(id) from comments), 0), coalesce((select max(id) from logins), 0),
                    coalesce((select max(id) from follows), 0),
                    coalesce((select max(id) from notifications), 0), coalesce((select max(id) from mails), 0),
                    coalesce((select max(id) from polls), 0), coalesce((select max(id) from members), 0),
                    coalesce((select max(id) from reports), 0))",
        (),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_of_migrations_is_in_the_program() {
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
    fn a_connection_that_does_not_keep_what_was_set_is_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mellow.db");
        let connection = rusqlite::Connection::open(&path).unwrap();
        assert_eq!(set_pragma(&connection, "synchronous", "full", "2"), Ok(()));
        let refused = set_pragma(&connection, "synchronous", "normal", "2").unwrap_err();
        assert!(refused.contains("synchronous = 1 instead of 2"), "{refused}");
        // A database in memory has no log.
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        assert!(set_pragma(&connection, "journal_mode", "wal", "wal").is_err());
        assert!(connect(&path).is_ok());
    }
}

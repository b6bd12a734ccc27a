//! The database: one file, one writer, many readers, none of which knows a feature.
//!
//! Promises:
//! - Only [`writer`] begins a transaction that writes, and it waits for the disk before it says yes.
//! - Only [`readers`] takes snapshots, on connections that cannot write.
//! - A database that this program does not understand stops the start with a sentence.

pub mod command;
pub mod readers;
mod secure_erase;
pub mod sql;
pub mod writer;

use std::path::Path;
use std::time::Duration;

use rusqlite::OpenFlags;
use rusqlite::types::ValueRef;
use sqlx::migrate::{MigrateError, Migrator};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{Connection, SqliteConnection};

use self::readers::Readers;
use self::sql::Sql;
use crate::ids::Seq;

/// How long a statement waits for another connection that is about to write.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

static MIGRATIONS: Migrator = sqlx::migrate!();

/// The first SQLite without the WAL-reset bug that could corrupt a database.
const SQLITE_VERSION_MIN: i32 = 3_051_003;

/// What every connection that writes must have. Each is read back after it is set: a connection that waits less for
/// the disk than it should must not serve.
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
    /// The largest id in use.
    pub highest_id: i64,
}

/// Opens the database in `folder`, making and migrating it as needed.
///
/// # Errors
/// One sentence for the host, when the file cannot be opened, is newer than this program or is damaged.
pub async fn open(folder: &Path) -> Result<Opened, String> {
    let path = folder.join("mellow.db");
    check_version()?;
    migrate(&path).await?;
    let say = |what: &str, why: &dyn std::fmt::Display| format!("{what} {}: {why}", path.display());
    let writer = connect(&path).map_err(|why| say("cannot open", &why))?;
    let sql = Sql::new(&writer);
    // What the log still holds of an earlier run, as it stood before it was erased.
    sql.value::<i64>("pragma wal_checkpoint(truncate)", ()).map_err(|why| say("cannot tidy", &why))?;
    let (epoch, seq) = begin(sql).map_err(|why| say("cannot begin with", &why))?;
    let highest_id = highest_id(sql).map_err(|why| say("cannot read", &why))?;
    let readers = Readers::start(&path)?;
    Ok(Opened { writer, readers, epoch, seq, highest_id })
}

/// Checks the structure of a database that was not closed cleanly, and brings its schema up to date.
///
/// Through sqlx, whose migrations these are; it is not used for requests.
async fn migrate(path: &Path) -> Result<(), String> {
    let say = |what: &str, why: &dyn std::fmt::Display| format!("{what} {}: {why}", path.display());
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
    MIGRATIONS.run(&mut connection).await.map_err(|why| match why {
        MigrateError::VersionMissing(version) => say(
            "will not use",
            &format!("it was made by a newer Mellow (schema {version}); please update this program"),
        ),
        why => say("cannot bring up to date", &why),
    })?;
    connection.close().await.map_err(|why| say("cannot bring up to date", &why))
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
        Some(finding) => Err(format!("it is damaged ({finding}); restore a backup")),
    }
}

fn check_version() -> Result<(), String> {
    if rusqlite::version_number() >= SQLITE_VERSION_MIN {
        return Ok(());
    }
    let version = rusqlite::version();
    Err(format!(
        "this program was built with SQLite {version}, which can damage databases; 3.51.3 is the first that is safe"
    ))
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
        // Some say nothing when they are set.
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

/// Takes the number of this start. Whoever was sent it by the goodbye of the run before has everything of before.
fn begin(sql: Sql<'_>) -> rusqlite::Result<(String, Seq)> {
    sql.row("update site set seq = seq + 1, stopped_cleanly = 0 returning epoch, seq", ())
}

fn highest_id(sql: Sql<'_>) -> rusqlite::Result<i64> {
    sql.value(
        "select max(coalesce((select max(id) from users), 0), coalesce((select max(id) from posts), 0),
                    coalesce((select max(id) from comments), 0), coalesce((select max(id) from logins), 0),
                    coalesce((select max(id) from follows), 0),
                    coalesce((select max(id) from notifications), 0), coalesce((select max(id) from mails), 0),
                    coalesce((select max(id) from polls), 0), coalesce((select max(id) from members), 0))",
        (),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

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

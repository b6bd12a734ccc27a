//! The database: one file, one writer, many readers, none of which knows a feature.
//!
//! Promises:
//! - Only [`writer`] begins a transaction that writes, and it waits for the disk before it says yes.
//! - Only [`reader`] begins a snapshot, on connections that cannot write.
//! - A database that this program does not understand stops the start with a sentence.

pub mod command;
pub mod reader;
pub mod readers;
mod secure_erase;
pub mod sql;
pub mod work;
pub mod writer;
pub mod writer_sync;

use std::path::Path;
use std::time::Duration;

use sqlx::migrate::{MigrateError, Migrator};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{Connection, SqliteConnection};

use crate::ids::Seq;
use crate::limits;

static MIGRATIONS: Migrator = sqlx::migrate!();

/// The first SQLite without the WAL-reset bug that could corrupt a database.
const SQLITE_VERSION_MIN: [u32; 3] = [3, 51, 3];

/// A database that is open and up to date.
pub struct Opened {
    /// The writer's own connection.
    pub writer: SqliteConnection,
    /// Read-only connections.
    pub reader: reader::Reader,
    /// The threads that read.
    pub readers: readers::Readers,
    /// Which history the numbers below belong to.
    pub epoch: String,
    /// The last committed event.
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
    let say = |what: &str, why: &dyn std::fmt::Display| format!("{what} {}: {why}", path.display());
    let options = SqliteConnectOptions::new()
        .filename(&path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(Duration::from_secs(5))
        .pragma("temp_store", "memory")
        .pragma("journal_size_limit", "67108864")
        .pragma("secure_delete", "on");

    let mut writer =
        SqliteConnection::connect_with(&options).await.map_err(|why| say("cannot open", &why))?;
    check_version(&mut writer).await?;
    check_structure(&mut writer).await.map_err(|why| say("will not use", &why))?;
    MIGRATIONS.run(&mut writer).await.map_err(|why| match why {
        MigrateError::VersionMissing(version) => say(
            "will not use",
            &format!("it was made by a newer Mellow (schema {version}); please update this program"),
        ),
        why => say("cannot bring up to date", &why),
    })?;

    // What a life before this one may have left in the log, as it stood before it was removed.
    sqlx::query("pragma wal_checkpoint(truncate)")
        .execute(&mut writer)
        .await
        .map_err(|why| say("cannot tidy", &why))?;

    let (epoch, seq): (String, i64) = sqlx::query_as(
        "update site set seq = seq + 1 - stopped_cleanly, stopped_cleanly = 0 returning epoch, seq",
    )
    .fetch_one(&mut writer)
    .await
    .map_err(|why| say("cannot begin with", &why))?;
    let highest_id: i64 = sqlx::query_scalar(
        "select max(coalesce((select max(id) from users), 0), coalesce((select max(id) from posts), 0),
                    coalesce((select max(id) from comments), 0), coalesce((select max(id) from logins), 0),
                    coalesce((select max(id) from follows), 0),
                    coalesce((select max(id) from notifications), 0), coalesce((select max(id) from mails), 0),
                    coalesce((select max(id) from polls), 0), coalesce((select max(id) from members), 0))",
    )
    .fetch_one(&mut writer)
    .await
    .map_err(|why| say("cannot read", &why))?;

    let pool = SqlitePoolOptions::new()
        .max_connections(limits::READERS)
        .min_connections(limits::READERS)
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
        .connect_with(options.read_only(true).create_if_missing(false))
        .await
        .map_err(|why| say("cannot read", &why))?;

    let readers = readers::Readers::start(&path)?;
    Ok(Opened { writer, reader: reader::Reader::new(pool), readers, epoch, seq: Seq(seq), highest_id })
}

async fn check_version(connection: &mut SqliteConnection) -> Result<(), String> {
    let version: String = sqlx::query_scalar("select sqlite_version()")
        .fetch_one(connection)
        .await
        .map_err(|why| format!("SQLite does not answer: {why}"))?;
    let parts: Vec<u32> = version.split('.').filter_map(|part| part.parse().ok()).collect();
    if parts.as_slice() >= SQLITE_VERSION_MIN.as_slice() {
        Ok(())
    } else {
        Err(format!(
            "this program was built with SQLite {version}, which can damage databases; 3.51.3 is the first that is safe"
        ))
    }
}

async fn check_structure(connection: &mut SqliteConnection) -> Result<(), String> {
    let findings: Vec<String> = sqlx::query_scalar("pragma quick_check(1)")
        .fetch_all(connection)
        .await
        .map_err(|why| format!("it cannot be read ({why}); restore a backup"))?;
    match findings.first().map(String::as_str) {
        None | Some("ok") => Ok(()),
        Some(finding) => Err(format!("it is damaged ({finding}); restore a backup")),
    }
}

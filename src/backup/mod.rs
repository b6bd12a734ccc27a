//! Backups: folders with the database and the stored pictures of one commit. A data folder can be restored from a
//! backup.
//!
//! Guarantees:
//! - A backup can be made while Mellow runs. It has the data of one commit, and every picture that this commit names.
//! - A backup gets its name only when it is complete, on the disk, opened and checked.
//! - Before the schema of a database is upgraded, there is a backup of it (`backup_before_upgrade`).
//! - A backup leaves as much disk space free as Mellow does (`disk_free_mib_min`).
//! - A restored folder has a new epoch, no logins, and no valid links in mails.
//! - A backup that somebody else held does no harm: only regular files in it are read, no symbolic link is followed,
//!   the restored files are this user's alone, and its schema is the one that its number says.
//!
//! Never here: a change or the removal of a backup that is among the newest `backups_kept`.

mod check;
mod elsewhere;
mod folder;
mod restore;

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use tokio::sync::oneshot;

use crate::db::backup as database;
use crate::settings::{Settings, Switch};

pub use check::check;
pub use elsewhere::{newest_elsewhere, remember_elsewhere};
pub use folder::{Backup, list};
pub use restore::restore;

/// The folder of backups in a data folder.
pub const FOLDER: &str = "backups";
/// The database in a data folder and in a backup.
const DATABASE: &str = "mellow.db";
/// The folder of pictures in a data folder and in a backup.
const MEDIA: &str = "media";

/// Where a backup is made, and its limits.
#[derive(Clone, Debug)]
pub struct Plan {
    pub data: PathBuf,
    /// The folder of the new backup.
    pub target: PathBuf,
    /// The number of newest backups that stay in `target`; 0 = all.
    pub kept: u64,
    /// The disk space that a backup must leave free, in bytes; 0 = no limit.
    pub free_bytes_min: u64,
}

impl Plan {
    /// Returns the plan of these settings. `to` is a folder of the host, where all backups are kept; None for the
    /// folder in the data folder.
    #[must_use]
    pub fn of(settings: &Settings, to: Option<PathBuf>) -> Self {
        Self {
            data: settings.data.clone(),
            kept: if to.is_some() { 0 } else { settings.backups_kept },
            target: to.unwrap_or_else(|| settings.data.join(FOLDER)),
            free_bytes_min: settings.disk_free_mib_min.saturating_mul(1024 * 1024),
        }
    }
}

/// Makes a backup, and removes old ones as the plan says. `now_ms` is the time of the backup.
///
/// # Errors
/// One line that says why there is no new backup.
pub fn make(plan: &Plan, now_ms: i64) -> Result<Backup, String> {
    folder::make(plan, now_ms)
}

/// Makes a backup if `db::open` will upgrade the schema of the database, unless the newest one has every write already,
/// or the host switched this off (`backup_before_upgrade`). The caller holds the lock of the folder. `now_ms` is the
/// time of the backup.
///
/// # Errors
/// One line that says why there is no backup, or why it is unknown whether one is needed. Nothing may be upgraded then.
pub fn make_before_upgrade(settings: &Settings, now_ms: i64) -> Result<(), String> {
    if settings.backup_before_upgrade == Switch::Off {
        return Ok(());
    }
    let Some(schema) = database::schema_to_upgrade(&settings.data.join(DATABASE))? else { return Ok(()) };
    let plan = Plan::of(settings, None);
    let backup = match newest_of_last_write(&plan) {
        Some(backup) => backup,
        None => make(&plan, now_ms).map_err(|why| {
            format!(
                "the database is not upgraded from schema {schema}, because no backup can be made before: \
                 {why}. backup_before_upgrade = \"off\" upgrades it without one."
            )
        })?,
    };
    log::info!("the backup before the upgrade from schema {schema} is {}", backup.name);
    Ok(())
}

/// Returns the newest backup if nobody wrote since. An upgrade that fails leaves it so. If it is tried again and again,
/// the older backups stay.
fn newest_of_last_write(plan: &Plan) -> Option<Backup> {
    let newest = list(&plan.target).ok()?.into_iter().next()?;
    let last = database::last_write(&plan.data.join(DATABASE))?;
    (database::last_write(&newest.path.join(DATABASE)) == Some(last)).then_some(newest)
}

/// A backup that could not be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub at_ms: i64,
    /// One line for the host.
    pub why: String,
}

/// The backups of a running server.
pub struct BackupService {
    plan: Plan,
    /// Why the newest attempt failed; None if it succeeded.
    failure: Mutex<Option<Failure>>,
}

impl BackupService {
    /// Makes the service for the data folder of these settings.
    #[must_use]
    pub fn open(settings: &Settings) -> Self {
        Self { plan: Plan::of(settings, None), failure: Mutex::default() }
    }

    /// Makes a backup on a thread of its own. If the process ends meanwhile, the next backup removes the incomplete
    /// one.
    ///
    /// # Errors
    /// One line that says why there is no new backup. [`last_failure`](Self::last_failure) returns it later.
    pub async fn make(&self, now_ms: i64) -> Result<Backup, String> {
        let (send, made) = oneshot::channel();
        let plan = self.plan.clone();
        let thread = std::thread::Builder::new().name("backup".into()).spawn(move || {
            // The backup is kept even if the caller no longer waits for it.
            let _ = send.send(make(&plan, now_ms));
        });
        let outcome = match thread {
            Ok(_) => made.await.unwrap_or_else(|_| Err("the thread of the backup ended early".into())),
            Err(why) => Err(format!("the system gives no thread for the backup: {why}")),
        };
        let failure = outcome.as_ref().err().map(|why| Failure { at_ms: now_ms, why: why.clone() });
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = failure;
        outcome
    }

    /// Returns the backups in the data folder, newest first.
    ///
    /// # Errors
    /// One line that says that the folder cannot be read.
    pub fn list(&self) -> Result<Vec<Backup>, String> {
        list(&self.plan.target)
    }

    /// Returns the failure of the newest attempt; None if it succeeded.
    #[must_use]
    pub fn last_failure(&self) -> Option<Failure> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

//! Backups: folders with the database and the stored pictures of one moment, and data folders restored from them.
//!
//! Guarantees:
//! - A backup is made while Mellow runs, from one commit and every picture that this commit names.
//! - A backup gets its name only when it is complete, on the disk, opened and checked.
//! - A backup leaves as much disk space free as Mellow does (`disk_free_mib_min`).
//! - A restored folder has a new epoch, no logins and no links of mails.
//!
//! Never: a backup is changed or deleted while it is among the newest `backups_kept`.

mod check;
pub mod command;
mod folder;
mod restore;

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use tokio::sync::oneshot;

use crate::settings::Settings;

pub use check::check;
pub use folder::{Backup, list};
pub use restore::restore;

/// The folder of backups in a data folder.
pub const FOLDER: &str = "backups";
/// The database in a data folder and in a backup.
const DATABASE: &str = "mellow.db";
/// The folder of pictures in a data folder and in a backup.
const MEDIA: &str = "media";

/// Where backups are made, and what bounds them.
#[derive(Clone, Debug)]
pub struct Plan {
    pub data: PathBuf,
    /// The folder that the new backup is put into.
    pub target: PathBuf,
    /// The newest backups that stay in `target`; 0 = all.
    pub kept: u64,
    /// Disk space that a backup must leave, in bytes; 0 = none.
    pub free_bytes_min: u64,
}

impl Plan {
    /// Returns the plan of these settings. Backups `to` a folder of the host are all kept.
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

/// Makes a backup, and removes those that are older than the newest ones of the plan. `now_ms` is its time.
///
/// # Errors
/// One line: why there is no new backup.
pub fn make(plan: &Plan, now_ms: i64) -> Result<Backup, String> {
    folder::make(plan, now_ms)
}

/// A backup that could not be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub at_ms: i64,
    /// One line, for the host.
    pub why: String,
}

/// The backups of a running server.
pub struct BackupService {
    plan: Plan,
    /// Why the newest try failed; None after one that succeeded.
    failure: Mutex<Option<Failure>>,
}

impl BackupService {
    /// Makes the service for the data folder of these settings.
    #[must_use]
    pub fn open(settings: &Settings) -> Self {
        Self { plan: Plan::of(settings, None), failure: Mutex::default() }
    }

    /// Makes a backup on a thread of its own. If the process ends meanwhile, the next backup removes what this one
    /// left.
    ///
    /// # Errors
    /// One line: why there is no new backup. [`last_failure`](Self::last_failure) keeps it.
    pub async fn make(&self, now_ms: i64) -> Result<Backup, String> {
        let (send, made) = oneshot::channel();
        let plan = self.plan.clone();
        let thread = std::thread::Builder::new().name("backup".into()).spawn(move || {
            // If the caller is gone, the backup is kept all the same.
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
    /// One line: the folder cannot be read.
    pub fn list(&self) -> Result<Vec<Backup>, String> {
        list(&self.plan.target)
    }

    /// Returns the failure of the newest try, unless it succeeded.
    #[must_use]
    pub fn last_failure(&self) -> Option<Failure> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

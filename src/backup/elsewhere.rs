//! The newest backup outside the data folder. `mellow backup --to` remembers it in a file of the data folder, so that
//! `mellow check` can say that there is none.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::folder::{self, Backup};

/// The file in a data folder with the path of the backup.
const FILE: &str = "backup-elsewhere";
/// The name of the file until it is complete.
const INCOMPLETE: &str = ".backup-elsewhere";

/// The newest backup outside a data folder.
#[derive(Debug, PartialEq, Eq)]
pub struct Elsewhere {
    pub path: PathBuf,
    /// When it was made, in milliseconds since 1970 UTC.
    pub made_at_ms: i64,
    /// Whether it does not survive the disk of the data. False also if its disk is not there now.
    pub is_on_disk_of_data: bool,
}

/// Remembers a backup that was made outside the data folder.
///
/// # Errors
/// The data folder cannot be written.
pub fn remember_elsewhere(data: &Path, backup: &Backup) -> io::Result<()> {
    let incomplete = data.join(INCOMPLETE);
    fs::write(&incomplete, backup.path.as_os_str().as_encoded_bytes())?;
    fs::rename(incomplete, data.join(FILE))
}

/// Returns the newest backup outside the data folder; None if none is known.
#[must_use]
pub fn newest_elsewhere(data: &Path) -> Option<Elsewhere> {
    let path = PathBuf::from(fs::read_to_string(data.join(FILE)).ok()?);
    let made_at_ms = folder::made_at_ms(path.file_name()?.to_str()?)?;
    let disk = |path: &Path| fs::metadata(path).ok().map(|found| found.dev());
    let is_on_disk_of_data = disk(&path).is_some_and(|own| disk(data) == Some(own));
    Some(Elsewhere { path, made_at_ms, is_on_disk_of_data })
}

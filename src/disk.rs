//! The disk of a folder.

use std::io;
use std::path::Path;

/// Returns the bytes that may still be written to the disk of a folder; what only root may write is left out.
///
/// # Errors
/// The folder is not there, or the file system does not say.
pub fn free_bytes(folder: &Path) -> io::Result<u64> {
    let disk = rustix::fs::statvfs(folder)?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}

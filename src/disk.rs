//! The free space of the disk that holds a folder.

use std::io;
use std::path::Path;

/// Returns the free bytes of the disk that holds a folder. Space that is reserved for root does not count as free.
///
/// # Errors
/// The folder does not exist, or the file system cannot be asked.
pub fn free_bytes(folder: &Path) -> io::Result<u64> {
    let disk = rustix::fs::statvfs(folder)?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}

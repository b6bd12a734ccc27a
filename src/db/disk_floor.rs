//! The floor of free disk space. Below it the writer refuses the commands of requests, before SQLite fails.

use std::path::PathBuf;

use crate::disk;

/// The disk space that requests leave free.
#[derive(Default)]
pub struct DiskFloor {
    /// The folder of the database.
    folder: PathBuf,
    /// Bytes; 0 = requests are refused only when the disk is full.
    free_bytes_min: u64,
    /// Whether less was free at the last commit. Only a change is logged.
    is_reached: bool,
}

impl DiskFloor {
    #[must_use]
    pub fn new(folder: PathBuf, free_bytes_min: u64) -> Self {
        Self { folder, free_bytes_min, is_reached: false }
    }

    /// Returns whether less is free now.
    pub(super) fn is_reached(&mut self) -> bool {
        if self.free_bytes_min == 0 {
            return false;
        }
        let is_reached = disk::free_bytes(&self.folder).is_ok_and(|free| free < self.free_bytes_min);
        match (self.is_reached, is_reached) {
            (false, true) => log::error!(
                "the disk is nearly full: requests that write are refused while less than {} MiB are free \
                 (database_free_mib_min)",
                self.free_bytes_min / (1024 * 1024)
            ),
            (true, false) => log::info!("the disk has room again"),
            _ => {}
        }
        self.is_reached = is_reached;
        is_reached
    }
}

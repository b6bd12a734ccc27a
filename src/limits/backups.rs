//! Limits of backups.

/// Hours between two scheduled backups. With 30 that stay, a deleted account is gone from them after 30 days.
pub const BACKUP_EVERY_HOURS: u64 = 24;
/// Backups that stay in the data folder: a month of them.
pub const BACKUPS_KEPT: u64 = 30;
/// Pause after a backup that failed, in milliseconds (an hour): a disk that is full now is not full for ever.
pub const BACKUP_AGAIN_MS: i64 = 60 * 60 * 1000;
/// Pause between two looks at the clock, in milliseconds: clocks are set and machines sleep.
pub const BACKUP_CHECK_MS: u64 = 1_000;
/// Commits that are tried when a picture is deleted between the commit and its copy. Each try takes only the pictures
/// that are new, so the second one nearly always succeeds.
pub const BACKUP_TRIES_MAX: u32 = 20;
/// Seconds that are tried for a name, because a second has one backup.
pub const BACKUP_NAME_TRIES_MAX: i64 = 5;

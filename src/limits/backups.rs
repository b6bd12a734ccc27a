//! Limits of backups.

/// Hours between two scheduled backups. With [`BACKUPS_KEPT`], a deleted account is gone from all backups after 30
/// days.
pub const BACKUP_EVERY_HOURS: u64 = 24;
/// Scheduled backups that are kept in the data folder: those of a month.
pub const BACKUPS_KEPT: u64 = 30;
/// Age of the newest backup on another disk beyond which `mellow check` says so, in milliseconds: two days, so that one
/// failed night is no reason.
pub const BACKUP_ELSEWHERE_MS_MAX: i64 = 2 * 24 * 60 * 60 * 1000;
/// Free space of the disk below which `mellow check` says so, in MiB. It is that of the table in `docs/operations.md`.
pub const DISK_FREE_ADVISED_MIB: u64 = 2 * 1024;
/// Pause after a failed backup, in milliseconds: an hour, in which a full disk may be freed.
pub const BACKUP_AGAIN_MS: i64 = 60 * 60 * 1000;
/// Interval at which the clock is compared with the time of the next backup, in milliseconds. A timer of hours would
/// miss that a clock is set or that a machine sleeps.
pub const BACKUP_CHECK_MS: u64 = 1_000;
/// Tries of a backup. A try fails if a picture is deleted after the database was read and before the picture is copied.
/// Each further try copies only the new pictures, so the second nearly always succeeds.
pub const BACKUP_TRIES_MAX: u32 = 20;
/// Seconds that are tried for the name of a backup. A name holds the second, so one second has one backup.
pub const BACKUP_NAME_TRIES_MAX: i64 = 5;

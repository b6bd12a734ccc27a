//! Limits. Each has its unit, the meaning of zero, and the reason for its value.
//!
//! Limits that the host may change are settings in `settings.rs`; their defaults are here.

mod account;
mod backups;
mod cluster;
mod connections;
mod content;
mod database;
mod frames;
mod imports;
mod pages;
mod passkeys;
mod pictures;
mod rates;

pub use account::*;
pub use backups::*;
pub use cluster::*;
pub use connections::*;
pub use content::*;
pub use database::*;
pub use frames::*;
pub use imports::*;
pub use pages::*;
pub use passkeys::*;
pub use pictures::*;
pub use rates::*;

// Limits of different subjects that depend on one another.
const _: () = assert!(CONTROL_STOP_MS_MAX <= CLOSE_MS_MAX);
const _: () = assert!(4 * ACCOUNT_DELETE_EVENTS_MAX as usize + 4 * WRITER_BATCH_MAX < LOG_EVENTS_MAX);
const _: () = assert!(POST_TEXT_CHARS_MAX * 4 < FRAME_STRING_BYTES_MAX);
const _: () = assert!(FRAME_BYTES_MAX <= MESSAGE_BYTES_MAX);
const _: () = assert!(MAIL_STOP_MS_MAX <= CLOSE_MS_MAX);
// A reader has two files open: the database and its write-ahead log.
const _: () = assert!(UPLOADS_OPEN_MAX as u64 * 3 / 2 + (2 * READERS_MAX as u64) < DESCRIPTORS_KEPT);
const _: () = assert!(UPLOAD_CHUNK_BYTES * 2 <= FRAME_BYTES_MAX);
const _: () = assert!(UPLOAD_WINDOW * CHUNK_WEIGHT <= IN_FLIGHT_MAX);
const _: () = assert!(8 * PURGE_ROWS_MAX < LOG_EVENTS_MAX as i64);

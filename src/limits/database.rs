//! Limits of the writer and the readers.

/// Writes waiting for the writer. One more is answered `busy`.
pub const WRITER_QUEUE_MAX: usize = 1_024;
/// Bytes of writes waiting for the writer. More is answered `busy`.
pub const WRITER_QUEUE_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Pause after a secure erase before the database's pages are rewritten and its log is truncated again, in
/// milliseconds. Accounts deleted within it share one rewrite.
pub const SECURE_ERASE_AGAIN_MS: u64 = 1_000;
/// Largest database whose pages are rewritten, in bytes: about a second of the writer, and as much memory.
pub const SECURE_ERASE_BYTES_MAX: i64 = 64 * 1024 * 1024;
/// Writes committed together at most.
pub const WRITER_BATCH_MAX: usize = 256;
/// When to try again after `busy`, in milliseconds.
pub const BUSY_RETRY_MS: u64 = 500;
/// How long the answer to a key is remembered, in milliseconds (24 hours).
pub const KEY_LIFE_MS: i64 = 24 * 60 * 60 * 1000;
/// The key of a write that changed nothing is remembered while its user has fewer keys than this. Such writes have no
/// rate of their own that would bound their rows; few people write so often in [`KEY_LIFE_MS`].
pub const KEYS_OF_NOTHING_MAX: i64 = 1_000;
/// Megabytes (MiB) of the data folder's disk below which requests that write are refused with `storage_full`: the
/// database's log and a rewrite of its pages need as much at once. A setting; 0 = until the disk is full.
pub const DATABASE_FREE_MIB_MIN: u64 = 64;
/// Ids in all lists of followers in memory, 8 bytes each: those of 129 authors with 1,000 followers, where each list counts
/// twelve more. A longer list is read anew each time.
pub const RECENT_FOLLOWERS_MAX: usize = 131_072;
/// Bytes of a key.
pub const KEY_BYTES: usize = 16;
/// Reads waiting for a reader. One more is answered `busy`.
pub const READ_QUEUE_MAX: usize = 4_096;
/// Read connections.
pub const READERS: u32 = 4;

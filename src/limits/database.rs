//! Limits of the writer and the readers.

/// Write commands that wait for the writer. One more is answered `busy`.
pub const WRITER_QUEUE_MAX: usize = 1_024;
/// Bytes of the write commands that wait for the writer. More is answered `busy`.
pub const WRITER_QUEUE_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Pause between a secure erase and the rewrite of the database's pages that follows it, in milliseconds. After the
/// rewrite the write-ahead log is truncated again. Accounts that are deleted within the pause share one rewrite.
pub const SECURE_ERASE_AGAIN_MS: u64 = 1_000;
/// Largest database whose pages are rewritten, in bytes. The rewrite of such a database keeps the writer busy for about
/// a second, and takes as much memory as the database.
pub const SECURE_ERASE_BYTES_MAX: i64 = 64 * 1024 * 1024;
/// Most write commands in one commit.
pub const WRITER_BATCH_MAX: usize = 256;
/// Time after which a client tries again after `busy`, in milliseconds.
pub const BUSY_RETRY_MS: u64 = 500;
/// How long the reply to a key is remembered, in milliseconds (24 hours).
pub const KEY_LIFE_MS: i64 = 24 * 60 * 60 * 1000;
/// The key of a write that changed nothing is remembered only while its user has fewer keys than this, because no rate
/// limit bounds how many such writes there are. Few users write so often within [`KEY_LIFE_MS`].
pub const KEYS_OF_NOTHING_MAX: i64 = 1_000;
/// Free space on the disk of the data folder, in MiB, below which requests that write are refused with `storage_full`.
/// The write-ahead log and a rewrite of the database's pages may need as much at once. A setting; 0 = write until the
/// disk is full.
pub const DATABASE_FREE_MIB_MIN: u64 = 64;
/// Ids in all lists of followers in memory, of 8 bytes each. They are the lists of 129 authors with 1,000 followers
/// each, where a list counts as twelve ids more. A list above the limit is not kept, and is read each time.
pub const RECENT_FOLLOWERS_MAX: usize = 131_072;
/// Bytes of a key.
pub const KEY_BYTES: usize = 16;
/// Reads that wait for a reader. One more is answered `busy`.
pub const READ_QUEUE_MAX: usize = 4_096;
/// Fewest reader threads, also on one core: while one waits for the disk, others answer.
pub const READERS_MIN: usize = 4;
/// Most reader threads. All take reads from one queue, and the workers need the cores too. Each has a connection with
/// 2 MiB of pages and its prepared statements.
pub const READERS_MAX: usize = 16;

/// Returns the number of reader threads on so many cores: one for each, because a read whose pages are in memory only
/// computes.
#[must_use]
pub fn readers(cores: usize) -> usize {
    cores.clamp(READERS_MIN, READERS_MAX)
}

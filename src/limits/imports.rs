//! Limits of imports. What a file may cost is limited before it is believed (D-W10).

// ---- the file ----

/// Entries of a zip. A Mastodon archive has one for each picture, and a dozen others.
pub const IMPORT_ENTRIES_MAX: u64 = 50_000;
/// Largest directory of a zip, in bytes: [`IMPORT_ENTRIES_MAX`] entries with 300 bytes of names and other fields each.
/// It is read whole.
pub const IMPORT_DIRECTORY_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// Size up to which an entry may be packed as tightly as its content allows, in bytes.
pub const IMPORT_ENTRY_BYTES_TRUSTED: u64 = 16 * 1024 * 1024;
/// How many times its packed size a larger entry may have. Texts have about ten times theirs; only an entry that was
/// made to fill a disk has more.
pub const IMPORT_ENTRY_RATIO_MAX: u64 = 200;
/// Most bytes of JSON that are read of a file. They are about 25,000 posts of Mastodon.
pub const IMPORT_JSON_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Posts of one file that can be imported.
pub const IMPORT_POSTS_MAX: usize = 10_000;
/// Bytes of a file that are unpacked at a time.
pub const IMPORT_PIECE_BYTES: usize = 64 * 1024;

// ---- a post of the file ----

/// Longest words of a post as they are in the file, in bytes. The words of a post have at most eight kilobytes; the rest
/// is markup, which is not read beyond this.
pub const IMPORT_WORDS_BYTES_MAX: usize = 256 * 1024;
/// Longest id of a post that is kept, in characters; a longer one is cut. Those of Mastodon are addresses.
pub const IMPORT_ID_CHARS_MAX: usize = 500;

// ---- the work ----

/// Largest file of an import, in MiB. A setting; 0 = no imports.
pub const IMPORT_MAX_MB: u64 = 512;
/// Imports of a user per day that begin to write. A file that is refused or only looked at does not count. A setting;
/// 0 = unbounded.
pub const IMPORTS_PER_DAY: u64 = 3;
/// Age at which the file of an import is deleted, in milliseconds (24 hours, D-W7).
pub const IMPORT_FILE_LIFE_MS: i64 = 24 * 60 * 60_000;
/// Posts of a file that are looked for among the author's at a time. A reader thread is free again after some
/// milliseconds.
pub const IMPORT_LOOKED_FOR_AT_ONCE: usize = 500;
/// Posts that a preview shows.
pub const IMPORT_FIRST_POSTS: usize = 5;
/// Longest text of such a post, in characters: a few lines of a phone.
pub const IMPORT_FIRST_CHARS_MAX: usize = 200;
/// Past imports in the list of a user, the newest.
pub const IMPORTS_LISTED_MAX: i64 = 100;
/// How long the server imports posts of one file before that of another has its turn, in milliseconds.
///
/// A file is read again at each turn, so a turn is long beside that.
pub const IMPORT_TURN_MS: u64 = 60_000;
/// Longest time that a post of an import waits for requests, commands and pictures of others, in milliseconds. On a
/// server that is never idle an import goes on slowly.
pub const IMPORT_WAIT_MS_MAX: u64 = 5_000;
/// Interval at which it is looked whether others still wait, in milliseconds.
pub const IMPORT_WAIT_CHECK_MS: u64 = 20;
/// How many times as long as its write the server rests after each post of an import: the writer is then free for
/// others most of the time, however slow the disk is.
pub const IMPORT_REST_FACTOR: u64 = 4;
/// Shortest rest after a post of an import, in milliseconds.
pub const IMPORT_REST_MS_MIN: u64 = 20;
/// Longest rest after a post of an import, in milliseconds.
pub const IMPORT_REST_MS_MAX: u64 = 1_000;
/// Interval at which the progress of an import is published to its user, in milliseconds.
pub const IMPORT_PROGRESS_MS: u64 = 1_000;
/// Posts of an undone import that one write deletes.
pub const IMPORT_UNDO_AT_ONCE: i64 = 20;
/// Interval at which it is looked whether there is work for imports, in milliseconds. A suspension ends without a
/// word to them.
pub const IMPORT_CHECK_MS: u64 = 5_000;
/// Pause after work that failed, in milliseconds, such as on a full disk. It doubles with each failure in a row.
pub const IMPORT_AGAIN_MS: u64 = 1_000;
/// Longest such pause, in milliseconds.
pub const IMPORT_AGAIN_MS_MAX: u64 = 60_000;
/// Niceness of the thread that reads a file, as in `nice`.
pub const IMPORT_NICENESS: i32 = 10;

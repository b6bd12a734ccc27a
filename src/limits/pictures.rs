//! Limits of uploads and pictures.

// ---- uploads ----

/// Most pictures of one post.
pub const PICTURES_PER_POST: usize = 4;
/// The sentence of a refusal beyond it.
pub const TOO_MANY_PICTURES: &str = "You can only upload up to 4 images per post";
/// Longest description of a picture, in characters.
pub const ALT_CHARS_MAX: usize = 300;
/// Longest file name that is kept, in characters; a longer one is cut.
pub const FILE_NAME_CHARS_MAX: usize = 60;
/// Bytes of one chunk of an upload.
pub const UPLOAD_CHUNK_BYTES: usize = 64 * 1024;
/// Chunks that may be on their way unacknowledged.
pub const UPLOAD_WINDOW: u32 = 4;
/// How many ordinary requests a chunk counts for among those in flight.
pub const CHUNK_WEIGHT: u32 = 4;
/// Open uploads of a user for one purpose.
pub const UPLOADS_OPEN_PER_USER: usize = PICTURES_PER_POST;
/// The sentence of a refusal beyond it.
pub const TOO_MANY_UPLOADS: &str = "Four pictures at a time, please.";
/// Uploads that may be open at a time in all: at most so many times ten megabytes of disk, and as
/// many descriptors.
pub const UPLOADS_OPEN_MAX: usize = 128;
/// Open uploads from one network address, of [`UPLOADS_OPEN_MAX`]: a quarter. A setting; 0 = off.
pub const UPLOADS_PER_ADDRESS: u64 = 32;
/// Time after which an idle upload gives way to anybody's while as many are open as may be, in milliseconds.
pub const UPLOAD_CROWDED_YIELD_MS: i64 = 10_000;
/// Time after its beginning at which an upload is freed, in milliseconds (an hour): ten megabytes at three kilobytes
/// a second.
pub const UPLOAD_LIFE_MS_MAX: i64 = 60 * 60_000;
/// Estimated disk space of both sizes of a picture, in bytes.
pub const RESULT_BYTES_LIKELY: u64 = 2 * 1024 * 1024;
/// Time after which an idle upload is freed, in milliseconds.
pub const UPLOAD_IDLE_MS_MAX: i64 = 10 * 60_000;
/// Time after which an idle upload is replaced by another of its user, in milliseconds. An active client sends chunks
/// more often; a client that was only slow sends its upload again.
pub const UPLOAD_YIELD_MS: i64 = 60_000;
/// Interval at which uploads are checked, in milliseconds.
pub const SWEEP_MS: u64 = 60_000;
/// Pause before a file that was in use is checked again, in milliseconds.
pub const SWEEP_AGAIN_MS: u64 = 1_000;
/// Interval at which the whole media folder is checked, in milliseconds (a day).
pub const FULL_SWEEP_MS: u64 = 24 * 60 * 60_000;
/// Pause before a failed check of the whole media folder is repeated, in milliseconds.
pub const FULL_SWEEP_RETRY_MS: u64 = 60 * 60_000;
/// Age below which a file without a row is kept, in milliseconds (an hour).
pub const ORPHAN_AGE_MS_MIN: i64 = 60 * 60_000;
/// Bytes of a stored file that are read at a time to be sent.
pub const MEDIA_PIECE_BYTES: usize = 64 * 1024;
/// Bytes of the token that a stored file's address carries.
pub const FILE_TOKEN_BYTES: usize = 16;

// ---- pictures ----

/// Largest picture file, in bytes: the largest photographs of telephones, with some room.
pub const PICTURE_BYTES_MAX: usize = 10 * 1024 * 1024;
/// Largest file of a profile's photo, in bytes.
pub const PHOTO_BYTES_MAX: usize = 5 * 1024 * 1024;
pub use mellow_render::limits::*;

/// Pictures waiting for the one that is being rendered; one more is answered `busy`.
pub const PICTURES_WAITING_MAX: usize = 16;
/// How long rendering one picture may take by the clock, in milliseconds, from its own start.
pub const RENDER_MS_MAX: u64 = 10_000;
/// Processor time for rendering one picture, in seconds.
///
/// It is below [`RENDER_MS_MAX`], so that a decompression bomb exceeds this limit first, and the other is exceeded
/// only on a busy machine.
pub const RENDER_CPU_S_MAX: u64 = 8;
/// How far the process that renders steps back for others, as `nice` counts.
///
/// On a processor that others want whole this leaves it a tenth: enough for the largest photograph
/// within [`RENDER_MS_MAX`]. At 19, the last in line, it would be left an eightieth: enough for none.
pub const RENDER_NICENESS: i32 = 10;
/// Address space of the process that renders, in bytes.
pub const RENDER_MEMORY_MAX: u64 = 256 * 1024 * 1024;
/// Descriptors the process that renders may hold: its three, and one to know how long the file is.
pub const RENDER_DESCRIPTORS_MAX: u64 = 8;

const _: () = assert!(RENDER_CPU_S_MAX * 1_000 < RENDER_MS_MAX);
const _: () = assert!(DECODE_BYTES_MAX < RENDER_MEMORY_MAX && MOTION_MS_MAX < RENDER_CPU_S_MAX * 1_000);
const _: () = assert!(PHOTO_BYTES_MAX <= PICTURE_BYTES_MAX);

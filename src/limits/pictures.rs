//! Limits of uploads and pictures.

use crate::sentence::Sentence;

// ---- uploads ----

/// Most pictures of one post.
pub const PICTURES_PER_POST: usize = 4;
/// The sentence of a refusal beyond it.
pub const TOO_MANY_PICTURES: Sentence =
    Sentence::new("pictures_many", "You can only upload up to {max} images per post")
        .of(&[("max", PICTURES_PER_POST)]);
/// Longest description of a picture, in characters.
pub const ALT_CHARS_MAX: usize = 300;
/// Longest file name that is kept, in characters; a longer one is cut.
pub const FILE_NAME_CHARS_MAX: usize = 60;
/// Bytes of one chunk of an upload.
pub const UPLOAD_CHUNK_BYTES: usize = 64 * 1024;
/// Chunks of one upload that may be unacknowledged at a time.
pub const UPLOAD_WINDOW: u32 = 4;
/// The number of ordinary requests that a chunk counts for in [`IN_FLIGHT_MAX`](super::IN_FLIGHT_MAX).
pub const CHUNK_WEIGHT: u32 = 4;
/// Open uploads of a user for one purpose.
pub const UPLOADS_OPEN_PER_USER: usize = PICTURES_PER_POST;
/// The sentence of a refusal beyond it.
pub const TOO_MANY_UPLOADS: Sentence = Sentence::new("uploads_many", "Four pictures at a time, please.");
/// Uploads of all users that may be open at a time. Each takes up to ten megabytes of disk, and one descriptor.
pub const UPLOADS_OPEN_MAX: usize = 128;
/// Open uploads from one network address: a quarter of [`UPLOADS_OPEN_MAX`]. A setting; 0 = off.
pub const UPLOADS_PER_ADDRESS: u64 = 32;
/// Time after which an idle upload gives way to an upload of any user, in milliseconds. It gives way only while
/// [`UPLOADS_OPEN_MAX`] are open.
pub const UPLOAD_CROWDED_YIELD_MS: i64 = 10_000;
/// Age at which an upload is freed, in milliseconds: an hour, in which three kilobytes a second make ten megabytes.
pub const UPLOAD_LIFE_MS_MAX: i64 = 60 * 60_000;
/// Estimated disk space of the two sizes of a picture together, in bytes.
pub const RESULT_BYTES_LIKELY: u64 = 2 * 1024 * 1024;
/// Time after which an idle upload is freed, in milliseconds.
pub const UPLOAD_IDLE_MS_MAX: i64 = 10 * 60_000;
/// Time after which an idle upload gives way to another upload of its user, in milliseconds. An active client sends
/// chunks more often, and a client that was only slow begins its upload again.
pub const UPLOAD_YIELD_MS: i64 = 60_000;
/// Interval at which uploads are checked, in milliseconds.
pub const SWEEP_MS: u64 = 60_000;
/// Pause before a file that was in use is checked again, in milliseconds.
pub const SWEEP_AGAIN_MS: u64 = 1_000;
/// Interval at which the whole media folder is checked, in milliseconds (a day).
pub const FULL_SWEEP_MS: u64 = 24 * 60 * 60_000;
/// Pause before a failed check of the whole media folder is repeated, in milliseconds.
pub const FULL_SWEEP_RETRY_MS: u64 = 60 * 60_000;
/// Age below which a file without a row in the database is kept, in milliseconds (an hour).
pub const ORPHAN_AGE_MS_MIN: i64 = 60 * 60_000;
/// Bytes of a stored file that are read and sent at a time.
pub const MEDIA_PIECE_BYTES: usize = 64 * 1024;
/// Bytes of the token in the address of a stored file.
pub const FILE_TOKEN_BYTES: usize = 16;

// ---- pictures ----

/// Largest file of a picture, in bytes. The largest photographs of telephones are a little smaller.
pub const PICTURE_BYTES_MAX: usize = 10 * 1024 * 1024;
/// Largest file of a profile's photo, in bytes.
pub const PHOTO_BYTES_MAX: usize = 5 * 1024 * 1024;
pub use mellow_render::limits::*;

/// Pictures that wait while another is rendered. One more is answered `busy`.
pub const PICTURES_WAITING_MAX: usize = 16;
/// Processor time for rendering one picture, in seconds.
pub const RENDER_CPU_S_MAX: u64 = 8;
/// Wall-clock time for rendering one picture, in milliseconds (ten minutes). It begins when the rendering begins.
///
/// The processor time bounds the work. This limit only ends a process that does not go on, because its disk does not
/// answer, say. On a busy machine a picture waits for a processor, and if it were ended meanwhile, its work would be lost
/// and the next try would fare no better.
pub const RENDER_MS_MAX: u64 = 600_000;
/// Niceness of the process that renders, as in `nice`.
///
/// On a processor that another process uses fully, it still gets a tenth. At 19, the lowest priority, it would get an
/// eightieth.
pub const RENDER_NICENESS: i32 = 10;
/// Address space of the process that renders, in bytes.
pub const RENDER_MEMORY_MAX: u64 = 256 * 1024 * 1024;
/// Descriptors that the process that renders may hold: its three standard streams, a copy of standard input from which
/// it reads the length of the file, and some room.
pub const RENDER_DESCRIPTORS_MAX: u64 = 8;

const _: () = assert!(RENDER_CPU_S_MAX * 1_000 < RENDER_MS_MAX);
const _: () = assert!(DECODE_BYTES_MAX < RENDER_MEMORY_MAX && MOTION_MS_MAX < RENDER_CPU_S_MAX * 1_000);
const _: () = assert!(PHOTO_BYTES_MAX <= PICTURE_BYTES_MAX);

//! Limits of uploads and pictures.

// ---- uploads ----

/// Most pictures of one post.
pub const PICTURES_PER_POST: usize = 4;
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
/// Side of the small size of a profile's photo, a square, in pixels: the largest face on a page (96) at
/// two dots a pixel and a little.
pub const PHOTO_SIDE: u32 = 224;
/// Longest side of a picture that is read, in pixels.
pub const PICTURE_SIDE_MAX: u32 = 12_000;
/// Most pixels of a picture that is read: a telephone's 48 megapixels (8,064 x 6,048) and a little.
pub const PICTURE_PIXELS_MAX: u64 = 50_000_000;
/// Most scans of one JPEG. Progressive ones are written with about ten; each may visit every pixel.
pub const PICTURE_SCANS_MAX: usize = 64;
/// Most frames of one GIF.
pub const PICTURE_FRAMES_MAX: usize = 1_000;
/// Most bytes that all compressed notes of one PNG (profile, texts) may unpack to.
pub const PICTURE_NOTES_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Most compressed notes in one PNG.
pub const PICTURE_NOTES_MAX: usize = 64;
/// Most memory that decoding one picture may need, in bytes.
///
/// The rest of [`RENDER_MEMORY_MAX`] holds the file, the program, and the two sizes.
pub const DECODE_BYTES_MAX: u64 = 208 * 1024 * 1024;

/// Longest side of the size for a whole screen, in pixels.
pub const SCREEN_SIDE: u32 = 1_600;
/// Longest side of the size for a card, in pixels: a telephone's width at two dots a pixel.
pub const CARD_SIDE: u32 = 800;
/// Largest screen size, in bytes. Above it the picture is written again, more coarsely.
pub const SCREEN_BYTES_MAX: usize = 2 * 1024 * 1024;
/// Largest card size, in bytes.
pub const CARD_BYTES_MAX: usize = 1024 * 1024;
/// JPEG quality of photographs (JPEG, WebP), with colour at half the detail.
pub const PHOTO_QUALITY: u8 = 82;
/// JPEG quality of drawings (PNG, GIF), with full colour resolution, so that text stays sharp.
pub const DRAWN_QUALITY: u8 = 90;
/// Longest side of the input of a thumbhash, in pixels. The format allows 100; half looks the same at a quarter of
/// the cost.
pub const THUMBHASH_SIDE: u32 = 50;
/// Longest thumbhash, in bytes.
pub const THUMBHASH_BYTES_MAX: usize = 32;

/// Longest side of a moving picture, in pixels.
pub const MOTION_SIDE: u32 = 480;
/// Most frames of a moving picture. One with more stands still.
pub const MOTION_FRAMES_MAX: usize = 300;
/// Most pixels of all frames of a moving picture together. One with more stands still.
pub const MOTION_PIXELS_MAX: u64 = 60_000_000;
/// Largest moving picture, in bytes. A larger one stands still.
pub const MOTION_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Time for rendering an animation, in milliseconds. One that takes longer becomes a still picture.
pub const MOTION_MS_MAX: u64 = 4_000 * UNOPTIMISED;

/// Pictures waiting for the one that is being rendered; one more is answered `busy`.
pub const PICTURES_WAITING_MAX: usize = 16;
/// How long rendering one picture may take by the clock, in milliseconds, from its own start.
pub const RENDER_MS_MAX: u64 = 10_000 * UNOPTIMISED;
/// Processor time for rendering one picture, in seconds.
///
/// It is below [`RENDER_MS_MAX`], so that a decompression bomb exceeds this limit first, and the other is exceeded
/// only on a busy machine.
pub const RENDER_CPU_S_MAX: u64 = 8 * UNOPTIMISED;
/// How many times as long an unoptimised program may take. It needs twenty times as long as a release, which needs a
/// quarter of a second of its ten for the largest photograph.
const UNOPTIMISED: u64 = if cfg!(debug_assertions) { 6 } else { 1 };
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
const _: () = assert!(CARD_SIDE <= SCREEN_SIDE && SCREEN_SIDE < PICTURE_SIDE_MAX);
const _: () = assert!(PHOTO_SIDE <= CARD_SIDE && PHOTO_BYTES_MAX <= PICTURE_BYTES_MAX);

//! Limits of rendering: each with its unit and the reason for its value.

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
/// The worker has 256 MiB of address space (`RENDER_MEMORY_MAX` of Mellow); the rest holds the file, the program and
/// the two sizes.
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
pub const MOTION_MS_MAX: u64 = 4_000;

const _: () = assert!(CARD_SIDE <= SCREEN_SIDE && SCREEN_SIDE < PICTURE_SIDE_MAX);
const _: () = assert!(PHOTO_SIDE <= CARD_SIDE);

//! The limits of rendering. Each has its unit and the reason for its value.

/// Side of the card of a profile photo, a square, in pixels. The largest photo on a page has 96 pixels, and the card is
/// a little more than that at two dots a pixel.
pub const PHOTO_SIDE: u32 = 224;
/// Longest side of a picture that is read, in pixels.
pub const PICTURE_SIDE_MAX: u32 = 12_000;
/// Most pixels of a picture that is read. It is a little more than the 48 megapixels of a telephone (8,064 x 6,048).
pub const PICTURE_PIXELS_MAX: u64 = 50_000_000;
/// Most scans of one JPEG. Programs write progressive files with about ten. Each scan may visit every pixel.
pub const PICTURE_SCANS_MAX: usize = 64;
/// Most frames of one GIF.
pub const PICTURE_FRAMES_MAX: usize = 1_000;
/// Most bytes that all compressed metadata of one PNG (profile and texts) may unpack to.
pub const PICTURE_METADATA_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Most chunks of compressed metadata in one PNG.
pub const PICTURE_METADATA_CHUNKS_MAX: usize = 64;
/// Most memory that decoding one picture may need, in bytes.
///
/// The worker has 256 MiB of address space (`RENDER_MEMORY_MAX` of Mellow). The rest holds the file, the program and
/// the two sizes.
pub const DECODE_BYTES_MAX: u64 = 208 * 1024 * 1024;

/// Longest side of the screen size, in pixels.
pub const SCREEN_SIDE: u32 = 1_600;
/// Longest side of the card size, in pixels. It is the width of a telephone with two dots a pixel.
pub const CARD_SIDE: u32 = 800;
/// Largest file of the screen size, in bytes. A larger one is encoded again in lower quality.
pub const SCREEN_BYTES_MAX: usize = 2 * 1024 * 1024;
/// Largest file of the card size, in bytes. A larger one is encoded again in lower quality.
pub const CARD_BYTES_MAX: usize = 1024 * 1024;
/// JPEG quality of photographs (JPEG, WebP). Their colour has half the resolution.
pub const PHOTO_QUALITY: u8 = 82;
/// JPEG quality of drawings (PNG, GIF). Their colour has the full resolution, so that text stays sharp.
pub const DRAWN_QUALITY: u8 = 90;
/// Longest side of the input of a thumbhash, in pixels. The format allows 100, but half of that looks the same at a
/// quarter of the cost.
pub const THUMBHASH_SIDE: u32 = 50;
/// Longest thumbhash, in bytes.
pub const THUMBHASH_BYTES_MAX: usize = 32;

/// Longest side of an animation, in pixels.
pub const MOTION_SIDE: u32 = 480;
/// Most frames of an animation. One with more becomes a still picture.
pub const MOTION_FRAMES_MAX: usize = 300;
/// Most pixels of all frames of an animation together. One with more becomes a still picture.
pub const MOTION_PIXELS_MAX: u64 = 60_000_000;
/// Largest file of an animation, in bytes. A larger one becomes a still picture.
pub const MOTION_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Most time for rendering an animation, in milliseconds. One that takes longer becomes a still picture.
pub const MOTION_MS_MAX: u64 = 4_000;

const _: () = assert!(CARD_SIDE <= SCREEN_SIDE && SCREEN_SIDE < PICTURE_SIDE_MAX);
const _: () = assert!(PHOTO_SIDE <= CARD_SIDE);

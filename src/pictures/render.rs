//! From bytes to a picture as we keep it.
//!
//! Pure: no file, no clock that decides what it looks like, no process. It runs in the worker, and in
//! benches and tests. It may still be killed by what it reads, which is why nothing else calls it.

use image::ImageFormat;
use image::metadata::Orientation;

use super::finish::{self, Pixels};
use super::{Rendered, Unreadable, gif, jpeg, png, webp};
use crate::limits::{DECODE_BYTES_MAX, PICTURE_PIXELS_MAX, PICTURE_SIDE_MAX};

/// What a decoder hands over.
pub(super) struct Decoded {
    /// Its pixels as they lie in the file.
    pub pixels: Pixels,
    /// How they are turned to stand upright.
    pub orientation: Orientation,
    /// The colour profile it carries, not yet read.
    pub profile: Option<Vec<u8>>,
    /// Which kind of picture it probably is.
    pub look: Look,
    /// The same, moving, when it moves.
    pub motion: Option<Vec<u8>>,
}

/// What a picture is probably of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// A photograph.
    Photo,
    /// Letters, lines and flat colours.
    Drawn,
}

/// Makes of a picture what we keep of it.
pub fn render(bytes: &[u8]) -> Result<Rendered, Unreadable> {
    let decoded = match image::guess_format(bytes) {
        Ok(ImageFormat::Jpeg) => jpeg::decode(bytes),
        Ok(ImageFormat::Png) => png::decode(bytes),
        Ok(ImageFormat::WebP) => webp::decode(bytes),
        Ok(ImageFormat::Gif) => gif::decode(bytes),
        _ => Err(Unreadable::Kind),
    }?;
    finish::finish(decoded)
}

/// Refuses sizes we do not read, before anything is allocated for them.
///
/// `hundredths` is what its decoder holds at its peak, in bytes for a hundred pixels.
pub(super) fn judge(width: u32, height: u32, hundredths: u64) -> Result<(), Unreadable> {
    let pixels = u64::from(width) * u64::from(height);
    let is_read = (1..=PICTURE_SIDE_MAX).contains(&width)
        && (1..=PICTURE_SIDE_MAX).contains(&height)
        && pixels <= PICTURE_PIXELS_MAX;
    if !is_read {
        return Err(Unreadable::Size);
    }
    if pixels * hundredths / 100 > DECODE_BYTES_MAX { Err(Unreadable::Bomb) } else { Ok(()) }
}

//! What the decoders return, and what they share: the check of a size, white behind transparent pixels, and resizing.

use fast_image_resize::images::{TypedImage, TypedImageRef};
use fast_image_resize::pixels::U8x3;
use fast_image_resize::{FilterType, ResizeAlg, ResizeOptions, Resizer};
use image::metadata::Orientation;

use super::Unreadable;
use crate::limits::{DECODE_BYTES_MAX, PICTURE_PIXELS_MAX, PICTURE_SIDE_MAX};

/// The filter of resizing. Its result is sharp and has no halos, at half the cost of the sharpest filter.
const FILTER: FilterType = FilterType::CatmullRom;

/// The result of a decoder.
pub(super) struct Decoded {
    /// The pixels, not yet rotated.
    pub pixels: Pixels,
    /// The rotation that makes them upright.
    pub orientation: Orientation,
    /// The colour profile in the file, not yet parsed.
    pub profile: Option<Vec<u8>>,
    /// The probable kind of the picture.
    pub kind: PictureKind,
    /// The animation; None if the picture is not animated.
    pub motion: Option<Vec<u8>>,
}

/// The probable kind of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PictureKind {
    /// A photograph.
    Photo,
    /// Text, lines and flat colours.
    Drawn,
}

/// The pixels of a picture: red, green and blue in one byte each, row by row from the top left.
pub(super) struct Pixels {
    /// Width of the whole picture.
    pub width: u32,
    /// Height of the whole picture.
    pub height: u32,
    /// The number of pixels of the picture that one of these pixels stands for, in each direction. The last ones of a
    /// row or a column may stand for fewer.
    pub step: u32,
    /// The bytes.
    pub rgb: Vec<u8>,
}

/// Returns the largest size of the same shape whose longest side is at most `side`. It is never larger than the
/// picture.
pub(super) fn fit(width: u32, height: u32, side: u32) -> (u32, u32) {
    let longest = width.max(height);
    if longest <= side {
        return (width, height);
    }
    let scale = |length: u32| {
        let scaled =
            (u64::from(length) * u64::from(side) * 2 + u64::from(longest)) / (2 * u64::from(longest));
        u32::try_from(scaled).unwrap_or(side).max(1)
    };
    (scale(width), scale(height))
}

impl Pixels {
    /// Returns the picture resized to a longest side of at most `side`; None if it fits already.
    pub fn within(&self, side: u32, resizer: &mut Resizer) -> Result<Option<Self>, Unreadable> {
        let (width, height) = fit(self.width, self.height, side);
        if (width, height) == (self.width, self.height) && self.step == 1 {
            return Ok(None);
        }
        self.part((0, 0), (self.width, self.height), (width, height), resizer).map(Some)
    }

    /// Returns the square in the middle, with sides of at most `side`. It is never enlarged. None if the picture is
    /// such a square already.
    pub fn square(&self, side: u32, resizer: &mut Resizer) -> Result<Option<Self>, Unreadable> {
        let shortest = self.width.min(self.height);
        let side = side.min(shortest);
        if (side, side) == (self.width, self.height) && self.step == 1 {
            return Ok(None);
        }
        let begins = ((self.width - shortest) / 2, (self.height - shortest) / 2);
        self.part(begins, (shortest, shortest), (side, side), resizer).map(Some)
    }

    /// Returns a part of the picture, resized. The arguments are the beginning of the part, its size, and the new size.
    fn part(
        &self,
        (left, top): (u32, u32),
        (wide, high): (u32, u32),
        (width, height): (u32, u32),
        resizer: &mut Resizer,
    ) -> Result<Self, Unreadable> {
        let (columns, rows) = (self.width.div_ceil(self.step), self.height.div_ceil(self.step));
        // The types are fixed, so that the code for the other twelve types of pixels is not compiled.
        let source =
            TypedImageRef::<U8x3>::from_buffer(columns, rows, &self.rgb).map_err(|_| Unreadable::Damaged)?;
        let mut rgb = vec![0; width as usize * height as usize * 3];
        let mut target =
            TypedImage::<U8x3>::from_buffer(width, height, &mut rgb).map_err(|_| Unreadable::Damaged)?;
        let [left, top, wide, high] =
            [left, top, wide, high].map(|length| f64::from(length) / f64::from(self.step));
        let options =
            ResizeOptions::new().resize_alg(ResizeAlg::Convolution(FILTER)).crop(left, top, wide, high);
        resizer.resize_typed(&source, &mut target, &options).map_err(|_| Unreadable::Damaged)?;
        Ok(Self { width, height, step: 1, rgb })
    }
}

/// Refuses unsupported sizes, before anything is allocated for them.
///
/// `hundredths` is the peak memory of the decoder, in bytes for a hundred pixels.
pub(super) fn check_size(width: u32, height: u32, hundredths: u64) -> Result<(), Unreadable> {
    let pixels = u64::from(width) * u64::from(height);
    if pixels == 0 {
        return Err(Unreadable::Damaged);
    }
    if width.max(height) > PICTURE_SIDE_MAX || pixels > PICTURE_PIXELS_MAX {
        return Err(Unreadable::Size);
    }
    if pixels * hundredths / 100 > DECODE_BYTES_MAX { Err(Unreadable::Bomb) } else { Ok(()) }
}

/// Returns a transparent colour as it looks on white.
pub(super) fn on_white(color: u8, alpha: u8) -> u8 {
    let (color, alpha) = (u32::from(color), u32::from(alpha));
    ((color * alpha + 255 * (255 - alpha) + 127) / 255) as u8
}

/// Draws transparent pixels on white, in place.
pub(super) fn lay_on_white(mut rgba: Vec<u8>) -> Vec<u8> {
    let pixels = rgba.len() / 4;
    for pixel in 0..pixels {
        let alpha = rgba[pixel * 4 + 3];
        for color in 0..3 {
            rgba[pixel * 3 + color] = on_white(rgba[pixel * 4 + color], alpha);
        }
    }
    rgba.truncate(pixels * 3);
    rgba
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_reduced_in_its_own_shape() {
        assert_eq!(fit(4_032, 3_024, 1_600), (1_600, 1_200));
        assert_eq!(fit(3_024, 4_032, 1_600), (1_200, 1_600));
        assert_eq!(fit(1_600, 900, 1_600), (1_600, 900));
        assert_eq!(fit(12_000, 1, 800), (800, 1));
        assert_eq!(fit(1_000, 667, 800), (800, 534));
    }
}

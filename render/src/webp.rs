//! WebP: mostly photographs. Only the first frame of an animation is read.
//!
//! Refused before a pixel is decoded: unsupported sizes, and sizes that need more memory than the worker has, because
//! the decoder holds several copies of a picture.

use std::io::Cursor;

use image::codecs::webp::WebPDecoder;
use image::metadata::Orientation;
use image::{ColorType, ImageDecoder};

use super::Unreadable;
use super::decoded::{Decoded, PictureKind, Pixels, check_size, lay_on_white};

/// Peak memory of the decoder for a simple lossy picture, in bytes for a hundred pixels: brightness and colour, then
/// the result.
const LOSSY_HUNDREDTHS: u64 = 460;
/// Peak memory of the decoder for any other picture, in bytes for a hundred pixels: a frame, a canvas, and the result.
const OTHER_HUNDREDTHS: u64 = 1_300;

pub(super) fn decode(bytes: &[u8]) -> Result<Decoded, Unreadable> {
    let mut decoder = WebPDecoder::new(Cursor::new(bytes)).map_err(|_| Unreadable::Damaged)?;
    let (width, height) = decoder.dimensions();
    let is_plain = bytes.get(12..16) == Some(b"VP8 ");
    check_size(width, height, if is_plain { LOSSY_HUNDREDTHS } else { OTHER_HUNDREDTHS })?;
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let profile = decoder.icc_profile().unwrap_or_default();
    let color = decoder.color_type();
    let mut pixels = vec![0; usize::try_from(decoder.total_bytes()).map_err(|_| Unreadable::Size)?];
    decoder.read_image(&mut pixels).map_err(|_| Unreadable::Damaged)?;
    let rgb = if color == ColorType::Rgba8 { lay_on_white(pixels) } else { pixels };
    Ok(Decoded {
        pixels: Pixels { width, height, step: 1, rgb },
        orientation,
        profile,
        kind: PictureKind::Photo,
        motion: None,
    })
}

#[cfg(test)]
mod tests {
    use crate::render::render;
    use crate::testing::{CANARY, exif, see, webp, webp_moving};

    #[test]
    fn a_webp_is_read_and_its_transparent_pixels_are_white() {
        let rgba: Vec<u8> =
            (0..64 * 64).flat_map(|at| [200, 100, 60, if at % 64 < 32 { 255 } else { 0 }]).collect();
        let seen = see(&render(&webp(&rgba, 64, 64, None)).unwrap().screen);
        seen.shows(0.25, 0.5, [200, 100, 60]);
        seen.shows(0.75, 0.5, [255, 255, 255]);
    }

    #[test]
    fn a_webp_is_rotated_upright_and_its_metadata_is_removed() {
        let file = webp(&[200, 100, 60, 255].repeat(64 * 32), 64, 32, Some(exif(6)));
        assert!(file.windows(CANARY.len()).any(|window| window == CANARY.as_bytes()));
        let rendered = render(&file).unwrap();
        assert_eq!((rendered.width, rendered.height), (32, 64));
        assert!(!rendered.screen.windows(CANARY.len()).any(|window| window == CANARY.as_bytes()));
    }

    #[test]
    fn an_animated_webp_becomes_its_first_frame() {
        let frame = |red: u8| [red, 0, 0, 255].repeat(32 * 32);
        let rendered = render(&webp_moving(&[frame(200), frame(20)], 32, 32)).unwrap();
        see(&rendered.screen).shows(0.5, 0.5, [200, 0, 0]);
        assert_eq!(rendered.motion, None);
    }

    #[test]
    fn a_file_that_is_cut_off_is_refused_or_shown_in_part() {
        let rgba: Vec<u8> = (0..40 * 40 * 4).map(|at| (at * 37 % 251) as u8).collect();
        let whole = webp(&rgba, 40, 40, Some(exif(1)));
        for length in (0..whole.len()).step_by(5) {
            if let Ok(rendered) = render(&whole[..length]) {
                assert_eq!((rendered.width, rendered.height), (40, 40), "{length} bytes");
            }
        }
    }
}

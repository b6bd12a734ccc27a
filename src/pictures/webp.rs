//! WebP: photographs, mostly. Of one that moves, the first frame.
//!
//! Refused before a pixel is decoded: sizes we do not read, and sizes that this decoder, which holds
//! several copies, could not decode within the worker's memory.

use std::io::Cursor;

use image::codecs::webp::WebPDecoder;
use image::metadata::Orientation;
use image::{ColorType, ImageDecoder};

use super::Unreadable;
use super::finish::Pixels;
use super::gif::lay_on_white;
use super::render::{Decoded, Look, judge};

/// Bytes held for a hundred pixels of a plain lossy picture: brightness and colour, then the result.
const LOSSY_HUNDREDTHS: u64 = 460;
/// Bytes held for a hundred pixels of any other: a frame, a canvas, the result.
const OTHER_HUNDREDTHS: u64 = 1_300;

pub(super) fn decode(bytes: &[u8]) -> Result<Decoded, Unreadable> {
    let mut decoder = WebPDecoder::new(Cursor::new(bytes)).map_err(|_| Unreadable::Damaged)?;
    let (width, height) = decoder.dimensions();
    let is_plain = bytes.get(12..16) == Some(b"VP8 ");
    judge(width, height, if is_plain { LOSSY_HUNDREDTHS } else { OTHER_HUNDREDTHS })?;
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
        look: Look::Photo,
        motion: None,
    })
}

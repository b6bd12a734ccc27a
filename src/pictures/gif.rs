//! GIF: drawn things that often move. The first frame stands for it; [`motion`](super::motion) is
//! the rest.
//!
//! Refused before a pixel is decoded: sizes we do not read, of the canvas or of any frame, and more
//! frames than anybody draws.

use std::io::Cursor;

use image::codecs::gif::GifDecoder;
use image::metadata::Orientation;
use image::{ImageDecoder, Limits};

use super::finish::Pixels;
use super::png::on_white;
use super::render::{Decoded, Look, judge};
use super::{Unreadable, motion};
use crate::limits::{DECODE_BYTES_MAX, PICTURE_FRAMES_MAX};

/// Bytes held for a hundred pixels: the canvas and a frame, four bytes each, and a row.
const HUNDREDTHS: u64 = 850;

pub(super) fn decode(bytes: &[u8]) -> Result<Decoded, Unreadable> {
    let walked = walk(bytes)?;
    let decoder = open(bytes)?;
    let (width, height) = decoder.dimensions();
    if (width, height) != (walked.width, walked.height) {
        return Err(Unreadable::Damaged);
    }
    let mut rgba = vec![0; width as usize * height as usize * 4];
    decoder.read_image(&mut rgba).map_err(|_| Unreadable::Damaged)?;
    Ok(Decoded {
        pixels: Pixels { width, height, step: 1, rgb: lay_on_white(rgba) },
        orientation: Orientation::NoTransforms,
        profile: None,
        look: Look::Drawn,
        motion: motion::motion(bytes, walked.frames),
    })
}

/// Opens the decoder, bounded.
pub(super) fn open(bytes: &[u8]) -> Result<GifDecoder<Cursor<&[u8]>>, Unreadable> {
    let mut decoder = GifDecoder::new(Cursor::new(bytes)).map_err(|_| Unreadable::Damaged)?;
    let mut limits = Limits::no_limits();
    limits.max_alloc = Some(DECODE_BYTES_MAX);
    decoder.set_limits(limits).map_err(|_| Unreadable::Size)?;
    Ok(decoder)
}

/// Lays pixels with transparency on white, in the memory where they are.
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

struct Walked {
    width: u32,
    height: u32,
    frames: usize,
}

/// Reads the sizes and counts the frames, unpacking none.
fn walk(bytes: &[u8]) -> Result<Walked, Unreadable> {
    let Some(([.., a, b, c, d, flags, _, _], mut rest)) = bytes.split_first_chunk::<13>() else {
        return Err(Unreadable::Damaged);
    };
    let length = |low: u8, high: u8| u32::from(u16::from_le_bytes([low, high]));
    let (width, height) = (length(*a, *b), length(*c, *d));
    judge(width, height, HUNDREDTHS)?;
    rest = rest.get(palette_bytes(*flags)..).unwrap_or_default();
    let mut frames = 0;
    // It may break off anywhere: what is there counts.
    while let Some((introducer, behind)) = rest.split_first() {
        rest = match introducer {
            // A frame: its place, size and flags, its palette, the size of a code, blocks.
            0x2C => {
                let Some(([_, _, _, _, a, b, c, d, flags], behind)) = behind.split_first_chunk::<9>() else {
                    break;
                };
                judge(length(*a, *b), length(*c, *d), HUNDREDTHS)?;
                frames += 1;
                if frames > PICTURE_FRAMES_MAX {
                    return Err(Unreadable::Bomb);
                }
                after_blocks(behind.get(palette_bytes(*flags) + 1..).unwrap_or_default())
            }
            // An extension: its name, blocks.
            0x21 => after_blocks(behind.get(1..).unwrap_or_default()),
            // The end, or nothing we know.
            _ => break,
        };
    }
    Ok(Walked { width, height, frames })
}

fn palette_bytes(flags: u8) -> usize {
    if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 7) + 1) }
}

/// Steps over blocks, each with its length before it, up to the empty one.
fn after_blocks(mut rest: &[u8]) -> &[u8] {
    while let Some((length, behind)) = rest.split_first() {
        rest = behind.get(usize::from(*length)..).unwrap_or_default();
        if *length == 0 {
            break;
        }
    }
    rest
}

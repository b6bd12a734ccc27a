//! GIF: drawings, often animated. The first frame is the still picture. [`motion`](super::motion) renders the
//! animation.
//!
//! Refused before a pixel is decoded: unsupported sizes of the canvas or of a frame, and too many frames.

use std::io::Cursor;

use image::codecs::gif::GifDecoder;
use image::metadata::Orientation;
use image::{ImageDecoder, Limits};

use super::decoded::{Decoded, PictureKind, Pixels, check_size, lay_on_white};
use super::{Unreadable, motion};
use crate::limits::{DECODE_BYTES_MAX, PICTURE_FRAMES_MAX};

/// Peak memory of the decoder, in bytes for a hundred pixels: the canvas and a frame with four bytes a pixel each, and
/// a row.
const HUNDREDTHS: u64 = 850;

/// Decodes the first frame. If `moves`, it also encodes the animation again.
pub(super) fn decode(bytes: &[u8], moves: bool) -> Result<Decoded, Unreadable> {
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
        kind: PictureKind::Drawn,
        motion: if moves { motion::motion(open(bytes)?, walked.frames) } else { None },
    })
}

/// Opens the decoder with a limit of its memory.
fn open(bytes: &[u8]) -> Result<GifDecoder<Cursor<&[u8]>>, Unreadable> {
    let mut decoder = GifDecoder::new(Cursor::new(bytes)).map_err(|_| Unreadable::Damaged)?;
    let mut limits = Limits::no_limits();
    limits.max_alloc = Some(DECODE_BYTES_MAX);
    decoder.set_limits(limits).map_err(|_| Unreadable::Size)?;
    Ok(decoder)
}

struct Walked {
    width: u32,
    height: u32,
    frames: usize,
}

/// Reads the sizes and counts the frames. No frame is unpacked.
fn walk(bytes: &[u8]) -> Result<Walked, Unreadable> {
    let Some(([.., a, b, c, d, flags, _, _], mut rest)) = bytes.split_first_chunk::<13>() else {
        return Err(Unreadable::Damaged);
    };
    let length = |low: u8, high: u8| u32::from(u16::from_le_bytes([low, high]));
    let (width, height) = (length(*a, *b), length(*c, *d));
    check_size(width, height, HUNDREDTHS)?;
    rest = rest.get(palette_bytes(*flags)..).unwrap_or_default();
    let mut frames = 0;
    // A file may be cut off anywhere. The frames before that place are counted.
    while let Some((introducer, behind)) = rest.split_first() {
        rest = match introducer {
            // A frame: its position, size and flags, its palette, the size of a code, and blocks.
            0x2C => {
                let Some(([_, _, _, _, a, b, c, d, flags], behind)) = behind.split_first_chunk::<9>() else {
                    break;
                };
                check_size(length(*a, *b), length(*c, *d), HUNDREDTHS)?;
                frames += 1;
                if frames > PICTURE_FRAMES_MAX {
                    return Err(Unreadable::Bomb);
                }
                after_blocks(behind.get(palette_bytes(*flags) + 1..).unwrap_or_default())
            }
            // An extension: its name and blocks.
            0x21 => after_blocks(behind.get(1..).unwrap_or_default()),
            // The end of the file, or an unknown block.
            _ => break,
        };
    }
    Ok(Walked { width, height, frames })
}

fn palette_bytes(flags: u8) -> usize {
    if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 7) + 1) }
}

/// Skips blocks up to and including the empty one. The length of a block precedes it.
fn after_blocks(mut rest: &[u8]) -> &[u8] {
    while let Some((length, behind)) = rest.split_first() {
        rest = behind.get(usize::from(*length)..).unwrap_or_default();
        if *length == 0 {
            break;
        }
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::render;
    use crate::testing::{gif, see};

    #[test]
    fn a_gif_with_one_frame_is_not_animated() {
        let rendered = render(&gif(40, 20, 1, |_, x, _| x < 20)).unwrap();
        assert_eq!((rendered.width, rendered.height, rendered.motion), (40, 20, None));
        let seen = see(&rendered.screen);
        seen.shows(0.25, 0.5, [255, 0, 0]);
        seen.shows(0.75, 0.5, [0, 0, 0]);
    }

    #[test]
    fn the_still_picture_is_the_first_frame() {
        let rendered = render(&gif(40, 20, 3, |number, _, _| number == 0)).unwrap();
        see(&rendered.card).shows(0.5, 0.5, [255, 0, 0]);
        assert!(rendered.motion.is_some());
    }

    #[test]
    fn too_many_frames_are_a_bomb() {
        let many = gif(1, 1, 1_001, |_, _, _| true);
        assert_eq!(render(&many), Err(Unreadable::Bomb));
        let long = render(&gif(1, 1, 1_000, |_, _, _| true)).unwrap();
        assert_eq!(long.motion, None, "read, but too long to move");
    }

    #[test]
    fn a_frame_with_an_unsupported_size_is_refused() {
        let mut file = gif(16, 16, 1, |_, _, _| true);
        let frame = file.iter().rposition(|byte| *byte == 0x2C).unwrap();
        file[frame + 5..frame + 9].copy_from_slice(&[0xDC, 0xFF, 0xDC, 0xFF]);
        assert_eq!(render(&file), Err(Unreadable::Size));
    }

    #[test]
    fn a_file_that_is_cut_off_is_refused_or_shown_in_part() {
        let whole = gif(40, 20, 3, |number, x, y| (x + y + number) % 3 == 0);
        for length in 0..whole.len() {
            if let Ok(rendered) = render(&whole[..length]) {
                assert_eq!((rendered.width, rendered.height), (40, 20), "{length} bytes");
            }
        }
    }
}

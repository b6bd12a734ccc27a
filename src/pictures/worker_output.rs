//! The output of the worker: a rendered picture as bytes.
//!
//! The format: the version in one byte, width, height, and four fields: thumbhash, screen, card and motion. The length
//! of a field precedes it. The motion is empty if the picture is not animated. Numbers have four bytes and are
//! little-endian.
//!
//! The worker reads untrusted input, so its output is not trusted either. [`open`] checks the sizes of the output, and
//! the beginning and end of every file in it. It never decodes a file.

use super::{Rendered, Wanted};
use crate::limits::{CARD_BYTES_MAX, MOTION_BYTES_MAX, SCREEN_BYTES_MAX, SCREEN_SIDE, THUMBHASH_BYTES_MAX};

const VERSION: u8 = 1;
/// The bytes of the version, the width, the height and four lengths.
const HEAD_BYTES: usize = 1 + 6 * 4;
/// The longest valid output, in bytes.
pub const WORKER_OUTPUT_BYTES_MAX: usize =
    HEAD_BYTES + THUMBHASH_BYTES_MAX + SCREEN_BYTES_MAX + CARD_BYTES_MAX + MOTION_BYTES_MAX;

/// The first and last bytes of every JPEG that Mellow encodes.
const JPEG: (&[u8], &[u8]) = (b"\xFF\xD8\xFF\xE0", b"\xFF\xD9");
/// The first and last bytes of every GIF that Mellow encodes.
const GIF: (&[u8], &[u8]) = (b"GIF89a", b"\x3B");

/// Encodes a picture as an output.
#[must_use]
pub fn wrap(rendered: &Rendered) -> Vec<u8> {
    let Rendered { width, height, thumbhash, screen, card, motion } = rendered;
    let motion = motion.as_deref().unwrap_or_default();
    let fields: [&[u8]; 4] = [thumbhash, screen, card, motion];
    let mut worker_output =
        Vec::with_capacity(HEAD_BYTES + fields.iter().map(|field| field.len()).sum::<usize>());
    worker_output.push(VERSION);
    worker_output.extend(width.to_le_bytes());
    worker_output.extend(height.to_le_bytes());
    for field in fields {
        // Every field is far below 4 GiB. [`open`] would refuse a longer one by its length.
        worker_output.extend(u32::try_from(field.len()).unwrap_or(u32::MAX).to_le_bytes());
        worker_output.extend(field);
    }
    worker_output
}

/// Decodes an output for this purpose; None if any part of it is invalid.
#[must_use]
pub fn open(worker_output: &[u8], wanted: Wanted) -> Option<Rendered> {
    let mut rest = worker_output.strip_prefix(&[VERSION])?;
    let (width, height) = (number(&mut rest)?, number(&mut rest)?);
    let side = 1..=SCREEN_SIDE;
    if !side.contains(&width) || !side.contains(&height) {
        return None;
    }
    let thumbhash = field(&mut rest, THUMBHASH_BYTES_MAX)?.to_vec();
    let screen = checked_file(field(&mut rest, SCREEN_BYTES_MAX)?, JPEG)?;
    let card = checked_file(field(&mut rest, CARD_BYTES_MAX)?, JPEG)?;
    let motion = match field(&mut rest, MOTION_BYTES_MAX)? {
        [] => None,
        motion => Some(checked_file(motion, GIF)?),
    };
    let is_whole = rest.is_empty() && !thumbhash.is_empty();
    let may_move = wanted == Wanted::Picture;
    (is_whole && (may_move || motion.is_none())).then_some(Rendered {
        width,
        height,
        thumbhash,
        screen,
        card,
        motion,
    })
}

fn number(rest: &mut &[u8]) -> Option<u32> {
    let (number, behind) = rest.split_first_chunk::<4>()?;
    *rest = behind;
    Some(u32::from_le_bytes(*number))
}

fn field<'a>(rest: &mut &'a [u8], bytes_max: usize) -> Option<&'a [u8]> {
    let length = usize::try_from(number(rest)?).ok().filter(|length| *length <= bytes_max)?;
    let (field, behind) = rest.split_at_checked(length)?;
    *rest = behind;
    Some(field)
}

fn checked_file(bytes: &[u8], (begins, ends): (&[u8], &[u8])) -> Option<Vec<u8>> {
    (bytes.starts_with(begins) && bytes.ends_with(ends)).then(|| bytes.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture() -> Rendered {
        Rendered {
            width: 1_600,
            height: 1_200,
            thumbhash: vec![1; 25],
            screen: b"\xFF\xD8\xFF\xE0screen\xFF\xD9".to_vec(),
            card: b"\xFF\xD8\xFF\xE0card\xFF\xD9".to_vec(),
            motion: Some(b"GIF89amotion\x3B".to_vec()),
        }
    }

    #[test]
    fn an_output_is_decoded_to_the_picture_that_was_encoded() {
        let moving = picture();
        assert_eq!(open(&wrap(&moving), Wanted::Picture), Some(moving.clone()));
        let still = Rendered { motion: None, ..picture() };
        for wanted in [Wanted::Picture, Wanted::Photo] {
            assert_eq!(open(&wrap(&still), wanted), Some(still.clone()));
        }
        assert_eq!(open(&wrap(&moving), Wanted::Photo), None, "a face stands still");
    }

    #[test]
    fn an_output_that_is_too_short_or_too_long_is_refused() {
        let worker_output = wrap(&picture());
        for length in 0..worker_output.len() {
            assert_eq!(open(&worker_output[..length], Wanted::Picture), None, "{length} bytes");
        }
        assert_eq!(open(&[&worker_output[..], b"!"].concat(), Wanted::Picture), None);
    }

    #[test]
    fn an_output_that_render_could_not_have_made_is_refused() {
        for strange in [
            Rendered { width: 0, ..picture() },
            Rendered { height: 1_601, ..picture() },
            Rendered { thumbhash: Vec::new(), ..picture() },
            Rendered { thumbhash: vec![1; 33], ..picture() },
            Rendered { screen: b"<html>".to_vec(), ..picture() },
            Rendered { card: vec![0xFF; CARD_BYTES_MAX + 1], ..picture() },
            Rendered { motion: Some(b"GIF89a".to_vec()), ..picture() },
        ] {
            assert_eq!(open(&wrap(&strange), Wanted::Picture), None, "{strange:?}");
        }
    }

    #[test]
    fn lv6_an_almost_valid_output_is_refused_or_encodes_to_the_same_bytes() {
        let still = Rendered { motion: None, ..picture() };
        crate::testing::fuzz::bytes(&[wrap(&picture()), wrap(&still)], |bytes| {
            for wanted in [Wanted::Picture, Wanted::Photo] {
                if let Some(rendered) = open(bytes, wanted) {
                    assert_eq!(wrap(&rendered), bytes);
                }
            }
        });
    }
}

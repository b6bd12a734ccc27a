//! JPEG: photographs.
//!
//! Refused before a pixel is decoded:
//! - Unsupported sizes.
//! - Progressive files whose coefficients do not fit into memory together with the picture. The coefficients are kept
//!   until the last scan.
//! - Files with more scans than cameras or programs write. Each scan visits the whole picture, but takes only a few
//!   bytes of the file.

use image::metadata::Orientation;
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use super::Unreadable;
use super::decoded::{Decoded, PictureKind, Pixels, check_size};
use crate::limits::{PICTURE_SCANS_MAX, PICTURE_SIDE_MAX};

pub(super) fn decode(bytes: &[u8]) -> Result<Decoded, Unreadable> {
    let head = walk(bytes)?;
    check_size(head.width, head.height, head.hundredths)?;
    let side = PICTURE_SIDE_MAX as usize;
    let options = DecoderOptions::new_fast()
        .set_max_width(side)
        .set_max_height(side)
        .jpeg_set_max_scans(PICTURE_SCANS_MAX)
        .jpeg_set_out_colorspace(ColorSpace::RGB);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().map_err(|_| Unreadable::Damaged)?;
    // The decoder has parsed the header itself. Its values must be those that were checked.
    if decoder.dimensions() != Some((head.width as usize, head.height as usize)) {
        return Err(Unreadable::Damaged);
    }
    let orientation = decoder.exif().and_then(|exif| Orientation::from_exif_chunk(exif));
    let profile = decoder.icc_profile();
    let rgb = decoder.decode().map_err(|_| Unreadable::Damaged)?;
    if rgb.len() != head.width as usize * head.height as usize * 3 {
        return Err(Unreadable::Damaged);
    }
    Ok(Decoded {
        pixels: Pixels { width: head.width, height: head.height, step: 1, rgb },
        orientation: orientation.unwrap_or(Orientation::NoTransforms),
        profile,
        kind: PictureKind::Photo,
        motion: None,
    })
}

struct Head {
    width: u32,
    height: u32,
    /// Peak memory of the decoder, in bytes for a hundred pixels.
    hundredths: u64,
}

/// Reads the header of the frame and counts the scans. No scan is decoded.
fn walk(bytes: &[u8]) -> Result<Head, Unreadable> {
    let mut head = None;
    let mut scans = 0;
    let mut at = 2;
    while let Some(marker) = next_marker(bytes, &mut at) {
        let segment = || {
            let length = usize::from(u16::from_be_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]));
            bytes.get(at + 2..at + length.max(2))
        };
        match marker {
            // Markers without a length: restart, start and filler.
            0x01 | 0xD0..=0xD8 => continue,
            // The end of the picture. The bytes after it are ignored, because telephones append a video or a second
            // picture.
            0xD9 => break,
            _ => {}
        }
        let Some(content) = segment() else { break };
        at += 2 + content.len();
        match marker {
            // Baseline, extended and progressive frames.
            0xC0..=0xC2 => {
                if head.is_some() {
                    return Err(Unreadable::Damaged);
                }
                head = Some(Frame::read(content, marker == 0xC2).ok_or(Unreadable::Damaged)?);
            }
            0xDA => {
                scans += 1;
                let Some(frame) = &mut head else { return Err(Unreadable::Damaged) };
                let is_whole = content.first().copied() == Some(frame.components);
                if scans == 1 && is_whole && !frame.keeps_coefficients {
                    // The rest of the file is ignored.
                    break;
                }
                frame.keeps_coefficients = true;
                if scans > PICTURE_SCANS_MAX {
                    return Err(Unreadable::Bomb);
                }
            }
            _ => {}
        }
    }
    let frame = head.ok_or(Unreadable::Damaged)?;
    let coefficients = if frame.keeps_coefficients { 2 * frame.samples_per_hundred } else { 0 };
    Ok(Head { width: frame.width, height: frame.height, hundredths: 300 + coefficients })
}

/// Skips compressed data up to the next marker, and returns the marker.
fn next_marker(bytes: &[u8], at: &mut usize) -> Option<u8> {
    loop {
        *at += bytes.get(*at..)?.iter().position(|byte| *byte == 0xFF)? + 1;
        match *bytes.get(*at)? {
            // 00 is an escaped byte of data. FF is a filler before a marker.
            0x00 => *at += 1,
            0xFF => {}
            marker => {
                *at += 1;
                return Some(marker);
            }
        }
    }
}

struct Frame {
    width: u32,
    height: u32,
    components: u8,
    /// The number of values of all components for a hundred pixels.
    samples_per_hundred: u64,
    keeps_coefficients: bool,
}

impl Frame {
    fn read(content: &[u8], is_progressive: bool) -> Option<Self> {
        let [_, high, low, left, right, components, rest @ ..] = content else { return None };
        let samplings: Vec<u64> = rest
            .chunks_exact(3)
            .take(usize::from(*components))
            .map(|component| u64::from(component[1] >> 4) * u64::from(component[1] & 15))
            .collect();
        let largest = samplings.iter().copied().max().filter(|most| *most > 0)?;
        Some(Self {
            width: u32::from(u16::from_be_bytes([*left, *right])),
            height: u32::from(u16::from_be_bytes([*high, *low])),
            components: *components,
            samples_per_hundred: samplings.iter().sum::<u64>() * 100 / largest,
            keeps_coefficients: is_progressive,
        })
    }
}

#[cfg(test)]
mod tests {
    use jpeg_encoder::ColorType;

    use super::*;
    use crate::render::render;
    use crate::testing::{jpeg, jpeg_of, photo, see};

    #[test]
    fn grey_and_cmyk_pictures_are_read() {
        let grey = jpeg_of(&[120; 40 * 40], 40, 40, ColorType::Luma, false);
        see(&render(&grey).unwrap().card).shows(0.5, 0.5, [120, 120, 120]);
        // Cyan, magenta, yellow and black, as in files for printers.
        for color in [ColorType::Cmyk, ColorType::CmykAsYcck] {
            let ink = [255, 0, 0, 0].repeat(40 * 40);
            let printed = jpeg_of(&ink, 40, 40, color, false);
            see(&render(&printed).unwrap().card).shows(0.5, 0.5, [0, 255, 255]);
        }
    }

    #[test]
    fn a_progressive_picture_is_read() {
        let rgb = [200, 100, 60].repeat(64 * 64);
        let progressive = jpeg_of(&rgb, 64, 64, ColorType::Rgb, true);
        assert!(walk(&progressive).unwrap().hundredths > 300);
        see(&render(&progressive).unwrap().card).shows(0.5, 0.5, [200, 100, 60]);
    }

    #[test]
    fn the_memory_of_a_progressive_picture_includes_its_coefficients() {
        // A pixel has one and a half values with two bytes each, and three bytes of the result.
        let head = walk(&photo(64, 64, 4, true)).unwrap();
        assert_eq!(head.hundredths, 600);
        assert_eq!(walk(&photo(64, 64, 4, false)).unwrap().hundredths, 300);
    }

    #[test]
    fn too_many_scans_are_a_bomb() {
        let progressive = photo(64, 64, 4, true);
        let last = (0..progressive.len() - 1).rfind(|at| progressive[*at..*at + 2] == [0xFF, 0xDA]).unwrap();
        let (before, scan) = progressive.split_at(last);
        let scan = &scan[..scan.len() - 2];
        let scanned = |times: usize| [before, &scan.repeat(times)[..], b"\xFF\xD9"].concat();
        assert!(walk(&scanned(20)).is_ok());
        assert_eq!(render(&scanned(200)), Err(Unreadable::Bomb));
    }

    #[test]
    fn a_file_that_is_cut_off_is_refused_or_shown_in_part() {
        let whole = jpeg(64, 64, |x, y| [x as u8 * 4, y as u8 * 4, 90]);
        for length in 0..whole.len() {
            if let Ok(rendered) = render(&whole[..length]) {
                assert_eq!((rendered.width, rendered.height), (64, 64), "{length} bytes");
            }
        }
    }

    #[test]
    fn a_file_with_two_frames_is_refused() {
        let one = jpeg(16, 16, |_, _| [90; 3]);
        let frame = one.windows(2).position(|pair| pair == [0xFF, 0xC0]).unwrap();
        let length = 2 + usize::from(u16::from_be_bytes([one[frame + 2], one[frame + 3]]));
        let again = [&one[..frame], &one[frame..frame + length], &one[frame..]].concat();
        assert_eq!(render(&again), Err(Unreadable::Damaged));
    }
}

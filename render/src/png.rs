//! PNG: drawings and screenshots.
//!
//! A file is read row by row, and each pixel is added at once to the smaller picture, so the rows of the file are never
//! in memory together.
//!
//! Refused before a pixel is decoded: unsupported sizes, and compressed metadata (a colour profile, texts) that unpacks
//! to an unusual size. The decoder itself reads no metadata.

use std::io::Cursor;

use fdeflate::BoundedDecompressionError;
use image::metadata::Orientation;
use png::{BitDepth, ColorType, DecodeOptions, Decoder, Limits, Transformations};

use super::Unreadable;
use super::decoded::{Decoded, PictureKind, Pixels, check_size, on_white};
use crate::limits::{PICTURE_METADATA_BYTES_MAX, PICTURE_METADATA_CHUNKS_MAX, SCREEN_SIDE};

/// The seven passes of an interlaced picture (PNG, section 8.2). Each has the first pixel from the left and from the
/// top, and the distance of its pixels to the right and down.
const PASSES: [[u32; 4]; 7] =
    [[0, 0, 8, 8], [4, 0, 8, 8], [0, 4, 4, 8], [2, 0, 4, 4], [0, 2, 2, 4], [1, 0, 2, 2], [0, 1, 1, 2]];

/// Most memory of the decoder for rows, in bytes.
const ROWS_BYTES_MAX: usize = 4 * 1024 * 1024;

pub(super) fn decode(bytes: &[u8]) -> Result<Decoded, Unreadable> {
    let metadata = read_metadata(bytes)?;
    check_size(metadata.width, metadata.height, 300)?;
    let mut options = DecodeOptions::default();
    options.set_ignore_text_chunk(true);
    options.set_ignore_iccp_chunk(true);
    let mut decoder = Decoder::new_with_options(Cursor::new(bytes), options);
    decoder.set_limits(Limits { bytes: ROWS_BYTES_MAX });
    decoder.set_transformations(Transformations::STRIP_16 | Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(|_| Unreadable::Damaged)?;
    let (width, height) = (reader.info().width, reader.info().height);
    let (color, depth) = reader.output_color_type();
    if (width, height) != (metadata.width, metadata.height) || depth != BitDepth::Eight {
        return Err(Unreadable::Damaged);
    }
    let mut downscaler = Downscaler::new(width, height, color);
    let passes: &[[u32; 4]] = if reader.info().interlaced { &PASSES } else { &[[0, 0, 1, 1]] };
    for &[left, top, right, down] in passes.iter().filter(|[left, top, ..]| *left < width && *top < height) {
        for y in (top..height).step_by(down as usize) {
            let row = reader.next_row().map_err(|_| Unreadable::Damaged)?.ok_or(Unreadable::Damaged)?;
            downscaler.add_row(row.data(), y, left, right);
        }
    }
    Ok(Decoded {
        pixels: downscaler.finish(),
        orientation: metadata.orientation,
        profile: metadata.profile,
        kind: PictureKind::Drawn,
        motion: None,
    })
}

/// Adds pixels up to larger ones.
struct Downscaler {
    width: u32,
    height: u32,
    color: ColorType,
    /// The number of pixels that become one, in each direction.
    step: u32,
    /// Red, green and blue of each pixel, if the step is 1. Sums of these pixels would take three times the memory.
    rgb: Vec<u8>,
    /// Sums of red, green and blue, if the step is larger. The step is at most 3, so a sum has at most nine values of
    /// one byte.
    sums: Vec<u16>,
}

impl Downscaler {
    fn new(width: u32, height: u32, color: ColorType) -> Self {
        // The result keeps at least twice the size that is needed, because the last step resizes with a better filter.
        let step = (width.max(height) / (2 * SCREEN_SIDE)).max(1);
        let pixels = width.div_ceil(step) as usize * height.div_ceil(step) as usize;
        let (rgb, sums) = match step {
            1 => (vec![0; pixels * 3], Vec::new()),
            _ => (Vec::new(), vec![0; pixels * 3]),
        };
        Self { width, height, color, step, rgb, sums }
    }

    /// Adds a row. Its first pixel is at `left`, and the next ones follow in distances of `right`.
    fn add_row(&mut self, row: &[u8], y: u32, left: u32, right: u32) {
        match self.color {
            ColorType::Grayscale => self.add(row, y, left, right, |&[grey]: &[u8; 1]| [grey; 3]),
            ColorType::GrayscaleAlpha => {
                self.add(row, y, left, right, |&[grey, alpha]: &[u8; 2]| [on_white(grey, alpha); 3]);
            }
            ColorType::Rgba => self.add(row, y, left, right, |&[red, green, blue, alpha]: &[u8; 4]| {
                [on_white(red, alpha), on_white(green, alpha), on_white(blue, alpha)]
            }),
            // The decoder has expanded a palette to one of these types.
            ColorType::Rgb | ColorType::Indexed => self.add(row, y, left, right, |rgb: &[u8; 3]| *rgb),
        }
    }

    fn add<const N: usize>(
        &mut self,
        row: &[u8],
        y: u32,
        left: u32,
        right: u32,
        rgb: impl Fn(&[u8; N]) -> [u8; 3],
    ) {
        let columns = self.width.div_ceil(self.step) as usize;
        let begins = (y / self.step) as usize * columns * 3;
        let pixels = row.as_chunks().0.iter().zip((left..self.width).step_by(right as usize));
        if self.step == 1 {
            for (pixel, x) in pixels {
                let place = begins + x as usize * 3;
                self.rgb[place..place + 3].copy_from_slice(&rgb(pixel));
            }
            return;
        }
        let sums = &mut self.sums[begins..begins + columns * 3];
        for (pixel, x) in pixels {
            let place = (x / self.step) as usize * 3;
            for (sum, value) in sums[place..place + 3].iter_mut().zip(rgb(pixel)) {
                *sum += u16::from(value);
            }
        }
    }

    /// Divides every sum by the number of its pixels.
    fn finish(self) -> Pixels {
        let Self { width, height, step, rgb, sums, .. } = self;
        if step == 1 {
            return Pixels { width, height, step, rgb };
        }
        let columns = width.div_ceil(step);
        let within = |place: u32, length: u32| step.min(length - place * step);
        let mut rgb = Vec::with_capacity(sums.len());
        for (place, sums) in (0..).zip(sums.chunks_exact(3)) {
            let count = within(place % columns, width) * within(place / columns, height);
            rgb.extend(sums.iter().map(|sum| ((u32::from(*sum) + count / 2) / count) as u8));
        }
        Pixels { width, height, step, rgb }
    }
}

/// The size and the metadata of a file.
struct Metadata {
    width: u32,
    height: u32,
    orientation: Orientation,
    profile: Option<Vec<u8>>,
}

/// Reads the size and the metadata. It unpacks no more metadata than the limit for the whole file.
fn read_metadata(bytes: &[u8]) -> Result<Metadata, Unreadable> {
    let mut rest = bytes.get(8..).ok_or(Unreadable::Damaged)?;
    let head = chunk(&mut rest).filter(|(kind, _)| kind == b"IHDR");
    let Some((_, [a, b, c, d, e, f, g, h, ..])) = head else { return Err(Unreadable::Damaged) };
    let mut metadata = Metadata {
        width: u32::from_be_bytes([*a, *b, *c, *d]),
        height: u32::from_be_bytes([*e, *f, *g, *h]),
        orientation: Orientation::NoTransforms,
        profile: None,
    };
    let mut left = PICTURE_METADATA_BYTES_MAX;
    let mut count = 0;
    while let Some((kind, content)) = chunk(&mut rest) {
        let packed = match &kind {
            b"eXIf" => {
                metadata.orientation = Orientation::from_exif_chunk(content).unwrap_or(metadata.orientation);
                continue;
            }
            b"IEND" => break,
            // A name, a zero byte, the compression method, and the compressed data.
            b"iCCP" | b"zTXt" => after_zeros(content, 1).and_then(|rest| rest.get(1..)),
            // A name, a zero byte, two bytes for compression, two more names, and the text. The text may be compressed.
            b"iTXt" => match after_zeros(content, 1) {
                Some([1, _, rest @ ..]) => after_zeros(rest, 2),
                _ => None,
            },
            _ => None,
        };
        let Some(packed) = packed else { continue };
        count += 1;
        if count > PICTURE_METADATA_CHUNKS_MAX {
            return Err(Unreadable::Bomb);
        }
        match fdeflate::decompress_to_vec_bounded(packed, left) {
            Ok(unpacked) => {
                left -= unpacked.len();
                if kind == *b"iCCP" {
                    metadata.profile = Some(unpacked);
                }
            }
            Err(BoundedDecompressionError::OutputTooLarge { .. }) => return Err(Unreadable::Bomb),
            // Damaged metadata is ignored.
            Err(BoundedDecompressionError::DecompressionError { .. }) => {}
        }
    }
    Ok(metadata)
}

/// Reads the next chunk: its kind and its data. None at the end of the file, even if the file is cut off.
fn chunk<'a>(rest: &mut &'a [u8]) -> Option<([u8; 4], &'a [u8])> {
    let (head, behind) = rest.split_first_chunk::<8>()?;
    let [a, b, c, d, kind @ ..] = head;
    let length = usize::try_from(u32::from_be_bytes([*a, *b, *c, *d])).ok()?;
    let content = behind.get(..length)?;
    // A checksum of four bytes follows. The decoder checks it.
    *rest = behind.get(length + 4..)?;
    Some((*kind, content))
}

/// Returns the data after `count` zero bytes.
fn after_zeros(mut content: &[u8], count: usize) -> Option<&[u8]> {
    for _ in 0..count {
        let at = content.iter().position(|byte| *byte == 0)?;
        content = &content[at + 1..];
    }
    Some(content)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::render;
    use crate::testing::{CANARY, Head, chunk, exif, metadata_chunk, png, png_painted, see};

    const GREY: Head = Head { width: 64, height: 64, depth: 8, color: 0, is_interlaced: false };

    fn rows(row: &[u8], count: usize) -> Vec<u8> {
        [&[0], row].concat().repeat(count)
    }

    #[test]
    fn transparent_pixels_are_drawn_on_white() {
        let glass = png_painted(64, 64, 6, |x, _| [200, 0, 0, if x < 32 { 0 } else { 128 }]);
        let seen = see(&render(&glass).unwrap().screen);
        seen.shows(0.25, 0.5, [255, 255, 255]);
        seen.shows(0.75, 0.5, [227, 127, 127]);
        let grey = png_painted(64, 64, 4, |_, _| [0, 128]);
        see(&render(&grey).unwrap().screen).shows(0.5, 0.5, [127, 127, 127]);
    }

    #[test]
    fn every_depth_and_kind_of_colour_is_read() {
        let fine = Head { depth: 16, color: 2, ..GREY };
        let row = [0xC8, 0x11, 0x64, 0xFF, 0x3C, 0x00].repeat(64);
        see(&render(&png(fine, &[], &rows(&row, 64))).unwrap().screen).shows(0.5, 0.5, [200, 100, 60]);

        see(&render(&png(GREY, &[], &rows(&[120; 64], 64))).unwrap().screen).shows(0.5, 0.5, [120; 3]);
        let bits = Head { depth: 1, ..GREY };
        see(&render(&png(bits, &[], &rows(&[0xFF; 8], 64))).unwrap().screen).shows(0.5, 0.5, [255; 3]);

        // Four colours. The third is transparent.
        let palette = Head { depth: 2, color: 3, ..GREY };
        let before =
            [chunk(b"PLTE", &[9, 9, 9, 200, 100, 60, 0, 0, 0, 1, 1, 1]), chunk(b"tRNS", &[255, 255, 0])];
        let seen = |dots: u8| see(&render(&png(palette, &before, &rows(&[dots; 16], 64))).unwrap().screen);
        seen(0b0101_0101).shows(0.5, 0.5, [200, 100, 60]);
        seen(0b1010_1010).shows(0.5, 0.5, [255, 255, 255]);
    }

    #[test]
    fn an_interlaced_file_gives_the_same_picture() {
        for (width, height) in [(1, 1), (3, 5), (8, 8), (37, 21), (3_301, 9)] {
            let dot = |x: u32, y: u32| ((x * 7 + y * 31) % 251) as u8;
            let head = Head { width, height, ..GREY };
            let plain: Vec<u8> =
                (0..height).flat_map(|y| [0].into_iter().chain((0..width).map(move |x| dot(x, y)))).collect();
            let mut woven = Vec::new();
            for [left, top, right, down] in PASSES {
                for y in (top..height).step_by(down as usize).filter(|_| left < width) {
                    woven.push(0);
                    woven.extend((left..width).step_by(right as usize).map(|x| dot(x, y)));
                }
            }
            let woven = png(Head { is_interlaced: true, ..head }, &[], &woven);
            let plain = png(head, &[], &plain);
            assert_eq!(decode(&woven).unwrap().pixels.rgb, decode(&plain).unwrap().pixels.rgb);
        }
    }

    #[test]
    fn a_very_large_picture_is_made_smaller_while_it_is_read() {
        // 9,601 is not a multiple of the step of 3, so the last column has one pixel instead of three.
        let head = Head { width: 9_601, height: 4, ..GREY };
        let row: Vec<u8> = (0..9_601).map(|x| if x == 9_600 { 200 } else { (x % 3) as u8 * 30 }).collect();
        let pixels = decode(&png(head, &[], &rows(&row, 4))).unwrap().pixels;
        assert_eq!((pixels.width, pixels.height, pixels.step), (9_601, 4, 3));
        assert_eq!(pixels.rgb.len(), 3_201 * 2 * 3);
        assert_eq!((pixels.rgb[0], pixels.rgb[3_200 * 3]), (30, 200));
        let rendered = render(&png(head, &[], &rows(&row, 4))).unwrap();
        assert_eq!((rendered.width, rendered.height), (1_600, 1));
    }

    #[test]
    fn metadata_that_unpacks_to_an_unusual_size_is_a_bomb() {
        let with = |metadata: &[Vec<u8>]| render(&png(GREY, metadata, &rows(&[120; 64], 64)));
        for kind in [b"iCCP", b"zTXt", b"iTXt"] {
            assert_eq!(with(&[metadata_chunk(kind, "n", &vec![0; 5 << 20])]), Err(Unreadable::Bomb));
            assert!(with(&[metadata_chunk(kind, "n", &vec![0; 3 << 20])]).is_ok());
        }
        // The limits apply to all chunks together: to their size and to their number.
        assert_eq!(with(&vec![metadata_chunk(b"zTXt", "n", &vec![0; 1 << 20]); 5]), Err(Unreadable::Bomb));
        assert!(with(&vec![metadata_chunk(b"zTXt", "n", b"short"); PICTURE_METADATA_CHUNKS_MAX]).is_ok());
        assert_eq!(
            with(&vec![metadata_chunk(b"zTXt", "n", b"short"); PICTURE_METADATA_CHUNKS_MAX + 1]),
            Err(Unreadable::Bomb)
        );
        // A chunk that is not compressed is ignored.
        assert!(with(&[chunk(b"iCCP", b"n\0\0nonsense"), chunk(b"zTXt", b"")]).is_ok());
    }

    #[test]
    fn the_profile_and_the_orientation_are_applied() {
        let profile = moxcms::ColorProfile::new_display_p3().encode().unwrap();
        let head = Head { height: 32, color: 2, ..GREY };
        let metadata = [
            metadata_chunk(b"iCCP", "P3", &profile),
            chunk(b"eXIf", &exif(6)),
            metadata_chunk(b"zTXt", CANARY, b"x"),
        ];
        let rendered = render(&png(head, &metadata, &rows(&[200, 100, 60].repeat(64), 32))).unwrap();
        assert_eq!((rendered.width, rendered.height), (32, 64));
        see(&rendered.screen).shows(0.5, 0.5, [215, 93, 47]);
    }

    #[test]
    fn a_png_that_is_cut_off_is_refused() {
        let whole = png_painted(64, 64, 2, |x, y| [x as u8, y as u8, (x * y) as u8]);
        for length in (0..whole.len() - 16).step_by(7) {
            assert!(render(&whole[..length]).is_err(), "{length} bytes");
        }
    }
}

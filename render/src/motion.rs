//! Encodes animations again: smaller, on white, and without a byte of the original file.
//!
//! Nothing here refuses a picture. An animation that is too long, too large or too slow to render becomes a still
//! picture.

use std::io::Cursor;
use std::time::{Duration, Instant};

use fast_image_resize::Resizer;
use gif::{Encoder, Frame, Repeat};
use image::codecs::gif::GifDecoder;
use image::{AnimationDecoder, ImageDecoder};

use super::decoded::{Pixels, check_size, fit, lay_on_white};
use crate::limits::{MOTION_BYTES_MAX, MOTION_FRAMES_MAX, MOTION_MS_MAX, MOTION_PIXELS_MAX, MOTION_SIDE};

/// The speed of choosing a palette for more than 256 colours: 1 is the best result, 30 is the fastest.
const ENCODER_SPEED: i32 = 20;

/// Peak memory of rendering, in bytes for a hundred pixels: the still picture, the canvas, a frame, and the canvas with
/// the frame.
const HUNDREDTHS: u64 = 1_600;

/// Returns the animation of a GIF; None if there is none, or if it exceeds a limit.
pub(super) fn motion(gif: GifDecoder<Cursor<&[u8]>>, frames: usize) -> Option<Vec<u8>> {
    if !(2..=MOTION_FRAMES_MAX).contains(&frames) {
        return None;
    }
    let begun = Instant::now();
    let (width, height) = gif.dimensions();
    let pixels = u64::from(width) * u64::from(height) * frames as u64;
    if pixels > MOTION_PIXELS_MAX || check_size(width, height, HUNDREDTHS).is_err() {
        return None;
    }
    let (small_width, small_height) = fit(width, height, MOTION_SIDE);
    let (columns, rows) = (u16::try_from(small_width).ok()?, u16::try_from(small_height).ok()?);
    let mut out = Vec::new();
    let mut encoder = Encoder::new(&mut out, columns, rows, &[]).ok()?;
    encoder.set_repeat(Repeat::Infinite).ok()?;
    let mut resizer = Resizer::new();
    let mut before: Option<Vec<u8>> = None;
    let mut drawn = 0;
    // A file that is cut off is animated up to that point.
    for frame in gif.into_frames().map_while(Result::ok) {
        let (ms, parts) = frame.delay().numer_denom_ms();
        let delay = u16::try_from(ms / parts.max(1) / 10).unwrap_or(u16::MAX);
        let whole = Pixels { width, height, step: 1, rgb: lay_on_white(frame.into_buffer().into_raw()) };
        let now = whole.within(MOTION_SIDE, &mut resizer).ok()?.unwrap_or(whole).rgb;
        let area = Area::of_change(before.as_deref(), &now, columns, rows);
        let mut frame =
            Frame::from_rgba_speed(area.width, area.height, &mut area.cut(&now, columns), ENCODER_SPEED);
        (frame.left, frame.top, frame.delay) = (area.left, area.top, delay);
        encoder.write_frame(&frame).ok()?;
        drawn += 1;
        before = Some(now);
        let is_too_large = encoder.get_ref().len() > MOTION_BYTES_MAX;
        if is_too_large || begun.elapsed() > Duration::from_millis(MOTION_MS_MAX) {
            return None;
        }
    }
    drop(encoder);
    (drawn > 1 && out.len() <= MOTION_BYTES_MAX).then_some(out)
}

/// A part of the canvas.
#[derive(Debug, PartialEq, Eq)]
struct Area {
    left: u16,
    top: u16,
    width: u16,
    height: u16,
}

impl Area {
    /// Returns the smallest area in which two frames differ; one pixel if they do not differ.
    fn of_change(before: Option<&[u8]>, now: &[u8], columns: u16, rows: u16) -> Self {
        let Some(before) = before else { return Self { left: 0, top: 0, width: columns, height: rows } };
        let stride = usize::from(columns) * 3;
        let (mut left, mut right, mut top, mut bottom) = (columns, 0, rows, 0);
        for (y, (before, now)) in (0..).zip(before.chunks_exact(stride).zip(now.chunks_exact(stride))) {
            if before == now {
                continue;
            }
            (top, bottom) = (top.min(y), y + 1);
            let mut differ = (0..)
                .zip(before.chunks_exact(3).zip(now.chunks_exact(3)))
                .filter(|(_, (before, now))| before != now)
                .map(|(x, _)| x);
            if let Some(first) = differ.next() {
                left = left.min(first);
                right = right.max(differ.last().unwrap_or(first) + 1);
            }
        }
        if right == 0 {
            return Self { left: 0, top: 0, width: 1, height: 1 };
        }
        Self { left, top, width: right - left, height: bottom - top }
    }

    /// Returns this area of a frame, as opaque pixels of four bytes.
    fn cut(&self, rgb: &[u8], columns: u16) -> Vec<u8> {
        let stride = usize::from(columns) * 3;
        let (begins, ends) = (usize::from(self.left) * 3, usize::from(self.left + self.width) * 3);
        rgb.chunks_exact(stride)
            .skip(usize::from(self.top))
            .take(usize::from(self.height))
            .flat_map(|row| row[begins..ends].as_chunks::<3>().0)
            .flat_map(|&[red, green, blue]| [red, green, blue, u8::MAX])
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use image::RgbaImage;

    use super::*;
    use crate::render::render;
    use crate::testing::{CANARY, gif};

    /// The visible frames of a GIF, each with its duration in milliseconds.
    fn watch(gif: &[u8]) -> Vec<(RgbaImage, u32)> {
        let frames = GifDecoder::new(Cursor::new(gif)).unwrap().into_frames();
        frames
            .map(|frame| {
                let frame = frame.unwrap();
                let ms = frame.delay().numer_denom_ms().0;
                (frame.into_buffer(), ms)
            })
            .collect()
    }

    #[test]
    fn an_animation_keeps_its_frames_and_durations() {
        // A dot moves to the right. The frames take 70, 80 and 90 ms.
        let file = gif(60, 30, 3, |number, x, _| x / 20 == number);
        let moving = render(&file).unwrap().motion.unwrap();
        let (before, after) = (watch(&file), watch(&moving));
        assert_eq!(before.len(), after.len());
        for ((before, ms), (after, still_ms)) in before.iter().zip(&after) {
            assert_eq!(ms, still_ms);
            assert_eq!(before, after, "no more than 256 colours: exactly the same");
        }
        assert!(moving.windows(11).any(|window| window == b"NETSCAPE2.0"), "for ever");
    }

    #[test]
    fn a_large_animation_is_made_smaller() {
        let file = gif(960, 480, 3, |number, x, y| (x + y) / 100 % 3 == number);
        let after = watch(&render(&file).unwrap().motion.unwrap());
        assert_eq!(after.len(), 3);
        assert_eq!(after[0].0.dimensions(), (480, 240));
    }

    #[test]
    fn a_frame_is_removed_as_the_file_says() {
        // A frame, then two small ones that are removed again, then one that changes only a dot.
        let mut file = Vec::new();
        let mut encoder = Encoder::new(&mut file, 20, 20, &[255, 0, 0, 0, 0, 255, 0, 255, 0]).unwrap();
        let mut frame = Frame::from_indexed_pixels(20, 20, vec![0; 400], None);
        encoder.write_frame(&frame).unwrap();
        for dispose in [gif::DisposalMethod::Previous, gif::DisposalMethod::Background] {
            frame = Frame::from_indexed_pixels(5, 5, vec![1; 25], None);
            (frame.left, frame.top, frame.dispose) = (10, 10, dispose);
            encoder.write_frame(&frame).unwrap();
        }
        encoder.write_frame(&Frame::from_indexed_pixels(1, 1, vec![2], None)).unwrap();
        drop(encoder);
        let after = watch(&render(&file).unwrap().motion.unwrap());
        let at = |frame: usize, x: u32, y: u32| {
            let [red, green, blue, _] = after[frame].0.get_pixel(x, y).0;
            [red, green, blue]
        };
        assert_eq!([at(0, 12, 12), at(1, 12, 12), at(2, 12, 12)], [[255, 0, 0], [0, 0, 255], [0, 0, 255]]);
        assert_eq!((at(1, 2, 2), at(3, 0, 0)), ([255, 0, 0], [0, 255, 0]));
        assert_eq!(at(3, 12, 12), [255, 255, 255], "what was wiped away shows the white below");
    }

    #[test]
    fn an_animation_that_is_too_long_or_too_large_becomes_a_still_picture() {
        let long = gif(4, 4, 301, |_, _, _| true);
        assert_eq!(motion(GifDecoder::new(Cursor::new(&long[..])).unwrap(), 301), None);
        // Each frame is a dot on a large canvas.
        let mut large = Vec::new();
        let mut encoder = Encoder::new(&mut large, 3_000, 3_000, &[0, 0, 0]).unwrap();
        for _ in 0..7 {
            encoder.write_frame(&Frame::from_indexed_pixels(1, 1, vec![0], None)).unwrap();
        }
        drop(encoder);
        assert!(render(&large).unwrap().motion.is_none(), "63 megapixels in all");
    }

    #[test]
    fn no_metadata_of_the_file_is_in_the_animation() {
        let mut file = gif(8, 8, 2, |number, _, _| number == 0);
        let end = file.pop().unwrap();
        file.extend([0x21, 0xFE, CANARY.len() as u8]);
        file.extend(CANARY.as_bytes());
        file.extend([0, end]);
        file.extend(CANARY.as_bytes());
        let moving = render(&file).unwrap().motion.unwrap();
        assert!(!moving.windows(CANARY.len()).any(|window| window == CANARY.as_bytes()));
    }

    #[test]
    fn only_the_area_of_change_is_encoded() {
        let [mut before, mut now] = [vec![9; 10 * 10 * 3], vec![9; 10 * 10 * 3]];
        assert_eq!(Area::of_change(None, &now, 10, 10), Area { left: 0, top: 0, width: 10, height: 10 });
        assert_eq!(
            Area::of_change(Some(&before), &now, 10, 10),
            Area { left: 0, top: 0, width: 1, height: 1 }
        );
        now[(3 * 10 + 2) * 3 + 1] = 1;
        before[(6 * 10 + 7) * 3] = 1;
        let area = Area::of_change(Some(&before), &now, 10, 10);
        assert_eq!(area, Area { left: 2, top: 3, width: 6, height: 4 });
        assert_eq!(area.cut(&now, 10).len(), 6 * 4 * 4);
        assert_eq!(area.cut(&now, 10)[..4], [9, 1, 9, 255]);
    }
}

//! What moves, drawn anew: smaller, on white, and without a byte of the file it came from.
//!
//! Nothing here refuses a picture. One that is too long, too large or takes too much time stands still.

use std::time::{Duration, Instant};

use fast_image_resize::Resizer;
use gif::{Encoder, Frame, Repeat};
use image::{AnimationDecoder, ImageDecoder};

use super::finish::{Pixels, fit};
use super::gif::{lay_on_white, open};
use crate::limits::{MOTION_BYTES_MAX, MOTION_FRAMES_MAX, MOTION_MS_MAX, MOTION_PIXELS_MAX, MOTION_SIDE};

/// How thoroughly colours are chosen when there are more than 256: 1 is best, 30 is fastest.
const HASTE: i32 = 20;

/// Returns the moving picture, when there is one that can be had within its share.
pub(super) fn motion(bytes: &[u8], frames: usize) -> Option<Vec<u8>> {
    if !(2..=MOTION_FRAMES_MAX).contains(&frames) {
        return None;
    }
    let begun = Instant::now();
    let decoder = open(bytes).ok()?;
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) * frames as u64 > MOTION_PIXELS_MAX {
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
    // A file that breaks off moves as far as it goes.
    for frame in decoder.into_frames().map_while(Result::ok) {
        let (ms, parts) = frame.delay().numer_denom_ms();
        let delay = u16::try_from(ms / parts.max(1) / 10).unwrap_or(u16::MAX);
        let whole = Pixels { width, height, step: 1, rgb: lay_on_white(frame.into_buffer().into_raw()) };
        let now = whole.within(MOTION_SIDE, &mut resizer).ok()?.unwrap_or(whole).rgb;
        let area = Area::of_change(before.as_deref(), &now, columns, rows);
        let mut frame = Frame::from_rgba_speed(area.width, area.height, &mut area.cut(&now, columns), HASTE);
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
    /// Returns the smallest area in which two frames differ; one pixel when they do not.
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

    /// Cuts it out of a frame, as opaque pixels of four bytes.
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

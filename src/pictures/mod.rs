//! Pictures: an upload becomes two clean JPEGs and, if animated, a clean GIF. A profile photo becomes two JPEGs, the
//! smaller one square, and is never animated.
//!
//! A picture from a stranger is the most dangerous input of a server: decoders are large, and a small file may need
//! much memory or time. It is therefore decoded in a process of its own, the same program called as `mellow
//! picture-worker`, one picture each.
//!
//! # How
//!
//! 1. [`service`], in the server: one picture at a time, a short queue and a time limit. It passes the file to the
//!    worker as standard input and never reads it.
//! 2. [`worker`], in the other process: it has the kernel limit its memory, time and files, renders the picture,
//!    writes a [`worker_output`] and ends.
//! 3. [`mellow_render`], a crate of its own: bytes to [`Rendered`](mellow_render::Rendered). The content decides the
//!    format, and each decoder's module says what it refuses before a pixel is decoded.
//! 4. [`worker_output`], in the server again: the output is checked before it is used.
//!
//! # Guarantees
//!
//! - **Only bytes that we encoded are served.** The place and camera, comments, profiles and anything else hidden in
//!   the file are removed.
//! - **The picture looks as it did on its maker's screen**: rotated as the camera noted, colours converted to sRGB,
//!   transparency on white. It is never enlarged.
//! - **A decompression bomb ends the worker, not the server**: 256 MiB of address space, 8 s of processor time, no
//!   files.
//! - **The server's memory does not grow with the picture**: it holds only the small results.
//!
//! # What never happens here
//!
//! No SVG, no HEIC, no AVIF: the first is a program, the others need decoders that are not written in Rust. File
//! names and content types are not trusted. No process runs longer than
//! [`RENDER_MS_MAX`](crate::limits::RENDER_MS_MAX).

pub mod service;
#[cfg(test)]
#[expect(dead_code, reason = "the only test here needs one picture of each format")]
#[path = "../../render/src/testing.rs"]
mod testing;
pub mod worker;
pub mod worker_output;

pub use mellow_render::{Rendered, Wanted, encode};

/// Why the service returns no picture.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// These bytes are no picture: trying again will not help.
    #[error("not a picture")]
    NotAPicture,
    /// Too many wait: trying again will help.
    #[error("busy")]
    Busy,
    /// It took too long, or was ended from outside: trying again may help.
    #[error("late")]
    Late,
    /// Our own failure.
    #[error("pictures: {0}")]
    Fault(#[from] std::io::Error),
}

#[cfg(test)]
mod tests {
    use mellow_render::limits::SCREEN_SIDE;
    use mellow_render::{render, render_photo};

    use super::testing::{gif, jpeg, png_painted, see, webp, webp_moving, with_secrets};

    #[test]
    fn lv6_a_picture_that_is_almost_right_is_refused_or_whole() {
        let still = webp(&[200; 24 * 16 * 4], 24, 16, None);
        let moving = webp_moving(&[vec![90; 16 * 16 * 4], vec![9; 16 * 16 * 4]], 16, 16);
        let valid = [
            with_secrets(&jpeg(32, 24, |x, y| [x as u8 * 8, y as u8 * 8, 90]), 6),
            gif(16, 12, 3, |x, y, frame| (x + y + frame) % 2 == 0),
            still,
            moving,
            png_painted(20, 12, 2, |x, y| [x as u8, y as u8, 9]),
        ];
        crate::testing::fuzz(&valid, |bytes| {
            for rendered in [render(bytes), render_photo(bytes)].into_iter().flatten() {
                assert!(
                    (1..=SCREEN_SIDE).contains(&rendered.width)
                        && (1..=SCREEN_SIDE).contains(&rendered.height)
                );
                let seen = see(&rendered.screen);
                assert_eq!((seen.width, seen.height), (rendered.width, rendered.height));
            }
        });
    }
}

//! Pictures: an upload becomes two clean JPEGs and, if animated, a clean GIF. A profile photo becomes two JPEGs, the
//! smaller one square, and is never animated.
//!
//! A picture is the most dangerous input of a server: decoders are large, and a small file may need much memory or
//! time. Each picture is therefore decoded in a process of its own. That process is this program, started as `mellow
//! picture-worker`.
//!
//! # How
//!
//! 1. [`service`], in the server: renders one picture at a time, with a short queue and a time limit. It passes the
//!    file to the worker as standard input and never reads the file.
//! 2. [`worker`], in the other process: sets kernel limits of its memory, time and files, renders the picture, writes a
//!    [`worker_output`] and ends.
//! 3. [`mellow_render`], a crate of its own: makes a [`Rendered`](mellow_render::Rendered) of the bytes. The content
//!    decides the format. The module of each decoder lists what it refuses before a pixel is decoded.
//! 4. [`worker_output`], in the server again: checks the output before it is used.
//!
//! # Guarantees
//!
//! - **Only bytes that Mellow encoded are served.** Hidden data in the file, such as place, camera, comments and
//!   profiles, is removed.
//! - **The picture looks as it did on its maker's screen**: it is rotated as the metadata says, its colours are
//!   converted to sRGB, and transparent parts become white. It is never enlarged.
//! - **A decompression bomb ends the worker, not the server**: 256 MiB of address space, 8 s of processor time, no
//!   files.
//! - **The server's memory does not grow with the picture**: it holds only the small results.
//!
//! # What never happens here
//!
//! SVG, HEIC and AVIF are not decoded: an SVG is a program, and the others need decoders that are not written in Rust.
//! File names and content types are not trusted. No process runs longer than
//! [`RENDER_MS_MAX`](crate::limits::RENDER_MS_MAX).

pub mod service;
#[cfg(test)]
#[expect(dead_code, reason = "the only test here needs one picture of each format")]
#[path = "../../render/src/testing.rs"]
mod testing;
pub mod worker;
pub mod worker_output;

pub use mellow_render::{Rendered, Unreadable, Wanted, encode};

/// Why the service returns no picture.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// The file is not a picture. Another attempt does not help.
    #[error("not a picture: {0}")]
    NotAPicture(Unreadable),
    /// The queue is full. Another attempt helps.
    #[error("busy")]
    Busy,
    /// The worker took too long, or was ended from outside. Another attempt may help.
    #[error("late")]
    Late,
    /// A failure of the server itself.
    #[error("pictures: {0}")]
    Fault(#[from] std::io::Error),
}

#[cfg(test)]
mod tests {
    use mellow_render::limits::SCREEN_SIDE;
    use mellow_render::{render, render_photo};

    use super::testing::{gif, jpeg, png_painted, see, webp, webp_moving, with_secrets};

    #[test]
    fn lv6_an_almost_valid_picture_is_refused_or_rendered_completely() {
        let still = webp(&[200; 24 * 16 * 4], 24, 16, None);
        let moving = webp_moving(&[vec![90; 16 * 16 * 4], vec![9; 16 * 16 * 4]], 16, 16);
        let valid = [
            with_secrets(&jpeg(32, 24, |x, y| [x as u8 * 8, y as u8 * 8, 90]), 6),
            gif(16, 12, 3, |x, y, frame| (x + y + frame) % 2 == 0),
            still,
            moving,
            png_painted(20, 12, 2, |x, y| [x as u8, y as u8, 9]),
        ];
        crate::testing::fuzz::bytes(&valid, |bytes| {
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

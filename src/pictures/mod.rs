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
//! 3. [`render`]: bytes to [`Rendered`]. The content decides the format ([`jpeg`], [`png`], [`webp`], [`gif`]), and
//!    each module says what it refuses before a pixel is decoded.
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

pub mod finish;
mod gif;
mod jpeg;
mod motion;
mod png;
pub mod render;
pub mod service;
#[cfg(test)]
mod testing;
mod webp;
pub mod worker;
pub mod worker_output;

/// The purpose of a picture, which decides the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// A picture in a post: its card keeps its shape, and an animation stays animated.
    Picture,
    /// To stand beside a name: its card is a small square, and nothing moves.
    Photo,
}

impl Wanted {
    /// Returns the worker's argument for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Picture => "picture",
            Self::Photo => "face",
        }
    }

    /// Returns the purpose for a worker's argument.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        [Self::Picture, Self::Photo].into_iter().find(|wanted| wanted.word() == word)
    }
}

/// A rendered picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// Width of `screen`, in pixels, after it was turned upright.
    pub width: u32,
    /// Height of `screen`, in pixels.
    pub height: u32,
    /// A blurred impression in some 25 bytes, shown until the card is there.
    pub thumbhash: Vec<u8>,
    /// A JPEG whose longest side is at most [`SCREEN_SIDE`](crate::limits::SCREEN_SIDE).
    pub screen: Vec<u8>,
    /// A JPEG whose longest side is at most [`CARD_SIDE`](crate::limits::CARD_SIDE). Of a face: the square in
    /// its middle, of at most [`PHOTO_SIDE`](crate::limits::PHOTO_SIDE).
    pub card: Vec<u8>,
    /// A GIF whose longest side is at most [`MOTION_SIDE`](crate::limits::MOTION_SIDE), when it moves.
    pub motion: Option<Vec<u8>>,
}

/// Why bytes are not a picture. The user sees "not a valid image file" for all of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// Neither JPEG, PNG, WebP nor GIF.
    #[error("no picture of a kind we read")]
    Kind,
    /// No pixels, or more than we read.
    #[error("no size we read")]
    Size,
    /// Much more work or memory than a picture of its size needs.
    #[error("a bomb")]
    Bomb,
    /// Damaged beyond reading.
    #[error("damaged")]
    Damaged,
}

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

//! Pictures: what somebody sends becomes two clean JPEGs, and for what moves a clean GIF. A face becomes
//! two as well, the smaller one a square, and stands still.
//!
//! A picture from a stranger is the most dangerous thing a server reads: decoders are large, and a
//! small file may ask for much memory or time. So it is read in a process of its own, which is the
//! same program called as `mellow picture-worker`, one picture each.
//!
//! # How
//!
//! 1. [`desk`], in the server: at most one picture at a time, a short queue, a clock. It hands the file
//!    over as the worker's standard input and never looks into it.
//! 2. [`worker`], in the other process: first it has the kernel bound it in memory, time and files,
//!    then it renders, writes a [`parcel`] and ends.
//! 3. [`render`]: bytes to [`Rendered`]. Which kind it is, its content says ([`jpeg`], [`png`],
//!    [`webp`], [`gif`]), and each kind's file says what it refuses before a pixel is decoded.
//! 4. [`parcel`], in the server again: nothing in it is believed before it was checked.
//!
//! # Promises
//!
//! - **Only bytes that we wrote ourselves are ever shown.** Where it was taken, with what, comments,
//!   profiles, and whatever else was hidden in the file, stay behind.
//! - **The picture stands as it stood on its maker's screen**: turned as the camera noted, its colours
//!   brought into sRGB, what is transparent laid on white. It is never enlarged.
//! - **A bomb ends the worker, not the server**: 256 MiB of address space, 8 s of processor, no file.
//! - **The server's memory does not grow with the picture**: it holds only the small results.
//!
//! # What never happens here
//!
//! No SVG, no HEIC, no AVIF: the first is a program, the others need decoders that are not written in
//! Rust. No file name and no content type is believed. Nobody else's process is waited for longer
//! than [`RENDER_MS_MAX`](crate::limits::RENDER_MS_MAX).

pub mod desk;
mod finish;
mod gif;
mod jpeg;
mod motion;
pub mod parcel;
mod png;
pub mod render;
#[cfg(test)]
mod testing;
mod webp;
pub mod worker;

/// What a picture is wanted for, and so what is made of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// To be looked at: its card has its own shape, and what moves goes on moving.
    Picture,
    /// To stand beside a name: its card is a small square, and nothing moves.
    Face,
}

impl Wanted {
    /// Returns its word, as the worker is called with it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Picture => "picture",
            Self::Face => "face",
        }
    }

    /// Returns what is called so.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        [Self::Picture, Self::Face].into_iter().find(|wanted| wanted.word() == word)
    }
}

/// A picture as it is kept and shown.
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
    /// its middle, of at most [`FACE_SIDE`](crate::limits::FACE_SIDE).
    pub card: Vec<u8>,
    /// A GIF whose longest side is at most [`MOTION_SIDE`](crate::limits::MOTION_SIDE), when it moves.
    pub motion: Option<Vec<u8>>,
}

/// Why bytes became no picture. To a person all of these are "not a valid image file".
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

/// Why the desk has no picture to give.
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

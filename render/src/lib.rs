//! Renders the bytes of a picture: two clean JPEGs and, if animated, a clean GIF.
//!
//! Pure, but for one clock: it uses no file and no process, and an animation that takes too long to render becomes a
//! still picture. Only the picture worker, benches and tests render, because the input may need too much memory or
//! time.
//!
//! It is a crate of its own so that development builds optimise it. Unoptimised, a telephone's photograph takes twenty
//! times as long.
//!
//! # How
//!
//! 1. `render`: the content decides the format (`jpeg`, `png`, `webp`, `gif`), and each module says what it
//!    refuses before a pixel is decoded.
//! 2. `finish`: resize, convert to sRGB, rotate upright, encode. `motion` does the same for animations.

mod finish;
mod gif;
mod jpeg;
pub mod limits;
mod motion;
mod png;
mod render;
#[cfg(test)]
mod testing;
mod webp;

pub use finish::encode;
pub use render::{render, render_photo};

/// The purpose of a picture, which decides the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// A picture in a post: its card keeps its shape, and an animation stays animated.
    Picture,
    /// To stand beside a name: its card is a small square, and nothing moves.
    Photo,
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
    /// A JPEG whose longest side is at most [`SCREEN_SIDE`](limits::SCREEN_SIDE).
    pub screen: Vec<u8>,
    /// A JPEG whose longest side is at most [`CARD_SIDE`](limits::CARD_SIDE). Of a face: the square in
    /// its middle, of at most [`PHOTO_SIDE`](limits::PHOTO_SIDE).
    pub card: Vec<u8>,
    /// A GIF whose longest side is at most [`MOTION_SIDE`](limits::MOTION_SIDE), when it moves.
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

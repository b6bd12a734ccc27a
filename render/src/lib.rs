//! Renders the bytes of a picture: two clean JPEGs and, if animated, a clean GIF.
//!
//! It uses no file and no process, and reads a clock for one purpose alone: an animation that takes too long to render
//! becomes a still picture. Only the picture worker, benches and tests render, because the input may need too much
//! memory or time.
//!
//! It is a crate of its own, so that development builds optimise it. Without optimisation, a photograph from a phone
//! takes twenty times as long.
//!
//! # How
//!
//! 1. `render`: chooses the decoder (`jpeg`, `png`, `webp`, `gif`) by the content. The module of each decoder lists
//!    what it refuses before a pixel is decoded. `decoded` has what they share and return.
//! 2. `finish`: resizes, converts to sRGB, rotates upright, and encodes. `motion` resizes and encodes animations.

mod decoded;
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

/// The purpose of a picture. It decides the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// A picture of a post. Its card keeps its shape, and an animation stays animated.
    Picture,
    /// A profile photo. Its card is a small square, and nothing is animated.
    Photo,
}

/// A rendered picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// Width of `screen`, in pixels, after the rotation.
    pub width: u32,
    /// Height of `screen`, in pixels.
    pub height: u32,
    /// A blurred preview of about 25 bytes, shown until the card is loaded.
    pub thumbhash: Vec<u8>,
    /// A JPEG whose longest side is at most [`SCREEN_SIDE`](limits::SCREEN_SIDE).
    pub screen: Vec<u8>,
    /// A JPEG whose longest side is at most [`CARD_SIDE`](limits::CARD_SIDE). The card of a profile photo is the square
    /// in its middle, with sides of at most [`PHOTO_SIDE`](limits::PHOTO_SIDE).
    pub card: Vec<u8>,
    /// A GIF whose longest side is at most [`MOTION_SIDE`](limits::MOTION_SIDE); None if the picture is not animated.
    pub motion: Option<Vec<u8>>,
}

/// Why bytes are not a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// Neither JPEG, PNG, WebP nor GIF.
    #[error("no picture of a kind we read")]
    Kind,
    /// More pixels than the limit.
    #[error("no size we read")]
    Size,
    /// It needs much more time or memory than a usual picture of its size.
    #[error("a bomb")]
    Bomb,
    /// So damaged that it cannot be decoded.
    #[error("damaged")]
    Damaged,
}

//! What is asked and answered about uploads. Nothing is told: an upload is nobody's business yet.

use bytes::Bytes;
use serde::{Deserialize, Deserializer, Serialize};

pub use crate::features::files::Purpose;
use crate::features::kit::Key;
use crate::features::requests;
use crate::ids::Whole;

requests! {
    "uploads.begin" Begin -> Begun,
    "uploads.chunk" Chunk -> Held,
    "uploads.commit" Commit -> Committed,
    "uploads.cancel" Cancel -> Canceled,
}

/// The name of the one request that is paced by itself.
pub const CHUNK: &str = "uploads.chunk";
/// The name of the one request that no goodbye waits for.
pub const COMMIT: &str = "uploads.commit";

/// Begins an upload, or asks how far it came: the same name and fields go on.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Begin {
    /// The client's name for it: 16 random bytes.
    pub upload: Key,
    /// The file's name, for messages and for the address it will have.
    pub name: String,
    #[serde(deserialize_with = "whole")]
    pub size_bytes: u32,
    /// What the client takes it for. Kept nowhere: the content decides.
    pub content_type: String,
    /// Which picture of its post it is, from 0.
    #[serde(deserialize_with = "whole")]
    pub index: u8,
    /// What it will be part of; absent: a post.
    pub purpose: Option<Purpose>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Begun {
    /// How many bytes are held already: go on from here.
    pub offset: u32,
    /// Most bytes of one chunk.
    pub chunk_bytes: u32,
    /// Most chunks on their way unacknowledged.
    pub window: u32,
}

/// A piece of the file.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Chunk {
    pub upload: Key,
    /// Where it belongs. One that does not follow what is held is left aside, and no error.
    #[serde(deserialize_with = "whole")]
    pub offset: u32,
    #[serde(deserialize_with = "bytes_alone")]
    #[cfg_attr(test, ts(type = "ArrayBuffer"))]
    pub bytes: Bytes,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Held {
    /// How many bytes are held: go on from here.
    pub offset: u32,
}

/// Says that all of it was sent: it is judged and re-encoded.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Commit {
    pub upload: Key,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Committed {
    /// Of the larger size, in pixels.
    pub width: u32,
    pub height: u32,
}

/// Lets an upload go, with all that is held of it.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Cancel {
    pub upload: Key,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Canceled {}

/// Reads a whole number, also one that comes as a whole float.
fn whole<'de, D: Deserializer<'de>, N: TryFrom<i64>>(from: D) -> Result<N, D::Error> {
    let Whole(whole) = Whole::deserialize(from)?;
    N::try_from(whole).map_err(|_| serde::de::Error::custom("a number that is too large"))
}

/// Reads bytes, and no text or list that looks like some.
fn bytes_alone<'de, D: Deserializer<'de>>(from: D) -> Result<Bytes, D::Error> {
    struct Reads;
    impl serde::de::Visitor<'_> for Reads {
        type Value = Bytes;
        fn expecting(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
            out.write_str("bytes")
        }
        fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<Bytes, E> {
            Ok(Bytes::copy_from_slice(bytes))
        }
    }
    from.deserialize_bytes(Reads)
}

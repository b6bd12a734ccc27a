//! Requests and replies of uploads. There are no events, because only the uploading client knows of an upload.

use bytes::Bytes;
use serde::{Deserialize, Deserializer, Serialize};

use crate::features::key::Key;
use crate::ids::Whole;
pub use crate::model::files::Purpose;
use crate::wire::requests;

requests! {
    "uploads.begin" Begin -> Begun,
    "uploads.chunk" Chunk -> Held,
    "uploads.commit" Commit -> Committed,
    "uploads.cancel" Cancel -> Canceled,
}

/// The name of the only request with a rate limit of its own.
pub const CHUNK: &str = "uploads.chunk";
/// The name of the only request whose reply is not awaited when a connection is closed.
pub const COMMIT: &str = "uploads.commit";

/// Begins an upload, or continues the one with the same name and fields.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Begin {
    /// The name that the client gives the upload: 16 random bytes.
    pub upload: Key,
    /// The name of the file, for refusals and for its address.
    pub name: String,
    #[serde(deserialize_with = "whole")]
    pub size_bytes: u32,
    /// The file type that the client assumes. It is not stored; the content decides.
    pub content_type: String,
    /// The number of the picture in its post, from 0.
    #[serde(deserialize_with = "whole")]
    pub index: u8,
    /// The purpose; None for a post.
    pub purpose: Option<Purpose>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Begun {
    /// The number of received bytes. The client continues from here.
    pub offset: u32,
    /// Most bytes of one chunk.
    pub chunk_bytes: u32,
    /// Most chunks that may be unacknowledged at a time.
    pub window: u32,
}

/// A piece of the file.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Chunk {
    pub upload: Key,
    /// The position of the chunk. A chunk that does not follow the received bytes is ignored without an error.
    #[serde(deserialize_with = "whole")]
    pub offset: u32,
    #[serde(deserialize_with = "bytes_alone")]
    #[cfg_attr(test, ts(type = "ArrayBuffer"))]
    pub bytes: Bytes,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Held {
    /// The number of received bytes. The client continues from here.
    pub offset: u32,
}

/// Says that all bytes were sent. The server then checks the picture and encodes it again.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Commit {
    pub upload: Key,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Committed {
    /// The width of the larger size, in pixels.
    pub width: u32,
    pub height: u32,
}

/// Cancels an upload.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Cancel {
    pub upload: Key,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Canceled {}

/// Reads a whole number, which may be sent as a float.
fn whole<'de, D: Deserializer<'de>, N: TryFrom<i64>>(from: D) -> Result<N, D::Error> {
    let Whole(whole) = Whole::deserialize(from)?;
    N::try_from(whole).map_err(|_| serde::de::Error::custom("a number that is too large"))
}

/// Reads bytes, and refuses a text or a list.
pub(crate) fn bytes_alone<'de, D: Deserializer<'de>>(from: D) -> Result<Bytes, D::Error> {
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

#[cfg(test)]
pub(crate) mod examples {
    use serde_json::json;

    use crate::testing::examples::{Messages, ok, upload};

    pub(crate) fn messages() -> Messages {
        Messages {
            requests: vec![
                (
                    "uploads.begin",
                    json!({
                        "upload": upload(), "name": "Zoë.jpg", "size_bytes": 5_242_880, "content_type": "image/jpeg",
                        "index": 0, "purpose": "photo",
                    }),
                    ok(&super::Begun { offset: 65_536, chunk_bytes: 65_536, window: 4 }),
                ),
                (
                    "uploads.chunk",
                    json!({ "upload": upload(), "offset": 65_536, "bytes": { "$bin": "ffd8ffe0" } }),
                    ok(&super::Held { offset: 65_540 }),
                ),
                (
                    "uploads.commit",
                    json!({ "upload": upload() }),
                    ok(&super::Committed { width: 1_600, height: 1_200 }),
                ),
                ("uploads.cancel", json!({ "upload": upload() }), ok(&super::Canceled {})),
            ],
            events: Vec::new(),
        }
    }
}

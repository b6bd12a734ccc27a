//! Uploads: who may send which request.

use serde_json::json;

use crate::access::rows::Then::{UploadGone, Yes};
use crate::access::rows::{SIGNED_IN, THE_SENDER};
use crate::feature::{Feature, NONE};
use crate::support::uploads::{begin, chunk};
use crate::support::value::{key, key_of};

pub const FEATURE: Feature = Feature {
    rows: &[
        ("uploads.begin", |_| begin(&key(), "tree.jpg", 1_000), SIGNED_IN, None),
        ("uploads.chunk", |things| chunk(&key_of(things.upload), 0, &[0]), THE_SENDER, Some(UploadGone)),
        ("uploads.commit", |things| json!({ "upload": key_of(things.upload) }), THE_SENDER, Some(UploadGone)),
        // Another user's uploads are not freed, and the reply does not reveal whether they exist.
        ("uploads.cancel", |things| json!({ "upload": key_of(things.upload) }), SIGNED_IN, Some(Yes)),
    ],
    reads: &["uploads.begin", "uploads.cancel", "uploads.chunk", "uploads.commit"],
    ..NONE
};

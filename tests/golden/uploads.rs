//! The golden messages of uploads.

use mellow::features::uploads::wire;
use serde_json::json;

use super::{Messages, ok, upload};

pub fn messages() -> Messages {
    Messages {
        requests: vec![
            (
                "uploads.begin",
                json!({
                    "upload": upload(), "name": "Zoë.jpg", "size_bytes": 5_242_880, "content_type": "image/jpeg",
                    "index": 0, "purpose": "photo",
                }),
                ok(&wire::Begun { offset: 65_536, chunk_bytes: 65_536, window: 4 }),
            ),
            (
                "uploads.chunk",
                json!({ "upload": upload(), "offset": 65_536, "bytes": { "$bin": "ffd8ffe0" } }),
                ok(&wire::Held { offset: 65_540 }),
            ),
            (
                "uploads.commit",
                json!({ "upload": upload() }),
                ok(&wire::Committed { width: 1_600, height: 1_200 }),
            ),
            ("uploads.cancel", json!({ "upload": upload() }), ok(&wire::Canceled {})),
        ],
        events: vec![],
    }
}

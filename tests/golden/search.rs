//! The golden messages of search.

use mellow::features::search::wire;
use serde_json::json;

use super::{BEN, Messages, SEQ, ok};

fn found(name: &str) -> wire::Found {
    wire::Found { id: BEN, name: name.into(), bio: String::new(), photo_url: None, followed: true }
}

pub fn messages() -> Messages {
    Messages {
        requests: vec![
            (
                "search.names",
                json!({ "term": "Zo" }),
                ok(&wire::Results { users: vec![found("Ben")], close: vec![found("Zoë-Ben")], seq: SEQ }),
            ),
            (
                "search.people",
                json!({ "after": { "name_key": "zoë", "id": BEN.0 } }),
                ok(&wire::Directory {
                    users: vec![found("Ben")],
                    next: Some(wire::Place { name_key: "ben".into(), id: BEN }),
                    seq: SEQ,
                }),
            ),
        ],
        events: vec![],
    }
}

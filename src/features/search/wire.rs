//! Requests and replies of search.

use serde::{Deserialize, Serialize};

use crate::ids::{Seq, UserId};
use crate::wire::requests;

requests! {
    "search.names" Names -> Results,
    "search.people" People -> Directory,
}

/// Names that begin with a term, capitals included; and names that have it from the beginning of a word on.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Names {
    pub term: String,
}

/// A page of everybody who is listed.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct People {
    /// From the page before: its `next`.
    pub after: Option<Place>,
}

/// A place in the order of the list: by name without capitals, then by id.
#[derive(Debug, Deserialize, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Place {
    pub name_key: String,
    pub id: UserId,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Found {
    pub id: UserId,
    pub name: String,
    pub bio: String,
    pub photo_url: Option<String>,
    /// Whether the viewer follows this user.
    pub followed: bool,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Results {
    pub users: Vec<Found>,
    /// Names that have the term from the beginning of a word on, without capitals. None of `users` is among them.
    pub close: Vec<Found>,
    pub seq: Seq,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Directory {
    pub users: Vec<Found>,
    /// Where the next page begins; None at the end.
    pub next: Option<Place>,
    pub seq: Seq,
}

#[cfg(test)]
pub(crate) mod examples {
    use serde_json::json;

    use crate::features::examples::{BEN, Messages, SEQ, ok};

    fn found(name: &str) -> super::Found {
        super::Found { id: BEN, name: name.into(), bio: String::new(), photo_url: None, followed: true }
    }

    pub(crate) fn messages() -> Messages {
        Messages {
            requests: vec![
                (
                    "search.names",
                    json!({ "term": "Zo" }),
                    ok(&super::Results {
                        users: vec![found("Ben")],
                        close: vec![found("Zoë-Ben")],
                        seq: SEQ,
                    }),
                ),
                (
                    "search.people",
                    json!({ "after": { "name_key": "zoë", "id": BEN.0 } }),
                    ok(&super::Directory {
                        users: vec![found("Ben")],
                        next: Some(super::Place { name_key: "ben".into(), id: BEN }),
                        seq: SEQ,
                    }),
                ),
            ],
            events: Vec::new(),
        }
    }
}

//! Requests and replies of search.

use serde::{Deserialize, Serialize};

use crate::ids::{Seq, UserId};
use crate::wire::requests;

requests! {
    "search.names" Names -> Results,
    "search.people" People -> Directory,
}

/// Asks for users whose name begins with a term (case-sensitive), and for close matches.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Names {
    pub term: String,
}

/// Asks for a page of all listed users.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct People {
    /// The `next` of the previous page; None for the first page.
    pub after: Option<Place>,
}

/// A place in the order of the list: by the search key of the name, then by id.
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
    /// Close matches: users whose name has a word that begins with the term, ignoring case. Users in `users` are left
    /// out.
    pub close: Vec<Found>,
    pub seq: Seq,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Directory {
    pub users: Vec<Found>,
    /// The `after` of the next page; None if nothing remains.
    pub next: Option<Place>,
    pub seq: Seq,
}

#[cfg(test)]
pub(crate) mod examples {
    use serde_json::json;

    use crate::testing::examples::{BEN, Messages, SEQ, ok};

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

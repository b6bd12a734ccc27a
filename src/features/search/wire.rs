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

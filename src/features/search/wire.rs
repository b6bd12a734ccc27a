//! Requests and replies of search.

use serde::{Deserialize, Serialize};

use crate::ids::{Seq, UserId};
use crate::wire::requests;

requests! {
    "search.names" Names -> Results,
}

/// Names that begin with a term, capitals included.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Names {
    pub term: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Found {
    pub id: UserId,
    pub name: String,
    pub bio: String,
    pub photo_url: Option<String>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Results {
    pub users: Vec<Found>,
    pub seq: Seq,
}

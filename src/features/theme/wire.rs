//! Requests, replies and events of the daily theme.

use serde::{Deserialize, Serialize};

use crate::ids::Seq;
use crate::wire::requests;

requests! {
    "theme.get" Get -> Today,
}

/// Today's theme.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Get {}

/// One theme for all, for a day of the site's clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Theme {
    /// `2026-11-21`
    pub day: String,
    pub title: String,
    pub description: String,
    pub tag: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Today {
    /// None: there is none today.
    pub theme: Option<Theme>,
    pub seq: Seq,
}

/// The theme changed, at midnight or by the host. Sent to all signed-in connections.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Changed {
    pub theme: Option<Theme>,
}

//! What is asked, answered and told about the daily theme.

use serde::{Deserialize, Serialize};

use crate::features::requests;
use crate::ids::Seq;

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

/// The theme is another: it is midnight, or the host said so. Told to everybody who is here.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Changed {
    pub theme: Option<Theme>,
}

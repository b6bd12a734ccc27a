//! What is asked and answered about profiles.

use serde::{Deserialize, Serialize};

use crate::features::requests;
use crate::ids::{Seq, UserId};

requests! {
    "profiles.get" Get -> Shown,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Get {
    pub user_id: UserId,
}

#[derive(Clone, Debug, Serialize, sqlx::FromRow)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Profile {
    pub id: UserId,
    pub name: String,
    pub bio: String,
    #[cfg_attr(test, ts(as = "Color"))]
    pub from_color: String,
    #[cfg_attr(test, ts(as = "Color"))]
    pub to_color: String,
    #[cfg_attr(test, ts(type = "number"))]
    pub created_at_ms: i64,
    #[cfg_attr(test, ts(type = "number"))]
    pub followers_count: i64,
    #[cfg_attr(test, ts(type = "number"))]
    pub following_count: i64,
    /// Does the viewer follow this person?
    pub followed: bool,
}

/// The five colours of a banner, for the web's types.
#[cfg(test)]
#[derive(ts_rs::TS)]
#[ts(rename_all = "snake_case")]
pub enum Color {
    Red,
    Blue,
    Green,
    Yellow,
    Purple,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Shown {
    pub profile: Profile,
    pub seq: Seq,
}

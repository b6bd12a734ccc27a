//! `hello`, the first message on each socket.

use serde::Serialize;

use crate::model::me::Me;

/// The first message on each socket. Its `seq` is the last delivered write.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Hello<'a> {
    #[cfg_attr(test, ts(skip))]
    pub ev: &'static str,
    pub epoch: &'a str,
    pub protocol: u32,
    pub build: &'a str,
    #[cfg_attr(test, ts(type = "number"))]
    pub now_ms: i64,
    #[cfg_attr(test, ts(type = "number"))]
    pub beat_ms: u64,
    pub me: Option<Me>,
    pub login: LoginState,
    pub backups: Backups,
}

/// How long the backups of the host keep what a user deletes (D-T8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Backups {
    /// Hours between two backups; 0 = Mellow makes none by itself.
    #[cfg_attr(test, ts(type = "number"))]
    pub every_hours: u64,
    /// Backups that are kept; 0 = all.
    #[cfg_attr(test, ts(type = "number"))]
    pub kept: u64,
}

/// The state of the login that the cookie named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum LoginState {
    None,
    Live,
    Ended,
}

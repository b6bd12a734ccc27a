//! What is asked and answered about signing in.

use serde::{Deserialize, Serialize};

use crate::features::kit::Key;
use crate::features::requests;
use crate::features::views::Me;

requests! {
    "auth.sign_up" SignUp -> SignedIn,
    "auth.log_in" LogIn -> SignedIn,
    "auth.log_out" LogOut -> Done,
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SignUp {
    pub key: Key,
    pub email: String,
    pub password: String,
    /// What should people call you? Left out: the local part of the address.
    pub name: Option<String>,
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct LogIn {
    pub email: String,
    pub password: String,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct LogOut {}

// Passwords stay out of every log line.
impl std::fmt::Debug for SignUp {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        out.write_str("SignUp")
    }
}
impl std::fmt::Debug for LogIn {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        out.write_str("LogIn")
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SignedIn {
    /// Works once, for 30 seconds, at `POST /session`.
    pub ticket: String,
    pub me: Me,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Done {}

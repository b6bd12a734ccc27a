//! A running server with users, for tests.
//!
//! The server is the real one, on a separate thread, and users connect with real sockets. Nothing here waits for a
//! fixed time. Users wait for the events that they expect. To prove that a user receives nothing, a test waits for a
//! later event that the user does receive.
#![expect(dead_code, reason = "each test binary uses a part of this module")]

pub mod authenticator;
pub mod child;
pub mod corpus;
pub mod groups;
pub mod http;
pub mod imports;
pub mod mail;
pub mod person;
pub mod picture;
pub mod port;
pub mod raw;
pub mod server;
pub mod smtp;
pub mod socket;
pub mod uploads;
pub mod value;

/// The time limit of every wait. Only a failing test waits this long.
pub const TIMEOUT: std::time::Duration = std::time::Duration::from_secs(300);

/// Polls until a condition holds. It is for conditions without an event.
pub async fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = std::time::Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < TIMEOUT, "timed out waiting until {what}");
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
}

//! A running server with users, for tests.
//!
//! The server is the real one, on a thread of its own; people reach it by real sockets. Nothing here
//! waits for a second to pass: people wait for what they expect to hear, and that somebody hears
//! nothing is proved by something later that they do hear.
#![expect(dead_code, reason = "each test binary uses a part of this module")]

pub mod child;
pub mod corpus;
pub mod groups;
pub mod http;
pub mod mail;
pub mod person;
pub mod picture;
pub mod raw;
pub mod server;
pub mod smtp;
pub mod socket;
pub mod uploads;
pub mod value;

/// How long anything that is expected may take. Nothing waits this long unless it is broken.
pub const TIMEOUT: std::time::Duration = std::time::Duration::from_secs(15);

/// Looks again and again until something is so: for what nobody is told of.
pub async fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = std::time::Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < TIMEOUT, "waited in vain until {what}");
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
}

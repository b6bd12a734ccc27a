//! A running Mellow with people in it, for tests that read as stories.
//!
//! The server is the real one, on a thread of its own; people reach it by real sockets. Nothing here
//! waits for a second to pass: people wait for what they expect to hear, and that somebody hears
//! nothing is proved by something later that they do hear.
#![expect(dead_code, reason = "each story uses its own part of the world")]

pub mod child;
pub mod http;
pub mod person;
pub mod raw;
pub mod server;
pub mod socket;
pub mod value;

/// How long anything that is expected may take. Nothing waits this long unless it is broken.
pub const PATIENCE: std::time::Duration = std::time::Duration::from_secs(15);

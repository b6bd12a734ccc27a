//! Transport: the bytes of a socket, after it was taken over from the HTTP server.
//!
//! [`stream`] reads a [`socket`], with the pure [`frame`] and [`limiter`] beside it. [`send_queue`] holds outgoing
//! frames and writes them.
//!
//! Guarantees:
//! - A frame is checked and counted before it is handled. Memory is allocated only for bytes that have arrived.
//! - A socket is not read while its running requests or its send queue are at their limits. Nothing accumulates here:
//!   TCP slows the peer down.
//! - A peer that reads nothing is cut, even if its session does not run. An idle socket holds no buffer.
//!
//! Never here: the content of a message, or the user of a connection.

pub mod frame;
mod limiter;
pub mod send_queue;
pub mod socket;
pub mod stream;

#[cfg(test)]
mod tests;

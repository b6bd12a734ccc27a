//! Transport: the bytes of a socket, in and out, after it was taken over from the HTTP server.
//!
//! [`stream`] reads and writes, with the pure [`frame`] and [`limiter`] beside it; [`send_queue`] is what waits to leave.
//!
//! Guarantees:
//! - A frame is checked and paid for before it is handled; nothing is allocated that arrived bytes did not need.
//! - A socket is not read while its requests in flight or its send queue are at their bounds: nothing accumulates here,
//!   and the kernel holds its peer back.
//! - A peer that takes nothing is cut from outside its session. An idle socket holds no buffer.
//!
//! Never here: what a message says, who a socket belongs to.

pub mod frame;
mod limiter;
pub mod send_queue;
pub mod stream;

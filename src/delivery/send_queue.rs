//! What waits for one socket.

pub use crate::socket::{PING, SendQueue};

//! What waits for one socket. Until sockets are ours: the outbox.

use bytes::Bytes;

pub use crate::live::outbox::{Outbox as SendQueue, PING};

impl SendQueue {
    /// Queues frames that are joined already.
    pub fn send_joined(&self, bytes: Bytes, _frames: usize) -> bool {
        self.push(bytes)
    }
}

//! The limits of the server that the checks know. `tests/loadtest.rs` compares them with the server's own.

/// Most posts that one connection is subscribed to. Beyond that, the server ends the oldest subscription.
pub const POST_TOPICS_MAX: usize = 320;
/// Most unseen notifications that one person causes for another. Beyond that, the server makes none.
pub const NOTIFICATIONS_UNSEEN_PER_ACTOR: i64 = 20;

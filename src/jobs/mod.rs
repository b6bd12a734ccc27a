//! What runs beside requests: mail that waits to be sent, and what time brings.

pub mod postman;
pub mod ticker;

//! Admins, and the log of what they and commands of the host change. It has no requests; features that admins use write
//! here, and `admin` shows the log.
//!
//! Guarantees:
//! - Whether a user is an admin is read in the snapshot or the transaction of each request.
//! - A change is logged in its own transaction: when, who, what and whom, without content.
//! - Open pages of admins receive an event when something changed, and then read it again.

pub mod store;

//! Delivery: from the writer's commit to every connection that an event names.
//!
//! Published events ([`crate::events`]) name their recipients. They are appended to the [`log`] in commit order. The
//! [`dispatcher`] of each worker reads them from the log and writes them to its [`connections`]. Events that a client
//! missed are replayed ([`replay`]) from the same log.
//!
//! Guarantees:
//! - A connection receives every event that names it once, in commit order, or it is cut and catches up. Counts are
//!   coalesced.
//! - A slow connection slows nothing else. It is cut, even if its session does not run.
//! - A write that takes a right away is acknowledged after all events up to that write were delivered to every
//!   connection ([`barrier`]).
//! - A group has one actor while a member is connected, and none otherwise. The changes of the members that connected
//!   members request run one at a time ([`group`]).
//!
//! Never here: a feature, the database, or a decoded event.

pub mod barrier;
mod batch;
mod coalescing;
pub mod connections;
pub mod dispatcher;
pub mod group;
pub mod groups;
pub mod lease;
pub mod log;
mod replay;
mod subscriptions;
#[cfg(test)]
mod testing;

/// The number of a connection on its worker.
pub type ConnectionId = usize;

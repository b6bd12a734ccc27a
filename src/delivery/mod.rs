//! Delivery: from the writer's commit to every connection that an event names.
//!
//! The writer hands over published events ([`crate::events`]), which name their recipients. They go into the [`log`] in commit
//! order; each worker's [`dispatcher`] reads on from there and writes to its [`connections`]. What a client missed is
//! replayed ([`replay`]) from the same log.
//!
//! Guarantees:
//! - A connection gets every event that names it once, in commit order, or is cut and catches up. Counts are coalesced.
//! - Only the last hop gives up: a connection that takes nothing is cut from outside its session.
//! - What takes a right away is acknowledged when every connection was delivered everything up to it ([`barrier`]).
//! - A group has one actor while a member is connected, and none without ([`group`]).
//!
//! Never here: a feature, the database, an event's body opened.

pub mod barrier;
mod batch;
mod coalescing;
pub mod connections;
pub mod dispatcher;
pub mod group;
pub mod groups;
pub mod log;
mod replay;
mod subscriptions;
#[cfg(test)]
mod testing;

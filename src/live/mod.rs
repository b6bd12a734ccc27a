//! The live engine: sockets, who listens where, and what they missed.
//!
//! Outward: the writer appends committed events to the [`ring`] and wakes each worker's [`hub`]. It has
//! every event, encoded once, put into the [`outbox`] of each socket that listens ([`seats`] knows
//! where each does), and each outbox becomes one write. Inward: a [`session`] actor per socket reads frames and asks features.
//!
//! Promises:
//! - A socket gets each event its viewer may hear once, in order, or is cut and catches up.
//! - Only the last hop gives up: a socket that takes nothing is cut from outside its actor, which
//!   cannot notice by itself, because it is not run while its peer does not read.
//! - Listening ends when the right to it ends.
//! - Mail leaves beside all this ([`postman`]); nobody waits for it.
//!
//! Never: a decision about posts, an event's body opened, a send to a session that can pile up.

pub mod door;
pub mod guard;
pub mod hub;
pub mod outbox;
pub mod postman;
pub mod ring;
pub mod seats;
pub mod session;
pub mod ticker;
pub mod wire;

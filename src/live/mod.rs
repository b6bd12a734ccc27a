//! The live engine: who listens where, and what they missed.
//!
//! The writer appends committed events to the [`ring`] and wakes each worker's [`hub`]. It has every event, encoded
//! once, put into the send queue of each socket that listens ([`seats`] knows where each does). Sockets themselves
//! are [`crate::socket`]'s.
//! Between the two stand the groups: each with a member here has an actor ([`group`]), which says of every event
//! of the group who hears it ([`entry`]); who is here, and in which groups, is known to the [`halls`].
//!
//! Promises:
//! - A socket gets each event its viewer may hear once, in order, or is cut and catches up.
//! - Only the last hop gives up: a socket that takes nothing is cut from outside its actor.
//! - Listening ends when the right to it ends.
//! - What a group tells reaches who was a member when it happened and is one still. Whoever is removed has the
//!   last of it before whoever removed them is answered.
//! - A group has one actor while a member is here, and none without. Nobody waits for it to read.
//! - Mail leaves beside all this ([`postman`]); nobody waits for it.
//!
//! Never: a decision about posts, an event's body opened, a send to a session that can pile up, an event of a group
//! past its actor.

pub mod door;
pub mod entry;
pub mod group;
pub mod halls;
pub mod hub;
pub mod postman;
pub mod ring;
pub mod seats;
pub mod ticker;
pub mod wire;

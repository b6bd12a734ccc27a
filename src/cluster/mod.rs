//! A cluster: one community beyond one process. Fronts hold sockets, one home owns the data folder, and a broker passes
//! messages between them.
//!
//! The event log of the home is the only history, and SQLite the only truth. The broker stores nothing, and nothing
//! that is acknowledged depends on it. A front is the code of the sockets and of delivery with a copy of the log, and
//! knows no feature and no database.
//!
//! Guarantees:
//! - The copy of a front has each event once and in order, or the front closes its sockets and begins anew ([`copy`]).
//! - Nobody without the key of the cluster reads or makes a message ([`seal`]).
//!
//! Never here: a process without the setting `cluster`. It runs nothing of this module.

pub mod copy;
pub mod follower;
pub mod front;
pub mod fronts;
pub mod home;
pub mod lanes;
pub mod link;
pub mod presences;
pub mod publisher;
pub mod remote;
pub mod seal;
pub mod sealed;
pub mod wire;

//! Mellow: a mindful social network, live over WebSockets, in one program.
//!
//! `docs/architecture.md` is the map: the modules, their layers, and five walks through the code.

pub mod authz;
pub mod backend;
pub mod backup;
pub mod cli;
pub mod clock;
pub mod cluster;
pub mod control;
pub mod counters;
pub mod db;
pub mod delivery;
pub mod disk;
pub mod error;
pub mod events;
pub mod features;
pub mod http;
pub mod ids;
pub mod jobs;
pub mod languages;
pub mod limits;
pub mod mail;
pub mod model;
pub mod networks;
pub mod pictures;
pub mod program;
pub mod quiet_users;
pub mod random;
pub mod rate_limit;
pub mod reply;
pub mod seed;
pub mod seeded_random;
pub mod sentence;
pub mod server;
pub mod settings;
pub mod socket;
#[cfg(test)]
mod testing;
pub mod text;
pub mod transport;
pub mod wire;
pub mod zones;

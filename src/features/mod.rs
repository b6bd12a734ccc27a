//! The features, one folder for each.
//!
//! A feature has four files: `wire.rs` (its requests, replies and events), `rules.rs` (parsing and decisions, pure),
//! `store.rs` (its SQL) and `mod.rs` (its promises, its handler, and the recipients of its events). A feature may read
//! any table, and writes only its own tables. No feature imports another. [`shared`] holds what several features need,
//! by subject.
//!
//! [`registry`] lists the requests and [`events`] the events. They are two files because a handler imports its store
//! and a store imports the events.

pub mod account;
pub mod admin;
#[cfg(test)]
mod audiences;
pub mod auth;
pub mod comments;
pub mod context;
pub mod events;
#[cfg(test)]
pub(crate) mod examples;
pub mod follows;
pub mod groups;
pub mod invites;
pub mod key;
pub mod moods;
pub mod newcomers;
pub mod notifications;
pub mod people;
pub mod polls;
pub mod posts;
pub mod profiles;
pub mod registry;
pub mod reports;
pub mod search;
pub mod shared;
#[cfg(test)]
pub(crate) mod testing;
pub mod theme;
pub mod uploads;
pub mod votes;

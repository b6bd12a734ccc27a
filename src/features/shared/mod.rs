//! Code and queries that several features need, one file for each subject. No feature imports another.

pub mod accounts;
pub mod admins;
pub mod archive;
pub mod between;
pub mod caused_events;
pub mod choices;
pub mod commenters;
pub mod content;
pub mod files;
pub mod first_steps;
pub mod followers;
pub mod invites;
pub mod mail_queue;
pub mod mentions;
pub mod notifications;
pub mod people;
pub mod reports;
pub mod stored_replies;
pub mod tags;
pub mod views;

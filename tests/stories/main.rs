//! The stories: a real server, real sockets, and users who talk to each other. Beside them, who may ask what and who
//! receives what ([`access`]), and tapes for the web client ([`recorder`]).
#![expect(clippy::unwrap_used, reason = "a failed step ends the test")]

#[path = "../support/mod.rs"]
mod support;

mod access;
mod account;
mod account_deletion;
mod admins;
mod audiences;
mod auth;
mod backups;
mod comments;
mod connections;
mod content_notes;
mod cuts;
mod delivery;
mod edits;
mod emails;
mod exports;
mod feature;
mod floods;
mod follows;
mod fronts;
mod groups;
mod guesses;
mod http_limits;
mod imports;
mod invites;
mod keys;
mod languages;
mod live;
mod logins;
mod mail;
mod media;
mod members;
mod mentions;
mod moods;
mod newcomers;
mod notices;
mod notifications;
mod operations;
mod outside;
mod passkeys;
mod people;
mod photos;
mod pictures;
mod polls;
mod posts;
mod privacy;
mod profiles;
mod quiet;
mod quotas;
mod recorder;
mod reports;
mod saved;
mod search;
mod seen;
mod sequence;
mod state;
mod suspension;
mod sweeper;
mod tallies;
mod theme;
mod upgrades;
mod uploads;
mod votes;
mod wire;
mod writer;
mod writes;

use feature::Feature;

/// What each feature adds to the tests of all features.
const FEATURES: &[&Feature] = &[
    &posts::access::FEATURE,
    &votes::FEATURE,
    &saved::FEATURE,
    &comments::access::FEATURE,
    &notifications::access::FEATURE,
    &notices::FEATURE,
    &follows::access::FEATURE,
    &polls::access::FEATURE,
    &profiles::access::FEATURE,
    &moods::access::FEATURE,
    &account::access::FEATURE,
    &theme::access::FEATURE,
    &invites::access::FEATURE,
    &people::access::FEATURE,
    &auth::access::FEATURE,
    &passkeys::FEATURE,
    &live::access::FEATURE,
    &newcomers::FEATURE,
    &reports::access::FEATURE,
    &search::FEATURE,
    &quiet::FEATURE,
    &uploads::access::FEATURE,
    &imports::access::FEATURE,
    &admins::access::FEATURE,
    &groups::access::FEATURE,
];

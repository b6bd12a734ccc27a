//! The features, one folder for each.
//!
//! A feature has up to four files: `wire.rs` (its requests, replies and events), `rules.rs` (parsing and decisions,
//! pure), `store.rs` (its SQL) and `mod.rs` (its promises, its handler, and the recipients of its events). A feature
//! may read any table. It writes only its own tables, its columns of `users`, and stored replies that it erases;
//! `notices` also ends logins and forgets their browsers. It uses another feature only along the list in
//! `tests/tidy/features.rs`, which has no circle. What several features read is in [`model`](crate::model).
//!
//! Features are listed here, and their events in [`events`]. The two lists are apart because a handler imports its
//! store and a store imports the events.

pub mod account;
pub mod admin;
pub mod admin_log;
pub mod auth;
pub mod comments;
pub mod context;
pub mod events;
pub mod follows;
pub mod groups;
pub mod imports;
pub mod invites;
pub mod key;
pub mod mails;
pub mod moods;
pub mod newcomers;
pub mod notices;
pub mod notifications;
pub mod passkeys;
pub mod people;
pub mod polls;
pub mod posts;
pub mod profiles;
pub mod quiet;
pub mod registry;
pub mod reports;
pub mod saved;
pub mod search;
pub mod theme;
pub mod uploads;
pub mod votes;

use crate::model::archive::ArchiveFile;

registry::features! {
    "auth" auth Auth,
    "posts" posts Posts,
    "uploads" uploads Uploads,
    "imports" imports Imports,
    "votes" votes Votes,
    "saved" saved Saved,
    "comments" comments Comments,
    "follows" follows Follows,
    "profiles" profiles Profiles,
    "search" search Search,
    "notifications" notifications Notifications,
    "notices" notices Notices,
    "account" account Account,
    "passkeys" passkeys Passkeys,
    "moods" moods Moods,
    "polls" polls Polls,
    "theme" theme Theme,
    "groups" groups Groups,
    "invites" invites Invites,
    "newcomers" newcomers Newcomers,
    "people" people People,
    "reports" reports Reports,
    "quiet" quiet Quiet,
    "admin" admin Admin,
}

/// Returns the files of rows in the archive of a user's data, in their order.
#[must_use]
pub fn archive_files() -> Vec<ArchiveFile> {
    [
        profiles::store::ARCHIVE,
        posts::store::ARCHIVE,
        comments::store::ARCHIVE,
        votes::store::ARCHIVE,
        saved::store::ARCHIVE,
        moods::store::ARCHIVE,
        polls::store::ARCHIVE,
        groups::store::ARCHIVE,
        follows::store::ARCHIVE,
        notifications::store::ARCHIVE,
        invites::store::ARCHIVE,
        reports::store::ARCHIVE,
        people::store::ARCHIVE,
        auth::store::ARCHIVE,
        passkeys::store::ARCHIVE,
    ]
    .concat()
}

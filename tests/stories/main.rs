//! The stories: a real server, real sockets, and users who talk to each other.
#![expect(clippy::unwrap_used, reason = "a failed step ends the test")]

mod support;

#[path = "stories/account.rs"]
mod account;
#[path = "stories/account_deletion.rs"]
mod account_deletion;
#[path = "stories/admins.rs"]
mod admins;
#[path = "stories/audiences.rs"]
mod audiences;
#[path = "stories/auth.rs"]
mod auth;
#[path = "stories/backups.rs"]
mod backups;
#[path = "stories/comments.rs"]
mod comments;
#[path = "stories/connections.rs"]
mod connections;
#[path = "stories/cuts.rs"]
mod cuts;
#[path = "stories/delivery.rs"]
mod delivery;
#[path = "stories/edits.rs"]
mod edits;
#[path = "stories/emails.rs"]
mod emails;
#[path = "stories/exports.rs"]
mod exports;
#[path = "stories/floods.rs"]
mod floods;
#[path = "stories/follows.rs"]
mod follows;
#[path = "stories/groups.rs"]
mod groups;
#[path = "stories/http_limits.rs"]
mod http_limits;
#[path = "stories/invites.rs"]
mod invites;
#[path = "stories/keys.rs"]
mod keys;
#[path = "stories/live.rs"]
mod live;
#[path = "stories/logins.rs"]
mod logins;
#[path = "stories/mail.rs"]
mod mail;
#[path = "stories/media.rs"]
mod media;
#[path = "stories/members.rs"]
mod members;
#[path = "stories/mentions.rs"]
mod mentions;
#[path = "stories/moods.rs"]
mod moods;
#[path = "stories/newcomers.rs"]
mod newcomers;
#[path = "stories/notifications.rs"]
mod notifications;
#[path = "stories/operations.rs"]
mod operations;
#[path = "stories/outside.rs"]
mod outside;
#[path = "stories/people.rs"]
mod people;
#[path = "stories/photos.rs"]
mod photos;
#[path = "stories/pictures.rs"]
mod pictures;
#[path = "stories/polls.rs"]
mod polls;
#[path = "stories/posts.rs"]
mod posts;
#[path = "stories/privacy.rs"]
mod privacy;
#[path = "stories/profiles.rs"]
mod profiles;
#[path = "stories/quotas.rs"]
mod quotas;
#[path = "stories/reports.rs"]
mod reports;
#[path = "stories/search.rs"]
mod search;
#[path = "stories/seen.rs"]
mod seen;
#[path = "stories/sequence.rs"]
mod sequence;
#[path = "stories/state.rs"]
mod state;
#[path = "stories/suspension.rs"]
mod suspension;
#[path = "stories/sweeper.rs"]
mod sweeper;
#[path = "stories/tallies.rs"]
mod tallies;
#[path = "stories/theme.rs"]
mod theme;
#[path = "stories/upgrades.rs"]
mod upgrades;
#[path = "stories/uploads.rs"]
mod uploads;
#[path = "stories/votes.rs"]
mod votes;
#[path = "stories/wire.rs"]
mod wire;
#[path = "stories/writer.rs"]
mod writer;
#[path = "stories/writes.rs"]
mod writes;

//! The list of all events: the name in the protocol, and the type that carries the event.
//!
//! A feature implements [`Publish`] for each of its event types in its `mod.rs`. This module knows only the types, so a
//! store that publishes an event does not import the handlers of other features.

use serde::Serialize;

use crate::events::{Effects, Recipients};
use crate::limits::EVENT_KINDS_MAX;

/// The recipients of an event, and its effects.
pub type Publication = (Recipients, Effects);

/// A type that carries an event.
pub trait Publish {
    /// Returns the recipients and the effects of the event.
    fn publication(&self) -> Publication;
}

/// Lists the events: name, variant, and the type in the feature's `wire.rs` that carries it.
macro_rules! events {
    ($($name:literal $variant:ident($slice:ident::$type:ident),)*) => {
        /// A fact that is published after a commit.
        #[derive(Debug, Serialize)]
        #[serde(tag = "ev")]
        pub enum Event {
            $(#[serde(rename = $name)] $variant(super::$slice::wire::$type),)*
            /// Closes the connections of a login. It is sent to nobody.
            #[serde(skip)]
            LoginEnded(super::auth::wire::Ended),
        }

        /// The names of all events that are sent.
        pub const NAMES: &[&str] = &[$($name),*];

        #[cfg(test)]
        pub(crate) fn typescript(types: &mut crate::testing::typescript::Types) -> Vec<String> {
            vec![$(types.event::<super::$slice::wire::$type>($name)),*]
        }

        const _: () = assert!(NAMES.len() <= EVENT_KINDS_MAX);

        impl Event {
            /// Returns the index of the event's name in [`NAMES`]; the length of [`NAMES`] if the event is sent to
            /// nobody.
            #[must_use]
            pub fn kind(&self) -> usize {
                let name = match self {
                    $(Self::$variant(_) => $name,)*
                    Self::LoginEnded(_) => return NAMES.len(),
                };
                NAMES.iter().position(|one| *one == name).unwrap_or(NAMES.len())
            }

            /// Returns the recipients and the effects of the event.
            #[must_use]
            pub fn publication(&self) -> Publication {
                match self {
                    $(Self::$variant(event) => event.publication(),)*
                    Self::LoginEnded(ended) => ended.publication(),
                }
            }
        }
    };
}

events! {
    "posts.created" PostCreated(posts::Created),
    "posts.updated" PostUpdated(posts::Updated),
    "posts.deleted" PostDeleted(posts::Deleted),
    "comments.created" CommentCreated(comments::Created),
    "comments.deleted" CommentDeleted(comments::Deleted),
    "comments.allowed" CommentsAllowed(comments::Allowed),
    "votes.changed" VoteChanged(votes::Changed),
    "votes.counted" VotesCounted(votes::Counted),
    "saved.changed" SavedChanged(saved::Changed),
    "imports.changed" ImportsChanged(imports::Changed),
    "follows.changed" FollowChanged(follows::Changed),
    "profiles.counted" ProfileCounted(follows::Counted),
    "profiles.changed" ProfileChanged(profiles::Changed),
    "users.changed" UserRenamed(profiles::Renamed),
    "users.deleted" UserDeleted(account::Ended),
    "users.returned" UserReturned(account::Returned),
    "account.changed" AccountChanged(account::Changed),
    "passkeys.changed" PasskeysChanged(passkeys::Changed),
    "notifications.created" NotificationCreated(notifications::Created),
    "notifications.deleted" NotificationsDeleted(notifications::Deleted),
    "notifications.seen" NotificationsSeen(notifications::Seen),
    "notices.changed" NoticesChanged(notices::Changed),
    "moods.changed" MoodChanged(moods::Changed),
    "polls.created" PollCreated(polls::Created),
    "polls.deleted" PollDeleted(polls::Deleted),
    "polls.voted" PollVoted(polls::Chosen),
    "polls.counted" PollCounted(polls::Counted),
    "groups.created" GroupCreated(groups::Created),
    "groups.renamed" GroupRenamed(groups::Renamed),
    "groups.joined" GroupJoined(groups::Joined),
    "groups.left" GroupLeft(groups::Left),
    "groups.deleted" GroupDeleted(groups::Deleted),
    "invites.changed" InvitesChanged(invites::Changed),
    "people.changed" PeopleChanged(people::Changed),
    "theme.changed" ThemeChanged(theme::Changed),
    "admin.changed" AdminChanged(admin::Changed),
}

//! The one list of features, and what they have in common.
//!
//! A slice has four rooms: `wire.rs` (what is asked, answered and told), `rules.rs` (parse and
//! decide; pure), `store.rs` (its SQL) and `mod.rs` (the story: promises, `handle`, who hears).
//! A slice may read any table and writes only its own. No slice imports another; what they share
//! is in [`views`], [`news`] and [`kit`], and by subject in [`files`], [`mentions`], [`notices`], [`people`] and [`tags`].

pub mod account;
#[cfg(test)]
mod audiences;
pub mod auth;
pub mod comments;
pub mod files;
pub mod follows;
pub mod groups;
pub mod kit;
pub mod letters;
pub mod mentions;
pub mod moods;
pub mod news;
pub mod notices;
pub mod notifications;
pub mod people;
pub mod polls;
pub mod posts;
pub mod profiles;
pub mod search;
pub mod tags;
#[cfg(test)]
pub(crate) mod testing;
pub mod theme;
pub mod uploads;
pub mod views;
pub mod votes;

use serde::Serialize;

use crate::error::{Error, Refusal};
use crate::limits::{CHUNK_WEIGHT, PAGE_WEIGHT};
use kit::{Answer, Ask, Publication};

/// Lists the features: each brings its requests and its part of the sweep over all requests.
macro_rules! features {
    ($($name:literal $slice:ident $variant:ident,)*) => {
        /// Every request there is, by feature.
        #[derive(Debug)]
        pub enum Request {
            $(#[doc = concat!("Requests named `", $name, ".*`.")] $variant($slice::wire::Request),)*
        }

        /// Every request's name.
        #[must_use]
        pub fn ops() -> Vec<&'static str> {
            let mut ops = Vec::new();
            $(ops.extend($slice::wire::OPS);)*
            ops
        }

        impl Request {
            /// Reads a request from a message that passed the frame's check.
            ///
            /// # Errors
            /// [`Refusal::UnknownOp`], or [`Refusal::BadRequest`] for a wrong field.
            pub fn read(op: &str, message: &[u8]) -> Result<Self, Refusal> {
                let (feature, _) = op.split_once('.').ok_or(Refusal::UnknownOp)?;
                match feature {
                    $($name => $slice::wire::Request::read(op, message).map(Self::$variant),)*
                    _ => Err(Refusal::UnknownOp),
                }
            }
        }

        /// Answers a request.
        ///
        /// # Errors
        /// A refusal for the person, or a fault of ours.
        pub async fn handle(request: Request, ask: Ask<'_>) -> Result<Answer, Error> {
            match request {
                $(Request::$variant(request) => $slice::handle(request, ask).await,)*
            }
        }

        #[cfg(test)]
        pub(crate) fn typescript(config: &ts_rs::Config) -> Vec<String> {
            let mut lines = Vec::new();
            $(lines.extend($slice::wire::typescript(config));)*
            lines
        }
    };
}

features! {
    "auth" auth Auth,
    "posts" posts Posts,
    "uploads" uploads Uploads,
    "votes" votes Votes,
    "comments" comments Comments,
    "follows" follows Follows,
    "profiles" profiles Profiles,
    "search" search Search,
    "notifications" notifications Notifications,
    "account" account Account,
    "moods" moods Moods,
    "polls" polls Polls,
    "theme" theme Theme,
    "groups" groups Groups,
}

/// Returns how many ordinary requests one of this name stands for among those in flight: pages of posts are the
/// heaviest replies there are, before groups with all who are in them; chunks of pictures the heaviest
/// requests.
#[must_use]
pub fn weight(op: &str) -> u32 {
    match op {
        "posts.feed" | "posts.by_author" | "posts.refresh" | "groups.list" | "groups.get" => PAGE_WEIGHT,
        uploads::wire::CHUNK => CHUNK_WEIGHT,
        _ => 1,
    }
}

/// Is a goodbye held back until a request of this name is answered? Not for what may take long and can be asked
/// again.
#[must_use]
pub fn is_owed(op: &str) -> bool {
    op != uploads::wire::COMMIT
}

/// Everything that is told after a commit. The names are those of the protocol.
#[derive(Debug, Serialize)]
#[serde(tag = "ev")]
pub enum Event {
    #[serde(rename = "posts.created")]
    PostCreated(posts::wire::Created),
    #[serde(rename = "posts.updated")]
    PostUpdated(posts::wire::Updated),
    #[serde(rename = "posts.deleted")]
    PostDeleted(posts::wire::Deleted),
    #[serde(rename = "comments.created")]
    CommentCreated(comments::wire::Created),
    #[serde(rename = "comments.deleted")]
    CommentDeleted(comments::wire::Deleted),
    #[serde(rename = "votes.changed")]
    VoteChanged(votes::wire::Changed),
    #[serde(rename = "votes.counted")]
    VotesCounted(votes::wire::Counted),
    #[serde(rename = "follows.changed")]
    FollowChanged(follows::wire::Changed),
    #[serde(rename = "profiles.counted")]
    ProfileCounted(follows::wire::Counted),
    #[serde(rename = "profiles.changed")]
    ProfileChanged(profiles::wire::Changed),
    #[serde(rename = "users.changed")]
    UserRenamed(profiles::wire::Renamed),
    #[serde(rename = "users.deleted")]
    UserDeleted(account::wire::Ended),
    #[serde(rename = "account.changed")]
    AccountChanged(account::wire::Changed),
    #[serde(rename = "notifications.created")]
    NotificationCreated(notifications::wire::Created),
    #[serde(rename = "notifications.deleted")]
    NotificationsDeleted(notifications::wire::Deleted),
    #[serde(rename = "notifications.seen")]
    NotificationsSeen(notifications::wire::Seen),
    #[serde(rename = "moods.changed")]
    MoodChanged(moods::wire::Changed),
    #[serde(rename = "polls.created")]
    PollCreated(polls::wire::Created),
    #[serde(rename = "polls.deleted")]
    PollDeleted(polls::wire::Deleted),
    #[serde(rename = "polls.voted")]
    PollVoted(polls::wire::Chosen),
    #[serde(rename = "polls.counted")]
    PollCounted(polls::wire::Counted),
    #[serde(rename = "groups.created")]
    GroupCreated(groups::wire::Created),
    #[serde(rename = "groups.renamed")]
    GroupRenamed(groups::wire::Renamed),
    #[serde(rename = "groups.joined")]
    GroupJoined(groups::wire::Joined),
    #[serde(rename = "groups.left")]
    GroupLeft(groups::wire::Left),
    #[serde(rename = "groups.deleted")]
    GroupDeleted(groups::wire::Deleted),
    #[serde(rename = "theme.changed")]
    ThemeChanged(theme::wire::Changed),
    /// Not told to anybody: it closes the sockets of a login.
    #[serde(skip)]
    LoginEnded(auth::Ended),
}

impl Event {
    /// Returns who receives it, and what it does.
    #[must_use]
    pub fn publication(&self) -> Publication {
        match self {
            Self::PostCreated(created) => posts::created_publication(created),
            Self::PostUpdated(updated) => posts::updated_publication(updated),
            Self::PostDeleted(deleted) => posts::deleted_publication(deleted),
            Self::CommentCreated(created) => {
                comments::publication(created.comment.post_id, created.only.as_ref())
            }
            Self::CommentDeleted(deleted) => comments::publication(deleted.post_id, deleted.only.as_ref()),
            Self::VoteChanged(changed) => votes::changed_publication(changed),
            Self::VotesCounted(counted) => votes::counted_publication(counted),
            Self::FollowChanged(changed) => follows::changed_publication(changed),
            Self::ProfileCounted(counted) => follows::counted_publication(counted),
            Self::ProfileChanged(changed) => profiles::changed_publication(changed),
            Self::UserRenamed(_) => profiles::renamed_publication(),
            Self::UserDeleted(ended) => account::ended_publication(ended),
            Self::AccountChanged(changed) => account::changed_publication(changed),
            Self::NotificationCreated(created) => notifications::created_publication(created),
            Self::NotificationsDeleted(deleted) => notifications::publication(deleted.user_id),
            Self::NotificationsSeen(seen) => notifications::publication(seen.user_id),
            Self::MoodChanged(changed) => moods::changed_publication(changed),
            Self::PollCreated(created) => polls::created_publication(created),
            Self::PollDeleted(deleted) => polls::deleted_publication(deleted),
            Self::PollVoted(voted) => polls::voted_publication(voted),
            Self::PollCounted(counted) => polls::counted_publication(counted),
            Self::GroupCreated(created) => groups::created_publication(created),
            Self::GroupRenamed(renamed) => groups::renamed_publication(renamed),
            Self::GroupJoined(joined) => groups::joined_publication(joined),
            Self::GroupLeft(left) => groups::left_publication(left),
            Self::GroupDeleted(deleted) => groups::deleted_publication(deleted),
            Self::ThemeChanged(_) => theme::changed_publication(),
            Self::LoginEnded(ended) => auth::ended_publication(ended),
        }
    }
}

pub(crate) use crate::wire::requests;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_that_weigh_more_or_are_not_owed_are_there() {
        let ops = ops();
        assert_eq!(ops.iter().filter(|op| weight(op) == PAGE_WEIGHT).count(), 5);
        assert_eq!(ops.iter().filter(|op| weight(op) == CHUNK_WEIGHT).count(), 1);
        assert_eq!(ops.iter().filter(|op| !is_owed(op)).count(), 1);
    }
}

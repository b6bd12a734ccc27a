//! Published events: the plain data that leaves the writer.
//!
//! An event names its recipients when it is committed, so delivery needs no query. An event that is encoded, decoded
//! and delivered gives the same bytes to the same connections.

use std::sync::Arc;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::ids::{GroupId, LoginId, PollId, PostId, Seq, UserId};

/// Users, sorted, each once.
pub type Users = Arc<[UserId]>;

/// Returns users sorted, each once.
#[must_use]
pub fn users(ids: impl IntoIterator<Item = UserId>) -> Users {
    let mut ids: Vec<UserId> = ids.into_iter().collect();
    ids.sort_unstable();
    ids.dedup();
    ids.into()
}

/// Returns whether a user is one of these.
#[must_use]
pub fn is_among(users: &Users, user_id: UserId) -> bool {
    users.binary_search(&user_id).is_ok()
}

/// Returns those of these users who are not among others.
#[must_use]
pub fn without(all: &Users, others: &Users) -> Users {
    all.iter().copied().filter(|user_id| !is_among(others, *user_id)).collect()
}

/// Returns those of these users who are among others.
#[must_use]
pub fn within(some: &Users, all: &Users) -> Users {
    some.iter().copied().filter(|user_id| is_among(all, *user_id)).collect()
}

/// One event, ready to be written to any connection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublishedEvent {
    /// The number of its write.
    pub seq: Seq,
    /// When it was published, in milliseconds since 1970 UTC.
    pub at_ms: i64,
    /// The kind of event that its frames are counted as.
    pub kind: usize,
    /// The whole WebSocket frame. Empty: nothing is sent, only the effects apply.
    pub frame: Bytes,
    pub recipients: Recipients,
    pub effects: Effects,
}

/// The recipients of an event.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Recipients {
    #[default]
    None,
    /// Every signed-in connection but those of these users.
    SignedInBut(Users),
    /// These users, and the subscribers of these topics.
    Named(Named),
}

/// Users and subscribers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Named {
    /// All connections of these users.
    pub users: Users,
    /// All connections that subscribe to one of these ...
    pub topics: Vec<Topic>,
    /// Only these users receive it, if set: the members of a group.
    pub only: Option<Users>,
    /// None of these users' connections.
    pub except: Users,
}

impl Recipients {
    /// Returns every signed-in connection.
    #[must_use]
    pub fn signed_in() -> Self {
        Self::SignedInBut(Users::default())
    }

    /// Returns all connections of these users.
    #[must_use]
    pub fn users(ids: impl IntoIterator<Item = UserId>) -> Self {
        Self::Named(Named { users: users(ids), ..Named::default() })
    }

    /// Returns the recipients: all connections of these users, sorted, and the subscribers of these topics.
    #[must_use]
    pub fn users_and(users: Users, topics: impl Into<Vec<Topic>>) -> Self {
        Self::Named(Named { users, topics: topics.into(), ..Named::default() })
    }

    /// Returns whether a connection of this user receives the event. `subscribes` says which topics it subscribes to.
    #[must_use]
    pub fn names(&self, user_id: UserId, subscribes: impl Fn(Topic) -> bool) -> bool {
        match self {
            Self::None => false,
            Self::SignedInBut(except) => !is_among(except, user_id),
            Self::Named(named) => {
                let is_subscribed = || named.topics.iter().any(|topic| subscribes(*topic));
                !is_among(&named.except, user_id)
                    && (is_among(&named.users, user_id) || named.allows(user_id) && is_subscribed())
            }
        }
    }
}

impl Named {
    /// Returns whether this user receives it by subscribing.
    #[must_use]
    pub fn allows(&self, user_id: UserId) -> bool {
        self.only.as_ref().is_none_or(|only| is_among(only, user_id)) && !is_among(&self.except, user_id)
    }
}

/// A topic that a connection subscribes to while it shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Topic {
    Post(PostId),
    Profile(UserId),
    /// The tally of a poll, and the right by which its subscriber sees it: losing the right ends the subscription.
    Poll(PollId, Right),
}

/// A right that a user may lose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Right {
    /// Following the creator of a poll, or being its creator.
    Following(UserId),
    /// Being a member of a group.
    Membership(GroupId),
    /// Meeting the people whom a reply names. A block or the end of an account takes it; no group and no follow does.
    Meeting,
}

impl Right {
    /// Returns the right by which users see an item of a group, or of a user they follow.
    #[must_use]
    pub fn of(creator_id: UserId, group_id: Option<GroupId>) -> Self {
        group_id.map_or(Self::Following(creator_id), Self::Membership)
    }
}

/// Which events after an answer's write follow the answer, because it lacks them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behind {
    /// Of a write: those of the topics that it subscribes to, to which the viewer has the right now.
    Topics,
    /// Of a read: all that name the viewer. Its client may have dropped some of them, because they were about things
    /// that it did not show before this answer.
    Own,
}

/// The effects of an event, besides being sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effects {
    /// The topic of the event. The event is not replayed after the topic has ended.
    pub about: Option<Topic>,
    /// Its recipients' connections subscribe to this from here on.
    pub subscribe: Option<Topic>,
    /// This has ended: its subscriptions end once the event is delivered.
    pub ends: Option<Topic>,
    /// The users who may see less from this event on.
    pub loss: Option<Loss>,
    /// The members of a group from this event on.
    pub membership: Option<Membership>,
    /// The connections of this login are closed with this code.
    pub closes: Option<(LoginId, u16)>,
    /// Only the newest of these counts. A connection gets one at once, then the newest a few times a second.
    pub coalesce: Option<Topic>,
    /// The event is transient: it is not replayed.
    pub is_transient: bool,
    /// From this time on the event is not replayed, in milliseconds since 1970 UTC.
    pub until_ms: Option<i64>,
}

/// A loss of rights. A read that began before it is run again. Replay does not cross it and answers `resync`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Loss {
    /// These users lost this right.
    Right { users: Users, right: Right },
    /// These users may not meet this user any more: one of the two blocked the other.
    Apart { users: Users, user_id: UserId },
    /// These users may have lost any right: one blocked another, or muted somebody.
    Of(Users),
    /// Any user may have lost a right: an account was deleted, a post is for fewer people, or the numbers of a user
    /// became private.
    Any,
}

impl Loss {
    /// Returns whether this user may see less from this event on. If `by` names a right, only the loss of that right
    /// counts.
    #[must_use]
    pub fn concerns(&self, user_id: UserId, by: Option<Right>) -> bool {
        match self {
            Self::Right { users, right } => is_among(users, user_id) && by.is_none_or(|by| by == *right),
            Self::Apart { users, .. } | Self::Of(users) => is_among(users, user_id),
            Self::Any => true,
        }
    }

    /// Returns the right that ended, and the users who lost it; None if that is not known of each poll.
    #[must_use]
    pub fn of_polls(&self) -> Option<(&Users, Right)> {
        match self {
            Self::Right { users, right } => Some((users, *right)),
            Self::Apart { users, user_id } => Some((users, Right::Following(*user_id))),
            Self::Of(_) | Self::Any => None,
        }
    }
}

/// A change of the members of a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Membership {
    pub group_id: GroupId,
    /// All members; empty if the group was deleted.
    pub members: Users,
    /// The users who joined.
    pub joined: Users,
    /// The users who left.
    pub left: Users,
}

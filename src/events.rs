//! Published events: the plain data that leaves the writer.
//!
//! An event names its recipients when it is committed, so delivery needs no query. An event that was encoded and
//! decoded again gives the same bytes to the same connections.

use std::sync::Arc;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::ids::{GroupId, LoginId, PollId, PostId, Seq, UserId};

/// The version of the encoded forms of published events, and of the replies, refusals, viewers and devices that belong
/// to requests. It rises with each change of a form, also with a new variant: a process of an older version must not
/// ignore an effect that it does not know. `tests/encoded.json` has the forms of this version.
pub const ENCODING: u8 = 1;

/// A set of users: sorted ids, each once.
pub type Users = Arc<[UserId]>;

/// Returns the set of these users.
#[must_use]
pub fn users(ids: impl IntoIterator<Item = UserId>) -> Users {
    let mut ids: Vec<UserId> = ids.into_iter().collect();
    ids.sort_unstable();
    ids.dedup();
    ids.into()
}

/// Returns whether a user is in the set.
#[must_use]
pub fn is_among(users: &Users, user_id: UserId) -> bool {
    users.binary_search(&user_id).is_ok()
}

/// Returns the users of `all` who are not in `others`.
#[must_use]
pub fn without(all: &Users, others: &Users) -> Users {
    all.iter().copied().filter(|user_id| !is_among(others, *user_id)).collect()
}

/// Returns the users of `some` who are also in `all`.
#[must_use]
pub fn within(some: &Users, all: &Users) -> Users {
    some.iter().copied().filter(|user_id| is_among(all, *user_id)).collect()
}

/// One event, ready to be sent to any connection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublishedEvent {
    /// The number of the write that published it.
    pub seq: Seq,
    /// When it was published, in milliseconds since 1970 UTC.
    pub at_ms: i64,
    /// The kind of event, by which its frames are counted.
    pub kind: usize,
    /// The whole WebSocket frame. If it is empty, nothing is sent and only the effects apply.
    pub frame: Bytes,
    pub recipients: Recipients,
    pub effects: Effects,
}

/// The recipients of an event.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Recipients {
    #[default]
    None,
    /// Every signed-in connection, except those of these users.
    SignedInBut(Users),
    /// These users, and the subscribers of these topics.
    Named(Named),
}

/// The users and subscribers that an event names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Named {
    /// All connections of these users receive the event.
    pub users: Users,
    /// All connections that subscribe to one of these topics receive the event.
    pub topics: Vec<Topic>,
    /// If set, a subscriber receives the event only if they are one of these users: the members of a group.
    pub only: Option<Users>,
    /// No connection of these users receives the event.
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

    /// Returns all connections of these users, and the subscribers of these topics.
    #[must_use]
    pub fn users_and(users: Users, topics: impl Into<Vec<Topic>>) -> Self {
        Self::Named(Named { users, topics: topics.into(), ..Named::default() })
    }

    /// Returns whether a connection of this user receives the event. `subscribes` returns whether the connection
    /// subscribes to a topic.
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
    /// Returns whether a subscription lets this user receive the event.
    #[must_use]
    pub fn allows(&self, user_id: UserId) -> bool {
        self.only.as_ref().is_none_or(|only| is_among(only, user_id)) && !is_among(&self.except, user_id)
    }
}

/// A topic. A client subscribes to it while its screen shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Topic {
    Post(PostId),
    Profile(UserId),
    /// The tally of a poll, and the right by which the subscriber sees it. Losing the right ends the subscription.
    Poll(PollId, Right),
}

/// A right that a user may lose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Right {
    /// Following the creator of a poll, or being its creator.
    Following(UserId),
    /// Being a member of a group.
    Membership(GroupId),
    /// Meeting the users whom a reply names ([`may_meet`](crate::authz::may_meet)). A block or the end of an account
    /// takes it away. A change of groups or follows does not.
    Meeting,
}

impl Right {
    /// Returns the right by which users see an item of a group, or of a user they follow.
    #[must_use]
    pub fn of(creator_id: UserId, group_id: Option<GroupId>) -> Self {
        group_id.map_or(Self::Following(creator_id), Self::Membership)
    }
}

/// A reply lacks the events of later writes. This says which of them are sent after the reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissedEvents {
    /// After a write: the events of the topics to which the reply subscribes, if the viewer now has the right to them.
    OfTopics,
    /// After a read: all events that name the viewer. The client may have dropped some of them, because it did not show
    /// their subjects before this reply.
    OfViewer,
}

/// The effects of an event, besides being sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effects {
    /// The topic of the event. The event is not replayed after the topic has ended.
    pub about: Option<Topic>,
    /// The connections of the recipients subscribe to this topic from this event on.
    pub subscribe: Option<Topic>,
    /// This topic has ended. Its subscriptions end once the event is delivered.
    pub ends: Option<Topic>,
    /// The users who may see less from this event on.
    pub loss: Option<Loss>,
    /// The change of the members of a group, for the group registry.
    pub membership: Option<Membership>,
    /// The connections of this login are closed with this close code.
    pub closes: Option<(LoginId, u16)>,
    /// The event holds a count of this topic, and only the newest count is needed. A connection receives one at once,
    /// and then the newest a few times a second.
    pub coalesce: Option<Topic>,
    /// The event is transient: it is not replayed.
    pub is_transient: bool,
    /// From this time on the event is not replayed, in milliseconds since 1970 UTC.
    pub until_ms: Option<i64>,
    /// The hours of a recipient in which the event is sent, live or replayed.
    pub hours: Hours,
}

/// The hours of a user, by their quiet hours (D-U3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Hours {
    #[default]
    All,
    /// All but the quiet ones. One user may receive the event at any time, because it is of their own doing.
    NotQuiet { but: Option<UserId> },
    /// The quiet ones alone.
    Quiet,
}

impl Hours {
    /// Returns whether an event is sent to a user, who is in quiet hours or not.
    #[must_use]
    pub fn include(self, user_id: UserId, is_quiet: bool) -> bool {
        match self {
            Self::All => true,
            Self::NotQuiet { but } => !is_quiet || but == Some(user_id),
            Self::Quiet => is_quiet,
        }
    }
}

/// A loss of rights. A read that began before the loss is run again. A replay that would pass it answers `resync`
/// instead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Loss {
    /// These users lost this right.
    Right { users: Users, right: Right },
    /// These users and this user may no longer meet: one of the two blocked the other.
    Meeting { users: Users, user_id: UserId },
    /// These users may have lost any right: one blocked or muted another.
    Of(Users),
    /// Any user may have lost a right: an account was deleted, a post has a smaller audience, or the numbers of a user
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
            Self::Meeting { users, .. } | Self::Of(users) => is_among(users, user_id),
            Self::Any => true,
        }
    }

    /// Returns the right to polls that ended, and the users who lost it; None if the loss names no single right.
    #[must_use]
    pub fn of_polls(&self) -> Option<(&Users, Right)> {
        match self {
            Self::Right { users, right } => Some((users, *right)),
            Self::Meeting { users, user_id } => Some((users, Right::Following(*user_id))),
            Self::Of(_) | Self::Any => None,
        }
    }
}

/// A change of the members of a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Membership {
    pub group_id: GroupId,
    /// The users who joined.
    pub joined: Users,
    /// The users who left.
    pub left: Users,
}

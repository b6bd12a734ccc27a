//! Published events: what leaves the writer, as plain data.
//!
//! An event names its recipients when it is committed, so that delivery asks nobody. Encoded, decoded and delivered it
//! gives the same bytes to the same connections.

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

/// One event, ready to be written to any connection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublishedEvent {
    /// The number of its write.
    pub seq: Seq,
    /// When it was published, in milliseconds since 1970 UTC.
    pub at_ms: i64,
    /// The whole WebSocket frame; empty: nothing is sent, the effects alone count.
    pub frame: Bytes,
    pub recipients: Recipients,
    pub effects: Effects,
}

/// Who receives an event.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Recipients {
    #[default]
    Nobody,
    /// Every signed-in connection.
    SignedIn,
    /// These users, and whoever subscribes.
    Named(Named),
}

/// Users and subscribers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Named {
    /// All connections of these users.
    pub users: Users,
    /// All connections that subscribe to one of these ...
    pub topics: Vec<Topic>,
    /// ... of these users alone, where it is given: the members of a group.
    pub only: Option<Users>,
    /// None of these users' connections.
    pub except: Users,
}

impl Recipients {
    /// Returns all connections of these users.
    #[must_use]
    pub fn users(ids: impl IntoIterator<Item = UserId>) -> Self {
        Self::Named(Named { users: users(ids), ..Named::default() })
    }

    /// Returns all connections of these users, which are sorted already, and whoever subscribes to these topics.
    #[must_use]
    pub fn users_and(users: Users, topics: impl Into<Vec<Topic>>) -> Self {
        Self::Named(Named { users, topics: topics.into(), ..Named::default() })
    }

    /// Returns whether a user's connection receives it that subscribes to the topics of which `subscribes` says so.
    #[must_use]
    pub fn names(&self, user_id: UserId, subscribes: impl Fn(Topic) -> bool) -> bool {
        match self {
            Self::Nobody => false,
            Self::SignedIn => true,
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

/// What a connection subscribes to for as long as it shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Topic {
    Post(PostId),
    Profile(UserId),
    /// The tally of a poll, and the right by which its subscriber sees it: losing the right ends the subscription.
    Poll(PollId, Right),
}

/// The right by which somebody sees a poll.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Right {
    /// Following its creator, or being its creator.
    Following(UserId),
    /// Being a member of its group.
    Membership(GroupId),
}

impl Right {
    /// Returns the right by which users see what somebody made for a group, or for followers.
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

/// What an event does beside being sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effects {
    /// What it speaks of. It is not replayed once that has ended.
    pub about: Option<Topic>,
    /// Its recipients' connections subscribe to this from here on.
    pub subscribe: Option<Topic>,
    /// This has ended: its subscriptions end once the event is delivered.
    pub ends: Option<Topic>,
    /// Who may see less from here on.
    pub loss: Option<Loss>,
    /// Who is in a group from here on.
    pub membership: Option<Membership>,
    /// The connections of this login are closed with this code.
    pub closes: Option<(LoginId, u16)>,
    /// Only the newest of these counts. A connection gets one at once, then the newest a few times a second.
    pub coalesce: Option<Topic>,
    /// Replay sends the newest of these alone.
    pub newest_only: Option<Topic>,
    /// Not replayed: whoever comes back reads anew.
    pub is_transient: bool,
}

/// A loss of rights. A read that began before it is run again, and replay does not go past it: it says `resync`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Loss {
    /// These users lost this right.
    Right { users: Users, right: Right },
    /// Anybody may have lost something: an account ended, or a post is for fewer people.
    Any,
    /// Somebody's numbers are for nobody else now. A later event replaces them in what is replayed, so that only reads are
    /// run again.
    Numbers,
}

impl Loss {
    /// Returns whether this user may see less from here on.
    #[must_use]
    pub fn concerns(&self, user_id: UserId) -> bool {
        match self {
            Self::Right { users, .. } => is_among(users, user_id),
            Self::Any | Self::Numbers => true,
        }
    }
}

/// Who is in a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Membership {
    pub group_id: GroupId,
    /// Everybody in it; empty: the group is gone.
    pub members: Users,
    /// Who came.
    pub joined: Users,
    /// Who went.
    pub left: Users,
}

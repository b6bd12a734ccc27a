//! Whom a post or a poll is for, and who receives its events.

use serde::{Deserialize, Serialize};

use super::between::muters_of;
use super::groups::members_of;
use super::users::followers_of;
use crate::authz;
use crate::db::sql::Sql;
use crate::error::Error;
use crate::events::{self, Users};
use crate::ids::{GroupId, UserId};

/// The audience of a post or a poll, as it is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Audience {
    Public {},
    /// The members of a group. The id is null if the viewer, who wrote the item, is no longer a member; the members
    /// still see it.
    Group {
        group_id: Option<GroupId>,
    },
    /// The author alone, who took the item out of a group that they are no longer in.
    Author {},
    /// The author alone, because the group was deleted. It is only sent; what is stored and checked is
    /// [`Audience::Author`].
    GroupDeleted {},
}

impl Audience {
    /// Returns the stored audience of an item: its stored word and its group.
    #[must_use]
    pub fn kept(audience: &str, group_id: Option<GroupId>) -> Self {
        match (audience, group_id) {
            ("group", Some(_)) => Self::Group { group_id },
            ("group", None) => Self::Author {},
            _ => Self::Public {},
        }
    }

    /// Returns the stored word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Public {} => "public",
            Self::Group { .. } | Self::Author {} | Self::GroupDeleted {} => "group",
        }
    }

    /// Returns whether no new item can have this audience. It belongs to items of a group that is deleted, or that the
    /// author is no longer in.
    #[must_use]
    pub fn is_outside(self) -> bool {
        matches!(self, Self::Group { group_id: None } | Self::Author {} | Self::GroupDeleted {})
    }

    /// Returns the group that it names.
    #[must_use]
    pub fn group_id(self) -> Option<GroupId> {
        match self {
            Self::Public {} | Self::Author {} | Self::GroupDeleted {} => None,
            Self::Group { group_id } => group_id,
        }
    }

    /// Returns the bytes with which the audience is part of the hash of a request.
    #[must_use]
    pub fn part(self) -> Vec<u8> {
        let group_id = self.group_id().map_or(0, |group_id| group_id.0);
        let word = if self == (Self::Author {}) { "author" } else { self.word() };
        [word.as_bytes(), &group_id.to_be_bytes()].concat()
    }

    /// Returns the fact for `authz`. `is_member` says whether the viewer is in the group.
    #[must_use]
    pub fn fact(self, is_member: bool) -> authz::Audience {
        match self {
            Self::Public {} => authz::Audience::Public,
            Self::Group { .. } => authz::Audience::Group { is_member },
            Self::Author {} | Self::GroupDeleted {} => authz::Audience::Group { is_member: false },
        }
    }

    /// Returns the audience as it is sent to this viewer. A group that the viewer is not in is not named.
    #[must_use]
    pub fn seen(self, is_member: bool) -> Self {
        match self {
            Self::Group { .. } if !is_member => Self::Group { group_id: None },
            audience => audience,
        }
    }
}

/// Returns the recipients of an item with this audience: the author's followers or the members of the group, and the
/// author.
///
/// # Errors
/// A database fault.
pub fn recipients_of(sql: Sql<'_>, author_id: UserId, audience: Audience) -> Result<Users, Error> {
    let others = match audience {
        Audience::Public {} => followers_of(sql, author_id)?,
        Audience::Group { group_id: Some(group_id) } => members_of(sql, group_id)?,
        Audience::Group { group_id: None } | Audience::Author {} | Audience::GroupDeleted {} => Vec::new(),
    };
    Ok(events::users(others.into_iter().chain([author_id])))
}

/// Returns the recipients of something new with this audience: those of [`recipients_of`] except users who muted the
/// author.
///
/// # Errors
/// A database fault.
pub fn listeners_of(sql: Sql<'_>, author_id: UserId, audience: Audience) -> Result<Users, Error> {
    without_muters(sql, recipients_of(sql, author_id, audience)?, author_id)
}

/// Returns the users, except those who muted the author.
///
/// # Errors
/// A database fault.
pub fn without_muters(sql: Sql<'_>, users: Users, author_id: UserId) -> Result<Users, Error> {
    let muters = events::users(muters_of(sql, author_id)?);
    Ok(if muters.is_empty() { users } else { events::without(&users, &muters) })
}

/// Returns the members of the group of a post, who alone may receive events about its comments; empty for a post that
/// only its author sees, and None for a public post.
///
/// # Errors
/// A database fault.
pub fn members_alone(sql: Sql<'_>, audience: Audience) -> Result<Option<Users>, Error> {
    match audience {
        Audience::Public {} => Ok(None),
        Audience::Group { group_id: Some(group_id) } => Ok(Some(members_of(sql, group_id)?.into())),
        Audience::Group { group_id: None } | Audience::Author {} | Audience::GroupDeleted {} => {
            Ok(Some(Users::default()))
        }
    }
}

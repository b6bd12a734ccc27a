//! What is asked, answered and told about groups.

use serde::{Deserialize, Serialize};

use crate::features::kit::Key;
use crate::features::requests;
pub use crate::features::views::Done;
use crate::features::views::User;
use crate::ids::{GroupId, Seq, UserId};

requests! {
    "groups.list" List -> Listed,
    "groups.get" Get -> One,
    "groups.create" Create -> Made,
    "groups.rename" Rename -> Renaming,
    "groups.delete" Delete -> Done,
    "groups.add" Add -> Added,
    "groups.remove" Remove -> Done,
    "groups.leave" Leave -> Done,
}

/// All groups the viewer is in, own ones included, newest first.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct List {}

/// A group with its members.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Get {
    pub group_id: GroupId,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Create {
    pub key: Key,
    pub name: String,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Rename {
    pub key: Key,
    pub group_id: GroupId,
    pub name: String,
}

/// Ends a group: its posts are for their authors alone then, its polls are gone.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Delete {
    pub key: Key,
    pub group_id: GroupId,
}

/// Adds people whom the owner follows or who follow the owner; who is in it already stays in it.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Add {
    pub key: Key,
    pub group_id: GroupId,
    pub user_ids: Vec<UserId>,
}

/// Answered when the one who is removed is told nothing more of the group.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Remove {
    pub key: Key,
    pub group_id: GroupId,
    pub user_id: UserId,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Leave {
    pub key: Key,
    pub group_id: GroupId,
}

/// A group, the same for all its members.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Group {
    pub id: GroupId,
    pub name: String,
    pub owner_id: UserId,
    /// Its owner included.
    #[cfg_attr(test, ts(type = "number"))]
    pub members_count: i64,
    #[cfg_attr(test, ts(type = "number"))]
    pub created_at_ms: i64,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Listed {
    pub groups: Vec<Group>,
    /// Their owners.
    pub users: Vec<User>,
    pub seq: Seq,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct One {
    pub group: Group,
    /// Its owner first, then in the order they were added.
    pub members: Vec<User>,
    /// Posts that are shared with it.
    #[cfg_attr(test, ts(type = "number"))]
    pub posts_count: i64,
    pub seq: Seq,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Made {
    pub group: Group,
    pub seq: Seq,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Renaming {
    pub group_id: GroupId,
    pub name: String,
    pub seq: Seq,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Added {
    pub group_id: GroupId,
    /// Who was not in it before.
    pub users: Vec<User>,
    #[cfg_attr(test, ts(type = "number"))]
    pub members_count: i64,
    pub seq: Seq,
}

/// Told to its owner's own sockets.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Created {
    pub group: Group,
    /// Its owner.
    pub users: Vec<User>,
}

/// Told to its members.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Renamed {
    pub group_id: GroupId,
    pub name: String,
    /// Everybody in it.
    #[serde(skip)]
    pub members: Vec<UserId>,
}

/// Somebody was added. Told to its members, the new ones too.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Joined {
    /// As it is now.
    pub group: Group,
    /// Who came, in the order they were added.
    pub user_ids: Vec<UserId>,
    /// They, and its owner.
    pub users: Vec<User>,
    /// All who are in it now; sorted.
    #[serde(skip)]
    pub members: Vec<UserId>,
}

/// Somebody left or was removed. Told to its members and to who that is: for them the group is gone, with all
/// that is shared with it but their own posts.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Left {
    pub group_id: GroupId,
    pub user_id: UserId,
    #[cfg_attr(test, ts(type = "number"))]
    pub members_count: i64,
    /// All who are in it now; sorted.
    #[serde(skip)]
    pub members: Vec<UserId>,
}

/// The group is gone. Told to who was in it.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Deleted {
    pub group_id: GroupId,
    /// All who were in it; sorted.
    #[serde(skip)]
    pub members: Vec<UserId>,
}

//! Requests, replies and events of groups.

use serde::{Deserialize, Serialize};

use crate::events::Users;
use crate::features::key::Key;
use crate::ids::{FollowId, GroupId, Seq, UserId};
use crate::model::users::User;
pub use crate::reply::Done;
use crate::wire::requests;

requests! {
    "groups.list" List -> Listed,
    "groups.get" Get -> One,
    "groups.create" Create -> Made,
    "groups.rename" Rename -> Renaming,
    "groups.delete" Delete -> Done,
    "groups.add" Add -> Added,
    "groups.remove" Remove -> Done,
    "groups.leave" Leave -> Done,
    "groups.candidates" GetCandidates -> Candidates,
    "groups.not_again" GetLeft -> LeftGroups,
    "groups.left_of_mine" LeftOfMine -> LeftMine,
    "groups.allow_again" AllowAgain -> LeftGroups,
}

/// Asks for all groups that the viewer is in, newest first. The viewer's own groups are included.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct List {}

/// Asks for a group with its members.
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

/// Deletes a group. Its posts stay visible to their authors, and its polls are deleted.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Delete {
    pub key: Key,
    pub group_id: GroupId,
}

/// Adds users whom the owner follows or who follow the owner. Users who are already members stay.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Add {
    pub key: Key,
    pub group_id: GroupId,
    pub user_ids: Vec<UserId>,
}

/// Removes a member. The reply comes once the former member receives nothing more of the group.
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

/// Asks for the followers of the viewer who are in a group of the viewer or may be added to it.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct GetCandidates {
    pub group_id: GroupId,
    /// The `older` of the previous page; None for the first page.
    pub before: Option<FollowId>,
}

/// Asks for the groups that the viewer left and is not added to again.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct GetLeft {}

/// Asks which of the viewer's own groups a user left and is not added to again.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct LeftOfMine {
    pub user_id: UserId,
}

/// Lets the owner of a group that the viewer left add the viewer again.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct AllowAgain {
    pub key: Key,
    pub group_id: GroupId,
}

/// A group that the viewer left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct LeftGroup {
    pub id: GroupId,
    /// The name that the group had when the viewer left.
    pub name: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct LeftGroups {
    /// The group that was left last comes first.
    pub groups: Vec<LeftGroup>,
    pub seq: Seq,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct LeftMine {
    pub group_ids: Vec<GroupId>,
    pub seq: Seq,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Candidates {
    /// The newest follower comes first.
    pub users: Vec<User>,
    /// The `before` of the next page; None if nothing remains.
    pub older: Option<FollowId>,
    pub seq: Seq,
}

/// A group. It is the same for all members with the same count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Group {
    pub id: GroupId,
    pub name: String,
    pub owner_id: UserId,
    /// The number of members, the owner included.
    #[cfg_attr(test, ts(type = "number"))]
    pub members_count: i64,
    #[cfg_attr(test, ts(type = "number"))]
    pub created_at_ms: i64,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Listed {
    pub groups: Vec<Group>,
    /// The owners of the groups.
    pub users: Vec<User>,
    pub seq: Seq,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct One {
    pub group: Group,
    /// The owner comes first, then the others in the order in which they were added.
    pub members: Vec<User>,
    /// The number of posts that are shared with the group.
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
    /// The users who were added.
    pub users: Vec<User>,
    #[cfg_attr(test, ts(type = "number"))]
    pub members_count: i64,
    pub seq: Seq,
}

/// A new group. The event is sent to the connections of its owner.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Created {
    pub group: Group,
    /// The owner.
    pub users: Vec<User>,
}

/// A group has a new name. The event is sent to its members.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Renamed {
    pub group_id: GroupId,
    pub name: String,
    /// All members.
    #[serde(skip)]
    pub members: Vec<UserId>,
}

/// Users were added. The event is sent to all members, including the new ones.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Joined {
    /// The group after the addition.
    pub group: Group,
    /// The new members, in the order in which they were added.
    pub user_ids: Vec<UserId>,
    /// The new members, and the owner.
    pub users: Vec<User>,
    /// The members who see the group like this.
    #[serde(skip)]
    pub recipients: Users,
    /// All who joined; None if another event of this write has them.
    #[serde(skip)]
    pub joined: Option<Vec<UserId>>,
}

/// A member left or was removed. The event is sent to the members and to the former member. For the former member the
/// group has disappeared, with all its posts except their own.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Left {
    pub group_id: GroupId,
    pub user_id: UserId,
    #[cfg_attr(test, ts(type = "number"))]
    pub members_count: i64,
    /// The members who see the group like this; in the shared event, also the former member.
    #[serde(skip)]
    pub recipients: Users,
    /// Whether the event is the shared one of its write.
    #[serde(skip)]
    pub is_shared: bool,
}

/// The group was deleted. The event is sent to its former members.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Deleted {
    pub group_id: GroupId,
    /// All former members; sorted.
    #[serde(skip)]
    pub members: Vec<UserId>,
}

#[cfg(test)]
pub(crate) mod examples {
    use serde_json::json;

    use crate::features::events::Event;
    use crate::ids::FollowId;
    use crate::testing::examples::{ANA, BEN, GROUP, Messages, NOW_MS, SEQ, key, ok, some_users, users};

    /// The group as its members see it.
    fn group() -> super::Group {
        super::Group {
            id: GROUP,
            name: "Tea & 🌿".into(),
            owner_id: ANA,
            members_count: 128,
            created_at_ms: NOW_MS,
        }
    }

    fn left_group() -> super::LeftGroup {
        super::LeftGroup { id: GROUP, name: "Tea & 🌿".into() }
    }

    pub(crate) fn messages() -> Messages {
        Messages {
            requests: vec![
                (
                    "groups.list",
                    json!({}),
                    ok(&super::Listed { groups: vec![group()], users: users(), seq: SEQ }),
                ),
                (
                    "groups.get",
                    json!({ "group_id": GROUP.0 }),
                    ok(&super::One { group: group(), members: users(), posts_count: 65_536, seq: SEQ }),
                ),
                (
                    "groups.create",
                    json!({ "key": key(), "name": "Tea & 🌿" }),
                    ok(&super::Made { group: group(), seq: SEQ }),
                ),
                (
                    "groups.rename",
                    json!({ "key": key(), "group_id": GROUP.0, "name": "Coffee שלום" }),
                    ok(&super::Renaming { group_id: GROUP, name: "Coffee שלום".into(), seq: SEQ }),
                ),
                (
                    "groups.delete",
                    json!({ "key": key(), "group_id": GROUP.0 }),
                    ok(&super::Done { seq: SEQ }),
                ),
                (
                    "groups.add",
                    json!({ "key": key(), "group_id": GROUP.0, "user_ids": [ANA.0, BEN.0] }),
                    ok(&super::Added { group_id: GROUP, users: users(), members_count: 128, seq: SEQ }),
                ),
                (
                    "groups.remove",
                    json!({ "key": key(), "group_id": GROUP.0, "user_id": BEN.0 }),
                    ok(&super::Done { seq: SEQ }),
                ),
                ("groups.leave", json!({ "key": key(), "group_id": GROUP.0 }), ok(&super::Done { seq: SEQ })),
                (
                    "groups.candidates",
                    json!({ "group_id": GROUP.0, "before": 65_536 }),
                    ok(&super::Candidates { users: users(), older: Some(FollowId(65_536)), seq: SEQ }),
                ),
                (
                    "groups.not_again",
                    json!({}),
                    ok(&super::LeftGroups { groups: vec![left_group()], seq: SEQ }),
                ),
                (
                    "groups.left_of_mine",
                    json!({ "user_id": BEN.0 }),
                    ok(&super::LeftMine { group_ids: vec![GROUP], seq: SEQ }),
                ),
                (
                    "groups.allow_again",
                    json!({ "key": key(), "group_id": GROUP.0 }),
                    ok(&super::LeftGroups { groups: Vec::new(), seq: SEQ }),
                ),
            ],
            events: vec![
                Event::GroupCreated(super::Created { group: group(), users: vec![users()[0].clone()] }),
                Event::GroupRenamed(super::Renamed {
                    group_id: GROUP,
                    name: "Coffee שלום".into(),
                    members: vec![ANA, BEN],
                }),
                Event::GroupJoined(super::Joined {
                    group: group(),
                    user_ids: vec![BEN],
                    users: users(),
                    recipients: some_users(),
                    joined: Some(vec![BEN]),
                }),
                Event::GroupLeft(super::Left {
                    group_id: GROUP,
                    user_id: BEN,
                    members_count: 127,
                    recipients: some_users(),
                    is_shared: true,
                }),
                Event::GroupDeleted(super::Deleted { group_id: GROUP, members: vec![ANA, BEN] }),
            ],
        }
    }
}

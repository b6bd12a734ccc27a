//! Groups: small private circles that one person owns.
//!
//! Promises:
//! - To everybody but its members a group does not exist: not there and not yours look alike.
//! - Only its owner renames it, deletes it, adds people and removes them; every other member may leave.
//! - Whoever is removed hears nothing of the group once the removal is answered.
//! - A group's posts never become public by its end: they are for their authors alone.
//!
//! Never: a name, a count or a member to who is not in it.

pub mod rules;
pub mod store;
pub mod wire;

use std::sync::Arc;

use super::kit::{Answer, Ask, Change, Gate, Hearers, Membership, Topic};
use crate::db::readers::Snapshot;
use crate::error::{Error, Refusal};
use crate::ids::{GroupId, UserId};
use crate::limits::{GROUPS_JOINED_MAX, MEMBERS_MAX};
use store::{members, read};
use wire::{Add, Created, Deleted, Joined, Left, Renamed, Request};

/// Returns who is told of a new group: its owner.
#[must_use]
pub fn created_hearers(created: &Created) -> Hearers {
    let owner_id = created.group.owner_id;
    let members = Arc::from([owner_id]);
    let membership =
        Membership { group_id: created.group.id, members, joined: vec![owner_id], left: Vec::new() };
    Hearers { topics: vec![Topic::User(owner_id)], membership: Some(membership), ..Hearers::default() }
}

/// Returns who is told of a group's new name: its members.
#[must_use]
pub fn renamed_hearers(renamed: &Renamed) -> Hearers {
    let group_id = renamed.group_id;
    let group = Topic::Group(group_id);
    Hearers { topics: vec![group], gate: Some(Gate::of(group_id)), of: Some(group), ..Hearers::default() }
}

/// Returns who is told that somebody came: all members, the new ones too.
#[must_use]
pub fn joined_hearers(joined: &Joined) -> Hearers {
    let group_id = joined.group.id;
    let members = joined.members.clone().into();
    let membership = Membership { group_id, members, joined: joined.user_ids.clone(), left: Vec::new() };
    Hearers {
        topics: vec![Topic::Group(group_id)],
        gate: Some(Gate::of(group_id)),
        membership: Some(membership),
        ..Hearers::default()
    }
}

/// Returns who is told that somebody went: the members, and who that is.
#[must_use]
pub fn left_hearers(left: &Left) -> Hearers {
    let group_id = left.group_id;
    let members = left.members.clone().into();
    let membership = Membership { group_id, members, joined: Vec::new(), left: vec![left.user_id] };
    Hearers {
        topics: vec![Topic::Group(group_id), Topic::User(left.user_id)],
        gate: Some(Gate::of_and(group_id, left.user_id)),
        membership: Some(membership),
        ..Hearers::default()
    }
}

/// Returns who is told that a group is gone: who was in it.
#[must_use]
pub fn deleted_hearers(deleted: &Deleted) -> Hearers {
    let group_id = deleted.group_id;
    let membership =
        Membership { group_id, members: Arc::default(), joined: Vec::new(), left: deleted.members.clone() };
    Hearers { people: deleted.members.clone().into(), membership: Some(membership), ..Hearers::default() }
}

/// Answers what is asked about groups.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, ask: Ask<'_>) -> Result<Answer, Error> {
    let user_id = ask.user()?;
    let (viewer, config, paces) = (ask.viewer, &ask.app.config, &ask.app.paces.groups);
    // Who came, who went and who has another name meanwhile follows an answer that was read.
    let meanwhile = [Topic::User(user_id), Topic::Everyone];
    match request {
        Request::List(_) => {
            ask.read(move |Snapshot { sql, seq }| {
                let listed = read::list(sql, user_id, seq)?;
                Ok(Answer::of(&listed)?.hearing(meanwhile, seq))
            })
            .await
        }
        Request::Get(get) => {
            ask.read(move |Snapshot { sql, seq }| {
                let one = read::one(sql, viewer, get.group_id, seq)?.ok_or(Refusal::NotFound)?;
                Ok(Answer::of(&one)?.hearing(meanwhile, seq))
            })
            .await
        }
        Request::Create(create) => {
            let name = rules::parse_name(&create.name)?;
            let key = create.key.used_by(user_id, "groups.create", &[name.as_bytes()]);
            let id = GroupId(ask.app.ids.make(ask.now_ms()));
            let owned_max = rules::limit(config.groups_per_owner, GROUPS_JOINED_MAX);
            ask.write_paced(paces, store::Create { key, id, owner_id: user_id, name, owned_max }).await
        }
        Request::Rename(rename) => {
            let (group_id, name) = (rename.group_id, rules::parse_name(&rename.name)?);
            let parts: [&[u8]; 2] = [&group_id.0.to_be_bytes(), name.as_bytes()];
            let key = rename.key.used_by(user_id, "groups.rename", &parts);
            let change = Change::default();
            let work = store::Rename { key, group_id, viewer, name, change: change.clone() };
            ask.write_paced_when(paces, work, || change.was_made()).await
        }
        Request::Delete(delete) => {
            let group_id = delete.group_id;
            let key = delete.key.used_by(user_id, "groups.delete", &[&group_id.0.to_be_bytes()]);
            ask.write_told(store::Delete { key, group_id, viewer }).await
        }
        Request::Add(add) => self::add(add, user_id, ask).await,
        Request::Remove(remove) => {
            let (group_id, member_id) = (remove.group_id, remove.user_id);
            let parts: [&[u8]; 2] = [&group_id.0.to_be_bytes(), &member_id.0.to_be_bytes()];
            let key = remove.key.used_by(user_id, "groups.remove", &parts);
            let work = members::Remove { key, group_id, viewer, user_id: member_id };
            // At no pace: somebody who was added can always be removed.
            ask.write_told(work).await
        }
        Request::Leave(leave) => {
            let group_id = leave.group_id;
            let key = leave.key.used_by(user_id, "groups.leave", &[&group_id.0.to_be_bytes()]);
            ask.write_told(members::Leave { key, group_id, viewer, user_id }).await
        }
    }
}

async fn add(add: Add, user_id: UserId, ask: Ask<'_>) -> Result<Answer, Error> {
    let group_id = add.group_id;
    let people = rules::parse_new_members(add.user_ids)?;
    let ids: Vec<[u8; 8]> = people.iter().map(|person| person.0.to_be_bytes()).collect();
    let group = group_id.0.to_be_bytes();
    let mut parts: Vec<&[u8]> = vec![&group];
    parts.extend(ids.iter().map(|id| &id[..]));
    let key = add.key.used_by(user_id, "groups.add", &parts);
    let change = Change::default();
    let work = members::Add {
        key,
        group_id,
        viewer: ask.viewer,
        people: people.into_iter().map(|person| (person, ask.app.ids.make(ask.now_ms()))).collect(),
        members_max: rules::limit(ask.app.config.members_per_group, MEMBERS_MAX),
        change: change.clone(),
    };
    ask.write_paced_when(&ask.app.paces.groups, work, || change.was_made()).await
}

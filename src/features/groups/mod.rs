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

use super::Event;
use super::kit::{Answer, Ask, Change, Publication};
use crate::db::command::WriteCommand;
use crate::db::readers::Snapshot;
use crate::error::{Error, Refusal};
use crate::events::{Effects, Loss, Membership, Recipients, Right, Users, users};
use crate::ids::{GroupId, UserId};
use crate::limits::{GROUPS_JOINED_MAX, MEMBERS_MAX};
use store::{members, read};
use wire::{Add, Created, Deleted, Joined, Left, Renamed, Request};

/// Returns who receives a new group, and what it does: its owner, who is in it.
#[must_use]
pub fn created_publication(created: &Created) -> Publication {
    let owner = users([created.group.owner_id]);
    let (group_id, members, joined) = (created.group.id, owner.clone(), owner.clone());
    let membership = Membership { group_id, members, joined, left: Users::default() };
    (Recipients::users_and(owner, []), Effects { membership: Some(membership), ..Effects::default() })
}

/// Returns who receives a group's new name, and what it does: its members.
#[must_use]
pub fn renamed_publication(renamed: &Renamed) -> Publication {
    (Recipients::users(renamed.members.iter().copied()), Effects::default())
}

/// Returns who receives that somebody joined, and what it does: all members, the new ones among them.
#[must_use]
pub fn joined_publication(joined: &Joined) -> Publication {
    let members = users(joined.members.iter().copied());
    let (group_id, came) = (joined.group.id, users(joined.user_ids.iter().copied()));
    let membership = Membership { group_id, members: members.clone(), joined: came, left: Users::default() };
    (Recipients::users_and(members, []), Effects { membership: Some(membership), ..Effects::default() })
}

/// Returns who receives that somebody left or was removed, and what it does: the members, and whoever it is, for whom
/// this is the last event of the group.
#[must_use]
pub fn left_publication(left: &Left) -> Publication {
    let recipients = Recipients::users(left.members.iter().copied().chain([left.user_id]));
    (recipients, loss_of(left.group_id, &left.members, users([left.user_id])))
}

/// Returns who receives that a group is gone, and what it does: whoever was in it.
#[must_use]
pub fn deleted_publication(deleted: &Deleted) -> Publication {
    let left = users(deleted.members.iter().copied());
    (Recipients::users_and(left.clone(), []), loss_of(deleted.group_id, &[], left))
}

fn loss_of(group_id: GroupId, members: &[UserId], left: Users) -> Effects {
    let loss = Some(Loss::Right { users: left.clone(), right: Right::Membership(group_id) });
    let members = users(members.iter().copied());
    let membership = Some(Membership { group_id, members, joined: Users::default(), left });
    Effects { loss, membership, ..Effects::default() }
}

/// Answers what is asked about groups.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, ask: Ask<'_>) -> Result<Answer, Error> {
    let user_id = ask.user()?;
    let (viewer, config, paces) = (ask.viewer, &ask.app.config, &ask.app.paces.groups);
    match request {
        Request::List(_) => {
            ask.read(move |Snapshot { sql, seq }| {
                let listed = read::list(sql, user_id, seq)?;
                Answer::read(&listed, seq)
            })
            .await
        }
        Request::Get(get) => {
            ask.read(move |Snapshot { sql, seq }| {
                let one = read::one(sql, viewer, get.group_id, seq)?.ok_or(Refusal::NotFound)?;
                Answer::read(&one, seq)
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
            take_rights(group_id, store::Delete { key, group_id, viewer }, ask).await
        }
        Request::Add(add) => self::add(add, user_id, ask).await,
        Request::Remove(remove) => {
            let (group_id, member_id) = (remove.group_id, remove.user_id);
            let parts: [&[u8]; 2] = [&group_id.0.to_be_bytes(), &member_id.0.to_be_bytes()];
            let key = remove.key.used_by(user_id, "groups.remove", &parts);
            let work = members::Remove { key, group_id, viewer, user_id: member_id };
            // At no pace: somebody who was added can always be removed.
            take_rights(group_id, work, ask).await
        }
        Request::Leave(leave) => {
            let group_id = leave.group_id;
            let key = leave.key.used_by(user_id, "groups.leave", &[&group_id.0.to_be_bytes()]);
            take_rights(group_id, members::Leave { key, group_id, viewer, user_id }, ask).await
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
    let paces = &ask.app.paces.groups;
    if ask.app.groups.is_in(user_id, group_id) {
        return ask.change_group_paced_when(paces, group_id, work, || change.was_made()).await;
    }
    ask.write_paced_when(paces, work, || change.was_made()).await
}

/// Carries out a command that takes rights in a group away. Whoever is in the group has its actor do it. For anybody else
/// the writer alone refuses it, in the same time whether or not there is such a group; what it does nevertheless, because
/// they came in just now or asked before, is answered as late as the actor's.
async fn take_rights(
    group_id: GroupId,
    command: impl WriteCommand<Event = Event> + 'static,
    ask: Ask<'_>,
) -> Result<Answer, Error> {
    if ask.app.groups.is_in(ask.user()?, group_id) {
        return ask.change_group(group_id, command, true).await;
    }
    ask.write_delivered(command).await
}

//! Groups. A group is small and private, and has one owner.
//!
//! Guarantees:
//! - For everyone but its members, a group does not exist. A group that the viewer is not in gets the same reply as an
//!   unknown one.
//! - Only the owner renames and deletes a group, and adds and removes members. Every other member may leave.
//! - Nobody is added against their settings. Nobody is added again to a group that they left, until they allow it.
//! - A removed member receives nothing of the group after the removal is acknowledged.
//! - Posts of a deleted group never become public: only their authors see them.
//!
//! Never here: a name, a count or a member that is sent to a user who is not in the group.

pub mod rules;
pub mod store;
pub mod wire;

use crate::db::readers::Snapshot;
use crate::error::{Error, Refusal};
use crate::events::{Effects, Loss, Membership, Recipients, Right, Users, users};
use crate::features::context::RequestContext;
use crate::features::events::{Publication, Publish};
use crate::ids::{GroupId, UserId};
use crate::limits::{GROUPS_JOINED_MAX, MEMBERS_MAX};
use crate::reply::Reply;
use store::{left_groups, members, read};
use wire::{Add, Created, Deleted, Joined, Left, LeftGroups, LeftMine, Renamed, Request};

/// Publishes a new group to its owner.
impl Publish for Created {
    fn publication(&self) -> Publication {
        let owner = users([self.group.owner_id]);
        let (group_id, joined) = (self.group.id, owner.clone());
        let membership = Membership { group_id, joined, left: Users::default() };
        (Recipients::users_and(owner, []), Effects { membership: Some(membership), ..Effects::default() })
    }
}

/// Publishes a new name to the members.
impl Publish for Renamed {
    fn publication(&self) -> Publication {
        (Recipients::users(self.members.iter().copied()), Effects::default())
    }
}

/// Publishes an addition to all members, including the new ones.
impl Publish for Joined {
    fn publication(&self) -> Publication {
        let membership = self.joined.as_ref().map(|joined| Membership {
            group_id: self.group.id,
            joined: users(joined.iter().copied()),
            left: Users::default(),
        });
        (Recipients::users_and(self.recipients.clone(), []), Effects { membership, ..Effects::default() })
    }
}

/// Publishes a removal or a leave to the members and to the former member. It is the last event of the group that the
/// former member receives.
impl Publish for Left {
    fn publication(&self) -> Publication {
        let recipients = Recipients::users_and(self.recipients.clone(), []);
        let effects =
            if self.is_shared { loss_of(self.group_id, users([self.user_id])) } else { Effects::default() };
        (recipients, effects)
    }
}

/// Publishes a deletion to the former members.
impl Publish for Deleted {
    fn publication(&self) -> Publication {
        let left = users(self.members.iter().copied());
        (Recipients::users_and(left.clone(), []), loss_of(self.group_id, left))
    }
}

fn loss_of(group_id: GroupId, left: Users) -> Effects {
    let loss = Some(Loss::Right { users: left.clone(), right: Right::Membership(group_id) });
    let membership = Some(Membership { group_id, joined: Users::default(), left });
    Effects { loss, membership, ..Effects::default() }
}

/// Handles a request about groups.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, context: RequestContext<'_>) -> Result<Reply, Error> {
    let user_id = context.user()?;
    let (viewer, settings, limiter) =
        (context.viewer, &context.app.settings, &context.app.rate_limiters.groups);
    match request {
        Request::List(_) => {
            context
                .read(move |Snapshot { sql, seq }| {
                    let listed = read::list(sql, user_id, seq)?;
                    Reply::read(&listed, seq)
                })
                .await
        }
        Request::Get(get) => {
            context
                .read(move |Snapshot { sql, seq }| {
                    let one = read::one(sql, viewer, get.group_id, seq)?.ok_or(Refusal::NotFound)?;
                    Reply::read(&one, seq)
                })
                .await
        }
        Request::Create(create) => {
            let name = rules::parse_name(&create.name)?;
            let key = create.key.used_by(user_id, "groups.create", &[name.as_bytes()]);
            let owned_max = rules::limit(settings.groups_per_owner, GROUPS_JOINED_MAX);
            context.write_limited(limiter, store::Create { key, owner_id: user_id, name, owned_max }).await
        }
        Request::Rename(rename) => {
            let (group_id, name) = (rename.group_id, rules::parse_name(&rename.name)?);
            let parts: [&[u8]; 2] = [&group_id.0.to_be_bytes(), name.as_bytes()];
            let key = rename.key.used_by(user_id, "groups.rename", &parts);
            context.write_limited(limiter, store::Rename { key, group_id, viewer, name }).await
        }
        Request::Delete(delete) => {
            let group_id = delete.group_id;
            let key = delete.key.used_by(user_id, "groups.delete", &[&group_id.0.to_be_bytes()]);
            context.change_group(group_id, store::Delete { key, group_id, viewer }, true).await
        }
        Request::Add(add) => self::add(add, user_id, context).await,
        Request::Remove(remove) => {
            let (group_id, member_id) = (remove.group_id, remove.user_id);
            let parts: [&[u8]; 2] = [&group_id.0.to_be_bytes(), &member_id.0.to_be_bytes()];
            let key = remove.key.used_by(user_id, "groups.remove", &parts);
            let command = members::Remove { key, group_id, viewer, user_id: member_id };
            // A removal has no rate limit, so that a member can always be removed.
            context.change_group(group_id, command, true).await
        }
        Request::Leave(leave) => {
            let group_id = leave.group_id;
            let key = leave.key.used_by(user_id, "groups.leave", &[&group_id.0.to_be_bytes()]);
            let command = members::Leave { key, group_id, viewer, user_id };
            context.change_group(group_id, command, true).await
        }
        Request::GetCandidates(get) => {
            context
                .read(move |Snapshot { sql, seq }| {
                    let page = left_groups::candidates(sql, viewer, get.group_id, get.before, seq)?;
                    Reply::read(&page, seq)
                })
                .await
        }
        Request::GetLeft(_) => {
            context
                .read(move |Snapshot { sql, seq }| {
                    Reply::read(&LeftGroups { groups: left_groups::left(sql, user_id)?, seq }, seq)
                })
                .await
        }
        Request::LeftOfMine(of) => {
            context
                .read(move |Snapshot { sql, seq }| {
                    let group_ids = left_groups::left_of(sql, user_id, of.user_id)?;
                    Reply::read(&LeftMine { group_ids, seq }, seq)
                })
                .await
        }
        Request::AllowAgain(allow) => {
            let group_id = allow.group_id;
            let key = allow.key.used_by(user_id, "groups.allow_again", &[&group_id.0.to_be_bytes()]);
            context.write(left_groups::AllowAgain { key, user_id, group_id }).await
        }
    }
}

async fn add(add: Add, user_id: UserId, context: RequestContext<'_>) -> Result<Reply, Error> {
    let group_id = add.group_id;
    let people = rules::parse_new_members(add.user_ids)?;
    let ids: Vec<[u8; 8]> = people.iter().map(|person| person.0.to_be_bytes()).collect();
    let group = group_id.0.to_be_bytes();
    let mut parts: Vec<&[u8]> = vec![&group];
    parts.extend(ids.iter().map(|id| &id[..]));
    let key = add.key.used_by(user_id, "groups.add", &parts);
    let command = members::Add {
        key,
        group_id,
        viewer: context.viewer,
        people,
        members_max: rules::limit(context.app.settings.members_per_group, MEMBERS_MAX),
    };
    context.change_group_limited(&context.app.rate_limiters.groups, group_id, command).await
}

//! The actions of users in groups, and who may do them.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::Action;
use crate::model::{self, Audience, Community, Group};
use crate::plan::{Plan, asks};
use crate::support::value::key;
use crate::words::{Number, Thing};

/// The most groups. After that no more are made.
const GROUPS_MAX: usize = 8;

pub const EVERY: &[&str] = &[
    "groups.create",
    "groups.rename",
    "groups.delete",
    "groups.add",
    "groups.remove",
    "groups.leave",
    "groups.allow_again",
    "groups.list",
    "groups.get",
];
pub const CAN_REPEAT: &[&str] = &["groups.create", "groups.rename", "groups.remove"];

#[derive(Clone, Debug)]
pub enum Effect {
    Make { who: usize, name: Number },
    Rename { who: usize, group: i64, name: Number },
    Add { who: usize, group: i64, others: Vec<usize> },
    Remove { who: usize, group: i64, other: usize },
    Leave { who: usize, group: i64 },
    AllowAgain { who: usize, group: i64 },
    End { who: usize, group: i64 },
}

impl From<Effect> for model::Effect {
    fn from(effect: Effect) -> Self {
        Self::Groups(effect)
    }
}

impl Effect {
    /// Returns whether this may be granted. If not, the text says what a grant would mean.
    pub fn is_allowed(&self, community: &Community) -> (bool, &'static str) {
        let owns =
            |who: usize, group: i64| community.groups.get(&group).is_some_and(|group| group.owner == who);
        let may_add = |owner: usize, group: i64, other: usize| {
            let follows = &community.follows;
            let follow_each_other = follows.contains(&(owner, other)) || follows.contains(&(other, owner));
            let is_free = community.meet(owner, other)
                && follow_each_other
                && !community.left.contains(&(other, group));
            community.is_member(other, group) || is_free
        };
        match self {
            Self::Rename { who, group, .. } | Self::End { who, group } | Self::Remove { who, group, .. } => {
                (owns(*who, *group), "manages a group of others")
            }
            Self::Add { who, group, others } => {
                let may = others.iter().all(|other| may_add(*who, *group, *other));
                (owns(*who, *group) && may, "adds somebody who may not be added")
            }
            Self::Leave { who, group } => {
                (community.is_member(*who, *group) && !owns(*who, *group), "leaves where they are not")
            }
            Self::Make { .. } | Self::AllowAgain { .. } => (true, ""),
        }
    }

    /// Applies the effect of a granted request, with its reply.
    pub fn apply(self, community: &mut Community, ok: &Value) {
        match self {
            Self::Make { who, name } => {
                let group = ok["group"]["id"].as_i64().unwrap();
                let members = BTreeSet::from([who]);
                community.groups.insert(group, Group { owner: who, members, name });
                community.replaces(Thing::Group(group), &[], &[name]);
            }
            Self::Rename { group, name, .. } => {
                let found = community.groups.get_mut(&group).unwrap();
                let before = std::mem::replace(&mut found.name, name);
                community.replaces(Thing::Group(group), &[before], &[name]);
            }
            Self::Add { group, others, .. } => {
                community.groups.get_mut(&group).unwrap().members.extend(others);
            }
            Self::Remove { group, other, .. } => {
                community.groups.get_mut(&group).unwrap().members.remove(&other);
            }
            Self::Leave { who, group } => {
                community.groups.get_mut(&group).unwrap().members.remove(&who);
                community.left.insert((who, group));
                community.ever_left.insert((who, group));
            }
            Self::AllowAgain { who, group } => drop(community.left.remove(&(who, group))),
            Self::End { group, .. } => {
                community.groups.remove(&group);
                let of_it = Audience::Group(group);
                community.polls.retain(|_, poll| poll.audience != of_it);
                for post in community.posts.values_mut().filter(|post| post.audience == of_it) {
                    post.audience = Audience::Nobody;
                }
            }
        }
    }
}

impl Plan<'_> {
    /// Returns a group, usually one of this user.
    pub fn a_group(&mut self, who: usize) -> i64 {
        let is_own = self.below(4) > 0;
        let groups: Vec<i64> = self
            .community
            .groups
            .keys()
            .filter(|id| !is_own || self.community.is_member(who, **id))
            .copied()
            .collect();
        self.one_of(&groups)
    }

    pub fn a_group_of(&mut self, owner: usize) -> i64 {
        let groups = self.community.groups.iter().filter(|(_, group)| group.owner == owner);
        let groups: Vec<i64> = groups.map(|(id, _)| *id).collect();
        if groups.is_empty() || self.below(20) == 0 { self.a_group(owner) } else { self.one_of(&groups) }
    }

    /// Returns a group that this user is a member but not the owner of, if there is one.
    fn a_group_not_of(&mut self, who: usize) -> i64 {
        let groups = self.community.groups.iter();
        let groups = groups.filter(|(_, group)| group.owner != who && group.members.contains(&who));
        let groups: Vec<i64> = groups.map(|(id, _)| *id).collect();
        self.one_of(&groups)
    }

    /// Returns usually a member of this group who is not its owner, if there is one.
    fn a_member(&mut self, group: i64, other: usize) -> usize {
        let Some(found) = self.community.groups.get(&group).filter(|_| self.random.below(10) > 0) else {
            return other;
        };
        let members: Vec<usize> = found.members.iter().copied().filter(|who| *who != found.owner).collect();
        if members.is_empty() { other } else { members[self.random.below(members.len())] }
    }

    /// Returns usually a follower of this owner, who can be added to a group, if there is one.
    fn a_follower(&mut self, owner: usize, other: usize) -> usize {
        let followers: Vec<usize> = self
            .community
            .follows
            .iter()
            .filter(|(_, followed)| *followed == owner)
            .map(|(by, _)| *by)
            .collect();
        if followers.is_empty() || self.below(5) == 0 {
            other
        } else {
            followers[self.below(followers.len())]
        }
    }

    /// Creates, changes, leaves or deletes a group.
    pub fn groups(&mut self, who: usize, other: usize) -> Action {
        let with = |group: i64, more: Value| {
            let mut fields = json!({ "key": key(), "group_id": group });
            fields.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            fields
        };
        let group = self.a_group_of(who);
        match self.below(100) {
            0..10 if self.community.groups.len() < GROUPS_MAX => {
                let (name, spelled) = self.word(who);
                asks(
                    "groups.create",
                    json!({ "key": key(), "name": spelled }),
                    Effect::Make { who, name }.into(),
                )
            }
            0..50 => {
                let other = self.a_follower(who, other);
                let others = vec![other];
                let fields = with(group, json!({ "user_ids": [self.ids[other]] }));
                asks("groups.add", fields, Effect::Add { who, group, others }.into())
            }
            50..62 => {
                let other = self.a_member(group, other);
                let fields = with(group, json!({ "user_id": self.ids[other] }));
                asks("groups.remove", fields, Effect::Remove { who, group, other }.into())
            }
            62..75 => {
                let group = self.a_group_not_of(who);
                asks("groups.leave", with(group, json!({})), Effect::Leave { who, group }.into())
            }
            75..85 => {
                let left: Vec<i64> = self
                    .community
                    .ever_left
                    .iter()
                    .filter(|(by, _)| *by == who)
                    .map(|(_, group)| *group)
                    .collect();
                let group = self.one_of(&left);
                asks("groups.allow_again", with(group, json!({})), Effect::AllowAgain { who, group }.into())
            }
            85..93 => {
                let (name, spelled) = self.word(who);
                asks(
                    "groups.rename",
                    with(group, json!({ "name": spelled })),
                    Effect::Rename { who, group, name }.into(),
                )
            }
            _ => asks("groups.delete", with(group, json!({})), Effect::End { who, group }.into()),
        }
    }
}

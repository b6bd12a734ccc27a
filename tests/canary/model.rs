//! Who may read which words. The rules here are those of the product, written without the server's code.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::Value;

use crate::imports::Import;
use crate::passkeys::Passkey;
use crate::words::{Book, Number, Thing};
use crate::{groups, imports, passkeys, polls};

pub const PEOPLE: usize = 12;
/// The viewer who is not signed in.
pub const GUEST: usize = PEOPLE;

/// How many earlier texts of one thing the model keeps. Nobody receives older ones.
const EARLIER_MAX: usize = 12;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    Everybody,
    Group(i64),
    /// Only the author: the group was deleted, or the author left it.
    Nobody,
}

#[derive(Debug)]
pub struct Group {
    pub owner: usize,
    pub members: BTreeSet<usize>,
    pub name: Number,
}

#[derive(Debug)]
pub struct Post {
    pub author: usize,
    pub audience: Audience,
    /// Title, text and content note, which an edit replaces.
    pub texts: Vec<Number>,
    pub pictures: Vec<String>,
    pub is_imported: bool,
}

#[derive(Debug)]
pub struct Comment {
    pub author: usize,
    pub post: i64,
    text: Number,
}

#[derive(Debug)]
pub struct Poll {
    pub creator: usize,
    pub audience: Audience,
}

/// What a request changes if it is granted.
#[derive(Clone, Debug)]
pub enum Effect {
    Nothing,
    Profile { who: usize, words: Vec<Number> },
    Follow { who: usize, other: usize, is: bool },
    Block { who: usize, other: usize, is: bool },
    Mute { who: usize, other: usize, is: bool },
    Suspend { other: usize, is: bool },
    Post { who: usize, audience: Audience, texts: Vec<Number>, fixed: Vec<Number> },
    Edit { who: usize, post: i64, audience: Audience, texts: Vec<Number> },
    DeletePost { who: usize, post: i64 },
    Comment { who: usize, post: i64, text: Number },
    DeleteComment { who: usize, comment: i64 },
    Polls(polls::Effect),
    Groups(groups::Effect),
    Imports(imports::Effect),
    Passkeys(passkeys::Effect),
}

/// The relations of all users to one user, one bit for each.
#[derive(Clone, Copy, Default)]
struct Near {
    meet: u16,
    follow: u16,
    mute: u16,
}

fn of_those(is_so: impl Fn(usize) -> bool) -> u16 {
    (0..PEOPLE).filter(|who| is_so(*who)).fold(0, |all, who| all | 1 << who)
}

pub fn has(those: u16, who: usize) -> bool {
    those & (1 << who) != 0
}

/// Everybody, and everything they wrote.
#[derive(Default)]
pub struct Community {
    pub book: Book,
    pub follows: BTreeSet<(usize, usize)>,
    pub blocks: BTreeSet<(usize, usize)>,
    /// The blocks at the beginning of this round.
    pub blocks_before: BTreeSet<(usize, usize)>,
    pub mutes: BTreeSet<(usize, usize)>,
    pub suspended: BTreeSet<usize>,
    pub groups: BTreeMap<i64, Group>,
    pub posts: BTreeMap<i64, Post>,
    pub comments: BTreeMap<i64, Comment>,
    /// Deleted comments of posts that are still there. Earlier events may still name them.
    pub deleted: BTreeSet<i64>,
    pub polls: BTreeMap<i64, Poll>,
    pub imports: BTreeMap<i64, Import>,
    /// The words of imports that were undone.
    pub undone: BTreeSet<Number>,
    pub passkeys: BTreeMap<i64, Passkey>,
    near: [Near; PEOPLE],
    /// Who voted in which poll.
    pub voted: BTreeSet<(usize, i64)>,
    /// Who left which group and may not be added again.
    pub left: BTreeSet<(usize, i64)>,
    /// Who ever left which group.
    pub ever_left: BTreeSet<(usize, i64)>,
    /// The current words of profiles, and earlier words of all things.
    profiles: BTreeMap<usize, Vec<Number>>,
    earlier: BTreeMap<Thing, VecDeque<Number>>,
    /// The words whose readers may still change.
    live: Vec<Number>,
    /// The last write.
    pub seq: i64,
}

impl Community {
    pub fn meet(&self, who: usize, other: usize) -> bool {
        who == other
            || !(self.blocks.contains(&(who, other))
                || self.blocks.contains(&(other, who))
                || self.suspended.contains(&other))
    }

    pub fn is_member(&self, who: usize, group: i64) -> bool {
        self.groups.get(&group).is_some_and(|group| group.members.contains(&who))
    }

    /// Returns who is in this audience, one bit for each.
    fn audience(&self, audience: Audience) -> u16 {
        match audience {
            Audience::Everybody => u16::MAX >> (16 - PEOPLE),
            Audience::Group(group) => self.members(group),
            Audience::Nobody => 0,
        }
    }

    fn members(&self, group: i64) -> u16 {
        let members = self.groups.get(&group).map(|group| &group.members);
        members.map_or(0, |members| of_those(|who| members.contains(&who)))
    }

    pub fn is_in(&self, who: usize, audience: Audience) -> bool {
        has(self.audience(audience), who)
    }

    fn take_part(&self, post: i64) -> u16 {
        let Some(post) = self.posts.get(&post) else { return 0 };
        self.audience(post.audience) & self.near[post.author].meet
    }

    /// Returns who may read a thing. A suspended user has no login, and may read it again after the suspension.
    pub fn readers(&self, thing: Thing) -> u16 {
        match thing {
            Thing::Nothing | Thing::Secret(_) => 0,
            Thing::Address(owner) | Thing::Own(owner) => 1 << owner,
            // The group of a suspended owner stays, and its members see the owner's id.
            Thing::Id(other) => {
                let own = self.groups.iter().filter(|(_, group)| group.owner == other);
                own.fold(self.near[other].meet, |all, (group, _)| all | self.members(*group))
            }
            Thing::Profile(owner) => self.near[owner].meet,
            Thing::Group(group) => self.members(group),
            Thing::Post(post) => {
                let own = self.posts.get(&post).map_or(0, |post| 1 << post.author);
                own | self.take_part(post)
            }
            Thing::Comment(comment) => self
                .comments
                .get(&comment)
                .map_or(0, |comment| self.take_part(comment.post) & self.near[comment.author].meet),
            Thing::Poll(poll) => self.polls.get(&poll).map_or(0, |poll| {
                let near = self.near[poll.creator];
                let those = match poll.audience {
                    Audience::Everybody => 1 << poll.creator | near.follow,
                    audience => self.audience(audience),
                };
                those & near.meet
            }),
        }
    }

    pub fn sees(&self, who: usize, thing: Thing) -> bool {
        has(self.readers(thing), who)
    }

    /// Returns whether this is a post that its author imported.
    pub fn is_imported(&self, thing: Thing) -> bool {
        matches!(thing, Thing::Post(post) if self.posts.get(&post).is_some_and(|post| post.is_imported))
    }

    fn author_of(&self, thing: Thing) -> Option<usize> {
        match thing {
            Thing::Post(post) => self.posts.get(&post).map(|post| post.author),
            Thing::Comment(comment) => self.comments.get(&comment).map(|comment| comment.author),
            Thing::Poll(poll) => self.polls.get(&poll).map(|poll| poll.creator),
            _ => None,
        }
    }

    fn is_there(&self, thing: Thing) -> bool {
        match thing {
            Thing::Post(post) => self.posts.contains_key(&post),
            Thing::Comment(comment) => self.comments.contains_key(&comment),
            Thing::Poll(poll) => self.polls.contains_key(&poll),
            Thing::Group(group) => self.groups.contains_key(&group),
            _ => true,
        }
    }

    /// Returns why this effect may not be granted.
    pub fn objection(&self, effect: &Effect) -> Option<&'static str> {
        let wrote = |who: usize, post: i64| self.posts.get(&post).is_some_and(|post| post.author == who);
        let (is_allowed, why) = match effect {
            Effect::Follow { who, other, is } => (!is || self.meet(*who, *other), "follows a hidden user"),
            Effect::Block { who, other, is } => (
                !is || self.meet(*who, *other) || self.blocks.contains(&(*who, *other)),
                "blocks a hidden user",
            ),
            Effect::Mute { who, other, is } => (!is || self.meet(*who, *other), "mutes a hidden user"),
            Effect::Post { who, audience, .. } => {
                (self.is_in(*who, *audience), "shares with a group of others")
            }
            Effect::Edit { who, post, audience, .. } => {
                let stays = *audience == Audience::Nobody;
                (wrote(*who, *post) && (stays || self.is_in(*who, *audience)), "edits what is not theirs")
            }
            Effect::DeletePost { who, post } => (wrote(*who, *post), "deletes a post of others"),
            Effect::Comment { who, post, .. } => {
                (has(self.take_part(*post), *who), "comments on what they do not see")
            }
            Effect::DeleteComment { who, comment } => {
                let found = &self.comments[comment];
                let group_owner = match self.posts.get(&found.post).map(|post| post.audience) {
                    Some(Audience::Group(group)) => self.groups.get(&group).map(|group| group.owner),
                    _ => None,
                };
                let is_theirs = found.author == *who || wrote(*who, found.post) || group_owner == Some(*who);
                (
                    is_theirs && self.sees(*who, Thing::Comment(*comment)) && !self.deleted.contains(comment),
                    "deletes a comment of others",
                )
            }
            Effect::Polls(effect) => effect.is_allowed(self),
            Effect::Groups(effect) => effect.is_allowed(self),
            Effect::Imports(effect) => effect.is_allowed(self),
            Effect::Passkeys(effect) => effect.is_allowed(self),
            Effect::Nothing | Effect::Profile { .. } | Effect::Suspend { .. } => (true, ""),
        };
        (!is_allowed).then_some(why)
    }

    /// Returns whether this request is granted but changes nothing: it would end a follow, a block or a mute of a
    /// suspended user (D-T2), or the mute of a hidden one.
    fn changes_nothing(&self, effect: &Effect) -> bool {
        match effect {
            Effect::Follow { who, is: false, .. } => self.suspended.contains(who),
            Effect::Block { other, is: false, .. } => self.suspended.contains(other),
            Effect::Mute { who, other, is: false } => !self.meet(*who, *other),
            _ => false,
        }
    }

    /// Applies a write that was granted, with its reply.
    pub fn apply(&mut self, seq: i64, effect: Effect, ok: &Value) {
        let id_of = |name: &str| ok[name]["id"].as_i64().unwrap();
        match effect {
            Effect::Nothing => {}
            _ if self.changes_nothing(&effect) => {}
            Effect::Profile { who, words } => {
                let before = self.profiles.insert(who, words.clone()).unwrap_or_default();
                self.replaces(Thing::Profile(who), &before, &words);
            }
            Effect::Follow { who, other, is } => set(&mut self.follows, (who, other), is),
            Effect::Mute { who, other, is } => set(&mut self.mutes, (who, other), is),
            Effect::Block { who, other, is } => {
                set(&mut self.blocks, (who, other), is);
                if is {
                    self.follows.retain(|pair| *pair != (who, other) && *pair != (other, who));
                    for group in self.groups.values_mut() {
                        for (owner, member) in [(who, other), (other, who)] {
                            if group.owner == owner {
                                group.members.remove(&member);
                            }
                        }
                    }
                }
            }
            Effect::Suspend { other, is } => set(&mut self.suspended, other, is),
            Effect::Post { who, audience, texts, fixed } => {
                let post = id_of("post");
                self.replaces(Thing::Post(post), &[], &[&texts[..], &fixed[..]].concat());
                let pictures = crate::support::uploads::urls(&ok["post"]);
                self.posts.insert(post, Post { author: who, audience, texts, pictures, is_imported: false });
            }
            Effect::Edit { post, audience, texts, .. } => {
                let found = self.posts.get_mut(&post).unwrap();
                found.audience = audience;
                let before = std::mem::replace(&mut found.texts, texts.clone());
                self.replaces(Thing::Post(post), &before, &texts);
            }
            Effect::DeletePost { post, .. } => self.deletes_post(post),
            Effect::Comment { who, post, text } => {
                let comment = id_of("comment");
                self.comments.insert(comment, Comment { author: who, post, text });
                self.replaces(Thing::Comment(comment), &[], &[text]);
            }
            Effect::DeleteComment { comment, .. } => {
                self.book.supersede(self.comments[&comment].text);
                self.deleted.insert(comment);
            }
            Effect::Polls(effect) => effect.apply(self, ok),
            Effect::Groups(effect) => effect.apply(self, ok),
            Effect::Imports(effect) => effect.apply(self),
            Effect::Passkeys(effect) => effect.apply(self, ok),
        }
        self.notes(seq);
    }

    /// Removes a post and the comments under it.
    pub fn deletes_post(&mut self, post: i64) {
        self.posts.remove(&post);
        self.comments.retain(|_, comment| comment.post != post);
        let comments = &self.comments;
        self.deleted.retain(|comment| comments.contains_key(comment));
    }

    /// Replaces the words of a thing.
    pub fn replaces(&mut self, thing: Thing, before: &[Number], now: &[Number]) {
        for number in now {
            self.book.belongs(*number, thing);
            self.live.push(*number);
        }
        let earlier = self.earlier.entry(thing).or_default();
        for number in before.iter().filter(|number| !now.contains(number)) {
            self.book.supersede(*number);
            earlier.push_back(*number);
        }
        while earlier.len() > EARLIER_MAX {
            let forgotten = earlier.pop_front().unwrap();
            self.live.retain(|number| *number != forgotten);
        }
    }

    /// Records who may read what after this write.
    pub fn notes(&mut self, seq: i64) {
        self.seq = self.seq.max(seq);
        for other in 0..PEOPLE {
            self.near[other] = Near {
                meet: of_those(|who| self.meet(who, other)),
                follow: of_those(|who| self.follows.contains(&(who, other))),
                mute: of_those(|who| self.mutes.contains(&(who, other))),
            };
        }
        let live = std::mem::take(&mut self.live);
        for number in &live {
            let thing = self.book.thing(*number);
            let muting = self.author_of(thing).map_or(0, |author| self.near[author].mute);
            self.book.notes(*number, seq, self.readers(thing), muting);
        }
        self.live = live.into_iter().filter(|number| self.is_there(self.book.thing(*number))).collect();
        let posts = &self.posts;
        self.earlier.retain(|thing, _| match thing {
            Thing::Post(post) => posts.contains_key(post),
            Thing::Comment(_) | Thing::Poll(_) => false,
            _ => true,
        });
    }

    /// Returns whether this kind of message may contain words that are otherwise hidden from the viewer.
    pub fn may_name_hidden(&self, viewer: usize, kind: &str, thing: Thing) -> bool {
        match (kind, thing) {
            // The list of users whom the viewer blocked, and changes of it.
            ("people.hidden", Thing::Id(other) | Thing::Profile(other)) => {
                [&self.blocks, &self.blocks_before].iter().any(|blocks| blocks.contains(&(viewer, other)))
            }
            ("people.changed" | "users.deleted" | "users.returned", Thing::Id(_)) => true,
            // The id that the viewer named in the request. The reply may arrive after the event of a block.
            ("follows.set" | "comments.create", Thing::Id(_)) => true,
            // A notice keeps the name that a passkey had.
            ("notices.list", Thing::Own(owner)) => owner == viewer,
            ("passkeys.begin_add" | "passkeys.begin_use", Thing::Secret(owner)) => owner == viewer,
            // The groups that the viewer left, with their names at that time.
            ("groups.not_again" | "groups.allow_again", Thing::Group(group)) => {
                self.ever_left.contains(&(viewer, group))
            }
            _ => false,
        }
    }
}

/// Returns whether this kind of message leaves out words of muted users.
pub fn leaves_out_muted(kind: &str, thing: Thing) -> bool {
    match thing {
        Thing::Post(_) => ["posts.created", "posts.feed"].contains(&kind),
        Thing::Poll(_) => ["polls.created", "polls.list"].contains(&kind),
        Thing::Comment(_) => ["notifications.created", "notifications.page"].contains(&kind),
        _ => false,
    }
}

fn set<T: Ord>(all: &mut BTreeSet<T>, one: T, is: bool) {
    if is {
        all.insert(one);
    } else {
        all.remove(&one);
    }
}

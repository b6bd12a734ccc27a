//! Chooses the next action of a user.

use std::collections::VecDeque;

use mellow::seeded_random::SeededRandom;
use serde_json::{Value, json};

use crate::Action;
use crate::model::{Audience, Community, Effect, PEOPLE};
use crate::support::groups::of;
use crate::support::value::key;
use crate::words::{Book, Number};
use crate::{groups, imports, passkeys, polls};

/// The most posts. After that a new post replaces an older one.
const POSTS_MAX: usize = 60;

/// Requests that always change something if they are granted with a new key. With the same key they are repeats. Those
/// of polls, groups, imports and passkeys are listed in their files.
const CAN_REPEAT: &[&str] = &[
    "posts.create",
    "posts.update",
    "posts.delete",
    "comments.create",
    "comments.delete",
    "profiles.update",
];

/// Requests that every run must have been granted at least once. Those of polls, groups, imports and passkeys are
/// listed in their files.
const EVERY: &[&str] = &[
    "posts.create",
    "posts.update",
    "posts.delete",
    "posts.feed",
    "posts.by_author",
    "posts.by_group",
    "posts.saved",
    "posts.search",
    "posts.get",
    "posts.refresh",
    "comments.create",
    "comments.delete",
    "comments.page",
    "comments.mentionable",
    "follows.set",
    "follows.remove",
    "follows.page",
    "people.block",
    "people.unblock",
    "people.mute",
    "people.unmute",
    "people.hidden",
    "saved.set",
    "profiles.get",
    "profiles.update",
    "search.names",
    "search.people",
    "notifications.page",
    "notices.list",
    "auth.logins",
    "quiet.set",
    "reports.create",
    "admin.suspend",
    "a picture",
];

/// Returns whether a request with this name always changes something if it is granted with a new key.
pub fn can_repeat(op: &str) -> bool {
    let all = [CAN_REPEAT, polls::CAN_REPEAT, groups::CAN_REPEAT, imports::CAN_REPEAT, passkeys::CAN_REPEAT];
    all.iter().any(|ops| ops.contains(&op))
}

/// Returns the requests that every run must have been granted at least once.
pub fn every() -> Vec<&'static str> {
    [EVERY, polls::EVERY, groups::EVERY, imports::EVERY, passkeys::EVERY].concat()
}

pub struct Plan<'a> {
    pub community: &'a mut Community,
    pub random: &'a mut SeededRandom,
    pub ids: &'a [i64],
    pub again: &'a VecDeque<(usize, &'static str, Value)>,
}

pub fn asks(op: &'static str, fields: Value, effect: Effect) -> Action {
    Action::Asks { op, fields, effect }
}

pub fn reads(op: &'static str, fields: Value) -> Action {
    asks(op, fields, Effect::Nothing)
}

impl Plan<'_> {
    pub fn below(&mut self, bound: usize) -> usize {
        self.random.below(bound)
    }

    pub fn word(&mut self, who: usize) -> (Number, String) {
        let number = self.community.book.makes(Some(who));
        (number, Book::spelled(number))
    }

    /// Returns the content note of a post. Half of the posts have none, so that notifications quote their texts.
    fn note(&mut self, who: usize) -> (Option<Number>, String) {
        match self.below(2) {
            0 => (None, String::new()),
            _ => {
                let (number, spelled) = self.word(who);
                (Some(number), spelled)
            }
        }
    }

    fn other_than(&mut self, who: usize) -> usize {
        (who + 1 + self.below(PEOPLE - 1)) % PEOPLE
    }

    /// Returns one of these ids, often one of the newest. If there are none, returns an id that does not exist.
    pub fn one_of(&mut self, ids: &[i64]) -> i64 {
        let from = if self.below(2) == 0 { ids.len().saturating_sub(8) } else { 0 };
        ids.get(from + self.below(ids.len() - from)).copied().unwrap_or(1)
    }

    fn a_post(&mut self) -> i64 {
        let posts: Vec<i64> = self.community.posts.keys().copied().collect();
        self.one_of(&posts)
    }

    /// Returns a comment, usually one of this user.
    fn a_comment_of(&mut self, who: usize) -> Option<i64> {
        let is_own = self.below(4) > 0;
        let comments = self.community.comments.iter().filter(|(id, comment)| {
            !self.community.deleted.contains(id) && (!is_own || comment.author == who)
        });
        let comments: Vec<i64> = comments.map(|(id, _)| *id).collect();
        (!comments.is_empty()).then(|| self.one_of(&comments))
    }

    pub fn audience(&mut self, who: usize) -> (Audience, Value) {
        match self.below(2) {
            0 => (Audience::Everybody, json!({ "type": "public" })),
            _ => {
                let group = self.a_group(who);
                (Audience::Group(group), of(group))
            }
        }
    }

    pub fn action(&mut self, who: usize) -> Action {
        let other = self.other_than(who);
        let about = |ids: &[i64]| json!({ "key": key(), "user_id": ids[other] });
        match self.below(1_000) {
            0..85 => self.posts(who),
            85..180 => self.comments(who),
            180..210 => self.polls(who),
            210..250 => self.edits(who),
            250..265 => self.deletes_post(who),
            265..305 => {
                let Some(comment) = self.a_comment_of(who) else { return self.comments(who) };
                let fields = json!({ "key": key(), "comment_id": comment });
                asks("comments.delete", fields, Effect::DeleteComment { who, comment })
            }
            305..365 => {
                let is = self.below(4) > 0;
                let fields = json!({ "key": key(), "user_id": self.ids[other], "following": is });
                asks("follows.set", fields, Effect::Follow { who, other, is })
            }
            365..375 => {
                asks("follows.remove", about(self.ids), Effect::Follow { who: other, other: who, is: false })
            }
            375..395 => asks("people.block", about(self.ids), Effect::Block { who, other, is: true }),
            395..425 => {
                let blocked: Vec<usize> = self
                    .community
                    .blocks
                    .iter()
                    .filter(|(by, _)| *by == who)
                    .map(|(_, other)| *other)
                    .collect();
                let other = if blocked.is_empty() { other } else { blocked[self.below(blocked.len())] };
                let fields = json!({ "key": key(), "user_id": self.ids[other] });
                asks("people.unblock", fields, Effect::Block { who, other, is: false })
            }
            425..440 => asks("people.mute", about(self.ids), Effect::Mute { who, other, is: true }),
            440..455 => asks("people.unmute", about(self.ids), Effect::Mute { who, other, is: false }),
            455..545 => self.groups(who, other),
            545..560 => {
                let ((name, spelled), (bio, more)) = (self.word(who), self.word(who));
                let fields = json!({ "key": key(), "name": format!("Ana {spelled}"), "bio": format!("of {more}"),
                    "from_color": "blue", "to_color": "red" });
                asks("profiles.update", fields, Effect::Profile { who, words: vec![name, bio] })
            }
            560..570 => {
                let (_, spelled) = self.word(who);
                let subject = match self.below(2) {
                    0 => json!({ "type": "post", "post_id": self.a_post() }),
                    _ => json!({ "type": "user", "user_id": self.ids[other] }),
                };
                let fields = json!({ "key": key(), "about": subject, "reason": "other", "details": spelled });
                reads("reports.create", fields)
            }
            570..578 => {
                let vote = ["positive", "negative", "none"][self.below(3)];
                reads("votes.set", json!({ "key": key(), "post_id": self.a_post(), "vote": vote }))
            }
            578..590 => {
                let saved = self.below(4) > 0;
                reads("saved.set", json!({ "key": key(), "post_id": self.a_post(), "saved": saved }))
            }
            590..605 => self.votes_in_poll(who),
            605..680 => self.comes_back(who),
            680..700 => self.repeats(who),
            700..710 => {
                // While they last, other frames are sent, live and after coming back.
                let fields = json!({ "key": key(), "on": self.below(2) == 0, "from": "00:00", "to": "23:59",
                    "days": ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"],
                    "zone": "UTC" });
                reads("quiet.set", fields)
            }
            710..722 => self.undoes_import(who),
            722..732 => self.renames_passkey(who),
            _ => self.reads(who, other),
        }
    }

    fn posts(&mut self, who: usize) -> Action {
        if self.community.posts.len() > POSTS_MAX {
            return self.deletes_post(who);
        }
        let (title, text, tag) = (self.word(who), self.word(who), self.word(who));
        let note = self.note(who);
        let (audience, wire) = self.audience(who);
        let mut fixed = vec![tag.0];
        let mut fields = json!({ "key": key(), "title": title.1, "text": format!("says {}", text.1), "tag": tag.1,
            "content_note": note.1, "audience": wire });
        let texts = [title.0, text.0].into_iter().chain(note.0).collect();
        if self.below(12) > 0 {
            return asks("posts.create", fields, Effect::Post { who, audience, texts, fixed });
        }
        let (alt, name) = (self.word(who), self.word(who));
        fields["pictures"] = json!([{ "alt": format!("shows {}", alt.1) }]);
        fixed.extend([alt.0, name.0]);
        let then = asks("posts.create", fields, Effect::Post { who, audience, texts, fixed });
        Action::Uploads { name: format!("{}.jpg", name.1), then: Box::new(then) }
    }

    fn deletes_post(&mut self, who: usize) -> Action {
        let own: Vec<i64> =
            self.community.posts.iter().filter(|(_, post)| post.author == who).map(|(id, _)| *id).collect();
        let post = if own.is_empty() || self.below(10) == 0 { self.a_post() } else { own[0] };
        asks("posts.delete", json!({ "key": key(), "post_id": post }), Effect::DeletePost { who, post })
    }

    fn edits(&mut self, who: usize) -> Action {
        let own: Vec<i64> =
            self.community.posts.iter().filter(|(_, post)| post.author == who).map(|(id, _)| *id).collect();
        let post = if own.is_empty() || self.below(10) == 0 { self.a_post() } else { self.one_of(&own) };
        let (title, text, note) = (self.word(who), self.word(who), self.note(who));
        let is_outside = match self.community.posts.get(&post).map(|post| post.audience) {
            Some(Audience::Group(group)) => !self.community.is_member(who, group),
            Some(Audience::Nobody) => true,
            _ => false,
        };
        let (audience, wire) = match is_outside && self.below(2) == 0 {
            true => (Audience::Nobody, json!({ "type": "author" })),
            false => self.audience(who),
        };
        let fields = json!({ "key": key(), "post_id": post, "title": title.1, "text": format!("edits {}", text.1),
            "content_note": note.1, "audience": wire });
        let texts = [title.0, text.0].into_iter().chain(note.0).collect();
        asks("posts.update", fields, Effect::Edit { who, post, audience, texts })
    }

    fn comments(&mut self, who: usize) -> Action {
        let (post, (text, spelled)) = (self.a_post(), self.word(who));
        let mention = match self.below(3) {
            0 => format!(" @{}+Friend", self.ids[self.random.below(PEOPLE)]),
            _ => String::new(),
        };
        let audience = match self.community.posts.get(&post).map(|post| post.audience) {
            Some(Audience::Group(group)) => of(group),
            _ => json!({ "type": "public" }),
        };
        let fields = json!({ "key": key(), "post_id": post, "text": format!("answers {spelled}{mention}"), "audience": audience });
        asks("comments.create", fields, Effect::Comment { who, post, text })
    }

    fn comes_back(&mut self, who: usize) -> Action {
        let now = self.community.seq;
        let back = match self.below(4) {
            0 => 0,
            1 => self.below(10),
            2 => self.below(150),
            _ => self.below(usize::try_from(now).unwrap()),
        };
        let posts: Vec<i64> = (0..8).map(|_| self.a_post()).collect();
        let profiles = vec![self.ids[self.random.below(PEOPLE)], self.ids[who]];
        Action::ComesBack { seq: (now - i64::try_from(back).unwrap()).max(1), posts, profiles }
    }

    /// Sends a granted request again, with its key.
    fn repeats(&mut self, who: usize) -> Action {
        let own: Vec<(&'static str, &Value)> =
            self.again.iter().filter(|(by, ..)| *by == who).map(|(_, op, fields)| (*op, fields)).collect();
        if own.is_empty() {
            return self.comes_back(who);
        }
        let (op, fields) = own[self.random.below(own.len())];
        reads(op, fields.clone())
    }

    fn reads(&mut self, who: usize, other: usize) -> Action {
        let id = self.ids[other];
        let term = ["", "A", "kx", "Ana"][self.below(4)];
        match self.below(32) {
            0 | 1 => reads("posts.feed", json!({})),
            2 => reads("posts.by_author", json!({ "user_id": id })),
            3 | 4 => reads("posts.get", json!({ "post_id": self.a_post() })),
            5 => {
                let posts: Vec<i64> = (0..6).map(|_| self.a_post()).collect();
                reads("posts.refresh", json!({ "post_ids": posts }))
            }
            6 | 7 => reads("comments.page", json!({ "post_id": self.a_post() })),
            8 => reads("comments.mentionable", json!({ "post_id": self.a_post(), "term": term })),
            9 => reads("profiles.get", json!({ "user_id": id })),
            10 => reads("search.names", json!({ "term": "Ana" })),
            11 => reads("search.people", json!({})),
            12 | 13 => reads("notifications.page", json!({})),
            14 => reads("polls.list", json!({})),
            15 => self.reads_voters(who),
            16 => reads("groups.list", json!({})),
            17 => reads("groups.get", json!({ "group_id": self.a_group(who) })),
            18 => reads("groups.not_again", json!({})),
            19 => reads("people.hidden", json!({})),
            20 => {
                let side = ["followers", "following"][self.below(2)];
                reads("follows.page", json!({ "side": side }))
            }
            21 => reads("posts.by_group", json!({ "group_id": self.a_group(who) })),
            22 => reads("posts.saved", json!({})),
            23 => reads("posts.search", json!({ "term": term })),
            24 => reads("notices.list", json!({})),
            25 => reads("auth.logins", json!({})),
            26 => reads("imports.list", json!({})),
            27 => reads("imports.undo_counts", json!({ "import_id": self.an_import(who) })),
            28 => reads("passkeys.list", json!({})),
            29 => reads("passkeys.begin_use", json!({})),
            30 => self.begins_passkey(),
            _ => reads("groups.candidates", json!({ "group_id": self.a_group_of(who) })),
        }
    }
}

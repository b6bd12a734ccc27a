//! The actions of users with polls, and who may do them.

use serde_json::{Value, json};

use crate::Action;
use crate::model::{self, Audience, Community, Poll};
use crate::plan::{Plan, asks, reads};
use crate::support::value::key;
use crate::words::{Number, Thing};

pub const EVERY: &[&str] = &["polls.create", "polls.delete", "polls.list", "polls.vote", "polls.voters"];
pub const CAN_REPEAT: &[&str] = &["polls.create", "polls.delete"];

#[derive(Clone, Debug)]
pub enum Effect {
    Ask { who: usize, audience: Audience, texts: Vec<Number> },
    Vote { who: usize, poll: i64 },
    Delete { who: usize, poll: i64 },
}

impl From<Effect> for model::Effect {
    fn from(effect: Effect) -> Self {
        Self::Polls(effect)
    }
}

impl Effect {
    /// Returns whether this may be granted. If not, the text says what a grant would mean.
    pub fn is_allowed(&self, community: &Community) -> (bool, &'static str) {
        match self {
            Self::Ask { who, audience, .. } => {
                (community.is_in(*who, *audience), "shares with a group of others")
            }
            Self::Vote { who, poll } => {
                (community.sees(*who, Thing::Poll(*poll)), "votes in what they do not see")
            }
            Self::Delete { who, poll } => (
                community.polls.get(poll).is_some_and(|poll| poll.creator == *who),
                "deletes a poll of others",
            ),
        }
    }

    /// Applies the effect of a granted request, with its reply.
    pub fn apply(self, community: &mut Community, ok: &Value) {
        match self {
            Self::Ask { who, audience, texts } => {
                let poll = ok["poll"]["id"].as_i64().unwrap();
                community.polls.insert(poll, Poll { creator: who, audience });
                community.replaces(Thing::Poll(poll), &[], &texts);
            }
            Self::Vote { who, poll } => drop(community.voted.insert((who, poll))),
            Self::Delete { poll, .. } => drop(community.polls.remove(&poll)),
        }
    }
}

impl Plan<'_> {
    fn a_poll(&mut self) -> i64 {
        let polls: Vec<i64> = self.community.polls.keys().copied().collect();
        self.one_of(&polls)
    }

    /// Creates a poll, or deletes the oldest of several.
    pub fn polls(&mut self, who: usize) -> Action {
        let own: Vec<i64> =
            self.community.polls.iter().filter(|(_, poll)| poll.creator == who).map(|(id, _)| *id).collect();
        if own.len() > 2 {
            let fields = json!({ "key": key(), "poll_id": own[0] });
            return asks("polls.delete", fields, Effect::Delete { who, poll: own[0] }.into());
        }
        let (question, option) = (self.word(who), self.word(who));
        let (audience, wire) = self.audience(who);
        let fields = json!({ "key": key(), "question": format!("asks {}", question.1),
            "options": [option.1, "no"], "audience": wire });
        asks("polls.create", fields, Effect::Ask { who, audience, texts: vec![question.0, option.0] }.into())
    }

    pub fn votes_in_poll(&mut self, who: usize) -> Action {
        let (poll, option) = (self.a_poll(), self.below(2));
        let fields = json!({ "key": key(), "poll_id": poll, "option": option });
        asks("polls.vote", fields, Effect::Vote { who, poll }.into())
    }

    /// Reads voters, usually of a poll that this user voted in.
    pub fn reads_voters(&mut self, who: usize) -> Action {
        let voted: Vec<i64> =
            self.community.voted.iter().filter(|(by, _)| *by == who).map(|(_, poll)| *poll).collect();
        let poll = if self.below(3) == 0 { self.a_poll() } else { self.one_of(&voted) };
        reads("polls.voters", json!({ "poll_id": poll, "option": self.random.below(2) }))
    }
}

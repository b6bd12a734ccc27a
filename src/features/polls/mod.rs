//! About polls: small questions.

pub mod wire;

use super::kit::{Answer, Ask, Hearers, Topic};
use crate::error::{Error, Refusal};
use wire::{Chosen, Counted, Created, Deleted, Request};

/// Returns who is told of a new poll: who follows its creator, and the creator.
#[must_use]
pub fn created_hearers(created: &Created) -> Hearers {
    let topics = vec![Topic::User(created.poll.creator_id)];
    Hearers { topics, people: created.followers.clone().into(), ..Hearers::default() }
}

/// Returns who is told that a poll is gone: the same.
#[must_use]
pub fn deleted_hearers(deleted: &Deleted) -> Hearers {
    let poll = Topic::Poll(deleted.poll_id, deleted.creator_id);
    let people = deleted.followers.clone().into();
    Hearers { topics: vec![Topic::User(deleted.creator_id)], people, ends: Some(poll), ..Hearers::default() }
}

/// Returns who is told of a vote: the voter's own sockets.
#[must_use]
pub fn voted_hearers(chosen: &Chosen) -> Hearers {
    Hearers { topics: vec![Topic::User(chosen.voter_id)], is_passing: true, ..Hearers::default() }
}

/// Returns who is told of a tally: who voted and shows the poll, at a pace.
#[must_use]
pub fn counted_hearers(counted: &Counted) -> Hearers {
    let poll = Topic::Poll(counted.poll_id, counted.creator_id);
    Hearers { topics: vec![poll], pace: Some(poll), is_passing: true, ..Hearers::default() }
}

/// Answers what is asked.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, ask: Ask<'_>) -> Result<Answer, Error> {
    let _ = (request, ask);
    Err(Refusal::UnknownOp.into())
}

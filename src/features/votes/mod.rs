//! Votes: one person's quiet yes or no on a post.
//!
//! Promise: at most one vote per person and post; a new one replaces it.
//! A vote on what somebody may not see is taken as one on what is gone: nothing happens.
//! Never: a count reaches anyone but the author, and who voted reaches nobody. No frame goes to
//! anybody else, so timing tells nothing; the author hears nothing of a negative vote.

pub mod store;
pub mod wire;

use super::kit::{Answer, Ask, Publication};
use crate::error::Error;
use crate::events::{Effects, Recipients, Topic};
use wire::{Changed, Counted, Request};

/// Returns who receives a vote, and what it does: the voter.
#[must_use]
pub fn changed_publication(changed: &Changed) -> Publication {
    (Recipients::users([changed.voter_id]), Effects::default())
}

/// Returns who receives a count of votes, and what it does: the post's author.
#[must_use]
pub fn counted_publication(counted: &Counted) -> Publication {
    let coalesce = Some(Topic::Post(counted.post_id));
    (Recipients::users([counted.author_id]), Effects { coalesce, ..Effects::default() })
}

/// Answers what is asked about votes.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, ask: Ask<'_>) -> Result<Answer, Error> {
    let voter_id = ask.user()?;
    let Request::Set(set) = request;
    let parts: [&[u8]; 2] = [&set.post_id.0.to_be_bytes(), &set.vote.number().to_be_bytes()];
    let key = set.key.used_by(voter_id, "votes.set", &parts);
    let work = store::Set { key, post_id: set.post_id, viewer: ask.viewer, voter_id, vote: set.vote };
    ask.write_paced(&ask.app.paces.votes, work).await
}

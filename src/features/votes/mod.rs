//! Votes: a positive or negative vote of a user on a post.
//!
//! Guarantee: a user has at most one vote on a post, and a new vote replaces the old one. A vote on a post that is not
//! visible is accepted and has no effect, like a vote on a deleted post.
//!
//! Never here: a count that is sent to anybody but the author, or the name of a voter that is sent to anybody. Other
//! users receive no frame, so timing reveals nothing. A negative vote that changes no positive count causes no event
//! for the author.

pub mod store;
pub mod wire;

use crate::error::Error;
use crate::events::{Effects, Recipients, Topic};
use crate::features::context::RequestContext;
use crate::features::events::{Publication, Publish};
use crate::reply::Reply;
use wire::{Changed, Counted, Request};

/// Publishes a vote to the voter.
impl Publish for Changed {
    fn publication(&self) -> Publication {
        let about = Some(Topic::Post(self.post_id));
        (Recipients::users([self.voter_id]), Effects { about, ..Effects::default() })
    }
}

/// Publishes the count of positive votes to the author of the post.
impl Publish for Counted {
    fn publication(&self) -> Publication {
        let coalesce = Some(Topic::Post(self.post_id));
        (Recipients::users([self.author_id]), Effects { coalesce, ..Effects::default() })
    }
}

/// Handles a request about votes.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, context: RequestContext<'_>) -> Result<Reply, Error> {
    let voter_id = context.user()?;
    let Request::Set(set) = request;
    let parts: [&[u8]; 2] = [&set.post_id.0.to_be_bytes(), &set.vote.number().to_be_bytes()];
    let key = set.key.used_by(voter_id, "votes.set", &parts);
    let command = store::Set { key, post_id: set.post_id, viewer: context.viewer, voter_id, vote: set.vote };
    context.write_limited(&context.app.rate_limiters.votes, command).await
}

//! About moods: twice a day, how somebody is.

pub mod wire;

use super::kit::{Answer, Ask, Hearers, Topic};
use crate::error::{Error, Refusal};
use wire::{Changed, Request};

/// Returns who is told of somebody's mood: who follows them, and themselves.
#[must_use]
pub fn changed_hearers(changed: &Changed) -> Hearers {
    Hearers {
        topics: vec![Topic::User(changed.mood.user_id)],
        people: changed.followers.clone().into(),
        is_passing: true,
        ..Hearers::default()
    }
}

/// Answers what is asked.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, ask: Ask<'_>) -> Result<Answer, Error> {
    let _ = (request, ask);
    Err(Refusal::UnknownOp.into())
}

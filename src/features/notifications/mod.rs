//! Notifications: what others did that concerns somebody.

pub mod wire;

use super::kit::{Answer, Ask, Hearers, Topic};
use crate::error::{Error, Refusal};
use crate::ids::UserId;
use wire::Request;

/// Returns who is told: the person's own sockets.
#[must_use]
pub fn hearers(user_id: UserId) -> Hearers {
    Hearers { topics: vec![Topic::User(user_id)], ..Hearers::default() }
}

/// Answers what is asked about notifications.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, ask: Ask<'_>) -> Result<Answer, Error> {
    let _ = (request, ask);
    Err(Refusal::UnknownOp.into())
}

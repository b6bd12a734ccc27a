//! One's own account: what others may see of it, taking all of it along, ending it.

pub mod wire;

use super::kit::{Answer, Ask, Hearers, Topic};
use crate::error::{Error, Refusal};
use wire::{Changed, Request};

/// Returns who is told that an account ended: everybody who is here. Who comes back reads anew.
#[must_use]
pub fn ended_hearers() -> Hearers {
    Hearers { topics: vec![Topic::Everyone], forgets: true, ..Hearers::default() }
}

/// Returns who is told of a changed account: its person's own sockets.
#[must_use]
pub fn changed_hearers(changed: &Changed) -> Hearers {
    Hearers { topics: vec![Topic::User(changed.me.id)], ..Hearers::default() }
}

/// Answers what is asked about one's own account.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, ask: Ask<'_>) -> Result<Answer, Error> {
    let _ = (request, ask);
    Err(Refusal::UnknownOp.into())
}

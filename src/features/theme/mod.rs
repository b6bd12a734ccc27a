//! About the daily theme: one for all.

pub mod wire;

use super::kit::{Answer, Ask, Hearers, Topic};
use crate::error::{Error, Refusal};
use wire::Request;

/// Returns who is told of another theme: everybody who is here.
#[must_use]
pub fn changed_hearers() -> Hearers {
    Hearers { topics: vec![Topic::Everyone], ..Hearers::default() }
}

/// Answers what is asked.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, ask: Ask<'_>) -> Result<Answer, Error> {
    let _ = (request, ask);
    Err(Refusal::UnknownOp.into())
}

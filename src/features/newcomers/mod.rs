//! Newcomers: the first steps, and the offer to follow the inviter. Both are shown until the user dismisses them. They
//! are part of the account ([`store::steps`]).
//!
//! Guarantee: what a user dismissed does not come back, on any device.

pub mod store;
pub mod wire;

use crate::error::Error;
use crate::features::context::RequestContext;
use crate::reply::Reply;
use wire::{Request, What};

/// Handles a request of a new user.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, context: RequestContext<'_>) -> Result<Reply, Error> {
    let user_id = context.user()?;
    let Request::Dismiss(dismiss) = request;
    let part = [u8::from(dismiss.what == What::Inviter)];
    let key = dismiss.key.used_by(user_id, "newcomers.dismiss", &[&part]);
    context.write(store::Dismiss { key, user_id, what: dismiss.what }).await
}

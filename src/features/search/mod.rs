//! Search: finds users by the beginning of their name.
//!
//! Guarantee: the search is case-sensitive, `%` and `_` are ordinary characters, and the viewer is not among the
//! results.
//! Never: a search in texts of posts or comments.

pub mod rules;
pub mod store;
pub mod wire;

use crate::db::readers::Snapshot;
use crate::error::Error;
use crate::features::context::RequestContext;
use crate::features::reply::Reply;
use wire::{Request, Results};

/// Answers a search.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, context: RequestContext<'_>) -> Result<Reply, Error> {
    let viewer_id = context.user()?;
    let Request::Names(names) = request;
    let term = rules::parse(&names.term)?;
    context.app.rate_limiters.searches.take(viewer_id, context.now_ms())?;
    context
        .read(move |Snapshot { sql, seq }| {
            let users = store::page(sql, &term, viewer_id)?;
            Reply::read(&Results { users, seq }, seq)
        })
        .await
}

//! Search: finding somebody by the beginning of their name.
//!
//! Promise: capitals count and `%` and `_` are just characters; oneself is not among the results.
//! Never: what people wrote is searched.

pub mod rules;
pub mod store;
pub mod wire;

use super::kit::{Answer, Ask};
use crate::db::readers::Snapshot;
use crate::error::Error;
use wire::{Request, Results};

/// Answers a search.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, ask: Ask<'_>) -> Result<Answer, Error> {
    let viewer_id = ask.user()?;
    let Request::Names(names) = request;
    let term = rules::parse(&names.term)?;
    ask.app.paces.searches.take(viewer_id, ask.now_ms())?;
    ask.read(move |Snapshot { sql, seq }| {
        let users = store::page(sql, &term, viewer_id)?;
        Answer::read(&Results { users, seq }, seq)
    })
    .await
}

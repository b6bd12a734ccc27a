//! Search: finds users by the beginning of their name, and lists all users who want to be listed.
//!
//! Guarantees:
//! - The exact search is case-sensitive, and close matches ignore case and accents. `%` and `_` are ordinary
//!   characters. The viewer is not among the results.
//! - Users who do not want to be listed are neither in the list nor among the close matches (D-P4).
//!
//! Never here: a search in texts of posts or comments. Users search their own posts with `posts.search`.

pub mod rules;
pub mod store;
pub mod wire;

use crate::authz;
use crate::db::readers::Snapshot;
use crate::error::{Error, Refusal};
use crate::features::context::RequestContext;
use crate::reply::Reply;
use crate::settings::Switch;
use wire::{Request, Results};

/// Answers a search.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, context: RequestContext<'_>) -> Result<Reply, Error> {
    let viewer_id = context.user()?;
    match request {
        Request::Names(names) => {
            let term = rules::parse(&names.term)?;
            context.app.rate_limiters.searches.take(viewer_id, context.now_ms())?;
            context
                .read(move |Snapshot { sql, seq }| {
                    let users = store::page(sql, &term, viewer_id)?;
                    let close = store::close(sql, &term, viewer_id, &users)?;
                    Reply::read(&Results { users, close, seq }, seq)
                })
                .await
        }
        Request::People(people) => {
            if !authz::may_list_people(context.viewer, context.app.settings.directory == Switch::On) {
                return Err(Refusal::NotFound.into());
            }
            context.app.rate_limiters.searches.take(viewer_id, context.now_ms())?;
            context
                .read(move |Snapshot { sql, seq }| {
                    Reply::read(&store::directory(sql, people.after.as_ref(), viewer_id, seq)?, seq)
                })
                .await
        }
    }
}

//! The viewer's logins: the list, and the end of all but the current one.

use super::store::logins::{LogOutOthers, list};
use super::wire::{self, Listed};
use crate::authz::Viewer;
use crate::db::readers::Snapshot;
use crate::error::{Error, Refusal};
use crate::features::context::RequestContext;
use crate::reply::Reply;

/// Lists the viewer's logins, the one that was used last first.
///
/// # Errors
/// [`Refusal::NotSignedIn`].
pub async fn page(context: RequestContext<'_>) -> Result<Reply, Error> {
    let Viewer::User { user_id, login_id } = context.viewer else { return Err(Refusal::NotSignedIn.into()) };
    let now_ms = context.now_ms();
    context
        .read(move |Snapshot { sql, seq }| {
            let logins = list(sql, user_id, login_id, now_ms)?;
            Reply::of(&Listed { logins, seq })
        })
        .await
}

/// Ends every login of the viewer but this one. The commit also closes their connections.
///
/// # Errors
/// [`Refusal::NotSignedIn`] for a guest, and if this login was just ended.
pub async fn log_out_others(
    request: wire::LogOutOthers,
    context: RequestContext<'_>,
) -> Result<Reply, Error> {
    let Viewer::User { user_id, login_id } = context.viewer else { return Err(Refusal::NotSignedIn.into()) };
    let key = request.key.used_by(user_id, "auth.log_out_others", &[]);
    context.write(LogOutOthers { key, user_id, login_id }).await
}

//! Reports: messages to the host about a post, a comment, a poll or a user.
//!
//! Guarantees:
//! - Users can report only what they may see. The report has a copy of it as it was then; later edits do not change the
//!   copy.
//! - A user has at most one open report of a thing. A second one replaces it.
//! - A handled report is deleted after ninety days. Any report is deleted with the account of its reporter or of the
//!   reported author.
//!
//! Never here: a message about a report that is sent to the reported user, or to anybody but the host.

pub mod rules;
pub mod store;
pub mod subject;
pub mod wire;

use crate::error::Error;
use crate::features::context::RequestContext;
use crate::reply::Reply;
use wire::Request;

/// Handles a request about reports.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, context: RequestContext<'_>) -> Result<Reply, Error> {
    let reporter_id = context.user()?;
    let Request::Create(create) = request;
    let (about, reason) = (create.about, create.reason);
    let details = rules::parse_details(&create.details, reason)?;
    let (kind, about_id) = about.parts();
    let parts: [&[u8]; 4] =
        [kind.as_bytes(), &about_id.to_be_bytes(), reason.word().as_bytes(), details.as_bytes()];
    let key = create.key.used_by(reporter_id, "reports.create", &parts);
    let command = store::Create { key, reporter_id, viewer: context.viewer, about, reason, details };
    context.write_limited(&context.app.rate_limiters.reports, command).await
}

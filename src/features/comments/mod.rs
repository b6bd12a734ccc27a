//! Comments under posts.
//!
//! Guarantees:
//! - A comment is visible to the current audience of its post. The author of a post who left its group does not see
//!   its comments.
//! - The count and the thread agree for each viewer: both have exactly the comments that the viewer may see. Each event
//!   has the new count. The event of a deletion also has the two oldest comments that remain.
//! - The author of a public post decides who may comment. Under a post of a group, every member may.
//! - The author of a comment, the author of the post and the owner of its group may delete it. A deleted comment is
//!   erased.

pub mod rules;
pub mod store;
pub mod wire;

use crate::db::readers::Snapshot;
use crate::error::{Error, Refusal};
use crate::events::{Effects, Named, Recipients, Topic};
use crate::features::context::RequestContext;
use crate::features::events::{Publication, Publish};
use crate::ids::PostId;
use crate::reply::Reply;
use wire::{Allowed, AllowedTo, Created, Deleted, Offered, Readers, Request};

impl Publish for Created {
    fn publication(&self) -> Publication {
        publication(self.comment.post_id, &self.readers)
    }
}

impl Publish for Deleted {
    fn publication(&self) -> Publication {
        publication(self.post_id, &self.readers)
    }
}

/// Publishes who may comment on an author's posts, to those for whom it changed.
impl Publish for Allowed {
    fn publication(&self) -> Publication {
        let recipients = match &self.to {
            AllowedTo::These(users) => Recipients::users_and(users.clone(), []),
            AllowedTo::AllBut(except) => Recipients::SignedInBut(except.clone()),
        };
        (recipients, Effects::default())
    }
}

/// Returns the publication of a change to a thread. Connections that show the post receive it. For a post of a group,
/// only those of its members do. Users who may not meet the author of the post or of the comment receive nothing.
fn publication(post_id: PostId, readers: &Readers) -> Publication {
    let (post, Readers { only, except }) = (Topic::Post(post_id), readers.clone());
    let named = Named { topics: vec![post], only, except, ..Named::default() };
    (Recipients::Named(named), Effects { about: Some(post), ..Effects::default() })
}

/// Handles a request about comments.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, context: RequestContext<'_>) -> Result<Reply, Error> {
    let user_id = context.user()?;
    match request {
        Request::Create(create) => {
            let rules::NewComment { text, mentions } = rules::parse(&create.text)?;
            let seen = create.audience.part();
            let parts: [&[u8]; 3] = [&create.post_id.0.to_be_bytes(), text.as_bytes(), &seen];
            let key = create.key.used_by(user_id, "comments.create", &parts);
            let command = store::Create {
                key,
                post_id: create.post_id,
                viewer: context.viewer,
                author_id: user_id,
                text,
                seen: create.audience,
                mentions,
            };
            context.write_limited(&context.app.rate_limiters.comments, command).await
        }
        Request::Delete(delete) => {
            let comment_id = delete.comment_id;
            let key = delete.key.used_by(user_id, "comments.delete", &[&comment_id.0.to_be_bytes()]);
            context.write(store::Delete { key, comment_id, viewer: context.viewer }).await
        }
        Request::Mentionable(request) => {
            let term = rules::parse_term(&request.term)?;
            let (viewer, post_id) = (context.viewer, request.post_id);
            context.app.rate_limiters.suggestions.take(user_id, context.now_ms())?;
            context
                .read(move |Snapshot { sql, seq }| {
                    let users = store::mentionable(sql, viewer, post_id, &term)?.ok_or(Refusal::NotFound)?;
                    Reply::read(&Offered { users, seq }, seq)
                })
                .await
        }
        Request::Page(page) => {
            let (viewer, post_id, after) = (context.viewer, page.post_id, page.after);
            context
                .read(move |Snapshot { sql, seq }| {
                    let thread = store::page(sql, viewer, post_id, after, seq)?.ok_or(Refusal::NotFound)?;
                    Ok(Reply::read(&thread, seq)?.subscribing([Topic::Post(post_id)]))
                })
                .await
        }
    }
}

//! Saved posts: a private list of posts of others, to find them again.
//!
//! Guarantees:
//! - Only the user learns what the user saved. A save causes no count, and no event or notification for anybody else.
//! - A saved post that the user may not see now is not listed, and is listed again once the user may see it.
//! - A block deletes what the two users saved of each other, for good. A mute changes nothing.
//!
//! `posts.saved` reads the list, because only `posts` replies with whole posts.

pub mod store;
pub mod wire;

use crate::error::Error;
use crate::events::{Effects, Recipients, Topic};
use crate::features::context::RequestContext;
use crate::features::events::{Publication, Publish};
use crate::reply::Reply;
use wire::{Changed, Request};

/// Publishes a change to the user's own connections.
impl Publish for Changed {
    fn publication(&self) -> Publication {
        let about = Some(Topic::Post(self.post_id));
        (Recipients::users([self.user_id]), Effects { about, ..Effects::default() })
    }
}

/// Handles a request about saved posts.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, context: RequestContext<'_>) -> Result<Reply, Error> {
    let user_id = context.user()?;
    let Request::Set(set) = request;
    let parts: [&[u8]; 2] = [&set.post_id.0.to_be_bytes(), &[u8::from(set.saved)]];
    let key = set.key.used_by(user_id, "saved.set", &parts);
    let command =
        store::Set { key, post_id: set.post_id, viewer: context.viewer, user_id, is_saved: set.saved };
    context.write(command).await
}

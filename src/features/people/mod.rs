//! Blocking and muting. A block ends all contact of two users. A mute hides what one user publishes from another.
//!
//! Guarantees:
//! - Two users of whom one blocked the other see nothing of each other from the commit on. `authz::may_meet` decides.
//! - Each of the two receives `users.deleted` about the other, as after a deletion.
//! - A mute changes only what the muting user is sent. Nobody else receives anything because of it.

pub mod store;
pub mod wire;

use crate::authz;
use crate::db::command::WriteCommand;
use crate::db::readers::Snapshot;
use crate::error::{Error, Field, Refusal};
use crate::events::{Effects, Loss, Recipients, users};
use crate::features::context::RequestContext;
use crate::features::events::{Event, Publication, Publish};
use crate::features::key::Key;
use crate::ids::UserId;
use crate::reply::Reply;
use crate::sentence::Sentence;
use store::Pair;
use wire::{Changed, Request};

const HIDE_SELF: Sentence = Sentence::new("hide_self", "You can't block or mute yourself.");

/// Publishes a change to the user's own connections. A running read may show too much, so it is run again.
impl Publish for Changed {
    fn publication(&self) -> Publication {
        let viewer = users([self.viewer_id]);
        let loss = (self.blocked || self.muted).then(|| Loss::Of(viewer.clone()));
        (Recipients::users_and(viewer, []), Effects { loss, ..Effects::default() })
    }
}

/// Handles a request about blocking and muting.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, context: RequestContext<'_>) -> Result<Reply, Error> {
    let viewer_id = context.user()?;
    let pair = |key: Key, op: &str, other_id: UserId| {
        if !authz::may_hide(context.viewer, other_id) {
            return Err(Refusal::Invalid(Field::USER, HIDE_SELF));
        }
        Ok(Pair { key: key.used_by(viewer_id, op, &[&other_id.0.to_be_bytes()]), viewer_id, other_id })
    };
    match request {
        Request::Block(wire::Block { key, user_id }) => {
            hide(store::Block(pair(key, "people.block", user_id)?), context).await
        }
        Request::Mute(wire::Mute { key, user_id }) => {
            hide(store::Mute(pair(key, "people.mute", user_id)?), context).await
        }
        Request::Unblock(wire::Unblock { key, user_id }) => {
            context.write(store::Unblock(pair(key, "people.unblock", user_id)?)).await
        }
        Request::Unmute(wire::Unmute { key, user_id }) => {
            context.write(store::Unmute(pair(key, "people.unmute", user_id)?)).await
        }
        Request::Hidden(_) => {
            context
                .read(move |Snapshot { sql, seq }| Reply::read(&store::hidden(sql, viewer_id, seq)?, seq))
                .await
        }
    }
}

/// Executes a block or a mute. The reply is sent after its events were delivered to every connection.
async fn hide(
    command: impl WriteCommand<Event = Event> + 'static,
    context: RequestContext<'_>,
) -> Result<Reply, Error> {
    let reply = context.write_limited(&context.app.rate_limiters.hides, command).await?;
    context.app.barrier.wait(reply.seq).await;
    Ok(reply)
}

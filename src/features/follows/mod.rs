//! Following. A feed has the posts of the users whom the viewer follows.
//!
//! Guarantees:
//! - A follow takes effect with its commit: a post is sent to those who are followers when it is published.
//! - The lists are visible only to their owner. Others see the counts.

pub mod store;
pub mod wire;

use crate::authz;
use crate::db::readers::Snapshot;
use crate::error::{Error, Field, Refusal};
use crate::events::{Effects, Loss, Named, Recipients, Right, Topic, users};
use crate::features::context::RequestContext;
use crate::features::events::{Publication, Publish};
use crate::reply::Reply;
use crate::sentence::Sentence;
use wire::{Changed, Counted, Request};

const FOLLOW_SELF: Sentence = Sentence::new("follow_self", "You can't follow yourself.");

/// Publishes a follow or an unfollow to the follower. An unfollow takes the rights of a follower away.
impl Publish for Changed {
    fn publication(&self) -> Publication {
        let Changed { user_id, following, follower_id } = *self;
        let lost = || Loss::Right { users: users([follower_id]), right: Right::Following(user_id) };
        let effects = Effects { loss: (!following).then(lost), ..Effects::default() };
        (Recipients::users([follower_id]), effects)
    }
}

/// Publishes new counts to connections that show the profile. Hidden counts are published to their owner alone.
impl Publish for Counted {
    fn publication(&self) -> Publication {
        let profile = Topic::Profile(self.user_id);
        let recipients = match self.hide_numbers {
            true => Recipients::users([self.user_id]),
            false => {
                let (topics, except) = (vec![profile], self.hidden_from.clone());
                Recipients::Named(Named { topics, except, ..Named::default() })
            }
        };
        (recipients, Effects { coalesce: Some(profile), ..Effects::default() })
    }
}

/// Handles a request about following.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, context: RequestContext<'_>) -> Result<Reply, Error> {
    let follower_id = context.user()?;
    match request {
        Request::Set(set) => {
            if !authz::may_follow(context.viewer, set.user_id) {
                return Err(Refusal::Invalid(Field::USER, FOLLOW_SELF).into());
            }
            let parts: [&[u8]; 2] = [&set.user_id.0.to_be_bytes(), &[u8::from(set.following)]];
            let key = set.key.used_by(follower_id, "follows.set", &parts);
            let command = store::Set {
                notifies: false,
                key,
                follower_id,
                followed_id: set.user_id,
                following: set.following,
            };
            self::set(command, context).await
        }
        Request::Remove(remove) => {
            let key = remove.key.used_by(follower_id, "follows.remove", &[&remove.user_id.0.to_be_bytes()]);
            let command = store::Remove { key, follower_id: remove.user_id, followed_id: follower_id };
            context.write_delivered(command).await
        }
        Request::Page(page) => {
            context
                .read(move |Snapshot { sql, seq }| {
                    let people = store::page(sql, follower_id, page.side, page.before, seq)?;
                    Reply::read(&people, seq)
                })
                .await
        }
    }
}

/// Sets a follow within the rate limits. A request that changes nothing counts as a new follow, even if it unfollows. A
/// retry does not count.
///
/// A notification that its user deleted is not made again within a day. After a restart the server does not know of it,
/// and may notify once more.
async fn set(mut command: store::Set, context: RequestContext<'_>) -> Result<Reply, Error> {
    let limiters = &context.app.rate_limiters;
    let (following, now_ms) = (command.following, context.now_ms());
    let pair = (command.follower_id, command.followed_id);
    command.notifies = following && limiters.follow_notifications.take(pair, now_ms).is_ok();
    let notifies = command.notifies;
    let written = match following {
        true => context.submit_limited(&limiters.follows, command).await,
        false => context.submit(command).await,
    };
    if notifies && !written.as_ref().is_ok_and(|done| done.is_change) {
        limiters.follow_notifications.give_back(&pair);
    }
    let done = written?;
    // A retry has no value, because the command is not applied again.
    if !done.is_change && done.value.is_some() {
        limiters.follows.take(pair.0, now_ms)?;
    }
    Ok(done.into())
}

//! Following: whose posts come into one's space.
//!
//! Promises:
//! - Following takes effect with its commit: who hears an author is asked when the author speaks.
//! - The lists are shown to their owner alone; others see counts.

pub mod store;
pub mod wire;

use super::kit::{Answer, Ask, Hearers, Topic};
use crate::access;
use crate::db::readers::Snapshot;
use crate::error::{Error, Field, Refusal, Sentence};
use crate::ids::NotificationId;
use wire::{Changed, Counted, Request};

/// Returns who is told that somebody follows or unfollows: their own sockets. Who unfollows hears no more of
/// the other's polls.
#[must_use]
pub fn changed_hearers(changed: &Changed) -> Hearers {
    let Changed { user_id, following, follower_id } = *changed;
    let shuts_polls = (!following).then_some((follower_id, user_id));
    Hearers { topics: vec![Topic::User(follower_id)], shuts_polls, ..Hearers::default() }
}

/// Returns who is told of new counts, at a pace: who shows the profile, or its owner alone while they are
/// hidden.
#[must_use]
pub fn counted_hearers(counted: &Counted) -> Hearers {
    let profile = Topic::Profile(counted.user_id);
    let hearer = if counted.hide_numbers { Topic::User(counted.user_id) } else { profile };
    Hearers { topics: vec![hearer], pace: Some(profile), ..Hearers::default() }
}

/// Answers what is asked about following.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, ask: Ask<'_>) -> Result<Answer, Error> {
    let follower_id = ask.user()?;
    match request {
        Request::Set(set) => {
            if !access::may_follow(ask.viewer, set.user_id) {
                return Err(Refusal::Invalid(Field::User, Sentence::FollowSelf).into());
            }
            let parts: [&[u8]; 2] = [&set.user_id.0.to_be_bytes(), &[u8::from(set.following)]];
            let key = set.key.used_by(follower_id, "follows.set", &parts);
            let id = ask.app.ids.make(ask.now_ms());
            let work = store::Set {
                key,
                id,
                notification_id: NotificationId(ask.app.ids.make(ask.now_ms())),
                follower_id,
                followed_id: set.user_id,
                following: set.following,
            };
            if set.following {
                ask.write_paced(&ask.app.paces.follows, work).await
            } else {
                ask.write(work).await
            }
        }
        Request::Page(page) => {
            ask.read(move |Snapshot { sql, seq }| {
                let people = store::page(sql, follower_id, page.side, page.before, seq)?;
                // A name that changed meanwhile follows the answer.
                Ok(Answer::of(&people)?.hearing([Topic::Everyone], seq))
            })
            .await
        }
    }
}

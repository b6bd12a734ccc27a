//! Following: whose posts come into one's space.
//!
//! Promises:
//! - Following takes effect with its commit: who hears an author is asked when the author speaks.
//! - The lists are shown to their owner alone; others see counts.

pub mod store;
pub mod wire;

use super::kit::{Answer, Ask, Publication};
use crate::access;
use crate::db::readers::Snapshot;
use crate::error::{Error, Field, Refusal, Sentence};
use crate::events::{Effects, Loss, Recipients, Right, Topic, Users, users};
use crate::ids::NotificationId;
use wire::{Changed, Counted, Request};

/// Returns who receives that somebody follows or unfollows, and what it does: the follower. Who unfollows loses what
/// following allowed.
#[must_use]
pub fn changed_publication(changed: &Changed) -> Publication {
    let Changed { user_id, following, follower_id } = *changed;
    let lost = || Loss::Right { users: users([follower_id]), right: Right::Following(user_id) };
    let effects = Effects { loss: (!following).then(lost), ..Effects::default() };
    (Recipients::users([follower_id]), effects)
}

/// Returns who receives new counts, and what it does: whoever shows the profile, or its owner alone while they are
/// hidden.
#[must_use]
pub fn counted_publication(counted: &Counted) -> Publication {
    let profile = Topic::Profile(counted.user_id);
    let recipients = match counted.hide_numbers {
        true => Recipients::users([counted.user_id]),
        false => Recipients::users_and(Users::default(), [profile]),
    };
    (recipients, Effects { coalesce: Some(profile), ..Effects::default() })
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
                Answer::read(&people, seq)
            })
            .await
        }
    }
}

//! Profiles: who somebody is to others.
//!
//! Never: an address of mail, or the lists behind the counts.

pub mod store;
pub mod wire;

use super::kit::{Answer, Ask, Hearers, Topic};
use crate::access;
use crate::error::{Error, Refusal};
use wire::{Changed, Request, Shown};

/// Returns who is told of a changed profile: who shows it, and its owner.
#[must_use]
pub fn changed_hearers(changed: &Changed) -> Hearers {
    let user_id = changed.profile.id;
    Hearers { topics: vec![Topic::Profile(user_id), Topic::User(user_id)], ..Hearers::default() }
}

/// Returns who is told of a new name or photo: everybody who is here, because anybody may show it.
#[must_use]
pub fn renamed_hearers() -> Hearers {
    Hearers { topics: vec![Topic::Everyone], ..Hearers::default() }
}

/// Answers what is asked about profiles.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, ask: Ask<'_>) -> Result<Answer, Error> {
    let viewer_id = ask.user()?;
    let Request::Get(get) = request else { return Err(Refusal::UnknownOp.into()) };
    if !access::may_see_profiles(ask.viewer) {
        return Err(Refusal::NotFound.into());
    }
    let mut snapshot = ask.app.reader.snapshot().await?;
    let seq = snapshot.seq;
    let profile = store::find(snapshot.connection(), get.user_id, viewer_id).await?;
    let profile = profile.ok_or(Refusal::NotFound)?;
    Ok(Answer::of(&Shown { profile, seq })?.hearing([Topic::Profile(get.user_id)], seq))
}

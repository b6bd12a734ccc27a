//! Profiles: who somebody is to others.
//!
//! Never: an address of mail, or the lists behind the counts.

pub mod store;
pub mod wire;

use super::kit::{Answer, Ask, Topic};
use crate::access;
use crate::error::{Error, Refusal};
use wire::{Request, Shown};

/// Answers what is asked about profiles.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, ask: Ask<'_>) -> Result<Answer, Error> {
    let viewer_id = ask.user()?;
    let Request::Get(get) = request;
    if !access::may_see_profiles(ask.viewer) {
        return Err(Refusal::NotFound.into());
    }
    let mut snapshot = ask.app.reader.snapshot().await?;
    let seq = snapshot.seq;
    let profile = store::find(snapshot.connection(), get.user_id, viewer_id).await?;
    let profile = profile.ok_or(Refusal::NotFound)?;
    Ok(Answer::of(&Shown { profile, seq })?.hearing([Topic::Profile(get.user_id)], seq))
}

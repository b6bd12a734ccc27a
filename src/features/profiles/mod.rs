//! Profiles: who somebody is to others.
//!
//! Promises:
//! - A new name or photo is told to everybody who is here: it stands wherever its person does.
//! - A change to what was there already is no change: it is told to nobody and costs nothing.
//! - A photo and its files stand in one commit, or neither does; the old one's address is nobody's at once.
//!
//! Never: an address of mail, or the lists behind the counts.

pub mod rules;
pub mod store;
pub mod wire;

use super::files::Purpose;
use super::kit::{Answer, Ask, Change, Publication};
use super::people;
use crate::access;
use crate::db::readers::Snapshot;
use crate::error::{Error, Refusal};
use crate::events::{Effects, Recipients, Topic, users};
use crate::ids::UserId;
use wire::{Changed, Request, SetPhoto, Shown};

/// Returns who receives a changed profile, and what it does: whoever shows it, and its owner.
#[must_use]
pub fn changed_publication(changed: &Changed) -> Publication {
    let (user_id, profile) = (changed.profile.id, Topic::Profile(changed.profile.id));
    let effects = Effects { newest_only: Some(profile), ..Effects::default() };
    (Recipients::users_and(users([user_id]), [profile]), effects)
}

/// Returns who receives a new name or photo, and what it does: every signed-in connection, because any may show it.
#[must_use]
pub fn renamed_publication() -> Publication {
    (Recipients::SignedIn, Effects::default())
}

/// Answers what is asked about profiles.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, ask: Ask<'_>) -> Result<Answer, Error> {
    let viewer_id = ask.user()?;
    match request {
        Request::Get(get) => {
            if !access::may_see_profiles(ask.viewer) {
                return Err(Refusal::NotFound.into());
            }
            ask.read(move |Snapshot { sql, seq }| {
                let known = people::profile(sql, get.user_id, viewer_id)?.ok_or(Refusal::NotFound)?;
                let profile = known.for_viewer();
                Ok(Answer::read(&Shown { profile, seq }, seq)?.subscribing([Topic::Profile(get.user_id)]))
            })
            .await
        }
        Request::Update(update) => {
            let (name, bio) = (rules::parse_name(&update.name)?, rules::parse_bio(&update.bio)?);
            let (from_color, to_color) = (update.from_color, update.to_color);
            let colors = [from_color.word().as_bytes(), to_color.word().as_bytes()];
            let parts = [name.as_bytes(), bio.as_bytes(), colors[0], colors[1]];
            let key = update.key.used_by(viewer_id, "profiles.update", &parts);
            let change = Change::default();
            let work = store::Update {
                key,
                user_id: viewer_id,
                name,
                bio,
                from_color,
                to_color,
                change: change.clone(),
            };
            ask.write_paced_when(&ask.app.paces.profiles, work, || change.was_made()).await
        }
        Request::SetPhoto(set) => set_photo(set, viewer_id, ask).await,
    }
}

async fn set_photo(set: SetPhoto, user_id: UserId, ask: Ask<'_>) -> Result<Answer, Error> {
    let key = set.key.used_by(user_id, "profiles.set_photo", &[&set.upload.0]);
    let uploads = &ask.app.uploads;
    // The writer knows whether this is a retry of what was done, which gets its first answer, or wants
    // what is no longer there.
    let ready = uploads.ready(user_id, &[set.upload], Purpose::Photo, ask.now_ms());
    let picture = ready.and_then(|mut ready| ready.pop().ok_or(Refusal::UploadGone));
    let change = Change::default();
    let work = store::SetPhoto { key, user_id, picture, change: change.clone() };
    let answer = ask.write_paced_when(&ask.app.paces.profiles, work, || change.was_made()).await?;
    if change.was_made() {
        uploads.belong(user_id, &[set.upload]);
        // The files of the photo before leave the disk.
        uploads.bell.notify_one();
    } else {
        // What was sent once more for a photo that was set belongs to nothing.
        uploads.cancel(user_id, set.upload, &ask.app.readers).await;
    }
    Ok(answer)
}

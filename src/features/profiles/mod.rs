//! Profiles of users, and the languages of their accounts.
//!
//! Guarantees:
//! - A new name or photo is published to all signed-in connections, because any of them may show it.
//! - A request that changes nothing publishes nothing, and does not count against its rate limit.
//! - A photo and its files are committed together. The address of the old photo stops working at once.
//! - The languages of an account are sent to its user alone.
//!
//! Never here: a mail address, or the lists behind the counts.

pub mod rules;
pub mod store;
pub mod wire;

use crate::authz;
use crate::db::readers::Snapshot;
use crate::error::{Error, Refusal};
use crate::events::{Effects, Named, Recipients, Topic, users};
use crate::features::context::RequestContext;
use crate::features::events::{Publication, Publish};
use crate::ids::UserId;
use crate::model::files::Purpose;
use crate::reply::Reply;
use wire::{Changed, Renamed, Request, SetPhoto, Shown};

/// Publishes a changed profile to its owner and to connections that show it.
impl Publish for Changed {
    fn publication(&self) -> Publication {
        let (user_id, profile) = (self.profile.id, Topic::Profile(self.profile.id));
        let (users, except) = (users([user_id]), self.hidden_from.clone());
        let named = Named { users, topics: vec![profile], except, ..Named::default() };
        (Recipients::Named(named), Effects::default())
    }
}

/// Publishes a new name or photo to every signed-in connection, because any may show it.
impl Publish for Renamed {
    fn publication(&self) -> Publication {
        (Recipients::SignedInBut(self.hidden_from.clone()), Effects::default())
    }
}

/// Handles a request about profiles.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, context: RequestContext<'_>) -> Result<Reply, Error> {
    let viewer_id = context.user()?;
    match request {
        Request::Get(get) => {
            if !authz::may_see_profiles(context.viewer) {
                return Err(Refusal::NotFound.into());
            }
            context
                .read(move |Snapshot { sql, seq }| {
                    let known =
                        store::known::profile(sql, get.user_id, viewer_id)?.ok_or(Refusal::NotFound)?;
                    let profile = known.for_viewer();
                    Ok(Reply::read(&Shown { profile, seq }, seq)?.subscribing([Topic::Profile(get.user_id)]))
                })
                .await
        }
        Request::Update(update) => {
            let (name, bio) = (rules::parse_name(&update.name)?, rules::parse_bio(&update.bio)?);
            let (from_color, to_color) = (update.from_color, update.to_color);
            let colors = [from_color.word().as_bytes(), to_color.word().as_bytes()];
            let parts = [name.as_bytes(), bio.as_bytes(), colors[0], colors[1]];
            let key = update.key.used_by(viewer_id, "profiles.update", &parts);
            let command = store::Update { key, user_id: viewer_id, name, bio, from_color, to_color };
            context.write_limited(&context.app.rate_limiters.profiles, command).await
        }
        Request::SetPhoto(set) => set_photo(set, viewer_id, context).await,
        Request::SetLanguage(set) => {
            let languages = &context.app.languages;
            let language = set.language.map(|tag| languages.known(tag)).transpose()?;
            let shown = languages.known(set.shown)?;
            let parts = [language.as_deref().unwrap_or("").as_bytes(), shown.as_bytes()];
            let key = set.key.used_by(viewer_id, "profiles.language", &parts);
            let command = store::SetLanguage { key, user_id: viewer_id, language, shown };
            context.write_limited(&context.app.rate_limiters.languages, command).await
        }
    }
}

async fn set_photo(set: SetPhoto, user_id: UserId, context: RequestContext<'_>) -> Result<Reply, Error> {
    let key = set.key.used_by(user_id, "profiles.set_photo", &[&set.upload.0]);
    let uploads = &context.app.uploads;
    // If the upload is missing, only the writer knows whether this request is a retry, which gets the first reply, so
    // the writer decides.
    let ready = uploads.ready(user_id, &[set.upload], Purpose::Photo, context.now_ms());
    let picture = ready.and_then(|mut ready| ready.pop().ok_or(Refusal::UploadGone));
    let command = store::SetPhoto { key, user_id, picture };
    let reply = context.write_limited(&context.app.rate_limiters.profiles, command).await?;
    if reply.is_change {
        uploads.mark_used(user_id, &[set.upload]);
        // The sweeper removes the files of the previous photo.
        uploads.wake.notify_one();
    } else {
        // A photo that was uploaded again for a repeated request is not needed.
        uploads.cancel(user_id, set.upload, &context.app.readers).await;
    }
    Ok(reply)
}

//! One's own account: what others may see of it, taking all of it along, ending it.
//!
//! Promises:
//! - Hidden numbers reach nobody but their owner from that commit on.
//! - An account ends in one commit: nothing of it is in the database, a file or an event afterwards, but for
//!   labels of mentions in what others said. What others have is right in the same breath: groups of this
//!   person end with it, and others go on without them.
//! - An archive holds what its person has and nothing else, and is theirs alone to fetch.

mod archive;
pub mod desk;
pub mod store;
pub mod wire;

use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::mpsc;

use super::kit::{Answer, App, Ask, Publication};
use crate::error::Error;
use crate::events::{Effects, Loss, Recipients, Topic};
use crate::ids::{LoginId, UserId};
use desk::Place;
use wire::{Changed, Ended, Ready, Request};

#[must_use]
pub fn ended_publication(ended: &Ended) -> Publication {
    let (ends, loss) = (Some(Topic::Profile(ended.user_id)), Some(Loss::Any));
    (Recipients::SignedIn, Effects { ends, loss, ..Effects::default() })
}

/// Returns who receives a changed account, and what it does: its user. Whose numbers are hidden may have hidden them
/// by this; accounts change so seldom that it is taken for a loss also where it was something else.
#[must_use]
pub fn changed_publication(changed: &Changed) -> Publication {
    let loss = changed.me.hide_numbers.then_some(Loss::Numbers);
    (Recipients::users([changed.me.id]), Effects { loss, ..Effects::default() })
}

/// Answers what is asked about one's own account.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, ask: Ask<'_>) -> Result<Answer, Error> {
    let user_id = ask.user()?;
    let app = ask.app;
    match request {
        Request::SetPrivacy(set) => {
            let hide_numbers = set.hide_numbers;
            let key = set.key.used_by(user_id, "account.set_privacy", &[&[u8::from(hide_numbers)]]);
            ask.write_paced(&app.paces.profiles, store::SetPrivacy { key, user_id, hide_numbers }).await
        }
        Request::Export(_) => {
            app.paces.exports.take(user_id, ask.now_ms())?;
            match app.exports.make(user_id, ask.now_ms()) {
                Ok(ticket) => Answer::of(&Ready { url: format!("/export/{ticket}") }),
                Err(why) => {
                    app.paces.exports.give_back(&user_id);
                    Err(why)
                }
            }
        }
        Request::Delete(delete) => {
            let password_hash = app.desk.prove(delete.password, ask).await?.password_hash;
            let answer = ask.write(store::Delete { user_id, password_hash }).await?;
            log::info!("an account ended: {}", user_id.0);
            // Should this not be waited for any more, the sweeper comes by itself.
            app.uploads.bell.notify_one();
            app.postbox.bell.notify_one();
            Ok(answer)
        }
    }
}

/// Begins to make somebody's archive for this login; returns its pieces as they come. The last of a whole one
/// is empty: one that ends without it broke off. It holds its place until its end, and ends early when nobody takes its pieces.
#[must_use]
pub fn archive(user_id: UserId, login_id: LoginId, app: Arc<App>, place: Place) -> mpsc::Receiver<Bytes> {
    let (out, pieces) = mpsc::channel(1);
    actix_web::rt::spawn(async move {
        let _place = place;
        match archive::pack(user_id, login_id, &app, out).await {
            Err(Error::Refused(_)) | Ok(()) => {}
            Err(why) => log::error!("an archive broke off: {why}"),
        }
    });
    pieces
}

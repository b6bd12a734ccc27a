//! Accounts: privacy, export and deletion.
//!
//! Guarantees:
//! - From the commit that hides them on, hidden numbers are sent only to their owner.
//! - An account is deleted in one commit. Afterwards the database, the files and new events contain nothing of it,
//!   except the labels of mentions in comments of other users. Groups that the user owned are deleted too. Other groups
//!   continue without the user.
//! - An archive contains only data of its user, and only this user can fetch it.

mod archive;
pub mod exports;
pub mod store;
pub mod wire;

use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::mpsc;

use crate::error::Error;
use crate::events::{Effects, Loss, Recipients, Topic, users};
use crate::features::context::{App, RequestContext};
use crate::features::events::{Publication, Publish};
use crate::ids::{LoginId, UserId};
use crate::model::archive::ArchiveFile;
use crate::model::choices::{Adders, Commenters};
use crate::reply::Reply;
use exports::ExportPermit;
use wire::{Cause, Changed, Ended, Ready, Request, Returned, Viewers};

impl Publish for Ended {
    fn publication(&self) -> Publication {
        match &self.viewers {
            Viewers::AllBut(except) => {
                let (ends, loss) = (Some(Topic::Profile(self.user_id)), Some(Loss::Any));
                (Recipients::SignedInBut(except.clone()), Effects { ends, loss, ..Effects::default() })
            }
            Viewers::One(viewer_id) => {
                let viewer = users([*viewer_id]);
                let loss = Some(Loss::Meeting { users: viewer.clone(), user_id: self.user_id });
                (Recipients::users_and(viewer, []), Effects { loss, ..Effects::default() })
            }
        }
    }
}

/// Makes a user appear again for viewers.
impl Publish for Returned {
    fn publication(&self) -> Publication {
        let recipients = match &self.viewers {
            Viewers::AllBut(except) => Recipients::SignedInBut(except.clone()),
            Viewers::One(viewer_id) => Recipients::users([*viewer_id]),
        };
        (recipients, Effects::default())
    }
}

/// Publishes a changed account to its user. A client that reconnects has the account from `hello`, so it is not
/// replayed: what it says of quiet hours would be over. Only a user who hides their numbers takes something from others.
/// Quiet hours begin and end twice a day, and nobody else may notice it.
impl Publish for Changed {
    fn publication(&self) -> Publication {
        let loss = (self.cause == Cause::NumbersHidden).then_some(Loss::Any);
        (Recipients::users([self.me.id]), Effects { loss, is_transient: true, ..Effects::default() })
    }
}

/// Handles a request about the viewer's account.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, context: RequestContext<'_>) -> Result<Reply, Error> {
    let user_id = context.user()?;
    let app = context.app;
    match request {
        Request::SetPrivacy(set) => {
            let wire::SetPrivacy { key, hide_numbers, listed, adders, commenters } = set;
            let switches = [hide_numbers, listed].map(|set| set.map_or(2, u8::from));
            let adders_part = adders.map_or("", Adders::word);
            let parts: [&[u8]; 3] =
                [&switches, adders_part.as_bytes(), commenters.map_or("", Commenters::word).as_bytes()];
            let key = key.used_by(user_id, "account.set_privacy", &parts);
            let command = store::SetPrivacy { key, user_id, hide_numbers, listed, adders, commenters };
            context.write_limited(&app.rate_limiters.profiles, command).await
        }
        Request::Export(_) => {
            app.rate_limiters.exports.take(user_id, context.now_ms())?;
            match app.exports.make(user_id, context.now_ms()) {
                Ok(ticket) => Reply::of(&Ready { url: format!("/export/{ticket}") }),
                Err(why) => {
                    app.rate_limiters.exports.give_back(&user_id);
                    Err(why)
                }
            }
        }
        Request::Delete(delete) => {
            let password_hash = app
                .auth
                .check_user(user_id, delete.password, &app.readers, context.now_ms())
                .await?
                .password_hash;
            // The groups that the user owned end with the account, so their members lose rights.
            let reply = context.write_delivered(store::Delete { user_id, password_hash }).await?;
            log::info!("account {} was deleted", user_id.0);
            // If this wake-up is lost, the sweeper runs at its next interval.
            app.uploads.wake.notify_one();
            app.mail_queue.wake.notify_one();
            Ok(reply)
        }
    }
}

/// Starts making the archive of a user for this login, with these files of rows. Returns its pieces. The last piece of
/// a complete archive is empty; an archive without it was cut off. The permit is held until the archive ends, which is
/// early if the pieces are not taken.
#[must_use]
pub fn archive(
    user_id: UserId,
    login_id: LoginId,
    app: Arc<App>,
    of_rows: Vec<ArchiveFile>,
    permit: ExportPermit,
) -> mpsc::Receiver<Bytes> {
    let (out, pieces) = mpsc::channel(1);
    actix_web::rt::spawn(async move {
        let _permit = permit;
        match archive::pack(user_id, login_id, &app, of_rows, out).await {
            Err(Error::Refused(_)) | Ok(()) => {}
            Err(why) => log::error!("an archive was cut off: {why}"),
        }
    });
    pieces
}

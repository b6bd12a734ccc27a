//! Admins: who looks after this Mellow, what they see and change of accounts, and the log of that.
//!
//! Guarantees:
//! - A command on the host's machine makes an admin, and nothing else does.
//! - To everybody else these requests answer like things that are not there.
//! - Admins are sent no address of mail. Nothing is done to the account of an admin.
//! - The answer comes after every connection was told.

pub mod host;
pub mod store;
pub mod wire;

use crate::db::readers::Snapshot;
use crate::error::{Error, Field, Refusal, Sentence};
use crate::events::{Effects, Loss, Recipients};
use crate::features::context::{App, RequestContext};
use crate::features::events::{Publication, Publish};
use crate::features::reply::Reply;
use crate::features::shared::accounts::NewLink;
use crate::features::shared::admins::{self, Actor};
use crate::ids::MailId;
use crate::limits::EMAIL_CHARS_MAX;
use crate::text;
use wire::{Changed, Link, Request};

/// Publishes to all admins. What somebody reads who is no admin any more is read again.
impl Publish for Changed {
    fn publication(&self) -> Publication {
        let loss = self.has_demoted.then_some(Loss::Any);
        (Recipients::users(self.admins.iter().copied()), Effects { loss, ..Effects::default() })
    }
}

/// Handles a request of an admin.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, context: RequestContext<'_>) -> Result<Reply, Error> {
    let admin_id = context.user()?;
    let actor = Actor::Admin(admin_id);
    match request {
        Request::People(people) => {
            let term = people.term.unwrap_or_default();
            if text::count(&term) > EMAIL_CHARS_MAX {
                return Err(Refusal::Invalid(Field::Term, Sentence::TooLong(EMAIL_CHARS_MAX)).into());
            }
            context
                .read(move |Snapshot { sql, seq }| {
                    admins::require(sql, actor)?;
                    Reply::read(&store::people(sql, &term, people.before, seq)?, seq)
                })
                .await
        }
        Request::Log(log) => {
            context
                .read(move |Snapshot { sql, seq }| {
                    admins::require(sql, actor)?;
                    Reply::read(&store::log(sql, log.before.map(|before| before.0), seq)?, seq)
                })
                .await
        }
        Request::EndLogins(end) => {
            let part = end.user_id.0.to_be_bytes();
            let key = Some(end.key.used_by(admin_id, "admin.end_logins", &[&part]));
            context.write_delivered(store::EndLogins { key, actor, user_id: end.user_id }).await
        }
        Request::ResetLink(reset) => {
            let app = context.app;
            let link = NewLink::make(MailId(app.ids.make(context.now_ms())))?;
            let url = reset_url(&app.site_url, &link);
            context.write(store::MakeResetLink { actor, user_id: reset.user_id, link }).await?;
            app.mail_queue.wake.notify_one();
            Reply::of(&Link { url })
        }
        Request::Delete(delete) => {
            let app = context.app;
            // Whoever is no admin learns nothing by a password either.
            context.read(move |Snapshot { sql, .. }| admins::require(sql, actor)).await?;
            let (address, now_ms) = (context.address, context.now_ms());
            app.auth.check_user(admin_id, delete.password, address, &app.readers, now_ms).await?;
            let reply = context.write_delivered(store::Delete { actor, user_id: delete.user_id }).await?;
            clear_files(app);
            Ok(reply)
        }
    }
}

/// Has the files and mails of a deleted account removed.
fn clear_files(app: &App) {
    log::info!("an account was deleted by an admin or a command");
    app.uploads.wake.notify_one();
    app.mail_queue.wake.notify_one();
}

/// Returns the address that sets a new password.
fn reset_url(site_url: &str, link: &NewLink) -> String {
    format!("{site_url}/reset#{}", link.token)
}

/// Says how to make an admin, where there is none.
///
/// # Errors
/// A database fault.
pub async fn say_if_none(app: &App) -> Result<(), Error> {
    if !app.readers.read(move |Snapshot { sql, .. }| store::has_admin(sql)).await? {
        log::info!("nobody is an admin here; `mellow user promote EMAIL` makes somebody one");
    }
    Ok(())
}

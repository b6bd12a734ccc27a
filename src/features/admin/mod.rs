//! Admins: the accounts that run this Mellow, what they see and change, and the log of their changes.
//!
//! Guarantees:
//! - A command on the host's machine makes an admin, and nothing else does.
//! - For everybody else these requests are `not_found`.
//! - Admins never receive a mail address. No request changes the account of an admin.
//! - A suspended account has no login and cannot get one. Nothing of it is deleted.
//! - A reply is sent after its events were delivered to every connection.

pub mod host;
pub mod store;
pub mod wire;

use std::sync::atomic::Ordering;

use crate::db::readers::Snapshot;
use crate::error::{Error, Field, Refusal};
use crate::events::{Effects, Loss, Recipients};
use crate::features::admin_log::store::{self as admin_log, Actor};
use crate::features::auth::store::links::NewLink;
use crate::features::context::{App, RequestContext};
use crate::features::events::{Publication, Publish};
use crate::ids::MailId;
use crate::limits::{ADMIN_PAGE, EMAIL_CHARS_MAX};
use crate::reply::Reply;
use crate::sentence::Sentence;
use crate::settings::version;
use crate::{backup, disk, text};
use wire::{Changed, Figures, FrontFigures, KeptBackup, Link, Request};

const BACKUP_FAILED: Sentence =
    Sentence::new("backup_failed", "The backup could not be made. Health says why.");

/// Published to all admins. A running read of a user who was demoted is run again.
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
                return Err(Refusal::TooLong(Field::TERM, EMAIL_CHARS_MAX).into());
            }
            context
                .read(move |Snapshot { sql, seq }| {
                    admin_log::require(sql, actor)?;
                    Reply::read(&store::people(sql, &term, people.before, seq)?, seq)
                })
                .await
        }
        Request::Log(log) => {
            context
                .read(move |Snapshot { sql, seq }| {
                    admin_log::require(sql, actor)?;
                    Reply::read(&store::log(sql, admin_id, log.before.map(|before| before.0), seq)?, seq)
                })
                .await
        }
        Request::Reports(request) => {
            let viewer = context.viewer;
            context
                .read(move |Snapshot { sql, seq }| {
                    admin_log::require(sql, actor)?;
                    Reply::read(&store::open_reports(sql, viewer, request.before, seq)?, seq)
                })
                .await
        }
        Request::DismissReport(dismiss) => {
            let report_id = dismiss.report_id;
            let part = report_id.0.to_be_bytes();
            let key = dismiss.key.used_by(admin_id, "admin.dismiss_report", &[&part]);
            context.write(store::DismissReport { key, actor, report_id }).await
        }
        Request::RemoveContent(remove) => {
            let report_id = remove.report_id;
            let part = report_id.0.to_be_bytes();
            let key = remove.key.used_by(admin_id, "admin.remove_content", &[&part]);
            let reply = context.write_delivered(store::RemoveContent { key, actor, report_id }).await?;
            context.app.uploads.wake.notify_one();
            Ok(reply)
        }
        Request::Health(_) => health(actor, context).await,
        Request::BackUp(_) => {
            context.read(move |Snapshot { sql, .. }| admin_log::require(sql, actor)).await?;
            if let Err(why) = context.app.backups.make(context.now_ms()).await {
                log::warn!("an admin asked for a backup, and it could not be made: {why}");
                return Err(Refusal::Invalid(Field::BACKUP, BACKUP_FAILED).into());
            }
            // Any other refusal would say that nothing was done, but the backup was made.
            context.write(store::BackedUp { actor }).await.map_err(|why| {
                log::error!("a backup was made, and the log of admins could not be written: {why}");
                Error::Refused(Refusal::Fault)
            })
        }
        Request::Suspend(suspend) => {
            let wire::Suspend { key, user_id, suspended } = suspend;
            let parts = [&user_id.0.to_be_bytes()[..], &[u8::from(suspended)]];
            let key = Some(key.used_by(admin_id, "admin.suspend", &parts));
            context.write_delivered(store::Suspend { key, actor, user_id, is_suspended: suspended }).await
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
            // The actor must be an admin before a password is checked.
            context.read(move |Snapshot { sql, .. }| admin_log::require(sql, actor)).await?;
            app.auth.check_user(admin_id, delete.password, &app.readers, context.now_ms()).await?;
            let reply = context.write_delivered(store::Delete { actor, user_id: delete.user_id }).await?;
            clear_files(app);
            Ok(reply)
        }
    }
}

/// Reads the state of the server.
async fn health(actor: Actor, context: RequestContext<'_>) -> Result<Reply, Error> {
    let app = context.app;
    let data = app.settings.data.clone();
    let (sockets, backup_failure) = ((app.open_sockets)(), app.backups.last_failure());
    let figures = |(name, sockets, lag_writes)| FrontFigures { name, sockets, lag_writes };
    let fronts: Vec<FrontFigures> = (app.fronts)().into_iter().map(figures).collect();
    let mail_failure = app.mail_queue.failure();
    let writer_queue = app.writer.load().commands.load(Ordering::Relaxed) as u64;
    context
        .read(move |Snapshot { sql, .. }| {
            admin_log::require(sql, actor)?;
            let bytes = |name: &str| std::fs::metadata(data.join(name)).map_or(0, |file| file.len());
            let backups = backup::list(&data.join(backup::FOLDER)).unwrap_or_else(|why| {
                log::warn!("{why}");
                Vec::new()
            });
            let backups = backups.into_iter().take(ADMIN_PAGE);
            Reply::of(&Figures {
                sockets,
                fronts,
                writer_queue,
                database_bytes: bytes("mellow.db") + bytes("mellow.db-wal"),
                media_bytes: store::media_bytes(sql)?,
                free_bytes: disk::free_bytes(&data).ok(),
                backups: backups
                    .map(|kept| KeptBackup { name: kept.name, made_at_ms: kept.made_at_ms })
                    .collect(),
                backup_failure: backup_failure.map(|failure| failure.why),
                mail_failure,
                version: version().into(),
            })
        })
        .await
}

/// Wakes the tasks that remove the files and mails of a deleted account.
fn clear_files(app: &App) {
    log::info!("an account was deleted by an admin or a command");
    app.uploads.wake.notify_one();
    app.mail_queue.wake.notify_one();
}

/// Returns the address that sets a new password.
fn reset_url(site_url: &str, link: &NewLink) -> String {
    format!("{site_url}/reset#{}", link.token)
}

/// Logs how to make an admin if there is none.
///
/// # Errors
/// A database fault.
pub async fn log_if_none(app: &App) -> Result<(), Error> {
    if !app.readers.read(move |Snapshot { sql, .. }| store::has_admin(sql)).await? {
        log::info!("nobody is an admin here; `mellow user promote EMAIL` makes somebody one");
    }
    Ok(())
}

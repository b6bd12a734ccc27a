//! The mail sender: takes mails from the queue and sends them in the background.
//!
//! A round begins shortly after a commit that adds a mail, and at intervals. The short delay is random
//! (`MAIL_DELAY_MS_MAX` says why). A slow or unreachable mail server delays only mails: no request, no write, and not
//! the end of this process.
//!
//! A mail about a notice is dropped if the host has switched these mails off, or if its account received many of the
//! same kind within an hour.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::counters;
use crate::db::readers::Snapshot;
use crate::error::{Error, Refusal};
use crate::features::context::App;
use crate::features::mails::store::{self as mail_queue, Due, Forgotten, NextTry, Tried};
use crate::limits::{MAIL_CHECK_MS, MAIL_DELAY_MS_MAX, MAIL_IDLE_CHECK_MS, MAIL_STOP_MS_MAX, MAILS_AT_ONCE};
use crate::mail::{Failure, Mail, Mailer};
use crate::random::random;
use crate::settings::Switch;

/// The interval at which expired mails are removed from the outbox folder.
const CLEAR_EVERY: Duration = Duration::from_secs(3_600);

/// The running sender.
pub struct MailSender {
    leave: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl MailSender {
    /// Starts on this thread. The first round sends the mails of earlier runs.
    pub fn start_here(app: Arc<App>, mailer: Mailer) -> Self {
        let (leave, leaves) = oneshot::channel();
        let rounds = Rounds { app, mailer, unrecorded: Vec::new(), cleared_at: None };
        Self { leave, task: actix_web::rt::spawn(rounds.go_on(leaves)) }
    }

    /// Stops. Mails that are being sent have a short time to finish. The others wait for the next start.
    pub async fn stop(mut self) {
        let _ = self.leave.send(());
        if tokio::time::timeout(Duration::from_millis(MAIL_STOP_MS_MAX), &mut self.task).await.is_err() {
            self.task.abort();
            // After this wait, the aborted task uses nothing any more.
            let _ = self.task.await;
        }
    }
}

struct Rounds {
    app: Arc<App>,
    mailer: Mailer,
    /// Results that could not be stored yet. Their mails are not sent again until the results are stored.
    unrecorded: Vec<Tried>,
    cleared_at: Option<Instant>,
}

impl Rounds {
    async fn go_on(mut self, mut leaves: oneshot::Receiver<()>) {
        loop {
            let pause = match self.round().await {
                Ok(pause) => pause,
                Err(why) => {
                    log::warn!("mails will be sent later: {why}");
                    MAIL_IDLE_CHECK_MS
                }
            };
            if leaves.try_recv() != Err(oneshot::error::TryRecvError::Empty) {
                return;
            }
            let wake =
                tokio::time::timeout(Duration::from_millis(pause), self.app.mail_queue.wake.notified());
            let woken = async {
                if wake.await.is_ok() {
                    tokio::time::sleep(rest()).await;
                }
            };
            tokio::select! {
                _ = &mut leaves => return,
                // The next round begins in either case.
                () = woken => {}
            }
        }
    }

    /// Sends the mails that are due. Returns the pause before the next round, in milliseconds.
    async fn round(&mut self) -> Result<u64, Error> {
        for tried in std::mem::take(&mut self.unrecorded) {
            self.record(tried).await;
        }
        if !self.unrecorded.is_empty() {
            return Ok(MAIL_CHECK_MS);
        }
        let now_ms = self.app.clock.now_ms();
        let read = move |Snapshot { sql, .. }: Snapshot<'_>| mail_queue::round(sql, now_ms, MAILS_AT_ONCE);
        let round = self.app.readers.read(read).await?;
        let is_full = round.due.len() == MAILS_AT_ONCE;
        let failed = self.send(round.due).await;
        // The mails of this round were sent before this line. None of them is put into the outbox folder after it.
        self.forget(round.erased_users).await;
        Ok(match (is_full, round.waits || failed) {
            (true, _) => 0,
            (false, true) => MAIL_CHECK_MS,
            (false, false) => MAIL_IDLE_CHECK_MS,
        })
    }

    /// Sends these mails at the same time, and stores each result as soon as it is known. Returns whether some of them
    /// must be sent again.
    async fn send(&mut self, due: Vec<Due>) -> bool {
        let (app, mailer) = (&self.app, &self.mailer);
        let mut sending: FuturesUnordered<_> = due
            .into_iter()
            .map(|due| async move {
                let tried = Tried { mail_id: due.mail.id, next_try: attempt(&due, app, mailer).await };
                let again = tried.next_try != NextTry::Over;
                let (mail_id, next_try) = (tried.mail_id, tried.next_try);
                let recorded = app.writer.submit(tried).await;
                (again, recorded.err().map(|_| Tried { mail_id, next_try }))
            })
            .collect();
        let mut waits = false;
        let mut unrecorded = Vec::new();
        while let Some((again, left)) = sending.next().await {
            waits |= again || left.is_some();
            unrecorded.extend(left);
        }
        drop(sending);
        self.unrecorded.extend(unrecorded);
        waits
    }

    async fn record(&mut self, tried: Tried) {
        let (mail_id, next_try) = (tried.mail_id, tried.next_try);
        if let Err(why) = self.app.writer.submit(tried).await {
            log::debug!("the result of a mail will be stored later: {why:?}");
            self.unrecorded.push(Tried { mail_id, next_try });
        }
    }

    async fn forget(&mut self, erased_users: Vec<crate::ids::UserId>) {
        if self.cleared_at.is_none_or(|at| at.elapsed() > CLEAR_EVERY) {
            self.cleared_at = Some(Instant::now());
            if let Err(why) = self.mailer.clear().await {
                log::warn!("old mails could not be removed from the outbox folder: {why}");
            }
        }
        if erased_users.is_empty() {
            return;
        }
        match self.mailer.forget(erased_users.clone()).await {
            Ok(()) => match self.app.writer.submit(Forgotten { people: erased_users }).await {
                Ok(_) | Err(Refusal::Busy) => {}
                Err(why) => log::warn!("the removal of mails of deleted accounts will be repeated: {why:?}"),
            },
            Err(why) => log::warn!("mails of deleted accounts will be removed later: {why}"),
        }
    }
}

/// Sends a mail, unless it is not wanted. Returns the next attempt.
async fn attempt(due: &Due, app: &App, mailer: &Mailer) -> NextTry {
    if !is_wanted(due, app) {
        return NextTry::Over;
    }
    let language = app.languages.of_mails(&due.languages);
    let sent = mailer.send(&due.mail, language).await;
    app.mail_queue.note(&sent);
    next_try(due, sent, app.clock.now_ms())
}

/// Returns whether a mail is sent. Only mails about notices may not be: others say what their recipient must know to
/// use a link.
fn is_wanted(due: &Due, app: &App) -> bool {
    let Mail { user_id, kind, .. } = due.mail;
    if !kind.is_about_notice() {
        return true;
    }
    // A mail that was tried before was counted then.
    let limiter = &app.rate_limiters.notice_mails;
    app.settings.login_notices == Switch::On
        && (due.tries > 0 || limiter.take((user_id, kind), app.clock.now_ms()).is_ok())
}

/// Returns the random delay after a wake-up.
fn rest() -> Duration {
    let chance = random().map_or(0, u32::from_be_bytes);
    Duration::from_millis(u64::from(chance) % (MAIL_DELAY_MS_MAX + 1))
}

fn next_try(due: &Due, sent: Result<(), Failure>, now_ms: i64) -> NextTry {
    let id = due.mail.id.0;
    match sent {
        Ok(()) => {
            counters::MAILS_SENT.add(1);
            log::debug!("mail {id} was sent");
            NextTry::Over
        }
        Err(Failure::Never(why)) => {
            counters::MAILS_GIVEN_UP.add(1);
            log::warn!("mail {id} cannot be sent: {why}");
            NextTry::Over
        }
        Err(failed @ (Failure::Later(_) | Failure::Host(_))) => {
            let (next_try, why) = match failed {
                Failure::Host(why) => (due.until_the_host_mends(now_ms), why),
                Failure::Later(why) | Failure::Never(why) => (due.after_a_try(now_ms), why),
            };
            match next_try {
                NextTry::Again { .. } => {
                    counters::MAILS_RETRIED.add(1);
                    log::warn!("mail {id} will be retried: {why}");
                }
                NextTry::Over => {
                    counters::MAILS_GIVEN_UP.add(1);
                    log::warn!("mail {id} will not be retried: {why}");
                }
            }
            next_try
        }
    }
}

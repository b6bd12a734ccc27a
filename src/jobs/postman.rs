//! The postman: takes letters out of the postbox and sends them, while everybody else goes on.
//!
//! Woken by the bell after a commit, and by time; it rests for a moment before it goes. A mail server that is slow or gone keeps nobody waiting
//! but the letters: not a request, not the writer, not the end of this process.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::db::readers::Snapshot;
use crate::error::{Error, Refusal};
use crate::features::kit::{App, random};
use crate::features::letters::{self, Due, Fate, Forgotten, Tried};
use crate::limits::{MAIL_GOODBYE_MS_MAX, MAIL_LOOK_MS, MAILS_AT_ONCE, POSTMAN_MS, POSTMAN_REST_MS_MAX};
use crate::mail::{Desk, Failure};

/// How often the folder is looked through for letters that nobody can use any more.
const CLEAR_EVERY: Duration = Duration::from_secs(3_600);

/// The postman at work.
pub struct Postman {
    leave: oneshot::Sender<()>,
    work: JoinHandle<()>,
}

impl Postman {
    /// Starts on this thread, with what an earlier life left.
    pub fn start_here(app: Arc<App>, desk: Desk) -> Self {
        let (leave, leaves) = oneshot::channel();
        let rounds = Rounds { app, desk, untold: Vec::new(), cleared_at: None };
        Self { leave, work: actix_web::rt::spawn(rounds.go_on(leaves)) }
    }

    /// Stops: what is on its way has a moment to arrive, the rest waits for the next start.
    pub async fn stop(mut self) {
        let _ = self.leave.send(());
        if tokio::time::timeout(Duration::from_millis(MAIL_GOODBYE_MS_MAX), &mut self.work).await.is_err() {
            self.work.abort();
            // Once it is gone it asks for nothing more.
            let _ = self.work.await;
        }
    }
}

struct Rounds {
    app: Arc<App>,
    desk: Desk,
    /// What became of letters and could not be written down yet: they are not sent again meanwhile.
    untold: Vec<Tried>,
    cleared_at: Option<Instant>,
}

impl Rounds {
    async fn go_on(mut self, mut leaves: oneshot::Receiver<()>) {
        loop {
            let pause = match self.round().await {
                Ok(pause) => pause,
                Err(why) => {
                    log::warn!("letters are looked for later: {why}");
                    POSTMAN_MS
                }
            };
            if leaves.try_recv() != Err(oneshot::error::TryRecvError::Empty) {
                return;
            }
            let bell = tokio::time::timeout(Duration::from_millis(pause), self.app.postbox.bell.notified());
            let rung = async {
                if bell.await.is_ok() {
                    tokio::time::sleep(rest()).await;
                }
            };
            tokio::select! {
                _ = &mut leaves => return,
                // Rung or not, the next round begins.
                () = rung => {}
            }
        }
    }

    /// Sends what is due; returns the pause before the next look, in milliseconds.
    async fn round(&mut self) -> Result<u64, Error> {
        for tried in std::mem::take(&mut self.untold) {
            self.tell(tried).await;
        }
        if !self.untold.is_empty() {
            return Ok(MAIL_LOOK_MS);
        }
        let now_ms = self.app.clock.now_ms();
        let read = move |Snapshot { sql, .. }: Snapshot<'_>| letters::round(sql, now_ms, MAILS_AT_ONCE);
        let round = self.app.readers.read(read).await?;
        let is_full = round.due.len() == MAILS_AT_ONCE;
        let failed = self.send(round.due).await;
        // After the letters of this round, so that none of theirs is written meanwhile.
        self.forget(round.doomed).await;
        Ok(match (is_full, round.waits || failed) {
            (true, _) => 0,
            (false, true) => MAIL_LOOK_MS,
            (false, false) => POSTMAN_MS,
        })
    }

    /// Sends these together; writes down what became of each as soon as it is known. True: some wait.
    async fn send(&mut self, due: Vec<Due>) -> bool {
        let (app, desk) = (&self.app, &self.desk);
        let mut sending: FuturesUnordered<_> = due
            .into_iter()
            .map(|due| async move {
                let sent = desk.send(&due.letter).await;
                let tried = Tried { mail_id: due.letter.id, fate: fate(&due, sent, app.clock.now_ms()) };
                let again = tried.fate != Fate::Over;
                let (mail_id, fate) = (tried.mail_id, tried.fate);
                let told = app.writer.submit(Box::new(tried)).await;
                (again, told.err().map(|_| Tried { mail_id, fate }))
            })
            .collect();
        let mut waits = false;
        let mut untold = Vec::new();
        while let Some((again, left)) = sending.next().await {
            waits |= again || left.is_some();
            untold.extend(left);
        }
        drop(sending);
        self.untold.extend(untold);
        waits
    }

    async fn tell(&mut self, tried: Tried) {
        let (mail_id, fate) = (tried.mail_id, tried.fate);
        if let Err(why) = self.app.writer.submit(Box::new(tried)).await {
            log::debug!("what became of a letter is noted later: {why:?}");
            self.untold.push(Tried { mail_id, fate });
        }
    }

    async fn forget(&mut self, doomed: Vec<crate::ids::UserId>) {
        if self.cleared_at.is_none_or(|at| at.elapsed() > CLEAR_EVERY) {
            self.cleared_at = Some(Instant::now());
            if let Err(why) = self.desk.clear().await {
                log::warn!("old letters stay in the outbox folder: {why}");
            }
        }
        if doomed.is_empty() {
            return;
        }
        match self.desk.forget(doomed.clone()).await {
            Ok(()) => match self.app.writer.submit(Box::new(Forgotten { people: doomed })).await {
                Ok(_) | Err(Refusal::Busy) => {}
                Err(why) => log::warn!("removed letters are looked for again: {why:?}"),
            },
            Err(why) => log::warn!("letters of people who left stay for now: {why}"),
        }
    }
}

/// Returns how long to rest after the bell: no two are alike.
fn rest() -> Duration {
    let chance = random().map_or(0, u32::from_be_bytes);
    Duration::from_millis(u64::from(chance) % (POSTMAN_REST_MS_MAX + 1))
}

fn fate(due: &Due, sent: Result<(), Failure>, now_ms: i64) -> Fate {
    let id = due.letter.id.0;
    match sent {
        Ok(()) => {
            log::debug!("letter {id} left");
            Fate::Over
        }
        Err(Failure::Never(why)) => {
            log::warn!("letter {id} cannot be sent: {why}");
            Fate::Over
        }
        Err(Failure::Later(why)) => {
            let fate = due.after_a_try(now_ms);
            match fate {
                Fate::Again { .. } => log::warn!("letter {id} is tried again later: {why}"),
                Fate::Over => log::warn!("letter {id} is given up: {why}"),
            }
            fate
        }
    }
}

//! The follower of a front: receives the batches and beats of the home, and asks for what its copy of the log misses.
//!
//! It asks one question at a time. It follows the home that started last, and notices when nothing is heard of it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::future::{LocalBoxFuture, OptionFuture};
use serde::de::DeserializeOwned;

use super::copy::{LogCopy, Next};
use super::front::{self, Front};
use super::link::{Message, Messages};
use super::sealed::{Question, Unanswered, decode};
use super::wire::{AskTerms, Beat, FromHome, Instance, Missed, Pieces, Terms};
use crate::counters;
use crate::ids::Seq;
use crate::limits::CLUSTER_SILENCE_MS_MAX;

/// How often silence and the lease are looked at.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// A home, by when it started and by its name. The greatest one counts.
type Started = (i64, Instance);

/// What was asked for.
enum Answered {
    Missed(Result<Missed, Unanswered>),
    /// The terms of the home, to begin anew.
    Anew(Result<Terms, Unanswered>),
    /// The terms of a home that started later, and the last write before its start.
    Terms(Started, Seq, Result<Terms, Unanswered>),
}

/// Waits for an answer. Without one it waits a little longer, so that questions that nobody hears are not asked at once
/// again.
async fn answer<T: DeserializeOwned>(question: Result<Question, Unanswered>) -> Result<T, Unanswered> {
    let answer = front::answer::<T>(question).await;
    if answer.is_err() {
        tokio::time::sleep(LOOK_EVERY).await;
    }
    answer
}

/// The follower.
pub struct Follower {
    front: Arc<Front>,
    copy: LogCopy,
    home: Started,
    heard_at: Instant,
    /// Whether the home said that it stops.
    stops: bool,
    /// The question that is open.
    asking: Option<LocalBoxFuture<'static, Answered>>,
    /// A home that started later, which must be followed, and the last write before its start.
    later: Option<(Started, Seq)>,
    /// Whether the log must begin anew.
    must_begin_anew: bool,
    /// Whether the home must be asked for what is missing.
    must_fill: bool,
}

impl Follower {
    /// Makes the follower of the home of this beat.
    #[must_use]
    pub fn new(front: Arc<Front>, copy: LogCopy, beat: &Beat) -> Self {
        front.hear_time(beat.now_ms);
        Self {
            front,
            copy,
            home: (beat.started_ms, beat.home),
            heard_at: Instant::now(),
            stops: false,
            asking: None,
            later: None,
            must_begin_anew: false,
            must_fill: false,
        }
    }

    /// Follows as long as the front runs.
    pub async fn run(mut self, mut messages: Messages) {
        let mut pieces = Pieces::default();
        let mut look = tokio::time::interval(LOOK_EVERY);
        let mut had_lease = false;
        let next = self.copy.fill();
        self.follow(next);
        loop {
            self.ask();
            let answered: OptionFuture<_> = self.asking.as_mut().into();
            tokio::select! {
                message = messages.next() => match message {
                    Some(message) => self.receive(&message, &mut pieces),
                    None => return self.front.fail("the broker has closed the connection"),
                },
                Some(answered) = answered => {
                    self.asking = None;
                    self.answered(answered);
                }
                _ = look.tick() => {
                    self.look_at_silence();
                    let has_lease = self.front.lease.held().is_some();
                    if std::mem::replace(&mut had_lease, has_lease) && !has_lease {
                        log::warn!("the lease of this front is over: its sockets are closed");
                        self.front.dispatchers.wake();
                    }
                }
            }
        }
    }

    fn is_silent(&self) -> bool {
        self.heard_at.elapsed() > Duration::from_millis(CLUSTER_SILENCE_MS_MAX)
    }

    fn look_at_silence(&self) {
        self.front.set_away(self.is_silent() || self.stops);
    }

    fn receive(&mut self, message: &Message, pieces: &mut Pieces) {
        let bytes = match self.front.link.open(message, pieces) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return,
            Err(why) => return self.front.check(why),
        };
        match decode(&bytes) {
            Some(FromHome::Batch(batch)) => {
                if batch.home == self.home.1 {
                    self.heard_at = Instant::now();
                }
                let next = self.copy.batch(batch);
                self.follow(next);
            }
            Some(FromHome::Beat(beat)) => self.beat(&beat),
            None => {}
        }
    }

    fn beat(&mut self, beat: &Beat) {
        let started = (beat.started_ms, beat.home);
        // After the clock of its machine was set back, a home that starts again seems older than the one before.
        if started > self.home || self.is_silent() && beat.home != self.home.1 {
            if !beat.stops {
                self.later = self.later.max(Some((started, beat.start)));
            }
            return;
        }
        if beat.home != self.home.1 {
            return;
        }
        self.heard_at = Instant::now();
        self.front.hear(beat.head);
        self.front.hear_time(beat.now_ms);
        if beat.stops && !self.stops {
            self.stops = true;
            self.front.lengthen_lease();
        }
        self.look_at_silence();
        let next = self.copy.beat(beat);
        self.follow(next);
    }

    /// Does what follows from a message or an answer.
    fn follow(&mut self, next: Next) {
        match next {
            Next::Nothing => return,
            Next::Appended { is_awaited } => {
                if is_awaited || self.front.lease.held().is_none() {
                    self.report_when_delivered();
                }
            }
            Next::Fill => self.must_fill = true,
            Next::BeginAnew => self.must_begin_anew = true,
        }
        self.front.appended();
    }

    /// Reports as soon as everything in the log is delivered, because the home waits for it.
    fn report_when_delivered(&self) {
        let (front, seq) = (self.front.clone(), self.front.log.head());
        actix_web::rt::spawn(async move {
            front.barrier.wait(seq).await;
            front.report.notify_one();
        });
    }

    /// Asks the next question, unless one is open.
    fn ask(&mut self) {
        if self.asking.is_some() {
            return;
        }
        let Front { questions, subjects, .. } = &*self.front;
        let terms =
            |home: Instance| questions.ask(&subjects.terms(home), &AskTerms { front: self.front.instance() });
        if let Some((later, start)) = self.later.take() {
            let question = terms(later.1);
            self.asking =
                Some(Box::pin(async move { Answered::Terms(later, start, answer(question).await) }));
        } else if std::mem::take(&mut self.must_begin_anew) {
            let question = terms(self.home.1);
            self.asking = Some(Box::pin(async move { Answered::Anew(answer(question).await) }));
        } else if std::mem::take(&mut self.must_fill) {
            counters::CLUSTER_FILLS.add(1);
            let question = questions.ask(&subjects.since(self.home.1), &self.copy.since());
            self.asking = Some(Box::pin(async move { Answered::Missed(answer(question).await) }));
        }
    }

    fn answered(&mut self, answered: Answered) {
        let next = match answered {
            Answered::Missed(Ok(missed)) => self.copy.missed(missed),
            // The next batch or beat asks again.
            Answered::Missed(Err(Unanswered)) => {
                self.copy.unanswered();
                Next::Nothing
            }
            Answered::Anew(Ok(terms)) => self.begin_anew(&terms),
            Answered::Anew(Err(Unanswered)) => Next::BeginAnew,
            Answered::Terms(started, start, Ok(terms)) => {
                if terms.settings != self.front.settings {
                    self.front.fail("the home has other settings now, so this front must be started again");
                    return;
                }
                (self.home, self.stops, self.heard_at) = (started, false, Instant::now());
                self.must_fill = false;
                self.front.follow(started.1, terms.lanes);
                match self.copy.follow(started.1, start, &terms) {
                    Next::BeginAnew => self.begin_anew(&terms),
                    next => next,
                }
            }
            // Its next beat asks again.
            Answered::Terms(_, _, Err(Unanswered)) => Next::Nothing,
        };
        self.follow(next);
    }

    /// Begins the log anew. The connections are closed first, because they have events of before.
    fn begin_anew(&mut self, terms: &Terms) -> Next {
        log::warn!("this front missed events that its home no longer has: its sockets are closed");
        self.front.lease.end();
        self.front.dispatchers.wake();
        self.front.set_epoch(&terms.epoch);
        (self.must_begin_anew, self.must_fill) = (false, false);
        self.copy.begin_anew(terms)
    }
}

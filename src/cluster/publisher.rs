//! The publisher of a home: sends the event log to all fronts.
//!
//! It is one more reader of the log, beside the dispatchers, and never blocks the writer. If it falls behind the log, or
//! the broker is away, it goes on at the head, and fronts ask for what they miss.
//!
//! Batches and beats are sent by one task on one subject. On a subject of its own a beat would overtake batches, and
//! every front would ask for events that are only late.

use std::sync::Arc;

use super::sealed::SealedLink;
use super::wire::{Batch, Beat, FromHome, Instance, Missed, QuietState, Since};
use crate::delivery::log::EventLog;
use crate::ids::Seq;
use crate::limits::{CLUSTER_BATCH_BYTES, CLUSTER_BATCH_EVENTS, CLUSTER_FILL_EVENTS};
use crate::quiet_users::QuietUsers;

/// One start of a home, and what its fronts copy.
#[derive(Clone)]
pub struct Source {
    pub home: Instance,
    /// When the home started, in milliseconds since 1970 UTC.
    pub started_ms: i64,
    /// The history that the numbers of writes belong to.
    pub epoch: Arc<str>,
    /// The last write before this start.
    pub start: Seq,
    pub log: Arc<EventLog>,
    pub quiet_users: Arc<QuietUsers>,
}

impl Source {
    /// Returns about `most` events of the writes after `prev`, but not much more than [`CLUSTER_BATCH_BYTES`]; None if
    /// the log does not have them. `quiet` is the version of the quiet users that the receiver has.
    fn batch(&self, prev: Seq, quiet: Option<u64>, most: usize) -> Option<Batch> {
        let (events, last) = self.log.writes_after(prev, most, CLUSTER_BATCH_BYTES)?;
        // The state of quiet users changes before the event that follows from it, so it is read after the events.
        let (version, ends) = self.quiet_users.state(quiet);
        let quiet = QuietState { version, ends };
        Some(Batch { home: self.home, epoch: self.epoch.clone(), prev, last, quiet, events })
    }

    /// Returns the answer to a front that misses events.
    #[must_use]
    pub fn missed(&self, since: &Since) -> Missed {
        let is_ours = since.epoch == self.epoch;
        let batch = is_ours.then(|| self.batch(since.from, since.quiet, CLUSTER_FILL_EVENTS)).flatten();
        batch.map_or(Missed::Gone, Missed::Batch)
    }
}

/// The publisher.
pub struct Publisher {
    source: Source,
    link: Arc<SealedLink>,
    subject: String,
    /// The last write that was published.
    published: Seq,
    /// The version of the quiet users that was published; None before the first batch.
    quiet: Option<u64>,
}

impl Publisher {
    /// Makes the publisher of a home that has just started. `subject` is that of batches and beats.
    #[must_use]
    pub fn new(source: Source, link: Arc<SealedLink>, subject: String) -> Self {
        let published = source.start;
        Self { source, link, subject, published, quiet: None }
    }

    /// Publishes what is new in the log.
    pub fn publish(&mut self) {
        loop {
            let Some(batch) = self.source.batch(self.published, self.quiet, CLUSTER_BATCH_EVENTS) else {
                log::warn!("the publisher fell behind the event log: fronts ask for what they miss");
                self.published = self.source.log.head();
                continue;
            };
            if batch.last == self.published && batch.quiet.ends.is_none() {
                return;
            }
            (self.published, self.quiet) = (batch.last, Some(batch.quiet.version));
            // A batch that is lost is one that fronts ask for.
            self.link.send(&self.subject, None, &FromHome::Batch(batch));
        }
    }

    /// Waits until everything that was published has left this process.
    pub async fn flush(&self) {
        self.link.link.flush().await;
    }

    /// Publishes what is new and a beat. `stops` says that the home stops.
    pub fn beat(&mut self, now_ms: i64, stops: bool) {
        self.publish();
        let Source { home, started_ms, epoch, start, .. } = &self.source;
        let beat = Beat {
            home: *home,
            started_ms: *started_ms,
            now_ms,
            epoch: epoch.clone(),
            start: *start,
            head: self.published,
            quiet: self.quiet.unwrap_or(0),
            stops,
        };
        self.link.send(&self.subject, None, &FromHome::Beat(beat));
    }
}

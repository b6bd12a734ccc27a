//! A front's copy of its home's event log.
//!
//! Each batch says which write precedes it, so the copy knows what it misses. It never has a hole: what does not follow
//! its head is asked for first. What the home no longer has makes it begin anew.
//!
//! This module decides what a message means. [`follower`](super::follower) receives messages and asks.

use std::collections::VecDeque;
use std::sync::Arc;

use super::wire::{Batch, Beat, Instance, Missed, QuietState, Since, Terms};
use crate::delivery::log::EventLog;
use crate::events::PublishedEvent;
use crate::ids::Seq;
use crate::limits::CLUSTER_KEPT_BATCHES;
use crate::quiet_users::QuietUsers;

/// What follows from a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    Nothing,
    /// The log has new events or a new head.
    Appended {
        /// Whether the home may wait until they are delivered.
        is_awaited: bool,
    },
    /// Ask the home for what is missing. What was appended before is in the log.
    Fill,
    /// Ask the home for its terms, and begin anew with them.
    BeginAnew,
}

/// The copy.
pub struct LogCopy {
    log: Arc<EventLog>,
    quiet_users: Arc<QuietUsers>,
    home: Instance,
    epoch: Arc<str>,
    /// The version of the quiet users of this home; None if none of them is known.
    quiet: Option<u64>,
    /// The last write that this home is known to have.
    heard: Seq,
    /// Whether the home was asked for what is missing. At most one question is open.
    is_filling: bool,
    /// The last write that the home was known to have when it was asked.
    wanted: Seq,
    /// Batches that come after a hole, in their order.
    kept: VecDeque<Batch>,
}

impl LogCopy {
    /// Makes the copy of a home's log, which is empty and must be filled.
    #[must_use]
    pub fn new(log: Arc<EventLog>, quiet_users: Arc<QuietUsers>, home: Instance, terms: &Terms) -> Self {
        Self {
            log,
            quiet_users,
            home,
            epoch: terms.epoch.clone(),
            quiet: None,
            heard: terms.head,
            is_filling: false,
            wanted: terms.head,
            kept: VecDeque::new(),
        }
    }

    /// Returns the question for what is missing.
    #[must_use]
    pub fn since(&self) -> Since {
        Since { epoch: self.epoch.clone(), from: self.log.head(), quiet: self.quiet }
    }

    /// Follows a home that started after the one before. `start` is the last write before its start. If it continues the
    /// same history, the log stays. It does not if the log has writes that this home never had, such as those of another
    /// home that wrote to an older state of the same data.
    pub fn follow(&mut self, home: Instance, start: Seq, terms: &Terms) -> Next {
        self.home = home;
        self.quiet = None;
        self.heard = terms.head;
        self.kept.clear();
        self.is_filling = false;
        let is_same = terms.epoch == self.epoch && self.log.head() <= start;
        if is_same { self.fill() } else { Next::BeginAnew }
    }

    /// Drops the log, and begins anew from where the home has all events.
    pub fn begin_anew(&mut self, terms: &Terms) -> Next {
        self.epoch = terms.epoch.clone();
        self.quiet = None;
        self.heard = terms.head;
        self.kept.clear();
        self.log.restart_after(terms.log_from);
        self.is_filling = false;
        self.fill()
    }

    /// Asks for what is missing, unless that is asked for already.
    pub fn fill(&mut self) -> Next {
        if self.is_filling {
            return Next::Nothing;
        }
        (self.is_filling, self.wanted) = (true, self.heard);
        Next::Fill
    }

    /// Adds a batch.
    pub fn batch(&mut self, batch: Batch) -> Next {
        if batch.home != self.home {
            return Next::Nothing;
        }
        if batch.epoch != self.epoch {
            return Next::BeginAnew;
        }
        self.heard = self.heard.max(batch.last);
        if self.is_filling {
            // Without the first ones the later ones are of no use, so new ones are dropped.
            if self.kept.len() < CLUSTER_KEPT_BATCHES {
                self.kept.push_back(batch);
            }
            return Next::Nothing;
        }
        self.append(batch)
    }

    /// Compares the copy with a beat of the home.
    pub fn beat(&mut self, beat: &Beat) -> Next {
        if beat.home != self.home {
            return Next::Nothing;
        }
        if beat.epoch != self.epoch {
            return Next::BeginAnew;
        }
        self.heard = self.heard.max(beat.head);
        let knows_quiet = self.quiet.is_some_and(|version| version >= beat.quiet);
        if beat.head > self.log.head() || !knows_quiet { self.fill() } else { Next::Nothing }
    }

    /// Adds the answer to the question for what is missing.
    pub fn missed(&mut self, missed: Missed) -> Next {
        self.is_filling = false;
        let Missed::Batch(batch) = missed else { return Next::BeginAnew };
        if batch.home != self.home {
            return Next::Nothing;
        }
        let head = self.log.head();
        if batch.last <= head && head < self.wanted {
            // The home has more than it gives.
            return Next::BeginAnew;
        }
        let mut next = self.append(batch);
        while !self.is_filling
            && let Some(batch) = self.kept.pop_front()
        {
            next = next.and(self.append(batch));
        }
        // A kept batch that does not follow has asked already.
        if !self.is_filling && self.log.head() < self.heard { self.fill() } else { next }
    }

    /// Notes that the question for what is missing was not answered. The next batch or beat asks again.
    pub fn unanswered(&mut self) {
        self.is_filling = false;
        self.kept.clear();
    }

    /// Appends the events of a batch that the log does not have.
    fn append(&mut self, batch: Batch) -> Next {
        let head = self.log.head();
        if batch.last < head {
            return Next::Nothing;
        }
        if batch.prev > head || !self.has_quiet(&batch.quiet) {
            self.kept.push_front(batch);
            return self.fill();
        }
        let Batch { last, quiet, events, .. } = batch;
        if let (Some(ends), true) = (quiet.ends, self.quiet.is_none_or(|own| own < quiet.version)) {
            self.quiet_users.replace(ends);
            self.quiet = Some(quiet.version);
        }
        if last == head {
            return Next::Nothing;
        }
        let new: Vec<Arc<PublishedEvent>> = events.into_iter().filter(|event| event.seq > head).collect();
        let is_awaited = new.iter().any(|event| {
            let effects = &event.effects;
            effects.loss.is_some() || effects.closes.is_some() || effects.membership.is_some()
        });
        self.log.append(last, new);
        Next::Appended { is_awaited }
    }

    /// Returns whether the quiet users of a batch are known, or in it.
    fn has_quiet(&self, quiet: &QuietState) -> bool {
        quiet.ends.is_some() || self.quiet.is_some_and(|own| own >= quiet.version)
    }
}

impl Next {
    /// Returns what follows from this and then from another one.
    fn and(self, then: Self) -> Self {
        match (self, then) {
            (before, Self::Nothing) => before,
            (Self::Appended { is_awaited: true }, Self::Appended { .. }) => {
                Self::Appended { is_awaited: true }
            }
            (_, then) => then,
        }
    }
}

#[cfg(test)]
mod tests;

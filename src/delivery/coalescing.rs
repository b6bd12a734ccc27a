//! Coalescing: of counts only the newest matters. One is delivered at once, then the newest after each pause.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::events::{PublishedEvent, Right, Topic};
use crate::limits::{COUNT_PAUSE_MS, TALLY_PAUSE_MS};

/// A pause that runs, and the newest event within it.
struct Pause {
    until: Instant,
    newest: Option<Arc<PublishedEvent>>,
}

/// The pauses of one worker, by what is counted.
#[derive(Default)]
pub(super) struct Coalescing(HashMap<Topic, Pause>);

impl Coalescing {
    /// Returns whether this event is delivered now. Otherwise it is held, in place of an older one.
    pub(super) fn is_due(&mut self, topic: Topic, event: &Arc<PublishedEvent>, now: Instant) -> bool {
        let pause = self.0.entry(topic).or_insert(Pause { until: now, newest: None });
        if pause.until <= now && pause.newest.is_none() {
            pause.until = now + pause_of(topic);
            true
        } else {
            pause.newest = Some(event.clone());
            false
        }
    }

    /// Returns the held events whose pause is over by `now`.
    pub(super) fn take_due(&mut self, now: Instant) -> Vec<Arc<PublishedEvent>> {
        let mut due = Vec::new();
        self.0.retain(|topic, pause| {
            if pause.until > now {
                return true;
            }
            let newest = pause.newest.take();
            pause.until = now + pause_of(*topic);
            let is_kept = newest.is_some();
            due.extend(newest);
            is_kept
        });
        due
    }

    /// Returns every held event.
    pub(super) fn take_all(&mut self) -> Vec<Arc<PublishedEvent>> {
        self.0.drain().filter_map(|(_, pause)| pause.newest).collect()
    }

    /// Drops what is held of a topic that has ended; with a profile, of its user's polls.
    pub(super) fn end(&mut self, ended: Topic) {
        self.0.retain(|topic, _| match (*topic, ended) {
            (Topic::Poll(_, Right::Following(creator_id)), Topic::Profile(user_id)) => creator_id != user_id,
            (topic, ended) => topic != ended,
        });
    }

    /// True while no pause runs.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Returns how long a count waits for a newer one.
pub(super) fn pause_of(topic: Topic) -> Duration {
    Duration::from_millis(match topic {
        Topic::Poll(..) => TALLY_PAUSE_MS,
        Topic::Post(_) | Topic::Profile(_) => COUNT_PAUSE_MS,
    })
}

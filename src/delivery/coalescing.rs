//! Coalescing of counts. Only the newest count matters, so the first one is delivered at once, and then only the newest
//! one after each pause.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::subscriptions::is_poll_of;
use crate::events::{PublishedEvent, Topic};
use crate::limits::{COUNT_PAUSE_MS, TALLY_PAUSE_MS};

/// A running pause, and the newest event within it.
struct Pause {
    until: Instant,
    newest: Option<Arc<PublishedEvent>>,
}

/// The pauses of one worker, by the topic that is counted.
#[derive(Default)]
pub(super) struct Coalescing(HashMap<Topic, Pause>);

impl Coalescing {
    /// Returns whether this event is delivered now. Otherwise holds it in place of an older one.
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

    /// Drops the held events of a topic that has ended. The end of a profile also ends the polls of its user.
    pub(super) fn end(&mut self, ended: Topic) {
        self.0.retain(|topic, _| *topic != ended && !is_poll_of(*topic, ended));
    }

    /// Returns whether no pause runs.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delivery::testing::{POLL, POST, TEA_POLL, count};

    #[test]
    fn each_topic_has_a_pause_of_its_own_and_keeps_its_newest_count() {
        let (mut coalescing, now) = (Coalescing::default(), Instant::now());
        let events = ["one", "two", "three"].map(|words| Arc::new(count(words, POLL)));
        assert!(coalescing.is_empty());
        let due = events.each_ref().map(|event| coalescing.is_due(POLL, event, now));
        assert_eq!(due, [true, false, false]);
        assert!(coalescing.is_due(POST, &events[0], now), "another topic");
        // The shorter pause is over. Nothing was held during it.
        assert!(coalescing.take_due(now + pause_of(POST)).is_empty());
        assert_eq!(coalescing.take_due(now + pause_of(POLL)), [events[2].clone()]);
        // A new pause begins after a held event was delivered.
        assert!(!coalescing.is_due(POLL, &events[0], now + pause_of(POLL)));
        assert_eq!(coalescing.take_all(), [events[0].clone()]);
        assert!(coalescing.is_empty());
    }

    #[test]
    fn held_counts_are_dropped_with_their_topic_and_a_users_polls_with_the_user() {
        let (mut coalescing, now) = (Coalescing::default(), Instant::now());
        let event = Arc::new(count("a count", POST));
        for topic in [POST, POLL, TEA_POLL] {
            coalescing.is_due(topic, &event, now);
        }
        coalescing.end(POST);
        coalescing.end(Topic::Profile(crate::delivery::testing::ANA));
        assert_eq!(coalescing.0.keys().collect::<Vec<_>>(), [&TEA_POLL]);
    }
}

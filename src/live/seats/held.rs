//! Counts that are held back: of each only the newest, until its pause is over.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::super::entry::Entry;
use crate::features::kit::{Right, Topic};
use crate::limits::{COUNT_PAUSE_MS, TALLY_PAUSE_MS};

struct Held {
    until: Instant,
    newest: Option<Arc<Entry>>,
}

/// The counts of one worker whose pause is not over, by what they count.
#[derive(Default)]
pub(super) struct HeldCounts(HashMap<Topic, Held>);

impl HeldCounts {
    /// Is this count told now? If not it is held, in place of an older one.
    pub(super) fn is_its_turn(&mut self, pace: Topic, entry: &Arc<Entry>, now: Instant) -> bool {
        let held = self.0.entry(pace).or_insert(Held { until: now, newest: None });
        if held.until <= now && held.newest.is_none() {
            held.until = now + pause_of(pace);
            true
        } else {
            held.newest = Some(entry.clone());
            false
        }
    }

    /// Returns the counts whose pause is over by `now`.
    pub(super) fn take_due(&mut self, now: Instant) -> Vec<Arc<Entry>> {
        let mut due = Vec::new();
        self.0.retain(|pace, held| {
            if held.until > now {
                return true;
            }
            match held.newest.take() {
                Some(newest) => {
                    held.until = now + pause_of(*pace);
                    due.push(newest);
                    true
                }
                None => false,
            }
        });
        due
    }

    /// Forgets what is held of a thing that is over; of a profile, of all that is its owner's; of a group, of all
    /// that is in it.
    pub(super) fn forget(&mut self, over: Topic) {
        let holder = |right: Right| match right {
            Right::Following(owner) => Topic::Profile(owner),
            Right::Membership(group_id) => Topic::Group(group_id),
        };
        self.0.retain(|pace, _| match *pace {
            Topic::Poll(_, right) => *pace != over && holder(right) != over,
            pace => pace != over,
        });
    }

    /// True while none waits and no pause runs.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Returns how long a count waits for a newer one after one of its kind was told.
pub(super) fn pause_of(pace: Topic) -> Duration {
    Duration::from_millis(match pace {
        Topic::Poll(..) => TALLY_PAUSE_MS,
        Topic::User(_) | Topic::Post(_) | Topic::Profile(_) | Topic::Group(_) | Topic::Everyone => {
            COUNT_PAUSE_MS
        }
    })
}

//! The event log: recent events in memory, in commit order.
//!
//! The writer appends; every worker's dispatcher reads on from where it is, and whoever comes back is replayed what it
//! missed. Bounded in events and bytes: what is older nobody remembers.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::events::PublishedEvent;
use crate::ids::Seq;
use crate::limits::{LOG_BYTES_MAX, LOG_EVENTS_MAX};

/// The log. Shared by the writer and all workers.
pub struct EventLog {
    recent: Mutex<Recent>,
    /// Events appended so far.
    pub appended: AtomicU64,
}

struct Recent {
    events: VecDeque<Arc<PublishedEvent>>,
    /// The position of the first of them.
    first: u64,
    bytes: usize,
    head: Seq,
    /// All events of this write and of every later one are here.
    complete_from: Seq,
}

impl Recent {
    fn end(&self) -> u64 {
        self.first + self.events.len() as u64
    }

    /// Returns the place in `events` of the first event of a write after `seq`.
    fn after(&self, seq: Seq) -> usize {
        self.events.partition_point(|event| event.seq <= seq)
    }
}

/// How far a reader of the log is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// How many events came before this, since the process began.
    pub index: u64,
    /// Everything up to this write lies before it.
    pub seq: Seq,
}

impl EventLog {
    /// Makes an empty log after the write `head`.
    #[must_use]
    pub fn new(head: Seq) -> Self {
        let recent = Recent { events: VecDeque::new(), first: 0, bytes: 0, head, complete_from: head };
        Self { recent: Mutex::new(recent), appended: AtomicU64::new(0) }
    }

    fn recent(&self) -> MutexGuard<'_, Recent> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of the last write.
    #[must_use]
    pub fn head(&self) -> Seq {
        self.recent().head
    }

    /// Returns where the log ends.
    #[must_use]
    pub fn end(&self) -> Position {
        let recent = self.recent();
        Position { index: recent.end(), seq: recent.head }
    }

    /// Appends what one batch of writes up to `head` published. Called in commit order.
    pub fn append(&self, head: Seq, events: impl IntoIterator<Item = Arc<PublishedEvent>>) {
        let mut recent = self.recent();
        for event in events {
            recent.bytes += event.weight_bytes();
            recent.events.push_back(event);
            self.appended.fetch_add(1, Ordering::Relaxed);
        }
        recent.head = head;
        while recent.events.len() > LOG_EVENTS_MAX || recent.bytes > LOG_BYTES_MAX {
            let Some(oldest) = recent.events.pop_front() else { break };
            recent.bytes -= oldest.weight_bytes();
            recent.first += 1;
            recent.complete_from = Seq(oldest.seq.0 + 1);
        }
    }

    /// Returns at most `most` events from `from` on, and the position after them; None when some of them are gone.
    #[must_use]
    pub fn read(&self, from: Position, most: usize) -> Option<(Vec<Arc<PublishedEvent>>, Position)> {
        let recent = self.recent();
        let skipped = usize::try_from(from.index.checked_sub(recent.first)?).ok()?;
        let events: Vec<_> = recent.events.iter().skip(skipped).take(most).cloned().collect();
        let index = from.index + events.len() as u64;
        // Everything up to the write before the next event is behind this position.
        let next = recent.events.get(skipped + events.len());
        let seq = next.map_or(recent.head, |next| Seq(next.seq.0 - 1));
        Some((events, Position { index, seq }))
    }

    /// Returns the events of the writes after `seq`, those before `end`; None when some of them are gone, or when
    /// there never was such a write.
    #[must_use]
    pub fn after(&self, seq: Seq, end: Position) -> Option<Vec<Arc<PublishedEvent>>> {
        let recent = self.recent();
        if seq.0 + 1 < recent.complete_from.0 || seq > recent.head {
            return None;
        }
        let start = recent.after(seq);
        let end = usize::try_from(end.index.saturating_sub(recent.first)).unwrap_or(usize::MAX);
        Some(recent.events.range(start.min(end)..end.min(recent.events.len())).cloned().collect())
    }

    /// As [`EventLog::after`], with the events of the write `seq` itself: a client may have got only some of them.
    #[must_use]
    pub fn since(&self, seq: Seq, end: Position) -> Option<Vec<Arc<PublishedEvent>>> {
        if seq > self.head() { None } else { self.after(Seq(seq.0 - 1), end) }
    }

    /// Returns the events up to the write `seq` that were published at `from_ms` or later, newest first.
    #[must_use]
    pub fn shortly_before(&self, seq: Seq, pause_ms: i64) -> Vec<Arc<PublishedEvent>> {
        let recent = self.recent();
        let end = recent.after(seq);
        let Some(from_ms) = end.checked_sub(1).map(|last| recent.events[last].at_ms - pause_ms) else {
            return Vec::new();
        };
        let events = recent.events.range(..end).rev();
        events.take_while(|event| event.at_ms >= from_ms).cloned().collect()
    }
}

impl PublishedEvent {
    /// Returns what it holds in memory beside itself, in bytes.
    fn weight_bytes(&self) -> usize {
        use crate::events::Recipients;
        let users = match &self.recipients {
            Recipients::Named(named) => {
                named.users.len() + named.except.len() + named.only.as_ref().map_or(0, |only| only.len())
            }
            Recipients::Nobody | Recipients::SignedIn => 0,
        };
        let members = self.effects.membership.as_ref().map_or(0, |membership| membership.members.len());
        self.frame.len() + (users + members) * size_of::<crate::ids::UserId>()
    }
}

//! The event log: recent events in memory, in commit order.
//!
//! The writer appends. The dispatcher of each worker reads from its own position. Clients that reconnect are sent the
//! events that they missed. The log has a limit of events and of bytes; the oldest events are dropped.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::events::PublishedEvent;
use crate::ids::Seq;
use crate::limits::{EVENT_KINDS_MAX, LOG_BYTES_MAX, LOG_EVENTS_MAX};

/// The log, shared by the writer and all workers.
pub struct EventLog {
    recent: Mutex<Recent>,
    /// The numbers of events and frames so far, by the kind of event.
    counts: [KindCounts; EVENT_KINDS_MAX],
}

/// How many events of a kind were published, and how many frames of them were sent to connections.
#[derive(Default)]
pub struct KindCounts {
    pub events: AtomicU64,
    pub frames: AtomicU64,
}

struct Recent {
    events: VecDeque<Arc<PublishedEvent>>,
    /// The index of the first event.
    first: u64,
    bytes: usize,
    head: Seq,
    /// The log holds all events of this write and of every later one.
    complete_from: Seq,
}

impl Recent {
    fn end(&self) -> u64 {
        self.first + self.events.len() as u64
    }

    /// Returns the place in `events` of the first event after the write `seq`.
    fn after(&self, seq: Seq) -> usize {
        self.events.partition_point(|event| event.seq <= seq)
    }
}

/// A position in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The number of events before this one, since the process began.
    pub index: u64,
    /// All events up to this write are before the position.
    pub seq: Seq,
}

impl EventLog {
    /// Makes an empty log that begins after the write `head`.
    #[must_use]
    pub fn new(head: Seq) -> Self {
        let recent = Recent { events: VecDeque::new(), first: 0, bytes: 0, head, complete_from: head };
        Self { recent: Mutex::new(recent), counts: std::array::from_fn(|_| KindCounts::default()) }
    }

    /// Makes an empty log that has all events of the writes after `seq`, which are appended next.
    #[must_use]
    pub fn starting_after(seq: Seq) -> Self {
        let log = Self::new(seq);
        log.recent().complete_from = Seq(seq.0 + 1);
        log
    }

    /// Drops all events, and goes on after the write `seq`, which may be one of another history. Whoever reads the log
    /// finds that it fell behind.
    pub fn restart_after(&self, seq: Seq) {
        let mut recent = self.recent();
        // The position of a reader that had read everything must not be the beginning.
        recent.first = recent.end() + 1;
        recent.events.clear();
        (recent.bytes, recent.head, recent.complete_from) = (0, seq, Seq(seq.0 + 1));
    }

    /// Returns the counts of each kind of event.
    #[must_use]
    pub fn counts(&self) -> &[KindCounts] {
        &self.counts
    }

    /// Counts the frames of an event of this kind.
    pub(super) fn count_frames(&self, kind: usize, frames: u64) {
        if let Some(counts) = self.counts.get(kind) {
            counts.frames.fetch_add(frames, Ordering::Relaxed);
        }
    }

    fn recent(&self) -> MutexGuard<'_, Recent> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of the last write.
    #[must_use]
    pub fn head(&self) -> Seq {
        self.recent().head
    }

    /// Returns the position at the end of the log.
    #[must_use]
    pub fn end(&self) -> Position {
        let recent = self.recent();
        Position { index: recent.end(), seq: recent.head }
    }

    /// Appends the events of a batch whose last write is `head`. It is called in commit order.
    pub fn append(&self, head: Seq, events: impl IntoIterator<Item = Arc<PublishedEvent>>) {
        let mut recent = self.recent();
        for event in events {
            recent.bytes += event.weight_bytes();
            if let Some(counts) = self.counts.get(event.kind) {
                counts.events.fetch_add(1, Ordering::Relaxed);
            }
            recent.events.push_back(event);
        }
        recent.head = head;
        while recent.events.len() > LOG_EVENTS_MAX || recent.bytes > LOG_BYTES_MAX {
            let Some(oldest) = recent.events.pop_front() else { break };
            recent.bytes -= oldest.weight_bytes();
            recent.first += 1;
            recent.complete_from = Seq(oldest.seq.0 + 1);
        }
    }

    /// Returns at most `most` events from `from` on, and the position after them; None if some of them were dropped.
    #[must_use]
    pub fn read(&self, from: Position, most: usize) -> Option<(Vec<Arc<PublishedEvent>>, Position)> {
        let recent = self.recent();
        let skipped = usize::try_from(from.index.checked_sub(recent.first)?).ok()?;
        let events: Vec<_> = recent.events.iter().skip(skipped).take(most).cloned().collect();
        let index = from.index + events.len() as u64;
        // All events of the writes before the next event's write are before the new position.
        let next = recent.events.get(skipped + events.len());
        let seq = next.map_or(recent.head, |next| Seq(next.seq.0 - 1));
        Some((events, Position { index, seq }))
    }

    /// Returns the events of the writes after `seq` and before `end`; None if some of them were dropped. A write that
    /// is committed but not yet in the log has no events here.
    #[must_use]
    pub fn after(&self, seq: Seq, end: Position) -> Option<Vec<Arc<PublishedEvent>>> {
        let recent = self.recent();
        if seq.0 + 1 < recent.complete_from.0 {
            return None;
        }
        let start = recent.after(seq);
        let end = usize::try_from(end.index.checked_sub(recent.first)?).unwrap_or(usize::MAX);
        Some(recent.events.range(start.min(end)..end.min(recent.events.len())).cloned().collect())
    }

    /// Returns the write after which the log has all events.
    #[cfg(test)]
    pub(crate) fn complete_after(&self) -> Seq {
        Seq(self.recent().complete_from.0 - 1)
    }

    /// Returns a write after which the log has all events and still has them in a moment. If the log is full, that is not
    /// its oldest one, because the next write drops events.
    #[must_use]
    pub fn lasts_after(&self) -> Seq {
        let recent = self.recent();
        let oldest = Seq(recent.complete_from.0 - 1);
        let later = recent.events.get(recent.events.len() / 8).filter(|_| recent.first > 0);
        later.map_or(oldest, |later| later.seq.max(oldest))
    }

    /// Returns the events of whole writes after `seq`, about `most` of them and about `bytes_max` bytes, and the last of
    /// these writes. Returns None if some events were dropped, or if there never was such a write.
    #[must_use]
    pub fn writes_after(
        &self,
        seq: Seq,
        most: usize,
        bytes_max: usize,
    ) -> Option<(Vec<Arc<PublishedEvent>>, Seq)> {
        let recent = self.recent();
        if seq.0 + 1 < recent.complete_from.0 || seq > recent.head {
            return None;
        }
        let start = recent.after(seq);
        let mut bytes = 0;
        let fits = |event: &&Arc<PublishedEvent>| {
            bytes += event.weight_bytes();
            bytes <= bytes_max
        };
        let count = recent.events.range(start..).take(most).take_while(fits).count();
        let mut end = (start + count.max(1)).min(recent.events.len());
        if let Some(last) = end.checked_sub(1).filter(|last| *last >= start) {
            end = recent.after(recent.events[last].seq);
        }
        let last = recent.events.get(end).map_or(recent.head, |next| Seq(next.seq.0 - 1));
        Some((recent.events.range(start..end).cloned().collect(), last))
    }

    /// Like [`EventLog::after`], but with the events of the write `seq` itself, because a client may have received only
    /// some of them. Also returns None if there never was such a write.
    #[must_use]
    pub fn since(&self, seq: Seq, end: Position) -> Option<Vec<Arc<PublishedEvent>>> {
        if seq > self.head() { None } else { self.after(Seq(seq.0 - 1), end) }
    }

    /// Returns the last event of the writes up to `seq`, and the events that were published at most `pause_ms`
    /// milliseconds before it. The newest comes first.
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
    /// Returns the bytes of memory that the event holds besides its own size.
    fn weight_bytes(&self) -> usize {
        use crate::events::Recipients;
        let users = match &self.recipients {
            Recipients::Named(named) => {
                named.users.len() + named.except.len() + named.only.as_ref().map_or(0, |only| only.len())
            }
            Recipients::SignedInBut(except) => except.len(),
            Recipients::None => 0,
        };
        let moved =
            self.effects.membership.as_ref().map_or(0, |change| change.joined.len() + change.left.len());
        self.frame.len() + (users + moved) * size_of::<crate::ids::UserId>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delivery::testing::{BEN, event, to};

    fn write(log: &EventLog, seq: i64, words: &[&str]) {
        let seq = Seq(seq);
        log.append(
            seq,
            words.iter().map(|words| Arc::new(PublishedEvent { seq, ..event(words, to(&[BEN])) })),
        );
    }

    /// Writes 101 with one event, 102 without any, 103 with three, 104 with one.
    fn log() -> EventLog {
        let log = EventLog::new(Seq(100));
        for (seq, words) in [(101, &["a"][..]), (102, &[]), (103, &["b", "c", "d"]), (104, &["e"])] {
            write(&log, seq, words);
        }
        log
    }

    fn words(events: &[Arc<PublishedEvent>]) -> String {
        events.iter().map(|event| char::from(event.frame[0])).collect()
    }

    #[test]
    fn a_reader_continues_where_it_was_even_within_a_write() {
        let log = log();
        let mut at = Position { index: 0, seq: Seq(100) };
        let mut read = Vec::new();
        for most in [1, 1, 2, 9, 9] {
            let (events, next) = log.read(at, most).unwrap();
            read.push((words(&events), next.seq.0));
            at = next;
        }
        // A position names the last write whose events are all before it: 103 only after the last event of that write.
        let expected = [("a", 102), ("b", 102), ("cd", 103), ("e", 104), ("", 104)];
        assert_eq!(read, expected.map(|(words, seq)| (words.to_owned(), seq)));
        assert_eq!(at, log.end());
        write(&log, 105, &[]);
        assert_eq!(log.read(at, 9).unwrap().1, Position { index: 5, seq: Seq(105) });
    }

    #[test]
    fn the_events_after_a_write_end_at_the_position_of_the_reader() {
        let log = log();
        let after = |seq, end| log.after(Seq(seq), end).map(|events| words(&events));
        let end = log.end();
        for (seq, expected) in [
            (100, Some("abcde")),
            (101, Some("bcde")),
            (102, Some("bcde")),
            (103, Some("e")),
            (104, Some("")),
            // This write is committed, but not yet in the log.
            (105, Some("")),
            (98, None),
        ] {
            assert_eq!(after(seq, end).as_deref(), expected, "{seq}");
        }
        // The first reader is in the middle of a write. The second is before the write that it asks about.
        assert_eq!(after(100, Position { index: 2, seq: Seq(102) }).as_deref(), Some("ab"));
        assert_eq!(after(103, Position { index: 2, seq: Seq(102) }).as_deref(), Some(""));
    }

    #[test]
    fn the_events_since_a_write_include_its_own() {
        let log = log();
        let since = |seq| log.since(Seq(seq), log.end()).map(|events| words(&events));
        for (seq, expected) in [
            (101, Some("abcde")),
            (102, Some("bcde")),
            (103, Some("bcde")),
            (104, Some("e")),
            (105, None),
            // The start of the process took this number, without events.
            (100, Some("abcde")),
            (99, None),
        ] {
            assert_eq!(since(seq).as_deref(), expected, "{seq}");
        }
    }

    #[test]
    fn a_part_of_the_log_ends_with_a_write() {
        let log = log();
        let part = |seq, most| {
            let writes = log.writes_after(Seq(seq), most, LOG_BYTES_MAX);
            writes.map(|(events, last)| (words(&events), last.0))
        };
        for (seq, most, expected) in [
            (99, 1, Some(("a", 102))),
            (100, 1, Some(("a", 102))),
            (100, 2, Some(("abcd", 103))),
            (102, 1, Some(("bcd", 103))),
            (103, 9, Some(("e", 104))),
            (104, 9, Some(("", 104))),
            // There never was such a write, and one of the writes before the log.
            (105, 9, None),
            (98, 9, None),
        ] {
            assert_eq!(part(seq, most), expected.map(|(words, last)| (words.to_owned(), last)), "{seq}");
        }
        write(&log, 105, &[]);
        assert_eq!(part(104, 9), Some((String::new(), 105)), "a write without events moves the head");
        // Each event has a word, a semicolon, and one user.
        let bytes = 2 + size_of::<crate::ids::UserId>();
        for (bytes_max, expected) in [(0, "a"), (bytes, "a"), (2 * bytes, "abcd"), (9 * bytes, "abcde")] {
            let (events, _) = log.writes_after(Seq(100), 9, bytes_max).unwrap();
            assert_eq!(words(&events), expected, "{bytes_max}");
        }
    }

    #[test]
    fn a_full_log_still_has_in_a_moment_what_it_offers() {
        let log = log();
        assert_eq!(log.lasts_after(), Seq(99), "nothing was dropped yet");
        let many: Vec<&str> = vec!["x"; LOG_EVENTS_MAX - 8];
        write(&log, 105, &many);
        assert!(log.after(Seq(99), log.end()).is_some());
        write(&log, 106, &["f", "g", "h", "i"]);
        let from = log.lasts_after();
        assert!(from > log.complete_after());
        write(&log, 107, &["j"]);
        assert!(log.writes_after(from, 9, LOG_BYTES_MAX).is_some());
    }

    #[test]
    fn a_log_that_begins_anew_has_nothing_of_before_and_its_readers_fell_behind() {
        let log = EventLog::starting_after(Seq(100));
        assert!(log.after(Seq(99), log.end()).is_none());
        write(&log, 101, &["a"]);
        assert_eq!(words(&log.after(Seq(100), log.end()).unwrap()), "a");
        let position = log.end();
        log.restart_after(Seq(7));
        assert!(log.read(position, 9).is_none() && log.after(Seq(7), position).is_none());
        assert_eq!((log.head(), log.complete_after()), (Seq(7), Seq(7)));
        write(&log, 8, &["b"]);
        assert_eq!(words(&log.since(Seq(8), log.end()).unwrap()), "b");
        assert!(log.since(Seq(7), log.end()).is_none() && log.since(Seq(101), log.end()).is_none());
    }

    #[test]
    fn a_write_of_which_an_event_was_dropped_is_unknown() {
        let log = EventLog::new(Seq(100));
        write(&log, 101, &["a", "b"]);
        write(&log, 102, &["c"]);
        let start = Position { index: 0, seq: Seq(100) };
        let many: Vec<&str> = vec!["x"; LOG_EVENTS_MAX - 2];
        write(&log, 103, &many);
        // The first of two events was dropped.
        assert!(log.read(start, 9).is_none());
        assert!(log.after(Seq(100), log.end()).is_none() && log.since(Seq(101), log.end()).is_none());
        assert_eq!(log.after(Seq(101), log.end()).unwrap().len(), LOG_EVENTS_MAX - 1);
        assert_eq!(log.since(Seq(102), log.end()).unwrap().len(), LOG_EVENTS_MAX - 1);
        assert_eq!(words(&log.read(Position { index: 1, seq: Seq(100) }, 2).unwrap().0), "bc");
        assert_eq!(log.end().index, LOG_EVENTS_MAX as u64 + 1);
    }

    #[test]
    fn the_bytes_of_frames_and_recipients_are_limited_too() {
        let log = EventLog::new(Seq(100));
        let large = |seq| {
            let frame = vec![7; LOG_BYTES_MAX / 4].into();
            let many = crate::events::Recipients::users((0..10_000).map(crate::ids::UserId));
            log.append(Seq(seq), [Arc::new(PublishedEvent { seq: Seq(seq), frame, ..event("", many) })]);
        };
        (101..=104).for_each(large);
        assert!(log.after(Seq(100), log.end()).is_none(), "four quarters and their recipients are too much");
        assert_eq!(log.after(Seq(101), log.end()).unwrap().len(), 3);
        assert_eq!(log.head(), Seq(104));
    }

    #[test]
    fn the_events_shortly_before_a_write_come_newest_first() {
        let log = EventLog::new(Seq(100));
        for (number, words) in (0..).zip(["a", "b", "c", "d"]) {
            let (seq, at_ms) = (Seq(101 + number), number * 100);
            log.append(seq, [Arc::new(PublishedEvent { seq, at_ms, ..event(words, to(&[BEN])) })]);
        }
        let before = |seq, pause_ms| words(&log.shortly_before(Seq(seq), pause_ms));
        assert_eq!(before(104, 100), "dc");
        assert_eq!(before(103, 1_000), "cba");
        assert_eq!(before(103, 99), "c");
        assert_eq!(before(100, 1_000), "");
    }
}

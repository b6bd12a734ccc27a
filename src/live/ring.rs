//! The ring of recent events: one door out of the writer, and the memory of those who come back.
//!
//! Each event is encoded and framed once, here. Hubs read on from where they are; a socket that
//! returns is replayed what it missed, or told that nobody can tell. Bounded in events and bytes.

use std::collections::{HashSet, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use actix::prelude::*;
use bytes::Bytes;

use super::hub::{Hub, Wake};
use super::outbox::frame;
use crate::clock::Clock;
use crate::features::Event;
use crate::features::kit::Hearers;
use crate::ids::Seq;
use crate::limits::{COUNT_PAUSE_MS, RING_BYTES_MAX, RING_EVENTS_MAX};
use crate::wire::{self, codec};

/// One event, ready to be written to any socket.
pub struct Entry {
    pub seq: Seq,
    pub at_ms: i64,
    /// The whole WebSocket frame; empty for what only the server hears.
    pub frame: Bytes,
    pub hearers: Hearers,
}

impl Entry {
    fn weight_bytes(&self) -> usize {
        self.frame.len() + size_of_val(&*self.hearers.people)
    }
}

/// The ring. Shared by the writer (which appends) and every worker (which reads).
pub struct Ring {
    recent: Mutex<Recent>,
    hubs: Mutex<Vec<Addr<Hub>>>,
    clock: Clock,
    /// Events appended so far.
    pub appended: AtomicU64,
}

struct Recent {
    entries: VecDeque<Arc<Entry>>,
    bytes: usize,
    head: Seq,
    /// Everything after this is still here.
    floor: Seq,
    /// What came before this is told to hubs, and repeated to nobody: somebody's account ended.
    forgotten: Seq,
}

/// What a reader missed.
pub enum Missed {
    /// These, oldest first.
    Events(Vec<Arc<Entry>>),
    /// More than anybody remembers, or a number that never was.
    Unknown,
}

impl Ring {
    /// Makes an empty ring whose head is the last event of the database.
    #[must_use]
    pub fn new(head: Seq, clock: Clock) -> Self {
        let recent = Recent { entries: VecDeque::new(), bytes: 0, head, floor: head, forgotten: Seq(0) };
        Self { recent: Mutex::new(recent), hubs: Mutex::new(Vec::new()), clock, appended: AtomicU64::new(0) }
    }

    fn recent(&self) -> MutexGuard<'_, Recent> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of the last event.
    pub fn head(&self) -> Seq {
        self.recent().head
    }

    /// Returns the number before which nothing is repeated: of the last account that ended.
    pub fn forgotten(&self) -> Seq {
        self.recent().forgotten
    }

    /// Wakes this hub whenever something is appended.
    pub fn wakes(&self, hub: Addr<Hub>) {
        self.hubs.lock().unwrap_or_else(PoisonError::into_inner).push(hub);
    }

    /// Returns the hubs.
    pub fn hubs(&self) -> Vec<Addr<Hub>> {
        self.hubs.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Appends committed events and wakes the hubs. Called by the writer alone, in commit order.
    pub fn append(&self, events: Vec<(Seq, Event)>) {
        let at_ms = self.clock.now_ms();
        let entries: Vec<Arc<Entry>> = events
            .into_iter()
            .map(|(seq, event)| {
                let hearers = event.hearers();
                let frame = if hearers.closes.is_some() { Bytes::new() } else { encode(seq, &event) };
                Arc::new(Entry { seq, at_ms, frame, hearers })
            })
            .collect();
        self.appended.fetch_add(u64::try_from(entries.len()).unwrap_or(0), Ordering::Relaxed);
        {
            let mut recent = self.recent();
            for entry in entries {
                recent.head = entry.seq;
                if entry.hearers.forgets {
                    recent.forgotten = entry.seq;
                }
                recent.bytes += entry.weight_bytes();
                recent.entries.push_back(entry);
            }
            while recent.entries.len() > RING_EVENTS_MAX || recent.bytes > RING_BYTES_MAX {
                let Some(oldest) = recent.entries.pop_front() else { break };
                recent.bytes -= oldest.weight_bytes();
                recent.floor = oldest.seq;
            }
        }
        let hubs = self.hubs.lock().unwrap_or_else(PoisonError::into_inner);
        for hub in hubs.iter() {
            // Full means that a wake is waiting there already, and one is enough.
            let _ = hub.try_send(Wake);
        }
    }

    /// Returns what came after `seq`, at most `most` of it (0 = all).
    pub fn since(&self, seq: Seq, most: usize) -> Missed {
        let recent = self.recent();
        if seq < recent.floor || seq > recent.head {
            return Missed::Unknown;
        }
        let start = recent.entries.partition_point(|entry| entry.seq <= seq);
        let most = if most == 0 { usize::MAX } else { most };
        Missed::Events(recent.entries.range(start..).take(most).cloned().collect())
    }

    /// Returns what came after `seq`, for somebody who comes back, the newest alone of what is paced or whole: a
    /// number of before may be no longer theirs to know. Nobody can tell when an account ended meanwhile: its
    /// words are not repeated.
    pub fn missed_since(&self, seq: Seq) -> Missed {
        if seq < self.recent().forgotten {
            return Missed::Unknown;
        }
        let Missed::Events(mut missed) = self.since(seq, 0) else { return Missed::Unknown };
        let (mut paces, mut wholes) = (HashSet::new(), HashSet::new());
        missed.reverse();
        missed.retain(|entry| {
            entry.hearers.pace.is_none_or(|pace| paces.insert(pace))
                && entry.hearers.whole.is_none_or(|whole| wholes.insert(whole))
        });
        missed.reverse();
        Missed::Events(missed)
    }

    /// Returns the paced events that may still have been held back for a reader whose last number
    /// is `seq`: the newest of each pace within the pause before it, and a margin. Telling one twice does
    /// no harm. One that a newer followed is left out: that one says who may know it now.
    pub fn held_before(&self, seq: Seq) -> Vec<Arc<Entry>> {
        let recent = self.recent();
        let end = recent.entries.partition_point(|entry| entry.seq <= seq);
        let Some(at_ms) = end.checked_sub(1).map(|last| recent.entries[last].at_ms) else {
            return Vec::new();
        };
        let from_ms = at_ms - 4 * i64::try_from(COUNT_PAUSE_MS).unwrap_or(0);
        let mut paces: HashSet<_> =
            recent.entries.range(end..).filter_map(|entry| entry.hearers.pace).collect();
        let mut held: Vec<_> = recent
            .entries
            .range(..end)
            .rev()
            .take_while(|entry| entry.at_ms >= from_ms && entry.seq > recent.forgotten)
            .filter(|entry| entry.hearers.pace.is_some_and(|pace| paces.insert(pace)))
            .cloned()
            .collect();
        held.reverse();
        held
    }
}

fn encode(seq: Seq, event: &Event) -> Bytes {
    match codec::encode(event) {
        Ok(body) => frame(&wire::event(seq, &body)),
        Err(why) => {
            log::error!("an event could not be told: {why}");
            Bytes::new()
        }
    }
}

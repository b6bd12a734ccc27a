//! The ring of recent events: one door out of the writer, and the memory of those who come back.
//!
//! Each event is encoded and framed once, here, and handed to the groups that have a say in it. Hubs read on
//! from where they are; a socket that returns is replayed what it missed, or told that nobody can tell. Bounded
//! in events and bytes.

use std::collections::{HashSet, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::entry::Entry;
use super::halls::{Halls, Presence};
use super::hub::Hubs;
use crate::clock::Clock;
use crate::error::Error;
use crate::features::Event;
use crate::features::told::Told;
use crate::ids::{GroupId, Seq, UserId};
use crate::limits::{COUNT_PAUSE_MS, RING_BYTES_MAX, RING_EVENTS_MAX};

/// The ring. Shared by the writer (which appends) and every worker (which reads).
pub struct Ring {
    recent: Mutex<Recent>,
    hubs: Arc<Hubs>,
    halls: Arc<Halls>,
    told: Arc<Told>,
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
        let hubs = Arc::<Hubs>::default();
        let halls = Halls::new(hubs.clone());
        let told = Arc::<Told>::default();
        told.grows(head);
        Self { recent: Mutex::new(recent), hubs, halls, told, clock, appended: AtomicU64::new(0) }
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

    /// Returns the hubs, woken whenever something is appended.
    pub fn hubs(&self) -> &Arc<Hubs> {
        &self.hubs
    }

    /// Returns where groups meet.
    pub fn halls(&self) -> &Arc<Halls> {
        &self.halls
    }

    /// Returns how far everybody has been told.
    pub fn told(&self) -> &Arc<Told> {
        &self.told
    }

    /// Appends committed events, hands them to their groups and wakes the hubs. Called by the writer alone, in
    /// commit order.
    pub fn append(&self, events: Vec<(Seq, Event)>) {
        let at_ms = self.clock.now_ms();
        let entries: Vec<Arc<Entry>> =
            events.into_iter().map(|(seq, event)| Arc::new(Entry::new(seq, at_ms, &event))).collect();
        let (Some(first), Some(last)) = (entries.first(), entries.last()) else { return };
        self.appended.fetch_add(u64::try_from(entries.len()).unwrap_or(0), Ordering::Relaxed);
        {
            let mut recent = self.recent();
            for entry in &entries {
                recent.head = entry.seq;
                if entry.hearers.forgets {
                    recent.forgotten = entry.seq;
                }
                recent.bytes += entry.weight_bytes();
                recent.entries.push_back(entry.clone());
            }
            while recent.entries.len() > RING_EVENTS_MAX || recent.bytes > RING_BYTES_MAX {
                let Some(oldest) = recent.entries.pop_front() else { break };
                recent.bytes -= oldest.weight_bytes();
                recent.floor = oldest.seq;
            }
        }
        self.told.grows(last.seq);
        // Here before its group hears of it: whoever is let in by it finds it when they ask since when.
        for entry in &entries {
            self.halls.tell(entry);
        }
        // While it waits for its group's word no hub comes past it, and the group wakes them.
        if first.is_ruled() {
            self.hubs.wake();
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
    /// number of before may be no longer theirs to know. Nobody can tell what came before `forgotten`, by which
    /// an account ended, as they were told: its words are not repeated.
    pub fn missed_since(&self, seq: Seq, forgotten: Seq) -> Missed {
        if seq < forgotten {
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
    /// no harm. One that a newer followed is left out: that one says who may know it now. So is what came
    /// before `forgotten`.
    pub fn held_before(&self, seq: Seq, forgotten: Seq) -> Vec<Arc<Entry>> {
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
            .take_while(|entry| entry.at_ms >= from_ms && entry.seq > forgotten)
            .filter(|entry| entry.hearers.pace.is_some_and(|pace| paces.insert(pace)))
            .cloned()
            .collect();
        held.reverse();
        held
    }

    /// Somebody comes with a signed-in socket whose groups were read at `since`: they are here, and in the halls of
    /// all their groups.
    ///
    /// # Errors
    /// A database fault; [`crate::error::Refusal::Busy`] when the groups cannot be entered now.
    pub async fn welcome(
        &self,
        user_id: UserId,
        mut groups: Vec<GroupId>,
        since: Seq,
    ) -> Result<Presence, Error> {
        // Here first: whoever is added from now on is let in by their group itself, and who was added before is
        // in what was read, or here.
        let presence = self.halls.arrives(user_id);
        for entry in self.memberships_after(since) {
            let joined = entry.membership().filter(|changed| changed.joined.contains(&user_id));
            groups.extend(joined.map(|changed| changed.group_id));
        }
        let is_remembered = since >= self.recent().floor;
        self.halls.settle(presence, is_remembered.then_some(groups)).await
    }

    /// Returns what came after `seq` and changed who is in a group.
    pub(super) fn memberships_after(&self, seq: Seq) -> Vec<Arc<Entry>> {
        let recent = self.recent();
        let start = recent.entries.partition_point(|entry| entry.seq <= seq);
        recent.entries.range(start..).filter(|entry| entry.membership().is_some()).cloned().collect()
    }
}

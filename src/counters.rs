//! Counters of this process for `/metrics`. They hold only numbers: no names, no ids, no text.
//!
//! They are statics, so that every layer can count without access to the server.

use std::sync::atomic::{AtomicU64, Ordering};

/// A number that only rises.
#[derive(Default)]
pub struct Counter(AtomicU64);

impl Counter {
    const fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    pub fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    #[must_use]
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Upper bounds of a histogram, in microseconds. They range from the commits of a fast disk to those of a failing one.
pub const BOUNDS_US: [u64; 9] = [1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 500_000, 2_500_000];

/// A histogram of durations.
pub struct Histogram {
    /// The number of durations up to each of [`BOUNDS_US`]. Durations above the last bound count only in `count`.
    pub within: [Counter; BOUNDS_US.len()],
    pub count: Counter,
    pub sum_us: Counter,
}

impl Histogram {
    const fn new() -> Self {
        Self {
            within: [const { Counter::new() }; BOUNDS_US.len()],
            count: Counter::new(),
            sum_us: Counter::new(),
        }
    }

    pub fn add(&self, took: std::time::Duration) {
        let took_us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        for (within, _) in self.within.iter().zip(BOUNDS_US).filter(|(_, bound)| took_us <= *bound) {
            within.add(1);
        }
        self.count.add(1);
        self.sum_us.add(took_us);
    }
}

/// Close codes with a counter of their own. Every other code is counted as the last one, 0.
pub const CLOSE_CODES: [u16; 14] =
    [1000, 1001, 1002, 1003, 1008, 1009, 1011, 1012, 4001, 4002, 4003, 4408, 4429, 0];

/// Bytes that the kernel took from the send queues of sockets.
pub static SENT_BYTES: Counter = Counter::new();
/// Bytes read from sockets.
pub static RECEIVED_BYTES: Counter = Counter::new();
/// Sockets that the server closed, by the code of its close frame.
pub static CLOSED: [Counter; CLOSE_CODES.len()] = [const { Counter::new() }; CLOSE_CODES.len()];
/// Sockets that were cut because their send queue was full.
pub static CUT_FULL: Counter = Counter::new();
/// Sockets that were cut because the peer read nothing, or sent nothing, for too long.
pub static CUT_STALLED: Counter = Counter::new();
/// Sockets that were cut because a write failed.
pub static CUT_LOST: Counter = Counter::new();
/// Malformed requests over HTTP.
pub static HTTP_MALFORMED: Counter = Counter::new();
/// Sockets that were refused because too many are open.
pub static REFUSED_FULL: Counter = Counter::new();
/// Durations of commits, from the first statement of the transaction until the disk has it.
pub static COMMITS: Histogram = Histogram::new();
/// Durations of the workers that rendered a picture.
pub static PICTURES: Histogram = Histogram::new();
/// Uploads that were not pictures, or that need too much memory or time.
pub static PICTURES_REFUSED: Counter = Counter::new();
/// Renderings that were refused because too many wait, or that took too long.
pub static PICTURES_LATE: Counter = Counter::new();
/// Mails that were sent.
pub static MAILS_SENT: Counter = Counter::new();
/// Failed attempts to send a mail that will be repeated.
pub static MAILS_RETRIED: Counter = Counter::new();
/// Messages between fronts and their home that could not be opened: of another version or key, or damaged.
pub static CLUSTER_UNOPENED: Counter = Counter::new();
/// Questions of this front for events that it missed.
pub static CLUSTER_FILLS: Counter = Counter::new();
/// Requests of the sockets of this front that its home did.
pub static ASKS_DONE: Counter = Counter::new();
/// Requests of the sockets of this front that its home refused.
pub static ASKS_REFUSED: Counter = Counter::new();
/// Requests of the sockets of this front without an answer.
pub static ASKS_UNANSWERED: Counter = Counter::new();
/// Mails that are not tried again.
pub static MAILS_GIVEN_UP: Counter = Counter::new();

/// Counts a close frame.
pub fn closed(code: u16) {
    let place = CLOSE_CODES.iter().position(|known| *known == code).unwrap_or(CLOSE_CODES.len() - 1);
    if let Some(counter) = CLOSED.get(place) {
        counter.add(1);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_duration_counts_in_its_bound_and_in_all_larger_bounds() {
        let times = Histogram::new();
        for took_us in [400, 2_500, 60_000, 9_000_000] {
            times.add(Duration::from_micros(took_us));
        }
        let within: Vec<u64> = times.within.iter().map(Counter::get).collect();
        assert_eq!(within, [1, 2, 2, 2, 2, 2, 3, 3, 3]);
        assert_eq!((times.count.get(), times.sum_us.get()), (4, 9_062_900));
    }
}

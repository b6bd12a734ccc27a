//! Checks the values of counts. It knows the value that a count must have after each write.

use std::collections::HashMap;

use crate::events::Counts;

/// The kind of a count, with the id of its post or poll.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Counted {
    /// The comments of a post.
    Comments(u64),
    /// The positive votes of a post.
    Votes(u64),
    /// The votes in a poll.
    PollVotes(u64),
}

/// One count: its changes, and the values that sockets received.
#[derive(Debug, Default)]
struct CountHistory {
    /// The number of requests that may change it and wait for their replies.
    open: u32,
    /// The changes: the write, the index of the changed number, and the difference.
    changes: Vec<(u64, usize, i8)>,
    /// The values that were received and not compared yet: the write, the counts, and the socket.
    received: Vec<(u64, Counts, usize)>,
    /// The newest value that each socket received.
    newest: HashMap<usize, (u64, Counts)>,
}

/// All counts.
#[derive(Debug, Default)]
pub struct CountHistories(HashMap<Counted, CountHistory>);

/// A wrong count that a socket received.
#[derive(Debug, PartialEq, Eq)]
pub struct Wrong {
    pub counted: Counted,
    pub socket: usize,
    pub seq: u64,
    pub received: Counts,
    pub right: Counts,
}

impl CountHistory {
    /// Returns the value after the write `seq`.
    fn after(&self, seq: u64) -> Counts {
        let mut counts = [0_i64; 4];
        for (_, place, by) in self.changes.iter().filter(|(at, _, _)| *at <= seq) {
            counts[*place] += i64::from(*by);
        }
        counts.map(|count| u32::try_from(count).unwrap_or(0))
    }
}

impl CountHistories {
    /// Records that a request was sent that may change this count.
    pub fn request_sent(&mut self, counted: Counted) {
        self.0.entry(counted).or_default().open += 1;
    }

    /// Records the reply to such a request, and the change by its write. Returns the wrong counts.
    pub fn reply_received(&mut self, counted: Counted, change: Option<(u64, usize, i8)>) -> Vec<Wrong> {
        let history = self.0.entry(counted).or_default();
        history.open = history.open.saturating_sub(1);
        if let Some(change) = change {
            history.changes.push(change);
        }
        self.compare(counted)
    }

    /// Records a count that a socket received. Returns the wrong counts.
    pub fn received(&mut self, counted: Counted, socket: usize, seq: u64, counts: Counts) -> Vec<Wrong> {
        let history = self.0.entry(counted).or_default();
        history.received.push((seq, counts, socket));
        let newest = history.newest.entry(socket).or_insert((seq, counts));
        if newest.0 <= seq {
            *newest = (seq, counts);
        }
        self.compare(counted)
    }

    /// Compares the received values, once no request waits for its reply.
    fn compare(&mut self, counted: Counted) -> Vec<Wrong> {
        let Some(history) = self.0.get_mut(&counted) else { return Vec::new() };
        if history.open > 0 || history.received.is_empty() {
            return Vec::new();
        }
        let received = std::mem::take(&mut history.received);
        let mut wrong = Vec::new();
        let mut last: Option<(u64, Counts)> = None;
        for (seq, counts, socket) in received {
            let right = match last {
                Some((of, right)) if of == seq => right,
                _ => history.after(seq),
            };
            last = Some((seq, right));
            if counts != right {
                wrong.push(Wrong { counted, socket, seq, received: counts, right });
            }
        }
        wrong
    }

    /// Returns the sockets whose newest value is not the last value. Only sockets that were never disconnected are
    /// compared.
    pub fn stale(&mut self, was_never_away: impl Fn(usize) -> bool) -> Vec<Wrong> {
        let mut stale = Vec::new();
        for (counted, history) in &mut self.0 {
            // The events of comments are checked one by one.
            if matches!(counted, Counted::Comments(_)) {
                continue;
            }
            let right = history.after(u64::MAX);
            for (socket, (seq, received)) in &history.newest {
                if *received != right && was_never_away(*socket) {
                    stale.push(Wrong {
                        counted: *counted,
                        socket: *socket,
                        seq: *seq,
                        received: *received,
                        right,
                    });
                }
            }
        }
        stale
    }

    /// Returns the value of a count after all known changes.
    #[must_use]
    pub fn now(&self, counted: Counted) -> Counts {
        self.0.get(&counted).map_or_else(Counts::default, |history| history.after(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLL: Counted = Counted::PollVotes(5);

    #[test]
    fn a_count_is_compared_when_all_changes_before_it_are_known() {
        let mut histories = CountHistories::default();
        histories.request_sent(POLL);
        histories.request_sent(POLL);
        assert!(histories.reply_received(POLL, Some((8, 1, 1))).is_empty());
        // Write 7 is not known yet, but this count contains it.
        assert!(histories.received(POLL, 3, 8, [1, 1, 0, 0]).is_empty());
        assert!(histories.reply_received(POLL, Some((7, 0, 1))).is_empty());
        let wrong = histories.received(POLL, 3, 7, [1, 1, 0, 0]);
        assert_eq!(wrong.len(), 1);
        assert_eq!((wrong[0].received, wrong[0].right), ([1, 1, 0, 0], [1, 0, 0, 0]));
        assert!(histories.stale(|_| true).is_empty());
        assert_eq!(histories.now(POLL), [1, 1, 0, 0]);
    }

    #[test]
    fn a_socket_without_the_last_count_is_reported() {
        let mut histories = CountHistories::default();
        histories.reply_received(POLL, Some((7, 0, 1)));
        assert!(histories.received(POLL, 3, 7, [1, 0, 0, 0]).is_empty());
        histories.reply_received(POLL, Some((9, 0, 1)));
        assert_eq!(histories.stale(|socket| socket == 3).len(), 1);
        assert!(histories.stale(|socket| socket != 3).is_empty());
    }
}

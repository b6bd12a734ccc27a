//! What one socket received so far: the order of events, the cursor, the subscribed topics, and the last frames.

use std::collections::VecDeque;

use super::events::Kind;
use super::msgpack::described;
use crate::limits::POST_TOPICS_MAX;

/// Whether an event is in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    InOrder,
    /// It may be a repeat of an event that was received before.
    Again,
    /// It came after this later event.
    Late(u64),
}

/// A frame, as the description of a fault shows it.
#[derive(Clone, Copy)]
struct Line {
    at_us: u64,
    kind: Kind,
    seq: u64,
    length: usize,
    /// How the message begins.
    begin: [u8; LINE_BYTES],
}

/// Frames in the description of a fault, and bytes of each.
const LINES: usize = 10;
const LINE_BYTES: usize = 88;

/// One socket.
#[derive(Default)]
pub struct Watch {
    is_open: bool,
    was_open: bool,
    is_resuming: bool,
    /// The highest write that came on this connection.
    newest: u64,
    pub cursor: u64,
    /// The range of writes that may come again: after the first, up to the second.
    again: Option<(u64, u64)>,
    /// Transient events of writes up to this one may have been missed.
    live_from: u64,
    /// Events on this connection.
    pub counted: u64,
    /// Ranges of writes that were not repeated: after the first, up to the second.
    gaps: Vec<(u64, u64)>,
    /// The posts it subscribes to, the longest held first.
    pub shows: VecDeque<u64>,
    /// The posts that it may or may not subscribe to on this connection.
    pub may_show: Vec<u64>,
    lines: VecDeque<Line>,
}

impl Watch {
    /// The connection is open; `hello` has the write `seq`. Returns whether it came back, and is to resume.
    pub fn opened(&mut self, seq: u64) -> bool {
        self.is_open = true;
        self.is_resuming = self.was_open;
        if !self.was_open {
            self.cursor = seq;
        }
        self.was_open = true;
        (self.newest, self.counted, self.again) = (0, 0, None);
        self.may_show.clear();
        self.is_resuming
    }

    /// The connection is lost.
    pub fn lost(&mut self) {
        (self.is_open, self.is_resuming) = (false, false);
    }

    /// `live.resume` is answered.
    pub fn resumed(&mut self, seq: u64, resync: bool) {
        if resync {
            // The write of the cursor may have come in part.
            self.gaps.push((self.cursor.saturating_sub(1), seq));
        }
        self.is_resuming = false;
        self.live_from = seq;
        self.cursor = self.cursor.max(self.newest).max(seq);
    }

    /// A read with this snapshot is answered, or a write that the socket subscribes by.
    pub fn answered(&mut self, seq: u64, is_read: bool) {
        if self.newest > seq {
            let begin = if is_read { self.again.map_or(seq, |(from, _)| from.min(seq)) } else { seq };
            self.again = Some((begin, self.newest));
        }
    }

    /// A beat came.
    pub fn beat(&mut self, seq: u64) {
        if !self.is_resuming {
            self.cursor = self.cursor.max(seq);
        }
    }

    /// Takes an event that is not a count; returns whether it is in order.
    pub fn takes(&mut self, seq: u64) -> When {
        if self.is_resuming {
            self.newest = self.newest.max(seq);
            return When::Again;
        }
        self.cursor = self.cursor.max(seq);
        if let Some((after, up_to)) = self.again
            && seq > after
        {
            if seq <= up_to {
                // Repeated events are in order, too.
                self.again = Some((seq - 1, up_to));
                return When::Again;
            }
            self.again = None;
        }
        if seq < self.newest {
            return When::Late(self.newest);
        }
        self.newest = seq;
        When::InOrder
    }

    /// Returns whether the socket may lack an event of this write.
    #[must_use]
    pub fn is_excused(&self, seq: u64, is_transient: bool) -> bool {
        let is_away = !self.is_open || self.is_resuming || seq <= self.live_from;
        is_transient && is_away || self.gaps.iter().any(|(after, up_to)| (after + 1..=*up_to).contains(&seq))
    }

    /// Returns whether comments on a post may come.
    #[must_use]
    pub fn may_receive_comments(&self, post: u64) -> bool {
        self.shows.contains(&post) || self.may_show.contains(&post)
    }

    /// Returns the post whose subscription the server ends when there are too many.
    pub fn beyond_limit(&mut self) -> Option<u64> {
        if self.shows.len() > POST_TOPICS_MAX { self.shows.pop_front() } else { None }
    }

    /// Keeps a frame for the description of a fault.
    pub fn note(&mut self, kind: Kind, seq: u64, message: &[u8], at_us: u64) {
        if self.lines.len() == LINES {
            self.lines.pop_front();
        }
        let (mut begin, kept) = ([0; LINE_BYTES], message.len().min(LINE_BYTES));
        begin[..kept].copy_from_slice(&message[..kept]);
        self.lines.push_back(Line { at_us, kind, seq, length: message.len(), begin });
    }

    /// Returns the last frames, oldest first.
    #[must_use]
    pub fn story(&self) -> Vec<String> {
        let line = |line: &Line| {
            let begin = described(&line.begin[..line.length.min(LINE_BYTES)]);
            let (at_s, kind) = (line.at_us as f64 / 1e6, line.kind.name());
            format!("{at_s:9.3} s  {kind} of the write {} ({} bytes): {begin}", line.seq, line.length)
        };
        self.lines.iter().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_come_in_order_and_again_only_behind_an_answer() {
        let mut watch = Watch::default();
        watch.opened(5);
        assert_eq!(
            [6, 8, 8, 7].map(|seq| watch.takes(seq)),
            [When::InOrder, When::InOrder, When::InOrder, When::Late(8)]
        );
        watch.answered(6, true);
        assert_eq!(
            [7, 8, 9, 8].map(|seq| watch.takes(seq)),
            [When::Again, When::Again, When::InOrder, When::Late(9)]
        );
        assert_eq!(watch.cursor, 9);
    }

    #[test]
    fn who_comes_back_keeps_the_cursor_until_it_is_answered() {
        let mut watch = Watch::default();
        watch.opened(5);
        watch.takes(7);
        watch.lost();
        assert!(watch.is_excused(9, true) && !watch.is_excused(9, false));
        watch.opened(12);
        assert_eq!([12, 7, 8].map(|seq| watch.takes(seq)), [When::Again; 3]);
        assert_eq!(watch.cursor, 7);
        watch.resumed(11, false);
        assert_eq!((watch.cursor, watch.takes(11), watch.takes(13)), (12, When::Late(12), When::InOrder));
        assert!(watch.is_excused(11, true) && !watch.is_excused(12, true) && !watch.is_excused(9, false));
        watch.lost();
        watch.opened(40);
        watch.resumed(40, true);
        assert!(watch.is_excused(30, false) && !watch.is_excused(41, false));
    }
}

//! Records what one socket received until now: the order of events, the cursor, the subscribed posts, and the last
//! frames.

use std::collections::VecDeque;

use crate::events::Kind;
use crate::limits::POST_TOPICS_MAX;
use crate::msgpack::described;

/// Whether an event is in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    InOrder,
    /// It may have been received before.
    Again,
    /// It came after an event of this later write.
    Late(u64),
}

/// A frame in the description of a fault.
#[derive(Clone, Copy)]
struct FrameRecord {
    at_us: u64,
    kind: Kind,
    seq: u64,
    length: usize,
    /// The first bytes of the message.
    begin: [u8; FRAME_BYTES_SHOWN],
}

/// The number of frames in the description of a fault. The next constant is the number of bytes of each.
const FRAMES_SHOWN: usize = 10;
const FRAME_BYTES_SHOWN: usize = 88;

/// The record of one socket.
#[derive(Default)]
pub struct SocketRecord {
    is_open: bool,
    was_open: bool,
    is_resuming: bool,
    /// The highest write of the events on this connection.
    newest: u64,
    pub cursor: u64,
    /// The range of writes whose events may come again: after the first number, up to the second.
    again: Option<(u64, u64)>,
    /// Transient events of writes up to this one may be missing.
    live_from: u64,
    /// The number of events on this connection.
    pub counted: u64,
    /// The ranges of writes that were not replayed: after the first number, up to the second.
    gaps: Vec<(u64, u64)>,
    /// The posts that it subscribes to, in the order of the subscriptions.
    pub shows: VecDeque<u64>,
    /// The posts to which it may have subscribed on this connection.
    pub may_show: Vec<u64>,
    frames: VecDeque<FrameRecord>,
}

impl SocketRecord {
    /// Records that the connection is open. `seq` is that of `hello`. Returns whether the socket was open before and
    /// must resume.
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

    /// Records that the connection is closed.
    pub fn lost(&mut self) {
        (self.is_open, self.is_resuming) = (false, false);
    }

    /// Records the reply to `live.resume`.
    pub fn resumed(&mut self, seq: u64, resync: bool) {
        if resync {
            // Only a part of the events of the cursor's write may have come.
            self.gaps.push((self.cursor.saturating_sub(1), seq));
        }
        self.is_resuming = false;
        self.live_from = seq;
        self.cursor = self.cursor.max(self.newest).max(seq);
    }

    /// Records the reply to a read with the snapshot `seq`, or to a write by which the socket subscribes.
    pub fn reply_received(&mut self, seq: u64, is_read: bool) {
        if self.newest > seq {
            let begin = if is_read { self.again.map_or(seq, |(from, _)| from.min(seq)) } else { seq };
            self.again = Some((begin, self.newest));
        }
    }

    /// Records a `beat`.
    pub fn beat(&mut self, seq: u64) {
        if !self.is_resuming {
            self.cursor = self.cursor.max(seq);
        }
    }

    /// Records an event that is not a count. Returns whether it is in order.
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
                // Replayed events are in order, too.
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

    /// Removes and returns the post whose subscription the server ends, if the socket has too many.
    pub fn beyond_limit(&mut self) -> Option<u64> {
        if self.shows.len() > POST_TOPICS_MAX { self.shows.pop_front() } else { None }
    }

    /// Records a frame for the description of a fault.
    pub fn note(&mut self, kind: Kind, seq: u64, message: &[u8], at_us: u64) {
        if self.frames.len() == FRAMES_SHOWN {
            self.frames.pop_front();
        }
        let (mut begin, kept) = ([0; FRAME_BYTES_SHOWN], message.len().min(FRAME_BYTES_SHOWN));
        begin[..kept].copy_from_slice(&message[..kept]);
        self.frames.push_back(FrameRecord { at_us, kind, seq, length: message.len(), begin });
    }

    /// Returns the last frames, oldest first.
    #[must_use]
    pub fn last_frames(&self) -> Vec<String> {
        let frame = |frame: &FrameRecord| {
            let begin = described(&frame.begin[..frame.length.min(FRAME_BYTES_SHOWN)]);
            let (at_s, kind) = (frame.at_us as f64 / 1e6, frame.kind.name());
            format!("{at_s:9.3} s  {kind} of the write {} ({} bytes): {begin}", frame.seq, frame.length)
        };
        self.frames.iter().map(frame).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_must_be_in_order_and_may_come_again_only_after_a_reply() {
        let mut record = SocketRecord::default();
        record.opened(5);
        assert_eq!(
            [6, 8, 8, 7].map(|seq| record.takes(seq)),
            [When::InOrder, When::InOrder, When::InOrder, When::Late(8)]
        );
        record.reply_received(6, true);
        assert_eq!(
            [7, 8, 9, 8].map(|seq| record.takes(seq)),
            [When::Again, When::Again, When::InOrder, When::Late(9)]
        );
        assert_eq!(record.cursor, 9);
    }

    #[test]
    fn a_socket_that_reconnects_keeps_its_cursor_until_the_reply() {
        let mut record = SocketRecord::default();
        record.opened(5);
        record.takes(7);
        record.lost();
        assert!(record.is_excused(9, true) && !record.is_excused(9, false));
        record.opened(12);
        assert_eq!([12, 7, 8].map(|seq| record.takes(seq)), [When::Again; 3]);
        assert_eq!(record.cursor, 7);
        record.resumed(11, false);
        assert_eq!((record.cursor, record.takes(11), record.takes(13)), (12, When::Late(12), When::InOrder));
        assert!(record.is_excused(11, true) && !record.is_excused(12, true) && !record.is_excused(9, false));
        record.lost();
        record.opened(40);
        record.resumed(40, true);
        assert!(record.is_excused(30, false) && !record.is_excused(41, false));
    }
}

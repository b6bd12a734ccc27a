//! The output of a socket. Frames go straight to the kernel, or into a bounded queue.
//!
//! Guarantees:
//! - Frames are written in the order in which they were queued. Frames that wait at the end of the worker's turn are
//!   written together.
//! - Frames and bytes are bounded. Replies have a limit of their own. If the queue of a peer that reads nothing is
//!   full, the next frame cuts the socket, even if its session does not run.
//! - A task waits for the kernel only while frames are queued. An idle queue holds no buffer.
//!
//! # States
//!
//! ```text
//!        leave, no reply due; close                  end, the peer's close frame
//! Open ---------------------------------> Closing ---------------------------------> Ending
//!   |                                        ^
//!   |   leave                 last reply due |
//!   +--------> ClosingAfterReplies ----------+
//!
//! any -------------------------------------------------------------------------------> Cut
//!      cut; a full queue; a lost socket; a close frame that the peer does not answer
//! ```
//!
//! - `Open`: frames and replies are queued.
//! - `ClosingAfterReplies`: only the replies that are due are queued, and then the close frame.
//! - `Closing`: queued frames are still sent, the close frame last. Frames of the peer are read until its close frame.
//! - `Ending`: as `Closing`, but what the peer sends is discarded. When everything is written, this side of the socket
//!   is shut down, so that the close frame arrives even if the peer still sends.
//! - `Cut`: the socket is shut down, and the queue is empty.
//!
//! A queue is used on the thread of its worker alone.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io::ErrorKind;
use std::net::Shutdown;
use std::rc::Rc;
use std::task::Waker;

use bytes::{Buf, Bytes};

use super::frame::close_frame;
use super::socket::Socket;
use crate::counters;
use crate::limits::{
    CLOSE_TICKS_MAX, CROWDED_FRAMES, SEND_QUEUE_BYTES_MAX, SEND_QUEUE_FRAMES_MAX, SEND_QUEUE_REPLY_BYTES_MAX,
    WRITE_BYTES_MAX, WRITE_FRAMES_MAX,
};

/// One frame, or several joined frames.
struct Queued {
    bytes: Bytes,
    frames: usize,
}

/// The queue of one socket.
#[derive(Default)]
pub struct SendQueue {
    /// None in tests that have no socket.
    socket: Option<Socket>,
    queued: RefCell<VecDeque<Queued>>,
    bytes: Cell<usize>,
    frames: Cell<usize>,
    /// An upper bound of the queued bytes of replies.
    reply_bytes: Cell<usize>,
    /// Ticks of the dispatcher during which frames waited and the kernel took nothing.
    stalled: Cell<u32>,
    /// The waker of the reader, while the reader waits for room in this queue, for fewer running requests, or for the
    /// end of a pause.
    reader: Cell<Option<Waker>>,
    state: Cell<State>,
    /// Whether a flush at the end of this turn is scheduled.
    is_due: Cell<bool>,
    /// Whether a task waits for the kernel.
    is_waiting: Cell<bool>,
}

/// The state of the socket; the module describes each.
#[derive(Clone, Copy)]
enum State {
    /// `replies_due` are the replies that a close would wait for.
    Open {
        replies_due: u32,
    },
    ClosingAfterReplies {
        replies_due: u32,
        code: u16,
        reason: &'static str,
    },
    /// `ticks` are the ticks of the dispatcher since the close frame was written.
    Closing {
        ticks: u64,
    },
    Ending {
        ticks: u64,
    },
    Cut,
}

impl Default for State {
    fn default() -> Self {
        Self::Open { replies_due: 0 }
    }
}

impl SendQueue {
    /// Makes the queue of a socket.
    #[must_use]
    pub fn new(socket: Option<Socket>) -> Rc<Self> {
        Rc::new(Self { socket, ..Self::default() })
    }

    /// Queues a frame, which is written at the end of the worker's turn. Returns false if the socket is closing, or was
    /// cut because its queue is full.
    pub fn push(self: &Rc<Self>, frame: Bytes) -> bool {
        self.is_open() && self.push_if(self.fits(frame.len()), frame, 1)
    }

    /// Writes joined frames, and queues what the kernel does not take. Returns false if the socket is closing, or was
    /// cut because its queue is full.
    pub fn send_joined(self: &Rc<Self>, bytes: &Bytes, frames: usize) -> bool {
        if !self.is_open() {
            return false;
        }
        let mut written = 0;
        if self.frames.get() == 0
            && let Some(socket) = &self.socket
        {
            match socket.write(bytes) {
                Ok(taken) if taken == bytes.len() => return true,
                Ok(taken) => written = taken,
                Err(why) if why.kind() == ErrorKind::WouldBlock => {}
                Err(_) => {
                    counters::CUT_LOST.add(1);
                    self.cut();
                    return false;
                }
            }
        }
        let rest = bytes.slice(written..);
        self.push_if(self.fits(rest.len()), rest, frames)
    }

    /// Queues a reply. Replies have a limit of their own.
    fn push_reply(self: &Rc<Self>, reply: Bytes) {
        let bytes = self.reply_bytes.get() + reply.len();
        if self.push_if(bytes <= SEND_QUEUE_REPLY_BYTES_MAX, reply, 1) {
            self.reply_bytes.set(bytes);
        }
    }

    fn fits(&self, bytes: usize) -> bool {
        self.bytes.get() - self.reply_bytes.get() + bytes <= SEND_QUEUE_BYTES_MAX
    }

    fn push_if(self: &Rc<Self>, fits: bool, bytes: Bytes, frames: usize) -> bool {
        if !matches!(self.state.get(), State::Open { .. } | State::ClosingAfterReplies { .. }) {
            return false;
        }
        if !fits || self.frames.get() + frames > SEND_QUEUE_FRAMES_MAX {
            counters::CUT_FULL.add(1);
            self.cut();
            return false;
        }
        self.bytes.set(self.bytes.get() + bytes.len());
        self.frames.set(self.frames.get() + frames);
        self.queued.borrow_mut().push_back(Queued { bytes, frames });
        self.flush_soon();
        true
    }

    /// Returns whether so much is queued that no new request should be read or begun.
    #[must_use]
    pub fn is_crowded(&self) -> bool {
        self.bytes.get() > SEND_QUEUE_BYTES_MAX || self.frames.get() > CROWDED_FRAMES
    }

    /// Returns whether the socket is neither closing nor closed.
    #[must_use]
    pub fn is_open(&self) -> bool {
        matches!(self.state.get(), State::Open { .. })
    }

    /// Returns whether the socket was cut.
    pub(crate) fn is_cut(&self) -> bool {
        matches!(self.state.get(), State::Cut)
    }

    /// Returns whether incoming frames are ignored.
    pub(crate) fn is_ending(&self) -> bool {
        matches!(self.state.get(), State::Ending { .. })
    }

    /// Notes that a reply must be sent before the socket is closed.
    pub fn expect_reply(&self) {
        let mut state = self.state.get();
        if let State::Open { replies_due } | State::ClosingAfterReplies { replies_due, .. } = &mut state {
            *replies_due += 1;
            self.state.set(state);
        }
    }

    /// Queues a reply that was due. After the last one, a pending close begins.
    pub fn push_awaited(self: &Rc<Self>, reply: Bytes) {
        self.push_reply(reply);
        let mut state = self.state.get();
        if let State::Open { replies_due } | State::ClosingAfterReplies { replies_due, .. } = &mut state {
            *replies_due = replies_due.saturating_sub(1);
            self.state.set(state);
        }
        if let State::ClosingAfterReplies { replies_due: 0, code, reason } = state {
            self.close(code, reason);
        }
    }

    /// Closes the socket after the replies that are due. Nothing else is sent any more.
    pub fn leave(self: &Rc<Self>, code: u16, reason: &'static str) {
        match self.state.get() {
            State::Open { replies_due: 0 } => self.close(code, reason),
            State::Open { replies_due } => {
                self.state.set(State::ClosingAfterReplies { replies_due, code, reason });
            }
            _ => {}
        }
    }

    /// Closes the socket: sends the queued frames and a close frame, and then waits for the close frame of the peer.
    pub fn close(self: &Rc<Self>, code: u16, reason: &str) {
        let frame = close_frame(code, reason);
        if self.push_if(self.fits(frame.len()), frame, 1) {
            counters::closed(code);
            self.state.set(State::Closing { ticks: 0 });
        }
    }

    /// Closes the socket and ignores incoming frames, because the peer violated the protocol or sent a close frame.
    pub(crate) fn end(self: &Rc<Self>, code: u16, reason: &str) {
        self.close(code, reason);
        if let State::Closing { ticks } = self.state.get() {
            self.state.set(State::Ending { ticks });
        }
        if self.frames.get() == 0 {
            self.drained();
        }
        self.wake_reader();
    }

    /// Answers the close frame of the peer after all queued frames, then ends the socket, because otherwise server and
    /// browser would each wait for the other to end the connection.
    pub(crate) fn answer_close(self: &Rc<Self>, code: u16) {
        self.end(code, "");
        self.flush();
        if self.frames.get() == 0 {
            self.cut();
        }
    }

    /// Ends the socket at once, even if its session does not run.
    pub fn cut(&self) {
        if matches!(self.state.replace(State::Cut), State::Cut) {
            return;
        }
        self.queued.take();
        self.bytes.set(0);
        self.frames.set(0);
        self.reply_bytes.set(0);
        if let Some(socket) = &self.socket {
            socket.shutdown(Shutdown::Both);
        }
        self.wake_reader();
    }

    /// Counts a tick of the dispatcher. Returns for how many ticks frames have waited while the kernel took nothing.
    pub fn tick(&self) -> u64 {
        let mut state = self.state.get();
        if let State::Closing { ticks } | State::Ending { ticks } = &mut state
            && self.frames.get() == 0
        {
            *ticks += 1;
            let is_over = *ticks > CLOSE_TICKS_MAX;
            self.state.set(state);
            if is_over {
                // The peer has not answered the close frame in time.
                self.cut();
            }
        }
        let stalled = if self.frames.get() > 0 { self.stalled.get() + 1 } else { 0 };
        self.stalled.set(stalled);
        u64::from(stalled)
    }

    /// Keeps the waker of the reader until the reader may have room again.
    pub(crate) fn wait_for_room(&self, reader: &Waker) {
        let waiting = self.reader.take().filter(|waiting| waiting.will_wake(reader));
        self.reader.set(Some(waiting.unwrap_or_else(|| reader.clone())));
    }

    /// Returns whether the reader waits for room. While it waits, silence does not mean that the peer is gone.
    #[must_use]
    pub fn holds_reader(&self) -> bool {
        let reader = self.reader.take();
        let holds = reader.is_some();
        self.reader.set(reader);
        holds
    }

    /// Wakes the reader.
    pub(crate) fn wake_reader(&self) {
        if let Some(reader) = self.reader.take() {
            reader.wake();
        }
    }

    /// Returns the socket, for its reader.
    pub(super) fn socket(&self) -> Option<&Socket> {
        self.socket.as_ref()
    }

    fn flush_soon(self: &Rc<Self>) {
        if self.socket.is_some() && !self.is_waiting.get() && !self.is_due.replace(true) {
            flusher::flush_soon(self.clone());
        }
    }

    /// Writes the queued frames now.
    pub fn flush(self: &Rc<Self>) {
        self.is_due.set(false);
        if self.is_waiting.get() || self.write_on() {
            return;
        }
        self.is_waiting.set(true);
        let queue = self.clone();
        actix_web::rt::spawn(async move {
            while let Some(socket) = &queue.socket
                && socket.writable().await.is_ok()
                && !queue.write_on()
            {}
            queue.is_waiting.set(false);
        });
    }

    /// Writes until the queue is empty. Returns false if the kernel takes no more.
    fn write_on(&self) -> bool {
        let Some(socket) = &self.socket else { return true };
        while self.frames.get() > 0 {
            let written = self.one_write(|frames| socket.write_joined(frames));
            match written {
                Ok(taken) => self.took(taken),
                Err(why) if why.kind() == ErrorKind::WouldBlock => return false,
                Err(_) => {
                    counters::CUT_LOST.add(1);
                    self.cut();
                }
            }
        }
        true
    }

    /// Passes the first queued frames to `write`, as many as one write may carry.
    fn one_write<T>(&self, write: impl FnOnce(&mut dyn Iterator<Item = &Bytes>) -> T) -> T {
        let queued = self.queued.borrow();
        let mut bytes = 0;
        let mut frames =
            queued.iter().map(|queued| &queued.bytes).take(WRITE_FRAMES_MAX).take_while(|next| {
                let is_first = bytes == 0;
                bytes += next.len();
                is_first || bytes <= WRITE_BYTES_MAX
            });
        write(&mut frames)
    }

    /// Removes from the queue what the kernel took.
    fn took(&self, mut taken: usize) {
        self.stalled.set(0);
        self.bytes.set(self.bytes.get().saturating_sub(taken));
        self.reply_bytes.set(self.reply_bytes.get().min(self.bytes.get()));
        let mut queued = self.queued.borrow_mut();
        while let Some(first) = queued.front_mut() {
            if first.bytes.len() > taken {
                first.bytes.advance(taken);
                break;
            }
            taken -= first.bytes.len();
            self.frames.set(self.frames.get() - first.frames);
            queued.pop_front();
        }
        let is_drained = queued.is_empty();
        if is_drained {
            *queued = VecDeque::new();
        }
        drop(queued);
        if is_drained {
            self.drained();
        }
        if !self.is_crowded() {
            self.wake_reader();
        }
    }

    fn drained(&self) {
        if self.is_ending()
            && let Some(socket) = &self.socket
        {
            socket.shutdown(Shutdown::Write);
        }
    }

    /// Returns the queued frames.
    #[cfg(test)]
    pub(crate) fn waiting(&self) -> Vec<Bytes> {
        self.queued.borrow().iter().map(|queued| queued.bytes.clone()).collect()
    }

    /// Takes the frames of one write from the queue, joined.
    #[cfg(test)]
    pub(crate) fn take(&self) -> Option<Bytes> {
        let joined = self.one_write(|frames| frames.flatten().copied().collect::<Bytes>());
        self.took(joined.len());
        (!joined.is_empty()).then_some(joined)
    }
}

/// Flushes queues at the end of the worker's turn, which is after the tasks that are ready now.
mod flusher {
    use std::cell::RefCell;
    use std::rc::Rc;

    use super::SendQueue;

    thread_local! {
        static DUE: RefCell<Vec<Rc<SendQueue>>> = const { RefCell::new(Vec::new()) };
    }

    /// Flushes a queue at the end of this turn.
    pub(crate) fn flush_soon(queue: Rc<SendQueue>) {
        let is_first = DUE.with_borrow_mut(|due| {
            due.push(queue);
            due.len() == 1
        });
        if is_first {
            actix_web::rt::spawn(async {
                for queue in DUE.take() {
                    queue.flush();
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::frame::PING;
    use super::*;

    #[test]
    fn one_write_takes_all_queued_frames() {
        let queue = SendQueue::new(None);
        for byte in 0..3 {
            assert!(queue.push(Bytes::from(vec![byte])));
        }
        assert!(queue.send_joined(&Bytes::from_static(&[3, 4]), 2), "behind what waits");
        assert_eq!(queue.take().unwrap()[..], [0, 1, 2, 3, 4]);
        assert_eq!(queue.take(), None);
        assert_eq!(queue.tick(), 0);
        assert_eq!(
            (queue.frames.get(), queue.queued.borrow().capacity()),
            (0, 0),
            "an idle queue holds no buffer"
        );
    }

    #[test]
    fn a_write_may_end_within_a_frame() {
        let queue = SendQueue::new(None);
        queue.push(Bytes::from_static(b"abc"));
        queue.push(Bytes::from_static(b"def"));
        queue.took(4);
        assert_eq!((queue.frames.get(), queue.bytes.get()), (1, 2));
        assert_eq!(queue.take().unwrap()[..], b"ef"[..]);
    }

    #[test]
    fn a_stall_is_counted_in_ticks_and_ends_when_the_kernel_takes_something() {
        let queue = SendQueue::new(None);
        assert_eq!(queue.tick(), 0, "nothing waits");
        queue.push(PING);
        queue.push(PING);
        assert_eq!((queue.tick(), queue.tick()), (1, 2));
        queue.take();
        assert_eq!(queue.tick(), 0);
    }

    #[test]
    fn frames_that_do_not_fit_into_one_write_follow_in_order() {
        let queue = SendQueue::new(None);
        for byte in 0..3 {
            queue.push(Bytes::from(vec![byte; WRITE_BYTES_MAX / 2 + 1]));
        }
        for byte in 0..3 {
            assert_eq!(queue.take().unwrap()[..], vec![byte; WRITE_BYTES_MAX / 2 + 1][..]);
        }
        assert_eq!(queue.take(), None);
    }

    #[test]
    fn lv3_a_send_queue_above_its_limit_cuts_the_socket() {
        let queue = SendQueue::new(None);
        let pushed = (0..SEND_QUEUE_FRAMES_MAX + 5).filter(|_| queue.push(PING)).count();
        assert_eq!(pushed, SEND_QUEUE_FRAMES_MAX);
        assert_eq!(queue.take(), None, "what was queued is let go");

        let queue = SendQueue::new(None);
        assert!(queue.push(Bytes::from(vec![0; SEND_QUEUE_BYTES_MAX])));
        assert!(!queue.push(PING));

        let queue = SendQueue::new(None);
        assert!(queue.send_joined(&PING, SEND_QUEUE_FRAMES_MAX));
        assert!(!queue.send_joined(&PING, 1));
    }

    #[test]
    fn lv4_a_socket_is_crowded_by_frames_or_bytes_until_they_are_taken() {
        let queue = SendQueue::new(None);
        (0..CROWDED_FRAMES).for_each(|_| assert!(queue.push(PING)));
        assert!(!queue.is_crowded());
        queue.push(PING);
        assert!(queue.is_crowded());
        queue.take();
        assert!(!queue.is_crowded());
    }

    #[test]
    fn closing_waits_for_the_replies_to_earlier_requests() {
        let queue = SendQueue::new(None);
        queue.expect_reply();
        queue.expect_reply();
        queue.leave(4001, "");
        assert!(!queue.push(PING), "nothing else goes out");
        queue.push_awaited(Bytes::from_static(&[1]));
        assert_eq!(queue.take().unwrap()[..], [1]);
        queue.push_awaited(Bytes::from_static(&[2]));
        assert_eq!(queue.take().unwrap()[..], [2, 0x88, 2, 0x0f, 0xa1]);
    }

    #[test]
    fn replies_have_a_limit_of_their_own() {
        let queue = SendQueue::new(None);
        queue.expect_reply();
        queue.expect_reply();
        queue.push_awaited(Bytes::from(vec![0; 2 * SEND_QUEUE_BYTES_MAX]));
        assert!(queue.is_crowded());
        assert!(queue.push(Bytes::from(vec![0; SEND_QUEUE_BYTES_MAX])), "events have theirs");
        assert!(!queue.push(PING));
        let greedy = SendQueue::new(None);
        greedy.expect_reply();
        greedy.push_awaited(Bytes::from(vec![0; SEND_QUEUE_REPLY_BYTES_MAX + 1]));
        assert_eq!(greedy.take(), None, "but not without end");
    }

    #[test]
    fn the_connection_ends_with_the_peers_close_frame_or_a_time_limit() {
        for answers in [true, false] {
            let queue = SendQueue::new(None);
            queue.close(4002, "");
            assert!(queue.take().is_some(), "ours goes out first");
            assert!(matches!(queue.state.get(), State::Closing { .. }));
            if answers {
                queue.answer_close(4002);
            } else {
                (0..=CLOSE_TICKS_MAX).for_each(|_| assert_eq!(queue.tick(), 0));
            }
            assert!(queue.is_cut());
        }
        // The peer closes while frames of the server still wait. They are all sent.
        let queue = SendQueue::new(None);
        queue.close(4002, "");
        queue.answer_close(4002);
        assert!(queue.is_ending() && queue.take().is_some());
        assert!(queue.is_ending());
    }

    #[test]
    fn nothing_follows_a_close_frame() {
        let queue = SendQueue::new(None);
        queue.close(1012, "restarting");
        assert!(!queue.push(PING));
        assert_eq!(queue.take().unwrap()[..4], [0x88, 12, 0x03, 0xf4]);
    }
}

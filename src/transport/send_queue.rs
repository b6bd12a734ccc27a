//! What leaves a socket: straight to the kernel, or a bounded queue of ready frames.
//!
//! Guarantees:
//! - Frames go out in the order they were put in, and all that waits at the end of the worker's turn is one write.
//! - Frames and bytes are counted where they are put in: a peer that takes nothing is cut by whoever has
//!   something for it, from outside its session. Replies have room of their own.
//! - A task waits for the kernel only while something is queued. An idle queue holds no buffer.
//!
//! The queue of a socket lives on its worker's thread alone.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io::ErrorKind;
use std::net::Shutdown;
use std::rc::Rc;
use std::task::Waker;

use bytes::{Buf, Bytes};

use super::frame::close_frame;
use super::stream::Writer;
use crate::limits::{
    CROWDED_FRAMES, GOODBYE_TICKS_MAX, SEND_QUEUE_BYTES_MAX, SEND_QUEUE_FRAMES_MAX,
    SEND_QUEUE_REPLY_BYTES_MAX, WRITE_BYTES_MAX, WRITE_FRAMES_MAX,
};

/// Ready frames, joined or one.
struct Queued {
    bytes: Bytes,
    frames: usize,
}

/// The queue of one socket.
pub struct SendQueue {
    /// None in tests that have no socket.
    writer: Option<Writer>,
    queued: RefCell<VecDeque<Queued>>,
    bytes: Cell<usize>,
    frames: Cell<usize>,
    /// How many of the bytes are replies, at most.
    reply_bytes: Cell<usize>,
    /// Ticks of the dispatcher since the kernel took something while something waited.
    stalled: Cell<u32>,
    /// Ticks of the dispatcher since a goodbye went out.
    awaited: Cell<u32>,
    /// Owed replies: a goodbye waits for them.
    owed: Cell<u32>,
    /// The goodbye that waits.
    goodbye: Cell<Option<(u16, &'static str)>>,
    /// The reader of this socket, when it waits for room here or among its requests.
    reader: Cell<Option<Waker>>,
    state: Cell<State>,
    /// Nothing more is read: once all is written, the peer is told that no more comes.
    is_ending: Cell<bool>,
    /// A flush at the end of this turn is on its way.
    is_due: Cell<bool>,
    /// A task waits for the kernel.
    is_waiting: Cell<bool>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    /// Owed replies still go out, nothing else.
    Leaving,
    /// What is queued goes out, then the peer's own goodbye is awaited.
    Closing,
    /// Nothing goes out any more.
    Cut,
}

impl SendQueue {
    /// Makes the queue of a socket.
    #[must_use]
    pub fn new(writer: Option<Writer>) -> Rc<Self> {
        Rc::new(Self {
            writer,
            queued: RefCell::default(),
            bytes: Cell::new(0),
            frames: Cell::new(0),
            reply_bytes: Cell::new(0),
            stalled: Cell::new(0),
            awaited: Cell::new(0),
            owed: Cell::new(0),
            goodbye: Cell::new(None),
            reader: Cell::new(None),
            state: Cell::new(State::Open),
            is_ending: Cell::new(false),
            is_due: Cell::new(false),
            is_waiting: Cell::new(false),
        })
    }

    /// Queues a frame, which is written at the end of the worker's turn; false when the socket is closing, or
    /// was cut because its queue is full.
    pub fn push(self: &Rc<Self>, frame: Bytes) -> bool {
        let fits = self.fits(frame.len());
        self.push_if(fits, frame, 1)
    }

    /// Writes joined frames, or queues what the kernel does not take; false when the socket is closing, or was
    /// cut because its queue is full.
    pub fn send_joined(self: &Rc<Self>, mut bytes: Bytes, frames: usize) -> bool {
        if self.state.get() == State::Open
            && self.frames.get() == 0
            && let Some(writer) = &self.writer
        {
            match writer.write(&bytes) {
                Ok(taken) if taken == bytes.len() => return true,
                Ok(taken) => bytes.advance(taken),
                Err(why) if why.kind() == ErrorKind::WouldBlock => {}
                Err(_) => {
                    self.cut();
                    return false;
                }
            }
        }
        let fits = self.fits(bytes.len());
        self.push_if(fits, bytes, frames)
    }

    /// Queues a reply: what was asked for has room of its own.
    fn push_reply(self: &Rc<Self>, reply: Bytes) -> bool {
        let fits = self.reply_bytes.get() + reply.len() <= SEND_QUEUE_REPLY_BYTES_MAX;
        let bytes = reply.len();
        let is_in = self.push_if(fits, reply, 1);
        if is_in {
            self.reply_bytes.set(self.reply_bytes.get() + bytes);
        }
        is_in
    }

    fn fits(&self, bytes: usize) -> bool {
        self.bytes.get() - self.reply_bytes.get() + bytes <= SEND_QUEUE_BYTES_MAX
    }

    fn push_if(self: &Rc<Self>, fits: bool, bytes: Bytes, frames: usize) -> bool {
        if self.state.get() != State::Open {
            return false;
        }
        if !fits || self.frames.get() + frames > SEND_QUEUE_FRAMES_MAX {
            self.cut();
            return false;
        }
        self.bytes.set(self.bytes.get() + bytes.len());
        self.frames.set(self.frames.get() + frames);
        self.queued.borrow_mut().push_back(Queued { bytes, frames });
        self.flush_soon();
        true
    }

    /// True while so much waits that nothing new should be read or begun.
    #[must_use]
    pub fn is_crowded(&self) -> bool {
        self.bytes.get() > SEND_QUEUE_BYTES_MAX || self.frames.get() > CROWDED_FRAMES
    }

    /// True until a goodbye.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.state.get() == State::Open
    }

    /// True once nothing goes out any more.
    pub(crate) fn is_cut(&self) -> bool {
        self.state.get() == State::Cut
    }

    /// True once nothing that comes in matters any more.
    pub(crate) fn is_ending(&self) -> bool {
        self.is_ending.get()
    }

    /// Notes that a goodbye is to wait for a reply.
    pub fn owes(&self) {
        self.owed.set(self.owed.get() + 1);
    }

    /// Queues an owed reply, and after the last one a goodbye that waited for it.
    pub fn pays(self: &Rc<Self>, reply: Bytes) {
        self.owed.set(self.owed.get().saturating_sub(1));
        if self.state.get() != State::Leaving {
            self.push_reply(reply);
            return;
        }
        self.state.set(State::Open);
        if !self.push_reply(reply) {
            return;
        }
        if self.owed.get() > 0 {
            self.state.set(State::Leaving);
        } else if let Some((code, reason)) = self.goodbye.take() {
            self.close(code, reason);
        }
    }

    /// Says goodbye once owed replies are out; from now on nothing else goes out.
    pub fn leave(self: &Rc<Self>, code: u16, reason: &'static str) {
        if self.owed.get() == 0 {
            self.close(code, reason);
        } else if self.state.get() == State::Open {
            self.goodbye.set(Some((code, reason)));
            self.state.set(State::Leaving);
        }
    }

    /// Says goodbye: what is queued and a close frame still go out, then the peer's own is awaited.
    pub fn close(self: &Rc<Self>, code: u16, reason: &str) {
        if self.state.get() == State::Leaving {
            self.state.set(State::Open);
        }
        if self.push(close_frame(code, reason)) {
            self.state.set(State::Closing);
        }
    }

    /// Says goodbye to a peer that is not listened to any more: because of what it sent, or because it said
    /// goodbye. When all is written, this side of the socket is shut, so that the close frame arrives whatever
    /// is still on its way here.
    pub(crate) fn end(self: &Rc<Self>, code: u16, reason: &str) {
        self.close(code, reason);
        self.is_ending.set(true);
        if self.frames.get() == 0 {
            self.drained();
        }
        self.wake_reader();
    }

    /// Answers the peer's goodbye, after all that is queued. Once the kernel has it, the socket ends: left to
    /// itself the server would wait for a browser to hang up, and the browser for the server.
    pub(crate) fn answer_goodbye(self: &Rc<Self>, code: u16) {
        self.end(code, "");
        self.flush();
        if self.frames.get() == 0 {
            self.cut();
        }
    }

    /// Ends the socket at once, from outside its session.
    pub fn cut(&self) {
        if self.state.replace(State::Cut) == State::Cut {
            return;
        }
        self.queued.take();
        self.bytes.set(0);
        self.frames.set(0);
        self.reply_bytes.set(0);
        if let Some(writer) = &self.writer {
            writer.shutdown(Shutdown::Both);
        }
        self.wake_reader();
    }

    /// Called at each tick of the dispatcher: returns for how many ticks something has waited and nothing was taken.
    pub fn tick(&self) -> u64 {
        if self.state.get() == State::Closing && self.frames.get() == 0 {
            self.awaited.set(self.awaited.get() + 1);
            if u64::from(self.awaited.get()) > GOODBYE_TICKS_MAX {
                // It does not answer.
                self.cut();
            }
        }
        let stalled = if self.frames.get() > 0 { self.stalled.get() + 1 } else { 0 };
        self.stalled.set(stalled);
        u64::from(stalled)
    }

    /// Keeps the reader's waker until there may be room: here, or among its requests.
    pub(crate) fn wait_for_room(&self, reader: &Waker) {
        let waiting = self.reader.take().filter(|waiting| waiting.will_wake(reader));
        self.reader.set(Some(waiting.unwrap_or_else(|| reader.clone())));
    }

    /// True while the reader waits for room: silence is no sign of a peer that is gone then.
    #[must_use]
    pub fn holds_reader(&self) -> bool {
        let reader = self.reader.take();
        let holds = reader.is_some();
        self.reader.set(reader);
        holds
    }

    /// Has the reader look again.
    pub(crate) fn wake_reader(&self) {
        if let Some(reader) = self.reader.take() {
            reader.wake();
        }
    }

    fn flush_soon(self: &Rc<Self>) {
        if self.writer.is_some() && !self.is_waiting.get() && !self.is_due.replace(true) {
            flusher::flush_soon(self.clone());
        }
    }

    /// Writes what waits, now.
    pub fn flush(self: &Rc<Self>) {
        self.is_due.set(false);
        if self.is_waiting.get() || self.write_on() {
            return;
        }
        self.is_waiting.set(true);
        let queue = self.clone();
        actix_web::rt::spawn(async move {
            while let Some(writer) = &queue.writer
                && writer.writable().await.is_ok()
                && !queue.write_on()
            {}
            queue.is_waiting.set(false);
        });
    }

    /// Writes until nothing waits; false when the kernel takes no more.
    fn write_on(&self) -> bool {
        let Some(writer) = &self.writer else { return true };
        while self.frames.get() > 0 {
            let written = self.one_write(|frames| writer.write_joined(frames));
            match written {
                Ok(taken) => self.took(taken),
                Err(why) if why.kind() == ErrorKind::WouldBlock => return false,
                Err(_) => self.cut(),
            }
        }
        true
    }

    /// Hands the first that waits to `write`, as much of it as one write may carry.
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

    /// Lets go of what the kernel took.
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
        if self.is_ending.get()
            && self.state.get() == State::Closing
            && let Some(writer) = &self.writer
        {
            writer.shutdown(Shutdown::Write);
        }
    }

    /// Returns what waits, as it was put in.
    #[cfg(test)]
    pub(crate) fn waiting(&self) -> Vec<Bytes> {
        self.queued.borrow().iter().map(|queued| queued.bytes.clone()).collect()
    }

    /// Takes what one write would carry, joined.
    #[cfg(test)]
    pub(crate) fn take(&self) -> Option<Bytes> {
        let joined = self.one_write(|frames| frames.flatten().copied().collect::<Bytes>());
        self.took(joined.len());
        (!joined.is_empty()).then_some(joined)
    }
}

/// Flushes queues at the end of the worker's turn: after the tasks that are ready now.
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
    fn one_write_takes_all_that_waits() {
        let queue = SendQueue::new(None);
        for byte in 0..3 {
            assert!(queue.push(Bytes::from(vec![byte])));
        }
        assert!(queue.send_joined(Bytes::from_static(&[3, 4]), 2), "behind what waits");
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
    fn a_stall_is_counted_in_ticks_and_ends_when_something_is_taken() {
        let queue = SendQueue::new(None);
        assert_eq!(queue.tick(), 0, "nothing waits");
        queue.push(PING);
        queue.push(PING);
        assert_eq!((queue.tick(), queue.tick()), (1, 2));
        queue.take();
        assert_eq!(queue.tick(), 0);
    }

    #[test]
    fn what_does_not_fit_into_one_write_follows_in_the_next_in_order() {
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
    fn l3_a_backlog_over_its_bound_cuts_the_socket() {
        let queue = SendQueue::new(None);
        let pushed = (0..SEND_QUEUE_FRAMES_MAX + 5).filter(|_| queue.push(PING)).count();
        assert_eq!(pushed, SEND_QUEUE_FRAMES_MAX);
        assert_eq!(queue.take(), None, "what was queued is let go");

        let queue = SendQueue::new(None);
        assert!(queue.push(Bytes::from(vec![0; SEND_QUEUE_BYTES_MAX])));
        assert!(!queue.push(PING));

        let queue = SendQueue::new(None);
        assert!(queue.send_joined(PING, SEND_QUEUE_FRAMES_MAX));
        assert!(!queue.send_joined(PING, 1));
    }

    #[test]
    fn l4_a_socket_is_crowded_by_frames_or_bytes_until_they_are_taken() {
        let queue = SendQueue::new(None);
        (0..CROWDED_FRAMES).for_each(|_| assert!(queue.push(PING)));
        assert!(!queue.is_crowded());
        queue.push(PING);
        assert!(queue.is_crowded());
        queue.take();
        assert!(!queue.is_crowded());
    }

    #[test]
    fn a_goodbye_waits_for_what_was_asked_before_it() {
        let queue = SendQueue::new(None);
        queue.owes();
        queue.owes();
        queue.leave(4001, "");
        assert!(!queue.push(PING), "nothing else goes out");
        queue.pays(Bytes::from_static(&[1]));
        assert_eq!(queue.take().unwrap()[..], [1]);
        queue.pays(Bytes::from_static(&[2]));
        assert_eq!(queue.take().unwrap()[..], [2, 0x88, 2, 0x0f, 0xa1]);
    }

    #[test]
    fn what_was_asked_for_has_room_of_its_own() {
        let queue = SendQueue::new(None);
        queue.owes();
        queue.owes();
        queue.pays(Bytes::from(vec![0; 2 * SEND_QUEUE_BYTES_MAX]));
        assert!(queue.is_crowded());
        assert!(queue.push(Bytes::from(vec![0; SEND_QUEUE_BYTES_MAX])), "events have theirs");
        assert!(!queue.push(PING));
        let greedy = SendQueue::new(None);
        greedy.owes();
        greedy.pays(Bytes::from(vec![0; SEND_QUEUE_REPLY_BYTES_MAX + 1]));
        assert_eq!(greedy.take(), None, "but not without end");
    }

    #[test]
    fn the_line_ends_with_the_peers_own_goodbye_or_when_none_comes() {
        for answers in [true, false] {
            let queue = SendQueue::new(None);
            queue.close(4002, "");
            assert!(queue.take().is_some(), "ours goes out first");
            assert!(queue.state.get() == State::Closing);
            if answers {
                queue.answer_goodbye(4002);
            } else {
                (0..=GOODBYE_TICKS_MAX).for_each(|_| assert_eq!(queue.tick(), 0));
            }
            assert!(queue.state.get() == State::Cut);
        }
        // Said while ours still waits: all of ours goes out.
        let queue = SendQueue::new(None);
        queue.close(4002, "");
        queue.answer_goodbye(4002);
        assert!(queue.is_ending() && queue.take().is_some());
        assert!(queue.state.get() == State::Closing);
    }

    #[test]
    fn nothing_follows_a_goodbye() {
        let queue = SendQueue::new(None);
        queue.close(1012, "restarting");
        assert!(!queue.push(PING));
        assert_eq!(queue.take().unwrap()[..4], [0x88, 12, 0x03, 0xf4]);
    }
}

//! What leaves a socket: a bounded queue of ready frames that becomes one write.
//!
//! The hub and the session put frames in; [`Outgoing`], the body of the socket's response, takes
//! them out when the connection can write. Frames and bytes are counted where they are put in, so a
//! peer that takes nothing is cut by whoever has something for it, not by its own frozen actor.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::os::fd::{BorrowedFd, RawFd};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use actix_web::Error;
use bytes::{BufMut, Bytes, BytesMut};
use futures_util::Stream;

use crate::limits::{
    GOODBYE_TICKS_MAX, OUTBOX_BYTES_MAX, OUTBOX_FRAMES_MAX, OUTBOX_REPLY_BYTES_MAX, WRITE_BYTES_MAX,
};

/// Returns a message as one unmasked binary frame (RFC 6455, 5.2).
#[must_use]
pub fn frame(message: &[u8]) -> Bytes {
    framed(0x82, message)
}

/// A ping without a body.
pub const PING: Bytes = Bytes::from_static(&[0x89, 0x00]);

fn close_frame(code: u16, reason: &str) -> Bytes {
    let mut body = code.to_be_bytes().to_vec();
    body.extend(reason.as_bytes());
    framed(0x88, &body)
}

fn framed(first: u8, message: &[u8]) -> Bytes {
    let mut out = BytesMut::with_capacity(message.len() + 10);
    out.put_u8(first);
    match message.len() {
        short @ 0..=125 => out.put_u8(u8::try_from(short).unwrap_or(0)),
        middle @ 126..=0xffff => {
            out.put_u8(126);
            out.put_u16(u16::try_from(middle).unwrap_or(0));
        }
        long => {
            out.put_u8(127);
            out.put_u64(u64::try_from(long).unwrap_or(0));
        }
    }
    out.put_slice(message);
    out.freeze()
}

/// The queue of one socket. It lives on its worker's thread alone.
pub struct Outbox {
    /// The first in the queue: mostly the only one, so it needs no room of its own.
    first: RefCell<Option<Bytes>>,
    more: RefCell<VecDeque<Bytes>>,
    bytes: Cell<usize>,
    /// How many of them are replies, at most.
    replies: Cell<usize>,
    /// Ticks of the hub since something was taken while something waited.
    stalled: Cell<u64>,
    /// Ticks of the hub since a goodbye went out.
    awaited: Cell<u64>,
    state: Cell<State>,
    /// Replies that somebody still waits for.
    owed: Cell<u32>,
    /// The close frame that follows them.
    goodbye: RefCell<Option<Bytes>>,
    waker: RefCell<Option<Waker>>,
    /// Valid while [`Outgoing`] lives: both belong to one connection.
    socket: Cell<Option<RawFd>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    /// Owed replies still come, nothing else.
    Leaving,
    /// What is queued goes out, then the peer's own goodbye is awaited.
    Closing,
    /// Nothing goes out any more.
    Cut,
}

impl Outbox {
    /// Makes the queue of a socket.
    #[must_use]
    pub fn new(socket: Option<RawFd>) -> Rc<Self> {
        Rc::new(Self {
            first: RefCell::new(None),
            more: RefCell::new(VecDeque::new()),
            bytes: Cell::new(0),
            replies: Cell::new(0),
            stalled: Cell::new(0),
            awaited: Cell::new(0),
            state: Cell::new(State::Open),
            owed: Cell::new(0),
            goodbye: RefCell::new(None),
            waker: RefCell::new(None),
            socket: Cell::new(socket),
        })
    }

    /// Queues a frame; false when the socket is closing, or was cut because its queue is full.
    pub fn push(&self, frame: Bytes) -> bool {
        let fits = self.bytes.get() - self.replies.get() + frame.len() <= OUTBOX_BYTES_MAX;
        self.push_if(fits, frame)
    }

    /// Queues a reply: what somebody asked for has room of its own.
    fn push_reply(&self, reply: Bytes) -> bool {
        let fits = self.replies.get() + reply.len() <= OUTBOX_REPLY_BYTES_MAX;
        let bytes = reply.len();
        let is_in = self.push_if(fits, reply);
        if is_in {
            self.replies.set(self.replies.get() + bytes);
        }
        is_in
    }

    /// True while so much waits that nothing new should be begun.
    pub fn is_crowded(&self) -> bool {
        self.bytes.get() > OUTBOX_BYTES_MAX
    }

    fn push_if(&self, fits: bool, frame: Bytes) -> bool {
        if self.state.get() != State::Open {
            return false;
        }
        if !fits || self.more.borrow().len() + 1 >= OUTBOX_FRAMES_MAX {
            self.cut();
            return false;
        }
        self.bytes.set(self.bytes.get() + frame.len());
        let mut first = self.first.borrow_mut();
        if first.is_none() {
            *first = Some(frame);
        } else {
            self.more.borrow_mut().push_back(frame);
        }
        drop(first);
        self.wake();
        true
    }

    /// True until a goodbye.
    pub fn is_open(&self) -> bool {
        self.state.get() == State::Open
    }

    /// Notes that somebody waits for a reply.
    pub fn owes(&self) {
        self.owed.set(self.owed.get() + 1);
    }

    /// Queues an owed reply, and after the last one a goodbye that waited for it.
    pub fn pays(&self, reply: Bytes) {
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
        } else if let Some(goodbye) = self.goodbye.take()
            && self.push(goodbye)
        {
            self.state.set(State::Closing);
        }
    }

    /// Says goodbye once what was asked is answered; from now on nothing else is told.
    pub fn leave(&self, code: u16, reason: &str) {
        if self.owed.get() == 0 {
            self.close(code, reason);
        } else if self.state.get() == State::Open {
            self.goodbye.replace(Some(close_frame(code, reason)));
            self.state.set(State::Leaving);
        }
    }

    /// Says goodbye: what is queued and a close frame still go out.
    pub fn close(&self, code: u16, reason: &str) {
        if self.state.get() == State::Leaving {
            self.state.set(State::Open);
        }
        if self.push(close_frame(code, reason)) {
            self.state.set(State::Closing);
        }
    }

    /// The peer said goodbye. When it answers ours, it has read all there was: the line ends now. Left to
    /// itself the server would wait for a browser to hang up, and the browser for the server, up to a second.
    pub fn hear_goodbye(&self) {
        if self.state.get() == State::Closing && self.first.borrow().is_none() {
            self.cut();
        }
    }

    /// Ends the socket at once, from outside its actor.
    pub fn cut(&self) {
        if self.state.replace(State::Cut) == State::Cut {
            return;
        }
        self.first.take();
        self.more.take();
        self.bytes.set(0);
        self.replies.set(0);
        if let Some(socket) = self.socket.get() {
            // SAFETY: the descriptor belongs to the connection that owns `Outgoing`, which clears
            // this cell when it is dropped; both live on this thread.
            let socket = unsafe { BorrowedFd::borrow_raw(socket) };
            if let Err(why) = socket2::SockRef::from(&socket).shutdown(std::net::Shutdown::Both) {
                log::debug!("a socket was already gone: {why}");
            }
        }
        self.wake();
    }

    /// Called at each tick of the hub: returns for how many ticks something has waited and nothing
    /// was taken.
    pub fn tick(&self) -> u64 {
        if self.state.get() == State::Closing && self.first.borrow().is_none() {
            self.awaited.set(self.awaited.get() + 1);
            if self.awaited.get() > GOODBYE_TICKS_MAX {
                // It does not answer.
                self.cut();
            }
        }
        let stalled = if self.first.borrow().is_some() { self.stalled.get() + 1 } else { 0 };
        self.stalled.set(stalled);
        stalled
    }

    fn wake(&self) {
        if let Some(waker) = self.waker.borrow_mut().take() {
            waker.wake();
        }
    }

    /// Takes what one write may carry.
    pub(super) fn take(&self) -> Option<Bytes> {
        let first = self.first.take()?;
        let mut more = self.more.borrow_mut();
        let out = if more.is_empty() {
            first
        } else {
            let mut joined = BytesMut::with_capacity(self.bytes.get().min(WRITE_BYTES_MAX));
            joined.put_slice(&first);
            while more.front().is_some_and(|next| joined.len() + next.len() <= WRITE_BYTES_MAX) {
                if let Some(next) = more.pop_front() {
                    joined.put_slice(&next);
                }
            }
            *self.first.borrow_mut() = more.pop_front();
            if more.is_empty() {
                // An idle socket holds no buffer.
                *more = VecDeque::new();
            }
            joined.freeze()
        };
        self.bytes.set(self.bytes.get().saturating_sub(out.len()));
        self.replies.set(self.replies.get().min(self.bytes.get()));
        self.stalled.set(0);
        Some(out)
    }
}

/// The body of the socket's response: the actor's stream, which runs the actor, and the outbox.
pub struct Outgoing<S> {
    actor: Pin<Box<S>>,
    outbox: Rc<Outbox>,
    /// Whatever must end with the socket.
    _ends_with: Box<dyn std::any::Any>,
}

impl<S> Outgoing<S> {
    /// Joins an actor's stream and an outbox.
    pub fn new(actor: S, outbox: Rc<Outbox>, ends_with: Box<dyn std::any::Any>) -> Self {
        Self { actor: Box::pin(actor), outbox, _ends_with: ends_with }
    }
}

impl<S> Drop for Outgoing<S> {
    fn drop(&mut self) {
        self.outbox.socket.set(None);
        self.outbox.cut();
    }
}

impl<S: Stream<Item = Result<Bytes, Error>>> Stream for Outgoing<S> {
    type Item = Result<Bytes, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        // Running the actor reads what has come in; what it answers lands in the outbox.
        let actor = self.actor.as_mut().poll_next(context);
        if let Poll::Ready(Some(out)) = actor {
            return Poll::Ready(Some(out));
        }
        if self.outbox.state.get() != State::Cut
            && let Some(out) = self.outbox.take()
        {
            return Poll::Ready(Some(Ok(out)));
        }
        if actor.is_ready() || self.outbox.state.get() == State::Cut {
            return Poll::Ready(None);
        }
        let mut waker = self.outbox.waker.borrow_mut();
        if !waker.as_ref().is_some_and(|waker| waker.will_wake(context.waker())) {
            *waker = Some(context.waker().clone());
        }
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_carry_their_length_as_the_standard_says() {
        assert_eq!(frame(&[7])[..], [0x82, 1, 7]);
        assert_eq!(frame(&[0; 126])[..4], [0x82, 126, 0, 126]);
        assert_eq!(frame(&[0; 65_536])[..10], [0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0]);
    }

    #[test]
    fn one_write_takes_all_that_waits() {
        let outbox = Outbox::new(None);
        for byte in 0..3 {
            assert!(outbox.push(Bytes::from(vec![byte])));
        }
        assert_eq!(outbox.take().unwrap()[..], [0, 1, 2]);
        assert_eq!(outbox.take(), None);
        assert_eq!(outbox.tick(), 0);
    }

    #[test]
    fn a_stall_is_counted_in_ticks_and_ends_when_something_is_taken() {
        let outbox = Outbox::new(None);
        assert_eq!(outbox.tick(), 0, "nothing waits");
        outbox.push(PING);
        outbox.push(PING);
        assert_eq!((outbox.tick(), outbox.tick()), (1, 2));
        outbox.take();
        assert_eq!(outbox.tick(), 0);
    }

    #[test]
    fn what_does_not_fit_into_one_write_follows_in_the_next_in_order() {
        let outbox = Outbox::new(None);
        for byte in 0..3 {
            outbox.push(Bytes::from(vec![byte; WRITE_BYTES_MAX / 2 + 1]));
        }
        for byte in 0..3 {
            assert_eq!(outbox.take().unwrap()[..], vec![byte; WRITE_BYTES_MAX / 2 + 1][..]);
        }
        assert_eq!(outbox.take(), None);
    }

    #[test]
    fn l3_a_backlog_over_its_bound_cuts_the_socket() {
        let outbox = Outbox::new(None);
        let pushed = (0..OUTBOX_FRAMES_MAX + 5).filter(|_| outbox.push(PING)).count();
        assert_eq!(pushed, OUTBOX_FRAMES_MAX);
        assert_eq!(outbox.take(), None, "what was queued is let go");

        let outbox = Outbox::new(None);
        assert!(outbox.push(Bytes::from(vec![0; OUTBOX_BYTES_MAX])));
        assert!(!outbox.push(PING));
    }

    #[test]
    fn a_goodbye_waits_for_what_was_asked_before_it() {
        let outbox = Outbox::new(None);
        outbox.owes();
        outbox.owes();
        outbox.leave(4001, "");
        assert!(!outbox.push(PING), "nothing else is told");
        outbox.pays(Bytes::from_static(&[1]));
        assert_eq!(outbox.take().unwrap()[..], [1]);
        outbox.pays(Bytes::from_static(&[2]));
        assert_eq!(outbox.take().unwrap()[..], [2, 0x88, 2, 0x0f, 0xa1]);
    }

    #[test]
    fn what_was_asked_for_has_room_of_its_own() {
        let outbox = Outbox::new(None);
        outbox.owes();
        outbox.owes();
        outbox.pays(Bytes::from(vec![0; 2 * OUTBOX_BYTES_MAX]));
        assert!(outbox.is_crowded());
        assert!(outbox.push(Bytes::from(vec![0; OUTBOX_BYTES_MAX])), "events have theirs");
        assert!(!outbox.push(PING));
        let greedy = Outbox::new(None);
        greedy.owes();
        greedy.pays(Bytes::from(vec![0; OUTBOX_REPLY_BYTES_MAX + 1]));
        assert_eq!(greedy.take(), None, "but not without end");
    }

    #[test]
    fn the_line_ends_with_the_peers_own_goodbye_or_when_none_comes() {
        for answers in [true, false] {
            let outbox = Outbox::new(None);
            outbox.close(4002, "");
            outbox.hear_goodbye();
            assert!(outbox.take().is_some(), "ours goes out first");
            assert!(outbox.state.get() == State::Closing);
            if answers {
                outbox.hear_goodbye();
            } else {
                (0..=GOODBYE_TICKS_MAX).for_each(|_| assert_eq!(outbox.tick(), 0));
            }
            assert!(outbox.state.get() == State::Cut);
        }
    }

    #[test]
    fn nothing_follows_a_goodbye() {
        let outbox = Outbox::new(None);
        outbox.close(1012, "restarting");
        assert!(!outbox.push(PING));
        assert_eq!(outbox.take().unwrap()[..4], [0x88, 12, 0x03, 0xf4]);
    }
}

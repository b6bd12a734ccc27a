//! The reader of a socket: reads bytes, and decodes messages.
//!
//! All sockets of a worker thread read into one buffer. A socket keeps only bytes that are not decoded yet. It is not
//! read while it has no room for replies or requests, or has used up its byte rate; TCP then slows the peer down.

use std::cell::{Cell, RefCell};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use bytes::{Buf, Bytes, BytesMut};
use futures_util::Stream;
use tokio::io::ReadBuf;
use tokio::time::Sleep;

use super::frame::{Bounds, CloseCode, Decoder, Message, Step, Violation};
use super::limiter::{Budget, Limiter};
use super::send_queue::SendQueue;
use crate::counters::RECEIVED_BYTES;
use crate::limits::{
    FRAME_PRICE_BYTES, GUEST_PAUSES_MAX, GUEST_READ_BYTES_MAX, IN_FLIGHT_MAX, READ_BUFFER_BYTES,
    READ_PRICE_BYTES,
};

thread_local! {
    /// The bytes of one read. They are decoded or copied before the next read.
    static READ_BUFFER: RefCell<Vec<u8>> = RefCell::new(vec![0; READ_BUFFER_BYTES]);
}

/// The state that a session and its reader share.
#[derive(Default)]
pub(crate) struct Intake {
    /// Requests that are being answered, by weight.
    in_flight: Cell<u32>,
    /// An undecoded request that does not fit yet, and its weight.
    held: RefCell<Option<(Bytes, u32)>>,
    is_signed_in: Cell<bool>,
    /// Bounds that a test sets.
    #[cfg(test)]
    bounds: Cell<Option<Bounds>>,
}

impl Intake {
    /// Makes the state of a signed-in socket with these bounds.
    #[cfg(test)]
    pub(crate) fn of_user(bounds: Bounds) -> Self {
        Self { is_signed_in: Cell::new(true), bounds: Cell::new(Some(bounds)), ..Self::default() }
    }

    /// Counts a request among those in flight and returns true. If it does not fit, it is held, and nothing more is
    /// read until it fits.
    pub(crate) fn begin(&self, request: &Bytes, weight: u32) -> bool {
        let fits = self.in_flight.get() + weight <= IN_FLIGHT_MAX;
        if fits {
            self.in_flight.set(self.in_flight.get() + weight);
        } else {
            self.held.replace(Some((request.clone(), weight)));
        }
        fits
    }

    /// Notes that a request was answered.
    pub(crate) fn finish(&self, weight: u32) {
        self.in_flight.set(self.in_flight.get() - weight);
    }

    /// Marks the connection as signed in.
    pub(crate) fn sign_in(&self) {
        self.is_signed_in.set(true);
    }

    fn has_room(&self) -> bool {
        let next = self.held.borrow().as_ref().map_or(1, |(_, weight)| *weight);
        self.in_flight.get() + next <= IN_FLIGHT_MAX
    }

    fn bounds(&self) -> Bounds {
        #[cfg(test)]
        if let Some(bounds) = self.bounds.get() {
            return bounds;
        }
        if self.is_signed_in.get() { Bounds::USER } else { Bounds::GUEST }
    }
}

/// The incoming messages and control frames, in order. The stream ends with the socket.
pub(crate) struct Inbound {
    /// The owner of the socket.
    queue: Rc<SendQueue>,
    intake: Rc<Intake>,
    decoder: Decoder,
    limiter: Limiter,
    /// Received bytes that are not decoded yet. They are at most those of one read and an incomplete control frame.
    unread: BytesMut,
    /// Whether `unread` may be decoded further before more bytes arrive.
    is_undecoded: bool,
    /// The pause of a socket that has used up its byte rate.
    pause: Option<Pin<Box<Sleep>>>,
    pauses: u32,
}

type Item = Result<Message, Violation>;

impl Inbound {
    /// Makes the reader of this queue's socket.
    pub(crate) fn new(queue: Rc<SendQueue>, intake: Rc<Intake>) -> Self {
        let budget = if intake.is_signed_in.get() { Budget::USER } else { Budget::GUEST };
        let limiter = Limiter::new(budget, Instant::now());
        Self {
            queue,
            intake,
            decoder: Decoder::default(),
            limiter,
            unread: BytesMut::new(),
            is_undecoded: false,
            pause: None,
            pauses: 0,
        }
    }

    /// Decodes the first frame of the received bytes and keeps the rest; None if more bytes or time are needed.
    fn arrived(&mut self, bytes: &[u8]) -> Option<Item> {
        if self.unread.is_empty() {
            let mut left = bytes;
            let item = self.decode(&mut left);
            self.unread.extend_from_slice(left);
            item
        } else {
            self.unread.extend_from_slice(bytes);
            self.decode_unread()
        }
    }

    /// Decodes the next frame of the kept bytes.
    fn decode_unread(&mut self) -> Option<Item> {
        let mut unread = std::mem::take(&mut self.unread);
        let mut left = &unread[..];
        let item = self.decode(&mut left);
        if self.is_undecoded {
            let used = unread.len() - left.len();
            unread.advance(used);
            self.unread = unread;
        } else {
            // Nothing remains, or an incomplete frame, so the large buffer is freed.
            self.unread.extend_from_slice(left);
        }
        item
    }

    fn decode(&mut self, bytes: &mut &[u8]) -> Option<Item> {
        let (budget, limiter) = (self.budget(), &mut self.limiter);
        let pay = |price| limiter.pay(budget, price, Instant::now);
        let step = self.decoder.step(bytes, self.intake.bounds(), pay);
        self.is_undecoded = !matches!(step, Ok(Step::More)) && !bytes.is_empty();
        match step {
            Ok(Step::Message(message)) => Some(Ok(message)),
            Ok(Step::More) => None,
            Ok(Step::Unpaid(wait)) => self.pause(wait),
            Err(violation) => Some(Err(violation)),
        }
    }

    /// Returns the byte rate. A socket that is ending has the rate of a guest, even if its user is signed in.
    fn budget(&self) -> Budget {
        if self.intake.is_signed_in.get() && !self.queue.is_ending() { Budget::USER } else { Budget::GUEST }
    }

    /// Pauses reading. A guest who causes too many pauses is closed.
    fn pause(&mut self, wait: Duration) -> Option<Item> {
        self.pauses += 1;
        if self.pauses > GUEST_PAUSES_MAX && !self.intake.is_signed_in.get() {
            return Some(Err(Violation::new(CloseCode::Policy, "too many frames before log-in")));
        }
        self.pause = Some(Box::pin(tokio::time::sleep(wait)));
        None
    }

    /// Reads into the worker's buffer and passes the bytes to `take`; None at the end of the socket.
    fn poll_bytes<T>(
        &mut self,
        context: &mut Context<'_>,
        take: impl FnOnce(&mut Self, &[u8]) -> T,
    ) -> Poll<Option<T>> {
        READ_BUFFER.with_borrow_mut(|buffer| {
            let Some(socket) = self.queue.socket() else { return Poll::Ready(None) };
            let most = if self.intake.is_signed_in.get() { buffer.len() } else { GUEST_READ_BYTES_MAX };
            let mut read = ReadBuf::new(&mut buffer[..most]);
            match ready!(socket.poll_receive(context, &mut read)) {
                Ok(()) if !read.filled().is_empty() => {
                    RECEIVED_BYTES.add(read.filled().len() as u64);
                    let unpaid = self.limiter.pay(self.budget(), READ_PRICE_BYTES, Instant::now).err();
                    let taken = take(self, read.filled());
                    if self.pause.is_none()
                        && let Some(wait) = unpaid
                    {
                        // The bytes of this read are used. The next read waits.
                        self.pauses += 1;
                        self.pause = Some(Box::pin(tokio::time::sleep(wait)));
                    }
                    Poll::Ready(Some(taken))
                }
                // A connection may end without a close frame. The bytes before its end are already decoded.
                Ok(()) | Err(_) => Poll::Ready(None),
            }
        })
    }

    /// Reads and discards bytes until the peer ends the connection, because unread bytes would make the kernel drop the
    /// close frame. The dispatcher limits the time, and the byte rate of a guest applies.
    fn poll_discard(&mut self, context: &mut Context<'_>) -> Poll<Option<()>> {
        self.decoder = Decoder::default();
        self.unread = BytesMut::new();
        let paid = ready!(self.poll_bytes(context, |me, bytes| {
            me.limiter.pay(me.budget(), FRAME_PRICE_BYTES + bytes.len(), Instant::now)
        }));
        Poll::Ready(paid.map(|paid| {
            if let Err(wait) = paid {
                self.pause = Some(Box::pin(tokio::time::sleep(wait)));
            }
        }))
    }
}

impl Stream for Inbound {
    type Item = Item;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Item>> {
        let me = self.get_mut();
        loop {
            if me.queue.is_cut() {
                return Poll::Ready(None);
            }
            if let Some(pause) = &mut me.pause {
                if pause.as_mut().poll(context).is_pending() {
                    me.queue.wait_for_room(context.waker());
                    return Poll::Pending;
                }
                me.pause = None;
            }
            if me.queue.is_ending() {
                match ready!(me.poll_discard(context)) {
                    Some(()) => continue,
                    None => return Poll::Ready(None),
                }
            }
            if me.queue.is_crowded() || !me.intake.has_room() {
                me.queue.wait_for_room(context.waker());
                return Poll::Pending;
            }
            if let Some((request, _)) = me.intake.held.take() {
                return Poll::Ready(Some(Ok(Message::Binary(request))));
            }
            let item = if me.is_undecoded {
                me.decode_unread()
            } else {
                match ready!(me.poll_bytes(context, Self::arrived)) {
                    Some(item) => item,
                    None => return Poll::Ready(None),
                }
            };
            if item.is_some() {
                return Poll::Ready(item);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use tokio::net::{TcpListener, TcpStream};

    use super::super::socket::Socket;
    use super::*;

    #[actix_web::test]
    async fn lv12_a_user_whose_socket_is_ending_is_read_at_a_guests_rate() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let _client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let queue = SendQueue::new(Some(Socket::new(listener.accept().await.unwrap().0)));
        let intake = Rc::new(Intake::default());
        let inbound = Inbound::new(queue.clone(), intake.clone());
        assert_eq!(inbound.budget(), Budget::GUEST);
        intake.sign_in();
        assert_eq!(inbound.budget(), Budget::USER);
        queue.end(1002, "");
        assert_eq!(inbound.budget(), Budget::GUEST);
    }
}

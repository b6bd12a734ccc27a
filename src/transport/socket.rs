//! A socket that was taken over from the HTTP server. No other file reads or writes one.

use std::cell::RefCell;
use std::future::poll_fn;
use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use rustix::net::SendFlags;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::net::TcpStream;

use crate::counters::SENT_BYTES;
use crate::limits::WRITE_FRAMES_MAX;

/// A socket. Its send queue owns it and writes to it; [`Inbound`](super::stream::Inbound) reads from it.
///
/// Each method borrows only while it runs and calls no other code of Mellow, so borrows cannot overlap. The borrow for
/// reading is exclusive, because only an exclusive read notices that it took everything. A shared read (`try_read`)
/// costs one more system call for each message.
pub struct Socket(RefCell<TcpStream>);

impl Socket {
    /// Wraps a connected socket.
    #[must_use]
    pub fn new(socket: TcpStream) -> Self {
        Self(RefCell::new(socket))
    }

    /// Writes what the kernel accepts at once. Returns the number of bytes.
    ///
    /// It does not ask the runtime first whether the socket is writable, because while the queue is empty it nearly
    /// always is.
    ///
    /// # Errors
    /// `WouldBlock` if the kernel accepts nothing; an error of a socket that has ended.
    pub(crate) fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        let taken = rustix::net::send(&*self.0.borrow(), bytes, SendFlags::NOSIGNAL)?;
        SENT_BYTES.add(taken as u64);
        Ok(taken)
    }

    /// Writes frames in one system call. Returns the number of bytes that the kernel took.
    ///
    /// # Errors
    /// Those of [`Socket::write`].
    pub(crate) fn write_joined(&self, frames: &mut dyn Iterator<Item = &Bytes>) -> io::Result<usize> {
        let mut slices = [IoSlice::new(&[]); WRITE_FRAMES_MAX];
        let mut count = 0;
        for (slice, frame) in slices.iter_mut().zip(frames) {
            *slice = IoSlice::new(frame);
            count += 1;
        }
        let taken = self.0.borrow().try_write_vectored(&slices[..count])?;
        SENT_BYTES.add(taken as u64);
        Ok(taken)
    }

    /// Waits until the kernel takes more.
    ///
    /// # Errors
    /// The socket has ended.
    pub(crate) async fn writable(&self) -> io::Result<()> {
        poll_fn(|context| self.0.borrow().poll_write_ready(context)).await
    }

    /// Reads what has arrived. If it reads nothing, the socket has ended.
    pub(super) fn poll_receive(
        &self,
        context: &mut Context<'_>,
        read: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0.borrow_mut()).poll_read(context, read)
    }

    /// Shuts down one or both directions at once.
    pub(crate) fn shutdown(&self, how: Shutdown) {
        if let Err(why) = socket2::SockRef::from(&*self.0.borrow()).shutdown(how) {
            log::debug!("a socket was already closed: {why}");
        }
    }
}

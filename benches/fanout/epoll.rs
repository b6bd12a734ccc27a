//! A minimal wrapper around `epoll`.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// Sockets that are waited for, each by a number of its owner's choice.
pub struct Epoll {
    waits: OwnedFd,
    ready: Vec<libc::epoll_event>,
}

impl Epoll {
    /// Makes one that waits for nothing yet.
    pub fn new() -> io::Result<Self> {
        // SAFETY: the call takes no pointers.
        let waits = unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) };
        if waits < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor was just made and belongs to nobody else.
        let waits = unsafe { OwnedFd::from_raw_fd(waits) };
        Ok(Self { waits, ready: vec![libc::epoll_event { events: 0, u64: 0 }; 512] })
    }

    /// Waits for what this socket receives, under `number`.
    pub fn add(&self, socket: &impl AsRawFd, number: usize) -> io::Result<()> {
        let mut event = libc::epoll_event { events: libc::EPOLLIN.cast_unsigned(), u64: number as u64 };
        // SAFETY: `event` lives through the call; the kernel copies it.
        let added = unsafe {
            libc::epoll_ctl(self.waits.as_raw_fd(), libc::EPOLL_CTL_ADD, socket.as_raw_fd(), &raw mut event)
        };
        if added < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    /// Waits, and puts the numbers of those that received something into `numbers`.
    pub fn wait(&mut self, wait_ms: i32, numbers: &mut Vec<usize>) -> io::Result<()> {
        numbers.clear();
        let room = i32::try_from(self.ready.len()).unwrap_or(i32::MAX);
        // SAFETY: `ready` has room for as many events as the kernel is told.
        let count =
            unsafe { libc::epoll_wait(self.waits.as_raw_fd(), self.ready.as_mut_ptr(), room, wait_ms) };
        let Ok(count) = usize::try_from(count) else {
            let why = io::Error::last_os_error();
            return if why.kind() == io::ErrorKind::Interrupted { Ok(()) } else { Err(why) };
        };
        // The kernel packs its events, so the field is copied out rather than borrowed.
        numbers.extend(self.ready[..count].iter().map(|event| {
            let number = event.u64;
            number as usize
        }));
        Ok(())
    }
}

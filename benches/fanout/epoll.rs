//! A minimal wrapper around `epoll`.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// Waits for sockets. The caller chooses the number of a socket.
pub struct Epoll {
    waits: OwnedFd,
    ready: Vec<libc::epoll_event>,
}

impl Epoll {
    /// Makes one without sockets.
    pub fn new() -> io::Result<Self> {
        // SAFETY: the call takes no pointers.
        let waits = unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) };
        if waits < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor was just made and has no other owner.
        let waits = unsafe { OwnedFd::from_raw_fd(waits) };
        Ok(Self { waits, ready: vec![libc::epoll_event { events: 0, u64: 0 }; 512] })
    }

    /// Adds a socket under `number`. `wait` reports it when bytes have arrived.
    pub fn add(&self, socket: &impl AsRawFd, number: usize) -> io::Result<()> {
        let mut event = libc::epoll_event { events: libc::EPOLLIN.cast_unsigned(), u64: number as u64 };
        // SAFETY: `event` lives through the call; the kernel copies it.
        let added = unsafe {
            libc::epoll_ctl(self.waits.as_raw_fd(), libc::EPOLL_CTL_ADD, socket.as_raw_fd(), &raw mut event)
        };
        if added < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    /// Waits, and puts the numbers of the sockets with new bytes into `numbers`.
    pub fn wait(&mut self, wait_ms: i32, numbers: &mut Vec<usize>) -> io::Result<()> {
        numbers.clear();
        let room = i32::try_from(self.ready.len()).unwrap_or(i32::MAX);
        // SAFETY: `ready` has space for the number of events that is passed to the kernel.
        let count =
            unsafe { libc::epoll_wait(self.waits.as_raw_fd(), self.ready.as_mut_ptr(), room, wait_ms) };
        let Ok(count) = usize::try_from(count) else {
            let why = io::Error::last_os_error();
            return if why.kind() == io::ErrorKind::Interrupted { Ok(()) } else { Err(why) };
        };
        // The struct of the kernel is packed, so the field is copied instead of borrowed.
        numbers.extend(self.ready[..count].iter().map(|event| {
            let number = event.u64;
            number as usize
        }));
        Ok(())
    }
}

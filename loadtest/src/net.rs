//! The sockets of the clients. They connect from many addresses, are polled together, and never block.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::buffer::spare_capacity;
use rustix::event::{Timespec, epoll};
use socket2::{Domain, Protocol, Socket, Type};

/// The number of sockets from one loopback address. An address has more ports than this.
const SOCKETS_PER_ADDRESS: usize = 20_000;
/// The time limit of a connection attempt.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The most events that one wait returns.
const EVENTS_MAX: usize = 1_024;

/// Connects socket number `number` to a server.
///
/// # Errors
/// The error of the system.
pub fn connect(to: SocketAddr, number: usize) -> io::Result<TcpStream> {
    let socket = bound(to, number)?;
    socket.connect_timeout(&to.into(), CONNECT_TIMEOUT)?;
    socket.set_nonblocking(true)?;
    Ok(socket.into())
}

/// Begins to connect socket number `number`. [`Waiting::add_connecting`] reports when it is connected or refused.
///
/// # Errors
/// The error of the system.
pub fn begin_to_connect(to: SocketAddr, number: usize) -> io::Result<TcpStream> {
    let socket = bound(to, number)?;
    socket.set_nonblocking(true)?;
    match socket.connect(&to.into()) {
        Err(why) if why.raw_os_error() != Some(rustix::io::Errno::INPROGRESS.raw_os_error()) => Err(why),
        _ => Ok(socket.into()),
    }
}

fn bound(to: SocketAddr, number: usize) -> io::Result<Socket> {
    let socket = Socket::new(Domain::for_address(to), Type::STREAM, Some(Protocol::TCP))?;
    if to.ip() == IpAddr::V4(Ipv4Addr::LOCALHOST) {
        let address = u8::try_from(number / SOCKETS_PER_ADDRESS).unwrap_or(u8::MAX).saturating_add(2);
        socket.bind(&SocketAddr::from(([127, 0, 0, address], 0)).into())?;
    }
    socket.set_tcp_nodelay(true)?;
    Ok(socket)
}

/// Waits for events of sockets. Each socket has a number.
///
/// It reports a socket as long as there is something to read. `mio` would report it once, so every reader would have to
/// read until nothing is left. That costs the same for each delivery (7.4 µs, here 7.5 µs) and takes nine more lines.
pub struct Waiting {
    epoll: OwnedFd,
    events: Vec<epoll::Event>,
}

impl Waiting {
    /// Makes one without sockets.
    ///
    /// # Errors
    /// The error of the system.
    pub fn new() -> io::Result<Self> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        Ok(Self { epoll, events: Vec::with_capacity(EVENTS_MAX) })
    }

    /// Adds a socket. `wait` reports it when it can be read.
    ///
    /// # Errors
    /// The error of the system.
    pub fn add(&self, socket: &TcpStream, number: usize) -> io::Result<()> {
        let data = epoll::EventData::new_u64(number as u64);
        Ok(epoll::add(&self.epoll, socket, data, epoll::EventFlags::IN)?)
    }

    /// Adds a socket. `wait` reports it when it is connected or refused.
    ///
    /// # Errors
    /// The error of the system.
    pub fn add_connecting(&self, socket: &TcpStream, number: usize) -> io::Result<()> {
        let data = epoll::EventData::new_u64(number as u64);
        Ok(epoll::add(&self.epoll, socket, data, epoll::EventFlags::OUT)?)
    }

    /// Changes an added socket that is connected. `wait` reports it when it can be read.
    ///
    /// # Errors
    /// The error of the system.
    pub fn is_connected(&self, socket: &TcpStream, number: usize) -> io::Result<()> {
        let data = epoll::EventData::new_u64(number as u64);
        Ok(epoll::modify(&self.epoll, socket, data, epoll::EventFlags::IN)?)
    }

    /// Removes a socket. The kernel removes a closed socket itself.
    ///
    /// # Errors
    /// The error of the system.
    pub fn remove(&self, socket: &TcpStream) -> io::Result<()> {
        Ok(epoll::delete(&self.epoll, socket)?)
    }

    /// Waits for at most `wait`, and puts the numbers of the sockets with events into `numbers`.
    ///
    /// # Errors
    /// The error of the system.
    pub fn wait(&mut self, wait: Duration, numbers: &mut Vec<usize>) -> io::Result<()> {
        numbers.clear();
        let timeout = Timespec {
            tv_sec: i64::try_from(wait.as_secs()).unwrap_or(0),
            tv_nsec: i64::from(wait.subsec_nanos()),
        };
        self.events.clear();
        match epoll::wait(&self.epoll, spare_capacity(&mut self.events), Some(&timeout)) {
            Ok(_) => {}
            Err(why) if why == rustix::io::Errno::INTR => {}
            Err(why) => return Err(why.into()),
        }
        numbers.extend(self.events.iter().map(|event| {
            let data = event.data;
            usize::try_from(data.u64()).unwrap_or(0)
        }));
        Ok(())
    }
}

/// The result of a read or a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transfer {
    Bytes(usize),
    WouldBlock,
    Ended,
}

fn transfer_of(result: io::Result<usize>) -> Transfer {
    match result {
        Ok(0) => Transfer::Ended,
        Ok(count) => Transfer::Bytes(count),
        Err(why) if matches!(why.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {
            Transfer::WouldBlock
        }
        Err(_) => Transfer::Ended,
    }
}

/// Reads the bytes that have arrived.
pub fn receive(mut socket: &TcpStream, buffer: &mut [u8]) -> Transfer {
    transfer_of(socket.read(buffer))
}

/// Writes as many bytes as the kernel accepts.
pub fn send(mut socket: &TcpStream, bytes: &[u8]) -> Transfer {
    transfer_of(socket.write(bytes))
}

//! The reference: a minimal broadcaster on plain system calls.
//!
//! It has one thread and one epoll. The author sends bytes after their length. Each follower receives these bytes
//! unchanged, by one `send`. There is no handshake, no frame, no lookup and no storage.

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsRawFd;

use crate::epoll::Epoll;

/// Accepts one author and then `followers` sockets, and serves them until the author leaves. It greets each socket with
/// one byte.
pub fn broadcast(followers: usize) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    println!("raw is at {}", listener.local_addr().unwrap());
    let mut epoll = Epoll::new().unwrap();
    let accept = |number: usize| {
        let (mut socket, _) = listener.accept().unwrap();
        socket.set_nodelay(true).unwrap();
        socket.write_all(b"!").unwrap();
        socket.set_nonblocking(true).unwrap();
        epoll.add(&socket, number).unwrap();
        socket
    };
    let mut author = accept(followers);
    let sockets: Vec<TcpStream> = (0..followers).map(&accept).collect();
    let mut waiting = Vec::new();
    let mut buffer = vec![0; 65_536];
    let mut ready = Vec::new();
    loop {
        epoll.wait(-1, &mut ready).unwrap();
        if !ready.contains(&followers) {
            continue;
        }
        match author.read(&mut buffer) {
            Ok(0) => return,
            Ok(count) => waiting.extend_from_slice(&buffer[..count]),
            Err(why) if why.kind() == ErrorKind::WouldBlock => continue,
            Err(why) => panic!("the author's socket: {why}"),
        }
        while let Some(message) = take_message(&mut waiting) {
            for socket in &sockets {
                send_all(socket, &message);
            }
        }
    }
}

fn take_message(waiting: &mut Vec<u8>) -> Option<Vec<u8>> {
    let length = u32::from_be_bytes(waiting.get(..4)?.try_into().ok()?) as usize;
    let message = waiting.get(4..4 + length)?.to_vec();
    waiting.drain(..4 + length);
    Some(message)
}

/// Sends bytes. It waits while the kernel's buffer is full, which does not happen if the followers read.
fn send_all(mut socket: &TcpStream, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        match socket.write(bytes) {
            Ok(count) => bytes = &bytes[count..],
            Err(why) if why.kind() == ErrorKind::WouldBlock => {
                let mut wait = libc::pollfd { fd: socket.as_raw_fd(), events: libc::POLLOUT, revents: 0 };
                // SAFETY: the array has one entry, which lives through the call.
                unsafe { libc::poll(&raw mut wait, 1, 1_000) };
            }
            Err(why) => panic!("a follower's socket: {why}"),
        }
    }
}

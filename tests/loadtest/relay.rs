//! A relay between the clients and the server. It injects faults into the frames of the server.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use mellow_loadtest::events::{self, Head, Kind};
use mellow_loadtest::frames;

/// The fault of every third event of a kind.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    Lost,
    Doubled,
    Reordered,
    /// Another client receives the event too.
    Foreign,
    WrongTally,
}

/// The state that all connections share.
struct Shared {
    fault: Fault,
    seen: usize,
    /// A frame to deliver to another client: its connection, its `seq`, and the frame.
    stray: Option<(usize, u64, Vec<u8>)>,
}

/// The state of one connection: what it received, and what it receives later.
#[derive(Default)]
struct ConnectionState {
    newest: u64,
    held: Option<Vec<u8>>,
}

/// Starts a relay to this server. Returns its address.
pub fn start(server: SocketAddr, fault: Fault) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let shared = Arc::new(Mutex::new(Shared { fault, seen: 0, stray: None }));
    std::thread::spawn(move || {
        for (number, client) in listener.incoming().enumerate() {
            let (client, shared) = (client.unwrap(), shared.clone());
            let server = TcpStream::connect(server).unwrap();
            client.set_nodelay(true).unwrap();
            server.set_nodelay(true).unwrap();
            let (mut from, mut to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
            std::thread::spawn(move || {
                // Both ends may be closed.
                let _ = std::io::copy(&mut from, &mut to);
                let _ = to.shutdown(Shutdown::Write);
            });
            std::thread::spawn(move || {
                let _ = damage(&server, &client, number, &shared);
                let _ = client.shutdown(Shutdown::Both);
            });
        }
    });
    address
}

/// Forwards the frames of a server to a client, with the fault.
fn damage(
    mut server: &TcpStream,
    mut client: &TcpStream,
    number: usize,
    shared: &Mutex<Shared>,
) -> std::io::Result<()> {
    let (mut bytes, mut part) = (Vec::new(), [0; 16 * 1_024]);
    let (mut is_open, mut connection) = (false, ConnectionState::default());
    loop {
        let count = server.read(&mut part)?;
        if count == 0 {
            return Ok(());
        }
        bytes.extend_from_slice(&part[..count]);
        if !is_open {
            let Some((length, line)) = frames::head(&bytes) else { continue };
            is_open = line.starts_with("HTTP/1.1 101");
            let length = if is_open { length } else { bytes.len() };
            client.write_all(&bytes[..length])?;
            bytes.drain(..length);
        }
        while let Some(frame) = frames::cut(&bytes).filter(|_| is_open) {
            let length = frame.length;
            let event = match events::head(frame.body) {
                Some(Head::Event { kind, seq }) => Some((kind, seq)),
                _ => None,
            };
            let frame: Vec<u8> = bytes.drain(..length).collect();
            let frames = shared.lock().unwrap().damaged(frame, event, number, &mut connection);
            client.write_all(&frames.concat())?;
        }
    }
}

impl Shared {
    /// Returns the frames that a client receives in place of a frame.
    fn damaged(
        &mut self,
        mut frame: Vec<u8>,
        event: Option<(Kind, u64)>,
        number: usize,
        connection: &mut ConnectionState,
    ) -> Vec<Vec<u8>> {
        let damaged = match self.fault {
            Fault::Lost | Fault::Doubled | Fault::Reordered => Kind::PostCreated,
            Fault::Foreign => Kind::VoteChanged,
            Fault::WrongTally => Kind::PollCounted,
        };
        let Some((kind, seq)) = event else { return vec![frame] };
        let newest = connection.newest;
        connection.newest = newest.max(seq);
        // The frame is inserted in the order of seqs, so that it has no other fault.
        let fits = |of: usize, its: u64| of != number && newest < its && its < seq;
        if let Some((_, _, stray)) = self.stray.take_if(|(of, its, _)| fits(*of, *its)) {
            return vec![stray, frame];
        }
        if kind != damaged {
            return vec![frame];
        }
        self.seen += 1;
        if let Some(before) = connection.held.take() {
            return vec![frame, before];
        }
        if !self.seen.is_multiple_of(3) {
            return vec![frame];
        }
        match self.fault {
            Fault::Lost => Vec::new(),
            Fault::Doubled => vec![frame.clone(), frame],
            Fault::Reordered => {
                connection.held = Some(frame);
                Vec::new()
            }
            Fault::Foreign => {
                self.stray = Some((number, seq, frame.clone()));
                vec![frame]
            }
            Fault::WrongTally => {
                let name = b"\xa5tally\x93";
                if let Some(place) = frame.windows(name.len()).position(|part| part == name) {
                    frame[place + name.len()] += 1;
                }
                vec![frame]
            }
        }
    }
}

//! Logged-in users who send requests in turns, within their limits. The durations of their requests are measured.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};

use mellow::clock::Clock;
use serde_json::json;

use crate::{socket, users};

/// The number of users who send requests in turns.
pub const CLIENTS: i64 = 40;
/// The time between two requests. It keeps each user within the limit of requests.
const PAUSE: Duration = Duration::from_millis(2);

/// A socket of one of these users.
pub struct Client {
    socket: TcpStream,
    unread: Vec<u8>,
}

/// Makes a database with these users and `others` more after them. Returns the connection to it.
pub fn database(folder: &Path, others: i64) -> rusqlite::Connection {
    let connection = users::database(folder);
    for id in 1..=CLIENTS + others {
        users::add(&connection, id, &format!("Person {id}"), Clock::Real.now_ms());
    }
    connection
}

/// Opens a socket of each of these users.
pub fn open(port: u16) -> Vec<Client> {
    let cookies: Vec<_> = (1..=CLIENTS).map(|id| Some(users::cookie(id))).collect();
    let opened = socket::open_mellow(port, &cookies).into_iter();
    opened.map(|(socket, unread)| Client { socket, unread }).collect()
}

impl Client {
    /// Sends a request and waits for the reply. Events are skipped.
    fn ask(&mut self, request: &[u8]) {
        self.socket.write_all(&socket::masked(0x82, request)).unwrap();
        let mut buffer = [0; 4_096];
        loop {
            while let Some((frame, _)) = socket::cut_frame(&self.unread) {
                let is_refused = socket::is_refusal(socket::body(frame));
                let length = frame.len();
                self.unread.drain(..length);
                if let Some(is_refused) = is_refused {
                    assert!(!is_refused, "the server refused an asker");
                    return;
                }
            }
            let count = self.socket.read(&mut buffer).unwrap();
            assert!(count > 0, "the server closed an asker's socket");
            self.unread.extend_from_slice(&buffer[..count]);
        }
    }
}

/// Sends requests in turns. `between` runs after each reply. Returns the durations, in microseconds.
pub fn measure(clients: &mut [Client], lasts: Duration, mut between: impl FnMut()) -> Vec<f64> {
    let request = rmp_serde::to_vec(&json!({ "id": 1, "op": "live.probe" })).unwrap();
    let (begun, mut times_us) = (Instant::now(), Vec::new());
    for next in (0..clients.len()).cycle() {
        let sent_at = Instant::now();
        clients[next].ask(&request);
        times_us.push(sent_at.elapsed().as_nanos() as f64 / 1_000.0);
        between();
        if begun.elapsed() >= lasts {
            break;
        }
        std::thread::sleep(PAUSE);
    }
    times_us
}

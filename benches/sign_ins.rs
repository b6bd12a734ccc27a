//! Measures the effect of 200 sign-ins a second with wrong passwords, on users who are signed in, and on a user who
//! signs in with the right password (S5). The server is the real one with its default limits.
//!
//! `cargo bench --bench sign_ins` takes a minute. The argument `second` after `--` makes a short run, to check that the
//! bench works.
//!
//! Ten sign-ins come from one address, the next ten from another. They name accounts in turns, so no limit of guesses
//! refuses them, and each sign-in that the server accepts costs it a hash.
#![expect(clippy::unwrap_used, reason = "a bench that cannot go on stops")]

#[path = "support/clients.rs"]
mod clients;
#[path = "support/figures.rs"]
#[expect(dead_code, reason = "nothing is compared with a neighbour")]
mod figures;
#[path = "support/process.rs"]
mod process;
#[path = "support/quantile.rs"]
mod quantile;
#[path = "support/socket.rs"]
mod socket;
#[path = "support/users.rs"]
mod users;

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use argon2::{Algorithm, Argon2, Params, Version};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD as BASE64;
use clients::{CLIENTS, measure};
use mellow::limits::{PASSWORD_MEMORY_KIB, PASSWORD_PASSES};
use process::Server;
use quantile::quantile;
use serde_json::json;
use socket2::{Domain, Socket, Type};

/// The number of sign-ins in a second.
const RATE: u32 = 200;
/// The number of accounts that are tried in turns.
const TRIED: i64 = 400;
/// The user whose sign-ins have the right password.
const RIGHT: i64 = CLIENTS + TRIED + 1;
/// The number of sign-ins of one socket, and of one address.
const OF_SOCKET: u32 = 10;
const PASSWORD: &str = "a kettle on the hob";
/// The time between two sign-ins with the right password.
const PAUSE: Duration = Duration::from_millis(500);
/// The time to wait after `busy`.
const RETRY: Duration = Duration::from_millis(500);
/// The time between two reads of the sockets.
const TICK: Duration = Duration::from_millis(5);
/// The time between two measurements of the server's memory.
const LOOK: Duration = Duration::from_millis(500);

fn main() {
    let is_trial = figures::is_trial(&figures::arguments());
    let lasts = Duration::from_secs(if is_trial { 1 } else { 60 });
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let connection = clients::database(folder.path(), TRIED + 1);
    connection.execute("update users set password_hash = ?1", [hash()]).unwrap();
    drop(connection);
    let server = Server::mellow(folder.path(), true);
    process::leave_servers_their_core();
    let mut clients = clients::open(server.port);
    measure(&mut clients, lasts.min(Duration::from_secs(2)), || {});
    if !is_trial {
        server.settle();
    }
    let mut alone_us = measure(&mut clients, lasts, || {});
    let before = server.pss_bytes();
    let (mut most, mut looked) = (before, Instant::now());
    let is_over = AtomicBool::new(false);
    let (mut beside_us, replies, mut right_s) = std::thread::scope(|scope| {
        let flood = scope.spawn(|| flood(server.port, &is_over));
        let right = scope.spawn(|| sign_in_rightly(server.port, &is_over));
        let beside_us = measure(&mut clients, lasts, || {
            if looked.elapsed() >= LOOK {
                most = most.max(server.pss_bytes());
                looked = Instant::now();
            }
        });
        is_over.store(true, Ordering::Relaxed);
        (beside_us, flood.join().unwrap(), right.join().unwrap())
    });
    println!("{RATE} sign-ins a second for {} s", lasts.as_secs());
    let row = |name: &str, us: &mut [f64]| {
        vec![name.into(), format!("{:.0}", quantile(us, 0.5)), format!("{:.0}", quantile(us, 0.99))]
    };
    let ratio = quantile(&mut beside_us, 0.99) / quantile(&mut alone_us, 0.99);
    figures::print_table(
        &["who is signed in asks", "p50 µs", "p99 µs"],
        &[
            row("alone", &mut alone_us),
            row("beside", &mut beside_us),
            vec!["ratio".into(), String::new(), format!("{ratio:.2}")],
        ],
    );
    let Replies { sent, wrong, busy, other } = replies;
    println!("wrong passwords: {sent} sent, {wrong} checked, {busy} answered busy, {other} otherwise");
    let (count, median, longest) = (right_s.len(), quantile(&mut right_s, 0.5), quantile(&mut right_s, 1.0));
    println!("right passwords: {count} sign-ins, median {median:.2} s, longest {longest:.2} s");
    println!("memory: {} KiB more", (most - before) / 1_024);
}

/// Returns the hash of the password, as the server stores it.
fn hash() -> String {
    let memory = u32::try_from(PASSWORD_MEMORY_KIB).unwrap();
    let params = Params::new(memory, PASSWORD_PASSES, 1, Some(32)).unwrap();
    let (salt, mut hash) = ([7; 16], [0; 32]);
    let argon = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    argon.hash_password_into(PASSWORD.as_bytes(), &salt, &mut hash).unwrap();
    let (salt, hash) = (BASE64.encode(salt), BASE64.encode(hash));
    format!("$argon2id$v=19$m={memory},t={PASSWORD_PASSES},p=1${salt}${hash}")
}

/// A socket of a guest.
struct Guest {
    socket: TcpStream,
    unread: Vec<u8>,
    sent: u32,
    answered: u32,
}

impl Guest {
    /// Opens a socket from an address that `number` chooses.
    fn new(port: u16, number: u32) -> Self {
        let [_, high, middle, low] = number.to_be_bytes();
        let from = SocketAddr::from(([127, 1 + high, middle, low], 0));
        let opening = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        opening.bind(&from.into()).unwrap();
        opening.connect(&SocketAddr::from(([127, 0, 0, 1], port)).into()).unwrap();
        let mut socket = TcpStream::from(opening);
        socket.set_nodelay(true).unwrap();
        let upgrade = socket::upgrade(port, "/ws", "Sec-WebSocket-Protocol: mellow.1\r\n");
        socket.write_all(upgrade.as_bytes()).unwrap();
        let (socket, unread) = socket::greeted(socket, socket::after_hello);
        socket.set_nonblocking(true).unwrap();
        Self { socket, unread, sent: 0, answered: 0 }
    }

    fn sign_in(&mut self, user_id: i64, password: &str) {
        self.sent += 1;
        let email = format!("person{user_id}@example.org");
        let request = json!({ "id": self.sent, "op": "auth.log_in", "email": email, "password": password });
        self.socket.write_all(&socket::masked(0x82, &rmp_serde::to_vec(&request).unwrap())).unwrap();
    }

    /// Returns the replies that have arrived.
    fn replies(&mut self) -> Vec<String> {
        let mut buffer = [0; 4_096];
        loop {
            match self.socket.read(&mut buffer) {
                Ok(0) => panic!("the server closed a guest's socket"),
                Ok(count) => self.unread.extend_from_slice(&buffer[..count]),
                Err(why) if why.kind() == ErrorKind::WouldBlock => break,
                Err(why) => panic!("{why}"),
            }
        }
        let mut replies = Vec::new();
        while let Some((frame, _)) = socket::cut_frame(&self.unread) {
            let (body, length) = (socket::body(frame), frame.len());
            if socket::is_refusal(body).is_some() {
                replies.push(String::from_utf8_lossy(body).into_owned());
                self.answered += 1;
            }
            self.unread.drain(..length);
        }
        replies
    }
}

#[derive(Default)]
struct Replies {
    sent: u32,
    wrong: u32,
    busy: u32,
    other: u32,
}

impl Replies {
    fn count(&mut self, guests: &mut Vec<Guest>) {
        for reply in guests.iter_mut().flat_map(Guest::replies) {
            let kind = match () {
                () if reply.contains("bad_credentials") => &mut self.wrong,
                () if reply.contains("busy") => &mut self.busy,
                () => &mut self.other,
            };
            *kind += 1;
        }
        guests.retain(|guest| guest.answered < OF_SOCKET);
    }
}

/// Signs in with wrong passwords at a steady rate, however long the replies take.
fn flood(port: u16, is_over: &AtomicBool) -> Replies {
    let (begun, mut replies, mut guests) = (Instant::now(), Replies::default(), Vec::<Guest>::new());
    while !is_over.load(Ordering::Relaxed) {
        while begun.elapsed() >= replies.sent * Duration::from_secs(1) / RATE {
            if guests.last().is_none_or(|guest| guest.sent == OF_SOCKET) {
                guests.push(Guest::new(port, replies.sent / OF_SOCKET));
            }
            let user_id = CLIENTS + 1 + i64::from(replies.sent) % TRIED;
            guests.last_mut().unwrap().sign_in(user_id, "not the password");
            replies.sent += 1;
        }
        replies.count(&mut guests);
        std::thread::sleep(TICK);
    }
    replies
}

/// Signs in with the right password. Each sign-in comes from a new address, from which no wrong password came. Returns
/// the duration of each sign-in, in seconds.
fn sign_in_rightly(port: u16, is_over: &AtomicBool) -> Vec<f64> {
    let (mut times_s, mut number) = (Vec::new(), 1 << 16);
    while !is_over.load(Ordering::Relaxed) {
        let begun = Instant::now();
        let mut guest = Guest::new(port, number);
        number += 1;
        loop {
            if guest.sent == 2 * OF_SOCKET - 1 {
                guest = Guest::new(port, number);
                number += 1;
            }
            guest.sign_in(RIGHT, PASSWORD);
            let reply = loop {
                if let Some(reply) = guest.replies().pop() {
                    break reply;
                }
                std::thread::sleep(TICK);
            };
            if reply.contains("ticket") {
                break;
            }
            assert!(reply.contains("busy"), "{reply}");
            std::thread::sleep(RETRY);
        }
        times_s.push(begun.elapsed().as_secs_f64());
        std::thread::sleep(PAUSE);
    }
    times_s
}

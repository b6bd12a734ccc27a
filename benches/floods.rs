//! Measures the effect of a flood of frames on other clients: one flooding socket at a time, and the real server with
//! its default limits.
//!
//! `cargo bench --bench floods` runs it. Arguments after `--` are names of floods to run only these, `minute` (each
//! flood lasts a minute), or `second` (a few frames, to check that the bench works). A flood usually lasts five
//! seconds.
//!
//! Before and during each flood, logged-in users send `live.probe` in turns, within their limits. If the server
//! closes the flooding socket, the flood continues on a new one. Memory is the highest value of the server (Pss)
//! during the flood, minus the value before.
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
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use clients::{CLIENTS, Client, measure};
use process::Server;
use quantile::quantile;
use serde_json::json;

/// The user of the floods that are logged in.
const FLOODER: i64 = CLIENTS + 1;
/// The longest time in which the clients are measured without a flood.
const ALONE: Duration = Duration::from_secs(10);
/// The time between two measurements of the server's memory.
const LOOK: Duration = Duration::from_millis(500);
/// The size of the frames that are sent by one call, in bytes.
const BURST_BYTES: usize = 16 * 1024;

/// One kind of flood: the bytes that are sent first, and the frame that is repeated.
struct Flood {
    name: &'static str,
    is_logged_in: bool,
    first: Vec<u8>,
    frame: Vec<u8>,
}

fn floods() -> Vec<Flood> {
    let flood = |name, first: &[u8], frame: Vec<u8>| Flood {
        name,
        is_logged_in: false,
        first: first.to_vec(),
        frame,
    };
    let empty_beginning = socket::masked(0x02, b"");
    let probe = rmp_serde::to_vec(&json!({ "id": 1, "op": "live.probe" })).unwrap();
    let mut all = vec![
        flood("pongs", &[], socket::masked(0x8a, b"")),
        flood("pings", &[], socket::masked(0x89, b"")),
        flood("long-pings", &[], socket::masked(0x89, &[7; 125])),
        flood("empty-fragments", &empty_beginning, socket::masked(0x00, b"")),
        flood("tiny-fragments", &empty_beginning, socket::masked(0x00, b"x")),
        flood("empty-messages", &[], socket::masked(0x82, b"")),
        flood("tiny-messages", &[], socket::masked(0x82, b"x")),
        flood("texts", &[], socket::masked(0x81, b"x")),
        flood("requests", &[], socket::masked(0x82, &probe)),
    ];
    let again = [
        flood("pongs-logged-in", &[], socket::masked(0x8a, b"")),
        flood("pings-logged-in", &[], socket::masked(0x89, b"")),
        flood("long-pings-logged-in", &[], socket::masked(0x89, &[7; 125])),
        flood("tiny-fragments-logged-in", &empty_beginning, socket::masked(0x00, b"x")),
        flood("requests-logged-in", &[], socket::masked(0x82, &probe)),
    ];
    all.extend(again.into_iter().map(|flood| Flood { is_logged_in: true, ..flood }));
    all
}

fn main() {
    let arguments = figures::arguments();
    let is_trial = figures::is_trial(&arguments);
    let lasts = match () {
        () if is_trial => Duration::from_millis(20),
        () if arguments.iter().any(|word| word == "minute") => Duration::from_secs(60),
        () => Duration::from_secs(5),
    };
    let mut floods = floods();
    if floods.iter().any(|flood| arguments.iter().any(|word| word == flood.name)) {
        floods.retain(|flood| arguments.iter().any(|word| word == flood.name));
    }
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    drop(clients::database(folder.path(), 1));
    let server = Server::mellow(folder.path(), true);
    process::leave_servers_their_core();
    let mut clients = clients::open(server.port);
    let mut rows: Vec<Vec<String>> = Vec::new();
    if !is_trial {
        // Each flood runs once before it is measured. Memory that the server then keeps is not counted as growth.
        for flood in &floods {
            server.settle();
            run(flood, &server, &mut clients, Duration::from_millis(20));
        }
    }
    for flood in &floods {
        if !is_trial {
            server.settle();
        }
        rows.push(run(flood, &server, &mut clients, lasts));
    }
    println!("Floods of {} s, one socket at a time", lasts.as_secs_f64());
    let heads = ["", "MB/s taken", "sockets", "grew by KiB", "p50 µs", "before", "p99 µs", "before", "ratio"];
    figures::print_table(&heads, &rows);
}

/// Measures the clients without and during a flood. Returns the row of the table.
fn run(flood: &Flood, server: &Server, clients: &mut [Client], lasts: Duration) -> Vec<String> {
    let mut alone_us = measure(clients, lasts.min(ALONE), || {});
    let before = server.pss_bytes();
    let (mut most, mut looked) = (before, Instant::now());
    let is_over = Arc::new(AtomicBool::new(false));
    let (taken, sockets) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let mut beside_us = std::thread::scope(|scope| {
        scope.spawn(|| send(flood, server.port, &is_over, &taken, &sockets));
        let beside_us = measure(clients, lasts, || {
            if looked.elapsed() >= LOOK {
                most = most.max(server.pss_bytes());
                looked = Instant::now();
            }
        });
        is_over.store(true, Ordering::Relaxed);
        beside_us
    });
    most = most.max(server.pss_bytes());
    let mut both = |share| (quantile(&mut beside_us, share), quantile(&mut alone_us, share));
    let ((p50, p50_alone), (p99, p99_alone)) = (both(0.5), both(0.99));
    vec![
        flood.name.into(),
        format!("{:.2}", taken.load(Ordering::Relaxed) as f64 / 1e6 / lasts.as_secs_f64()),
        sockets.load(Ordering::Relaxed).to_string(),
        ((most - before) / 1_024).to_string(),
        format!("{p50:.0}"),
        format!("{p50_alone:.0}"),
        format!("{p99:.0}"),
        format!("{p99_alone:.0}"),
        format!("{:.2}", p99 / p99_alone),
    ]
}

/// Sends frames as fast as the server reads them, until `is_over`. If the server closes the socket, the flood continues
/// on a new one.
fn send(flood: &Flood, port: u16, is_over: &AtomicBool, taken: &AtomicU64, sockets: &AtomicU64) {
    let frames: Vec<u8> = flood.frame.repeat(BURST_BYTES / flood.frame.len());
    let cookie = flood.is_logged_in.then(|| users::cookie(FLOODER));
    while !is_over.load(Ordering::Relaxed) {
        let (mut socket, _) = socket::open_mellow(port, std::slice::from_ref(&cookie)).remove(0);
        sockets.fetch_add(1, Ordering::Relaxed);
        socket.set_write_timeout(Some(LOOK)).unwrap();
        let mut reading = socket.try_clone().unwrap();
        std::thread::scope(|scope| {
            // Replies are read, so that a full buffer does not slow the flood.
            scope.spawn(move || {
                let mut buffer = [0; 16_384];
                while reading.read(&mut buffer).is_ok_and(|count| count > 0) {}
            });
            let mut rest: &[u8] = &flood.first;
            while !is_over.load(Ordering::Relaxed) {
                if rest.is_empty() {
                    rest = &frames;
                }
                match socket.write(rest) {
                    Ok(count) => {
                        taken.fetch_add(count as u64, Ordering::Relaxed);
                        rest = &rest[count..];
                    }
                    Err(why) if why.kind() == ErrorKind::WouldBlock => {}
                    Err(_) => break,
                }
            }
            let _ = socket.shutdown(std::net::Shutdown::Both);
        });
    }
}

//! LV12: every frame has a cost. A flood of any kind is slowed or closed, costs no memory, and does not affect others.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::support::child::Child;
use crate::support::http;
use crate::support::person::Person;
use crate::support::raw::{BINARY, CLOSE, CONTINUATION, PING, PONG, Raw, TEXT, frame, parse};
use crate::support::server::TestServer;
use crate::support::value::{pack, request, unpack};

/// The number of guests that flood at a time.
const FLOODERS: usize = 12;
/// How many bytes each guest tries to send. The server reads a small part of them. The kernel's buffers of both sides
/// may hold about 36 MiB more (Linux, tcp_rmem and tcp_wmem).
const FLOOD_BYTES: usize = 64 * 1024 * 1024;
/// The most by which the server may grow meanwhile, in KiB. It is an unoptimised program and answers others too.
const GROWTH_KIB_MAX: u64 = 4 * 1024;

/// Sends frames as fast as the connection accepts them, until the server ends it. Returns the number of sent bytes and
/// the close code.
async fn floods(raw: Raw, first: Vec<u8>, frame: Vec<u8>) -> (usize, Option<u16>) {
    let (mut reading, mut writing) = raw.stream.into_split();
    let writing = async move {
        let many: Vec<u8> =
            frame.iter().copied().cycle().take(frame.len() * (16 * 1024 / frame.len())).collect();
        let mut sent = 0;
        if writing.write_all(&first).await.is_err() {
            return sent;
        }
        while sent < FLOOD_BYTES && writing.write_all(&many).await.is_ok() {
            sent += many.len();
        }
        sent
    };
    let reading = async move {
        let (mut bytes, mut part) = (Vec::new(), [0; 4_096]);
        while let Ok(count) = reading.read(&mut part).await
            && count > 0
        {
            bytes.extend(&part[..count]);
        }
        // The close frame is last, with one of the server's reasons.
        let at = bytes.iter().rposition(|byte| *byte == 0x88)?;
        Some(u16::from_be_bytes([*bytes.get(at + 2)?, *bytes.get(at + 3)?]))
    };
    let ends = async { tokio::join!(writing, reading) };
    tokio::time::timeout(crate::support::TIMEOUT, ends).await.expect("the server ends a flood")
}

/// Guests flood while another client sends requests. Returns the close codes of the guests.
async fn guests_flood(first: &[u8], frame: &[u8]) -> Vec<Option<u16>> {
    let folder = tempfile::tempdir().unwrap();
    let child = Child::starts(folder.path(), &[]);
    let ana = Person::signs_up(child.at, "Ana").await;
    let mut raws = Vec::new();
    for _ in 0..FLOODERS {
        raws.push(Raw::open(child.at, None).await);
    }
    for number in 0..20 {
        ana.posts(&format!("before {number}")).await;
    }
    let before = child.memory_kib();
    let flooding: Vec<_> =
        raws.into_iter().map(|raw| tokio::spawn(floods(raw, first.to_vec(), frame.to_vec()))).collect();
    let mut most = before;
    for number in 0..20 {
        ana.posts(&format!("meanwhile {number}")).await;
        most = most.max(child.memory_kib());
    }
    let mut codes = Vec::new();
    for flood in flooding {
        let (sent, code) = flood.await.unwrap();
        assert!(sent < FLOOD_BYTES, "all of it was taken");
        codes.push(code);
        most = most.max(child.memory_kib());
    }
    assert!(most - before < GROWTH_KIB_MAX, "the server grew by {} KiB", most - before);
    ana.posts("after").await;
    codes
}

/// Returns whether every flood ended with this code, or without a received close frame.
fn all_ended_with(codes: &[Option<u16>], code: u16) -> bool {
    codes.iter().all(|ended| ended.is_none_or(|ended| ended == code)) && codes.contains(&Some(code))
}

#[tokio::test]
async fn lv12_pongs() {
    let codes = guests_flood(&[], &frame(PONG, true, true, b"")).await;
    assert!(all_ended_with(&codes, 1008), "{codes:?}");
}

#[tokio::test]
async fn lv12_pings() {
    let codes = guests_flood(&[], &frame(PING, true, true, b"")).await;
    assert!(all_ended_with(&codes, 1008), "{codes:?}");
}

#[tokio::test]
async fn lv12_pings_of_125_bytes() {
    let codes = guests_flood(&[], &frame(PING, true, true, &[7; 125])).await;
    assert!(all_ended_with(&codes, 1008), "{codes:?}");
}

#[tokio::test]
async fn lv12_empty_fragments() {
    let first = frame(BINARY, false, true, b"");
    let codes = guests_flood(&first, &frame(CONTINUATION, false, true, b"")).await;
    assert!(all_ended_with(&codes, 1008), "{codes:?}");
}

#[tokio::test]
async fn lv12_fragments_of_one_byte() {
    let first = frame(BINARY, false, true, b"");
    let codes = guests_flood(&first, &frame(CONTINUATION, false, true, b"x")).await;
    assert!(all_ended_with(&codes, 1008), "{codes:?}");
}

#[tokio::test]
async fn lv12_empty_and_tiny_messages() {
    for payload in [&b""[..], b"x"] {
        let codes = guests_flood(&[], &frame(BINARY, true, true, payload)).await;
        assert!(all_ended_with(&codes, 1008), "{codes:?}");
    }
}

#[tokio::test]
async fn lv12_tiny_texts() {
    let codes = guests_flood(&[], &frame(TEXT, true, true, b"x")).await;
    assert!(all_ended_with(&codes, 1003), "{codes:?}");
}

#[tokio::test]
async fn lv12_a_flood_after_log_in_is_slowed_and_each_ping_is_answered() {
    let folder = tempfile::tempdir().unwrap();
    let child = Child::starts(folder.path(), &[]);
    let ana = Person::signs_up(child.at, "Ana").await;
    let ben = Person::signs_up(child.at, "Ben").await;
    let mut raw = Raw::open(child.at, Some(&ana.cookie)).await;
    ben.posts("before").await;
    let before = child.memory_kib();
    // These are more pings than a socket may send at once.
    let pings = 20_000_u32;
    let flood: Vec<u8> =
        (0..pings).flat_map(|number| frame(PING, true, true, &number.to_be_bytes())).collect();
    let (mut reading, mut writing) = raw.stream.split();
    let writes = async { writing.write_all(&flood).await.unwrap() };
    let reads = async {
        let (mut part, mut bytes) = ([0; 4_096], Vec::new());
        let mut next = 0_u32;
        while next < pings {
            let count = reading.read(&mut part).await.unwrap();
            assert_ne!(count, 0, "a flood after log-in is not closed");
            bytes.extend(&part[..count]);
            while let Some((taken, (opcode, payload))) = parse(&bytes) {
                bytes.drain(..taken);
                assert_ne!(opcode, CLOSE);
                if opcode == PONG {
                    assert_eq!(payload, next.to_be_bytes(), "each, in order");
                    next += 1;
                }
            }
        }
    };
    let others = async {
        for number in 0..20 {
            ben.posts(&format!("meanwhile {number}")).await;
        }
    };
    let all = async { tokio::join!(writes, reads, others) };
    tokio::time::timeout(crate::support::TIMEOUT, all).await.expect("a flood that is slowed, not stopped");
    let grown = child.memory_kib().saturating_sub(before);
    assert!(grown < GROWTH_KIB_MAX, "the server grew by {grown} KiB");
}

#[tokio::test]
async fn lv4_a_client_that_reads_no_replies_is_not_read_and_loses_none() {
    const REQUESTS: u32 = 200;
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    for _ in 0..30 {
        ana.posts(&"🌿".repeat(2_000)).await;
    }
    let raw = Raw::open_with(server.at, Some(&ana.cookie), Some(4_096)).await;
    let (mut reading, mut writing) = raw.stream.into_split();
    // The requests have twenty megabytes, and their replies fifty.
    let padding = json!({ "x": { "$bin": "00".repeat(100_000) } });
    let sent = Arc::new(AtomicUsize::new(0));
    let count_sent = Arc::clone(&sent);
    let writing = tokio::spawn(async move {
        for id in 1..=REQUESTS {
            let message = frame(BINARY, true, true, &pack(&request(id, "posts.feed", &padding)));
            for piece in message.chunks(4_096) {
                writing.write_all(piece).await.unwrap();
                count_sent.fetch_add(piece.len(), Ordering::Relaxed);
            }
        }
        writing
    });
    // The server takes nothing more while Ben posts. A client that reads nothing for longer than `STALL_MS_MAX` is cut,
    // and on a busy machine a few posts may take that long, so this one reads a little after each of them.
    let (mut bytes, mut part, mut replies) = (Vec::new(), vec![0; 32 * 1024], 0);
    let mut before = None;
    while before != Some(sent.load(Ordering::Relaxed)) {
        before = Some(sent.load(Ordering::Relaxed));
        ben.posts("meanwhile").await;
        tokio::time::timeout(crate::support::TIMEOUT, reading.read_exact(&mut part)).await.unwrap().unwrap();
        bytes.extend(&part);
    }
    assert!(!writing.is_finished(), "the server holds the sender back");
    while replies < REQUESTS {
        let count =
            tokio::time::timeout(crate::support::TIMEOUT, reading.read(&mut part)).await.unwrap().unwrap();
        assert_ne!(count, 0, "a client that reads is not cut");
        bytes.extend(&part[..count]);
        while let Some((taken, (opcode, payload))) = parse(&bytes) {
            bytes.drain(..taken);
            assert_ne!(opcode, CLOSE);
            if opcode == BINARY && payload.starts_with(b"\x82\xa2re") {
                let reply = unpack(&payload);
                assert!(reply.get("ok").is_some(), "{}", reply["err"]);
                replies += 1;
            }
        }
    }
    writing.await.unwrap();
}

#[tokio::test]
async fn a_peer_that_sends_a_close_frame_and_stays_is_cut() {
    let server = TestServer::new().await;
    let mut raw = Raw::open(server.at, None).await;
    raw.sends(&frame(CLOSE, true, true, &1000_u16.to_be_bytes())).await;
    assert_eq!(raw.close_code().await, Some(1000));
    assert_eq!(raw.reads().await, None, "the server hangs up first");
    let begun = std::time::Instant::now();
    while http::metric(server.at, "mellow_sockets").await > 0 {
        assert!(begun.elapsed() < crate::support::TIMEOUT, "a socket that is over is still counted");
    }
}

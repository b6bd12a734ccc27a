//! Tests an echo server, which reads and writes its sockets as Mellow does, with the cases of RFC 6455.

use std::future::poll_fn;
use std::net::{Ipv4Addr, SocketAddr};
use std::process::Command;
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;

use actix_http::ws::hash_key;
use futures_util::StreamExt;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::frame::{Bounds, CloseCode, Message, framed, pong};
use super::send_queue::SendQueue;
use super::socket::Socket;
use super::stream::{Inbound, Intake};
use crate::limits::TICK_MS;

const TEXT: u8 = 1;
const BINARY: u8 = 2;
/// Bytes of each frame of an echoed message. Some messages are larger than a send queue.
const PART_BYTES: usize = 64 * 1_024;

/// Runs the echo server.
async fn serve(listener: TcpListener) {
    loop {
        let (socket, _) = listener.accept().await.unwrap();
        actix_web::rt::spawn(echo(socket));
    }
}

async fn echo(mut socket: TcpStream) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let Ok(byte) = socket.read_u8().await else { return };
        head.push(byte);
    }
    let head = String::from_utf8(head).unwrap();
    let key = head.lines().find_map(|line| line.strip_prefix("Sec-WebSocket-Key:")).unwrap();
    let accepted = hash_key(key.trim().as_bytes());
    let handshake = format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Accept: {}\r\n\r\n",
        str::from_utf8(&accepted).unwrap()
    );
    let queue = SendQueue::new(Some(Socket::new(socket)));
    queue.push(handshake.into());
    actix_web::rt::spawn(tick(queue.clone()));
    let mut inbound = Inbound::new(queue.clone(), Rc::new(Intake::of_user(Bounds::ECHO)));
    while let Some(message) = inbound.next().await {
        match message {
            Ok(Message::Text(text)) => answer(&queue, TEXT, text.as_bytes()).await,
            Ok(Message::Binary(body)) => answer(&queue, BINARY, &body).await,
            Ok(Message::Ping(body)) => {
                queue.push(pong(&body));
            }
            Ok(Message::Close(reason)) => {
                let code = reason.map_or(CloseCode::Normal, |reason| reason.code);
                queue.answer_close(u16::from(code));
            }
            Ok(_) => {}
            Err(violation) => queue.end(u16::from(violation.code), violation.why),
        }
    }
    queue.cut();
}

/// Ends a connection whose peer does not answer a close frame.
async fn tick(queue: Rc<SendQueue>) {
    while !queue.is_cut() {
        tokio::time::sleep(Duration::from_millis(TICK_MS)).await;
        queue.tick();
    }
}

/// Sends a message in several frames. Each waits until the queue has room.
async fn answer(queue: &Rc<SendQueue>, opcode: u8, body: &[u8]) {
    let count = body.len().div_ceil(PART_BYTES).max(1);
    for number in 0..count {
        poll_fn(|context| {
            if queue.is_crowded() {
                queue.wait_for_room(context.waker());
                return Poll::Pending;
            }
            Poll::Ready(())
        })
        .await;
        let part = &body[number * PART_BYTES..body.len().min((number + 1) * PART_BYTES)];
        let last = if number + 1 == count { 0x80 } else { 0 };
        queue.push_awaited(framed(last | if number == 0 { opcode } else { 0 }, part));
    }
}

/// Starts an echo server. Returns its address.
async fn starts() -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let at = listener.local_addr().unwrap();
    actix_web::rt::spawn(serve(listener));
    at
}

#[actix_web::test]
async fn lv5_the_echo_sends_back_texts_and_bytes() {
    let mut socket = TcpStream::connect(starts().await).await.unwrap();
    socket.write_all(b"GET / HTTP/1.1\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n").await.unwrap();
    // A text message and a binary one of one byte each. Then a text message that is not UTF-8.
    socket.write_all(&[0x81, 0x81, 0, 0, 0, 0, b'a', 0x82, 0x81, 0, 0, 0, 0, 7]).await.unwrap();
    socket.write_all(&[0x81, 0x81, 0, 0, 0, 0, 0xff]).await.unwrap();
    let mut all = Vec::new();
    tokio::time::timeout(Duration::from_secs(30), socket.read_to_end(&mut all)).await.unwrap().unwrap();
    let frames = all.split_off(all.windows(4).position(|four| four == b"\r\n\r\n").unwrap() + 4);
    assert!(
        String::from_utf8(all).unwrap().contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="),
        "the example of RFC 6455"
    );
    assert_eq!(frames[..6], [0x81, 1, b'a', 0x82, 1, 7]);
    assert_eq!((frames[6], &frames[8..10]), (0x88, &1007_u16.to_be_bytes()[..]));
}

/// Runs the cases 1 to 7, 9 and 10 of Autobahn. `MELLOW_WSTEST` names its program `wstest`; without it the test does
/// nothing.
#[actix_web::test]
async fn lv5_the_echo_fails_no_case_of_autobahn() {
    let Some(wstest) = std::env::var_os("MELLOW_WSTEST") else {
        return println!("not run: MELLOW_WSTEST names no wstest");
    };
    let at = starts().await;
    let folder = tempfile::tempdir().unwrap();
    let plan = serde_json::json!({
        "outdir": folder.path(),
        "servers": [{ "agent": "echo", "url": format!("ws://{at}") }],
        "cases": ["1.*", "2.*", "3.*", "4.*", "5.*", "6.*", "7.*", "9.*", "10.*"],
        "exclude-cases": [],
        "exclude-agent-cases": {},
    });
    let path = folder.path().join("plan.json");
    std::fs::write(&path, plan.to_string()).unwrap();
    let playing = tokio::task::spawn_blocking(move || {
        Command::new(wstest).args(["-m", "fuzzingclient", "-s"]).arg(path).output().unwrap()
    });
    let played = playing.await.unwrap();
    let report = std::fs::read(folder.path().join("index.json"))
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&played.stderr)));
    let report: serde_json::Value = serde_json::from_slice(&report).unwrap();
    let mut counts = std::collections::BTreeMap::new();
    for (case, result) in report["echo"].as_object().unwrap() {
        for part in ["behavior", "behaviorClose"] {
            let found = result[part].as_str().unwrap();
            *counts.entry(format!("{part} {found}")).or_insert(0) += 1;
            assert_ne!((part, found), ("behavior", "FAILED"), "case {case}: {result}");
        }
    }
    println!("{counts:?}");
    assert!(counts.values().sum::<i32>() > 500, "{counts:?}");
}

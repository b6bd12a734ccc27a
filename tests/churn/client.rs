//! A minimal client connection. One thread drives two thousand of them.

use std::cell::{Cell, RefCell};
use std::net::SocketAddr;
use std::rc::Rc;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::{Mutex, oneshot};

use crate::support::TIMEOUT;
use crate::support::raw::{BINARY, CLOSE, PING, PONG, frame};
use crate::support::value::{pack, request};

/// The parts of a message that matter here.
#[derive(Debug, Deserialize)]
pub struct Message {
    re: Option<u32>,
    ok: Option<OkReply>,
    err: Option<Refused>,
    ev: Option<String>,
    seq: Option<i64>,
    epoch: Option<String>,
    group_id: Option<i64>,
    group: Option<Named>,
    post: Option<Named>,
    comment: Option<Named>,
    notification: Option<About>,
}

#[derive(Debug, Deserialize)]
pub struct Named {
    pub id: i64,
}

#[derive(Debug, Deserialize)]
struct About {
    comment_id: Option<i64>,
}

/// The content of a successful reply.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct OkReply {
    pub seq: i64,
    pub resync: bool,
    pub group: Option<Named>,
    pub post: Option<Named>,
    pub comment: Option<Named>,
    pub users: Vec<Named>,
    /// The number of events that were received before this reply.
    #[serde(skip)]
    pub received_before: usize,
}

/// A refusal.
#[derive(Debug, Deserialize)]
pub struct Refused {
    pub code: String,
}

/// A received event.
#[derive(Debug)]
pub struct Received {
    pub ev: String,
    pub seq: i64,
    /// The id of the event's comment, else of its post, else of its group.
    pub id: i64,
}

/// Everything that one socket received, and its subscriptions.
pub struct ConnectionRecord {
    pub person: i64,
    pub epoch: String,
    /// The head of the event log when the socket opened.
    pub hello: i64,
    /// The cursor of the resume, and the `seq` up to which events were replayed.
    pub resumed: Option<(i64, i64)>,
    /// An upper bound of the `seq` when the resume was answered.
    pub known: i64,
    pub received: Vec<Received>,
    /// The posts that it showed, each with the `seq` of the read.
    pub reads: Vec<(i64, i64)>,
    /// Posts that it shows from a reply on, with the number of events received by then. Events that the reply contains
    /// may be received once more after it, if they were committed before but published later.
    pub answered: Vec<(i64, usize)>,
    /// Like `reads`, for posts that it may or may not show.
    pub perhaps: Vec<(i64, i64)>,
    /// The `seq` up to which the server says it delivered everything; None if the connection was cut.
    pub delivered: Option<i64>,
    /// The code with which the server closed the connection.
    pub ended: Option<u16>,
}

impl ConnectionRecord {
    /// The cursor with which a client reconnects.
    pub fn cursor(&self) -> i64 {
        let received = self.received.iter().map(|received| received.seq);
        let resumed = self.resumed.map_or(0, |(_, to)| to);
        received.chain([self.hello, resumed]).max().unwrap_or(0)
    }
}

type Waiting = RefCell<Option<(u32, oneshot::Sender<Result<OkReply, Refused>>)>>;

/// An open connection.
pub struct Client {
    out: Mutex<OwnedWriteHalf>,
    pub record: Rc<RefCell<ConnectionRecord>>,
    waiting: Waiting,
    next_id: Cell<u32>,
    reader: RefCell<Option<tokio::task::JoinHandle<()>>>,
}

impl Client {
    /// Opens a socket as a user, and waits for `hello`.
    pub async fn open(at: SocketAddr, person: i64, cookie: &str) -> Rc<Self> {
        let stream = TcpStream::connect(at).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let (mut from, mut out) = stream.into_split();
        let handshake = format!(
            "GET /ws HTTP/1.1\r\nHost: {at}\r\nOrigin: http://{at}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
             Sec-WebSocket-Protocol: mellow.1\r\nCookie: mellow={cookie}\r\n\r\n"
        );
        out.write_all(handshake.as_bytes()).await.unwrap();
        let mut bytes = Vec::new();
        let mut frames = Vec::new();
        // The head of the response comes first, and then the first message.
        let mut is_upgraded = false;
        while frames.is_empty() {
            assert!(more(&mut from, &mut bytes).await, "no handshake: {}", String::from_utf8_lossy(&bytes));
            if !is_upgraded && let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
                assert!(bytes.starts_with(b"HTTP/1.1 101"), "{}", String::from_utf8_lossy(&bytes));
                bytes.drain(..end + 4);
                is_upgraded = true;
            }
            if is_upgraded {
                frames = cut(&mut bytes);
            }
        }
        let (_, first) = frames.remove(0);
        let hello: Message = rmp_serde::from_slice(&first).unwrap();
        assert_eq!(hello.ev.as_deref(), Some("hello"));
        let record = ConnectionRecord {
            person,
            epoch: hello.epoch.unwrap(),
            hello: hello.seq.unwrap(),
            resumed: None,
            known: 0,
            received: Vec::new(),
            reads: Vec::new(),
            answered: Vec::new(),
            perhaps: Vec::new(),
            delivered: None,
            ended: None,
        };
        let client = Rc::new(Self {
            out: Mutex::new(out),
            record: Rc::new(RefCell::new(record)),
            waiting: RefCell::default(),
            next_id: Cell::new(1),
            reader: RefCell::default(),
        });
        let reads = client.clone();
        let reader = tokio::task::spawn_local(async move {
            loop {
                for (opcode, body) in frames.drain(..) {
                    reads.takes(opcode, &body).await;
                }
                if !more(&mut from, &mut bytes).await {
                    break;
                }
                frames = cut(&mut bytes);
            }
            let mut record = reads.record.borrow_mut();
            record.ended.get_or_insert(1006);
            // Waiting requests end without a reply.
            reads.waiting.take();
        });
        *client.reader.borrow_mut() = Some(reader);
        client
    }

    async fn takes(&self, opcode: u8, body: &[u8]) {
        match opcode {
            BINARY => self.reads(body),
            PING => drop(self.out.lock().await.write_all(&frame(PONG, true, true, body)).await),
            CLOSE => {
                let code = body.get(..2).map_or(1005, |bytes| u16::from_be_bytes([bytes[0], bytes[1]]));
                self.record.borrow_mut().ended = Some(code);
            }
            _ => {}
        }
    }

    fn reads(&self, body: &[u8]) {
        let message: Message = rmp_serde::from_slice(body).unwrap();
        if let Some(re) = message.re {
            let waiting = self.waiting.borrow_mut().take_if(|(id, _)| *id == re);
            let (_, tell) = waiting.expect("a reply to the request");
            let received_before = self.record.borrow().received.len();
            let ok = || OkReply { received_before, ..message.ok.unwrap() };
            let _ = tell.send(message.err.map_or_else(|| Ok(ok()), Err));
            return;
        }
        let ev = message.ev.expect("a reply or an event");
        // The theme that is set at the start concerns no group.
        if ev == "beat" || ev == "theme.changed" {
            return;
        }
        let named =
            [&message.comment, &message.post, &message.group].into_iter().flatten().map(|named| named.id);
        let id = named
            .chain(message.notification.and_then(|about| about.comment_id))
            .chain(message.group_id)
            .next();
        let received = Received { seq: message.seq.unwrap(), id: id.unwrap_or(0), ev };
        self.record.borrow_mut().received.push(received);
    }

    /// Sends a request, one at a time. Returns None if the connection ended meanwhile.
    pub async fn asks(&self, op: &str, fields: Value) -> Option<Result<OkReply, Refused>> {
        let id = self.next_id.get();
        self.next_id.set(id + 1);
        let (tell, reply) = oneshot::channel();
        if self.record.borrow().ended.is_some() {
            return None;
        }
        let before = self.waiting.replace(Some((id, tell)));
        assert!(before.is_none(), "one request at a time");
        let bytes = frame(BINARY, true, true, &pack(&request(id, op, &fields)));
        // If the connection was cut meanwhile, the reading side notices it.
        let _ = self.out.lock().await.write_all(&bytes).await;
        let reply = tokio::time::timeout(4 * TIMEOUT, reply).await;
        reply.unwrap_or_else(|_| panic!("no reply to {op} {fields}")).ok()
    }

    /// Returns the `seq` up to which everything was delivered, or None if the connection ended.
    pub async fn probes(&self) -> Option<i64> {
        let probed = self.asks("live.probe", json!({})).await?;
        let seq = probed.unwrap_or_else(|no| panic!("{no:?}")).seq;
        self.record.borrow_mut().delivered = Some(seq);
        Some(seq)
    }

    /// Cuts the connection without a close frame.
    pub fn is_cut(&self) {
        if let Some(reader) = self.reader.take() {
            reader.abort();
        }
    }
}

async fn more(from: &mut OwnedReadHalf, bytes: &mut Vec<u8>) -> bool {
    let mut part = [0; 8 * 1024];
    match from.read(&mut part).await {
        Ok(0) | Err(_) => false,
        Ok(count) => {
            bytes.extend(&part[..count]);
            true
        }
    }
}

/// Removes the complete frames from the front of the received bytes, and returns them.
fn cut(bytes: &mut Vec<u8>) -> Vec<(u8, Vec<u8>)> {
    let mut frames = Vec::new();
    let mut at = 0;
    while let [first, second, rest @ ..] = &bytes[at..] {
        let (start, length) = match (*second, rest) {
            (126, [high, low, ..]) => (4, usize::from(u16::from_be_bytes([*high, *low]))),
            (126 | 127, _) => break,
            (short, _) => (2, usize::from(short)),
        };
        let Some(body) = bytes.get(at + start..at + start + length) else { break };
        frames.push((first & 0x0f, body.to_vec()));
        at += start + length;
    }
    bytes.drain(..at);
    frames
}

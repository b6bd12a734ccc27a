//! A client WebSocket that records its requests, replies and events in order.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

use super::TIMEOUT;
use super::value::{pack, request, unpack};

/// A refusal, as it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    pub code: String,
    pub message: String,
    /// The name of the sentence.
    pub why: String,
    pub field: Option<String>,
    pub retry_ms: Option<u64>,
}

impl Refused {
    pub fn read(err: &Value) -> Self {
        let text = |name: &str| err[name].as_str().map(str::to_owned);
        assert_eq!(
            err.as_object().unwrap().len(),
            6,
            "a refusal is a code, a message, its name and values, a field and a time"
        );
        assert!(err["values"].is_object(), "{err}");
        Self {
            code: text("code").unwrap(),
            message: text("message").unwrap(),
            why: text("why").unwrap(),
            field: text("field"),
            retry_ms: err["retry_ms"].as_u64(),
        }
    }
}

pub struct Socket {
    out: tokio::sync::Mutex<SplitSink<WebSocketStream<TcpStream>, Message>>,
    inbox: Arc<Inbox>,
    next_id: AtomicU32,
    reader: tokio::task::JoinHandle<()>,
}

#[derive(Default)]
struct Inbox {
    state: std::sync::Mutex<State>,
    grown: Notify,
}

/// The received messages.
#[derive(Default)]
pub struct State {
    /// Every message, in order.
    pub log: Vec<Value>,
    /// The bytes of every message.
    pub bytes: Vec<Vec<u8>>,
    /// The index of the reply in `log`, by request id. A map is needed because the test of all permissions sends many
    /// thousands of requests.
    replies: HashMap<u64, usize>,
    /// The number of messages that the test has read.
    received: usize,
    pub closed: Option<(u16, String)>,
}

impl State {
    fn push(&mut self, bytes: &[u8]) {
        let message = unpack(bytes);
        if let Some(id) = message.get("re").and_then(Value::as_u64) {
            self.replies.insert(id, self.log.len());
        }
        self.log.push(message);
        self.bytes.push(bytes.to_vec());
    }

    /// Returns the last reply to a request.
    pub fn reply_to(&self, id: u32) -> Option<Value> {
        self.replies.get(&u64::from(id)).map(|place| self.log[*place].clone())
    }

    /// Returns the next event that the test has not read, without beats.
    fn next_event(&mut self) -> Option<Value> {
        while let Some(message) = self.log.get(self.received) {
            self.received += 1;
            if is_event(message) {
                return Some(message.clone());
            }
        }
        None
    }
}

fn is_event(message: &Value) -> bool {
    message.get("ev").is_some_and(|ev| ev != "hello" && ev != "beat")
}

impl Inbox {
    async fn wait<T>(&self, what: &str, mut look: impl FnMut(&mut State) -> Option<T>) -> T {
        let deadline = tokio::time::Instant::now() + TIMEOUT;
        loop {
            let grown = self.grown.notified();
            tokio::pin!(grown);
            grown.as_mut().enable();
            {
                let mut state = self.state.lock().unwrap();
                if let Some(found) = look(&mut state) {
                    return found;
                }
                if let Some(closed) = &state.closed {
                    panic!(
                        "waiting for {what}, the socket closed with {closed:?}; it had received {}",
                        tail(&state.log)
                    );
                }
            }
            if tokio::time::timeout_at(deadline, grown).await.is_err() {
                let state = self.state.lock().unwrap();
                panic!("timed out waiting for {what}; received: {}", tail(&state.log));
            }
        }
    }
}

fn tail(log: &[Value]) -> String {
    let last = &log[log.len().saturating_sub(12)..];
    last.iter().map(Value::to_string).collect::<Vec<_>>().join("\n")
}

async fn read(mut stream: SplitStream<WebSocketStream<TcpStream>>, inbox: Arc<Inbox>) {
    while let Some(message) = stream.next().await {
        match message {
            Ok(Message::Binary(bytes)) => {
                let mut state = inbox.state.lock().unwrap();
                assert!(state.closed.is_none(), "nothing follows a close frame");
                state.push(&bytes);
            }
            Ok(Message::Close(frame)) => {
                let closed = frame
                    .map_or((1005, String::new()), |frame| (frame.code.into(), frame.reason.to_string()));
                inbox.state.lock().unwrap().closed = Some(closed);
            }
            Ok(_) => {}
            Err(_) => break,
        }
        inbox.grown.notify_waiters();
    }
    inbox.state.lock().unwrap().closed.get_or_insert((1006, String::new()));
    inbox.grown.notify_waiters();
}

impl Socket {
    /// Opens a socket as a page does.
    pub async fn open(at: SocketAddr, cookie: Option<&str>) -> Self {
        Self::try_open(at, cookie).await.expect("a handshake")
    }

    /// Opens a socket, or returns the status it was refused with.
    pub async fn try_open(at: SocketAddr, cookie: Option<&str>) -> Result<Self, u16> {
        Self::try_open_with(at, cookie, &[]).await
    }

    /// Opens a socket with these headers in place of the usual ones.
    pub async fn open_with(at: SocketAddr, cookie: Option<&str>, others: &[(&'static str, &str)]) -> Self {
        Self::try_open_with(at, cookie, others).await.expect("a handshake")
    }

    async fn try_open_with(
        at: SocketAddr,
        cookie: Option<&str>,
        others: &[(&'static str, &str)],
    ) -> Result<Self, u16> {
        let mut handshake = format!("ws://{at}/ws").into_client_request().unwrap();
        let headers = handshake.headers_mut();
        headers.insert("Origin", format!("http://{at}").parse().unwrap());
        headers.insert("Sec-WebSocket-Protocol", "mellow.1".parse().unwrap());
        if let Some(cookie) = cookie {
            headers.insert("Cookie", format!("mellow={cookie}").parse().unwrap());
        }
        for (name, value) in others {
            headers.insert(*name, value.parse().unwrap());
        }
        let stream = TcpStream::connect(at).await.map_err(|_| 0_u16)?;
        stream.set_nodelay(true).unwrap();
        let (socket, response) = match tokio_tungstenite::client_async(handshake, stream).await {
            Ok(opened) => opened,
            Err(tokio_tungstenite::tungstenite::Error::Http(response)) => {
                return Err(response.status().as_u16());
            }
            Err(_) => return Err(0),
        };
        assert_eq!(response.headers()["sec-websocket-protocol"], "mellow.1");
        let (out, stream) = socket.split();
        let inbox = Arc::new(Inbox::default());
        let reader = tokio::spawn(read(stream, inbox.clone()));
        Ok(Self { out: tokio::sync::Mutex::new(out), inbox, next_id: AtomicU32::new(1), reader })
    }

    pub async fn send_message(&self, message: Message) {
        // If the connection was cut, the reading side notices it.
        let _ = self.out.lock().await.send(message).await;
    }

    pub async fn send_bytes(&self, bytes: Vec<u8>) {
        self.send_message(Message::Binary(bytes.into())).await;
    }

    /// Sends a request and returns its id, not waiting for the reply.
    pub async fn sends(&self, op: &str, fields: Value) -> u32 {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        self.send_bytes(pack(&request(id, op, &fields))).await;
        id
    }

    /// Waits for the reply to a request.
    pub async fn reply_to(&self, id: u32) -> Result<Value, Refused> {
        let what = format!("the reply to request {id}");
        let reply = self.inbox.wait(&what, |state| state.reply_to(id)).await;
        match reply.get("err") {
            Some(err) => Err(Refused::read(err)),
            None => Ok(reply["ok"].clone()),
        }
    }

    /// Sends a request. Returns the reply, or None if the connection ends without one.
    pub async fn asks_until_the_end(&self, op: &str, fields: Value) -> Option<Result<Value, Refused>> {
        let id = self.sends(op, fields).await;
        loop {
            let grown = self.inbox.grown.notified();
            tokio::pin!(grown);
            grown.as_mut().enable();
            let (reply, is_closed) =
                self.peek(|state| Some((state.reply_to(id), state.closed.is_some()))).unwrap_or_default();
            match reply {
                Some(reply) => {
                    return Some(
                        reply.get("err").map_or(Ok(reply["ok"].clone()), |err| Err(Refused::read(err))),
                    );
                }
                None if is_closed => return None,
                None => grown.await,
            }
        }
    }

    pub async fn asks(&self, op: &str, fields: Value) -> Result<Value, Refused> {
        let id = self.sends(op, fields).await;
        self.reply_to(id).await
    }

    /// Waits until a condition holds for the received messages.
    pub async fn waits<T>(&self, what: &str, look: impl FnMut(&mut State) -> Option<T>) -> T {
        self.inbox.wait(what, look).await
    }

    /// Evaluates the received messages without waiting.
    pub fn peek<T>(&self, look: impl FnOnce(&mut State) -> Option<T>) -> Option<T> {
        look(&mut self.inbox.state.lock().unwrap())
    }

    /// Waits until a message arrives, or the connection ends.
    pub async fn changes_or_ends(&self) {
        let count = self.inbox.state.lock().unwrap().log.len();
        loop {
            let grown = self.inbox.grown.notified();
            tokio::pin!(grown);
            grown.as_mut().enable();
            {
                let state = self.inbox.state.lock().unwrap();
                if state.log.len() > count || state.closed.is_some() {
                    return;
                }
            }
            grown.await;
        }
    }

    pub async fn hello(&self) -> Value {
        let hello = self.inbox.wait("hello", |state| state.log.first().cloned()).await;
        assert_eq!(hello["ev"], "hello", "the first message on each socket");
        hello
    }

    /// Waits for the next event of this name, and skips others.
    pub async fn receives(&self, ev: &str) -> Value {
        self.receives_where(ev, |_| true).await
    }

    /// Waits for the next event of this name that fits, and skips others.
    pub async fn receives_where(&self, ev: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let next = |state: &mut State| {
            while let Some(event) = state.next_event() {
                if event["ev"] == ev && fits(&event) {
                    return Some(event);
                }
            }
            None
        };
        self.inbox.wait(ev, next).await
    }

    /// Returns the events that the test has not read.
    pub fn unread_events(&self) -> Vec<Value> {
        let mut state = self.inbox.state.lock().unwrap();
        std::iter::from_fn(|| state.next_event()).collect()
    }

    /// Returns every event so far.
    pub fn events(&self) -> Vec<Value> {
        self.inbox.state.lock().unwrap().log.iter().filter(|message| is_event(message)).cloned().collect()
    }

    /// Returns every message so far.
    pub fn log(&self) -> Vec<Value> {
        self.inbox.state.lock().unwrap().log.clone()
    }

    /// Returns the bytes of every message so far.
    pub fn bytes(&self) -> Vec<Vec<u8>> {
        self.inbox.state.lock().unwrap().bytes.clone()
    }

    /// Waits for the end. Returns the code and the reason. The code is 1006 without a close frame.
    pub async fn closed(&self) -> (u16, String) {
        self.inbox.wait("the end of the socket", |state| state.closed.clone()).await
    }

    pub async fn close_code(&self) -> u16 {
        self.closed().await.0
    }

    pub fn is_open(&self) -> bool {
        self.inbox.state.lock().unwrap().closed.is_none()
    }

    /// Waits until the server has delivered everything up to `seq` to this socket.
    pub async fn has_caught_up(&self, seq: i64) {
        let deadline = tokio::time::Instant::now() + TIMEOUT;
        loop {
            let ok = self.asks("live.probe", json!({})).await.expect("a probe");
            if ok["seq"].as_i64().unwrap() >= seq {
                return;
            }
            assert!(
                tokio::time::Instant::now() < deadline,
                "the server did not deliver the events up to {seq}"
            );
        }
    }
}

impl Drop for Socket {
    /// Cuts the connection without a close frame.
    fn drop(&mut self) {
        self.reader.abort();
    }
}

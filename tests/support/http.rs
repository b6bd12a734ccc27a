//! A minimal HTTP client.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

#[derive(Clone, Debug)]
pub struct Response {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
    /// The raw body.
    pub content: Vec<u8>,
    /// The raw response.
    pub bytes: Vec<u8>,
}

impl Response {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(held, _)| held.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// Returns the response without its date and with sorted headers, so that two can be compared.
    pub fn comparable(&self) -> String {
        let (head, body) = self.bytes.split_at(self.bytes.len() - self.content.len());
        let head = String::from_utf8_lossy(head).to_lowercase();
        let mut lines: Vec<&str> = head.lines().filter(|line| !line.starts_with("date:")).collect();
        lines[1..].sort_unstable();
        format!("{}\n{}", lines.join("\n"), super::value::hex(body))
    }
}

/// Sends one request on a new connection. `Host` is added unless it is among the headers.
pub async fn ask(at: SocketAddr, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Response {
    let mut stream = TcpStream::connect(at).await.unwrap();
    let mut head = format!("{method} {path} HTTP/1.1\r\n");
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
        head += &format!("Host: {at}\r\n");
    }
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("connection")) {
        head += "Connection: close\r\n";
    }
    if !body.is_empty() {
        head += &format!("Content-Length: {}\r\n", body.len());
    }
    stream.write_all(format!("{head}\r\n{body}").as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    let reading = async {
        let mut part = [0; 4096];
        while !is_whole(&bytes) {
            match stream.read(&mut part).await {
                Ok(0) | Err(_) => break,
                Ok(count) => bytes.extend(&part[..count]),
            }
        }
    };
    tokio::time::timeout(super::TIMEOUT, reading).await.expect("an answer over HTTP");
    parse(&bytes)
}

/// Returns whether a response is complete: by its length, or by its head if the connection is upgraded.
fn is_whole(bytes: &[u8]) -> bool {
    let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else { return false };
    let response = parse(bytes);
    if response.header("Transfer-Encoding") == Some("chunked") {
        return bytes.ends_with(b"\r\n0\r\n\r\n");
    }
    let length = response.header("Content-Length").and_then(|length| length.parse().ok()).unwrap_or(0);
    bytes.len() >= end + 4 + length
}

fn parse(bytes: &[u8]) -> Response {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok()).unwrap_or(0);
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()))
        .collect();
    let content = bytes.windows(4).position(|window| window == b"\r\n\r\n").map_or(0, |at| at + 4);
    let content = bytes.get(content..).unwrap_or_default();
    let is_chunked = |(name, value): &(String, String)| {
        name.eq_ignore_ascii_case("transfer-encoding") && value.eq_ignore_ascii_case("chunked")
    };
    let content = if headers.iter().any(is_chunked) { joined(content) } else { content.to_vec() };
    Response { status, headers, body: body.to_owned(), content, bytes: bytes.to_vec() }
}

/// Joins the chunks of a body. A truncated body ends early.
fn joined(mut chunks: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(end) = chunks.windows(2).position(|window| window == b"\r\n") {
        let size = std::str::from_utf8(&chunks[..end]).unwrap_or_default();
        let size = usize::from_str_radix(size, 16).unwrap_or(0);
        let chunk = &chunks[end + 2..];
        body.extend_from_slice(&chunk[..size.min(chunk.len())]);
        chunks = chunk.get(size + 2..).unwrap_or_default();
    }
    body
}

/// Sends a handshake. Each of its headers may be left out or replaced.
pub async fn handshake(at: SocketAddr, changes: &[(&str, Option<&str>)]) -> Response {
    let (host, origin) = (at.to_string(), format!("http://{at}"));
    let mut headers = vec![
        ("Host", Some(host.as_str())),
        ("Origin", Some(origin.as_str())),
        ("Connection", Some("Upgrade")),
        ("Upgrade", Some("websocket")),
        ("Sec-WebSocket-Version", Some("13")),
        ("Sec-WebSocket-Key", Some("dGhlIHNhbXBsZSBub25jZQ==")),
        ("Sec-WebSocket-Protocol", Some("mellow.1")),
    ];
    for (name, value) in changes {
        headers.retain(|(held, _)| !held.eq_ignore_ascii_case(name));
        headers.push((name, *value));
    }
    let mut sent: Vec<(&str, &str)> =
        headers.iter().filter_map(|(name, value)| Some((*name, (*value)?))).collect();
    if changes.contains(&("Host", None)) {
        // An empty `Host`, because `ask` would add one.
        sent.push(("Host", ""));
    }
    ask(at, "GET", "/ws", &sent, "").await
}

/// Reads one figure of `/metrics`.
pub async fn metric(at: SocketAddr, name: &str) -> u64 {
    let response = ask(at, "GET", "/metrics", &[], "").await;
    let line =
        response.body.lines().find(|line| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(' ')));
    line.and_then(|line| line.rsplit(' ').next()?.parse().ok()).expect("a figure of that name")
}

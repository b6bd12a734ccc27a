//! A client that writes the bytes of frames itself, to send invalid frames.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use super::TIMEOUT;

pub const TEXT: u8 = 0x1;
pub const BINARY: u8 = 0x2;
pub const CONTINUATION: u8 = 0x0;
pub const CLOSE: u8 = 0x8;
pub const PING: u8 = 0x9;
pub const PONG: u8 = 0xa;

pub struct Raw {
    pub stream: TcpStream,
    buffer: Vec<u8>,
}

/// Returns a client's frame.
pub fn frame(opcode: u8, is_last: bool, is_masked: bool, payload: &[u8]) -> Vec<u8> {
    let mut out = header(opcode, is_last, is_masked, payload.len() as u64);
    out.extend(payload);
    out
}

/// Returns the header of a client's frame that declares this length. The mask is four zeros.
pub fn header(opcode: u8, is_last: bool, is_masked: bool, length: u64) -> Vec<u8> {
    let mut out = vec![if is_last { 0x80 | opcode } else { opcode }];
    let mask = if is_masked { 0x80 } else { 0 };
    match length {
        0..=125 => out.push(mask | u8::try_from(length).unwrap()),
        126..=0xffff => {
            out.push(mask | 126);
            out.extend(u16::try_from(length).unwrap().to_be_bytes());
        }
        _ => {
            out.push(mask | 127);
            out.extend(length.to_be_bytes());
        }
    }
    if is_masked {
        out.extend([0; 4]);
    }
    out
}

impl Raw {
    pub async fn open(at: SocketAddr, cookie: Option<&str>) -> Self {
        Self::open_with(at, cookie, None).await
    }

    /// Opens a socket with a receive buffer of this size in the kernel.
    pub async fn open_with(at: SocketAddr, cookie: Option<&str>, buffer_bytes: Option<u32>) -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        if let Some(bytes) = buffer_bytes {
            socket.set_recv_buffer_size(bytes).unwrap();
        }
        let mut stream = socket.connect(at).await.unwrap();
        let cookie = cookie.map_or(String::new(), |cookie| format!("Cookie: mellow={cookie}\r\n"));
        let handshake = format!(
            "GET /ws HTTP/1.1\r\nHost: {at}\r\nOrigin: http://{at}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
             Sec-WebSocket-Protocol: mellow.1\r\n{cookie}\r\n"
        );
        stream.write_all(handshake.as_bytes()).await.unwrap();
        let mut raw = Self { stream, buffer: Vec::new() };
        let end = loop {
            if let Some(at) = raw.buffer.windows(4).position(|window| window == b"\r\n\r\n") {
                break at + 4;
            }
            assert!(raw.fill().await, "the handshake had no response");
        };
        let head = String::from_utf8_lossy(&raw.buffer[..end]).into_owned();
        assert!(head.starts_with("HTTP/1.1 101"), "{head}");
        raw.buffer.drain(..end);
        raw
    }

    /// Reads more bytes. Returns false if the peer has closed or cut the connection.
    async fn fill(&mut self) -> bool {
        let mut part = [0; 16 * 1024];
        let read = tokio::time::timeout(TIMEOUT, self.stream.read(&mut part)).await;
        match read.expect("bytes, or the end of the connection") {
            Ok(0) | Err(_) => false,
            Ok(count) => {
                self.buffer.extend(&part[..count]);
                true
            }
        }
    }

    /// Sends bytes unchanged. If the connection was cut meanwhile, the next read notices it.
    pub async fn sends(&mut self, bytes: &[u8]) {
        let _ = self.stream.write_all(bytes).await;
    }

    pub async fn sends_binary(&mut self, payload: &[u8]) {
        self.sends(&frame(BINARY, true, true, payload)).await;
    }

    /// Reads a frame. Returns None at the end of the connection.
    pub async fn reads(&mut self) -> Option<(u8, Vec<u8>)> {
        loop {
            if let Some((taken, frame)) = parse(&self.buffer) {
                self.buffer.drain(..taken);
                return Some(frame);
            }
            if !self.fill().await {
                return None;
            }
        }
    }

    /// Reads to the end. Returns the code of the close frame, or None if there was none.
    pub async fn close_code(&mut self) -> Option<u16> {
        let mut code = None;
        while let Some((opcode, payload)) = self.reads().await {
            if opcode == CLOSE {
                code = Some(payload.get(..2).map_or(1005, |bytes| u16::from_be_bytes([bytes[0], bytes[1]])));
                break;
            }
        }
        code
    }

    /// Reads messages until one is the reply to `id`.
    pub async fn reply_to(&mut self, id: u32) -> serde_json::Value {
        loop {
            let (opcode, payload) = self.reads().await.expect("a reply, not the end");
            assert_ne!(opcode, CLOSE, "closed: {payload:?}");
            if opcode == BINARY {
                let message = super::value::unpack(&payload);
                if message.get("re") == Some(&serde_json::json!(id)) {
                    return message;
                }
            }
        }
    }
}

/// Decodes a frame of the server. Returns its length and the frame, or None if it is incomplete.
pub fn parse(bytes: &[u8]) -> Option<(usize, (u8, Vec<u8>))> {
    let (first, second) = (*bytes.first()?, *bytes.get(1)?);
    assert_eq!(second & 0x80, 0, "a server does not mask");
    assert_eq!(first & 0x70, 0, "no extension was agreed on");
    let (length, start) = match second {
        126 => (u64::from(u16::from_be_bytes(bytes.get(2..4)?.try_into().ok()?)), 4),
        127 => (u64::from_be_bytes(bytes.get(2..10)?.try_into().ok()?), 10),
        short => (u64::from(short), 2),
    };
    let end = start + usize::try_from(length).unwrap();
    Some((end, (first & 0x0f, bytes.get(start..end)?.to_vec())))
}

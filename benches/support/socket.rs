//! Client WebSockets: the handshake, and frames as bytes.

use std::io::{Read, Write};
use std::net::TcpStream;

/// The number of handshakes at the same time.
const OPENING_MAX: usize = 128;

/// Returns the length of the server's greeting in these bytes; None if it has not arrived completely.
pub type Greeting = fn(&[u8]) -> Option<usize>;

/// Opens one socket for each of these requests, a limited number at the same time. Returns each socket with the bytes
/// after the greeting.
pub fn open(port: u16, requests: &[String], greeting: Greeting) -> Vec<(TcpStream, Vec<u8>)> {
    let mut opened = Vec::with_capacity(requests.len());
    for requests in requests.chunks(OPENING_MAX) {
        let ask = |request: &String| {
            let mut socket = TcpStream::connect(("127.0.0.1", port)).unwrap();
            socket.set_nodelay(true).unwrap();
            socket.write_all(request.as_bytes()).unwrap();
            socket
        };
        let sent: Vec<TcpStream> = requests.iter().map(ask).collect();
        opened.extend(sent.into_iter().map(|socket| greeted(socket, greeting)));
    }
    opened
}

/// Waits for the greeting. Returns the socket with the bytes after the greeting.
pub fn greeted(mut socket: TcpStream, greeting: Greeting) -> (TcpStream, Vec<u8>) {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4_096];
    loop {
        if let Some(end) = greeting(&bytes) {
            return (socket, bytes.split_off(end));
        }
        let count = socket.read(&mut buffer).unwrap();
        assert!(count > 0, "the handshake was refused: {}", String::from_utf8_lossy(&bytes));
        bytes.extend_from_slice(&buffer[..count]);
    }
}

/// Opens sockets to Mellow. A cookie makes the socket of a user, None that of a guest.
pub fn open_mellow(port: u16, cookies: &[Option<String>]) -> Vec<(TcpStream, Vec<u8>)> {
    let request = |cookie: &Option<String>| {
        let cookie = cookie.as_ref().map(|cookie| format!("Cookie: mellow={cookie}\r\n")).unwrap_or_default();
        upgrade(port, "/ws", &format!("Sec-WebSocket-Protocol: mellow.1\r\n{cookie}"))
    };
    let requests: Vec<String> = cookies.iter().map(request).collect();
    open(port, &requests, after_hello)
}

/// The greeting of Mellow: the response and the message `hello`.
pub fn after_hello(bytes: &[u8]) -> Option<usize> {
    let head = upgraded(bytes)?;
    let (hello, _) = cut_frame(&bytes[head..])?;
    Some(head + hello.len())
}

/// Returns the request that upgrades a connection. `headers` are more headers.
pub fn upgrade(port: u16, path: &str, headers: &str) -> String {
    format!(
        "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n\
         Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{headers}\r\n"
    )
}

/// Returns the length of the response that upgrades a connection; None if it has not arrived completely.
pub fn upgraded(bytes: &[u8]) -> Option<usize> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    assert!(bytes.starts_with(b"HTTP/1.1 101"), "refused: {}", String::from_utf8_lossy(bytes));
    Some(end + 4)
}

/// Splits the first complete frame off; None if no frame is complete.
pub fn cut_frame(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    assert_ne!(bytes.first(), Some(&0x88), "the server closed the socket");
    let (header, body) = lengths(bytes)?;
    bytes.split_at_checked(header + body)
}

/// Returns the body of a complete unmasked frame.
pub fn body(frame: &[u8]) -> &[u8] {
    lengths(frame).map_or(&[], |(header, _)| &frame[header..])
}

/// Returns the lengths of the header and the body of an unmasked frame.
fn lengths(bytes: &[u8]) -> Option<(usize, usize)> {
    let number = |bytes: &[u8]| bytes.iter().fold(0, |number, byte| number << 8 | usize::from(*byte));
    Some(match *bytes.get(1)? {
        126 => (4, number(bytes.get(2..4)?)),
        127 => (10, number(bytes.get(2..10)?)),
        short => (2, usize::from(short)),
    })
}

/// Returns a frame as a client sends it. The mask is zero, which is valid.
pub fn masked(first: u8, body: &[u8]) -> Vec<u8> {
    let mut out = vec![first];
    match u8::try_from(body.len()) {
        Ok(short @ 0..=125) => out.push(0x80 | short),
        _ => {
            out.push(0x80 | 126);
            out.extend(u16::try_from(body.len()).unwrap().to_be_bytes());
        }
    }
    out.extend([0; 4]);
    out.extend_from_slice(body);
    out
}

/// Returns whether a reply is a refusal; None if the message is not a reply.
pub fn is_refusal(message: &[u8]) -> Option<bool> {
    // The first field of a reply is `re`, its second `ok` or `err`.
    (message.get(1..4) == Some(b"\xa2re")).then(|| message.windows(4).take(12).any(|part| part == b"\xa3err"))
}

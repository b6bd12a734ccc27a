//! WebSocket frames and the handshake of a client.

/// The first byte of a binary message in one frame. The next constants are the first bytes of the other frames.
pub const BINARY: u8 = 0x82;
pub const CLOSE: u8 = 0x88;
pub const PING: u8 = 0x89;
pub const PONG: u8 = 0x8a;

/// A complete frame.
#[derive(Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    pub first: u8,
    pub body: &'a [u8],
    /// The length of the header and the body, in bytes.
    pub length: usize,
}

/// Returns the first complete frame; None if no frame is complete. Frames of a server are not masked.
#[must_use]
pub fn cut(bytes: &[u8]) -> Option<Frame<'_>> {
    let number = |bytes: &[u8]| bytes.iter().fold(0, |number, byte| number << 8 | usize::from(*byte));
    let (header, length): (usize, usize) = match *bytes.get(1)? {
        126 => (4, number(bytes.get(2..4)?)),
        127 => (10, number(bytes.get(2..10)?)),
        short => (2, usize::from(short)),
    };
    let body = bytes.get(header..header.checked_add(length)?)?;
    Some(Frame { first: bytes[0], body, length: header + length })
}

/// Appends a frame as a client sends it.
pub fn mask(first: u8, body: &[u8], key: [u8; 4], out: &mut Vec<u8>) {
    out.push(first);
    match body.len() {
        short @ 0..=125 => out.push(0x80 | u8::try_from(short).unwrap_or(0)),
        long => match u16::try_from(long) {
            Ok(long) => {
                out.push(0x80 | 126);
                out.extend(long.to_be_bytes());
            }
            Err(_) => {
                out.push(0x80 | 127);
                out.extend((long as u64).to_be_bytes());
            }
        },
    }
    out.extend(key);
    out.extend(body.iter().zip(key.iter().cycle()).map(|(byte, key)| byte ^ key));
}

/// Returns the request that opens a socket.
#[must_use]
pub fn handshake(host: &str, origin: &str, cookie: &str) -> String {
    let cookie = if cookie.is_empty() { String::new() } else { format!("Cookie: {cookie}\r\n") };
    format!(
        "GET /ws HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
         Sec-WebSocket-Protocol: mellow.1\r\n{cookie}\r\n"
    )
}

/// Returns the length of the head of a response, and its first line; None if the head is not complete.
#[must_use]
pub fn head(bytes: &[u8]) -> Option<(usize, &str)> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    let line = bytes[..end].split(|byte| *byte == b'\r').next().unwrap_or_default();
    Some((end + 4, std::str::from_utf8(line).unwrap_or("an answer that is no text")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_cut_when_it_is_complete() {
        for length in [0, 125, 126, 70_000] {
            let mut bytes = vec![BINARY];
            match length {
                0..126 => bytes.push(length as u8),
                126..65_536 => bytes.extend([126, (length >> 8) as u8, length as u8]),
                _ => {
                    bytes.push(127);
                    bytes.extend((length as u64).to_be_bytes());
                }
            }
            bytes.extend(vec![7; length]);
            assert_eq!(cut(&bytes[..bytes.len() - 1]), None);
            let frame = cut(&bytes).unwrap();
            assert_eq!((frame.first, frame.body.len(), frame.length), (BINARY, length, bytes.len()));
        }
    }

    #[test]
    fn a_frame_is_masked_and_has_its_length() {
        let mut out = Vec::new();
        mask(BINARY, b"abcde", [1, 2, 3, 4], &mut out);
        assert_eq!(out, [0x82, 0x85, 1, 2, 3, 4, b'a' ^ 1, b'b' ^ 2, b'c' ^ 3, b'd' ^ 4, b'e' ^ 1]);
        out.clear();
        mask(BINARY, &[0; 300], [0; 4], &mut out);
        assert_eq!(out[..4], [0x82, 0xfe, 1, 44]);
    }

    #[test]
    fn the_head_of_a_response_ends_at_an_empty_line() {
        assert_eq!(head(b"HTTP/1.1 101 Yes\r\nA: b\r\n"), None);
        assert_eq!(head(b"HTTP/1.1 101 Yes\r\nA: b\r\n\r\nrest"), Some((26, "HTTP/1.1 101 Yes")));
    }
}

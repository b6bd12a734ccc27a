//! Frames of RFC 6455: decodes those of clients and encodes those of the server. Pure: no socket, no clock.
//!
//! Guarantees:
//! - The header of a frame (mask, reserved bits, opcode, length) is checked before a byte of its payload is kept.
//! - Nothing is allocated before the bytes that need it have arrived.
//! - Control frames are not fragmented, have at most 125 bytes and may come between fragments.
//! - A close frame has a code that a peer may send, and a reason in UTF-8.
//!
//! [`Bounds`] say whether a text frame is refused by its header. Every socket of Mellow refuses it, because the
//! protocol has no text frames.

use actix_http::ws::OpCode;
pub use actix_web_actors::ws::{CloseCode, CloseReason, Message};
use bytes::{Buf, BufMut, Bytes, BytesMut};

use crate::limits::{
    CONTROL_FRAME_BYTES_MAX, FRAME_BYTES_MAX, FRAME_PRICE_BYTES, GUEST_MESSAGE_BYTES_MAX, MESSAGE_BYTES_MAX,
};

/// A ping without a body.
pub const PING: Bytes = Bytes::from_static(&[0x89, 0x00]);

/// Returns a message as one unmasked binary frame.
#[must_use]
pub fn frame(message: &[u8]) -> Bytes {
    framed(0x82, message)
}

/// Returns the answer to a ping.
#[must_use]
pub(crate) fn pong(body: &[u8]) -> Bytes {
    framed(0x8a, body)
}

/// Returns a close frame.
#[must_use]
pub(crate) fn close_frame(code: u16, reason: &str) -> Bytes {
    let mut body = code.to_be_bytes().to_vec();
    body.extend(reason.as_bytes());
    framed(0x88, &body)
}

/// Returns an unmasked frame. `first` holds the opcode and the bit of the last frame of a message.
pub(super) fn framed(first: u8, payload: &[u8]) -> Bytes {
    let mut out = BytesMut::with_capacity(payload.len() + 10);
    out.put_u8(first);
    match payload.len() {
        short @ 0..=125 => out.put_u8(u8::try_from(short).unwrap_or(0)),
        middle @ 126..=0xffff => {
            out.put_u8(126);
            out.put_u16(u16::try_from(middle).unwrap_or(0));
        }
        long => {
            out.put_u8(127);
            out.put_u64(u64::try_from(long).unwrap_or(0));
        }
    }
    out.put_slice(payload);
    out.freeze()
}

/// The close code and the reason of a frame that ends its socket.
#[derive(Debug, PartialEq, Eq)]
pub struct Violation {
    pub code: CloseCode,
    pub why: &'static str,
}

impl Violation {
    /// Makes a violation.
    pub(crate) const fn new(code: CloseCode, why: &'static str) -> Self {
        Self { code, why }
    }
}

const fn broken(why: &'static str) -> Violation {
    Violation::new(CloseCode::Protocol, why)
}

/// Largest frame and largest message of a socket, in bytes, and whether the socket accepts text.
#[derive(Clone, Copy)]
pub(crate) struct Bounds {
    frame: usize,
    message: usize,
    has_text: bool,
}

impl Bounds {
    /// The bounds of a signed-in socket.
    pub(crate) const USER: Self =
        Self { frame: FRAME_BYTES_MAX, message: MESSAGE_BYTES_MAX, has_text: false };
    /// The bounds of a guest's socket.
    pub(crate) const GUEST: Self =
        Self { frame: GUEST_MESSAGE_BYTES_MAX, message: GUEST_MESSAGE_BYTES_MAX, has_text: false };
    /// The bounds of the echo server of the tests.
    #[cfg(test)]
    pub(crate) const ECHO: Self = Self { frame: 16 << 20, message: 16 << 20, has_text: true };
}

/// The header of a frame of a client.
struct Header {
    opcode: OpCode,
    is_last: bool,
    mask: [u8; 4],
    /// Bytes of the payload.
    length: usize,
    /// Bytes of the header itself.
    size: usize,
}

impl Header {
    fn is_control(&self) -> bool {
        matches!(self.opcode, OpCode::Close | OpCode::Ping | OpCode::Pong)
    }

    /// Decodes a header; None while it is incomplete.
    fn read(bytes: &[u8], bounds: Bounds) -> Result<Option<Self>, Violation> {
        let [first, second, rest @ ..] = bytes else { return Ok(None) };
        if first & 0x70 != 0 {
            return Err(broken("a reserved bit"));
        }
        let opcode = OpCode::from(first & 0x0f);
        if opcode == OpCode::Bad {
            return Err(broken("an unknown opcode"));
        }
        if second & 0x80 == 0 {
            return Err(broken("an unmasked frame"));
        }
        let (extended, shortest) = match second & 0x7f {
            126 => (2, 126),
            127 => (8, 0x1_0000),
            _ => (0, 0),
        };
        let Some((number, rest)) = rest.split_at_checked(extended) else { return Ok(None) };
        let length = match extended {
            0 => u64::from(second & 0x7f),
            _ => number.iter().fold(0, |length, byte| (length << 8) | u64::from(*byte)),
        };
        if length < shortest {
            return Err(broken("a length that is longer than it needs to be"));
        }
        let length = usize::try_from(length).ok().filter(|length| *length <= bounds.frame);
        let Some(length) = length else { return Err(Violation::new(CloseCode::Size, "too large")) };
        let Some(mask) = rest.first_chunk() else { return Ok(None) };
        let size = 2 + extended + 4;
        let header = Self { opcode, is_last: first & 0x80 != 0, mask: *mask, length, size };
        if header.is_control() && (!header.is_last || length > CONTROL_FRAME_BYTES_MAX) {
            return Err(broken("a control frame that is too long or in pieces"));
        }
        Ok(Some(header))
    }
}

/// Removes a mask. Returns the mask for the bytes that follow.
fn unmask(bytes: &mut [u8], mask: [u8; 4]) -> [u8; 4] {
    let mut words = bytes.chunks_exact_mut(4);
    for word in &mut words {
        for (byte, mask) in word.iter_mut().zip(mask) {
            *byte ^= mask;
        }
    }
    let rest = words.into_remainder();
    for (byte, mask) in rest.iter_mut().zip(mask) {
        *byte ^= mask;
    }
    let mut next = mask;
    next.rotate_left(rest.len());
    next
}

/// The result of decoding the received bytes.
#[derive(Debug)]
pub(crate) enum Step<D> {
    /// A whole message, a control frame, or [`Message::Nop`] for a fragment.
    Message(Message),
    /// The frame is incomplete.
    More,
    /// The cost of the frame exceeds what the byte rate allows now.
    Unpaid(D),
}

/// Decodes the frames of one socket. Payloads of messages are unmasked and joined as they arrive. The caller keeps
/// the bytes of an incomplete header or control frame.
#[derive(Default)]
pub(crate) struct Decoder {
    message: BytesMut,
    /// Whether the message is text.
    is_text: bool,
    /// Whether a fragmented message is incomplete.
    is_joining: bool,
    frame: Option<Payload>,
}

/// The payload of a frame of which only a part has arrived.
struct Payload {
    mask: [u8; 4],
    left: usize,
    is_last: bool,
}

impl Decoder {
    /// Decodes at most one frame and advances `bytes` past it. `pay` is called with the cost of a frame before the
    /// frame is handled.
    ///
    /// # Errors
    /// A [`Violation`]. The caller closes the connection and reads nothing more from it.
    pub(crate) fn step<D>(
        &mut self,
        bytes: &mut &[u8],
        bounds: Bounds,
        pay: impl FnOnce(usize) -> Result<(), D>,
    ) -> Result<Step<D>, Violation> {
        if self.frame.is_none() {
            let Some(header) = Header::read(bytes, bounds)? else { return Ok(Step::More) };
            if header.is_control() && bytes.len() < header.size + header.length {
                return Ok(Step::More);
            }
            self.check(&header, bounds)?;
            if let Err(debt) = pay(FRAME_PRICE_BYTES + header.length) {
                return Ok(Step::Unpaid(debt));
            }
            bytes.advance(header.size);
            if header.is_control() {
                return control(&header, bytes).map(Step::Message);
            }
            if !self.is_joining {
                self.is_text = header.opcode == OpCode::Text;
            }
            self.is_joining = true;
            self.frame = Some(Payload { mask: header.mask, left: header.length, is_last: header.is_last });
        }
        self.payload(bytes)
    }

    /// Checks that this frame may come now.
    fn check(&self, header: &Header, bounds: Bounds) -> Result<(), Violation> {
        match header.opcode {
            OpCode::Text if !bounds.has_text => {
                Err(Violation::new(CloseCode::Unsupported, "binary messages only"))
            }
            OpCode::Text | OpCode::Binary if self.is_joining => Err(broken("a message within a message")),
            OpCode::Continue if !self.is_joining => Err(broken("a continuation of nothing")),
            OpCode::Continue if self.message.len() + header.length > bounds.message => {
                Err(Violation::new(CloseCode::Size, "too large"))
            }
            _ => Ok(()),
        }
    }

    /// Takes the received part of the payload.
    fn payload<D>(&mut self, bytes: &mut &[u8]) -> Result<Step<D>, Violation> {
        let Some(frame) = &mut self.frame else { return Ok(Step::More) };
        let here = frame.left.min(bytes.len());
        let before = self.message.len();
        self.message.extend_from_slice(&bytes[..here]);
        frame.mask = unmask(&mut self.message[before..], frame.mask);
        frame.left -= here;
        bytes.advance(here);
        if frame.left > 0 {
            return Ok(Step::More);
        }
        let is_last = frame.is_last;
        self.frame = None;
        if !is_last {
            return Ok(Step::Message(Message::Nop));
        }
        self.is_joining = false;
        let message = std::mem::take(&mut self.message).freeze();
        if !self.is_text {
            return Ok(Step::Message(Message::Binary(message)));
        }
        match message.try_into() {
            Ok(text) => Ok(Step::Message(Message::Text(text))),
            Err(_) => Err(Violation::new(CloseCode::Invalid, "text that is not UTF-8")),
        }
    }
}

/// Decodes a control frame whose payload has arrived whole.
fn control(header: &Header, bytes: &mut &[u8]) -> Result<Message, Violation> {
    let mut body = [0; CONTROL_FRAME_BYTES_MAX];
    let body = &mut body[..header.length];
    bytes.copy_to_slice(body);
    unmask(body, header.mask);
    match header.opcode {
        OpCode::Ping => Ok(Message::Ping(Bytes::copy_from_slice(body))),
        OpCode::Pong => Ok(Message::Pong(Bytes::new())),
        _ => close_reason(body).map(Message::Close),
    }
}

/// Reads the body of a close frame.
fn close_reason(body: &[u8]) -> Result<Option<CloseReason>, Violation> {
    if body.is_empty() {
        return Ok(None);
    }
    let Some((code, reason)) = body.split_first_chunk() else { return Err(broken("half a close code")) };
    let code = u16::from_be_bytes(*code);
    // The codes that a peer may send (RFC 6455, 7.4, and the registry of close codes).
    if !matches!(code, 1000..=1003 | 1007..=1014 | 3000..=4999) {
        return Err(broken("a close code that nobody may send"));
    }
    if std::str::from_utf8(reason).is_err() {
        return Err(broken("a close reason that is no text"));
    }
    Ok(Some(CloseReason { code: code.into(), description: None }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MASK: [u8; 4] = [0x12, 0xa4, 0x07, 0xff];

    fn header(first: u8, length: u64) -> Vec<u8> {
        let mut out = vec![first];
        match length {
            0..=125 => out.push(0x80 | u8::try_from(length).unwrap()),
            126..=0xffff => {
                out.push(0x80 | 126);
                out.extend(u16::try_from(length).unwrap().to_be_bytes());
            }
            _ => {
                out.push(0x80 | 127);
                out.extend(length.to_be_bytes());
            }
        }
        out.extend(MASK);
        out
    }

    fn client(first: u8, payload: &[u8]) -> Vec<u8> {
        let mut out = header(first, payload.len() as u64);
        out.extend(payload.iter().zip(MASK.iter().cycle()).map(|(byte, mask)| byte ^ mask));
        out
    }

    /// Decodes bytes in pieces of `cut` bytes. Returns the messages, and the violation that ended the decoding.
    fn read(bytes: &[u8], cut: usize) -> (Vec<Message>, Option<Violation>) {
        let mut decoder = Decoder::default();
        let (mut messages, mut unread) = (Vec::new(), Vec::new());
        for chunk in bytes.chunks(cut) {
            unread.extend_from_slice(chunk);
            let mut left = &unread[..];
            loop {
                match decoder.step(&mut left, Bounds::USER, |_| Ok::<(), ()>(())) {
                    Ok(Step::Message(message)) => messages.push(message),
                    Ok(Step::More) => break,
                    Ok(Step::Unpaid(())) => unreachable!("everything is paid for"),
                    Err(violation) => return (messages, Some(violation)),
                }
            }
            assert!(left.len() < 14 + CONTROL_FRAME_BYTES_MAX, "only a header or a control frame is kept");
            unread = left.to_vec();
        }
        (messages, None)
    }

    fn ends(bytes: &[u8]) -> Option<u16> {
        let codes: Vec<Option<u16>> =
            [1, 3, bytes.len()].map(|cut| read(bytes, cut).1.map(|violation| violation.code.into())).to_vec();
        assert!(codes.iter().all(|code| *code == codes[0]), "however it is cut: {codes:?}");
        codes[0]
    }

    #[test]
    fn frames_carry_their_length_as_the_rfc_says() {
        assert_eq!(frame(&[7])[..], [0x82, 1, 7]);
        assert_eq!(frame(&[0; 126])[..4], [0x82, 126, 0, 126]);
        assert_eq!(frame(&[0; 65_536])[..10], [0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0]);
    }

    #[test]
    fn w4_a_frame_above_the_limit_is_refused_by_its_header_in_pieces_of_any_size() {
        for length in [FRAME_BYTES_MAX as u64 + 1, 2 << 30, u64::MAX] {
            for first in [0x82, 0x80, 0x89] {
                assert_eq!(ends(&header(first, length)), Some(1009));
            }
        }
    }

    #[test]
    fn w4_frames_up_to_the_limit_pass_in_pieces_of_any_size() {
        let mut bytes = Vec::new();
        let mut payloads = Vec::new();
        for length in [0, 1, 2, 3, 125, 126, 1_000, 65_535, 65_536, FRAME_BYTES_MAX] {
            let payload: Vec<u8> = (0..length).map(|at| at.to_le_bytes()[0]).collect();
            bytes.extend(client(0x82, &payload));
            payloads.push(Message::Binary(payload.into()));
        }
        for cut in [1, 2, 3, 7, 1_000, bytes.len()] {
            let (messages, violation) = read(&bytes, cut);
            assert!(messages == payloads && violation.is_none(), "cut every {cut}");
        }
    }

    #[test]
    fn w4_fragments_are_joined_even_with_control_frames_between() {
        let bytes = [
            client(0x02, b"he"),
            client(0x89, b"there?"),
            client(0x00, b""),
            client(0x8a, b"x"),
            client(0x80, b"llo"),
            client(0x82, b""),
        ]
        .concat();
        for cut in 1..bytes.len() {
            let (messages, violation) = read(&bytes, cut);
            assert_eq!(violation, None);
            assert_eq!(
                messages,
                [
                    Message::Nop,
                    Message::Ping(Bytes::from_static(b"there?")),
                    Message::Nop,
                    Message::Pong(Bytes::new()),
                    Message::Binary(Bytes::from_static(b"hello")),
                    Message::Binary(Bytes::new()),
                ]
            );
        }
    }

    #[test]
    fn w4_a_joined_message_has_a_limit_of_its_own() {
        let part = vec![0; MESSAGE_BYTES_MAX / 2];
        let mut bytes = [client(0x02, &part), client(0x80, &part)].concat();
        assert_eq!(ends(&bytes), None);
        bytes = [client(0x02, &part), client(0x00, &part), header(0x80, 1)].concat();
        assert_eq!(ends(&bytes), Some(1009), "by the header");
    }

    #[test]
    fn lv5_a_violation_of_the_rfc_is_a_protocol_error() {
        let unmasked = vec![0x82, 1, 7];
        for (what, bytes) in [
            ("unmasked", unmasked),
            ("rsv1", client(0xc2, b"")),
            ("rsv2", client(0xa2, b"")),
            ("rsv3", client(0x92, b"")),
            ("opcode 3", client(0x83, b"")),
            ("opcode 11", client(0x8b, b"")),
            ("a length of 2 bytes that fits into 7 bits", vec![0x82, 0x80 | 126, 0, 125]),
            ("a length of 8 bytes that fits into 2", vec![0x82, 0x80 | 127, 0, 0, 0, 0, 0, 0, 0xff, 0xff]),
            ("a long ping", client(0x89, &[0; 126])),
            ("a ping in pieces", client(0x09, b"")),
            ("a close in pieces", client(0x08, b"")),
            ("a continuation of nothing", client(0x80, b"")),
            ("a message within a message", [client(0x02, b""), client(0x82, b"")].concat()),
            ("half a close code", client(0x88, &[3])),
            ("a reason that is no text", client(0x88, &[3, 0xe8, 0xff])),
        ] {
            assert_eq!(ends(&bytes), Some(1002), "{what}");
        }
        assert_eq!(ends(&client(0x81, b"hi")), Some(1003));
        assert_eq!(ends(&client(0x01, b"\xff")), Some(1003));
    }

    #[test]
    fn lv5_only_close_codes_that_a_peer_may_send_are_accepted() {
        for code in [0_u16, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535] {
            assert_eq!(ends(&client(0x88, &code.to_be_bytes())), Some(1002), "{code}");
        }
        for code in [1000_u16, 1001, 1002, 1003, 1007, 1011, 1012, 1014, 3000, 3999, 4000, 4999] {
            let (messages, violation) =
                read(&client(0x88, &[&code.to_be_bytes()[..], "zoë".as_bytes()].concat()), 1);
            assert_eq!(violation, None);
            assert_eq!(
                messages,
                [Message::Close(Some(CloseReason { code: code.into(), description: None }))]
            );
        }
        assert_eq!(read(&client(0x88, b""), 1).0, [Message::Close(None)]);
    }

    #[test]
    fn lv12_a_frame_above_the_byte_rate_is_not_read() {
        let bytes = client(0x82, b"abc");
        let mut decoder = Decoder::default();
        let mut left = &bytes[..];
        let step = decoder.step(&mut left, Bounds::USER, Err).unwrap();
        assert!(matches!(step, Step::Unpaid(price) if price == FRAME_PRICE_BYTES + 3));
        assert_eq!(left.len(), bytes.len());
        let step = decoder.step(&mut left, Bounds::USER, |_| Ok::<(), ()>(())).unwrap();
        assert!(matches!(step, Step::Message(Message::Binary(body)) if body[..] == b"abc"[..]));
    }

    #[test]
    fn an_idle_decoder_holds_no_buffer() {
        let bytes = client(0x82, &[7; 1_000]);
        let mut decoder = Decoder::default();
        let mut left = &bytes[..];
        assert!(decoder.step(&mut left, Bounds::USER, |_| Ok::<(), ()>(())).is_ok());
        assert_eq!(decoder.message.capacity(), 0);
    }

    #[test]
    fn lv6_almost_valid_frames_mean_the_same_in_one_piece_and_in_many() {
        let joined =
            [client(0x02, b"one"), client(0x89, b"hm"), client(0x00, b" two"), client(0x80, b"")].concat();
        let mut inputs = vec![
            joined,
            client(0x82, &[7; 300]),
            client(0x88, &[3, 232, b'b', b'y', b'e']),
            client(0x8a, b"x"),
        ];
        inputs.push(inputs.concat());
        crate::testing::fuzz::bytes(&inputs, |bytes| {
            let (messages, violation) = read(bytes, bytes.len().max(1));
            let shown = format!("{messages:?} {violation:?}");
            for cut in [1, 5] {
                let (messages, violation) = read(bytes, cut);
                assert_eq!(format!("{messages:?} {violation:?}"), shown, "in pieces of {cut}");
            }
            for message in messages {
                if let Message::Binary(body) = message {
                    assert!(body.len() <= MESSAGE_BYTES_MAX);
                    let again = read(&client(0x82, &body), usize::MAX).0;
                    assert!(matches!(&again[..], [Message::Binary(same)] if *same == body));
                }
            }
        });
    }
}

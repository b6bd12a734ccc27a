//! Limits of a frame, a message, and the incoming bytes of a connection.

use super::GUEST_REQUESTS_MAX;

/// Largest WebSocket frame that is read, in bytes. A larger one is refused by its header, and the socket is closed with
/// 1009.
///
/// A chunk of an upload is 64 KiB. Twice as much leaves room for its envelope.
pub const FRAME_BYTES_MAX: usize = 128 * 1024;

/// Largest message that is joined from fragments, in bytes. A larger one closes the socket with 1009. Chromium splits
/// messages above about 128 KiB.
pub const MESSAGE_BYTES_MAX: usize = 256 * 1024;

/// Largest frame and largest message of a guest, in bytes. A larger one closes the socket with 1009. A sign-up form is
/// far smaller.
pub const GUEST_MESSAGE_BYTES_MAX: usize = 4 * 1024;

/// Largest payload of a control frame, in bytes (RFC 6455, 5.5). A larger one closes the socket with 1002.
pub const CONTROL_FRAME_BYTES_MAX: usize = 125;

/// Read buffer of one worker thread, in bytes. One read takes at most this much from a socket: about one chunk of an
/// upload.
pub const READ_BUFFER_BYTES: usize = 64 * 1024;

/// Most bytes that one read takes from the socket of a guest: four of its largest messages.
pub const GUEST_READ_BYTES_MAX: usize = 4 * GUEST_MESSAGE_BYTES_MAX;

/// Cost of a frame besides its own bytes, in bytes. It stands for the processor time of an empty frame, at a rate where
/// [`SOCKET_BYTES_PER_SECOND`] takes a few hundredths of a processor.
pub const FRAME_PRICE_BYTES: usize = 8 * 1024;

/// Cost of one read, in bytes. Without it, a frame that arrives byte by byte would cost no more than one that arrives
/// whole.
pub const READ_PRICE_BYTES: usize = 1024;

/// Bytes, with the costs above, that a signed-in connection may send per second. A connection that sent more is not
/// read for [`PAUSE_MS_MIN`]. The limit allows 8,000 empty frames, or 900 chunks of an upload: four times the setting
/// `chunks_per_second`.
pub const SOCKET_BYTES_PER_SECOND: u32 = 64 * 1024 * 1024;
/// Bytes, with the costs above, that a signed-in connection may send at once. It is more than the 800 chunks and the
/// 120 requests that may come at once.
pub const SOCKET_BURST_BYTES: u32 = 64 * 1024 * 1024;
/// Bytes, with the costs above, that a guest may send per second: 32 frames.
pub const GUEST_BYTES_PER_SECOND: u32 = 256 * 1024;
/// Bytes, with the costs above, that a guest may send at once: about four times the cost of its [`GUEST_REQUESTS_MAX`]
/// largest messages.
pub const GUEST_BURST_BYTES: u32 = 1024 * 1024;
/// Shortest time for which a socket that used up its bytes is not read, in milliseconds.
pub const PAUSE_MS_MIN: u64 = 50;
/// Pauses in reading from a guest before the connection is closed with 1008. They are two seconds of a flood; the web
/// client causes none.
pub const GUEST_PAUSES_MAX: u32 = 40;

const _: () = assert!(
    GUEST_BURST_BYTES as usize
        > GUEST_REQUESTS_MAX as usize * (GUEST_MESSAGE_BYTES_MAX + FRAME_PRICE_BYTES + READ_PRICE_BYTES)
);
const _: () = assert!(MESSAGE_BYTES_MAX + FRAME_PRICE_BYTES < SOCKET_BURST_BYTES as usize);
const _: () = assert!(GUEST_MESSAGE_BYTES_MAX + FRAME_PRICE_BYTES < GUEST_BURST_BYTES as usize);

/// Deepest nesting of a message. The protocol needs four.
pub const FRAME_DEPTH_MAX: usize = 16;

/// Most values (map keys included) in one message.
pub const FRAME_ELEMENTS_MAX: usize = 4_096;

/// Longest string in a message, in bytes: a post's 2,000 characters of four bytes, twice.
pub const FRAME_STRING_BYTES_MAX: usize = 16 * 1024;

/// Malformed messages before the socket is closed.
pub const STRIKES_MAX: u32 = 3;

//! Limits of connections: sockets, the event log and HTTP.

// ---- sockets ----

/// Pause between heartbeats, in milliseconds. Proxies cut sockets that are idle for 60 s.
pub const BEAT_MS: u64 = 25_000;

/// Interval at which a dispatcher checks its connections, in milliseconds.
pub const TICK_MS: u64 = 1_000;

/// Silence after which a peer counts as gone, in milliseconds: a little more than two heartbeats.
pub const SILENCE_MS_MAX: u64 = 60_000;

/// How long frames may wait for a peer that takes none, in milliseconds.
pub const STALL_MS_MAX: u64 = 20_000;

/// Most bytes in the send queue of a connection, not counting replies. A connection with more is cut, and its client
/// catches up later.
pub const SEND_QUEUE_BYTES_MAX: usize = 1024 * 1024;

/// Most bytes of replies in the send queue of a connection.
///
/// Five of the largest pages fit, with some room. While more than [`SEND_QUEUE_BYTES_MAX`] is queued in all, no request
/// begins.
pub const SEND_QUEUE_REPLY_BYTES_MAX: usize = 4 * 1024 * 1024;

/// The number of ordinary requests that a page of posts counts for in [`IN_FLIGHT_MAX`].
pub const PAGE_WEIGHT: u32 = 6;

/// Most frames in the send queue of a connection.
///
/// The limits of frames and of bytes hold together, so a peer that reads nothing reaches one of them.
pub const SEND_QUEUE_FRAMES_MAX: usize = 256;

/// Missed events that are replayed to a connection. A client that missed more reads everything on screen again.
pub const REPLAY_MAX: usize = 128;

const _: () = assert!(TURN_EVENTS_MAX + REPLAY_MAX + IN_FLIGHT_MAX as usize <= SEND_QUEUE_FRAMES_MAX);

/// Most bytes that one write passes to the kernel. A larger frame is written alone.
pub const WRITE_BYTES_MAX: usize = 64 * 1024;
/// Most frames that one write passes to the kernel.
pub const WRITE_FRAMES_MAX: usize = 64;
/// Queued frames above which a connection is not read. A peer that reads nothing then cannot send more requests. The
/// limit in bytes is [`SEND_QUEUE_BYTES_MAX`].
pub const CROWDED_FRAMES: usize = IN_FLIGHT_MAX as usize;

/// Send buffer of a connection in the kernel, in bytes. By default the buffer of a stalled peer grows to 4 MB. The
/// kernel accepts more bytes only once a third of the buffer is free. At this size even a slow peer (1 KB/s) frees a
/// third within [`STALL_MS_MAX`].
pub const SEND_BUFFER_BYTES: usize = 32 * 1024;

/// Time after which the kernel cuts a socket whose bytes are not acknowledged, in milliseconds.
pub const TCP_USER_TIMEOUT_MS: u64 = 30_000;

/// Time after which an idle connection of a guest is closed, in milliseconds.
pub const GUEST_IDLE_MS_MAX: u64 = 120_000;

/// Requests that a guest may send on one socket.
pub const GUEST_REQUESTS_MAX: u32 = 20;

/// Requests of one socket that may be unanswered at a time. At this limit the socket is not read, and the next request
/// waits undecoded.
pub const IN_FLIGHT_MAX: u32 = 32;

/// How often a read is run again because a right was lost meanwhile. After that it is answered `busy`.
pub const READS_AGAIN_MAX: u32 = 3;

/// Requests that the rate limit refuses before the connection is closed. A request that it accepts takes one back.
pub const RATE_STRIKES_MAX: u32 = 240;

/// Posts that a connection may subscribe to. One more ends the oldest subscription. The web client keeps as many posts.
pub const POST_TOPICS_MAX: usize = 320;

/// Profiles that a connection may subscribe to. One more ends the oldest subscription.
pub const PROFILE_TOPICS_MAX: usize = 16;

/// Polls that a connection may subscribe to. One more ends the oldest subscription.
pub const POLL_TOPICS_MAX: usize = 100;

/// Pause between two counts of one topic at one dispatcher, in milliseconds (four a second).
pub const COUNT_PAUSE_MS: u64 = 250;

/// Pause between two tallies of one poll at one dispatcher, in milliseconds (two a second, D-F4).
pub const TALLY_PAUSE_MS: u64 = 500;

const _: () = assert!(COUNT_PAUSE_MS <= TALLY_PAUSE_MS);

/// Sockets of the whole server. A setting (`sockets_max`); 0 = as many as the system allows.
pub const SOCKETS_MAX: u64 = 12_000;
/// Sockets of one login. A setting; 0 = off.
pub const SOCKETS_PER_LOGIN: u64 = 10;
/// Sockets from one network address. A setting; 0 = off.
pub const SOCKETS_PER_ADDRESS: u64 = 50;

/// Ticks of the dispatcher within which a peer must answer a close frame, before the connection is cut.
pub const CLOSE_TICKS_MAX: u64 = 1;

/// Time that a stopping server has to close its connections, in milliseconds.
pub const CLOSE_MS_MAX: u64 = 2_000;

/// Time within which a worker must begin to close its connections when the server stops, in milliseconds. The server
/// does not wait for a worker that takes longer, because it is stuck.
pub const CLOSE_WORKER_MS_MAX: u64 = 1_000;

/// Shortest time over which clients come back after a stop, in milliseconds.
pub const BACK_MS_MIN: u64 = 1_000;
/// Time for each socket that comes back after a stop, in microseconds. A new socket costs about half of it, so that one
/// core keeps up.
pub const BACK_US_PER_SOCKET: u64 = 300;

/// Returns the time over which this many clients come back after a stop, in milliseconds.
#[must_use]
pub fn back_ms(sockets: u64) -> u64 {
    (sockets.saturating_mul(BACK_US_PER_SOCKET) / 1_000).max(BACK_MS_MIN)
}

// ---- the event log ----

/// Events kept in memory for clients that reconnect.
pub const LOG_EVENTS_MAX: usize = 16_384;
/// Bytes of events kept in memory for clients that reconnect.
pub const LOG_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Kinds of events whose frames are counted.
pub const EVENT_KINDS_MAX: usize = 64;
/// Events that a dispatcher reads from the log in one turn, before it writes them.
pub const TURN_EVENTS_MAX: usize = 96;
/// Connections that a dispatcher writes to in one turn, before it lets other work of its thread run. At some 7 µs each
/// (docs/performance.md), the writes of a turn take a millisecond.
pub const TURN_SOCKETS_MAX: usize = 128;

// ---- HTTP ----

/// Largest body of a request over HTTP, in bytes.
pub const HTTP_BODY_BYTES_MAX: usize = 4 * 1024;
/// Largest head of a request over HTTP, in bytes of names and values.
pub const HTTP_HEAD_BYTES_MAX: usize = 16 * 1024;
/// Time that a client has to send the body of a request, in milliseconds.
pub const HTTP_BODY_MS_MAX: u64 = 5_000;
/// How long the result of `/readyz` is cached, in milliseconds.
pub const READY_MS: i64 = 1_000;
/// Descriptors that are kept for files when the number of connections is computed: open uploads, files that are sent,
/// the database.
pub const DESCRIPTORS_KEPT: u64 = 256;

/// Share of the connections that is kept for HTTP, as a divisor: an eighth.
pub const HTTP_CONNECTIONS_SHARE: u64 = 8;
/// How long the client of an HTTP connection may read nothing of an answer, in milliseconds. The kernel then cuts the
/// connection.
pub const HTTP_STALL_MS_MAX: u64 = 10_000;
/// Bytes of an answer that the HTTP server takes at a time. While more remain, the answer counts in
/// [`HTTP_CONNECTIONS_PER_ADDRESS`].
pub const HTTP_PIECE_BYTES: usize = 16 * 1024;
/// Connections of one network address that are not sockets, and also its requests that are being answered. A setting; 0
/// = off. A browser opens six connections, so about forty browsers at one address have room.
pub const HTTP_CONNECTIONS_PER_ADDRESS: u64 = 256;
/// Requests over HTTP of one network address per minute, sockets included. A setting; 0 = off. A first visit is about
/// 250: the page, its pictures, and the files that the service worker keeps. A hundred people of one school may thus
/// come in one minute.
pub const HTTP_REQUESTS_PER_MINUTE: u64 = 30_000;
/// Time that a client has to send the head of a request, in milliseconds.
pub const HTTP_HEAD_MS_MAX: u64 = 5_000;
/// Time that an HTTP connection may take to end, in milliseconds.
pub const HTTP_DISCONNECT_MS_MAX: u64 = 1_000;
/// Connections that the kernel may hold before the server accepts them.
pub const BACKLOG: u32 = 4_096;

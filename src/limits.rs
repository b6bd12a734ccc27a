//! Every number that bounds something: its unit, what zero means, where it comes from.
//!
//! What a host may change is a setting in `config.rs`; its default stands here too.

// ---- frames -------------------------------------------------------------------------------

/// Largest single WebSocket frame that is read, in bytes. Refused by its header, unread.
///
/// An upload chunk is 64 KiB; twice that leaves room for its envelope.
pub const FRAME_BYTES_MAX: usize = 128 * 1024;

/// Largest message joined from fragments, in bytes. Chromium splits messages from about 128 KiB.
pub const MESSAGE_BYTES_MAX: usize = 256 * 1024;

/// Largest message of a guest, in bytes. A sign-up form is far below it.
pub const GUEST_MESSAGE_BYTES_MAX: usize = 4 * 1024;

/// Deepest nesting of a message. Ours need four.
pub const FRAME_DEPTH_MAX: usize = 16;

/// Most values (map keys included) in one message.
pub const FRAME_ELEMENTS_MAX: usize = 4_096;

/// Longest string in a message, in bytes: a post's 2,000 characters of four bytes, twice.
pub const FRAME_STRING_BYTES_MAX: usize = 16 * 1024;

/// Malformed messages before the socket is closed.
pub const STRIKES_MAX: u32 = 3;

// ---- sockets ------------------------------------------------------------------------------

/// Pause between heartbeats, in milliseconds. Proxies cut idle sockets at 60 s.
pub const BEAT_MS: u64 = 25_000;

/// A hub looks after its sockets this often, in milliseconds.
pub const TICK_MS: u64 = 1_000;

/// Silence after which a peer counts as gone, in milliseconds: two heartbeats and a little.
pub const SILENCE_MS_MAX: u64 = 60_000;

/// How long frames may wait for a peer that takes none, in milliseconds.
pub const STALL_MS_MAX: u64 = 20_000;

/// Largest backlog of one socket, in bytes. Over it the socket is cut and catches up later.
pub const OUTBOX_BYTES_MAX: usize = 1024 * 1024;

/// Largest backlog of one socket when replies that it asked for are in it, in bytes.
///
/// Eight of the heaviest pages; while more than [`OUTBOX_BYTES_MAX`] waits nothing new is begun.
pub const OUTBOX_REPLY_BYTES_MAX: usize = 4 * 1024 * 1024;

/// How many ordinary requests a page of posts stands for among those in flight.
pub const PAGE_WEIGHT: u32 = 4;

/// Largest backlog of one socket, in frames.
///
/// Frames and bytes both count: a peer that takes nothing is noticed by whichever comes first.
pub const OUTBOX_FRAMES_MAX: usize = 256;

/// Events a hub hands out before it lets its sockets write, so that a burst cuts nobody who reads.
pub const HUB_TURN_MAX: usize = 96;

/// Missed events that are replayed to one socket; who missed more reads the screen again.
pub const REPLAY_MAX: usize = 128;

const _: () = assert!(HUB_TURN_MAX + REPLAY_MAX + IN_FLIGHT_MAX as usize <= OUTBOX_FRAMES_MAX);

/// Most bytes handed to the kernel in one write.
pub const WRITE_BYTES_MAX: usize = 64 * 1024;

/// Kernel send buffer of one socket, in bytes. Left alone it grows to 4 MB for a stalled peer.
pub const SEND_BUFFER_BYTES: usize = 128 * 1024;

/// Kernel gives up on unacknowledged bytes after this long, in milliseconds.
pub const TCP_USER_TIMEOUT_MS: u64 = 30_000;

/// A guest's socket with nothing to say is closed after this long, in milliseconds.
pub const GUEST_IDLE_MS_MAX: u64 = 120_000;

/// Requests a guest may send on one socket.
pub const GUEST_REQUESTS_MAX: u32 = 20;

/// Requests of one socket that may be unanswered at a time.
pub const IN_FLIGHT_MAX: u32 = 32;

/// Refusals for haste in a row before the socket is closed.
pub const HASTE_MAX: u32 = 240;

/// Posts one socket may listen to; the longest held goes first. The web store holds as many.
pub const POSTS_HEARD_MAX: usize = 320;

/// Profiles one socket may listen to.
pub const PROFILES_HEARD_MAX: usize = 16;

/// Pause between two counts of the same thing on one hub, in milliseconds (four a second).
pub const COUNT_PAUSE_MS: u64 = 250;

/// Sockets the whole server holds. A setting (`sockets_max`); 0 = as many as the system gives.
pub const SOCKETS_MAX: u64 = 12_000;
/// Sockets of one login. A setting; 0 = off.
pub const SOCKETS_PER_LOGIN: u64 = 10;
/// Sockets from one network address. A setting; 0 = off.
pub const SOCKETS_PER_ADDRESS: u64 = 50;

/// Time the server takes to say goodbye when it is asked to stop, in milliseconds.
pub const GOODBYE_MS_MAX: u64 = 2_000;

// ---- the ring of recent events ------------------------------------------------------------

/// Events kept in memory for those who come back.
pub const RING_EVENTS_MAX: usize = 16_384;
/// Bytes of frames kept in memory for those who come back.
pub const RING_BYTES_MAX: usize = 32 * 1024 * 1024;

// ---- the writer ---------------------------------------------------------------------------

/// Writes waiting for the writer. One more is answered `busy`.
pub const WRITER_QUEUE_MAX: usize = 1_024;
/// Bytes of writes waiting for the writer. More is answered `busy`.
pub const WRITER_QUEUE_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Writes committed together at most.
pub const WRITER_BATCH_MAX: usize = 256;
/// When to try again after `busy`, in milliseconds.
pub const BUSY_RETRY_MS: u64 = 500;
/// How long the answer to a key is remembered, in milliseconds (24 hours).
pub const KEY_LIFE_MS: i64 = 24 * 60 * 60 * 1000;
/// Bytes of a key.
pub const KEY_BYTES: usize = 16;
/// Read connections.
pub const READERS: u32 = 4;

// ---- what people write --------------------------------------------------------------------

/// Longest name, in characters (Unicode scalar values after trimming).
pub const NAME_CHARS_MAX: usize = 50;
/// Longest address of electronic mail, in characters (RFC 5321).
pub const EMAIL_CHARS_MAX: usize = 254;
/// Shortest password, in characters.
pub const PASSWORD_CHARS_MIN: usize = 10;
/// Longest password, in characters.
pub const PASSWORD_CHARS_MAX: usize = 128;
/// Longest title of a post, in characters.
pub const POST_TITLE_CHARS_MAX: usize = 100;
/// Longest text of a post, in characters: a thought, two phone screens.
pub const POST_TEXT_CHARS_MAX: usize = 2_000;
/// Longest tag, in characters.
pub const TAG_CHARS_MAX: usize = 30;
/// Longest comment, in characters.
pub const COMMENT_CHARS_MAX: usize = 500;
/// Longest comment as it travels, in bytes; a mention's token is longer than what people see.
pub const COMMENT_BYTES_MAX: usize = 4 * 1024;
/// Longest search term, in characters: a whole name.
pub const TERM_CHARS_MAX: usize = NAME_CHARS_MAX;
/// Most people one person may follow.
pub const FOLLOWS_MAX: i64 = 2_000;

const _: () = assert!(POST_TEXT_CHARS_MAX * 4 < FRAME_STRING_BYTES_MAX);
const _: () = assert!(FRAME_BYTES_MAX <= MESSAGE_BYTES_MAX);

// ---- what is shown ------------------------------------------------------------------------

/// Posts in one page of a feed.
pub const FEED_PAGE: usize = 30;
/// Reads made to fill one page when rows are left out.
pub const FEED_READS_MAX: usize = 5;
/// Comments that come with a post.
pub const COMMENTS_SHOWN: i64 = 2;
/// Comments in one page of a thread.
pub const COMMENTS_PAGE: usize = 50;
/// People in one page of followers.
pub const PEOPLE_PAGE: usize = 50;
/// People one search finds.
pub const SEARCH_RESULTS: i64 = 20;
/// Posts one `posts.refresh` may name.
///
/// A post with its two comments is at most 12.5 KB on the wire, so a page of them stays below 400 KB.
pub const REFRESH_MAX: usize = 30;
/// A post is left out of the untagged feed with more votes than this ...
pub const HIDING_VOTES_OVER: i64 = 5;
/// ... and a positive share below this many tenths.
pub const HIDING_TENTHS_BELOW: i64 = 6;

// ---- pace of people (all are settings, 0 = off) -------------------------------------------

/// Requests of one person per second, over all sockets. A setting.
pub const REQUESTS_PER_SECOND: u64 = 30;
/// How many seconds' worth of requests may come at once.
pub const REQUESTS_BURST: u64 = 4;
/// Posts of one person per day. A setting.
pub const POSTS_PER_DAY: u64 = 20;
/// Comments of one person per hour. A setting.
pub const COMMENTS_PER_HOUR: u64 = 60;
/// New follows of one person per day. A setting.
pub const FOLLOWS_PER_DAY: u64 = 100;
/// Votes of one person per minute. A setting.
pub const VOTES_PER_MINUTE: u64 = 120;
/// Searches of one person per minute. A setting.
pub const SEARCHES_PER_MINUTE: u64 = 30;
/// Log-in attempts per 15 minutes, per network address and per account. A setting.
pub const LOGINS_PER_QUARTER: u64 = 10;
/// Sign-ups per hour from one network address. A setting.
pub const SIGN_UPS_PER_HOUR: u64 = 20;
/// People and addresses whose pace is remembered; beyond it the idlest are forgotten.
pub const PACES_MAX: usize = 65_536;

// ---- passwords and logins -----------------------------------------------------------------

/// Memory of one password hash, in KiB (OWASP's second choice: 19 MiB, 2 passes). A setting for tests.
pub const PASSWORD_MEMORY_KIB: u64 = 19_456;
/// Passes of one password hash.
pub const PASSWORD_PASSES: u32 = 2;
/// Password checks waiting for the hashing thread; one more is answered `busy`.
pub const HASHES_WAITING_MAX: usize = 64;
/// Life of a ticket, in milliseconds.
pub const TICKET_LIFE_MS: i64 = 30_000;
/// Tickets alive at a time.
pub const TICKETS_MAX: usize = 10_000;
/// Logins of one person; one more ends the one that was idle longest.
pub const LOGINS_PER_USER: i64 = 50;
/// A login ends this long after it was last used, in milliseconds (30 days).
pub const LOGIN_IDLE_MS_MAX: i64 = 30 * 24 * 60 * 60 * 1000;
/// A login ends this long after it began, in milliseconds (180 days).
pub const LOGIN_LIFE_MS_MAX: i64 = 180 * 24 * 60 * 60 * 1000;
/// A use of a login is written down at most this often, in milliseconds (a day).
pub const LOGIN_TOUCH_MS: i64 = 24 * 60 * 60 * 1000;

// ---- HTTP ---------------------------------------------------------------------------------

/// Largest body of a request over HTTP, in bytes.
pub const HTTP_BODY_BYTES_MAX: usize = 4 * 1024;
/// Largest head of a request over HTTP, in bytes of names and values.
pub const HTTP_HEAD_BYTES_MAX: usize = 16 * 1024;
/// Time a client has to send its request's body, in milliseconds.
pub const HTTP_BODY_MS_MAX: u64 = 5_000;
/// How long an answer of `/readyz` serves everybody who asks, in milliseconds.
pub const READY_MS: i64 = 1_000;
/// Descriptors kept for files when connections are counted out.
pub const DESCRIPTORS_KEPT: u64 = 64;
/// Time a client has to send its request's head, in milliseconds.
pub const HTTP_HEAD_MS_MAX: u64 = 5_000;
/// Connections the kernel may hold before they are accepted.
pub const BACKLOG: u32 = 4_096;

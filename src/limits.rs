//! Limits: each with its unit, the meaning of zero, and the reason for its value.
//!
//! Limits that the host may change are settings in `settings.rs`; their defaults are here.

mod frames;

pub use frames::*;

// ---- sockets ------------------------------------------------------------------------------

/// Pause between heartbeats, in milliseconds. Proxies cut idle sockets at 60 s.
pub const BEAT_MS: u64 = 25_000;

/// Interval at which a dispatcher checks its connections, in milliseconds.
pub const TICK_MS: u64 = 1_000;

/// Silence after which a peer counts as gone, in milliseconds: a little more than two heartbeats.
pub const SILENCE_MS_MAX: u64 = 60_000;

/// How long frames may wait for a peer that takes none, in milliseconds.
pub const STALL_MS_MAX: u64 = 20_000;

/// Largest backlog of one socket, in bytes. Over it the socket is cut and catches up later.
pub const SEND_QUEUE_BYTES_MAX: usize = 1024 * 1024;

/// Largest backlog of a connection including replies, in bytes.
///
/// Five of the largest pages, with some room. While more than [`SEND_QUEUE_BYTES_MAX`] is queued, no request is
/// begun.
pub const SEND_QUEUE_REPLY_BYTES_MAX: usize = 4 * 1024 * 1024;

/// How many ordinary requests a page of posts stands for among those in flight.
pub const PAGE_WEIGHT: u32 = 6;

/// Largest backlog of a connection, in frames.
///
/// Both frames and bytes count; a peer that reads nothing reaches one of the limits.
pub const SEND_QUEUE_FRAMES_MAX: usize = 256;

/// Missed events that are replayed to a connection. A client that missed more reads the screen again.
pub const REPLAY_MAX: usize = 128;

const _: () = assert!(TURN_EVENTS_MAX + REPLAY_MAX + IN_FLIGHT_MAX as usize <= SEND_QUEUE_FRAMES_MAX);

/// Most bytes passed to the kernel in one write. A larger frame is written alone.
pub const WRITE_BYTES_MAX: usize = 64 * 1024;
/// Most frames handed to the kernel in one write.
pub const WRITE_FRAMES_MAX: usize = 64;
/// Queued frames of a connection above which it is not read, so that a peer that reads nothing sends no more
/// requests. The limit in bytes is [`SEND_QUEUE_BYTES_MAX`].
pub const CROWDED_FRAMES: usize = IN_FLIGHT_MAX as usize;

/// Kernel send buffer of a connection, in bytes. By default it grows to 4 MB for a stalled peer. The kernel accepts
/// more once a third is free, so that a slow peer (1 KB/s) is seen to read within [`STALL_MS_MAX`].
pub const SEND_BUFFER_BYTES: usize = 32 * 1024;

/// Kernel gives up on unacknowledged bytes after this long, in milliseconds.
pub const TCP_USER_TIMEOUT_MS: u64 = 30_000;

/// Time after which an idle connection of a guest is closed, in milliseconds.
pub const GUEST_IDLE_MS_MAX: u64 = 120_000;

/// Requests a guest may send on one socket.
pub const GUEST_REQUESTS_MAX: u32 = 20;

/// Requests of one socket that may be unanswered at a time. At this bound the socket is not read; the next
/// request waits undecoded.
pub const IN_FLIGHT_MAX: u32 = 32;

/// How often a read is run again that a loss of rights overtook; then it is answered `busy`.
pub const READS_AGAIN_MAX: u32 = 3;

/// Refusals by the rate limit in a row before the connection is closed.
pub const RATE_STRIKES_MAX: u32 = 240;

/// Posts that a connection may subscribe to; the oldest subscription is dropped. The web client keeps as many.
pub const POST_TOPICS_MAX: usize = 320;

/// Profiles one socket may listen to.
pub const PROFILE_TOPICS_MAX: usize = 16;

/// Pause between two counts of the same thing at one dispatcher, in milliseconds (four a second).
pub const COUNT_PAUSE_MS: u64 = 250;

/// Pause between two tallies of one poll at one dispatcher, in milliseconds (two a second, D-F4).
pub const TALLY_PAUSE_MS: u64 = 500;

const _: () = assert!(COUNT_PAUSE_MS <= TALLY_PAUSE_MS);

/// Sockets the whole server holds. A setting (`sockets_max`); 0 = as many as the system gives.
pub const SOCKETS_MAX: u64 = 12_000;
/// Sockets of one login. A setting; 0 = off.
pub const SOCKETS_PER_LOGIN: u64 = 10;
/// Sockets from one network address. A setting; 0 = off.
pub const SOCKETS_PER_ADDRESS: u64 = 50;

/// Ticks of the dispatcher within which a peer must answer a close frame, before the connection is cut.
pub const CLOSE_TICKS_MAX: u64 = 1;

/// Time the server takes to close its connections when it stops, in milliseconds.
pub const CLOSE_MS_MAX: u64 = 2_000;

/// Time within which a worker must begin to close its connections when the server stops, in milliseconds. A worker
/// that takes longer is stuck.
pub const CLOSE_WORKER_MS_MAX: u64 = 1_000;

// ---- the event log ------------------------------------------------------------------------

/// Events kept in memory for clients that reconnect.
pub const LOG_EVENTS_MAX: usize = 16_384;
/// Bytes of events kept in memory for clients that reconnect.
pub const LOG_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Events that a dispatcher delivers in one turn, before it writes and lets other work of its thread run.
pub const TURN_EVENTS_MAX: usize = 96;

// ---- the writer ---------------------------------------------------------------------------

/// Writes waiting for the writer. One more is answered `busy`.
pub const WRITER_QUEUE_MAX: usize = 1_024;
/// Bytes of writes waiting for the writer. More is answered `busy`.
pub const WRITER_QUEUE_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Pause after a secure erase before the database's pages are rewritten and its log is truncated again, in
/// milliseconds. Accounts deleted within it share one rewrite.
pub const SECURE_ERASE_AGAIN_MS: u64 = 1_000;
/// Largest database whose pages are rewritten, in bytes: about a second of the writer, and as much memory.
pub const SECURE_ERASE_BYTES_MAX: i64 = 64 * 1024 * 1024;
/// Writes committed together at most.
pub const WRITER_BATCH_MAX: usize = 256;
/// When to try again after `busy`, in milliseconds.
pub const BUSY_RETRY_MS: u64 = 500;
/// How long the answer to a key is remembered, in milliseconds (24 hours).
pub const KEY_LIFE_MS: i64 = 24 * 60 * 60 * 1000;
/// Bytes of a key.
pub const KEY_BYTES: usize = 16;
/// Reads waiting for a reader. One more is answered `busy`.
pub const READ_QUEUE_MAX: usize = 4_096;
/// Read connections.
pub const READERS: u32 = 4;

// ---- texts ----------------------------------------------------------------------------------

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
/// Longest comment as it is sent, in bytes. The token of a mention is longer than its visible text.
pub const COMMENT_BYTES_MAX: usize = 4 * 1024;
/// Longest text about oneself, in characters.
pub const BIO_CHARS_MAX: usize = 300;
/// Users that a comment may mention.
pub const MENTIONS_MAX: usize = 10;
/// Users that are offered while a mention is typed.
pub const MENTIONABLE_MAX: usize = 8;
/// Newest comments of a thread whose writers are offered.
pub const THREAD_PEOPLE_LOOKED_AT: i64 = 500;
/// Longest question of a poll, in characters.
pub const QUESTION_CHARS_MAX: usize = 140;
/// Longest option of a poll, in characters.
pub const OPTION_CHARS_MAX: usize = 40;
/// Most options of a poll.
pub const OPTIONS_MAX: usize = 4;
/// Fewest options of a poll.
pub const OPTIONS_MIN: usize = 2;
/// A poll is open this long, in milliseconds: seven days of 24 hours.
pub const POLL_LIFE_MS: i64 = 7 * 24 * 60 * 60 * 1000;
/// Longest name of a group, in characters.
pub const GROUP_NAME_CHARS_MAX: usize = 50;
/// Groups of one owner. A setting (D-G8).
pub const GROUPS_PER_OWNER: u64 = 50;
/// Members of one group, its owner included. A setting (D-G8).
pub const MEMBERS_PER_GROUP: u64 = 150;
/// Members of one group whatever the host sets: each change of them carries them all to the group's actor.
pub const MEMBERS_MAX: u64 = 1_000;
/// Groups of others that a user may be in, and groups that a user may own whatever the host sets. The feed reads each
/// of them. The two limits are separate, so that a user who was added to many groups can still make their own.
pub const GROUPS_JOINED_MAX: u64 = 200;
/// Users added to a group by one request.
pub const GROUP_ADD_MAX: usize = 150;
/// Changes of a user's groups and their members per hour. A setting.
pub const GROUP_CHANGES_PER_HOUR: u64 = 300;
/// Open polls of a user at a time.
pub const POLLS_OPEN_MAX: usize = 5;
/// Polls in one page.
pub const POLLS_PAGE: usize = 20;
/// Polls that a connection may subscribe to; the oldest subscription is dropped.
pub const POLL_TOPICS_MAX: usize = 100;
/// Moods of a user within 24 hours, whatever zone they name.
pub const MOODS_PER_DAY: i64 = 3;
/// The hour at which the morning ends, by the owner's clock.
pub const EVENING_HOUR: i8 = 15;
/// The period of [`MOODS_PER_DAY`], in milliseconds (24 hours).
pub const MOODS_DAY_MS: i64 = 24 * 60 * 60 * 1000;
/// That a mood was shared is remembered this long, in milliseconds (48 hours): by then it is at least the
/// day after wherever one may have travelled, or the other half of the day.
pub const MOOD_MARK_LIFE_MS: i64 = 48 * 60 * 60 * 1000;
/// Users in the list of moods: a reply as large as a few pages.
pub const MOODS_LISTED_MAX: i64 = 200;
/// Interval at which moods of past days are deleted, in milliseconds. They are not shown meanwhile.
pub const MOODS_SWEEP_MS: u64 = 60_000;
/// Longest search term, in characters: a whole name.
pub const TERM_CHARS_MAX: usize = NAME_CHARS_MAX;
/// Most users that a user may follow.
pub const FOLLOWS_MAX: i64 = 2_000;

const _: () = assert!(CONTROL_STOP_MS_MAX <= CLOSE_MS_MAX);
const _: () = assert!(4 * ACCOUNT_DELETE_EVENTS_MAX as usize + 4 * WRITER_BATCH_MAX < LOG_EVENTS_MAX);
const _: () = assert!(POST_TEXT_CHARS_MAX * 4 < FRAME_STRING_BYTES_MAX);
const _: () = assert!(FRAME_BYTES_MAX <= MESSAGE_BYTES_MAX);

// ---- the daily theme ----------------------------------------------------------------------

/// Longest title of a theme, in characters: as a post's.
pub const THEME_TITLE_CHARS_MAX: usize = POST_TITLE_CHARS_MAX;
/// Longest description of a theme, in characters: a card that one reads at a glance.
pub const THEME_DESCRIPTION_CHARS_MAX: usize = 500;
/// Most themes in a host's file: almost three years without a repetition.
pub const THEMES_MAX: usize = 1_000;
/// Largest file of a host's themes, in bytes.
pub const THEMES_FILE_BYTES_MAX: u64 = 1024 * 1024;
/// How many days ahead the host may set a theme.
pub const THEME_DAYS_AHEAD_MAX: i64 = 1_000;
/// Days that are shown at once at most: a year.
pub const THEME_DAYS_SHOWN_MAX: i64 = 366;
/// Days for which a theme that the host set is kept after its day.
pub const THEME_DAYS_KEPT: i64 = 30;
/// Interval at which a change of day is checked, in milliseconds: clocks are set, and machines sleep.
pub const THEME_CHECK_MS: u64 = 1_000;
/// Pause before another attempt to publish a day's theme, in milliseconds.
pub const THEME_AGAIN_MS: u64 = 10_000;

// ---- commands of the host -------------------------------------------------------------------

/// Largest request on the control socket, in bytes.
pub const CONTROL_BYTES_MAX: usize = 16 * 1024;
/// Largest answer on the control socket, in bytes: a year of themes.
pub const CONTROL_ANSWER_BYTES_MAX: usize = 2 * 1024 * 1024;
/// Requests on the control socket that are answered at a time; the next wait.
pub const CONTROL_OPEN_MAX: usize = 4;
/// Time a request on the control socket may take to be read, and its answer to be taken, in milliseconds.
pub const CONTROL_MS_MAX: u64 = 5_000;
/// Time a command that is being answered has when the server is asked to stop, in milliseconds.
pub const CONTROL_STOP_MS_MAX: u64 = 1_000;
/// How long a command waits for a server that is just starting or stopping, in milliseconds.
pub const CONTROL_RETRY_MS_MAX: u64 = 3_000;

// ---- uploads --------------------------------------------------------------------------------

/// Most pictures of one post.
pub const PICTURES_PER_POST: usize = 4;
/// Longest description of a picture, in characters.
pub const ALT_CHARS_MAX: usize = 300;
/// Longest file name that is kept, in characters; a longer one is cut.
pub const FILE_NAME_CHARS_MAX: usize = 60;
/// Bytes of one chunk of an upload.
pub const UPLOAD_CHUNK_BYTES: usize = 64 * 1024;
/// Chunks that may be on their way unacknowledged.
pub const UPLOAD_WINDOW: u32 = 4;
/// How many ordinary requests a chunk stands for among those in flight.
pub const CHUNK_WEIGHT: u32 = 4;
/// Open uploads of a user for one purpose.
pub const UPLOADS_OPEN_PER_USER: usize = PICTURES_PER_POST;
/// Uploads that may be open at a time in all: at most so many times ten megabytes of disk, and as
/// many descriptors.
pub const UPLOADS_OPEN_MAX: usize = 128;
/// Time after its beginning at which an upload is freed, in milliseconds (an hour): ten megabytes at three kilobytes
/// a second.
pub const UPLOAD_LIFE_MS_MAX: i64 = 60 * 60_000;
/// How often judging one upload may take too long before that is taken for its own fault.
pub const UPLOAD_RENDERS_LATE_MAX: u32 = 3;
/// Estimated disk space of both sizes of a picture, in bytes.
pub const RESULT_BYTES_LIKELY: u64 = 2 * 1024 * 1024;
/// Time after which an idle upload is freed, in milliseconds.
pub const UPLOAD_IDLE_MS_MAX: i64 = 10 * 60_000;
/// Time after which an idle upload is replaced by another of its user, in milliseconds. An active client sends chunks
/// more often; a client that was only slow sends its upload again.
pub const UPLOAD_YIELD_MS: i64 = 60_000;
/// Interval at which uploads are checked, in milliseconds.
pub const SWEEP_MS: u64 = 60_000;
/// Pause before a file that was in use is checked again, in milliseconds.
pub const SWEEP_AGAIN_MS: u64 = 1_000;
/// Interval at which the whole media folder is checked, in milliseconds (a day).
pub const FULL_SWEEP_MS: u64 = 24 * 60 * 60_000;
/// Pause before a failed check of the whole media folder is repeated, in milliseconds.
pub const FULL_SWEEP_RETRY_MS: u64 = 60 * 60_000;
/// Age below which a file without a row is kept, in milliseconds (an hour).
pub const ORPHAN_AGE_MS_MIN: i64 = 60 * 60_000;
/// Bytes of a stored file that are read at a time to be sent.
pub const MEDIA_PIECE_BYTES: usize = 64 * 1024;
/// Bytes of the token that a stored file's address carries.
pub const FILE_TOKEN_BYTES: usize = 16;

const _: () = assert!(UPLOAD_CHUNK_BYTES * 2 <= FRAME_BYTES_MAX);
const _: () = assert!(UPLOAD_WINDOW * CHUNK_WEIGHT <= IN_FLIGHT_MAX);

// ---- pages ----------------------------------------------------------------------------------

/// Posts in one page of a feed.
pub const FEED_PAGE: usize = 30;
/// Reads made to fill one page when rows are left out.
pub const FEED_READS_MAX: usize = 5;
/// Comments that are sent with a post.
pub const COMMENTS_SHOWN: i64 = 2;
/// Comments in one page of a thread.
pub const COMMENTS_PAGE: usize = 50;
/// Users in a page of followers, and of the list of people.
pub const PEOPLE_PAGE: usize = 50;
/// Users in the result of a search.
pub const SEARCH_RESULTS: i64 = 20;
/// Users among the close matches of a search.
pub const CLOSE_MATCHES: i64 = 20;
/// Notifications in one page.
pub const NOTIFICATIONS_PAGE: usize = 30;
/// Notifications kept for a user; the oldest is deleted.
pub const NOTIFICATIONS_MAX: i64 = 300;
/// Time for which a notification is kept, in milliseconds (90 days).
pub const NOTIFICATION_LIFE_MS: i64 = 90 * 24 * 60 * 60 * 1000;
/// Most expired rows that one transaction deletes. Each may have an event, and the event log must keep what clients
/// that reconnect need.
pub const PURGE_ROWS_MAX: i64 = 1_000;

const _: () = assert!(8 * PURGE_ROWS_MAX < LOG_EVENTS_MAX as i64);

/// Time within which following the same user again causes no notification, in milliseconds (24 hours).
pub const FOLLOW_NOTIFY_PAUSE_MS: i64 = 24 * 60 * 60 * 1000;
/// Longest preview of a post or comment in a notification, in characters.
pub const PREVIEW_CHARS_MAX: usize = 100;
/// Posts one `posts.refresh` may name.
///
/// A post with its two comments is at most 12.5 KB on the wire, its four pictures as much again, so a
/// page of them stays below 750 KB.
pub const REFRESH_MAX: usize = 30;
/// A post is left out of the untagged feed with more votes than this ...
pub const HIDING_VOTES_OVER: i64 = 5;
/// ... and a positive share below this many tenths.
pub const HIDING_TENTHS_BELOW: i64 = 6;

// ---- rate limits of users (settings, 0 = off) -------------------------------------------------

/// Requests of a user per second, over all connections. A setting.
pub const REQUESTS_PER_SECOND: u64 = 30;
/// Seconds whose requests may come at once.
pub const REQUESTS_BURST: u64 = 4;
/// Posts of a user per day. A setting.
pub const POSTS_PER_DAY: u64 = 20;
/// Edits of a user per hour. A setting.
///
/// Each is sent to every follower and stored for a day under its key.
pub const EDITS_PER_HOUR: u64 = 60;
/// Comments of a user per hour. A setting.
pub const COMMENTS_PER_HOUR: u64 = 60;
/// New follows of a user per day. A setting.
pub const FOLLOWS_PER_DAY: u64 = 100;
/// Votes of a user per minute. A setting.
pub const VOTES_PER_MINUTE: u64 = 120;
/// Searches of a user per minute, pages of the list of people included. A setting.
pub const SEARCHES_PER_MINUTE: u64 = 30;
/// Log-in attempts per 15 minutes, per network address and per account. A setting.
pub const LOGINS_PER_QUARTER: u64 = 10;
/// Sign-ups per hour from one network address. A setting.
pub const SIGN_UPS_PER_HOUR: u64 = 20;
/// Uploads of a user per day. A setting.
pub const UPLOADS_PER_DAY: u64 = 80;
/// Chunks of a user per second, over all connections; four times as many at once. A setting.
///
/// They count separately from other requests, so that uploads do not block reads.
pub const CHUNKS_PER_SECOND: u64 = 200;
/// MiB of uploads of a user per day. A setting.
pub const UPLOAD_MIB_PER_DAY: u64 = 100;
/// MiB of a user's pictures that are kept. A setting; 0 = no limit.
pub const MEDIA_MIB_PER_USER: u64 = 2_048;
/// Megabytes (MiB) of the disk that pictures leave free. A setting; 0 = they may fill it.
pub const DISK_FREE_MIB_MIN: u64 = 1_024;
/// Changes of a user's profile and photo per hour. A setting.
///
/// A new name or photo is sent to all signed-in connections.
pub const PROFILE_EDITS_PER_HOUR: u64 = 20;
/// Polls of a user per day. A setting.
pub const POLLS_PER_DAY: u64 = 5;
/// Invitations that a user makes per day. A setting.
pub const INVITES_PER_DAY: u64 = 10;
/// Days for which an invitation works. A setting; 0 = it never ends.
pub const INVITE_DAYS: u64 = 30;
/// People who may come by one invitation. A setting; 0 = unbounded.
pub const INVITE_USES: u64 = 20;
/// Invitations of a user that have not ended: they come in one reply.
pub const INVITES_PER_USER: i64 = 100;
/// Mails to one address, and of one account, per hour. A setting.
pub const MAILS_PER_HOUR: u64 = 5;
/// Exports of a user's data per day. A setting.
pub const EXPORTS_PER_DAY: u64 = 5;
/// Users and addresses of one rate limiter; above it, idle ones are forgotten.
pub const RATE_LIMITED_KEYS_MAX: usize = 65_536;

// ---- passwords and logins -----------------------------------------------------------------

/// Memory of one password hash, in KiB (OWASP's second choice: 19 MiB, 2 passes). A setting for tests.
pub const PASSWORD_MEMORY_KIB: u64 = 19_456;
/// Passes of one password hash.
pub const PASSWORD_PASSES: u32 = 2;
/// Password checks waiting for the hashing thread; one more is answered `busy`.
pub const HASHES_WAITING_MAX: usize = 64;
/// Lifetime of a ticket, in milliseconds.
pub const TICKET_LIFE_MS: i64 = 30_000;
/// Tickets alive at a time.
pub const TICKETS_MAX: usize = 10_000;
/// Logins of a user; one more ends the one that was idle longest.
pub const LOGINS_PER_USER: i64 = 50;
/// A login ends this long after it was last used, in milliseconds (30 days).
pub const LOGIN_IDLE_MS_MAX: i64 = 30 * 24 * 60 * 60 * 1000;
/// A login ends this long after it began, in milliseconds (180 days).
pub const LOGIN_LIFE_MS_MAX: i64 = 180 * 24 * 60 * 60 * 1000;
/// A use of a login is written down at most this often, in milliseconds (a day).
pub const LOGIN_TOUCH_MS: i64 = 24 * 60 * 60 * 1000;

// ---- mail and the account -----------------------------------------------------------------

/// A link that sets a new password works this long, in milliseconds (30 minutes).
pub const RESET_LIFE_MS: i64 = 30 * 60_000;
/// A link that confirms a new address works this long, in milliseconds (24 hours).
pub const CONFIRM_LIFE_MS: i64 = 24 * 60 * 60_000;
/// A link that brings the old address back works this long, in milliseconds (72 hours).
pub const UNDO_LIFE_MS: i64 = 72 * 60 * 60_000;
/// Valid links of a user that bring an old address back. With as many, the address cannot be changed. The oldest is
/// kept, because the owner needs it most.
pub const UNDO_LINKS_MAX: i64 = 16;
/// Bytes of a link's token.
pub const LINK_TOKEN_BYTES: usize = 32;
/// Links that a network address may request, and mails that its accounts may request, as a multiple of the limit of
/// one account.
pub const LINKS_PER_ADDRESS: u64 = 10;
/// Mails that are sent at a time.
pub const MAILS_AT_ONCE: usize = 4;
/// Time for one attempt to send a mail, in milliseconds: a slow server's greeting and its filters.
pub const MAIL_SEND_MS_MAX: u64 = 30_000;
/// Time the mail server has to accept a connection, in milliseconds.
pub const MAIL_CONNECT_MS_MAX: u64 = 10_000;
/// Pauses between attempts, in milliseconds: 1, 5 and 15 minutes, 1, 4, 12 and 24 hours. After the last one, or when
/// its link has expired, the mail is given up.
pub const MAIL_PAUSES_MS: [i64; 7] =
    [60_000, 5 * 60_000, 15 * 60_000, 3_600_000, 4 * 3_600_000, 12 * 3_600_000, 24 * 3_600_000];
/// Interval at which mails are checked while some wait for another attempt, in milliseconds.
pub const MAIL_CHECK_MS: u64 = 1_000;
/// Interval at which mails are checked if none waits, in milliseconds.
pub const MAIL_IDLE_CHECK_MS: u64 = 60_000;
/// Longest random delay of the mail sender after a wake-up, in milliseconds. Without it, the duration of a client's
/// next reply would reveal whether a link was mailed.
pub const MAIL_DELAY_MS_MAX: u64 = 500;
/// Time for mails that are being sent when the server stops, in milliseconds.
pub const MAIL_STOP_MS_MAX: u64 = 1_000;
/// Age at which a mail is removed from the outbox folder, in milliseconds (a week): its link has expired.
pub const OUTBOX_LIFE_MS: u64 = 7 * 24 * 3_600_000;

const _: () = assert!(OUTBOX_LIFE_MS > UNDO_LIFE_MS as u64);
const _: () = assert!(MAIL_STOP_MS_MAX <= CLOSE_MS_MAX);

/// Longest name of the device of a login, in characters.
pub const DEVICE_CHARS_MAX: usize = 60;
/// An archive waits this long to be fetched, in milliseconds (ten minutes).
pub const EXPORT_TICKET_LIFE_MS: i64 = 10 * 60_000;
/// Archives that may be on their way at a time in all; each holds a page of rows or a piece of a file, and a
/// descriptor.
pub const EXPORTS_OPEN_MAX: usize = 8;
/// Rows of an archive that are read at a time.
pub const EXPORT_PAGE: i64 = 100;
/// Bytes of a file that are packed at a time.
pub const EXPORT_PIECE_BYTES: usize = 256 * 1024;
/// How long the reader of an archive may take nothing of it, in milliseconds.
pub const EXPORT_STALL_MS_MAX: u64 = 60_000;
/// Events of one kind (deleted comments, counts of votes, profiles and polls) that are published when an account is
/// deleted, the newest. Older items are correct at their next read.
pub const ACCOUNT_DELETE_EVENTS_MAX: i64 = 2_048;

// ---- HTTP ---------------------------------------------------------------------------------

/// Largest body of a request over HTTP, in bytes.
pub const HTTP_BODY_BYTES_MAX: usize = 4 * 1024;
/// Largest head of a request over HTTP, in bytes of names and values.
pub const HTTP_HEAD_BYTES_MAX: usize = 16 * 1024;
/// Time a client has to send its request's body, in milliseconds.
pub const HTTP_BODY_MS_MAX: u64 = 5_000;
/// Time for which the result of `/readyz` is cached, in milliseconds.
pub const READY_MS: i64 = 1_000;
/// Descriptors reserved for files when the number of connections is computed: open uploads, files being sent, the
/// database.
pub const DESCRIPTORS_KEPT: u64 = 256;

const _: () = assert!(UPLOADS_OPEN_MAX as u64 * 3 / 2 < DESCRIPTORS_KEPT);
/// Share of the connections that is reserved for HTTP, as a divisor: an eighth.
pub const HTTP_CONNECTIONS_SHARE: u64 = 8;
/// Time a client has to send its request's head, in milliseconds.
pub const HTTP_HEAD_MS_MAX: u64 = 5_000;
/// Time an HTTP connection may take to end, in milliseconds.
pub const HTTP_DISCONNECT_MS_MAX: u64 = 1_000;
/// Connections the kernel may hold before they are accepted.
pub const BACKLOG: u32 = 4_096;

// ---- pictures -----------------------------------------------------------------------------

/// Largest picture file, in bytes: the largest photographs of telephones, with some room.
pub const PICTURE_BYTES_MAX: usize = 10 * 1024 * 1024;
/// Largest file of a profile's photo, in bytes.
pub const PHOTO_BYTES_MAX: usize = 5 * 1024 * 1024;
/// Side of the small size of a profile's photo, a square, in pixels: the largest face on a page (96) at
/// two dots a pixel and a little.
pub const PHOTO_SIDE: u32 = 224;
/// Longest side of a picture that is read, in pixels.
pub const PICTURE_SIDE_MAX: u32 = 12_000;
/// Most pixels of a picture that is read: a telephone's 48 megapixels (8,064 x 6,048) and a little.
pub const PICTURE_PIXELS_MAX: u64 = 50_000_000;
/// Most scans of one JPEG. Progressive ones are written with about ten; each may visit every pixel.
pub const PICTURE_SCANS_MAX: usize = 64;
/// Most frames of one GIF.
pub const PICTURE_FRAMES_MAX: usize = 1_000;
/// Most bytes that all compressed notes of one PNG (profile, texts) may unpack to.
pub const PICTURE_NOTES_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Most compressed notes in one PNG.
pub const PICTURE_NOTES_MAX: usize = 64;
/// Most memory that decoding one picture may need, in bytes.
///
/// The rest of [`RENDER_MEMORY_MAX`] holds the file, the program, and the two sizes.
pub const DECODE_BYTES_MAX: u64 = 208 * 1024 * 1024;

/// Longest side of the size for a whole screen, in pixels.
pub const SCREEN_SIDE: u32 = 1_600;
/// Longest side of the size for a card, in pixels: a telephone's width at two dots a pixel.
pub const CARD_SIDE: u32 = 800;
/// Largest screen size, in bytes. Above it the picture is written again, more coarsely.
pub const SCREEN_BYTES_MAX: usize = 2 * 1024 * 1024;
/// Largest card size, in bytes.
pub const CARD_BYTES_MAX: usize = 1024 * 1024;
/// JPEG quality of photographs (JPEG, WebP), with colour at half the detail.
pub const PHOTO_QUALITY: u8 = 82;
/// JPEG quality of drawings (PNG, GIF), with full colour resolution, so that text stays sharp.
pub const DRAWN_QUALITY: u8 = 90;
/// Longest side of the input of a thumbhash, in pixels. The format allows 100; half looks the same at a quarter of
/// the cost.
pub const THUMBHASH_SIDE: u32 = 50;
/// Longest thumbhash, in bytes.
pub const THUMBHASH_BYTES_MAX: usize = 32;

/// Longest side of a moving picture, in pixels.
pub const MOTION_SIDE: u32 = 480;
/// Most frames of a moving picture. One with more stands still.
pub const MOTION_FRAMES_MAX: usize = 300;
/// Most pixels of all frames of a moving picture together. One with more stands still.
pub const MOTION_PIXELS_MAX: u64 = 60_000_000;
/// Largest moving picture, in bytes. A larger one stands still.
pub const MOTION_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Time for rendering an animation, in milliseconds. One that takes longer becomes a still picture.
pub const MOTION_MS_MAX: u64 = 4_000;

/// Pictures waiting for the one that is being rendered; one more is answered `busy`.
pub const PICTURES_WAITING_MAX: usize = 16;
/// How long rendering one picture may take by the clock, in milliseconds, from its own start.
pub const RENDER_MS_MAX: u64 = 10_000 * UNOPTIMISED;
/// Processor time for rendering one picture, in seconds.
///
/// It is below [`RENDER_MS_MAX`], so that a decompression bomb exceeds this limit first, and the other is exceeded
/// only on a busy machine.
pub const RENDER_CPU_S_MAX: u64 = 8 * UNOPTIMISED;
/// By how much more an unoptimised program may take; pictures take it twenty times as long.
const UNOPTIMISED: u64 = if cfg!(debug_assertions) { 6 } else { 1 };
/// How far the process that renders steps back for others, as `nice` counts.
///
/// On a processor that others want whole this leaves it a tenth: enough for the largest photograph
/// within [`RENDER_MS_MAX`]. At 19, the last in line, it would be left an eightieth: enough for none.
pub const RENDER_NICENESS: i32 = 10;
/// Address space of the process that renders, in bytes.
pub const RENDER_MEMORY_MAX: u64 = 256 * 1024 * 1024;
/// Descriptors the process that renders may hold: its three, and one to know how long the file is.
pub const RENDER_DESCRIPTORS_MAX: u64 = 8;

const _: () = assert!(RENDER_CPU_S_MAX * 1_000 < RENDER_MS_MAX);
const _: () = assert!(CARD_SIDE <= SCREEN_SIDE && SCREEN_SIDE < PICTURE_SIDE_MAX);
const _: () = assert!(PHOTO_SIDE <= CARD_SIDE && PHOTO_BYTES_MAX <= PICTURE_BYTES_MAX);

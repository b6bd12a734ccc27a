//! Limits of passwords, logins, mail, exports and account deletion.

// ---- passwords and logins ----

/// Memory of one password hash, in KiB: the second choice of OWASP, with [`PASSWORD_PASSES`]. A setting, for tests.
pub const PASSWORD_MEMORY_KIB: u64 = 19_456;
/// Passes of one password hash.
pub const PASSWORD_PASSES: u32 = 2;
/// Passwords that wait for the hashing thread. One more is answered `busy`.
pub const HASHES_WAITING_MAX: usize = 64;
/// Places of [`HASHES_WAITING_MAX`] that log-ins from unknown devices may take. Their networks share these places: a
/// network with many jobs gives way to one with few. The other places are for sign-ups, signed-in users and devices
/// that logged in before.
pub const STRANGERS_WAITING_MAX: usize = 48;
/// Lifetime of a ticket, in milliseconds.
pub const TICKET_LIFE_MS: i64 = 30_000;
/// Tickets that are valid at a time.
pub const TICKETS_MAX: usize = 10_000;
/// Logins of a user. One more ends the login that was idle longest, of those that a notice is about, or that began in
/// silence after such a notice, if there are any.
pub const LOGINS_PER_USER: i64 = 50;
/// Devices of a user that are known by their cookie. One more makes the server forget the device that was unused
/// longest.
pub const DEVICES_PER_USER: i64 = 50;
/// How long a device is known after its last log-in, in milliseconds: 400 days. Browsers keep a cookie no longer.
pub const DEVICE_LIFE_MS: i64 = 400 * 24 * 60 * 60 * 1000;
/// How long after its last use a login ends, in milliseconds (30 days).
pub const LOGIN_IDLE_MS_MAX: i64 = 30 * 24 * 60 * 60 * 1000;
/// How long after its beginning a login ends, in milliseconds (180 days).
pub const LOGIN_LIFE_MS_MAX: i64 = 180 * 24 * 60 * 60 * 1000;
/// Shortest time between two updates of the last use of a login, in milliseconds (a day).
pub const LOGIN_TOUCH_MS: i64 = 24 * 60 * 60 * 1000;

// ---- mail and the account ----

/// How long a link that sets a new password works, in milliseconds (30 minutes).
pub const RESET_LIFE_MS: i64 = 30 * 60_000;
/// How long the server tries to send a mail about a link that an admin made, in milliseconds (24 hours).
pub const MADE_MAIL_LIFE_MS: i64 = 24 * 60 * 60_000;
/// Notices that one login sees: more than the other logins and the passkeys that an account can have. One more deletes
/// the oldest one that is about no login that still lives. A person answers a few at most; only a stranger who logs in
/// again and again makes more, and must not push out the line about a login of theirs.
pub const NOTICES_PER_LOGIN: i64 = 64;

const _: () = assert!(NOTICES_PER_LOGIN >= LOGINS_PER_USER);

/// How long a notice is kept, in milliseconds (30 days, D-V6). It is as long as the longest pause of a login, after
/// which nobody would see the notice.
pub const NOTICE_LIFE_MS: i64 = LOGIN_IDLE_MS_MAX;
/// How long the server tries to send a mail about a new login or a passkey, in milliseconds (24 hours).
pub const NOTICE_MAIL_LIFE_MS: i64 = 24 * 60 * 60_000;
/// How long a line of the admins' log is kept, in milliseconds (365 days, D-T5).
pub const ADMIN_LOG_LIFE_MS: i64 = 365 * 24 * 60 * 60_000;
/// How long a link that confirms a new address works, in milliseconds (24 hours).
pub const CONFIRM_LIFE_MS: i64 = 24 * 60 * 60_000;
/// How long a link that restores the old address works, in milliseconds (72 hours).
pub const UNDO_LIFE_MS: i64 = 72 * 60 * 60_000;
/// Valid links of a user that restore an old address. A user with this many cannot change the address. The oldest link
/// is never dropped for a new one, because the owner needs it most.
pub const UNDO_LINKS_MAX: i64 = 16;
/// Bytes of a link's token.
pub const LINK_TOKEN_BYTES: usize = 32;
/// Links that a network address may request, and mails that its accounts may request, as a multiple of the limit of
/// one account.
pub const LINKS_PER_ADDRESS: u64 = 10;
/// Mails that are sent at a time.
pub const MAILS_AT_ONCE: usize = 4;
/// Time for one attempt to send a mail, in milliseconds. It covers the greeting of a slow server and its filters.
pub const MAIL_SEND_MS_MAX: u64 = 30_000;
/// Time the mail server has to accept a connection, in milliseconds.
pub const MAIL_CONNECT_MS_MAX: u64 = 10_000;
/// Pauses between attempts, in milliseconds: 1, 5 and 15 minutes, 1, 4, 12 and 24 hours. A mail is given up after the
/// attempt that follows the last pause, or when its link has expired.
pub const MAIL_PAUSES_MS: [i64; 7] =
    [60_000, 5 * 60_000, 15 * 60_000, 3_600_000, 4 * 3_600_000, 12 * 3_600_000, 24 * 3_600_000];
/// The number of the pause that is repeated until a mail's link expires, if the host must mend something first.
pub const MAIL_HOST_PAUSES: usize = 2;
/// How long before the end of its link such a mail is tried for the last time, in milliseconds.
pub const MAIL_LAST_TRY_MS: i64 = 60_000;
/// Interval at which the mail queue is checked while a mail waits for another attempt, in milliseconds.
pub const MAIL_CHECK_MS: u64 = 1_000;
/// Interval at which the mail queue is checked while none waits, in milliseconds.
pub const MAIL_IDLE_CHECK_MS: u64 = 60_000;
/// Longest random delay of the mail sender after a wake-up, in milliseconds. Without it, the duration of a client's
/// next reply would reveal whether a link was mailed.
pub const MAIL_DELAY_MS_MAX: u64 = 500;
/// Time that a stopping server gives the mails that it is sending, in milliseconds.
pub const MAIL_STOP_MS_MAX: u64 = 1_000;
/// Age at which a mail is removed from the outbox folder, in milliseconds (a week). By then its link has expired.
pub const OUTBOX_LIFE_MS: u64 = 7 * 24 * 3_600_000;

const _: () = assert!(OUTBOX_LIFE_MS > UNDO_LIFE_MS as u64);

/// Longest label of the device of a login, in characters.
pub const DEVICE_CHARS_MAX: usize = 60;
/// How long an archive can be fetched, in milliseconds (ten minutes).
pub const EXPORT_TICKET_LIFE_MS: i64 = 10 * 60_000;
/// Archives that the server sends at a time. Each holds a page of rows or a piece of a file in memory, and one
/// descriptor.
pub const EXPORTS_OPEN_MAX: usize = 8;
/// Rows that are read at a time for an archive.
pub const EXPORT_PAGE: i64 = 100;
/// Bytes of a file that are read at a time for an archive.
pub const EXPORT_PIECE_BYTES: usize = 256 * 1024;
/// How long the client may read nothing of an archive before the connection is cut, in milliseconds.
pub const EXPORT_STALL_MS_MAX: u64 = 60_000;
/// Events of one kind (deleted comments, counts of votes, profiles and polls) that the deletion of an account
/// publishes. They are about the newest items; older items are correct at their next read.
pub const ACCOUNT_DELETE_EVENTS_MAX: i64 = 2_048;

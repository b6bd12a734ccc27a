//! Limits of passwords, logins, mail, exports and account deletion.

// ---- passwords and logins ----

/// Memory of one password hash, in KiB (OWASP's second choice: 19 MiB, 2 passes). A setting for tests.
pub const PASSWORD_MEMORY_KIB: u64 = 19_456;
/// Passes of one password hash.
pub const PASSWORD_PASSES: u32 = 2;
/// Password checks waiting for the hashing thread; one more is answered `busy`.
pub const HASHES_WAITING_MAX: usize = 64;
/// Those of strangers among them, whose networks share them: a network that has many gives way to one that has few. The
/// others are of sign-ups, of who is signed in and of devices that logged in before.
pub const STRANGERS_WAITING_MAX: usize = 48;
/// Lifetime of a ticket, in milliseconds.
pub const TICKET_LIFE_MS: i64 = 30_000;
/// Tickets alive at a time.
pub const TICKETS_MAX: usize = 10_000;
/// Logins of a user; one more ends the one that was idle longest.
pub const LOGINS_PER_USER: i64 = 50;
/// Devices of a user that are known by their cookie; the one that was unused longest is forgotten.
pub const DEVICES_PER_USER: i64 = 50;
/// A device is known this long after its last log-in, in milliseconds (400 days, which is as long as browsers keep a
/// cookie).
pub const DEVICE_LIFE_MS: i64 = 400 * 24 * 60 * 60 * 1000;
/// A login ends this long after it was last used, in milliseconds (30 days).
pub const LOGIN_IDLE_MS_MAX: i64 = 30 * 24 * 60 * 60 * 1000;
/// A login ends this long after it began, in milliseconds (180 days).
pub const LOGIN_LIFE_MS_MAX: i64 = 180 * 24 * 60 * 60 * 1000;
/// A use of a login is written down at most this often, in milliseconds (a day).
pub const LOGIN_TOUCH_MS: i64 = 24 * 60 * 60 * 1000;

// ---- mail and the account ----

/// A link that sets a new password works this long, in milliseconds (30 minutes).
pub const RESET_LIFE_MS: i64 = 30 * 60_000;
/// A mail about a link that an admin made is tried this long, in milliseconds (24 hours).
pub const MADE_MAIL_LIFE_MS: i64 = 24 * 60 * 60_000;
/// A line of the admins' log is kept this long, in milliseconds (365 days).
pub const ADMIN_LOG_LIFE_MS: i64 = 365 * 24 * 60 * 60_000;
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

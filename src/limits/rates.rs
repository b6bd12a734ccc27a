//! Rate limits of users and network addresses. A limit that is a setting says so; its 0 means off, unless the limit
//! says otherwise.

use crate::sentence::Sentence;

/// Requests of a user per second, over all connections. A setting.
pub const REQUESTS_PER_SECOND: u64 = 30;
/// Seconds' worth of requests that may come at once.
pub const REQUESTS_BURST: u64 = 4;
/// Posts of a user per day. A setting.
pub const POSTS_PER_DAY: u64 = 20;
/// Edits of a user per hour. A setting.
///
/// Each edit is sent to every follower, and its reply is stored under its key for a day.
pub const EDITS_PER_HOUR: u64 = 60;
/// Comments of a user per hour. A setting.
pub const COMMENTS_PER_HOUR: u64 = 60;
/// New follows of a user per day. A setting.
pub const FOLLOWS_PER_DAY: u64 = 100;
/// Blocks and mutes of a user per day. Each block makes both users read their screens again, and the limit bounds how
/// often. Ending a block or a mute is not limited.
pub const HIDES_PER_DAY: u64 = 200;
/// Votes of a user per minute. A setting.
pub const VOTES_PER_MINUTE: u64 = 120;
/// Searches of a user per minute, including pages of the list of people and searches in one's own posts. A setting.
pub const SEARCHES_PER_MINUTE: u64 = 30;
/// Suggestions of people to mention, for a user per minute. A setting.
///
/// The page asks at most every 150 ms while somebody types a name. Each request compares up to 2,000 names.
pub const SUGGESTIONS_PER_MINUTE: u64 = 120;
/// Log-in attempts per 15 minutes, per network address and per account. A setting.
pub const LOGINS_PER_QUARTER: u64 = 10;
/// Wrong passwords for one account per day, from all addresses together. A setting.
pub const GUESSES_PER_DAY: u64 = 200;
/// Wrong passwords of one network for one account per day, as a multiple of [`LOGINS_PER_QUARTER`].
pub const QUARTERS_OF_GUESSES_PER_DAY: u64 = 4;
/// Log-ins of a network address per quarter of an hour, to all accounts together, as a multiple of
/// [`LOGINS_PER_QUARTER`].
pub const ACCOUNTS_PER_ADDRESS: u64 = 10;
/// Log-ins to one account that a network address still has per quarter of an hour after others at that address used up
/// its limit.
pub const FIRST_TRIES_PER_QUARTER: u64 = 3;
/// Wrong passwords among these first tries of a network address per quarter of an hour, to all accounts together, as a
/// multiple of its limit. A client chooses the addresses that it types, so without this limit it could test any number
/// of them, and fill the limiters with them.
pub const FIRST_TRIES_OF_NETWORK: u64 = 3;
/// Cookies of devices from one network address per quarter of an hour that are not of the account to which the client
/// logs in, as a multiple of its limit. Each costs a read before anything else is counted. Beyond the limit the cookie
/// is ignored.
pub const CLAIMS_OF_DEVICES: u64 = 10;
/// The limit of an IPv6 network of 48 bits, as a multiple of the limit of a network of 64 bits. A network of 48 bits
/// may belong to a town or to one person.
pub const WIDE_NETWORK_FACTOR: u64 = 10;
/// Sign-ups per hour from one network address. A setting.
pub const SIGN_UPS_PER_HOUR: u64 = 20;
/// Uploads of a user per day. A setting.
pub const UPLOADS_PER_DAY: u64 = 80;
/// Chunks of a user per second, over all connections; four times as many at once. A setting.
///
/// They are counted apart from other requests, so that uploads do not block reads.
pub const CHUNKS_PER_SECOND: u64 = 200;
/// MiB of uploads of a user per day. A setting.
pub const UPLOAD_MIB_PER_DAY: u64 = 100;
/// MiB of a user's pictures that are kept. A setting; 0 = no limit.
pub const MEDIA_MIB_PER_USER: u64 = 2_048;
/// The sentence of a refusal beyond it.
pub const PICTURES_FULL: Sentence =
    Sentence::new("pictures_full", "Your pictures take up all the room that one person has here.");
/// MiB of the disk that pictures leave free. A setting; 0 = pictures may fill the disk.
pub const DISK_FREE_MIB_MIN: u64 = 1_024;
/// Changes of a user's profile and photo per hour. A setting.
///
/// A new name or photo is sent to all signed-in connections.
pub const PROFILE_EDITS_PER_HOUR: u64 = 20;
/// Changes of the languages of a user's account per hour. Clients say which language they show without anybody pressing
/// anything.
pub const LANGUAGES_PER_HOUR: u64 = 60;
/// Polls of a user per day. A setting.
pub const POLLS_PER_DAY: u64 = 5;
/// Invitations that a user makes per day. A setting.
pub const INVITES_PER_DAY: u64 = 10;
/// Reports of a user per day. A setting.
pub const REPORTS_PER_DAY: u64 = 20;
/// Days for which an invitation works. A setting; 0 = it never ends.
pub const INVITE_DAYS: u64 = 30;
/// People who may sign up with one invitation. A setting; 0 = unbounded.
pub const INVITE_USES: u64 = 20;
/// Invitations of a user that have not ended. The list fits into one reply.
pub const INVITES_PER_USER: i64 = 100;
/// The sentence of a refusal beyond it.
pub const INVITES_FULL: Sentence =
    Sentence::new("invites_full", "You have as many invitations as one person can have. Revoke one first.");
/// Invitations made on the command line that have not ended.
pub const INVITES_OF_HOST: i64 = 10_000;
/// Mails to one address, and of one account, per hour. A setting.
pub const MAILS_PER_HOUR: u64 = 5;
/// Exports of a user's data per day. A setting.
pub const EXPORTS_PER_DAY: u64 = 5;
/// Keys of one rate limiter: users or addresses. Above it, those whose buckets are full soonest are forgotten. A hash
/// table of 65,536 slots holds this many keys, because it grows at seven eighths.
pub const RATE_LIMITED_KEYS_MAX: usize = 57_344;

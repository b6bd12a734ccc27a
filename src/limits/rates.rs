//! Rate limits of users. Each is a setting; 0 = off.

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
/// Blocks and mutes of a user per day. Each makes both sides read their screens again, and this bounds how often.
/// Ending one is always possible.
pub const HIDES_PER_DAY: u64 = 200;
/// Votes of a user per minute. A setting.
pub const VOTES_PER_MINUTE: u64 = 120;
/// Searches of a user per minute, including pages of the list of people. A setting.
pub const SEARCHES_PER_MINUTE: u64 = 30;
/// Log-in attempts per 15 minutes, per network address and per account. A setting.
pub const LOGINS_PER_QUARTER: u64 = 10;
/// Wrong passwords that are tried at one account per day, from all addresses together. A setting.
pub const GUESSES_PER_DAY: u64 = 200;
/// A network's guesses at one account per day, as a multiple of those per quarter of an hour.
pub const QUARTERS_OF_GUESSES_PER_DAY: u64 = 4;
/// Log-ins to one account that a network address still has per quarter of an hour when others there used up its own.
pub const FIRST_TRIES_PER_QUARTER: u64 = 3;
/// The limit of an IPv6 network of 48 bits, as a multiple of that of one of 64 bits. A network of 48 bits may be a
/// town's, or one person's.
pub const WIDE_NETWORK_FACTOR: u64 = 10;
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
/// The sentence of a refusal beyond it.
pub const PICTURES_FULL: &str = "Your pictures take up all the room that one person has here.";
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
/// Reports of a user per day. A setting.
pub const REPORTS_PER_DAY: u64 = 20;
/// Days for which an invitation works. A setting; 0 = it never ends.
pub const INVITE_DAYS: u64 = 30;
/// People who may sign up with one invitation. A setting; 0 = unbounded.
pub const INVITE_USES: u64 = 20;
/// Invitations of a user that have not ended. They fit into one reply.
pub const INVITES_PER_USER: i64 = 100;
/// The sentence of a refusal beyond it.
pub const INVITES_FULL: &str = "You have as many invitations as one person can have. Revoke one first.";
/// Invitations made on the command line that have not ended.
pub const INVITES_OF_HOST: i64 = 10_000;
/// Mails to one address, and of one account, per hour. A setting.
pub const MAILS_PER_HOUR: u64 = 5;
/// Exports of a user's data per day. A setting.
pub const EXPORTS_PER_DAY: u64 = 5;
/// Users and addresses of one rate limiter; above it, idle ones are forgotten. A hash table of 65,536 slots holds as many:
/// it is full at seven eighths, and one more key would double it.
pub const RATE_LIMITED_KEYS_MAX: usize = 57_344;

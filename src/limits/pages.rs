//! Limits of lists and their pages.

/// Posts in one page of a feed.
pub const FEED_PAGE: usize = 30;
/// Most reads that fill one page, if rows are left out.
pub const FEED_READS_MAX: usize = 5;
/// Comments that are sent with a post.
pub const COMMENTS_SHOWN: i64 = 2;
/// Comments in one page of a thread.
pub const COMMENTS_PAGE: usize = 50;
/// Users in one page of followers, and in one page of the list of people.
pub const PEOPLE_PAGE: usize = 50;
/// Rows in a page of each list of `/admin`.
pub const ADMIN_PAGE: usize = 50;
/// Lines in one answer to a command of the host that lists something. The command asks again for the rest. At 600 bytes
/// a line, an answer is smaller than [`CONTROL_REPLY_BYTES_MAX`](super::CONTROL_REPLY_BYTES_MAX).
pub const HOST_LIST_PAGE: usize = 2_000;
/// Users in the result of a search.
pub const SEARCH_RESULTS: i64 = 20;
/// Users among the close matches of a search.
pub const CLOSE_MATCHES: i64 = 20;
/// Notifications in one page.
pub const NOTIFICATIONS_PAGE: usize = 30;
/// Notifications that are kept for a user. If there is one more, the user who caused most of them is found, and the
/// oldest one that this user caused is deleted.
pub const NOTIFICATIONS_MAX: i64 = 300;
/// Unseen notifications of a user that one other user caused. No more are made until they are seen.
pub const NOTIFICATIONS_UNSEEN_PER_ACTOR: i64 = 20;
/// How long a notification is kept, in milliseconds (90 days).
pub const NOTIFICATION_LIFE_MS: i64 = 90 * 24 * 60 * 60 * 1000;
/// Most expired rows that one transaction deletes. Each may publish an event, and more events would push out of the
/// event log what reconnecting clients need.
pub const PURGE_ROWS_MAX: i64 = 1_000;

/// How long following the same user again causes no notification, in milliseconds (24 hours).
pub const FOLLOW_NOTIFY_PAUSE_MS: i64 = 24 * 60 * 60 * 1000;
/// Longest preview of a post or comment in a notification, in characters.
pub const PREVIEW_CHARS_MAX: usize = 100;
/// Posts that one `posts.refresh` may name.
///
/// A post with its two comments is at most 12.5 KB on the wire, and its four pictures are as much again, so a page
/// stays below 750 KB.
pub const REFRESH_MAX: usize = 30;
/// A post is left out of the untagged feed if it has more votes than this and a positive share below
/// [`HIDING_TENTHS_BELOW`] (D-B4).
pub const HIDING_VOTES_OVER: i64 = 5;
/// The positive share below which a post may be left out of the untagged feed, in tenths ([`HIDING_VOTES_OVER`]).
pub const HIDING_TENTHS_BELOW: i64 = 6;

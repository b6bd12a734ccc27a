//! Limits of what users and the host write.

use crate::sentence::Sentence;

// ---- texts ----

/// Longest name, in characters (Unicode scalar values after trimming).
pub const NAME_CHARS_MAX: usize = 50;
/// Longest mail address, in characters (RFC 5321).
pub const EMAIL_CHARS_MAX: usize = 254;
/// Longest part of an address before the `@`, in bytes (RFC 5321).
pub const EMAIL_LOCAL_BYTES_MAX: usize = 64;
/// Shortest password, in characters.
pub const PASSWORD_CHARS_MIN: usize = 10;
/// The sentence of a refusal below it.
pub const PASSWORD_SHORT: Sentence = Sentence::new("password_short", "Please use at least {min} characters.")
    .of(&[("min", PASSWORD_CHARS_MIN)]);
/// Longest password, in characters.
pub const PASSWORD_CHARS_MAX: usize = 128;
/// The sentence of a refusal beyond it.
pub const PASSWORD_LONG: Sentence =
    Sentence::new("password_long", "Please use at most {max} characters.").of(&[("max", PASSWORD_CHARS_MAX)]);
/// Longest title of a post, in characters.
pub const POST_TITLE_CHARS_MAX: usize = 100;
/// Longest text of a post, in characters: two screens of a phone.
pub const POST_TEXT_CHARS_MAX: usize = 2_000;
/// Longest content note of a post, in characters: about one line of a phone.
pub const CONTENT_NOTE_CHARS_MAX: usize = 60;
/// Longest tag, in characters.
pub const TAG_CHARS_MAX: usize = 30;
/// Longest comment, in characters.
pub const COMMENT_CHARS_MAX: usize = 500;
/// Longest comment as it is sent, in bytes. It is higher than the limit in characters, because the token of a mention
/// is longer than its visible label.
pub const COMMENT_BYTES_MAX: usize = 4 * 1024;
/// Longest bio, in characters (D-A1).
pub const BIO_CHARS_MAX: usize = 300;
/// Users that a comment may mention.
pub const MENTIONS_MAX: usize = 10;
/// The sentence of a refusal beyond it.
pub const TOO_MANY_MENTIONS: Sentence = Sentence::new(
    "mentions_many",
    "You can mention at most {max} people in one comment. Your words are kept.",
)
.of(&[("max", MENTIONS_MAX)]);
/// Users that are offered while a mention is typed.
pub const MENTIONABLE_MAX: usize = 8;
/// Newest comments of a thread whose authors are offered for a mention.
pub const THREAD_PEOPLE_LOOKED_AT: i64 = 500;
/// Longest details of a report, in characters.
pub const REPORT_DETAILS_CHARS_MAX: usize = 500;
/// Open reports of a user: as many as [`REPORTS_PER_DAY`](super::REPORTS_PER_DAY) allows in ten days. The host reads
/// each of them.
pub const REPORTS_OPEN_MAX: i64 = 200;
/// The sentence of a refusal beyond it.
pub const REPORTS_FULL: Sentence =
    Sentence::new("reports_full", "The host has many reports of yours to look at first.");
/// How long a report is kept after it was handled, in milliseconds (90 days).
pub const REPORT_LIFE_MS: i64 = 90 * 24 * 60 * 60 * 1000;
/// Longest question of a poll, in characters.
pub const QUESTION_CHARS_MAX: usize = 140;
/// The sentence of a refusal beyond it.
pub const QUESTION_LONG: Sentence =
    Sentence::new("poll_question_long", "Question must be {max} characters or less")
        .of(&[("max", QUESTION_CHARS_MAX)]);
/// Longest option of a poll, in characters.
pub const OPTION_CHARS_MAX: usize = 40;
/// The sentence of a refusal beyond it.
pub const OPTION_LONG: Sentence =
    Sentence::new("poll_option_long", "Each option must be {max} characters or less")
        .of(&[("max", OPTION_CHARS_MAX)]);
/// Most options of a poll.
pub const OPTIONS_MAX: usize = 4;
/// The sentence of a refusal beyond it.
pub const TOO_MANY_OPTIONS: Sentence =
    Sentence::new("poll_options_many", "A poll has at most {max} options.").of(&[("max", OPTIONS_MAX)]);
/// Fewest options of a poll.
pub const OPTIONS_MIN: usize = 2;
/// The sentence of a refusal below it.
pub const TOO_FEW_OPTIONS: Sentence =
    Sentence::new("poll_options_few", "Please provide at least {min} options").of(&[("min", OPTIONS_MIN)]);
/// How long a poll is open, in milliseconds: seven days of 24 hours.
pub const POLL_LIFE_MS: i64 = 7 * 24 * 60 * 60 * 1000;
/// Longest name of a group, in characters.
pub const GROUP_NAME_CHARS_MAX: usize = 50;
/// Groups of one owner. A setting (D-G8).
pub const GROUPS_PER_OWNER: u64 = 50;
/// The sentence of a refusal beyond it.
pub const GROUPS_FULL: Sentence =
    Sentence::new("groups_full", "You have as many groups as one person can have.");
/// Members of one group, its owner included. A setting (D-G8).
pub const MEMBERS_PER_GROUP: u64 = 150;
/// The sentence of a refusal beyond it.
pub const GROUP_FULL: Sentence = Sentence::new("group_full", "A group can't have that many members.");
/// Members of one group, whatever the host sets. Each event of the group names all of them as its recipients.
pub const MEMBERS_MAX: u64 = 1_000;
/// Groups of others that a user may be in. Also the groups that a user may own, whatever the host sets. The feed reads
/// each of them. The two are counted apart, so that a user who was added to many groups can still make their own.
pub const GROUPS_JOINED_MAX: u64 = 200;
/// The sentence of a refusal beyond it.
pub const JOINED_FULL: Sentence =
    Sentence::new("group_joined_full", "Somebody you picked is in as many groups as one person can be.");
/// Groups that a user left and is not added to again. One more makes the server forget the oldest. They fit into one
/// reply.
pub const LEFT_GROUPS_MAX: i64 = 500;
/// Users added to a group by one request.
pub const GROUP_ADD_MAX: usize = 150;
/// Changes of a user's groups and their members per hour. A setting.
pub const GROUP_CHANGES_PER_HOUR: u64 = 300;
/// Open polls of a user at a time.
pub const POLLS_OPEN_MAX: usize = 5;
/// The sentence of a refusal beyond it.
pub const POLLS_FULL: Sentence =
    Sentence::new("polls_full", "Five open polls are as many as one person has at a time.");
/// Polls in one page.
pub const POLLS_PAGE: usize = 20;
/// Moods of a user within 24 hours, whatever time zone the client names (D-E9).
pub const MOODS_PER_DAY: i64 = 3;
/// The hour at which the morning ends, by the owner's clock.
pub const EVENING_HOUR: i8 = 15;
/// The period of [`MOODS_PER_DAY`], in milliseconds (24 hours).
pub const MOODS_DAY_MS: i64 = 24 * 60 * 60 * 1000;
/// How long it is remembered that a user shared a mood in a slot, in milliseconds (48 hours). By then the slot is over
/// in every time zone.
pub const MOOD_MARK_LIFE_MS: i64 = 48 * 60 * 60 * 1000;
/// Users in the list of moods. The reply is as large as a few pages.
pub const MOODS_LISTED_MAX: i64 = 200;
/// Interval at which moods of past days are deleted, in milliseconds. Until then they are not shown.
pub const MOODS_SWEEP_MS: u64 = 60_000;
/// Longest search term, in characters: a whole name.
pub const TERM_CHARS_MAX: usize = NAME_CHARS_MAX;
/// Longest term of a search in one's own posts, in characters (D-U12).
pub const OWN_POSTS_TERM_CHARS_MAX: usize = 100;
/// Most users that a user may follow.
pub const FOLLOWS_MAX: i64 = 2_000;
/// The sentence of a refusal beyond it.
pub const FOLLOWS_FULL: Sentence =
    Sentence::new("follows_full", "You follow as many people as one person can.");
/// Most users that a user may block. The list is read whole, and each event about the user names them (D-S10).
pub const BLOCKS_MAX: i64 = 1_000;
/// The sentence of a refusal beyond it.
pub const BLOCKS_FULL: Sentence = Sentence::new("blocks_full", "You block as many people as one person can.");
/// The newest threads about which a block sends an event to each of the two users. Older threads are correct at their
/// next read.
pub const BLOCK_EVENTS_MAX: i64 = 256;
/// Events for viewers with blocks that one change of a thread or a group causes: one for each set of hidden users.
/// Beyond this number, viewers with blocks see the change at their next read.
pub const RESTRICTED_VIEWS_MAX: usize = 64;
/// Most users that a user may mute. The list is read whole.
pub const MUTES_MAX: i64 = 1_000;
/// The sentence of a refusal beyond it.
pub const MUTES_FULL: Sentence = Sentence::new("mutes_full", "You mute as many people as one person can.");
/// Most posts that a user may have saved, without those that the user may not see now (D-U10). A longer list is an
/// archive and no list to read.
pub const SAVED_MAX: usize = 1_000;
/// The sentence of a refusal beyond it.
pub const SAVED_FULL: Sentence =
    Sentence::new("saved_full", "You have {max} saved posts. Remove one first.").of(&[("max", SAVED_MAX)]);

// ---- languages ----

/// Largest file of a language in the host's folder, in bytes. Those of the program have about 100 KiB.
pub const LANGUAGE_FILE_BYTES_MAX: u64 = 512 * 1024;
/// Most files of languages in the host's folder.
pub const LANGUAGE_FILES_MAX: usize = 50;
/// Lines about the wrong sentences of one file, and as many about its unknown ones. One more line counts the others.
pub const LANGUAGE_LINES_MAX: usize = 20;
/// Longest of these lines, in characters.
pub const LANGUAGE_LINE_CHARS_MAX: usize = 300;
/// Longest name of a language in the host's folder, in characters.
pub const LANGUAGE_NAME_CHARS_MAX: usize = 50;
/// Longest sentence in a file of a language, in characters. The longest English one has about 300.
pub const SENTENCE_CHARS_MAX: usize = 1_000;

// ---- the daily theme ----

/// The themes that are part of the program.
pub const THEMES_OWN: u16 = 60;

/// Longest title of a theme, in characters: as long as that of a post.
pub const THEME_TITLE_CHARS_MAX: usize = POST_TITLE_CHARS_MAX;
/// Longest description of a theme, in characters. A card stays short enough to read at a glance.
pub const THEME_DESCRIPTION_CHARS_MAX: usize = 500;
/// Most themes in a host's file: almost three years without a repetition.
pub const THEMES_MAX: usize = 1_000;
/// Largest file of a host's themes, in bytes.
pub const THEMES_FILE_BYTES_MAX: u64 = 1024 * 1024;
/// How many days ahead the host may set a theme.
pub const THEME_DAYS_AHEAD_MAX: i64 = 1_000;
/// Most days of themes that one command shows: a year.
pub const THEME_DAYS_SHOWN_MAX: i64 = 366;
/// Days of coming themes that admins see: two weeks.
pub const THEME_SCHEDULE_DAYS: i64 = 14;
/// Days that a theme set by the host is kept after its day.
pub const THEME_DAYS_KEPT: i64 = 30;
/// Interval at which the date is checked for a new day, in milliseconds. A timer of hours would miss that a clock is
/// set or that a machine sleeps.
pub const THEME_CHECK_MS: u64 = 1_000;
/// Pause before another attempt to publish a day's theme, in milliseconds.
pub const THEME_AGAIN_MS: u64 = 10_000;

// ---- quiet hours ----

/// Longest time until quiet hours are looked at again, in milliseconds. Their end shows within five seconds (D-U4), also
/// if a clock was set or a machine slept.
pub const QUIET_CHECK_MS: u64 = 1_000;
/// Users whose quiet hours begin or end in one write.
pub const QUIET_TURNS_AT_ONCE: usize = 128;

// ---- commands of the host ----

/// Largest request on the control socket, in bytes.
pub const CONTROL_BYTES_MAX: usize = 16 * 1024;
/// Largest answer on the control socket, in bytes: a year of themes.
pub const CONTROL_REPLY_BYTES_MAX: usize = 2 * 1024 * 1024;
/// Requests on the control socket that are answered at a time; the next wait.
pub const CONTROL_OPEN_MAX: usize = 4;
/// Time for reading a request on the control socket, and time for the client to read the answer, in milliseconds.
pub const CONTROL_MS_MAX: u64 = 5_000;
/// Time that a stopping server gives a command that it is answering, in milliseconds.
pub const CONTROL_STOP_MS_MAX: u64 = 1_000;
/// How long a command waits for a server that is starting or stopping, in milliseconds.
pub const CONTROL_RETRY_MS_MAX: u64 = 3_000;

//! The table of permissions: which viewers may send which requests.

use mellow::clock::Clock;
use serde_json::{Value, json};

use crate::support::groups::{edit_for, of, poll_for, post_for};
use crate::support::person::{PASSWORD, edit, email_of, poll, post, profile};
use crate::support::uploads::{begin, chunk, photo};
use crate::support::value::{key, key_of};

/// The expected result of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    Yes,
    NotSignedIn,
    NotFound,
    UploadGone,
    LinkExpired,
    PollVoted,
    Invalid,
    InviteExpired,
    /// The item does not exist.
    Gone,
    /// A vote that is not stored.
    NoVote,
}

use Then::{
    Gone, Invalid, InviteExpired, LinkExpired, NoVote, NotFound, NotSignedIn, PollVoted, UploadGone, Yes,
};

impl Then {
    pub fn of(reply: &Value) -> Self {
        match reply["err"]["code"].as_str() {
            None if reply["ok"]["gone"].as_array().is_some_and(|gone| !gone.is_empty()) => Gone,
            None if reply["ok"]["vote"] == "none" => NoVote,
            None if reply.get("ok").is_some() => Yes,
            Some("not_signed_in") => NotSignedIn,
            Some("not_found") => NotFound,
            Some("upload_gone") => UploadGone,
            Some("link_expired") => LinkExpired,
            Some("poll_voted") => PollVoted,
            Some("invalid") => Invalid,
            Some("invite_expired") => InviteExpired,
            _ => panic!("{reply}"),
        }
    }
}

/// The viewers, in the order of the table's columns; then an admin, who has no relation to the items either.
pub const VIEWERS: [&str; 10] = [
    "guest",
    "stranger",
    "follower",
    "followed",
    "author",
    "former",
    "member",
    "ex-member",
    "owner",
    "admin",
];

/// The viewers whose results follow from the table: those whom the author blocked and who blocked the author are
/// answered as if the author's items were not there; who muted the author as a stranger is; who is suspended has no
/// login.
pub const VIEWERS_APART: [&str; 4] = ["blocked", "blocking", "muting", "suspended"];

/// Returns the expected result for one of [`VIEWERS_APART`].
pub fn expected_of(viewer: &str, (op, _, columns, not_there): &Row) -> Then {
    let stranger = columns[1];
    match (viewer, *op) {
        ("muting", _) => stranger,
        ("suspended", _) => columns[5],
        // Blocking again changes nothing.
        ("blocking", "people.block") => Yes,
        _ => not_there.unwrap_or(stranger),
    }
}

/// One for each of these but the admin.
pub type Columns = [Then; 9];

/// The items of requests.
#[derive(Clone, Copy)]
pub struct Things {
    pub author: i64,
    pub post: i64,
    /// Another user's comment under that post.
    pub comment: i64,
    /// The author's, sent whole and not committed.
    pub upload: u128,
    /// The author's, committed, to be a photo.
    pub photo: u128,
    /// The author's notification of that comment.
    pub notification: i64,
    /// The author's poll, in which they voted.
    pub poll: i64,
    /// The owner's, in which the author and the member are, and the ex-member was.
    pub group: i64,
    /// A follower of the owner who is in no group.
    pub other: i64,
    /// The member.
    pub member: i64,
    /// The code of the author's invitation.
    pub invite: [u8; 22],
    /// Of the group.
    pub shared: Shared,
}

/// The items of the group.
#[derive(Clone, Copy)]
pub struct Shared {
    /// The author's.
    pub post: i64,
    /// The member's, under that post.
    pub comment: i64,
    /// The author's poll, in which they voted.
    pub poll: i64,
    /// The former member's post, written while they were in the group.
    pub left_post: i64,
    /// The author's post of a deleted group.
    pub orphan: i64,
}

/// Things that are not there.
pub const NOTHING: Things = Things {
    author: 7,
    post: 7,
    comment: 7,
    upload: 7,
    photo: 7,
    notification: 7,
    poll: 7,
    group: 7,
    other: 7,
    member: 7,
    invite: *b"AAAAAAAAAAAAAAAAAAAAAA",
    shared: Shared { post: 7, comment: 7, poll: 7, left_post: 7, orphan: 7 },
};

/// Requests that end more than their own connection. The scene is made again after one that was granted.
pub const ENDING: [&str; 8] = [
    "auth.log_out_others",
    "account.delete",
    "admin.end_logins",
    "admin.delete",
    "admin.suspend",
    "people.block",
    "people.unblock",
    "people.mute",
];

pub type Fields = fn(Things) -> Value;

/// A request, its fields, the expected result for each viewer, and the expected result for signed-in viewers if the
/// item does not exist (none: it names no item).
pub type Row = (&'static str, Fields, Columns, Option<Then>);

const EVERYBODY: Columns = [Yes; 9];
pub const SIGNED_IN: Columns = all(Yes);
const THE_AUTHOR: Columns =
    [NotSignedIn, NotFound, NotFound, NotFound, Yes, NotSignedIn, NotFound, NotFound, NotFound];
const THE_SENDER: Columns =
    [NotSignedIn, UploadGone, UploadGone, UploadGone, Yes, NotSignedIn, UploadGone, UploadGone, UploadGone];
pub const THE_READERS: Columns = [NotSignedIn, Yes, Yes, Yes, NotFound, NotSignedIn, Yes, Yes, Yes];
const THE_OTHERS: Columns = [NotSignedIn, Yes, Yes, Yes, Invalid, NotSignedIn, Yes, Yes, Yes];
const THE_OWNER: Columns =
    [NotSignedIn, NotFound, NotFound, NotFound, NotFound, NotSignedIn, NotFound, NotFound, Yes];
const MEMBERS: Columns = members(Yes, NotFound);
const THE_OTHER_MEMBERS: Columns =
    [NotSignedIn, NotFound, NotFound, NotFound, Yes, NotSignedIn, Yes, NotFound, NotFound];
const THE_EX_MEMBER: Columns =
    [NotSignedIn, NotFound, NotFound, NotFound, NotFound, NotSignedIn, NotFound, Yes, NotFound];
// No one may see it, although some know that it existed.
pub const NOBODY: Columns = all(NotFound);
// The link of a mail works for any client that has it, signed in or not; here no one has it.
const ANY_CLIENT: Columns = [LinkExpired; 9];

/// The same result for all signed-in viewers.
const fn all(then: Then) -> Columns {
    [NotSignedIn, then, then, then, then, NotSignedIn, then, then, then]
}

/// One result for members of the group, another for everyone else.
const fn members(then: Then, others: Then) -> Columns {
    [NotSignedIn, others, others, others, then, NotSignedIn, then, others, then]
}

/// Every request about public items.
pub fn table() -> Vec<Row> {
    vec![
        (
            "auth.sign_up",
            |_| json!({ "key": key(), "email": new_email(), "password": PASSWORD }),
            EVERYBODY,
            None,
        ),
        ("auth.log_in", |_| json!({ "email": email_of("Ana"), "password": PASSWORD }), EVERYBODY, None),
        ("auth.log_out", |_| json!({}), SIGNED_IN, None),
        ("auth.request_reset", |_| json!({ "email": email_of("Ana") }), EVERYBODY, None),
        ("auth.send_reset", |_| json!({ "key": key() }), SIGNED_IN, None),
        (
            "auth.reset_password",
            |_| json!({ "key": key(), "token": NO_TOKEN, "password": PASSWORD }),
            ANY_CLIENT,
            None,
        ),
        (
            "auth.change_email",
            |_| json!({ "key": key(), "email": new_email(), "password": PASSWORD }),
            SIGNED_IN,
            None,
        ),
        ("auth.confirm_email", |_| json!({ "key": key(), "token": NO_TOKEN }), ANY_CLIENT, None),
        ("auth.undo_email", |_| json!({ "key": key(), "token": NO_TOKEN }), ANY_CLIENT, None),
        ("auth.logins", |_| json!({}), SIGNED_IN, None),
        ("auth.log_out_others", |_| json!({ "key": key() }), SIGNED_IN, None),
        ("live.probe", |_| json!({}), EVERYBODY, None),
        (
            "live.resume",
            |things| json!({ "epoch": "", "seq": 0, "posts": [things.post], "profiles": [things.author] }),
            SIGNED_IN,
            Some(Yes),
        ),
        (
            "live.leave",
            |things| json!({ "posts": [things.post], "profiles": [things.author] }),
            SIGNED_IN,
            Some(Yes),
        ),
        ("posts.feed", |_| json!({}), SIGNED_IN, None),
        ("posts.by_author", |things| json!({ "user_id": things.author }), SIGNED_IN, Some(NotFound)),
        ("posts.get", |things| json!({ "post_id": things.post }), SIGNED_IN, Some(NotFound)),
        ("posts.refresh", |things| json!({ "post_ids": [things.post] }), SIGNED_IN, Some(Gone)),
        ("posts.create", |_| post("mine"), SIGNED_IN, None),
        ("posts.update", |things| edit(things.post, None, "mine"), THE_AUTHOR, Some(NotFound)),
        (
            "posts.delete",
            |things| json!({ "key": key(), "post_id": things.post }),
            THE_AUTHOR,
            Some(NotFound),
        ),
        ("uploads.begin", |_| begin(&key(), "tree.jpg", 1_000), SIGNED_IN, None),
        ("uploads.chunk", |things| chunk(&key_of(things.upload), 0, &[0]), THE_SENDER, Some(UploadGone)),
        ("uploads.commit", |things| json!({ "upload": key_of(things.upload) }), THE_SENDER, Some(UploadGone)),
        // Another user's uploads are not freed, and the reply does not reveal whether they exist.
        ("uploads.cancel", |things| json!({ "upload": key_of(things.upload) }), SIGNED_IN, Some(Yes)),
        (
            "votes.set",
            |things| json!({ "key": key(), "post_id": things.post, "vote": "positive" }),
            SIGNED_IN,
            Some(NoVote),
        ),
        (
            "comments.create",
            |things| json!({ "key": key(), "post_id": things.post, "text": "hi" }),
            SIGNED_IN,
            Some(NotFound),
        ),
        (
            "comments.delete",
            |things| json!({ "key": key(), "comment_id": things.comment }),
            THE_AUTHOR,
            Some(NotFound),
        ),
        (
            "comments.mentionable",
            |things| json!({ "post_id": things.post, "term": "" }),
            SIGNED_IN,
            Some(NotFound),
        ),
        ("comments.page", |things| json!({ "post_id": things.post }), SIGNED_IN, Some(NotFound)),
        // No one here follows the author yet.
        ("polls.list", |_| json!({ "before": null }), SIGNED_IN, None),
        ("polls.create", |_| poll("mine?", &["yes", "no"]), SIGNED_IN, None),
        (
            "polls.vote",
            |things| json!({ "key": key(), "poll_id": things.poll, "option": 0 }),
            [NotSignedIn, NotFound, Yes, NotFound, PollVoted, NotSignedIn, NotFound, NotFound, NotFound],
            Some(NotFound),
        ),
        // The voters: the follower may see the poll and has not voted.
        (
            "polls.voters",
            |things| json!({ "poll_id": things.poll, "option": 0, "after": null }),
            THE_AUTHOR,
            Some(NotFound),
        ),
        // A viewer who may not see a tally gets none, without a refusal.
        ("polls.tallies", |things| json!({ "poll_ids": [things.poll] }), SIGNED_IN, None),
        (
            "polls.delete",
            |things| json!({ "key": key(), "poll_id": things.poll }),
            THE_AUTHOR,
            Some(NotFound),
        ),
        (
            "follows.set",
            |things| json!({ "key": key(), "user_id": things.author, "following": true }),
            THE_OTHERS,
            Some(NotFound),
        ),
        ("follows.remove", |things| json!({ "key": key(), "user_id": things.author }), SIGNED_IN, Some(Yes)),
        (
            "people.block",
            |things| json!({ "key": key(), "user_id": things.author }),
            THE_OTHERS,
            Some(NotFound),
        ),
        (
            "people.mute",
            |things| json!({ "key": key(), "user_id": things.author }),
            THE_OTHERS,
            Some(NotFound),
        ),
        ("people.unblock", |things| json!({ "key": key(), "user_id": things.author }), THE_OTHERS, Some(Yes)),
        ("people.unmute", |things| json!({ "key": key(), "user_id": things.author }), THE_OTHERS, Some(Yes)),
        ("people.hidden", |_| json!({}), SIGNED_IN, None),
        ("follows.page", |_| json!({ "side": "followers" }), SIGNED_IN, None),
        ("profiles.get", |things| json!({ "user_id": things.author }), SIGNED_IN, Some(NotFound)),
        ("profiles.update", |_| profile("Somebody", "tea"), SIGNED_IN, None),
        ("profiles.set_photo", |things| photo(&key_of(things.photo)), THE_SENDER, Some(UploadGone)),
        ("search.names", |_| json!({ "term": "A" }), SIGNED_IN, None),
        ("search.people", |_| json!({ "after": null }), SIGNED_IN, None),
        ("notifications.page", |_| json!({ "before": null }), SIGNED_IN, None),
        ("notifications.read", |_| json!({ "key": key() }), SIGNED_IN, None),
        (
            "notifications.delete",
            |things| json!({ "key": key(), "notification_id": things.notification }),
            THE_AUTHOR,
            Some(NotFound),
        ),
        ("invites.get", |things| json!({ "code": code(things) }), EVERYBODY, Some(InviteExpired)),
        ("invites.list", |_| json!({}), SIGNED_IN, None),
        ("invites.create", |_| json!({ "key": key() }), SIGNED_IN, None),
        (
            "invites.revoke",
            |things| json!({ "key": key(), "code": code(things) }),
            THE_AUTHOR,
            Some(NotFound),
        ),
        // What one sees of others, and nothing of one's own.
        (
            "reports.create",
            |things| report(json!({ "type": "post", "post_id": things.post })),
            THE_READERS,
            Some(NotFound),
        ),
        ("newcomers.dismiss", |_| json!({ "key": key(), "what": "steps" }), SIGNED_IN, None),
        ("account.set_privacy", |_| json!({ "key": key(), "hide_numbers": true }), SIGNED_IN, None),
        ("account.export", |_| json!({}), SIGNED_IN, None),
        ("account.delete", |_| json!({ "password": PASSWORD }), SIGNED_IN, None),
        ("moods.today", |_| json!({ "zone": "Asia/Kathmandu" }), SIGNED_IN, None),
        ("moods.set", |_| mood(), SIGNED_IN, None),
        ("theme.get", |_| json!({}), SIGNED_IN, None),
        ("groups.list", |_| json!({}), SIGNED_IN, None),
        ("groups.get", |things| json!({ "group_id": things.group }), MEMBERS, Some(NotFound)),
        ("groups.create", |_| json!({ "key": key(), "name": "mine" }), SIGNED_IN, None),
        (
            "groups.rename",
            |things| json!({ "key": key(), "group_id": things.group, "name": "mine" }),
            THE_OWNER,
            Some(NotFound),
        ),
        (
            "groups.delete",
            |things| json!({ "key": key(), "group_id": things.group }),
            THE_OWNER,
            Some(NotFound),
        ),
        (
            "groups.add",
            |things| json!({ "key": key(), "group_id": things.group, "user_ids": [things.other] }),
            THE_OWNER,
            Some(NotFound),
        ),
        (
            "groups.remove",
            |things| json!({ "key": key(), "group_id": things.group, "user_id": things.member }),
            THE_OWNER,
            Some(NotFound),
        ),
        (
            "groups.leave",
            |things| json!({ "key": key(), "group_id": things.group }),
            THE_OTHER_MEMBERS,
            Some(NotFound),
        ),
        (
            "groups.candidates",
            |things| json!({ "group_id": things.group, "before": null }),
            THE_OWNER,
            Some(NotFound),
        ),
        // A group that the viewer did not leave changes nothing, like one that is not there.
        ("groups.not_again", |_| json!({}), SIGNED_IN, None),
        ("groups.left_of_mine", |things| json!({ "user_id": things.author }), SIGNED_IN, Some(Yes)),
        (
            "groups.allow_again",
            |things| json!({ "key": key(), "group_id": things.group }),
            SIGNED_IN,
            Some(Yes),
        ),
    ]
}

/// The fields of a report.
pub fn report(about: Value) -> Value {
    json!({ "key": key(), "about": about, "reason": "spam", "details": "" })
}

/// Every request that names an item of a group: for non-members the item does not exist.
pub fn table_of_group() -> Vec<Row> {
    vec![
        ("posts.get", |things| json!({ "post_id": things.shared.post }), MEMBERS, Some(NotFound)),
        (
            "posts.refresh",
            |things| json!({ "post_ids": [things.shared.post] }),
            members(Yes, Gone),
            Some(Gone),
        ),
        ("posts.create", |things| post_for(things.group, "ours"), MEMBERS, Some(NotFound)),
        (
            "posts.update",
            |things| edit_for(of(things.group), things.shared.post, "ours"),
            THE_AUTHOR,
            Some(NotFound),
        ),
        // Authors may change the audience of their own public posts to a group.
        (
            "posts.update",
            |things| edit_for(of(things.group), things.post, "ours"),
            THE_AUTHOR,
            Some(NotFound),
        ),
        (
            "posts.delete",
            |things| json!({ "key": key(), "post_id": things.shared.post }),
            THE_AUTHOR,
            Some(NotFound),
        ),
        (
            "votes.set",
            |things| json!({ "key": key(), "post_id": things.shared.post, "vote": "positive" }),
            members(Yes, NoVote),
            Some(NoVote),
        ),
        (
            "comments.create",
            |things| json!({ "key": key(), "post_id": things.shared.post, "text": "hi" }),
            MEMBERS,
            Some(NotFound),
        ),
        // The author of the comment, the author of the post, and the owner of the group.
        (
            "comments.delete",
            |things| json!({ "key": key(), "comment_id": things.shared.comment }),
            [NotSignedIn, NotFound, NotFound, NotFound, Yes, NotSignedIn, Yes, NotFound, Yes],
            Some(NotFound),
        ),
        (
            "comments.mentionable",
            |things| json!({ "post_id": things.shared.post, "term": "" }),
            MEMBERS,
            Some(NotFound),
        ),
        ("comments.page", |things| json!({ "post_id": things.shared.post }), MEMBERS, Some(NotFound)),
        ("polls.create", |things| poll_for(things.group, "ours?", &["yes", "no"]), MEMBERS, Some(NotFound)),
        // Following its creator is no right to it.
        (
            "polls.vote",
            |things| json!({ "key": key(), "poll_id": things.shared.poll, "option": 0 }),
            [NotSignedIn, NotFound, NotFound, NotFound, PollVoted, NotSignedIn, Yes, NotFound, Yes],
            Some(NotFound),
        ),
        (
            "polls.voters",
            |things| json!({ "poll_id": things.shared.poll, "option": 0, "after": null }),
            THE_AUTHOR,
            Some(NotFound),
        ),
        (
            "polls.delete",
            |things| json!({ "key": key(), "poll_id": things.shared.poll }),
            THE_AUTHOR,
            Some(NotFound),
        ),
    ]
}

/// Requests about posts whose author left the group, or whose group was deleted: the author sees only the text.
pub fn table_of_what_is_left() -> Vec<Row> {
    vec![
        (
            "posts.get",
            |things| json!({ "post_id": things.shared.left_post }),
            [NotSignedIn, NotFound, NotFound, NotFound, Yes, NotSignedIn, Yes, Yes, Yes],
            Some(NotFound),
        ),
        ("comments.page", |things| json!({ "post_id": things.shared.left_post }), MEMBERS, Some(NotFound)),
        (
            "comments.create",
            |things| json!({ "key": key(), "post_id": things.shared.left_post, "text": "hi" }),
            MEMBERS,
            Some(NotFound),
        ),
        (
            "posts.update",
            |things| edit_for(json!({ "type": "group", "group_id": null }), things.shared.left_post, "mine"),
            THE_EX_MEMBER,
            Some(NotFound),
        ),
        (
            "posts.update",
            |things| edit_for(of(things.group), things.shared.left_post, "mine"),
            NOBODY,
            Some(NotFound),
        ),
        (
            "posts.delete",
            |things| json!({ "key": key(), "post_id": things.shared.left_post }),
            THE_EX_MEMBER,
            Some(NotFound),
        ),
        ("posts.get", |things| json!({ "post_id": things.shared.orphan }), THE_AUTHOR, Some(NotFound)),
        ("comments.page", |things| json!({ "post_id": things.shared.orphan }), NOBODY, Some(NotFound)),
        (
            "comments.create",
            |things| json!({ "key": key(), "post_id": things.shared.orphan, "text": "hi" }),
            NOBODY,
            Some(NotFound),
        ),
        (
            "comments.mentionable",
            |things| json!({ "post_id": things.shared.orphan, "term": "" }),
            NOBODY,
            Some(NotFound),
        ),
        (
            "posts.delete",
            |things| json!({ "key": key(), "post_id": things.shared.orphan }),
            THE_AUTHOR,
            Some(NotFound),
        ),
    ]
}

/// A mood for the slot that it is in UTC.
pub fn mood() -> Value {
    let slot = if Clock::Real.now_ms() % DAY_MS < 15 * DAY_MS / 24 { "morning" } else { "evening" };
    json!({ "key": key(), "slot": slot, "mood": "Cozy", "zone": "UTC" })
}

const DAY_MS: i64 = 24 * 3_600_000;

/// A token with a valid shape that belongs to no link.
pub const NO_TOKEN: &str = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

fn code(things: Things) -> String {
    String::from_utf8_lossy(&things.invite).into_owned()
}

pub fn new_email() -> String {
    static NEXT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    email_of(&format!("new {}", NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed)))
}

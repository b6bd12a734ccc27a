//! What the tables of permissions are made of: viewers, items, and the expected result of a request.

use serde_json::Value;

/// The expected result of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    Yes,
    NotSignedIn,
    NotFound,
    UploadGone,
    LinkExpired,
    PasskeyUnknown,
    PollVoted,
    Invalid,
    InviteExpired,
    /// `ok`, whose `gone` lists the item.
    Gone,
    /// A vote that is not stored.
    NoVote,
}

use Then::{
    Gone, Invalid, InviteExpired, LinkExpired, NoVote, NotFound, NotSignedIn, PasskeyUnknown, PollVoted,
    UploadGone, Yes,
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
            Some("passkey_unknown") => PasskeyUnknown,
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

/// The viewers whose results follow from the table. blocked, blocking: as if the author's items did not exist. muting:
/// like a stranger. suspended: has no login.
pub const RESTRICTED_VIEWERS: [&str; 4] = ["blocked", "blocking", "muting", "suspended"];

/// Returns the expected result for one of [`RESTRICTED_VIEWERS`].
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

/// The expected result for each of [`VIEWERS`] but the admin.
pub type Columns = [Then; 9];

/// The items of requests.
#[derive(Clone, Copy)]
pub struct Things {
    pub author: i64,
    pub post: i64,
    /// Another user's comment under that post.
    pub comment: i64,
    /// The author's upload: all chunks sent, not committed.
    pub upload: u128,
    /// The author's, committed, to be a photo.
    pub photo: u128,
    /// The author's import: all chunks sent, not read.
    pub import: i64,
    /// The author's import that is over.
    pub past_import: i64,
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
    /// The items of the group.
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
    /// The ex-member's post, written while they were in the group.
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
    import: 7,
    past_import: 7,
    notification: 7,
    poll: 7,
    group: 7,
    other: 7,
    member: 7,
    invite: *b"AAAAAAAAAAAAAAAAAAAAAA",
    shared: Shared { post: 7, comment: 7, poll: 7, left_post: 7, orphan: 7 },
};

/// Requests that change more than their item: logins, accounts, blocks and mutes. The scene is made again after one
/// that was granted.
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

pub const EVERYBODY: Columns = [Yes; 9];
pub const SIGNED_IN: Columns = all(Yes);
pub const THE_AUTHOR: Columns =
    [NotSignedIn, NotFound, NotFound, NotFound, Yes, NotSignedIn, NotFound, NotFound, NotFound];
pub const THE_SENDER: Columns =
    [NotSignedIn, UploadGone, UploadGone, UploadGone, Yes, NotSignedIn, UploadGone, UploadGone, UploadGone];
pub const THE_READERS: Columns = [NotSignedIn, Yes, Yes, Yes, NotFound, NotSignedIn, Yes, Yes, Yes];
pub const THE_OTHERS: Columns = [NotSignedIn, Yes, Yes, Yes, Invalid, NotSignedIn, Yes, Yes, Yes];
pub const THE_OWNER: Columns =
    [NotSignedIn, NotFound, NotFound, NotFound, NotFound, NotSignedIn, NotFound, NotFound, Yes];
pub const MEMBERS: Columns = members(Yes, NotFound);
pub const THE_OTHER_MEMBERS: Columns =
    [NotSignedIn, NotFound, NotFound, NotFound, Yes, NotSignedIn, Yes, NotFound, NotFound];
pub const THE_EX_MEMBER: Columns =
    [NotSignedIn, NotFound, NotFound, NotFound, NotFound, NotSignedIn, NotFound, Yes, NotFound];
// No one may see it, although some know that it existed.
pub const NOBODY: Columns = all(NotFound);
// The link of a mail works for any client that has it, signed in or not; here no one has it.
pub const ANY_CLIENT: Columns = [LinkExpired; 9];

/// The same result for all signed-in viewers.
const fn all(then: Then) -> Columns {
    [NotSignedIn, then, then, then, then, NotSignedIn, then, then, then]
}

/// One result for members of the group, another for everyone else.
pub const fn members(then: Then, others: Then) -> Columns {
    [NotSignedIn, others, others, others, then, NotSignedIn, then, others, then]
}

//! The table of deliveries: who receives which events.

use std::collections::BTreeMap;

/// The users who are signed in during the events below.
pub const WATCHERS: [&str; 12] = [
    "author",
    "author's tab",
    "follower",
    "shows the post",
    "shows the profile",
    "followed once",
    "stranger",
    "showed the post",
    "showed the profile",
    "doer",
    "doer's tab",
    "admin",
];

/// The recipients of each event, besides the user who caused it.
pub fn delivered() -> BTreeMap<&'static str, &'static [&'static str]> {
    BTreeMap::from([
        ("posts.created", ["author", "author's tab", "follower", "shows the profile"].as_slice()),
        ("posts.updated", &["author", "author's tab", "follower", "shows the profile", "shows the post"]),
        ("posts.deleted", &["author", "author's tab", "follower", "shows the profile", "shows the post"]),
        ("comments.created", &["author", "shows the post"]),
        ("comments.deleted", &["author", "shows the post"]),
        ("votes.changed", &["doer", "doer's tab"]),
        ("votes.counted", &["author", "author's tab"]),
        ("follows.changed", &["doer", "doer's tab"]),
        ("profiles.counted", &["shows the profile"]),
        ("profiles.changed", &["author", "author's tab", "shows the profile"]),
        ("polls.created", &["author", "author's tab", "follower"]),
        ("polls.deleted", &["author", "author's tab", "follower"]),
        ("polls.voted", &["doer", "doer's tab"]),
        // Of the users who see the poll, the one who voted.
        ("polls.counted", &["doer", "doer's tab"]),
        // Any signed-in user may show another's name.
        ("users.changed", &WATCHERS),
        ("users.deleted", &WATCHERS),
        // Any of them may show a post of the author.
        ("comments.allowed", &WATCHERS[2..]),
        ("account.changed", &["author", "author's tab"]),
        ("people.changed", &["author", "author's tab"]),
        ("users.returned", &["author", "author's tab"]),
        ("theme.changed", &WATCHERS),
        ("admin.changed", &["admin"]),
        ("invites.changed", &["author", "author's tab"]),
        ("notifications.created", &["author", "author's tab"]),
        ("notifications.seen", &["author", "author's tab"]),
        ("notifications.deleted", &["author", "author's tab"]),
        ("moods.changed", &["author", "author's tab", "follower"]),
    ])
}

/// The users who are signed in during the events of a group, in order of the story.
pub const GROUP_WATCHERS: [&str; 11] = [
    "owner",
    "owner's tab",
    "author",
    "author's tab",
    "member",
    "shows the post",
    "follower",
    "shows the profile",
    "removed",
    "left",
    "stranger",
];

/// The recipients of each event of a group, besides the user who caused it.
pub fn with_group() -> BTreeMap<&'static str, &'static [&'static str]> {
    const MEMBERS: &[&str] = &["owner", "owner's tab", "author", "author's tab", "member", "shows the post"];
    BTreeMap::from([
        ("groups.created", ["owner", "owner's tab"].as_slice()),
        ("groups.renamed", MEMBERS),
        ("groups.joined", MEMBERS),
        ("groups.left", MEMBERS),
        ("groups.deleted", MEMBERS),
        ("posts.created", MEMBERS),
        ("posts.updated", MEMBERS),
        ("posts.deleted", MEMBERS),
        ("comments.created", &["author", "shows the post"]),
        ("comments.deleted", &["author", "shows the post"]),
        ("notifications.created", &["author", "author's tab"]),
        ("notifications.deleted", &["author", "author's tab"]),
        ("votes.changed", &["member"]),
        ("votes.counted", &["author", "author's tab"]),
        ("polls.created", MEMBERS),
        ("polls.voted", &["member"]),
        ("polls.counted", &["member"]),
        ("polls.deleted", MEMBERS),
    ])
}

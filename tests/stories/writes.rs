//! Every kind of write once, here or by `send_writes` of other stories. Each is sent as its test wishes: `sequence.rs`
//! watches what others notice of it, `cuts.rs` loses its reply.

use std::collections::BTreeSet;
use std::future::Future;

use serde_json::{Value, json};

use crate::support::person::{PASSWORD, Person};
use crate::support::server::TestServer;
use crate::{admins, groups, invites, logins, polls, posts, profiles};

/// Requests that are not sent here: they write nothing to the database, or have a story of their own (`auth.undo_email`,
/// in `emails.rs`).
const READS: &[&str] = &[
    "admin.health",
    "admin.log",
    "admin.people",
    "admin.reports",
    "account.export",
    "auth.logins",
    "comments.mentionable",
    "comments.page",
    "follows.page",
    "groups.candidates",
    "groups.get",
    "groups.left_of_mine",
    "groups.not_again",
    "invites.all",
    "invites.get",
    "invites.list",
    "groups.list",
    "moods.today",
    "notifications.page",
    "people.hidden",
    "polls.list",
    "polls.tallies",
    "polls.voters",
    "posts.by_author",
    "posts.feed",
    "posts.get",
    "posts.refresh",
    "profiles.get",
    "search.names",
    "search.people",
    "theme.get",
    "theme.schedule",
    "uploads.begin",
    "uploads.cancel",
    "uploads.chunk",
    "uploads.commit",
    "auth.undo_email",
];

/// Sends writes, and proves something of each.
///
/// `frames` is how many frames of events a write sends, to all sockets together. Ana, Ben and Cleo have one each, and so
/// has a stranger, if there is one. Counts are not among them: they are held back, and go to those who show the thing. A
/// first follow, photo or invitation is also a first step, of which the user's own sockets receive one frame.
pub trait Sender {
    /// Sends a request with a new key, as this user; returns the reply.
    async fn send(&mut self, who: &Person, op: &'static str, frames: u64, fields: Value) -> Value;

    /// Sends a request with a new key, as a guest.
    async fn send_as_guest(&mut self, op: &'static str, frames: u64, fields: Value) -> Value;

    /// Waits for the reply to a request that is not to be repeated, because it has no key or stores none.
    async fn send_once(&mut self, op: &'static str, frames: u64, reply: impl Future<Output = Value>)
    -> Value;
}

pub fn id_of(ok: &Value, what: &str) -> i64 {
    ok[what]["id"].as_i64().unwrap()
}

/// Sends every kind of write, on a server that has only these people and perhaps a stranger to them.
pub async fn send_all(server: &TestServer, people: &[Person; 3], sender: &mut impl Sender) {
    let [ana, ben, cleo] = people;
    let follow = json!({ "user_id": ana.id, "following": true });
    sender.send(ben, "follows.set", 3, follow.clone()).await;
    // A follow that changes nothing does not store its key.
    sender.send_once("follows.set", 0, ben.follows(ana)).await;
    sender.send(cleo, "follows.set", 3, follow).await;
    let post_id = posts::send_writes(people, sender).await;
    groups::send_writes(people, post_id, sender).await;
    polls::send_writes(ana, sender).await;
    profiles::send_writes(ana, sender).await;
    let code = invites::send_writes(ana, sender).await;

    // A follow that its target ends, and a person who is hidden and seen again.
    for (op, frames, whom) in [
        ("follows.remove", 1, ben),
        ("people.mute", 2, ben),
        ("people.unmute", 1, ben),
        ("people.block", 4, cleo),
        ("people.unblock", 3, cleo),
    ] {
        sender.send(ana, op, frames, json!({ "user_id": whom.id })).await;
    }
    let doomed = ana.posts("cheap bowls").await;
    logins::send_writes(server, ana, ben, sender).await;
    let sign_up =
        json!({ "email": "emil@people.example.org", "password": PASSWORD, "name": "Emil", "invite": code });
    let emil = sender.send_as_guest("auth.sign_up", 0, sign_up).await;
    // An account that ends takes much with it: still one step.
    ben.comments(ben.posts("mine").await, "hi").await;
    ben.asks_poll("Coffee?", &["yes", "no"]).await;
    let ended = ben.asks("account.delete", json!({ "password": PASSWORD }));
    sender.send_once("account.delete", 3, ended).await;
    admins::send_writes(server, cleo, &emil["me"]["id"], doomed, sender).await;
}

/// Asserts that every request that writes was sent.
pub fn assert_all_sent(sent: &BTreeSet<&str>) {
    let all = mellow::features::ops().into_iter();
    let missing: Vec<&str> = all.filter(|op| !sent.contains(op) && !READS.contains(op)).collect();
    assert!(missing.is_empty(), "writes that tests/stories/writes.rs does not send: {missing:?}");
}

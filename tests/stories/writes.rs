//! Sends every kind of write once, from here or from the `writes` of a feature. The [`Sender`] decides how:
//! `sequence.rs` watches what others receive, `cuts.rs` loses the reply.

use std::collections::BTreeSet;

use futures_util::future::LocalBoxFuture;
use serde_json::{Value, json};

use crate::feature::all;
use crate::support::person::{PASSWORD, Person, post};
use crate::support::server::TestServer;
use crate::{FEATURES, admins, logins};

/// Sends writes, and proves something of each.
///
/// `frames` is how many frames of events a write sends, to all sockets together. Ana, Ben and Cleo have one each, and
/// so has a stranger, if there is one. Counts are not among them: they are held back, and go to those who show the
/// thing. A first follow, photo or invitation is also a first step, of which the user's own sockets receive one frame.
pub trait Sender {
    /// Sends a request with a new key, as this user; returns the reply.
    fn send<'a>(
        &'a mut self,
        who: &'a Person,
        op: &'static str,
        frames: u64,
        fields: Value,
    ) -> LocalBoxFuture<'a, Value>;

    /// Sends a request with a new key, as a guest.
    fn send_as_guest<'a>(
        &'a mut self,
        op: &'static str,
        frames: u64,
        fields: Value,
    ) -> LocalBoxFuture<'a, Value>;

    /// Waits for the reply to a request that is not to be repeated, because it has no key or stores none.
    fn send_once<'a>(
        &'a mut self,
        op: &'static str,
        frames: u64,
        reply: LocalBoxFuture<'a, Value>,
    ) -> LocalBoxFuture<'a, Value>;
}

pub fn id_of(ok: &Value, what: &str) -> i64 {
    ok[what]["id"].as_i64().unwrap()
}

/// The people who send writes. Ben and Cleo follow Ana.
pub struct Stage<'a> {
    pub server: &'a TestServer,
    pub ana: &'a Person,
    pub ben: &'a Person,
    pub cleo: &'a Person,
    /// Ana's public post.
    pub post_id: i64,
}

/// Sends every kind of write, on a server that has only these people and perhaps a stranger to them.
pub async fn send_all(server: &TestServer, people: &[Person; 3], sender: &mut dyn Sender) {
    let [ana, ben, cleo] = people;
    let follow = json!({ "user_id": ana.id, "following": true });
    sender.send(ben, "follows.set", 3, follow.clone()).await;
    // A follow that changes nothing does not store its key.
    sender.send_once("follows.set", 0, Box::pin(ben.follows(ana))).await;
    sender.send(cleo, "follows.set", 3, follow).await;
    let post_id = id_of(&sender.send(ana, "posts.create", 3, post("hello")).await, "post");
    let stage = Stage { server, ana, ben, cleo, post_id };
    for feature in FEATURES {
        (feature.writes)(&stage, sender).await;
    }

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
    let invite = ana.asks("invites.list", json!({})).await["invites"][0]["code"].clone();
    logins::send_writes(&stage, sender).await;
    let sign_up =
        json!({ "email": "emil@people.example.org", "password": PASSWORD, "name": "Emil", "invite": invite });
    let emil = sender.send_as_guest("auth.sign_up", 0, sign_up).await;
    // Deleting an account deletes much, and still raises the `seq` by one.
    ben.comments(ben.posts("mine").await, "hi").await;
    ben.asks_poll("Coffee?", &["yes", "no"]).await;
    let ended = ben.asks("account.delete", json!({ "password": PASSWORD }));
    sender.send_once("account.delete", 3, Box::pin(ended)).await;
    admins::send_writes(&stage, &emil["me"]["id"], doomed, sender).await;
}

/// Asserts that every request that writes was sent.
pub fn assert_all_sent(sent: &BTreeSet<&str>) {
    let reads = all(|feature| feature.reads);
    let ops = mellow::features::ops().into_iter();
    let missing: Vec<&str> = ops.filter(|op| !sent.contains(op) && !reads.contains(op)).collect();
    assert!(missing.is_empty(), "no `writes` or `reads` of a feature has {missing:?}");
    let both: Vec<&&str> = reads.iter().filter(|op| sent.contains(*op)).collect();
    assert!(both.is_empty(), "{both:?} was sent, so it is no read");
}

//! Every kind of write once, each sent as its test wishes: `sequence.rs` watches what others notice of it, `cuts.rs` loses
//! its reply.

use std::collections::BTreeSet;
use std::future::Future;

use serde_json::{Value, json};

use crate::support::groups::{edit_for, of, poll_for, post_for};
use crate::support::person::{PASSWORD, Person, edit, poll, post, profile};
use crate::support::picture::jpeg;
use crate::support::server::TestServer;

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

fn id_of(ok: &Value, what: &str) -> i64 {
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
    let post_id = send_post(people, sender).await;
    send_group(people, post_id, sender).await;
    let made = sender.send(ana, "polls.create", 3, poll("Tea?", &["yes", "no"])).await;
    sender.send(ana, "polls.delete", 3, json!({ "poll_id": id_of(&made, "poll") })).await;
    send_profile(ana, sender).await;
    let code = send_invites(ana, sender).await;

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
    send_logins_and_mail(server, ana, ben, sender).await;
    let sign_up =
        json!({ "email": "emil@people.example.org", "password": PASSWORD, "name": "Emil", "invite": code });
    let emil = sender.send_as_guest("auth.sign_up", 0, sign_up).await;
    // An account that ends takes much with it: still one step.
    ben.comments(ben.posts("mine").await, "hi").await;
    ben.asks_poll("Coffee?", &["yes", "no"]).await;
    let ended = ben.asks("account.delete", json!({ "password": PASSWORD }));
    sender.send_once("account.delete", 3, ended).await;
    send_as_admin(server, cleo, &emil["me"]["id"], doomed, sender).await;
}

/// A post, its votes, its comments and what they notify of; returns its id.
async fn send_post([ana, ben, cleo]: &[Person; 3], sender: &mut impl Sender) -> i64 {
    let post_id = id_of(&sender.send(ana, "posts.create", 3, post("hello")).await, "post");
    // Each kind of vote looks like each other, and like one on a post that is not there.
    for (id, vote, frames) in [
        (post_id, "positive", 1),
        (post_id, "negative", 1),
        (post_id, "negative", 1),
        (post_id, "none", 1),
        (post_id, "negative", 1),
        (7, "negative", 0),
        (7, "positive", 0),
    ] {
        sender.send(ben, "votes.set", frames, json!({ "post_id": id, "vote": vote })).await;
    }
    let about = json!({ "type": "post", "post_id": post_id });
    sender.send(ben, "reports.create", 0, json!({ "about": about, "reason": "spam", "details": "" })).await;
    // A comment that notifies two users, and its end.
    let text = format!("{} look", cleo.mention());
    let said = sender.send(ben, "comments.create", 3, json!({ "post_id": post_id, "text": text })).await;
    let notification_id = ana.reads_notifications().await["notifications"][0]["id"].clone();
    sender.send(ana, "notifications.read", 1, json!({})).await;
    sender.send(ana, "notifications.read", 0, json!({})).await;
    sender.send(ana, "notifications.delete", 1, json!({ "notification_id": notification_id })).await;
    sender.send(ben, "comments.delete", 2, json!({ "comment_id": id_of(&said, "comment") })).await;
    post_id
}

/// A group, what is shared with it, and edits of a post of Ana's for fewer people.
async fn send_group([ana, ben, cleo]: &[Person; 3], post_id: i64, sender: &mut impl Sender) {
    let group_id = id_of(&sender.send(ana, "groups.create", 1, json!({ "name": "Friends" })).await, "group");
    let add = json!({ "group_id": group_id, "user_ids": [ben.id, cleo.id] });
    sender.send(ana, "groups.add", 3, add).await;
    let renamed = json!({ "group_id": group_id, "name": "Close friends" });
    sender.send(ana, "groups.rename", 3, renamed.clone()).await;
    sender.send(ana, "groups.rename", 0, renamed).await;
    let shared = id_of(&sender.send(ben, "posts.create", 3, post_for(group_id, "for us")).await, "post");
    let asked = sender.send(ben, "polls.create", 3, poll_for(group_id, "Tea?", &["yes", "no"])).await;
    sender.send(cleo, "polls.vote", 1, json!({ "poll_id": id_of(&asked, "poll"), "option": 0 })).await;
    let remove = json!({ "group_id": group_id, "user_id": cleo.id });
    sender.send(ana, "groups.remove", 3, remove).await;
    let left = json!({ "group_id": group_id });
    sender.send(ben, "groups.leave", 2, left.clone()).await;
    sender.send(ben, "groups.allow_again", 0, left.clone()).await;
    sender.send(ben, "groups.allow_again", 0, left).await;
    sender.send(ben, "posts.delete", 2, json!({ "post_id": shared })).await;
    // An edit of words, one for fewer people with three events, and one that changes nothing.
    sender.send(ana, "posts.update", 3, edit(post_id, None, "hello again")).await;
    let narrowed = edit_for(of(group_id), post_id, "for us");
    sender.send(ana, "posts.update", 4, narrowed.clone()).await;
    sender.send(ana, "posts.update", 0, narrowed).await;
    sender.send(ana, "groups.delete", 1, json!({ "group_id": group_id })).await;
}

/// A mood, a profile and its settings.
async fn send_profile(ana: &Person, sender: &mut impl Sender) {
    let day = ana.asks("moods.today", json!({ "zone": "Etc/UTC" })).await;
    let mood = json!({ "slot": day["mine"]["slot"], "mood": "Cozy", "zone": "Etc/UTC" });
    sender.send(ana, "moods.set", 3, mood).await;
    sender.send(ana, "profiles.update", 5, profile("Ana B", "hi")).await;
    sender.send(ana, "profiles.update", 0, profile("Ana B", "hi")).await;
    sender.send(ana, "account.set_privacy", 2, json!({ "hide_numbers": true })).await;
    sender.send(ana, "account.set_privacy", 4, json!({ "commenters": "followers" })).await;
    sender.send(ana, "account.set_privacy", 4, json!({ "commenters": "everyone" })).await;
    let upload = ana.uploads_photo("me.jpg", &jpeg(8, 6)).await;
    sender.send(ana, "profiles.set_photo", 6, json!({ "upload": upload })).await;
}

/// Two invitations, of which one is revoked; returns the code of the other. Then the first steps, which are over.
async fn send_invites(ana: &Person, sender: &mut impl Sender) -> Value {
    let made = sender.send(ana, "invites.create", 2, json!({})).await;
    let code = made["invites"][0]["code"].clone();
    let more = sender.send(ana, "invites.create", 1, json!({})).await;
    let is_other = |invite: &&Value| invite["code"] != code;
    let other = more["invites"].as_array().unwrap().iter().find(is_other).unwrap()["code"].clone();
    sender.send(ana, "invites.revoke", 1, json!({ "code": other })).await;
    sender.send(ana, "newcomers.dismiss", 1, json!({ "what": "steps" })).await;
    sender.send(ana, "newcomers.dismiss", 0, json!({ "what": "steps" })).await;
    code
}

/// Logins and mail: of an address that is there and of one that is not.
async fn send_logins_and_mail(server: &TestServer, ana: &Person, ben: &Person, sender: &mut impl Sender) {
    let guest = server.guest().await;
    let asks = async |op: &str, fields: Value| guest.asks(op, fields).await.unwrap();
    for email in [ana.email.as_str(), "nobody@people.example.org"] {
        let reply = asks("auth.request_reset", json!({ "email": email }));
        sender.send_once("auth.request_reset", 0, reply).await;
    }
    server.mail(1).await;
    sender.send(ana, "auth.send_reset", 0, json!({})).await;
    server.mail(2).await;
    let change = json!({ "email": "ana.new@people.example.org", "password": PASSWORD });
    sender.send(ana, "auth.change_email", 1, change).await;
    let token = server.mail_to("ana.new@people.example.org", 4).await.token().to_owned();
    sender.send(ana, "auth.confirm_email", 1, json!({ "token": token })).await;
    sender.send(ana, "auth.log_out_others", 0, json!({})).await;
    asks("auth.request_reset", json!({ "email": "ana.new@people.example.org" })).await;
    let token = server.mail(5).await.token().to_owned();
    let reset = json!({ "token": token, "password": "a new and longer password" });
    sender.send_as_guest("auth.reset_password", 0, reset).await;
    let log_in = json!({ "email": ben.email, "password": PASSWORD });
    sender.send_once("auth.log_in", 0, asks("auth.log_in", log_in)).await;
    sender.send_once("auth.log_out", 0, asks("auth.log_out", json!({}))).await;
}

/// Cleo becomes an admin. Only an admin's own page receives what admins do.
async fn send_as_admin(
    server: &TestServer,
    cleo: &Person,
    emil_id: &Value,
    doomed: i64,
    sender: &mut impl Sender,
) {
    assert_eq!(server.host(&["user", "promote", &cleo.email]).await.code, 0);
    cleo.receives("account.changed").await;
    let day = "2027-01-01";
    let theme = json!({ "day": day, "title": "Boats", "description": "Which?", "tag": "b" });
    sender.send(cleo, "theme.set", 1, theme).await;
    sender.send(cleo, "theme.clear", 1, json!({ "day": day })).await;
    sender.send_once("admin.back_up", 1, cleo.asks("admin.back_up", json!({}))).await;
    for (about, op) in [
        (json!({ "type": "user", "user_id": emil_id }), "admin.dismiss_report"),
        (json!({ "type": "post", "post_id": doomed }), "admin.remove_content"),
    ] {
        let report = json!({ "about": about, "reason": "spam", "details": "" });
        sender.send(cleo, "reports.create", 2, report).await;
        let open = cleo.asks("admin.reports", json!({})).await["reports"][0]["id"].clone();
        sender.send(cleo, op, 2, json!({ "report_id": open })).await;
    }
    let link = cleo.asks("admin.reset_link", json!({ "user_id": emil_id }));
    sender.send_once("admin.reset_link", 1, link).await;
    sender.send(cleo, "admin.end_logins", 1, json!({ "user_id": emil_id })).await;
    sender.send(cleo, "admin.suspend", 3, json!({ "user_id": emil_id, "suspended": true })).await;
    sender.send(cleo, "admin.suspend", 3, json!({ "user_id": emil_id, "suspended": false })).await;
    let deleted = cleo.asks("admin.delete", json!({ "user_id": emil_id, "password": PASSWORD }));
    sender.send_once("admin.delete", 3, deleted).await;
}

/// Asserts that every request that writes was sent.
pub fn assert_all_sent(sent: &BTreeSet<&str>) {
    let all = mellow::features::registry::ops().into_iter();
    let missing: Vec<&str> = all.filter(|op| !sent.contains(op) && !READS.contains(op)).collect();
    assert!(missing.is_empty(), "writes that tests/stories/writes.rs does not send: {missing:?}");
}

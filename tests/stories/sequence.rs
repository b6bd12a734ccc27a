//! LV13: numbers reveal that something was written, never what. A stranger probes as fast as allowed while others make
//! every kind of write, and finds one step for each. Each kind of write has a budget of frames, and the stranger, who
//! follows nobody and shows nothing, gets none but those that go to everybody.

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;

use serde_json::{Value, json};

use crate::support::groups::{of, poll_for, post_for};
use crate::support::http;
use crate::support::person::{PASSWORD, Person, edit, poll, post, profile};
use crate::support::picture::jpeg;
use crate::support::server::TestServer;
use crate::support::value::key;

/// Requests that write nothing to the database, or read.
pub const OTHERS: [&str; 37] = [
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

/// The most frames of events that one write of a kind sends in this story, to all sockets together. Ana, Ben, Cleo and
/// the stranger have one each; Ben and Cleo follow Ana, and the three are the group. Counts are not among them: they are
/// held back, and go to those who show the thing. A first follow, photo or invitation is also a first step, of which the
/// user's own sockets receive one frame.
const BUDGET: [(&str, u64); 51] = [
    ("account.delete", 4),
    ("account.set_privacy", 4),
    ("admin.back_up", 1),
    ("admin.delete", 3),
    ("admin.dismiss_report", 2),
    ("admin.end_logins", 1),
    ("admin.remove_content", 2),
    ("admin.reset_link", 1),
    ("admin.suspend", 3),
    ("auth.change_email", 1),
    ("auth.confirm_email", 1),
    ("auth.log_in", 0),
    ("auth.log_out", 0),
    ("auth.log_out_others", 0),
    ("auth.request_reset", 0),
    ("auth.reset_password", 0),
    ("auth.send_reset", 0),
    ("auth.sign_up", 0),
    ("comments.create", 3),
    ("comments.delete", 2),
    ("follows.remove", 1),
    ("follows.set", 3),
    ("groups.add", 3),
    ("groups.allow_again", 0),
    ("groups.create", 1),
    ("groups.delete", 1),
    ("groups.leave", 2),
    ("groups.remove", 3),
    ("groups.rename", 3),
    ("invites.create", 2),
    ("invites.revoke", 1),
    ("moods.set", 3),
    ("newcomers.dismiss", 1),
    ("notifications.delete", 1),
    ("notifications.read", 1),
    ("people.block", 4),
    ("people.mute", 2),
    ("people.unblock", 3),
    ("people.unmute", 1),
    ("polls.create", 3),
    ("polls.delete", 3),
    ("polls.vote", 1),
    ("posts.create", 3),
    ("posts.delete", 2),
    ("posts.update", 4),
    ("profiles.set_photo", 6),
    ("profiles.update", 5),
    ("reports.create", 2),
    ("theme.clear", 1),
    ("theme.set", 1),
    ("votes.set", 1),
];

/// The events that go to everybody who is signed in: a name, a photo, an account and
/// the box for a comment are shown wherever its user is.
const FOR_ALL: [&str; 4] = ["users.changed", "users.deleted", "users.returned", "comments.allowed"];

/// The stranger, and the requests that were sent so far.
struct Watched<'a> {
    server: &'a TestServer,
    stranger: &'a Person,
    played: BTreeSet<String>,
    /// The most frames that one write of each kind sent.
    spent: BTreeMap<String, u64>,
}

impl Watched<'_> {
    fn head(&self) -> i64 {
        self.server.look().query_row("select seq from site", [], |row| row.get(0)).unwrap()
    }

    /// A user sends a request while the stranger probes. The stranger sees one step, to the `seq` of the reply.
    async fn step(&mut self, who: &Person, op: &str, fields: Value) -> Value {
        let ok = self.one_step(op, who.asks(op, fields)).await;
        if let Some(seq) = ok["seq"].as_i64() {
            assert_eq!(seq, self.head(), "{op}");
        }
        ok
    }

    async fn one_step<T>(&mut self, op: &str, asking: impl Future<Output = T>) -> T {
        self.played.insert(op.into());
        let before = self.head();
        while self.stranger.asks("live.probe", json!({})).await["seq"].as_i64().unwrap() < before {}
        let frames = self.frames_so_far().await;
        let mut asking = std::pin::pin!(asking);
        let mut seen = BTreeSet::new();
        let done = loop {
            tokio::select! {
                biased;
                done = &mut asking => break done,
                probed = self.stranger.asks("live.probe", json!({})) => {
                    seen.insert(probed["seq"].as_i64().unwrap());
                }
            }
        };
        assert_eq!(self.head(), before + 1, "{op}: one step in all");
        // The stranger soon sees its `seq`, and no other number before it.
        while !seen.contains(&(before + 1)) {
            seen.insert(self.stranger.asks("live.probe", json!({})).await["seq"].as_i64().unwrap());
        }
        assert!(seen.iter().all(|seq| [before, before + 1].contains(seq)), "{op}: {before}, {seen:?}");
        let frames = self.frames_so_far().await - frames;
        let most = self.spent.entry(op.into()).or_default();
        *most = (*most).max(frames);
        for event in self.stranger.socket.unread_events() {
            assert!(FOR_ALL.contains(&event["ev"].as_str().unwrap()), "{op} sent a stranger {event}");
        }
        done
    }

    async fn frames_so_far(&self) -> u64 {
        let figures = http::ask(self.server.at, "GET", "/metrics", &[], "").await.body;
        let frames = figures.lines().filter(|line| line.starts_with("mellow_frames_total{"));
        let frames = frames.filter(|line| !line.contains(".counted"));
        frames.map(|line| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap()).sum()
    }
}

#[tokio::test]
async fn lv13_every_kind_of_write_raises_the_seq_by_one_for_others() {
    // With one worker, an event that the stranger received was sent to everybody.
    let server = TestServer::with(&["requests_per_second=0", "workers=1"]).await;
    let [ana, ben, cleo, stranger] = server.people(["Ana", "Ben", "Cleo", "Dora"]).await;
    let mut watched =
        Watched { server: &server, stranger: &stranger, played: BTreeSet::new(), spent: BTreeMap::new() };

    let follow =
        |user: &Person, following| json!({ "key": key(), "user_id": user.id, "following": following });
    watched.step(&ben, "follows.set", follow(&ana, true)).await;
    watched.step(&ben, "follows.set", follow(&ana, true)).await;
    watched.step(&cleo, "follows.set", follow(&ana, true)).await;
    let id_of = |ok: &Value, what: &str| ok[what]["id"].as_i64().unwrap();
    let made = watched.step(&ana, "posts.create", post("hello")).await;
    let post_id = id_of(&made, "post");
    // Each kind of vote looks like each other, and like one on a post that is not there.
    for (id, vote) in [
        (post_id, "positive"),
        (post_id, "negative"),
        (post_id, "negative"),
        (post_id, "none"),
        (post_id, "negative"),
        (7, "negative"),
        (7, "positive"),
    ] {
        watched.step(&ben, "votes.set", json!({ "key": key(), "post_id": id, "vote": vote })).await;
    }
    let about = json!({ "type": "post", "post_id": post_id });
    let report = json!({ "key": key(), "about": about, "reason": "spam", "details": "" });
    watched.step(&ben, "reports.create", report).await;
    // A comment that notifies two users, and its end.
    let text = format!("{} look", cleo.mention());
    let said = watched
        .step(&ben, "comments.create", json!({ "key": key(), "post_id": post_id, "text": text }))
        .await;
    let delivered = ana.reads_notifications().await["notifications"][0]["id"].clone();
    watched.step(&ana, "notifications.read", json!({ "key": key() })).await;
    watched.step(&ana, "notifications.read", json!({ "key": key() })).await;
    watched.step(&ana, "notifications.delete", json!({ "key": key(), "notification_id": delivered })).await;
    watched.step(&ben, "comments.delete", json!({ "key": key(), "comment_id": said["comment"]["id"] })).await;

    let made = watched.step(&ana, "groups.create", json!({ "key": key(), "name": "Friends" })).await;
    let group_id = id_of(&made, "group");
    let group = |more: Value| {
        let mut fields = json!({ "key": key(), "group_id": group_id });
        fields.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        fields
    };
    watched.step(&ana, "groups.add", group(json!({ "user_ids": [ben.id, cleo.id] }))).await;
    watched.step(&ana, "groups.rename", group(json!({ "name": "Close friends" }))).await;
    watched.step(&ana, "groups.rename", group(json!({ "name": "Close friends" }))).await;
    let shared = watched.step(&ben, "posts.create", post_for(group_id, "for us")).await;
    let asked = watched.step(&ben, "polls.create", poll_for(group_id, "Tea?", &["yes", "no"])).await;
    let vote = json!({ "key": key(), "poll_id": asked["poll"]["id"], "option": 0 });
    watched.step(&cleo, "polls.vote", vote).await;
    watched.step(&ana, "groups.remove", group(json!({ "user_id": cleo.id }))).await;
    watched.step(&ben, "groups.leave", group(json!({}))).await;
    watched.step(&ben, "groups.allow_again", group(json!({}))).await;
    watched.step(&ben, "groups.allow_again", group(json!({}))).await;
    watched.step(&ben, "posts.delete", json!({ "key": key(), "post_id": shared["post"]["id"] })).await;
    // An edit of words, one for fewer people with three events, and one that changes nothing.
    watched.step(&ana, "posts.update", edit(post_id, None, "hello again")).await;
    let mut narrowed = edit(post_id, None, "for us");
    narrowed["audience"] = of(group_id);
    watched.step(&ana, "posts.update", narrowed.clone()).await;
    narrowed["key"] = key();
    watched.step(&ana, "posts.update", narrowed).await;
    watched.step(&ana, "groups.delete", group(json!({}))).await;
    let asked = watched.step(&ana, "polls.create", poll("Tea?", &["yes", "no"])).await;
    watched.step(&ana, "polls.delete", json!({ "key": key(), "poll_id": asked["poll"]["id"] })).await;

    let day = ana.asks("moods.today", json!({ "zone": "Etc/UTC" })).await;
    let mood = json!({ "key": key(), "slot": day["mine"]["slot"], "mood": "Cozy", "zone": "Etc/UTC" });
    watched.step(&ana, "moods.set", mood).await;
    watched.step(&ana, "profiles.update", profile("Ana B", "hi")).await;
    watched.step(&ana, "profiles.update", profile("Ana B", "hi")).await;
    watched.step(&ana, "account.set_privacy", json!({ "key": key(), "hide_numbers": true })).await;
    for commenters in ["followers", "everyone"] {
        let fields = json!({ "key": key(), "commenters": commenters });
        watched.step(&ana, "account.set_privacy", fields).await;
    }
    let upload = ana.uploads_photo("me.jpg", &jpeg(8, 6)).await;
    watched.step(&ana, "profiles.set_photo", json!({ "key": key(), "upload": upload })).await;

    let made = watched.step(&ana, "invites.create", json!({ "key": key() })).await;
    let code = made["invites"][0]["code"].clone();
    let more = watched.step(&ana, "invites.create", json!({ "key": key() })).await;
    let is_other = |invite: &&Value| invite["code"] != code;
    let other = more["invites"].as_array().unwrap().iter().find(is_other).unwrap()["code"].clone();
    watched.step(&ana, "invites.revoke", json!({ "key": key(), "code": other })).await;
    watched.step(&ana, "newcomers.dismiss", json!({ "key": key(), "what": "steps" })).await;
    watched.step(&ana, "newcomers.dismiss", json!({ "key": key(), "what": "steps" })).await;

    // A follow that its target ends, and a person who is hidden and seen again.
    for (op, whom) in [
        ("follows.remove", ben.id),
        ("people.mute", ben.id),
        ("people.unmute", ben.id),
        ("people.block", cleo.id),
        ("people.unblock", cleo.id),
    ] {
        watched.step(&ana, op, json!({ "key": key(), "user_id": whom })).await;
    }

    let doomed = ana.posts("cheap bowls").await;

    // Sign-in and mail: of an address that is there and of one that is not.
    let guest = server.guest().await;
    for email in [ana.email.as_str(), "nobody@people.example.org"] {
        let fields = json!({ "email": email });
        watched.one_step("auth.request_reset", guest.asks("auth.request_reset", fields)).await.unwrap();
    }
    server.mail(1).await;
    watched.step(&ana, "auth.send_reset", json!({ "key": key() })).await;
    server.mail(2).await;
    let change = json!({ "key": key(), "email": "ana.new@people.example.org", "password": PASSWORD });
    watched.step(&ana, "auth.change_email", change).await;
    let confirm = server.mail_to("ana.new@people.example.org", 4).await.token().to_owned();
    watched.step(&ana, "auth.confirm_email", json!({ "key": key(), "token": confirm })).await;
    watched.step(&ana, "auth.log_out_others", json!({ "key": key() })).await;
    guest.asks("auth.request_reset", json!({ "email": "ana.new@people.example.org" })).await.unwrap();
    let token = server.mail(5).await.token().to_owned();
    let reset = json!({ "key": key(), "token": token, "password": "a new and longer password" });
    watched.one_step("auth.reset_password", guest.asks("auth.reset_password", reset)).await.unwrap();
    let sign_up = json!({ "key": key(), "email": "emil@people.example.org", "password": PASSWORD, "name": "Emil", "invite": code });
    let emil = watched.one_step("auth.sign_up", guest.asks("auth.sign_up", sign_up)).await.unwrap();
    let phone = server.guest().await;
    let log_in = json!({ "email": ben.email, "password": PASSWORD });
    watched.one_step("auth.log_in", phone.asks("auth.log_in", log_in)).await.unwrap();
    watched.one_step("auth.log_out", phone.asks("auth.log_out", json!({}))).await.unwrap();
    // An account that ends takes much with it: still one step.
    ben.asks("comments.create", json!({ "key": key(), "post_id": ben.posts("mine").await, "text": "hi" }))
        .await;
    ben.asks_poll("Coffee?", &["yes", "no"]).await;
    watched.one_step("account.delete", ben.asks("account.delete", json!({ "password": PASSWORD }))).await;

    // An admin, whose own page is the only one that hears of it.
    assert_eq!(server.host(&["user", "promote", &cleo.email]).await.code, 0);
    cleo.receives("account.changed").await;
    let emil = emil["me"]["id"].clone();
    let theme =
        json!({ "key": key(), "day": "2027-01-01", "title": "Boats", "description": "Which?", "tag": "b" });
    watched.step(&cleo, "theme.set", theme).await;
    watched.step(&cleo, "theme.clear", json!({ "key": key(), "day": "2027-01-01" })).await;
    watched.step(&cleo, "admin.back_up", json!({})).await;
    let report = |about: Value| json!({ "key": key(), "about": about, "reason": "spam", "details": "" });
    for (about, op) in [
        (json!({ "type": "user", "user_id": emil }), "admin.dismiss_report"),
        (json!({ "type": "post", "post_id": doomed }), "admin.remove_content"),
    ] {
        watched.step(&cleo, "reports.create", report(about)).await;
        let open = cleo.asks("admin.reports", json!({})).await["reports"][0]["id"].clone();
        watched.step(&cleo, op, json!({ "key": key(), "report_id": open })).await;
    }
    watched.step(&cleo, "admin.reset_link", json!({ "user_id": emil })).await;
    watched.step(&cleo, "admin.end_logins", json!({ "key": key(), "user_id": emil })).await;
    for suspended in [true, false] {
        let suspend = json!({ "key": key(), "user_id": emil, "suspended": suspended });
        watched.step(&cleo, "admin.suspend", suspend).await;
    }
    watched.step(&cleo, "admin.delete", json!({ "user_id": emil, "password": PASSWORD })).await;

    let played: BTreeSet<&str> = watched.played.iter().map(String::as_str).chain(OTHERS).collect();
    let all: BTreeSet<&str> = mellow::features::registry::ops().into_iter().collect();
    let missing: Vec<_> = all.difference(&played).collect();
    assert!(missing.is_empty(), "writes that are not sent here: {missing:?}");
    let spent: Vec<(&str, u64)> = watched.spent.iter().map(|(op, frames)| (op.as_str(), *frames)).collect();
    assert_eq!(spent, BUDGET, "frames that one write of each kind sends");
}

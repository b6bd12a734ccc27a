//! R5: a connection is lost between a request and its reply, for every kind of write: the repeat with the same key finds it
//! done once, and gets the same answer.
//!
//! `MELLOW_CUTS=5000 cargo test --test stories r5_every` makes that many; `MELLOW_CUTS_SEED=7` repeats a run.

use std::collections::BTreeSet;
use std::time::Duration;

use mellow::seeded_random::SeededRandom;
use serde_json::{Value, json};

use crate::sequence::OTHERS;
use crate::support::groups::{poll_for, post_for};
use crate::support::person::{PASSWORD, Person, edit, email_of, post, profile};
use crate::support::picture::jpeg;
use crate::support::server::TestServer;
use crate::support::socket::Socket;
use crate::support::value::key;

/// Requests that write and have no key, and those whose links come by mail: their stories repeat them.
const ELSEWHERE: [&str; 11] = [
    "account.delete",
    "admin.back_up",
    "admin.delete",
    "admin.reset_link",
    "auth.change_email",
    "auth.confirm_email",
    "auth.log_in",
    "auth.log_out",
    "auth.request_reset",
    "auth.reset_password",
    "auth.send_reset",
];

struct Cuts<'a> {
    server: &'a TestServer,
    random: SeededRandom,
    made: usize,
    ops: BTreeSet<&'static str>,
}

impl Cuts<'_> {
    /// The number of the last write.
    fn head(&self) -> i64 {
        self.server.look().query_row("select seq from site", [], |row| row.get(0)).unwrap()
    }

    /// Sends something and loses the connection: at once, a moment later, or when the reply is there. Returns the reply
    /// of the last case.
    async fn is_cut(&mut self, socket: Socket, op: &str, fields: &Value) -> Option<Value> {
        let id = socket.sends(op, fields.clone()).await;
        match self.random.below(3) {
            0 => None,
            1 => {
                tokio::time::sleep(Duration::from_micros(self.random.below(3_000) as u64)).await;
                None
            }
            _ => Some(socket.answer_to(id).await.unwrap_or_else(|no| panic!("{op} {fields}: {no:?}"))),
        }
    }

    /// Somebody asks for something, loses the connection, and asks again, twice.
    async fn once(&mut self, who: &mut Person, op: &'static str, mut fields: Value) -> Value {
        fields["key"] = key();
        let before = self.head();
        let socket = Socket::open(who.at, Some(&who.cookie)).await;
        socket.hello().await;
        let lost = self.is_cut(socket, op, &fields).await;
        who.reconnects().await;
        let (first, second) = (who.asks(op, fields.clone()).await, who.asks(op, fields.clone()).await);
        assert_eq!(first, second, "{op} {fields}");
        assert!(lost.is_none_or(|lost| lost == first), "{op} {fields}: another answer than was lost");
        assert_eq!(self.head(), before + 1, "{op} {fields}: one write");
        self.made += 1;
        self.ops.insert(op);
        first
    }

    /// Somebody signs up and loses the connection.
    async fn signs_up(&mut self, name: &str) -> Person {
        let fields = json!({ "key": key(), "email": email_of(name), "password": PASSWORD, "name": name });
        let socket = self.server.guest().await;
        self.is_cut(socket, "auth.sign_up", &fields).await;
        let mut ids = BTreeSet::new();
        for _ in 0..2 {
            let ok = self.server.guest().await.asks("auth.sign_up", fields.clone()).await.unwrap();
            ids.insert(ok["me"]["id"].as_i64().unwrap());
        }
        assert_eq!(ids.len(), 1, "one account");
        self.made += 1;
        self.ops.insert("auth.sign_up");
        Person::logs_in(self.server.at, &email_of(name)).await
    }

    /// Every kind of write once. Cleo follows Ana.
    async fn round(&mut self, number: usize, [ana, ben, cleo]: &mut [Person; 3]) {
        let id_of = |ok: &Value, what: &str| ok[what]["id"].as_i64().unwrap();
        let follow =
            |person: &Person, following: bool| json!({ "user_id": person.id, "following": following });
        self.once(ben, "follows.set", follow(ana, true)).await;
        let post_id = id_of(&self.once(ana, "posts.create", post("hello")).await, "post");
        self.once(ben, "votes.set", json!({ "post_id": post_id, "vote": "positive" })).await;
        let text = json!({ "post_id": post_id, "text": format!("{} look", cleo.mention()) });
        let comment_id = id_of(&self.once(ben, "comments.create", text).await, "comment");
        let about = json!({ "type": "comment", "comment_id": comment_id });
        self.once(ana, "reports.create", json!({ "about": about, "reason": "spam", "details": "" })).await;
        self.once(ana, "notifications.read", json!({})).await;
        let notification_id = ana.reads_notifications().await["notifications"][0]["id"].clone();
        self.once(ana, "notifications.delete", json!({ "notification_id": notification_id })).await;
        self.once(ana, "posts.update", edit(post_id, None, "hello again")).await;
        self.once(ben, "comments.delete", json!({ "comment_id": comment_id })).await;

        let group_id = id_of(&self.once(ana, "groups.create", json!({ "name": "Friends" })).await, "group");
        let add = json!({ "group_id": group_id, "user_ids": [ben.id, cleo.id] });
        self.once(ana, "groups.add", add).await;
        self.once(ana, "groups.rename", json!({ "group_id": group_id, "name": "Close friends" })).await;
        let shared = id_of(&self.once(ben, "posts.create", post_for(group_id, "for us")).await, "post");
        let poll = poll_for(group_id, "Tea?", &["yes", "no"]);
        let poll_id = id_of(&self.once(ana, "polls.create", poll).await, "poll");
        self.once(cleo, "polls.vote", json!({ "poll_id": poll_id, "option": 1 })).await;
        self.once(ana, "polls.delete", json!({ "poll_id": poll_id })).await;
        self.once(ana, "groups.remove", json!({ "group_id": group_id, "user_id": cleo.id })).await;
        self.once(ben, "posts.delete", json!({ "post_id": shared })).await;
        self.once(ben, "groups.leave", json!({ "group_id": group_id })).await;
        self.once(ben, "groups.allow_again", json!({ "group_id": group_id })).await;
        self.once(ana, "groups.delete", json!({ "group_id": group_id })).await;
        self.once(ana, "posts.delete", json!({ "post_id": post_id })).await;

        self.once(ben, "profiles.update", profile("Ben", &format!("round {number}"))).await;
        self.once(ben, "account.set_privacy", json!({ "hide_numbers": number.is_multiple_of(2) })).await;
        let upload = ben.uploads_photo("me.jpg", &jpeg(8, 6)).await;
        self.once(ben, "profiles.set_photo", json!({ "upload": upload })).await;
        self.once(ben, "follows.set", follow(ana, false)).await;
        let mut dora = self.signs_up(&format!("Dora {number}")).await;
        let day = dora.asks("moods.today", json!({ "zone": "Etc/UTC" })).await;
        let mood = json!({ "slot": day["mine"]["slot"], "mood": "Cozy", "zone": "Etc/UTC" });
        self.once(&mut dora, "moods.set", mood).await;
        let made = self.once(&mut dora, "invites.create", json!({})).await;
        let code = &made["invites"][0]["code"];
        self.once(&mut dora, "invites.revoke", json!({ "code": code })).await;
        self.once(&mut dora, "newcomers.dismiss", json!({ "what": "steps" })).await;
        dora.logs_in_on_phone().await;
        self.once(&mut dora, "auth.log_out_others", json!({})).await;

        // Whom Dora does not want to meet, and what an admin does about both.
        let cleos = json!({ "user_id": cleo.id });
        cleo.follows(&dora).await;
        for op in ["follows.remove", "people.mute", "people.unmute", "people.block", "people.unblock"] {
            self.once(&mut dora, op, cleos.clone()).await;
        }
        let day = json!({ "day": "2027-01-01", "title": "Boats", "description": "Which?", "tag": "b" });
        self.once(ana, "theme.set", day).await;
        self.once(ana, "theme.clear", json!({ "day": "2027-01-01" })).await;
        let bowls = dora.posts("cheap bowls").await;
        let about = json!({ "type": "post", "post_id": bowls });
        for op in ["admin.dismiss_report", "admin.remove_content"] {
            let report = json!({ "about": about, "reason": "spam", "details": "" });
            self.once(ben, "reports.create", report).await;
            let report_id = ana.asks("admin.reports", json!({})).await["reports"][0]["id"].clone();
            self.once(ana, op, json!({ "report_id": report_id })).await;
        }
        self.once(ana, "admin.suspend", json!({ "user_id": dora.id, "suspended": true })).await;
        self.once(ana, "admin.suspend", json!({ "user_id": dora.id, "suspended": false })).await;
        Person::logs_in(self.server.at, &dora.email).await;
        self.once(ana, "admin.end_logins", json!({ "user_id": dora.id })).await;
    }
}

#[tokio::test]
async fn r5_every_kind_of_write_is_done_once_when_its_reply_is_lost() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let wanted = number("MELLOW_CUTS").unwrap_or(100) as usize;
    let seed = number("MELLOW_CUTS_SEED").unwrap_or_else(|| std::process::id().into());
    println!("MELLOW_CUTS_SEED={seed}");
    let server = TestServer::new().await;
    let mut people = server.people(["Ana", "Ben", "Cleo"]).await;
    people[2].follows(&people[0]).await;
    assert_eq!(server.host(&["user", "promote", &people[0].email]).await.code, 0);
    let random = SeededRandom::new(seed, 0);
    let mut cuts = Cuts { server: &server, random, made: 0, ops: BTreeSet::new() };
    for number in 0.. {
        if cuts.made >= wanted {
            break;
        }
        cuts.round(number, &mut people).await;
    }
    println!("{} requests whose connection was lost: each done once, each answered the same", cuts.made);
    let met: BTreeSet<&str> = cuts.ops.iter().copied().chain(OTHERS).chain(ELSEWHERE).collect();
    let all: BTreeSet<&str> = mellow::features::registry::ops().into_iter().collect();
    assert_eq!(all.difference(&met).collect::<Vec<_>>(), [&""; 0], "writes that are not cut here");
}

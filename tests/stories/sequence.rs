//! LV13: a `seq` reveals that something was written, never what. A stranger probes as fast as allowed while others make
//! every kind of write, and sees the `seq` rise by one for each write. The stranger follows nobody and shows nothing,
//! so the stranger receives only events that are broadcast. Each write sends a known number of frames.

use std::collections::BTreeSet;

use futures_util::future::LocalBoxFuture;
use serde_json::{Value, json};

use crate::support::http;
use crate::support::person::Person;
use crate::support::server::TestServer;
use crate::support::value::key;
use crate::writes::{Sender, assert_all_sent, send_all};

/// The events that are broadcast to all signed-in users. A name, a photo, a deletion and the right to comment concern
/// every screen that shows the user.
const FOR_ALL: [&str; 4] = ["users.changed", "users.deleted", "users.returned", "comments.allowed"];

/// The stranger, and the requests that were sent so far.
struct Watched<'a> {
    server: &'a TestServer,
    stranger: &'a Person,
    sent: BTreeSet<&'static str>,
}

impl Sender for Watched<'_> {
    fn send<'a>(
        &'a mut self,
        who: &'a Person,
        op: &'static str,
        frames: u64,
        mut fields: Value,
    ) -> LocalBoxFuture<'a, Value> {
        fields["key"] = key();
        self.send_once(op, frames, Box::pin(who.asks(op, fields)))
    }

    fn send_as_guest<'a>(
        &'a mut self,
        op: &'static str,
        frames: u64,
        mut fields: Value,
    ) -> LocalBoxFuture<'a, Value> {
        fields["key"] = key();
        let server = self.server;
        let reply = async move { server.guest().await.asks(op, fields).await.unwrap() };
        self.send_once(op, frames, Box::pin(reply))
    }

    fn send_once<'a>(
        &'a mut self,
        op: &'static str,
        frames: u64,
        reply: LocalBoxFuture<'a, Value>,
    ) -> LocalBoxFuture<'a, Value> {
        Box::pin(self.watch(op, frames, reply))
    }
}

impl Watched<'_> {
    /// Waits for a reply while the stranger probes, and checks that the stranger sees one step.
    async fn watch(&mut self, op: &'static str, frames: u64, mut reply: LocalBoxFuture<'_, Value>) -> Value {
        self.sent.insert(op);
        let before = head(self.server);
        while self.stranger.asks("live.probe", json!({})).await["seq"].as_i64().unwrap() < before {}
        let frames_before = self.frames_so_far().await;
        let mut seen = BTreeSet::new();
        let ok = loop {
            tokio::select! {
                biased;
                ok = &mut reply => break ok,
                probed = self.stranger.asks("live.probe", json!({})) => {
                    seen.insert(probed["seq"].as_i64().unwrap());
                }
            }
        };
        assert_eq!(head(self.server), before + 1, "{op}: one step in all");
        // The stranger soon sees the `seq` of the write, and no other number before it.
        while !seen.contains(&(before + 1)) {
            seen.insert(self.stranger.asks("live.probe", json!({})).await["seq"].as_i64().unwrap());
        }
        assert!(seen.iter().all(|seq| [before, before + 1].contains(seq)), "{op}: {before}, {seen:?}");
        assert_eq!(self.frames_so_far().await - frames_before, frames, "frames that {op} sends");
        for event in self.stranger.socket.unread_events() {
            assert!(FOR_ALL.contains(&event["ev"].as_str().unwrap()), "{op} sent a stranger {event}");
        }
        if let Some(seq) = ok["seq"].as_i64() {
            assert_eq!(seq, before + 1, "{op}");
        }
        ok
    }
}

/// Returns the `seq` of the last write.
fn head(server: &TestServer) -> i64 {
    server.look().query_row("select seq from site", [], |row| row.get(0)).unwrap()
}

impl Watched<'_> {
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
    let people = server.people(["Ana", "Ben", "Cleo"]).await;
    let stranger = server.person("Dora").await;
    let mut watched = Watched { server: &server, stranger: &stranger, sent: BTreeSet::new() };
    send_all(&server, &people, &mut watched).await;
    assert_all_sent(&watched.sent);
}

#[tokio::test]
async fn lv13_a_request_for_a_link_takes_a_seq_also_after_the_mail_limit_of_the_address() {
    let server = TestServer::with(&["mails_per_hour=1"]).await;
    let ana = server.person("Ana").await;
    let guest = server.guest().await;
    for email in [ana.email.as_str(), "nobody@people.example.org"] {
        for what in ["the first", "after all its mails"] {
            let before = head(&server);
            guest.asks("auth.request_reset", json!({ "email": email })).await.unwrap();
            assert_eq!(head(&server), before + 1, "{email}, {what}");
        }
    }
}

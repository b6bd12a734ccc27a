//! Tapes of polls.

use serde_json::json;

use crate::recorder::{Recorder, newest};
use crate::support::server::TestServer;
use crate::support::value::key;

#[tokio::test]
async fn tape_new_poll() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    ana.asks_poll("before?", &["yes", "no"]).await;
    Recorder::new(&server, &ben)
        .reading("polls.list", newest())
        .records("new_poll", &["polls.created"], async || {
            server.later(60_000);
            ana.asks_poll("Tea or coffee?", &["Tea 🌿", "Coffee", "Both"]).await;
        })
        .await;
}

#[tokio::test]
async fn tape_new_poll_of_ones_own() {
    let server = TestServer::with_manual_clock(&[]).await;
    let ana = server.person("Ana").await;
    let tab = ana.opens_another_tab().await;
    ana.asks_poll("before?", &["yes", "no"]).await;
    Recorder::new(&server, &tab)
        .reading("polls.list", newest())
        .records("new_poll_of_ones_own", &["polls.created"], async || {
            server.later(60_000);
            ana.asks_poll("Tea or coffee?", &["Tea 🌿", "Coffee"]).await;
        })
        .await;
}

#[tokio::test]
async fn tape_poll_voted_on_another_device() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let phone = ben.logs_in_on_phone().await;
    ben.follows(&ana).await;
    let poll_id = ana.asks_poll("Tea?", &["yes", "no"]).await;
    ana.chooses(poll_id, 0).await;
    Recorder::new(&server, &phone)
        .with_counts_last()
        .reading("polls.list", newest())
        .records("poll_voted_on_another_device", &["polls.voted", "polls.counted"], async || {
            ben.chooses(poll_id, 1).await;
        })
        .await;
}

#[tokio::test]
async fn tape_poll_others_vote_in() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    for other in [&ben, &cleo] {
        other.follows(&ana).await;
    }
    // A poll that Ben voted in, and one that he did not vote in: he receives no tally of the second.
    let (voted, open) =
        (ana.asks_poll("Tea?", &["yes", "no"]).await, ana.asks_poll("Sea?", &["yes", "no"]).await);
    ben.chooses(voted, 0).await;
    Recorder::new(&server, &ben)
        .reading("polls.list", newest())
        .records("poll_others_vote_in", &["polls.counted"], async || {
            cleo.chooses(open, 1).await;
            cleo.chooses(voted, 1).await;
        })
        .await;
}

#[tokio::test]
async fn tape_poll_deleted() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    let doomed = ana.asks_poll("Tea?", &["yes", "no"]).await;
    ana.asks_poll("stays?", &["yes", "no"]).await;
    ben.chooses(doomed, 0).await;
    Recorder::new(&server, &ben)
        .reading("polls.list", newest())
        .records("poll_deleted", &["polls.deleted"], async || {
            ana.asks("polls.delete", json!({ "key": key(), "poll_id": doomed })).await;
        })
        .await;
}

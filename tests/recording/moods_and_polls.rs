//! Tapes of moods, polls and the daily theme.

use serde_json::{Value, json};

use super::{Recorder, newest};
use crate::support::person::Person;
use crate::support::server::TestServer;
use crate::support::value::key;

const HOUR_MS: i64 = 3_600_000;

fn today() -> Value {
    json!({ "zone": "UTC" })
}

async fn shares(who: &Person, slot: &str, word: &str) {
    who.asks("moods.set", json!({ "key": key(), "slot": slot, "mood": word, "zone": "UTC" })).await;
}

#[tokio::test]
async fn tape_mood_of_somebody_followed() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    for other in [&ana, &cleo] {
        ben.follows(other).await;
    }
    shares(&cleo, "morning", "Sleepy").await;
    Recorder::new(&server, &ben)
        .reading("moods.today", today())
        .records("mood_of_somebody_followed", &["moods.changed"], async || {
            server.later(1_000);
            shares(&ana, "morning", "Mind Blown").await;
        })
        .await;
}

#[tokio::test]
async fn tape_mood_of_the_evening() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    for other in [&ana, &cleo] {
        ben.follows(other).await;
    }
    shares(&ana, "morning", "Sleepy").await;
    server.later(1_000);
    shares(&cleo, "morning", "Cozy").await;
    server.later(6 * HOUR_MS);
    Recorder::new(&server, &ben)
        .reading("moods.today", today())
        .records("mood_of_the_evening", &["moods.changed"], async || {
            shares(&ana, "evening", "Snacking").await;
        })
        .await;
}

#[tokio::test]
async fn tape_mood_shared_on_another_device() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let phone = ana.logs_in_on_phone().await;
    ana.follows(&ben).await;
    shares(&ben, "morning", "Gaming").await;
    Recorder::new(&server, &phone)
        .reading("moods.today", today())
        .records("mood_shared_on_another_device", &["moods.changed"], async || {
            server.later(1_000);
            shares(&ana, "morning", "Quiet").await;
        })
        .await;
}

#[tokio::test]
async fn tape_mood_and_poll_gone_with_an_unfollowing() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let tab = ben.opens_another_tab().await;
    for other in [&ana, &cleo] {
        ben.follows(other).await;
        shares(other, "morning", "Hopeful").await;
        let poll_id = other.asks_poll("Tea?", &["yes", "no"]).await;
        ben.chooses(poll_id, 0).await;
    }
    Recorder::new(&server, &tab)
        .reading("moods.today", today())
        .reading("polls.list", newest())
        .records("mood_and_poll_gone_with_an_unfollowing", &["follows.changed"], async || {
            ben.unfollows(&ana).await;
        })
        .await;
}

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
        .records("poll_deleted", &["polls.deleted"], async || ana.deletes_poll(doomed).await)
        .await;
}

#[tokio::test]
async fn tape_theme_said_by_the_host() {
    let server = TestServer::with_manual_clock(&["themes_file="]).await;
    let ana = server.person("Ana").await;
    Recorder::new(&server, &ana)
        .reading("theme.get", json!({}))
        .records("theme_said_by_the_host", &["theme.changed"], async || {
            let said =
                ["theme", "set", "--title=Boats", "--description=Which one, and where?", "--tag=boats"];
            assert_eq!(server.host(&said).await.code, 0);
        })
        .await;
}

#[tokio::test]
async fn tape_theme_of_the_next_day() {
    let server = TestServer::with_manual_clock(&["themes_file="]).await;
    let ana = server.person("Ana").await;
    Recorder::new(&server, &ana)
        .reading("theme.get", json!({}))
        .records("theme_of_the_next_day", &["theme.changed"], async || {
            server.later(15 * HOUR_MS);
            // The server checks its clock from time to time and publishes the new theme by itself.
            while ana
                .socket
                .peek(|state| state.log.iter().find(|message| message["ev"] == "theme.changed").cloned())
                .is_none()
            {
                ana.socket.changes_or_ends().await;
            }
        })
        .await;
}

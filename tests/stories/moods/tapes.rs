//! Tapes of moods.

use serde_json::{Value, json};

use crate::recorder::{Recorder, newest};
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

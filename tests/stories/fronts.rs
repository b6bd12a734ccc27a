//! A front whose messages are lost, repeated and late: people notice nothing, or their sockets close and come back.

use std::time::{Duration, Instant};

use mellow::cluster::link::{Fate, Message};
use serde_json::json;

use crate::support::TIMEOUT;
use crate::support::groups::post_for;
use crate::support::person::{Person, post};
use crate::support::server::TestServer;
use crate::support::socket::Socket;
use crate::support::value::key;

fn is_log(message: &Message) -> bool {
    message.subject.ends_with(".log")
}

fn is_ask(message: &Message) -> bool {
    message.subject.contains(".ask.")
}

#[tokio::test]
async fn each_post_is_seen_once_and_in_order_whatever_happens_to_the_events_on_their_way() {
    let server = TestServer::with_front().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    let hub = server.hub.clone().unwrap();
    let mut dice = fastrand::Rng::with_seed(7);
    hub.decide(move |message| match dice.u32(..10) {
        _ if !is_log(message) => Fate::Arrives,
        0..3 => Fate::IsLost,
        3..5 => Fate::ArrivesTwice,
        5 => Fate::IsLate,
        _ => Fate::Arrives,
    });
    let expected: Vec<String> = (0..40).map(|number| format!("post {number}")).collect();
    for words in &expected {
        ana.posts(words).await;
        hub.let_late_ones_arrive();
    }
    for words in &expected {
        ben.sees_post(words).await;
    }
    let seen = ben.socket.events().into_iter().filter(|event| event["ev"] == "posts.created");
    let seen: Vec<String> = seen.map(|event| event["post"]["text"].as_str().unwrap().to_owned()).collect();
    assert_eq!(seen, expected);
    assert!(ben.socket.is_open());
}

#[tokio::test]
async fn a_request_that_arrives_twice_is_done_once() {
    let server = TestServer::with_front().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    let hub = server.hub.clone().unwrap();
    hub.decide(|message| if is_ask(message) { Fate::ArrivesTwice } else { Fate::Arrives });
    let post_id = ana.posts("once").await;
    ana.comments(post_id, "and once").await;
    ben.sees_post("once").await;
    assert_eq!(ben.feed_texts().await, ["once"]);
    assert_eq!(ben.reads_thread(post_id).await["comments"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_request_without_an_answer_closes_its_socket_and_is_repeated_with_its_key() {
    let server = TestServer::with_front().await;
    let mut ana = server.person("Ana").await;
    let hub = server.hub.clone().unwrap();
    // The request arrives, and its answer is lost.
    hub.decide(|message| match message.subject.starts_with("_INBOX.") && message.bytes.len() > 200 {
        true => Fate::IsLost,
        false => Fate::Arrives,
    });
    let fields = post("said once");
    ana.socket.sends("posts.create", fields.clone()).await;
    assert_eq!(ana.socket.close_code().await, 1012);
    hub.decide(|_| Fate::Arrives);
    comes_back(&mut ana).await;
    ana.asks("posts.create", fields).await;
    assert_eq!(ana.feed_texts().await, ["said once"]);
}

#[tokio::test]
async fn a_removal_waits_for_a_front_that_is_cut_off_and_its_sockets_are_closed_before() {
    let server = TestServer::with_front().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let group_id = ana.makes_group_with("Tea", &[&ben]).await;
    ana.publishes(post_for(group_id, "for the group")).await;
    ben.sees_post("for the group").await;
    let hub = server.hub.clone().unwrap();
    // Nothing that the home commits reaches the front, and the home hears nothing of it.
    hub.decide(|message| match is_log(message) || message.subject.ends_with(".at") {
        true => Fate::IsLost,
        false => Fate::Arrives,
    });
    ana.socket.sends("groups.remove", json!({ "key": key(), "group_id": group_id, "user_id": ben.id })).await;
    assert_eq!(ben.socket.close_code().await, 1012);
    assert_eq!(ana.socket.close_code().await, 1012, "she is at the same front");

    hub.decide(|_| Fate::Arrives);
    let (mut ana, mut ben) = (ana, ben);
    comes_back(&mut ana).await;
    comes_back(&mut ben).await;
    ana.publishes(post_for(group_id, "without Ben")).await;
    ana.sees_post("without Ben").await;
    ben.is_up_to_date(&server).await;
    let words = format!("{:?}", ben.socket.log());
    assert!(!words.contains("without Ben") && !words.contains("for the group"), "{words}");
}

/// Connects again, as soon as the front takes connections.
async fn comes_back(person: &mut Person) {
    let begun = Instant::now();
    loop {
        match Socket::try_open(person.at, Some(&person.cookie)).await {
            Ok(socket) => {
                socket.hello().await;
                person.socket = socket;
                return;
            }
            Err(status) => assert!(begun.elapsed() < TIMEOUT, "{status}"),
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

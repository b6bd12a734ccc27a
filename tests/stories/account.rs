//! The viewer's account: hidden numbers, and its deletion.

pub mod access;

use serde_json::{Value, json};

use crate::support::http;
use crate::support::person::{PASSWORD, Person};
use crate::support::server::TestServer;
use crate::support::socket::Socket;
use crate::support::value::key;

/// Returns the numbers of a profile in a message.
fn numbers(event: &Value) -> (Value, Value) {
    let profile = event.get("profile").unwrap_or(event);
    (profile["followers_count"].clone(), profile["following_count"].clone())
}

/// Returns the numbers of a profile in all frames that a user received, in order.
fn numbers_received(person: &Person, of: &Person) -> Vec<(Value, Value)> {
    let events = person.socket.events();
    let is_of = |event: &&Value| event["user_id"] == of.id || event["profile"]["id"] == of.id;
    let has_numbers =
        |event: &&Value| ["profiles.counted", "profiles.changed"].contains(&event["ev"].as_str().unwrap());
    events.iter().filter(has_numbers).filter(is_of).map(numbers).collect()
}

#[tokio::test]
async fn hidden_numbers_reach_only_their_owner_from_then_on() {
    let server = TestServer::new().await;
    let [ana, ben, cleo, dan] = server.people(["Ana", "Ben", "Cleo", "Dan"]).await;
    let phone = ana.logs_in_on_phone().await;
    ben.follows(&ana).await;
    for who in [&ben, &cleo] {
        assert_eq!(numbers(&who.visits(&ana).await), (json!(1), json!(0)));
        who.is_up_to_date(&server).await;
    }
    ana.hides_numbers(true).await;
    for own in [&ana, &phone] {
        let changed = own.receives("account.changed").await;
        assert_eq!(changed["me"]["hide_numbers"], true);
    }
    for other in [&ben, &cleo] {
        let changed = other.receives("profiles.changed").await;
        assert_eq!(
            (&changed["profile"]["id"], numbers(&changed)),
            (&json!(ana.id), (Value::Null, Value::Null))
        );
    }
    // From now on others receive no new numbers, whether a stranger, a follower or Ana herself caused them.
    dan.follows(&ana).await;
    ana.follows(&dan).await;
    let is_newest = |event: &Value| event["user_id"] == ana.id && numbers(event) == (json!(2), json!(1));
    for own in [&ana, &phone] {
        own.socket.receives_where("profiles.counted", is_newest).await;
    }
    for other in [&ben, &cleo] {
        other.is_up_to_date(&server).await;
        assert_eq!(numbers(&other.visits(&ana).await), (Value::Null, Value::Null));
        assert_eq!(numbers_received(other, &ana), [(Value::Null, Value::Null)], "only that they are hidden");
    }
    assert_eq!(numbers(&ana.visits(&ana).await), (json!(2), json!(1)), "hers to know");
    assert_eq!(ana.opens_another_tab().await.socket.hello().await["me"]["hide_numbers"], true);

    ana.hides_numbers(false).await;
    for other in [&ben, &cleo] {
        assert_eq!(numbers(&other.receives("profiles.changed").await), (json!(2), json!(1)));
    }
    dan.unfollows(&ana).await;
    ben.socket.receives_where("profiles.counted", |event| numbers(event) == (json!(1), json!(1))).await;
}

#[tokio::test]
async fn a_delayed_count_is_not_delivered_after_numbers_are_hidden() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.visits(&ana).await;
    ben.is_up_to_date(&server).await;
    let cursor = ben.asks("live.probe", json!({})).await["seq"].clone();
    // These are more counts than are delivered at once, so the last one is delayed.
    for _ in 0..5 {
        ben.follows(&ana).await;
        ben.unfollows(&ana).await;
    }
    ana.hides_numbers(true).await;
    let hidden = ben.receives("profiles.changed").await;
    // The delayed count was dropped, and the owner received the numbers.
    ana.receives("profiles.counted").await;
    ben.is_up_to_date(&server).await;
    let after = |events: Vec<Value>| -> Vec<Value> {
        events.into_iter().filter(|event| event["seq"].as_i64() > hidden["seq"].as_i64()).collect()
    };
    assert_eq!(numbers_received(&ben, &ana).last(), Some(&(Value::Null, Value::Null)));
    assert!(after(ben.socket.events()).iter().all(|event| event["ev"] != "profiles.counted"));

    // A client that resumes from before or from just now does not receive it either.
    let tab = ben.opens_another_tab().await;
    let epoch = tab.socket.hello().await["epoch"].clone();
    for seq in [&cursor, &hidden["seq"]] {
        let tab = ben.opens_another_tab().await;
        let fields = json!({ "epoch": epoch, "seq": seq, "posts": [], "profiles": [ana.id] });
        tab.asks("live.resume", fields).await;
        let delivered = numbers_received(&tab, &ana);
        assert!(delivered.iter().all(|numbers| *numbers == (Value::Null, Value::Null)), "{delivered:?}");
    }
}

#[tokio::test]
async fn setting_the_same_value_publishes_nothing() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.visits(&ana).await;
    ana.hides_numbers(false).await;
    ana.receives_nothing(&server).await;
    ben.receives_nothing(&server).await;
    let fields = json!({ "key": key(), "hide_numbers": true });
    let first = ana.asks("account.set_privacy", fields.clone()).await;
    ana.hides_numbers(false).await;
    assert_eq!(ana.asks("account.set_privacy", fields).await, first, "r5: done once");
    assert_eq!(ana.opens_another_tab().await.socket.hello().await["me"]["hide_numbers"], false);
}

#[tokio::test]
async fn an_account_is_deleted_only_with_its_password() {
    let server = TestServer::with_manual_clock(&["logins_per_quarter=3"]).await;
    let ana = server.person("Ana").await;
    let tries = |password: &str| ana.tries("account.delete", json!({ "password": password }));
    let long = "x".repeat(129);
    for wrong in ["slow evenings", long.as_str()] {
        let no = tries(wrong).await.unwrap_err();
        assert_eq!((no.code.as_str(), no.field.as_deref()), ("wrong_password", Some("password")));
        assert_eq!(no.message, "Incorrect password. Please try again.");
    }
    assert_eq!(tries("").await.unwrap_err().code, "wrong_password");
    let no = tries(PASSWORD).await.unwrap_err();
    assert_eq!((no.code.as_str(), no.retry_ms), ("slow_down", Some(5 * 60_000)), "right or wrong");
    assert_eq!(server.count("select count(*) from users"), 1);
    server.later(5 * 60_000);
    ana.deletes_account().await;
    assert_eq!(server.count("select count(*) from users"), 0);
}

#[tokio::test]
async fn a_deleted_account_is_closed_on_every_device_and_its_cookies_are_void() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let (tab, phone) = (ana.opens_another_tab().await, ana.logs_in_on_phone().await);
    let post = ana.posts_picture("mine").await;
    let url = crate::support::uploads::urls(&post).remove(0);
    let ticket = ana.asks("account.export", json!({})).await["url"].as_str().unwrap().to_owned();
    ana.deletes_account().await;
    for own in [&ana, &tab, &phone] {
        assert_eq!(own.socket.close_code().await, 4003);
    }
    for cookie in [&ana.cookie, &phone.cookie] {
        let socket = Socket::open(server.at, Some(cookie)).await;
        let hello = socket.hello().await;
        assert_eq!((&hello["me"], &hello["login"]), (&Value::Null, &json!("ended")));
        socket.asks("posts.feed", json!({ "tag": null, "before": null })).await.unwrap_err();
    }
    assert_eq!(ana.fetches(&url).await.status, 404);
    assert_eq!(ana.fetches(&ticket).await.status, 404);
    assert_eq!(ben.fetches(&url).await.status, 404);
    let guest = server.guest().await;
    let fields = json!({ "email": ana.email, "password": PASSWORD });
    assert_eq!(guest.asks("auth.log_in", fields).await.unwrap_err().code, "no_such_user");
    // The address is free. A new account with it is another account.
    let other = server.person("Ana").await;
    assert_ne!(other.id, ana.id);
    assert_eq!(other.feed_texts().await, [""; 0]);
    let health = http::ask(server.at, "GET", "/readyz", &[], "").await;
    assert_eq!(health.status, 200);
}

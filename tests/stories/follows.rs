//! Follows: a follow takes effect with its commit, and only their owner sees the lists.

pub mod access;
mod tapes;

use serde_json::{Value, json};

use crate::support::server::TestServer;
use crate::support::value::key;

#[tokio::test]
async fn ben_receives_the_next_post_after_following_and_none_after_unfollowing() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ana.posts("too early").await;
    ben.follows(&ana).await;
    ana.posts("in time").await;
    let post = ben.socket.receives("posts.created").await;
    assert_eq!(post["post"]["text"], "in time");
    assert_eq!(ben.feed_texts().await, ["in time", "too early"]);

    ben.unfollows(&ana).await;
    ben.is_up_to_date(&server).await;
    ana.posts("too late").await;
    ben.receives_nothing(&server).await;
    assert_eq!(ben.feed_texts().await, [""; 0]);
}

#[tokio::test]
async fn a_follow_reaches_only_the_followers_own_tabs() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let (tab, phone) = (ben.opens_another_tab().await, ben.logs_in_on_phone().await);
    // The first follow is also a first step, which changes Ben's account.
    ben.follows(&cleo).await;
    ben.unfollows(&cleo).await;
    for user in [&ben, &tab, &phone, &cleo] {
        user.is_up_to_date(&server).await;
    }
    // Ana receives an event about her follower. She receives none of the events for Ben's tabs.
    for (following, expected_event) in [(true, "notifications.created"), (false, "notifications.deleted")] {
        let fields = json!({ "key": key(), "user_id": ana.id, "following": following });
        let ok = ben.asks("follows.set", fields).await;
        assert_eq!(ok, json!({ "user_id": ana.id, "following": following, "seq": ok["seq"] }));
        for who in [&ben, &tab, &phone] {
            let event = who.receives_only(&server, &["follows.changed"]).await.remove(0);
            assert_eq!((&event["user_id"], &event["following"]), (&json!(ana.id), &json!(following)));
        }
        ana.receives_only(&server, &[expected_event]).await;
        cleo.receives_nothing(&server).await;
    }
}

#[tokio::test]
async fn clients_that_show_a_profile_see_its_counts_change() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    cleo.visits(&ana).await;
    cleo.visits(&ben).await;
    let ok = ben.follows(&ana).await;
    let mut counts = Vec::new();
    for _ in 0..2 {
        let event = cleo.receives("profiles.counted").await;
        assert!(event["seq"].as_i64() <= ok["seq"].as_i64());
        counts.push((
            event["user_id"].as_i64().unwrap(),
            event["followers_count"].clone(),
            event["following_count"].clone(),
        ));
    }
    counts.sort_by_key(|(id, ..)| *id);
    assert_eq!(counts, [(ana.id, json!(1), json!(0)), (ben.id, json!(0), json!(1))]);
    let profile = cleo.visits(&ana).await;
    assert_eq!((&profile["followers_count"], &profile["followed"]), (&json!(1), &json!(false)));
    assert_eq!(ben.visits(&ana).await["followed"], json!(true));
}

#[tokio::test]
async fn following_twice_counts_once() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    cleo.visits(&ana).await;
    ben.unfollows(&ana).await;
    ben.follows(&ana).await;
    cleo.receives("profiles.counted").await;
    ben.is_up_to_date(&server).await;
    ben.follows(&ana).await;
    ben.receives_nothing(&server).await;
    cleo.receives_nothing(&server).await;
    assert_eq!(ana.visits(&ana).await["followers_count"], 1);
}

#[tokio::test]
async fn following_oneself_or_an_unknown_user_is_refused() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    for following in [true, false] {
        let own = json!({ "key": key(), "user_id": ana.id, "following": following });
        let no = ana.is_refused("invalid", "follows.set", own).await;
        assert_eq!(
            (no.field.as_deref(), no.message.as_str()),
            (Some("user_id"), "You can't follow yourself.")
        );
        ana.is_refused(
            "not_found",
            "follows.set",
            json!({ "key": key(), "user_id": 7, "following": following }),
        )
        .await;
    }
}

#[tokio::test]
async fn lists_are_newest_first_in_pages_of_fifty_and_only_for_their_owner() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let mut names = Vec::new();
    for number in 0..51 {
        let name = format!("person {number}");
        let person = server.person(&name).await;
        person.follows(&ana).await;
        ana.follows(&person).await;
        names.insert(0, name);
    }
    for side in ["followers", "following"] {
        let first = ana.asks("follows.page", json!({ "side": side, "before": null })).await;
        let second = ana.asks("follows.page", json!({ "side": side, "before": first["older"] })).await;
        assert_eq!(second["older"], Value::Null);
        let people = |page: &Value| -> Vec<String> {
            page["users"]
                .as_array()
                .unwrap()
                .iter()
                .map(|user| user["name"].as_str().unwrap().to_owned())
                .collect()
        };
        assert_eq!((people(&first).len(), people(&second).len()), (50, 1));
        assert_eq!([people(&first), people(&second)].concat(), names);
    }
    ana.is_refused("bad_request", "follows.page", json!({ "side": "friends", "before": null })).await;
}

#[tokio::test]
async fn unfollowing_is_possible_after_the_limit_of_follows() {
    let server = TestServer::with_manual_clock(&["follows_per_day=1"]).await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    ben.follows(&ana).await;
    let fields = json!({ "key": key(), "user_id": cleo.id, "following": true });
    assert_eq!(ben.is_refused("slow_down", "follows.set", fields).await.retry_ms, Some(24 * 3_600_000));
    ben.unfollows(&ana).await;
}

#[tokio::test]
async fn setting_a_follow_that_is_set_already_counts_for_the_limit() {
    let server = TestServer::with_manual_clock(&["follows_per_day=4"]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let set = |following: bool| json!({ "key": key(), "user_id": ana.id, "following": following });
    let first = set(true);
    ben.asks("follows.set", first.clone()).await;
    for _ in 0..3 {
        ben.asks("follows.set", set(true)).await;
        // A retry does not count.
        ben.asks("follows.set", first.clone()).await;
    }
    ben.is_refused("slow_down", "follows.set", set(true)).await;
    // He may still unfollow her, once.
    ben.asks("follows.set", set(false)).await;
    ben.is_refused("slow_down", "follows.set", set(false)).await;
}

#[tokio::test]
async fn a_retried_unfollow_that_changed_nothing_does_not_end_the_follow_that_came_after_it() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let set = |following: bool| json!({ "key": key(), "user_id": ana.id, "following": following });
    let (first, then) = (set(false), set(true));
    let reply = ben.asks("follows.set", first.clone()).await;
    ben.asks("follows.set", then.clone()).await;
    // Both replies were lost on the way, so Ben's browser sends both requests again.
    assert_eq!(ben.asks("follows.set", first).await, reply);
    ben.asks("follows.set", then).await;
    let page = ben.asks("follows.page", json!({ "side": "following", "before": null })).await;
    assert_eq!(page["users"][0]["id"], ana.id, "Ben follows Ana");
}

#[tokio::test]
async fn following_again_within_a_day_makes_no_second_notification() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    let first = ana.receives("notifications.created").await["notification"].clone();
    ben.unfollows(&ana).await;
    ana.receives("notifications.deleted").await;
    ben.follows(&ana).await;
    assert_eq!(ana.receives("notifications.created").await["notification"], first);
    ben.unfollows(&ana).await;
    server.later(24 * 3_600_000);
    ben.follows(&ana).await;
    assert_ne!(ana.receives("notifications.created").await["notification"]["id"], first["id"]);
}

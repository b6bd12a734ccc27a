//! Seen notifications: a notification that is seen on one device is seen on all.

use serde_json::{Value, json};

use crate::notifications::{has_dot, items, list};
use crate::support::server::TestServer;
use crate::support::socket::Socket;
use crate::support::value::key;

#[tokio::test]
async fn c31_seen_on_one_device_clears_the_dot_on_all_until_the_next_notification() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let (tab, phone) = (ana.opens_another_tab().await, ana.logs_in_on_phone().await);
    assert!(!has_dot(&ana).await);
    let post_id = ana.posts("hello").await;
    ben.comments(post_id, "one").await;
    ben.follows(&ana).await;
    assert!(has_dot(&ana).await);
    for who in [&ana, &tab, &phone] {
        who.is_up_to_date(&server).await;
    }

    let ok = phone.sees_all().await;

    for who in [&ana, &tab, &phone] {
        let event = who.receives_only(&server, &["notifications.seen"]).await.remove(0);
        assert_eq!(event, json!({ "ev": "notifications.seen", "seq": ok["seq"] }));
    }
    assert!(!has_dot(&ana).await && !has_dot(&phone).await);
    assert!(ana.logs_in_on_phone().await.socket.log()[1]["ok"]["me"]["has_unread"] == json!(false));
    let unread = async || -> Vec<bool> {
        let page = ana.reads_notifications().await;
        items(&page).iter().map(|item| item["unread"].as_bool().unwrap()).collect()
    };
    assert_eq!(unread().await, [false, false]);
    // Nothing is unseen any more, so no event is published.
    tab.sees_all().await;
    for who in [&ana, &tab, &phone] {
        who.receives_nothing(&server).await;
    }

    ben.comments(post_id, "two").await;
    for who in [&ana, &phone] {
        let event = who.receives("notifications.created").await;
        assert_eq!(
            (&event["notification"]["comment_text"], &event["notification"]["unread"]),
            (&json!("two"), &json!(true))
        );
    }
    assert!(has_dot(&ana).await);
    assert_eq!(unread().await, [true, false, false]);
    // Ben has unseen notifications of his own.
    ben.sees_all().await;
    assert!(has_dot(&ana).await);
}

#[tokio::test]
async fn a_tab_that_closes_right_after_the_request_still_marks_all_as_seen() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let post_id = ana.posts("hello").await;
    for round in 0..10 {
        ben.comments(post_id, &format!("c{round}")).await;
        ana.receives("notifications.created").await;
        let tab = ana.opens_another_tab().await;
        tab.socket.sends("notifications.read", json!({ "key": key() })).await;
        drop(tab);
        ana.receives("notifications.seen").await;
        assert!(!has_dot(&ana).await, "round {round}");
    }
}

#[tokio::test]
async fn a_repeated_request_marks_no_later_notification_as_seen() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let post_id = ana.posts("hello").await;
    ben.comments(post_id, "one").await;
    let fields = json!({ "key": key() });
    let reply = ana.asks("notifications.read", fields.clone()).await;
    ben.comments(post_id, "two").await;
    ana.is_up_to_date(&server).await;
    // The reply was lost, so the page sends the request again.
    assert_eq!(ana.logs_in_on_phone().await.asks("notifications.read", fields.clone()).await, reply);
    assert!(has_dot(&ana).await, "what came since was not seen");
    ana.receives_nothing(&server).await;
    let mut delete = fields;
    delete["notification_id"] = items(&ana.reads_notifications().await)[0]["id"].clone();
    ana.is_refused("key_conflict", "notifications.delete", delete).await;
}

#[tokio::test]
async fn notifications_made_seen_and_withdrawn_during_a_cut_are_replayed_once_in_order() {
    let server = TestServer::new().await;
    let [mut ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let post_id = ana.posts("hello").await;
    let witness = ana.opens_another_tab().await;
    ana.is_up_to_date(&server).await;
    let cursor = ana.asks("live.probe", json!({})).await["seq"].as_i64().unwrap();

    // The connection is cut, and these writes happen meanwhile.
    let gone = std::mem::replace(&mut ana.socket, Socket::open(server.at, None).await);
    drop(gone);
    let first = ben.comments(post_id, "one").await;
    cleo.follows(&ana).await;
    witness.sees_all().await;
    ben.deletes_comment(first).await;
    cleo.comments(post_id, &format!("two {}", ben.mention())).await;
    cleo.unfollows(&ana).await;
    ben.follows(&ana).await;
    ben.unfollows(&ana).await;
    let newest = items(&witness.reads_notifications().await)[0]["id"].as_i64().unwrap();
    witness.dismisses(newest).await;
    witness.is_up_to_date(&server).await;

    ana.reconnects().await;
    let epoch = ana.socket.hello().await["epoch"].clone();
    let fields = json!({ "epoch": epoch, "seq": cursor, "posts": [], "profiles": [] });
    assert_eq!(ana.asks("live.resume", fields).await["resync"], json!(false));

    let missed = ana.socket.events();
    let of_notifications: Vec<Value> = witness
        .socket
        .events()
        .into_iter()
        .filter(|event| event["seq"].as_i64().unwrap() > cursor)
        .filter(|event| event["ev"].as_str().unwrap().starts_with("notifications."))
        .collect();
    assert_eq!(missed, of_notifications, "exactly what a connected tab received");
    let evs: Vec<&str> =
        missed.iter().map(|event| &event["ev"].as_str().unwrap()["notifications.".len()..]).collect();
    assert_eq!(
        evs,
        ["created", "created", "seen", "deleted", "created", "created", "deleted", "deleted"],
        "Cleo's following was seen, so it stays"
    );
    assert!(missed.iter().map(|event| event["seq"].as_i64().unwrap()).is_sorted_by(|a, b| a < b));
    assert_eq!(missed[7]["has_unread"], json!(false));
    assert!(!has_dot(&ana).await);
    assert_eq!(list(&ana).await, [("follow".to_owned(), cleo.id, None)]);
}

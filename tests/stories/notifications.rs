//! Notifications: recipients, the list, and deletion together with the cause.

pub mod access;
mod tapes;

use serde_json::{Value, json};

use crate::support::person::Person;
use crate::support::server::{MORNING_MS, TestServer};
use crate::support::value::key;

const DAY_MS: i64 = 24 * 3_600_000;

pub fn items(page: &Value) -> Vec<Value> {
    page["notifications"].as_array().unwrap().clone()
}

/// Returns the newest notifications of a user: kind, actor and comment.
pub async fn list(who: &Person) -> Vec<(String, i64, Option<i64>)> {
    let facts = |item: &Value| {
        (
            item["kind"].as_str().unwrap().to_owned(),
            item["actor_id"].as_i64().unwrap(),
            item["comment_id"].as_i64(),
        )
    };
    items(&who.reads_notifications().await).iter().map(facts).collect()
}

/// Returns whether a page that opens now shows the dot.
pub async fn has_dot(who: &Person) -> bool {
    let hello = who.opens_another_tab().await.socket.hello().await;
    let page = who.reads_notifications().await;
    assert_eq!(hello["me"]["has_unread"], page["has_unread"], "{}'s page and list agree", who.name);
    hello["me"]["has_unread"].as_bool().unwrap()
}

/// Returns whether this user ever received a frame with these bytes.
pub fn was_sent(who: &Person, needle: &str) -> bool {
    let holds = |frame: &Vec<u8>| frame.windows(needle.len()).any(|window| window == needle.as_bytes());
    who.socket.bytes().iter().any(holds)
}

#[tokio::test]
async fn a_comment_a_reply_and_a_follow_notify_one_user_on_every_device() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, cleo, sten] = server.people(["Ana", "Ben", "Cleo", "Sten"]).await;
    let guest = server.guest().await;
    let post_id = ana.posts("hello\nyou").await;
    let tabs_of = async |who: &Person| [who.opens_another_tab().await, who.logs_in_on_phone().await];
    let (anas, cleos, bens) = (tabs_of(&ana).await, tabs_of(&cleo).await, tabs_of(&ben).await);
    // Sten shows the post and Ana's profile, and is still not notified.
    sten.opens(post_id).await;
    sten.visits(&ana).await;
    for who in [&ana, &ben, &cleo, &sten] {
        who.is_up_to_date(&server).await;
    }

    let plain = ben.comments(post_id, " one\r\n two ").await;
    let reply = ben.comments(post_id, &format!("look, {}", cleo.mention())).await;
    ben.follows(&ana).await;

    let of_comment = |comment_id: i64, kind: &str, text: &str| {
        json!({
            "kind": kind, "actor_id": ben.id, "post_id": post_id, "comment_id": comment_id,
            "created_at_ms": MORNING_MS, "unread": true, "comment_text": text, "post_text": "hello you",
            "content_note": null,
        })
    };
    let follow = json!({
        "kind": "follow", "actor_id": ben.id, "post_id": null, "comment_id": null,
        "created_at_ms": MORNING_MS, "unread": true, "comment_text": null, "post_text": null,
        "content_note": null,
    });
    let anas_events =
        [of_comment(plain, "comment", "one two"), of_comment(reply, "comment", "look, @Cleo"), follow];
    let cleos_events = [of_comment(reply, "reply", "look, @Cleo")];
    for (who, devices, expected_event) in [(&ana, &anas, &anas_events[..]), (&cleo, &cleos, &cleos_events)] {
        let mut received = Vec::new();
        for device in [who, &devices[0], &devices[1]] {
            let mut events = device.is_up_to_date(&server).await;
            events.retain(|event| event["ev"].as_str().unwrap().starts_with("notifications."));
            received.push(events);
        }
        assert!(
            received.iter().all(|events| *events == received[0]),
            "every device of {} receives the same",
            who.name
        );
        assert_eq!(received[0].len(), expected_event.len(), "{}: {:?}", who.name, received[0]);
        for (event, expected) in received[0].iter().zip(expected_event) {
            let mut whole = expected.clone();
            whole["id"] = event["notification"]["id"].clone();
            assert!(whole["id"].is_i64());
            let seq = &event["seq"];
            let users = json!([ben.named()]);
            assert_eq!(
                event,
                &json!({ "ev": "notifications.created", "notification": whole, "users": users, "seq": seq })
            );
        }
        let delivered: Vec<Value> =
            received[0].iter().rev().map(|event| event["notification"].clone()).collect();
        let page = who.reads_notifications().await;
        assert_eq!(items(&page), delivered, "the list says what was delivered");
        assert_eq!(
            (&page["users"], &page["older"], &page["has_unread"]),
            (&json!([ben.named()]), &Value::Null, &json!(true))
        );
    }
    for who in [&ben, &bens[0], &bens[1], &sten] {
        who.is_up_to_date(&server).await;
        assert!(!was_sent(who, "notifications."), "{} received a notification of somebody else", who.name);
        assert!(list(who).await.is_empty() && !has_dot(who).await);
    }
    assert!(guest.events().is_empty());
}

#[tokio::test]
async fn no_one_is_notified_of_their_own_action() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let post_id = ana.posts("hello").await;
    ana.comments(post_id, "mine").await;
    ana.comments(post_id, &format!("me, {}", ana.mention())).await;
    ana.receives_only(&server, &["posts.created", "comments.created", "comments.created"]).await;
    assert!(list(&ana).await.is_empty() && list(&ben).await.is_empty());
    // A mention of oneself under another user's post notifies only the author of the post.
    let comment = ben.comments(post_id, &ben.mention()).await;
    assert_eq!(list(&ana).await, [("comment".to_owned(), ben.id, Some(comment))]);
    assert!(list(&ben).await.is_empty());
}

#[tokio::test]
async fn the_list_is_newest_first_in_pages_of_thirty() {
    let server = TestServer::new().await;
    let [ana, ben, cleo, dan] = server.people(["Ana", "Ben", "Cleo", "Dan"]).await;
    let post_id = ana.posts("hello").await;
    cleo.follows(&ana).await;
    let mut comments = Vec::new();
    for number in 0..30 {
        let author = if number < 15 { &ben } else { &dan };
        comments.insert(0, Some(author.comments(post_id, &format!("c{number}")).await));
    }
    let first = ana.reads_notifications().await;
    let shown: Vec<Option<i64>> = items(&first).iter().map(|item| item["comment_id"].as_i64()).collect();
    assert_eq!(shown, comments);
    let mut users = first["users"].as_array().unwrap().clone();
    users.sort_by_key(|user| user["id"].as_i64());
    assert_eq!(users, [ben.named(), dan.named()], "who is on this page, each once");
    assert_eq!(first["older"], items(&first)[29]["id"]);
    let second = ana.asks("notifications.page", json!({ "before": first["older"] })).await;
    assert_eq!((items(&second).len(), &items(&second)[0]["kind"]), (1, &json!("follow")));
    assert_eq!((&second["users"], &second["older"]), (&json!([cleo.named()]), &Value::Null));
    let none = ana.asks("notifications.page", json!({ "before": items(&second)[0]["id"] })).await;
    assert_eq!((&none["notifications"], &none["older"]), (&json!([]), &Value::Null));
    assert_eq!(none["has_unread"], json!(true), "the dot covers all notifications");
    // With exactly thirty there is no older page.
    cleo.unfollows(&ana).await;
    assert_eq!(ana.reads_notifications().await["older"], Value::Null);
    ana.is_refused("bad_request", "notifications.page", json!({ "before": "yesterday" })).await;
}

#[tokio::test]
async fn previews_are_one_line_of_a_hundred_characters_at_most() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let hundred = "🌿".repeat(100);
    for (words, preview) in [
        (hundred.clone(), hundred.clone()),
        (format!("{hundred}x"), format!("{}…", "🌿".repeat(99))),
        (" a \n\n b\tc ".to_owned(), "a b c".to_owned()),
        // There is no space before the ellipsis.
        (format!("{} {}", "x".repeat(98), "y".repeat(9)), format!("{}…", "x".repeat(98))),
        ("<b>bold</b> &amp;".to_owned(), "<b>bold</b> &amp;".to_owned()),
        (format!("{}b", "a ".repeat(200)), format!("{}a…", "a ".repeat(49))),
    ] {
        let post_id = ana.posts(&words).await;
        ben.comments(post_id, &words).await;
        let delivered = ana.receives("notifications.created").await["notification"].clone();
        let read = items(&ana.reads_notifications().await).remove(0);
        for item in [&delivered, &read] {
            assert_eq!((&item["comment_text"], &item["post_text"]), (&json!(preview), &json!(preview)));
        }
    }
}

#[tokio::test]
async fn a_preview_shows_the_text_after_long_white_space() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let words = format!("a{}b", " ".repeat(300));
    let post_id = ana.posts(&words).await;
    ben.comments(post_id, &words).await;
    let delivered = ana.receives("notifications.created").await["notification"].clone();
    let read = items(&ana.reads_notifications().await).remove(0);
    for item in [&delivered, &read] {
        assert_eq!((&item["comment_text"], &item["post_text"]), (&json!("a b"), &json!("a b")));
    }
}

#[tokio::test]
async fn the_list_has_current_names_and_texts() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo Old"]).await;
    let post_id = ana.posts("hello").await;
    ben.comments(post_id, &format!("hi {} and @7+No_One!", cleo.mention())).await;
    let delivered = cleo.receives("notifications.created").await;
    assert_eq!(delivered["notification"]["comment_text"], "hi @Cleo Old and @No One!");

    ben.renames("Ben New").await;
    cleo.renames("Cleo New").await;
    ana.edits(post_id, None, "hello again").await;

    for who in [&ana, &cleo] {
        let page = who.reads_notifications().await;
        let item = &items(&page)[0];
        assert_eq!(
            (&item["comment_text"], &item["post_text"]),
            (&json!("hi @Cleo New and @No One!"), &json!("hello again"))
        );
        assert_eq!(page["users"], json!([{ "id": ben.id, "name": "Ben New", "photo_url": null }]));
    }
}

#[tokio::test]
async fn c30_a_notification_is_deleted_with_its_comment_and_the_dot_disappears() {
    let server = TestServer::new().await;
    let [ana, ben, cleo, dora] = server.people(["Ana", "Ben", "Cleo", "Dora"]).await;
    let post_id = ana.posts("hello").await;
    let first = ben.comments(post_id, &format!("{} {}", cleo.mention(), dora.mention())).await;
    let second = ben.comments(post_id, &cleo.mention()).await;
    dora.sees_all().await;
    let ids_of = async |who: &Person| -> Vec<Value> {
        items(&who.reads_notifications().await).iter().map(|item| item["id"].clone()).collect()
    };
    let before = [ids_of(&ana).await, ids_of(&cleo).await, ids_of(&dora).await];
    for who in [&ana, &ben, &cleo, &dora] {
        who.is_up_to_date(&server).await;
    }

    ben.deletes_comment(first).await;

    let received = ana.receives_only(&server, &["comments.deleted", "notifications.deleted"]).await.remove(1);
    assert_eq!(
        (&received["notification_ids"], &received["has_unread"]),
        (&json!([before[0][1]]), &json!(true))
    );
    let received = cleo.receives_only(&server, &["notifications.deleted"]).await.remove(0);
    assert_eq!(
        (&received["notification_ids"], &received["has_unread"]),
        (&json!([before[1][1]]), &json!(true))
    );
    let received = dora.receives_only(&server, &["notifications.deleted"]).await.remove(0);
    assert_eq!(
        (&received["notification_ids"], &received["has_unread"]),
        (&json!([before[2][0]]), &json!(false))
    );
    ben.is_up_to_date(&server).await;
    assert!(!was_sent(&ben, "notifications."), "the author of a comment is not notified of it");
    assert_eq!(list(&cleo).await, [("reply".to_owned(), ben.id, Some(second))]);
    assert!(has_dot(&cleo).await && !has_dot(&dora).await);

    // The author of the post deletes the last one.
    ana.deletes_comment(second).await;
    let received = cleo.receives_only(&server, &["notifications.deleted"]).await.remove(0);
    assert_eq!(received["has_unread"], json!(false));
    for who in [&ana, &cleo, &dora] {
        assert!(list(who).await.is_empty() && !has_dot(who).await);
    }
}

#[tokio::test]
async fn c30_notifications_of_a_deleted_post_are_deleted_with_one_event_for_each_user() {
    let server = TestServer::new().await;
    let [ana, ben, cleo, dora] = server.people(["Ana", "Ben", "Cleo", "Dora"]).await;
    let (doomed, stays) = (ana.posts("doomed").await, ana.posts("stays").await);
    for text in ["one".to_owned(), cleo.mention(), format!("{} {}", cleo.mention(), dora.mention())] {
        ben.comments(doomed, &text).await;
    }
    let kept = ben.comments(stays, &cleo.mention()).await;
    ana.sees_all().await;
    for who in [&ana, &cleo, &dora] {
        who.is_up_to_date(&server).await;
    }

    ana.deletes(doomed).await;

    for (who, evs, gone, has_unread) in [
        (&ana, &["posts.deleted", "notifications.deleted"][..], 3, false),
        (&cleo, &["notifications.deleted"], 2, true),
        (&dora, &["notifications.deleted"], 1, false),
    ] {
        let received = who.receives_only(&server, evs).await.pop().unwrap();
        assert_eq!(
            (received["notification_ids"].as_array().unwrap().len(), &received["has_unread"]),
            (gone, &json!(has_unread)),
            "{}",
            who.name
        );
        assert_eq!(has_dot(who).await, has_unread);
    }
    assert_eq!(list(&cleo).await, [("reply".to_owned(), ben.id, Some(kept))]);
    assert_eq!(list(&ana).await, [("comment".to_owned(), ben.id, Some(kept))]);
    assert!(list(&dora).await.is_empty());
}

#[tokio::test]
async fn users_can_delete_only_their_own_notifications_once() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let phone = ana.logs_in_on_phone().await;
    let post_id = ana.posts("hello").await;
    ben.comments(post_id, "one").await;
    ben.comments(post_id, "two").await;
    let page = ana.reads_notifications().await;
    let (newer, older) = (&items(&page)[0]["id"], &items(&page)[1]["id"]);
    for who in [&ana, &phone, &ben] {
        who.is_up_to_date(&server).await;
    }
    let fields = |id: &Value| json!({ "key": key(), "notification_id": id });
    let not_his = ben.is_refused("not_found", "notifications.delete", fields(newer)).await;
    let not_there = ben.is_refused("not_found", "notifications.delete", fields(&json!(7))).await;
    assert_eq!(not_his, not_there);
    assert_eq!(list(&ana).await.len(), 2);

    let asked = fields(newer);
    let reply = ana.asks("notifications.delete", asked.clone()).await;
    for who in [&ana, &phone] {
        let event = who.receives_only(&server, &["notifications.deleted"]).await.remove(0);
        assert_eq!(
            event,
            json!({ "ev": "notifications.deleted", "notification_ids": [newer], "has_unread": true, "seq": reply["seq"] })
        );
    }
    // The same key gets the same reply. Another key gets `not_found`.
    assert_eq!(phone.asks("notifications.delete", asked).await, reply);
    ana.is_refused("not_found", "notifications.delete", fields(newer)).await;
    ana.receives_nothing(&server).await;
    ana.dismisses(older.as_i64().unwrap()).await;
    let event = phone.receives_only(&server, &["notifications.deleted"]).await.remove(0);
    assert_eq!((&event["has_unread"], has_dot(&ana).await), (&json!(false), false));
    // The comment itself stays.
    assert_eq!(ana.opens(post_id).await["comments_count"], 2);
    ben.receives_nothing(&server).await;
}

#[tokio::test]
async fn d_h3_unfollowing_withdraws_an_unseen_notification_and_following_again_today_brings_it_back_as_it_was()
 {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    ben.follows(&ana).await;
    let delivered = ana.receives_only(&server, &["notifications.created"]).await.remove(0);
    ben.unfollows(&ana).await;
    let gone = ana.receives_only(&server, &["notifications.deleted"]).await.remove(0);
    assert_eq!(
        (&gone["notification_ids"], &gone["has_unread"]),
        (&json!([delivered["notification"]["id"]]), &json!(false))
    );
    assert!(list(&ana).await.is_empty() && !has_dot(&ana).await);
    ben.follows(&ana).await;
    let again = ana.receives_only(&server, &["notifications.created"]).await.remove(0);
    assert_eq!(again["notification"], delivered["notification"], "with its first time");
    let gone_and_back = ["notifications.deleted", "notifications.created"];
    for _ in 0..2 {
        server.later(DAY_MS / 2 - 1_000);
        ben.unfollows(&ana).await;
        ben.follows(&ana).await;
        ana.receives_only(&server, &gone_and_back).await;
    }
    assert_eq!(list(&ana).await.len(), 1);
    assert!(has_dot(&ana).await);
    server.later(3_000);
    ben.unfollows(&ana).await;
    ben.follows(&ana).await;
    let another = ana.receives_only(&server, &gone_and_back).await.remove(1);
    assert_ne!(another["notification"]["id"], delivered["notification"]["id"], "a day later");
    ana.sees_all().await;
    ana.receives_only(&server, &["notifications.seen"]).await;
    ben.unfollows(&ana).await;
    assert_eq!(list(&ana).await.len(), 1, "what was seen stays");
    ben.follows(&ana).await;
    ana.receives_nothing(&server).await;
    assert!(!has_dot(&ana).await, "she saw it");
}

#[tokio::test]
async fn a_repeated_comment_notifies_once() {
    let mut server = TestServer::new().await;
    let [ana, mut ben, mut cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let post_id = ana.posts("hello").await;
    let requests = [
        (
            "comments.create",
            json!({ "key": key(), "post_id": post_id, "text": "plain", "audience": { "type": "public" } }),
        ),
        (
            "comments.create",
            json!({ "key": key(), "post_id": post_id, "text": cleo.mention(), "audience": { "type": "public" } }),
        ),
        ("follows.set", json!({ "key": key(), "user_id": ana.id, "following": true })),
    ];
    // The comment is sent twice at once, again later, and again after a restart.
    let tab = ben.opens_another_tab().await;
    for (op, fields) in &requests {
        let first = ben.socket.sends(op, fields.clone()).await;
        let second = tab.socket.sends(op, fields.clone()).await;
        let reply = ben.socket.reply_to(first).await;
        assert_eq!(tab.socket.reply_to(second).await, reply);
        assert_eq!(tab.tries(op, fields.clone()).await, reply);
    }
    let delivered =
        |events: Vec<Value>| events.iter().filter(|event| event["ev"] == "notifications.created").count();
    assert_eq!(delivered(ana.is_up_to_date(&server).await), 3);
    assert_eq!(delivered(cleo.is_up_to_date(&server).await), 1);
    server.restarts().await;
    ben.reconnects().await;
    cleo.reconnects().await;
    for (op, fields) in &requests {
        ben.asks(op, fields.clone()).await;
    }
    cleo.receives_nothing(&server).await;
    assert_eq!(server.count("select count(*) from notifications"), 4);
}

#[tokio::test]
async fn a_refused_comment_publishes_nothing() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let post_id = ana.posts("hello").await;
    ana.is_up_to_date(&server).await;
    for text in ["", &"a".repeat(501), &format!("{} {}", cleo.mention(), "a".repeat(500))] {
        let fields =
            json!({ "key": key(), "post_id": post_id, "text": text, "audience": { "type": "public" } });
        ben.is_refused("invalid", "comments.create", fields).await;
    }
    let nowhere =
        json!({ "key": key(), "post_id": 7, "text": cleo.mention(), "audience": { "type": "public" } });
    ben.is_refused("not_found", "comments.create", nowhere).await;
    for who in [&ana, &cleo] {
        who.receives_nothing(&server).await;
    }
    assert_eq!(server.count("select count(*) from notifications"), 0);
}

#[tokio::test]
async fn many_comments_at_once_notify_the_author_of_each_once_and_in_order() {
    let server = TestServer::with(&["workers=4"]).await;
    let [ana, dora] = server.people(["Ana", "Dora"]).await;
    let post_id = ana.posts("hello").await;
    let mut crowd = Vec::new();
    for number in 0..40 {
        crowd.push(server.person(&format!("person {number}")).await);
    }
    for with_mentions in [false, true] {
        ana.is_up_to_date(&server).await;
        dora.is_up_to_date(&server).await;
        let mut sent = Vec::new();
        for (number, who) in crowd.iter().enumerate() {
            let text = match number % 4 {
                1 if with_mentions => format!("{number} {}", dora.mention()),
                2 if with_mentions => format!("{number} {} {}", ana.mention(), who.mention()),
                _ => format!("{number}"),
            };
            let fields =
                json!({ "key": key(), "post_id": post_id, "text": text, "audience": { "type": "public" } });
            sent.push(who.socket.sends("comments.create", fields).await);
        }
        let mut made = Vec::new();
        for (who, id) in crowd.iter().zip(sent) {
            let ok = who.socket.reply_to(id).await.unwrap();
            made.push((ok["seq"].as_i64().unwrap(), ok["comment"]["id"].clone(), json!(who.id)));
        }
        made.sort_by_key(|(seq, ..)| *seq);
        let in_order: Vec<(Value, Value)> = made.into_iter().map(|(_, id, by)| (id, by)).collect();

        let received = ana.is_up_to_date(&server).await;
        let seqs: Vec<i64> = received.iter().map(|event| event["seq"].as_i64().unwrap()).collect();
        assert!(seqs.is_sorted(), "a comment and what it notifies of are one write");
        let delivered: Vec<&Value> = received
            .iter()
            .filter(|event| event["ev"] == "notifications.created")
            .map(|event| &event["notification"])
            .collect();
        assert!(
            delivered.iter().all(|item| item["kind"] == "comment"),
            "once each, and as a comment: {delivered:?}"
        );
        let order: Vec<(Value, Value)> =
            delivered.iter().map(|item| (item["comment_id"].clone(), item["actor_id"].clone())).collect();
        assert_eq!(order, in_order, "in the order of the comments");
        assert!(
            order.is_sorted_by_key(|(comment_id, _)| comment_id.as_i64()),
            "which have their ids: {order:?}"
        );
        assert_eq!(received.len(), 80, "each comment and its notification");

        let first = ana.reads_notifications().await;
        let second = ana.asks("notifications.page", json!({ "before": first["older"] })).await;
        let mut read = [items(&first), items(&second)].concat();
        read.truncate(40);
        let mut listed: Vec<Value> = delivered.into_iter().cloned().collect();
        listed.reverse();
        assert_eq!(read, listed, "the list says what was delivered");
        let doras = dora.is_up_to_date(&server).await;
        assert_eq!(doras.len(), if with_mentions { 10 } else { 0 });
        assert!(doras.iter().all(|event| event["notification"]["kind"] == "reply"));
    }
    for who in &crowd {
        assert!(!was_sent(who, "notifications."), "the author of a comment is not notified of it");
    }
}

#[tokio::test]
async fn many_notifications_of_one_actor_do_not_displace_those_of_others() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let post_id = ana.posts("hello").await;
    cleo.comments(post_id, "from Cleo").await;
    for number in 0..22 {
        ben.comments(post_id, &format!("from Ben, {number}")).await;
    }
    let unseen = |from: &crate::support::person::Person| -> i64 {
        let of = "select count(*) from notifications where user_id = ?1 and actor_id = ?2 and unread";
        server.look().query_row(of, [ana.id, from.id], |row| row.get(0)).unwrap()
    };
    assert_eq!((unseen(&ben), unseen(&cleo)), (20, 1));
    ana.sees_all().await;
    ben.comments(post_id, "after she looked").await;
    assert_eq!(unseen(&ben), 1);
}

#[tokio::test]
async fn the_actor_of_most_notifications_displaces_their_own() {
    let server = TestServer::with(&["requests_per_second=0"]).await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let post_id = ana.posts("hello").await;
    for number in 0..3 {
        cleo.comments(post_id, &format!("from Cleo, {number}")).await;
    }
    for number in 0..300 {
        ben.comments(post_id, &format!("from Ben, {number}")).await;
        if number % 20 == 19 {
            ana.sees_all().await;
        }
    }
    let kept = |from: &crate::support::person::Person| -> i64 {
        let of = "select count(*) from notifications where user_id = ?1 and actor_id = ?2";
        server.look().query_row(of, [ana.id, from.id], |row| row.get(0)).unwrap()
    };
    assert_eq!((kept(&ben), kept(&cleo)), (297, 3));
}

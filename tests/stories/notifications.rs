//! Notifications: who is told of what, the list, and what goes with its cause.

use serde_json::{Value, json};

use crate::world::person::Person;
use crate::world::server::{MORNING_MS, World};
use crate::world::value::key;

const DAY_MS: i64 = 24 * 3_600_000;

pub fn items(page: &Value) -> Vec<Value> {
    page["notifications"].as_array().unwrap().clone()
}

/// What somebody's newest notifications are: kind, of whom, about which comment.
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

/// The dot as a page that opens now shows it.
pub async fn has_dot(who: &Person) -> bool {
    let hello = who.opens_another_tab().await.socket.hello().await;
    let page = who.reads_notifications().await;
    assert_eq!(hello["me"]["has_unread"], page["has_unread"], "{}'s page and list agree", who.name);
    hello["me"]["has_unread"].as_bool().unwrap()
}

/// Was a frame with these bytes ever put on this person's socket?
fn was_sent(who: &Person, needle: &str) -> bool {
    let holds = |frame: &Vec<u8>| frame.windows(needle.len()).any(|window| window == needle.as_bytes());
    who.socket.bytes().iter().any(holds)
}

#[tokio::test]
async fn a_comment_a_reply_and_a_follow_each_reach_their_person_on_every_device_and_nobody_else() {
    let world = World::told(&[]).await;
    let [ana, ben, cleo, sten] = world.people(["Ana", "Ben", "Cleo", "Sten"]).await;
    let guest = world.guest().await;
    let post_id = ana.posts("hello\nyou").await;
    let tabs_of = async |who: &Person| [who.opens_another_tab().await, who.takes_the_phone().await];
    let (anas, cleos, bens) = (tabs_of(&ana).await, tabs_of(&cleo).await, tabs_of(&ben).await);
    // Sten shows the post and Ana's profile: that makes none of it his business.
    sten.opens(post_id).await;
    sten.visits(&ana).await;
    for who in [&ana, &ben, &cleo, &sten] {
        who.is_up_to_date(&world).await;
    }

    let plain = ben.comments(post_id, " one\r\n two ").await;
    let reply = ben.comments(post_id, &format!("look, {}", cleo.mention())).await;
    ben.follows(&ana).await;

    let of_comment = |comment_id: i64, kind: &str, text: &str| {
        json!({
            "kind": kind, "actor_id": ben.id, "post_id": post_id, "comment_id": comment_id,
            "created_at_ms": MORNING_MS, "unread": true, "comment_text": text, "post_text": "hello you",
        })
    };
    let follow = json!({
        "kind": "follow", "actor_id": ben.id, "post_id": null, "comment_id": null,
        "created_at_ms": MORNING_MS, "unread": true, "comment_text": null, "post_text": null,
    });
    let anas_news =
        [of_comment(plain, "comment", "one two"), of_comment(reply, "comment", "look, @Cleo"), follow];
    let cleos_news = [of_comment(reply, "reply", "look, @Cleo")];
    for (who, devices, news) in [(&ana, &anas, &anas_news[..]), (&cleo, &cleos, &cleos_news)] {
        let mut heard = Vec::new();
        for device in [who, &devices[0], &devices[1]] {
            let mut events = device.is_up_to_date(&world).await;
            events.retain(|event| event["ev"].as_str().unwrap().starts_with("notifications."));
            heard.push(events);
        }
        assert!(
            heard.iter().all(|events| *events == heard[0]),
            "every device of {} hears the same",
            who.name
        );
        assert_eq!(heard[0].len(), news.len(), "{}: {:?}", who.name, heard[0]);
        for (event, expected) in heard[0].iter().zip(news) {
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
        let told: Vec<Value> = heard[0].iter().rev().map(|event| event["notification"].clone()).collect();
        let page = who.reads_notifications().await;
        assert_eq!(items(&page), told, "the list says what was told");
        assert_eq!(
            (&page["users"], &page["older"], &page["has_unread"]),
            (&json!([ben.named()]), &Value::Null, &json!(true))
        );
    }
    for who in [&ben, &bens[0], &bens[1], &sten] {
        who.is_up_to_date(&world).await;
        assert!(!was_sent(who, "notifications."), "{} was sent somebody's news", who.name);
        assert!(list(who).await.is_empty() && !has_dot(who).await);
    }
    assert!(guest.events().is_empty());
}

#[tokio::test]
async fn nobody_is_told_of_their_own_doing() {
    let world = World::new().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let post_id = ana.posts("hello").await;
    ana.comments(post_id, "mine").await;
    ana.comments(post_id, &format!("me, {}", ana.mention())).await;
    ana.hears_only(&world, &["posts.created", "comments.created", "comments.created"]).await;
    assert!(list(&ana).await.is_empty() && list(&ben).await.is_empty());
    // Under somebody else's post, a mention of oneself tells the post's author alone.
    let comment = ben.comments(post_id, &ben.mention()).await;
    assert_eq!(list(&ana).await, [("comment".to_owned(), ben.id, Some(comment))]);
    assert!(list(&ben).await.is_empty());
}

#[tokio::test]
async fn the_list_is_newest_first_in_pages_of_thirty() {
    let world = World::new().await;
    let [ana, ben, cleo] = world.people(["Ana", "Ben", "Cleo"]).await;
    let post_id = ana.posts("hello").await;
    cleo.follows(&ana).await;
    let mut comments = Vec::new();
    for number in 0..30 {
        comments.insert(0, Some(ben.comments(post_id, &format!("c{number}")).await));
    }
    let first = ana.reads_notifications().await;
    let shown: Vec<Option<i64>> = items(&first).iter().map(|item| item["comment_id"].as_i64()).collect();
    assert_eq!(shown, comments);
    assert_eq!(first["users"], json!([ben.named()]), "who is on this page, each once");
    assert_eq!(first["older"], items(&first)[29]["id"]);
    let second = ana.asks("notifications.page", json!({ "before": first["older"] })).await;
    assert_eq!((items(&second).len(), &items(&second)[0]["kind"]), (1, &json!("follow")));
    assert_eq!((&second["users"], &second["older"]), (&json!([cleo.named()]), &Value::Null));
    let none = ana.asks("notifications.page", json!({ "before": items(&second)[0]["id"] })).await;
    assert_eq!((&none["notifications"], &none["older"]), (&json!([]), &Value::Null));
    assert_eq!(none["has_unread"], json!(true), "the dot speaks of all there are");
    // Thirty exactly: nothing older.
    cleo.unfollows(&ana).await;
    assert_eq!(ana.reads_notifications().await["older"], Value::Null);
    ana.is_refused("bad_request", "notifications.page", json!({ "before": "yesterday" })).await;
}

#[tokio::test]
async fn previews_are_one_line_of_a_hundred_characters_at_most() {
    let world = World::new().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let hundred = "🌿".repeat(100);
    for (words, preview) in [
        (hundred.clone(), hundred.clone()),
        (format!("{hundred}x"), format!("{}…", "🌿".repeat(99))),
        (" a \n\n b\tc ".to_owned(), "a b c".to_owned()),
        // No space before the ellipsis.
        (format!("{} {}", "x".repeat(98), "y".repeat(9)), format!("{}…", "x".repeat(98))),
        ("<b>bold</b> &amp;".to_owned(), "<b>bold</b> &amp;".to_owned()),
        (format!("{}b", "a ".repeat(200)), format!("{}a…", "a ".repeat(49))),
    ] {
        let post_id = ana.posts(&words).await;
        ben.comments(post_id, &words).await;
        let told = ana.hears("notifications.created").await["notification"].clone();
        let read = items(&ana.reads_notifications().await).remove(0);
        for item in [&told, &read] {
            assert_eq!((&item["comment_text"], &item["post_text"]), (&json!(preview), &json!(preview)));
        }
    }
}

#[tokio::test]
async fn much_white_space_hides_nothing_of_what_follows_it() {
    let world = World::new().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let words = format!("a{}b", " ".repeat(300));
    let post_id = ana.posts(&words).await;
    ben.comments(post_id, &words).await;
    let told = ana.hears("notifications.created").await["notification"].clone();
    let read = items(&ana.reads_notifications().await).remove(0);
    for item in [&told, &read] {
        assert_eq!((&item["comment_text"], &item["post_text"]), (&json!("a b"), &json!("a b")));
    }
}

#[tokio::test]
async fn the_list_says_names_and_words_of_now() {
    let world = World::new().await;
    let [ana, ben, cleo] = world.people(["Ana", "Ben", "Cleo Old"]).await;
    let post_id = ana.posts("hello").await;
    ben.comments(post_id, &format!("hi {} and @7+No_One!", cleo.mention())).await;
    let told = cleo.hears("notifications.created").await;
    assert_eq!(told["notification"]["comment_text"], "hi @Cleo Old and @No One!");

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
async fn c30_an_item_goes_with_its_comment_and_takes_the_dot_along() {
    let world = World::new().await;
    let [ana, ben, cleo, dora] = world.people(["Ana", "Ben", "Cleo", "Dora"]).await;
    let post_id = ana.posts("hello").await;
    let first = ben.comments(post_id, &format!("{} {}", cleo.mention(), dora.mention())).await;
    let second = ben.comments(post_id, &cleo.mention()).await;
    dora.sees_all().await;
    let ids_of = async |who: &Person| -> Vec<Value> {
        items(&who.reads_notifications().await).iter().map(|item| item["id"].clone()).collect()
    };
    let before = [ids_of(&ana).await, ids_of(&cleo).await, ids_of(&dora).await];
    for who in [&ana, &ben, &cleo, &dora] {
        who.is_up_to_date(&world).await;
    }

    ben.deletes_comment(first).await;

    let heard = ana.hears_only(&world, &["comments.deleted", "notifications.deleted"]).await.remove(1);
    assert_eq!((&heard["notification_ids"], &heard["has_unread"]), (&json!([before[0][1]]), &json!(true)));
    let heard = cleo.hears_only(&world, &["notifications.deleted"]).await.remove(0);
    assert_eq!((&heard["notification_ids"], &heard["has_unread"]), (&json!([before[1][1]]), &json!(true)));
    let heard = dora.hears_only(&world, &["notifications.deleted"]).await.remove(0);
    assert_eq!((&heard["notification_ids"], &heard["has_unread"]), (&json!([before[2][0]]), &json!(false)));
    ben.is_up_to_date(&world).await;
    assert!(!was_sent(&ben, "notifications."), "who wrote it is told nothing of theirs");
    assert_eq!(list(&cleo).await, [("reply".to_owned(), ben.id, Some(second))]);
    assert!(has_dot(&cleo).await && !has_dot(&dora).await);

    // The last one goes by the hand of the post's author.
    ana.deletes_comment(second).await;
    let heard = cleo.hears_only(&world, &["notifications.deleted"]).await.remove(0);
    assert_eq!(heard["has_unread"], json!(false));
    for who in [&ana, &cleo, &dora] {
        assert!(list(who).await.is_empty() && !has_dot(who).await);
    }
}

#[tokio::test]
async fn c30_all_of_a_post_goes_with_it_in_one_word_to_each() {
    let world = World::new().await;
    let [ana, ben, cleo, dora] = world.people(["Ana", "Ben", "Cleo", "Dora"]).await;
    let (doomed, stays) = (ana.posts("doomed").await, ana.posts("stays").await);
    for text in ["one".to_owned(), cleo.mention(), format!("{} {}", cleo.mention(), dora.mention())] {
        ben.comments(doomed, &text).await;
    }
    let kept = ben.comments(stays, &cleo.mention()).await;
    ana.sees_all().await;
    for who in [&ana, &cleo, &dora] {
        who.is_up_to_date(&world).await;
    }

    ana.deletes(doomed).await;

    for (who, evs, gone, has_unread) in [
        (&ana, &["posts.deleted", "notifications.deleted"][..], 3, false),
        (&cleo, &["notifications.deleted"], 2, true),
        (&dora, &["notifications.deleted"], 1, false),
    ] {
        let heard = who.hears_only(&world, evs).await.pop().unwrap();
        assert_eq!(
            (heard["notification_ids"].as_array().unwrap().len(), &heard["has_unread"]),
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
async fn only_ones_own_item_can_be_taken_away_and_once() {
    let world = World::new().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let phone = ana.takes_the_phone().await;
    let post_id = ana.posts("hello").await;
    ben.comments(post_id, "one").await;
    ben.comments(post_id, "two").await;
    let page = ana.reads_notifications().await;
    let (newer, older) = (&items(&page)[0]["id"], &items(&page)[1]["id"]);
    for who in [&ana, &phone, &ben] {
        who.is_up_to_date(&world).await;
    }
    let fields = |id: &Value| json!({ "key": key(), "notification_id": id });
    let not_his = ben.is_refused("not_found", "notifications.delete", fields(newer)).await;
    let not_there = ben.is_refused("not_found", "notifications.delete", fields(&json!(7))).await;
    assert_eq!(not_his, not_there);
    assert_eq!(list(&ana).await.len(), 2);

    let asked = fields(newer);
    let answer = ana.asks("notifications.delete", asked.clone()).await;
    for who in [&ana, &phone] {
        let event = who.hears_only(&world, &["notifications.deleted"]).await.remove(0);
        assert_eq!(
            event,
            json!({ "ev": "notifications.deleted", "notification_ids": [newer], "has_unread": true, "seq": answer["seq"] })
        );
    }
    // The same key is the same answer; another key finds nothing.
    assert_eq!(phone.asks("notifications.delete", asked).await, answer);
    ana.is_refused("not_found", "notifications.delete", fields(newer)).await;
    ana.hears_nothing(&world).await;
    ana.dismisses(older.as_i64().unwrap()).await;
    let event = phone.hears_only(&world, &["notifications.deleted"]).await.remove(0);
    assert_eq!((&event["has_unread"], has_dot(&ana).await), (&json!(false), false));
    // What it was about is untouched.
    assert_eq!(ana.opens(post_id).await["comments_count"], 2);
    ben.hears_nothing(&world).await;
}

#[tokio::test]
async fn unfollowing_takes_back_what_was_not_seen_and_following_again_today_is_no_news() {
    let world = World::told(&[]).await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    ben.follows(&ana).await;
    let told = ana.hears_only(&world, &["notifications.created"]).await.remove(0);
    ben.unfollows(&ana).await;
    let gone = ana.hears_only(&world, &["notifications.deleted"]).await.remove(0);
    assert_eq!(
        (&gone["notification_ids"], &gone["has_unread"]),
        (&json!([told["notification"]["id"]]), &json!(false))
    );
    assert!(list(&ana).await.is_empty() && !has_dot(&ana).await);
    // It never was seen, so it is news again.
    ben.follows(&ana).await;
    ana.hears_only(&world, &["notifications.created"]).await;
    ana.sees_all().await;
    ana.is_up_to_date(&world).await;
    for _ in 0..2 {
        world.later(DAY_MS / 2 - 1_000);
        ben.unfollows(&ana).await;
        ben.follows(&ana).await;
        ana.hears_nothing(&world).await;
    }
    assert_eq!(list(&ana).await.len(), 1, "what was seen stays, and stays one");
    world.later(3_000);
    ben.unfollows(&ana).await;
    ben.follows(&ana).await;
    ana.hears_only(&world, &["notifications.created"]).await;
    assert_eq!(list(&ana).await.len(), 2);
}

#[tokio::test]
async fn what_is_sent_again_tells_once() {
    let mut world = World::new().await;
    let [ana, mut ben, mut cleo] = world.people(["Ana", "Ben", "Cleo"]).await;
    let post_id = ana.posts("hello").await;
    let requests = [
        ("comments.create", json!({ "key": key(), "post_id": post_id, "text": "plain" })),
        ("comments.create", json!({ "key": key(), "post_id": post_id, "text": cleo.mention() })),
        ("follows.set", json!({ "key": key(), "user_id": ana.id, "following": true })),
    ];
    // Twice at once, again later, and again after a restart.
    let tab = ben.opens_another_tab().await;
    for (op, fields) in &requests {
        let first = ben.socket.sends(op, fields.clone()).await;
        let second = tab.socket.sends(op, fields.clone()).await;
        let answer = ben.socket.answer_to(first).await;
        assert_eq!(tab.socket.answer_to(second).await, answer);
        assert_eq!(tab.tries(op, fields.clone()).await, answer);
    }
    let told =
        |events: Vec<Value>| events.iter().filter(|event| event["ev"] == "notifications.created").count();
    assert_eq!(told(ana.is_up_to_date(&world).await), 3);
    assert_eq!(told(cleo.is_up_to_date(&world).await), 1);
    world.restarts().await;
    ben.comes_back().await;
    cleo.comes_back().await;
    for (op, fields) in &requests {
        ben.asks(op, fields.clone()).await;
    }
    cleo.hears_nothing(&world).await;
    assert_eq!(world.count("select count(*) from notifications"), 4);
}

#[tokio::test]
async fn a_refused_comment_tells_nobody() {
    let world = World::new().await;
    let [ana, ben, cleo] = world.people(["Ana", "Ben", "Cleo"]).await;
    let post_id = ana.posts("hello").await;
    ana.is_up_to_date(&world).await;
    for text in ["", &"a".repeat(501), &format!("{} {}", cleo.mention(), "a".repeat(500))] {
        let fields = json!({ "key": key(), "post_id": post_id, "text": text });
        ben.is_refused("invalid", "comments.create", fields).await;
    }
    let nowhere = json!({ "key": key(), "post_id": 7, "text": cleo.mention() });
    ben.is_refused("not_found", "comments.create", nowhere).await;
    for who in [&ana, &cleo] {
        who.hears_nothing(&world).await;
    }
    assert_eq!(world.count("select count(*) from notifications"), 0);
}

#[tokio::test]
async fn a_crowd_that_comments_at_once_tells_the_author_of_each_once_and_in_order() {
    let world = World::with(&["workers=4"]).await;
    let [ana, dora] = world.people(["Ana", "Dora"]).await;
    let post_id = ana.posts("hello").await;
    let mut crowd = Vec::new();
    for number in 0..40 {
        crowd.push(world.person(&format!("person {number}")).await);
    }
    for with_mentions in [false, true] {
        ana.is_up_to_date(&world).await;
        dora.is_up_to_date(&world).await;
        let mut asked = Vec::new();
        for (number, who) in crowd.iter().enumerate() {
            let text = match number % 4 {
                1 if with_mentions => format!("{number} {}", dora.mention()),
                2 if with_mentions => format!("{number} {} {}", ana.mention(), who.mention()),
                _ => format!("{number}"),
            };
            let fields = json!({ "key": key(), "post_id": post_id, "text": text });
            asked.push(who.socket.sends("comments.create", fields).await);
        }
        let mut made = Vec::new();
        for (who, id) in crowd.iter().zip(asked) {
            let ok = who.socket.answer_to(id).await.unwrap();
            made.push((ok["seq"].as_i64().unwrap(), ok["comment"]["id"].clone(), json!(who.id)));
        }
        made.sort_by_key(|(seq, ..)| *seq);
        let in_order: Vec<(Value, Value)> = made.into_iter().map(|(_, id, by)| (id, by)).collect();

        let heard = ana.is_up_to_date(&world).await;
        let seqs: Vec<i64> = heard.iter().map(|event| event["seq"].as_i64().unwrap()).collect();
        assert!(seqs.is_sorted(), "a comment and what it notifies of are one write");
        let told: Vec<&Value> = heard
            .iter()
            .filter(|event| event["ev"] == "notifications.created")
            .map(|event| &event["notification"])
            .collect();
        assert!(told.iter().all(|item| item["kind"] == "comment"), "once each, and as a comment: {told:?}");
        let order: Vec<(Value, Value)> =
            told.iter().map(|item| (item["comment_id"].clone(), item["actor_id"].clone())).collect();
        assert_eq!(order, in_order, "in the order of the comments");
        assert_eq!(heard.len(), 80, "a comment and its news each");

        let first = ana.reads_notifications().await;
        let second = ana.asks("notifications.page", json!({ "before": first["older"] })).await;
        let mut read = [items(&first), items(&second)].concat();
        read.truncate(40);
        let mut listed: Vec<Value> = told.into_iter().cloned().collect();
        // The list goes by id, made when a request arrives: of one moment, another order than the commits'.
        listed.sort_by_key(|item| std::cmp::Reverse(item["id"].as_i64()));
        assert_eq!(read, listed, "the list says what was told");
        let doras = dora.is_up_to_date(&world).await;
        assert_eq!(doras.len(), if with_mentions { 10 } else { 0 });
        assert!(doras.iter().all(|event| event["notification"]["kind"] == "reply"));
    }
    for who in &crowd {
        assert!(!was_sent(who, "notifications."), "who comments is told nothing of theirs");
    }
}

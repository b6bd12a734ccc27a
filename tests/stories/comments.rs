//! Comments: counts, the two oldest, deletion, and threads.

pub mod access;
mod tapes;

use serde_json::{Value, json};

use crate::support::server::{MORNING_MS, TestServer};
use crate::support::value::key;
use crate::writes::{Sender, Stage, id_of};

fn words(comments: &Value) -> Vec<&str> {
    comments.as_array().unwrap().iter().map(|comment| comment["text"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn ben_comments_and_everybody_who_shows_the_post_sees_it() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, cleo, dora] = server.people(["Ana", "Ben", "Cleo", "Dora"]).await;
    dora.follows(&ana).await;
    let post_id = ana.posts("hello").await;
    ben.opens(post_id).await;
    cleo.reads_thread(post_id).await;
    for who in [&ana, &ben, &cleo, &dora] {
        who.is_up_to_date(&server).await;
    }

    let ok = ben
        .asks("comments.create", json!({ "key": key(), "post_id": post_id, "text": " hi \r\n there ", "audience": { "type": "public" } }))
        .await;

    let id = ok["comment"]["id"].as_i64().unwrap();
    let comment = json!({
        "id": id, "post_id": post_id, "author_id": ben.id, "text": "hi\n there", "created_at_ms": MORNING_MS,
    });
    assert_eq!(ok, json!({ "comment": comment, "seq": ok["seq"] }));
    let event = json!({
        "ev": "comments.created", "comment": comment, "users": [ben.named()],
        "comments_count": 1, "seq": ok["seq"],
    });
    for who in [&ben, &cleo] {
        assert_eq!(who.receives_only(&server, &["comments.created"]).await, std::slice::from_ref(&event));
    }
    // Ana, the author of the post, also receives the comment.
    let delivered = ana.receives_only(&server, &["comments.created", "notifications.created"]).await;
    assert_eq!((&delivered[0], &delivered[1]["notification"]["comment_id"]), (&event, &json!(id)));
    // Dora follows Ana and received the post. She is subscribed to it only while she shows it.
    dora.receives_nothing(&server).await;
}

#[tokio::test]
async fn a_post_has_its_two_oldest_comments_and_the_number_of_all() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let post_id = ana.posts("hello").await;
    for text in ["one", "two", "three"] {
        ben.comments(post_id, text).await;
    }
    let post = ana.opens(post_id).await;
    assert_eq!((words(&post["first_comments"]), &post["comments_count"]), (vec!["one", "two"], &json!(3)));
    let feed = ana.reads_feed().await;
    assert_eq!(words(&feed["posts"][0]["first_comments"]), ["one", "two"]);
    assert_eq!(feed["users"], json!([ana.named(), ben.named()]));
}

#[tokio::test]
async fn c29_after_a_deletion_the_count_and_the_two_oldest_comments_are_right() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let post_id = ana.posts("hello").await;
    let first = ben.comments(post_id, "one").await;
    ben.comments(post_id, "two").await;
    cleo.comments(post_id, "three").await;
    ana.is_up_to_date(&server).await;

    ben.deletes_comment(first).await;

    let event = ana.receives_only(&server, &["comments.deleted", "notifications.deleted"]).await.remove(0);
    assert_eq!((&event["post_id"], &event["comment_id"]), (&json!(post_id), &json!(first)));
    assert_eq!(
        (words(&event["first_comments"]), &event["comments_count"]),
        (vec!["two", "three"], &json!(2))
    );
    assert_eq!(event["users"], json!([ben.named(), cleo.named()]));
    let post = ana.opens(post_id).await;
    assert_eq!(post["first_comments"], event["first_comments"]);
    assert_eq!(post["comments_count"], 2);
}

#[tokio::test]
async fn only_the_authors_of_the_comment_and_of_the_post_delete_a_comment() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let post_id = ana.posts("hello").await;
    let (mine, hers) = (ben.comments(post_id, "mine").await, ben.comments(post_id, "hers to delete").await);
    let fields = |id: i64| json!({ "key": key(), "comment_id": id });
    let not_yours = cleo.is_refused("not_found", "comments.delete", fields(mine)).await;
    assert_eq!(not_yours, cleo.is_refused("not_found", "comments.delete", fields(7)).await);
    ben.deletes_comment(mine).await;
    ana.deletes_comment(hers).await;
    assert_eq!(ana.reads_thread(post_id).await["comments"], json!([]));
    ben.is_refused("not_found", "comments.delete", fields(mine)).await;
}

#[tokio::test]
async fn a_comment_on_a_post_deleted_meanwhile_is_refused_and_affects_no_one() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let post_id = ana.posts("hello").await;
    ben.opens(post_id).await;
    ana.deletes(post_id).await;
    let fields =
        json!({ "key": key(), "post_id": post_id, "text": "too late", "audience": { "type": "public" } });
    let no = ben.is_refused("not_found", "comments.create", fields.clone()).await;
    assert_eq!(
        no,
        ben.is_refused(
            "not_found",
            "comments.create",
            json!({ "key": key(), "post_id": 7, "text": "x", "audience": { "type": "public" } })
        )
        .await
    );
    // The same request with the same key gets the same reply, and the writer still works.
    ben.is_refused("not_found", "comments.create", fields).await;
    ben.is_refused("not_found", "comments.page", json!({ "post_id": post_id, "after": null })).await;
    ben.posts("still here").await;
}

#[tokio::test]
async fn a_refused_comment_does_not_affect_others_of_the_batch() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let post_id = ana.posts("hello").await;
    let mut sent = Vec::new();
    for number in 0..20 {
        let good = json!({ "key": key(), "post_id": post_id, "text": format!("c{number}"), "audience": { "type": "public" } });
        let bad = json!({ "key": key(), "post_id": 7, "text": "nowhere", "audience": { "type": "public" } });
        sent.push((
            ana.socket.sends("comments.create", good).await,
            ben.socket.sends("comments.create", bad).await,
        ));
    }
    for (good, bad) in sent {
        ana.socket.reply_to(good).await.unwrap();
        assert_eq!(ben.socket.reply_to(bad).await.unwrap_err().code, "not_found");
    }
    assert_eq!(ana.opens(post_id).await["comments_count"], 20);
}

#[tokio::test]
async fn a_thread_is_read_oldest_first_in_pages_of_fifty() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let post_id = ana.posts("hello").await;
    let mut ids = Vec::new();
    for number in 0..51 {
        ids.push(ben.comments(post_id, &format!("c{number}")).await);
    }
    let first = ana.reads_thread(post_id).await;
    let read: Vec<i64> =
        first["comments"].as_array().unwrap().iter().map(|c| c["id"].as_i64().unwrap()).collect();
    assert_eq!(
        (read, &first["more"], &first["comments_count"]),
        (ids[..50].to_vec(), &json!(true), &json!(51))
    );
    assert_eq!(first["users"], json!([ben.named()]));
    let second = ana.asks("comments.page", json!({ "post_id": post_id, "after": ids[49] })).await;
    assert_eq!((words(&second["comments"]), &second["more"]), (vec!["c50"], &json!(false)));
    let none = ana.asks("comments.page", json!({ "post_id": post_id, "after": ids[50] })).await;
    assert_eq!(
        (&none["comments"], &none["more"], &none["comments_count"]),
        (&json!([]), &json!(false), &json!(51))
    );
}

#[tokio::test]
async fn a_blank_or_over_long_comment_is_refused() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let post_id = ana.posts("hello").await;
    for (text, message) in [
        (" \n ".to_owned(), "A comment needs a word or two."),
        ("\u{200B}\u{FE0F}".to_owned(), "A comment needs a word or two."),
        ("a".repeat(501), "This is longer than 500 characters. Your words are kept."),
    ] {
        let fields =
            json!({ "key": key(), "post_id": post_id, "text": text, "audience": { "type": "public" } });
        let no = ana.is_refused("invalid", "comments.create", fields).await;
        assert_eq!((no.field.as_deref(), no.message.as_str()), (Some("text"), message));
    }
    ana.comments(post_id, &"🌿".repeat(500)).await;
    assert_eq!(ana.opens(post_id).await["comments_count"], 1);
}

#[tokio::test]
async fn comments_have_a_rate_limit() {
    let server = TestServer::with_manual_clock(&["comments_per_hour=2"]).await;
    let ana = server.person("Ana").await;
    let post_id = ana.posts("hello").await;
    // A refused comment does not count.
    ana.is_refused(
        "not_found",
        "comments.create",
        json!({ "key": key(), "post_id": 7, "text": "x", "audience": { "type": "public" } }),
    )
    .await;
    ana.comments(post_id, "one").await;
    ana.comments(post_id, "two").await;
    let fields =
        json!({ "key": key(), "post_id": post_id, "text": "three", "audience": { "type": "public" } });
    assert_eq!(
        ana.is_refused("slow_down", "comments.create", fields.clone()).await.retry_ms,
        Some(1_800_000)
    );
    server.later(1_800_000);
    ana.asks("comments.create", fields).await;
}

#[tokio::test]
async fn a_comment_written_for_a_group_is_refused_after_the_post_became_public() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let group_id = ana.makes_group_with("Close friends", &[&ben]).await;
    let post_id = ana.shares(group_id, "for a few").await;
    let seen = json!({ "type": "group", "group_id": group_id });
    let words = json!({ "key": key(), "post_id": post_id, "text": "for a few, too", "audience": seen });
    let mut edit = crate::support::person::edit(post_id, None, "for everyone");
    edit["audience"] = json!({ "type": "public" });
    ana.asks("posts.update", edit).await;

    // The first try, whose reply is lost, and its retry.
    for _ in 0..2 {
        let no = ben.is_refused("audience_changed", "comments.create", words.clone()).await;
        assert!(no.message.contains("kept"), "{}", no.message);
    }
    let mut now = words.clone();
    (now["key"], now["audience"]) = (key(), json!({ "type": "public" }));
    let first = ben.asks("comments.create", now.clone()).await;
    assert_eq!(ben.asks("comments.create", now.clone()).await, first, "a retry of what was done");
    now["audience"] = seen;
    ben.is_refused("key_conflict", "comments.create", now).await;
}

/// Writes a comment that notifies two users, reads and deletes a notification, and deletes the comment.
pub async fn send_writes(stage: &Stage<'_>, sender: &mut dyn Sender) {
    let Stage { ana, ben, cleo, post_id, .. } = stage;
    let text = format!("{} look", cleo.mention());
    let comment = sender
        .send(
            ben,
            "comments.create",
            3,
            json!({ "post_id": post_id, "text": text, "audience": { "type": "public" } }),
        )
        .await;
    let notification_id = ana.reads_notifications().await["notifications"][0]["id"].clone();
    sender.send(ana, "notifications.read", 1, json!({})).await;
    sender.send(ana, "notifications.read", 0, json!({})).await;
    sender.send(ana, "notifications.delete", 1, json!({ "notification_id": notification_id })).await;
    sender.send(ben, "comments.delete", 2, json!({ "comment_id": id_of(&comment, "comment") })).await;
}

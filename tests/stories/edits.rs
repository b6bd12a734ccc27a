//! Editing: an author changes a post, and every client that shows it receives the change.

use serde_json::{Value, json};

use crate::support::person::{edit, noted, post_with, texts};
use crate::support::server::{MORNING_MS, TestServer};
use crate::support::value::key;

#[tokio::test]
async fn ana_edits_her_post_and_everybody_who_shows_it_sees_it() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, cleo, dora, emil] = server.people(["Ana", "Ben", "Cleo", "Dora", "Emil"]).await;
    let tab = ana.opens_another_tab().await;
    ben.follows(&ana).await;
    let upload = ana.uploads("tree.jpg", &crate::support::picture::jpeg(8, 6)).await;
    let mut fields = post_with(Some("Before"), "before", Some("Slow Mornings"));
    fields["pictures"] = json!([{ "upload": upload, "alt": "A tree." }]);
    let before = ana.asks("posts.create", fields).await["post"].clone();
    let id = before["id"].as_i64().unwrap();
    ben.comments(id, "hm").await;
    ben.votes(id, "positive").await;
    cleo.opens(id).await;
    dora.visits(&ana).await;
    for who in [&ana, &tab, &ben, &cleo, &dora, &emil] {
        who.is_up_to_date(&server).await;
    }
    ana.receives_nothing(&server).await;

    server.later(60_000);
    let ok = ana.edits(id, Some(" After  all "), " one\r\ntwo ").await;

    let mut expected = ana.opens(id).await;
    assert_eq!((&expected["title"], &expected["text"]), (&json!("After all"), &json!("one\ntwo")));
    assert_eq!(expected["updated_at_ms"], MORNING_MS + 60_000);
    assert_eq!((&expected["comments_count"], &expected["positive_count"]), (&json!(1), &json!(1)));
    // All other fields stay.
    for name in ["title", "text", "updated_at_ms", "comments_count", "first_comments", "positive_count"] {
        expected[name] = before[name].clone();
    }
    assert_eq!(expected, before);

    let event = json!({
        "ev": "posts.updated", "post_id": id, "author_id": ana.id, "title": "After all", "text": "one\ntwo",
        "content_note": null, "audience": { "type": "public" }, "groups": [], "updated_at_ms": MORNING_MS + 60_000, "seq": ok["seq"],
    });
    for who in [&ana, &tab, &ben, &cleo, &dora] {
        assert_eq!(who.receives_only(&server, &["posts.updated"]).await[0], event, "{}", who.name);
    }
    let mut expected = event;
    expected.as_object_mut().unwrap().remove("ev");
    assert_eq!(ok, expected, "the answer says what the event says");
    emil.receives_nothing(&server).await;
    assert_eq!(ben.feed_texts().await, ["one\ntwo"]);
    assert_eq!(ben.tagged_texts("slow mornings").await, ["one\ntwo"], "its tag is what it was");
}

#[tokio::test]
async fn an_unchanged_text_changes_and_publishes_nothing() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    let before = ana.asks("posts.create", post_with(Some("A title"), "hello", None)).await;
    let id = before["post"]["id"].as_i64().unwrap();
    for who in [&ana, &ben] {
        who.is_up_to_date(&server).await;
    }
    server.later(60_000);
    for (title, text) in [("A title", "hello"), (" A  title", "\nhello "), ("A title", "hello\r\n")] {
        let ok = ana.edits(id, Some(title), text).await;
        assert_eq!((&ok["title"], &ok["text"]), (&json!("A title"), &json!("hello")));
        assert_eq!(ok["updated_at_ms"], MORNING_MS, "not edited");
    }
    for who in [&ana, &ben] {
        who.receives_nothing(&server).await;
    }
    // The old text again is a new edit.
    ana.edits(id, Some("A title"), "hi").await;
    let back = ana.edits(id, Some("A title"), "hello").await;
    assert_eq!(back["text"], "hello");
    assert_eq!(ana.opens(id).await["created_at_ms"], MORNING_MS);
    assert_eq!(back["updated_at_ms"], MORNING_MS + 60_001, "later than the edit before");
    assert_eq!(ben.receives_only(&server, &["posts.updated", "posts.updated"]).await[1]["text"], "hello");
}

#[tokio::test]
async fn an_edit_within_one_millisecond_is_still_marked_as_edited() {
    let server = TestServer::with_manual_clock(&[]).await;
    let ana = server.person("Ana").await;
    let id = ana.posts("hello").await;
    ana.edits(id, None, "hi").await;
    let post = ana.opens(id).await;
    assert!(post["updated_at_ms"].as_i64() > post["created_at_ms"].as_i64());
}

#[tokio::test]
async fn a_title_is_added_and_removed() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let id = ana.posts("hello").await;
    for (title, expected) in [
        (Some("One"), json!("One")),
        (Some("two"), json!("two")),
        (Some(" "), Value::Null),
        (Some("Three"), json!("Three")),
        (None, Value::Null),
    ] {
        assert_eq!(ana.edits(id, title, "hello").await["title"], expected);
        assert_eq!(ana.opens(id).await["title"], expected);
    }
}

#[tokio::test]
async fn an_invalid_edit_is_refused_and_changes_nothing() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    let id = ana.posts("hello").await;
    let before = ana.opens(id).await;
    for who in [&ana, &ben] {
        who.is_up_to_date(&server).await;
    }
    for (fields, field, message) in [
        (edit(id, Some("A title"), " \n\t "), "text", "Post text cannot be empty"),
        (edit(id, None, "\u{200B}\u{2060}"), "text", "Post text cannot be empty"),
        (
            edit(id, None, &"a".repeat(2_001)),
            "text",
            "This is longer than 2,000 characters. Your words are kept.",
        ),
        (
            edit(id, Some(&"a".repeat(101)), "x"),
            "title",
            "This is longer than 100 characters. Your words are kept.",
        ),
        (
            noted(edit(id, None, "x"), &"a".repeat(61)),
            "content_note",
            "This is longer than 60 characters. Your words are kept.",
        ),
    ] {
        let no = ana.is_refused("invalid", "posts.update", fields).await;
        assert_eq!((no.field.as_deref(), no.message.as_str(), no.retry_ms), (Some(field), message, None));
    }
    for audience in [json!({ "type": "nobody" }), json!("public"), Value::Null] {
        let mut fields = edit(id, None, "x");
        fields["audience"] = audience;
        ana.is_refused("bad_request", "posts.update", fields).await;
    }
    assert_eq!(ana.opens(id).await, before);
    for who in [&ana, &ben] {
        who.receives_nothing(&server).await;
    }
    ana.edits(id, Some(&"🌿".repeat(100)), &"🌿".repeat(2_000)).await;
}

#[tokio::test]
async fn only_the_author_edits_a_post_and_others_do_not_learn_whether_it_exists() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    let (id, gone) = (ana.posts("hello").await, ana.posts("gone").await);
    ana.deletes(gone).await;
    let not_yours = ben.is_refused("not_found", "posts.update", edit(id, None, "mine")).await;
    let not_there = ben.is_refused("not_found", "posts.update", edit(7, None, "mine")).await;
    let no_more = ana.is_refused("not_found", "posts.update", edit(gone, None, "again")).await;
    assert_eq!((&not_yours, &not_yours), (&not_there, &no_more));
    assert_eq!(not_yours.message, "That isn't available.");
    assert_eq!(ana.feed_texts().await, ["hello"]);
}

#[tokio::test]
async fn r5_a_repeated_edit_is_applied_once_and_does_not_revert_a_newer_one() {
    let mut server = TestServer::new().await;
    let [mut ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    let id = ana.posts("first").await;
    ben.is_up_to_date(&server).await;
    let second = edit(id, None, "second");
    let reply = ana.asks("posts.update", second.clone()).await;
    ana.edits(id, None, "third").await;
    for _ in 0..2 {
        ana.reconnects().await;
        assert_eq!(ana.asks("posts.update", second.clone()).await, reply);
        assert_eq!(ana.feed_texts().await, ["third"], "an old edit that comes late undoes no newer one");
        server.restarts().await;
        ana.reconnects().await;
    }
    let mut other = second;
    other["text"] = json!("fourth");
    ana.is_refused("key_conflict", "posts.update", other).await;
    assert_eq!(ana.feed_texts().await, ["third"]);
}

#[tokio::test]
async fn the_last_commit_of_concurrent_edits_wins_for_everybody() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    let (tab, phone) = (ana.opens_another_tab().await, ana.logs_in_on_phone().await);
    let id = ana.posts("first").await;
    for who in [&ana, &tab, &phone, &ben] {
        who.is_up_to_date(&server).await;
    }
    let mut sent = Vec::new();
    for number in 0..30 {
        let who = [&ana, &tab, &phone][number % 3];
        let fields = edit(id, None, &format!("edit {number}"));
        sent.push((who, who.socket.sends("posts.update", fields).await));
    }
    let mut last = (0, Value::Null);
    for (who, id) in sent {
        let ok = who.socket.reply_to(id).await.unwrap();
        let seq = ok["seq"].as_i64().unwrap();
        if seq > last.0 {
            last = (seq, ok["text"].clone());
        }
    }
    for who in [&ana, &tab, &phone, &ben] {
        let received = who.is_up_to_date(&server).await;
        assert_eq!(received.len(), 30, "{} received each once", who.name);
        assert!(received.is_sorted_by_key(|event| event["seq"].as_i64()));
        assert_eq!((&received[29]["seq"], &received[29]["text"]), (&json!(last.0), &last.1));
        assert!(received.is_sorted_by(|a, b| a["updated_at_ms"].as_i64() < b["updated_at_ms"].as_i64()));
    }
    assert_eq!(texts(&ben.reads_feed().await), [last.1.as_str().unwrap()]);
}

#[tokio::test]
async fn a_missed_edit_is_replayed_after_a_reconnect() {
    let server = TestServer::new().await;
    let [ana, mut ben, mut cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    ben.follows(&ana).await;
    let id = ana.posts("first").await;
    cleo.opens(id).await;
    let cursor = server.publishes_marker().await;
    // Both connections are cut, and the edits happen meanwhile.
    ben.socket = server.guest().await;
    cleo.socket = server.guest().await;
    let seq = ana.edits(id, Some("A title"), "second").await["seq"].clone();
    for (who, posts) in [(&mut ben, vec![]), (&mut cleo, vec![id])] {
        who.reconnects().await;
        let epoch = who.socket.hello().await["epoch"].clone();
        let fields = json!({ "epoch": epoch, "seq": cursor, "posts": posts, "profiles": [] });
        assert_eq!(who.asks("live.resume", fields).await["resync"], json!(false));
        let event = who.receives("posts.updated").await;
        assert_eq!((&event["post_id"], &event["text"], &event["seq"]), (&json!(id), &json!("second"), &seq));
        who.receives_nothing(&server).await;
    }
}

#[tokio::test]
async fn an_edit_and_a_deletion_that_race_leave_no_post() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    for round in 0..10 {
        let id = ana.posts("first").await;
        ben.is_up_to_date(&server).await;
        let one = ana.socket.sends("posts.update", edit(id, None, "second")).await;
        let two = ana.socket.sends("posts.delete", json!({ "key": key(), "post_id": id })).await;
        let three = ana.socket.sends("posts.update", edit(id, None, "third")).await;
        assert!(ana.socket.reply_to(one).await.is_ok(), "{round}: in the order they were sent");
        assert!(ana.socket.reply_to(two).await.is_ok());
        assert_eq!(ana.socket.reply_to(three).await.unwrap_err().code, "not_found");
        ben.receives_only(&server, &["posts.updated", "posts.deleted"]).await;
    }
    assert_eq!(ben.feed_texts().await, [""; 0]);
}

#[tokio::test]
async fn edits_have_a_rate_limit_and_refused_ones_do_not_count() {
    let server = TestServer::with_manual_clock(&["edits_per_hour=2"]).await;
    let ana = server.person("Ana").await;
    let id = ana.posts("first").await;
    ana.is_refused("invalid", "posts.update", edit(id, None, " ")).await;
    ana.is_refused("not_found", "posts.update", edit(7, None, "nowhere")).await;
    let fields = edit(id, None, "second");
    ana.asks("posts.update", fields.clone()).await;
    ana.edits(id, None, "third").await;
    let no = ana.is_refused("slow_down", "posts.update", edit(id, None, "fourth")).await;
    assert_eq!(no.retry_ms, Some(30 * 60_000));
    // A retry of an applied edit does not count for the rate limit.
    ana.asks("posts.update", fields).await;
    server.later(30 * 60_000);
    ana.edits(id, None, "fourth").await;
}

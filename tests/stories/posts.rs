//! Posts: creating them, the feed with its order and what it leaves out, and deleting them.

pub mod access;
mod own_search;
mod tapes;

use serde_json::{Value, json};

use crate::support::person::{Person, noted, post, post_with, texts};
use crate::support::server::{MORNING_MS, TestServer};
use crate::support::value::key;

#[tokio::test]
async fn ana_posts_and_ben_who_follows_her_sees_it_and_cleo_does_not() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    ben.follows(&ana).await;

    let post_id = ana.posts("hello").await;

    let post = ben.sees_post("hello").await;
    assert_eq!((post["id"].as_i64(), post["author_id"].as_i64()), (Some(post_id), Some(ana.id)));
    assert!(post.get("vote").is_none() && post.get("positive_count").is_none(), "{post}");
    ana.sees_post("hello").await;
    cleo.receives_nothing(&server).await;
    assert_eq!(ben.feed_texts().await, ["hello"]);
    assert_eq!(cleo.feed_texts().await, [""; 0]);
}

#[tokio::test]
async fn a_post_is_complete_in_its_reply_and_its_event() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    ben.is_up_to_date(&server).await;

    let ok = ana
        .asks("posts.create", post_with(Some(" A  title "), " one\r\ntwo ", Some(" #Slow  Mornings")))
        .await;

    let id = ok["post"]["id"].as_i64().unwrap();
    let post = json!({
        "id": id, "author_id": ana.id, "title": "A title", "text": "one\ntwo",
        "tag": "Slow Mornings", "tag_key": "slow mornings", "content_note": null, "audience": { "type": "public" },
        "pictures": [], "created_at_ms": MORNING_MS, "updated_at_ms": MORNING_MS, "imported": false, "comments_count": 0, "first_comments": [],
    });
    let users = json!([ana.named()]);
    let mut view = post.clone();
    view["vote"] = json!("none");
    view["saved"] = json!(false);
    view["positive_count"] = json!(0);
    view["comments_only_for"] = Value::Null;
    assert_eq!(ok, json!({ "post": view, "users": users, "groups": [], "seq": ok["seq"] }));
    let event = ben.receives("posts.created").await;
    let seq = &ok["seq"];
    assert_eq!(
        event,
        json!({ "ev": "posts.created", "post": post, "users": users, "groups": [], "seq": seq })
    );
}

#[tokio::test]
async fn the_feed_is_in_the_order_of_time_and_includes_the_viewers_own_posts() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    ana.follows(&ben).await;
    ana.follows(&cleo).await;
    for (who, text) in [(&ben, "1"), (&ana, "2"), (&cleo, "3"), (&ben, "4")] {
        who.posts(text).await;
    }
    let feed = ana.reads_feed().await;
    assert_eq!(texts(&feed), ["4", "3", "2", "1"]);
    assert_eq!((&feed["older"], &feed["follows_anyone"]), (&Value::Null, &json!(true)));
    let named: Vec<&str> =
        feed["users"].as_array().unwrap().iter().map(|user| user["name"].as_str().unwrap()).collect();
    assert_eq!(named, ["Ana", "Ben", "Cleo"]);
}

#[tokio::test]
async fn an_empty_feed_says_whether_the_viewer_follows_anyone() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    assert_eq!(ana.reads_feed().await["follows_anyone"], json!(false));
    ana.follows(&ben).await;
    let feed = ana.reads_feed().await;
    assert_eq!(
        (&feed["follows_anyone"], &feed["posts"], &feed["older"]),
        (&json!(true), &json!([]), &Value::Null)
    );
}

async fn all_pages(ana: &Person, op: &str, mut fields: Value) -> Vec<Vec<String>> {
    let mut pages = Vec::new();
    loop {
        let page = ana.asks(op, fields.clone()).await;
        pages.push(texts(&page));
        fields["before"] = page["older"].clone();
        if page["older"].is_null() {
            return pages;
        }
    }
}

#[tokio::test]
async fn pages_have_thirty_posts_without_gaps_or_duplicates() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ana.follows(&ben).await;
    for number in 0..61 {
        if number % 2 == 0 { &ana } else { &ben }.posts(&format!("p{number}")).await;
    }
    let expected: Vec<String> = (0..61).rev().map(|number| format!("p{number}")).collect();

    let pages = all_pages(&ana, "posts.feed", json!({})).await;
    assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [30, 30, 1]);
    assert_eq!(pages.concat(), expected);

    let of_ben = all_pages(&ana, "posts.by_author", json!({ "user_id": ben.id })).await;
    assert_eq!(of_ben.iter().map(Vec::len).collect::<Vec<_>>(), [30], "thirty exactly: nothing older");
    assert!(of_ben.concat().iter().all(|text| text[1..].parse::<u32>().unwrap() % 2 == 1));
}

#[tokio::test]
async fn a_feed_includes_posts_from_before_years_without_posts() {
    let server = TestServer::with_manual_clock(&[]).await;
    let ana = server.person("Ana").await;
    const DAY_MS: i64 = 24 * 3_600_000;
    for (text, days) in [("first", 1_000), ("second", 100), ("third", 30), ("fourth", 3)] {
        ana.posts(text).await;
        server.later(days * DAY_MS);
    }
    // Her login has expired by then, so she logs in again.
    let ana = ana.logs_in_on_phone().await;
    assert_eq!(ana.feed_texts().await, ["fourth", "third", "second", "first"]);
    assert_eq!(ana.reads_feed().await["older"], Value::Null);
}

async fn hidden_post(server: &TestServer, ana: &Person) -> i64 {
    let post_id = ana.publishes(post_with(None, "unloved", Some("Moods"))).await;
    for number in 0..6 {
        let voter = server.person(&format!("voter {number}")).await;
        voter.votes(post_id, if number < 3 { "positive" } else { "negative" }).await;
    }
    post_id
}

#[tokio::test]
async fn a_post_with_many_negative_votes_leaves_only_the_feed_of_others() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    ana.posts("before").await;
    let post_id = hidden_post(&server, &ana).await;
    ana.posts("after").await;

    assert_eq!(ben.feed_texts().await, ["after", "before"]);
    assert_eq!(ana.feed_texts().await, ["after", "unloved", "before"], "its author sees it");
    assert_eq!(ben.tagged_texts("moods").await, ["unloved"]);
    assert_eq!(texts(&ben.reads_posts_of(&ana).await), ["after", "unloved", "before"]);
    assert_eq!(ben.opens(post_id).await["text"], "unloved");
    let refreshed = ben.asks("posts.refresh", json!({ "post_ids": [post_id] })).await;
    assert_eq!(texts(&refreshed), ["unloved"]);
}

#[tokio::test]
async fn five_votes_are_too_few_to_judge_and_six_tenths_are_enough() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    let (few, enough) = (ana.posts("few").await, ana.posts("enough").await);
    for number in 0..10 {
        let voter = server.person(&format!("voter {number}")).await;
        if number < 5 {
            voter.votes(few, "negative").await;
        }
        voter.votes(enough, if number < 6 { "positive" } else { "negative" }).await;
    }
    assert_eq!(ben.feed_texts().await, ["enough", "few"]);
}

#[tokio::test]
async fn a_page_is_full_although_posts_are_left_out() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    for number in 0..35 {
        ana.posts(&format!("p{number}")).await;
    }
    hidden_post(&server, &ana).await;
    let pages = all_pages(&ben, "posts.feed", json!({})).await;
    assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [30, 5]);
    assert!(!pages.concat().contains(&"unloved".to_owned()));
}

#[tokio::test]
async fn a_tag_is_found_in_any_case_and_only_in_posts_of_followed_users() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    ben.follows(&ana).await;
    ana.posts_tagged("one", "Slow Mornings").await;
    ana.posts_tagged("two", "#slow  MORNINGS").await;
    ana.posts_tagged("three", "Straße").await;
    ana.posts("four").await;
    cleo.posts_tagged("five", "Slow Mornings").await;

    assert_eq!(ben.tagged_texts("sLoW mornings").await, ["two", "one"]);
    assert_eq!(ben.tagged_texts("#Slow Mornings").await, ["two", "one"]);
    assert_eq!(ben.tagged_texts("STRASSE").await, ["three"]);
    assert_eq!(ben.tagged_texts("slow").await, [""; 0], "a tag is whole");
    assert_eq!(ben.tagged_texts("  ").await.len(), 4, "a blank tag is none");
}

#[tokio::test]
async fn an_invalid_text_is_refused_and_nothing_is_published() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    for (fields, field, message) in [
        (post(" \n\t "), "text", "Post text is required"),
        (post("\u{200B}\u{2060}\u{3164}"), "text", "Post text is required"),
        (post(&"a".repeat(2_001)), "text", "This is longer than 2,000 characters. Your words are kept."),
        (
            post_with(Some(&"a".repeat(101)), "x", None),
            "title",
            "This is longer than 100 characters. Your words are kept.",
        ),
        (
            post_with(None, "x", Some(&"a".repeat(31))),
            "tag",
            "This is longer than 30 characters. Your words are kept.",
        ),
        (
            noted(post("x"), &"a".repeat(61)),
            "content_note",
            "This is longer than 60 characters. Your words are kept.",
        ),
        (
            post_with(None, "x", Some("a\u{202E}b")),
            "tag",
            "This has characters that can't be shown. Your words are kept.",
        ),
    ] {
        let no = ana.is_refused("invalid", "posts.create", fields).await;
        assert_eq!((no.field.as_deref(), no.message.as_str(), no.retry_ms), (Some(field), message, None));
    }
    assert_eq!(ana.feed_texts().await, [""; 0]);
    ana.receives_nothing(&server).await;
    ana.posts(&"🌿".repeat(2_000)).await;
}

#[tokio::test]
async fn odd_texts_are_returned_without_hidden_characters() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    for text in [
        "'; drop table posts; --",
        "100% _sure_ \\ \"quoted\"",
        "<script>alert(1)</script>",
        "שלום 🌿 Zoë",
        "e\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}",
        "a\u{202E}b",
        "👩‍👩‍👧‍👦",
    ] {
        let id = ana.posts(text).await;
        let seen = ben.opens(id).await["text"].as_str().unwrap().to_owned();
        assert_eq!(seen, mellow::text::block(text));
        ben.sees_post(&seen).await;
    }
    let id = ana.posts("a\0b").await;
    assert_eq!(ben.opens(id).await["text"], "ab", "what cannot be shown is dropped");
}

#[tokio::test]
async fn ana_deletes_her_post_and_it_is_gone_for_everybody_who_shows_it() {
    let server = TestServer::new().await;
    let [ana, ben, cleo, dora] = server.people(["Ana", "Ben", "Cleo", "Dora"]).await;
    ben.follows(&ana).await;
    let post_id = ana.posts("hello").await;
    ben.comments(post_id, "hi").await;
    cleo.opens(post_id).await;
    for who in [&ana, &ben, &cleo, &dora] {
        who.is_up_to_date(&server).await;
    }

    ana.deletes(post_id).await;

    // Ana was notified of Ben's comment, which is deleted as well.
    let more = ["posts.deleted", "notifications.deleted"];
    for (who, evs) in [(&ana, &more[..]), (&ben, &more[..1]), (&cleo, &more[..1])] {
        let received = who.receives_only(&server, evs).await;
        assert_eq!(
            (received[0]["post_id"].as_i64(), received[0]["author_id"].as_i64()),
            (Some(post_id), Some(ana.id))
        );
    }
    dora.receives_nothing(&server).await;
    ben.is_refused("not_found", "posts.get", json!({ "post_id": post_id })).await;
    let refreshed = ben.asks("posts.refresh", json!({ "post_ids": [post_id] })).await;
    assert_eq!((&refreshed["posts"], &refreshed["gone"]), (&json!([]), &json!([post_id])));
    assert_eq!(ben.feed_texts().await, [""; 0]);
    assert_eq!(ana.reads_posts_of(&ana).await["posts"], json!([]));
    let left: i64 = server.look().query_row("select count(*) from comments", [], |row| row.get(0)).unwrap();
    assert_eq!(left, 0, "what hangs on a post goes with it");
}

#[tokio::test]
async fn only_the_author_deletes_a_post() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let post_id = ana.posts("hello").await;
    let not_yours =
        ben.is_refused("not_found", "posts.delete", json!({ "key": key(), "post_id": post_id })).await;
    let not_there = ben.is_refused("not_found", "posts.delete", json!({ "key": key(), "post_id": 1 })).await;
    assert_eq!(not_yours, not_there);
    assert_eq!(not_yours.message, "That isn't available.");
    assert_eq!(ana.feed_texts().await, ["hello"]);
}

#[tokio::test]
async fn posts_on_screen_are_read_again_at_most_thirty_at_once() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let (first, second) = (ana.posts("first").await, ana.posts("second").await);
    let ok = ben.asks("posts.refresh", json!({ "post_ids": [first, 7, second] })).await;
    assert_eq!(texts(&ok), ["second", "first"]);
    assert_eq!(ok["gone"], json!([7]));
    let many: Vec<i64> = (1..=31).collect();
    ben.is_refused("bad_request", "posts.refresh", json!({ "post_ids": many })).await;
    ben.asks("posts.refresh", json!({ "post_ids": many[..30] })).await;
    ben.asks("posts.refresh", json!({ "post_ids": [] })).await;
}

#[tokio::test]
async fn the_positive_count_is_for_the_author_alone() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    ben.follows(&ana).await;
    let post_id = ana.posts("hello").await;
    cleo.votes(post_id, "positive").await;
    ben.votes(post_id, "negative").await;

    let by_author = |page: Value| page["posts"][0]["positive_count"].clone();
    assert_eq!(by_author(ana.reads_posts_of(&ana).await), json!(1));
    assert_eq!(ana.opens(post_id).await["positive_count"], json!(1));
    assert_eq!(by_author(ana.asks("posts.refresh", json!({ "post_ids": [post_id] })).await), json!(1));
    assert_eq!(by_author(ben.reads_posts_of(&ana).await), Value::Null);
    assert_eq!(by_author(ben.reads_feed().await), Value::Null);
    assert_eq!(ben.opens(post_id).await["positive_count"], Value::Null);
    assert_eq!(ben.opens(post_id).await["vote"], "negative");
    assert_eq!(cleo.opens(post_id).await["vote"], "positive");
}

#[tokio::test]
async fn the_feed_has_no_count_not_even_for_the_author() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    ana.posts("hello").await;
    assert_eq!(ana.reads_feed().await["posts"][0]["positive_count"], Value::Null);
}

#[tokio::test]
async fn ana_publishes_three_posts_a_day_if_the_host_sets_this_limit() {
    let server = TestServer::with_manual_clock(&["posts_per_day=3"]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    for text in ["one", "two", "three"] {
        ana.posts(text).await;
    }
    let no = ana.is_refused("slow_down", "posts.create", post("four")).await;
    assert_eq!(no.message, "That was a lot at once. Take a breath and try again in 8 hours.");
    assert_eq!(no.retry_ms, Some(8 * 3_600_000));
    ben.posts("mine").await;
    server.later(8 * 3_600_000);
    ana.posts("four").await;
    assert_eq!(ana.feed_texts().await, ["four", "three", "two", "one"]);
}

#[tokio::test]
async fn a_refused_post_does_not_count() {
    let server = TestServer::with_manual_clock(&["posts_per_day=1"]).await;
    let ana = server.person("Ana").await;
    let first = post("one");
    ana.asks("posts.create", first.clone()).await;
    ana.is_refused("slow_down", "posts.create", post("two")).await;
    server.later(24 * 3_600_000);
    let mut conflict = post("other words");
    conflict["key"] = first["key"].clone();
    ana.is_refused("key_conflict", "posts.create", conflict).await;
    ana.posts("two").await;
}

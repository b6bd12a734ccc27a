//! The search in one's own posts.

use serde_json::{Value, json};

use crate::support::person::{Person, noted, post, post_with, texts};
use crate::support::server::TestServer;

async fn search(who: &Person, term: &str) -> Value {
    who.asks("posts.search", json!({ "term": term })).await
}

async fn found(who: &Person, term: &str) -> Vec<String> {
    texts(&search(who, term).await)
}

#[tokio::test]
async fn d_u12_ana_finds_her_posts_by_the_beginnings_of_their_words_newest_first() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    for (title, text, tag) in [
        (Some("Slow mornings"), "Mist on the water, one heron.", None),
        (None, "The H\u{c9}RONS are back!", Some("Water")),
        (None, "昨日京都に行った。", None),
        (None, "nothing of the kind", Some("Tea time")),
    ] {
        ana.publishes(post_with(title, text, tag)).await;
    }
    let [mist, herons, kyoto, nothing] = [
        "Mist on the water, one heron.",
        "The H\u{c9}RONS are back!",
        "昨日京都に行った。",
        "nothing of the kind",
    ];
    for (term, expected) in [
        ("heron", &[herons, mist][..]),
        ("HERON water", &[herons, mist]),
        ("water slow", &[mist]),
        ("#water", &[herons]),
        ("#tea ti", &[nothing]),
        ("京都", &[kyoto]),
        ("eron", &[]),
        ("heron tea", &[]),
        ("%", &[]),
        (" ", &[]),
        ("\u{301}", &[]),
    ] {
        assert_eq!(found(&ana, term).await, expected, "{term}");
    }
    let page = search(&ana, "heron slow").await;
    let fields: Vec<&str> = page.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(fields, ["posts", "users", "groups", "older", "older_at_ms", "seq"]);
    assert_eq!((&page["users"], &page["older"]), (&json!([ana.named()]), &Value::Null));
    assert_eq!(page["posts"][0]["positive_count"], 0, "as on the own profile");
}

#[tokio::test]
async fn d_u12_a_post_is_found_by_its_content_note_too() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    ana.publishes(noted(post("She died."), "Grief, a funeral")).await;
    assert_eq!(found(&ana, "fun died").await, ["She died."]);
    assert_eq!(search(&ana, "grief").await["posts"][0]["content_note"], "Grief, a funeral");
    assert_eq!(found(&ana, "grief tea").await, [""; 0]);
}

#[tokio::test]
async fn d_u12_nobody_finds_what_others_wrote() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    let group = ana.makes_group_with("Tea", &[&ben]).await;
    let hers = ana.posts("a heron").await;
    ana.shares(group, "a heron for the group").await;
    ben.comments(hers, "a heron in a comment").await;
    assert_eq!(found(&ben, "heron").await, [""; 0]);
    ben.shares(group, "his own heron").await;
    assert_eq!(found(&ben, "heron").await, ["his own heron"]);
    assert_eq!(found(&ana, "heron").await, ["a heron for the group", "a heron"]);

    // Who left a group keeps their own posts there, without the comments of others.
    ben.leaves_group(group).await;
    let left = search(&ben, "heron").await;
    assert_eq!((texts(&left), &left["groups"]), (vec!["his own heron".to_owned()], &json!([])));
    assert_eq!(left["posts"][0]["audience"], json!({ "type": "group", "group_id": null }));
}

#[tokio::test]
async fn d_u12_a_search_has_pages_of_thirty_posts() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    for number in 0..62 {
        ana.posts(&format!("{} {number}", if number % 2 == 0 { "heron" } else { "tern" })).await;
    }
    let first = search(&ana, "heron").await;
    let fields = json!({ "term": "heron", "before": first["older"] });
    let second = ana.asks("posts.search", fields).await;
    assert_eq!(
        (texts(&first).len(), texts(&second), &second["older"]),
        (30, vec!["heron 0".to_owned()], &Value::Null)
    );
    ana.posts("tern").await;
    let terns = search(&ana, "tern").await;
    assert_eq!(texts(&terns).len(), 30);
    let before = json!({ "term": "tern", "before": terns["older"] });
    assert_eq!(texts(&ana.asks("posts.search", before).await), ["tern 3", "tern 1"]);
}

#[tokio::test]
async fn d_u12_an_edited_post_is_found_by_its_new_words_and_a_deleted_one_not_at_all() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let (edited, deleted) = (ana.posts("a heron at dawn").await, ana.posts("a heron at dusk").await);
    ana.edits(edited, Some("Terns"), "no, two terns").await;
    assert_eq!(found(&ana, "heron").await, ["a heron at dusk"]);
    assert_eq!(found(&ana, "tern").await, ["no, two terns"]);
    ana.deletes(deleted).await;
    assert_eq!(found(&ana, "heron").await, [""; 0]);
}

#[tokio::test]
async fn d_u12_a_found_post_is_live() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let post_id = ana.posts("a heron").await;
    ben.comments(post_id, "where?").await;
    let tab = ana.opens_another_tab().await;
    let page = search(&tab, "heron").await;
    assert_eq!(page["posts"][0]["first_comments"][0]["text"], "where?");
    ben.comments(post_id, "by the lake?").await;
    tab.sees_comment("by the lake?").await;
}

#[tokio::test]
async fn d_u12_a_term_has_a_hundred_characters_and_searches_of_all_kinds_share_a_rate_limit() {
    let server = TestServer::with_manual_clock(&["searches_per_minute=2"]).await;
    let ana = server.person("Ana").await;
    let long = ana.is_refused("invalid", "posts.search", json!({ "term": "a".repeat(101) })).await;
    assert_eq!(
        (long.field.as_deref(), long.message.as_str()),
        (Some("term"), "This is longer than 100 characters. Your words are kept.")
    );
    found(&ana, &"🌿".repeat(100)).await;
    ana.asks("search.names", json!({ "term": "B" })).await;
    let slow = ana.is_refused("slow_down", "posts.search", json!({ "term": "heron" })).await;
    assert_eq!(slow.retry_ms, Some(30_000));
    server.later(30_000);
    found(&ana, "heron").await;
}

//! Search by the beginning of a name.

use serde_json::json;

use crate::support::person::Person;
use crate::support::server::TestServer;

async fn found(who: &Person, term: &str) -> Vec<String> {
    let ok = who.asks("search.names", json!({ "term": term })).await;
    ok["users"].as_array().unwrap().iter().map(|user| user["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn names_are_found_by_their_beginning_and_capitals_count() {
    let server = TestServer::new().await;
    let [ana, _anton, _annika, _tanja, _lower] =
        server.people(["Ana", "Anton", "Annika", "Tanja", "antonia"]).await;
    assert_eq!(found(&ana, "An").await, ["Annika", "Anton"], "in the order of names, without oneself");
    assert_eq!(found(&ana, "an").await, ["antonia"]);
    assert_eq!(found(&ana, "Anton").await, ["Anton"]);
    assert_eq!(found(&ana, "anja").await, [""; 0]);
    assert_eq!(found(&ana, " An ").await, ["Annika", "Anton"]);
    let ok = ana.asks("search.names", json!({ "term": "Anni" })).await;
    let user = ok["users"][0].as_object().unwrap();
    assert_eq!(user.keys().collect::<Vec<_>>(), ["id", "name", "bio", "photo_url"]);
}

#[tokio::test]
async fn percent_and_underscore_are_ordinary_characters() {
    let server = TestServer::new().await;
    let [ana, ..] = server.people(["Ana", "a_b", "axb", "100% me", "100 and me", "\\", "' or 1=1 --"]).await;
    assert_eq!(found(&ana, "a_").await, ["a_b"]);
    assert_eq!(found(&ana, "100%").await, ["100% me"]);
    assert_eq!(found(&ana, "%").await, [""; 0]);
    assert_eq!(found(&ana, "_").await, [""; 0]);
    assert_eq!(found(&ana, "\\").await, ["\\"]);
    assert_eq!(found(&ana, "' or").await, ["' or 1=1 --"]);
}

#[tokio::test]
async fn names_in_any_script_are_found() {
    let server = TestServer::new().await;
    let [ana, ..] = server.people(["Ana", "Zoë 🌿", "זואי", "🌿 leaf", "🌿🌿"]).await;
    assert_eq!(found(&ana, "Zoe\u{308}").await, ["Zoë 🌿"]);
    assert_eq!(found(&ana, "ז").await, ["זואי"]);
    assert_eq!(found(&ana, "🌿").await, ["🌿 leaf", "🌿🌿"]);
}

#[tokio::test]
async fn a_search_returns_at_most_twenty_people() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    for number in 10..31 {
        server.person(&format!("Person {number}")).await;
    }
    let names = found(&ana, "Person").await;
    assert_eq!((names.len(), names[0].as_str(), names[19].as_str()), (20, "Person 10", "Person 29"));
}

#[tokio::test]
async fn a_blank_term_is_refused_and_searching_has_a_rate_limit() {
    let server = TestServer::with_manual_clock(&["searches_per_minute=2"]).await;
    let ana = server.person("Ana").await;
    let no = ana.is_refused("invalid", "search.names", json!({ "term": " \t" })).await;
    assert_eq!(
        (no.field.as_deref(), no.message.as_str()),
        (Some("term"), "Please enter a name to look for.")
    );
    ana.is_refused("invalid", "search.names", json!({ "term": "a".repeat(51) })).await;
    found(&ana, "B").await;
    found(&ana, "B").await;
    assert_eq!(
        ana.is_refused("slow_down", "search.names", json!({ "term": "B" })).await.retry_ms,
        Some(30_000)
    );
    server.later(30_000);
    found(&ana, "B").await;
}

//! Search by the beginning of a name.

use serde_json::json;

use crate::access::rows::SIGNED_IN;
use crate::feature::{Feature, NONE};
use crate::support::person::{Person, profile};
use crate::support::server::TestServer;
use crate::support::value::key;

pub const FEATURE: Feature = Feature {
    rows: &[
        ("search.names", |_| json!({ "term": "A" }), SIGNED_IN, None),
        ("search.people", |_| json!({ "after": null }), SIGNED_IN, None),
    ],
    reads: &["search.names", "search.people"],
    ..NONE
};

async fn found(who: &Person, term: &str) -> Vec<String> {
    let ok = who.asks("search.names", json!({ "term": term })).await;
    ok["users"].as_array().unwrap().iter().map(|user| user["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn names_are_found_by_their_beginning_and_case_matters() {
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
    assert_eq!(user.keys().collect::<Vec<_>>(), ["id", "name", "bio", "photo_url", "followed"]);
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
async fn a_name_is_found_at_every_letter_that_somebody_types_of_it() {
    let server = TestServer::new().await;
    let [ana, kostas] = server.people(["Ana", "Κώστας"]).await;
    let post_id = ana.posts("for everybody").await;
    kostas.comments(post_id, "Hello.").await;
    for name in ["κώστας", "Κώστας", "κωστας", "ΚΏΣΤΑΣ"] {
        for length in 1..=name.chars().count() {
            let term: String = name.chars().take(length).collect();
            let ok = ana.asks("search.names", json!({ "term": term })).await;
            let names: Vec<_> =
                ["users", "close"].iter().flat_map(|list| ok[list].as_array().unwrap()).collect();
            assert_eq!(names.len(), 1, "{term}");
            assert_eq!(names[0]["name"], "Κώστας", "{term}");
            let ok = ana.asks("comments.mentionable", json!({ "post_id": post_id, "term": term })).await;
            assert_eq!(ok["users"][0]["name"], "Κώστας", "{term}");
        }
    }
}

#[tokio::test]
async fn a_term_of_accents_alone_finds_nobody() {
    let server = TestServer::with(&["directory=off"]).await;
    let [ana, _zoe] = server.people(["Ana", "Zoë"]).await;
    for term in ["\u{301}", "\u{308}\u{301}"] {
        assert_eq!(close(&ana, term).await, [""; 0], "{term:?}");
    }
    assert_eq!(close(&ana, "zo\u{301}").await, ["Zoë"]);
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

fn names(users: &serde_json::Value) -> Vec<&str> {
    users.as_array().unwrap().iter().map(|user| user["name"].as_str().unwrap()).collect()
}

async fn close(who: &Person, term: &str) -> Vec<String> {
    let ok = who.asks("search.names", json!({ "term": term })).await;
    names(&ok["close"]).into_iter().map(str::to_owned).collect()
}

#[tokio::test]
async fn people_are_listed_by_name_ignoring_case_and_accents_in_pages_of_fifty() {
    let server = TestServer::new().await;
    let [ana, bo, _zoe, _eli, _ole, small] =
        server.people(["Ana", "bo", "Zoe\u{308}", "Éli", "Øle", "Small"]).await;
    small.renames("Bo").await;
    ana.follows(&bo).await;
    let page = ana.asks("search.people", json!({ "after": null })).await;
    assert_eq!(names(&page["users"]), ["bo", "Bo", "Éli", "Zoë", "Øle"], "without oneself");
    assert_eq!(page["users"][1]["id"], small.id, "of equal names the older account first");
    assert_eq!((&page["users"][0]["followed"], &page["users"][1]["followed"]), (&json!(true), &json!(false)));
    assert_eq!(page["next"], json!(null));

    for number in 10..60 {
        server.person(&format!("Person {number}")).await;
    }
    let first = ana.asks("search.people", json!({ "after": null })).await;
    let second = ana.asks("search.people", json!({ "after": first["next"] })).await;
    let all = [names(&first["users"]), names(&second["users"])].concat();
    assert_eq!((names(&first["users"]).len(), all.len(), second["next"].clone()), (50, 55, json!(null)));
    assert_eq!((all[2], all[3], all[52], all[54]), ("Éli", "Person 10", "Person 59", "Øle"));
}

#[tokio::test]
async fn close_matches_have_a_word_that_begins_with_the_term() {
    let server = TestServer::new().await;
    let [ana, ..] = server
        .people([
            "Ana",
            "Maya Lindqvist",
            "Lind",
            "LINDA-Lou",
            "Berglind",
            "Anna-Lindy",
            "lin d",
            "Zo\u{eb} Ö-lind",
        ])
        .await;
    assert_eq!(
        close(&ana, "lind").await,
        ["Anna-Lindy", "Lind", "LINDA-Lou", "Maya Lindqvist", "Zoë Ö-lind"]
    );
    assert_eq!(close(&ana, "Lind").await, ["Anna-Lindy", "LINDA-Lou", "Maya Lindqvist", "Zoë Ö-lind"]);
    assert_eq!(found(&ana, "Lind").await, ["Lind"], "who is found is not listed again");
    assert_eq!(close(&ana, "maya lind").await, ["Maya Lindqvist"], "more than a word");
    assert_eq!(close(&ana, "o\u{308}").await, ["Zoë Ö-lind"], "however it was typed");
    assert_eq!(close(&ana, "qvist").await, [""; 0], "not from within a word");
    assert_eq!(close(&ana, "%").await, [""; 0]);
    for number in 10..40 {
        server.person(&format!("Person Many {number}")).await;
    }
    assert_eq!(close(&ana, "many").await.len(), 20);
}

#[tokio::test]
async fn a_user_who_is_not_listed_is_found_only_by_the_exact_search() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben Lake"]).await;
    let set = |listed: bool| json!({ "key": key(), "listed": listed });
    let ok = ben.asks("account.set_privacy", set(false)).await;
    assert_eq!((&ok["listed"], &ok["hide_numbers"]), (&json!(false), &json!(false)));
    assert_eq!(ben.socket.receives("account.changed").await["me"]["listed"], false);
    assert_eq!(ana.asks("search.people", json!({})).await["users"], json!([]));
    assert_eq!(close(&ana, "lake").await, [""; 0]);
    assert_eq!(found(&ana, "Ben").await, ["Ben Lake"]);
    ben.asks("account.set_privacy", set(true)).await;
    assert_eq!(close(&ana, "lake").await, ["Ben Lake"]);
    ben.asks("profiles.update", profile("Ben Sea", "")).await;
    assert_eq!(
        (close(&ana, "lake").await.len(), close(&ana, "sea").await.len()),
        (0, 1),
        "a new name counts"
    );
    ben.deletes_account().await;
    assert_eq!(ana.asks("search.people", json!({})).await["users"], json!([]));
}

#[tokio::test]
async fn a_host_may_turn_off_the_list_of_people() {
    let server = TestServer::with(&["directory=off"]).await;
    let [ana, _ben] = server.people(["Ana", "Ben Lake"]).await;
    ana.is_refused("not_found", "search.people", json!({})).await;
    assert_eq!(close(&ana, "lake").await, ["Ben Lake"]);
}

#[tokio::test]
async fn names_in_a_folder_of_an_older_schema_are_listed_after_the_upgrade() {
    let mut server = TestServer::new().await;
    let [mut ana, _ben] = server.people(["Ana", "Ben Lake"]).await;
    server.look().execute("update users set name_key = null", []).unwrap();
    server.restarts().await;
    ana.reconnects().await;
    assert_eq!(close(&ana, "lake").await, ["Ben Lake"]);
}

//! Tapes of users: a new name, a new photo, hidden numbers, and a deleted account.

use serde_json::{Value, json};

use crate::recorder::{HELLO, Recorder, newest};
use crate::support::person::{PASSWORD, Person, profile};
use crate::support::picture::png;
use crate::support::server::TestServer;
use crate::support::value::key;

fn feed() -> Value {
    json!({ "tag": null, "before": null })
}

fn of(person: &Person) -> Value {
    json!({ "user_id": person.id })
}

fn posts_of(person: &Person) -> Value {
    json!({ "user_id": person.id, "before": null })
}

#[tokio::test]
async fn tape_name_changed_everywhere() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    ben.follows(&ana).await;
    ana.follows(&ben).await;
    let post_id = ana.posts("hello").await;
    cleo.comments(post_id, &format!("one, {}", ana.mention())).await;
    ana.comments(post_id, "two").await;
    Recorder::new(&server, &ben)
        .reading("posts.feed", feed())
        .reading("notifications.page", newest())
        .records("name_changed_everywhere", &["users.changed"], async || {
            ana.renames("Ana 🌿 Berg").await;
        })
        .await;
}

#[tokio::test]
async fn tape_profile_changed() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ana.posts("hello").await;
    ben.follows(&ana).await;
    let mut fields = profile("Ana Berg", "Quiet.\nMostly.");
    (fields["from_color"], fields["to_color"]) = (json!("red"), json!("purple"));
    Recorder::new(&server, &ben)
        .reading("profiles.get", of(&ana))
        .reading("posts.by_author", posts_of(&ana))
        .records("profile_changed", &["users.changed", "profiles.changed"], async || {
            ana.asks("profiles.update", fields).await;
        })
        .await;
}

#[tokio::test]
async fn tape_own_profile_changed_in_another_tab() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let tab = ana.opens_another_tab().await;
    ben.follows(&ana).await;
    ana.sees_all().await;
    let received = ["users.changed", "profiles.changed", "profiles.changed"];
    Recorder::new(&server, &tab)
        .reading(HELLO, json!({}))
        .reading("profiles.get", of(&ana))
        .records("own_profile_changed_in_another_tab", &received, async || {
            ana.renames("Ana Berg").await;
            // The name stays as it is.
            ana.asks("profiles.update", profile("Ana Berg", "Quiet.")).await;
        })
        .await;
}

#[tokio::test]
async fn tape_photo_changed() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    ana.changes_photo(&png(40, 30)).await;
    ana.posts("hello").await;
    Recorder::new(&server, &ben)
        .reading("posts.feed", feed())
        .reading("profiles.get", of(&ana))
        .records("photo_changed", &["users.changed", "profiles.changed"], async || {
            server.later(1_000);
            ana.changes_photo(&png(90, 120)).await;
        })
        .await;
}

#[tokio::test]
async fn tape_numbers_hidden() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    Recorder::new(&server, &cleo)
        .reading("profiles.get", of(&ana))
        .records("numbers_hidden", &["profiles.changed"], async || {
            ana.hides_numbers(true).await;
            // Only she receives it.
            ben.follows(&ana).await;
        })
        .await;
}

#[tokio::test]
async fn tape_numbers_shown_again() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    ana.hides_numbers(true).await;
    ben.follows(&ana).await;
    Recorder::new(&server, &cleo)
        .reading("profiles.get", of(&ana))
        .records("numbers_shown_again", &["profiles.changed"], async || {
            ana.hides_numbers(false).await;
        })
        .await;
}

#[tokio::test]
async fn tape_numbers_hidden_for_others_alone() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ana.follows(&ben).await;
    let tab = ana.opens_another_tab().await;
    let received = ["account.changed", "profiles.changed", "profiles.counted"];
    Recorder::new(&server, &tab)
        .with_counts_last()
        .reading(HELLO, json!({}))
        .reading("profiles.get", of(&ana))
        .records("numbers_hidden_for_others_alone", &received, async || {
            ana.hides_numbers(true).await;
        })
        .await;
}

#[tokio::test]
async fn tape_account_ended() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, cleo, dora] = server.people(["Ana", "Ben", "Cleo", "Dora"]).await;
    ben.follows(&ana).await;
    ben.follows(&cleo).await;
    cleo.follows(&ana).await;
    let post_id = ana.posts("hello").await;
    cleo.comments(post_id, "one").await;
    dora.comments(post_id, &format!("two, {} and {}", cleo.mention(), ben.mention())).await;
    cleo.comments(post_id, &format!("three, {}", ben.mention())).await;
    dora.comments(post_id, "four").await;
    cleo.posts("mine").await;
    let own = ben.posts("Ben's own").await;
    cleo.votes(own, "positive").await;
    dora.votes(own, "positive").await;
    let received =
        ["users.deleted", "comments.deleted", "notifications.deleted", "votes.counted", "profiles.counted"];
    Recorder::new(&server, &ben)
        .with_counts_last()
        .reading("posts.feed", feed())
        .reading("posts.by_author", posts_of(&ben))
        .reading("profiles.get", of(&ana))
        .reading("comments.page", json!({ "post_id": post_id, "after": null }))
        .reading("notifications.page", newest())
        .records("account_ended", &received, async || {
            cleo.deletes_account().await;
        })
        .await;
}

#[tokio::test]
async fn tape_email_to_be_confirmed() {
    let server = TestServer::with_manual_clock(&[]).await;
    let ana = server.person("Ana").await;
    let phone = ana.logs_in_on_phone().await;
    let fields = json!({ "key": key(), "email": "ana@new.example.org", "password": PASSWORD });
    Recorder::new(&server, &phone)
        .reading(HELLO, json!({}))
        .records("email_to_be_confirmed", &["account.changed"], async || {
            ana.asks("auth.change_email", fields).await;
        })
        .await;
}

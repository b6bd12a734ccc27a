//! Tapes of posts.

use serde_json::{Value, json};

use crate::recorder::Recorder;
use crate::support::person::{edit, noted, post_with};
use crate::support::picture::{gif_that_moves, png};
use crate::support::server::TestServer;

fn feed() -> Value {
    json!({ "tag": null, "before": null })
}

#[tokio::test]
async fn tape_new_post() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    ana.posts("before").await;
    let fields = post_with(Some("A title"), "new", Some("Slow Mornings"));
    Recorder::new(&server, &ben)
        .reading("posts.feed", feed())
        .records("new_post", &["posts.created"], async || {
            server.later(60_000);
            ana.publishes(fields).await;
        })
        .await;
}

#[tokio::test]
async fn tape_new_post_of_ones_own() {
    let server = TestServer::with_manual_clock(&[]).await;
    let ana = server.person("Ana").await;
    let tab = ana.opens_another_tab().await;
    ana.posts("before").await;
    Recorder::new(&server, &tab)
        .reading("posts.feed", feed())
        .reading("posts.by_author", json!({ "user_id": ana.id, "before": null }))
        .records("new_post_of_ones_own", &["posts.created"], async || {
            server.later(60_000);
            ana.posts("new").await;
        })
        .await;
}

#[tokio::test]
async fn tape_new_post_on_a_profile() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ana.posts("before").await;
    Recorder::new(&server, &ben)
        .reading("profiles.get", json!({ "user_id": ana.id }))
        .reading("posts.by_author", json!({ "user_id": ana.id, "before": null }))
        .records("new_post_on_a_profile", &["posts.created"], async || {
            server.later(60_000);
            ana.posts("new").await;
        })
        .await;
}

#[tokio::test]
async fn tape_new_post_with_pictures() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    let tree = ana.uploads("tree.jpg", &png(40, 30)).await;
    ana.posts_with_pictures("before", &[(&tree, "")]).await;
    let (sea, dance) =
        (ana.uploads("Zoë.jpg", &png(90, 45)).await, ana.uploads("dance.gif", &gif_that_moves(60, 40)).await);
    Recorder::new(&server, &ben)
        .reading("posts.feed", feed())
        .reading("posts.by_author", json!({ "user_id": ana.id, "before": null }))
        .records("new_post_with_pictures", &["posts.created"], async || {
            server.later(60_000);
            ana.posts_with_pictures("new", &[(&sea, "Zoë by the sea."), (&dance, "")]).await;
        })
        .await;
}

#[tokio::test]
async fn tape_posts_edited() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    let tree = ana.uploads("tree.jpg", &png(40, 30)).await;
    let shown = ana.posts_with_pictures("shown", &[(&tree, "A tree.")]).await["id"].as_i64().unwrap();
    ana.publishes(post_with(Some("A title"), "stays", Some("Tea"))).await;
    ben.comments(shown, "hm").await;
    // A post that Ben shows, and one under the pill: he received its event and has not pressed the pill.
    Recorder::new(&server, &ben)
        .reading("posts.feed", feed())
        .reading("posts.by_author", json!({ "user_id": ana.id, "before": null }))
        .records(
            "posts_edited",
            &["posts.updated", "posts.created", "posts.updated", "posts.updated"],
            async || {
                server.later(60_000);
                let covered = noted(edit(shown, Some("A title now"), "shown anew"), "Grief, a funeral");
                ana.asks("posts.update", covered).await;
                let waiting = ana.publishes(post_with(Some("Typo"), "wating", Some("Tea"))).await;
                server.later(60_000);
                ana.edits(waiting, None, "waiting").await;
                ana.edits(shown, None, "shown at last").await;
            },
        )
        .await;
}

#[tokio::test]
async fn tape_found_posts_of_ones_own() {
    let server = TestServer::with_manual_clock(&[]).await;
    let ana = server.person("Ana").await;
    let tab = ana.opens_another_tab().await;
    let (edited, doomed) = (ana.posts("a heron").await, ana.posts("a doomed heron").await);
    ana.posts("something else").await;
    Recorder::new(&server, &tab)
        .reading("posts.search", json!({ "term": "heron", "before": null }))
        .records("found_posts_of_ones_own", &["posts.updated", "posts.deleted"], async || {
            server.later(60_000);
            ana.edits(edited, Some("Birds"), "two herons").await;
            ana.deletes(doomed).await;
        })
        .await;
}

#[tokio::test]
async fn tape_post_deleted() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    let doomed = ana.posts("doomed").await;
    ana.posts("stays").await;
    ben.comments(doomed, "hm").await;
    Recorder::new(&server, &ben)
        .reading("posts.feed", feed())
        .reading("posts.by_author", json!({ "user_id": ana.id, "before": null }))
        .records("post_deleted", &["posts.deleted"], async || ana.deletes(doomed).await)
        .await;
}

//! Tapes: what a page read, the events it received, and what a fresh page reads. With the events alone, the store of
//! the web client must get from the first state to the last (`web/src/app/tapes.test.ts`).
//!
//! `UPDATE=1 cargo test --test tapes` records them again. Ids and numbers are renumbered in their order, so that a
//! tape is the same each time it is recorded.
#![expect(clippy::unwrap_used, reason = "a tape that cannot be recorded is a failure")]

mod recording;
mod support;

use recording::Recorder;
use serde_json::{Value, json};
use support::person::post_with;
use support::picture::{gif_that_moves, png};
use support::server::TestServer;

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
                ana.edits(shown, Some("A title now"), "shown anew").await;
                let waiting = ana.publishes(post_with(Some("Typo"), "wating", Some("Tea"))).await;
                server.later(60_000);
                ana.edits(waiting, None, "waiting").await;
                ana.edits(shown, None, "shown at last").await;
            },
        )
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

#[tokio::test]
async fn tape_comment_added() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    ben.follows(&ana).await;
    let post_id = ana.posts("hello").await;
    Recorder::new(&server, &ben)
        .reading("posts.feed", feed())
        .records("comment_added", &["comments.created", "comments.created", "comments.created"], async || {
            for text in ["one", "two", "three"] {
                server.later(1_000);
                cleo.comments(post_id, text).await;
            }
        })
        .await;
}

#[tokio::test]
async fn tape_comment_added_to_an_open_thread() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let post_id = ana.posts("hello").await;
    for text in ["one", "two", "three"] {
        ana.comments(post_id, text).await;
    }
    Recorder::new(&server, &ben)
        .reading("posts.get", json!({ "post_id": post_id }))
        .reading("comments.page", json!({ "post_id": post_id, "after": null }))
        .records("comment_added_to_an_open_thread", &["comments.created"], async || {
            server.later(1_000);
            ana.comments(post_id, "four").await;
        })
        .await;
}

#[tokio::test]
async fn tape_comment_deleted_first_of_three() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    ben.follows(&ana).await;
    let post_id = ana.posts("hello").await;
    let first = ben.comments(post_id, "one").await;
    cleo.comments(post_id, "two").await;
    ana.comments(post_id, "three").await;
    Recorder::new(&server, &ben)
        .reading("posts.feed", feed())
        .records("comment_deleted_first_of_three", &["comments.deleted"], async || {
            ben.deletes_comment(first).await
        })
        .await;
}

#[tokio::test]
async fn tape_comment_deleted_in_an_open_thread() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let post_id = ana.posts("hello").await;
    let mut ids = Vec::new();
    for text in ["one", "two", "three", "four"] {
        ids.push(ana.comments(post_id, text).await);
    }
    Recorder::new(&server, &ben)
        .reading("posts.get", json!({ "post_id": post_id }))
        .reading("comments.page", json!({ "post_id": post_id, "after": null }))
        .records("comment_deleted_in_an_open_thread", &["comments.deleted", "comments.deleted"], async || {
            ana.deletes_comment(ids[2]).await;
            ana.deletes_comment(ids[0]).await;
        })
        .await;
}

#[tokio::test]
async fn tape_vote_set_and_cleared() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let tab = ben.opens_another_tab().await;
    ben.follows(&ana).await;
    let (set, cleared) = (ana.posts("set").await, ana.posts("cleared").await);
    ben.votes(cleared, "negative").await;
    let received = ["votes.changed"; 3];
    Recorder::new(&server, &tab)
        .reading("posts.feed", feed())
        .records("vote_set_and_cleared", &received, async || {
            ben.votes(set, "negative").await;
            ben.votes(set, "positive").await;
            ben.votes(cleared, "none").await;
        })
        .await;
}

#[tokio::test]
async fn tape_votes_counted_for_the_author() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let (first, second) = (ana.posts("first").await, ana.posts("second").await);
    Recorder::new(&server, &ana)
        .reading("posts.by_author", json!({ "user_id": ana.id, "before": null }))
        .records("votes_counted_for_the_author", &["votes.counted", "votes.counted"], async || {
            ben.votes(first, "positive").await;
            cleo.votes(second, "positive").await;
            cleo.votes(first, "negative").await;
        })
        .await;
}

#[tokio::test]
async fn tape_follow_and_unfollow() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let tab = ben.opens_another_tab().await;
    ben.follows(&cleo).await;
    let received = ["follows.changed", "profiles.counted", "follows.changed", "profiles.counted"];
    Recorder::new(&server, &tab)
        .reading("profiles.get", json!({ "user_id": ana.id }))
        .reading("profiles.get", json!({ "user_id": cleo.id }))
        .records("follow_and_unfollow", &received, async || {
            ben.follows(&ana).await;
            // Her count may still be delayed from before. It is delivered once, as the last event.
            ben.unfollows(&cleo).await;
        })
        .await;
}

#[tokio::test]
async fn tape_profile_counts() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let dora = server.person("Dora").await;
    Recorder::new(&server, &cleo)
        .reading("profiles.get", json!({ "user_id": ana.id }))
        .reading("profiles.get", json!({ "user_id": ben.id }))
        .records(
            "profile_counts",
            &["profiles.counted", "profiles.counted", "profiles.counted"],
            async || {
                // Ana's counts and Ben's are delivered at once, Ana's newest after the pause.
                ben.follows(&ana).await;
                dora.follows(&ana).await;
            },
        )
        .await;
}

#[test]
fn every_tape_is_recorded_here() {
    let files = |folder: &str| {
        let files = std::fs::read_dir(format!("{}/tests/{folder}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        files.map(|file| file.unwrap().path())
    };
    let recording = files("recording").map(|path| std::fs::read_to_string(path).unwrap());
    let own = recording.fold(include_str!("tapes.rs").to_owned(), |own, file| own + &file);
    for path in files("tapes") {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        assert!(own.contains(&format!("\"{name}\",")), "no test records {name} any more");
    }
}

//! Tapes of comments.

use serde_json::{Value, json};

use crate::recorder::Recorder;
use crate::support::server::TestServer;

fn feed() -> Value {
    json!({ "tag": null, "before": null })
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

//! Tapes of votes.

use serde_json::{Value, json};

use crate::recorder::Recorder;
use crate::support::server::TestServer;

fn feed() -> Value {
    json!({ "tag": null, "before": null })
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

//! Tapes of follows.

use serde_json::json;

use crate::recorder::Recorder;
use crate::support::server::TestServer;

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

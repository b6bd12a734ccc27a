//! Tapes of mentions and notifications.

use serde_json::json;

use crate::recorder::{HELLO, Recorder, newest};
use crate::support::server::TestServer;

#[tokio::test]
async fn tape_comment_that_mentions() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, cleo, dora] = server.people(["Ana", "Ben", "Cleo", "Dora van_den Berg 🌿"]).await;
    ben.follows(&ana).await;
    let post_id = ana.posts("hello").await;
    cleo.comments(post_id, "one").await;
    Recorder::new(&server, &ben)
        .reading("posts.feed", json!({ "tag": null, "before": null }))
        .reading("comments.page", json!({ "post_id": post_id, "after": null }))
        .records("comment_that_mentions", &["comments.created", "comments.created"], async || {
            server.later(1_000);
            cleo.comments(post_id, &format!("{} and @7+Old_Friend, hello", dora.mention())).await;
            cleo.comments(post_id, &format!("not@{}+her, but {}", dora.id, ana.mention())).await;
        })
        .await;
}

#[tokio::test]
async fn tape_comment_deleted_before_one_that_mentions() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, dora] = server.people(["Ana", "Ben", "Dora"]).await;
    ben.follows(&ana).await;
    let post_id = ana.posts("hello").await;
    let first = ana.comments(post_id, "one").await;
    ana.comments(post_id, "two").await;
    ana.comments(post_id, &format!("three, {}", dora.mention())).await;
    Recorder::new(&server, &ben)
        .reading("posts.feed", json!({ "tag": null, "before": null }))
        .records("comment_deleted_before_one_that_mentions", &["comments.deleted"], async || {
            ana.deletes_comment(first).await;
        })
        .await;
}

#[tokio::test]
async fn tape_notification_of_a_comment() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo Ito"]).await;
    let post_id = ana.posts(&"a long walk ".repeat(12)).await;
    cleo.follows(&ana).await;
    ana.sees_all().await;
    let received = ["comments.created", "notifications.created", "comments.created", "notifications.created"];
    Recorder::new(&server, &ana)
        .reading("notifications.page", newest())
        .reading("posts.get", json!({ "post_id": post_id }))
        .records("notification_of_a_comment", &received, async || {
            server.later(60_000);
            ben.comments(post_id, "where\nto?").await;
            server.later(60_000);
            // She is notified once, though she is mentioned too. The preview also names another mentioned user.
            cleo.comments(post_id, &format!("{} {} along", ana.mention(), cleo.mention())).await;
        })
        .await;
}

#[tokio::test]
async fn tape_notification_of_a_mention() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben 🌿 Berg", "Cleo"]).await;
    let post_id = ana.posts("hello").await;
    Recorder::new(&server, &ben)
        .reading(HELLO, json!({}))
        .reading("notifications.page", newest())
        .records("notification_of_a_mention", &["notifications.created"], async || {
            server.later(60_000);
            cleo.comments(post_id, &format!("{} look at this, {}", ben.mention(), ben.mention())).await;
        })
        .await;
}

#[tokio::test]
async fn tape_notification_of_a_follow() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    Recorder::new(&server, &ana)
        .reading("notifications.page", newest())
        .reading("profiles.get", json!({ "user_id": ana.id }))
        .records("notification_of_a_follow", &["profiles.counted", "notifications.created"], async || {
            server.later(60_000);
            ben.follows(&ana).await;
        })
        .await;
}

#[tokio::test]
async fn tape_notifications_seen_on_another_device() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let phone = ana.logs_in_on_phone().await;
    let post_id = ana.posts("hello").await;
    cleo.follows(&ana).await;
    ana.sees_all().await;
    ben.comments(post_id, "one").await;
    ben.follows(&ana).await;
    Recorder::new(&server, &phone)
        .reading(HELLO, json!({}))
        .reading("notifications.page", newest())
        .records("notifications_seen_on_another_device", &["notifications.seen"], async || {
            ana.sees_all().await;
        })
        .await;
}

#[tokio::test]
async fn tape_notification_after_all_were_seen() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let tab = ana.opens_another_tab().await;
    let post_id = ana.posts("hello").await;
    ben.comments(post_id, "one").await;
    Recorder::new(&server, &tab)
        .reading("notifications.page", newest())
        .records(
            "notification_after_all_were_seen",
            &["notifications.seen", "notifications.created"],
            async || {
                ana.sees_all().await;
                server.later(1_000);
                ben.comments(post_id, "two").await;
            },
        )
        .await;
}

#[tokio::test]
async fn tape_notification_deleted() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let tab = ana.opens_another_tab().await;
    ben.follows(&ana).await;
    cleo.follows(&ana).await;
    let listed = ana.reads_notifications().await;
    let oldest = listed["notifications"][1]["id"].as_i64().unwrap();
    Recorder::new(&server, &tab)
        .reading("notifications.page", newest())
        .records("notification_deleted", &["notifications.deleted"], async || {
            ana.dismisses(oldest).await;
        })
        .await;
}

#[tokio::test]
async fn tape_notification_gone_with_its_comment() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let post_id = ana.posts("hello").await;
    cleo.follows(&ana).await;
    ana.sees_all().await;
    let comment_id = ben.comments(post_id, "one").await;
    let received = ["comments.deleted", "notifications.deleted"];
    Recorder::new(&server, &ana)
        .reading("notifications.page", newest())
        .reading("posts.get", json!({ "post_id": post_id }))
        .records("notification_gone_with_its_comment", &received, async || {
            ben.deletes_comment(comment_id).await;
        })
        .await;
}

#[tokio::test]
async fn tape_notifications_gone_with_their_post() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    ben.follows(&ana).await;
    let post_id = ana.posts("hello").await;
    for text in ["one", "two"] {
        cleo.comments(post_id, &format!("{text}, {}", ben.mention())).await;
    }
    cleo.follows(&ben).await;
    let received = ["posts.deleted", "notifications.deleted"];
    Recorder::new(&server, &ben)
        .reading("notifications.page", newest())
        .reading("posts.feed", json!({ "tag": null, "before": null }))
        .records("notifications_gone_with_their_post", &received, async || {
            ana.deletes(post_id).await;
        })
        .await;
}

#[tokio::test]
async fn tape_follow_taken_back() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    Recorder::new(&server, &ana)
        .reading("notifications.page", newest())
        .records("follow_taken_back", &["notifications.deleted"], async || {
            ben.unfollows(&ana).await;
        })
        .await;
}

//! Tapes of groups: members who join and leave, shared posts, and what remains for a former member.

use serde_json::{Value, json};

use crate::recorder::{Recorder, newest};
use crate::support::groups::of;
use crate::support::person::Person;
use crate::support::picture::png;
use crate::support::server::TestServer;
use crate::support::uploads::post_with_pictures;

fn feed() -> Value {
    json!({ "tag": null, "before": null })
}

fn one(group_id: i64) -> Value {
    json!({ "group_id": group_id })
}

fn posts_in(group_id: i64) -> Value {
    json!({ "group_id": group_id, "before": null })
}

fn posts_of(person: &Person) -> Value {
    json!({ "user_id": person.id, "before": null })
}

/// A group with everything in it: Ana's, with Ben and Cleo. Returns it, and the post that Ben wrote.
async fn evening(ana: &Person, ben: &Person, cleo: &Person) -> (i64, i64) {
    let group_id = ana.makes_group_with("Tea 🌿", &[ben, cleo]).await;
    let tree = cleo.uploads("tree.jpg", &png(40, 30)).await;
    let mut fields = post_with_pictures("Cleo's", &[(&tree, "A tree.")]);
    fields["audience"] = of(group_id);
    let shown = cleo.publishes(fields).await;
    ana.comments(shown, "one").await;
    ben.comments(shown, &format!("two, {}", cleo.mention())).await;
    let own = ben.shares(group_id, "Ben's own").await;
    for text in ["three", "four"] {
        cleo.comments(own, text).await;
    }
    ana.posts("for everybody").await;
    let poll_id = ana.asks_poll_of(group_id, "Tea?", &["yes", "no"]).await;
    ben.chooses(poll_id, 0).await;
    ana.asks_poll("Sea?", &["yes", "no"]).await;
    (group_id, own)
}

#[tokio::test]
async fn tape_group_made_in_another_tab() {
    let server = TestServer::with_manual_clock(&[]).await;
    let ana = server.person("Ana").await;
    let tab = ana.opens_another_tab().await;
    ana.makes_group("before").await;
    Recorder::new(&server, &tab)
        .reading("groups.list", json!({}))
        .records("group_made_in_another_tab", &["groups.created"], async || {
            server.later(60_000);
            ana.makes_group("Tea 🌿").await;
        })
        .await;
}

#[tokio::test]
async fn tape_added_to_a_group() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    ben.follows(&ana).await;
    let group_id = ana.makes_group_with("Tea 🌿", &[&cleo]).await;
    ben.makes_group("Ben's").await;
    Recorder::new(&server, &ben)
        .reading("groups.list", json!({}))
        .records("added_to_a_group", &["groups.joined"], async || {
            ana.adds(group_id, &[&ben]).await;
        })
        .await;
}

#[tokio::test]
async fn tape_members_come_and_go() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, cleo, dora] = server.people(["Ana", "Ben", "Cleo", "Dora"]).await;
    let group_id = ana.makes_group_with("Tea 🌿", &[&ben, &cleo]).await;
    dora.follows(&ana).await;
    Recorder::new(&server, &ben)
        .reading("groups.list", json!({}))
        .reading("groups.get", one(group_id))
        .records("members_come_and_go", &["groups.joined", "groups.left"], async || {
            ana.adds(group_id, &[&dora]).await;
            cleo.leaves_group(group_id).await;
        })
        .await;
}

#[tokio::test]
async fn tape_group_renamed() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let (group_id, _) = evening(&ana, &ben, &cleo).await;
    Recorder::new(&server, &ben)
        .reading("groups.list", json!({}))
        .reading("groups.get", one(group_id))
        .reading("posts.feed", feed())
        .reading("polls.list", newest())
        .records("group_renamed", &["groups.renamed"], async || {
            ana.renames_group(group_id, "Coffee").await;
        })
        .await;
}

#[tokio::test]
async fn tape_shared_with_a_group() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let (group_id, own) = evening(&ana, &ben, &cleo).await;
    Recorder::new(&server, &ben)
        .reading("posts.feed", feed())
        .reading("posts.by_author", posts_of(&cleo))
        .reading("posts.by_group", posts_in(group_id))
        .reading("polls.list", newest())
        .reading("notifications.page", newest())
        .records(
            "shared_with_a_group",
            &["posts.created", "comments.created", "notifications.created", "polls.created", "posts.updated"],
            async || {
                server.later(60_000);
                // Ben follows only Ana. He receives the post of Cleo because of the group.
                let post_id = cleo.shares(group_id, "a new one").await;
                cleo.comments(own, "five").await;
                cleo.asks_poll_of(group_id, "Bread?", &["yes", "no"]).await;
                server.later(60_000);
                cleo.edits_for(of(group_id), post_id, "a new one, in better words").await;
            },
        )
        .await;
}

#[tokio::test]
async fn tape_removed_from_a_group() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let (group_id, own) = evening(&ana, &ben, &cleo).await;
    Recorder::new(&server, &ben)
        .reading("posts.feed", feed())
        .reading("posts.by_author", posts_of(&ben))
        .reading("posts.by_author", posts_of(&cleo))
        .reading("polls.list", newest())
        .reading("groups.list", json!({}))
        .reading("notifications.page", newest())
        .records("removed_from_a_group", &["groups.left"], async || {
            ana.removes(group_id, &ben).await;
            // No event of the group follows.
            cleo.comments(own, "five").await;
            cleo.shares(group_id, "without Ben").await;
        })
        .await;
}

#[tokio::test]
async fn tape_left_a_group_on_another_device() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let phone = ben.logs_in_on_phone().await;
    let (group_id, _) = evening(&ana, &ben, &cleo).await;
    Recorder::new(&server, &phone)
        .reading("posts.feed", feed())
        .reading("polls.list", newest())
        .reading("groups.list", json!({}))
        .records("left_a_group_on_another_device", &["groups.left"], async || {
            ben.leaves_group(group_id).await;
        })
        .await;
}

#[tokio::test]
async fn tape_group_deleted() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let (group_id, _) = evening(&ana, &ben, &cleo).await;
    ana.makes_group_with("stays", &[&ben]).await;
    Recorder::new(&server, &ben)
        .reading("posts.feed", feed())
        .reading("posts.by_author", posts_of(&ben))
        .reading("polls.list", newest())
        .reading("groups.list", json!({}))
        .records("group_deleted", &["groups.deleted"], async || {
            ana.ends_group(group_id).await;
        })
        .await;
}

#[tokio::test]
async fn tape_post_narrowed_away_from_a_follower() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    ben.follows(&ana).await;
    let group_id = ana.makes_group_with("Tea 🌿", &[&cleo]).await;
    let post_id = ana.posts("for everybody").await;
    ana.posts("stays").await;
    cleo.comments(post_id, "one").await;
    Recorder::new(&server, &ben)
        .reading("posts.feed", feed())
        .reading("posts.by_author", posts_of(&ana))
        .records("post_narrowed_away_from_a_follower", &["posts.deleted"], async || {
            ana.edits_for(of(group_id), post_id, "for some").await;
        })
        .await;
}

#[tokio::test]
async fn tape_post_narrowed_to_ones_group() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let group_id = ana.makes_group_with("Tea 🌿", &[&ben, &cleo]).await;
    // A member who does not follow her receives it.
    ben.unfollows(&ana).await;
    let post_id = ana.posts("for everybody").await;
    cleo.comments(post_id, "one").await;
    Recorder::new(&server, &ben)
        .reading("posts.feed", feed())
        .reading("posts.by_author", posts_of(&ana))
        .reading("posts.by_group", posts_in(group_id))
        .records("post_narrowed_to_ones_group", &["posts.updated", "posts.created"], async || {
            server.later(60_000);
            ana.edits_for(of(group_id), post_id, "for us").await;
        })
        .await;
}

#[tokio::test]
async fn tape_post_widened_to_everybody() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    ben.follows(&ana).await;
    let group_id = ana.makes_group_with("Tea 🌿", &[&cleo]).await;
    ana.posts("before").await;
    let post_id = ana.shares(group_id, "for some").await;
    ana.comments(post_id, "and more").await;
    Recorder::new(&server, &ben)
        .reading("posts.feed", feed())
        .reading("posts.by_author", posts_of(&ana))
        .records("post_widened_to_everybody", &["posts.updated", "posts.created"], async || {
            server.later(60_000);
            ana.edits_for(json!({ "type": "public" }), post_id, "for everybody").await;
        })
        .await;
}

#[tokio::test]
async fn tape_account_that_owned_a_group_ended() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    evening(&ana, &ben, &cleo).await;
    let received = ["groups.deleted", "users.deleted", "profiles.counted"];
    Recorder::new(&server, &ben)
        .with_counts_last()
        .reading("posts.feed", feed())
        .reading("polls.list", newest())
        .reading("groups.list", json!({}))
        .reading("profiles.get", json!({ "user_id": ben.id }))
        .records("account_that_owned_a_group_ended", &received, async || {
            ana.deletes_account().await;
        })
        .await;
}

//! Tapes of people: another name, another photo, numbers that are hidden, and the end of an account.

use serde_json::{Value, json};

use super::{HELLO, Recorder, newest};
use crate::world::person::{PASSWORD, Person, profile};
use crate::world::picture::png;
use crate::world::server::World;
use crate::world::value::key;

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
    let world = World::told(&[]).await;
    let [ana, ben, cleo] = world.people(["Ana", "Ben", "Cleo"]).await;
    ben.follows(&ana).await;
    ana.follows(&ben).await;
    let post_id = ana.posts("hello").await;
    cleo.comments(post_id, &format!("one, {}", ana.mention())).await;
    ana.comments(post_id, "two").await;
    Recorder::new(&world, &ben)
        .reading("posts.feed", feed())
        .reading("notifications.page", newest())
        .records("name_changed_everywhere", &["users.changed"], async || {
            ana.renames("Ana 🌿 Berg").await;
        })
        .await;
}

#[tokio::test]
async fn tape_profile_changed() {
    let world = World::told(&[]).await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    ana.posts("hello").await;
    ben.follows(&ana).await;
    let mut fields = profile("Ana Berg", "Quiet.\nMostly.");
    (fields["from_color"], fields["to_color"]) = (json!("red"), json!("purple"));
    Recorder::new(&world, &ben)
        .reading("profiles.get", of(&ana))
        .reading("posts.by_author", posts_of(&ana))
        .records("profile_changed", &["users.changed", "profiles.changed"], async || {
            ana.asks("profiles.update", fields).await;
        })
        .await;
}

#[tokio::test]
async fn tape_own_profile_changed_in_another_tab() {
    let world = World::told(&[]).await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let tab = ana.opens_another_tab().await;
    ben.follows(&ana).await;
    ana.sees_all().await;
    let heard = ["users.changed", "profiles.changed", "profiles.changed"];
    Recorder::new(&world, &tab)
        .reading(HELLO, json!({}))
        .reading("profiles.get", of(&ana))
        .records("own_profile_changed_in_another_tab", &heard, async || {
            ana.renames("Ana Berg").await;
            // The name stays as it is.
            ana.asks("profiles.update", profile("Ana Berg", "Quiet.")).await;
        })
        .await;
}

#[tokio::test]
async fn tape_photo_changed() {
    let world = World::told(&[]).await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    ana.changes_photo(&png(40, 30)).await;
    ana.posts("hello").await;
    Recorder::new(&world, &ben)
        .reading("posts.feed", feed())
        .reading("profiles.get", of(&ana))
        .records("photo_changed", &["users.changed", "profiles.changed"], async || {
            world.later(1_000);
            ana.changes_photo(&png(90, 120)).await;
        })
        .await;
}

#[tokio::test]
async fn tape_numbers_hidden() {
    let world = World::told(&[]).await;
    let [ana, ben, cleo] = world.people(["Ana", "Ben", "Cleo"]).await;
    Recorder::new(&world, &cleo)
        .reading("profiles.get", of(&ana))
        .records("numbers_hidden", &["profiles.changed"], async || {
            ana.hides_numbers(true).await;
            // Told to nobody but her.
            ben.follows(&ana).await;
        })
        .await;
}

#[tokio::test]
async fn tape_numbers_shown_again() {
    let world = World::told(&[]).await;
    let [ana, ben, cleo] = world.people(["Ana", "Ben", "Cleo"]).await;
    ana.hides_numbers(true).await;
    ben.follows(&ana).await;
    Recorder::new(&world, &cleo)
        .reading("profiles.get", of(&ana))
        .records("numbers_shown_again", &["profiles.changed"], async || {
            ana.hides_numbers(false).await;
        })
        .await;
}

#[tokio::test]
async fn tape_numbers_hidden_for_others_alone() {
    let world = World::told(&[]).await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    ana.follows(&ben).await;
    let tab = ana.opens_another_tab().await;
    let heard = ["account.changed", "profiles.changed", "profiles.counted"];
    Recorder::new(&world, &tab)
        .with_counts_last()
        .reading(HELLO, json!({}))
        .reading("profiles.get", of(&ana))
        .records("numbers_hidden_for_others_alone", &heard, async || {
            ana.hides_numbers(true).await;
        })
        .await;
}

#[tokio::test]
async fn tape_account_ended() {
    let world = World::told(&[]).await;
    let [ana, ben, cleo, dora] = world.people(["Ana", "Ben", "Cleo", "Dora"]).await;
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
    let heard =
        ["users.deleted", "comments.deleted", "notifications.deleted", "votes.counted", "profiles.counted"];
    Recorder::new(&world, &ben)
        .with_counts_last()
        .reading("posts.feed", feed())
        .reading("posts.by_author", posts_of(&ben))
        .reading("profiles.get", of(&ana))
        .reading("comments.page", json!({ "post_id": post_id, "after": null }))
        .reading("notifications.page", newest())
        .records("account_ended", &heard, async || {
            cleo.leaves_for_good().await;
        })
        .await;
}

#[tokio::test]
async fn tape_email_to_be_confirmed() {
    let world = World::told(&[]).await;
    let ana = world.person("Ana").await;
    let phone = ana.takes_the_phone().await;
    let fields = json!({ "key": key(), "email": "ana@new.example.org", "password": PASSWORD });
    Recorder::new(&world, &phone)
        .reading(HELLO, json!({}))
        .records("email_to_be_confirmed", &["account.changed"], async || {
            ana.asks("auth.change_email", fields).await;
        })
        .await;
}

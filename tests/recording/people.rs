//! Tapes of people: another name, another photo.

use serde_json::{Value, json};

use super::{HELLO, Recorder};
use crate::world::person::{Person, profile};
use crate::world::picture::png;
use crate::world::server::World;

fn feed() -> Value {
    json!({ "tag": null, "before": null })
}

fn newest() -> Value {
    json!({ "before": null })
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

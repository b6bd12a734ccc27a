//! Tapes: what a page read, what it then heard, and what a fresh page reads. The web's store must
//! come from the first to the last by the events alone (`web/src/store/tapes.test.ts`).
//!
//! `UPDATE=1 cargo test --test tapes` records them anew. Ids and numbers are renumbered in their
//! order, so that a tape is the same each time it is recorded.
#![expect(clippy::unwrap_used, reason = "a tape that cannot be recorded is a failure")]

mod world;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde_json::{Map, Value, json};
use world::person::{Person, post_with};
use world::picture::{gif_that_moves, png};
use world::server::World;

struct Recorder<'a> {
    world: &'a World,
    /// Whose page it is.
    viewer: &'a Person,
    reads: Vec<(&'static str, Value)>,
}

impl<'a> Recorder<'a> {
    fn new(world: &'a World, viewer: &'a Person) -> Self {
        Self { world, viewer, reads: Vec::new() }
    }

    fn reading(mut self, op: &'static str, fields: Value) -> Self {
        self.reads.push((op, fields));
        self
    }

    async fn reads(&self) -> Vec<Value> {
        let mut steps = Vec::new();
        for (op, fields) in &self.reads {
            let ok = self.viewer.asks(op, fields.clone()).await;
            steps.push(json!({ "op": op, "fields": fields, "ok": ok }));
        }
        steps
    }

    /// Records one tape: exactly these events are heard.
    async fn records(self, name: &str, heard: &[&str], act: impl AsyncFnOnce()) {
        self.viewer.is_up_to_date(self.world).await;
        let before = self.reads().await;
        act().await;
        let mut events = self.viewer.is_up_to_date(self.world).await;
        // Counts may be held for a moment.
        while events.len() < heard.len() {
            events.push(self.viewer.hears(heard[events.len()]).await);
        }
        events.extend(self.viewer.is_up_to_date(self.world).await);
        let evs: Vec<&str> = events.iter().map(|event| event["ev"].as_str().unwrap()).collect();
        assert_eq!(evs, heard, "what {} heard", self.viewer.name);
        let after = self.reads().await;
        assert_ne!(before, after, "a tape on which nothing happens");
        let mut tape =
            json!({ "name": name, "me": self.viewer.id, "before": before, "events": events, "after": after });
        renumber(&mut tape);
        keep(name, &tape);
    }
}

/// Is it an id, the number of an event, or neither?
fn kind(name: &str) -> Option<&'static str> {
    match name {
        "seq" => Some("seq"),
        "id" | "me" | "older" | "before" | "after" | "post_ids" | "gone" | "posts" | "profiles" => Some("id"),
        name if name.ends_with("_id") => Some("id"),
        _ => None,
    }
}

fn visit(value: &mut Value, name: &str, with: &mut impl FnMut(&str, &mut Value)) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(|value| visit(value, name, with)),
        Value::Object(map) => map.iter_mut().for_each(|(name, value)| visit(value, name, with)),
        Value::Number(_) => {
            if let Some(kind) = kind(name) {
                with(kind, value);
            }
        }
        _ => {}
    }
}

/// Visits what is said of each picture.
fn visit_pictures(value: &mut Value, with: &mut impl FnMut(&mut Map<String, Value>)) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(|value| visit_pictures(value, with)),
        Value::Object(map) if map.contains_key("thumbhash") => with(map),
        Value::Object(map) => map.iter_mut().for_each(|(_, value)| visit_pictures(value, with)),
        _ => {}
    }
}

/// What every picture of a tape looks like: how it is painted is no concern of a tape.
const THUMBHASH: &str = "1QcSHQRnh493V4dIh4eXh1h4kJUI";

/// Gives ids and sequence numbers small numbers in the order they had, and tokens of files in the
/// order they are met.
fn renumber(tape: &mut Value) {
    let mut met: BTreeMap<String, BTreeSet<i64>> = BTreeMap::new();
    visit(tape, "", &mut |kind, value| {
        met.entry(kind.into()).or_default().insert(value.as_i64().unwrap());
    });
    let ids = met["id"].clone();
    let mut tokens = Vec::new();
    visit_pictures(tape, &mut |picture| {
        picture["thumbhash"] = json!(THUMBHASH);
        for name in ["url", "card_url", "motion_url"] {
            let Some(url) = picture[name].as_str() else { continue };
            let (path, token) = url.split_once("?token=").unwrap();
            let [_, _, posts, owner, file] = path.split('/').collect::<Vec<_>>().try_into().unwrap();
            let owner = 100 + ids.range(..=owner.parse::<i64>().unwrap()).count();
            if !tokens.contains(&token.to_owned()) {
                tokens.push(token.to_owned());
            }
            let number = tokens.iter().position(|held| held == token).unwrap() + 1;
            picture[name] = json!(format!("/media/{posts}/{owner}/{file}?token={number:022}"));
        }
    });
    visit(tape, "", &mut |kind, value| {
        let number = met[kind].range(..=value.as_i64().unwrap()).count();
        // Apart from each other, so that nobody takes one for the other.
        *value = json!(if kind == "seq" { number } else { 100 + number });
    });
}

fn keep(name: &str, tape: &Value) {
    let path: PathBuf =
        [env!("CARGO_MANIFEST_DIR"), "tests", "tapes", &format!("{name}.json")].iter().collect();
    let text = serde_json::to_string_pretty(tape).unwrap() + "\n";
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let kept = std::fs::read_to_string(&path)
        .unwrap_or_else(|_| panic!("{name} is new: UPDATE=1 cargo test --test tapes records it"));
    let kept: Value = serde_json::from_str(&kept).unwrap();
    assert_eq!(
        &kept, tape,
        "{name}: the server tells it otherwise now. Meant? UPDATE=1 cargo test --test tapes"
    );
}

fn feed() -> Value {
    json!({ "tag": null, "before": null })
}

#[tokio::test]
async fn tape_new_post() {
    let world = World::told(&[]).await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    ana.posts("before").await;
    let fields = post_with(Some("A title"), "new", Some("Slow Mornings"));
    Recorder::new(&world, &ben)
        .reading("posts.feed", feed())
        .records("new_post", &["posts.created"], async || {
            world.later(60_000);
            ana.publishes(fields).await;
        })
        .await;
}

#[tokio::test]
async fn tape_new_post_of_ones_own() {
    let world = World::told(&[]).await;
    let ana = world.person("Ana").await;
    let tab = ana.opens_another_tab().await;
    ana.posts("before").await;
    Recorder::new(&world, &tab)
        .reading("posts.feed", feed())
        .reading("posts.by_author", json!({ "user_id": ana.id, "before": null }))
        .records("new_post_of_ones_own", &["posts.created"], async || {
            world.later(60_000);
            ana.posts("new").await;
        })
        .await;
}

#[tokio::test]
async fn tape_new_post_on_a_profile() {
    let world = World::told(&[]).await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    ana.posts("before").await;
    Recorder::new(&world, &ben)
        .reading("profiles.get", json!({ "user_id": ana.id }))
        .reading("posts.by_author", json!({ "user_id": ana.id, "before": null }))
        .records("new_post_on_a_profile", &["posts.created"], async || {
            world.later(60_000);
            ana.posts("new").await;
        })
        .await;
}

#[tokio::test]
async fn tape_new_post_with_pictures() {
    let world = World::told(&[]).await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    let tree = ana.uploads("tree.jpg", &png(40, 30)).await;
    ana.posts_with_pictures("before", &[(&tree, "")]).await;
    let (sea, dance) =
        (ana.uploads("Zoë.jpg", &png(90, 45)).await, ana.uploads("dance.gif", &gif_that_moves(60, 40)).await);
    Recorder::new(&world, &ben)
        .reading("posts.feed", feed())
        .reading("posts.by_author", json!({ "user_id": ana.id, "before": null }))
        .records("new_post_with_pictures", &["posts.created"], async || {
            world.later(60_000);
            ana.posts_with_pictures("new", &[(&sea, "Zoë by the sea."), (&dance, "")]).await;
        })
        .await;
}

#[tokio::test]
async fn tape_posts_edited() {
    let world = World::told(&[]).await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    let tree = ana.uploads("tree.jpg", &png(40, 30)).await;
    let shown = ana.posts_with_pictures("shown", &[(&tree, "A tree.")]).await["id"].as_i64().unwrap();
    ana.publishes(post_with(Some("A title"), "stays", Some("Tea"))).await;
    ben.comments(shown, "hm").await;
    // One that Ben shows, and one that waits for him: he has heard of it and not pressed the pill.
    Recorder::new(&world, &ben)
        .reading("posts.feed", feed())
        .reading("posts.by_author", json!({ "user_id": ana.id, "before": null }))
        .records(
            "posts_edited",
            &["posts.updated", "posts.created", "posts.updated", "posts.updated"],
            async || {
                world.later(60_000);
                ana.edits(shown, Some("A title now"), "shown anew").await;
                let waiting = ana.publishes(post_with(Some("Typo"), "wating", Some("Tea"))).await;
                world.later(60_000);
                ana.edits(waiting, None, "waiting").await;
                ana.edits(shown, None, "shown at last").await;
            },
        )
        .await;
}

#[tokio::test]
async fn tape_post_deleted() {
    let world = World::told(&[]).await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    let doomed = ana.posts("doomed").await;
    ana.posts("stays").await;
    ben.comments(doomed, "hm").await;
    Recorder::new(&world, &ben)
        .reading("posts.feed", feed())
        .reading("posts.by_author", json!({ "user_id": ana.id, "before": null }))
        .records("post_deleted", &["posts.deleted"], async || ana.deletes(doomed).await)
        .await;
}

#[tokio::test]
async fn tape_comment_added() {
    let world = World::told(&[]).await;
    let [ana, ben, cleo] = world.people(["Ana", "Ben", "Cleo"]).await;
    ben.follows(&ana).await;
    let post_id = ana.posts("hello").await;
    Recorder::new(&world, &ben)
        .reading("posts.feed", feed())
        .records("comment_added", &["comments.created", "comments.created", "comments.created"], async || {
            for text in ["one", "two", "three"] {
                world.later(1_000);
                cleo.comments(post_id, text).await;
            }
        })
        .await;
}

#[tokio::test]
async fn tape_comment_added_to_an_open_thread() {
    let world = World::told(&[]).await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let post_id = ana.posts("hello").await;
    for text in ["one", "two", "three"] {
        ana.comments(post_id, text).await;
    }
    Recorder::new(&world, &ben)
        .reading("posts.get", json!({ "post_id": post_id }))
        .reading("comments.page", json!({ "post_id": post_id, "after": null }))
        .records("comment_added_to_an_open_thread", &["comments.created"], async || {
            world.later(1_000);
            ana.comments(post_id, "four").await;
        })
        .await;
}

#[tokio::test]
async fn tape_comment_deleted_first_of_three() {
    let world = World::told(&[]).await;
    let [ana, ben, cleo] = world.people(["Ana", "Ben", "Cleo"]).await;
    ben.follows(&ana).await;
    let post_id = ana.posts("hello").await;
    let first = ben.comments(post_id, "one").await;
    cleo.comments(post_id, "two").await;
    ana.comments(post_id, "three").await;
    Recorder::new(&world, &ben)
        .reading("posts.feed", feed())
        .records("comment_deleted_first_of_three", &["comments.deleted"], async || {
            ben.deletes_comment(first).await
        })
        .await;
}

#[tokio::test]
async fn tape_comment_deleted_in_an_open_thread() {
    let world = World::told(&[]).await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let post_id = ana.posts("hello").await;
    let mut ids = Vec::new();
    for text in ["one", "two", "three", "four"] {
        ids.push(ana.comments(post_id, text).await);
    }
    Recorder::new(&world, &ben)
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
    let world = World::told(&[]).await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let tab = ben.opens_another_tab().await;
    ben.follows(&ana).await;
    let (set, cleared) = (ana.posts("set").await, ana.posts("cleared").await);
    ben.votes(cleared, "negative").await;
    let heard = ["votes.changed"; 3];
    Recorder::new(&world, &tab)
        .reading("posts.feed", feed())
        .records("vote_set_and_cleared", &heard, async || {
            ben.votes(set, "negative").await;
            ben.votes(set, "positive").await;
            ben.votes(cleared, "none").await;
        })
        .await;
}

#[tokio::test]
async fn tape_votes_counted_for_the_author() {
    let world = World::told(&[]).await;
    let [ana, ben, cleo] = world.people(["Ana", "Ben", "Cleo"]).await;
    let (first, second) = (ana.posts("first").await, ana.posts("second").await);
    Recorder::new(&world, &ana)
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
    let world = World::told(&[]).await;
    let [ana, ben, cleo] = world.people(["Ana", "Ben", "Cleo"]).await;
    let tab = ben.opens_another_tab().await;
    ben.follows(&cleo).await;
    let heard = ["follows.changed", "profiles.counted", "follows.changed", "profiles.counted"];
    Recorder::new(&world, &tab)
        .reading("profiles.get", json!({ "user_id": ana.id }))
        .reading("profiles.get", json!({ "user_id": cleo.id }))
        .records("follow_and_unfollow", &heard, async || {
            ben.follows(&ana).await;
            // Her count may still be held from before; told once it is, and last.
            ben.unfollows(&cleo).await;
        })
        .await;
}

#[tokio::test]
async fn tape_profile_counts() {
    let world = World::told(&[]).await;
    let [ana, ben, cleo] = world.people(["Ana", "Ben", "Cleo"]).await;
    let dora = world.person("Dora").await;
    Recorder::new(&world, &cleo)
        .reading("profiles.get", json!({ "user_id": ana.id }))
        .reading("profiles.get", json!({ "user_id": ben.id }))
        .records(
            "profile_counts",
            &["profiles.counted", "profiles.counted", "profiles.counted"],
            async || {
                // Ana's are told at once, Ben's too; Ana's newest after its pause.
                ben.follows(&ana).await;
                dora.follows(&ana).await;
            },
        )
        .await;
}

#[test]
fn every_tape_is_recorded_here() {
    let own = include_str!("tapes.rs");
    for file in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tapes")).unwrap() {
        let name = file.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned();
        assert!(own.contains(&format!("\"{name}\",")), "nobody records {name} any more");
    }
}

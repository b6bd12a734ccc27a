//! Saved posts: a private list of posts of others. Nobody but its user reads it or receives anything of it.

use serde_json::{Value, json};

use crate::access::about;
use crate::access::delivered::Watch;
use crate::access::rows::Then::{NotFound, NotSignedIn, Yes};
use crate::access::rows::{NOBODY, THE_READERS};
use crate::exports::{archive_of, list};
use crate::feature::{Feature, NONE};
use crate::recorder::{Recorder, newest};
use crate::support::groups::of;
use crate::support::person::{Person, texts};
use crate::support::server::TestServer;
use crate::support::value::key;
use crate::writes::{Sender, Stage};

fn save(post_id: i64) -> Value {
    json!({ "key": key(), "post_id": post_id, "saved": true })
}

pub const FEATURE: Feature = Feature {
    rows: &[("saved.set", |things| save(things.post), THE_READERS, Some(NotFound))],
    of_group: &[(
        "saved.set",
        |things| save(things.shared.post),
        [NotSignedIn, NotFound, NotFound, NotFound, NotFound, NotSignedIn, Yes, NotFound, Yes],
        Some(NotFound),
    )],
    of_left: &[
        (
            "saved.set",
            |things| save(things.shared.left_post),
            [NotSignedIn, NotFound, NotFound, NotFound, Yes, NotSignedIn, Yes, NotFound, Yes],
            Some(NotFound),
        ),
        ("saved.set", |things| save(things.shared.orphan), NOBODY, Some(NotFound)),
    ],
    delivered: &[("saved.changed", &["doer", "doer's tab"])],
    in_group: &[("saved.changed", &["member"])],
    play: |watch| Box::pin(play(watch)),
    play_in_group: |watch| Box::pin(play_in_group(watch)),
    writes: |stage, sender| Box::pin(send_writes(stage, sender)),
    ..NONE
};

async fn play(watch: &Watch<'_>) {
    watch.sees("save", watch.person("doer").saves(watch.post_id)).await;
    watch.sees("remove from saved", watch.person("doer").unsaves(watch.post_id)).await;
}

async fn play_in_group(watch: &Watch<'_>) {
    watch.sees("save", watch.person("member").saves(watch.post_id)).await;
}

async fn send_writes(stage: &Stage<'_>, sender: &mut dyn Sender) {
    for (id, saved, frames) in [
        (stage.post_id, true, 1),
        (stage.post_id, true, 0),
        (stage.post_id, false, 1),
        (stage.post_id, false, 0),
        (7, false, 0),
    ] {
        sender.send(stage.ben, "saved.set", frames, json!({ "post_id": id, "saved": saved })).await;
    }
}

#[tokio::test]
async fn d_u10_what_ben_saves_is_on_all_his_devices_at_once_and_nobody_else_receives_anything() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let (tab, phone) = (ben.opens_another_tab().await, ben.logs_in_on_phone().await);
    ben.follows(&ana).await;
    let post_id = ana.posts("tea").await;
    for who in [&ana, &ben, &tab, &cleo] {
        who.opens(post_id).await;
    }
    for who in [&ana, &ben, &tab, &phone, &cleo] {
        who.is_up_to_date(&server).await;
    }
    for saved in [true, false] {
        let fields = json!({ "key": key(), "post_id": post_id, "saved": saved });
        let ok = ben.asks("saved.set", fields).await;
        assert_eq!(ok, json!({ "post_id": post_id, "saved": saved, "seq": ok["seq"] }));
        for who in [&ben, &tab, &phone] {
            let event = who.receives("saved.changed").await;
            let seq = &event["seq"];
            assert_eq!(
                event,
                json!({ "ev": "saved.changed", "post_id": post_id, "saved": saved, "seq": seq })
            );
            who.receives_nothing(&server).await;
            assert_eq!(who.opens(post_id).await["saved"], saved);
            assert_eq!(who.reads_feed().await["posts"][0]["saved"], saved);
            let expected: &[&str] = if saved { &["tea"] } else { &[] };
            assert_eq!(who.saved_texts().await, expected);
        }
        for who in [&ana, &cleo] {
            who.receives_nothing(&server).await;
            assert_eq!(who.opens(post_id).await["saved"], false);
            assert_eq!(who.saved_texts().await, [""; 0]);
        }
    }
    assert_eq!(ana.reads_notifications().await["notifications"].as_array().unwrap().len(), 1, "his follow");
}

#[tokio::test]
async fn the_latest_saved_comes_first_in_pages_of_thirty() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let mut posts = Vec::new();
    for number in 0..32 {
        posts.push(if number % 2 == 0 { &ana } else { &cleo }.posts(&format!("p{number}")).await);
    }
    // Ben saves the newest post first.
    for post_id in posts.iter().rev() {
        ben.saves(*post_id).await;
    }
    // A post that is saved again is saved now. One that is saved twice stays where it is.
    ben.unsaves(posts[31]).await;
    ben.saves(posts[31]).await;
    ben.saves(posts[15]).await;
    let first = ben.reads_saved().await;
    let mut expected: Vec<String> = (0..29).map(|number| format!("p{number}")).collect();
    expected.insert(0, "p31".into());
    assert_eq!(texts(&first), expected);
    assert_eq!(first["users"].as_array().unwrap().len(), 2);
    let older = ben.asks("posts.saved", json!({ "before": first["older"] })).await;
    assert_eq!((texts(&older), &older["older"]), (vec!["p29".to_owned(), "p30".to_owned()], &Value::Null));

    // The reply subscribes to the posts.
    ana.comments(posts[30], "hello").await;
    ben.sees_comment("hello").await;
}

#[tokio::test]
async fn d_u10_the_thousand_and_first_post_is_refused_with_what_to_do() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let (first, another) = (ana.posts("first").await, ana.posts("another").await);
    ben.saves(first).await;
    let numbers = "with recursive n (id) as (select 1000 union all select id + 1 from n where id < 1998)";
    for sql in [
        format!(
            "insert into posts (id, author_id, text, created_at_ms, updated_at_ms) {numbers}
               select id, {}, 'p', 0, 0 from n",
            ana.id
        ),
        format!(
            "insert into saved_posts (id, user_id, post_id, saved_at_ms) {numbers} select id, {}, id, 0 from n",
            ben.id
        ),
    ] {
        server.look().execute(&sql, []).unwrap();
    }
    let no = ben.is_refused("invalid", "saved.set", save(another)).await;
    assert_eq!((&*no.why, no.field.as_deref()), ("saved_full", Some("post_id")));
    assert_eq!(no.message, "You have 1,000 saved posts. Remove one first.");
    assert_eq!(ben.opens(another).await["saved"], false);
    ben.unsaves(first).await;
    ben.saves(another).await;
    assert_eq!(texts(&ben.reads_saved().await)[0], "another");
}

#[tokio::test]
async fn d_u11_a_post_that_ben_may_not_see_now_is_not_listed_and_is_again_once_he_may() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let group = ana.makes_group_with("Tea", &[&ben]).await;
    let others = ana.makes_group_with("Coffee", &[&cleo]).await;
    let (shared, public, doomed) =
        (ana.shares(group, "for us").await, ana.posts("for all").await, ana.posts("doomed").await);
    for post_id in [shared, public, doomed] {
        ben.saves(post_id).await;
    }
    assert_eq!(ben.saved_texts().await, ["doomed", "for all", "for us"]);
    assert_eq!(ben.reads_saved().await["groups"][0]["name"], "Tea");

    ana.deletes(doomed).await;
    assert_eq!(ben.saved_texts().await, ["for all", "for us"]);
    assert_eq!(server.count("select count(*) from saved_posts"), 2, "nothing is left of it");

    ana.edits_for(of(others), public, "for all").await;
    assert_eq!(ben.saved_texts().await, ["for us"]);
    ben.leaves_group(group).await;
    assert_eq!(ben.saved_texts().await, [""; 0]);
    // He cannot remove what he does not see, and the reply does not tell it from an unknown post.
    for post_id in [shared, public, doomed, 7] {
        let ok = ben.unsaves(post_id).await;
        assert_eq!((&ok["post_id"], &ok["saved"]), (&json!(post_id), &json!(false)));
        ben.is_refused("not_found", "saved.set", save(post_id)).await;
    }

    ana.edits_for(json!({ "type": "public" }), public, "for all").await;
    assert_eq!(ben.saved_texts().await, ["for all"]);
    ben.asks("groups.allow_again", json!({ "key": key(), "group_id": group })).await;
    ana.adds(group, &[&ben]).await;
    assert_eq!(ben.saved_texts().await, ["for all", "for us"]);
    assert_eq!(ben.opens(shared).await["saved"], true);
}

#[tokio::test]
async fn d_u11_a_block_ends_what_the_two_saved_of_each_other_for_good_and_a_mute_changes_nothing() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let (anas, bens, cleos) =
        (ana.posts("hers").await, ben.posts("his").await, cleo.posts("of a third").await);
    for (who, post_id) in [(&ana, bens), (&ana, cleos), (&ben, anas), (&ben, cleos), (&cleo, anas)] {
        who.saves(post_id).await;
    }
    ana.asks("people.mute", about(&ben)).await;
    assert_eq!(ana.saved_texts().await, ["of a third", "his"]);
    cleo.is_up_to_date(&server).await;

    ana.asks("people.block", about(&ben)).await;
    for who in [&ana, &ben] {
        assert_eq!(who.saved_texts().await, ["of a third"]);
    }
    ana.asks("people.unblock", about(&ben)).await;
    for (who, post_id) in [(&ana, bens), (&ben, anas)] {
        assert_eq!(who.saved_texts().await, ["of a third"], "for good");
        assert_eq!(who.opens(post_id).await["saved"], false);
    }
    cleo.receives_nothing(&server).await;
    assert_eq!(cleo.saved_texts().await, ["hers"]);
}

#[tokio::test]
async fn a_change_of_a_post_that_was_deleted_since_is_not_replayed() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let (gone, stays) = (ana.posts("goes").await, ana.posts("stays").await);
    let before = ben.asks("live.probe", json!({})).await["seq"].clone();
    for post_id in [gone, stays] {
        ben.saves(post_id).await;
    }
    ana.deletes(gone).await;
    let tab = ben.opens_another_tab().await;
    let epoch = tab.socket.hello().await["epoch"].clone();
    let resume = json!({ "epoch": epoch, "seq": before, "posts": [], "profiles": [] });
    assert_eq!(tab.asks("live.resume", resume).await["resync"], false);
    let saved: Vec<Value> = tab.socket.events().iter().map(|event| event["post_id"].clone()).collect();
    assert_eq!(saved, [stays]);
}

#[tokio::test]
async fn the_archive_has_the_addresses_of_saved_posts_and_no_words_of_others() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let (first, second, hidden) =
        (ana.posts("her words").await, cleo.posts("more words").await, cleo.posts("hidden words").await);
    for post_id in [first, second, hidden] {
        ben.saves(post_id).await;
        server.later(60_000);
    }
    let others = cleo.makes_group("Coffee").await;
    cleo.edits_for(of(others), hidden, "hidden words").await;
    let files = archive_of(&ben).await;
    let of = |post_id: i64, minute: u8| {
        let address = format!("/post/{post_id}");
        json!({ "post_id": post_id, "address": address, "saved_at": format!("2026-03-01T09:0{minute}:00Z") })
    };
    assert_eq!(list(&files, "saved.json"), [of(second, 1), of(first, 0)]);
    let all: String = files.values().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect();
    for theirs in ["her words", "more words", "hidden words", "Ana", "Cleo"] {
        assert!(!all.contains(theirs), "{theirs}");
    }
    // Her own archive says nothing of who saved her post.
    let hers = archive_of(&ana).await;
    assert_eq!(list(&hers, "saved.json"), [Value::Null; 0]);
    let all: String = hers.values().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect();
    assert!(!all.contains(&ben.id.to_string()));
}

#[tokio::test]
async fn a_deleted_account_takes_with_it_what_it_saved_and_what_others_saved_of_it() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let (anas, bens, cleos) = (ana.posts("hers").await, ben.posts("his").await, cleo.posts("stays").await);
    for (who, post_id) in [(&ana, bens), (&ana, cleos), (&ben, anas), (&ben, cleos)] {
        who.saves(post_id).await;
    }
    ana.deletes_account().await;
    ben.receives("users.deleted").await;
    assert_eq!(ben.saved_texts().await, ["stays"]);
    assert_eq!(server.count("select count(*) from saved_posts"), 1);
}

fn feed() -> Value {
    json!({ "tag": null, "before": null })
}

/// Returns Ben's two tabs and the posts of Ana that he saved, the latest last, and another one. He follows her.
async fn saved_posts(server: &TestServer) -> (Person, Person, Person, [i64; 2], i64) {
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    let (first, second, other) =
        (ana.posts("first").await, ana.posts("second").await, ana.posts("other").await);
    ben.saves(first).await;
    ben.saves(second).await;
    let tab = ben.opens_another_tab().await;
    (ana, ben, tab, [first, second], other)
}

#[tokio::test]
async fn tape_saved_on_another_device() {
    let server = TestServer::with_manual_clock(&[]).await;
    let (_ana, ben, tab, _, other) = saved_posts(&server).await;
    Recorder::new(&server, &tab)
        .reading("posts.feed", feed())
        .reading("posts.saved", newest())
        .records("saved_on_another_device", &["saved.changed"], async || {
            ben.saves(other).await;
        })
        .await;
}

#[tokio::test]
async fn tape_removed_from_saved_on_another_device() {
    let server = TestServer::with_manual_clock(&[]).await;
    let (_ana, ben, tab, [_, second], other) = saved_posts(&server).await;
    ben.saves(other).await;
    Recorder::new(&server, &tab)
        .reading("posts.feed", feed())
        .reading("posts.saved", newest())
        .records("removed_from_saved_on_another_device", &["saved.changed"], async || {
            ben.unsaves(second).await;
        })
        .await;
}

#[tokio::test]
async fn tape_saved_post_deleted() {
    let server = TestServer::with_manual_clock(&[]).await;
    let (ana, _ben, tab, [first, _], _) = saved_posts(&server).await;
    Recorder::new(&server, &tab)
        .reading("posts.saved", newest())
        .records("saved_post_deleted", &["posts.deleted"], async || {
            ana.deletes(first).await;
        })
        .await;
}

#[tokio::test]
async fn tape_saved_posts_of_a_muted_author() {
    let server = TestServer::with_manual_clock(&[]).await;
    let (ana, ben, tab, _, other) = saved_posts(&server).await;
    ben.saves(other).await;
    Recorder::new(&server, &tab)
        .reading("posts.feed", feed())
        .reading("posts.saved", newest())
        .records("saved_posts_of_a_muted_author", &["people.changed"], async || {
            ben.asks("people.mute", about(&ana)).await;
        })
        .await;
}

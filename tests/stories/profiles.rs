//! Profiles as others see them.

pub mod access;
mod tapes;

use serde_json::{Value, json};

use crate::support::person::{profile, texts};
use crate::support::picture::jpeg;
use crate::support::server::{MORNING_MS, TestServer};
use crate::support::value::key_of;
use crate::writes::{Sender, Stage};

#[tokio::test]
async fn a_profile_contains_only_public_fields() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    let profile = ben.visits(&ana).await;
    assert_eq!(
        profile,
        json!({
            "id": ana.id, "name": "Ana", "bio": "", "photo_url": null, "photo": null,
            "from_color": "blue", "to_color": "blue",
            "created_at_ms": MORNING_MS, "followers_count": 1, "following_count": 0, "followed": true,
            "follows_me": false, "can_be_added": true, "muted": false,
        })
    );
    let own = ben.visits(&ben).await;
    assert_eq!((&own["following_count"], &own["followed"]), (&json!(1), &json!(false)));
}

#[tokio::test]
async fn an_unknown_user_has_no_profile_and_no_posts() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    ana.is_refused("not_found", "profiles.get", json!({ "user_id": 7 })).await;
    ana.is_refused("not_found", "posts.by_author", json!({ "user_id": 7, "before": null })).await;
}

#[tokio::test]
async fn a_client_that_shows_a_profile_receives_its_posts_until_it_leaves() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.visits(&ana).await;
    let post_id = ana.posts("hello").await;
    ben.sees_post("hello").await;
    assert_eq!(texts(&ben.reads_posts_of(&ana).await), ["hello"]);
    ana.deletes(post_id).await;
    ben.receives_only(&server, &["posts.deleted"]).await;
    ben.asks("live.leave", json!({ "posts": [], "profiles": [ana.id] })).await;
    ana.posts("again").await;
    ben.receives_nothing(&server).await;
}

#[tokio::test]
async fn a_new_name_is_delivered_at_once_wherever_it_is_shown() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    ben.follows(&ana).await;
    ana.follows(&ben).await;
    let post_id = ana.posts("hello").await;
    ana.comments(post_id, "and more").await;
    let guest = server.guest().await;
    let anas_phone = ana.logs_in_on_phone().await;
    // Ben has these open: the feed, the thread, the profile, and the list of his followers.
    let [thread, visit, list] =
        [ben.opens_another_tab().await, ben.opens_another_tab().await, ben.logs_in_on_phone().await];
    ben.reads_feed().await;
    thread.reads_thread(post_id).await;
    visit.visits(&ana).await;
    let followers = json!({ "side": "followers", "before": null });
    assert_eq!(list.asks("follows.page", followers.clone()).await["users"][0]["name"], "Ana");
    for person in [&ana, &anas_phone, &ben, &thread, &visit, &list, &cleo] {
        person.is_up_to_date(&server).await;
    }

    let shown = ana.asks("profiles.update", profile("Ana Sofia 🌿", "tea")).await;

    let user = json!({ "id": ana.id, "name": "Ana Sofia 🌿", "photo_url": null });
    for person in [&ben, &thread, &list, &cleo] {
        let received = person.receives_only(&server, &["users.changed"]).await;
        assert_eq!(received[0]["user"], user);
    }
    for person in [&ana, &anas_phone, &visit] {
        let received = person.receives_only(&server, &["users.changed", "profiles.changed"]).await;
        assert_eq!(received[0]["user"], user);
        let mut delivered = shown["profile"].clone();
        // Only replies have the relation between the viewer and the owner of the profile.
        for name in ["followed", "muted", "can_be_added", "follows_me"] {
            delivered.as_object_mut().unwrap().remove(name);
        }
        assert_eq!(received[1]["profile"], delivered);
        assert_eq!(received[1]["seq"], shown["seq"]);
    }
    guest.has_caught_up(server.publishes_marker().await).await;
    assert_eq!(guest.unread_events(), Vec::<Value>::new(), "a guest knows nobody's name");

    assert_eq!(ben.reads_feed().await["users"], json!([user]));
    assert_eq!(ben.reads_thread(post_id).await["users"], json!([user]));
    assert_eq!(ben.asks("follows.page", followers).await["users"], json!([user]));
    assert_eq!(ben.asks("search.names", json!({ "term": "Ana S" })).await["users"][0]["bio"], "tea");
    assert_eq!(ana.opens_another_tab().await.socket.hello().await["me"]["name"], "Ana Sofia 🌿");
}

#[tokio::test]
async fn a_profile_change_other_than_the_name_reaches_clients_that_show_the_profile() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    ben.visits(&ana).await;
    let mut fields = profile("Ana", "tea\r\n and more ");
    fields["to_color"] = json!("purple");
    let shown = ana.asks("profiles.update", fields).await["profile"].clone();
    assert_eq!((&shown["bio"], &shown["to_color"]), (&json!("tea\n and more"), &json!("purple")));
    let received = ben.receives_only(&server, &["profiles.changed"]).await;
    assert_eq!(received[0]["profile"]["bio"], "tea\n and more");
    cleo.receives_nothing(&server).await;
    assert_eq!(cleo.visits(&ana).await, shown);
}

#[tokio::test]
async fn an_unchanged_text_publishes_nothing_and_does_not_count() {
    let server = TestServer::with_manual_clock(&["profile_edits_per_hour=2"]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.visits(&ana).await;
    let updated = || server.count("select updated_at_ms from users where name = 'Ana'");
    server.later(1_000);
    for words in ["Ana", " Ana ", "Ana"] {
        ana.renames(words).await;
    }
    ben.receives_nothing(&server).await;
    assert_eq!(updated(), MORNING_MS, "nothing happened");

    let first = profile("Ana", "tea");
    let reply = ana.asks("profiles.update", first.clone()).await;
    assert_eq!(updated(), MORNING_MS + 1_000);
    assert_eq!(ana.asks("profiles.update", first.clone()).await, reply, "a retry costs nothing either");
    ana.asks("profiles.update", profile("Ana", "more tea")).await;
    let no = ana.is_refused("slow_down", "profiles.update", profile("Ana", "no tea")).await;
    assert!((1..=30 * 60_000).contains(&no.retry_ms.unwrap()), "{no:?}");
    assert_eq!(ana.asks("profiles.update", first).await, reply, "and does not count for the rate limit");
    ben.receives_only(&server, &["profiles.changed", "profiles.changed"]).await;
    server.later(30 * 60_000);
    ana.asks("profiles.update", profile("Ana", "no tea")).await;
}

#[tokio::test]
async fn a_name_is_kept_as_it_is_written() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    for (written, kept) in [
        ("👩🏽‍🚀 Ana ❤️‍🔥", "👩🏽‍🚀 Ana ❤️‍🔥"),
        ("זואי לוי", "זואי לוי"),
        ("علي بن سينا", "علي بن سينا"),
        ("Ana+Ben", "Ana+Ben"),
        ("ana_sofia__", "ana_sofia__"),
        ("O'Brien \"<b>%", "O'Brien \"<b>%"),
        ("  Zoe\u{308}   Ray ", "Zoë Ray"),
        ("a", "a"),
        (&"🌿".repeat(50), &"🌿".repeat(50)),
    ] {
        assert_eq!(ana.renames(written).await["name"], kept);
        assert_eq!(ana.visits(&ana).await["name"], kept);
    }
}

#[tokio::test]
async fn a_blank_too_long_or_misleading_name_is_refused() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let long = "a".repeat(51);
    for (name, words) in [
        ("", "Please enter a name."),
        (" \u{200B} ", "Please enter a name."),
        (&long, "This is longer than 50 characters. Your words are kept."),
        ("Ana\u{202E}nimda", "This name has characters that can't be shown."),
        ("A\u{2066}n\u{2069}a", "This name has characters that can't be shown."),
        ("A\u{7}na", "This name has characters that can't be shown."),
        ("A\nna", "This name has characters that can't be shown."),
    ] {
        let no = ana.is_refused("invalid", "profiles.update", profile(name, "")).await;
        assert_eq!((no.field.as_deref(), no.message.as_str()), (Some("name"), words), "{name:?}");
    }
    assert_eq!(ana.visits(&ana).await["name"], "Ana");
}

#[tokio::test]
async fn a_bio_has_three_hundred_characters_at_most() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let most = "🌿".repeat(300);
    assert_eq!(ana.asks("profiles.update", profile("Ana", &most)).await["profile"]["bio"], most);
    for (bio, words) in [
        ("a".repeat(301), "This is longer than 300 characters. Your words are kept."),
        ("te\u{202E}a".into(), "This has characters that can't be shown. Your words are kept."),
    ] {
        let no = ana.is_refused("invalid", "profiles.update", profile("Ana", &bio)).await;
        assert_eq!((no.field.as_deref(), no.message.as_str()), (Some("bio"), words));
    }
    assert_eq!(ana.visits(&ana).await["bio"], most);
    assert_eq!(ana.asks("profiles.update", profile("Ana", " \n ")).await["profile"]["bio"], "");
}

#[tokio::test]
async fn a_banner_has_five_colours_by_name() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let update = |from: Value, to: Value| {
        let mut fields = profile("Ana", "");
        (fields["from_color"], fields["to_color"]) = (from, to);
        fields
    };
    for color in ["red", "blue", "green", "yellow", "purple"] {
        let shown = ana.asks("profiles.update", update(json!(color), json!("red"))).await;
        let colors = (&shown["profile"]["from_color"], &shown["profile"]["to_color"]);
        assert_eq!(colors, (&json!(color), &json!("red")));
    }
    for none in
        [json!(0), json!(4), json!("Red"), json!("pink"), json!(""), Value::Null, json!({ "red": null })]
    {
        ana.is_refused("bad_request", "profiles.update", update(none.clone(), json!("red"))).await;
        ana.is_refused("bad_request", "profiles.update", update(json!("red"), none)).await;
    }
    for missing in ["key", "name", "bio", "from_color", "to_color"] {
        let mut fields = update(json!("red"), json!("red"));
        fields.as_object_mut().unwrap().remove(missing);
        ana.is_refused("bad_request", "profiles.update", fields).await;
    }
}

#[tokio::test]
async fn r5_a_repeated_change_of_name_is_published_once_and_its_key_is_for_nothing_else() {
    let mut server = TestServer::new().await;
    let [mut ana, ben] = server.people(["Ana", "Ben"]).await;
    let mut fields = profile("Ana Sofia", "");
    fields["key"] = key_of(5);
    let reply = ana.asks("profiles.update", fields.clone()).await;
    ana.renames("Anna").await;
    assert_eq!(ana.asks("profiles.update", fields.clone()).await, reply);
    ben.receives_only(&server, &["users.changed", "users.changed"]).await;
    assert_eq!(ben.visits(&ana).await["name"], "Anna", "what came later stays");
    server.restarts().await;
    ana.reconnects().await;
    assert_eq!(ana.asks("profiles.update", fields.clone()).await, reply);
    fields["bio"] = json!("tea");
    ana.is_refused("key_conflict", "profiles.update", fields).await;
    assert_eq!(ana.visits(&ana).await["name"], "Anna");
}

#[tokio::test]
async fn l4_a_reconnected_client_receives_each_new_name_once() {
    let server = TestServer::new().await;
    let [ana, mut ben] = server.people(["Ana", "Ben"]).await;
    let witness = ben.opens_another_tab().await;
    let epoch = witness.socket.hello().await["epoch"].clone();
    let seq = server.publishes_marker().await;
    for name in ["Anna", "Anne"] {
        ana.renames(name).await;
    }
    witness.receives_only(&server, &["users.changed", "users.changed"]).await;
    ben.reconnects().await;
    for person in [&ben, &witness] {
        person.receives_nothing(&server).await;
        let fields = json!({ "epoch": epoch, "seq": seq, "posts": [], "profiles": [ana.id] });
        assert_eq!(person.asks("live.resume", fields).await["resync"], false);
        let received = person.socket.unread_events();
        let names: Vec<(&str, &str)> = received
            .iter()
            .map(|event| {
                let who = if event["ev"] == "users.changed" { &event["user"] } else { &event["profile"] };
                (event["ev"].as_str().unwrap(), who["name"].as_str().unwrap())
            })
            .collect();
        let expected = ["Anna", "Anne"].map(|name| [("users.changed", name), ("profiles.changed", name)]);
        assert_eq!(names, expected.as_flattened());
    }
}

#[tokio::test]
async fn others_receive_no_hidden_numbers() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    server.look().execute("update users set hide_numbers = 1 where name = 'Ana'", []).unwrap();
    let seen = ben.visits(&ana).await;
    assert_eq!((&seen["followers_count"], &seen["following_count"]), (&Value::Null, &Value::Null));
    ben.is_up_to_date(&server).await;
    let own = ana.asks("profiles.update", profile("Ana", "tea")).await["profile"].clone();
    assert_eq!((&own["followers_count"], &own["following_count"]), (&json!(1), &json!(0)));
    let delivered = ben.receives_only(&server, &["profiles.changed"]).await[0]["profile"].clone();
    assert_eq!((&delivered["followers_count"], &delivered["bio"]), (&Value::Null, &json!("tea")));
    assert_eq!(ana.visits(&ana).await, own);
}

#[tokio::test]
async fn numbers_from_before_they_were_hidden_are_not_replayed() {
    let server = TestServer::new().await;
    let [ana, mut ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let epoch = ben.opens_another_tab().await.socket.hello().await["epoch"].clone();
    let before = server.publishes_marker().await;
    cleo.follows(&ana).await;
    let counted = server.publishes_marker().await;
    ana.asks("profiles.update", profile("Ana", "tea")).await;
    ana.hides_numbers(true).await;
    for seq in [before, counted] {
        ben.reconnects().await;
        let fields = json!({ "epoch": epoch, "seq": seq, "posts": [], "profiles": [ana.id] });
        assert_eq!(ben.asks("live.resume", fields).await["resync"], true, "he reads again");
        assert_eq!(ben.socket.unread_events(), Vec::<Value>::new());
        let seen = ben.visits(&ana).await;
        assert_eq!((&seen["bio"], &seen["followers_count"]), (&json!("tea"), &Value::Null));
    }
}

/// Shares a mood, changes a profile, and changes settings.
pub async fn send_writes(stage: &Stage<'_>, sender: &mut dyn Sender) {
    let ana = stage.ana;
    let day = ana.asks("moods.today", json!({ "zone": "Etc/UTC" })).await;
    let mood = json!({ "slot": day["mine"]["slot"], "mood": "Cozy", "zone": "Etc/UTC" });
    sender.send(ana, "moods.set", 3, mood).await;
    sender.send(ana, "profiles.update", 5, profile("Ana B", "hi")).await;
    sender.send(ana, "profiles.update", 0, profile("Ana B", "hi")).await;
    let language = json!({ "language": null, "shown": "de" });
    sender.send(ana, "profiles.language", 1, language.clone()).await;
    sender.send(ana, "profiles.language", 0, language).await;
    sender.send(ana, "account.set_privacy", 2, json!({ "hide_numbers": true })).await;
    sender.send(ana, "account.set_privacy", 4, json!({ "commenters": "followers" })).await;
    sender.send(ana, "account.set_privacy", 4, json!({ "commenters": "everyone" })).await;
    let upload = ana.uploads_photo("me.jpg", &jpeg(8, 6)).await;
    sender.send(ana, "profiles.set_photo", 6, json!({ "upload": upload })).await;
}

//! Moods: twice a day, for followers, until their owner's midnight.

pub mod access;
mod tapes;

use serde_json::{Value, json};

use crate::support::person::Person;
use crate::support::server::{MORNING_MS, TestServer};
use crate::support::value::key;
use crate::support::wait_until;

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;

/// 15:00 in UTC on the day on which these stories begin, and the next midnight.
const EVENING_MS: i64 = MORNING_MS + 6 * HOUR_MS;
const MIDNIGHT_MS: i64 = MORNING_MS + 15 * HOUR_MS;

/// Time zones of these stories, far apart from each other.
const NEPAL: &str = "Asia/Kathmandu";
const NIUE: &str = "Pacific/Niue";
const KIRITIMATI: &str = "Pacific/Kiritimati";
const HONOLULU: &str = "Pacific/Honolulu";

fn mood(slot: &str, mood: &str, zone: &str) -> Value {
    json!({ "key": key(), "slot": slot, "mood": mood, "zone": zone })
}

/// Shares a mood in the time zone UTC. Returns the day in the reply.
async fn shares(who: &Person, slot: &str, word: &str) -> Value {
    who.asks("moods.set", mood(slot, word, "UTC")).await["mine"].clone()
}

async fn reads(who: &Person, zone: &str) -> Value {
    who.asks("moods.today", json!({ "zone": zone })).await
}

/// Returns the moods that a user reads in Niue: user, morning and evening.
async fn sees(who: &Person) -> Vec<(i64, Value, Value)> {
    let listed = reads(who, NIUE).await;
    let moods = listed["moods"].as_array().unwrap().iter();
    moods
        .map(|mood| (mood["user_id"].as_i64().unwrap(), mood["morning"].clone(), mood["evening"].clone()))
        .collect()
}

/// Returns whether this user ever received a frame with these bytes.
fn was_sent(who: &Person, needle: &str) -> bool {
    let holds = |frame: &Vec<u8>| frame.windows(needle.len()).any(|window| window == needle.as_bytes());
    who.socket.bytes().iter().any(holds)
}

fn count(server: &TestServer, sql: &str) -> i64 {
    server.look().query_row(sql, [], |row| row.get(0)).unwrap()
}

#[tokio::test]
async fn followers_receive_a_mood_on_every_device_and_strangers_no_byte() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, sten] = server.people(["Ana", "Ben", "Sten"]).await;
    // Sten shows her profile, and she follows him. He is still not a recipient.
    sten.visits(&ana).await;
    ben.follows(&ana).await;
    ana.follows(&sten).await;
    let (anas_phone, bens_phone) = (ana.logs_in_on_phone().await, ben.logs_in_on_phone().await);
    let is_last = |event: &Value| event["followers_count"] == 1 && event["following_count"] == 1;
    sten.socket.receives_where("profiles.counted", is_last).await;
    let guest = server.guest().await;
    for who in [&ana, &anas_phone, &ben, &bens_phone, &sten] {
        who.is_up_to_date(&server).await;
    }

    let ok = ana.asks("moods.set", mood("morning", "Mind Blown", "UTC")).await;
    let mine = json!({
        "slot": "morning", "slot_ends_at_ms": EVENING_MS, "open": false, "morning": "Mind Blown", "evening": null,
    });
    assert_eq!(ok, json!({ "mine": mine, "seq": ok["seq"] }));
    let shown = json!({
        "user_id": ana.id, "morning": "Mind Blown", "evening": null,
        "made_at_ms": MORNING_MS, "expires_at_ms": MIDNIGHT_MS,
    });
    let users = json!([ana.named()]);
    for who in [&ana, &anas_phone, &ben, &bens_phone] {
        let event = who.receives_only(&server, &["moods.changed"]).await.remove(0);
        let whole = json!({ "ev": "moods.changed", "seq": ok["seq"], "mood": shown, "users": users });
        assert_eq!(event, whole);
    }
    sten.receives_nothing(&server).await;
    assert!(guest.events().is_empty());

    let bens = reads(&ben, NEPAL).await;
    assert_eq!((&bens["moods"], &bens["users"]), (&json!([shown]), &users));
    // His own day differs: his morning lasts another quarter of an hour.
    let open = json!({
        "slot": "morning", "slot_ends_at_ms": MORNING_MS + 15 * MINUTE_MS, "open": true,
        "morning": null, "evening": null,
    });
    assert_eq!(bens["mine"], open);
    let anas = reads(&ana, "UTC").await;
    assert_eq!((&anas["mine"], &anas["moods"], &anas["users"]), (&mine, &json!([]), &json!([])));
    assert_eq!(sees(&sten).await, []);
    assert!(!was_sent(&sten, "Mind Blown") && !was_sent(&sten, "moods.changed"));
}

#[tokio::test]
async fn a_slot_is_set_once_and_both_slots_of_a_day_are_one_row() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    for other in [&ana, &cleo] {
        ben.follows(other).await;
    }
    shares(&ana, "morning", "Cozy").await;
    server.later(MINUTE_MS);
    shares(&cleo, "morning", "Meh").await;
    ben.is_up_to_date(&server).await;
    for word in ["Cozy", "Quiet"] {
        let no = ana.is_refused("mood_set", "moods.set", mood("morning", word, "UTC")).await;
        assert_eq!(no.message, "You've set this vibe already.");
        assert_eq!((no.field, no.retry_ms), (None, None));
    }
    ben.receives_nothing(&server).await;
    assert_eq!(
        sees(&ben).await,
        [(cleo.id, json!("Meh"), Value::Null), (ana.id, json!("Cozy"), Value::Null)],
        "the newest mood comes first"
    );

    server.later(6 * HOUR_MS - MINUTE_MS);
    let mine = reads(&ana, "UTC").await["mine"].clone();
    assert_eq!(
        mine,
        json!({ "slot": "evening", "slot_ends_at_ms": MIDNIGHT_MS, "open": true, "morning": "Cozy", "evening": null })
    );
    let mine = shares(&ana, "evening", "Quiet").await;
    assert_eq!((&mine["morning"], &mine["evening"]), (&json!("Cozy"), &json!("Quiet")));
    assert_eq!(mine["open"], false);
    let event = ben.receives("moods.changed").await;
    assert_eq!((&event["mood"]["morning"], &event["mood"]["evening"]), (&json!("Cozy"), &json!("Quiet")));
    assert_eq!(event["mood"]["made_at_ms"], EVENING_MS);
    assert_eq!(
        sees(&ben).await,
        [(ana.id, json!("Cozy"), json!("Quiet")), (cleo.id, json!("Meh"), Value::Null)]
    );
    ana.is_refused("mood_set", "moods.set", mood("evening", "Happy", "UTC")).await;
}

#[tokio::test]
async fn a_mood_for_a_slot_that_is_over_is_refused() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    ben.is_up_to_date(&server).await;
    let late = mood("morning", "Sleepy", "UTC");
    server.later(6 * HOUR_MS);
    let no = ana.is_refused("slot_changed", "moods.set", late.clone()).await;
    assert_eq!(no.message, "It's evening where you are now. Set your evening vibe instead?");
    assert_eq!((no.field, no.retry_ms), (None, None));
    // After midnight the evening is over and the morning is accepted.
    server.later(9 * HOUR_MS);
    let no = ana.is_refused("slot_changed", "moods.set", mood("evening", "Sleepy", "UTC")).await;
    assert_eq!(no.message, "It's morning where you are now. Set your morning vibe instead?");
    ben.receives_nothing(&server).await;
    assert_eq!(count(&server, "select (select count(*) from moods) + (select count(*) from mood_marks)"), 0);
    // The refused request did not use its key. Now it is morning again.
    ana.asks("moods.set", late).await;
    assert_eq!(sees(&ben).await, [(ana.id, json!("Sleepy"), Value::Null)]);
}

#[tokio::test]
async fn a_mood_ends_at_its_owners_midnight_for_everybody_and_is_deleted() {
    let mut server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    ana.is_up_to_date(&server).await;
    // It is 14:45 in Nepal, whose midnight is at 18:15 UTC. In Niue it is the morning of the same date.
    let ends_ms = MORNING_MS + 9 * HOUR_MS + 15 * MINUTE_MS;
    ana.asks("moods.set", mood("morning", "Traveling", NEPAL)).await;
    let event = ben.receives("moods.changed").await;
    assert_eq!(event["mood"]["expires_at_ms"], ends_ms);
    server.later(ends_ms - MORNING_MS - 1);
    assert_eq!(sees(&ben).await, [(ana.id, json!("Traveling"), Value::Null)]);
    ben.is_up_to_date(&server).await;
    server.later(1);
    assert_eq!(sees(&ben).await, []);
    let mine = reads(&ana, NEPAL).await["mine"].clone();
    assert_eq!(
        (&mine["slot"], &mine["open"], &mine["morning"]),
        (&json!("morning"), &json!(true), &Value::Null)
    );
    // Every client has its own clock, so no event is sent.
    ben.receives_nothing(&server).await;
    ana.receives_only(&server, &["moods.changed"]).await;

    server.restarts().await;
    wait_until("the mood is deleted", || count(&server, "select count(*) from moods") == 0).await;
    assert_eq!(count(&server, "select count(*) from mood_marks"), 1, "that, but not what");
    let words = "select count(*) from keys where instr(answer, cast('Traveling' as blob)) > 0";
    assert_eq!(count(&server, words), 0);
    server.later(48 * HOUR_MS);
    server.restarts().await;
    wait_until("the mark too", || count(&server, "select count(*) from mood_marks") == 0).await;
}

#[tokio::test]
async fn visible_moods_are_those_of_currently_followed_users() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    shares(&ana, "morning", "Hopeful").await;
    ben.receives_nothing(&server).await;
    assert_eq!(sees(&ben).await, []);
    // A user who follows later reads the mood.
    ben.follows(&ana).await;
    ben.is_up_to_date(&server).await;
    assert_eq!(sees(&ben).await, [(ana.id, json!("Hopeful"), Value::Null)]);

    ben.unfollows(&ana).await;
    ben.is_up_to_date(&server).await;
    assert_eq!(sees(&ben).await, []);
    server.later(6 * HOUR_MS);
    shares(&ana, "evening", "Excited").await;
    ben.receives_nothing(&server).await;
    assert_eq!(sees(&ben).await, []);
    assert!(!was_sent(&ben, "Excited"));
}

#[tokio::test]
async fn a_key_shares_one_mood_even_if_the_slot_changed_meanwhile() {
    let mut server = TestServer::with_manual_clock(&[]).await;
    let [mut ana, mut ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    ben.is_up_to_date(&server).await;
    let fields = mood("morning", "Strong", "UTC");
    let first = ana.asks("moods.set", fields.clone()).await;
    assert_eq!(ana.logs_in_on_phone().await.asks("moods.set", fields.clone()).await, first);
    ben.receives_only(&server, &["moods.changed"]).await;
    for (name, other) in [("mood", "Silly"), ("slot", "evening"), ("zone", NEPAL)] {
        let mut fields = fields.clone();
        fields[name] = json!(other);
        ana.is_refused("key_conflict", "moods.set", fields).await;
    }
    server.later(6 * HOUR_MS);
    server.restarts().await;
    ana.reconnects().await;
    ben.reconnects().await;
    assert_eq!(ana.asks("moods.set", fields).await, first);
    ben.receives_nothing(&server).await;
    assert_eq!(count(&server, "select count(*) from moods"), 1);
}

#[tokio::test]
async fn a_mood_is_replayed_to_a_client_that_reconnects_until_its_owners_midnight() {
    // With one worker, Ben resumes on the worker that delivered to him.
    let server = TestServer::with_manual_clock(&["workers=1"]).await;
    let [ana, mut ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    ben.is_up_to_date(&server).await;
    let had = ben.asks("live.probe", json!({})).await["seq"].clone();
    let epoch = ben.socket.hello().await["epoch"].clone();
    shares(&ana, "morning", "Active").await;
    ana.posts("hello").await;
    ben.receives_only(&server, &["moods.changed", "posts.created"]).await;
    ben.reconnects().await;
    let fields = json!({ "epoch": epoch, "seq": had, "posts": [], "profiles": [] });
    let ok = ben.asks("live.resume", fields.clone()).await;
    assert_eq!(ok["resync"], false);
    let event = ben.receives_only(&server, &["moods.changed", "posts.created"]).await.remove(0);
    assert_eq!(event["mood"]["morning"], "Active");

    server.later(MIDNIGHT_MS - MORNING_MS);
    ben.reconnects().await;
    assert_eq!(ben.asks("live.resume", fields).await["resync"], false);
    assert!(ben.socket.log().iter().any(|message| message["ev"] == "posts.created"));
    assert!(!was_sent(&ben, "Active"), "it is over");
}

#[tokio::test]
async fn a_deleted_account_has_no_moods() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    for other in [&ana, &cleo] {
        ben.follows(other).await;
        shares(other, "morning", "Gaming").await;
    }
    ana.deletes_account().await;
    assert_eq!(ben.receives("users.deleted").await["user_id"], ana.id);
    assert_eq!(sees(&ben).await, [(cleo.id, json!("Gaming"), Value::Null)]);
    for table in ["moods", "mood_marks"] {
        let left = count(&server, &format!("select sum(user_id) from {table}"));
        assert_eq!(left, cleo.id, "{table}");
    }
}

#[tokio::test]
async fn c35_a_user_who_flies_back_over_the_date_line_cannot_set_the_same_date_twice() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    // It is 23:00 on the first of March in Kiritimati, and 23:00 of the day before in Honolulu.
    ana.asks("moods.set", mood("evening", "Partying", KIRITIMATI)).await;
    server.later(HOUR_MS);
    ana.asks("moods.set", mood("morning", "Excited", KIRITIMATI)).await;
    let there = reads(&ana, HONOLULU).await["mine"].clone();
    assert_eq!((&there["slot"], &there["open"]), (&json!("morning"), &json!(false)));
    assert_eq!((&there["morning"], &there["evening"]), (&Value::Null, &Value::Null));
    ana.is_refused("mood_set", "moods.set", mood("morning", "Sleepy", HONOLULU)).await;
    // Only her newest date is shown, until its own midnight.
    assert_eq!(sees(&ben).await, [(ana.id, json!("Excited"), Value::Null)]);
    // A day later Honolulu has the date that she had in Kiritimati. Its morning is set already.
    server.later(24 * HOUR_MS);
    ana.is_refused("mood_set", "moods.set", mood("morning", "Sleepy", HONOLULU)).await;
    server.later(15 * HOUR_MS);
    ana.asks("moods.set", mood("evening", "Relaxing", HONOLULU)).await;
    assert_eq!(
        sees(&ben).await,
        [(ana.id, Value::Null, json!("Relaxing"))],
        "the morning there is long over"
    );
}

#[tokio::test]
async fn c35_a_user_who_flies_ahead_over_the_date_line_has_that_day_too_but_three_moods_within_24_hours() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    // It is 10:00 on the first of March in Honolulu, and 10:00 of the next day in Kiritimati.
    server.later(11 * HOUR_MS);
    ana.asks("moods.set", mood("morning", "Cozy", HONOLULU)).await;
    ana.asks("moods.set", mood("morning", "Traveling", KIRITIMATI)).await;
    ana.is_refused("mood_set", "moods.set", mood("morning", "Happy", KIRITIMATI)).await;
    ana.is_refused("mood_set", "moods.set", mood("morning", "Happy", HONOLULU)).await;
    assert_eq!(sees(&ben).await, [(ana.id, json!("Traveling"), Value::Null)]);
    server.later(5 * HOUR_MS);
    ana.asks("moods.set", mood("evening", "Sleepy", KIRITIMATI)).await;
    // It is after midnight there, but this would be the fourth mood within a day.
    server.later(9 * HOUR_MS);
    assert_eq!(reads(&ana, KIRITIMATI).await["mine"]["open"], false);
    ana.is_refused("mood_set", "moods.set", mood("morning", "Happy", KIRITIMATI)).await;
    server.later(10 * HOUR_MS);
    ana.asks("moods.set", mood("morning", "Happy", KIRITIMATI)).await;
}

#[tokio::test]
async fn both_moods_of_a_date_end_at_the_midnight_of_their_owners_last_time_zone() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    ana.asks("moods.set", mood("morning", "Hopeful", NEPAL)).await;
    // She flies west, where the same date lasts for longer.
    server.later(7 * HOUR_MS);
    ana.asks("moods.set", mood("evening", "Loved", "UTC")).await;
    server.later(8 * HOUR_MS - 1);
    assert_eq!(sees(&ben).await, [(ana.id, json!("Hopeful"), json!("Loved"))]);
    server.later(1);
    assert_eq!(sees(&ben).await, []);
}

#[tokio::test]
async fn only_moods_of_the_grid_are_accepted() {
    let server = TestServer::with_manual_clock(&[]).await;
    let ana = server.person("Ana").await;
    for word in ["", "happy", "Furious", "<b>Happy</b>"] {
        let no = ana.is_refused("invalid", "moods.set", mood("morning", word, "UTC")).await;
        assert_eq!((no.field.as_deref(), no.message.as_str()), (Some("mood"), "There is no such mood."));
    }
    ana.is_refused("bad_request", "moods.set", mood("noon", "Happy", "UTC")).await;
    assert_eq!(count(&server, "select count(*) from mood_marks"), 0);
}

#[tokio::test]
async fn a_browser_that_does_not_know_its_zone_has_the_day_of_its_clock_or_of_the_site() {
    // It is nine o'clock in UTC.
    let server = TestServer::with_manual_clock(&["site_timezone=Asia/Tokyo"]).await;
    let ana = server.person("Ana").await;
    for zone in ["", "Etc/Unknown", "+05:30", "Mars/Base"] {
        for (offset, slot) in [(json!(330), "morning"), (json!(720), "evening"), (json!(null), "evening")] {
            let day = ana.asks("moods.today", json!({ "zone": zone, "offset_minutes": offset })).await;
            assert_eq!(day["mine"]["slot"], slot, "{zone:?} {offset}");
        }
    }
    let fields =
        json!({ "key": key(), "slot": "morning", "mood": "Cozy", "zone": "", "offset_minutes": 330 });
    let first = ana.asks("moods.set", fields.clone()).await;
    assert_eq!(ana.asks("moods.set", fields).await, first);
}

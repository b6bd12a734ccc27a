//! Quiet hours: what their user is sent in them and at their end, and that nobody else notices them.

use serde_json::{Value, json};

use crate::access::rows::SIGNED_IN;
use crate::exports::{archive_of, list};
use crate::feature::{Feature, NONE};
use crate::recorder::{HELLO, Recorder};
use crate::support::person::Person;
use crate::support::server::{MORNING_MS, TestServer};
use crate::support::value::key;
use crate::writes::{Sender, Stage};

pub const FEATURE: Feature = Feature {
    rows: &[("quiet.set", |_| hours(false, "22:00", "07:00", "UTC"), SIGNED_IN, None)],
    writes: |stage, sender| Box::pin(send_writes(stage, sender)),
    ..NONE
};

const HOUR_MS: i64 = 3_600_000;
const DAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// The fields of quiet hours on every day.
fn hours(on: bool, from: &str, to: &str, zone: &str) -> Value {
    json!({ "key": key(), "on": on, "from": from, "to": to, "days": DAYS, "zone": zone })
}

/// Switches them on and off again, because the frames of later writes are counted.
async fn send_writes(stage: &Stage<'_>, sender: &mut dyn Sender) {
    for (on, frames) in [(true, 1), (false, 1), (false, 0)] {
        let mut fields = hours(on, "22:00", "07:00", "UTC");
        fields.as_object_mut().unwrap().remove("key");
        sender.send(stage.ana, "quiet.set", frames, fields).await;
    }
}

/// Waits until a page is told that quiet hours began. Returns the account.
async fn begins(page: &Person) -> Value {
    let has_begun = |event: &Value| !event["me"]["quiet_until_ms"].is_null();
    page.socket.receives_where("account.changed", has_begun).await["me"].clone()
}

/// Waits until a page is told that quiet hours ended. Returns the account.
async fn ends(page: &Person) -> Value {
    let has_ended = |event: &Value| event["me"]["quiet_until_ms"].is_null();
    page.socket.receives_where("account.changed", has_ended).await["me"].clone()
}

/// Returns the account in `hello` of a new tab.
async fn account(who: &Person) -> Value {
    who.opens_another_tab().await.socket.hello().await["me"].clone()
}

/// Returns whether any map in this message has one of these fields with the value true.
fn says_yes(message: &Value, fields: &[&str]) -> bool {
    match message {
        Value::Array(values) => values.iter().any(|value| says_yes(value, fields)),
        Value::Object(map) => map.iter().any(|(name, value)| {
            fields.contains(&name.as_str()) && *value == json!(true) || says_yes(value, fields)
        }),
        _ => false,
    }
}

/// Returns the messages of a page, from `begun` on, that say that something is unread or waits. The user's own new
/// posts and polls do not wait.
fn that_wait(page: &Person, begun: usize) -> Vec<Value> {
    let waits = |message: &Value| match message["ev"].as_str() {
        Some("notifications.created") => true,
        Some("posts.created") => message["post"]["author_id"] != page.id,
        Some("polls.created") => message["poll"]["creator_id"] != page.id,
        _ => says_yes(message, &["has_unread", "has_reports"]),
    };
    page.socket.log().into_iter().skip(begun).filter(waits).collect()
}

#[tokio::test]
async fn d_u3_in_quiet_hours_no_frame_says_that_something_is_unread_or_waits() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ada, ben, cleo] = server.people(["Ada", "Ben", "Cleo"]).await;
    assert_eq!(server.host(&["user", "promote", &ada.email]).await.code, 0);
    ada.follows(&ben).await;
    let post_id = ada.posts("hello").await;
    let mut phone = ada.logs_in_on_phone().await;
    for page in [&ada, &phone] {
        page.opens(post_id).await;
    }
    ada.asks("quiet.set", hours(true, "10:00", "11:00", "UTC")).await;
    let cursor = phone.asks("live.probe", json!({})).await["seq"].clone();
    let earlier = ben.comments(post_id, "an hour before").await;
    ada.receives("notifications.created").await;
    assert_eq!(account(&ada).await["has_unread"], true);

    server.later(HOUR_MS);
    for page in [&ada, &phone] {
        let me = begins(page).await;
        assert_eq!(me["quiet_until_ms"], MORNING_MS + 2 * HOUR_MS);
        assert_eq!(me["has_unread"], false, "the dot goes");
    }
    let begun = [ada.socket.log().len(), phone.socket.log().len()];
    let waiting = ben.posts("a post that waits").await;
    ben.asks_poll("Tea?", &["yes", "no"]).await;
    ben.comments(post_id, &format!("in the open thread, {}", ada.mention())).await;
    cleo.follows(&ada).await;
    ben.deletes_comment(earlier).await;
    let about = json!({ "type": "post", "post_id": waiting });
    let report = json!({ "key": key(), "about": about, "reason": "spam", "details": "" });
    cleo.asks("reports.create", report).await;
    phone.posts("her own post").await;
    for page in [&ada, &phone] {
        page.sees_comment(&format!("in the open thread, {}", ada.mention())).await;
        page.sees_post("her own post").await;
    }
    assert_eq!(ada.socket.events().iter().filter(|event| event["ev"] == "notifications.deleted").count(), 1);

    // A page that is opened shows all.
    let tab = ada.opens_another_tab().await;
    assert!(tab.feed_texts().await.contains(&"a post that waits".to_owned()));
    assert_eq!(tab.reads_polls().await.len(), 1);
    let page = tab.reads_notifications().await;
    let kinds: Vec<&Value> =
        page["notifications"].as_array().unwrap().iter().map(|item| &item["kind"]).collect();
    assert_eq!(kinds, ["follow", "comment"]);
    assert_eq!(tab.asks("admin.reports", json!({})).await["reports"].as_array().unwrap().len(), 1);
    // So does one that logs in, and one that comes back from before they began is spared.
    let desk = ada.logs_in_on_phone().await;
    assert_eq!(that_wait(&phone, begun[1]), [Value::Null; 0]);
    let epoch = phone.socket.hello().await["epoch"].clone();
    phone.reconnects().await;
    let resume = json!({ "epoch": epoch, "seq": cursor, "posts": [post_id], "profiles": [ben.id] });
    assert_eq!(phone.asks("live.resume", resume).await["resync"], false);
    phone.is_up_to_date(&server).await;
    for (page, begun) in [(&ada, begun[0]), (&phone, 0), (&tab, 0), (&desk, 0)] {
        page.is_up_to_date(&server).await;
        assert_eq!(that_wait(page, begun), [Value::Null; 0]);
    }

    server.later(HOUR_MS);
    for page in [&ada, &phone, &tab, &desk] {
        let me = ends(page).await;
        assert_eq!((&me["has_unread"], &me["has_reports"]), (&json!(true), &json!(true)));
    }
    assert_eq!(ada.reads_notifications().await["has_unread"], true);
    ben.posts("the next one").await;
    ada.sees_post("the next one").await;
}

#[tokio::test]
async fn d_u3_notifications_that_were_opened_in_quiet_hours_make_no_dot_after_them() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ada, ben] = server.people(["Ada", "Ben"]).await;
    let post_id = ada.posts("hello").await;
    ada.asks("quiet.set", hours(true, "08:00", "10:00", "UTC")).await;
    begins(&ada).await;
    ben.comments(post_id, "one").await;
    let page = ada.reads_notifications().await;
    assert_eq!(page["has_unread"], false);
    assert_eq!(page["notifications"][0]["unread"], true, "she asked for the list");
    ada.sees_all().await;
    ada.receives("notifications.seen").await;
    server.later(HOUR_MS);
    assert_eq!(ends(&ada).await["has_unread"], false);
}

#[tokio::test]
async fn d_u4_when_they_are_switched_off_the_dot_is_there_at_once_and_no_later_event_is_held_back() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ada, ben] = server.people(["Ada", "Ben"]).await;
    let phone = ada.logs_in_on_phone().await;
    ada.follows(&ben).await;
    let post_id = ada.posts("hello").await;
    let saved = ada.asks("quiet.set", hours(true, "08:00", "10:00", "Europe/Berlin")).await;
    let kept = json!({ "on": true, "from": "08:00", "to": "10:00", "days": DAYS, "zone": "Europe/Berlin" });
    assert_eq!(saved["quiet_hours"], kept);
    assert!(account(&ada).await["quiet_until_ms"].is_null(), "it is ten in Berlin");
    ada.asks("quiet.set", hours(true, "08:00", "10:00", "UTC")).await;
    assert_eq!(begins(&phone).await["quiet_until_ms"], MORNING_MS + HOUR_MS);
    ben.comments(post_id, "one").await;
    ada.asks("quiet.set", hours(false, "08:00", "10:00", "UTC")).await;
    for page in [&ada, &phone] {
        let me = page
            .socket
            .receives_where("account.changed", |event| event["me"]["quiet_hours"]["on"] == false)
            .await["me"]
            .clone();
        assert_eq!((&me["has_unread"], &me["quiet_until_ms"]), (&json!(true), &Value::Null));
    }
    ben.posts("the next one").await;
    phone.sees_post("the next one").await;
}

#[tokio::test]
async fn d_u4_a_page_that_was_away_all_the_time_receives_after_them_what_they_held_back() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [mut ada, ben] = server.people(["Ada", "Ben"]).await;
    ada.follows(&ben).await;
    let post_id = ada.posts("hello").await;
    ada.asks("quiet.set", hours(true, "10:00", "11:00", "UTC")).await;
    let hello = ada.socket.hello().await;
    let cursor = ada.asks("live.probe", json!({})).await["seq"].clone();
    let tab = ada.opens_another_tab().await;
    server.later(HOUR_MS);
    begins(&tab).await;
    ben.posts("a post that waited").await;
    ben.comments(post_id, "one").await;
    server.later(HOUR_MS);
    ends(&tab).await;
    ada.reconnects().await;
    assert_eq!(ada.socket.hello().await["me"]["has_unread"], true);
    let resume = json!({ "epoch": hello["epoch"], "seq": cursor, "posts": [], "profiles": [] });
    assert_eq!(ada.asks("live.resume", resume).await["resync"], false);
    let evs: Vec<Value> = ada.socket.events().iter().map(|event| event["ev"].clone()).collect();
    assert_eq!(evs, ["posts.created", "notifications.created"]);
}

#[tokio::test]
async fn d_u2_the_servers_clock_decides_after_a_restart_too() {
    let mut server = TestServer::with_manual_clock(&[]).await;
    let [mut ada, ben] = server.people(["Ada", "Ben"]).await;
    let post_id = ada.posts("hello").await;
    ada.asks("quiet.set", hours(true, "10:00", "12:00", "UTC")).await;
    ben.comments(post_id, "one").await;
    server.stops().await;
    server.later(HOUR_MS);
    server.starts();
    ada.reconnects().await;
    let me = ada.socket.hello().await["me"].clone();
    assert_eq!(me["quiet_until_ms"], MORNING_MS + 3 * HOUR_MS);
    assert_eq!(me["has_unread"], false);
    // The clock was set back by two hours, and on again by four.
    for (hours, is_quiet) in [(-2, false), (3, true), (1, false)] {
        server.later(hours * HOUR_MS);
        match is_quiet {
            true => assert_eq!(begins(&ada).await["has_unread"], false),
            false => assert_eq!(ends(&ada).await["has_unread"], true),
        }
    }
    server.restarts().await;
    ada.reconnects().await;
    let me = ada.socket.hello().await["me"].clone();
    assert_eq!((&me["quiet_until_ms"], &me["has_unread"]), (&Value::Null, &json!(true)));
}

#[tokio::test]
async fn d_u4_others_learn_nothing_of_them() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ada, ben, cleo] = server.people(["Ada", "Ben", "Cleo"]).await;
    for who in [&ben, &cleo] {
        who.follows(&ada).await;
    }
    // Who hides their numbers takes them from others, who read again. The turn of quiet hours is no such change.
    ada.asks("account.set_privacy", json!({ "key": key(), "hide_numbers": true })).await;
    let post_id = ada.posts("hello").await;
    let looks = async || {
        let (profile, post) = (ben.visits(&ada).await, ben.opens(post_id).await);
        let comment_id = ben.comments(post_id, "one").await;
        ben.deletes_comment(comment_id).await;
        (profile, post)
    };
    let before = looks().await;
    for who in [&ben, &cleo] {
        who.is_up_to_date(&server).await;
    }
    ada.asks("quiet.set", hours(true, "10:00", "11:00", "UTC")).await;
    let mut away = ben.logs_in_on_phone().await;
    let epoch = away.socket.hello().await["epoch"].clone();
    let cursor = away.asks("live.probe", json!({})).await["seq"].clone();
    server.later(HOUR_MS);
    begins(&ada).await;
    away.reconnects().await;
    let resume = json!({ "epoch": epoch, "seq": cursor, "posts": [post_id], "profiles": [ada.id] });
    assert_eq!(away.asks("live.resume", resume).await["resync"], false);
    cleo.receives_only(&server, &[]).await;
    ben.receives_only(&server, &[]).await;
    assert_eq!(looks().await, before);
    ben.is_up_to_date(&server).await;
    server.later(HOUR_MS);
    ends(&ada).await;
    ben.receives_only(&server, &[]).await;
    cleo.receives_only(&server, &[]).await;
}

#[tokio::test]
async fn the_same_times_and_no_day_are_refused_and_an_unknown_zone_is_that_of_the_site() {
    let server = TestServer::with_manual_clock(&["site_timezone=Europe/Kyiv"]).await;
    let ada = server.person("Ada").await;
    let no = ada.is_refused("invalid", "quiet.set", hours(true, "22:00", "22:00", "UTC")).await;
    assert_eq!((no.message.as_str(), no.field.as_deref()), ("Choose two different times.", Some("to")));
    let mut fields = hours(true, "22:00", "07:00", "UTC");
    fields["days"] = json!([]);
    let no = ada.is_refused("invalid", "quiet.set", fields).await;
    assert_eq!((no.message.as_str(), no.field.as_deref()), ("Choose at least one day.", Some("days")));
    for (name, odd) in [("from", "7:00"), ("to", ""), ("days", "monday")] {
        let mut fields = hours(true, "22:00", "07:00", "UTC");
        fields[name] = json!(odd);
        ada.is_refused("bad_request", "quiet.set", fields).await;
    }
    let mut fields = hours(true, "22:00", "07:00", "UTC");
    fields["days"] = json!(["someday"]);
    ada.is_refused("bad_request", "quiet.set", fields).await;
    assert!(account(&ada).await["quiet_hours"].is_null());
    let saved = ada.asks("quiet.set", hours(true, "22:00", "07:00", "Mars/Base")).await;
    assert_eq!(saved["quiet_hours"]["zone"], "Europe/Kyiv");
}

#[tokio::test]
async fn d_u4_the_archive_has_them_and_they_go_with_the_account() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ada, ben] = server.people(["Ada", "Ben"]).await;
    let mut fields = hours(true, "08:00", "10:00", "Europe/Berlin");
    fields["days"] = json!(["sunday", "monday"]);
    ada.asks("quiet.set", fields).await;
    let profile = &list(&archive_of(&ada).await, "profile.json")[0];
    let kept = json!({ "on": true, "from": "08:00", "to": "10:00", "days": ["Monday", "Sunday"],
        "zone": "Europe/Berlin" });
    assert_eq!(profile["quiet_hours"], kept);
    assert_eq!(list(&archive_of(&ben).await, "profile.json")[0]["quiet_hours"], Value::Null);
    ada.asks("quiet.set", hours(true, "10:00", "11:00", "UTC")).await;
    ben.asks("quiet.set", hours(true, "10:00", "11:00", "UTC")).await;
    ada.deletes_account().await;
    for _ in 0..2 {
        server.later(HOUR_MS);
        begins(&ben).await;
        server.later(23 * HOUR_MS);
        ends(&ben).await;
    }
    let left: i64 = server
        .look()
        .query_row("select count(*) from users where quiet_on = 1", [], |row| row.get(0))
        .unwrap();
    assert_eq!(left, 1);
}

#[tokio::test]
async fn tape_quiet_hours_began() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.comments(ana.posts("hello").await, "one").await;
    Recorder::new(&server, &ana)
        .reading(HELLO, json!({}))
        .records("quiet_hours_began", &["account.changed"], async || {
            ana.asks("quiet.set", hours(true, "08:00", "10:00", "UTC")).await;
        })
        .await;
}

#[tokio::test]
async fn tape_quiet_hours_ended() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ana.asks("quiet.set", hours(true, "08:00", "10:00", "UTC")).await;
    ben.comments(ana.posts("hello").await, "one").await;
    Recorder::new(&server, &ana)
        .reading(HELLO, json!({}))
        .records("quiet_hours_ended", &["account.changed"], async || {
            server.later(HOUR_MS);
            let has_ended = |message: &Value| {
                message["ev"] == "account.changed" && message["me"]["quiet_until_ms"].is_null()
            };
            while ana.socket.peek(|state| state.log.iter().find(|one| has_ended(one)).cloned()).is_none() {
                ana.socket.changes_or_ends().await;
            }
        })
        .await;
}

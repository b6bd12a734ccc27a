//! Polls: who sees them, one final vote, and their end. Tallies have stories of their own.

pub mod access;
mod tapes;

use serde_json::{Value, json};

use crate::audiences::{WORD, of, shared};
use crate::support::person::{PASSWORD, poll};
use crate::support::server::{MORNING_MS, TestServer};
use crate::support::value::{contains, key, pack};
use crate::writes::{Sender, Stage};

const WEEK_MS: i64 = 168 * 60 * 60 * 1000;

pub(super) fn vote(poll_id: i64, option: u8) -> Value {
    json!({ "key": key(), "poll_id": poll_id, "option": option })
}

#[tokio::test]
async fn an_invalid_poll_is_refused_with_the_specified_sentence() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let long = "a".repeat(41);
    let odd = "This has characters that can't be shown. Your words are kept.";
    for (question, options, field, message) in [
        (" ", vec!["a", "b"], "question", "Please enter a question"),
        (&"?".repeat(141), vec!["a", "b"], "question", "Question must be 140 characters or less"),
        ("a\u{202E}b", vec!["a", "b"], "question", odd),
        ("Tea?", vec!["yes", " ", "YES"], "options", "Please provide at least 2 options"),
        ("Tea?", vec!["a", "b", "c", "d", "e"], "options", "A poll has at most 4 options."),
        ("Tea?", vec!["a", &long], "options", "Each option must be 40 characters or less"),
        ("Tea?", vec!["a", "b\u{2066}b"], "options", odd),
    ] {
        let no = ana.is_refused("invalid", "polls.create", poll(question, &options)).await;
        assert_eq!((no.field.as_deref(), no.message.as_str()), (Some(field), message));
    }
    for audience in [json!(null), json!({ "type": "group" }), json!("public")] {
        let mut fields = poll("Tea?", &["a", "b"]);
        fields["audience"] = audience;
        ana.is_refused("bad_request", "polls.create", fields).await;
    }
    assert!(ana.reads_polls().await.is_empty());
}

#[tokio::test]
async fn anas_poll_reaches_ben_who_follows_her_and_no_byte_reaches_cleo() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let tab = ana.opens_another_tab().await;
    ben.follows(&ana).await;
    cleo.follows(&ben).await;
    for who in [&ana, &tab, &ben, &cleo] {
        who.is_up_to_date(&server).await;
    }

    let fields = poll("  Quetzal  or tea? ", &[" Quetzal", "tea", "", "QUETZAL", "both 🌿"]);
    let ok = ana.asks("polls.create", fields).await;
    let poll_id = ok["poll"]["id"].as_i64().unwrap();
    let plain = json!({
        "id": poll_id, "creator_id": ana.id, "question": "Quetzal or tea?",
        "options": ["Quetzal", "tea", "both 🌿"], "audience": { "type": "public" },
        "created_at_ms": MORNING_MS, "closes_at_ms": MORNING_MS + WEEK_MS,
    });
    let mut view = plain.clone();
    (view["choice"], view["tally"]) = (Value::Null, Value::Null);
    assert_eq!(ok, json!({ "poll": view, "users": [ana.named()], "groups": [], "seq": ok["seq"] }));
    for who in [&ana, &tab, &ben] {
        let event = who.receives_only(&server, &["polls.created"]).await.remove(0);
        assert_eq!(
            event,
            json!({ "ev": "polls.created", "poll": plain, "users": [ana.named()], "groups": [], "seq": ok["seq"] })
        );
    }
    let listed = ben.asks("polls.list", json!({})).await;
    let seq = &listed["seq"];
    assert_eq!(
        listed,
        json!({ "polls": [view], "users": [ana.named()], "groups": [], "older": null, "seq": seq })
    );

    ben.chooses(poll_id, 0).await;
    ana.chooses(poll_id, 2).await;
    assert!(cleo.reads_polls().await.is_empty());
    let voters = json!({ "poll_id": poll_id, "option": 0, "after": null });
    cleo.is_refused("not_found", "polls.voters", voters).await;
    cleo.is_refused("not_found", "polls.vote", vote(poll_id, 0)).await;
    cleo.is_refused("not_found", "polls.vote", vote(poll_id, 77)).await;
    cleo.is_refused("not_found", "polls.delete", json!({ "key": key(), "poll_id": poll_id })).await;
    ana.asks("polls.delete", json!({ "key": key(), "poll_id": poll_id })).await;
    cleo.receives_nothing(&server).await;
    let id = pack(&json!(poll_id));
    for bytes in cleo.socket.bytes() {
        assert!(!contains(&bytes, &id) && !contains(&bytes, b"uetzal"));
    }
}

#[tokio::test]
async fn c34_ben_votes_on_the_phone_and_the_laptop_shows_it() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    let phone = ben.logs_in_on_phone().await;
    let poll_id = ana.asks_poll("Tea?", &["yes", "no"]).await;
    for who in [&ana, &ben, &phone] {
        assert_eq!(who.reads_polls().await[0]["choice"], Value::Null);
        who.is_up_to_date(&server).await;
    }

    let ok = phone.chooses(poll_id, 1).await;
    assert_eq!(ok, json!({ "poll_id": poll_id, "choice": 1, "tally": [0, 1], "seq": ok["seq"] }));
    for who in [&ben, &phone] {
        // The tally with this vote is the first one they receive.
        let event = who.receives_only(&server, &["polls.voted", "polls.counted"]).await.remove(0);
        let seq = &event["seq"];
        assert_eq!(
            event,
            json!({ "ev": "polls.voted", "poll_id": poll_id, "choice": 1, "tally": [0, 1], "seq": seq })
        );
        let shown = &who.reads_polls().await[0];
        assert_eq!((&shown["choice"], &shown["tally"]), (&json!(1), &json!([0, 1])));
    }
    ana.receives_nothing(&server).await;
    // A vote is final, on every device and for every option. Each device receives the next tallies.
    for (who, option) in [(&ben, 1), (&phone, 0)] {
        let no = who.is_refused("poll_voted", "polls.vote", vote(poll_id, option)).await;
        assert_eq!(
            (no.message.as_str(), no.retry_ms),
            ("You've voted in this poll. A vote stays as it is.", None)
        );
    }
    ana.chooses(poll_id, 0).await;
    for who in [&ben, &phone, &ana] {
        who.sees_tally(poll_id, &json!([1, 1])).await;
    }
}

#[tokio::test]
async fn lv9_a_poll_closes_at_seven_days_to_the_millisecond_and_keeps_its_votes() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    for who in [&ben, &cleo] {
        who.follows(&ana).await;
    }
    let poll_id = ana.asks_poll("Tea?", &["yes", "no"]).await;
    ben.chooses(poll_id, 0).await;
    server.later(WEEK_MS - 1);
    assert_eq!(cleo.reads_polls().await.len(), 1);
    ana.chooses(poll_id, 1).await;
    server.later(1);
    for who in [&ana, &ben, &cleo] {
        assert!(who.reads_polls().await.is_empty());
        let no = who.is_refused("poll_closed", "polls.vote", vote(poll_id, 0)).await;
        assert_eq!((no.message.as_str(), no.retry_ms), ("This poll has closed.", None));
    }
    // The poll may still be on screen. Users who voted may read its voters.
    assert_eq!(ana.reads_voters(poll_id, 0).await, [ben.named()]);
    let fields = json!({ "poll_id": poll_id, "option": 0, "after": null });
    cleo.is_refused("not_found", "polls.voters", fields).await;
    assert_eq!(server.count("select count(*) from ballots"), 2);
}

#[tokio::test]
async fn a_deleted_poll_disappears_for_everybody_and_no_longer_counts() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    for who in [&ben, &cleo] {
        who.follows(&ana).await;
    }
    let mut polls = Vec::new();
    for number in 0..5 {
        polls.push(ana.asks_poll(&format!("question {number}"), &["yes", "no"]).await);
    }
    let full = ana.is_refused("invalid", "polls.create", poll("one more?", &["yes", "no"])).await;
    assert_eq!(full.message, "Five open polls are as many as one person has at a time.");
    ben.chooses(polls[2], 0).await;
    cleo.unfollows(&ana).await;
    for who in [&ana, &ben, &cleo] {
        who.is_up_to_date(&server).await;
    }
    ben.is_refused("not_found", "polls.delete", json!({ "key": key(), "poll_id": polls[2] })).await;

    ana.asks("polls.delete", json!({ "key": key(), "poll_id": polls[2] })).await;
    for who in [&ana, &ben] {
        let event = who.receives_only(&server, &["polls.deleted"]).await.remove(0);
        assert_eq!(event, json!({ "ev": "polls.deleted", "poll_id": polls[2], "seq": event["seq"] }));
        who.is_refused("not_found", "polls.vote", vote(polls[2], 0)).await;
    }
    cleo.receives_nothing(&server).await;
    let ids: Vec<i64> = ben.reads_polls().await.iter().map(|poll| poll["id"].as_i64().unwrap()).collect();
    assert_eq!(ids, [polls[4], polls[3], polls[1], polls[0]]);
    assert_eq!(server.count("select count(*) from ballots"), 0);
    ana.asks_poll("one more?", &["yes", "no"]).await;
}

#[tokio::test]
async fn open_polls_are_newest_first_in_pages_of_twenty() {
    let server = TestServer::new().await;
    let ben = server.person("Ben").await;
    let mut ids = Vec::new();
    for name in ["Ana", "Cleo", "Dora", "Emil", "Fay"] {
        let creator = server.person(name).await;
        ben.follows(&creator).await;
        for number in 0..5 {
            ids.insert(0, creator.asks_poll(&format!("question {number}"), &["yes", "no"]).await);
        }
    }
    let first = ben.asks("polls.list", json!({})).await;
    let second = ben.asks("polls.list", json!({ "before": first["older"] })).await;
    let found: Vec<i64> = [&first, &second]
        .iter()
        .flat_map(|page| page["polls"].as_array().unwrap())
        .map(|poll| poll["id"].as_i64().unwrap())
        .collect();
    assert_eq!((found, &second["older"]), (ids, &Value::Null));
    assert_eq!(first["polls"].as_array().unwrap().len(), 20);
    assert_eq!(second["users"].as_array().unwrap().len(), 1, "of this page alone");
}

#[tokio::test]
async fn r5_a_key_creates_one_poll_and_counts_one_vote_also_after_a_restart() {
    let mut server = TestServer::new().await;
    let [mut ana, mut ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    let asked = poll("Tea?", &["yes", "no"]);
    let first = ana.asks("polls.create", asked.clone()).await;
    let poll_id = first["poll"]["id"].as_i64().unwrap();
    let chosen = vote(poll_id, 1);
    let voted = ben.asks("polls.vote", chosen.clone()).await;
    for _ in 0..20 {
        assert_eq!(ana.asks("polls.create", asked.clone()).await, first);
        assert_eq!(ben.asks("polls.vote", chosen.clone()).await, voted);
    }
    server.restarts().await;
    ana.reconnects().await;
    ben.reconnects().await;
    assert_eq!(ana.asks("polls.create", asked.clone()).await, first);
    assert_eq!(ben.asks("polls.vote", chosen.clone()).await, voted);
    let mut other = chosen.clone();
    other["option"] = json!(0);
    ben.is_refused("key_conflict", "polls.vote", other).await;
    let mut other = asked.clone();
    other["options"] = json!(["yes", "no", "perhaps"]);
    ana.is_refused("key_conflict", "polls.create", other).await;
    assert_eq!(server.count("select count(*) from polls"), 1);
    assert_eq!(server.count("select count(*) from ballots"), 1);

    // A client that reconnected reads the list, and receives the events that follow.
    let shown = &ben.reads_polls().await[0];
    assert_eq!((&shown["choice"], &shown["tally"]), (&json!(1), &json!([0, 1])));
    ben.is_refused("poll_voted", "polls.vote", vote(poll_id, 0)).await;
    ana.chooses(poll_id, 0).await;
    ben.sees_tally(poll_id, &json!([1, 1])).await;
}

#[tokio::test]
async fn polls_have_a_rate_limit() {
    let server = TestServer::with_manual_clock(&["polls_per_day=2"]).await;
    let ana = server.person("Ana").await;
    ana.is_refused("invalid", "polls.create", poll("", &[])).await;
    for number in 0..2 {
        ana.asks_poll(&format!("question {number}"), &["yes", "no"]).await;
    }
    let fields = poll("one more?", &["yes", "no"]);
    let no = ana.is_refused("slow_down", "polls.create", fields.clone()).await;
    assert_eq!(no.retry_ms, Some(12 * 3_600_000));
    server.later(12 * 3_600_000);
    ana.asks("polls.create", fields).await;
}

#[tokio::test]
async fn a_new_viewer_of_a_socket_gets_no_replies_of_the_former() {
    let server = TestServer::with(&["workers=1"]).await;
    let [ana, ben, dan] = server.people(["Ana", "Ben", "Dan"]).await;
    ben.follows(&ana).await;
    let poll_id = ana.asks_poll("Tea?", &["yes", "no"]).await;
    ben.chooses(poll_id, 0).await;
    let tab = ben.opens_another_tab().await;
    let log_in = tab.socket.sends("auth.log_in", json!({ "email": dan.email, "password": PASSWORD })).await;
    let mut lists = Vec::new();
    for _ in 0..24 {
        lists.push(tab.socket.sends("polls.list", json!({ "before": null })).await);
    }
    assert_eq!(tab.socket.reply_to(log_in).await.unwrap()["me"]["id"], dan.id);
    for list in lists {
        let _ = tab.socket.reply_to(list).await;
    }
    let log = tab.socket.log();
    let at = log.iter().position(|message| message["re"] == log_in).unwrap();
    let has_tally = |message: &Value| message["ok"]["polls"][0]["tally"].is_array();
    assert!(!log[at..].iter().any(has_tally), "what Ben asked is not for Dan");
    ana.chooses(poll_id, 1).await;
    ben.sees_tally(poll_id, &json!([1, 1])).await;
    tab.is_up_to_date(&server).await;
    assert!(!tab.socket.log()[at..].iter().any(|message| message["ev"] == "polls.counted"));
}

#[tokio::test]
async fn a_groups_poll_is_visible_to_all_its_members_and_to_nobody_else() {
    let server = TestServer::new().await;
    let [ana, ben, cleo, dora] = server.people(["Ana", "Ben", "Cleo", "Dora"]).await;
    let group_id = ana.makes_group_with("Close friends", &[&ben, &dora]).await;
    cleo.follows(&ben).await;
    for who in [&ana, &ben, &cleo, &dora] {
        who.is_up_to_date(&server).await;
    }
    let before = cleo.messages();
    let asked = poll(&format!("A {WORD}?"), &["yes", "no"]);
    let ok = ben.asks("polls.create", shared(asked, &of(group_id))).await;
    let poll_id = ok["poll"]["id"].as_i64().unwrap();
    let named = json!([{ "id": group_id, "name": "Close friends", "owner_id": ana.id }]);
    assert_eq!((&ok["poll"]["audience"], &ok["groups"]), (&of(group_id), &named));
    for who in [&ana, &dora] {
        assert_eq!(who.receives("polls.created").await["groups"], named);
        let listed = who.asks("polls.list", json!({})).await;
        assert_eq!((&listed["polls"][0]["id"], &listed["groups"]), (&json!(poll_id), &named));
    }
    ana.chooses(poll_id, 0).await;
    dora.chooses(poll_id, 1).await;
    let both = |event: &Value| event["tally"] == json!([1, 1]);
    ana.socket.receives_where("polls.counted", both).await;

    ana.removes(group_id, &dora).await;
    dora.receives("groups.left").await;
    let after = dora.messages();
    ben.chooses(poll_id, 1).await;
    let three = |event: &Value| event["tally"] == json!([1, 2]);
    ana.socket.receives_where("polls.counted", three).await;
    for who in [&cleo, &dora] {
        assert!(who.reads_polls().await.is_empty());
        let fields = json!({ "poll_id": poll_id, "option": 0, "after": null });
        who.is_refused("not_found", "polls.voters", fields).await;
        let fields = json!({ "key": key(), "poll_id": poll_id, "option": 0 });
        who.is_refused("not_found", "polls.vote", fields).await;
    }

    // The creator leaves the group. The others still see the poll, and the creator can still delete it.
    ben.leaves_group(group_id).await;
    assert!(ben.reads_polls().await.is_empty());
    assert_eq!(ana.reads_polls().await.len(), 1);
    ben.is_refused("not_found", "polls.voters", json!({ "poll_id": poll_id, "option": 0, "after": null }))
        .await;
    ben.asks("polls.delete", json!({ "key": key(), "poll_id": poll_id })).await;
    ana.receives("polls.deleted").await;
    cleo.receives_nothing(&server).await;
    cleo.received_nothing_of(&[poll_id, group_id], before);
    dora.is_up_to_date(&server).await;
    dora.received_nothing_of(&[poll_id, group_id], after);
}

/// Creates a poll and deletes it.
pub async fn send_writes(stage: &Stage<'_>, sender: &mut dyn Sender) {
    let made = sender.send(stage.ana, "polls.create", 3, poll("Tea?", &["yes", "no"])).await;
    sender.send(stage.ana, "polls.delete", 3, json!({ "poll_id": made["poll"]["id"] })).await;
}

//! Polls: one final vote, and who sees the tally.

use serde_json::{Value, json};

use crate::support::person::{PASSWORD, Person, poll};
use crate::support::server::{MORNING_MS, TestServer};
use crate::support::socket::State;
use crate::support::value::{key, pack};

const WEEK_MS: i64 = 168 * 60 * 60 * 1000;

fn vote(poll_id: i64, option: u8) -> Value {
    json!({ "key": key(), "poll_id": poll_id, "option": option })
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

impl Person {
    /// Waits until the tally of a poll is this one.
    async fn sees_tally(&self, poll_id: i64, tally: &Value) {
        let is_it = |event: &Value| event["poll_id"] == poll_id && event["tally"] == *tally;
        self.socket.receives_where("polls.counted", is_it).await;
    }

    /// Who chose this, on one page.
    async fn reads_voters(&self, poll_id: i64, option: u8) -> Vec<Value> {
        let page =
            self.asks("polls.voters", json!({ "poll_id": poll_id, "option": option, "after": null })).await;
        assert_eq!(page["more"], Value::Null);
        page["users"].as_array().unwrap().clone()
    }

    /// All tallies that this person's socket ever had of a poll, in any message.
    fn tallies(&self, poll_id: i64) -> Vec<Value> {
        fn find(value: &Value, poll_id: i64, found: &mut Vec<Value>) {
            match value {
                Value::Object(map) => {
                    let id = map.get("poll_id").or(map.get("id")).and_then(Value::as_i64);
                    if let (Some(tally), true) = (map.get("tally"), id == Some(poll_id)) {
                        found.extend((!tally.is_null()).then(|| tally.clone()));
                    }
                    map.values().for_each(|value| find(value, poll_id, found));
                }
                Value::Array(values) => values.iter().for_each(|value| find(value, poll_id, found)),
                _ => {}
            }
        }
        let mut found = Vec::new();
        self.socket.log().iter().for_each(|message| find(message, poll_id, &mut found));
        found
    }
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
        ("Tea?", vec!["a", "b\u{2066}"], "options", odd),
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
    ana.deletes_poll(poll_id).await;
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
async fn d_f3_nobody_learns_the_total_before_voting_not_even_the_creator() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    for who in [&ben, &cleo] {
        who.follows(&ana).await;
    }
    let poll_id = ana.asks_poll("Tea?", &["yes", "no"]).await;
    ben.reads_polls().await;
    ben.chooses(poll_id, 0).await;
    let fields = json!({ "poll_id": poll_id, "option": 0, "after": null });
    for who in [&ana, &cleo] {
        let shown = &who.reads_polls().await[0];
        assert_eq!((&shown["choice"], &shown["tally"]), (&Value::Null, &Value::Null));
        who.is_refused("not_found", "polls.voters", fields.clone()).await;
        who.is_up_to_date(&server).await;
        assert!(who.tallies(poll_id).is_empty(), "{} learned a tally", who.name);
    }
    // And then she votes herself.
    ana.chooses(poll_id, 1).await;
    let shown = &ana.reads_polls().await[0];
    assert_eq!((&shown["choice"], &shown["tally"]), (&json!(1), &json!([1, 1])));
    assert_eq!(ana.reads_voters(poll_id, 0).await, [ben.named()]);
    ben.sees_tally(poll_id, &json!([1, 1])).await;
    assert!(cleo.tallies(poll_id).is_empty());
    for bytes in ana.socket.bytes().iter().chain(&ben.socket.bytes()) {
        assert!(!contains(bytes, b"percent") && !contains(bytes, b"total"));
    }
}

#[tokio::test]
async fn d_f4_a_crowd_of_forty_votes_at_once_and_tallies_are_true_and_few() {
    let server = TestServer::with(&["workers=1"]).await;
    let ana = server.person("Ana").await;
    let poll_id = ana.asks_poll("Tea?", &["yes", "no", "perhaps"]).await;
    ana.chooses(poll_id, 2).await;
    ana.is_up_to_date(&server).await;
    let mut crowd: Vec<Person> = Vec::new();
    for number in 0..40 {
        let voter = server.person(&format!("voter {number}")).await;
        voter.follows(&ana).await;
        crowd.push(voter);
    }
    let begun = std::time::Instant::now();
    let votes = crowd.iter().zip(0_u8..).map(|(voter, number)| voter.chooses(poll_id, number % 2));
    let answers = futures_util::future::join_all(votes).await;
    for ok in &answers {
        let tally: i64 = ok["tally"].as_array().unwrap().iter().map(|votes| votes.as_i64().unwrap()).sum();
        assert!((2..=41).contains(&tally), "{ok}");
    }
    let full = json!([20, 20, 1]);
    ana.sees_tally(poll_id, &full).await;
    let halves = usize::try_from(begun.elapsed().as_millis() / 500).unwrap();
    let is_tally = |event: &&Value| event["ev"] == "polls.counted";
    let delivered = ana.socket.events().iter().filter(is_tally).count();
    // One more for her own vote.
    assert!(delivered <= 3 + halves, "two a second, not one by one: {delivered}");
    for voter in &crowd {
        voter.sees_tally(poll_id, &full).await;
    }
    for option in 0..2 {
        assert_eq!(ana.reads_voters(poll_id, option).await.len(), 20);
    }
    let counted = "select sum(votes_count) from poll_options";
    assert_eq!(server.count(counted), server.count("select count(*) from ballots"));
}

#[tokio::test]
async fn users_who_voted_read_the_voters_in_pages() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let poll_id = ana.asks_poll("Tea?", &["yes", "no"]).await;
    let mut ids = Vec::new();
    for number in 0..51 {
        let voter = server.person(&format!("voter {number}")).await;
        voter.follows(&ana).await;
        voter.chooses(poll_id, 1).await;
        ids.push(voter.id);
    }
    ana.chooses(poll_id, 0).await;
    let first = ana.asks("polls.voters", json!({ "poll_id": poll_id, "option": 1 })).await;
    let second =
        ana.asks("polls.voters", json!({ "poll_id": poll_id, "option": 1, "after": first["more"] })).await;
    assert_eq!((first["users"].as_array().unwrap().len(), &second["more"]), (50, &Value::Null));
    let found: Vec<i64> = [&first, &second]
        .iter()
        .flat_map(|page| page["users"].as_array().unwrap())
        .map(|user| user["id"].as_i64().unwrap())
        .collect();
    assert_eq!(found, ids);
    assert_eq!(ana.reads_voters(poll_id, 0).await, [ana.named()]);
    for option in [2, 255] {
        let fields = json!({ "poll_id": poll_id, "option": option });
        ana.is_refused("bad_request", "polls.voters", fields).await;
    }
    for option in [json!(256), json!(-1), json!(0.5), json!("0"), Value::Null] {
        let fields = json!({ "key": key(), "poll_id": poll_id, "option": option });
        ana.is_refused("bad_request", "polls.vote", fields).await;
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
async fn d_f12_unfollowing_stops_tallies_at_once_and_the_vote_stays() {
    let server = TestServer::with(&["workers=1"]).await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let phone = ben.logs_in_on_phone().await;
    for who in [&ben, &cleo] {
        who.follows(&ana).await;
    }
    let poll_id = ana.asks_poll("Tea?", &["yes", "no"]).await;
    ben.chooses(poll_id, 0).await;
    for who in [&ben, &phone] {
        who.reads_polls().await;
        who.is_up_to_date(&server).await;
    }
    // Several votes at once, so that a tally is held back while he unfollows.
    let voters = server.people(["Dora", "Emil"]).await;
    for who in &voters {
        who.follows(&ana).await;
        who.chooses(poll_id, 1).await;
    }
    phone.unfollows(&ana).await;
    cleo.chooses(poll_id, 1).await;
    cleo.sees_tally(poll_id, &json!([1, 3])).await;
    ana.chooses(poll_id, 0).await;
    cleo.sees_tally(poll_id, &json!([2, 3])).await;
    for who in [&ben, &phone] {
        let log = who.is_up_to_date(&server).await;
        let at = log.iter().position(|event| event["ev"] == "follows.changed").unwrap();
        assert!(log[at + 1..].iter().all(|event| event["ev"] != "polls.counted"), "{log:?}");
        assert!(who.reads_polls().await.is_empty());
        let fields = json!({ "poll_id": poll_id, "option": 0, "after": null });
        who.is_refused("not_found", "polls.voters", fields).await;
        who.is_refused("not_found", "polls.vote", vote(poll_id, 1)).await;
    }
    assert_eq!(server.count("select count(*) from ballots where position = 0"), 2);

    // If he follows her again, he sees the poll and his vote again.
    ben.follows(&ana).await;
    let shown = &ben.reads_polls().await[0];
    assert_eq!((&shown["choice"], &shown["tally"]), (&json!(0), &json!([2, 3])));
    let fay = server.person("Fay").await;
    fay.follows(&ana).await;
    fay.chooses(poll_id, 1).await;
    ben.sees_tally(poll_id, &json!([2, 4])).await;
    phone.is_up_to_date(&server).await;
    assert!(!phone.tallies(poll_id).contains(&json!([2, 4])), "it has not read it since");
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

    ana.deletes_poll(polls[2]).await;
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
async fn a_repeated_vote_has_no_tally_if_the_poll_is_no_longer_visible() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    let poll_id = ana.asks_poll("Tea?", &["yes", "no"]).await;
    let fields = vote(poll_id, 1);
    let voted = ben.asks("polls.vote", fields.clone()).await;
    assert_eq!(voted["tally"], json!([0, 1]));
    let mut without_tally = voted.clone();
    without_tally["tally"] = Value::Null;
    ben.unfollows(&ana).await;
    assert_eq!(ben.asks("polls.vote", fields.clone()).await, without_tally);
    ben.follows(&ana).await;
    assert_eq!(ben.asks("polls.vote", fields.clone()).await, voted);

    // A deleted account leaves no id among the keys of others.
    ana.asks("account.delete", json!({ "password": PASSWORD })).await;
    assert_eq!(ben.asks("polls.vote", fields).await, without_tally);
    assert_eq!(server.count("select count(*) from keys where followed_id is not null"), 0);
}

#[tokio::test]
async fn a_deleted_account_is_in_no_tally_and_has_no_polls() {
    let server = TestServer::new().await;
    let [ana, ben, zora] = server.people(["Ana", "Ben", "Zora"]).await;
    for (who, whom) in [(&ben, &ana), (&zora, &ana), (&ben, &zora)] {
        who.follows(whom).await;
    }
    let poll_id = ana.asks_poll("Tea?", &["yes", "no"]).await;
    let hers = zora.asks_poll("Quetzal?", &["yes", "no"]).await;
    for who in [&ana, &ben, &zora] {
        who.chooses(poll_id, 0).await;
    }
    ben.chooses(hers, 0).await;
    ben.sees_tally(hers, &json!([1, 0])).await;

    zora.leaves_for_good().await;
    for who in [&ana, &ben] {
        let log = |state: &mut State| {
            let at = state.log.iter().position(|message| message["ev"] == "users.deleted")?;
            let is_it = |event: &&Value| event["ev"] == "polls.counted" && event["tally"] == json!([2, 0]);
            state.log[at + 1..].iter().find(is_it).map(drop)
        };
        who.socket.waits("the tally without her", log).await;
        let shown = who.reads_polls().await;
        assert_eq!((shown.len(), &shown[0]["tally"]), (1, &json!([2, 0])));
        assert_eq!(who.reads_voters(poll_id, 0).await, [ana.named(), ben.named()]);
        who.is_refused("not_found", "polls.vote", vote(hers, 0)).await;
    }
    assert_eq!(server.count("select count(*) from polls"), 1);
}

#[tokio::test]
async fn a_client_that_leaves_a_poll_receives_no_more_of_it() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    let poll_id = ana.asks_poll("Tea?", &["yes", "no"]).await;
    ben.chooses(poll_id, 0).await;
    let tab = ben.opens_another_tab().await;
    tab.reads_polls().await;
    ben.asks("live.leave", json!({ "posts": [], "profiles": [], "polls": [poll_id] })).await;
    tab.asks("live.leave", json!({ "posts": [], "profiles": [] })).await;
    ben.is_up_to_date(&server).await;
    ana.chooses(poll_id, 1).await;
    tab.sees_tally(poll_id, &json!([1, 1])).await;
    ben.receives_nothing(&server).await;
    ben.reads_polls().await;
    let cleo = server.person("Cleo").await;
    cleo.follows(&ana).await;
    cleo.chooses(poll_id, 1).await;
    ben.sees_tally(poll_id, &json!([1, 2])).await;
}

#[tokio::test]
async fn who_comes_back_reads_the_tallies_of_polls_they_voted_in_and_hears_them_again() {
    let server = TestServer::new().await;
    let [ana, mut ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    for who in [&ben, &cleo] {
        who.follows(&ana).await;
    }
    let tea = ana.asks_poll("Tea?", &["yes", "no"]).await;
    let walk = ana.asks_poll("A walk?", &["yes", "no"]).await;
    let hello = ben.socket.hello().await;
    let phone = ben.logs_in_on_phone().await;
    let cursor = server.publishes_marker().await;
    ben.is_up_to_date(&server).await;
    phone.chooses(tea, 0).await;
    ana.chooses(tea, 1).await;
    ana.chooses(walk, 1).await;
    ben.reconnects().await;
    let fields = json!({ "epoch": hello["epoch"], "seq": cursor, "posts": [], "profiles": [] });
    assert_eq!(ben.asks("live.resume", fields).await["resync"], false);
    // The vote on the phone is replayed.
    assert_eq!(ben.receives("polls.voted").await["poll_id"], tea);
    let both = json!({ "poll_ids": [tea, walk, 7] });
    let ok = ben.asks("polls.tallies", both.clone()).await;
    assert_eq!(ok["tallies"], json!([{ "poll_id": tea, "tally": [1, 1] }]), "not of the one without a vote");
    assert_eq!(cleo.asks("polls.tallies", both.clone()).await["tallies"], json!([]));
    cleo.chooses(tea, 1).await;
    ben.sees_tally(tea, &json!([1, 2])).await;

    // Without the right to the poll there is no tally, and no subscription.
    ben.unfollows(&ana).await;
    assert_eq!(ben.asks("polls.tallies", both).await["tallies"], json!([]));
    let too_many = json!({ "poll_ids": (0..101).collect::<Vec<i64>>() });
    ben.is_refused("bad_request", "polls.tallies", too_many).await;
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
    assert_eq!(tab.socket.answer_to(log_in).await.unwrap()["me"]["id"], dan.id);
    for list in lists {
        let _ = tab.socket.answer_to(list).await;
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

//! Tallies of polls: who sees them, and when.

use serde_json::{Value, json};

use super::polls::vote;
use crate::support::person::{PASSWORD, Person};
use crate::support::server::TestServer;
use crate::support::socket::State;
use crate::support::value::{contains, key};

impl Person {
    /// Waits until the tally of a poll is this one.
    pub(super) async fn sees_tally(&self, poll_id: i64, tally: &Value) {
        let is_it = |event: &Value| event["poll_id"] == poll_id && event["tally"] == *tally;
        self.socket.receives_where("polls.counted", is_it).await;
    }

    /// Returns one page of the users who chose an option.
    pub(super) async fn reads_voters(&self, poll_id: i64, option: u8) -> Vec<Value> {
        let page =
            self.asks("polls.voters", json!({ "poll_id": poll_id, "option": option, "after": null })).await;
        assert_eq!(page["more"], Value::Null);
        page["users"].as_array().unwrap().clone()
    }

    /// Returns all tallies of a poll that this user's socket received, in any message.
    pub(super) fn tallies(&self, poll_id: i64) -> Vec<Value> {
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
    // Then she votes herself.
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
async fn d_f4_forty_users_vote_at_once_and_tallies_are_correct_and_few() {
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
    let replies = futures_util::future::join_all(votes).await;
    for ok in &replies {
        let tally: i64 = ok["tally"].as_array().unwrap().iter().map(|votes| votes.as_i64().unwrap()).sum();
        assert!((2..=41).contains(&tally), "{ok}");
    }
    let full = json!([20, 20, 1]);
    ana.sees_tally(poll_id, &full).await;
    let halves = usize::try_from(begun.elapsed().as_millis() / 500).unwrap();
    let is_tally = |event: &&Value| event["ev"] == "polls.counted";
    let delivered = ana.socket.events().iter().filter(is_tally).count();
    // One more tally is for her own vote.
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
    // Several users vote at once, so that a tally is delayed while he unfollows.
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

    // The stored replies of others have no id of the deleted account.
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

    zora.deletes_account().await;
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
async fn a_client_that_unsubscribes_from_a_poll_receives_no_more_of_it() {
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
async fn a_user_who_reconnects_reads_the_tallies_of_their_votes_and_receives_them_again() {
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

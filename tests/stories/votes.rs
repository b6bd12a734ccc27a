//! Votes: none, yes, no; who learns what.

use serde_json::{Value, json};

use crate::world::person::Person;
use crate::world::server::World;
use crate::world::value::key;

/// Returns positive and negative votes as they are kept and as they are counted.
fn kept(world: &World, post_id: i64) -> (i64, i64) {
    let database = world.look();
    let number = |sql: &str| database.query_row(sql, [post_id], |row| row.get::<_, i64>(0)).unwrap();
    let counted = (
        number("select positive_count from posts where id = ?1"),
        number("select negative_count from posts where id = ?1"),
    );
    let rows = (
        number("select count(*) from votes where post_id = ?1 and vote = 1"),
        number("select count(*) from votes where post_id = ?1 and vote = -1"),
    );
    assert_eq!(counted, rows, "counts are what is counted");
    rows
}

#[tokio::test]
async fn every_vote_follows_every_other_and_the_last_one_stands() {
    let world = World::new().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let post_id = ana.posts("hello").await;
    let all = ["none", "positive", "negative"];
    for from in all {
        for to in all {
            ben.votes(post_id, from).await;
            let ok = ben.votes(post_id, to).await;
            assert_eq!(ok, json!({ "post_id": post_id, "vote": to, "seq": ok["seq"] }));
            assert_eq!(ben.opens(post_id).await["vote"], to, "{from} then {to}");
            let expected = (i64::from(to == "positive"), i64::from(to == "negative"));
            assert_eq!(kept(&world, post_id), expected, "{from} then {to}");
        }
    }
}

#[tokio::test]
async fn ben_votes_and_all_his_tabs_know_at_once_and_nobody_else_hears_how() {
    let world = World::new().await;
    let [ana, ben, cleo] = world.people(["Ana", "Ben", "Cleo"]).await;
    let (tab, phone) = (ben.opens_another_tab().await, ben.takes_the_phone().await);
    let post_id = ana.posts("hello").await;
    for who in [&ben, &tab, &cleo] {
        who.opens(post_id).await;
    }
    ana.is_up_to_date(&world).await;

    ben.votes(post_id, "positive").await;

    for who in [&ben, &tab, &phone] {
        let event = who.hears("votes.changed").await;
        assert_eq!(
            event,
            json!({ "ev": "votes.changed", "post_id": post_id, "vote": "positive", "seq": event["seq"] })
        );
        who.hears_nothing(&world).await;
    }
    let counted = ana.hears("votes.counted").await;
    assert_eq!(
        counted,
        json!({ "ev": "votes.counted", "post_id": post_id, "positive_count": 1, "seq": counted["seq"] })
    );
    ana.hears_nothing(&world).await;
    cleo.hears_nothing(&world).await;
}

#[tokio::test]
async fn a_no_is_told_to_nobody_but_who_said_it() {
    let world = World::new().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let post_id = ana.posts("hello").await;
    ana.is_up_to_date(&world).await;

    ben.votes(post_id, "negative").await;
    ben.votes(post_id, "none").await;
    ben.votes(post_id, "negative").await;
    ana.hears_nothing(&world).await;
    // A later yes is the first thing that she hears of.
    ben.votes(post_id, "positive").await;
    let counted = ana.hears_only(&world, &["votes.counted"]).await;
    assert_eq!(counted[0]["positive_count"], 1);
    let told: Vec<Value> = ben.socket.events().iter().map(|event| event["vote"].clone()).collect();
    assert_eq!(told, ["negative", "none", "negative", "positive"]);
}

#[tokio::test]
async fn the_same_vote_twice_changes_nothing_and_tells_the_author_nothing() {
    let world = World::new().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let post_id = ana.posts("hello").await;
    ben.votes(post_id, "positive").await;
    ana.hears("votes.counted").await;
    ben.votes(post_id, "positive").await;
    ana.hears_nothing(&world).await;
    assert_eq!(kept(&world, post_id), (1, 0));
}

#[tokio::test]
async fn ana_may_vote_on_her_own_post_and_is_counted() {
    let world = World::new().await;
    let ana = world.person("Ana").await;
    let post_id = ana.posts("hello").await;
    ana.is_up_to_date(&world).await;
    ana.votes(post_id, "positive").await;
    ana.hears("votes.changed").await;
    assert_eq!(ana.hears("votes.counted").await["positive_count"], 1);
}

#[tokio::test]
async fn a_burst_of_votes_is_told_at_once_and_then_only_its_newest_count() {
    let world = World::with(&["workers=1"]).await;
    let ana = world.person("Ana").await;
    let post_id = ana.posts("hello").await;
    let mut voters: Vec<Person> = Vec::new();
    for number in 0..30 {
        voters.push(world.person(&format!("voter {number}")).await);
    }
    ana.is_up_to_date(&world).await;

    let begun = std::time::Instant::now();
    voters[0].votes(post_id, "positive").await;
    let mut counts = vec![ana.hears("votes.counted").await["positive_count"].as_i64().unwrap()];
    assert_eq!(counts, [1], "the first is told at once");

    // One after the other, so that each is a commit of its own.
    for voter in &voters[1..] {
        voter.votes(post_id, "positive").await;
    }
    while counts.last() != Some(&30) {
        counts.push(ana.hears("votes.counted").await["positive_count"].as_i64().unwrap());
    }
    assert!(counts.is_sorted(), "{counts:?}");
    let quarters = usize::try_from(begun.elapsed().as_millis() / 250).unwrap();
    assert!(counts.len() <= 2 + quarters, "four a second, not one by one: {counts:?}");
    ana.hears_nothing(&world).await;
}

#[tokio::test]
async fn a_vote_on_a_post_that_is_gone_is_accepted_and_does_nothing() {
    let world = World::new().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let post_id = ana.posts("hello").await;
    ana.deletes(post_id).await;
    for gone in [post_id, 7] {
        let ok = ben.votes(gone, "positive").await;
        assert_eq!((ok["post_id"].as_i64(), &ok["vote"]), (Some(gone), &json!("none")));
    }
    ben.hears_nothing(&world).await;
    let rows: i64 = world.look().query_row("select count(*) from votes", [], |row| row.get(0)).unwrap();
    assert_eq!(rows, 0);
}

#[tokio::test]
async fn a_vote_that_is_no_vote_is_a_bad_request() {
    let world = World::new().await;
    let ana = world.person("Ana").await;
    let post_id = ana.posts("hello").await;
    for vote in [json!("maybe"), json!(1), Value::Null, json!("Positive"), json!({})] {
        let fields = json!({ "key": key(), "post_id": post_id, "vote": vote });
        ana.is_refused("bad_request", "votes.set", fields).await;
    }
}

#[tokio::test]
async fn votes_have_a_pace() {
    let world = World::told(&["votes_per_minute=3"]).await;
    let ana = world.person("Ana").await;
    let post_id = ana.posts("hello").await;
    for vote in ["positive", "negative", "none"] {
        ana.votes(post_id, vote).await;
    }
    let fields = json!({ "key": key(), "post_id": post_id, "vote": "positive" });
    let no = ana.is_refused("slow_down", "votes.set", fields.clone()).await;
    assert_eq!(no.retry_ms, Some(20_000));
    assert_eq!(ana.opens(post_id).await["vote"], "none");
    world.later(20_000);
    ana.asks("votes.set", fields).await;
}

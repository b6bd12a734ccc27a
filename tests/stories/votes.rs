//! Votes: none, positive, negative; who may vote, and who receives what.

use serde_json::{Value, json};

use crate::access::delivered::Watch;
use crate::access::rows::Then::{NoVote, Yes};
use crate::access::rows::{SIGNED_IN, members};
use crate::feature::{Feature, NONE};
use crate::recorder::Recorder;
use crate::support::person::Person;
use crate::support::server::TestServer;
use crate::support::value::key;
use crate::writes::{Sender, Stage};

pub const FEATURE: Feature = Feature {
    rows: &[(
        "votes.set",
        |things| json!({ "key": key(), "post_id": things.post, "vote": "positive" }),
        SIGNED_IN,
        Some(NoVote),
    )],
    of_group: &[(
        "votes.set",
        |things| json!({ "key": key(), "post_id": things.shared.post, "vote": "positive" }),
        members(Yes, NoVote),
        Some(NoVote),
    )],
    delivered: &[("votes.changed", &["doer", "doer's tab"]), ("votes.counted", &["author", "author's tab"])],
    in_group: &[("votes.changed", &["member"]), ("votes.counted", &["author", "author's tab"])],
    play: |watch| Box::pin(play(watch)),
    play_in_group: |watch| Box::pin(play_in_group(watch)),
    writes: |stage, sender| Box::pin(send_writes(stage, sender)),
    ..NONE
};

async fn play(watch: &Watch<'_>) {
    watch.sees("vote", watch.person("doer").votes(watch.post_id, "positive")).await;
}

async fn play_in_group(watch: &Watch<'_>) {
    watch.sees("vote", watch.person("member").votes(watch.post_id, "positive")).await;
}

/// Sends votes. To an uninvolved user every kind of vote looks the same, and so does one on a post that does not exist.
async fn send_writes(stage: &Stage<'_>, sender: &mut dyn Sender) {
    for (id, vote, frames) in [
        (stage.post_id, "positive", 1),
        (stage.post_id, "negative", 1),
        (stage.post_id, "negative", 1),
        (stage.post_id, "none", 1),
        (stage.post_id, "negative", 1),
        (7, "negative", 0),
        (7, "positive", 0),
    ] {
        sender.send(stage.ben, "votes.set", frames, json!({ "post_id": id, "vote": vote })).await;
    }
}

/// Returns the positive and negative votes of a post, and checks that the stored counts equal the votes.
fn kept(server: &TestServer, post_id: i64) -> (i64, i64) {
    let database = server.look();
    let number = |sql: &str| database.query_row(sql, [post_id], |row| row.get::<_, i64>(0)).unwrap();
    let counted = (
        number("select positive_count from posts where id = ?1"),
        number("select negative_count from posts where id = ?1"),
    );
    let rows = (
        number("select count(*) from votes where post_id = ?1 and vote = 1"),
        number("select count(*) from votes where post_id = ?1 and vote = -1"),
    );
    assert_eq!(counted, rows, "stored counts agree with the votes");
    rows
}

#[tokio::test]
async fn the_last_of_any_two_votes_counts() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let post_id = ana.posts("hello").await;
    let all = ["none", "positive", "negative"];
    for from in all {
        for to in all {
            ben.votes(post_id, from).await;
            let ok = ben.votes(post_id, to).await;
            assert_eq!(ok, json!({ "post_id": post_id, "vote": to, "seq": ok["seq"] }));
            assert_eq!(ben.opens(post_id).await["vote"], to, "{from} then {to}");
            let expected = (i64::from(to == "positive"), i64::from(to == "negative"));
            assert_eq!(kept(&server, post_id), expected, "{from} then {to}");
        }
    }
}

#[tokio::test]
async fn bens_vote_reaches_all_his_tabs_and_no_one_else() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let (tab, phone) = (ben.opens_another_tab().await, ben.logs_in_on_phone().await);
    let post_id = ana.posts("hello").await;
    for who in [&ben, &tab, &cleo] {
        who.opens(post_id).await;
    }
    ana.is_up_to_date(&server).await;

    ben.votes(post_id, "positive").await;

    for who in [&ben, &tab, &phone] {
        let event = who.receives("votes.changed").await;
        assert_eq!(
            event,
            json!({ "ev": "votes.changed", "post_id": post_id, "vote": "positive", "seq": event["seq"] })
        );
        who.receives_nothing(&server).await;
    }
    let counted = ana.receives("votes.counted").await;
    assert_eq!(
        counted,
        json!({ "ev": "votes.counted", "post_id": post_id, "positive_count": 1, "seq": counted["seq"] })
    );
    ana.receives_nothing(&server).await;
    cleo.receives_nothing(&server).await;
}

#[tokio::test]
async fn a_negative_vote_reaches_only_its_voter() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let post_id = ana.posts("hello").await;
    ana.is_up_to_date(&server).await;

    ben.votes(post_id, "negative").await;
    ben.votes(post_id, "none").await;
    ben.votes(post_id, "negative").await;
    ana.receives_nothing(&server).await;
    // A later positive vote is the first event that she receives.
    ben.votes(post_id, "positive").await;
    let counted = ana.receives_only(&server, &["votes.counted"]).await;
    assert_eq!(counted[0]["positive_count"], 1);
    let delivered: Vec<Value> = ben.socket.events().iter().map(|event| event["vote"].clone()).collect();
    assert_eq!(delivered, ["negative", "none", "negative", "positive"]);
}

#[tokio::test]
async fn a_repeated_vote_changes_nothing_and_publishes_nothing() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let post_id = ana.posts("hello").await;
    ben.votes(post_id, "positive").await;
    ana.receives("votes.counted").await;
    ben.votes(post_id, "positive").await;
    ana.receives_nothing(&server).await;
    assert_eq!(kept(&server, post_id), (1, 0));
}

#[tokio::test]
async fn ana_may_vote_on_her_own_post_and_is_counted() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let post_id = ana.posts("hello").await;
    ana.is_up_to_date(&server).await;
    ana.votes(post_id, "positive").await;
    ana.receives("votes.changed").await;
    assert_eq!(ana.receives("votes.counted").await["positive_count"], 1);
}

#[tokio::test]
async fn the_first_count_of_a_burst_is_delivered_at_once_and_then_only_the_newest() {
    let server = TestServer::with(&["workers=1"]).await;
    let ana = server.person("Ana").await;
    let post_id = ana.posts("hello").await;
    let mut voters: Vec<Person> = Vec::new();
    for number in 0..30 {
        voters.push(server.person(&format!("voter {number}")).await);
    }
    ana.is_up_to_date(&server).await;

    let begun = std::time::Instant::now();
    voters[0].votes(post_id, "positive").await;
    let mut counts = vec![ana.receives("votes.counted").await["positive_count"].as_i64().unwrap()];
    assert_eq!(counts, [1], "the first is delivered at once");

    // The votes are sent one after the other, so that each has its own commit.
    for voter in &voters[1..] {
        voter.votes(post_id, "positive").await;
    }
    while counts.last() != Some(&30) {
        counts.push(ana.receives("votes.counted").await["positive_count"].as_i64().unwrap());
    }
    assert!(counts.is_sorted(), "{counts:?}");
    let quarters = usize::try_from(begun.elapsed().as_millis() / 250).unwrap();
    assert!(counts.len() <= 2 + quarters, "four a second, not one by one: {counts:?}");
    ana.receives_nothing(&server).await;
}

#[tokio::test]
async fn a_vote_on_a_deleted_post_is_accepted_and_does_nothing() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let post_id = ana.posts("hello").await;
    ana.deletes(post_id).await;
    for gone in [post_id, 7] {
        let ok = ben.votes(gone, "positive").await;
        assert_eq!((ok["post_id"].as_i64(), &ok["vote"]), (Some(gone), &json!("none")));
    }
    ben.receives_nothing(&server).await;
    let rows: i64 = server.look().query_row("select count(*) from votes", [], |row| row.get(0)).unwrap();
    assert_eq!(rows, 0);
}

#[tokio::test]
async fn a_vote_on_a_post_that_was_deleted_since_is_not_replayed() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let (gone, stays) = (ana.posts("goes").await, ana.posts("stays").await);
    let before = ben.asks("live.probe", json!({})).await["seq"].clone();
    for post_id in [gone, stays] {
        ben.votes(post_id, "positive").await;
    }
    ana.deletes(gone).await;
    let tab = ben.opens_another_tab().await;
    let epoch = tab.socket.hello().await["epoch"].clone();
    let resume = json!({ "epoch": epoch, "seq": before, "posts": [], "profiles": [] });
    assert_eq!(tab.asks("live.resume", resume).await["resync"], false);
    let votes: Vec<Value> = tab.socket.events().iter().map(|event| event["post_id"].clone()).collect();
    assert_eq!(votes, [stays]);
}

#[tokio::test]
async fn an_unknown_vote_is_a_bad_request() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let post_id = ana.posts("hello").await;
    for vote in [json!("maybe"), json!(1), Value::Null, json!("Positive"), json!({})] {
        let fields = json!({ "key": key(), "post_id": post_id, "vote": vote });
        ana.is_refused("bad_request", "votes.set", fields).await;
    }
}

#[tokio::test]
async fn votes_have_a_rate_limit() {
    let server = TestServer::with_manual_clock(&["votes_per_minute=3"]).await;
    let ana = server.person("Ana").await;
    let post_id = ana.posts("hello").await;
    for vote in ["positive", "negative", "none"] {
        ana.votes(post_id, vote).await;
    }
    let fields = json!({ "key": key(), "post_id": post_id, "vote": "positive" });
    let no = ana.is_refused("slow_down", "votes.set", fields.clone()).await;
    assert_eq!(no.retry_ms, Some(20_000));
    assert_eq!(ana.opens(post_id).await["vote"], "none");
    server.later(20_000);
    ana.asks("votes.set", fields).await;
}

fn feed() -> Value {
    json!({ "tag": null, "before": null })
}

#[tokio::test]
async fn tape_vote_set_and_cleared() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let tab = ben.opens_another_tab().await;
    ben.follows(&ana).await;
    let (set, cleared) = (ana.posts("set").await, ana.posts("cleared").await);
    ben.votes(cleared, "negative").await;
    let received = ["votes.changed"; 3];
    Recorder::new(&server, &tab)
        .reading("posts.feed", feed())
        .records("vote_set_and_cleared", &received, async || {
            ben.votes(set, "negative").await;
            ben.votes(set, "positive").await;
            ben.votes(cleared, "none").await;
        })
        .await;
}

#[tokio::test]
async fn tape_votes_counted_for_the_author() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let (first, second) = (ana.posts("first").await, ana.posts("second").await);
    Recorder::new(&server, &ana)
        .reading("posts.by_author", json!({ "user_id": ana.id, "before": null }))
        .records("votes_counted_for_the_author", &["votes.counted", "votes.counted"], async || {
            ben.votes(first, "positive").await;
            cleo.votes(second, "positive").await;
            cleo.votes(first, "negative").await;
        })
        .await;
}

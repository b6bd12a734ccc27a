//! A home and its fronts as processes, joined by a real broker: `nats-server`, which `scripts/nats` installs.
//!
//! On a busy machine a lease may end at any time, or a request stay without an answer. Its sockets are then closed, and
//! pages come back and miss nothing, which every story allows. A story that says that no socket closes asks the fronts
//! whether they had a reason.
//!
//! `MELLOW_REMOVALS=20 cargo test --test cluster removal -- --test-threads=1` removes 20 people while a front is kept
//! from its home, and says how long that took. `MELLOW_WORDS=200` writes 200 times what nobody may read at the broker.
#![expect(clippy::unwrap_used, reason = "a failed step ends the test")]

mod support;

#[path = "cluster/page.rs"]
mod page;
#[path = "cluster/processes.rs"]
mod processes;
#[path = "cluster/recorder.rs"]
mod recorder;
#[path = "cluster/wire.rs"]
mod wire;

use std::net::SocketAddr;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use page::Page;
use processes::{Broker, Cluster, Running};
use recorder::Recorder;
use serde_json::json;
use support::child::program;
use support::groups::post_for;
use support::http;
use support::person::{PASSWORD, Person, poll, post_with, profile};
use support::port::Port;
use support::socket::Socket;
use support::value::{contains, key};
use support::{TIMEOUT, wait_until};
use wire::Wire;

/// The longest wait of a removal for a front that is kept from its home: its lease, and a little more.
const REMOVAL_MAX: Duration = Duration::from_millis(5_500);

/// Returns the number that a variable says, or else the usual one.
fn many(name: &str, usual: usize) -> usize {
    std::env::var(name).ok().and_then(|number| number.parse().ok()).unwrap_or(usual)
}

/// Fails if a page came back although its front had no reason to close a socket.
async fn came_back_for_a_reason(fronts: &[Running; 2], pages: [&Page; 2]) {
    for (front, page) in fronts.iter().zip(pages) {
        if front.reasons_to_close().await == 0 {
            assert_eq!(page.returns, 0, "the socket of {} was closed", page.person.name);
        }
    }
}

#[tokio::test]
async fn a_post_at_one_front_is_seen_at_the_other() {
    let broker = Broker::starts().await;
    let cluster = Cluster::new(&broker);
    let (home, fronts, [mut ana, mut ben]) = cluster.with_people().await;
    ana.posts("over two fronts").await;
    ben.sees_post("over two fronts").await;
    for (front, path, status) in [(0, "/healthz", 200), (0, "/", 404), (1, "/media/x", 404)] {
        assert_eq!(http::ask(fronts[front].at, "GET", path, &[], "").await.status, status, "{path}");
    }
    home.has_fronts(2).await;
    if ana.returns == 0 {
        assert_eq!(http::metric(fronts[0].at, "mellow_sockets").await, 1);
    }
    came_back_for_a_reason(&fronts, [&ana, &ben]).await;
}

#[tokio::test]
async fn a_broker_that_is_killed_and_starts_again_closes_no_socket() {
    let mut broker = Broker::starts().await;
    let cluster = Cluster::new(&broker);
    let (_home, fronts, [mut ana, mut ben]) = cluster.with_people().await;
    for number in 0..3 {
        let words = format!("before {number}");
        ana.posts(&words).await;
        ben.sees_post(&words).await;
        broker.is_killed_and_starts(&fronts).await;
        let words = format!("after {number}");
        ana.posts(&words).await;
        ben.sees_post(&words).await;
    }
    came_back_for_a_reason(&fronts, [&ana, &ben]).await;
}

#[tokio::test]
async fn a_home_that_is_restarted_closes_no_socket_and_its_fronts_wait() {
    let broker = Broker::starts().await;
    let cluster = Cluster::new(&broker);
    let (mut home, fronts, [mut ana, mut ben]) = cluster.with_people().await;
    ana.posts("before").await;
    ben.sees_post("before").await;
    home.signal("TERM");
    let (posted, home) = tokio::join!(ana.posts("meanwhile"), async {
        assert!(home.ends().await);
        cluster.home().await
    });
    assert!(posted > 0);
    ben.sees_post("meanwhile").await;
    came_back_for_a_reason(&fronts, [&ana, &ben]).await;
    home.has_fronts(2).await;
}

#[tokio::test]
async fn a_home_that_is_killed_loses_nothing_that_it_acknowledged() {
    let broker = Broker::starts().await;
    let cluster = Cluster::new(&broker);
    let (mut home, fronts, [mut ana, mut ben]) = cluster.with_people().await;
    ana.posts("acknowledged").await;
    home.signal("KILL");
    home.ends().await;
    let home = cluster.home().await;
    assert_eq!(ben.feed_texts().await, ["acknowledged"]);
    ben.sees_post("acknowledged").await;
    ana.posts("after").await;
    ben.sees_post("after").await;
    came_back_for_a_reason(&fronts, [&ana, &ben]).await;
    home.has_fronts(2).await;
}

/// How a front is kept from its home.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    /// The process is stopped.
    Stopped,
    /// The process runs, and the broker cannot be reached.
    Parted,
}

/// Ben is removed from a group while his front is kept from its home. The removal is acknowledged when the home no
/// longer counts the front, and Ben is told no word of the group after that.
async fn a_removal_waits_for_a_front_that_is(kept: Kept) {
    let broker = Broker::starts().await;
    let wire = Wire::to(broker.at()).await;
    let mut cluster = Cluster::new(&broker);
    cluster.broker_of_fronts[1] = wire.at;
    let (home, fronts, [mut ana, mut ben]) = cluster.with_people().await;
    let group_id = ana.makes_group("Tea").await;
    let mut longest = Duration::ZERO;
    for number in 0..many("MELLOW_REMOVALS", 1) {
        ana.adds(group_id, &ben).await;
        let words = format!("for the group {number}");
        ana.publishes(post_for(group_id, &words)).await;
        ben.sees_post(&words).await;

        let lost = fronts[0].leases_lost().await;
        match kept {
            Kept::Stopped => fronts[1].signal("STOP"),
            Kept::Parted => wire.parts(),
        }
        let begun = Instant::now();
        ana.removes(group_id, &ben).await;
        let waited = begun.elapsed();
        let counted = http::metric(home.at, "mellow_fronts").await;
        // A front that lost its lease is counted by another name, and by the name of before for a time.
        if fronts[0].leases_lost().await == lost {
            assert_eq!(counted, 1, "after {waited:?} Ben's front is still counted");
            longest = longest.max(waited);
        }
        let words = format!("without Ben {number}");
        ana.publishes(post_for(group_id, &words)).await;
        ana.sees_post(&words).await;
        if kept == Kept::Stopped {
            fronts[1].signal("CONT");
        }
        assert_eq!(ben.person.socket.close_code().await, 1012);
        assert!(!ben.has_heard(&words), "{words}");
        wire.mends();
        fronts[1].serves().await;
        ben.comes_back().await;
        assert!(!ben.has_heard(&words), "{words}");
    }
    println!("a removal took {longest:?} at most");
    if std::env::var_os("MELLOW_REMOVALS").is_some() {
        assert!(longest <= REMOVAL_MAX, "a removal took {longest:?}");
    }
}

#[tokio::test]
async fn a_removal_waits_for_a_front_that_is_stopped_until_its_lease_is_over() {
    a_removal_waits_for_a_front_that_is(Kept::Stopped).await;
}

#[tokio::test]
async fn a_removal_waits_for_a_front_that_is_parted_from_the_broker_until_its_lease_is_over() {
    a_removal_waits_for_a_front_that_is(Kept::Parted).await;
}

#[tokio::test]
async fn a_front_that_is_killed_is_left_for_the_other_one_without_a_gap() {
    let broker = Broker::starts().await;
    let cluster = Cluster::new(&broker);
    let (_home, fronts, [mut ana, mut ben]) = cluster.with_people().await;
    ana.posts("one").await;
    ben.sees_post("one").await;
    fronts[1].signal("KILL");
    ana.posts("two").await;
    ben.person.at = fronts[0].at;
    ben.comes_back().await;
    ben.sees_post("two").await;
    assert_eq!(ben.feed_texts().await, ["two", "one"]);
    ana.posts("three").await;
    ben.sees_post("three").await;
}

#[tokio::test]
async fn a_front_with_another_key_and_a_second_home_do_not_start() {
    let broker = Broker::starts().await;
    let cluster = Cluster::new(&broker);
    let mut home = cluster.home().await;
    assert!(cluster.makes_key("other.key").status.success());
    let again = cluster.makes_key("other.key");
    assert!(!again.status.success(), "a key is not overwritten");
    let says = |output: Output| String::from_utf8(output.stderr).unwrap();
    let run = async |mut command: Command| {
        tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap()
    };
    let mut front = program(cluster.folder.path());
    front.args(["front", "--cluster", &format!("nats://{}", broker.at()), "--cluster-key-file"]);
    front.arg(cluster.path("other.key"));
    let why = says(run(front).await);
    assert!(why.contains("another key"), "{why}");

    // It hears the first one. On a machine that is too busy for that, the first one ends.
    let port = Port::reserve();
    let mut second = cluster.home_command(port.at, "other data", broker.at());
    let mut second = Running { at: port.at, process: second.stdout(Stdio::null()).spawn().unwrap() };
    wait_until("one of them ends", || {
        let ended = [&mut second, &mut home].map(|one| one.process.try_wait().unwrap());
        ended.into_iter().flatten().any(|status| !status.success())
    })
    .await;

    let mut without_key = program(cluster.folder.path());
    without_key.args(["front", "--cluster", &format!("nats://{}", broker.at())]);
    let why = says(run(without_key).await);
    assert!(why.contains("cluster_key_file"), "{why}");
}

#[tokio::test]
async fn of_two_homes_the_older_one_ends_when_it_hears_the_newer_one() {
    let broker = Broker::starts().await;
    let wire = Wire::to(broker.at()).await;
    let mut cluster = Cluster::new(&broker);
    cluster.broker_of_home = wire.at;
    let (mut older, fronts, [mut ana, _ben]) = cluster.with_people().await;
    ana.posts("of the older home").await;
    wire.parts();
    for front in &fronts {
        front.misses_its_home().await;
    }
    let port = Port::reserve();
    let newer = Running::starts(cluster.home_command(port.at, "other data", broker.at())).await;
    // It has another history, so no socket of the older one stays.
    assert_eq!(ana.person.socket.close_code().await, 1012);
    newer.has_fronts(2).await;
    for front in &fronts {
        front.serves().await;
    }
    let cleo = Person::signs_up(newer.at, "Cleo").await;
    let mut cleo = Page::opens(cleo, fronts[0].at).await;
    cleo.posts("of the newer home").await;
    wire.mends();
    assert!(!older.ends().await, "it says why");
    cleo.posts("and on").await;
    cleo.sees_post("and on").await;
    assert_eq!(cleo.feed_texts().await, ["and on", "of the newer home"]);
    newer.has_fronts(2).await;
}

/// Logs in with the password, as a guest at a front.
async fn logs_in(front: SocketAddr, email: &str) {
    let (fields, begun) = (json!({ "email": email, "password": PASSWORD }), Instant::now());
    loop {
        if let Ok(guest) = Socket::try_open(front, None).await
            && let Some(Ok(_)) = guest.asks_until_the_end("auth.log_in", fields.clone()).await
        {
            return;
        }
        assert!(begun.elapsed() < TIMEOUT, "the front takes no guest");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn whoever_listens_at_the_broker_reads_no_word() {
    let broker = Broker::starts().await;
    let mut recorder = Recorder::starts(broker.at()).await;
    let cluster = Cluster::new(&broker);
    let (_home, fronts, [mut ana, mut ben]) = cluster.with_people().await;
    let group_id = ana.makes_group("canary group").await;
    ana.adds(group_id, &ben).await;
    ana.asks("polls.create", poll("canary question", &["canary yes", "canary no"])).await;
    for number in 0..many("MELLOW_WORDS", 3) {
        logs_in(fronts[0].at, &ana.person.email).await;
        ana.asks("profiles.update", profile("canary name", "canary bio")).await;
        let text = format!("canary post {number}");
        let post_id = ana.publishes(post_with(Some("canary title"), &text, None)).await;
        ben.sees_post(&text).await;
        let comment = json!({
            "key": key(), "post_id": post_id, "text": "canary comment", "audience": { "type": "public" },
        });
        ben.asks("comments.create", comment).await;
        let text = format!("canary of a group {number}");
        ana.publishes(post_for(group_id, &text)).await;
        ben.sees_post(&text).await;

        let heard = recorder.hears().await;
        let has = |words: &str| contains(&heard, words.as_bytes());
        assert!(has("MSG mellow.log "), "the events went over the broker");
        for words in ["canary", "people.example.org", PASSWORD, ana.person.cookie.as_str()] {
            assert!(!has(words), "{words:?} is readable at the broker");
        }
    }
}

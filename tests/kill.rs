//! R1: every acknowledged write survives a sudden end. LV3: a client that reads nothing affects no other client.
//!
//! `SEED=7 cargo test --test kill` repeats a run.
#![expect(clippy::unwrap_used, reason = "a failed step ends the test")]

mod support;

#[path = "kill/backups.rs"]
mod backups;
#[path = "kill/damage.rs"]
mod damage;
#[path = "kill/faults.rs"]
mod faults;
#[path = "kill/full_disk.rs"]
mod full_disk;
#[path = "kill/imports.rs"]
mod imports;
#[path = "kill/pictures.rs"]
mod pictures;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use mellow::seeded_random::SeededRandom;
use serde_json::{Value, json};
use support::child::Child;
use support::http;
use support::person::{Person, post, texts};
use support::raw::{self, Raw};
use support::socket::{Refused, Socket};
use support::value::{key_of, unpack};
use tokio::sync::Semaphore;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

const ROUNDS: u64 = 20;
/// The least number of acknowledged writes that prove something.
const WRITES_MIN: usize = 500;
const WRITERS: u64 = 8;

/// Returns the random numbers of this run. The seed is `SEED` or a new one, and is printed.
fn random_of_this_run() -> SeededRandom {
    let seed = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or_else(|| {
        u64::from(std::process::id()) * 2_654_435_761 + u64::from(Instant::now().elapsed().subsec_nanos())
    });
    println!("SEED={seed}");
    SeededRandom::new(seed, 0)
}

/// The requests of one writer, and their replies.
#[derive(Default)]
struct Journal {
    /// Each request with its key, and with its reply if there was one.
    requests: Vec<Request>,
}

struct Request {
    op: &'static str,
    fields: Value,
    reply: Option<Value>,
}

/// Posts that are known to exist. Every writer may use them.
#[derive(Default)]
struct Known {
    posts: Vec<i64>,
    people: Vec<i64>,
}

fn next(number: u64, random: &mut SeededRandom, known: &Known, me: i64) -> (&'static str, Value) {
    let key = key_of(u128::from(number) | (1 << 100));
    let post_id = known.posts[random.below(known.posts.len())];
    match random.below(10) {
        0..=2 => {
            let mut fields = post(&format!("post {number}"));
            fields["key"] = key;
            ("posts.create", fields)
        }
        3..=5 => (
            "comments.create",
            json!({ "key": key, "post_id": post_id, "text": format!("comment {number}"), "audience": { "type": "public" } }),
        ),
        6..=8 => {
            let vote = ["none", "positive", "negative"][random.below(3)];
            ("votes.set", json!({ "key": key, "post_id": post_id, "vote": vote }))
        }
        _ => {
            let others: Vec<i64> = known.people.iter().copied().filter(|id| *id != me).collect();
            let user_id = others[random.below(others.len())];
            ("follows.set", json!({ "key": key, "user_id": user_id, "following": random.below(2) == 0 }))
        }
    }
}

/// Sends four writes at a time until the connection ends.
async fn writes(
    person: &Person,
    number: &mut u64,
    mut random: SeededRandom,
    known: &Known,
    journal: &mut Journal,
) {
    while person.socket.is_open() {
        let mut on_the_way = Vec::new();
        for _ in 0..4 {
            *number += WRITERS;
            let (op, fields) = next(*number, &mut random, known, person.id);
            let id = person.socket.sends(op, fields.clone()).await;
            journal.requests.push(Request { op, fields, reply: None });
            on_the_way.push((id, journal.requests.len() - 1));
        }
        for (id, at) in on_the_way {
            match reply_or_end(&person.socket, id).await {
                Some(Ok(ok)) => journal.requests[at].reply = Some(ok),
                Some(Err(no)) => panic!("{} was refused: {no:?}", journal.requests[at].op),
                None => return,
            }
        }
    }
}

/// Waits for a reply. Returns None if the connection ends first.
async fn reply_or_end(socket: &Socket, id: u32) -> Option<Result<Value, Refused>> {
    loop {
        if let Some(reply) = socket.peek(|state| state.reply_to(id)) {
            return Some(match reply.get("err") {
                Some(err) => Err(Refused::read(err)),
                None => Ok(reply["ok"].clone()),
            });
        }
        if !socket.is_open() {
            return None;
        }
        socket.changes_or_ends().await;
    }
}

/// Compares the database with the journals.
fn compare(folder: &Path, journals: &[Journal], people: &[i64]) -> usize {
    // Works on a copy, so that the server itself recovers its database.
    let copy = tempfile::tempdir().unwrap();
    for name in ["mellow.db", "mellow.db-wal"] {
        if folder.join(name).exists() {
            std::fs::copy(folder.join(name), copy.path().join(name)).unwrap();
        }
    }
    let database = rusqlite::Connection::open(copy.path().join("mellow.db")).unwrap();
    let check: String = database.query_row("pragma integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(check, "ok");
    let strays =
        database.prepare("pragma foreign_key_check").unwrap().query_map([], |_| Ok(())).unwrap().count();
    assert_eq!(strays, 0, "rows that refer to nothing");
    let number = |sql: &str| database.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    for wrong in [
        "select count(*) from posts p where comments_count <> (select count(*) from comments where post_id = p.id)",
        "select count(*) from posts p
          where positive_count <> (select count(*) from votes where post_id = p.id and vote = 1)",
        "select count(*) from posts p
          where negative_count <> (select count(*) from votes where post_id = p.id and vote = -1)",
        "select count(*) from users u
          where followers_count <> (select count(*) from follows where followed_id = u.id)",
        "select count(*) from users u
          where following_count <> (select count(*) from follows where follower_id = u.id)",
    ] {
        assert_eq!(number(wrong), 0, "an incomplete item: {wrong}");
    }
    let rows = |sql: &str| -> BTreeMap<String, i64> {
        let mut statement = database.prepare(sql).unwrap();
        let read = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        read.map(Result::unwrap).collect()
    };
    let posts = rows("select text, count(*) from posts group by text");
    let comments = rows("select text, count(*) from comments group by text");
    let keys = rows("select user_id || ' ' || lower(hex(key)), 1 from keys");
    let votes = rows("select user_id || ' ' || post_id, vote from votes");
    let follows = rows("select follower_id || ' ' || followed_id, 1 from follows");

    let mut acknowledged = 0;
    for (journal, me) in journals.iter().zip(people) {
        // The last acknowledged value of each item, and the values that were requested after it.
        let mut settings: BTreeMap<String, BTreeSet<i64>> = BTreeMap::new();
        for request in &journal.requests {
            let fields = &request.fields;
            let is_kept = keys.contains_key(&format!("{me} {}", fields["key"]["$bin"].as_str().unwrap()));
            acknowledged += usize::from(request.reply.is_some());
            assert!(is_kept || request.reply.is_none(), "acknowledged and missing: {} {fields}", request.op);
            let made = match request.op {
                "posts.create" => posts.get(fields["text"].as_str().unwrap()),
                "comments.create" => comments.get(fields["text"].as_str().unwrap()),
                _ => None,
            };
            if matches!(request.op, "posts.create" | "comments.create") {
                assert_eq!(made.is_some(), is_kept, "incomplete: {} {fields}", request.op);
                assert!(made.is_none_or(|count| *count == 1), "applied twice: {} {fields}", request.op);
                continue;
            }
            let (thing, value) = match request.op {
                "votes.set" => {
                    let vote = ["negative", "none", "positive"]
                        .iter()
                        .position(|vote| fields["vote"] == *vote)
                        .unwrap();
                    (format!("vote {me} {}", fields["post_id"]), i64::try_from(vote).unwrap() - 1)
                }
                _ => (
                    format!("follow {me} {}", fields["user_id"]),
                    i64::from(fields["following"] == json!(true)),
                ),
            };
            if is_kept || request.reply.is_some() {
                // The requests of one user for one item are committed in the order they were sent.
                settings.insert(thing, BTreeSet::from([value]));
            }
        }
        for (thing, values) in settings {
            let (kind, name) = thing.split_once(' ').unwrap();
            let is = if kind == "vote" { votes.get(name) } else { follows.get(name) }.copied().unwrap_or(0);
            assert!(values.contains(&is), "{thing} is {is}, not {values:?}");
        }
    }
    acknowledged
}

#[tokio::test]
async fn r1_twenty_sudden_ends_lose_no_acknowledged_write() {
    let mut random = random_of_this_run();
    let folder = tempfile::tempdir().unwrap();
    let mut journals: Vec<Journal> = (0..WRITERS).map(|_| Journal::default()).collect();
    let mut numbers: Vec<u64> = (0..WRITERS).collect();
    let mut known = Known::default();
    let names: Vec<String> = (0..WRITERS).map(|number| format!("Writer {number}")).collect();
    let mut acknowledged = 0;
    let mut rounds = 0;

    // A busy machine needs more rounds for as many writes.
    while rounds < ROUNDS || acknowledged <= WRITES_MIN && rounds < 4 * ROUNDS {
        let mut child = Child::starts(folder.path(), &[]);
        let mut people = Vec::new();
        for name in &names {
            people.push(Person::signs_up_again(child.at, name).await);
        }
        if rounds == 0 {
            known.people = people.iter().map(|person| person.id).collect();
            for person in &people {
                known.posts.push(person.posts("the first").await);
            }
        }
        // R5: unanswered requests are sent again with their keys, are applied once, and get a reply.
        for (person, journal) in people.iter().zip(&mut journals) {
            for request in journal.requests.iter_mut().filter(|request| request.reply.is_none()) {
                request.reply = Some(person.asks(request.op, request.fields.clone()).await);
            }
            // Acknowledged requests get the same reply again.
            if let Some(request) = journal.requests.iter().rev().nth(5) {
                assert_eq!(
                    &person.asks(request.op, request.fields.clone()).await,
                    request.reply.as_ref().unwrap()
                );
            }
        }
        // The server's own reads agree with the journals.
        if let Some(request) = journals[0].requests.iter().rev().find(|request| request.op == "posts.create")
        {
            let page = people[1].reads_posts_of(&people[0]).await;
            assert_eq!(
                texts(&page)[0],
                request.fields["text"].as_str().unwrap(),
                "the newest post is on the profile"
            );
        }
        let lives_ms = 50 + random.next_u64() % 1_450;
        let writing =
            people.iter().zip(&mut numbers).zip(&mut journals).map(|((person, number), journal)| {
                writes(person, number, SeededRandom::new(random.next_u64(), 0), &known, journal)
            });
        let writing = futures_util::future::join_all(writing);
        let ending = async {
            tokio::time::sleep(Duration::from_millis(lives_ms)).await;
            child.dies();
        };
        tokio::join!(writing, ending);
        acknowledged = compare(folder.path(), &journals, &known.people);
        rounds += 1;
        for journal in &journals {
            let made = journal.requests.iter().filter(|request| request.op == "posts.create");
            for id in made.filter_map(|request| request.reply.as_ref()?["post"]["id"].as_i64()).rev_some(2) {
                if !known.posts.contains(&id) {
                    known.posts.push(id);
                }
            }
        }
    }
    println!("{rounds} sudden ends, {acknowledged} acknowledged writes, none lost, none half there");
    assert!(acknowledged > WRITES_MIN, "only {acknowledged} writes, too few to prove anything");
}

/// Returns the last few items.
trait RevSome: Iterator + Sized {
    fn rev_some(self, count: usize) -> std::vec::IntoIter<Self::Item> {
        let mut all: Vec<Self::Item> = self.collect();
        all.drain(..all.len().saturating_sub(count));
        all.into_iter()
    }
}

impl<I: Iterator> RevSome for I {}

#[test]
fn lv8_a_server_that_is_asked_to_stop_while_it_starts_stops_in_order() {
    let folder = tempfile::tempdir().unwrap();
    for round in 0..5 {
        let data = folder.path().join(round.to_string());
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_mellow"));
        command.env_clear().current_dir(folder.path()).stdout(std::process::Stdio::null());
        command.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(&data);
        let mut server = command.spawn().unwrap();
        let begun = Instant::now();
        while !data.join("mellow.db").exists() {
            assert!(begun.elapsed() < support::TIMEOUT, "the server does not start");
            std::thread::sleep(Duration::from_millis(1));
        }
        let id = rustix::process::Pid::from_child(&server);
        rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
        assert!(server.wait().unwrap().success());
    }
}

/// A client that keeps only the `seq` of each received event. It signals when it is connected.
async fn counts(
    at: std::net::SocketAddr,
    cookie: String,
    expected: usize,
    there: Arc<Semaphore>,
) -> Vec<i64> {
    let mut handshake = format!("ws://{at}/ws").into_client_request().unwrap();
    handshake.headers_mut().insert("Origin", format!("http://{at}").parse().unwrap());
    handshake.headers_mut().insert("Sec-WebSocket-Protocol", "mellow.1".parse().unwrap());
    handshake.headers_mut().insert("Cookie", format!("mellow={cookie}").parse().unwrap());
    let stream = tokio::net::TcpStream::connect(at).await.unwrap();
    let (mut socket, _) = tokio_tungstenite::client_async(handshake, stream).await.unwrap();
    let mut received = Vec::new();
    while received.len() < expected {
        let next = tokio::time::timeout(support::TIMEOUT, socket.next()).await;
        let next = next.unwrap_or_else(|_| panic!("nothing more came after {} events", received.len()));
        match next {
            Some(Ok(Message::Binary(bytes))) => {
                let message = unpack(&bytes);
                match message["ev"].as_str() {
                    Some("hello") => there.add_permits(1),
                    Some("posts.created") => received.push(message["seq"].as_i64().unwrap()),
                    _ => {}
                }
            }
            Some(Ok(_)) => {}
            ended => panic!("a client that reads was cut: {ended:?} after {} events", received.len()),
        }
    }
    received
}

#[tokio::test]
async fn lv3_twenty_clients_that_never_read_are_cut_and_180_others_miss_nothing() {
    const POSTS: usize = 400;
    const GROWTH_KIB_MAX: u64 = 96 * 1024;
    let folder = tempfile::tempdir().unwrap();
    let child = Child::starts(folder.path(), &[]);
    let (ana, ben) = (Person::signs_up(child.at, "Ana").await, Person::signs_up(child.at, "Ben").await);
    ben.follows(&ana).await;
    let mut deaf = Vec::new();
    for _ in 0..20 {
        deaf.push(Raw::open_with(child.at, Some(&ben.cookie), Some(4_096)).await);
    }
    let there = Arc::new(Semaphore::new(0));
    let reading: Vec<_> =
        (0..180).map(|_| tokio::spawn(counts(child.at, ben.cookie.clone(), POSTS, there.clone()))).collect();
    tokio::time::timeout(support::TIMEOUT, there.acquire_many(180)).await.unwrap().unwrap().forget();
    let before = child.memory_kib();
    let mut peak = before;

    let mut seqs = Vec::new();
    let text = "Long enough to fill a buffer. ".repeat(66);
    let begun = Instant::now();
    for _ in 0..POSTS / 16 {
        let mut sent = Vec::new();
        for _ in 0..16 {
            sent.push(ana.socket.sends("posts.create", post(&text)).await);
        }
        for id in sent {
            seqs.push(ana.socket.reply_to(id).await.unwrap()["seq"].as_i64().unwrap());
        }
        peak = peak.max(child.memory_kib());
    }
    for received in futures_util::future::join_all(reading).await {
        assert_eq!(received.unwrap(), seqs, "each event once, in order");
    }
    let elapsed = begun.elapsed();
    // The server closed these connections, and no longer counts them.
    let time_limit = Instant::now();
    while http::metric(child.at, "mellow_sockets").await > 2 {
        assert!(time_limit.elapsed() < support::TIMEOUT, "clients that never read are still counted");
        tokio::task::yield_now().await;
    }
    for deaf in &mut deaf {
        // A system gives up a closed connection whose peer took nothing for long, and does not say so. It answers the
        // next frame.
        deaf.sends(&raw::frame(raw::PING, true, true, b"")).await;
        let mut received = 0;
        while let Some((opcode, _)) = deaf.reads().await {
            received += usize::from(opcode == raw::BINARY);
        }
        assert!(received < POSTS, "it was cut before the end");
    }
    peak = peak.max(child.memory_kib());
    let grown = peak - before;
    println!("{POSTS} events to 200 sockets in {elapsed:?}; 20 cut; memory grew by {grown} KiB");
    assert!(grown < GROWTH_KIB_MAX, "memory grew by {grown} KiB");
    // The author reads, and missed nothing either.
    ben.receives("posts.created").await;
    assert_eq!(ben.socket.events().iter().filter(|event| event["ev"] == "posts.created").count(), POSTS);
}

#[tokio::test]
async fn lv3_a_cut_client_reconnects_and_reads_again() {
    let folder = tempfile::tempdir().unwrap();
    let child = Child::starts(folder.path(), &[]);
    let ana = Person::signs_up(child.at, "Ana").await;
    let mut ben = Person::signs_up(child.at, "Ben").await;
    let seq = ben.follows(&ana).await["seq"].clone();
    for number in 0..300 {
        ana.posts(&format!("p{number}")).await;
    }
    ben.reconnects().await;
    let epoch = ben.socket.hello().await["epoch"].clone();
    let ok =
        ben.asks("live.resume", json!({ "epoch": epoch, "seq": seq, "posts": [], "profiles": [] })).await;
    assert_eq!(ok["resync"], json!(true), "more than is replayed");
    assert_eq!(ben.feed_texts().await[0], "p299");
}

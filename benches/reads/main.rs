//! Measures the duration of reads: a seeded database, the real server, a real socket, one request in flight.
//!
//! `cargo bench --bench reads` runs it. Arguments after `--` are a number of posts (usually 100,000), `million`,
//! `second` (a few posts, to check that the replies are complete), and names of requests to run only these.
//!
//! The reference, `rusqlite`, takes turns with the server: the read functions of the features run on a connection in
//! this process, in a snapshot like that of the server, and with a cache of prepared statements. On two cores, the
//! server has one core, and the client and `rusqlite` have the other.
#![expect(clippy::unwrap_used, reason = "a bench that cannot go on stops")]

mod seed;

#[path = "../support/figures.rs"]
mod figures;
#[path = "../support/process.rs"]
mod process;
#[path = "../support/quantile.rs"]
mod quantile;
#[path = "../support/socket.rs"]
mod socket;
#[path = "../support/users.rs"]
mod users;

use std::hint::black_box;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};

use mellow::authz::Viewer;
use mellow::clock::Clock;
use mellow::db::sql::{self, Sql};
use mellow::features::profiles::store::known;
use mellow::features::{comments, notifications, polls, posts, search};
use mellow::ids::{LoginId, PostId, Seq, UserId};
use mellow::model::groups::groups_named;
use mellow::model::users::users_named;
use process::Server;
use quantile::quantile;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use seed::{READER, SOUGHT, Seeded};
use serde_json::{Value, json};

const READER_ID: UserId = UserId(READER);
const VIEWER: Viewer = Viewer::User { user_id: READER_ID, login_id: LoginId(READER) };
/// The number of requests for the feed that are in flight in the closed loop.
const CLOSED_LOOP: usize = 16;

/// The amounts of a run.
struct Amounts {
    posts: i64,
    turns: usize,
    /// The number of requests of a turn.
    requests: usize,
    /// The time of a turn of the closed loop.
    closed_loop: Duration,
}

const USUAL: Amounts =
    Amounts { posts: 100_000, turns: 5, requests: 300, closed_loop: Duration::from_secs(1) };
const TRIAL: Amounts =
    Amounts { posts: 2_000, turns: 1, requests: 3, closed_loop: Duration::from_millis(50) };

/// Reads the same rows as one request. Returns the length of the list.
type Reading = fn(Sql<'_>, Seq, &Seeded, usize) -> usize;

/// One kind of request, and the same read through `rusqlite`.
struct Case {
    op: &'static str,
    /// The field of the reply that has the list; empty if it has none.
    list: &'static str,
    /// Returns the fields of the request.
    fields: fn(&Seeded, usize) -> Value,
    read: Option<Reading>,
}

const CASES: [Case; 9] = [
    Case { op: "live.probe", list: "", fields: |_, _| json!({}), read: None },
    Case {
        op: "posts.feed",
        list: "posts",
        fields: |_, _| json!({ "tag": null, "before": null }),
        read: Some(|sql, _, _, _| {
            let now_ms = Clock::Real.now_ms();
            let found = posts::store::lists::feed(sql, VIEWER, None, None, now_ms).unwrap();
            black_box(users_named(sql, READER_ID, posts::store::read::people_in(&found.posts)).unwrap());
            black_box(groups_named(sql, posts::store::read::groups_in(&found.posts)).unwrap());
            black_box(posts::store::lists::follows_anyone(sql, READER_ID).unwrap());
            found.posts.len()
        }),
    },
    Case {
        op: "posts.search",
        list: "posts",
        fields: |_, _| json!({ "term": SOUGHT.to_uppercase(), "before": null }),
        // The reference compares the same rows with one word, byte by byte.
        read: Some(|sql, _, _, _| {
            let texts = "select id, title, text, '#' || tag, content_note from posts indexed by posts_by_date
                          where author_id = ?1 order by created_at_ms desc, id desc";
            let has_word = |texts: &[&str]| texts.iter().any(|text| text.contains(SOUGHT));
            let ids: Vec<PostId> = sql.values_where(texts, (READER_ID,), 31, has_word).unwrap();
            let found = posts::store::read::find(sql, &ids, VIEWER).unwrap();
            black_box(users_named(sql, READER_ID, posts::store::read::people_in(&found)).unwrap());
            found.len()
        }),
    },
    Case {
        op: "polls.list",
        list: "polls",
        fields: |_, _| json!({ "before": null }),
        read: Some(|sql, seq, _, _| {
            polls::store::read::page(sql, VIEWER, None, Clock::Real.now_ms(), seq).unwrap().polls.len()
        }),
    },
    Case {
        op: "comments.page",
        list: "comments",
        fields: |seeded, number| json!({ "post_id": seeded.thread(number), "after": null }),
        read: Some(|sql, seq, seeded, number| {
            let post_id = PostId(seeded.thread(number));
            comments::store::page(sql, VIEWER, post_id, None, seq).unwrap().unwrap().comments.len()
        }),
    },
    Case {
        op: "comments.mentionable",
        list: "users",
        fields: |seeded, number| json!({ "post_id": seeded.thread(number), "term": Seeded::term(number) }),
        read: Some(|sql, _, seeded, number| {
            let term = comments::rules::parse_term(Seeded::term(number)).unwrap();
            let post_id = PostId(seeded.thread(number));
            comments::store::mentionable(sql, VIEWER, post_id, &term).unwrap().unwrap().len()
        }),
    },
    Case {
        op: "notifications.page",
        list: "notifications",
        fields: |_, _| json!({ "before": null }),
        read: Some(|sql, seq, _, _| {
            let listed = notifications::store::page(sql, VIEWER, READER_ID, None, seq).unwrap();
            listed.notifications.len()
        }),
    },
    Case {
        op: "profiles.get",
        list: "",
        fields: |seeded, number| json!({ "user_id": seeded.author(number) }),
        read: Some(|sql, _, seeded, number| {
            let known = known::profile(sql, UserId(seeded.author(number)), READER_ID).unwrap();
            black_box(known.unwrap());
            0
        }),
    },
    Case {
        op: "search.names",
        list: "users",
        fields: |_, number| json!({ "term": Seeded::term(number) }),
        read: Some(|sql, _, _, number| {
            let users = search::store::page(sql, Seeded::term(number), READER_ID).unwrap();
            search::store::close(sql, Seeded::term(number), READER_ID, &users).unwrap();
            users.len()
        }),
    },
];

/// A socket of the reader.
struct Client {
    socket: TcpStream,
    unread: Vec<u8>,
    buffer: Vec<u8>,
}

impl Client {
    fn send(&mut self, op: &str, fields: Value) {
        let mut request = json!({ "id": 1, "op": op });
        let Value::Object(fields) = fields else { unreachable!("fields are an object") };
        request.as_object_mut().unwrap().extend(fields);
        let message = rmp_serde::to_vec(&request).unwrap();
        self.socket.write_all(&socket::masked(0x82, &message)).unwrap();
    }

    /// Waits for a reply and returns it. Events are skipped.
    fn receive(&mut self) -> Vec<u8> {
        loop {
            while let Some((frame, _)) = socket::cut_frame(&self.unread) {
                let (opcode, body) = (frame[0], socket::body(frame).to_vec());
                self.unread.drain(..frame.len());
                if opcode == 0x89 {
                    self.socket.write_all(&socket::masked(0x8a, &body)).unwrap();
                } else if let Some(is_refusal) = socket::is_refusal(&body) {
                    assert!(!is_refusal, "the server refused: {}", String::from_utf8_lossy(&body));
                    return body;
                }
            }
            let count = self.socket.read(&mut self.buffer).unwrap();
            assert!(count > 0, "the server closed the socket");
            self.unread.extend_from_slice(&self.buffer[..count]);
        }
    }
}

/// Runs the read functions of the features on a connection of this process. It is prepared like the readers of the
/// server.
struct Theirs(Connection);

impl Theirs {
    fn open(folder: &Path) -> Self {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(folder.join("mellow.db"), flags).unwrap();
        connection.busy_timeout(Duration::from_secs(5)).unwrap();
        connection.pragma_update(None, "temp_store", "memory").unwrap();
        sql::prepare(&connection).unwrap();
        Self(connection)
    }

    fn read(&mut self, read: impl FnOnce(Sql<'_>, Seq) -> usize) -> usize {
        let snapshot = self.0.transaction_with_behavior(TransactionBehavior::Deferred).unwrap();
        let sql = Sql::new(&snapshot);
        let seq = sql.value("select seq from site", ()).unwrap();
        read(sql, seq)
    }
}

/// The measurements of one case: the median and the 99th percentile of each turn, in microseconds.
#[derive(Default)]
struct Seen {
    p50_us: Vec<f64>,
    p99_us: Vec<f64>,
}

impl Seen {
    /// Measures one turn.
    fn turn(&mut self, requests: usize, mut one: impl FnMut(usize)) {
        let mut times_us: Vec<f64> = (0..requests)
            .map(|number| {
                let begun = Instant::now();
                one(number);
                begun.elapsed().as_nanos() as f64 / 1_000.0
            })
            .collect();
        self.p50_us.push(quantile(&mut times_us, 0.5));
        self.p99_us.push(quantile(&mut times_us, 0.99));
    }
}

fn main() {
    let (numbers, words): (Vec<String>, Vec<String>) =
        figures::arguments().into_iter().partition(|word| word.parse::<i64>().is_ok());
    let mut amounts = if figures::is_trial(&words) { TRIAL } else { USUAL };
    if words.iter().any(|word| word == "million") {
        amounts.posts = 1_000_000;
    }
    if let Some(posts) = numbers.first() {
        amounts.posts = posts.parse().unwrap();
    }
    let is_named = |case: &&Case| words.iter().any(|word| word == case.op);
    let mut cases: Vec<&Case> = CASES.iter().filter(is_named).collect();
    if cases.is_empty() {
        cases = CASES.iter().collect();
    }

    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let begun = Instant::now();
    let seeded = seed::seed(folder.path(), amounts.posts);
    let seconds = begun.elapsed().as_secs_f64();
    println!("{} posts by {} authors, seeded in {seconds:.0} s", amounts.posts, seeded.authors);
    let begun = Instant::now();
    let server = Server::mellow(folder.path(), false);
    println!("The server is there after {:.1} s.\n", begun.elapsed().as_secs_f64());
    process::leave_servers_their_core();
    let cookies = vec![Some(users::cookie(READER)); CLOSED_LOOP];
    let opened = socket::open_mellow(server.port, &cookies).into_iter();
    let mut clients: Vec<Client> =
        opened.map(|(socket, unread)| Client { socket, unread, buffer: vec![0; 65_536] }).collect();
    let mut theirs = Theirs::open(folder.path());

    for case in &cases {
        check(case, &mut clients[0], &mut theirs, &seeded);
    }
    server.settle();
    compare(&cases, &mut clients[0], &mut theirs, &seeded, &amounts);
    if cases.iter().any(|case| case.op == "posts.feed") {
        closed_loop(&server, &mut clients, &amounts);
    }
    println!("The server takes {:.0} MiB.", server.pss_bytes() as f64 / 1_048_576.0);
}

/// Runs each side a few times, to warm it up, and checks that both lists have the same length.
fn check(case: &Case, client: &mut Client, theirs: &mut Theirs, seeded: &Seeded) {
    for number in 0..12 {
        client.send(case.op, (case.fields)(seeded, number));
        let reply = client.receive();
        let reply = rmpv::decode::read_value(&mut &reply[..]).unwrap();
        let listed = reply["ok"][case.list].as_array().map_or(0, Vec::len);
        let Some(read) = case.read else { continue };
        let expected = theirs.read(|sql, seq| read(sql, seq, seeded, number));
        assert_eq!(listed, expected, "{} answers as much as its statements do", case.op);
        assert_eq!(listed > 0, !case.list.is_empty(), "{} has something to list", case.op);
    }
}

fn compare(cases: &[&Case], client: &mut Client, theirs: &mut Theirs, seeded: &Seeded, amounts: &Amounts) {
    let mut seen: Vec<[Seen; 2]> = cases.iter().map(|_| Default::default()).collect();
    for _ in 0..amounts.turns {
        for (case, [ours, beside]) in cases.iter().zip(&mut seen) {
            ours.turn(amounts.requests, |number| {
                client.send(case.op, (case.fields)(seeded, number));
                black_box(client.receive());
            });
            if let Some(read) = case.read {
                beside.turn(amounts.requests, |number| {
                    black_box(theirs.read(|sql, seq| read(sql, seq, seeded, number)));
                });
            }
        }
    }
    let median = |figures: &[f64]| figures::median(figures.to_vec());
    let shown = |figures: &[f64]| match figures {
        [] => "-".into(),
        figures => format!("{:.0}", median(figures)),
    };
    let rows: Vec<Vec<String>> = cases
        .iter()
        .zip(&seen)
        .map(|(case, [ours, beside])| {
            let (ratio, range) = figures::ratio(&ours.p50_us, &beside.p50_us);
            let above: Vec<f64> =
                ours.p50_us.iter().zip(&beside.p50_us).map(|(ours, beside)| ours - 2.0 * beside).collect();
            vec![
                case.op.into(),
                shown(&ours.p50_us),
                shown(&ours.p99_us),
                shown(&beside.p50_us),
                shown(&beside.p99_us),
                ratio,
                range,
                shown(&above),
            ]
        })
        .collect();
    println!(
        "One request in flight, microseconds: medians of {} turns of {} requests",
        amounts.turns, amounts.requests
    );
    let heads = ["", "p50", "p99", "rusqlite p50", "p99", "ratio", "of one turn", "p50 - 2 x rusqlite"];
    figures::print_table(&heads, &rows);
}

/// Keeps one request for the feed in flight on each socket. Prints the processor time of the server for a page.
fn closed_loop(server: &Server, clients: &mut [Client], amounts: &Amounts) {
    let (mut cpu_us, mut per_second) = (Vec::new(), Vec::new());
    for _ in 0..amounts.turns {
        let (mut pages, cpu_before, begun) = (0, server.cpu_ns(), Instant::now());
        let ask = |client: &mut Client| client.send("posts.feed", json!({ "tag": null, "before": null }));
        clients.iter_mut().for_each(ask);
        while begun.elapsed() < amounts.closed_loop {
            for client in &mut *clients {
                client.receive();
                ask(client);
            }
            pages += clients.len();
        }
        for client in &mut *clients {
            client.receive();
        }
        pages += clients.len();
        per_second.push(pages as f64 / begun.elapsed().as_secs_f64());
        cpu_us.push((server.cpu_ns() - cpu_before) as f64 / pages as f64 / 1_000.0);
    }
    let cpu_us = figures::median(cpu_us);
    println!(
        "posts.feed, {CLOSED_LOOP} in flight: {:.0} pages/s; {cpu_us:.0} µs of the server's processor for a page, \
         so {:.0} pages/s per core",
        figures::median(per_second),
        1_000_000.0 / cpu_us
    );
}

//! Measures the effect of an import on the requests of others, and the time of each part of an import.
//!
//! `cargo bench --bench imports` runs it. Arguments after `--` are `preview` (the file is sent and read, and nothing
//! more), `import` (all but the undo), `undo` (all, but without the requests of others), and `second` (a few posts, to
//! check that the bench works).
//!
//! Eight people send votes and comments at a steady rate. The time of a request begins when it is due. They do so
//! without an import, while one user imports an archive of Mastodon and undoes the import, and without it again.
//!
//! The real server has its default settings, but for the limits of what these few people do so often, and for backups.
//! On two cores it has one core, together with the process that renders the pictures, and the clients have the other.
#![expect(clippy::unwrap_used, reason = "a bench that cannot go on stops")]

#[path = "support/figures.rs"]
#[expect(dead_code, reason = "nothing is compared with a neighbour")]
mod figures;
#[path = "support/process.rs"]
#[expect(dead_code, reason = "the server has settings of its own")]
mod process;
#[path = "support/quantile.rs"]
mod quantile;
#[path = "support/socket.rs"]
mod socket;
#[path = "../render/src/testing.rs"]
#[expect(dead_code, reason = "the bench makes photographs only")]
mod testing;
#[path = "support/users.rs"]
mod users;

use std::io::{Cursor, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use mellow::clock::Clock;
use mellow::seeded_random::SeededRandom;
use process::Server;
use quantile::quantile;
use rmpv::Value;
use rusqlite::{Connection, OpenFlags};
use serde_json::json;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// The number of posts in the archive, and how long the others are measured without an import, before it and after it.
const USUAL: (i64, Duration) = (10_000, Duration::from_secs(60));
const TRIAL: (i64, Duration) = (10, Duration::from_millis(200));
/// One post in so many has a picture.
const PICTURE_EVERY: i64 = 5;

/// The number of people who send requests.
const PEOPLE: i64 = 8;
/// The time between two requests of all of them together: 40 requests a second.
const PAUSE: Duration = Duration::from_millis(25);
/// The posts that they vote for and comment on, and the author.
const POSTS: i64 = 1_000;
const FIRST_POST: i64 = 100_001;
const AUTHOR: i64 = PEOPLE + 1;
const IMPORTER: i64 = PEOPLE + 2;

/// The bytes of a chunk. The server takes 65,536, and [`socket::masked`] a little less.
const CHUNK_BYTES: usize = 60 * 1024;
/// The time between two looks at whether all rows are deleted.
const LOOK: Duration = Duration::from_millis(20);
const WORDS: &str = "This is exactly the hour I lost somewhere last winter. Thank you for the reminder.";

fn main() {
    let arguments = figures::arguments();
    let is_trial = figures::is_trial(&arguments);
    let only = |section: &str| arguments.iter().any(|word| word == section);
    let (posts, alone) = if is_trial { TRIAL } else { USUAL };
    let pictures = posts / PICTURE_EVERY;
    let archive = archive(posts);
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    prepare(folder.path());
    let server = start(folder.path());
    process::leave_servers_their_core();

    let has_others = !only("preview") && !only("undo");
    let (count, alone) = if has_others { (PEOPLE, alone) } else { (0, Duration::ZERO) };
    let people = (1..=count).map(|id| Client::open(server.port, id)).collect();
    let mut others = Others { people, measured: Vec::new() };
    others.live_while("the first seconds", || sleep(alone / 20));
    if !is_trial {
        server.settle();
    }
    others.live_while("alone, before", || sleep(alone));

    let peak_before = peak_mib();
    let mut importer = Client::open(server.port, IMPORTER);
    let (id, sent_s) = others.live_while("the file is sent", || importer.send(&archive));
    let read_s = others.live_while("the file is read", || importer.preview(id, posts, pictures));
    let mib = archive.len() as f64 / 1_048_576.0;
    println!("An archive of {posts} posts and {pictures} pictures, {mib:.1} MiB");
    println!("sent in {sent_s:.1} s, then read until the preview in {read_s:.2} s");
    if !only("preview") {
        let took_s = others.live_while("posts are imported", || importer.import(id, posts));
        println!("imported in {took_s:.1} s, {:.1} posts/s", posts as f64 / took_s);
        println!("peak memory of the server: {peak_before:.1} MiB before the file, {:.1} then", peak_mib());
    }
    if !only("preview") && !only("import") {
        let (reply_ms, deleted_s) = others.live_while("it is undone", || importer.undo(id, folder.path()));
        println!("undone: the reply after {reply_ms:.1} ms, all rows deleted {deleted_s:.1} s after it");
        println!("peak memory of the server: {:.1} MiB then", peak_mib());
    }
    others.live_while("alone, after", || sleep(alone));
    others.print();
}

/// Returns an archive of Mastodon with so many posts.
fn archive(posts: i64) -> Vec<u8> {
    let items: Vec<serde_json::Value> = (0..posts).map(item).collect();
    let outbox = serde_json::to_vec(&json!({ "type": "OrderedCollection", "orderedItems": items })).unwrap();
    let photo = testing::photo(320, 240, 9, false);
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file("outbox.json", options).unwrap();
    zip.write_all(&outbox).unwrap();
    for number in (0..posts).filter(|number| number % PICTURE_EVERY == 0) {
        zip.start_file(format!("media_attachments/files/{number}.jpg"), options).unwrap();
        zip.write_all(&photo).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// Returns a post as it is in `outbox.json`. There is one for each hour from 2018 on.
fn item(number: i64) -> serde_json::Value {
    let day = number / 24;
    let (year, month, day) = (2018 + day / 336, 1 + day % 336 / 28, 1 + day % 28);
    let at = format!("{year}-{month:02}-{day:02}T{:02}:00:00Z", number % 24);
    let (actor, to) = ("https://example.social/users/ana", "https://www.w3.org/ns/activitystreams#Public");
    let (id, cc) = (format!("{actor}/statuses/{number}"), format!("{actor}/followers"));
    let words = format!("<p>Walk number {number}. {WORDS}</p><p>{WORDS}</p>");
    let url = format!("/media_attachments/files/{number}.jpg");
    let picture = json!({ "type": "Document", "mediaType": "image/jpeg", "url": url, "name": "The lake." });
    let attachment = if number % PICTURE_EVERY == 0 { vec![picture] } else { Vec::new() };
    json!({
        "id": format!("{id}/activity"), "type": "Create", "actor": actor, "published": at,
        "to": [to], "cc": [cc], "object": {
            "id": id, "type": "Note", "summary": null, "inReplyTo": null, "published": at, "url": id,
            "attributedTo": actor, "to": [to], "cc": [cc], "sensitive": false, "content": words,
            "contentMap": { "en": words }, "attachment": attachment, "tag": [],
            "replies": { "id": format!("{id}/replies"), "type": "Collection" },
        },
    })
}

/// Makes a database with the people, and with the posts that they vote for and comment on.
fn prepare(folder: &Path) {
    let connection = users::database(folder);
    let now_ms = Clock::Real.now_ms();
    connection.execute_batch("begin").unwrap();
    for id in 1..=IMPORTER {
        users::add(&connection, id, &format!("Person {id}"), now_ms);
    }
    for id in FIRST_POST..FIRST_POST + POSTS {
        let sql = "insert into posts (id, author_id, text, created_at_ms, updated_at_ms)
                   values (?1, ?2, ?3, ?4, ?4)";
        connection.execute(sql, (id, AUTHOR, WORDS, now_ms)).unwrap();
    }
    connection.execute_batch("commit").unwrap();
}

fn start(folder: &Path) -> Server {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mellow"));
    command.args(["--listen", "127.0.0.1:0", "--log", "error", "--data"]).arg(folder);
    command.args(["--votes-per-minute=0", "--comments-per-hour=0", "--chunks-per-second=0"]);
    command.args(["--disk-free-mib-min=0", "--backup-every-hours=0"]);
    // The environment of the shell must not change the settings.
    command.env_clear();
    Server::start(&mut command)
}

/// Returns the most memory that the server has taken until now, in MiB. The server is the only child of this process.
fn peak_mib() -> f64 {
    let children = format!("/proc/{0}/task/{0}/children", std::process::id());
    let server = std::fs::read_to_string(children).unwrap();
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.trim())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    peak.trim().trim_end_matches(" kB").parse::<f64>().unwrap() / 1_024.0
}

/// The people who send requests. There may be none.
struct Others {
    people: Vec<Client>,
    /// What happened meanwhile, and the times of their requests, in microseconds.
    measured: Vec<(&'static str, Vec<f64>)>,
}

impl Others {
    /// Lets them send requests while `work` runs. Returns what the work returns.
    fn live_while<T: Send>(&mut self, meanwhile: &'static str, work: impl FnOnce() -> T + Send) -> T {
        let begun = Instant::now();
        let is_over = &AtomicBool::new(false);
        let (times_us, done) = std::thread::scope(|scope| {
            let people: Vec<_> = (0..)
                .zip(&mut self.people)
                .map(|(place, person)| scope.spawn(move || person.live(place, begun, is_over)))
                .collect();
            let done = scope.spawn(work).join();
            // They end although the work failed.
            is_over.store(true, Ordering::Relaxed);
            let times_us: Vec<f64> = people.into_iter().flat_map(|person| person.join().unwrap()).collect();
            (times_us, done.unwrap())
        });
        self.measured.push((meanwhile, times_us));
        done
    }

    /// Prints their times, compared with those without an import.
    fn print(mut self) {
        if self.people.is_empty() {
            return;
        }
        let alone = self.measured.iter().filter(|(meanwhile, _)| meanwhile.starts_with("alone"));
        let mut alone_us: Vec<f64> = alone.flat_map(|(_, times_us)| times_us.clone()).collect();
        let alone_p99 = quantile(&mut alone_us, 0.99);
        let mut rows: Vec<Vec<String>> = Vec::new();
        for (meanwhile, times_us) in &mut self.measured {
            let [p50, p99, longest] = [0.5, 0.99, 1.0].map(|share| quantile(times_us, share));
            rows.push(vec![
                (*meanwhile).to_owned(),
                times_us.len().to_string(),
                format!("{p50:.0}"),
                format!("{p99:.0}"),
                format!("{longest:.0}"),
                format!("{:.2}", p99 / alone_p99),
            ]);
        }
        println!("\nVotes and comments of {PEOPLE} people, one each {PAUSE:?}; ratios of p99 to that alone");
        figures::print_table(&["", "requests", "p50 µs", "p99 µs", "longest µs", "ratio (goal 1.2)"], &rows);
    }
}

/// A user with a socket.
struct Client {
    id: i64,
    socket: TcpStream,
    unread: Vec<u8>,
    random: SeededRandom,
    /// The number of votes and comments until now.
    acted: i64,
}

impl Client {
    fn open(port: u16, id: i64) -> Self {
        let (socket, unread) = socket::open_mellow(port, &[Some(users::cookie(id))]).remove(0);
        Self { id, socket, unread, random: SeededRandom::new(7, id as u64), acted: 0 }
    }

    fn key(&mut self) -> Value {
        self.random.key().to_vec().into()
    }

    /// Sends votes and comments in turns, until `is_over`. `place` is the place among the people, who take turns.
    /// Returns the time from when each was due until its reply, in microseconds.
    fn live(&mut self, place: u32, begun: Instant, is_over: &AtomicBool) -> Vec<f64> {
        let mut times_us = Vec::new();
        for turn in 0.. {
            let due = begun + PAUSE * (PEOPLE as u32 * turn + place);
            sleep(due.saturating_duration_since(Instant::now()));
            if is_over.load(Ordering::Relaxed) {
                break;
            }
            self.act();
            times_us.push(due.elapsed().as_nanos() as f64 / 1_000.0);
        }
        times_us
    }

    /// Votes for a post, and the next time comments on it. Each vote changes something.
    fn act(&mut self) {
        let (key, round) = (self.key(), self.acted / 2);
        let post = ("post_id", Value::from(FIRST_POST + (self.id * POSTS / PEOPLE + round) % POSTS));
        if self.acted % 2 == 0 {
            let vote = if round / POSTS % 2 == 0 { "positive" } else { "none" };
            self.ask("votes.set", [("key", key), post, ("vote", vote.into())]);
        } else {
            let text = ("text", WORDS.into());
            self.ask("comments.create", [("key", key), post, text, ("audience", everybody())]);
        }
        self.acted += 1;
    }

    /// Sends a file. Returns the id of the import, and the time in seconds.
    fn send(&mut self, archive: &[u8]) -> (i64, f64) {
        let (key, begun) = (self.key(), Instant::now());
        let import = self.ask("imports.begin", [("key", key), ("size_bytes", archive.len().into())]);
        let id = import["id"].as_i64().unwrap();
        for (number, piece) in archive.chunks(CHUNK_BYTES).enumerate() {
            let offset = ("offset", Value::from(number * CHUNK_BYTES));
            self.ask("imports.chunk", [("import_id", id.into()), offset, ("bytes", piece.into())]);
        }
        (id, begun.elapsed().as_secs_f64())
    }

    /// Has the file read, and waits for the preview. Returns the time in seconds.
    fn preview(&mut self, id: i64, posts: i64, pictures: i64) -> f64 {
        let (key, begun) = (self.key(), Instant::now());
        self.ask("imports.read", [("key", key), ("import_id", id.into())]);
        let event = self.wait(|event| !event["current"]["preview"].is_nil());
        let (seconds, preview) = (begun.elapsed().as_secs_f64(), &event["current"]["preview"]);
        let found = (preview["posts"].as_i64(), preview["pictures"].as_i64());
        assert_eq!(found, (Some(posts), Some(pictures)), "{event}");
        seconds
    }

    /// Imports the posts, and waits for the end. Returns the time in seconds.
    fn import(&mut self, id: i64, posts: i64) -> f64 {
        let (key, begun) = (self.key(), Instant::now());
        let import = ("import_id", Value::from(id));
        self.ask("imports.start", [("key", key), import, ("audience", everybody())]);
        let event = self.wait(|event| event["ended"]["result"].as_str() == Some("done"));
        assert_eq!(event["ended"]["posts"].as_i64(), Some(posts), "{event}");
        begun.elapsed().as_secs_f64()
    }

    /// Undoes the import, and waits until its rows are deleted. Returns the time until the reply in milliseconds, and
    /// from then until the last row is deleted in seconds.
    fn undo(&mut self, id: i64, folder: &Path) -> (f64, f64) {
        let (key, begun) = (self.key(), Instant::now());
        self.ask("imports.undo", [("key", key), ("import_id", id.into())]);
        let (reply, replied_at) = (begun.elapsed(), Instant::now());
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(folder.join("mellow.db"), flags).unwrap();
        connection.busy_timeout(Duration::from_secs(5)).unwrap();
        let count = |sql: &str| connection.query_row(sql, (), |row| row.get::<_, i64>(0)).unwrap();
        // The import is deleted after its last post.
        while count("select count(*) from imports") > 0 {
            sleep(LOOK);
        }
        let deleted_s = replied_at.elapsed().as_secs_f64();
        assert_eq!(count("select count(*) from posts"), POSTS, "imported posts are deleted, and no other");
        (reply.as_secs_f64() * 1_000.0, deleted_s)
    }

    /// Sends a request and waits for the reply. Events are skipped.
    fn ask(&mut self, op: &str, fields: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
        let mut request: Vec<(Value, Value)> = vec![("id".into(), 1.into()), ("op".into(), op.into())];
        request.extend(fields.into_iter().map(|(name, value)| (Value::from(name), value)));
        let mut message = Vec::new();
        rmpv::encode::write_value(&mut message, &Value::Map(request)).unwrap();
        self.socket.write_all(&socket::masked(0x82, &message)).unwrap();
        loop {
            let reply = self.receive();
            if let Some(is_refusal) = socket::is_refusal(&reply) {
                assert!(!is_refusal, "the server refused {op}: {}", String::from_utf8_lossy(&reply));
                return decoded(&reply)["ok"].clone();
            }
        }
    }

    /// Waits for a change of the import.
    fn wait(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            let event = decoded(&self.receive());
            if event["ev"].as_str() == Some("imports.changed") {
                if is_it(&event) {
                    return event;
                }
                let goes_on = event["ended"].is_nil() && event["current"]["paused"].as_bool() == Some(false);
                assert!(goes_on, "the import does not go on: {event}");
            }
        }
    }

    /// Returns the next message. Pings are answered.
    fn receive(&mut self) -> Vec<u8> {
        let mut buffer = [0; 16_384];
        loop {
            while let Some((frame, _)) = socket::cut_frame(&self.unread) {
                let (opcode, body, length) = (frame[0], socket::body(frame).to_vec(), frame.len());
                self.unread.drain(..length);
                if opcode != 0x89 {
                    return body;
                }
                self.socket.write_all(&socket::masked(0x8a, &body)).unwrap();
            }
            let count = self.socket.read(&mut buffer).unwrap();
            assert!(count > 0, "the server closed the socket");
            self.unread.extend_from_slice(&buffer[..count]);
        }
    }
}

fn everybody() -> Value {
    Value::Map(vec![("type".into(), "public".into())])
}

fn decoded(message: &[u8]) -> Value {
    rmpv::decode::read_value(&mut &message[..]).unwrap()
}

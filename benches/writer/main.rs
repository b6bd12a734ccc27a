//! Measures durable writes per second through Mellow's writer, compared with the same statements through `rusqlite`.
//!
//! `cargo bench --bench writer` runs it. With `-- mellow` or `-- rusqlite`, only that side runs: votes in groups of 64,
//! long enough to be profiled. With `-- second`, everything runs once, briefly.
//!
//! Both sides begin with the same database, in the same folder of a real disk, with the same settings, and take turns.
//! The statements of `rusqlite` are recorded from Mellow's writer for one vote and one comment, so that both sides
//! always run the same ones. They run as cached prepared statements on the thread of the bench. The number of writes in
//! a transaction is that of Mellow's transactions.
//!
//! At the end it measures the cost of followers. An author without followers and an author with ten thousand publish
//! one post after the other, and wait for each reply.
#![expect(clippy::unwrap_used, reason = "a bench that cannot go on stops")]

mod statements;

#[path = "../support/figures.rs"]
mod figures;
#[path = "../support/users.rs"]
mod users;

use std::cell::Cell;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use bytes::Bytes;
use mellow::authz::Viewer;
use mellow::clock::Clock;
use mellow::db::command::KeyUse;
use mellow::db::disk_floor::DiskFloor;
use mellow::db::writer::{self, Committed, WriterHandle};
use mellow::db::{self, Opened};
use mellow::features::events::Event;
use mellow::features::{comments, posts, votes};
use mellow::ids::{CommentId, LoginId, PostId, Seq, UserId};
use mellow::model::audience::Audience;
use mellow::model::vote::Vote;
use mellow::seeded_random::SeededRandom;
use mellow::wire::codec;
use rusqlite::Connection;
use statements::{Statements, Write};

/// The times of a run.
struct Times {
    /// The number of turns of each side.
    turns: usize,
    /// The time of one side in a turn.
    turn: Duration,
    /// The time of a side that runs alone, to be profiled.
    alone: Duration,
}

const TIMES: Times = Times { turns: 5, turn: Duration::from_millis(700), alone: Duration::from_secs(8) };
const TRIAL: Times = Times { turns: 1, turn: Duration::from_millis(30), alone: Duration::ZERO };

const PEOPLE: i64 = 2_000;
/// The number of authors of posts. They write no comments, so each comment notifies one author.
const AUTHORS: i64 = 100;
const POSTS: i64 = 500;
const FIRST_POST: i64 = 100_001;
/// The number of followers of [`FOLLOWED`]. They write nothing.
const FOLLOWERS: i64 = 10_000;
const FIRST_FOLLOWER: i64 = 10_001;
const FOLLOWED: UserId = UserId(PEOPLE + 1);
const UNFOLLOWED: UserId = UserId(PEOPLE + 2);
const NOW_MS: i64 = 1_795_257_000_123;
const COMMENT: &str = "This is exactly the hour I lost somewhere last winter. Thank you for the reminder.";

/// The kind of a write.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Vote,
    Comment,
}

/// One comparison: the kind of the writes, and the approximate size of a group. A group of Mellow collects while the
/// previous one is committed, so its size is not fixed. The groups of rusqlite have the mean size of Mellow's groups in
/// the same turn.
struct Case {
    kind: Kind,
    group: usize,
}

impl Case {
    /// Returns the number of users who write at the same time. The writes of one half collect while those of the other
    /// half are committed.
    fn senders(&self) -> usize {
        if self.group == 1 { 1 } else { 2 * self.group }
    }
}

const CASES: [Case; 5] = [
    Case { kind: Kind::Vote, group: 1 },
    Case { kind: Kind::Vote, group: 16 },
    Case { kind: Kind::Vote, group: 64 },
    Case { kind: Kind::Comment, group: 16 },
    Case { kind: Kind::Comment, group: 64 },
];

/// The next write. Both sides make the same series of writes.
struct Next {
    number: i64,
    random: SeededRandom,
}

struct Subject {
    user_id: UserId,
    post_id: PostId,
    /// Only for rusqlite. Mellow's writer makes its own id.
    comment_id: CommentId,
    key: KeyUse,
}

impl Next {
    fn new() -> Self {
        Self { number: 0, random: SeededRandom::new(20_261_121, 0) }
    }

    /// Returns the next write. Each user votes once on each post. Neighbouring writes have distant posts.
    fn subject(&mut self) -> Subject {
        let number = self.number;
        self.number += 1;
        let user_id = UserId(1 + number % PEOPLE);
        let post_id = PostId(FIRST_POST + (7 * number + number / PEOPLE) % POSTS);
        let key = KeyUse { user_id, key: self.random.key(), body_hash: self.random.key() };
        Subject { user_id, post_id, comment_id: CommentId(1_000_000 + number), key }
    }
}

/// Returns the author of a post.
fn author_of(post_id: PostId) -> UserId {
    UserId(PEOPLE + 1 + post_id.0 % AUTHORS)
}

/// Makes a folder with a database of people, posts and followers.
fn prepare(folder: &Path) {
    let connection = users::database(folder);
    connection.execute_batch("begin").unwrap();
    for id in 1..=PEOPLE + AUTHORS {
        users::add(&connection, id, &format!("Person {id}"), NOW_MS);
    }
    for id in FIRST_FOLLOWER..FIRST_FOLLOWER + FOLLOWERS {
        users::add(&connection, id, &format!("Person {id}"), NOW_MS);
        let sql = "insert into follows (follower_id, followed_id, id) values (?1, ?2, ?1)";
        connection.execute(sql, (id, FOLLOWED)).unwrap();
    }
    for id in FIRST_POST..FIRST_POST + POSTS {
        let sql = "insert into posts (id, author_id, text, created_at_ms, updated_at_ms)
                   values (?1, ?2, ?3, ?4, ?4)";
        connection.execute(sql, (id, author_of(PostId(id)), COMMENT, NOW_MS)).unwrap();
    }
    connection.execute_batch("commit").unwrap();
}

/// Mellow's writer. Its events are encoded, as in a server.
struct Ours {
    writer: WriterHandle<Event>,
    next: Rc<Cell<Option<Next>>>,
}

impl Ours {
    fn start(opened: Opened) -> Self {
        let publish = |committed: Committed<Event>| {
            for (_, event) in &committed.events {
                std::hint::black_box(codec::encode(event).unwrap());
            }
        };
        let writer = writer::start(
            opened.writer,
            DiskFloor::default(),
            Clock::Real,
            opened.ids,
            opened.seq,
            Box::new(publish),
            |_, _, _| Ok(true),
        );
        Self { writer, next: Rc::new(Cell::new(Some(Next::new()))) }
    }

    /// Writes for a time. Returns the writes in a second, and the mean size of a group.
    async fn turn(&self, case: &Case, time: Duration) -> (f64, f64) {
        let load = self.writer.load();
        let counts = || (load.commits.load(Ordering::Relaxed), load.committed.load(Ordering::Relaxed));
        let before = counts();
        let begun = Instant::now();
        let asking: Vec<_> = (0..case.senders())
            .map(|_| {
                let (writer, next, kind) = (self.writer.clone(), self.next.clone(), case.kind);
                actix::spawn(async move {
                    while begun.elapsed() < time {
                        let mut held = next.take().unwrap();
                        let subject = held.subject();
                        next.set(Some(held));
                        submit(&writer, kind, subject).await;
                    }
                })
            })
            .collect();
        for asker in asking {
            asker.await.unwrap();
        }
        let seconds = begun.elapsed().as_secs_f64();
        let after = counts();
        let written = (after.1 - before.1) as f64;
        (written / seconds, written / (after.0 - before.0) as f64)
    }
}

/// Submits a write. Returns its encoded reply.
async fn submit(writer: &WriterHandle<Event>, kind: Kind, subject: Subject) -> Bytes {
    let Subject { user_id, post_id, key, .. } = subject;
    let viewer = Viewer::User { user_id, login_id: LoginId(user_id.0) };
    match kind {
        Kind::Vote => {
            let vote = Vote::Positive;
            writer
                .submit(votes::store::Set { key, post_id, viewer, voter_id: user_id, vote })
                .await
                .unwrap()
                .ok
        }
        Kind::Comment => {
            let comment = comments::store::Create {
                key,
                post_id,
                viewer,
                author_id: user_id,
                text: COMMENT.into(),
                seen: Audience::Public {},
                mentions: Vec::new(),
            };
            writer.submit(comment).await.unwrap().ok
        }
    }
}

/// The statements that Mellow's writer runs for one write, and its reply.
struct Sample {
    statements: Statements,
    reply: Vec<u8>,
}

/// Records one vote and one comment of Mellow's writer. Returns the statements of each.
async fn samples(opened: Opened) -> [Sample; 2] {
    statements::trace(&opened.writer);
    let ours = Ours::start(opened);
    let mut next = Next::new();
    let mut sample = async |kind| {
        let subject = next.subject();
        statements::forget();
        let reply = submit(&ours.writer, kind, subject).await;
        Sample { statements: statements::traced(), reply: reply.to_vec() }
    };
    let samples = [sample(Kind::Vote).await, sample(Kind::Comment).await];
    ours.writer.close().await;
    samples
}

/// The same statements through `rusqlite`.
struct Theirs {
    connection: Connection,
    samples: [Sample; 2],
    next: Next,
    seq: Seq,
}

impl Theirs {
    /// Takes the connection that Mellow's writer would use, with its settings.
    fn start(opened: Opened, samples: [Sample; 2]) -> Self {
        Self { connection: opened.writer, samples, next: Next::new(), seq: opened.seq }
    }

    /// Writes groups for a time. Returns the writes in a second.
    fn turn(&mut self, kind: Kind, group: usize, time: Duration) -> f64 {
        let Sample { statements, reply } = &self.samples[usize::from(kind == Kind::Comment)];
        let begun = Instant::now();
        let mut written = 0;
        while begun.elapsed() < time {
            statements.begin(&self.connection);
            for _ in 0..group {
                let Subject { user_id, post_id, comment_id, key } = self.next.subject();
                let (author_id, key, now_ms) = (author_of(post_id), &key, NOW_MS);
                let text = COMMENT;
                let write = Write { user_id, post_id, comment_id, author_id, text, key, reply, now_ms };
                statements.write(&self.connection, &write);
                self.seq = Seq(self.seq.0 + 1);
            }
            statements.commit(&self.connection, self.seq);
            written += group;
        }
        written as f64 / begun.elapsed().as_secs_f64()
    }
}

/// Checks that the counts of the triggers agree with the rows. Returns the numbers of rows.
fn check(folder: &Path) -> String {
    let connection = Connection::open(folder.join("mellow.db")).unwrap();
    let sql = "select (select count(*) from votes), (select sum(positive_count) from posts),
                      (select count(*) from comments), (select sum(comments_count) from posts),
                      (select count(*) from keys), (select count(*) from posts) - ?1";
    let counts: (i64, i64, i64, i64, i64, i64) =
        connection.query_row(sql, [POSTS], |row| row.try_into()).unwrap();
    let (votes, votes_counted, comments, comments_counted, keys, posts) = counts;
    assert_eq!((votes, comments, keys), (votes_counted, comments_counted, votes + comments + posts));
    format!("{votes} votes, {comments} comments, {posts} posts")
}

fn name(case: &Case) -> String {
    let what = if case.kind == Kind::Vote { "votes" } else { "comments" };
    format!("{what} in groups of {}", case.group)
}

async fn compare(ours: &Ours, theirs: &mut Theirs, times: &Times) {
    let mut figures: Vec<[Vec<f64>; 3]> =
        CASES.iter().map(|_| [Vec::new(), Vec::new(), Vec::new()]).collect();
    for _ in 0..times.turns {
        for (case, figures) in CASES.iter().zip(&mut figures) {
            let (written, group) = ours.turn(case, times.turn).await;
            figures[0].push(written);
            figures[1].push(theirs.turn(case.kind, group.round() as usize, times.turn));
            figures[2].push(group);
        }
    }
    let rows: Vec<Vec<String>> = CASES
        .iter()
        .zip(figures)
        .map(|(case, [ours, theirs, groups])| {
            let (ratio, range) = figures::ratio(&ours, &theirs);
            vec![
                name(case),
                format!("{:.1}", figures::median(groups)),
                format!("{:.0}", figures::median(ours)),
                format!("{:.0}", figures::median(theirs)),
                ratio,
                range,
            ]
        })
        .collect();
    println!("Durable writes a second: medians of {} turns of {:?}\n", times.turns, times.turn);
    figures::print_table(&["", "real group", "Mellow/s", "rusqlite/s", "ratio", "of one turn"], &rows);
}

/// Publishes posts of an author, one after the other. Returns the duration of each, in milliseconds.
async fn posts(ours: &Ours, author_id: UserId, random: &mut SeededRandom, time: Duration) -> Vec<f64> {
    let begun = Instant::now();
    let mut took = Vec::new();
    while begun.elapsed() < time {
        let command = posts::store::Create {
            theme: mellow::features::theme::store::ThemeDay::default(),
            key: KeyUse { user_id: author_id, key: random.key(), body_hash: random.key() },
            viewer: Viewer::User { user_id: author_id, login_id: LoginId(author_id.0) },
            author_id,
            new: posts::rules::NewPost::parse(None, COMMENT, None, None).unwrap(),
            audience: Audience::Public {},
            pictures: Ok(Vec::new()),
            // This cache is new for each post, so that the followers are read from the database.
            followers: Arc::default(),
        };
        let sent_at = Instant::now();
        ours.writer.submit(command).await.unwrap();
        took.push(sent_at.elapsed().as_secs_f64() * 1_000.0);
    }
    took
}

async fn compare_followers(ours: &Ours, times: &Times) {
    let mut random = SeededRandom::new(7, 0);
    let mut medians = [Vec::new(), Vec::new()];
    for _ in 0..times.turns {
        for (author_id, medians) in [UNFOLLOWED, FOLLOWED].into_iter().zip(&mut medians) {
            medians.push(figures::median(posts(ours, author_id, &mut random, times.turn).await));
        }
    }
    let [none, many] = medians.map(figures::median);
    println!("A post until its answer, median: {none:.2} ms with no follower, {many:.2} ms with {FOLLOWERS}");
    println!("So {FOLLOWERS} followers cost {:.2} ms\n", many - none);
}

fn main() {
    let arguments = figures::arguments();
    let times = if figures::is_trial(&arguments) { TRIAL } else { TIMES };
    // The folder is next to the build, because the folder for temporary files may be in memory.
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let folders = ["sample", "mellow", "rusqlite"].map(|name| folder.path().join(name));
    folders.iter().for_each(|folder| prepare(folder));
    actix::System::new().block_on(async {
        let open = async |place: usize| db::open(&folders[place]).await.unwrap();
        let samples = samples(open(0).await).await;
        let ours = Ours::start(open(1).await);
        let mut theirs = Theirs::start(open(2).await, samples);
        let case = &CASES[2];
        match arguments.first().map(String::as_str) {
            Some("mellow") => {
                let (written, group) = ours.turn(case, times.alone).await;
                println!("Mellow, {}: {written:.0}/s, real group {group:.1}", name(case));
            }
            Some("rusqlite") => {
                println!(
                    "rusqlite, {}: {:.0}/s",
                    name(case),
                    theirs.turn(case.kind, case.group, times.alone)
                );
            }
            _ => {
                compare(&ours, &mut theirs, &times).await;
                compare_followers(&ours, &times).await;
            }
        }
        ours.writer.close().await;
    });
    println!("checked: Mellow {}; rusqlite {}", check(&folders[1]), check(&folders[2]));
}

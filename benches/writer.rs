//! Durable writes a second through Mellow's writer, beside the same SQL through `rusqlite`.
//!
//! `cargo bench --bench writer`; with `-- mellow` or `-- rusqlite` only that side runs, votes in
//! groups of 64, long enough to be profiled.
//!
//! Both sides begin with the same file, in the same folder of a real disk, with the same settings
//! (WAL, `synchronous = full`, foreign keys, secure delete) and the same SQLite, and take turns. The
//! statements of the other side are cut out of `store.rs` itself, so that they cannot drift apart;
//! there they run one by one as cached prepared statements on the bench's own thread.
#![expect(clippy::unwrap_used, reason = "a bench that cannot go on stops")]

#[path = "kit/dice.rs"]
mod dice;
#[path = "kit/figures.rs"]
mod figures;

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use dice::Dice;
use mellow::access::Viewer;
use mellow::clock::Clock;
use mellow::db::{self, work::KeyUse, work::Work, writer::WriterHandle};
use mellow::features::views::{Comment, Vote};
use mellow::features::{Event, comments, votes};
use mellow::ids::{CommentId, LoginId, PostId, Seq, UserId};
use mellow::live::ring::Ring;
use mellow::wire::codec;
use rusqlite::types::Value;

/// Turns of each side.
const TURNS: usize = 5;
/// How long one side of one turn runs.
const TURN_TIME: Duration = Duration::from_millis(700);
/// How long one side runs when it is alone, to be profiled.
const ALONE_TIME: Duration = Duration::from_secs(8);

const PEOPLE: i64 = 2_000;
const POSTS: i64 = 500;
const NOW_MS: i64 = 1_795_257_000_123;
const COMMENT: &str = "This is exactly the hour I lost somewhere last winter. Thank you for the reminder.";

/// What is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Vote,
    Comment,
}

/// One comparison: what, in groups of how many, and how many people ask for it at once.
struct Case {
    kind: Kind,
    group: usize,
    askers: usize,
}

/// While one half is being committed the other half gathers, so groups of `n` take `2n` askers.
const CASES: [Case; 5] = [
    Case { kind: Kind::Vote, group: 1, askers: 1 },
    Case { kind: Kind::Vote, group: 16, askers: 32 },
    Case { kind: Kind::Vote, group: 64, askers: 128 },
    Case { kind: Kind::Comment, group: 16, askers: 32 },
    Case { kind: Kind::Comment, group: 64, askers: 128 },
];

/// What the next write is about: the same row of writes on both sides.
struct Next {
    number: i64,
    dice: Dice,
}

struct Subject {
    user_id: UserId,
    post_id: PostId,
    comment_id: CommentId,
    key: KeyUse,
}

impl Next {
    fn new() -> Self {
        Self { number: 0, dice: Dice::new(20_261_121) }
    }

    /// Everybody votes once on each post, in an order that jumps about.
    fn subject(&mut self) -> Subject {
        let number = self.number;
        self.number += 1;
        let user_id = UserId(1 + number % PEOPLE);
        let post_id = PostId(10_001 + (7 * number + number / PEOPLE) % POSTS);
        let key = KeyUse { user_id, key: self.dice.key(), body_hash: self.dice.key() };
        Subject { user_id, post_id, comment_id: CommentId(1_000_000 + number), key }
    }
}

/// Makes a folder with a database in which people may vote; returns its file.
async fn prepare(folder: &Path) -> PathBuf {
    std::fs::create_dir_all(folder).unwrap();
    let opened = db::open(folder).await.unwrap();
    opened.reader.close().await;
    sqlx::Connection::close(opened.writer).await.unwrap();
    let file = folder.join("mellow.db");
    let connection = rusqlite::Connection::open(&file).unwrap();
    connection.execute_batch("begin").unwrap();
    for id in 1..=PEOPLE {
        connection
            .execute(
                "insert into users (id, email, email_key, password_hash, name, created_at_ms, updated_at_ms)
                 values (?1, ?2, ?2, 'none', ?3, ?4, ?4)",
                (id, format!("person{id}@example.org"), format!("Person {id}"), NOW_MS),
            )
            .unwrap();
    }
    for id in 10_001..=10_000 + POSTS {
        connection
            .execute(
                "insert into posts (id, author_id, text, created_at_ms, updated_at_ms) values (?1, ?2, ?3, ?4, ?4)",
                (id, 1 + id % PEOPLE, COMMENT, NOW_MS),
            )
            .unwrap();
    }
    connection.execute_batch("commit; pragma wal_checkpoint(truncate)").unwrap();
    file
}

/// Mellow's own writer, publishing into a ring as it does in a server.
struct Ours {
    writer: WriterHandle<Event>,
    next: Rc<Cell<Option<Next>>>,
}

impl Ours {
    async fn open(folder: &Path) -> Self {
        let opened = db::open(folder).await.unwrap();
        let ring = Arc::new(Ring::new(opened.seq, Clock::Real));
        let publish = Box::new(move |events| ring.append(events));
        let writer = db::writer::start(opened.writer, Clock::Real, opened.seq, publish);
        Self { writer, next: Rc::new(Cell::new(Some(Next::new()))) }
    }

    /// Keeps `askers` people asking for a while; returns writes a second and the mean group.
    async fn turn(&self, case: &Case, time: Duration) -> (f64, f64) {
        let load = self.writer.load();
        let counts = || (load.commits.load(Ordering::Relaxed), load.committed.load(Ordering::Relaxed));
        let before = counts();
        let begun = Instant::now();
        let asking: Vec<_> = (0..case.askers)
            .map(|_| {
                let (writer, next, kind) = (self.writer.clone(), self.next.clone(), case.kind);
                actix::spawn(async move {
                    while begun.elapsed() < time {
                        let mut held = next.take().unwrap();
                        let subject = held.subject();
                        next.set(Some(held));
                        writer.submit(work(kind, subject)).await.unwrap();
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

fn work(kind: Kind, subject: Subject) -> Box<dyn Work<Event = Event>> {
    let Subject { user_id, post_id, comment_id, key } = subject;
    let viewer = Viewer::User { user_id, login_id: LoginId(1) };
    match kind {
        Kind::Vote => {
            Box::new(votes::store::Set { key, post_id, viewer, voter_id: user_id, vote: Vote::Positive })
        }
        Kind::Comment => Box::new(comments::store::Create {
            key,
            id: comment_id,
            post_id,
            viewer,
            author_id: user_id,
            text: COMMENT.into(),
            mentions: Vec::new(),
        }),
    }
}

/// The same through `rusqlite`.
struct Theirs {
    connection: rusqlite::Connection,
    next: Next,
    vote: Vec<String>,
    comment: Vec<String>,
    seq: i64,
}

impl Theirs {
    fn open(file: &Path) -> Self {
        let connection = rusqlite::Connection::open(file).unwrap();
        connection
            .execute_batch(
                "pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on;
                 pragma busy_timeout = 5000; pragma secure_delete = on",
            )
            .unwrap();
        connection.set_prepared_statement_cache_capacity(64);
        Self {
            connection,
            next: Next::new(),
            vote: statements(include_str!("../src/features/votes/store.rs"), "SET"),
            comment: statements(include_str!("../src/features/comments/store.rs"), "CREATE"),
            seq: 0,
        }
    }

    /// Writes groups for a while; returns writes a second.
    fn turn(&mut self, case: &Case, time: Duration) -> f64 {
        let begun = Instant::now();
        let mut written = 0;
        while begun.elapsed() < time {
            self.run("begin immediate", &[]);
            for _ in 0..case.group {
                let arguments = self.arguments(case.kind);
                let statements = if case.kind == Kind::Vote { &self.vote } else { &self.comment };
                for sql in statements {
                    self.run(sql, &arguments);
                }
            }
            self.run("update site set seq = ?1", &[self.seq.into()]);
            self.run("commit", &[]);
            written += case.group;
        }
        written as f64 / begun.elapsed().as_secs_f64()
    }

    fn arguments(&mut self, kind: Kind) -> [Value; 8] {
        let Subject { user_id, post_id, comment_id, key } = self.next.subject();
        let seq = Seq(self.seq + 2);
        self.seq = seq.0;
        let (post, user) = (Value::from(post_id.0), Value::from(user_id.0));
        let (key, body) = (Value::from(key.key.to_vec()), Value::from(key.body_hash.to_vec()));
        match kind {
            Kind::Vote => {
                let answer = |vote| codec::encode(&votes::wire::Voted { post_id, vote, seq }).unwrap();
                let (yes, none) = (answer(Vote::Positive), answer(Vote::None));
                [post, user, key, 1.into(), body, yes.into(), none.into(), NOW_MS.into()]
            }
            Kind::Comment => {
                let (id, text) = (comment_id, COMMENT.to_owned());
                let comment = Comment { id, post_id, author_id: user_id, text, created_at_ms: NOW_MS };
                let answer = codec::encode(&comments::wire::Made { comment, seq }).unwrap();
                [post, user, key, id.0.into(), COMMENT.to_owned().into(), NOW_MS.into(), body, answer.into()]
            }
        }
    }

    /// Runs one statement with as many arguments as it names, reading every row.
    fn run(&self, sql: &str, arguments: &[Value]) {
        let mut statement = self.connection.prepare_cached(sql).unwrap();
        for (place, argument) in arguments.iter().take(statement.parameter_count()).enumerate() {
            statement.raw_bind_parameter(place + 1, argument).unwrap();
        }
        let columns = statement.column_count();
        let mut rows = statement.raw_query();
        while let Some(row) = rows.next().unwrap() {
            for column in 0..columns {
                std::hint::black_box(row.get_ref(column).unwrap());
            }
        }
    }
}

/// Cuts the statements of a constant out of a source file.
fn statements(source: &str, constant: &str) -> Vec<String> {
    let begins = format!("const {constant}: &str = \"");
    let (_, rest) = source.split_once(&begins).unwrap();
    let (sql, _) = rest.split_once("\";").unwrap();
    sql.split(';').map(|statement| statement.trim().to_owned()).collect()
}

/// Every write that was counted is there, and the counts that triggers keep agree.
fn check(file: &Path) -> String {
    let connection = rusqlite::Connection::open(file).unwrap();
    let sql = "select (select count(*) from votes), (select sum(positive_count) from posts),
                      (select count(*) from comments), (select sum(comments_count) from posts),
                      (select count(*) from keys)";
    let counts: [i64; 5] = connection
        .query_row(sql, [], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?]))
        .unwrap();
    let [votes, votes_counted, comments, comments_counted, keys] = counts;
    assert_eq!((votes, comments, keys), (votes_counted, comments_counted, votes + comments));
    format!("{votes} votes, {comments} comments")
}

fn name(case: &Case) -> String {
    let what = if case.kind == Kind::Vote { "votes" } else { "comments" };
    format!("{what} in groups of {}", case.group)
}

async fn compare(ours: &Ours, theirs: &mut Theirs) {
    let mut figures: Vec<[Vec<f64>; 3]> =
        CASES.iter().map(|_| [Vec::new(), Vec::new(), Vec::new()]).collect();
    for _ in 0..TURNS {
        for (case, figures) in CASES.iter().zip(&mut figures) {
            let (written, group) = ours.turn(case, TURN_TIME).await;
            figures[0].push(written);
            figures[1].push(theirs.turn(case, TURN_TIME));
            figures[2].push(group);
        }
    }
    let rows: Vec<Vec<String>> = CASES
        .iter()
        .zip(figures)
        .map(|(case, [ours, theirs, groups])| {
            let ratios = figures::ratios(&ours, &theirs);
            let (low, high) = figures::range(&ratios);
            vec![
                name(case),
                case.askers.to_string(),
                format!("{:.1}", figures::median(groups)),
                format!("{:.0}", figures::median(ours)),
                format!("{:.0}", figures::median(theirs)),
                format!("{:.2}", figures::median(ratios)),
                format!("{low:.2} to {high:.2}"),
            ]
        })
        .collect();
    println!("Durable writes a second: medians of {TURNS} turns of {TURN_TIME:?}\n");
    figures::print_table(
        &["", "askers", "real group", "Mellow/s", "rusqlite/s", "ratio", "of one turn"],
        &rows,
    );
}

fn main() {
    let alone = figures::asked().first().cloned();
    // Beside the build, because the folder for temporary files may be memory.
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let (ours_in, theirs_in) = (folder.path().join("mellow"), folder.path().join("rusqlite"));
    actix::System::new().block_on(async {
        let ours_file = prepare(&ours_in).await;
        let theirs_file = prepare(&theirs_in).await;
        let ours = Ours::open(&ours_in).await;
        let mut theirs = Theirs::open(&theirs_file);
        let case = &CASES[2];
        match alone.as_deref() {
            Some("mellow") => {
                let (written, group) = ours.turn(case, ALONE_TIME).await;
                println!("Mellow, {}: {written:.0}/s, real group {group:.1}", name(case));
            }
            Some("rusqlite") => {
                println!("rusqlite, {}: {:.0}/s", name(case), theirs.turn(case, ALONE_TIME));
            }
            _ => compare(&ours, &mut theirs).await,
        }
        ours.writer.close().await;
        println!("checked: Mellow {}; rusqlite {}", check(&ours_file), check(&theirs_file));
    });
}

//! The cost of encoding and decoding messages, compared with plain `rmp_serde` in the same run.
//!
//! `cargo bench --bench codec` runs it. Words after `--` choose the rows that contain them, and `second` runs each row
//! once, briefly. A time is the median of several rounds. The two sides take turns in a round, so that other load of
//! the machine affects both. Allocations are counted.
#![expect(clippy::unwrap_used, reason = "a bench that cannot go on stops")]

#[path = "support/figures.rs"]
mod figures;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mellow::features::Request;
use mellow::features::events::Event;
use mellow::features::posts::wire::{Created, Post};
use mellow::features::votes::wire::Counted;
use mellow::ids::{PostId, Seq, UserId};
use mellow::model::audience::Audience;
use mellow::model::groups::GroupName;
use mellow::model::users::User;
use mellow::model::vote::Vote;
use mellow::transport::frame::frame;
use mellow::wire::{self, codec};
use serde::{Deserialize, Serialize};

/// The rounds of a row.
struct Rounds {
    /// It is odd, so that the median is a measured figure.
    count: usize,
    /// The time of one side of one round.
    time: Duration,
}

const ROUNDS: Rounds = Rounds { count: 21, time: Duration::from_millis(12) };
const TRIAL: Rounds = Rounds { count: 1, time: Duration::from_millis(1) };

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// The system's allocator. It counts the allocations.
struct Counting;

// SAFETY: every call is passed to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract of the trait, which is that of the system's allocator.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of the trait, which is that of the system's allocator.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract of the trait, which is that of the system's allocator.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The code to measure. It returns the number of bytes that it encoded or decoded.
type Doing<'a> = Box<dyn Fn() -> usize + 'a>;

struct Case<'a> {
    name: &'static str,
    ours: Doing<'a>,
    plain: Doing<'a>,
}

fn allocations(doing: &Doing) -> u64 {
    let before = ALLOCATIONS.with(Cell::get);
    black_box(doing());
    ALLOCATIONS.with(Cell::get) - before
}

/// Returns the mean time of a call in one round, in nanoseconds.
fn round(doing: &Doing, time: Duration) -> f64 {
    let begun = Instant::now();
    let mut calls = 0_u32;
    while begun.elapsed() < time {
        for _ in 0..100 {
            black_box(doing());
        }
        calls += 100;
    }
    begun.elapsed().as_nanos() as f64 / f64::from(calls)
}

fn measure(case: &Case, rounds: &Rounds) -> Vec<String> {
    let (mut ours, mut plain) = (Vec::new(), Vec::new());
    for _ in 0..rounds.count {
        ours.push(round(&case.ours, rounds.time));
        plain.push(round(&case.plain, rounds.time));
    }
    let (ratio, range) = figures::ratio(&ours, &plain);
    vec![
        case.name.into(),
        format!("{:.0}", figures::median(ours)),
        format!("{:.0}", figures::median(plain)),
        ratio,
        range,
        (case.ours)().to_string(),
        (case.plain)().to_string(),
        allocations(&case.ours).to_string(),
        allocations(&case.plain).to_string(),
    ]
}

const TEXT: &str = "Woke before the alarm and walked the long way round the lake. Mist on the water, \
    one heron, nobody else. I keep thinking that the hour before the messages start is the one that \
    decides the day. What do you do with yours? Tea, a notebook, and no phone until eight has worked \
    for me three weeks in a row now.";

const POST_ID: PostId = PostId(7_412_905_221_193_728);
const ANA: UserId = UserId(6_914_003_771_928_576);
const NOW_MS: i64 = 1_795_257_000_123;
const SEQ: Seq = Seq(1_204_551);

fn created() -> Event {
    Event::PostCreated(Created {
        post: Post {
            id: POST_ID,
            author_id: ANA,
            title: Some("The hour before the messages".into()),
            text: TEXT.into(),
            tag: Some("Slow Mornings".into()),
            tag_key: Some("slow mornings".into()),
            content_note: None,
            audience: Audience::Public {},
            pictures: Vec::new(),
            created_at_ms: NOW_MS,
            updated_at_ms: NOW_MS,
            imported: false,
            comments_count: 0,
            first_comments: Vec::new(),
        },
        users: vec![User { id: ANA, name: "Ana Sofia Marques".into(), photo_url: None }],
        groups: Vec::new(),
        recipients: Arc::new([]),
        only: None,
        except: Arc::new([]),
    })
}

fn counted() -> Event {
    Event::VotesCounted(Counted { post_id: POST_ID, positive_count: 41, author_id: ANA })
}

/// The same event as one flat value with its number, as plain serde would encode it.
#[derive(Serialize)]
struct PlainCreated<'a> {
    ev: &'static str,
    post: &'a Post,
    users: &'a [User],
    groups: &'a [GroupName],
    seq: Seq,
}

#[derive(Serialize)]
struct PlainCounted {
    ev: &'static str,
    post_id: PostId,
    positive_count: i64,
    seq: Seq,
}

#[derive(Serialize, Deserialize)]
struct PlainCreate {
    id: u32,
    op: String,
    #[serde(with = "serde_bytes")]
    key: Vec<u8>,
    title: Option<String>,
    text: String,
    tag: Option<String>,
    audience: Audience,
}

#[derive(Serialize, Deserialize)]
struct PlainSet {
    id: u32,
    op: String,
    #[serde(with = "serde_bytes")]
    key: Vec<u8>,
    post_id: i64,
    vote: Vote,
}

fn create_request() -> Vec<u8> {
    rmp_serde::to_vec_named(&PlainCreate {
        id: 4_711,
        op: "posts.create".into(),
        key: vec![0xa5; 16],
        title: Some("The hour before the messages".into()),
        text: TEXT.into(),
        tag: Some("Slow Mornings".into()),
        audience: Audience::Public {},
    })
    .unwrap()
}

fn set_request() -> Vec<u8> {
    rmp_serde::to_vec_named(&PlainSet {
        id: 4_712,
        op: "votes.set".into(),
        key: vec![0xa5; 16],
        post_id: POST_ID.0,
        vote: Vote::Positive,
    })
    .unwrap()
}

fn checked(message: &[u8]) -> usize {
    black_box(codec::check(message).unwrap());
    message.len()
}

/// Checks and decodes a request as a session does.
fn read(message: &[u8]) -> usize {
    let head = codec::check(message).unwrap();
    black_box(Request::read(head.op, message).unwrap());
    message.len()
}

/// Encodes, numbers and frames an event as the event log does.
fn encoded(event: &Event) -> usize {
    frame(&wire::event(SEQ, &codec::encode(event).unwrap())).len()
}

fn main() {
    let (created, counted) = (created(), counted());
    let Event::PostCreated(inner) = &created else { unreachable!("made above") };
    let plain_created = PlainCreated {
        ev: "posts.created",
        post: &inner.post,
        users: &inner.users,
        groups: &inner.groups,
        seq: SEQ,
    };
    let plain_counted = PlainCounted { ev: "votes.counted", post_id: POST_ID, positive_count: 41, seq: SEQ };
    let created_body = codec::encode(&created).unwrap();
    let counted_body = codec::encode(&counted).unwrap();
    let (create, set) = (create_request(), set_request());
    let plain = |value: &Event| rmp_serde::to_vec_named(value).unwrap().len();

    let cases = [
        Case {
            name: "posts.created: encode the body",
            ours: Box::new(|| codec::encode(&created).unwrap().len()),
            plain: Box::new(|| plain(&created)),
        },
        Case {
            name: "posts.created: add seq (plain: encode all again)",
            ours: Box::new(|| wire::event(SEQ, &created_body).len()),
            plain: Box::new(|| rmp_serde::to_vec_named(&plain_created).unwrap().len()),
        },
        Case {
            name: "posts.created: body, seq and frame",
            ours: Box::new(|| encoded(&created)),
            plain: Box::new(|| rmp_serde::to_vec_named(&plain_created).unwrap().len()),
        },
        Case {
            name: "votes.counted: encode the body",
            ours: Box::new(|| codec::encode(&counted).unwrap().len()),
            plain: Box::new(|| plain(&counted)),
        },
        Case {
            name: "votes.counted: add seq (plain: encode all again)",
            ours: Box::new(|| wire::event(SEQ, &counted_body).len()),
            plain: Box::new(|| rmp_serde::to_vec_named(&plain_counted).unwrap().len()),
        },
        Case {
            name: "votes.counted: body, seq and frame",
            ours: Box::new(|| encoded(&counted)),
            plain: Box::new(|| rmp_serde::to_vec_named(&plain_counted).unwrap().len()),
        },
        Case {
            name: "posts.create: check alone (plain: from_slice)",
            ours: Box::new(|| checked(&create)),
            plain: Box::new(|| {
                black_box(rmp_serde::from_slice::<PlainCreate>(&create).unwrap());
                create.len()
            }),
        },
        Case {
            name: "posts.create: check and read (plain: from_slice)",
            ours: Box::new(|| read(&create)),
            plain: Box::new(|| {
                black_box(rmp_serde::from_slice::<PlainCreate>(&create).unwrap());
                create.len()
            }),
        },
        Case {
            name: "votes.set: check alone (plain: from_slice)",
            ours: Box::new(|| checked(&set)),
            plain: Box::new(|| {
                black_box(rmp_serde::from_slice::<PlainSet>(&set).unwrap());
                set.len()
            }),
        },
        Case {
            name: "votes.set: check and read (plain: from_slice)",
            ours: Box::new(|| read(&set)),
            plain: Box::new(|| {
                black_box(rmp_serde::from_slice::<PlainSet>(&set).unwrap());
                set.len()
            }),
        },
    ];
    let mut arguments = figures::arguments();
    let rounds = if figures::is_trial(&arguments) { TRIAL } else { ROUNDS };
    arguments.retain(|word| word != "second");
    println!(
        "Reading and writing messages: medians of {} alternating rounds of {:?}\n",
        rounds.count, rounds.time
    );
    let is_asked = |case: &&Case| arguments.iter().all(|word| case.name.contains(word.as_str()));
    let rows: Vec<Vec<String>> = cases.iter().filter(is_asked).map(|case| measure(case, &rounds)).collect();
    let heads =
        ["", "ns", "plain ns", "ratio", "of one round", "bytes", "plain bytes", "allocs", "plain allocs"];
    figures::print_table(&heads, &rows);
}

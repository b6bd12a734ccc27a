//! What one delivery costs: one author, a thousand followers, real sockets, the real server.
//!
//! `cargo bench --bench fanout`; after `--` a number of followers, `quick` (200 followers), and any
//! of `mellow`, `raw`, `alone`, `flat-out` to run only these.
//!
//! Both servers are this program started again: Mellow as it is, and beside it, taking turns, a bare
//! epoll loop that sends the same bytes with one `send` for each socket. Where there are two cores
//! the servers share one and the people (one thread) have the other. Each follower hears each post
//! once, or the bench stops. Processor time is the scheduler's, all threads of the server.
//!
//! *alone* is one post in flight, so that each delivery is a write of its own; *flat-out* is twenty.
#![expect(clippy::unwrap_used, reason = "a bench that cannot go on stops")]

mod crowd;
mod epoll;
mod process;
mod raw;
mod stage;

#[path = "../kit/dice.rs"]
mod dice;
#[path = "../kit/figures.rs"]
mod figures;

use std::time::Duration;

use crowd::{Crowd, Run};
use stage::Server;

/// Turns of each server in each mode.
const TURNS: usize = 7;
const FOLLOWERS: usize = 1_000;
const FOLLOWERS_QUICK: usize = 200;

struct Mode {
    name: &'static str,
    window: usize,
    /// Deliveries of one turn.
    deliveries: usize,
}

const MODES: [Mode; 2] = [
    Mode { name: "alone", window: 1, deliveries: 100_000 },
    Mode { name: "flat-out", window: 20, deliveries: 300_000 },
];

/// A server with its people, and what was seen of it.
struct Side {
    name: &'static str,
    server: Server,
    crowd: Crowd,
}

/// What was asked for.
struct Asked {
    words: Vec<String>,
    followers: usize,
}

impl Asked {
    fn read() -> Self {
        let (numbers, words): (Vec<String>, Vec<String>) =
            figures::asked().into_iter().partition(|word| word.parse::<usize>().is_ok());
        let usual = if words.iter().any(|word| word == "quick") { FOLLOWERS_QUICK } else { FOLLOWERS };
        let followers = numbers.first().and_then(|number| number.parse().ok()).unwrap_or(usual);
        Self { words, followers }
    }

    /// Is this one of the named, or is none of its kind named?
    fn wants(&self, name: &str, of: [&str; 2]) -> bool {
        let has = |name: &str| self.words.iter().any(|word| word == name);
        has(name) || !of.into_iter().any(has)
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        Some("serve") => {
            child(0);
            stage::serve(&arguments.next().unwrap());
        }
        Some("broadcast") => {
            child(0);
            raw::broadcast(arguments.next().unwrap().parse().unwrap());
        }
        _ => compare(&Asked::read()),
    }
}

fn child(core: usize) {
    process::end_with_parent();
    process::raise_open_files();
    if std::thread::available_parallelism().is_ok_and(|cores| cores.get() > 1) {
        process::stay_on_core(core);
    }
}

fn compare(asked: &Asked) {
    process::raise_open_files();
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let mut sides = start(folder.path(), asked.followers);
    // After the children, who choose their own core.
    if std::thread::available_parallelism().is_ok_and(|cores| cores.get() > 1) {
        process::stay_on_core(1);
    }
    for mode in MODES.iter().filter(|mode| asked.wants(mode.name, ["alone", "flat-out"])) {
        compare_in(mode, &mut sides, asked);
    }
}

/// Starts both servers, seats everybody, and prints what sitting there costs.
fn start(folder: &std::path::Path, followers: usize) -> Vec<Side> {
    stage::seed(folder, followers);
    let server = Server::start("serve", &folder.display().to_string());
    let mut idle = (0, 0);
    let crowd = Crowd::of_mellow(&server, followers, || {
        std::thread::sleep(Duration::from_millis(200));
        idle = (server.pss_bytes(), server.cpu_ns());
    });
    std::thread::sleep(Duration::from_millis(200));
    let each = |after: u64, before: u64| after.saturating_sub(before) as f64 / followers as f64;
    println!(
        "{followers} sockets: {:.1} KiB of memory for each idle one, {:.0} µs of processor for each handshake (log-in looked up)",
        each(server.pss_bytes(), idle.0) / 1024.0,
        each(server.cpu_ns(), idle.1) / 1_000.0,
    );
    let mut mellow = Side { name: "mellow", server, crowd };
    // The first posts warm up both sides and show what a delivery looks like.
    mellow.crowd.run(&mellow.server, 20, 1);
    let server = Server::start("broadcast", &followers.to_string());
    let crowd = Crowd::of_raw(&server, followers, &mellow.crowd);
    let mut raw = Side { name: "raw", server, crowd };
    raw.crowd.run(&raw.server, 20, 1);
    println!("{} bytes for each delivery\n", mellow.crowd.sample().len());
    vec![mellow, raw]
}

/// The figures of one side in one mode, one for each turn.
#[derive(Default)]
struct Seen {
    cpu_us: Vec<f64>,
    spread_us: Vec<f64>,
    per_second: Vec<f64>,
    merged: Vec<f64>,
    delays_us: Vec<u32>,
}

impl Seen {
    fn add(&mut self, run: Run, posts: usize, unheard_ns: f64) {
        let deliveries = run.deliveries as f64;
        self.cpu_us.push(run.cpu_ns as f64 / deliveries / 1_000.0);
        let spread_ns = run.cpu_ns as f64 - unheard_ns * posts as f64;
        self.spread_us.push(spread_ns / deliveries / 1_000.0);
        self.per_second.push(deliveries / run.seconds);
        self.merged.push(deliveries / run.reads as f64);
        self.delays_us.extend(run.delays_us);
    }

    /// Returns the delay that this share of deliveries stays below, in milliseconds.
    fn delay_ms(&mut self, share: f64) -> f64 {
        let place = (self.delays_us.len() as f64 * share) as usize;
        let place = place.min(self.delays_us.len().saturating_sub(1));
        f64::from(*self.delays_us.select_nth_unstable(place).1) / 1_000.0
    }
}

fn compare_in(mode: &Mode, sides: &mut [Side], asked: &Asked) {
    let posts = mode.deliveries.div_ceil(asked.followers);
    let mut seen: Vec<Seen> = sides.iter().map(|_| Seen::default()).collect();
    let mut unheard = Vec::new();
    for _ in 0..TURNS {
        for (side, seen) in sides.iter_mut().zip(&mut seen) {
            if !asked.wants(side.name, ["mellow", "raw"]) {
                continue;
            }
            let mut unheard_ns = 0.0;
            if side.name == "mellow" {
                unheard_ns = side.crowd.run_unheard(&side.server, 100, mode.window);
                unheard.push(unheard_ns / 1_000.0);
            }
            seen.add(side.crowd.run(&side.server, posts, mode.window), posts, unheard_ns);
        }
    }
    print_mode(mode, sides, seen, unheard);
}

/// Returns the median and the range of the ratios, where there is something to compare with.
fn beside(figures: &[f64], raw: &[f64]) -> (String, String) {
    let ratios = figures::ratios(figures, raw);
    if ratios.is_empty() {
        return ("-".into(), "-".into());
    }
    let (low, high) = figures::range(&ratios);
    (format!("{:.2}", figures::median(ratios)), format!("{low:.2} to {high:.2}"))
}

fn print_mode(mode: &Mode, sides: &[Side], mut seen: Vec<Seen>, unheard: Vec<f64>) {
    println!(
        "{}: {} in flight, medians of {TURNS} turns of {} deliveries",
        mode.name, mode.window, mode.deliveries
    );
    let raw_us = seen.last().map(|raw| raw.cpu_us.clone()).unwrap_or_default();
    let rows: Vec<Vec<String>> = sides
        .iter()
        .zip(&mut seen)
        .filter(|(_, seen)| !seen.cpu_us.is_empty())
        .map(|(side, seen)| {
            let (ratio, spread) = beside(&seen.cpu_us, &raw_us);
            vec![
                side.name.into(),
                format!("{:.2}", figures::median(seen.cpu_us.clone())),
                ratio,
                spread,
                format!("{:.2}", figures::median(seen.spread_us.clone())),
                beside(&seen.spread_us, &raw_us).0,
                format!("{:.0}", figures::median(seen.per_second.clone())),
                format!("{:.1}", figures::median(seen.merged.clone())),
                format!("{:.1}", seen.delay_ms(0.5)),
                format!("{:.1}", seen.delay_ms(0.99)),
            ]
        })
        .collect();
    figures::print_table(
        &[
            "",
            "CPU µs",
            "x raw",
            "of one turn",
            "less the post",
            "x raw",
            "deliveries/s",
            "merged",
            "p50 ms",
            "p99 ms",
        ],
        &rows,
    );
    if !unheard.is_empty() {
        println!("A post that nobody hears costs {:.0} µs of processor.\n", figures::median(unheard));
    }
}

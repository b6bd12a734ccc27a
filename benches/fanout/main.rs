//! Measures the cost of one delivery: one author, a thousand followers, real sockets, the real server.
//!
//! `cargo bench --bench fanout` runs it. Arguments after `--` are a number of followers, `quick` (200 followers),
//! `second` (a few followers, to check that nothing is lost), and any of `mellow`, `raw`, `uws`, `alone`, `flat-out`,
//! `open-loop`, `handshakes` to run only these.
//!
//! Two other servers take turns with Mellow. `raw` is a bare epoll loop that sends the same bytes with one `send` for
//! each socket. `uws` is uWebSockets with its native topics, inside npm's `bun`. It runs if `MELLOW_BUN` or the path
//! names a `bun`. On two cores, the servers share one core, and the clients (one thread) have the other. The bench
//! stops if a follower does not receive each post exactly once. Processor time is that of all threads of the server, as
//! the scheduler counts it.
//!
//! *alone* means one post in flight, so that each delivery is a separate write. *flat-out* means twenty in flight.
//! *open-loop* means that posts are due at a steady rate. A delay then begins when its post is due.
#![expect(clippy::unwrap_used, reason = "a bench that cannot go on stops")]

mod clients;
mod epoll;
mod raw;

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

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use clients::{AUTHOR, Clients, FIRST_FOLLOWER, Pace, Protocol, Run, Sample};
use mellow::clock::Clock;
use process::Server;
use quantile::quantile;

struct Mode {
    name: &'static str,
    /// The number of posts in flight; None if posts are due at the rate [`OPEN_LOOP_PER_SECOND`].
    in_flight: Option<usize>,
    /// The number of deliveries of a turn, and the least number of posts of a turn.
    deliveries: usize,
    posts_min: usize,
}

/// The number of deliveries in a second.
const OPEN_LOOP_PER_SECOND: f64 = 20_000.0;

const MODES: [Mode; 3] = [
    Mode { name: "alone", in_flight: Some(1), deliveries: 100_000, posts_min: 20 },
    Mode { name: "flat-out", in_flight: Some(20), deliveries: 300_000, posts_min: 60 },
    Mode { name: "open-loop", in_flight: None, deliveries: 40_000, posts_min: 10 },
];

/// A server and its measurements.
struct Side {
    name: &'static str,
    protocol: Protocol,
    /// None if it is started for each turn.
    server: Option<Server>,
    /// The measurements of each mode.
    seen: [Seen; MODES.len()],
}

/// The arguments of this run.
struct Options {
    words: Vec<String>,
    followers: usize,
    /// The number of turns of each server in each mode.
    turns: usize,
    /// The number of handshakes of a turn.
    handshakes: usize,
    /// The deliveries of each mode are divided by this number.
    parts: usize,
}

impl Options {
    fn read() -> Self {
        let (numbers, words): (Vec<String>, Vec<String>) =
            figures::arguments().into_iter().partition(|word| word.parse::<usize>().is_ok());
        let has = |name: &str| words.iter().any(|word| word == name);
        let (usual, turns, handshakes, parts) = match (figures::is_trial(&words), has("quick")) {
            (true, _) => (50, 1, 40, 300),
            (false, true) => (200, 7, 1_000, 1),
            (false, false) => (1_000, 7, 1_000, 1),
        };
        let followers = numbers.first().and_then(|number| number.parse().ok()).unwrap_or(usual);
        Self { words, followers, turns, handshakes, parts }
    }

    /// Returns whether `name` is an argument, or whether no name of its kind is one.
    fn wants(&self, name: &str, kind: &[&str]) -> bool {
        let has = |name: &str| self.words.iter().any(|word| word == name);
        has(name) || !kind.iter().any(|name| has(name))
    }

    fn wants_side(&self, name: &str) -> bool {
        self.wants(name, &["mellow", "raw", "uws"])
    }

    fn wants_mode(&self, name: &str) -> bool {
        self.wants(name, &["alone", "flat-out", "open-loop", "handshakes"])
    }

    fn pace(&self, mode: &Mode) -> Pace {
        match mode.in_flight {
            Some(most) => Pace::InFlight(most),
            None => Pace::Every(Duration::from_secs_f64(self.followers as f64 / OPEN_LOOP_PER_SECOND)),
        }
    }

    fn posts(&self, mode: &Mode) -> usize {
        (mode.deliveries / self.parts).div_ceil(self.followers).max(mode.posts_min / self.parts)
    }

    /// Returns the logins for the handshakes of a turn. Each login is used once.
    fn newcomers(&self, turn: usize) -> std::ops::Range<i64> {
        let begin = FIRST_FOLLOWER + i64::try_from(self.followers + turn * self.handshakes).unwrap();
        begin..begin + i64::try_from(self.handshakes).unwrap()
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        Some("broadcast") => raw::broadcast(arguments.next().unwrap().parse().unwrap()),
        _ => compare(&Options::read()),
    }
}

fn compare(options: &Options) {
    raise_open_files();
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    seed(folder.path(), options);
    process::leave_servers_their_core();
    let mut sides = sides(folder.path());
    let (mut sample, mut cpu_us) = (Sample::default(), Handshakes::default());
    for turn in 0..options.turns {
        for side in &mut sides {
            // The first turn of Mellow gives the sample of a delivery, so it always runs.
            if options.wants_side(side.name) || sample.frame.is_empty() {
                run(side, &mut sample, turn, options);
            }
        }
        if options.wants_mode("handshakes") {
            cpu_us.turn(&sides, turn, options);
        }
    }
    println!("{} bytes for each delivery\n", sample.frame.len());
    sides.retain(|side| options.wants_side(side.name));
    for (place, mode) in MODES.iter().enumerate().filter(|(_, mode)| options.wants_mode(mode.name)) {
        print_mode(mode, &mut sides, place, options);
    }
    if options.wants_mode("handshakes") {
        cpu_us.print(options);
    }
}

/// Raises the limit of open files as far as the system allows, for this process and its children.
fn raise_open_files() {
    let most = rlimit::increase_nofile_limit(u64::MAX).unwrap_or(0);
    assert!(most > 1_024, "the system gives {most} open files: please raise the limit (ulimit -n)");
}

/// Makes a database in which all followers follow the author and have a login. It also has the logins for the
/// handshakes.
fn seed(folder: &Path, options: &Options) {
    let connection = users::database(folder);
    let now_ms = Clock::Real.now_ms();
    connection.execute_batch("begin").unwrap();
    let followers = FIRST_FOLLOWER..options.newcomers(0).start;
    let follow = "insert into follows (follower_id, followed_id, id) values (?1, ?2, ?1)";
    for id in AUTHOR..options.newcomers(options.turns).start {
        users::add(&connection, id, &format!("Person {id}"), now_ms);
        if followers.contains(&id) {
            connection.prepare_cached(follow).unwrap().execute((id, AUTHOR)).unwrap();
        }
    }
    connection.execute_batch("commit").unwrap();
}

/// Starts the servers.
fn sides(folder: &Path) -> Vec<Side> {
    let side = |name, protocol, server| Side { name, protocol, server, seen: Default::default() };
    let mut sides = vec![side("mellow", Protocol::Mellow, Some(Server::mellow(folder, false)))];
    sides.push(side("raw", Protocol::Raw, None));
    match bun() {
        Some(bun) => {
            let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/fanout/uws.js");
            let server = Server::start(Command::new(bun).arg(script));
            sides.push(side("uws", Protocol::Uws, Some(server)));
        }
        None => println!("uWebSockets is left out: no `bun` is on the path or in MELLOW_BUN.\n"),
    }
    sides
}

/// Connects everybody to one server, measures each mode, and disconnects everybody.
fn run(side: &mut Side, sample: &mut Sample, turn: usize, options: &Options) {
    let started;
    let server = match &side.server {
        Some(server) => server,
        None => {
            let mut command = Command::new(std::env::current_exe().unwrap());
            started = Server::start(command.args(["broadcast", &options.followers.to_string()]));
            &started
        }
    };
    let mut before = 0;
    let mut clients =
        Clients::connect(server, side.protocol, options.followers, sample.clone(), turn, || {
            server.settle();
            before = server.pss_bytes();
        });
    server.settle();
    if turn == 0 {
        // Memory is measured only in the first turn. Later turns reuse memory that the first turn allocated.
        let each = server.pss_bytes().saturating_sub(before) as f64 / options.followers as f64 / 1_024.0;
        println!("{}: {} idle sockets take {each:.2} KiB of memory each", side.name, options.followers);
    }
    // The first posts warm up the server and the clients.
    clients.run(server, 5, Pace::InFlight(1));
    *sample = clients.sample().clone();
    for (mode, seen) in MODES.iter().zip(&mut side.seen).filter(|(mode, _)| options.wants_mode(mode.name)) {
        let posts = options.posts(mode);
        let mut post_ns = 0.0;
        if side.protocol == Protocol::Mellow {
            post_ns = clients.run_without_followers(server, 100.min(posts * 2), mode.in_flight.unwrap_or(1));
            seen.post_us.push(post_ns / 1_000.0);
        }
        seen.add(clients.run(server, posts, options.pace(mode)), posts, post_ns);
    }
    drop(clients);
    if side.server.is_some() {
        server.settle();
    }
}

/// Returns the path of the program `bun`; None if there is none.
fn bun() -> Option<PathBuf> {
    let named = std::env::var_os("MELLOW_BUN").map(PathBuf::from);
    named.or_else(|| {
        let path = std::env::var_os("PATH")?;
        std::env::split_paths(&path).map(|folder| folder.join("bun")).find(|program| program.is_file())
    })
}

/// The figures of one server in one mode, with one value for each turn.
#[derive(Default)]
struct Seen {
    cpu_us: Vec<f64>,
    spread_us: Vec<f64>,
    per_second: Vec<f64>,
    merged: Vec<f64>,
    delays_us: Vec<f64>,
    p99_us: Vec<f64>,
    /// The processor time of a post without followers. It is measured for Mellow only.
    post_us: Vec<f64>,
}

impl Seen {
    fn add(&mut self, run: Run, posts: usize, post_ns: f64) {
        let deliveries = run.deliveries as f64;
        self.cpu_us.push(run.cpu_ns as f64 / deliveries / 1_000.0);
        let spread_ns = run.cpu_ns as f64 - post_ns * posts as f64;
        self.spread_us.push(spread_ns / deliveries / 1_000.0);
        self.per_second.push(deliveries / run.seconds);
        self.merged.push(deliveries / run.reads as f64);
        let mut delays_us: Vec<f64> = run.delays_us.into_iter().map(f64::from).collect();
        self.p99_us.push(quantile(&mut delays_us, 0.99));
        self.delays_us.append(&mut delays_us);
    }
}

fn print_mode(mode: &Mode, sides: &mut [Side], place: usize, options: &Options) {
    println!(
        "{}: {}, medians of {} turns of {} posts to {} followers",
        mode.name,
        match mode.in_flight {
            Some(most) => format!("{most} in flight"),
            None => format!("{OPEN_LOOP_PER_SECOND} deliveries a second"),
        },
        options.turns,
        options.posts(mode),
        options.followers
    );
    let figures_of = |name: &str, figures: fn(&Seen) -> &Vec<f64>| {
        let side = sides.iter().find(|side| side.name == name);
        side.map(|side| figures(&side.seen[place]).clone()).unwrap_or_default()
    };
    let raw_us = figures_of("raw", |seen| &seen.cpu_us);
    let uws_us = figures_of("uws", |seen| &seen.cpu_us);
    let uws_per_second = figures_of("uws", |seen| &seen.per_second);
    let uws_p99_us = figures_of("uws", |seen| &seen.p99_us);
    let rows: Vec<Vec<String>> = sides
        .iter_mut()
        .map(|side| {
            let seen = &mut side.seen[place];
            let (raw, raw_range) = figures::ratio(&seen.cpu_us, &raw_us);
            let (uws, uws_range) = figures::ratio(&seen.cpu_us, &uws_us);
            vec![
                side.name.into(),
                format!("{:.2}", figures::median(seen.cpu_us.clone())),
                raw,
                raw_range,
                uws,
                uws_range,
                format!("{:.2}", figures::median(seen.spread_us.clone())),
                figures::ratio(&seen.spread_us, &uws_us).0,
                format!("{:.0}", figures::median(seen.per_second.clone())),
                figures::ratio(&seen.per_second, &uws_per_second).0,
                format!("{:.1}", figures::median(seen.merged.clone())),
                format!("{:.1}", quantile(&mut seen.delays_us, 0.5) / 1_000.0),
                format!("{:.1}", figures::median(seen.p99_us.clone()) / 1_000.0),
                figures::ratio(&seen.p99_us, &uws_p99_us).0,
            ]
        })
        .collect();
    let heads = [
        "",
        "CPU µs",
        "x raw",
        "of one turn",
        "x uws",
        "of one turn",
        "less the post",
        "x uws",
        "deliveries/s",
        "x uws",
        "merged",
        "p50 ms",
        "p99 ms",
        "x uws",
    ];
    figures::print_table(&heads, &rows);
    for seen in sides.iter().map(|side| &side.seen[place]).filter(|seen| !seen.post_us.is_empty()) {
        let (post_us, each_us) =
            (figures::median(seen.post_us.clone()), figures::median(seen.cpu_us.clone()));
        println!(
            "A post without followers costs {post_us:.0} µs of processor: {:.0} % of one to all of them.\n",
            100.0 * post_us / (each_us * options.followers as f64)
        );
    }
}

/// The processor time of one handshake, in microseconds, with one value for each turn.
#[derive(Default)]
struct Handshakes {
    uws: Vec<f64>,
    guest: Vec<f64>,
    user: Vec<f64>,
}

impl Handshakes {
    /// Opens sockets to each server and closes them again. The server has not met these logins before.
    fn turn(&mut self, sides: &[Side], turn: usize, options: &Options) {
        let newcomers = options.newcomers(turn);
        for (side, server) in sides.iter().filter_map(|side| Some((side, side.server.as_ref()?))) {
            if !options.wants_side(side.name) {
                continue;
            }
            if side.protocol == Protocol::Uws {
                self.uws
                    .push(handshake_us(server, options, |port| clients::open_uws(port, newcomers.clone())));
                continue;
            }
            let guests = vec![None; options.handshakes];
            self.guest.push(handshake_us(server, options, |port| socket::open_mellow(port, &guests)));
            let users: Vec<_> = newcomers.clone().map(|id| Some(users::cookie(id))).collect();
            self.user.push(handshake_us(server, options, |port| socket::open_mellow(port, &users)));
        }
    }

    fn print(&self, options: &Options) {
        println!("handshakes: medians of {} turns of {}", options.turns, options.handshakes);
        let row = |(name, ours): (&str, &Vec<f64>)| {
            let (ratio, range) = figures::ratio(ours, &self.uws);
            vec![name.into(), format!("{:.0}", figures::median(ours.clone())), ratio, range]
        };
        let sides = [("uws", &self.uws), ("mellow, guest", &self.guest), ("mellow, logged in", &self.user)];
        let rows: Vec<Vec<String>> =
            sides.into_iter().filter(|(_, ours)| !ours.is_empty()).map(row).collect();
        figures::print_table(&["", "CPU µs", "x uws", "of one turn"], &rows);
    }
}

/// Opens sockets and closes them again. Returns the processor time of the server for opening one socket, in
/// microseconds.
fn handshake_us<S>(server: &Server, options: &Options, open: impl FnOnce(u16) -> S) -> f64 {
    let before = server.cpu_ns();
    let opened = open(server.port);
    let cpu_ns = server.cpu_ns() - before;
    drop(opened);
    server.settle();
    cpu_ns as f64 / options.handshakes as f64 / 1_000.0
}

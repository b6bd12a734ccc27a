//! The storm: the server is restarted, and every tab reconnects as the web app does.
//!
//! Each tab shows the home screen. Its first visit reads the whole screen. After the restart it connects, resumes, and
//! reads the parts that are not replayed. A tab is live when it has received `hello`, and fresh when all its requests
//! have their replies. At the end a user publishes a post. The tab of each follower must receive it once, and the other
//! tabs must not receive it.

pub mod report;
mod tabs;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::Path;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::{Duration, Instant};

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use crate::Program;
use crate::clients::Target;
use crate::community::{Community, Ids};
use crate::net::Waiting;
use crate::options::Options;
use crate::random;
use crate::report::thousands;
use crate::run::raise_open_files;
use crate::server::{Folder, Server};
use report::StormReport;
use tabs::{Stage, Tab};

/// The longest wait for frames in one turn.
const TURN: Duration = Duration::from_millis(1);
/// The storm ends with an error after this time without a message, in microseconds.
const PATIENCE_US: u64 = 30_000_000;
/// The number of first visits at the same time. They are not measured.
const VISITS_AT_ONCE: usize = 64;
/// The time without a message after which the last post counts as delivered, in microseconds.
const QUIET_US: u64 = 1_500_000;
/// The most bytes of one read.
const READ_BYTES: usize = 256 * 1_024;

struct Storm {
    target: Target,
    ids: Ids,
    tabs: Vec<Tab>,
    waiting: Waiting,
    due: BinaryHeap<Reverse<(u64, usize)>>,
    /// The times when attempts are given up.
    ends: BinaryHeap<Reverse<(u64, usize)>>,
    fresh: usize,
    /// The number of attempts until now, including the first visits.
    attempts: usize,
    /// The number of tabs that connect or read. `at_once` is their limit.
    under_way: usize,
    at_once: usize,
    /// The requests that were refused as busy, and the times when they are sent again.
    again: BinaryHeap<Reverse<(u64, usize, &'static str)>>,
    begun: Instant,
    last_us: u64,
    random: fastrand::Rng,
    epoch: String,
    buffer: Vec<u8>,
    report: StormReport,
}

/// Runs a storm on a server of its own. The server has one core for itself if there are two.
///
/// # Errors
/// One sentence that says why there is no report.
pub fn run(options: &Options, program: &Program) -> Result<StormReport, String> {
    let community = Community::new(&options.size);
    raise_open_files(community.len())?;
    let folder = Folder::new()?;
    let ids = (program.make_database)(&folder.0, &community)?;
    (program.add_ballots)(&folder.0, &community, &ids)?;
    let server = on_its_core(|| Server::start(&folder.0, 0))?;
    let host = format!("127.0.0.1:{}", server.port);
    let address = ([127, 0, 0, 1], server.port).into();
    let target = Target { address, sockets: vec![address], origin: format!("http://{host}"), host };
    let mut storm = Storm::new(target, ids, options.size.seed)?;
    storm.visit()?;
    let server = storm.restart(server, &folder.0)?;
    storm.publish(&community)?;
    drop(server);
    Ok(storm.report)
}

/// Runs `work` on the first core. Its threads and processes stay on that core. Afterwards this thread runs on the other
/// cores.
fn on_its_core<T>(work: impl FnOnce() -> T) -> T {
    let all = sched_getaffinity(None).unwrap_or_default();
    let of = |wanted: &dyn Fn(usize) -> bool| {
        let mut set = CpuSet::new();
        (0..CpuSet::MAX_CPU).filter(|core| all.is_set(*core) && wanted(*core)).for_each(|core| set.set(core));
        set
    };
    let first = (0..CpuSet::MAX_CPU).find(|core| all.is_set(*core)).unwrap_or_default();
    // If the system refuses, the server and the test share all cores.
    let _ = sched_setaffinity(None, &of(&|core| core == first));
    let done = work();
    let others = if all.count() > 1 { of(&|core| core != first) } else { all };
    let _ = sched_setaffinity(None, &others);
    done
}

impl Storm {
    fn new(target: Target, ids: Ids, seed: u64) -> Result<Self, String> {
        let tabs: Vec<Tab> = ids.users.iter().map(|_| Tab::default()).collect();
        let due = (0..tabs.len()).map(|person| Reverse((0, person))).collect();
        Ok(Self {
            target,
            ids,
            tabs,
            waiting: Waiting::new().map_err(|why| format!("the system cannot wait for sockets: {why}"))?,
            due,
            ends: BinaryHeap::new(),
            fresh: 0,
            attempts: 0,
            under_way: 0,
            at_once: VISITS_AT_ONCE,
            again: BinaryHeap::new(),
            begun: Instant::now(),
            last_us: 0,
            random: random(seed, 5),
            epoch: String::new(),
            buffer: vec![0; READ_BYTES],
            report: StormReport::default(),
        })
    }

    fn now_us(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    /// Takes turns until `is_done`.
    fn turn_until(&mut self, is_done: impl Fn(&Self) -> bool) -> Result<(), String> {
        self.last_us = self.now_us();
        while !is_done(self) {
            self.turn()?;
            if let Some(fault) = self.report.faults.first() {
                return Err(fault.clone());
            }
            if self.now_us() > self.last_us + PATIENCE_US {
                return Err(format!(
                    "nothing comes any more, and {} tabs are fresh",
                    thousands(self.fresh as u64)
                ));
            }
        }
        Ok(())
    }

    /// Lets every tab open the home screen for the first time.
    fn visit(&mut self) -> Result<(), String> {
        self.turn_until(|storm| storm.fresh == storm.tabs.len())
    }

    /// Restarts the server, and returns it when all tabs are fresh again.
    fn restart(&mut self, mut server: Server, folder: &Path) -> Result<Server, String> {
        self.report = StormReport { tabs: self.tabs.len(), ..StormReport::default() };
        self.begun = Instant::now();
        self.at_once = usize::MAX;
        let (sender, restarted) = channel();
        let (begun, folder) = (self.begun, folder.to_owned());
        std::thread::spawn(move || {
            let since = || begun.elapsed().as_secs_f64();
            let again = server.stop().and_then(|()| {
                let stopped_s = since();
                let server = on_its_core(|| Server::start(&folder, server.port))?;
                Ok((server, stopped_s, since()))
            });
            // The storm may have ended with an error meanwhile.
            let _ = sender.send(again);
        });
        let (server, stopped_s, listens_s) = self.wait_for(&restarted)?;
        self.turn_until(|storm| storm.fresh == storm.tabs.len())?;
        let used = server.usage();
        let times = |of: &dyn Fn(&Tab) -> u64| {
            let mut times: Vec<u64> = self.tabs.iter().map(of).collect();
            times.sort_unstable();
            [0, times.len() / 2, times.len() - 1].map(|place| times[place] as f64 / 1e6)
        };
        let (live_s, fresh_s) = (times(&|tab| tab.live_us), times(&|tab| tab.fresh_us));
        let report = &mut self.report;
        (report.live_s, report.fresh_s) = (live_s, fresh_s);
        (report.stopped_s, report.listens_s) = (stopped_s, listens_s);
        (report.server_cpu_s, report.server_memory_bytes) = (used.cpu_ns as f64 / 1e9, used.memory_bytes);
        Ok(server)
    }

    fn wait_for<T>(&mut self, restarted: &Receiver<Result<T, String>>) -> Result<T, String> {
        loop {
            match restarted.try_recv() {
                Ok(result) => return result,
                Err(TryRecvError::Disconnected) => return Err("the server did not start again".into()),
                Err(TryRecvError::Empty) => self.turn()?,
            }
        }
    }

    /// Publishes a post. The user and the followers must receive it, and nobody else.
    fn publish(&mut self, community: &Community) -> Result<(), String> {
        let (events, bytes) = (self.report.events.clone(), self.report.received_bytes);
        let author =
            (0..community.len()).max_by_key(|person| community.followers[*person].len()).unwrap_or_default();
        let key = self.random.u128(..).to_ne_bytes();
        self.ask(author, "posts.create", 3, |out| {
            let out = out.text("key").bytes(&key).text("text").text("Everybody is back.");
            out.text("audience").map(1).text("type").text("public")
        });
        self.last_us = self.now_us();
        self.turn_until(|storm| storm.now_us() > storm.last_us + QUIET_US)?;
        (self.report.events, self.report.received_bytes) = (events, bytes);
        self.report.followers = community.followers[author].len();
        for (person, tab) in self.tabs.iter().enumerate() {
            let expected = u32::from(person == author || community.following[person].contains(&author));
            if tab.received != expected {
                let says = format!("tab {person} received {} posts instead of {expected}", tab.received);
                self.report.faults.push(says);
            }
        }
        Ok(())
    }

    fn turn(&mut self) -> Result<(), String> {
        let now_us = self.now_us();
        while let Some(Reverse((at_us, person))) = self.due.peek().copied()
            && at_us <= now_us
            && self.under_way < self.at_once
        {
            self.due.pop();
            self.connect(person)?;
        }
        while let Some(Reverse((at_us, person, op))) = self.again.peek().copied()
            && at_us <= now_us
        {
            self.again.pop();
            let pending = &mut self.tabs[person].pending;
            if let Some(place) = pending.iter().position(|waits| *waits == (0, op)) {
                pending.swap_remove(place);
                self.read(person, op);
            }
        }
        while let Some(Reverse((at_us, person))) = self.ends.peek().copied()
            && at_us <= now_us
        {
            self.ends.pop();
            let tab = &self.tabs[person];
            if tab.until_us == at_us
                && matches!(tab.stage, Stage::Connecting | Stage::Handshake | Stage::Upgraded)
            {
                self.report.refused += 1;
                self.later(person);
            }
        }
        let mut ready = Vec::new();
        self.waiting
            .wait(TURN, &mut ready)
            .map_err(|why| format!("the system cannot wait for sockets: {why}"))?;
        for person in ready {
            self.receive(person);
        }
        Ok(())
    }
}

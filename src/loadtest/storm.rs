//! The storm: the server is restarted, and everybody's tab comes back as the web app does it.
//!
//! Each tab shows home. Its first visit reads all of it. After the restart it connects, resumes, and reads what resuming
//! cannot tell. It is live when its socket said hello, and fresh when everything it asked is answered. At the end somebody
//! publishes a post: each follower's tab must receive it once, and no other tab anything.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::net::TcpStream;
use std::path::Path;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::{Duration, Instant};

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use super::clients::Target;
use super::events::{self, Head, Kind};
use super::frames;
use super::msgpack::{Cursor, Writer, described, entries};
use super::net::{self, Moved, Waiting};
use super::options::Options;
use super::plan::World;
use super::report::thousands;
use super::run::raise_open_files;
use super::server::{Folder, Server};
use super::storm_report::StormReport;
use super::world::{self, Ids};
use crate::seeded_random::SeededRandom;

/// How long one turn waits for frames.
const TURN: Duration = Duration::from_millis(1);
/// Nothing comes for so long before the storm is given up.
const PATIENCE_US: u64 = 30_000_000;
/// First visits at once: they are not what is measured.
const VISITS_AT_ONCE: usize = 64;
/// The pause before what was refused as busy is asked again, in microseconds.
const BUSY_PAUSE_US: u64 = 500_000;
/// Nothing may come for so long after the last post.
const QUIET_US: u64 = 1_500_000;
/// One attempt in so many takes a port of an address.
const PORTS_SPARED: usize = 4;
/// Bytes that one read takes.
const READ_BYTES: usize = 256 * 1_024;

/// Delays of the web app before it connects again (`web/src/engine/backoff.ts`), in milliseconds.
const RESTART_MS: f64 = 1_000.0;
const FIRST_MIN_MS: f64 = 500.0;
const FIRST_MAX_MS: f64 = 4_000.0;
const MAX_MS: f64 = 60_000.0;
/// The web app gives an attempt up after this, in microseconds.
const ATTEMPT_US: u64 = 10_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Away,
    /// It is to be connected.
    Dialling,
    /// The answer to the handshake is to come.
    Connecting,
    /// `hello` is to come.
    Upgraded,
    /// The answer to `live.resume` is to come.
    Resuming,
    /// Answers are to come.
    Reading,
    Fresh,
}

struct Tab {
    socket: Option<TcpStream>,
    stage: Stage,
    /// The beginning of a frame whose end is still to come.
    rest: Vec<u8>,
    next_id: u64,
    /// Requests without an answer, and what they ask.
    asked: Vec<(u64, &'static str)>,
    cursor: u64,
    /// It has read its screen once.
    has_screen: bool,
    posts: Vec<u64>,
    /// The polls on its screen in which its person voted.
    voted: Vec<u64>,
    attempt: u32,
    /// When it is given up, if no hello came.
    until_us: u64,
    /// What the last beat of the server said: the time within which to come back.
    back_ms: Option<u64>,
    live_us: u64,
    fresh_us: u64,
    /// Posts received after the storm.
    received: u32,
}

struct Storm {
    target: Target,
    ids: Ids,
    tabs: Vec<Tab>,
    waiting: Waiting,
    due: BinaryHeap<Reverse<(u64, usize)>>,
    /// When attempts are given up.
    ends: BinaryHeap<Reverse<(u64, usize)>>,
    fresh: usize,
    /// Attempts so far, the first visits too.
    dialled: usize,
    /// Tabs on their way, and how many of them there may be.
    under_way: usize,
    at_once: usize,
    /// What was refused as busy, and when it is asked again.
    again: BinaryHeap<Reverse<(u64, usize, &'static str)>>,
    begun: Instant,
    last_us: u64,
    dice: SeededRandom,
    epoch: String,
    buffer: Vec<u8>,
    report: StormReport,
}

/// Runs a storm on a server of its own, which has one core for itself where there are two.
///
/// # Errors
/// One sentence: why there is no report.
pub fn run(options: &Options) -> Result<StormReport, String> {
    let world = World::new(&options.size);
    raise_open_files(world.len())?;
    let folder = Folder::new()?;
    let ids = world::make(&folder.0, &world)?;
    world::vote(&folder.0, &world, &ids)?;
    let server = on_its_core(|| Server::start(&folder.0, 0))?;
    let host = format!("127.0.0.1:{}", server.port);
    let target =
        Target { address: ([127, 0, 0, 1], server.port).into(), origin: format!("http://{host}"), host };
    let mut storm = Storm::new(target, ids, options.size.seed)?;
    storm.visit()?;
    let server = storm.restart(server, &folder.0)?;
    storm.publish(&world)?;
    drop(server);
    Ok(storm.report)
}

/// Does something on the first core, whose threads and processes stay there, and goes on on the others.
fn on_its_core<T>(work: impl FnOnce() -> T) -> T {
    let all = sched_getaffinity(None).unwrap_or_default();
    let of = |wanted: &dyn Fn(usize) -> bool| {
        let mut set = CpuSet::new();
        (0..CpuSet::MAX_CPU).filter(|core| all.is_set(*core) && wanted(*core)).for_each(|core| set.set(core));
        set
    };
    let first = (0..CpuSet::MAX_CPU).find(|core| all.is_set(*core)).unwrap_or_default();
    // Where the system does not let us, both share what there is.
    let _ = sched_setaffinity(None, &of(&|core| core == first));
    let done = work();
    let others = if all.count() > 1 { of(&|core| core != first) } else { all };
    let _ = sched_setaffinity(None, &others);
    done
}

/// Returns the time within which a beat says to come back.
fn back_ms(beat: &[u8]) -> Option<u64> {
    entries(beat)
        .into_iter()
        .find(|(name, _)| *name == "back_ms")
        .and_then(|(_, value)| Cursor::new(value).number())
}

impl Storm {
    fn new(target: Target, ids: Ids, seed: u64) -> Result<Self, String> {
        let tab = |_| Tab {
            socket: None,
            stage: Stage::Away,
            rest: Vec::new(),
            next_id: 0,
            asked: Vec::new(),
            cursor: 0,
            has_screen: false,
            posts: Vec::new(),
            voted: Vec::new(),
            attempt: 0,
            until_us: 0,
            back_ms: None,
            live_us: 0,
            fresh_us: 0,
            received: 0,
        };
        let tabs: Vec<Tab> = (0..ids.users.len()).map(tab).collect();
        let due = (0..tabs.len()).map(|person| Reverse((0, person))).collect();
        Ok(Self {
            target,
            ids,
            tabs,
            waiting: Waiting::new().map_err(|why| format!("the system cannot wait for sockets: {why}"))?,
            due,
            ends: BinaryHeap::new(),
            fresh: 0,
            dialled: 0,
            under_way: 0,
            at_once: VISITS_AT_ONCE,
            again: BinaryHeap::new(),
            begun: Instant::now(),
            last_us: 0,
            dice: SeededRandom::new(seed, 5),
            epoch: String::new(),
            buffer: vec![0; READ_BYTES],
            report: StormReport::default(),
        })
    }

    fn now_us(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    /// Turns until `is_done`.
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

    /// Everybody opens home for the first time.
    fn visit(&mut self) -> Result<(), String> {
        self.turn_until(|storm| storm.fresh == storm.tabs.len())
    }

    /// Restarts the server; returns it when everybody is fresh again.
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
            // A storm that gave up listens no more.
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

    /// Somebody publishes a post; their followers must receive it, and nobody else.
    fn publish(&mut self, world: &World) -> Result<(), String> {
        let (events, bytes) = (self.report.events.clone(), self.report.received_bytes);
        let author = (0..world.len()).max_by_key(|person| world.followers[*person].len()).unwrap_or_default();
        let key = self.dice.key();
        self.ask(author, "posts.create", 3, |out| {
            let out = out.text("key").bytes(&key).text("text").text("Everybody is back.");
            out.text("audience").map(1).text("type").text("public")
        });
        self.last_us = self.now_us();
        self.turn_until(|storm| storm.now_us() > storm.last_us + QUIET_US)?;
        (self.report.events, self.report.received_bytes) = (events, bytes);
        self.report.followers = world.followers[author].len();
        for (person, tab) in self.tabs.iter().enumerate() {
            let expected = u32::from(person == author || world.following[person].contains(&author));
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
            let asked = &mut self.tabs[person].asked;
            if let Some(place) = asked.iter().position(|waits| *waits == (0, op)) {
                asked.swap_remove(place);
                self.read(person, op);
            }
        }
        while let Some(Reverse((at_us, person))) = self.ends.peek().copied()
            && at_us <= now_us
        {
            self.ends.pop();
            let tab = &self.tabs[person];
            if tab.until_us == at_us
                && matches!(tab.stage, Stage::Dialling | Stage::Connecting | Stage::Upgraded)
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

    fn connect(&mut self, person: usize) -> Result<(), String> {
        self.report.attempts += 1;
        // The ports of sockets that ended stay taken for a while, so later attempts come from other addresses.
        let number = self.dialled * PORTS_SPARED;
        self.dialled += 1;
        let Ok(socket) = net::begin_to_connect(self.target.address, number) else {
            self.report.refused += 1;
            self.later(person);
            return Ok(());
        };
        let added = self.waiting.add_connecting(&socket, person);
        added.map_err(|why| format!("a socket cannot be waited for: {why}"))?;
        let until_us = self.now_us() + ATTEMPT_US;
        self.ends.push(Reverse((until_us, person)));
        let tab = &mut self.tabs[person];
        (tab.socket, tab.stage, tab.until_us) = (Some(socket), Stage::Dialling, until_us);
        self.under_way += 1;
        Ok(())
    }

    /// The socket is connected, or refused.
    fn dialled(&mut self, person: usize) {
        let Some(socket) = &self.tabs[person].socket else { return };
        let is_connected =
            matches!(socket.take_error(), Ok(None)) && self.waiting.is_connected(socket, person).is_ok();
        if !is_connected {
            self.report.refused += 1;
            self.later(person);
            return;
        }
        let Target { host, origin, .. } = &self.target;
        let handshake = frames::handshake(host, origin, &self.ids.cookies[person]);
        self.tabs[person].stage = Stage::Connecting;
        self.send(person, handshake.as_bytes());
    }

    /// Comes back after a delay, as `retryDelay` of the web app.
    fn later(&mut self, person: usize) {
        let tab = &mut self.tabs[person];
        self.fresh -= usize::from(tab.stage == Stage::Fresh);
        self.under_way -= usize::from(!matches!(tab.stage, Stage::Away | Stage::Fresh));
        (tab.socket, tab.stage) = (None, Stage::Away);
        tab.rest.clear();
        tab.asked.clear();
        let wait_ms = match tab.back_ms.take() {
            Some(back_ms) => RESTART_MS + self.dice.share() * back_ms as f64,
            None => {
                let most = (FIRST_MAX_MS * f64::from(1 << tab.attempt.min(10))).min(MAX_MS);
                tab.attempt += 1;
                FIRST_MIN_MS + self.dice.share() * (most - FIRST_MIN_MS)
            }
        };
        self.due.push(Reverse((self.now_us() + (wait_ms * 1_000.0) as u64, person)));
    }

    /// Sends bytes; what the kernel does not take at once ends the storm, because a tab sends little.
    fn send(&mut self, person: usize, bytes: &[u8]) {
        let Some(socket) = &self.tabs[person].socket else { return };
        match net::send(socket, bytes) {
            Moved::Bytes(count) if count == bytes.len() => {}
            // Reading says that it ended.
            Moved::Ended => {}
            _ => self.report.faults.push(format!("tab {person} could not send {} bytes", bytes.len())),
        }
    }

    fn ask(&mut self, person: usize, op: &'static str, fields: u8, add: impl FnOnce(Writer) -> Writer) {
        let tab = &mut self.tabs[person];
        tab.next_id += 1;
        let out = Writer::default().map(fields + 2).text("id").number(tab.next_id).text("op").text(op);
        tab.asked.push((tab.next_id, op));
        *self.report.asked.entry(op).or_default() += 1;
        let mut frame = Vec::new();
        frames::mask(frames::BINARY, &add(out).done(), [1, 2, 3, 4], &mut frame);
        self.send(person, &frame);
    }

    /// Reads home.
    fn read_home(&mut self, person: usize) {
        for op in ["posts.feed", "polls.list", "groups.list", "theme.get", "moods.today"] {
            self.read(person, op);
        }
    }

    fn read(&mut self, person: usize, op: &'static str) {
        match op {
            "moods.today" => self.ask(person, op, 1, |out| out.text("zone").text("Europe/Berlin")),
            "polls.tallies" => {
                let voted = self.tabs[person].voted.clone();
                self.ask(person, op, 1, |out| {
                    voted.iter().fold(out.text("poll_ids").array(voted.len()), |out, poll| out.number(*poll))
                });
            }
            _ => self.ask(person, op, 0, |out| out),
        }
    }

    /// Reads what the web app reads after it resumed.
    fn read_again(&mut self, person: usize) {
        if !self.tabs[person].voted.is_empty() {
            self.read(person, "polls.tallies");
        }
    }

    fn receive(&mut self, person: usize) {
        if self.tabs[person].stage == Stage::Dialling {
            self.dialled(person);
            return;
        }
        let Some(socket) = &self.tabs[person].socket else { return };
        let mut buffer = std::mem::take(&mut self.buffer);
        match net::receive(socket, &mut buffer) {
            Moved::Bytes(count) => {
                self.report.received_bytes += count as u64;
                self.take_bytes(person, &buffer[..count]);
            }
            Moved::Nothing => {}
            Moved::Ended => self.later(person),
        }
        self.buffer = buffer;
    }

    fn take_bytes(&mut self, person: usize, bytes: &[u8]) {
        let mut bytes = [&std::mem::take(&mut self.tabs[person].rest), bytes].concat();
        if self.tabs[person].stage == Stage::Connecting {
            match frames::head(&bytes) {
                None => {
                    self.tabs[person].rest = bytes;
                    return;
                }
                Some((length, line)) if line.starts_with("HTTP/1.1 101") => {
                    bytes.drain(..length);
                    self.tabs[person].stage = Stage::Upgraded;
                }
                Some(_) => {
                    self.report.refused += 1;
                    self.later(person);
                    return;
                }
            }
        }
        let mut at = 0;
        while let Some(frame) = frames::cut(&bytes[at..]) {
            match frame.first {
                frames::BINARY => self.take_message(person, frame.body),
                frames::PING => {
                    let mut pong = Vec::new();
                    frames::mask(frames::PONG, frame.body, [1, 2, 3, 4], &mut pong);
                    self.send(person, &pong);
                }
                frames::CLOSE => {
                    self.later(person);
                    return;
                }
                _ => {}
            }
            at += frame.length;
        }
        self.tabs[person].rest = bytes.split_off(at);
    }

    fn take_message(&mut self, person: usize, message: &[u8]) {
        let now_us = self.now_us();
        match events::head(message) {
            Some(Head::Event { kind: Kind::Hello, seq }) => self.greeted(person, seq, message),
            Some(Head::Event { kind, seq }) => {
                let tab = &mut self.tabs[person];
                tab.cursor = tab.cursor.max(seq);
                tab.received += u32::from(kind == Kind::PostCreated);
                if kind == Kind::Beat {
                    tab.back_ms = back_ms(message);
                } else {
                    self.last_us = now_us;
                    *self.report.events.entry(kind.name()).or_default() += 1;
                }
            }
            Some(Head::Reply { re }) => {
                self.last_us = now_us;
                self.answered(person, re, message);
            }
            None => self.report.faults.push(format!("no message: {}", described(message))),
        }
    }

    fn greeted(&mut self, person: usize, seq: u64, message: &[u8]) {
        let now_us = self.now_us();
        self.last_us = now_us;
        if self.epoch.is_empty() {
            self.epoch =
                events::facts(Kind::Hello, message).and_then(|hello| hello.epoch).unwrap_or_default();
        }
        let tab = &mut self.tabs[person];
        (tab.live_us, tab.attempt) = (now_us, 0);
        if !tab.has_screen {
            (tab.stage, tab.cursor) = (Stage::Reading, seq);
            self.read_home(person);
            return;
        }
        tab.stage = Stage::Resuming;
        let (cursor, posts, epoch) = (tab.cursor, tab.posts.clone(), self.epoch.clone());
        self.ask(person, "live.resume", 4, |out| {
            let out = out.text("epoch").text(&epoch).text("seq").number(cursor);
            let out = posts.iter().fold(out.text("posts").array(posts.len()), |out, post| out.number(*post));
            out.text("profiles").array(0)
        });
    }

    fn answered(&mut self, person: usize, id: u64, message: &[u8]) {
        let place = self.tabs[person].asked.iter().position(|(asked, _)| *asked == id);
        let Some((place, reply)) = place.zip(events::reply(message)) else {
            self.report.faults.push(format!("an answer to nothing that was asked: {}", described(message)));
            return;
        };
        let (_, op) = self.tabs[person].asked.swap_remove(place);
        if let Some((code, sentence)) = &reply.refusal {
            if code == "busy" {
                self.report.busy += 1;
                self.tabs[person].asked.push((0, op));
                self.again.push(Reverse((self.now_us() + BUSY_PAUSE_US, person, op)));
            } else {
                self.report.faults.push(format!("{op} was refused: {code}: {sentence}"));
            }
            return;
        }
        let tab = &mut self.tabs[person];
        match op {
            "posts.feed" => tab.posts.clone_from(&reply.posts),
            "polls.list" => {
                tab.voted =
                    reply.polls.iter().filter(|(_, counts)| counts.is_some()).map(|poll| poll.0).collect();
            }
            "live.resume" => {
                tab.cursor = if reply.resync { reply.seq } else { tab.cursor.max(reply.seq) };
                tab.stage = Stage::Reading;
                if reply.resync {
                    self.report.resyncs += 1;
                    self.read_home(person);
                } else {
                    self.read_again(person);
                }
            }
            _ => {}
        }
        let now_us = self.now_us();
        let tab = &mut self.tabs[person];
        if tab.asked.is_empty() && tab.stage == Stage::Reading {
            (tab.stage, tab.has_screen, tab.fresh_us) = (Stage::Fresh, true, now_us);
            self.fresh += 1;
            self.under_way -= 1;
        }
    }
}

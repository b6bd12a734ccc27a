//! Runs a test, from the options to the report.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::Program;
use crate::chaos::Proxy;
use crate::clients::{Clients, Target};
use crate::community::Community;
use crate::options::Options;
use crate::plan::{Absence, Actions, absences};
use crate::report::{Report, Second, thousands};
use crate::requests::Scene;
use crate::server::{Folder, Server, Usage, usage_of};
use crate::setup;
use crate::steady::Steady;

/// The longest wait for frames in one turn.
const TURN: Duration = Duration::from_millis(2);
/// The most actions that begin in one turn.
const ACTIONS_AT_ONCE: usize = 64;
/// A test stops waiting for missing events after this time without a message, in microseconds.
const PATIENCE_US: u64 = 10_000_000;
/// The time without a message after which nothing more is expected, in microseconds. Counts are delivered with a delay.
const QUIET_US: u64 = 1_500_000;

/// The time limit in which a server must stop.
const STOP_TIMEOUT: Duration = Duration::from_secs(10);
/// The number of steps of the progress bar.
const SHARES: u64 = 1_000;
/// The number of descriptors that are not sockets.
const OTHER_FILES: u64 = 64;

/// Runs a test. Returns its report.
///
/// # Errors
/// One sentence that says why there is no report.
pub fn run(options: &Options, program: &Program) -> Result<Report, String> {
    let community = Community::new(&options.size);
    // A connection through the proxy needs three descriptors in this process.
    let has_proxy = options.cuts + options.restarts > 0;
    raise_open_files(community.len() * if has_proxy { 3 } else { 1 })?;
    let interrupted = interrupt_flag()?;
    let (mut target, ids, own) = match &options.url {
        Some(url) => {
            let mut target = setup::target(url)?;
            let ids = setup::set_up(&target, &community, &|| interrupted.load(Ordering::Relaxed))?;
            if !options.sockets.is_empty() {
                let address = |url: &String| setup::target(url).map(|front| front.address);
                target.sockets = options.sockets.iter().map(address).collect::<Result<_, _>>()?;
            }
            (target, ids, None)
        }
        None => {
            let folder = Folder::new()?;
            let ids = (program.make_database)(&folder.0, &community)?;
            let server = Server::start(&folder.0, 0)?;
            let host = format!("127.0.0.1:{}", server.port);
            let address = ([127, 0, 0, 1], server.port).into();
            let target = Target { address, sockets: vec![address], origin: format!("http://{host}"), host };
            (target, ids, Some((server, folder)))
        }
    };
    let (server, _folder) = own.unzip();
    let proxy = if has_proxy {
        let within = Duration::from_secs(options.size.seconds);
        let proxy = Proxy::start(&target.sockets, options.cuts, within, options.size.seed)?;
        target.sockets = vec![proxy.address];
        Some(proxy)
    } else {
        None
    };
    let scene = Scene::new(community.clone(), ids);
    let (is_shared, is_disrupted) = (options.url.is_some(), has_proxy || options.is_harmed);
    let clients = Clients::new(target, scene, options.size.seed, is_shared, is_disrupted)?;
    let test = Test {
        options,
        version: program.version,
        community: &community,
        clients,
        proxy,
        restarts: 0,
        server,
        interrupted,
        seconds: Vec::new(),
        sampled: Sampled::default(),
        progress: Progress::new(),
    };
    Ok(test.run())
}

/// Raises the limit of open files to the number that the sockets need.
pub(crate) fn raise_open_files(sockets: usize) -> Result<(), String> {
    let wanted = sockets as u64 + OTHER_FILES;
    let given = rlimit::increase_nofile_limit(u64::MAX).unwrap_or(0);
    if given >= wanted {
        return Ok(());
    }
    Err(format!(
        "{} sockets need {wanted} open files, and the system gives {given}: please raise the limit (ulimit -n {wanted})",
        thousands(sockets as u64)
    ))
}

/// Returns a flag that Ctrl+C and `SIGTERM` set.
fn interrupt_flag() -> Result<Arc<AtomicBool>, String> {
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, flag.clone())
            .map_err(|why| format!("signals cannot be received: {why}"))?;
    }
    Ok(flag)
}

/// The counters at the end of the last recorded second.
#[derive(Default)]
struct Sampled {
    at_us: u64,
    deliveries: u64,
    replies: u64,
    connects: u64,
    cpu_ns: u64,
}

struct Test<'o> {
    options: &'o Options,
    version: &'static str,
    community: &'o Community,
    clients: Clients,
    /// The proxy between the clients and the server; None if no connection is cut and the server is not restarted.
    proxy: Option<Proxy>,
    /// The number of restarts of the server.
    restarts: u64,
    server: Option<Server>,
    interrupted: Arc<AtomicBool>,
    seconds: Vec<Second>,
    sampled: Sampled,
    progress: Progress,
}

impl Test<'_> {
    fn run(mut self) -> Report {
        let connect_s = self.connect();
        let (own, server) = (own_usage(), self.usage());
        let begun = Instant::now();
        let actions = if self.goes_on() { self.act() } else { 0 };
        let run_s = begun.elapsed().as_secs_f64();
        let used =
            |before: Usage, now: Usage| Usage { cpu_ns: now.cpu_ns.saturating_sub(before.cpu_ns), ..now };
        let own = used(own, own_usage());
        let server = server.zip(self.usage()).map(|(before, now)| used(before, now));
        // The open files without the sockets of the test.
        let besides = |second: &Second, usage: Usage| Usage {
            files: usage.files.saturating_sub(second.open as u64),
            ..usage
        };
        let samples = |second: &Second| Some((second.at_s, besides(second, second.server?.1)));
        let steady = Steady::of(&self.seconds.iter().filter_map(samples).collect::<Vec<_>>());
        let run_deliveries = self.clients.checker.deliveries;
        let mut states = 0;
        if self.goes_on() {
            self.settle();
        }
        if self.goes_on() && self.clients.checker.unfinished() == 0 {
            states = self.clients.begin_anew();
            self.settle();
            self.clients.compare_states();
        }
        let is_interrupted = self.interrupted.load(Ordering::Relaxed);
        if self.clients.failure.is_none() && !is_interrupted && self.clients.checker.faults().1 == 0 {
            self.clients.checker.finish();
        }
        if let Some(why) =
            steady.as_ref().filter(|_| self.options.is_steady && !is_interrupted).and_then(Steady::wrong)
        {
            self.clients.failure.get_or_insert(why);
        }
        self.progress.0.finish_and_clear();
        let Self { options, version, community, clients, proxy, restarts, seconds, .. } = self;
        let (faults, faults_count) = clients.checker.faults();
        Report {
            options: options.clone(),
            version,
            sockets: community.len(),
            connect_s,
            run_s,
            run_deliveries,
            actions,
            deliveries: clients.checker.deliveries,
            cuts: proxy.map_or(0, |proxy| proxy.made()),
            restarts,
            numbers: clients.numbers,
            faults: faults.to_vec(),
            faults_count,
            reply: clients.reply,
            connect: clients.connect,
            states,
            steady,
            seconds,
            own,
            server,
            ended: clients.failure,
            is_interrupted,
            delivery: clients.checker.delivery,
            last_delivery: clients.checker.last_delivery,
        }
    }

    /// Returns the usage of the server until now; None if it is not known.
    fn usage(&self) -> Option<Usage> {
        let processes = self.options.processes.iter();
        let of_processes = || processes.map(|id| usage_of(&id.to_string())).reduce(Usage::and);
        self.server.as_ref().map(Server::usage).or_else(of_processes)
    }

    fn goes_on(&self) -> bool {
        self.clients.failure.is_none()
            && self.clients.checker.faults().1 == 0
            && !self.interrupted.load(Ordering::Relaxed)
    }

    /// Waits for frames and handles them. Records the figures of each second.
    fn turn(&mut self, phase: &'static str, share: f64) {
        self.clients.turn(TURN);
        let now_us = self.clients.now_us();
        if now_us - self.sampled.at_us < 1_000_000 {
            return;
        }
        let usage = self.usage();
        let (numbers, checker) = (&self.clients.numbers, &mut self.clients.checker);
        let recent = std::mem::take(&mut checker.recent);
        let lasted_us = (now_us - self.sampled.at_us) as f64;
        let cores =
            |usage: Usage| usage.cpu_ns.saturating_sub(self.sampled.cpu_ns) as f64 / 1_000.0 / lasted_us;
        let second = Second {
            at_s: now_us as f64 / 1e6,
            open: self.clients.open,
            connects: numbers.connects - self.sampled.connects,
            deliveries: checker.deliveries - self.sampled.deliveries,
            replies: numbers.replies - self.sampled.replies,
            p50_ms: recent.quantile_ms(0.5),
            p99_ms: recent.quantile_ms(0.99),
            server: usage.map(|usage| (cores(usage), usage)),
        };
        self.sampled = Sampled {
            at_us: now_us,
            deliveries: checker.deliveries,
            replies: numbers.replies,
            connects: numbers.connects,
            cpu_ns: usage.unwrap_or_default().cpu_ns,
        };
        checker.forget_old(now_us);
        self.progress.show(phase, share, &second, checker.faults().1);
        self.seconds.push(second);
    }

    /// Connects all clients, and waits until they have read their screens. Returns the duration, in seconds.
    fn connect(&mut self) -> f64 {
        while self.goes_on() && !self.clients.is_settled() {
            let share = self.clients.open as f64 / self.community.len().max(1) as f64;
            self.turn("connecting", share);
        }
        self.clients.now_us() as f64 / 1e6
    }

    /// Executes the plan. Returns the number of actions.
    fn act(&mut self) -> u64 {
        if let Some(proxy) = &self.proxy {
            proxy.begin();
        }
        let size = &self.options.size;
        let mut actions = Actions::new(self.community, size).peekable();
        let mut absences = Returns::new(absences(self.community, size));
        let begun_us = self.clients.now_us();
        let end_us = size.seconds * 1_000_000;
        let mut count = 0;
        while self.goes_on() {
            let now_us = self.clients.now_us() - begun_us;
            // Every due action is executed, even if the machine is too slow for the plan.
            let are_disruptions_over =
                self.proxy.as_ref().is_none_or(Proxy::is_done) && self.restarts >= self.options.restarts;
            if now_us >= end_us && actions.peek().is_none() && are_disruptions_over {
                break;
            }
            // The restarts are spread over the run. The next one waits until most people are connected again.
            if self.restarts < self.options.restarts
                && 2 * self.clients.open > self.community.len()
                && now_us > end_us * (2 * self.restarts + 1) / (2 * self.options.restarts)
                && let Err(why) = self.restart()
            {
                self.clients.failure = Some(why);
            }
            absences.change(now_us, &mut self.clients);
            for _ in 0..ACTIONS_AT_ONCE {
                let Some(due) = actions.next_if(|due| due.at_us <= now_us) else { break };
                self.clients.act(due, begun_us + due.at_us);
                count += 1;
            }
            self.turn("acting", now_us as f64 / end_us as f64);
        }
        absences.all_come(&mut self.clients);
        count
    }

    /// Ends the server and starts another one on its folder. Every second restart kills the server instead of stopping
    /// it.
    fn restart(&mut self) -> Result<(), String> {
        let is_sudden = self.restarts % 2 == 1;
        self.server.as_mut().ok_or("the server is not ours")?.end(is_sudden)?;
        let begun = Instant::now();
        while let Some(server) = &mut self.server {
            if server.restart(is_sudden)? {
                let port = server.port;
                if let Some(proxy) = &self.proxy {
                    proxy.set_server(([127, 0, 0, 1], port).into());
                }
                break;
            }
            if begun.elapsed() > STOP_TIMEOUT {
                return Err("the server was asked to stop and goes on".into());
            }
            self.turn("restarting", 1.0);
        }
        self.restarts += 1;
        Ok(())
    }

    /// Waits until all expected events were received.
    fn settle(&mut self) {
        let mut last = (0, self.clients.now_us());
        while self.goes_on() {
            let now_us = self.clients.now_us();
            let is_quiet = now_us > self.clients.last_us + QUIET_US;
            let is_settled = self.clients.is_settled() && self.clients.checker.unfinished() == 0;
            if is_settled && is_quiet || now_us > last.1 + PATIENCE_US {
                return;
            }
            if self.clients.last_us != last.0 {
                last = (self.clients.last_us, now_us);
            }
            self.turn("settling", 1.0);
        }
    }
}

/// Returns the usage of this process until now.
fn own_usage() -> Usage {
    usage_of("self")
}

/// The clients that are away, and the times of their returns.
struct Returns {
    absences: std::iter::Peekable<std::vec::IntoIter<Absence>>,
    away: Vec<Absence>,
}

impl Returns {
    fn new(absences: Vec<Absence>) -> Self {
        Self { absences: absences.into_iter().peekable(), away: Vec::new() }
    }

    /// Disconnects and reconnects the clients that are due.
    fn change(&mut self, now_us: u64, clients: &mut Clients) {
        let is_over = |absence: &Absence| absence.at_us + absence.for_us <= now_us;
        for absence in self.away.extract_if(.., |absence| is_over(absence)) {
            come(absence, clients);
        }
        while let Some(absence) = self.absences.next_if(|absence| absence.at_us <= now_us) {
            if absence.is_stalled {
                clients.stall(absence.person, true);
            } else {
                clients.leave(absence.person);
            }
            self.away.push(absence);
        }
    }

    /// Ends all absences.
    fn all_come(&mut self, clients: &mut Clients) {
        for absence in self.away.drain(..) {
            come(absence, clients);
        }
    }
}

fn come(absence: Absence, clients: &mut Clients) {
    if absence.is_stalled {
        clients.stall(absence.person, false);
    } else {
        clients.come(absence.person);
    }
}

/// The line that shows the progress of a test on a terminal.
struct Progress(ProgressBar);

impl Progress {
    fn new() -> Self {
        let style = ProgressStyle::with_template("{prefix:<10} {bar:24} {elapsed:>4}  {wide_msg}");
        let style = style.expect("this template is valid").progress_chars("█░");
        Self(ProgressBar::new(SHARES).with_style(style))
    }

    fn show(&self, phase: &'static str, share: f64, second: &Second, faults: u64) {
        let Second { open, deliveries, p50_ms, p99_ms, .. } = second;
        let (open, deliveries) = (thousands(*open as u64), thousands(*deliveries));
        self.0.set_prefix(phase);
        self.0.set_message(format!(
            "{open} sockets  {deliveries} deliveries/s  p50 {p50_ms:.1} ms  p99 {p99_ms:.1} ms  {faults} errors"
        ));
        self.0.set_position((share.clamp(0.0, 1.0) * SHARES as f64) as u64);
    }
}

//! The server that a test starts: a child process of the same program, with a temporary folder.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

/// The first argument of a server that [ends with](end_with_parent) the process that started it. It serves as `serve`
/// does.
pub const COMMAND: &str = "serve-for-loadtest";

/// Settings that lift the limits of one person and one address: a load test is many people at one address.
pub const LIMITS: [&str; 16] = [
    "requests-per-second",
    "posts-per-day",
    "edits-per-hour",
    "comments-per-hour",
    "follows-per-day",
    "votes-per-minute",
    "searches-per-minute",
    "polls-per-day",
    "group-changes-per-hour",
    "sign-ups-per-hour",
    "logins-per-quarter",
    "sockets-max",
    "sockets-per-login",
    "sockets-per-address",
    "http-requests-per-minute",
    "http-connections-per-address",
];

/// Returns the sentence that says how a server that runs must have been started: with its limits off, and open to
/// sockets of pages at the address that it listens on.
#[must_use]
pub fn start_hint() -> String {
    let limits = LIMITS.map(|limit| format!("--{limit}=0")).join(" ");
    format!("start it for the test with its limits off and without public_url: --public-url= {limits}")
}

/// A folder that is removed with this value.
pub struct Folder(pub PathBuf);

impl Folder {
    /// Makes one among the system's temporary folders.
    ///
    /// # Errors
    /// One sentence: the system gives none.
    pub fn new() -> Result<Self, String> {
        let mut name = [0; 8];
        getrandom::fill(&mut name).map_err(|why| format!("the system gives no random bytes: {why}"))?;
        let name = format!("mellow-loadtest-{:016x}", u64::from_ne_bytes(name));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).map_err(|why| format!("{}: {why}", path.display()))?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(why) = std::fs::remove_dir_all(&self.0) {
            eprintln!("{} could not be removed: {why}", self.0.display());
        }
    }
}

/// Ends this process when its standard input ends: the other end is open as long as the process that started it. (The
/// kernel's signal for that, `PR_SET_PDEATHSIG`, comes already when the thread ends that started it.)
pub fn end_with_parent() {
    std::thread::spawn(|| {
        // Nobody writes to this input, so any result of the read means that it ended.
        let _ = std::io::stdin().read(&mut [0]);
        let _ = kill_process(rustix::process::getpid(), Signal::KILL);
    });
}

/// The server, ended with this value.
pub struct Server {
    child: Child,
    /// Open as long as the server may run.
    _input: Option<ChildStdin>,
    folder: PathBuf,
    /// What the servers before this one used, in nanoseconds.
    earlier_cpu_ns: u64,
    pub port: u16,
}

/// What the kernel knows of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usage {
    /// Processor time of all its threads so far, in nanoseconds.
    pub cpu_ns: u64,
    pub memory_bytes: u64,
    /// Open descriptors.
    pub files: u64,
    /// Bytes of the log of a server's database.
    pub wal_bytes: u64,
}

impl Server {
    /// Starts this program on a data folder, with its limits off. Port 0 is any that is free.
    ///
    /// # Errors
    /// One sentence: it did not start.
    pub fn start(data: &Path, port: u16) -> Result<Self, String> {
        let mut command = Command::new("/proc/self/exe");
        command
            .args([COMMAND, "--log", "error", "--listen", &format!("127.0.0.1:{port}"), "--data"])
            .arg(data);
        command.args(LIMITS.map(|limit| format!("--{limit}=0")));
        // The server takes no settings from this shell, and Ctrl+C in the shell reaches only the test.
        command.env_clear().current_dir(data).process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|why| format!("a server did not start: {why}"))?;
        // `Child::wait` closes an input that is still a part of the `Child`.
        let input = child.stdin.take();
        let mut line = String::new();
        let read = child.stdout.take().map(|out| BufReader::new(out).read_line(&mut line));
        let port = line.trim().rsplit(':').next().and_then(|port| port.parse().ok());
        match (read, port) {
            (Some(Ok(_)), Some(port)) => {
                Ok(Self { child, _input: input, folder: data.into(), earlier_cpu_ns: 0, port })
            }
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                Err(format!("a server did not start: {line}"))
            }
        }
    }

    /// Asks it to end, or ends it at once.
    ///
    /// # Errors
    /// One sentence: it cannot be reached.
    pub fn end(&mut self, is_sudden: bool) -> Result<(), String> {
        self.earlier_cpu_ns = self.usage().cpu_ns;
        let signal = if is_sudden { Signal::KILL } else { Signal::TERM };
        kill_process(Pid::from_child(&self.child), signal).map_err(|why| format!("the server: {why}"))
    }

    /// Starts another server on the folder once this one has ended; returns whether it did.
    ///
    /// # Errors
    /// One sentence: it did not end as it should, or the other one did not start.
    pub fn restart(&mut self, was_sudden: bool) -> Result<bool, String> {
        match self.child.try_wait().map_err(|why| format!("the server: {why}"))? {
            None => return Ok(false),
            Some(status) if !was_sudden && !status.success() => {
                return Err(format!("the server was asked to stop and ended with {status}"));
            }
            Some(_) => {}
        }
        let mut next = Self::start(&self.folder, 0)?;
        next.earlier_cpu_ns = self.earlier_cpu_ns;
        *self = next;
        Ok(true)
    }

    /// Lets it stop by itself, and waits for that.
    ///
    /// # Errors
    /// One sentence: it cannot be signalled, or did not end well.
    pub fn stop(&mut self) -> Result<(), String> {
        let said = |why: &dyn std::fmt::Display| format!("the server did not stop: {why}");
        let id = Pid::from_child(&self.child);
        kill_process(id, Signal::TERM).map_err(|why| said(&why))?;
        let status = self.child.wait().map_err(|why| said(&why))?;
        if status.success() { Ok(()) } else { Err(said(&status)) }
    }

    /// Returns what this server and the ones before it used so far.
    #[must_use]
    pub fn usage(&self) -> Usage {
        let usage = usage_of(&self.child.id().to_string());
        let wal_bytes = std::fs::metadata(self.folder.join("mellow.db-wal")).map_or(0, |wal| wal.len());
        Usage { cpu_ns: self.earlier_cpu_ns + usage.cpu_ns, wal_bytes, ..usage }
    }
}

/// Returns what a process used so far; nothing where the kernel does not say.
#[must_use]
pub fn usage_of(process: &str) -> Usage {
    let threads = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let cpu_ns = threads
        .filter_map(|thread| std::fs::read_to_string(thread.path().join("schedstat")).ok())
        .filter_map(|times| times.split_whitespace().next()?.parse::<u64>().ok())
        .sum();
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    let files = std::fs::read_dir(format!("/proc/{process}/fd")).map_or(0, |files| files.count() as u64);
    Usage { cpu_ns, memory_bytes: kib.unwrap_or(0) * 1_024, files, wal_bytes: 0 }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Nothing of its folder is wanted any more.
        if let Err(why) = self.child.kill().and_then(|()| self.child.wait().map(drop)) {
            eprintln!("the server had already ended: {why}");
        }
    }
}

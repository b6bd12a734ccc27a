//! The server that a test starts: a child process of the same program, on a temporary folder.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

/// The command of a server that [ends with](end_with_parent) the process that started it. Otherwise it is like `serve`.
pub const COMMAND: &str = "serve-for-loadtest";

/// The limits of a user and of a network address. Load tests and benches switch them off, because their users are faster
/// than people and share one address.
pub const LIMITS: [&str; 18] = [
    "requests-per-second",
    "chunks-per-second",
    "posts-per-day",
    "edits-per-hour",
    "comments-per-hour",
    "follows-per-day",
    "votes-per-minute",
    "searches-per-minute",
    "suggestions-per-minute",
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

/// Returns the sentence that says how to start a server for a test: with its limits off, and without `public_url`, so
/// that it accepts sockets of pages at its own address.
#[must_use]
pub fn start_hint() -> String {
    let limits = LIMITS.map(|limit| format!("--{limit}=0")).join(" ");
    format!("start it for the test with its limits off and without public_url: --public-url= {limits}")
}

/// A folder that is removed when this value is dropped.
pub struct Folder(pub PathBuf);

impl Folder {
    /// Makes a temporary folder.
    ///
    /// # Errors
    /// One sentence that says why the system gives none.
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

/// Ends this process when its standard input ends. The parent process holds the other end as long as it runs. The
/// kernel's signal, `PR_SET_PDEATHSIG`, is not used, because it comes when the thread ends that started this process.
pub fn end_with_parent() {
    std::thread::spawn(|| {
        // Nothing is written to this input, so any result of the read means that it ended.
        let _ = std::io::stdin().read(&mut [0]);
        let _ = kill_process(rustix::process::getpid(), Signal::KILL);
    });
}

/// A server. It is killed when this value is dropped.
pub struct Server {
    child: Child,
    /// The server ends when this is closed.
    _input: Option<ChildStdin>,
    folder: PathBuf,
    /// The processor time of the servers before this one, in nanoseconds.
    earlier_cpu_ns: u64,
    pub port: u16,
}

/// The usage of a process, as the kernel reports it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usage {
    /// The processor time of all threads until now, in nanoseconds.
    pub cpu_ns: u64,
    pub memory_bytes: u64,
    /// The number of open descriptors.
    pub files: u64,
    /// The size of the write-ahead log of a server's database, in bytes.
    pub wal_bytes: u64,
}

impl Server {
    /// Starts this program on a data folder, with its limits off. Port 0 means any free port.
    ///
    /// # Errors
    /// One sentence that says why the server did not start.
    pub fn start(data: &Path, port: u16) -> Result<Self, String> {
        let mut command = Command::new("/proc/self/exe");
        command
            .args([COMMAND, "--log", "error", "--listen", &format!("127.0.0.1:{port}"), "--data"])
            .arg(data);
        command.args(LIMITS.map(|limit| format!("--{limit}=0")));
        // The environment of the shell must not change the settings. Ctrl+C in the shell must reach only the test.
        command.env_clear().current_dir(data).process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|why| format!("a server did not start: {why}"))?;
        // `Child::wait` closes an input that the `Child` still owns.
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

    /// Stops the server, or kills it.
    ///
    /// # Errors
    /// One sentence that says why it cannot be signalled.
    pub fn end(&mut self, is_sudden: bool) -> Result<(), String> {
        self.earlier_cpu_ns = self.usage().cpu_ns;
        let signal = if is_sudden { Signal::KILL } else { Signal::TERM };
        kill_process(Pid::from_child(&self.child), signal).map_err(|why| format!("the server: {why}"))
    }

    /// Starts another server on the folder if this one has ended. Returns whether it did.
    ///
    /// # Errors
    /// One sentence that says that this server ended with an error, or that the other one did not start.
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

    /// Stops the server, and waits until it has ended.
    ///
    /// # Errors
    /// One sentence that says that it cannot be signalled, or that it ended with an error.
    pub fn stop(&mut self) -> Result<(), String> {
        let said = |why: &dyn std::fmt::Display| format!("the server did not stop: {why}");
        let id = Pid::from_child(&self.child);
        kill_process(id, Signal::TERM).map_err(|why| said(&why))?;
        let status = self.child.wait().map_err(|why| said(&why))?;
        if status.success() { Ok(()) } else { Err(said(&status)) }
    }

    /// Returns the usage of this server. The processor time contains that of the servers before it.
    #[must_use]
    pub fn usage(&self) -> Usage {
        let usage = usage_of(&self.child.id().to_string());
        let wal_bytes = std::fs::metadata(self.folder.join("mellow.db-wal")).map_or(0, |wal| wal.len());
        Usage { cpu_ns: self.earlier_cpu_ns + usage.cpu_ns, wal_bytes, ..usage }
    }
}

/// Returns the usage of a process until now; 0 if the kernel does not report it.
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
        // The server need not stop cleanly, because its folder is not used any more.
        if let Err(why) = self.child.kill().and_then(|()| self.child.wait().map(drop)) {
            eprintln!("the server had already ended: {why}");
        }
    }
}

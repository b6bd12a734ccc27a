//! The real program as a child process, for tests of signals, sudden ends and memory.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

/// Settings of a server without rate limits.
pub const CALM: &[(&str, &str)] = &[
    ("log", "off"),
    ("password_memory_kib", "64"),
    ("sockets_max", "0"),
    ("sockets_per_login", "0"),
    ("sockets_per_address", "0"),
    ("http_connections_per_address", "0"),
    ("http_requests_per_minute", "0"),
    ("requests_per_second", "0"),
    ("posts_per_day", "0"),
    ("edits_per_hour", "0"),
    ("comments_per_hour", "0"),
    ("follows_per_day", "0"),
    ("votes_per_minute", "0"),
    ("searches_per_minute", "0"),
    ("suggestions_per_minute", "0"),
    ("profile_edits_per_hour", "0"),
    ("polls_per_day", "0"),
    ("invites_per_day", "0"),
    ("reports_per_day", "0"),
    ("group_changes_per_hour", "0"),
    ("uploads_per_day", "0"),
    ("uploads_per_address", "0"),
    ("chunks_per_second", "0"),
    ("upload_mib_per_day", "0"),
    ("media_mib_per_user", "0"),
    ("exports_per_day", "0"),
    ("imports_per_day", "0"),
    ("disk_free_mib_min", "0"),
    ("database_free_mib_min", "0"),
    // Only stories about backups turn them on.
    ("backup_every_hours", "0"),
    ("backup_before_upgrade", "off"),
    ("mails_per_hour", "0"),
    // Only stories about notices turn them on, so that others know how many mails there are.
    ("login_notices", "off"),
    ("logins_per_quarter", "0"),
    ("guesses_per_day", "0"),
    ("sign_ups_per_hour", "0"),
    // No theme, so that midnight causes no event during a test.
    ("themes_file", "/dev/null"),
];

/// The result of a command of the host.
#[derive(Debug)]
pub struct CommandResult {
    pub code: i32,
    pub text: String,
    /// The output on standard error.
    pub why: String,
}

impl CommandResult {
    /// Returns the lines of `mellow check` about the folder, without those about people on the internet.
    pub fn findings(&self) -> &str {
        self.text.split_once("\nBefore people on the internet").map_or(&self.text, |(findings, _)| findings)
    }
}

/// Runs a command of the host on this folder.
pub async fn host(folder: &Path, arguments: &[&str]) -> CommandResult {
    let mut command = program(folder);
    command.args(arguments).arg("--data").arg(folder);
    let done = tokio::task::spawn_blocking(move || command.output().expect("the program")).await.unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    CommandResult { code: done.status.code().unwrap(), text: text(done.stdout), why: text(done.stderr) }
}

/// Returns a command that runs the program without any settings.
pub fn program(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mellow"));
    // The environment of the test may contain settings.
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("MELLOW_")) {
        command.env_remove(name);
    }
    // The service manager waits for the test, and not for a server of it.
    command.env_remove("NOTIFY_SOCKET");
    command.current_dir(folder);
    command
}

pub struct Child {
    pub at: SocketAddr,
    process: std::process::Child,
}

impl Child {
    /// Starts the program on this folder and waits until it prints its address.
    pub fn starts(folder: &Path, settings: &[(&str, &str)]) -> Self {
        let mut command = program(folder);
        give_settings(&mut command, folder, settings);
        Self::spawns(command)
    }

    /// Starts the program with its log in this file.
    pub fn starts_with_log(folder: &Path, settings: &[(&str, &str)], log: std::fs::File) -> Self {
        let mut command = program(folder);
        give_settings(&mut command, folder, settings);
        command.stderr(log);
        Self::spawns(command)
    }

    /// Starts the program with these variables and with its log in this file.
    pub fn starts_with_environment(folder: &Path, variables: &[(&str, &Path)], log: std::fs::File) -> Self {
        let mut command = program(folder);
        give_settings(&mut command, folder, &[]);
        command.envs(variables.iter().copied()).stderr(log);
        Self::spawns(command)
    }

    /// Starts the program on a disk of this size, which is mounted on this folder only for this process. Returns None
    /// if the system does not allow this.
    pub fn starts_on_small_disk(folder: &Path, bytes: usize) -> Option<Self> {
        on_small_disk(folder, bytes, "").map(Self::spawns)
    }

    /// Runs the program on such a disk that is full, until the program ends.
    pub fn ends_on_full_disk(folder: &Path, bytes: usize) -> Option<Output> {
        let mut command = on_small_disk(folder, bytes, "cat /dev/zero > \"$0/ballast\" 2>/dev/null;")?;
        Some(command.output().expect("the program"))
    }

    /// Returns the path by which this process reaches a file of the child's file system.
    pub fn sees(&self, path: &Path) -> PathBuf {
        let root = PathBuf::from(format!("/proc/{}/root", self.process.id()));
        root.join(path.strip_prefix("/").expect("an absolute path"))
    }

    fn spawns(mut command: Command) -> Self {
        let mut process = command.stdout(Stdio::piped()).spawn().expect("the program");
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let at = line.trim().strip_prefix("Mellow is at http://").expect("one line that says where it is");
        let at = at.split(',').next().unwrap_or(at);
        Self { at: at.parse().unwrap(), process }
    }
}

/// Returns a command that mounts a disk of this size on this folder, runs `first` on it, and starts the program.
fn on_small_disk(folder: &Path, bytes: usize, first: &str) -> Option<Command> {
    let mut trial = Command::new("unshare");
    trial.args(["--user", "--map-root-user", "--mount", "mount", "-t", "tmpfs", "tmpfs"]).arg(folder);
    if !trial.stderr(Stdio::null()).status().is_ok_and(|status| status.success()) {
        return None;
    }
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c"]);
    let script = format!("mount -t tmpfs -o size={bytes} tmpfs \"$0\" && {{ {first} exec \"$@\"; }}");
    command.arg(script).arg(folder);
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("MELLOW_")) {
        command.env_remove(name);
    }
    command.arg(env!("CARGO_BIN_EXE_mellow"));
    give_settings(&mut command, folder, &[]);
    Some(command)
}

/// Sets the folder, no rate limits, and these settings.
fn give_settings(command: &mut Command, folder: &Path, settings: &[(&str, &str)]) {
    command.arg("serve").args(["--listen", "127.0.0.1:0", "--data"]).arg(folder);
    let given = |name: &str| settings.iter().any(|(given, _)| *given == name);
    let calm = CALM.iter().filter(|(name, _)| !given(name));
    for (name, value) in calm.chain(settings) {
        command.args([format!("--{}", name.replace('_', "-")), (*value).into()]);
    }
}

impl Child {
    /// Ends the program suddenly, by SIGKILL.
    pub fn dies(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    pub fn is_asked_to_stop(&self) {
        let kill = format!("kill -TERM {}", self.process.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    }

    /// Waits for the end without blocking other tasks of this thread. Returns the status and the duration.
    pub async fn ends(&mut self) -> (ExitStatus, Duration) {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.process.try_wait().unwrap() {
                return (status, begun.elapsed());
            }
            assert!(begun.elapsed() < super::TIMEOUT, "the program does not end");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Returns the memory of the program, in KiB.
    pub fn memory_kib(&self) -> u64 {
        memory_kib(self.process.id())
    }
}

/// Returns the memory of a process, in KiB.
pub fn memory_kib(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

impl Drop for Child {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

//! Servers as child processes of a bench, and their memory and processor time.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use mellow_loadtest::server::LIMITS;

/// The core of the servers. Mellow has one worker there.
const SERVER_CORE: usize = 0;
/// The core of the bench itself.
const BENCH_CORE: usize = 1;

/// A server in a process of its own. It ends when this value is dropped, or when the bench ends.
pub struct Server {
    child: Child,
    pub port: u16,
}

impl Server {
    /// Starts a program that prints its port at the end of its first line.
    pub fn start(command: &mut Command) -> Self {
        let has_own_core = has_two_cores();
        // SAFETY: the closure makes only system calls, which are allowed between fork and exec.
        unsafe {
            command.pre_exec(move || {
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                if has_own_core {
                    stay_on_core(SERVER_CORE);
                }
                Ok(())
            });
        }
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let port = line.trim().rsplit(':').next().and_then(|port| port.parse().ok());
        let port = port.unwrap_or_else(|| panic!("{command:?} did not start: {line}"));
        Self { child, port }
    }

    /// Starts Mellow on a data folder with the default settings. Without `has_limits`, the limits are off.
    pub fn mellow(data: &Path, has_limits: bool) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mellow"));
        command.args(["--listen", "127.0.0.1:0", "--log", "error", "--data"]).arg(data);
        if !has_limits {
            command.args(LIMITS.map(|limit| format!("--{limit}=0")));
        }
        // The environment of the shell must not change the settings.
        command.env_clear();
        Self::start(&mut command)
    }

    /// Returns the processor time of all threads until now, in nanoseconds, as the scheduler counts it.
    pub fn cpu_ns(&self) -> u64 {
        let threads = fs::read_dir(format!("/proc/{}/task", self.child.id())).into_iter().flatten().flatten();
        threads
            .filter_map(|thread| fs::read_to_string(thread.path().join("schedstat")).ok())
            .filter_map(|times| times.split_whitespace().next()?.parse::<u64>().ok())
            .sum()
    }

    /// Waits until the server is idle, for at most five seconds.
    pub fn settle(&self) {
        let mut before = self.cpu_ns();
        for _ in 0..100 {
            std::thread::sleep(Duration::from_millis(50));
            let now = self.cpu_ns();
            // The server is idle if it uses less than a hundredth of a core. The sum can fall, because it does not
            // contain threads that have ended.
            if now.saturating_sub(before) < 500_000 {
                return;
            }
            before = now;
        }
    }

    /// Returns the memory of the server in bytes. Shared memory is counted by its share (Pss).
    pub fn pss_bytes(&self) -> u64 {
        let rollup = fs::read_to_string(format!("/proc/{}/smaps_rollup", self.child.id()));
        let rollup = rollup.unwrap_or_default();
        let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:"));
        line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).map_or(0, |kib| kib * 1024)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Err(why) = self.child.kill().and_then(|()| self.child.wait().map(drop)) {
            eprintln!("a server had already ended: {why}");
        }
    }
}

/// Moves the bench to another core than that of the servers, if there is one.
pub fn leave_servers_their_core() {
    if has_two_cores() {
        stay_on_core(BENCH_CORE);
    }
}

fn has_two_cores() -> bool {
    // SAFETY: the call takes no pointers.
    unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) > 1 }
}

/// Keeps this process, and the threads that it will start, on one core, if the kernel allows it.
fn stay_on_core(core: usize) {
    // SAFETY: an all-zero set is a valid empty set, and it lives through both calls.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(core, &mut set);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set);
    }
}

//! What the kernel knows of a process: processor time, memory; and on which core it runs.

use std::fs;

/// Returns the processor time of all threads of a process, in nanoseconds, as the scheduler counts it.
pub fn cpu_ns(pid: u32) -> u64 {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    threads
        .filter_map(|thread| fs::read_to_string(thread.path().join("schedstat")).ok())
        .filter_map(|times| times.split_whitespace().next()?.parse::<u64>().ok())
        .sum()
}

/// Returns the memory of a process that is its own or its share of what is shared, in bytes.
pub fn pss_bytes(pid: u32) -> u64 {
    let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
    let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).map_or(0, |kib| kib * 1024)
}

/// Keeps this process, and the threads it will start, on one core; says whether that worked.
pub fn stay_on_core(core: usize) -> bool {
    // SAFETY: an all-zero set is a valid empty set, and it lives through both calls.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(core, &mut set);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set) == 0
    }
}

/// Ends this process when the one that started it ends.
pub fn end_with_parent() {
    // SAFETY: the call takes no pointers.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
}

/// Asks for as many open files as this process may have.
pub fn raise_open_files() {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` lives through both calls.
    unsafe {
        if libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) == 0 {
            limit.rlim_cur = limit.rlim_max;
            libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit);
        }
    }
}

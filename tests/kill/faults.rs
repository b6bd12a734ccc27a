//! R3: a call to the disk fails while the real program runs, and so does every later call. The rounds differ in the
//! first call that fails.
//!
//! `MELLOW_FAULTS=200 cargo test --test kill r3_` makes each of the first 200 calls the first that fails.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use super::backups::many;
use super::random_of_this_run;
use crate::support::child::{Child, host};
use crate::support::person::{Person, post, texts};

/// The longest time of a start after a fault. The goal is two seconds on an idle machine.
const RESTART: Duration = Duration::from_secs(20);
/// The most posts until the failing call.
const POSTS: usize = 200;

/// Compiles the library that makes calls fail, which is `faults.c`.
fn library(folder: &Path) -> PathBuf {
    let path = folder.join("faults.so");
    let mut compile = Command::new("cc");
    compile.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&path).args(["tests/kill/faults.c", "-ldl"]);
    assert!(compile.status().unwrap().success(), "make test needs a C compiler");
    path
}

/// Ana posts while call `number` and all later calls fail. Returns the acknowledged texts.
async fn posts_until_the_end(folder: &Path, library: &Path, number: u64) -> Vec<String> {
    let (armed, log) = (folder.join("faults"), folder.join("log"));
    let environment = [("LD_PRELOAD", library), ("FAULTS", &armed)];
    let mut child =
        Child::starts_with_environment(folder, &environment, std::fs::File::create(&log).unwrap());
    let ana = Person::signs_up(child.at, "Ana").await;
    // The file is renamed when its content is complete.
    std::fs::write(folder.join("new"), number.to_string()).unwrap();
    std::fs::rename(folder.join("new"), &armed).unwrap();
    let mut acknowledged = Vec::new();
    loop {
        assert!(acknowledged.len() < POSTS, "call {number} was never made");
        let text = format!("post {}", acknowledged.len());
        match ana.socket.asks_until_the_end("posts.create", post(&text)).await {
            Some(Ok(_)) => acknowledged.push(text),
            Some(Err(refused)) => panic!("call {number}: {refused:?}"),
            None => break,
        }
    }
    let (status, _) = child.ends().await;
    let log = std::fs::read_to_string(log).unwrap();
    assert_eq!(status.signal(), Some(libc::SIGABRT), "call {number}: {log}");
    let why: Vec<&str> = log.lines().filter(|line| line.starts_with("mellow: stopping at once")).collect();
    assert!(why.len() == 1 && why[0].contains("disk I/O error"), "call {number}: {log}");
    acknowledged
}

#[tokio::test]
async fn r3_if_a_call_to_the_disk_fails_no_lost_write_is_acknowledged_and_the_next_start_recovers() {
    let mut random = random_of_this_run();
    let tools = tempfile::tempdir().unwrap();
    let library = library(tools.path());
    let (faults, mut slowest) = (many("MELLOW_FAULTS", 8), Duration::ZERO);
    for round in 0..faults {
        // With many rounds each call is once the first that fails. With few rounds the call is random.
        let number = if faults < 30 { random.below(30) as u64 } else { round };
        let folder = tempfile::tempdir().unwrap();
        let acknowledged = posts_until_the_end(folder.path(), &library, number).await;
        let begun = Instant::now();
        let child = Child::starts(folder.path(), &[]);
        slowest = slowest.max(begun.elapsed());
        let ana = Person::signs_up_again(child.at, "Ana").await;
        let mut there = texts(&ana.reads_posts_of(&ana).await);
        there.reverse();
        // The post without a reply may be there. If so, it is complete.
        assert!(there.len() <= acknowledged.len() + 1, "call {number}");
        assert_eq!(there[..acknowledged.len()], acknowledged, "call {number}");
        let checked = host(folder.path(), &["check"]).await;
        assert_eq!((checked.code, checked.text.lines().next()), (0, Some("database: ok")), "call {number}");
        ana.posts("after the fault").await;
    }
    assert!(slowest < RESTART, "a start took {slowest:?}");
    println!("{faults} faults; the slowest start after one took {slowest:?}");
}

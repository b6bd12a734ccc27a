//! The load test by itself: a small checked run holds, and its checks find every kind of fault that is planted.
#![expect(clippy::unwrap_used, reason = "a failed step ends the test")]

use std::io::{BufRead, BufReader};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use mellow::loadtest::bits::Bits;
use mellow::loadtest::check::Checker;
use mellow::loadtest::counts::Counted;
use mellow::loadtest::events::Kind;
use mellow::loadtest::expected::{Expected, Shown};
use mellow::loadtest::msgpack::Writer;
use mellow::loadtest::server::LIMITS;
use relay::Fault;

#[path = "loadtest/relay.rs"]
mod relay;

// ---- the command --------------------------------------------------------------------------

fn loadtest(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mellow"));
    command.env_clear().current_dir(env!("CARGO_TARGET_TMPDIR")).stdin(Stdio::null());
    command.arg("loadtest").args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn five_hundred_people_of_all_roles_receive_what_they_should() {
    let folder = tempfile::tempdir().unwrap();
    let (json, html) = (folder.path().join("report.json"), folder.path().join("report.html"));
    let roles = "--idle 100 --readers 60 --voters 50 --commenters 50 --posters 40 --pollers 40 --moods 40 --groups 20 \
                 --sleepers 40 --stalled 20 --churn 40 --seconds 10 --rate 80 --seed 7";
    let mut arguments: Vec<&str> = roles.split_whitespace().collect();
    arguments.extend(["--json", json.to_str().unwrap(), "--html", html.to_str().unwrap()]);
    let output = loadtest(&arguments);
    let (page, errors) = (text(&output.stdout), text(&output.stderr));
    assert_eq!((output.status.code(), errors), (Some(0), ""), "{page}");
    assert!(page.contains("every check held"), "{page}");

    let report: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).unwrap();
    let number = |name: &str| report[name].as_u64().unwrap_or_else(|| panic!("{name}: {report}"));
    assert_eq!((number("sockets"), number("faults_count")), (500, 0));
    assert!(number("actions") > 500 && number("deliveries") > 5_000, "{page}");
    assert!(number("connects") > 550, "those who are away come back: {page}");
    assert!(number("states_compared") > 150, "{page}");
    assert!(report["server"]["memory_bytes"].as_u64().unwrap() > 0);
    assert!(report["seconds"].as_array().unwrap().len() >= 10);

    let html = std::fs::read_to_string(&html).unwrap();
    assert!(html.contains("<svg") && html.contains("prefers-color-scheme: dark"));
    let elsewhere = ["http:", "https:", "src=", "href=", "<script", "@import", "url("];
    assert!(!elsewhere.iter().any(|word| html.contains(word)), "the page is whole by itself");
}

#[test]
fn an_interrupted_test_reports_what_it_has_so_far() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mellow"));
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("report.json");
    command.env_clear().env("TMPDIR", folder.path()).current_dir(folder.path()).stdin(Stdio::null());
    let size = "loadtest --idle 20 --posters 5 --seconds 600 --rate 20 --json".split(' ');
    let child = command.args(size).arg(&json).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Its server's folder is made once it runs.
    let has_folder = || {
        let mut entries = std::fs::read_dir(folder.path()).unwrap();
        entries.any(|entry| entry.unwrap().path().join("control.sock").exists())
    };
    for _ in 0..600 {
        if has_folder() {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let id = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    let page = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{page}");
    assert!(page.contains("every check held until the test was interrupted"), "{page}");
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(left, [json], "nothing but the report is left");
}

#[test]
fn the_server_of_a_test_that_is_killed_ends_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_mellow"));
    command.env_clear().env("TMPDIR", folder.path()).current_dir(folder.path()).stdin(Stdio::null());
    let mut child = command.args("loadtest --idle 5 --seconds 600".split(' ')).spawn().unwrap();
    let begun = Instant::now();
    let children = format!("/proc/{0}/task/{0}/children", child.id());
    let server = loop {
        assert!(begun.elapsed() < Duration::from_secs(30), "a server starts");
        match std::fs::read_to_string(&children).unwrap().trim().parse::<u32>() {
            Ok(server) => break server,
            Err(_) => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    // It is the server once it says where it is.
    let has_control = || {
        let mut folders = std::fs::read_dir(folder.path()).unwrap();
        folders.any(|entry| entry.unwrap().path().join("control.sock").exists())
    };
    while !has_control() {
        assert!(begun.elapsed() < Duration::from_secs(30), "a server starts");
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // Gone, or waiting for somebody who asks how it ended.
    let is_running = || {
        let stat = std::fs::read_to_string(format!("/proc/{server}/stat")).unwrap_or_default();
        stat.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['Z', 'X']))
    };
    while is_running() {
        assert!(begun.elapsed() < Duration::from_secs(60), "the server outlives its test");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn wrong_usage_is_refused_with_its_own_code() {
    for wrong in [&["--idle", "many"][..], &["--loud"], &["--seconds", "0"]] {
        let output = loadtest(wrong);
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
    }
    assert_eq!(loadtest(&["--help"]).status.code(), Some(0));
}

/// A server with a data folder of its own, ended with this value.
struct Server {
    child: std::process::Child,
    url: String,
    _data: tempfile::TempDir,
}

impl Server {
    fn start(settings: &[String]) -> Self {
        let data = tempfile::tempdir().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_mellow"));
        command.args([
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--log",
            "error",
            "--password-memory-kib",
            "8",
            "--data",
        ]);
        command.arg(data.path()).args(settings).env_clear().current_dir(data.path()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self {
            child,
            url: line.trim().split([' ', ',']).find(|word| word.starts_with("http")).unwrap().to_owned(),
            _data: data,
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

const SMALL: &str = "--idle 5 --readers 5 --voters 5 --commenters 5 --posters 5 --pollers 5 --moods 5 --groups 3 --sleepers 3 \
                     --stalled 2 --churn 5 --follows 6 --seconds 4 --rate 40";

#[test]
fn on_a_server_that_runs_people_sign_up_and_receive_what_they_should() {
    let server = Server::start(&LIMITS.map(|limit| format!("--{limit}=0")));
    let mut arguments: Vec<&str> = SMALL.split_whitespace().collect();
    arguments.extend(["--url", &server.url]);
    let output = loadtest(&arguments);
    let (page, errors) = (text(&output.stdout), text(&output.stderr));
    assert_eq!((output.status.code(), errors), (Some(0), ""), "{page}");
    assert!(page.contains("every check held") && !page.contains("the server "), "{page}");
}

#[test]
fn a_server_with_limits_fails_with_a_line_that_names_them() {
    let server = Server::start(&[]);
    let mut arguments: Vec<&str> = SMALL.split_whitespace().collect();
    arguments.extend(["--url", &server.url]);
    let output = loadtest(&arguments);
    assert_eq!(output.status.code(), Some(1));
    let errors = text(&output.stderr);
    assert!(errors.lines().count() == 1 && errors.contains("--sign-ups-per-hour=0"), "{errors}");
}

#[test]
fn a_server_for_another_address_fails_with_a_line_that_says_how_to_start_it() {
    let settings = ["--public-url=https://mellow.example.org".into()];
    let server = Server::start(&settings);
    let output = loadtest(&["--idle", "1", "--seconds", "1", "--url", &server.url]);
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("403 Forbidden") && errors.contains(" --public-url= "), "{errors}");
}

/// Nobody in the test looks at notifications, and so many of one person stay unseen.
#[test]
fn one_person_notifies_another_of_many_comments_until_these_are_seen() {
    let output = loadtest(&[
        "--commenters",
        "1",
        "--posters",
        "1",
        "--seconds",
        "4",
        "--rate",
        "60",
        "--follows",
        "1",
    ]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""), "{}", text(&output.stdout));
}

#[test]
fn a_server_that_is_not_there_fails_with_one_line() {
    // Nobody listens on this port.
    let output = loadtest(&["--idle", "1", "--url", "http://127.0.0.1:9"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(text(&output.stderr).lines().count(), 1, "{}", text(&output.stderr));
}

/// The load test says this of a server behind a relay that damages events, while connections are cut.
fn is_found(fault: Fault, says: &str) {
    let server = Server::start(&LIMITS.map(|limit| format!("--{limit}=0")));
    let address = server.url.trim_start_matches("http://").parse().unwrap();
    let url = format!("http://{}", relay::start(address, fault));
    let mut arguments: Vec<&str> = SMALL.split_whitespace().collect();
    arguments.extend(["--cuts", "30", "--url", &url]);
    let output = loadtest(&arguments);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    let verdict = text(&output.stderr);
    assert!(verdict.contains(says), "{verdict}");
}

#[test]
fn a_lost_event_is_found_also_while_connections_are_cut() {
    is_found(Fault::Lost, "never came");
}

#[test]
fn a_doubled_event_is_found_also_while_connections_are_cut() {
    is_found(Fault::Doubled, "came twice");
}

#[test]
fn a_reordered_event_is_found_also_while_connections_are_cut() {
    is_found(Fault::Reordered, " came after ");
}

#[test]
fn a_foreign_event_is_found_also_while_connections_are_cut() {
    is_found(Fault::Foreign, "not for them");
}

#[test]
fn a_wrong_tally_is_found_also_while_connections_are_cut() {
    is_found(Fault::WrongTally, "a wrong ");
}

#[test]
fn lv1_fifty_people_miss_nothing_across_a_hundred_cuts_and_four_restarts() {
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("report.json");
    let people = "--idle 5 --readers 8 --voters 6 --commenters 8 --posters 6 --pollers 5 --moods 4 --groups 4 --sleepers 2 \
                  --stalled 1 --churn 1 --follows 8 --seconds 6 --rate 60 --cuts 100 --restarts 4";
    let mut arguments: Vec<&str> = people.split_whitespace().collect();
    let seed = std::env::var("SEED").unwrap_or_else(|_| std::process::id().to_string());
    arguments.extend(["--seed", &seed, "--json", json.to_str().unwrap()]);
    let output = loadtest(&arguments);
    let page = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "SEED={seed} repeats it: {page}");
    let report: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).unwrap();
    let number = |name: &str| report[name].as_u64().unwrap_or_else(|| panic!("{name}: {report}"));
    assert!(number("cuts") >= 100 && number("restarts") == 4, "{page}");
    assert!(number("states_compared") > 30 && number("repeated") > 0, "{page}");
    assert!(number("resumed") > 20 && number("resyncs") > 20, "{page}");
}

// ---- the checks ---------------------------------------------------------------------------

const SOCKETS: usize = 4;
const POST: u64 = 70;
const COMMENT: u64 = 80;
const POLL: u64 = 90;

fn event(ev: &str, seq: u64, fields: u8) -> Writer {
    Writer::default().map(fields + 2).text("ev").text(ev).text("seq").number(seq)
}

/// A post that bears the number of its action.
fn post(seq: u64, id: u64, mark: u64) -> Vec<u8> {
    let out = event("posts.created", seq, 1).text("post").map(2).text("id").number(id);
    out.text("text").text(&format!("#{mark} Good morning.")).done()
}

fn comment(seq: u64, mark: u64, count: u64) -> Vec<u8> {
    let out = event("comments.created", seq, 2).text("comment").map(3).text("id").number(COMMENT + seq);
    let out = out.text("post_id").number(POST).text("text").text(&format!("#{mark} Yes."));
    out.text("comments_count").number(count).done()
}

fn tally(seq: u64, counts: [u64; 3]) -> Vec<u8> {
    let out = event("polls.counted", seq, 2).text("poll_id").number(POLL).text("tally").array(3);
    counts.iter().fold(out, |out, count| out.number(*count)).done()
}

/// Everybody is connected as of the write 5.
fn checker() -> Checker {
    let mut checker = Checker::new(Bits::new(SOCKETS), false);
    for socket in 0..SOCKETS {
        assert!(!checker.opened(socket, 5));
    }
    checker
}

/// The write `seq` is a post for the sockets 0 to 2, whose action has the number `mark`.
fn posted(checker: &mut Checker, seq: u64, mark: u64) {
    let expected = Expected::new(Kind::PostCreated, POST + seq, Bits::of(SOCKETS, 0..3));
    let expected = Expected { mark: Some(mark), ..expected };
    checker.acted(seq, format!("Post {mark}"), 0, vec![expected], 10);
}

/// Returns the faults so far.
fn faults(checker: &Checker) -> Vec<String> {
    checker.faults().0.iter().map(|fault| fault.says.clone()).collect()
}

#[track_caller]
fn one_fault(checker: &Checker, socket: usize, says: &str) {
    let faults = faults(checker);
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert!(faults[0].starts_with(&format!("person {socket}: ")) && faults[0].contains(says), "{faults:?}");
}

#[test]
fn events_received_once_and_in_order_pass_before_and_after_the_reply() {
    let mut checker = checker();
    checker.message(0, &post(6, POST + 6, 1), 5);
    posted(&mut checker, 6, 1);
    posted(&mut checker, 7, 2);
    for socket in 0..3 {
        if socket > 0 {
            checker.message(socket, &post(6, POST + 6, 1), 20);
        }
        assert_eq!(checker.unfinished(), if socket < 2 { 2 } else { 1 });
        checker.message(socket, &post(7, POST + 7, 2), 30);
    }
    assert_eq!(checker.unfinished(), 0);
    checker.finish();
    assert_eq!(faults(&checker), [""; 0]);
    assert_eq!((checker.deliveries, checker.delivery.total(), checker.last_delivery.total()), (6, 6, 2));
}

#[test]
fn a_lost_event_is_found() {
    let mut checker = checker();
    posted(&mut checker, 6, 1);
    for socket in 0..2 {
        checker.message(socket, &post(6, POST + 6, 1), 20);
    }
    checker.finish();
    one_fault(&checker, 2, "never came");
}

#[test]
fn a_lost_event_is_found_by_the_count_of_a_beat() {
    let mut checker = checker();
    posted(&mut checker, 6, 1);
    checker.message(0, &event("beat", 6, 1).text("sent").number(1).done(), 20);
    one_fault(&checker, 0, "sent Some(1) events here, and 0 came");
}

#[test]
fn a_doubled_event_is_found() {
    let mut checker = checker();
    posted(&mut checker, 6, 1);
    checker.message(0, &post(6, POST + 6, 1), 20);
    checker.message(0, &post(6, POST + 6, 1), 20);
    one_fault(&checker, 0, "came twice");
}

#[test]
fn a_reordered_event_is_found() {
    let mut checker = checker();
    posted(&mut checker, 6, 1);
    posted(&mut checker, 7, 2);
    checker.message(0, &post(7, POST + 7, 2), 20);
    checker.message(0, &post(6, POST + 6, 1), 20);
    one_fault(&checker, 0, "the write 6 came after 7");
    let story = &checker.faults().0[0].story;
    assert_eq!(story.len(), 2);
    assert!(
        story[0].contains("posts.created of the write 7") && story[0].contains("Good morning"),
        "{story:?}"
    );
}

#[test]
fn a_foreign_event_is_found_before_and_after_the_answer() {
    let mut early = checker();
    early.message(3, &post(6, POST + 6, 1), 5);
    posted(&mut early, 6, 1);
    one_fault(&early, 3, "not for them");
    let mut late = checker();
    posted(&mut late, 6, 1);
    late.message(3, &post(6, POST + 6, 1), 20);
    one_fault(&late, 3, "not for them");
}

#[test]
fn an_event_that_nothing_caused_is_found() {
    let mut checker = checker();
    checker.message(1, &post(6, POST + 6, 1), 5);
    checker.finish();
    one_fault(&checker, 1, "no action of the plan");
    let mut checker = self::checker();
    posted(&mut checker, 6, 1);
    checker.message(0, &event("groups.left", 6, 1).text("group_id").number(3).done(), 20);
    one_fault(&checker, 0, "groups.left is not what");
}

#[test]
fn an_event_of_another_post_or_with_other_bytes_is_found() {
    let mut other = checker();
    posted(&mut other, 6, 1);
    other.message(0, &post(6, POST + 6, 2), 20);
    one_fault(&other, 0, "is not what \"Post 1\" is about");
    let mut differs = checker();
    posted(&mut differs, 6, 1);
    differs.message(0, &post(6, POST + 6, 1), 20);
    differs.message(1, &[post(6, POST + 6, 1), vec![0xc0]].concat(), 20);
    one_fault(&differs, 1, "is not what others received");
}

#[test]
fn a_comment_reaches_clients_that_show_its_post_with_the_right_count() {
    let shows = |checker: &mut Checker, socket, seq| {
        checker.shows(socket, &Shown { seq, posts: &[POST], is_read: true });
    };
    let commented = |checker: &mut Checker, seq, mark| {
        checker.changed(Counted::Comments(POST), Some((seq, 0, 1)));
        let showing = checker.showing(POST, seq);
        let expected = Expected::new(Kind::CommentCreated, COMMENT + seq, showing);
        let expected = Expected { second: POST, mark: Some(mark), ..expected };
        checker.acted(seq, "a comment".into(), 0, vec![expected], 10);
    };
    let begin = || {
        let mut checker = checker();
        shows(&mut checker, 0, 5);
        checker.asked(Counted::Comments(POST), [1]);
        commented(&mut checker, 6, 1);
        checker
    };
    let mut right = begin();
    right.message(0, &comment(6, 1, 1), 20);
    // Its answer came late, and lacks the comment.
    shows(&mut right, 1, 5);
    assert_eq!(right.unfinished(), 1);
    right.message(1, &comment(6, 1, 1), 20);
    // This one has it.
    shows(&mut right, 2, 6);
    right.finish();
    assert_eq!(faults(&right), [""; 0]);

    let mut foreign = begin();
    foreign.message(3, &comment(6, 1, 1), 20);
    one_fault(&foreign, 3, "does not show");
    let mut wrong = begin();
    wrong.message(0, &comment(6, 1, 2), 20);
    one_fault(&wrong, 0, "a wrong count");
    let mut lost = begin();
    lost.finish();
    one_fault(&lost, 0, "never came");
}

#[test]
fn a_wrong_tally_and_a_foreign_tally_are_found() {
    let answers = Counted::Answers(POLL);
    let begin = || {
        let mut checker = checker();
        for (socket, seq, option) in [(0, 6, 1), (1, 7, 2)] {
            checker.asked(answers, [socket]);
            checker.changed(answers, Some((seq, option, 1)));
        }
        checker
    };
    let mut right = begin();
    // Counts come late, and not every one.
    right.message(1, &tally(7, [0, 1, 1]), 20);
    right.message(0, &tally(6, [0, 1, 0]), 20);
    right.message(0, &tally(7, [0, 1, 1]), 20);
    right.finish();
    assert_eq!(faults(&right), [""; 0]);

    let mut wrong = begin();
    wrong.message(0, &tally(7, [1, 1, 0]), 20);
    one_fault(&wrong, 0, "a wrong tally");
    let mut foreign = begin();
    foreign.message(2, &tally(7, [0, 1, 1]), 20);
    one_fault(&foreign, 2, "a count that is not for them");
    let mut stale = begin();
    stale.message(0, &tally(6, [0, 1, 0]), 20);
    stale.finish();
    one_fault(&stale, 0, "the last count never came");
}

#[test]
fn a_reconnected_client_may_receive_events_twice_and_misses_none() {
    let begin = || {
        let mut checker = checker();
        posted(&mut checker, 6, 1);
        checker.message(0, &post(6, POST + 6, 1), 20);
        checker.lost(0);
        posted(&mut checker, 7, 2);
        posted(&mut checker, 8, 3);
        for socket in 1..3 {
            for (seq, mark) in [(6, 1), (7, 2), (8, 3)] {
                checker.message(socket, &post(seq, POST + seq, mark), 30);
            }
        }
        assert_eq!(checker.unfinished(), 2);
        assert!(checker.opened(0, 8));
        assert_eq!(checker.cursor(0), 6);
        checker
    };
    let mut right = begin();
    for (seq, mark) in [(6, 1), (7, 2), (8, 3)] {
        right.message(0, &post(seq, POST + seq, mark), 40);
    }
    right.resumed(0, 8, false);
    right.finish();
    assert_eq!((right.cursor(0), faults(&right)), (8, Vec::new()));

    let mut lost = begin();
    lost.message(0, &post(8, POST + 8, 3), 40);
    lost.resumed(0, 8, false);
    lost.finish();
    one_fault(&lost, 0, "the write 7, never came");

    let mut doubled = begin();
    doubled.message(0, &post(7, POST + 7, 2), 40);
    doubled.message(0, &post(8, POST + 8, 3), 40);
    doubled.resumed(0, 8, false);
    doubled.message(0, &post(8, POST + 8, 3), 50);
    one_fault(&doubled, 0, "came twice");

    // After a resync nothing is replayed.
    let mut resync = begin();
    resync.resumed(0, 8, true);
    assert_eq!(resync.unfinished(), 0);
    posted(&mut resync, 9, 4);
    resync.finish();
    let faults = faults(&resync);
    assert!(faults.len() == 1 && faults[0].contains("the write 9, never came"), "{faults:?}");
}

#[test]
fn a_read_may_be_followed_by_events_received_before() {
    let mut checker = checker();
    for (seq, mark) in [(6, 1), (7, 2)] {
        posted(&mut checker, seq, mark);
        checker.message(0, &post(seq, POST + seq, mark), 20);
    }
    checker.shows(0, &Shown { seq: 6, posts: &[], is_read: true });
    checker.message(0, &post(7, POST + 7, 2), 30);
    assert_eq!(faults(&checker), [""; 0]);
    // But not what the read had.
    checker.message(0, &post(6, POST + 6, 1), 30);
    one_fault(&checker, 0, "the write 6 came after 7");
}

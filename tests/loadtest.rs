//! Tests of the load test. A small run passes its checks, and the checks find every kind of injected fault.
#![expect(clippy::unwrap_used, reason = "a failed step ends the test")]

use std::io::{BufRead, BufReader};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use mellow_loadtest::msgpack::Writer;
use mellow_loadtest::server::LIMITS;
use relay::Fault;

#[path = "loadtest/relay.rs"]
mod relay;

fn loadtest(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mellow"));
    command.env_clear().current_dir(env!("CARGO_TARGET_TMPDIR")).stdin(Stdio::null());
    command.arg("loadtest").args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn the_checks_know_the_limits_of_the_server() {
    use mellow::limits as server;
    use mellow_loadtest::limits;
    assert_eq!(limits::POST_TOPICS_MAX, server::POST_TOPICS_MAX);
    assert_eq!(limits::NOTIFICATIONS_UNSEEN_PER_ACTOR, server::NOTIFICATIONS_UNSEEN_PER_ACTOR);
}

#[test]
fn every_rate_that_a_person_reaches_within_a_minute_is_off_in_load_tests_and_benches() {
    let rates: Vec<String> = mellow::settings::table()
        .into_iter()
        .filter(|(_, _, help)| ["[per second", "[per minute"].iter().any(|unit| help.contains(unit)))
        .map(|(name, ..)| name.replace('_', "-"))
        .collect();
    assert!(rates.len() > 3, "{rates:?}");
    for rate in rates {
        assert!(LIMITS.contains(&rate.as_str()), "{rate} would refuse a load test");
    }
}

#[test]
fn the_server_reads_a_request_of_the_load_test() {
    let request = Writer::default().map(2).text("id").number(300).text("op").text("live.probe").done();
    let head = mellow::wire::codec::check(&request).unwrap();
    assert_eq!((head.id, head.op), (300, "live.probe"));
}

#[test]
fn five_hundred_people_of_all_roles_receive_the_right_events() {
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
    // The control socket appears in the folder of the server when the server runs.
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
fn the_server_of_a_killed_load_test_ends_with_it() {
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
    // The child is the server when the control socket exists.
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
    // A process that has ended is gone, or is a zombie (Z) until its status is read.
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
fn after_a_restart_every_tab_of_a_storm_reconnects() {
    let output = loadtest(&["--storm", "--readers", "40", "--posters", "5", "--pollers", "5"]);
    let (page, errors) = (text(&output.stdout), text(&output.stderr));
    assert_eq!((output.status.code(), errors), (Some(0), ""), "{page}");
    assert!(page.contains("live.resume 50,") && page.contains("every check held"), "{page}");
}

#[test]
fn wrong_usage_is_refused_with_its_own_code() {
    for wrong in [&["--idle", "many"][..], &["--loud"], &["--seconds", "0"]] {
        let output = loadtest(wrong);
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
    }
    assert_eq!(loadtest(&["--help"]).status.code(), Some(0));
}

/// A server with its own data folder. It ends when this value is dropped.
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
fn on_a_running_server_people_sign_up_and_receive_the_right_events() {
    let server = Server::start(&LIMITS.map(|limit| format!("--{limit}=0")));
    let mut arguments: Vec<&str> = SMALL.split_whitespace().collect();
    arguments.extend(["--url", &server.url]);
    let output = loadtest(&arguments);
    let (page, errors) = (text(&output.stdout), text(&output.stderr));
    assert_eq!((output.status.code(), errors), (Some(0), ""), "{page}");
    assert!(page.contains("every check held") && !page.contains("the server "), "{page}");
}

#[test]
fn a_run_on_a_server_with_limits_fails_with_a_line_that_names_them() {
    let server = Server::start(&[]);
    let mut arguments: Vec<&str> = SMALL.split_whitespace().collect();
    arguments.extend(["--url", &server.url]);
    let output = loadtest(&arguments);
    assert_eq!(output.status.code(), Some(1));
    let errors = text(&output.stderr);
    assert!(errors.lines().count() == 1 && errors.contains("--sign-ups-per-hour=0"), "{errors}");
}

#[test]
fn a_run_on_a_server_for_another_address_fails_with_a_line_that_says_how_to_start_it() {
    let settings = ["--public-url=https://mellow.example.org".into()];
    let server = Server::start(&settings);
    let output = loadtest(&["--idle", "1", "--seconds", "1", "--url", &server.url]);
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("403 Forbidden") && errors.contains(" --public-url= "), "{errors}");
}

/// Nobody in the load test opens notifications, so this many of one person stay unseen.
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
fn a_run_without_a_server_fails_with_one_line() {
    // No server listens on this port.
    let output = loadtest(&["--idle", "1", "--url", "http://127.0.0.1:9"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(text(&output.stderr).lines().count(), 1, "{}", text(&output.stderr));
}

/// Expects that the load test reports a fault that a relay injects while connections are cut.
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
                  --stalled 1 --churn 1 --follows 8 --rate 60";
    let seed = std::env::var("SEED").unwrap_or_else(|_| std::process::id().to_string());
    let plays = |harm: &str| {
        let mut arguments: Vec<&str> = people.split_whitespace().chain(harm.split_whitespace()).collect();
        arguments.extend(["--seed", &seed, "--json", json.to_str().unwrap()]);
        let output = loadtest(&arguments);
        let page = text(&output.stdout).to_owned();
        assert_eq!(output.status.code(), Some(0), "SEED={seed} repeats it: {page}");
        let report: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).unwrap();
        let numbers = ["cuts", "restarts", "states_compared", "repeated", "resumed", "resyncs"]
            .map(|name| report[name].as_u64().unwrap_or_else(|| panic!("{name}: {report}")));
        (numbers, page)
    };
    let ([cuts, restarts, compared, repeated, _, resyncs], page) =
        plays("--seconds 6 --cuts 100 --restarts 4");
    assert!(cuts >= 100 && restarts == 4 && compared > 30 && repeated > 0 && resyncs > 20, "{page}");
    // On a slow machine hardly anybody comes back to the server that cut them, so who continues is counted without
    // restarts.
    let ([cuts, _, compared, _, resumed, _], page) = plays("--seconds 3 --cuts 50");
    assert!(cuts >= 50 && compared > 30 && resumed > 20, "{page}");
}

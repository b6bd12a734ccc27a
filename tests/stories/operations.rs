//! The figures and the log of a running server, for the host.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::child::{Child, host};
use crate::support::http;
use crate::support::person::{PASSWORD, Person, email_of};
use crate::support::server::TestServer;
use crate::support::socket::Socket;
use crate::support::value::key;

/// Returns the names of figures in a text.
fn figures_in(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    words.filter(|word| word.starts_with("mellow_")).map(str::to_owned).collect()
}

#[tokio::test]
async fn the_dashboard_uses_only_figures_that_exist() {
    let server = TestServer::new().await;
    let figures = http::ask(server.at, "GET", "/metrics", &[], "").await.body;
    let there = figures_in(&figures);
    let dashboard: Value =
        serde_json::from_str(&std::fs::read_to_string("deploy/grafana.json").unwrap()).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    assert!(panels.len() >= 10);
    for target in panels.iter().flat_map(|panel| panel["targets"].as_array().unwrap()) {
        let expression = target["expr"].as_str().unwrap();
        let asked = figures_in(expression);
        assert!(!asked.is_empty() && asked.is_subset(&there), "{expression}");
    }
    let to_watch = figures_in(&std::fs::read_to_string("docs/operations.md").unwrap());
    assert!(to_watch.len() >= 8 && to_watch.is_subset(&there), "{to_watch:?}");
    // Each figure has a kind and occurs once.
    let lines: Vec<&str> = figures.lines().filter(|line| !line.starts_with('#')).collect();
    let named: BTreeSet<&str> = lines.iter().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(lines.len(), named.len());
    assert!(lines.iter().all(|line| line.rsplit(' ').next().unwrap().parse::<f64>().is_ok()));
}

#[tokio::test]
async fn figures_count_commits_bytes_and_closed_sockets() {
    let folder = tempfile::tempdir().unwrap();
    let child = Child::starts(folder.path(), &[]);
    let ana = Person::signs_up(child.at, "Ana").await;
    let commits = http::metric(child.at, "mellow_commit_seconds_count").await;
    let sent = http::metric(child.at, "mellow_sent_bytes_total").await;
    let received = http::metric(child.at, "mellow_received_bytes_total").await;
    ana.posts("one more").await;
    assert!(http::metric(child.at, "mellow_commit_seconds_count").await > commits);
    assert!(http::metric(child.at, "mellow_sent_bytes_total").await > sent);
    assert!(http::metric(child.at, "mellow_received_bytes_total").await > received);
    assert!(http::metric(child.at, "mellow_database_bytes").await > 0);
    let loud = Socket::open(child.at, None).await;
    loud.send_message(tokio_tungstenite::tungstenite::Message::text("hello")).await;
    assert_eq!(loud.close_code().await, 1003);
    assert_eq!(http::metric(child.at, "mellow_sockets_closed_total{code=\"1003\"}").await, 1);
}

#[tokio::test]
async fn the_log_has_a_time_a_level_and_nothing_private() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let data = folder.path().join("data");
    std::fs::create_dir(&data).unwrap();
    let log = std::fs::File::create(&path).unwrap();
    let mut child = Child::starts_with_log(&data, &[("log", "debug"), ("backup_every_hours", "24")], log);
    let (ana, ben) = (Person::signs_up(child.at, "Anastasia").await, Person::signs_up(child.at, "Ben").await);
    ana.posts("a thought of an evening").await;
    ana.posts_picture("with a lantern").await;
    let guest = Socket::open(child.at, None).await;
    let email = email_of("Anastasia");
    guest.asks("auth.log_in", json!({ "email": email, "password": "a wrong guess" })).await.unwrap_err();
    guest.asks("auth.request_reset", json!({ "email": email })).await.unwrap();
    let code = "gggggggggggggggggggggg";
    guest.asks("invites.get", json!({ "code": code })).await.unwrap_err();
    let searched = ben.asks("search.names", json!({ "term": "Anasta" })).await;
    assert!(!searched.is_null());
    ana.asks("posts.search", json!({ "term": "evening nasturtium" })).await;
    http::ask(child.at, "GET", &format!("/invite/{code}"), &[], "").await;
    let about = json!({ "type": "user", "user_id": ana.id });
    let report = json!({ "key": key(), "about": about, "reason": "other", "details": "a grievance" });
    ben.asks("reports.create", report).await;
    for command in
        [&["user", "promote"][..], &["user", "demote"], &["user", "reset-link"], &["user", "suspend"]]
    {
        let done = host(&data, &[command, &[email.as_str()]].concat()).await;
        assert_eq!(done.code, 0, "{}", done.why);
    }
    ben.deletes_account().await;
    let cookie = ana.cookie.clone();
    drop((ana, guest));
    child.is_asked_to_stop();
    child.ends().await;

    let log = std::fs::read_to_string(path).unwrap();
    assert!(log.lines().count() >= 3, "{log}");
    for line in log.lines() {
        let rest = line.strip_prefix("time=").expect(line);
        let (time, rest) = rest.split_once(" level=").expect(line);
        assert!(time.len() == 24 && time.ends_with('Z'), "{line}");
        let (level, rest) = rest.split_once(" module=mellow").expect(line);
        assert!(["error", "warn", "info", "debug"].contains(&level), "{line}");
        assert!(rest.split_once(" message=\"").is_some_and(|(_, message)| message.ends_with('"')), "{line}");
    }
    for private in [
        "Anastasia",
        "anastasia",
        "Anasta",
        "nasturtium",
        PASSWORD,
        "wrong guess",
        "thought",
        "lantern",
        "grievance",
        code,
        &cookie,
    ] {
        assert!(!log.contains(private), "{private} is in the log:\n{log}");
    }
}

#[tokio::test]
async fn a_start_without_an_admin_logs_how_to_make_one() {
    let folder = tempfile::tempdir().unwrap();
    let (data, path) = (folder.path().join("data"), folder.path().join("log"));
    std::fs::create_dir(&data).unwrap();
    // This line is logged before the line with the address, for which `starts_with_log` waits.
    let start = || {
        let log = std::fs::File::create(&path).unwrap();
        let child = Child::starts_with_log(&data, &[("log", "info")], log);
        let log = std::fs::read_to_string(&path).unwrap();
        (child, log.matches("`mellow user promote EMAIL` makes somebody one").count())
    };
    let (child, lines) = start();
    assert_eq!(lines, 1, "nobody is here");
    let ana = Person::signs_up(child.at, "Ana").await;
    drop(child);
    let (child, lines) = start();
    assert_eq!(lines, 1, "Ana is here and no admin");
    assert_eq!(host(&data, &["user", "promote", &ana.email]).await.code, 0);
    drop(child);
    let (_child, lines) = start();
    assert_eq!(lines, 0, "Ana is an admin");
}

#[tokio::test]
async fn bytes_that_are_no_http_request_are_counted_and_not_logged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("server.log");
    let log = std::fs::File::create(&path).unwrap();
    let server = Child::starts_with_log(folder.path(), &[("log", "debug")], log);
    for _ in 0..20 {
        let response = http::ask(server.at, "G\u{7f}T", "/", &[], "").await;
        assert_eq!(response.status, 400);
    }
    let counted = || async {
        let figures = http::ask(server.at, "GET", "/metrics", &[], "").await.body;
        let line = figures.lines().find(|line| line.starts_with("mellow_http_malformed_total ")).unwrap();
        line.split(' ').nth(1).unwrap().parse::<u64>().unwrap()
    };
    let deadline = std::time::Instant::now() + crate::support::TIMEOUT;
    while counted().await < 20 {
        assert!(std::time::Instant::now() < deadline, "{} were counted", counted().await);
    }
    assert_eq!(counted().await, 20);
    let logged = std::fs::read_to_string(&path).unwrap();
    assert!(logged.contains("module=mellow") && !logged.contains("actix_http"), "{logged}");
}

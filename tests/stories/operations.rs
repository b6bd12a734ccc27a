//! The figures and the log of a running server, for the host.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::child::{Child, host, program};
use crate::support::person::{PASSWORD, Person, email_of};
use crate::support::server::TestServer;
use crate::support::socket::Socket;
use crate::support::value::key;
use crate::support::{TIMEOUT, http};

/// Returns the names of figures in a text. A package's name has its version there
/// (`mellow_1.0.0_amd64.deb`), which is not a figure's.
fn figures_in(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let is_figure = |word: &&str| {
        word.strip_prefix("mellow_").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()))
    };
    words.filter(is_figure).map(str::to_owned).collect()
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
    let deadline = std::time::Instant::now() + TIMEOUT;
    while counted().await < 20 {
        assert!(std::time::Instant::now() < deadline, "{} were counted", counted().await);
    }
    assert_eq!(counted().await, 20);
    let logged = std::fs::read_to_string(&path).unwrap();
    assert!(logged.contains("module=mellow") && !logged.contains("actix_http"), "{logged}");
}

/// Starts the program in this folder, stops it when it has said where it is, and returns all that it printed.
fn printed_by_a_start(folder: &Path, flags: &[&str]) -> String {
    let mut command = program(folder);
    command.args(["serve", "--log", "off", "--listen", "127.0.0.1:0"]).args(flags);
    let mut process = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut output = BufReader::new(process.stdout.take().unwrap());
    let mut text = String::new();
    output.read_line(&mut text).unwrap();
    let kill = format!("kill -TERM {}", process.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    output.read_to_string(&mut text).unwrap();
    assert!(process.wait().unwrap().success());
    text
}

#[test]
fn the_first_start_on_a_folder_prints_the_next_steps_and_no_later_start_does() {
    let folder = tempfile::tempdir().unwrap();
    let first = printed_by_a_start(folder.path(), &[]);
    assert!(first.starts_with("Mellow is at http://127.0.0.1:"), "{first}");
    for step in [
        "1. Open this address, and sign up. On another computer first run `ssh -L ",
        "2. Make yourself an admin: `mellow user promote you@example.org`.",
        "set public_url and smtp_url in mellow.toml, and run `mellow check`",
    ] {
        assert!(first.contains(step), "{step}: {first}");
    }
    let second = printed_by_a_start(folder.path(), &[]);
    assert!(second.starts_with("Mellow is at ") && second.lines().count() == 1, "{second}");
}

#[test]
fn the_next_steps_fit_the_settings() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("elsewhere");
    let shown = data.display();
    let flags = ["--data", data.to_str().unwrap(), "--signup", "invite", "--public-url", "https://a.example"];
    let first = printed_by_a_start(folder.path(), &flags);
    for step in [
        format!("1. Run `mellow invite --data {shown}`"),
        format!("`mellow user promote you@example.org --data {shown}`"),
        format!("join, set smtp_url in mellow.toml, and run `mellow check --data {shown}`"),
    ] {
        assert!(first.contains(&step), "{step}: {first}");
    }
    // A command reads the settings file too, and finds the folder that is named there.
    let settings = format!("data = \"{}\"\n", folder.path().join("named").display());
    std::fs::write(folder.path().join("mellow.toml"), settings).unwrap();
    let first = printed_by_a_start(folder.path(), &["--public-url", "https://a.example"]);
    let steps = "1. Open https://a.example, and sign up.\n\
                 2. Make yourself an admin: `mellow user promote you@example.org`.\n";
    assert!(first.contains(steps), "{first}");
}

#[tokio::test]
async fn the_service_manager_is_notified_when_the_server_is_ready_and_not_before() {
    let folder = tempfile::tempdir().unwrap();
    let (path, name) = (folder.path().join("notify"), format!("mellow-{}", std::process::id()));
    let by_path = UnixDatagram::bind(&path).unwrap();
    let by_name = UnixDatagram::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    let start = |variable: &str| {
        let data = tempfile::tempdir().unwrap();
        let log = std::fs::File::create(folder.path().join("log")).unwrap();
        let server =
            Child::starts_with_environment(data.path(), &[("NOTIFY_SOCKET", Path::new(variable))], log);
        (data, server)
    };
    let mut message = [0; 64];

    let mut refused = program(folder.path());
    refused.args(["serve", "--listen", "somewhere"]).env("NOTIFY_SOCKET", &path);
    assert_eq!(refused.output().unwrap().status.code(), Some(2));
    by_path.set_nonblocking(true).unwrap();
    assert_eq!(by_path.recv(&mut message).unwrap_err().kind(), ErrorKind::WouldBlock);
    by_path.set_nonblocking(false).unwrap();

    for (socket, variable) in [(by_path, path.display().to_string()), (by_name, format!("@{name}"))] {
        socket.set_read_timeout(Some(TIMEOUT)).unwrap();
        let (_data, server) = start(&variable);
        let length = socket.recv(&mut message).unwrap();
        assert_eq!(message[..length], *b"READY=1", "{variable}");
        assert_eq!(http::ask(server.at, "GET", "/healthz", &[], "").await.body, "up\n");
    }
    let (_data, server) = start("/no/such/socket");
    assert_eq!(http::ask(server.at, "GET", "/healthz", &[], "").await.body, "up\n", "it serves all the same");
}

#[tokio::test]
async fn root_is_refused_the_data_folder_of_another_user_with_the_right_command() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    for (number, advice) in [
        (65_534, "Run this as nobody: runuser -u nobody -- mellow ..."),
        (54_321, "the user with the number 54321"),
    ] {
        std::fs::create_dir(&data).unwrap();
        if std::os::unix::fs::chown(&data, Some(number), None).is_err() {
            println!("only root gives a folder to somebody else: nothing was tested");
            return;
        }
        for command in [
            &["check"][..],
            &["backup"],
            &["restore", "backups/mellow-20261122T074400Z"],
            &["user", "list"],
            &["invite"],
            &["seed", "--demo"],
            &["serve", "--listen", "127.0.0.1:0"],
        ] {
            let refused = host(&data, command).await;
            assert_eq!((refused.code, refused.text.as_str()), (1, ""), "{command:?}: {}", refused.why);
            let is_advised = refused.why.contains(advice) && refused.why.lines().count() == 1;
            assert!(is_advised, "{command:?}: {}", refused.why);
        }
        assert_eq!(std::fs::read_dir(&data).unwrap().count(), 0, "root left nothing there");
        std::fs::remove_dir(&data).unwrap();
    }
}

#[tokio::test]
async fn a_check_says_what_is_missing_before_people_on_the_internet_join() {
    let mut server = TestServer::new().await;
    let missing = |text: &str| {
        let kinds = ["https", "mail", "backup elsewhere"];
        kinds.into_iter().filter(|kind| text.contains(&format!("\n- {kind}: "))).collect::<Vec<_>>()
    };
    let checked = server.host(&["check"]).await;
    assert_eq!((checked.code, checked.why.as_str()), (0, ""), "that is no fault");
    assert!(checked.text.contains("- https: public_url is not set (Proxy)\n"), "{}", checked.text);
    assert_eq!(missing(&checked.text), ["https", "mail", "backup elsewhere"]);

    // The settings are those of the running server, and a file system in memory is another disk.
    let elsewhere = tempfile::tempdir_in("/dev/shm").unwrap();
    let made = server.host(&["backup", "--to", elsewhere.path().to_str().unwrap()]).await;
    assert_eq!((made.code, made.why.as_str()), (0, ""));
    server
        .restarts_with(&["public_url=https://mellow.example.org", "smtp_url=smtps://a:b@mail.example.org"])
        .await;
    let checked = server.host(&["check"]).await;
    assert_eq!((checked.code, checked.why.as_str()), (0, ""));
    assert_eq!(missing(&checked.text), Vec::<&str>::new(), "{}", checked.text);

    // Without a server the command has its own settings.
    server.stops().await;
    let checked = server.host(&["check"]).await;
    assert_eq!(missing(&checked.text), ["https", "mail"], "{}", checked.text);
}

#[tokio::test]
async fn a_check_that_finds_a_fault_says_nothing_else() {
    let server = TestServer::new().await;
    std::fs::create_dir_all(server.folder().join("backups/mellow-20260101T000000Z")).unwrap();
    let checked = server.host(&["check"]).await;
    assert_eq!(checked.code, 1);
    assert_eq!(checked.text, checked.findings(), "what is broken is mended first");
}

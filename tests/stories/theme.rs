//! The daily theme: one for all, from midnight to midnight of the site's time zone, and the host's commands.

pub mod access;
mod tapes;

use std::os::unix::fs::{FileTypeExt, PermissionsExt};

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use mellow::features::theme::rules;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

use crate::support::child::{Child, host};
use crate::support::http;
use crate::support::person::Person;
use crate::support::server::TestServer;

const HOUR_MS: i64 = 3_600_000;
/// The setting for the built-in themes, which test servers do not have by default.
const ROTATION: &str = "themes_file=";
/// The command of the host that most stories use.
const BOATS: [&str; 5] =
    ["theme", "set", "--title=Boats", "--description=Which one, and where?", "--tag=boats"];

/// Returns the theme of the rotation for a day.
fn own(day: &str) -> Value {
    let rotation = rules::parse_file(rules::OWN).unwrap();
    let place = rules::place_of_day(rotation.len(), day).unwrap();
    let words = &rotation[place];
    json!({ "day": day, "title": words.title, "description": words.description, "tag": words.tag, "own": place + 1 })
}

fn boats(day: &str) -> Value {
    json!({ "day": day, "title": "Boats", "description": "Which one, and where?", "tag": "boats", "own": null })
}

async fn theme_of(who: &Person) -> Value {
    who.asks("theme.get", json!({})).await["theme"].clone()
}

async fn receives_theme(who: &Person) -> Value {
    who.receives("theme.changed").await["theme"].clone()
}

/// Returns the theme in the page of a guest.
async fn shown_at(at: std::net::SocketAddr) -> Option<Value> {
    let response = http::ask(at, "GET", "/", &[("Accept-Encoding", "br, gzip")], "").await;
    assert_eq!(response.status, 200, "the web app is built before it is tested: {}", response.body);
    assert_eq!(response.header("Cache-Control"), Some("no-cache"));
    assert_eq!(response.header("Content-Encoding"), None);
    let content =
        response.body.split("<meta name=\"mellow:theme\" content=\"").nth(1)?.split('"').next().unwrap();
    let plain =
        content.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'");
    Some(serde_json::from_str(&plain.replace("&amp;", "&")).unwrap())
}

#[tokio::test]
async fn all_connections_receive_the_new_theme_at_midnight() {
    let server = TestServer::with_manual_clock(&[ROTATION]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let guest = server.guest().await;
    assert_eq!(theme_of(&ana).await, own("2026-03-01"));
    assert_eq!(shown_at(server.at).await, Some(own("2026-03-01")));
    server.later(15 * HOUR_MS - 1);
    assert_eq!(theme_of(&ana).await, own("2026-03-01"), "until the last millisecond");
    server.later(1);
    assert_eq!(theme_of(&ana).await, own("2026-03-02"));
    assert_eq!(shown_at(server.at).await, Some(own("2026-03-02")));
    for who in [&ana, &ben] {
        assert_eq!(receives_theme(who).await, own("2026-03-02"));
    }
    // The machine slept over two midnights, and then the clock was set back.
    for (hours, day) in [(49, "2026-03-04"), (-2, "2026-03-03"), (2, "2026-03-04")] {
        server.later(hours * HOUR_MS);
        for who in [&ana, &ben] {
            assert_eq!(receives_theme(who).await, own(day));
        }
    }
    ana.receives_nothing(&server).await;
    assert!(guest.events().is_empty(), "guests receive nothing");
    assert_eq!(guest.asks("theme.get", json!({})).await.unwrap_err().code, "not_signed_in");
}

#[tokio::test]
async fn a_client_that_was_disconnected_at_midnight_gets_the_theme_after_reconnecting() {
    let server = TestServer::with_manual_clock(&[ROTATION]).await;
    let [ana, mut ben] = server.people(["Ana", "Ben"]).await;
    let hello = ben.socket.hello().await;
    let seq = ben.asks("theme.get", json!({})).await["seq"].clone();
    server.later(15 * HOUR_MS);
    let seen = ana.receives("theme.changed").await["seq"].as_i64().unwrap();
    ben.reconnects().await;
    ben.socket.has_caught_up(seen).await;
    let fields = json!({ "epoch": hello["epoch"], "seq": seq, "posts": [], "profiles": [] });
    assert_eq!(ben.asks("live.resume", fields).await["resync"], json!(false));
    assert_eq!(receives_theme(&ben).await, own("2026-03-02"));
}

#[tokio::test]
async fn a_client_that_reconnects_receives_the_theme_of_a_midnight_while_the_server_was_down() {
    let mut server = TestServer::with_manual_clock(&[ROTATION]).await;
    let mut ben = server.person("Ben").await;
    let hello = ben.socket.hello().await;
    server.stops().await;
    assert_eq!(ben.socket.close_code().await, 1012);
    let beat = ben.socket.log().into_iter().rev().find(|message| message["ev"] == "beat").unwrap();
    assert_eq!(beat["back_ms"], 1_000, "one socket needs no time to spread");
    server.later(15 * HOUR_MS);
    server.starts();
    ben.reconnects().await;
    let fields = json!({ "epoch": hello["epoch"], "seq": beat["seq"], "posts": [], "profiles": [] });
    assert_eq!(ben.asks("live.resume", fields).await["resync"], false);
    assert_eq!(receives_theme(&ben).await, own("2026-03-02"));
}

#[tokio::test]
async fn midnight_is_that_of_the_sites_time_zone() {
    let server = TestServer::with_manual_clock(&[ROTATION, "site_timezone=Pacific/Kiritimati"]).await;
    let ana = server.person("Ana").await;
    assert_eq!(theme_of(&ana).await, own("2026-03-01"), "it is 23:00 there");
    server.later(HOUR_MS);
    assert_eq!(receives_theme(&ana).await, own("2026-03-02"));
    server.later(24 * HOUR_MS);
    assert_eq!(receives_theme(&ana).await, own("2026-03-03"));
}

#[tokio::test]
async fn a_day_on_which_clocks_change_has_one_theme_from_its_midnight_to_the_next() {
    let server = TestServer::with_manual_clock(&[ROTATION, "site_timezone=Europe/Berlin"]).await;
    let ana = server.person("Ana").await;
    // The time is now 2026-03-28, 23:59:59 in Berlin.
    server.later((27 * 24 + 14) * HOUR_MS - 1_000);
    assert_eq!(receives_theme(&ana).await, own("2026-03-28"));
    server.later(1_000);
    assert_eq!(receives_theme(&ana).await, own("2026-03-29"));
    server.later(23 * HOUR_MS - 1);
    assert_eq!(theme_of(&ana).await, own("2026-03-29"), "after 22 hours and 59 minutes");
    server.later(1);
    assert_eq!(receives_theme(&ana).await, own("2026-03-30"));
    // The time is now 2026-10-25, which has 25 hours.
    server.later(209 * 24 * HOUR_MS);
    let ana = Person::logs_in(server.at, &ana.email).await;
    assert_eq!(theme_of(&ana).await, own("2026-10-25"));
    server.later(25 * HOUR_MS - 1);
    assert_eq!(theme_of(&ana).await, own("2026-10-25"), "after 24 hours and 59 minutes");
    server.later(1);
    assert_eq!(receives_theme(&ana).await["day"], "2026-10-26");
}

#[tokio::test]
async fn the_host_sets_todays_theme_while_people_are_connected() {
    let server = TestServer::with_manual_clock(&[ROTATION]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    assert_eq!(shown_at(server.at).await, Some(own("2026-03-01")));
    let result = server.host(&BOATS).await;
    assert_eq!(
        (result.code, &*result.text, &*result.why),
        (0, "The theme of today, 2026-03-01 (UTC) is \"Boats\".\n", "")
    );
    for who in [&ana, &ben] {
        assert_eq!(receives_theme(who).await, boats("2026-03-01"));
        assert_eq!(theme_of(who).await, boats("2026-03-01"));
    }
    assert_eq!(shown_at(server.at).await, Some(boats("2026-03-01")));
    // The same theme again, or one for a later day, publishes nothing.
    assert_eq!(server.host(&BOATS).await.code, 0);
    let fields = ["--title=Trees", "--description=One you know.", "--tag=#trees"];
    let result = server.host(&[&["theme", "schedule", "tomorrow"], &fields[..]].concat()).await;
    assert_eq!((result.code, &*result.text), (0, "The theme of 2026-03-02 (UTC) is \"Trees\".\n"));
    ana.receives_nothing(&server).await;

    let shown = server.host(&["theme", "show", "--days", "3"]).await;
    let next = own("2026-03-03");
    let expected = format!(
        "Today is 2026-03-01 by the clock of UTC.\n\n\
         2026-03-01  Boats  #boats  (set)\n    Which one, and where?\n\n\
         2026-03-02  Trees  #trees  (set)\n    One you know.\n\n\
         2026-03-03  {}  #{}  (rotation)\n    {}\n",
        next["title"].as_str().unwrap(),
        next["tag"].as_str().unwrap(),
        next["description"].as_str().unwrap(),
    );
    assert_eq!((shown.code, shown.text), (0, expected));

    let result = server.host(&["theme", "clear", "today"]).await;
    assert_eq!(result.code, 0, "{result:?}");
    for who in [&ana, &ben] {
        assert_eq!(receives_theme(who).await, own("2026-03-01"));
    }
    assert_eq!(shown_at(server.at).await, Some(own("2026-03-01")));
    server.later(15 * HOUR_MS);
    let trees = json!({ "day": "2026-03-02", "title": "Trees", "description": "One you know.", "tag": "trees", "own": null });
    assert_eq!(receives_theme(&ana).await, trees);
    assert_eq!(shown_at(server.at).await, Some(trees));
}

#[tokio::test]
async fn a_theme_of_the_host_survives_a_restart_and_can_be_set_without_a_server() {
    let mut server = TestServer::with(&[ROTATION]).await;
    let ana = server.person("Ana").await;
    assert_eq!(server.host(&BOATS).await.code, 0);
    let day = receives_theme(&ana).await["day"].as_str().unwrap().to_owned();
    let socket = server.folder().join("control.sock");
    let held = std::fs::metadata(&socket).unwrap();
    assert!(held.file_type().is_socket());
    assert_eq!(held.permissions().mode() & 0o777, 0o600, "for the server's own user alone");
    server.stops().await;
    assert!(!socket.exists(), "a server that stopped takes its socket along");

    let shown = server.host(&["theme", "show", "--days=1"]).await;
    assert!(shown.code == 0 && shown.text.contains(&format!("{day}  Boats  #boats  (set)")), "{shown:?}");
    let result = server.host(&["theme", "set", "--title=Trees", "--description=Yes.", "--tag=trees"]).await;
    assert_eq!(result.code, 0, "{result:?}");
    server.starts();
    let ana = Person::logs_in(server.at, &ana.email).await;
    assert_eq!(theme_of(&ana).await["title"], "Trees");
    assert_eq!(shown_at(server.at).await.unwrap()["title"], "Trees");
}

#[tokio::test]
async fn the_control_socket_of_a_server_that_ended_suddenly_does_not_prevent_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Child::starts(folder.path(), &[("themes_file", "")]);
    server.dies();
    assert!(folder.path().join("control.sock").exists());
    assert_eq!(host(folder.path(), &BOATS).await.code, 0, "no server runs: the command is executed here");
    let server = Child::starts(folder.path(), &[("themes_file", "")]);
    let ana = Person::signs_up(server.at, "Ana").await;
    assert_eq!(theme_of(&ana).await["title"], "Boats");
    assert_eq!(host(folder.path(), &["theme", "clear", "today"]).await.code, 0);
    assert_ne!(receives_theme(&ana).await["title"], "Boats");
}

#[tokio::test]
async fn a_failed_command_prints_one_line() {
    let server = TestServer::with_manual_clock(&[ROTATION]).await;
    let words = ["--title=a", "--description=b", "--tag=c"];
    let schedule = |day: &'static str| [&["theme", "schedule", day][..], &words[..]].concat();
    for (arguments, why) in [
        (schedule("2026-02-28"), "2026-02-28 is over; today is 2026-03-01"),
        (schedule("2029-01-01"), "2029-01-01 is too far away; 2028-11-25 is the last day that can be set"),
        (vec!["theme", "clear", "tomorrow"], "no theme was set for 2026-03-02"),
    ] {
        let result = server.host(&arguments).await;
        assert_eq!((result.code, &*result.text, &*result.why), (1, "", &*format!("mellow: {why}\n")));
    }
    let nowhere = tempfile::tempdir().unwrap();
    let result = host(nowhere.path(), &BOATS).await;
    assert!(result.code == 1 && result.why.contains("there is no Mellow in"), "{result:?}");
    assert_eq!(std::fs::read_dir(nowhere.path()).unwrap().count(), 0, "and no file is created there");
}

#[tokio::test]
async fn wrong_usage_has_its_own_exit_code_and_help_is_no_error() {
    let server = TestServer::with_manual_clock(&[ROTATION]).await;
    let long = format!("--title={}", "a".repeat(101));
    let odd = "--tag=a\u{202E}b";
    for (arguments, why) in [
        (vec!["theme"], "Usage: mellow theme"),
        (vec!["theme", "paint"], "paint"),
        (vec!["theme", "set", "--title=a", "--tag=c"], "--description"),
        (
            vec!["theme", "set", &long, "--description=b", "--tag=c"],
            "the title is longer than 100 characters",
        ),
        (vec!["theme", "set", "--title=a", "--description=b", odd], "the tag has characters"),
        (vec!["theme", "set", "--title= ", "--description=b", "--tag=c"], "no title"),
        (vec!["theme", "schedule", "2026-02-30", "--title=a", "--description=b", "--tag=c"], "is no day"),
        (vec!["theme", "clear"], "DAY"),
        (vec!["theme", "clear", "someday"], "\"someday\" is no day"),
        (vec!["theme", "show", "--days", "0"], "from 1 to 366"),
        (vec!["theme", "show", "--days", "many"], "many"),
        (vec!["theme", "show", "--site-timezone", "Europe/Atlantis"], "such as UTC or Europe/Berlin"),
        (vec!["theme", "show", "--posts-per-day", "3"], "--posts-per-day"),
    ] {
        let result = server.host(&arguments).await;
        assert_eq!((result.code, &*result.text), (2, ""), "{arguments:?}: {result:?}");
        assert!(result.why.contains(why), "{arguments:?}: {}", result.why);
    }
    for arguments in [vec!["theme", "--help"], vec!["theme", "set", "--help"], vec!["help", "theme"]] {
        let done = crate::support::child::program(server.folder()).args(&arguments).output().unwrap();
        assert!(done.status.success(), "{arguments:?}");
        let help = String::from_utf8(done.stdout).unwrap();
        assert!(help.contains("theme") && help.contains("--data"), "{help}");
    }
}

#[tokio::test]
async fn a_host_may_have_its_own_rotation_or_none() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("themes.txt");
    let setting = format!("themes_file={}", file.display());
    std::fs::write(&file, "Boats\n#boats\nWhich one, and where?\n").unwrap();
    let server = TestServer::with_manual_clock(&[&setting]).await;
    let ana = server.person("Ana").await;
    assert_eq!(theme_of(&ana).await, boats("2026-03-01"));
    server.later(24 * HOUR_MS);
    assert_eq!(receives_theme(&ana).await, boats("2026-03-02"), "the same words, of another day");

    std::fs::write(&file, "// later\nnone\n").unwrap();
    let server = TestServer::with_manual_clock(&[&setting]).await;
    let ana = server.person("Ana").await;
    assert_eq!((theme_of(&ana).await, shown_at(server.at).await), (Value::Null, None));
    server.later(24 * HOUR_MS);
    assert!(server.host(&["theme", "show", "--days=1"]).await.text.contains("2026-03-02  no theme"));
    server.host(&BOATS).await;
    assert_eq!(receives_theme(&ana).await, boats("2026-03-02"), "and that is the first event");
    server.host(&["theme", "clear", "today"]).await;
    // On a busy machine midnight may be noticed after the host set the theme. Then the theme is published once more.
    ana.socket.receives_where("theme.changed", |event| event["theme"].is_null()).await;
    assert_eq!(shown_at(server.at).await, None);

    std::fs::write(&file, "Boats\n#boats\nWhich?\n\nTrees\nWhich?\n").unwrap();
    let result = host(folder.path(), &["serve", "--listen=127.0.0.1:0", "--themes-file=themes.txt"]).await;
    let why =
        "mellow: themes_file themes.txt: line 6: after the title \"Trees\" there is no line with its #tag\n";
    assert_eq!((result.code, &*result.why), (1, why));
    let result = host(folder.path(), &["serve", "--site-timezone=Berlin"]).await;
    let why = "mellow: site_timezone = \"Berlin\" (--site-timezone): it takes a time zone as the IANA names it, \
               such as UTC or Europe/Berlin\n";
    assert_eq!((result.code, &*result.why), (2, why));
}

#[tokio::test]
async fn s11_a_theme_is_plain_text_on_the_page() {
    let server = TestServer::with_manual_clock(&[ROTATION]).await;
    let odd = "\"'/></head><script>alert(1)</script> & &amp; \\ 🌿 \\u0022";
    let title = format!("--title={odd}");
    let result = server.host(&["theme", "set", &title, &format!("--description={odd}"), "--tag=<b>"]).await;
    assert_eq!(result.code, 0, "{result:?}");
    let shown = shown_at(server.at).await.unwrap();
    assert_eq!(
        (&shown["title"], &shown["description"], &shown["tag"]),
        (&json!(odd), &json!(odd), &json!("<b>"))
    );
    for path in ["/", "/login", "/posts/7", "/index.html"] {
        let response = http::ask(server.at, "GET", path, &[], "").await;
        assert!(!response.body.contains("<script>alert") && response.body.contains("mellow:theme"), "{path}");
        let heads = response.body.matches("</head>").count();
        assert_eq!((heads, response.body.matches("<body").count()), (1, 1), "{path}");
        // Only the scripts and styles of the build count: its files, and one inline element of each kind, which is known
        // by its hash.
        let policy = response.header("Content-Security-Policy").unwrap();
        for kind in ["script", "style"] {
            let (opens, ends) = (format!("<{kind}>"), format!("</{kind}>"));
            let texts = response.body.split(&opens).skip(1).filter_map(|rest| rest.split(&ends).next());
            let hashes = texts.map(|text| format!(" 'sha256-{}'", BASE64.encode(Sha256::digest(text))));
            let hashes: Vec<_> = hashes.collect();
            assert_eq!(hashes.len(), 1, "{path}: {kind}");
            assert!(policy.contains(&format!("{kind}-src 'self'{};", hashes[0])), "{path}: {policy}");
        }
    }
    let ana = server.person("Ana").await;
    assert_eq!(theme_of(&ana).await["title"], odd);
}

#[tokio::test]
async fn an_invalid_command_is_answered_and_delays_no_other() {
    let server = TestServer::with_manual_clock(&[ROTATION]).await;
    let path = server.folder().join("control.sock");
    let error_of = async |bytes: &[u8]| {
        let mut stream = UnixStream::connect(&path).await.unwrap();
        stream.write_all(bytes).await.unwrap();
        stream.shutdown().await.unwrap();
        let mut response = Vec::new();
        stream.read_to_end(&mut response).await.unwrap();
        String::from_utf8_lossy(&response).into_owned()
    };
    for odd in [&b""[..], b"\xc1", b"{\"Theme\":{\"Show\":{\"days\":1}}}", &[0x91; 10_000]] {
        assert!(error_of(odd).await.contains("does not know this command"), "{odd:?}");
    }
    assert!(error_of(&[0; 16 * 1024 + 1]).await.contains("at most 16384 bytes"));
    // The server also refuses a value that the command line would not send.
    let days = mellow::features::theme::host::Command::Show { days: 1_000_000 };
    let command = mellow::wire::codec::encode(&mellow::control::Command::Theme(days)).unwrap();
    assert!(error_of(&command).await.contains("1000000 days cannot be shown"));
    // Three connections send nothing. The server waits for them and answers others meanwhile.
    let mut silent = Vec::new();
    for _ in 0..3 {
        silent.push(UnixStream::connect(&path).await.unwrap());
    }
    assert_eq!(server.host(&["theme", "show"]).await.code, 0);
}

#[tokio::test]
async fn a_server_starts_in_a_folder_that_cannot_have_a_control_socket() {
    let folder = tempfile::tempdir().unwrap();
    let deep = folder.path().join("a".repeat(100));
    std::fs::create_dir(&deep).unwrap();
    let server = Child::starts(&deep, &[("themes_file", "")]);
    let ana = Person::signs_up(server.at, "Ana").await;
    assert_ne!(theme_of(&ana).await, Value::Null);
    let result = host(&deep, &BOATS).await;
    assert_eq!(result.code, 1);
    assert!(result.why.contains("is too long for a socket"), "{}", result.why);
    assert_eq!(result.why.lines().count(), 1);
}

//! Runs `mellow seed` as a host does, and checks the content of the folder.
#![expect(clippy::unwrap_used, reason = "a failed step ends the test")]

use std::path::Path;
use std::process::{Command, Output};

use rusqlite::Connection;

fn seed(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mellow"));
    command.arg("seed").args(arguments).arg("--data").arg(folder);
    command.env_clear().env("MELLOW_PASSWORD_MEMORY_KIB", "64").current_dir(folder).output().unwrap()
}

fn number(folder: &Path, sql: &str) -> i64 {
    let database = Connection::open(folder.join("mellow.db")).unwrap();
    database.query_row(sql, (), |row| row.get(0)).unwrap()
}

/// Returns the email address and the password that were printed last.
fn account(output: &Output) -> (String, String) {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let lines: Vec<&str> = text.lines().rev().take(2).collect();
    let (password, email) =
        (lines[0].strip_prefix("password: ").unwrap(), lines[1].strip_prefix("email: ").unwrap());
    (email.into(), password.into())
}

#[test]
fn a_demo_has_sixty_people_who_share_something_and_is_made_once() {
    let folder = tempfile::tempdir().unwrap();
    let output = seed(folder.path(), &["--demo"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let (email, password) = account(&output);
    assert!(email.contains('@') && password.len() >= 12);
    assert_eq!(number(folder.path(), "select count(*) from users"), 60);
    for (table, least) in [
        ("posts", 50),
        ("comments", 80),
        ("votes", 300),
        ("follows", 300),
        ("polls", 6),
        ("ballots", 30),
        ("groups", 5),
        ("moods", 10),
        ("pictures", 8),
        ("photos", 20),
        ("notifications", 60),
    ] {
        let count = number(folder.path(), &format!("select count(*) from {table}"));
        assert!(count >= least, "{count} {table}");
    }
    assert_eq!(number(folder.path(), "select count(*) from logins"), 0, "nobody is logged in");
    let newcomers = "select count(*) from newcomers where is_dismissed = 0";
    assert_eq!(number(folder.path(), newcomers), 0, "nobody is shown the first steps");
    assert!(!folder.path().join("backups").exists(), "the first backup is of the whole month");
    let later = "select count(*) from posts where created_at_ms > unixepoch('subsec') * 1000";
    assert_eq!(number(folder.path(), later), 0, "nothing is of tomorrow");

    // Checks that no server was started meanwhile. A start takes a `seq`, and an unclean end is recorded.
    let starts = "select 2 * seq + stopped_cleanly from site";
    let before = number(folder.path(), starts);
    for wanted in [&["--demo"][..], &["--people", "5"]] {
        let again = seed(folder.path(), wanted);
        assert_eq!(again.status.code(), Some(1));
        let why = String::from_utf8(again.stderr).unwrap();
        assert!(
            why.starts_with("mellow: there are accounts here already") && why.lines().count() == 1,
            "{why}"
        );
    }
    assert_eq!(number(folder.path(), starts), before, "the folder stays as it is");
    assert_eq!(number(folder.path(), "select count(*) from users"), 60);
}

#[test]
fn a_seeded_folder_has_the_requested_amounts_and_a_few_popular_people() {
    let folder = tempfile::tempdir().unwrap();
    let arguments =
        ["--people", "300", "--posts", "2000", "--follows", "3000", "--groups", "10", "--seed", "7"];
    let output = seed(folder.path(), &arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let count = |table: &str| number(folder.path(), &format!("select count(*) from {table}"));
    assert_eq!((count("users"), count("posts"), count("groups")), (300, 2_000, 10));
    assert!(count("follows") > 1_500, "{}", count("follows"));
    let most = "select max(count) from (select count(*) as count from follows group by followed_id)";
    assert!(number(folder.path(), most) > 100, "somebody is followed by a third of all");
    let wrong = "select count(*) from posts p where comments_count <>
                 (select count(*) from comments c where c.post_id = p.id)";
    assert_eq!(number(folder.path(), wrong), 0);
    let sound: String = Connection::open(folder.path().join("mellow.db"))
        .unwrap()
        .query_row("pragma integrity_check", (), |row| row.get(0))
        .unwrap();
    assert_eq!(sound, "ok");

    // The same seed results in the same content.
    let other = tempfile::tempdir().unwrap();
    assert!(seed(other.path(), &arguments).status.success());
    let sum = "select sum(follower_id * 7 + followed_id * 3 + id) from follows";
    assert_eq!(number(folder.path(), sum), number(other.path(), sum));
}

#[test]
fn a_demo_with_amounts_is_wrong_usage() {
    let folder = tempfile::tempdir().unwrap();
    let output = seed(folder.path(), &["--demo", "--people", "5"]);
    assert_eq!(output.status.code(), Some(2));
}

//! Backups of a running server, and folders that are restored from them.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::support;
use crate::support::child;
use crate::support::person::{PASSWORD, Person, email_of, texts};
use crate::support::server::TestServer;
use crate::support::socket::Socket;
use crate::support::uploads::{path_of, urls};
use crate::support::value::key;

const HOUR_MS: i64 = 3_600_000;

/// Makes a backup by the command. Returns its folder.
pub async fn backup(server: &TestServer, arguments: &[&str]) -> PathBuf {
    let made = server.host(&[&["backup"], arguments].concat()).await;
    assert_eq!((made.code, made.why.as_str()), (0, ""));
    let path = PathBuf::from(made.text.strip_suffix('\n').expect("one line"));
    assert!(path.is_absolute() && path.join("mellow.db").is_file(), "{}", path.display());
    path
}

/// Restores a backup into a new folder.
pub async fn restore(backup: &Path) -> (tempfile::TempDir, child::CommandResult) {
    let data = tempfile::tempdir().unwrap();
    let result = child::host(data.path(), &["restore", backup.to_str().unwrap()]).await;
    (data, result)
}

/// Returns the sorted names in a folder, without `.lock`.
fn names_in(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name != ".lock").collect();
    names.sort();
    names
}

/// Waits until the folder of backups has exactly these names.
async fn has_backups(server: &TestServer, names: &[&str]) {
    let folder = server.folder().join("backups");
    support::wait_until("the backups are these", || names_in(&folder) == names).await;
}

#[tokio::test]
async fn ana_finds_her_posts_and_pictures_in_a_restored_folder() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    ana.posts("before the backup").await;
    let url = urls(&ana.posts_picture("with a picture").await).remove(0);
    let bytes = ana.fetches(&url).await.content;
    let made = backup(&server, &[]).await;
    assert!(made.starts_with(server.folder().join("backups").canonicalize().unwrap()));
    assert_eq!(names_in(&made), ["media", "mellow.db"]);
    ana.posts("after the backup").await;

    let (data, restored) = restore(&made).await;
    assert_eq!((restored.code, restored.text.as_str()), (0, "Restored 1 people, 2 posts, 1 pictures\n"));
    assert_eq!(restored.why, "");
    assert_eq!(names_in(data.path()), ["media", "mellow.db", "mellow.lock"]);
    let other = TestServer::on(data, &[]);
    let again = Person::signs_up_again(other.at, "Ana").await;
    assert_eq!(texts(&again.reads_posts_of(&again).await), ["with a picture", "before the backup"]);
    assert_eq!(again.fetches(&url).await.content, bytes);
    let checked = other.host(&["check"]).await;
    assert_eq!((checked.code, checked.findings()), (0, "database: ok\nmedia: ok\nbackups: 0\n"));
}

#[tokio::test]
async fn a_restored_folder_has_another_epoch_no_earlier_login_or_link_and_no_address_that_waits_for_one() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let forgotten = json!({ "email": email_of("Ana") });
    server.guest().await.asks("auth.request_reset", forgotten).await.unwrap();
    let change = json!({ "key": key(), "email": "ana@new.example.org", "password": PASSWORD });
    ana.asks("auth.change_email", change).await;
    support::wait_until("the links are mailed", || server.count("select count(*) from links") == 3).await;
    let made = backup(&server, &[]).await;
    let (data, restored) = restore(&made).await;
    assert_eq!(restored.code, 0, "{}", restored.why);
    let other = TestServer::on(data, &[]);
    let counts =
        "select (select count(*) from logins) + (select count(*) from links) + (select count(*) from mails)";
    assert_eq!(other.count(counts), 0);
    let hello = Socket::open(other.at, Some(&ana.cookie)).await.hello().await;
    assert_eq!((&hello["me"], &hello["login"]), (&json!(null), &json!("ended")));
    // Nothing waits for a link that is gone.
    let again = Person::signs_up_again(other.at, "Ana").await;
    let me = again.opens_another_tab().await.socket.hello().await["me"].clone();
    assert_eq!((&me["email"], &me["pending_email"]), (&json!(ana.email), &json!(null)));
    let epoch = |server: &TestServer| {
        server.look().query_row("select epoch from site", [], |row| row.get::<_, String>(0)).unwrap()
    };
    assert_ne!(epoch(&server), epoch(&other));
}

#[tokio::test]
async fn a_backup_by_the_command_keeps_as_many_as_the_running_server() {
    let server = TestServer::with(&["backups_kept=1"]).await;
    server.person("Ana").await;
    backup(&server, &[]).await;
    backup(&server, &["--backups-kept", "2"]).await;
    assert_eq!(names_in(&server.folder().join("backups")).len(), 2, "what is typed counts");
    backup(&server, &[]).await;
    assert_eq!(names_in(&server.folder().join("backups")).len(), 1);
}

#[tokio::test]
async fn a_command_that_the_server_does_not_answer_says_that_it_removed_nothing_only_where_it_would_have() {
    let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    // The path is too long for a socket, so the server cannot be asked.
    let deep = folder.path().join("a".repeat(100));
    std::fs::create_dir(&deep).unwrap();
    let _server = child::Child::starts(&deep, &[]);
    let made = child::host(&deep, &["backup"]).await;
    assert_eq!(made.code, 0, "{}", made.why);
    assert!(made.why.contains("no old backup was removed"), "{}", made.why);
    let made = child::host(&deep, &["backup", "--to", elsewhere.path().to_str().unwrap()]).await;
    assert_eq!((made.code, made.why.as_str()), (0, ""));
}

/// Makes a backup of a server with a picture. Returns its folder and the picture's file in it.
async fn with_a_picture(server: &TestServer) -> (PathBuf, PathBuf) {
    let ana = server.person("Ana").await;
    let url = urls(&ana.posts_picture("with a picture").await).remove(0);
    let made = backup(server, &[]).await;
    let picture = made.join("media").join(path_of(&url));
    assert!(picture.is_file(), "{}", picture.display());
    (made, picture)
}

#[tokio::test]
async fn a_backup_that_somebody_else_held_brings_only_regular_files() {
    let secret = tempfile::tempdir().unwrap();
    std::fs::write(secret.path().join("key"), "the host's own key").unwrap();
    type Harm = fn(&Path, &Path);
    let harms: [(&str, Harm); 4] = [
        ("a link", |picture, secret| {
            std::fs::remove_file(picture).unwrap();
            std::os::unix::fs::symlink(secret.join("key"), picture).unwrap();
        }),
        ("a folder that is a link", |picture, secret| {
            let folder = picture.parent().unwrap();
            let name = picture.file_name().unwrap();
            std::fs::remove_dir_all(folder).unwrap();
            std::fs::copy(secret.join("key"), secret.join(name)).unwrap();
            std::os::unix::fs::symlink(secret, folder).unwrap();
        }),
        ("a pipe that nobody writes to", |picture, _| {
            std::fs::remove_file(picture).unwrap();
            assert!(std::process::Command::new("mkfifo").arg(picture).status().unwrap().success());
        }),
        ("a folder", |picture, _| {
            std::fs::remove_file(picture).unwrap();
            std::fs::create_dir(picture).unwrap();
        }),
    ];
    for (what, harm) in harms {
        let server = TestServer::new().await;
        let (made, picture) = with_a_picture(&server).await;
        harm(&picture, secret.path());
        let (data, refused) = restore(&made).await;
        assert_eq!((refused.code, refused.text.as_str()), (1, ""), "{what}");
        assert!(refused.why.contains("the backup cannot be used: media/"), "{what}: {}", refused.why);
        assert!(refused.why.contains("is not a regular file"), "{what}: {}", refused.why);
        assert!(!data.path().join("mellow.db").exists(), "{what}: nothing can be served from it");
    }
}

#[tokio::test]
async fn a_restored_file_is_for_the_host_alone_whatever_its_mode_was() {
    use std::os::unix::fs::PermissionsExt;
    let server = TestServer::new().await;
    let (made, picture) = with_a_picture(&server).await;
    std::fs::set_permissions(&picture, PermissionsExt::from_mode(0o4777)).unwrap();
    std::fs::set_permissions(made.join("mellow.db"), PermissionsExt::from_mode(0o666)).unwrap();
    let (data, restored) = restore(&made).await;
    assert_eq!(restored.code, 0, "{}", restored.why);
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    let restored = data.path().join(picture.strip_prefix(&made).unwrap());
    assert_eq!(mode(&restored), 0o600);
    assert_eq!(mode(restored.parent().unwrap()), 0o700);
    assert_eq!(mode(&data.path().join("mellow.db")), 0o600);

    // A new folder is for the host alone too. Those above it may hold other things.
    let above = data.path().join("of several");
    let new = above.join("mellow");
    let mut again = child::program(data.path());
    again.arg("restore").arg(made).arg("--data").arg(&new);
    assert!(again.status().unwrap().success());
    assert_eq!((mode(&above), mode(&new)), (0o755, 0o700));
}

#[tokio::test]
async fn a_database_whose_schema_somebody_changed_is_refused_everywhere() {
    let server = TestServer::new().await;
    server.person("Ana").await;
    let made = backup(&server, &[]).await;
    let database = rusqlite::Connection::open(made.join("mellow.db")).unwrap();
    database
        .execute_batch(
            "create trigger spy after delete on logins begin update users set name = 'Mallory'; end;",
        )
        .unwrap();
    database.close().unwrap();
    let (data, refused) = restore(&made).await;
    assert_eq!(refused.code, 1);
    assert!(refused.why.contains("trigger spy"), "{}", refused.why);
    assert!(!data.path().join("mellow.db").exists());
    let checked = server.host(&["check"]).await;
    assert_eq!(checked.code, 1);
    assert!(checked.text.contains("database: ok") && checked.why.contains("trigger spy"), "{checked:?}");
    // The same file as the database of a folder.
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(made.join("mellow.db"), folder.path().join("mellow.db")).unwrap();
    for command in [&["check"][..], &["backup"], &["user", "list"], &["serve", "--listen", "127.0.0.1:0"]] {
        let refused = child::host(folder.path(), command).await;
        assert_eq!(refused.code, 1, "{command:?}");
        assert!(refused.why.contains("trigger spy"), "{command:?}: {}", refused.why);
    }
    let database = rusqlite::Connection::open(folder.path().join("mellow.db")).unwrap();
    let name: String = database.query_row("select name from users", [], |row| row.get(0)).unwrap();
    assert_eq!(name, "Ana");
}

#[tokio::test]
async fn a_backup_is_restored_only_into_an_empty_folder() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    ana.posts("still here").await;
    let made = backup(&server, &[]).await;
    let made = made.to_str().unwrap();
    let refused = server.host(&["restore", made]).await;
    assert_eq!((refused.code, refused.text.as_str()), (1, ""));
    assert!(refused.why.starts_with("mellow: ") && refused.why.contains("not empty"), "{}", refused.why);
    assert_eq!(refused.why.lines().count(), 1);
    assert_eq!(ana.feed_texts().await, ["still here"]);
    let empty = tempfile::tempdir().unwrap();
    let none = child::host(empty.path(), &["restore", empty.path().to_str().unwrap()]).await;
    assert_eq!(none.code, 1);
    assert!(none.why.contains("there is no backup in"), "{}", none.why);
    assert_eq!(child::host(empty.path(), &["restore"]).await.code, 2, "which backup?");
}

#[tokio::test]
async fn a_backup_on_another_disk_is_complete_and_no_backup_there_is_removed() {
    let server = TestServer::new().await;
    server.person("Ana").await.posts_picture("tree").await;
    // A file system in memory is another file system, so files cannot be hard links.
    let elsewhere = tempfile::tempdir_in("/dev/shm").unwrap();
    let to = elsewhere.path().to_str().unwrap();
    for _ in 0..2 {
        let made = backup(&server, &["--to", to, "--backups-kept", "1"]).await;
        assert_eq!(restore(&made).await.1.text, "Restored 1 people, 1 posts, 1 pictures\n");
    }
    assert_eq!(names_in(elsewhere.path()).len(), 2);
    assert!(!server.folder().join("backups").exists());
}

#[tokio::test]
async fn the_newest_backups_stay_and_an_incomplete_one_is_removed() {
    let server = TestServer::new().await;
    let backups = server.folder().join("backups");
    for name in [
        ".mellow-20260101T000000Z",
        "mellow-20260102T000000Z",
        "mellow-20260103T000000Z",
        "mellow-soon",
        "of the host",
    ] {
        std::fs::create_dir_all(backups.join(name).join("media")).unwrap();
    }
    let made = backup(&server, &["--backups-kept", "2"]).await;
    let newest = made.file_name().unwrap().to_str().unwrap();
    assert_eq!(names_in(&backups), ["mellow-20260103T000000Z", newest, "mellow-soon", "of the host"]);
    let checked = server.host(&["check"]).await;
    assert_eq!((checked.code, checked.findings()), (0, "database: ok\nmedia: ok\nbackups: 2\n"));
}

#[tokio::test]
async fn mellow_makes_a_backup_a_day_and_tries_again_an_hour_after_one_failed() {
    let settings = ["backup_every_hours=24", "backups_kept=2"];
    let server = TestServer::with_manual_clock(&settings).await;
    has_backups(&server, &["mellow-20260301T090000Z"]).await;
    server.later(24 * HOUR_MS);
    has_backups(&server, &["mellow-20260301T090000Z", "mellow-20260302T090000Z"]).await;
    server.later(24 * HOUR_MS);
    has_backups(&server, &["mellow-20260302T090000Z", "mellow-20260303T090000Z"]).await;

    // A file has the name of the folder, so the backup fails.
    let (backups, aside) = (server.folder().join("backups"), server.folder().join("aside"));
    std::fs::rename(&backups, &aside).unwrap();
    std::fs::write(&backups, "").unwrap();
    server.later(24 * HOUR_MS);
    let failure = || server.app().backups.last_failure();
    support::wait_until("a backup failed", || failure().is_some()).await;
    let why = failure().unwrap().why;
    assert!(why.contains("cannot write a backup"), "{why}");
    std::fs::remove_file(&backups).unwrap();
    std::fs::rename(&aside, &backups).unwrap();
    server.later(HOUR_MS);
    has_backups(&server, &["mellow-20260303T090000Z", "mellow-20260304T100000Z"]).await;
    support::wait_until("the failure is over", || failure().is_none()).await;
}

#[tokio::test]
async fn a_check_names_missing_and_damaged_files() {
    let server = TestServer::new().await;
    let url = urls(&server.person("Ana").await.posts_picture("tree").await).remove(0);
    let made = backup(&server, &[]).await;
    std::fs::remove_file(server.media().join(path_of(&url))).unwrap();
    std::fs::write(made.join("mellow.db"), b"SQLite format 3\0 and no more").unwrap();
    let checked = server.host(&["check"]).await;
    assert_eq!(checked.code, 1);
    let lines: Vec<&str> = checked.text.lines().collect();
    assert_eq!(lines[..2], ["database: ok", "media: 1 of 2 files are missing or cut off"]);
    assert!(lines[2].starts_with("backups: the newest one, mellow-"), "{}", lines[2]);
    assert_eq!(checked.why, "mellow: media: 1 of 2 files are missing or cut off\n");
    let (data, restored) = restore(&made).await;
    assert_eq!(restored.code, 1);
    assert!(restored.why.contains("the backup cannot be used"), "{}", restored.why);
    assert!(!data.path().join("mellow.db").exists());
    let empty = tempfile::tempdir().unwrap();
    assert_eq!(child::host(empty.path(), &["check"]).await.code, 1);
    assert_eq!(child::host(empty.path(), &["backup"]).await.code, 1);
    assert!(names_in(empty.path()).is_empty());
}

#[tokio::test]
async fn a_backup_that_would_fill_the_disk_is_refused() {
    let server = TestServer::new().await;
    let refused = server.host(&["backup", "--disk-free-mib-min", "100000000"]).await;
    assert_eq!((refused.code, refused.text.as_str()), (1, ""));
    assert!(refused.why.contains("MiB free"), "{}", refused.why);
    assert!(names_in(&server.folder().join("backups")).is_empty(), "nothing is left of the try");
}

#[tokio::test]
async fn a_command_lists_only_the_flags_that_it_reads() {
    let folder = tempfile::tempdir().unwrap();
    for (name, reads) in [("backup", true), ("restore", false), ("check", false)] {
        let help = child::program(folder.path()).args([name, "--help"]).output().unwrap();
        let help = String::from_utf8(help.stdout).unwrap();
        assert!(help.contains("--data"), "{help}");
        for flag in ["--backups-kept", "--disk-free-mib-min"] {
            assert_eq!(help.contains(flag), reads, "{name}: {help}");
        }
    }
}

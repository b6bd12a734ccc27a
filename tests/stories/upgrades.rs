//! R8: data of every released schema is there, unchanged, after the start of this program.
//!
//! `tests/schemas/0003.sql` has rows for the tables and columns of schema 3. A folder of schema N is made of the
//! migrations up to N and of the rows up to N. If a query relies on the time in an id, the rows have such ids. Rows
//! that the start of the program completes are made by the test, not by the file. A schema is released when it has a
//! file of rows. After that neither changes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rusqlite::types::Value as Column;
use serde_json::{Value, json};
use sqlx::migrate::Migrator;
use sqlx::{Connection, SqliteConnection};

use crate::support;
use crate::support::authenticator::Authenticator;
use crate::support::child::{Child, host};
use crate::support::person::{PASSWORD, Person, texts};
use crate::support::server::TestServer;
use crate::support::socket::Socket;

/// The stored files that the rows name.
const FILES: [&str; 4] = [
    "posts/101/1_0_tree.jpg",
    "posts/101/1_0_tree.card.jpg",
    "photos/101/2_0_me.jpg",
    "photos/101/2_0_me.card.jpg",
];
/// The first schema with a case-folded name of each user. A start fills this column.
const NAMES_FOLDED: i64 = 8;
/// Tables with facts about a run, which a start or its sweeps change.
const CHANGING: [&str; 2] = ["site", "_sqlx_migrations"];

/// Returns the highest number of the files in a folder, which begin with four digits.
fn highest(folder: &str) -> i64 {
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name());
    files.map(|name| name.to_str().unwrap()[..4].parse().unwrap()).max().unwrap()
}

/// Returns the newest schema that was released. 1.0.0 came with schema 26, and each release brings the rows of its own.
fn released() -> i64 {
    highest("tests/schemas")
}

/// Returns the hash of the password that every user of a test has.
async fn password_hash() -> String {
    let server = TestServer::new().await;
    server.person("Ana").await;
    server.look().query_row("select password_hash from users", [], |row| row.get(0)).unwrap()
}

/// Makes the database of a folder as a Mellow with this schema left it.
async fn make_folder(folder: &Path, schema: i64, hash: &str) {
    let mut migrator = Migrator::new(Path::new("migrations")).await.unwrap();
    let older: Vec<_> =
        migrator.migrations.iter().filter(|migration| migration.version <= schema).cloned().collect();
    migrator.migrations = older.into();
    let url = format!("sqlite://{}?mode=rwc", folder.join("mellow.db").display());
    let mut connection = SqliteConnection::connect(&url).await.unwrap();
    migrator.run(&mut connection).await.unwrap();
    connection.close().await.unwrap();
    let database = rusqlite::Connection::open(folder.join("mellow.db")).unwrap();
    database.pragma_update(None, "foreign_keys", "on").unwrap();
    for version in 1..=schema {
        let rows = std::fs::read_to_string(format!("tests/schemas/{version:04}.sql")).unwrap();
        database.execute_batch(&rows.replace("HASH", hash)).unwrap();
    }
    if schema < NAMES_FOLDED {
        // SQLite folds only ASCII.
        database.execute("update users set name = 'Zoë ÅBERG' where id = 103", ()).unwrap();
    }
    for path in FILES {
        let path = folder.join("media").join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "bytes").unwrap();
    }
}

/// Returns the schema of the database in a data folder or in a backup.
fn schema_of(folder: &Path) -> i64 {
    let database = rusqlite::Connection::open(folder.join("mellow.db")).unwrap();
    database.query_row("select max(version) from _sqlx_migrations", [], |row| row.get(0)).unwrap()
}

/// Returns the folders of the backups in a data folder.
fn backups_in(data: &Path) -> Vec<PathBuf> {
    let backups = mellow::backup::list(&data.join("backups")).unwrap();
    backups.into_iter().map(|backup| backup.path).collect()
}

/// Columns that a later schema removes on purpose, or that a start fills anew.
const DROPPED: [(&str, &str); 2] = [("mails", "detail"), ("users", "name_key")];

/// Returns every table with the columns that stay.
fn tables(database: &rusqlite::Connection) -> Vec<(String, String)> {
    let sql = "select m.name, c.name from sqlite_master m, pragma_table_info(m.name) c
                where m.type = 'table' and m.name not like 'sqlite_%' order by m.name, c.cid";
    let mut columns = database.prepare(sql).unwrap();
    let columns = columns.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    let mut tables: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (table, column) in columns.map(|column| column.unwrap()) {
        let (table, column): (String, String) = (table, column);
        if !CHANGING.contains(&table.as_str()) && !DROPPED.contains(&(table.as_str(), column.as_str())) {
            tables.entry(table).or_default().push(column);
        }
    }
    tables.into_iter().map(|(table, columns)| (table, columns.join(", "))).collect()
}

/// Returns every row of these columns.
fn rows(database: &rusqlite::Connection, tables: &[(String, String)]) -> Vec<(String, Vec<Vec<Column>>)> {
    let read = |(table, columns): &(String, String)| {
        let mut rows =
            database.prepare(&format!("select {columns} from \"{table}\" order by {columns}")).unwrap();
        let count = rows.column_count();
        let rows = rows.query_map([], |row| (0..count).map(|column| row.get(column)).collect()).unwrap();
        (table.clone(), rows.map(Result::unwrap).collect())
    };
    tables.iter().map(read).collect()
}

/// Returns the schema.
fn schema(database: &rusqlite::Connection) -> Vec<(String, Option<String>)> {
    let mut items = database.prepare("select name, sql from sqlite_master order by name").unwrap();
    items.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().map(Result::unwrap).collect()
}

#[tokio::test]
async fn r8_data_of_each_released_schema_is_there_after_the_start() {
    let hash = password_hash().await;
    let newest = schema(&TestServer::new().await.look());
    for version in 1..=released() {
        let folder = tempfile::tempdir().unwrap();
        make_folder(folder.path(), version, &hash).await;
        let database = rusqlite::Connection::open(folder.path().join("mellow.db")).unwrap();
        let known = tables(&database);
        let before = rows(&database, &known);
        database.close().unwrap();
        let server = TestServer::on_at_morning(folder);
        let database = server.look();
        assert_eq!(schema(&database), newest, "schema {version}");
        assert_eq!(rows(&database, &known), before, "schema {version}");
        let broken = database.prepare("pragma foreign_key_check").unwrap().exists([]).unwrap();
        assert!(!broken, "schema {version}");
        let unfolded =
            database.prepare("select 1 from users where name_key is null").unwrap().exists([]).unwrap();
        assert!(!unfolded, "schema {version}");
        let ben = Person::logs_in(server.at, "ben@people.example.org").await;
        looks_around(&ben, version).await;
        let ana = Person::logs_in(server.at, "ana@people.example.org").await;
        finds_own(&ana, version).await;
        if version >= 25 {
            ana_logs_in_with_her_passkey(&server).await;
        }
        // New writes succeed.
        let post_id = ana.posts("after the upgrade").await;
        ben.comments(post_id, "Welcome back.").await;
        assert_eq!(ana.receives("notifications.created").await["notification"]["kind"], "comment");
        let checked = server.host(&["check"]).await;
        assert_eq!(checked.findings(), "database: ok\nmedia: ok\nbackups: 0\n", "schema {version}");
    }
}

/// Ben finds all data that this schema has.
async fn looks_around(ben: &Person, version: i64) {
    let mut feed = Vec::new();
    if version >= 6 {
        feed.push("for the walkers");
    }
    if version >= 2 {
        feed.extend(["a post of Ben", "the first post"]);
    }
    assert_eq!(ben.feed_texts().await, feed, "schema {version}");
    if version >= 2 {
        assert_eq!(ben.reads_thread(201).await["comments"][0]["text"], json!("Yes, @101+Ana."));
    }
    if version >= 3 {
        let url = "/media/posts/101/1_0_tree.jpg?token=aaaaaaaaaaaaaaaaaaaaaa";
        assert_eq!(ben.fetches(url).await.body, "bytes", "schema {version}");
    }
    if version >= 5 {
        let polls = ben.reads_polls().await;
        assert_eq!((polls.len(), &polls[0]["question"]), (1, &json!("Tea?")), "schema {version}");
    }
    if version >= 6 {
        assert_eq!(ben.reads_groups().await.len(), 1, "schema {version}");
    }
    if version >= 9 {
        let shown = ben.asks("invites.get", json!({ "code": "eeeeeeeeeeeeeeeeeeeeee" })).await;
        assert_eq!(shown["name"], json!("Ana"), "schema {version}");
    }
    let found = ben.asks("search.people", json!({ "after": null })).await;
    // Cleo is not listed, Dan is blocked, Eve is suspended.
    let listed = match version {
        ..NAMES_FOLDED => vec!["Ana", "Zoë ÅBERG"],
        NAMES_FOLDED..13 => vec!["Ana"],
        13.. => vec!["Ana", "Finn"],
    };
    assert_eq!(names(&found["users"]), listed, "schema {version}");
    if version < NAMES_FOLDED {
        let found = ben.asks("search.names", json!({ "term": "aberg" })).await;
        assert_eq!(names(&found["close"]), ["Zoë ÅBERG"], "schema {version}");
    }
    if version >= 13 {
        let hidden = ben.asks("people.hidden", json!({})).await;
        assert_eq!((names(&hidden["blocked"]), names(&hidden["muted"])), (vec!["Dan"], vec!["Finn"]));
        ben.opens(1_306).await;
        for unseen in [1_304, 1_305] {
            ben.is_refused("not_found", "posts.get", json!({ "post_id": unseen })).await;
        }
    }
    finds_newer(ben, version).await;
}

/// Ben finds what came with the schemas after the first one with admins.
async fn finds_newer(ben: &Person, version: i64) {
    if version >= 21 {
        assert_eq!(ben.saved_texts().await, ["the first post"], "schema {version}");
    }
    if version >= 22 {
        assert_eq!(ben.opens(202).await["content_note"], "Rain", "schema {version}");
    }
    if version >= 23 {
        let quiet_hours = json!({
            "on": false, "from": "22:00", "to": "07:00", "days": ["monday", "sunday"], "zone": "Europe/Berlin",
        });
        assert_eq!(me(ben).await["quiet_hours"], quiet_hours, "schema {version}");
    }
    if version >= 26 {
        let posts = ben.asks("posts.by_author", json!({ "user_id": 101, "before": null })).await;
        let oldest = posts["posts"].as_array().unwrap().last().unwrap().clone();
        assert_eq!((&oldest["text"], &oldest["imported"]), (&json!("from elsewhere"), &json!(true)));
    }
}

/// Returns the account of a user as a new tab receives it.
async fn me(person: &Person) -> Value {
    Socket::open(person.at, Some(&person.cookie)).await.hello().await["me"].clone()
}

/// Ana logs in with the device whose passkey is in the rows.
async fn ana_logs_in_with_her_passkey(server: &TestServer) {
    let origin = Authenticator::origin_of(server);
    let mut device = Authenticator::stored([0x19; 32], &[0x25; 32], &[0x26; 16], 8, &origin);
    let guest = server.guest().await;
    let begun = guest.asks("auth.begin_passkey", json!({})).await.expect("a challenge");
    let fields = json!({ "challenge": begun["challenge"], "response": device.uses(&begun) });
    let logged_in = guest.asks("auth.log_in_with_passkey", fields).await.expect("a log-in");
    assert_eq!(logged_in["me"]["name"], "Ana");
}

/// Ana finds her own data: notifications, and from the first schema with admins on the data for admins.
async fn finds_own(ana: &Person, version: i64) {
    let told = ana.reads_notifications().await["notifications"].as_array().unwrap().len();
    assert_eq!(told, if version >= 4 { 2 } else { 0 }, "schema {version}");
    if version >= 2 {
        let post = ana.opens(201).await;
        assert_eq!((&post["title"], &post["comments_count"]), (&json!("Spring"), &json!(1)));
    }
    if version >= 19 {
        assert_eq!(ana.opens(1_901).await["audience"], json!({ "type": "author" }), "schema {version}");
    }
    if version >= 20 {
        assert_eq!(me(ana).await["language"], "pt-BR", "schema {version}");
    }
    if version >= 25 {
        let passkeys = ana.asks("passkeys.list", json!({})).await["passkeys"].clone();
        assert_eq!((&passkeys[0]["name"], &passkeys[0]["host"]), (&json!("Laptop"), &Value::Null));
    }
    if version >= 26 {
        let imports = ana.asks("imports.list", json!({})).await["imports"].clone();
        assert_eq!((&imports[0]["source"], &imports[0]["posts"]), (&json!("mastodon"), &json!(1)));
    }
    if version < 15 {
        ana.is_refused("not_found", "admin.people", json!({})).await;
        return;
    }
    let all = ana.asks("admin.people", json!({})).await["people"].as_array().unwrap().clone();
    let suspended: Vec<&Value> = all.iter().filter(|one| one["is_suspended"] == true).collect();
    assert_eq!((all.len(), &suspended[0]["user"]["name"]), (6, &json!("Eve")));
    let reports = ana.asks("admin.reports", json!({})).await["reports"].clone();
    assert_eq!(
        (&reports[0]["words"], &reports[0]["reporter"]["name"]),
        (&json!("a post of Eve"), &json!("Ben"))
    );
    let lines = ana.asks("admin.log", json!({})).await["lines"].clone();
    assert_eq!((&lines[0]["act"], &lines[1]["act"]), (&json!("suspended"), &json!("promoted")));
    let days = ana.asks("theme.schedule", json!({})).await["days"].clone();
    assert_eq!((&days[4]["theme"]["title"], &days[4]["is_set"]), (&json!("Boats"), &json!(true)));
    let eve = json!({ "email": "eve@people.example.org", "password": PASSWORD });
    ana.is_refused("suspended", "auth.log_in", eve).await;
}

/// Returns the names in a list of users.
fn names(people: &Value) -> Vec<&str> {
    people.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn r8_a_start_that_upgrades_logs_its_version_and_both_schemas() {
    let folder = tempfile::tempdir().unwrap();
    let (data, path) = (folder.path().join("data"), folder.path().join("log"));
    std::fs::create_dir(&data).unwrap();
    make_folder(&data, 1, "no password").await;
    let start = || {
        let log = std::fs::File::create(&path).unwrap();
        drop(Child::starts_with_log(&data, &[("log", "info")], log));
        std::fs::read_to_string(&path).unwrap()
    };
    let (first, newest) = (start(), highest("migrations"));
    assert!(first.contains(&format!("Mellow {} starts", mellow::settings::version())), "{first}");
    assert!(first.contains(&format!("the database is upgraded from schema 1 to {newest}")), "{first}");
    let second = start();
    assert!(!second.contains("upgraded"), "{second}");
}

#[tokio::test]
async fn r8_an_interrupted_upgrade_continues_at_the_next_start() {
    let hash = password_hash().await;
    let folder = tempfile::tempdir().unwrap();
    make_folder(folder.path(), 1, &hash).await;
    let mut reached = vec![schema_of(folder.path())];
    for kills in 0..10 {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_mellow"));
        command.env_clear().current_dir(folder.path()).stdout(std::process::Stdio::null());
        // Without a backup before it, the upgrade begins at once.
        command.args(["serve", "--log", "off", "--listen", "127.0.0.1:0", "--backup-before-upgrade", "off"]);
        command.arg("--data").arg(folder.path());
        let mut server = command.spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(20 + 15 * kills));
        server.kill().unwrap();
        server.wait().unwrap();
        reached.push(schema_of(folder.path()));
        assert!(reached.is_sorted(), "{reached:?}");
    }
    println!("the schema after each sudden end: {reached:?}");
    let server = TestServer::on(folder, &[]);
    let ben = Person::logs_in(server.at, "ben@people.example.org").await;
    assert_eq!(ben.me()["name"], json!("Ben"));
    support::wait_until("the start is over", || schema_of(server.folder()) >= highest("migrations")).await;
}

#[tokio::test]
async fn r8_a_backup_of_an_older_schema_is_made_and_restored_by_a_newer_program() {
    let hash = password_hash().await;
    for version in [1, 5, 9, released()] {
        let folder = tempfile::tempdir().unwrap();
        make_folder(folder.path(), version, &hash).await;
        let made = host(folder.path(), &["backup"]).await;
        assert_eq!((made.code, &*made.why), (0, ""), "schema {version}");
        let restored = tempfile::tempdir().unwrap();
        let done = host(restored.path(), &["restore", made.text.trim_end()]).await;
        assert_eq!((done.code, &*done.why), (0, ""), "schema {version}");
        let server = TestServer::on_at_morning(restored);
        let ben = Person::logs_in(server.at, "ben@people.example.org").await;
        looks_around(&ben, version).await;
        let checked = server.host(&["check"]).await;
        assert_eq!(checked.findings(), "database: ok\nmedia: ok\nbackups: 0\n", "schema {version}");
    }
}

#[tokio::test]
async fn r8_a_start_that_upgrades_makes_a_backup_first_and_no_later_start_does() {
    let hash = password_hash().await;
    let folder = tempfile::tempdir().unwrap();
    make_folder(folder.path(), 9, &hash).await;
    let mut server = TestServer::on(folder, &["backup_before_upgrade=on"]);
    let made = backups_in(server.folder());
    assert_eq!(made.len(), 1);
    assert_eq!((schema_of(&made[0]), schema_of(server.folder())), (9, highest("migrations")));
    let ben = Person::logs_in(server.at, "ben@people.example.org").await;
    ben.posts("after the upgrade").await;
    server.restarts().await;
    assert_eq!(backups_in(server.folder()), made, "there was nothing to upgrade");

    // The host goes back to it.
    let restored = tempfile::tempdir().unwrap();
    let done = host(restored.path(), &["restore", made[0].to_str().unwrap()]).await;
    assert_eq!((done.code, &*done.why), (0, ""));
    let again = TestServer::on_at_morning(restored);
    let ben = Person::logs_in(again.at, "ben@people.example.org").await;
    looks_around(&ben, 9).await;
    let posts = texts(&ben.reads_posts_of(&ben).await);
    assert!(!posts.contains(&"after the upgrade".to_owned()), "{posts:?}");
}

#[tokio::test]
async fn r8_a_command_that_upgrades_makes_a_backup_first_unless_the_host_switched_it_off() {
    let hash = password_hash().await;
    for (switch, count) in [("on", 1), ("off", 0)] {
        let folder = tempfile::tempdir().unwrap();
        make_folder(folder.path(), 5, &hash).await;
        let settings = format!("backup_before_upgrade = \"{switch}\"\n");
        std::fs::write(folder.path().join("mellow.toml"), settings).unwrap();
        let listed = host(folder.path(), &["user", "list"]).await;
        assert_eq!((listed.code, &*listed.why), (0, ""), "{switch}");
        assert_eq!(schema_of(folder.path()), highest("migrations"), "{switch}");
        assert_eq!(backups_in(folder.path()).len(), count, "{switch}");
    }
}

#[tokio::test]
async fn r8_an_upgrade_that_is_tried_again_makes_no_second_backup() {
    let hash = password_hash().await;
    let folder = tempfile::tempdir().unwrap();
    make_folder(folder.path(), 5, &hash).await;
    // A start that failed has left a backup, and nobody wrote since.
    let made = host(folder.path(), &["backup"]).await;
    assert_eq!((made.code, &*made.why), (0, ""));
    let made = backups_in(folder.path());
    assert_eq!(made.len(), 1);
    let listed = host(folder.path(), &["user", "list"]).await;
    assert_eq!((listed.code, &*listed.why), (0, ""));
    assert_eq!(schema_of(folder.path()), highest("migrations"));
    assert_eq!(backups_in(folder.path()), made);
}

#[tokio::test]
async fn r8_a_database_is_not_upgraded_if_no_backup_can_be_made_before() {
    let folder = tempfile::tempdir().unwrap();
    make_folder(folder.path(), 5, "no password").await;
    // A file has the name of the folder of backups.
    std::fs::write(folder.path().join("backups"), "").unwrap();
    let start = ["serve", "--log", "off", "--listen", "127.0.0.1:0"];
    for command in [&start[..], &["user", "list"]] {
        let refused = host(folder.path(), command).await;
        assert_eq!((refused.code, refused.text.as_str()), (1, ""), "{command:?}");
        assert_eq!(refused.why.lines().count(), 1, "{command:?}: {}", refused.why);
        let parts = ["not upgraded from schema 5", "cannot write a backup", "backup_before_upgrade"];
        assert!(parts.iter().all(|part| refused.why.contains(part)), "{command:?}: {}", refused.why);
        assert_eq!(schema_of(folder.path()), 5, "{command:?}");
    }
}

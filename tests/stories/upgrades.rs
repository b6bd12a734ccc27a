//! R8: data of every released schema is there, unchanged, after the start of this program.
//!
//! `tests/schemas/0003.sql` has rows for the tables and columns of schema 3. A folder of schema N is made of the
//! migrations up to N and of the rows up to N. If a query relies on the time in an id, the rows have such ids. Rows
//! that the start of the program completes are made by the test, not by the file. A schema is released when it has a
//! file of rows. After that neither changes.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::types::Value as Column;
use serde_json::{Value, json};
use sqlx::migrate::Migrator;
use sqlx::{Connection, SqliteConnection};

use crate::support;
use crate::support::child::{Child, host};
use crate::support::person::{PASSWORD, Person};
use crate::support::server::TestServer;

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

/// Returns the newest schema that was released.
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
        // New writes succeed.
        let post_id = ana.posts("after the upgrade").await;
        ben.comments(post_id, "Welcome back.").await;
        assert_eq!(ana.receives("notifications.created").await["notification"]["kind"], "comment");
        let checked = server.host(&["check"]).await;
        assert_eq!(checked.text, "database: ok\nmedia: ok\nbackups: 0\n", "schema {version}");
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
}

/// Ana finds her own data: notifications, and from the first schema with admins on the data for admins.
async fn finds_own(ana: &Person, version: i64) {
    let told = ana.reads_notifications().await["notifications"].as_array().unwrap().len();
    assert_eq!(told, if version >= 4 { 2 } else { 0 }, "schema {version}");
    if version >= 2 {
        let post = ana.opens(201).await;
        assert_eq!((&post["title"], &post["comments_count"]), (&json!("Spring"), &json!(1)));
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
    let schema_of = |folder: &Path| {
        let database = rusqlite::Connection::open(folder.join("mellow.db")).unwrap();
        database
            .query_row("select max(version) from _sqlx_migrations", [], |row| row.get::<_, i64>(0))
            .unwrap()
    };
    let mut reached = vec![schema_of(folder.path())];
    for kills in 0..10 {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_mellow"));
        command.env_clear().current_dir(folder.path()).stdout(std::process::Stdio::null());
        command.args(["serve", "--log", "off", "--listen", "127.0.0.1:0", "--data"]).arg(folder.path());
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
    for version in [1, 5, 9] {
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
        assert_eq!(checked.text, "database: ok\nmedia: ok\nbackups: 0\n", "schema {version}");
    }
}

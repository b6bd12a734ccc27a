//! R4: the real program runs on a disk of a few MiB that is filled and freed again. The disk is a file system in memory
//! that only the program sees, in its own namespace. If the system allows no namespace, nothing is tested.
//!
//! `MELLOW_FILLS=20 cargo test --test kill r4_` fills it 20 times.

use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::backups::many;
use super::random_of_this_run;
use crate::support::child::Child;
use crate::support::http;
use crate::support::person::{Person, post};
use crate::support::picture::wall;
use crate::support::uploads::{begin, chunk_at, files_below, urls};
use crate::support::value::key;

const DISK_BYTES: usize = 12 * 1024 * 1024;

/// Fills the disk until about `left` bytes are free.
fn fill(ballast: &Path, left: usize) {
    let mut file = std::fs::File::create(ballast).unwrap();
    let piece = [7; 4096];
    let mut written = 0;
    while file.write_all(&piece).is_ok() {
        written += piece.len();
        assert!(written < DISK_BYTES, "the disk is larger than it should be");
    }
    file.set_len(written.saturating_sub(left) as u64).unwrap();
}

/// Publishes posts until one is refused. Returns the texts of the acknowledged posts.
async fn writes_until_full(ana: &Person, round: u64) -> Vec<String> {
    let mut acknowledged = Vec::new();
    for number in 0..5_000 {
        let text = format!("round {round} post {number} {}", "word ".repeat(380));
        match ana.tries("posts.create", post(&text)).await {
            Ok(_) => acknowledged.push(text.trim_end().to_owned()),
            Err(refused) => {
                assert_eq!(refused.code, "storage_full");
                assert!(!refused.message.is_empty());
                return acknowledged;
            }
        }
    }
    panic!("the disk does not become full");
}

/// Tries to publish a picture. Returns the code if it is refused.
async fn tries_picture(ana: &Person) -> Result<Value, String> {
    let (upload, bytes) = (key(), wall(300));
    let asked = async {
        ana.tries("uploads.begin", begin(&upload, "wall.png", bytes.len())).await?;
        for offset in (0..bytes.len()).step_by(crate::support::uploads::CHUNK) {
            ana.tries("uploads.chunk", chunk_at(&upload, &bytes, offset)).await?;
        }
        ana.tries("uploads.commit", json!({ "upload": upload })).await
    };
    let outcome = asked.await.map_err(|refused| refused.code);
    let _ = ana.tries("uploads.cancel", json!({ "upload": upload })).await;
    outcome
}

#[tokio::test]
async fn r4_a_full_disk_refuses_writes_loses_nothing_and_recovers_without_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let Some(child) = Child::starts_on_small_disk(folder.path(), DISK_BYTES) else {
        println!("this system allows no namespace with a disk of its own: nothing was tested");
        return;
    };
    let mut random = random_of_this_run();
    let inside: PathBuf = child.sees(folder.path());
    let ballast = inside.join("ballast");
    let ana = Person::signs_up(child.at, "Ana").await;
    let ben = Person::signs_up(child.at, "Ben").await;
    let url = urls(&ana.posts_picture("a picture of before").await).remove(0);
    let mut acknowledged = Vec::new();
    let fills = many("MELLOW_FILLS", 2);
    for round in 0..fills {
        fill(&ballast, random.below(300_000));
        acknowledged.extend(writes_until_full(&ana, round).await);
        // Reads still work, also of pictures.
        assert!(!ben.reads_posts_of(&ana).await["posts"].as_array().unwrap().is_empty());
        assert_eq!(ben.fetches(&url).await.status, 200);
        let ready = http::ask(child.at, "GET", "/readyz", &[], "").await;
        assert!(ready.status == 200 || ready.body.starts_with("storage_full"), "{}", ready.body);
        assert_eq!(tries_picture(&ana).await.unwrap_err(), "storage_full");
        std::fs::remove_file(&ballast).unwrap();
        // Writes succeed again without a restart.
        let after = format!("there is room again after round {round}");
        ana.posts(&after).await;
        acknowledged.push(after);
        ana.posts_picture(&format!("a picture after round {round}")).await;
    }
    drop(ana);
    // Copies the database, because SQLite would look for the file in the file system of this process.
    let copy = tempfile::tempdir().unwrap();
    for name in ["mellow.db", "mellow.db-wal"] {
        std::fs::copy(inside.join(name), copy.path().join(name)).unwrap();
    }
    let database = rusqlite::Connection::open(copy.path().join("mellow.db")).unwrap();
    let sound: String = database.query_row("pragma integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(sound, "ok");
    let mut find = database.prepare("select 1 from posts where text = ?1").unwrap();
    for text in &acknowledged {
        assert!(find.exists([text]).unwrap(), "acknowledged and missing: {}", &text[..30]);
    }
    let count = |sql: &str| database.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    let pictures = count("select count(*) from pictures");
    assert_eq!(pictures, 1 + i64::try_from(fills).unwrap());
    let files = files_below(&inside.join("media"));
    assert_eq!(files.len(), usize::try_from(count("select count(*) from files")).unwrap(), "{files:?}");
    println!("{fills} times full, {} acknowledged posts, none lost", acknowledged.len());
}

#[test]
fn r4_a_start_on_a_full_disk_says_that_it_is_full() {
    let folder = tempfile::tempdir().unwrap();
    let Some(output) = Child::ends_on_full_disk(folder.path(), DISK_BYTES) else {
        println!("this system allows no namespace with a disk of its own: nothing was tested");
        return;
    };
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(
        stderr.lines().count() == 1 && stderr.contains("Its disk is full: please free some space."),
        "{stderr}"
    );
}

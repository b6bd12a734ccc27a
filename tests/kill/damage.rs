//! R10: a database with flipped bytes is refused at the start, or can be read to its end.
//!
//! `MELLOW_FLIPS=1000 cargo test --test kill r10_` damages 1,000 databases.

use std::path::Path;

use mellow::seeded_random::SeededRandom;

use super::backups::many;
use super::random_of_this_run;
use crate::support::child::{Child, host};
use crate::support::person::Person;

/// Returns the database of a server that ended suddenly, as one file.
async fn database(folder: &Path) -> Vec<u8> {
    let mut child = Child::starts(folder, &[]);
    let (ana, ben) = (Person::signs_up(child.at, "Ana").await, Person::signs_up(child.at, "Ben").await);
    ben.follows(&ana).await;
    for number in 0..60 {
        let post_id = ana.posts(&format!("post {number} {}", "word ".repeat(200))).await;
        ben.comments(post_id, "Yes.").await;
        ben.votes(post_id, "positive").await;
    }
    child.dies();
    let path = folder.join("mellow.db");
    let merged = rusqlite::Connection::open(&path).unwrap();
    merged.query_row("pragma wal_checkpoint(truncate)", [], |_| Ok(())).unwrap();
    merged.close().unwrap();
    std::fs::read(path).unwrap()
}

/// Flips up to eight bits of one page: in its header and its list of rows, or anywhere.
fn flip(bytes: &mut [u8], random: &mut SeededRandom) {
    let page = random.below(bytes.len() / 4096) * 4096;
    let reach = if random.below(2) == 0 { 48 } else { 4096 };
    for _ in 0..=random.below(8) {
        bytes[page + random.below(reach)] ^= 1 << random.below(8);
    }
}

/// Reads every row of every table and follows every index.
fn read_to_the_end(path: &Path) -> rusqlite::Result<()> {
    let database = rusqlite::Connection::open(path)?;
    let tables = "select name from sqlite_master where type = 'table' and name not like 'sqlite_%'";
    let tables: Vec<String> =
        database.prepare(tables)?.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    for table in tables {
        let mut rows = database.prepare(&format!("select * from \"{table}\""))?;
        let columns = rows.column_count();
        let mut rows = rows.query([])?;
        while let Some(row) = rows.next()? {
            for column in 0..columns {
                row.get_ref(column)?;
            }
        }
    }
    Ok(())
}

#[tokio::test]
async fn r10_a_damaged_database_is_refused_at_the_start_or_can_be_read_to_its_end() {
    let mut random = random_of_this_run();
    let origin = tempfile::tempdir().unwrap();
    let sound = database(origin.path()).await;
    let flips = many("MELLOW_FLIPS", 100);
    let (mut refused, mut by_the_program) = (0, 0);
    for _ in 0..flips {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mellow.db");
        let mut bytes = sound.clone();
        flip(&mut bytes, &mut random);
        std::fs::write(&path, &bytes).unwrap();
        match mellow::db::open(folder.path()).await {
            Ok(opened) => {
                opened.readers.close();
                drop(opened.writer);
                read_to_the_end(&path).expect("what was accepted can be read");
            }
            Err(why) => {
                refused += 1;
                assert!(why.starts_with("will not use ") || why.starts_with("cannot "), "{why}");
                assert_eq!(why.lines().count(), 1, "{why}");
                if by_the_program < 3 {
                    by_the_program += 1;
                    std::fs::write(&path, &bytes).unwrap();
                    let ended = host(folder.path(), &["serve", "--listen", "127.0.0.1:0"]).await;
                    assert_eq!((ended.code, ended.text.as_str()), (1, ""), "{}", ended.why);
                    assert!(
                        ended.why.contains("mellow: ") && !ended.why.contains("panicked"),
                        "{}",
                        ended.why
                    );
                }
            }
        }
    }
    println!("{flips} damaged databases: {refused} refused, the others read to their end");
    // In practice about a third are refused.
    assert!(refused * 10 > flips, "only {refused} of {flips} were refused");
}

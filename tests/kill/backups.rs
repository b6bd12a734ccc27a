//! R7: a backup that is made while people write is restored, and compared with the replies that they received.
//!
//! `MELLOW_DRILLS=20 cargo test --test kill r7_` makes 20 backups.

use std::path::Path;
use std::time::Duration;

use mellow::seeded_random::SeededRandom;
use serde_json::{Value, json};

use super::pictures::{compare as compare_pictures, forget_later as forget_later_pictures, look, publishes};
use super::{Journal, Known, WRITERS, compare, random_of_this_run, writes};
use crate::support::child::{Child, host};
use crate::support::person::Person;

/// Returns the number in an environment variable, or `usual` if it is not set.
pub fn many(variable: &str, usual: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// Removes the replies to writes after `seq`, and checks that the backup has none of these writes.
fn forget_later(journals: &mut [Journal], people: &[i64], database: &Path, seq: i64) {
    let database = rusqlite::Connection::open(database).unwrap();
    let mut find =
        database.prepare("select 1 from keys where user_id = ?1 and lower(hex(key)) = ?2").unwrap();
    for (journal, me) in journals.iter_mut().zip(people) {
        for request in &mut journal.requests {
            let Some(reply) = &request.reply else { continue };
            if reply["seq"].as_i64().unwrap() > seq {
                let key = request.fields["key"]["$bin"].as_str().unwrap();
                assert!(!find.exists((me, key)).unwrap(), "written after {seq}: {}", request.op);
                request.reply = None;
            }
        }
    }
}

/// Returns whether a message is the reply to a post.
fn is_published(message: &&Value) -> bool {
    message.get("re").is_some() && message["ok"]["post"].is_object()
}

/// Makes a backup under load, restores it, and checks that it has every acknowledged write and picture up to its `seq`.
/// Returns the numbers of these writes and pictures.
async fn drill(random: &mut SeededRandom) -> (usize, usize) {
    let folder = tempfile::tempdir().unwrap();
    let mut child = Child::starts(folder.path(), &[]);
    let mut journals: Vec<Journal> = (0..WRITERS).map(|_| Journal::default()).collect();
    let mut numbers: Vec<u64> = (0..WRITERS).collect();
    let mut people = Vec::new();
    for number in 0..WRITERS {
        people.push(Person::signs_up(child.at, &format!("Writer {number}")).await);
    }
    let painter = Person::signs_up(child.at, "Painter").await;
    let mut known = Known::default();
    for person in &people {
        known.posts.push(person.posts("the first").await);
        known.people.push(person.id);
    }
    let (mut number, mut pictures) = (0, Vec::new());
    let writing = people.iter().zip(&mut numbers).zip(&mut journals).map(|((person, number), journal)| {
        writes(person, number, SeededRandom::new(random.next_u64(), 0), &known, journal)
    });
    let writing = futures_util::future::join_all(writing);
    let (pictures_before, after_ms) = (1 + random.below(8), random.next_u64() % 300);
    let backing_up = async {
        let published = || painter.socket.peek(|state| Some(state.log.iter().filter(is_published).count()));
        while published() < Some(pictures_before) {
            painter.socket.changes_or_ends().await;
        }
        let made = host(folder.path(), &["backup"]).await;
        tokio::time::sleep(Duration::from_millis(after_ms)).await;
        child.dies();
        made
    };
    let (_, _, made) = tokio::join!(writing, publishes(&painter, &mut number, &mut pictures), backing_up);
    assert_eq!((made.code, made.why.as_str()), (0, ""));

    let restored = tempfile::tempdir().unwrap();
    let done = host(restored.path(), &["restore", made.text.trim_end()]).await;
    assert_eq!((done.code, done.why.as_str()), (0, ""), "every picture is in the backup");
    let database = restored.path().join("mellow.db");
    let seq: i64 = rusqlite::Connection::open(&database)
        .unwrap()
        .query_row("select seq from site", [], |row| row.get(0))
        .unwrap();
    forget_later(&mut journals, &known.people, &database, seq);
    let acknowledged = compare(restored.path(), &journals, &known.people);
    let left = look(restored.path());
    let posts = forget_later_pictures(&left, &mut pictures, seq);
    compare_pictures(&left, &pictures);
    assert_eq!(left.files, left.rows, "the backup has the stored files of its posts alone");
    // A server starts on the folder, and `mellow check` finds no fault.
    let again = Child::starts(restored.path(), &[]);
    let reader = Person::signs_up_again(again.at, "Writer 0").await;
    assert!(!reader.asks("posts.feed", json!({})).await["posts"].as_array().unwrap().is_empty());
    let checked = host(restored.path(), &["check"]).await;
    assert_eq!(checked.findings(), "database: ok\nmedia: ok\nbackups: 0\n");
    (acknowledged, posts)
}

#[tokio::test]
async fn r7_a_backup_made_under_load_has_each_write_up_to_its_seq_and_none_after() {
    let mut random = random_of_this_run();
    let drills = many("MELLOW_DRILLS", 1);
    let (mut acknowledged, mut pictures) = (0, 0);
    for _ in 0..drills {
        let (writes, posts) = drill(&mut random).await;
        assert!(writes > 0, "a backup before the first reply proves nothing");
        acknowledged += writes;
        pictures += posts;
    }
    println!(
        "{drills} backups under load, {acknowledged} acknowledged writes and {pictures} pictures in them, none missing"
    );
    assert!(acknowledged > 20, "only {acknowledged} writes, too few to prove anything");
}

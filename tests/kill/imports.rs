//! R1 and R4 with imports: sudden ends and a full disk in the middle of one. Each post is there once in the end, and no
//! file is left that has no row.

use std::path::Path;

use serde_json::{Value, json};

use super::random_of_this_run;
use crate::support::child::Child;
use crate::support::imports::{about, archive, many};
use crate::support::person::Person;
use crate::support::picture::jpeg;
use crate::support::uploads::files_below;
use crate::support::wait_until;

/// The posts of the archive. Each third one has a picture.
const POSTS: i64 = 60;

fn an_archive() -> Vec<u8> {
    let mut posts = many(POSTS);
    let names: Vec<String> = (0..POSTS).step_by(3).map(|number| format!("media/{number}.jpg")).collect();
    for (post, name) in posts.iter_mut().step_by(3).zip(&names) {
        post["pictures"] = json!([{ "file": name, "moving_file": null, "alt": "" }]);
    }
    let picture = jpeg(40, 30);
    let pictures: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &picture[..])).collect();
    archive(&posts, &pictures)
}

/// Returns the texts of all posts of somebody, oldest first.
async fn texts_of(person: &Person) -> Vec<String> {
    let posts = person.reads_all_posts_of(person).await;
    posts.iter().rev().map(|post| post["text"].as_str().unwrap().to_owned()).collect()
}

async fn is_over(person: &Person) -> bool {
    person.reads_imports().await["current"].is_null()
}

async fn has_all_once(person: &Person) {
    assert_eq!(texts_of(person).await, (0..POSTS).map(|number| format!("old {number}")).collect::<Vec<_>>());
    let posts = person.reads_all_posts_of(person).await;
    let has_pictures = |post: &&Value| !post["pictures"].as_array().unwrap().is_empty();
    assert_eq!(posts.iter().filter(has_pictures).count(), usize::try_from(POSTS).unwrap().div_ceil(3));
}

#[tokio::test]
async fn r1_sudden_ends_in_the_middle_of_an_import_lose_no_post_and_write_none_twice() {
    let mut random = random_of_this_run();
    let folder = tempfile::tempdir().unwrap();
    let mut child = Child::starts(folder.path(), &[]);
    let ana = Person::signs_up(child.at, "Ana").await;
    let email = ana.email.clone();
    let id = ana.previews(&an_archive()).await["id"].as_i64().unwrap();
    ana.starts_import(id).await;
    for _ in 0..5 {
        tokio::time::sleep(std::time::Duration::from_millis(100 + random.next_u64() % 900)).await;
        child.dies();
        child = Child::starts(folder.path(), &[]);
    }
    let ana = Person::logs_in(child.at, &email).await;
    while !is_over(&ana).await {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    has_all_once(&ana).await;
    ana.asks("imports.undo", about(id)).await;
    assert!(texts_of(&ana).await.is_empty());
    // A picture whose post was not committed may have left its files, which the daily sweep takes.
    wait_until("the file is gone", || imports_in(folder.path()) == 0).await;
}

fn imports_in(folder: &Path) -> usize {
    files_below(&folder.join("media/.imports")).len()
}

#[tokio::test]
async fn r4_an_import_waits_on_a_full_disk_and_goes_on_when_there_is_room() {
    const DISK_BYTES: usize = 12 * 1024 * 1024;
    let folder = tempfile::tempdir().unwrap();
    let Some(child) = Child::starts_on_small_disk(folder.path(), DISK_BYTES) else {
        println!("this system allows no namespace with a disk of its own: nothing was tested");
        return;
    };
    let inside = child.sees(folder.path());
    let ballast = inside.join("ballast");
    let ana = Person::signs_up(child.at, "Ana").await;
    let id = ana.previews(&an_archive()).await["id"].as_i64().unwrap();
    ana.starts_import(id).await;
    // Nothing more can be written.
    let full = std::fs::File::create(&ballast).unwrap();
    let mut written = 0;
    while std::io::Write::write_all(&mut &full, &[7; 4096]).is_ok() {
        written += 4096;
        assert!(written < DISK_BYTES, "the disk is larger than it should be");
    }
    loop {
        let current = ana.reads_imports().await["current"].clone();
        assert!(!current.is_null(), "it waits");
        if current["paused"] == true {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    drop(full);
    std::fs::remove_file(&ballast).unwrap();
    while !is_over(&ana).await {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    has_all_once(&ana).await;
    wait_until("the file is gone", || imports_in(&inside) == 0).await;
}

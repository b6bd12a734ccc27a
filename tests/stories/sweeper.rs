//! The sweeper: idle uploads, files without a row, and files that it does not touch.

use std::path::Path;
use std::time::Duration;

use serde_json::json;

use crate::support::person::Person;
use crate::support::picture::jpeg;
use crate::support::server::TestServer;
use crate::support::uploads::{begin, chunk, path_of, post_with_pictures, urls};
use crate::support::value::key;
use crate::support::wait_until;

const MINUTE_MS: i64 = 60_000;
const HOUR: Duration = Duration::from_secs(3_600);

/// Makes the sweeper run, by deleting a post with a picture. When its files are deleted, the sweeper has run.
async fn sweeps(server: &TestServer, ana: &Person) {
    let post = ana.posts_picture("doomed").await;
    let paths: Vec<String> = urls(&post).iter().map(|url| path_of(url)).collect();
    ana.deletes(post["id"].as_i64().unwrap()).await;
    let is_gone = || paths.iter().all(|path| !server.media().join(path).exists());
    wait_until("the files of a deleted post are gone", is_gone).await;
}

/// Makes a file look this old.
fn ages(path: &Path, age: Duration) {
    let file = std::fs::File::options().write(true).open(path).unwrap();
    let now = file.metadata().unwrap().modified().unwrap();
    file.set_modified(now - age).unwrap();
}

#[tokio::test]
async fn s9_an_idle_upload_is_freed_after_ten_minutes() {
    let server = TestServer::with_manual_clock(&[]).await;
    let ana = server.person("Ana").await;
    let [left, kept] = [key(), key()];
    for upload in [&left, &kept] {
        ana.asks("uploads.begin", begin(upload, "x.jpg", 1_000)).await;
        ana.asks("uploads.chunk", chunk(upload, 0, &[1; 100])).await;
    }
    let ready = ana.uploads("ready.jpg", &jpeg(40, 30)).await;
    assert_eq!((server.incoming(), server.stored().len()), (2, 2));

    server.later(9 * MINUTE_MS);
    // A request for the progress does not keep an upload, but a chunk does.
    assert_eq!(ana.asks("uploads.begin", begin(&left, "x.jpg", 1_000)).await["offset"], 100);
    ana.asks("uploads.chunk", chunk(&kept, 100, &[1; 100])).await;
    server.later(MINUTE_MS);
    sweeps(&server, &ana).await;
    assert_eq!(
        (server.incoming(), server.stored().len()),
        (2, 2),
        "ten minutes to the millisecond are not over"
    );
    server.later(1);
    sweeps(&server, &ana).await;
    wait_until("what was left alone is gone", || server.incoming() == 1 && server.stored().is_empty()).await;
    for upload in [&left, &ready] {
        ana.is_refused("upload_gone", "uploads.commit", json!({ "upload": upload })).await;
    }
    assert_eq!(ana.asks("uploads.chunk", chunk(&kept, 200, &[1; 100])).await["offset"], 300);
    assert_eq!(ana.asks("uploads.begin", begin(&left, "x.jpg", 1_000)).await["offset"], 0, "begun anew");
}

#[tokio::test]
async fn s9_an_upload_is_freed_after_an_hour_even_if_it_is_not_idle() {
    let server = TestServer::with_manual_clock(&[]).await;
    let ana = server.person("Ana").await;
    let upload = key();
    ana.asks("uploads.begin", begin(&upload, "x.jpg", 1_000)).await;
    for at in 0..12 {
        ana.asks("uploads.chunk", chunk(&upload, at, &[1])).await;
        server.later(5 * MINUTE_MS);
    }
    ana.asks("uploads.chunk", chunk(&upload, 12, &[1])).await;
    sweeps(&server, &ana).await;
    assert_eq!(server.incoming(), 1, "an hour to the millisecond is not over");
    server.later(1);
    sweeps(&server, &ana).await;
    wait_until("it is gone", || server.incoming() == 0).await;
    ana.is_refused("upload_gone", "uploads.chunk", chunk(&upload, 13, &[1])).await;
}

#[tokio::test]
async fn s9_a_restart_frees_all_uploads() {
    let mut server = TestServer::new().await;
    let mut ana = server.person("Ana").await;
    let [half, whole] = [key(), key()];
    ana.asks("uploads.begin", begin(&half, "x.jpg", 1_000)).await;
    ana.asks("uploads.chunk", chunk(&half, 0, &[1; 100])).await;
    ana.sends_picture(&whole, "x.jpg", &jpeg(40, 30)).await;
    let ready = ana.uploads("ready.jpg", &jpeg(40, 30)).await;
    assert_eq!(server.incoming(), 2);
    server.restarts().await;
    ana.reconnects().await;
    assert_eq!(server.incoming(), 0);
    for upload in [&half, &whole, &ready] {
        ana.is_refused("upload_gone", "uploads.chunk", chunk(upload, 100, &[1; 100])).await;
        ana.is_refused("upload_gone", "uploads.commit", json!({ "upload": upload })).await;
        ana.is_refused("upload_gone", "posts.create", post_with_pictures("x", &[(upload, "")])).await;
    }
    assert_eq!(ana.asks("uploads.begin", begin(&half, "x.jpg", 1_000)).await["offset"], 0);
    // She uploads the picture again, and it is accepted.
    ana.sends_picture(&ready, "ready.jpg", &jpeg(40, 30)).await;
    ana.commits(&ready).await;
    ana.posts_with_pictures("x", &[(&ready, "")]).await;
}

#[tokio::test]
async fn the_files_of_a_deleted_post_are_deleted_and_not_found() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let stays = ana.posts_picture("stays").await;
    let post = ana.posts_picture("goes").await;
    ana.deletes(post["id"].as_i64().unwrap()).await;
    for url in urls(&post) {
        for who in [&ana, &ben] {
            let gone = who.fetches(&url).await;
            assert_eq!(gone.status, 404, "at once, even if the file is still on the disk");
            let never = who.fetches(&url.replace("tree", "house")).await;
            assert_eq!(gone.comparable(), never.comparable());
        }
    }
    wait_until("its files are gone", || server.stored().len() == 2).await;
    wait_until("it is forgotten", || server.count("select count(*) from doomed_files") == 0).await;
    assert_eq!(server.rows(), server.stored());
    for url in urls(&stays) {
        assert_eq!(ben.fetches(&url).await.status, 200);
    }
}

#[tokio::test]
async fn a_post_is_deleted_also_if_one_of_its_files_is_missing() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let post = ana.posts_picture("goes").await;
    let [url, card_url] = urls(&post).try_into().unwrap();
    std::fs::remove_file(server.media().join(path_of(&url))).unwrap();
    assert_eq!(
        ana.fetches(&url).await.comparable(),
        ana.fetches("/media/posts/7/7_0_x.jpg?token=x").await.comparable()
    );
    assert_eq!(ana.fetches(&card_url).await.status, 200, "the other one is there");
    ana.deletes(post["id"].as_i64().unwrap()).await;
    wait_until("all is gone", || server.stored().is_empty()).await;
    wait_until("it is forgotten", || server.count("select count(*) from doomed_files") == 0).await;
    sweeps(&server, &ana).await;
}

#[tokio::test]
async fn files_queued_for_removal_at_a_stop_are_removed_at_the_start() {
    let mut server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let post = ana.posts_picture("goes").await;
    server.stops().await;
    // As after a sudden end: the write is committed, and the sweeper has not run.
    server
        .look()
        .execute_batch(&format!("pragma foreign_keys = on; delete from posts where id = {}", post["id"]))
        .unwrap();
    assert_eq!((server.stored().len(), server.rows().len()), (2, 0));
    server.starts();
    wait_until("its files are gone", || server.stored().is_empty()).await;
}

#[tokio::test]
async fn only_old_files_without_a_row_are_swept() {
    let mut server = TestServer::new().await;
    let mut ana = server.person("Ana").await;
    let post = ana.posts_picture("kept").await;
    let kept: Vec<String> = urls(&post).iter().map(|url| path_of(url)).collect();
    let folder = format!("posts/{}", ana.id);
    let (old, older, new) = (
        format!("{folder}/1_0_old.jpg"),
        format!("posts/7/{}.jpg", "x".repeat(200)),
        format!("{folder}/2_0_new.jpg"),
    );
    std::fs::create_dir_all(server.media().join("posts/7")).unwrap();
    for path in [&old, &older, &new] {
        std::fs::write(server.media().join(path), b"left over").unwrap();
    }
    for path in [&old, &older, &kept[0], &kept[1]] {
        ages(&server.media().join(path), 2 * HOUR);
    }
    ages(&server.media().join(&new), HOUR - Duration::from_secs(60));
    server.restarts().await;
    ana.reconnects().await;
    let is_swept = || [&old, &older].iter().all(|path| !server.media().join(path).exists());
    wait_until("what is old and belongs to nothing is gone", is_swept).await;
    // The first sweep is over when a second one has run.
    sweeps(&server, &ana).await;
    let expected = kept.iter().chain([&new]).cloned().collect();
    assert_eq!(server.stored(), expected);
    for url in urls(&post) {
        assert_eq!(ana.fetches(&url).await.status, 200);
    }
}

#[tokio::test]
async fn an_unknown_file_does_not_stop_the_sweeper() {
    let mut server = TestServer::new().await;
    let ana = server.person("Ana").await;
    ana.posts_picture("kept").await;
    for stray in ["posts/.DS_Store", "stray.txt"] {
        std::fs::write(server.media().join(stray), b"not ours").unwrap();
    }
    let old = format!("posts/{}/1_0_old.jpg", ana.id);
    std::fs::write(server.media().join(&old), b"left over").unwrap();
    ages(&server.media().join(&old), 2 * HOUR);
    server.restarts().await;
    wait_until("what is old is gone", || !server.media().join(&old).exists()).await;
}

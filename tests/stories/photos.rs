//! Profile photos: what is stored, and what happens to the previous photo.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::child::Child;
use crate::support::corpus::testing::{CANARY, jpeg as painted, see, with_secrets};
use crate::support::http;
use crate::support::person::{PASSWORD, Person, profile};
use crate::support::picture::{gif_that_moves, jpeg, jpeg_of_bytes, size_of_jpeg};
use crate::support::server::{MORNING_MS, TestServer};
use crate::support::uploads::{begin, begin_photo, path_of, photo, photo_urls, post_with_pictures};
use crate::support::value::{key, key_of};
use crate::support::wait_until;

const MIB: usize = 1024 * 1024;
const HOUR: Duration = Duration::from_secs(3_600);

#[tokio::test]
async fn a_photo_is_in_the_profile_in_both_sizes_and_reaches_all_connections() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    ben.visits(&ana).await;
    let guest = server.guest().await;
    let upload = ana.uploads_photo("C:\\photos\\Über mich.JPG", &jpeg(1_700, 850)).await;
    server.later(5_000);

    let shown = ana.asks("profiles.set_photo", photo(&upload)).await;

    let own = shown["profile"].clone();
    let [url, face] = photo_urls(&own);
    let base = format!("/media/profile-pictures/{}/{MORNING_MS}_%C3%9Cber_mich", ana.id);
    let (screen, card) = (format!("{base}.jpg?token="), format!("{base}.card.jpg?token="));
    assert_eq!((&url[..screen.len()], &face[..card.len()]), (screen.as_str(), card.as_str()));
    let thumbhash = own["photo"]["thumbhash"].as_str().unwrap();
    assert!((8..56).contains(&thumbhash.len()), "{thumbhash}");
    assert_eq!(own["photo"], json!({ "url": url, "width": 1_600, "height": 800, "thumbhash": thumbhash }));

    let user = json!({ "id": ana.id, "name": "Ana", "photo_url": face });
    let received = ben.receives_only(&server, &["users.changed", "profiles.changed"]).await;
    assert_eq!((&received[0]["user"], &received[1]["profile"]["photo"]), (&user, &own["photo"]));
    assert_eq!(received[1]["seq"], shown["seq"]);
    assert_eq!(cleo.receives_only(&server, &["users.changed"]).await[0]["user"], user);
    guest.has_caught_up(server.publishes_marker().await).await;
    assert_eq!(guest.unread_events(), Vec::<Value>::new());
    assert_eq!(cleo.visits(&ana).await, own);

    for (url, size) in [(&url, (1_600, 800)), (&face, (224, 224))] {
        let response = ben.fetches(url).await;
        assert_eq!((response.status, size_of_jpeg(&response.content)), (200, Some(size)));
        assert_eq!(response.header("Content-Type"), Some("image/jpeg"));
        let row: (String, i64, i64) = server
            .look()
            .query_row(
                "select json_extract(custom_metadata, '$.role'), created_at_ms, owner_id from files where full_path = ?1",
                [path_of(url)],
                |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
            )
            .unwrap();
        let role = if *url == face { "card" } else { "screen" };
        assert_eq!(row, (role.to_owned(), MORNING_MS + 5_000, ana.id));
    }
    assert_eq!((server.stored().len(), server.rows()), (2, server.stored()));
    assert_eq!(server.count("select updated_at_ms from users where name = 'Ana'"), MORNING_MS + 5_000);
}

#[tokio::test]
async fn s3_guests_fetch_no_profile_photo() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let phone = ana.logs_in_on_phone().await;
    let [url, face] = photo_urls(&ana.changes_photo(&jpeg(40, 30)).await);
    let never = ana.fetches("/media/profile-pictures/7/7_never.jpg?token=AAAAAAAAAAAAAAAAAAAAAA").await;
    assert_eq!((never.status, never.content.len()), (404, 0));
    phone.asks("auth.log_out", json!({})).await;
    for url in [&url, &face] {
        assert_eq!(ana.fetches(url).await.status, 200);
        assert_eq!(
            http::ask(server.at, "GET", url, &[], "").await.comparable(),
            never.comparable(),
            "a guest"
        );
        assert_eq!(phone.fetches(url).await.comparable(), never.comparable(), "a login that is over");
        let (path, token) = url.split_once("?token=").unwrap();
        for odd in
            [path.to_owned(), format!("{path}?token={}", "A".repeat(22)), format!("{path}?token={token}A")]
        {
            assert_eq!(ana.fetches(&odd).await.comparable(), never.comparable(), "{odd}");
        }
    }
}

/// Asserts that a list of users contains this user with the same name and photo.
fn stands_in(users: &Value, user: &Value, place: &str) {
    let users = users.as_array().unwrap_or_else(|| panic!("{place} names nobody: {users}"));
    assert!(users.contains(user), "{place} names {users:?}, not {user}");
}

#[tokio::test]
async fn a_photo_is_sent_with_the_name_everywhere() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    ana.follows(&ben).await;
    let face = ana.changes_photo(&jpeg(40, 30)).await["photo_url"].clone();
    let user = json!({ "id": ana.id, "name": "Ana", "photo_url": face });
    ben.is_up_to_date(&server).await;

    let made = ana.asks("posts.create", crate::support::person::post("hello")).await;
    stands_in(&made["users"], &user, "posts.create");
    stands_in(&ben.receives("posts.created").await["users"], &user, "posts.created");
    let post_id = made["post"]["id"].as_i64().unwrap();

    // One comment alone, and several comments in one commit.
    ben.opens(post_id).await;
    let comment_id = ana.comments(post_id, "one").await;
    stands_in(&ben.sees_comment("one").await["users"], &user, "comments.created");
    let holder = server.look();
    holder.execute_batch("begin immediate").unwrap();
    let mut sent = Vec::new();
    for number in 0..4 {
        let fields = json!({ "key": key(), "post_id": post_id, "text": format!("run {number}"), "audience": { "type": "public" } });
        sent.push(ana.socket.sends("comments.create", fields).await);
    }
    holder.execute_batch("rollback").unwrap();
    for id in sent {
        ana.socket.reply_to(id).await.unwrap();
    }
    for number in 0..4 {
        let received = ben.sees_comment(&format!("run {number}")).await;
        assert_eq!(received["users"], json!([user]), "comments.created, in a run");
    }
    ana.deletes_comment(comment_id).await;
    stands_in(&ben.receives("comments.deleted").await["users"], &user, "comments.deleted");

    for (op, fields) in [
        ("posts.feed", json!({ "tag": null, "before": null })),
        ("posts.by_author", json!({ "user_id": ana.id, "before": null })),
        ("posts.get", json!({ "post_id": post_id })),
        ("posts.refresh", json!({ "post_ids": [post_id] })),
        ("comments.page", json!({ "post_id": post_id, "after": null })),
        ("follows.page", json!({ "side": "followers", "before": null })),
        ("follows.page", json!({ "side": "following", "before": null })),
    ] {
        stands_in(&ben.asks(op, fields).await["users"], &user, op);
    }
    let found = ben.asks("search.names", json!({ "term": "Ana" })).await;
    let row = json!([{ "id": ana.id, "name": "Ana", "bio": "", "photo_url": face, "followed": true }]);
    assert_eq!(found["users"], row);
    // Ana receives it too, on open connections and in `hello`.
    let hello = ana.opens_another_tab().await.socket.hello().await;
    assert_eq!(hello["me"]["photo_url"], face, "hello");
    let guest = server.guest().await;
    let fields = json!({ "email": ana.email, "password": PASSWORD });
    assert_eq!(guest.asks("auth.log_in", fields).await.unwrap()["me"]["photo_url"], face, "auth.log_in");
    // A new name keeps the photo.
    ana.renames("Anna").await;
    let renamed = ben.receives("users.changed").await["user"].clone();
    assert_eq!(renamed, json!({ "id": ana.id, "name": "Anna", "photo_url": face }));
}

#[tokio::test]
async fn a_photo_of_five_mebibytes_is_accepted_and_one_byte_more_is_refused() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    for size in [5 * MIB + 1, 10 * MIB, 10 * MIB + 1] {
        let no =
            ana.is_refused("picture_too_large", "uploads.begin", begin_photo(&key(), "me.jpg", size)).await;
        assert_eq!(no.message, "File size must be less than 5MB");
        assert_eq!((no.field.as_deref(), no.retry_ms), (Some("pictures"), None));
    }
    let profile = ana.changes_photo(&jpeg_of_bytes(400, 300, 5 * MIB)).await;
    assert_eq!((&profile["photo"]["width"], &profile["photo"]["height"]), (&json!(400), &json!(300)));
}

#[tokio::test]
async fn a_file_that_is_no_picture_is_refused_as_a_photo() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let upload = key();
    let words = b"<svg xmlns='http://www.w3.org/2000/svg'/>";
    ana.asks("uploads.begin", begin_photo(&upload, "me.svg", words.len())).await;
    ana.sends_from(&upload, words, 0).await;
    let no = ana.is_refused("not_a_picture", "uploads.commit", json!({ "upload": upload })).await;
    assert_eq!(no.message, "me.svg is not a valid image file");
    ana.is_refused("not_a_picture", "uploads.begin", begin_photo(&key(), "me.jpg", 0)).await;
    // An upload that is unknown, only begun, not rendered yet, or of another user is refused too.
    let [begun, whole] = [key(), key()];
    ana.asks("uploads.begin", begin_photo(&begun, "me.jpg", 1_000)).await;
    let picture = jpeg(8, 6);
    ana.asks("uploads.begin", begin_photo(&whole, "me.jpg", picture.len())).await;
    ana.sends_from(&whole, &picture, 0).await;
    let bens = server.person("Ben").await.uploads_photo("me.jpg", &picture).await;
    for upload in [&upload, &key(), &begun, &whole, &bens] {
        ana.is_refused("upload_gone", "profiles.set_photo", photo(upload)).await;
    }
    assert_eq!(ana.visits(&ana).await["photo"], Value::Null);
    assert_eq!(server.count("select count(*) from photos"), 0);
    for mut fields in [photo(&whole), photo(&whole)] {
        fields.as_object_mut().unwrap().remove("upload");
        ana.is_refused("bad_request", "profiles.set_photo", fields).await;
    }
}

#[tokio::test]
async fn a_new_photo_replaces_the_old_one_and_its_files_are_removed() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let bens = photo_urls(&ben.changes_photo(&jpeg(50, 50)).await);
    let first = photo_urls(&ana.changes_photo(&jpeg(40, 30)).await);
    let second = photo_urls(&ana.changes_photo(&jpeg(60, 30)).await);
    for url in &first {
        for who in [&ana, &ben] {
            let gone = who.fetches(url).await;
            assert_eq!(gone.status, 404, "at once, even if the file is still on the disk");
            assert_eq!(gone.comparable(), who.fetches(&url.replace("_me", "_it")).await.comparable());
        }
    }
    wait_until("its files are gone", || server.stored().len() == 4).await;
    wait_until("they are forgotten", || server.count("select count(*) from doomed_files") == 0).await;
    assert_eq!(server.stored(), server.rows());
    for url in second.iter().chain(&bens) {
        assert_eq!(ben.fetches(url).await.status, 200);
    }
    assert_eq!(server.count("select count(*) from photos"), 2);
    assert_eq!(ben.visits(&ana).await["photo"]["width"], 60);
}

#[tokio::test]
async fn s8_a_photo_is_rotated_upright_and_has_no_location() {
    const RED: [u8; 3] = [200, 30, 30];
    const GREEN: [u8; 3] = [30, 180, 30];
    const BLUE: [u8; 3] = [30, 30, 200];
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    // In the file the picture lies on its side, with red, green and blue from the left. Upright they are from the top.
    let lying = painted(900, 300, |x, _| {
        if x < 300 {
            RED
        } else if x < 600 {
            GREEN
        } else {
            BLUE
        }
    });
    let file = with_secrets(&lying, 6);
    let holds = |bytes: &[u8]| bytes.windows(CANARY.len()).any(|window| window == CANARY.as_bytes());
    assert!(holds(&file));
    let shown = ana.changes_photo(&file).await;
    assert_eq!((&shown["photo"]["width"], &shown["photo"]["height"]), (&json!(300), &json!(900)));
    let [screen, face] = photo_urls(&shown);
    let [screen, face] = [ana.fetches(&screen).await.content, ana.fetches(&face).await.content];
    assert!(!holds(&screen) && !holds(&face));
    let (screen, face) = (see(&screen), see(&face));
    assert_eq!((screen.width, screen.height, face.width, face.height), (300, 900, 224, 224));
    for (down, color) in [(0.1, RED), (0.5, GREEN), (0.9, BLUE)] {
        screen.shows(0.5, down, color);
    }
    for (right, down) in [(0.05, 0.05), (0.95, 0.05), (0.5, 0.5), (0.05, 0.95), (0.95, 0.95)] {
        face.shows(right, down, GREEN);
    }
}

#[tokio::test]
async fn a_small_photo_is_not_enlarged_and_an_animated_one_becomes_a_still() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    for (file, size, side) in [(jpeg(60, 40), (60, 40), 40), (gif_that_moves(90, 120), (90, 120), 90)] {
        let shown = ana.changes_photo(&file).await;
        let [screen, face] = photo_urls(&shown);
        assert_eq!(size_of_jpeg(&ana.fetches(&screen).await.content), Some(size));
        assert_eq!(size_of_jpeg(&ana.fetches(&face).await.content), Some((side, side)));
    }
    wait_until("only the last one is there", || server.stored().len() == 2).await;
}

#[tokio::test]
async fn an_upload_for_a_photo_cannot_be_used_in_a_post_nor_an_upload_for_a_post_as_a_photo() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let face = ana.uploads_photo("me.jpg", &jpeg(40, 30)).await;
    let tree = ana.uploads("tree.jpg", &jpeg(40, 30)).await;
    let no = ana.is_refused("upload_gone", "posts.create", post_with_pictures("x", &[(&face, "")])).await;
    assert_eq!(no.field.as_deref(), Some("pictures"));
    ana.is_refused("upload_gone", "profiles.set_photo", photo(&tree)).await;
    assert_eq!((server.rows().len(), server.stored().len()), (0, 4), "each stays ready for what it is");
    ana.posts_with_pictures("x", &[(&tree, "")]).await;
    ana.asks("profiles.set_photo", photo(&face)).await;

    // The purpose is a part of an upload, so it cannot change.
    let upload = key();
    ana.asks("uploads.begin", begin(&upload, "a.jpg", 1_000)).await;
    let mut fields = begin(&upload, "a.jpg", 1_000);
    fields["purpose"] = json!("post");
    assert_eq!(ana.asks("uploads.begin", fields).await["offset"], 0, "that is what it is without a word");
    ana.is_refused("key_conflict", "uploads.begin", begin_photo(&upload, "a.jpg", 1_000)).await;
    for odd in [json!("Photo"), json!("face"), json!(1), json!({ "photo": null })] {
        let mut fields = begin(&key(), "a.jpg", 1_000);
        fields["purpose"] = odd;
        ana.is_refused("bad_request", "uploads.begin", fields).await;
    }
    let mut fields = begin_photo(&key(), "a.jpg", 1_000);
    fields["index"] = json!(1);
    ana.is_refused("bad_request", "uploads.begin", fields).await;
}

#[tokio::test]
async fn r5_a_repeated_photo_is_set_once_also_after_a_restart() {
    let mut server = TestServer::with_manual_clock(&["profile_edits_per_hour=2"]).await;
    let [mut ana, ben] = server.people(["Ana", "Ben"]).await;
    let upload = ana.uploads_photo("me.jpg", &jpeg(40, 30)).await;
    let fields = photo(&upload);
    // The reply is lost with the connection.
    ana.socket.sends("profiles.set_photo", fields.clone()).await;
    ana.reconnects().await;
    let reply = ana.asks("profiles.set_photo", fields.clone()).await;
    assert_eq!(ana.asks("profiles.set_photo", fields.clone()).await, reply);
    ben.receives_only(&server, &["users.changed"]).await;
    ana.is_refused("upload_gone", "profiles.set_photo", photo(&upload)).await;
    let mut other = fields.clone();
    other["upload"] = key();
    let no = ana.tries("profiles.set_photo", other).await.unwrap_err();
    assert_eq!(no.code, "key_conflict");

    // The file is uploaded again with the same id while the photo exists. None of these bytes are kept.
    let picture = jpeg(40, 30);
    ana.asks("uploads.begin", begin_photo(&upload, "me.jpg", picture.len())).await;
    ana.sends_from(&upload, &picture, 0).await;
    ana.commits(&upload).await;
    assert_eq!(server.stored().len(), 4);
    assert_eq!(ana.asks("profiles.set_photo", fields.clone()).await, reply);
    assert_eq!((server.stored().len(), server.rows()), (2, server.stored()));

    server.restarts().await;
    ana.reconnects().await;
    assert_eq!(ana.asks("profiles.set_photo", fields).await, reply);
    for url in photo_urls(&reply["profile"]) {
        assert_eq!(ana.fetches(&url).await.status, 200);
    }
    assert_eq!(server.stored(), server.rows());
}

#[tokio::test]
async fn a_photo_that_is_refused_by_the_rate_limit_keeps_its_upload_ready() {
    let server = TestServer::with_manual_clock(&["profile_edits_per_hour=1"]).await;
    let ana = server.person("Ana").await;
    let upload = ana.uploads_photo("me.jpg", &jpeg(40, 30)).await;
    ana.asks("profiles.update", profile("Ana", "tea")).await;
    let fields = photo(&upload);
    for _ in 0..2 {
        ana.is_refused("slow_down", "profiles.set_photo", fields.clone()).await;
    }
    assert_eq!(ana.commits(&upload).await, json!({ "width": 40, "height": 30 }));
    // A refused photo does not count for the rate limit.
    server.later(HOUR.as_millis().try_into().unwrap());
    ana.commits(&upload).await;
    ana.is_refused("upload_gone", "profiles.set_photo", photo(&key())).await;
    let upload = ana.uploads_photo("me.jpg", &jpeg(40, 30)).await;
    ana.asks("profiles.set_photo", photo(&upload)).await;
}

#[tokio::test]
async fn the_upload_of_a_photo_replaces_no_upload_for_a_post() {
    let server = TestServer::with_manual_clock(&[]).await;
    let ana = server.person("Ana").await;
    let mut uploads = Vec::new();
    for _ in 0..4 {
        uploads.push(ana.uploads("tree.jpg", &jpeg(40, 30)).await);
    }
    server.later(5 * 60_000);
    ana.changes_photo(&jpeg(40, 30)).await;
    let chosen: Vec<(&Value, &str)> = uploads.iter().map(|upload| (upload, "")).collect();
    let post = ana.posts_with_pictures("trees", &chosen).await;
    assert_eq!(post["pictures"].as_array().unwrap().len(), 4);
    // The number of open uploads for photos is limited too.
    for _ in 0..4 {
        ana.asks("uploads.begin", begin_photo(&key(), "me.jpg", 1_000)).await;
    }
    ana.is_refused("invalid", "uploads.begin", begin_photo(&key(), "me.jpg", 1_000)).await;
}

#[tokio::test]
async fn a_photo_set_while_its_upload_is_cancelled_is_complete_or_absent() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let tab = ana.opens_another_tab().await;
    for round in 0..10 {
        let upload = ana.uploads_photo("me.jpg", &jpeg(40, 30)).await;
        let cancel = tab.socket.sends("uploads.cancel", json!({ "upload": upload })).await;
        let reply = ana.tries("profiles.set_photo", photo(&upload)).await;
        tab.socket.reply_to(cancel).await.unwrap();
        match reply {
            Ok(ok) => {
                for url in photo_urls(&ok["profile"]) {
                    assert_eq!(ana.fetches(&url).await.status, 200, "{round}");
                }
            }
            Err(no) => assert_eq!(no.code, "upload_gone"),
        }
    }
    wait_until("no file is left over", || server.stored() == server.rows()).await;
}

#[tokio::test]
async fn the_sweeper_keeps_photos_and_removes_files_without_a_row() {
    let mut server = TestServer::new().await;
    let mut ana = server.person("Ana").await;
    let urls = photo_urls(&ana.changes_photo(&jpeg(40, 30)).await);
    let kept: Vec<String> = urls.iter().map(|url| path_of(url)).collect();
    let (old, elses, new) = (
        format!("profile-pictures/{}/1_old.jpg", ana.id),
        "profile-pictures/7/1_old.card.jpg".to_owned(),
        format!("profile-pictures/{}/2_new.jpg", ana.id),
    );
    std::fs::create_dir_all(server.media().join("profile-pictures/7")).unwrap();
    std::fs::write(server.media().join("profile-pictures/.DS_Store"), b"not ours").unwrap();
    for path in [&old, &elses, &new] {
        std::fs::write(server.media().join(path), b"left over").unwrap();
    }
    for path in [&old, &elses, &kept[0], &kept[1]] {
        let file = std::fs::File::options().write(true).open(server.media().join(path)).unwrap();
        let now = file.metadata().unwrap().modified().unwrap();
        file.set_modified(now - 2 * HOUR).unwrap();
    }
    server.restarts().await;
    ana.reconnects().await;
    let is_swept = || [&old, &elses].iter().all(|path| !server.media().join(path).exists());
    wait_until("what is old and belongs to nobody is gone", is_swept).await;
    // The first sweep is over when a later one has run.
    let before = ana.changes_photo(&jpeg(50, 30)).await;
    ana.changes_photo(&jpeg(60, 30)).await;
    for url in photo_urls(&before).iter().chain(&urls) {
        wait_until("a photo of before is gone", || !server.media().join(path_of(url)).exists()).await;
    }
    assert!(server.media().join(&new).exists());
    let left = server.stored().len() - server.rows().len();
    assert_eq!((left, server.rows().len()), (2, 2), "the new one and what is not ours");
}

#[tokio::test]
async fn r1_an_acknowledged_photo_survives_a_sudden_end() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = Child::starts(folder.path(), &[]);
    let ana = Person::signs_up(child.at, "Ana").await;
    ana.changes_photo(&jpeg(40, 30)).await;
    let shown = ana.changes_photo(&jpeg(60, 40)).await;
    child.dies();
    let mut child = Child::starts(folder.path(), &[]);
    let ana = Person::logs_in(child.at, &ana.email).await;
    assert_eq!(ana.visits(&ana).await, shown);
    for (url, size) in photo_urls(&shown).iter().zip([(60, 40), (40, 40)]) {
        let response = ana.fetches(url).await;
        assert_eq!((response.status, size_of_jpeg(&response.content)), (200, Some(size)));
    }
    let files = || crate::support::uploads::files_below(&folder.path().join("media"));
    wait_until("only the last one is there", || files().len() == 2).await;
    child.dies();
}

#[tokio::test]
async fn a_deleted_account_leaves_no_photo() {
    let mut server = TestServer::new().await;
    let [ana, mut ben] = server.people(["Ana", "Ben"]).await;
    let urls = photo_urls(&ana.changes_photo(&jpeg(40, 30)).await);
    server.stops().await;
    server.look().execute_batch("pragma foreign_keys = on; delete from users where name = 'Ana'").unwrap();
    assert_eq!((server.count("select count(*) from photos"), server.rows().len()), (0, 0));
    server.starts();
    ben.reconnects().await;
    for url in urls {
        assert_eq!(ben.fetches(&url).await.status, 404);
    }
    wait_until("nor a file", || server.stored().is_empty()).await;
}

#[tokio::test]
async fn r9_the_schema_itself_refuses_what_the_rules_refuse_of_photos() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ana.changes_photo(&jpeg(40, 30)).await;
    let upload = ben.uploads_photo("me.jpg", &jpeg(40, 30)).await;
    ben.asks("profiles.set_photo", json!({ "key": key_of(3), "upload": upload })).await;
    let database = server.look();
    database.execute_batch("pragma foreign_keys = on; begin").unwrap();
    for sql in [
        "update photos set width = 0",
        "update photos set height = 1601",
        "update photos set thumbhash = zeroblob(4)",
        "update photos set screen_file_id = 999999",
        "update photos set card_file_id = (select min(card_file_id) from photos)",
        "insert into photos select * from photos limit 1",
        "delete from files where id in (select card_file_id from photos)",
        "update users set name = printf('%.*c', 51, 'x')",
        "update users set bio = printf('%.*c', 301, 'x')",
        "update users set to_color = 'pink'",
    ] {
        assert!(database.execute_batch(sql).is_err(), "{sql}");
    }
    database.execute_batch("rollback").unwrap();
}

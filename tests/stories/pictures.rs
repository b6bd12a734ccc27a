//! Pictures in posts: what is shown, what is stored, and retries.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::person::{Person, post};
use crate::support::picture::{SECRET, gif_that_moves, jpeg, jpeg_with_secrets, png, size_of_jpeg};
use crate::support::server::{MORNING_MS, TestServer};
use crate::support::uploads::{begin, chunk, files_below, path_of, post_with_pictures, urls};
use crate::support::value::{key, key_of, pack};
use crate::support::wait_until;

fn holds(bytes: &[u8], words: &str) -> usize {
    bytes.windows(words.len()).filter(|window| *window == words.as_bytes()).count()
}

#[tokio::test]
async fn a_picture_is_in_the_post_in_both_sizes_in_events_and_reads() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    ben.follows(&ana).await;
    let upload = ana.uploads("C:\\photos\\Über mich.JPG", &jpeg(1_700, 170)).await;

    let post = ana.posts_with_pictures("by the sea", &[(&upload, " The  sea. ")]).await;

    let picture = post["pictures"][0].clone();
    let base = format!("/media/posts/{}/{MORNING_MS}_0_%C3%9Cber_mich", ana.id);
    let [url, card_url] = ["url", "card_url"].map(|name| picture[name].as_str().unwrap());
    let (screen, card) = (format!("{base}.jpg?token="), format!("{base}.card.jpg?token="));
    assert_eq!((&url[..screen.len()], &card_url[..card.len()]), (screen.as_str(), card.as_str()));
    let tokens: BTreeSet<&str> = [&url[screen.len()..], &card_url[card.len()..]].into();
    assert!(tokens.len() == 2 && tokens.iter().all(|token| token.len() == 22), "{tokens:?}");
    let thumbhash = picture["thumbhash"].as_str().unwrap();
    assert!((8..56).contains(&thumbhash.len()), "{thumbhash}");
    let expected = json!({
        "alt": "The sea.", "width": 1_600, "height": 160, "thumbhash": thumbhash,
        "url": url, "card_url": card_url, "motion_url": null,
    });
    assert_eq!(post["pictures"], json!([expected]));

    assert_eq!(ben.sees_post("by the sea").await["pictures"], post["pictures"], "live");
    let id = post["id"].as_i64().unwrap();
    for page in [
        ben.reads_feed().await,
        cleo.reads_posts_of(&ana).await,
        cleo.asks("posts.refresh", json!({ "post_ids": [id] })).await,
    ] {
        assert_eq!(page["posts"][0]["pictures"], post["pictures"]);
    }
    assert_eq!(cleo.opens(id).await["pictures"], post["pictures"], "by a link");

    for (url, size) in [(url, (1_600, 160)), (card_url, (800, 80))] {
        let response = ben.fetches(url).await;
        assert_eq!((response.status, size_of_jpeg(&response.content)), (200, Some(size)));
    }
}

#[tokio::test]
async fn a_picture_is_stored_only_in_its_rows_and_files() {
    let server = TestServer::with_manual_clock(&[]).await;
    let ana = server.person("Ana").await;
    let moves = ana.uploads("dance.gif", &gif_that_moves(60, 40)).await;
    server.later(5_000);
    let post = ana.posts_with_pictures("look", &[(&moves, "")]).await;

    let paths: BTreeSet<String> = urls(&post).iter().map(|url| path_of(url)).collect();
    assert_eq!((paths.len(), &server.stored(), &server.rows()), (3, &paths, &paths));
    let database = server.look();
    for (url, role, kind) in [
        ("url", "screen", "image/jpeg"),
        ("card_url", "card", "image/jpeg"),
        ("motion_url", "motion", "image/gif"),
    ] {
        let url = post["pictures"][0][url].as_str().unwrap();
        let (path, token) = (path_of(url), url.split_once("token=").unwrap().1);
        let size = std::fs::metadata(server.media().join(&path)).unwrap().len();
        let row: Value = database
            .query_row(
                "select json_object('bucket', bucket, 'name', name, 'owner_id', owner_id, 'size_bytes', size_bytes,
                        'content_type', content_type, 'custom_metadata', json(custom_metadata), 'token', token,
                        'created_at_ms', created_at_ms, 'updated_at_ms', updated_at_ms)
                   from files where full_path = ?1",
                [&path],
                |row| row.get::<_, String>(0),
            )
            .map(|row| serde_json::from_str(&row).unwrap())
            .unwrap();
        assert_eq!(
            row,
            json!({
                "bucket": "media", "name": path.rsplit('/').next().unwrap(), "owner_id": ana.id,
                "size_bytes": size, "content_type": kind, "custom_metadata": { "role": role }, "token": token,
                "created_at_ms": MORNING_MS + 5_000, "updated_at_ms": MORNING_MS + 5_000,
            })
        );
        let response = ana.fetches(url).await;
        assert_eq!((response.status, response.header("Content-Type")), (200, Some(kind)));
    }
}

#[tokio::test]
async fn s8_nothing_of_the_original_file_is_kept() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let sent = jpeg_with_secrets(200, 150);
    assert_eq!(holds(&sent, SECRET), 3, "where it was taken, twice, and words after its end");
    let upload = ana.uploads("beach.jpg", &sent).await;
    let everywhere = |stage: &str| {
        let files = files_below(server.folder());
        assert!(files.contains("mellow.db") && files.len() >= 4, "{files:?}");
        for path in files {
            let bytes = std::fs::read(server.folder().join(&path)).unwrap();
            assert_eq!(holds(&bytes, SECRET), 0, "{path} {stage}");
            assert_eq!(holds(&bytes, "Exif\0"), 0, "{path} {stage}");
        }
    };
    everywhere("when it was judged");
    let post = ana.posts_with_pictures("look", &[(&upload, "")]).await;
    everywhere("when it stands in a post");
    for url in urls(&post) {
        assert_eq!(holds(&ana.fetches(&url).await.bytes, SECRET), 0);
    }
}

#[tokio::test]
async fn a_post_has_up_to_four_pictures_in_the_order_they_were_chosen() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let mut uploads = Vec::new();
    for width in [20, 30, 40, 50] {
        uploads.push(ana.uploads("a.jpg", &jpeg(width, 10)).await);
    }
    let [a, b, c, d] = uploads.try_into().unwrap();

    let no = ana
        .is_refused(
            "invalid",
            "posts.create",
            post_with_pictures("five", &[(&a, ""), (&b, ""), (&c, ""), (&d, ""), (&a, "")]),
        )
        .await;
    assert_eq!(no.message, "You can only upload up to 4 images per post");
    assert_eq!(no.field.as_deref(), Some("pictures"));
    let long = "x".repeat(301);
    let no = ana.is_refused("invalid", "posts.create", post_with_pictures("x", &[(&a, &long)])).await;
    assert_eq!((no.field.as_deref(), no.message.contains("300")), (Some("pictures"), true));
    ana.is_refused("invalid", "posts.create", post_with_pictures(" ", &[(&a, "")])).await;

    // The refused requests used no upload.
    let post = ana.posts_with_pictures("four", &[(&c, "c"), (&a, ""), (&d, "d"), (&b, "b")]).await;
    let shown: Vec<_> = post["pictures"]
        .as_array()
        .unwrap()
        .iter()
        .map(|picture| (picture["width"].as_i64().unwrap(), picture["alt"].as_str().unwrap()))
        .collect();
    assert_eq!(shown, [(40, "c"), (20, ""), (50, "d"), (30, "b")]);
    assert_eq!(ana.opens(post["id"].as_i64().unwrap()).await["pictures"], post["pictures"]);
}

#[tokio::test]
async fn a_post_without_pictures_has_an_empty_list() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    for pictures in [json!([]), Value::Null] {
        let mut fields = post("hello");
        fields["pictures"] = pictures;
        assert_eq!(ana.asks("posts.create", fields).await["post"]["pictures"], json!([]));
    }
    let mut fields = post("hello");
    fields["pictures"] = json!([{ "alt": "no name" }]);
    ana.is_refused("bad_request", "posts.create", fields).await;
}

#[tokio::test]
async fn five_pages_of_the_largest_possible_posts_fit_into_the_send_queue_of_one_reader() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let (name, alt) = (format!("{}.gif", "𝔘".repeat(300)), "🌿".repeat(300));
    let mut uploads = Vec::new();
    for _ in 0..4 {
        uploads.push(ana.uploads(&name, &gif_that_moves(20, 10)).await);
    }
    let chosen: Vec<(&Value, &str)> = uploads.iter().map(|upload| (upload, alt.as_str())).collect();
    let mut fields = post_with_pictures(&"🌿".repeat(2_000), &chosen);
    fields["title"] = json!("🌿".repeat(100));
    fields["tag"] = json!("🌿".repeat(30));
    let id = ana.publishes(fields).await;
    for _ in 0..3 {
        ana.comments(id, &"🌿".repeat(500)).await;
    }
    let post = ana.opens(id).await;
    assert_eq!((urls(&post).len(), post["first_comments"].as_array().unwrap().len()), (12, 2));
    let bytes = pack(&post).len();
    println!("the heaviest post has {bytes} bytes");
    let pages = bytes * mellow::limits::FEED_PAGE * 5;
    assert!(pages < mellow::limits::SEND_QUEUE_REPLY_BYTES_MAX, "five pages of it have {pages}");
}

#[tokio::test]
async fn r5_a_repeated_post_with_pictures_exists_once_also_after_a_restart() {
    let mut server = TestServer::new().await;
    let [mut ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    let upload = ana.uploads("tree.jpg", &jpeg(40, 30)).await;
    let fields = post_with_pictures("once", &[(&upload, "A tree.")]);
    let reply = ana.asks("posts.create", fields.clone()).await;
    let (stored, rows) = (server.stored(), server.rows());

    assert_eq!(ana.asks("posts.create", fields.clone()).await, reply);
    ana.reconnects().await;
    assert_eq!(ana.asks("posts.create", fields.clone()).await, reply);
    ben.sees_post("once").await;
    ben.receives_nothing(&server).await;
    server.restarts().await;
    ana.reconnects().await;
    assert_eq!(ana.asks("posts.create", fields.clone()).await, reply);
    assert_eq!(ana.feed_texts().await, ["once"]);
    assert_eq!((server.stored(), server.rows()), (stored, rows));
    assert_eq!(ana.fetches(reply["post"]["pictures"][0]["url"].as_str().unwrap()).await.status, 200);

    // The same key with another text gets neither the pictures nor the reply.
    let mut other = fields;
    other["text"] = json!("twice");
    let no = ana.tries("posts.create", other).await.unwrap_err();
    assert!(["key_conflict", "upload_gone"].contains(&no.code.as_str()), "{no:?}");
    assert_eq!(ana.feed_texts().await, ["once"]);
}

#[tokio::test]
async fn r5_a_post_whose_reply_was_lost_exists_once() {
    let server = TestServer::new().await;
    let mut ana = server.person("Ana").await;
    for round in 0..10 {
        let upload = ana.uploads("tree.jpg", &jpeg(40, 30)).await;
        let text = format!("p{round}");
        let fields = post_with_pictures(&text, &[(&upload, "")]);
        ana.socket.sends("posts.create", fields.clone()).await;
        ana.reconnects().await;
        let post = ana.asks("posts.create", fields).await["post"].clone();
        assert_eq!(post["pictures"].as_array().unwrap().len(), 1);
        assert_eq!(ana.feed_texts().await.iter().filter(|held| **held == text).count(), 1);
    }
    assert_eq!((server.stored().len(), server.rows().len()), (20, 20));
}

#[tokio::test]
async fn a_post_with_an_unknown_picture_is_refused_and_uses_no_other() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let good = ana.uploads("good.jpg", &jpeg(40, 30)).await;
    let [unknown, begun, whole] = [key(), key(), key()];
    ana.asks("uploads.begin", begin(&begun, "begun.jpg", 1_000)).await;
    ana.asks("uploads.chunk", chunk(&begun, 0, &[1; 10])).await;
    ana.sends_picture(&whole, "whole.jpg", &jpeg(40, 30)).await;
    let bens = ben.uploads("bens.jpg", &jpeg(40, 30)).await;
    let (stored, seq) = (server.stored(), server.count("select seq from site"));
    for upload in [&unknown, &begun, &whole, &bens] {
        let mut fields = post_with_pictures("no", &[(&good, ""), (upload, "")]);
        fields["key"] = key_of(77);
        let no = ana.is_refused("upload_gone", "posts.create", fields).await;
        assert_eq!(no.message, "This picture has to be sent again. Your words are kept.");
    }
    assert_eq!((server.stored(), server.rows().len()), (stored, 0));
    assert_eq!(server.count("select count(*) from posts"), 0);
    assert_eq!(server.count("select seq from site"), seq);
    ana.commits(&whole).await;
    // The key is still free too.
    let mut fields = post_with_pictures("yes", &[(&good, ""), (&whole, "")]);
    fields["key"] = key_of(77);
    ana.asks("posts.create", fields).await;
    ben.posts_with_pictures("Ben's", &[(&bens, "")]).await;
}

#[tokio::test]
async fn one_upload_is_never_in_two_posts_nor_twice_in_one() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let upload = ana.uploads("tree.jpg", &jpeg(40, 30)).await;
    ana.is_refused("bad_request", "posts.create", post_with_pictures("x", &[(&upload, ""), (&upload, "")]))
        .await;
    let first = ana.posts_with_pictures("first", &[(&upload, "")]).await;
    ana.is_refused("upload_gone", "posts.create", post_with_pictures("second", &[(&upload, "")])).await;

    // The id of the upload is free again for another file.
    assert_eq!(ana.asks("uploads.begin", begin(&upload, "sea.jpg", 1_000)).await["offset"], 0);
    ana.cancels(&upload).await;

    // The same holds for two posts at the same time.
    for round in 0..10 {
        let upload = ana.uploads("tree.jpg", &jpeg(40, 30)).await;
        let mut sent = Vec::new();
        for number in 0..3 {
            let fields = post_with_pictures(&format!("r{round} {number}"), &[(&upload, "")]);
            sent.push(ana.socket.sends("posts.create", fields).await);
        }
        let mut done = 0;
        for id in sent {
            match ana.socket.reply_to(id).await {
                Ok(_) => done += 1,
                Err(no) => assert_eq!(no.code, "upload_gone", "{no:?}"),
            }
        }
        assert_eq!(done, 1);
    }
    assert_eq!(server.count("select count(*) from posts"), 11);
    assert_eq!(ana.fetches(first["pictures"][0]["url"].as_str().unwrap()).await.status, 200);
}

#[tokio::test]
async fn a_post_refused_for_one_picture_keeps_the_others_ready() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    for round in 0..5 {
        let one = ana.uploads("one.jpg", &jpeg(10, 10)).await;
        let two = ana.uploads("two.jpg", &jpeg(20, 10)).await;
        let both = ana.uploads("both.jpg", &jpeg(30, 10)).await;
        let first = post_with_pictures(&format!("first {round}"), &[(&one, ""), (&both, "")]);
        let second = post_with_pictures(&format!("second {round}"), &[(&two, ""), (&both, "")]);
        let first = ana.socket.sends("posts.create", first).await;
        let second = ana.socket.sends("posts.create", second).await;
        ana.socket.reply_to(first).await.unwrap();
        assert_eq!(ana.socket.reply_to(second).await.unwrap_err().code, "upload_gone");
        ana.posts_with_pictures(&format!("third {round}"), &[(&two, "")]).await;
    }
}

/// Ana publishes a picture, and her connection is cut while the writer waits, because the database is locked.
async fn publishes_without_reading_the_reply(server: &TestServer) -> (Person, Value) {
    let mut ana = server.person("Ana").await;
    let upload = ana.uploads("tree.jpg", &jpeg(40, 30)).await;
    let holder = server.look();
    holder.execute_batch("begin immediate").unwrap();
    ana.socket.sends("posts.create", post_with_pictures("first", &[(&upload, "")])).await;
    ana.reconnects().await;
    holder.execute_batch("rollback").unwrap();
    wait_until("it is published", || server.count("select count(*) from posts") == 1).await;
    (ana, upload)
}

#[tokio::test]
async fn r5_an_upload_used_by_a_post_whose_reply_was_lost_is_not_used_again() {
    let server = TestServer::new().await;
    let (ana, upload) = publishes_without_reading_the_reply(&server).await;
    ana.is_refused("upload_gone", "posts.create", post_with_pictures("second", &[(&upload, "")])).await;
    ana.cancels(&upload).await;
    let page = ana.reads_feed().await;
    for url in urls(&page["posts"][0]) {
        assert_eq!(ana.fetches(&url).await.status, 200, "a cancel takes nothing from a post");
    }
}

#[tokio::test]
async fn an_upload_is_deleted_with_its_post_even_before_the_reply_arrived() {
    let server = TestServer::new().await;
    let (ana, upload) = publishes_without_reading_the_reply(&server).await;
    let id = ana.reads_feed().await["posts"][0]["id"].as_i64().unwrap();
    ana.deletes(id).await;
    ana.is_refused("upload_gone", "posts.create", post_with_pictures("second", &[(&upload, "")])).await;
    wait_until("its files are gone", || server.stored().is_empty()).await;
    wait_until("they are forgotten", || server.count("select count(*) from doomed_files") == 0).await;
    ana.is_refused("upload_gone", "posts.create", post_with_pictures("third", &[(&upload, "")])).await;
    assert_eq!(server.count("select count(*) from posts"), 0);
}

#[tokio::test]
async fn a_post_concurrent_with_a_cancel_is_complete_or_absent() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let tab = ana.opens_another_tab().await;
    let mut whole = 0;
    for round in 0..20 {
        let upload = ana.uploads("tree.jpg", &jpeg(40, 30)).await;
        let cancel = tab.socket.sends("uploads.cancel", json!({ "upload": upload })).await;
        let fields = post_with_pictures(&format!("p{round}"), &[(&upload, "")]);
        let reply = ana.tries("posts.create", fields).await;
        tab.socket.reply_to(cancel).await.unwrap();
        match reply {
            Ok(ok) => {
                whole += 1;
                for url in urls(&ok["post"]) {
                    assert_eq!(ana.fetches(&url).await.status, 200, "{round}");
                }
            }
            Err(no) => assert_eq!(no.code, "upload_gone"),
        }
    }
    wait_until("no file is left over", || server.stored() == server.rows()).await;
    assert_eq!(server.stored().len(), whole * 2);
}

#[tokio::test]
async fn a_post_that_is_refused_by_the_rate_limit_keeps_its_pictures_ready() {
    let server = TestServer::with_manual_clock(&["posts_per_day=1"]).await;
    let ana = server.person("Ana").await;
    let upload = ana.uploads("tree.jpg", &jpeg(40, 30)).await;
    let fields = post_with_pictures("second", &[(&upload, "")]);
    ana.posts("first").await;
    for _ in 0..2 {
        ana.is_refused("slow_down", "posts.create", fields.clone()).await;
    }
    assert_eq!(ana.commits(&upload).await, json!({ "width": 40, "height": 30 }));
    // A retry of an applied post does not count for the rate limit.
    server.later(24 * 3_600_000);
    let reply = ana.asks("posts.create", fields.clone()).await;
    assert_eq!(ana.asks("posts.create", fields).await, reply);
}

#[tokio::test]
async fn r9_the_schema_itself_refuses_what_the_rules_refuse_of_pictures() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let mut uploads = Vec::new();
    for _ in 0..4 {
        uploads.push(ana.uploads("a.png", &png(8, 6)).await);
    }
    let chosen: Vec<(&Value, &str)> = uploads.iter().map(|upload| (upload, "")).collect();
    ana.posts_with_pictures("four", &chosen).await;
    ana.posts("none").await;
    let database = server.look();
    database.execute_batch("pragma foreign_keys = on").unwrap();
    let file = |changed: &str, value: &str| {
        let columns = [
            ("full_path", "'posts/1/2_0_x.jpg'"),
            ("name", "'2_0_x.jpg'"),
            ("owner_id", "(select id from users)"),
            ("size_bytes", "1"),
            ("content_type", "'image/jpeg'"),
            ("token", "printf('%022d', 1)"),
            ("created_at_ms", "1"),
            ("updated_at_ms", "1"),
            ("custom_metadata", "'{}'"),
            ("bucket", "'media'"),
        ];
        let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
        let values: Vec<&str> =
            columns.iter().map(|(name, held)| if *name == changed { value } else { held }).collect();
        format!("insert into files ({}) values ({})", names.join(", "), values.join(", "))
    };
    let picture = |position: &str, alt: &str, size: &str, thumbhash: &str, files: &str| {
        format!(
            "insert into pictures (post_id, position, alt, width, height, thumbhash, screen_file_id, card_file_id)
             values ((select max(id) from posts), {position}, {alt}, {size}, {thumbhash}, {files})"
        )
    };
    let good = |position: &str| picture(position, "''", "8, 6", "zeroblob(20)", "101, 102");
    let own_files = "insert into files (id, full_path, name, owner_id, size_bytes, content_type, token, created_at_ms,
                     updated_at_ms) select 101 + value, 'p' || value, 'p', (select id from users), 1, 'image/jpeg',
                     printf('%022d', value), 1, 1 from json_each('[0,1]')";
    database.execute_batch(&format!("begin; {own_files}")).unwrap();
    let long = |count: usize| format!("printf('%.*c', {count}, 'x')");
    for sql in [
        good("4"),
        good("-1"),
        picture("0", &long(301), "8, 6", "zeroblob(20)", "101, 102"),
        picture("0", "''", "0, 6", "zeroblob(20)", "101, 102"),
        picture("0", "''", "8, 1601", "zeroblob(20)", "101, 102"),
        picture("0", "''", "8, 6", "zeroblob(4)", "101, 102"),
        picture("0", "''", "8, 6", "zeroblob(41)", "101, 102"),
        picture("0", "''", "8, 6", "'words, not bytes'", "101, 102"),
        picture("0", "''", "8, 6", "zeroblob(20)", "101, null"),
        picture("0", "''", "8, 6", "zeroblob(20)", "101, 999999"),
        // The files of another picture.
        picture("0", "''", "8, 6", "zeroblob(20)", "(select min(screen_file_id) from pictures), 102"),
        // A second picture at the same position, and a fifth picture at any position.
        "insert into pictures select post_id, 0, '', 1, 1, thumbhash, 101, 102, null from pictures".into(),
        "insert into pictures select post_id, 4, '', 1, 1, thumbhash, 101, 102, null from pictures".into(),
        "update posts set pictures_count = 5".into(),
        "update posts set pictures_count = -1".into(),
        // The deletion of a file in use.
        "delete from files where id = (select min(screen_file_id) from pictures)".into(),
        file("bucket", "'elsewhere'"),
        file("full_path", "''"),
        file("full_path", &long(256)),
        file("full_path", "(select min(full_path) from files)"),
        file("full_path", "null"),
        file("name", "''"),
        file("owner_id", "null"),
        file("owner_id", "7"),
        file("size_bytes", "0"),
        file("content_type", "'image/svg+xml'"),
        file("content_type", "'text/html'"),
        file("custom_metadata", "'[]'"),
        file("custom_metadata", "'no json'"),
        file("token", "''"),
        file("token", &long(21)),
    ] {
        assert!(database.execute_batch(&sql).is_err(), "{sql}");
    }
    // The schema accepts a valid row, so the others were refused for the right reason.
    database.execute_batch(&good("0")).unwrap();
    database.execute_batch(&file("", "")).unwrap();
    database.execute_batch("rollback").unwrap();
}

#[tokio::test]
async fn r5_pictures_uploaded_again_for_an_existing_post_leave_no_files() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let upload = ana.uploads("tree.jpg", &jpeg(40, 30)).await;
    let fields = post_with_pictures("hello", &[(&upload, "a tree")]);
    let first = ana.asks("posts.create", fields.clone()).await;
    ana.sends_picture(&upload, "tree.jpg", &jpeg(40, 30)).await;
    ana.commits(&upload).await;
    assert_eq!(server.stored().len(), 4);
    assert_eq!(ana.asks("posts.create", fields).await, first);
    assert_eq!(server.stored().len(), 2, "those of the post that stands");
    assert_eq!(ana.fetches(first["post"]["pictures"][0]["url"].as_str().unwrap()).await.status, 200);
}

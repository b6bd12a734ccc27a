//! Uploads: chunks, lost connections, and files that are no pictures.

pub mod access;

use serde_json::{Value, json};

use crate::support::person::Person;
use crate::support::picture::{jpeg, jpeg_of_bytes, png, size_of_jpeg, wall};
use crate::support::server::TestServer;
use crate::support::socket::{Socket, State};
use crate::support::uploads::{CHUNK, begin, chunk, chunk_at, post_with_pictures};
use crate::support::value::{hex, key, pack, unhex, unpack};
use crate::support::wait_until;

/// Returns a file of five chunks. The last chunk is short.
fn five_chunks() -> Vec<u8> {
    let picture = png(300, 300);
    assert_eq!(picture.len().div_ceil(CHUNK), 5);
    picture
}

/// Returns how many bytes of an upload the server has.
async fn held(ana: &Person, upload: &Value, name: &str, picture: &[u8]) -> usize {
    let ok = ana.asks("uploads.begin", begin(upload, name, picture.len())).await;
    usize::try_from(ok["offset"].as_u64().unwrap()).unwrap()
}

/// Returns the bytes of the larger size of a stored picture.
async fn screen_of(ana: &Person, upload: &Value) -> Vec<u8> {
    let post = ana.posts_with_pictures("look", &[(upload, "")]).await;
    let response = ana.fetches(post["pictures"][0]["url"].as_str().unwrap()).await;
    assert_eq!(response.status, 200);
    response.content
}

#[tokio::test]
async fn a_picture_is_uploaded_in_chunks_and_each_reply_has_the_offset() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let (upload, picture) = (key(), five_chunks());
    let begun = ana.asks("uploads.begin", begin(&upload, "tree.png", picture.len())).await;
    assert_eq!(begun, json!({ "offset": 0, "chunk_bytes": CHUNK, "window": 4 }));
    for at in (0..picture.len()).step_by(CHUNK) {
        let ok = ana.asks("uploads.chunk", chunk_at(&upload, &picture, at)).await;
        assert_eq!(ok, json!({ "offset": picture.len().min(at + CHUNK) }));
    }
    assert_eq!(ana.commits(&upload).await, json!({ "width": 300, "height": 300 }));
    ana.receives_nothing(&server).await;
    assert_eq!(server.incoming(), 0, "the original file is removed after rendering");
}

#[tokio::test]
async fn the_example_in_the_protocol_is_correct() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let protocol = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/protocol.md")).unwrap();
    let example = protocol.split("### An example").nth(1).unwrap();
    let example = example.split("```text\n").nth(1).unwrap().split("```").next().unwrap();
    let mut messages: Vec<(bool, String)> = Vec::new();
    for line in example.lines() {
        let bytes = line.split('#').next().unwrap().replace(' ', "");
        match bytes.split_at(1) {
            (">", first) => messages.push((true, first.into())),
            ("<", first) => messages.push((false, first.into())),
            _ => messages.last_mut().unwrap().1 += &bytes,
        }
    }
    assert_eq!(messages.len(), 6);
    for (is_sent, bytes) in messages {
        if is_sent {
            ana.socket.send_bytes(unhex(&bytes)).await;
            continue;
        }
        let re = unpack(&unhex(&bytes))["re"].clone();
        let reply = |state: &mut State| {
            let at = state.log.iter().position(|message| message.get("re") == Some(&re))?;
            Some(hex(&state.bytes[at]))
        };
        assert_eq!(ana.socket.waits("a reply", reply).await, bytes, "to {re}");
    }
    let dot = json!({ "$bin": "000102030405060708090a0b0c0d0e0f" });
    let post = ana.posts_with_pictures("a dot", &[(&dot, "A dot.")]).await;
    assert_eq!((&post["pictures"][0]["width"], &post["pictures"][0]["alt"]), (&json!(1), &json!("A dot.")));
}

#[tokio::test]
async fn u2_four_unanswered_chunks_arrive_in_order() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let (upload, picture) = (key(), five_chunks());
    ana.asks("uploads.begin", begin(&upload, "tree.png", picture.len())).await;
    let mut sent = Vec::new();
    for at in (0..4 * CHUNK).step_by(CHUNK) {
        sent.push((at, ana.socket.sends("uploads.chunk", chunk_at(&upload, &picture, at)).await));
    }
    for (at, id) in sent {
        assert_eq!(ana.socket.reply_to(id).await.unwrap(), json!({ "offset": at + CHUNK }));
    }
    ana.sends_from(&upload, &picture, 4 * CHUNK).await;
    ana.commits(&upload).await;
}

#[tokio::test]
async fn u2_repeated_early_and_late_chunks_are_ignored() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let (upload, picture) = (key(), five_chunks());
    ana.asks("uploads.begin", begin(&upload, "tree.png", picture.len())).await;
    let junk = vec![7; 1_000];
    for (fields, expected) in [
        (chunk_at(&upload, &picture, CHUNK), 0),
        (chunk_at(&upload, &picture, 0), CHUNK),
        (chunk_at(&upload, &picture, 0), CHUNK),
        (chunk(&upload, 0, &junk), CHUNK),
        (chunk(&upload, CHUNK - 1, &junk), CHUNK),
        (chunk(&upload, CHUNK + 1, &junk), CHUNK),
        (chunk_at(&upload, &picture, 4 * CHUNK), CHUNK),
        (chunk_at(&upload, &picture, CHUNK), 2 * CHUNK),
    ] {
        assert_eq!(ana.asks("uploads.chunk", fields).await, json!({ "offset": expected }));
    }
    ana.sends_from(&upload, &picture, 2 * CHUNK).await;
    // All bytes are there. No further chunk is accepted or changes them.
    let again = ana.asks("uploads.chunk", chunk(&upload, 0, &junk)).await;
    assert_eq!(again["offset"], picture.len());
    ana.commits(&upload).await;
    let again = ana.asks("uploads.chunk", chunk(&upload, 0, &junk)).await;
    assert_eq!(again["offset"], picture.len());

    let straight = ana.uploads("tree.png", &picture).await;
    assert_eq!(screen_of(&ana, &upload).await, screen_of(&ana, &straight).await, "to the last byte");
}

#[tokio::test]
async fn u2_chunks_that_are_empty_too_large_or_past_the_end_are_refused() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let (upload, picture) = (key(), five_chunks());
    ana.asks("uploads.begin", begin(&upload, "tree.png", picture.len())).await;
    ana.asks("uploads.chunk", chunk_at(&upload, &picture, 0)).await;
    let (end, mut text, mut without) =
        (picture.len(), chunk(&upload, CHUNK, &[]), chunk(&upload, CHUNK, &[]));
    text["bytes"] = json!("words");
    without.as_object_mut().unwrap().remove("bytes");
    for fields in [
        chunk(&upload, CHUNK, &[]),
        chunk(&upload, CHUNK, &vec![0; CHUNK + 1]),
        chunk(&upload, end, &[0]),
        chunk(&upload, end - 1, &[0, 0]),
        chunk(&upload, usize::try_from(u32::MAX).unwrap(), &[0]),
        text,
        without,
    ] {
        ana.is_refused("bad_request", "uploads.chunk", fields).await;
    }
    assert_eq!(held(&ana, &upload, "tree.png", &picture).await, CHUNK);
    ana.sends_from(&upload, &picture, CHUNK).await;
    ana.commits(&upload).await;
}

#[tokio::test]
async fn u3_an_upload_continues_where_it_was_after_a_cut() {
    let server = TestServer::new().await;
    let mut ana = server.person("Ana").await;
    let (upload, picture) = (key(), five_chunks());
    ana.asks("uploads.begin", begin(&upload, "tree.png", picture.len())).await;
    for at in [0, CHUNK] {
        ana.asks("uploads.chunk", chunk_at(&upload, &picture, at)).await;
    }
    ana.reconnects().await;
    assert_eq!(held(&ana, &upload, "tree.png", &picture).await, 2 * CHUNK);

    // The connection is cut while a chunk is being sent. The server says whether it arrived.
    ana.socket.sends("uploads.chunk", chunk_at(&upload, &picture, 2 * CHUNK)).await;
    ana.reconnects().await;
    let from = held(&ana, &upload, "tree.png", &picture).await;
    assert!([2 * CHUNK, 3 * CHUNK].contains(&from), "{from}");
    ana.sends_from(&upload, &picture, from).await;
    ana.commits(&upload).await;
    let straight = ana.uploads("tree.png", &picture).await;
    assert_eq!(screen_of(&ana, &upload).await, screen_of(&ana, &straight).await);
}

#[tokio::test]
async fn u3_an_upload_that_is_begun_twice_at_once_loses_no_bytes() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let tab = ana.opens_another_tab().await;
    let picture = jpeg(40, 30);
    for _ in 0..20 {
        let upload = key();
        let fields = begin(&upload, "tree.jpg", picture.len());
        let late = tab.socket.sends("uploads.begin", fields.clone()).await;
        ana.asks("uploads.begin", fields).await;
        ana.sends_from(&upload, &picture, 0).await;
        tab.socket.reply_to(late).await.unwrap();
        assert_eq!(ana.commits(&upload).await, json!({ "width": 40, "height": 30 }));
        ana.cancels(&upload).await;
    }
}

#[tokio::test]
async fn u1_the_same_id_for_another_file_is_a_conflict() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let upload = key();
    let fields = begin(&upload, "tree.png", 1_000);
    ana.asks("uploads.begin", fields.clone()).await;
    ana.asks("uploads.chunk", chunk(&upload, 0, &[1; 400])).await;
    for (name, value) in [("name", json!("house.png")), ("size_bytes", json!(1_001)), ("index", json!(1))] {
        let mut other = fields.clone();
        other[name] = value;
        ana.is_refused("key_conflict", "uploads.begin", other).await;
    }
    let mut other = fields.clone();
    other["content_type"] = json!("text/html");
    assert_eq!(ana.asks("uploads.begin", other).await["offset"], 400, "an unknown field is ignored");
    assert_eq!(ana.asks("uploads.begin", fields).await["offset"], 400);
}

#[tokio::test]
async fn u4_an_upload_with_missing_bytes_is_not_committed() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let (upload, picture) = (key(), jpeg(40, 30));
    let last = picture.len() - 1;
    ana.asks("uploads.begin", begin(&upload, "tree.jpg", picture.len())).await;
    ana.is_refused("bad_request", "uploads.commit", json!({ "upload": upload })).await;
    ana.asks("uploads.chunk", chunk(&upload, 0, &picture[..last])).await;
    ana.is_refused("bad_request", "uploads.commit", json!({ "upload": upload })).await;
    ana.asks("uploads.chunk", chunk(&upload, last, &picture[last..])).await;
    ana.commits(&upload).await;
}

#[tokio::test]
async fn u4_a_repeated_commit_and_one_from_two_tabs_at_once_get_the_same_reply() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let tab = ana.opens_another_tab().await;
    let (upload, picture) = (key(), jpeg(40, 30));
    ana.sends_picture(&upload, "tree.jpg", &picture).await;
    let (first, second) = tokio::join!(ana.commits(&upload), tab.commits(&upload));
    assert_eq!((&first, &first), (&second, &json!({ "width": 40, "height": 30 })));
    assert_eq!(ana.commits(&upload).await, first);
    assert_eq!(server.stored().len(), 2, "rendered once: one picture in its two sizes");
}

#[tokio::test]
async fn u4_a_commit_interrupted_by_a_cut_completes_and_is_answered_on_retry() {
    let server = TestServer::new().await;
    let mut ana = server.person("Ana").await;
    let (upload, picture) = (key(), jpeg(40, 30));
    ana.sends_picture(&upload, "tree.jpg", &picture).await;
    ana.socket.sends("uploads.commit", json!({ "upload": upload })).await;
    drop(std::mem::replace(&mut ana.socket, Socket::open(server.at, None).await));
    wait_until("the picture is there, though nobody waits", || server.stored().len() == 2).await;
    ana.reconnects().await;
    assert_eq!(ana.commits(&upload).await, json!({ "width": 40, "height": 30 }));
    ana.posts_with_pictures("hello", &[(&upload, "")]).await;
}

#[tokio::test]
async fn u4_a_server_with_too_many_pictures_to_render_is_busy_and_renders_them_later() {
    let server = TestServer::new().await;
    let mut people = Vec::new();
    for number in 0..24 {
        people.push(server.person(&format!("P{number}")).await);
    }
    let wall = wall(300);
    let mut whole = Vec::new();
    for who in &people {
        let upload = key();
        who.sends_picture(&upload, "wall.png", &wall).await;
        whole.push((who, upload));
    }
    // One picture is rendered and sixteen wait, but there are twenty-four.
    let mut sent = Vec::new();
    for (who, upload) in &whole {
        sent.push((who, upload, who.socket.sends("uploads.commit", json!({ "upload": upload })).await));
    }
    let (mut fine, mut busy) = (0, Vec::new());
    for (who, upload, id) in sent {
        match who.socket.reply_to(id).await {
            Ok(ok) => {
                assert_eq!(ok, json!({ "width": 300, "height": 300 }));
                fine += 1;
            }
            Err(no) => {
                assert_eq!((no.code.as_str(), no.retry_ms), ("busy", Some(500)));
                busy.push((who, upload));
            }
        }
    }
    assert!(fine >= 17 && !busy.is_empty(), "{fine} rendered, {} busy", busy.len());
    // The refused uploads are still complete.
    for (who, upload) in busy {
        assert_eq!(who.commits(upload).await, json!({ "width": 300, "height": 300 }));
    }
}

#[tokio::test]
async fn a_user_with_many_or_cancelled_pictures_does_not_delay_others() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let wall = wall(300);
    for _ in 0..5 {
        for _ in 0..4 {
            let upload = key();
            ana.sends_picture(&upload, "wall.png", &wall).await;
            ana.socket.sends("uploads.commit", json!({ "upload": upload })).await;
            ana.socket.sends("uploads.cancel", json!({ "upload": upload })).await;
        }
    }
    // Twenty pictures were committed. Seventeen would fill the queue if their cancelled uploads stayed in it.
    let upload = ben.uploads("tree.jpg", &jpeg(40, 30)).await;
    ben.posts_with_pictures("hello", &[(&upload, "")]).await;
    wait_until("nothing of Ana's is left", || server.incoming() == 0 && server.stored().len() == 2).await;
}

#[tokio::test]
async fn a_rendered_upload_keeps_no_file_open() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let folder = server.folder().canonicalize().unwrap();
    let open = || {
        let links = std::fs::read_dir("/proc/self/fd")
            .unwrap()
            .filter_map(|entry| entry.ok()?.path().read_link().ok());
        links.filter(|link| link.starts_with(folder.join("media"))).count()
    };
    let upload = ana.uploads("tree.jpg", &jpeg(40, 30)).await;
    for _ in 0..3 {
        let refused = key();
        ana.sends_picture(&refused, "x.jpg", b"no picture at all").await;
        ana.is_refused("not_a_picture", "uploads.commit", json!({ "upload": refused })).await;
    }
    wait_until("every file is closed", || open() == 0).await;
    ana.posts_with_pictures("hello", &[(&upload, "")]).await;
}

#[tokio::test]
async fn a_failed_upload_is_replaced_by_another() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    for _ in 0..9 {
        let refused = key();
        ana.sends_picture(&refused, "x.jpg", b"no picture at all").await;
        ana.is_refused("not_a_picture", "uploads.commit", json!({ "upload": refused })).await;
    }
    let upload = ana.uploads("tree.jpg", &jpeg(40, 30)).await;
    ana.posts_with_pictures("hello", &[(&upload, "")]).await;
}

#[tokio::test]
async fn a_picture_that_is_cancelled_as_its_page_closes_leaves_nothing() {
    let server = TestServer::new().await;
    let mut ana = server.person("Ana").await;
    for _ in 0..6 {
        let uploads = [ana.uploads("a.jpg", &jpeg(40, 30)).await, ana.uploads("b.jpg", &jpeg(40, 30)).await];
        for upload in &uploads {
            ana.socket.sends("uploads.cancel", json!({ "upload": upload })).await;
        }
        ana.reconnects().await;
    }
    wait_until("nothing is left", || server.incoming() == 0 && server.stored().is_empty()).await;
}

#[tokio::test]
async fn a_picture_of_ten_mebibytes_is_uploaded() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let picture = jpeg_of_bytes(40, 30, 10 * 1024 * 1024);
    let upload = ana.uploads("tree.jpg", &picture).await;
    let screen = screen_of(&ana, &upload).await;
    assert_eq!(size_of_jpeg(&screen), Some((40, 30)));
    assert!(screen.len() < 10_000, "only what we wrote ourselves: {}", screen.len());
}

#[tokio::test]
async fn u5_an_upload_is_cancelled_at_any_stage_and_nothing_of_it_stays() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let picture = jpeg(40, 30);
    for stage in ["unknown", "begun", "half", "whole", "judged", "refused"] {
        let upload = key();
        let sent = if stage == "refused" { vec![b'x'; picture.len()] } else { picture.clone() };
        if stage != "unknown" {
            ana.asks("uploads.begin", begin(&upload, "tree.jpg", sent.len())).await;
        }
        match stage {
            "half" => drop(ana.asks("uploads.chunk", chunk(&upload, 0, &sent[..100])).await),
            "whole" | "judged" | "refused" => ana.sends_from(&upload, &sent, 0).await,
            _ => {}
        }
        let commit = json!({ "upload": upload });
        match stage {
            "judged" => drop(ana.commits(&upload).await),
            "refused" => drop(ana.is_refused("not_a_picture", "uploads.commit", commit.clone()).await),
            _ => {}
        }

        ana.cancels(&upload).await;

        assert_eq!((server.incoming(), server.stored().len()), (0, 0), "cancelled when {stage}");
        ana.is_refused("upload_gone", "uploads.chunk", chunk(&upload, 0, &[0])).await;
        let no = ana.is_refused("upload_gone", "uploads.commit", commit).await;
        assert_eq!(
            (no.message.as_str(), no.field.as_deref(), no.retry_ms),
            ("This picture has to be sent again. Your words are kept.", Some("pictures"), None)
        );
        let fields = post_with_pictures("hello", &[(&upload, "")]);
        ana.is_refused("upload_gone", "posts.create", fields).await;
        ana.cancels(&upload).await;
        assert_eq!(held(&ana, &upload, "tree.jpg", &picture).await, 0, "the name is free again");
        ana.cancels(&upload).await;
    }
}

#[tokio::test]
async fn u5_an_upload_cancelled_while_it_is_rendered_leaves_nothing() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let picture = jpeg(40, 30);
    for _ in 0..10 {
        let upload = key();
        ana.sends_picture(&upload, "tree.jpg", &picture).await;
        let commit = ana.socket.sends("uploads.commit", json!({ "upload": upload })).await;
        ana.cancels(&upload).await;
        if let Err(no) = ana.socket.reply_to(commit).await {
            assert_eq!(no.code, "upload_gone");
        }
        ana.is_refused("upload_gone", "uploads.commit", json!({ "upload": upload })).await;
    }
    wait_until("nothing is left", || server.incoming() == 0 && server.stored().is_empty()).await;
}

#[tokio::test]
async fn u1_only_its_own_user_can_use_an_upload() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let (upload, picture) = (key(), jpeg(40, 30));
    ana.sends_picture(&upload, "tree.jpg", &picture).await;
    for (op, fields) in [
        ("uploads.chunk", chunk(&upload, 0, &picture)),
        ("uploads.commit", json!({ "upload": upload })),
        ("posts.create", post_with_pictures("mine", &[(&upload, "")])),
    ] {
        let hers = ben.is_refused("upload_gone", op, fields.clone()).await;
        let mut never = pack(&fields);
        let name = unhex(upload["$bin"].as_str().unwrap());
        let at = never.windows(16).position(|window| window == name).unwrap();
        never[at..at + 16].fill(0xee);
        assert_eq!(hers, ben.is_refused("upload_gone", op, unpack(&never)).await, "{op}");
    }
    ben.cancels(&upload).await;
    // He can use the same id for his own picture.
    let his = png(9, 7);
    ben.sends_picture(&upload, "house.png", &his).await;
    assert_eq!(ben.commits(&upload).await, json!({ "width": 9, "height": 7 }));
    assert_eq!(ana.commits(&upload).await, json!({ "width": 40, "height": 30 }));
    ben.cancels(&upload).await;
    ana.posts_with_pictures("mine", &[(&upload, "")]).await;
}

#[tokio::test]
async fn a_file_that_is_no_picture_is_refused_with_its_name_and_affects_no_other() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let good = ana.uploads("good.jpg", &jpeg(40, 30)).await;
    let half = key();
    ana.asks("uploads.begin", begin(&half, "half.jpg", 1_000)).await;
    let svg = b"<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>";
    let whole = five_chunks();
    for (name, bytes) in [
        ("poem.jpg", b"Shall I compare thee to a summer's day?".as_slice()),
        ("logo.svg", svg),
        ("logo.png", svg),
        ("cut.png", &whole[..whole.len() / 2]),
        ("cut.jpg", &jpeg(40, 30)[..40]),
        ("a page.gif", b"GIF89a<html>"),
        ("\u{202E}gpj.exe", b"MZ"),
    ] {
        let upload = key();
        ana.sends_picture(&upload, name, bytes).await;
        let commit = json!({ "upload": upload });
        let no = ana.is_refused("not_a_picture", "uploads.commit", commit.clone()).await;
        let shown = name.trim_start_matches('\u{202E}');
        assert_eq!(no.message, format!("{shown} is not a valid image file"));
        assert_eq!((no.field.as_deref(), no.retry_ms), (Some("pictures"), None));
        assert_eq!(ana.is_refused("not_a_picture", "uploads.commit", commit).await, no, "for good");
        ana.is_refused("upload_gone", "posts.create", post_with_pictures("look", &[(&upload, "")])).await;
    }
    // What is only too large is called that.
    let panorama = key();
    ana.sends_picture(&panorama, "panorama.png", &png(12_001, 1)).await;
    let no = ana.is_refused("not_a_picture", "uploads.commit", json!({ "upload": panorama })).await;
    let words =
        "panorama.png has too many pixels. An image has at most 12,000 on each side, and 50 million in all.";
    assert_eq!(no.message, words);
    let no = ana.is_refused("not_a_picture", "uploads.begin", begin(&key(), "empty.png", 0)).await;
    assert_eq!(no.message, "empty.png is not a valid image file");
    assert_eq!(server.incoming(), 1, "only what is half there");
    assert_eq!(ana.asks("uploads.chunk", chunk(&half, 0, &[0; 10])).await["offset"], 10);
    ana.posts_with_pictures("look", &[(&good, "")]).await;
}

#[tokio::test]
async fn the_content_decides_the_file_type_not_the_name() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let upload = ana.uploads("drawing.jpg", &png(9, 7)).await;
    let post = ana.posts_with_pictures("look", &[(&upload, "")]).await;
    let url = post["pictures"][0]["url"].as_str().unwrap();
    let response = ana.fetches(url).await;
    assert_eq!((response.status, response.header("Content-Type")), (200, Some("image/jpeg")));
    assert!(response.content.starts_with(b"\xff\xd8\xff"), "always written anew");
}

#[tokio::test]
async fn s3_the_end_of_a_login_does_not_wait_for_a_picture() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let tab = ana.opens_another_tab().await;
    let upload = key();
    ana.sends_picture(&upload, "wall.png", &wall(300)).await;
    let judged = ana.socket.sends("uploads.commit", json!({ "upload": upload })).await;
    tab.asks("auth.log_out", json!({})).await;
    assert_eq!(ana.socket.close_code().await, 4001);
    let waited = ana.socket.log().iter().any(|message| message["re"] == judged);
    assert!(!waited, "it did not wait for the rendering");
}

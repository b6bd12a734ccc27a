//! The files of imports: pictures that are left out, and files that nobody honest made.

use serde_json::{Value, json};

use super::{HERON, text_of};
use crate::support::corpus::testing::gif;
use crate::support::imports::zips::{Packed, deflated, large_zip, stored, zip};
use crate::support::imports::{archive, many, written, zipped};
use crate::support::picture::jpeg;
use crate::support::server::TestServer;
use crate::support::uploads::files_below;
use crate::support::wait_until;

#[tokio::test]
async fn d_w10_hostile_files_are_refused_over_the_socket_and_nothing_is_left() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let honest = archive(&many(3), &[("aaaaaa/evil.jpg", &jpeg(8, 6))]);
    let patched = |from: &[u8], to: &[u8]| {
        let mut bytes = honest.clone();
        for at in 0..bytes.len() - from.len() {
            if bytes[at..].starts_with(from) {
                bytes[at..at + from.len()].copy_from_slice(to);
            }
        }
        bytes
    };
    let half = &honest[..honest.len() / 2];
    let zeros = vec![0; 65 * 1024 * 1024];
    for (what, bytes, refusal) in [
        ("no zip", b"hello".to_vec(), "unknown"),
        ("a zip of something else", zipped(&[("a.txt", b"a")]), "unknown"),
        ("half a zip", half.to_vec(), "unknown"),
        ("no list", zipped(&[("posts.json", b"{}")]), "broken"),
        ("half a list", zipped(&[("posts.json", b"[{\"id\":")]), "broken"),
        ("another encoding", zipped(&[("posts.json", b"[{\"text\":\"caf\xe9\"}]")]), "broken"),
        ("deep", zipped(&[("posts.json", &b"[".repeat(100_000))]), "broken"),
        ("a name that climbs", patched(b"aaaaaa/evil", b"../../evill"), "unsafe"),
        ("an absolute name", patched(b"aaaaaa/evil", b"/etc/passwd"), "unsafe"),
        ("a bomb", zipped(&[("posts.json", &zeros)]), "unsafe"),
    ] {
        assert_eq!(ana.is_refused_archive(&bytes).await, refusal, "{what}");
    }
    wait_until("nothing is left", || server.import_files() == 0).await;
    let outside = files_below(server.folder());
    assert!(!outside.iter().any(|path| path.contains("evil") || path.contains("passwd")), "{outside:?}");
    assert_eq!(server.count("select count(*) from posts"), 0);
    // The next file is read as ever.
    ana.imports(&honest).await;
}

#[tokio::test]
async fn d_w10_zips_that_are_not_what_they_seem_are_refused_over_the_socket_and_nothing_is_left() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let posts = deflated("posts.json", json!(many(3)).to_string());
    let picture = || stored("media/evil.jpg", [1_u8; 1_000]);
    let with = |file: Packed| zip(&[posts.clone(), file]);
    let picture_at = u32::try_from(30 + posts.name.len() + posts.packed.len()).unwrap();
    let again = Packed { name: "media/evil2.jpg".into(), head_at: Some(picture_at), ..picture() };
    let over_the_end = Packed { bytes: 1_100, packed_bytes: Some(1_100), ..picture() };
    let nowhere = Packed { bytes: u32::MAX, packed_bytes: Some(u32::MAX), ..picture() };
    let mut full = vec![posts.clone()];
    full.extend((0..50_000).map(|number| stored(&format!("evil{number}"), "")));
    for (what, bytes) in [
        ("a link", with(Packed { mode: 0o120_777, ..picture() })),
        ("an encrypted file", with(Packed { flags: 1, ..picture() })),
        ("two files in one place", zip(&[posts.clone(), picture(), again])),
        ("a file that ends in the directory", with(over_the_end)),
        ("a large zip of more entries than there are", large_zip(&[posts.clone(), picture()], 3)),
        ("a large zip of all entries", large_zip(&[posts.clone(), picture()], u64::MAX)),
        ("a large size that is nowhere", with(nowhere)),
        ("50,001 entries", zip(&full)),
    ] {
        assert_eq!(ana.is_refused_archive(&bytes).await, "unsafe", "{what}");
    }
    wait_until("nothing is left", || server.import_files() == 0).await;
    let left = files_below(server.folder());
    assert!(!left.iter().any(|path| path.contains("evil")), "{left:?}");
    assert_eq!(server.count("select count(*) from imports") + server.count("select count(*) from posts"), 0);
    // The next file is read as ever.
    ana.imports(&with(picture())).await;
}

#[tokio::test]
async fn d_w2_a_picture_that_is_none_is_left_out_alone() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let mut post = written(1, "two pictures", HERON);
    let picture = |file: &str| json!({ "file": file, "moving_file": null, "alt": "" });
    post["pictures"] = json!([picture("media/no.jpg"), picture("media/tree.jpg"), picture("media/gone.jpg")]);
    let tree = jpeg(8, 6);
    ana.imports(&archive(&[post], &[("media/no.jpg", b"no picture"), ("media/tree.jpg", &tree)])).await;
    let posts = ana.reads_all_posts_of(&ana).await;
    assert_eq!(posts[0]["pictures"].as_array().unwrap().len(), 1);
    assert_eq!(server.stored(), server.rows(), "each file has a row");
}

#[tokio::test]
async fn d_w2_pictures_for_which_there_is_no_space_are_left_out_and_counted_before() {
    let server = TestServer::with(&["media_mib_per_user=1"]).await;
    let ana = server.person("Ana").await;
    ana.posts_picture("today").await;
    server.look().execute("update files set size_bytes = 1024 * 1024", ()).unwrap();
    let mut without_words = written(9, "", "2019-07-01T10:00:00Z");
    without_words["pictures"] = json!([{ "file": "media/tree.jpg", "moving_file": null, "alt": "" }]);
    let mut with_words = without_words.clone();
    with_words["id"] = json!(10);
    with_words["text"] = json!("A heron.");
    with_words["pictures"][0]["file"] = json!("media/heron.jpg");
    let picture = jpeg(8, 6);
    let bytes =
        archive(&[without_words, with_words], &[("media/tree.jpg", &picture), ("media/heron.jpg", &picture)]);
    let import = ana.previews(&bytes).await;
    let preview = &import["preview"];
    assert_eq!((&preview["posts"], &preview["pictures"]), (&json!(1), &json!(0)));
    assert_eq!(preview["left_out"], json!([{ "reason": "empty", "count": 1 }]));
    assert_eq!(preview["pictures_left_out"], 1);
    let id = import["id"].as_i64().unwrap();
    ana.starts_import(id).await;
    assert_eq!(ana.sees_import_end(id).await["posts"], 1);
    let posts = ana.reads_all_posts_of(&ana).await;
    assert_eq!((text_of(&posts[1]), &posts[1]["pictures"]), ("A heron.", &json!([])));
}

#[tokio::test]
async fn d_w10_pictures_that_take_too_much_work_count_as_uploads_and_end_an_import() {
    let server = TestServer::with(&["uploads_per_day=1"]).await;
    let ana = server.person("Ana").await;
    let bomb = gif(1, 1, 1_001, |_, _, _| true);
    let names = ["media/one.gif", "media/two.gif"];
    let with_picture = |number: usize, day: i64| {
        let mut post = written(day, &format!("day {day}"), &format!("2019-05-0{day}T10:00:00Z"));
        post["pictures"] = json!([{ "file": names[number], "moving_file": null, "alt": "" }]);
        post
    };
    let posts = [with_picture(0, 1), with_picture(1, 2), written(3, "day 3", "2019-05-03T10:00:00Z")];
    let bytes = archive(&posts, &[(names[0], &bomb), (names[1], &bomb)]);
    let id = ana.previews(&bytes).await["id"].as_i64().unwrap();
    ana.starts_import(id).await;
    let ended = ana.sees_import_end(id).await;
    assert_eq!((&ended["result"], &ended["posts"]), (&json!("done"), &json!(1)));
    let posts = ana.reads_all_posts_of(&ana).await;
    assert_eq!((text_of(&posts[0]), &posts[0]["pictures"]), ("day 1", &json!([])));
    // The rest can be imported another day.
    assert_eq!(ana.previews(&bytes).await["preview"]["posts"], 2);
}

#[tokio::test]
async fn d_w7_posts_of_which_nothing_can_be_kept_are_dealt_with_once() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let names: Vec<String> = (0..60).map(|number| format!("media/{number}.jpg")).collect();
    let without_words = |(number, name): (i64, &String)| {
        let mut post = written(number, "", HERON);
        post["pictures"] = json!([{ "file": name, "moving_file": null, "alt": "" }]);
        post
    };
    let posts: Vec<Value> = (1..).zip(&names).map(without_words).collect();
    let pictures: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b"no picture"[..])).collect();
    let id = ana.previews(&archive(&posts, &pictures)).await["id"].as_i64().unwrap();
    ana.starts_import(id).await;
    // The next turn goes on behind them.
    let is_noted = || server.count("select count(*) from imports where position > 0 and done = 0") == 1;
    wait_until("some of them are dealt with", is_noted).await;
    let ended = ana.sees_import_end(id).await;
    assert_eq!((&ended["result"], &ended["posts"]), (&json!("done"), &json!(0)));
}

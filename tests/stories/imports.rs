//! Imports: what is brought here, what others notice of it, and how it ends.

pub mod access;
mod files;

use serde_json::{Value, json};

use crate::admins::promoted;
use crate::exports::{archive_of, list};
use crate::support::imports::{about, archive, begin, chunk, many, written, zipped};
use crate::support::person::{Person, noted, texts};
use crate::support::picture::{gif_that_moves, jpeg};
use crate::support::server::{MORNING_MS, TestServer};
use crate::support::uploads::{CHUNK, post_with_pictures, urls};
use crate::support::value::key;
use crate::support::wait_until;

const HERON: &str = "2019-05-01T10:00:00Z";
const HERON_MS: i64 = 1_556_704_800_000;

fn text_of(post: &Value) -> &str {
    post["text"].as_str().unwrap()
}

/// Returns two posts of 2019, the older one with a title, a tag, a note and a picture.
fn two_posts() -> Vec<u8> {
    let mut heron = written(7, "Mist, and one heron.", HERON);
    heron["title"] = json!("Morning");
    heron["tag"] = json!("Slow Mornings");
    heron["content_note"] = json!("Grief");
    heron["edited_at"] = json!("2019-05-01T11:00:00Z");
    heron["pictures"] =
        json!([{ "file": "media/posts/1/heron.jpg", "moving_file": null, "alt": "A heron." }]);
    let posts = [written(8, "Rain.", "2019-06-01T10:00:00Z"), heron];
    archive(&posts, &[("media/posts/1/heron.jpg", &jpeg(40, 30))])
}

#[tokio::test]
async fn d_w1_d_w4_a_preview_shows_what_is_there_and_only_then_it_is_imported() {
    let server = TestServer::with_manual_clock(&[]).await;
    let ana = server.person("Ana").await;
    let preview = ana.previews(&two_posts()).await;
    assert_eq!(
        preview["preview"],
        json!({
            "posts": 2, "pictures": 1, "from_ms": HERON_MS, "to_ms": HERON_MS + 31 * 24 * 3_600_000_i64,
            "left_out": [], "pictures_left_out": 0,
            "first": [
                { "text": "Mist, and one heron.", "at_ms": HERON_MS },
                { "text": "Rain.", "at_ms": HERON_MS + 31 * 24 * 3_600_000_i64 },
            ],
        })
    );
    assert_eq!(
        (&preview["source"], &preview["done"], &preview["total"]),
        (&json!("mellow"), &json!(0), &json!(2))
    );
    assert_eq!(server.count("select count(*) from posts"), 0);
    assert_eq!(ana.reads_imports().await["current"], preview, "a tab that is opened now shows the same");

    let id = preview["id"].as_i64().unwrap();
    ana.starts_import(id).await;
    let ended = ana.sees_import_end(id).await;
    assert_eq!(ended, json!({ "id": id, "result": "done", "posts": 2, "refusal": null }));
    let posts = ana.reads_all_posts_of(&ana).await;
    let [rain, heron] = &posts[..] else { panic!("{posts:?}") };
    assert_eq!((text_of(rain), &rain["imported"]), ("Rain.", &json!(true)));
    for (name, value) in [
        ("title", json!("Morning")),
        ("tag", json!("Slow Mornings")),
        ("content_note", json!("Grief")),
        ("created_at_ms", json!(HERON_MS)),
        ("updated_at_ms", json!(HERON_MS + 3_600_000)),
        ("audience", json!({ "type": "public" })),
    ] {
        assert_eq!(heron[name], value, "{name}");
    }
    let picture = &heron["pictures"][0];
    assert_eq!((&picture["alt"], &picture["width"]), (&json!("A heron."), &json!(40)));
    assert_eq!(ana.fetches(&urls(heron)[0]).await.status, 200);
    assert!(server.stored().iter().all(|path| !path.contains("heron")), "no name of the file is in a path");
    let listed = ana.reads_imports().await;
    assert_eq!(listed["current"], Value::Null);
    assert_eq!(listed["imports"], json!([{ "id": id, "source": "mellow", "posts": 2, "at_ms": MORNING_MS }]));
    wait_until("the file is gone", || server.import_files() == 0).await;
}

#[tokio::test]
async fn d_w5_others_receive_nothing_of_an_import_and_meet_its_posts_on_the_profile_alone() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    let typed = ana.posts_tagged("today", "Slow Mornings").await;
    let phone = ana.logs_in_on_phone().await;
    ben.reads_feed().await;
    ben.visits(&ana).await;
    ben.reads_posts_of(&ana).await;
    ben.is_up_to_date(&server).await;
    ana.imports(&two_posts()).await;
    ben.receives_nothing(&server).await;
    assert_eq!(
        phone.receives("imports.changed").await["current"]["phase"],
        "uploading",
        "her own devices do"
    );

    assert_eq!(texts(&ben.reads_posts_of(&ana).await), ["today", "Rain.", "Mist, and one heron."]);
    for who in [&ana, &ben] {
        assert_eq!(who.feed_texts().await, ["today"]);
        assert_eq!(who.tagged_texts("Slow Mornings").await, ["today"]);
    }
    let found = ana.asks("posts.search", json!({ "term": "heron" })).await;
    assert_eq!(texts(&found), ["Mist, and one heron."]);
    assert_eq!(ana.reads_notifications().await["notifications"].as_array().unwrap().len(), 1, "his follow");

    // Comments and vibes are as ever.
    let heron = found["posts"][0]["id"].as_i64().unwrap();
    assert!(heron > typed, "the id is of the import");
    ben.opens(heron).await;
    ben.comments(heron, "I was there.").await;
    assert_eq!(ana.receives("notifications.created").await["notification"]["post_id"], heron);

    // An edit keeps the date and the mark. It reaches those who show the post, and nobody's Your Space.
    let cleo = server.person("Cleo").await;
    cleo.follows(&ana).await;
    cleo.reads_feed().await;
    cleo.is_up_to_date(&server).await;
    ana.edits(heron, None, "Two herons.").await;
    assert_eq!(ben.receives("posts.updated").await["text"], "Two herons.");
    cleo.receives_nothing(&server).await;
    let post = ben.opens(heron).await;
    assert_eq!((&post["created_at_ms"], &post["imported"]), (&json!(HERON_MS), &json!(true)));
    assert_eq!(cleo.feed_texts().await, ["today"]);
    // So does its deletion.
    let rain = ben.reads_posts_of(&ana).await["posts"][1]["id"].as_i64().unwrap();
    ana.deletes(rain).await;
    assert_eq!(ben.receives("posts.deleted").await["post_id"], rain);
    cleo.receives_nothing(&server).await;
}

#[tokio::test]
async fn d_w5_posts_for_a_group_are_for_its_members_and_not_on_its_page() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let group = ana.makes_group_with("Tea", &[&ben]).await;
    ben.is_up_to_date(&server).await;
    let id = ana.previews(&two_posts()).await["id"].as_i64().unwrap();
    let audience = json!({ "type": "group", "group_id": group });
    ana.starts_import_for(id, audience).await;
    ana.sees_import_end(id).await;
    ben.receives_nothing(&server).await;
    assert_eq!(texts(&ben.reads_posts_of(&ana).await), ["Rain.", "Mist, and one heron."]);
    assert_eq!(texts(&cleo.reads_posts_of(&ana).await), [""; 0]);
    let of_group = ben.asks("posts.by_group", json!({ "group_id": group, "before": null })).await;
    assert_eq!(texts(&of_group), [""; 0]);
    assert_eq!(ben.feed_texts().await, [""; 0]);
    // Nobody imports for a group that they are not in.
    let id = cleo.previews(&two_posts()).await["id"].as_i64().unwrap();
    let fields = json!({ "key": key(), "import_id": id, "audience": { "type": "group", "group_id": group } });
    cleo.is_refused("not_found", "imports.start", fields).await;
    for audience in [json!({ "type": "author" }), json!({ "type": "group", "group_id": null })] {
        let fields = json!({ "key": key(), "import_id": id, "audience": audience });
        cleo.is_refused("bad_request", "imports.start", fields).await;
    }
}

/// Returns what readers see of a post, on whichever Mellow it is. An archive has dates to the second.
fn seen(post: &Value) -> Value {
    let second = |name: &str| post[name].as_i64().unwrap() / 1_000;
    let picture = |one: &Value| {
        json!({ "alt": one["alt"], "width": one["width"], "height": one["height"],
                "moves": one["motion_url"].is_string() })
    };
    let pictures: Vec<Value> = post["pictures"].as_array().unwrap().iter().map(picture).collect();
    json!({ "title": post["title"], "text": post["text"], "tag": post["tag"], "note": post["content_note"],
            "written": second("created_at_ms"), "edited": second("updated_at_ms"), "pictures": pictures })
}

#[tokio::test]
async fn d_w1_what_one_mellow_exports_another_one_imports() {
    let [here, there] = [TestServer::with_manual_clock(&[]).await, TestServer::with_manual_clock(&[]).await];
    there.later(24 * 3_600_000);
    let ana = here.person("Ana").await;
    let (sea, wave) =
        (ana.uploads("sea.jpg", &jpeg(40, 30)).await, ana.uploads("wave.gif", &gif_that_moves(20, 10)).await);
    let mut by_the_sea = post_with_pictures("by the sea", &[(&sea, "The sea, in the morning."), (&wave, "")]);
    by_the_sea["title"] = json!("Morning");
    by_the_sea["tag"] = json!("Slow Mornings");
    let edited = ana.publishes(noted(by_the_sea, "Salt")).await;
    here.later(60_000);
    ana.posts_tagged("with a tag", "Tea").await;
    here.later(60_000);
    ana.edits(edited, Some("Early morning"), "by the sea, still").await;
    let group = ana.makes_group("Close").await;
    ana.shares(group, "for few").await;
    let files = archive_of(&ana).await;
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, bytes)| (name.as_str(), &bytes[..])).collect();
    let moved = there.person("Ana").await;
    let preview = moved.previews(&zipped(&files)).await;
    assert_eq!(preview["preview"]["left_out"], json!([{ "reason": "not_public", "count": 1 }]));
    moved.starts_import(preview["id"].as_i64().unwrap()).await;
    moved.sees_import_end(preview["id"].as_i64().unwrap()).await;
    let (mut before, after) = (ana.reads_all_posts_of(&ana).await, moved.reads_all_posts_of(&moved).await);
    before.retain(|post| post["audience"]["type"] == "public");
    let [before, after] = [before, after].map(|posts| posts.iter().map(seen).collect::<Vec<_>>());
    assert_eq!(before, after);
    let [_, by_the_sea] = &after[..] else { panic!("two posts, not {after:?}") };
    assert_eq!((&by_the_sea["text"], &by_the_sea["note"]), (&json!("by the sea, still"), &json!("Salt")));
    assert_eq!(
        by_the_sea["pictures"],
        json!([{ "alt": "The sea, in the morning.", "width": 40, "height": 30, "moves": false },
               { "alt": "", "width": 20, "height": 10, "moves": true }])
    );

    // The archive of the second one says where its posts come from. At home they are known.
    let archive = list(&archive_of(&moved).await, "posts.json");
    for post in &archive {
        assert_eq!(post["imported_from"], "mellow");
        assert!(post["imported_at"].is_string());
    }
    let home = ana.previews(&zipped(&files)).await;
    assert_eq!(home["preview"]["posts"], 0);
    let left_out = json!([{ "reason": "not_public", "count": 1 }, { "reason": "already_here", "count": 2 }]);
    assert_eq!(home["preview"]["left_out"], left_out);
}

#[tokio::test]
async fn d_w9_a_second_import_adds_only_what_is_new() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let old = [written(1, "one", HERON), written(2, "two", HERON)];
    ana.imports(&archive(&old, &[])).await;
    let post = ana.reads_all_posts_of(&ana).await[0]["id"].as_i64().unwrap();
    ana.edits(post, None, "edited here").await;
    let changed = [&old[..], &[written(3, "three", HERON), written(2, "two, changed there", HERON)]].concat();
    let preview = ana.previews(&archive(&changed, &[])).await;
    assert_eq!((&preview["preview"]["posts"], &preview["total"]), (&json!(2), &json!(2)));
    assert_eq!(preview["preview"]["left_out"], json!([{ "reason": "already_here", "count": 2 }]));
    ana.starts_import(preview["id"].as_i64().unwrap()).await;
    ana.sees_import_end(preview["id"].as_i64().unwrap()).await;
    assert_eq!(server.count("select count(*) from posts"), 4);
}

#[tokio::test]
async fn d_w8_an_undo_takes_all_posts_with_what_is_under_them_at_once() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let hers = || server.count(&format!("select count(*) from posts where author_id = {}", ana.id));
    let typed = ana.posts("today").await;
    let id = ana.imports(&archive(&many(70), &[])).await;
    let kept = ana.imports(&two_posts()).await;
    let posts = ana.reads_all_posts_of(&ana).await;
    let old = |text: &str| posts.iter().find(|post| text_of(post) == text).unwrap()["id"].as_i64().unwrap();
    let (shown, edited) = (old("old 3"), old("old 69"));
    ben.comments(shown, "I remember.").await;
    ben.votes(edited, "positive").await;
    ben.saves(edited).await;
    ana.edits(edited, None, "edited since").await;
    cleo.opens(shown).await;
    for who in [&ana, &ben, &cleo] {
        who.is_up_to_date(&server).await;
    }
    let counts = ana.asks("imports.undo_counts", json!({ "import_id": id })).await;
    assert_eq!((&counts["posts"], &counts["comments"]), (&json!(70), &json!(1)));

    ana.asks("imports.undo", about(id)).await;
    // Nothing of it is there from the reply on, although rows are still being deleted.
    for who in [&ana, &ben] {
        let texts: Vec<String> =
            who.reads_all_posts_of(&ana).await.iter().map(|post| text_of(post).to_owned()).collect();
        assert_eq!(texts, ["today", "Rain.", "Mist, and one heron."]);
        for post_id in [shown, edited] {
            who.is_refused("not_found", "posts.get", json!({ "post_id": post_id })).await;
            who.is_refused("not_found", "comments.page", json!({ "post_id": post_id, "after": null })).await;
        }
    }
    assert_eq!(ben.saved_texts().await, [""; 0]);
    assert!(ana.reads_notifications().await["notifications"].as_array().unwrap().is_empty());
    let ended = ana.sees_import_end(id).await;
    assert_eq!(ended, json!({ "id": id, "result": "undone", "posts": 70, "refusal": null }));
    assert_eq!(cleo.receives("posts.deleted").await["post_id"], shown, "it is on her screen");
    wait_until("all rows are deleted", || hers() == 3).await;
    assert_eq!(server.count("select count(*) from comments"), 0);
    cleo.receives_nothing(&server).await;
    assert_eq!(ana.reads_imports().await["imports"].as_array().unwrap().len(), 1);
    assert_eq!(ana.opens(typed).await["text"], "today");
    ana.is_refused("not_found", "imports.undo", about(id)).await;

    // The same file can be imported again.
    ana.imports(&archive(&many(70), &[])).await;
    assert_eq!(hers(), 73);
    ana.asks("imports.undo", about(kept)).await;
    wait_until("its pictures are gone", || server.stored().is_empty()).await;
}

#[tokio::test]
async fn d_w7_an_import_that_is_canceled_leaves_nothing_in_any_phase() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let bytes = archive(&many(60), &[]);
    let cancels = async |id: i64| {
        let fields = about(id);
        let first = ana.asks("imports.cancel", fields.clone()).await;
        assert_eq!(ana.asks("imports.cancel", fields).await, first, "a repeat gets the first reply");
        assert_eq!(ana.sees_import_end(id).await["result"], "canceled");
        assert_eq!(ana.reads_imports().await["current"], Value::Null);
        wait_until("no file is left", || server.import_files() == 0).await;
        wait_until("no post is left", || server.count("select count(*) from posts") == 0).await;
        wait_until("its row is gone too", || server.count("select count(*) from imports") == 0).await;
    };
    let half = ana.asks("imports.begin", begin(bytes.len())).await["id"].as_i64().unwrap();
    ana.asks("imports.chunk", chunk(half, 0, &bytes[..100])).await;
    cancels(half).await;
    ana.is_refused("not_found", "imports.chunk", chunk(half, 100, &bytes[100..200])).await;
    cancels(ana.sends_archive(&bytes).await).await;
    cancels(ana.previews(&bytes).await["id"].as_i64().unwrap()).await;
    let id = ana.previews(&bytes).await["id"].as_i64().unwrap();
    ana.starts_import(id).await;
    wait_until("some posts are there", || server.count("select count(*) from posts") > 5).await;
    cancels(id).await;
}

#[tokio::test]
async fn d_w7_an_upload_continues_after_a_cut_and_a_restart_and_another_file_takes_its_place() {
    let mut server = TestServer::new().await;
    let mut ana = server.person("Ana").await;
    let bytes = vec![7; 3 * CHUNK + 5];
    let fields = begin(bytes.len());
    let begun = ana.asks("imports.begin", fields.clone()).await;
    let id = begun["id"].as_i64().unwrap();
    assert_eq!(begun, json!({ "id": id, "offset": 0, "chunk_bytes": CHUNK, "window": 4 }));
    ana.asks("imports.chunk", chunk(id, 0, &bytes[..CHUNK])).await;
    server.restarts().await;
    ana.reconnects().await;
    assert_eq!(ana.asks("imports.begin", fields.clone()).await["offset"], CHUNK);
    let listed = ana.reads_imports().await["current"].clone();
    assert_eq!((&listed["phase"], &listed["id"]), (&json!("uploading"), &json!(id)));
    assert_eq!(listed["progress"], 100 * CHUNK / bytes.len());
    ana.is_refused("bad_request", "imports.read", about(id)).await;
    for (offset, held) in [(0, CHUNK), (CHUNK + 1, CHUNK), (CHUNK, CHUNK + 1)] {
        let ok = ana.asks("imports.chunk", chunk(id, offset, &bytes[offset..=offset])).await;
        assert_eq!(ok["offset"], held);
    }
    let mut other = fields.clone();
    other["size_bytes"] = json!(9);
    ana.is_refused("key_conflict", "imports.begin", other).await;
    let end = bytes.len();
    ana.is_refused("bad_request", "imports.chunk", chunk(id, end, &[0])).await;

    let other = ana.asks("imports.begin", begin(9)).await["id"].as_i64().unwrap();
    assert_ne!(other, id);
    assert_eq!(server.import_files(), 0, "its room is free at once");
    ana.is_refused("not_found", "imports.chunk", chunk(id, CHUNK + 1, &[0])).await;
    ana.asks("imports.cancel", about(other)).await;
    wait_until("no file is left", || server.import_files() == 0).await;
}

#[tokio::test]
async fn d_w7_an_import_goes_on_after_a_restart_and_each_post_is_there_once() {
    let mut server = TestServer::new().await;
    let mut ana = server.person("Ana").await;
    let id = ana.previews(&archive(&many(120), &[])).await["id"].as_i64().unwrap();
    ana.starts_import(id).await;
    for least in [5, 40] {
        wait_until("some posts are there", || server.count("select count(*) from posts") > least).await;
        server.restarts().await;
    }
    ana.reconnects().await;
    let is_over = || server.count("select count(*) from imports where phase = 'done'") == 1;
    wait_until("the import is over", is_over).await;
    let mut texts: Vec<String> =
        ana.reads_all_posts_of(&ana).await.iter().map(|post| text_of(post).to_owned()).collect();
    texts.reverse();
    assert_eq!(texts, (0..120).map(|number| format!("old {number}")).collect::<Vec<_>>());
    assert_eq!(ana.reads_imports().await["imports"][0]["posts"], 120);
}

#[tokio::test]
async fn d_w7_an_import_whose_file_cannot_be_read_waits_and_that_of_another_user_goes_on() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let id = ana.previews(&two_posts()).await["id"].as_i64().unwrap();
    let (file, kept) = (server.media().join(format!(".imports/{id}")), server.folder().join("kept"));
    std::fs::rename(&file, &kept).unwrap();
    // Nobody can read a link that leads to itself.
    std::os::unix::fs::symlink(&file, &file).unwrap();
    ana.starts_import(id).await;
    let is_paused = |event: &Value| event["current"]["paused"] == true;
    ana.socket.receives_where("imports.changed", is_paused).await;

    let his = ben.previews(&archive(&many(60), &[])).await["id"].as_i64().unwrap();
    ben.starts_import(his).await;
    wait_until("his is written", || server.count("select count(*) from posts") > 5).await;
    assert_eq!(ben.reads_imports().await["current"]["paused"], false);
    assert_eq!(ben.sees_import_end(his).await["posts"], 60);
    assert_eq!(ana.reads_imports().await["current"]["paused"], true);

    std::fs::remove_file(&file).unwrap();
    std::fs::rename(&kept, &file).unwrap();
    assert_eq!(ana.sees_import_end(id).await["posts"], 2);
}

#[tokio::test]
async fn d_w7_a_file_is_deleted_a_day_after_it_came() {
    let server = TestServer::with_manual_clock(&[]).await;
    let ana = server.person("Ana").await;
    let id = ana.previews(&two_posts()).await["id"].as_i64().unwrap();
    server.later(24 * 3_600_000 + 1);
    server.app().uploads.wake.notify_one();
    assert_eq!(ana.sees_import_end(id).await["result"], "canceled");
    wait_until("the file is gone", || server.import_files() == 0).await;
    assert_eq!(server.count("select count(*) from imports"), 0);
}

#[tokio::test]
async fn d_w11_a_suspension_pauses_an_import_and_a_deletion_ends_it() {
    let server = TestServer::new().await;
    let [ada, ana] = server.people(["Ada", "Ana"]).await;
    promoted(&server, &ada).await;
    let suspend = |suspended: bool| json!({ "key": key(), "user_id": ana.id, "suspended": suspended });
    let id = ana.previews(&archive(&many(300), &[])).await["id"].as_i64().unwrap();
    ana.starts_import(id).await;
    let posts = || server.count("select count(*) from posts");
    wait_until("some posts are there", || posts() > 5).await;
    ada.asks("admin.suspend", suspend(true)).await;
    let paused = posts();
    // Whatever was in hand is refused from the commit of the suspension on.
    ada.is_up_to_date(&server).await;
    assert_eq!(server.count("select count(*) from posts where import_id is not null"), paused);
    ada.asks("admin.suspend", suspend(false)).await;
    wait_until("it goes on", || posts() > paused + 5).await;

    let ana = Person::logs_in(server.at, &ana.email).await;
    ana.deletes_account().await;
    wait_until("nothing is left", || {
        server.import_files() == 0
            && server.count("select count(*) from posts where import_id is not null") == 0
    })
    .await;
    assert_eq!(server.count("select count(*) from imports"), 0);
}

#[tokio::test]
async fn d_w11_an_imported_post_is_reported_and_removed_like_any() {
    let server = TestServer::new().await;
    let [ada, ana, ben] = server.people(["Ada", "Ana", "Ben"]).await;
    promoted(&server, &ada).await;
    ana.imports(&two_posts()).await;
    let heron = ben.reads_posts_of(&ana).await["posts"][1]["id"].as_i64().unwrap();
    let about = json!({ "type": "post", "post_id": heron });
    let report = json!({ "key": key(), "about": about, "reason": "spam", "details": "" });
    ben.asks("reports.create", report).await;
    let report = ada.asks("admin.reports", json!({})).await["reports"][0].clone();
    assert!(report["words"].as_str().unwrap().contains("Mist, and one heron."), "{report}");
    assert_eq!(
        (&report["content_note"], &report["view"]),
        (&json!("Grief"), &json!(format!("/post/{heron}")))
    );
    ada.asks("admin.remove_content", json!({ "key": key(), "report_id": report["id"] })).await;
    ben.is_refused("not_found", "posts.get", json!({ "post_id": heron })).await;
    assert_eq!(texts(&ana.reads_posts_of(&ana).await), ["Rain."]);
}

#[tokio::test]
async fn d_w11_a_block_hides_imported_posts_and_what_is_under_them() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ana.imports(&two_posts()).await;
    let heron = ben.reads_posts_of(&ana).await["posts"][1]["id"].as_i64().unwrap();
    ben.opens(heron).await;
    ben.comments(heron, "I was there.").await;
    ben.saves(heron).await;
    let about_ben = json!({ "key": key(), "user_id": ben.id });
    ana.asks("people.block", about_ben.clone()).await;
    ben.is_refused("not_found", "posts.get", json!({ "post_id": heron })).await;
    ben.is_refused("not_found", "comments.page", json!({ "post_id": heron, "after": null })).await;
    assert_eq!(ben.saved_texts().await, [""; 0]);
    assert_eq!(ana.opens(heron).await["comments_count"], 0);
    let mut unblock = about_ben;
    unblock["key"] = key();
    ana.asks("people.unblock", unblock).await;
    assert_eq!(ben.opens(heron).await["text"], "Mist, and one heron.");
    assert_eq!(ben.saved_texts().await, [""; 0], "for good");
}

#[tokio::test]
async fn an_import_that_is_too_big_or_one_too_many_is_refused() {
    let server = TestServer::with(&["import_max_mb=1", "imports_per_day=2"]).await;
    let ana = server.person("Ana").await;
    let no = ana.is_refused("import_too_big", "imports.begin", begin(1024 * 1024 + 1)).await;
    assert_eq!(no.message, "This file is too big. At most 1 MB.");
    ana.is_refused("bad_request", "imports.begin", begin(0)).await;
    // A file that is refused does not count, nor one that she only looks at.
    assert_eq!(ana.is_refused_archive(b"no archive").await, "unknown");
    let id = ana.previews(&two_posts()).await["id"].as_i64().unwrap();
    ana.is_refused("import_busy", "imports.begin", begin(9)).await;
    ana.asks("imports.cancel", about(id)).await;
    for _ in 0..3 {
        let id = ana.previews(&two_posts()).await["id"].as_i64().unwrap();
        ana.asks("imports.cancel", about(id)).await;
    }
    ana.imports(&archive(&[written(1, "one", HERON)], &[])).await;
    ana.imports(&archive(&[written(2, "two", HERON)], &[])).await;
    let no = ana.is_refused("slow_down", "imports.begin", begin(9)).await;
    assert!(no.retry_ms > Some(3_600_000));
}

#[tokio::test]
async fn d_w8_a_host_who_has_imports_off_takes_no_new_ones_and_an_undo_works_all_the_same() {
    let mut server = TestServer::new().await;
    let mut ana = server.person("Ana").await;
    let past = ana.imports(&two_posts()).await;
    let current = ana.previews(&archive(&many(3), &[])).await["id"].as_i64().unwrap();
    server.restarts_with(&["import_max_mb=0"]).await;
    ana.reconnects().await;
    let mut start = about(current);
    start["audience"] = json!({ "type": "public" });
    for (op, fields) in [
        ("imports.begin", begin(9)),
        ("imports.chunk", chunk(current, 0, &[0])),
        ("imports.read", about(current)),
        ("imports.start", start),
    ] {
        ana.is_refused("imports_off", op, fields).await;
    }
    let listed = ana.reads_imports().await;
    assert_eq!((&listed["current"]["id"], &listed["imports"][0]["id"]), (&json!(current), &json!(past)));
    ana.asks("imports.cancel", about(current)).await;
    assert_eq!(ana.asks("imports.undo_counts", json!({ "import_id": past })).await["posts"], 2);
    ana.asks("imports.undo", about(past)).await;
    assert_eq!(ana.reads_all_posts_of(&ana).await, [Value::Null; 0]);
    wait_until("nothing is left", || {
        server.import_files() == 0 && server.count("select count(*) from posts") == 0
    })
    .await;
}

//! S9: limits on uploads. A refused request does not count and affects nobody.

use serde_json::json;

use crate::admins::promoted;
use crate::support::person::{Person, post};
use crate::support::picture::{jpeg, png};
use crate::support::server::TestServer;
use crate::support::socket::{Refused, Socket};
use crate::support::uploads::{CHUNK, begin, chunk, chunk_at};
use crate::support::value::key;
use crate::support::wait_until;

const MIB: usize = 1024 * 1024;
const MINUTE_MS: i64 = 60_000;
const DAY_MS: i64 = 24 * 60 * MINUTE_MS;

/// Begins an upload of this size, which is refused.
async fn may_not_begin(ana: &Person, size_bytes: usize, code: &str) -> Refused {
    ana.is_refused(code, "uploads.begin", begin(&key(), "x.jpg", size_bytes)).await
}

/// Begins an upload and cancels it.
async fn may_begin(ana: &Person, size_bytes: usize) {
    let upload = key();
    ana.asks("uploads.begin", begin(&upload, "x.jpg", size_bytes)).await;
    ana.cancels(&upload).await;
}

#[tokio::test]
async fn an_upload_of_ten_mebibytes_is_accepted_and_one_byte_more_is_refused() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let no = may_not_begin(&ana, 10 * MIB + 1, "picture_too_large").await;
    assert_eq!(no.message, "Image x.jpg is too large. Maximum size is 10MB");
    assert_eq!((no.field.as_deref(), no.retry_ms), (Some("pictures"), None));
    may_not_begin(&ana, usize::try_from(u32::MAX).unwrap(), "picture_too_large").await;
    may_begin(&ana, 10 * MIB).await;
    wait_until("nothing is left", || server.incoming() == 0).await;
}

#[tokio::test]
async fn an_upload_cannot_exceed_its_declared_size() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let upload = key();
    ana.asks("uploads.begin", begin(&upload, "x.jpg", 1_000)).await;
    ana.asks("uploads.chunk", chunk(&upload, 0, &[0; 1_000])).await;
    ana.is_refused("bad_request", "uploads.chunk", chunk(&upload, 1_000, &[0])).await;
    let kept = server.media().join(".incoming");
    let file = std::fs::read_dir(kept).unwrap().next().unwrap().unwrap();
    assert_eq!(file.metadata().unwrap().len(), 1_000);
}

#[tokio::test]
async fn a_post_has_at_most_four_pictures() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    for index in [4, 255] {
        let mut fields = begin(&key(), "x.jpg", 1_000);
        fields["index"] = json!(index);
        let no = ana.is_refused("invalid", "uploads.begin", fields).await;
        assert_eq!(no.message, "You can only upload up to 4 images per post");
        assert_eq!(no.field.as_deref(), Some("pictures"));
    }
    for index in [json!(256), json!(-1), json!(0.5), json!("1")] {
        let mut fields = begin(&key(), "x.jpg", 1_000);
        fields["index"] = index;
        ana.is_refused("bad_request", "uploads.begin", fields).await;
    }
}

#[tokio::test]
async fn one_user_has_four_uploads_open_at_a_time() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let phone = ana.logs_in_on_phone().await;
    let mut open = vec![ana.uploads("good.jpg", &jpeg(40, 30)).await];
    for _ in 0..3 {
        let upload = key();
        ana.asks("uploads.begin", begin(&upload, "x.jpg", 1_000)).await;
        open.push(upload);
    }
    for who in [&ana, &phone] {
        let no = may_not_begin(who, 1_000, "invalid").await;
        assert_eq!(no.message, "Four pictures at a time, please.");
        assert_eq!(no.field.as_deref(), Some("pictures"));
    }
    wait_until("a refused upload is unknown", || server.incoming() == 3).await;
    ben.asks("uploads.begin", begin(&key(), "x.jpg", 1_000)).await;
    ana.asks("uploads.begin", begin(&open[3], "x.jpg", 1_000)).await;

    // A place is free when an upload is cancelled, is used in a post, or is no picture.
    ana.cancels(&open[3]).await;
    may_begin(&ana, 1_000).await;
    ana.asks("uploads.begin", begin(&open[3], "x.jpg", 10)).await;
    may_not_begin(&ana, 1_000, "invalid").await;
    ana.asks("uploads.chunk", chunk(&open[3], 0, b"no picture")).await;
    ana.is_refused("not_a_picture", "uploads.commit", json!({ "upload": open[3] })).await;
    may_begin(&ana, 1_000).await;
    ana.asks("uploads.begin", begin(&key(), "x.jpg", 1_000)).await;
    may_not_begin(&ana, 1_000, "invalid").await;
    ana.posts_with_pictures("look", &[(&open[0], "")]).await;
    may_begin(&ana, 1_000).await;
}

#[tokio::test]
async fn a_fifth_upload_replaces_the_one_that_was_idle_longest() {
    let server = TestServer::with_manual_clock(&[]).await;
    let ana = server.person("Ana").await;
    let mut open = Vec::new();
    for _ in 0..4 {
        let upload = key();
        ana.asks("uploads.begin", begin(&upload, "x.jpg", 1_000)).await;
        open.push(upload);
        server.later(1_000);
    }
    server.later(MINUTE_MS - 4_000);
    may_not_begin(&ana, 1_000, "invalid").await;
    // The first upload continues, so the second one was idle longest.
    ana.asks("uploads.chunk", chunk(&open[0], 0, &[0; 10])).await;
    server.later(1_001);
    ana.asks("uploads.begin", begin(&key(), "x.jpg", 1_000)).await;
    ana.is_refused("upload_gone", "uploads.chunk", chunk(&open[1], 0, &[0; 10])).await;
    for upload in [&open[0], &open[2], &open[3]] {
        ana.asks("uploads.chunk", chunk(upload, 0, &[0; 10])).await;
    }
    wait_until("what was left is gone", || server.incoming() == 4).await;
    may_not_begin(&ana, 1_000, "invalid").await;
}

#[tokio::test]
async fn a_hundred_and_twenty_eight_uploads_are_open_in_all() {
    // By the machine's clock the first ones would be idle long enough to give way, if the machine is slow.
    let server = TestServer::with_manual_clock(&[]).await;
    let mut last = Vec::new();
    for number in 0..32 {
        let who = server.person(&format!("P{number}")).await;
        for _ in 0..4 {
            last.push(key());
            who.asks("uploads.begin", begin(&last[last.len() - 1], "x.jpg", 1_000)).await;
        }
        if number == 31 {
            let ana = server.person("Ana").await;
            let no = may_not_begin(&ana, 1_000, "busy").await;
            assert!(no.retry_ms.is_some());
            wait_until("a refused upload is unknown", || server.incoming() == 128).await;
            who.cancels(&last[last.len() - 1]).await;
            may_begin(&ana, 1_000).await;
        }
    }
}

#[tokio::test]
async fn s9_an_idle_upload_is_replaced_as_soon_as_another_user_needs_its_place() {
    let server = TestServer::with_manual_clock(&[]).await;
    let mut people = Vec::new();
    for number in 0..32 {
        let who = server.person(&format!("P{number}")).await;
        let uploads = [(); 4].map(|()| key());
        for upload in &uploads {
            who.asks("uploads.begin", begin(upload, "x.jpg", 1_000)).await;
        }
        people.push((who, uploads));
    }
    let ana = server.person("Ana").await;
    may_not_begin(&ana, 1_000, "busy").await;
    server.later(10_001);
    // All uploads continue, except the first three of the first user.
    for (who, uploads) in &people {
        let idle = if who.id == people[0].0.id { 3 } else { 0 };
        for upload in &uploads[idle..] {
            who.asks("uploads.chunk", chunk(upload, 0, &[0; 10])).await;
        }
    }
    for _ in 0..3 {
        ana.asks("uploads.begin", begin(&key(), "x.jpg", 1_000)).await;
    }
    may_not_begin(&ana, 1_000, "busy").await;
    let (who, uploads) = &people[0];
    who.is_refused("upload_gone", "uploads.chunk", chunk(&uploads[0], 0, &[0; 10])).await;
    who.asks("uploads.chunk", chunk(&uploads[3], 10, &[0; 10])).await;
}

#[tokio::test]
async fn s9_one_address_holds_a_share_of_the_open_uploads() {
    let server = TestServer::with(&["uploads_per_address=5"]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    for who in [&ana, &ana, &ana, &ana, &ben] {
        who.asks("uploads.begin", begin(&key(), "x.jpg", 1_000)).await;
    }
    may_not_begin(&ben, 1_000, "busy").await;
    let elsewhere = [("X-Forwarded-For", "203.0.113.7")];
    let far = Socket::open_with(server.at, Some(&ben.cookie), &elsewhere).await;
    far.asks("uploads.begin", begin(&key(), "x.jpg", 1_000)).await.unwrap();
}

#[tokio::test]
async fn s9_an_upload_that_is_refused_for_its_address_replaces_no_other() {
    let server = TestServer::with_manual_clock(&["uploads_per_address=5"]).await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    for who in [&ana, &ana, &ana, &ana, &cleo] {
        who.asks("uploads.begin", begin(&key(), "x.jpg", 1_000)).await;
    }
    let elsewhere = [("X-Forwarded-For", "203.0.113.7")];
    let far = Socket::open_with(server.at, Some(&ben.cookie), &elsewhere).await;
    let open = [(); 4].map(|()| key());
    for upload in &open {
        far.asks("uploads.begin", begin(upload, "x.jpg", 1_000)).await.unwrap();
    }
    // Ben's uploads have been idle for so long that one more would replace one of them.
    server.later(60_001);
    may_not_begin(&ben, 1_000, "busy").await;
    for upload in &open {
        far.asks("uploads.chunk", chunk(upload, 0, &[0; 10])).await.unwrap();
    }
}

#[tokio::test]
async fn a_refused_file_does_not_count_as_an_open_upload() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let mut last = key();
    for _ in 0..130 {
        last = key();
        ana.sends_picture(&last, "x.jpg", b"no picture").await;
        ana.is_refused("not_a_picture", "uploads.commit", json!({ "upload": last })).await;
    }
    may_begin(&ben, 1_000).await;
    // A repeated request gets the same reply.
    ana.is_refused("not_a_picture", "uploads.commit", json!({ "upload": last })).await;
}

#[tokio::test]
async fn ana_sends_two_pictures_a_day_if_the_host_sets_this_limit() {
    let server = TestServer::with_manual_clock(&["uploads_per_day=2"]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    // An upload that is refused does not count.
    for _ in 0..5 {
        may_not_begin(&ana, 10 * MIB + 1, "picture_too_large").await;
        may_not_begin(&ana, 0, "not_a_picture").await;
    }
    let upload = key();
    for _ in 0..5 {
        // Continuing an upload does not count again.
        ana.asks("uploads.begin", begin(&upload, "x.jpg", 1_000)).await;
    }
    may_begin(&ana, 1_000).await;
    let no = may_not_begin(&ana, 1_000, "slow_down").await;
    assert_eq!(no.retry_ms, Some(12 * 60 * 60_000));
    ana.asks("uploads.begin", begin(&upload, "x.jpg", 1_000)).await;
    may_begin(&ben, 1_000).await;
    server.later(DAY_MS / 2);
    may_begin(&ana, 1_000).await;
    may_not_begin(&ana, 1_000, "slow_down").await;
}

#[tokio::test]
async fn an_upload_refused_at_the_limit_does_not_count_for_the_day() {
    let server = TestServer::with_manual_clock(&["uploads_per_day=5", "upload_mib_per_day=1"]).await;
    let ana = server.person("Ana").await;
    let mut open = Vec::new();
    for _ in 0..4 {
        open.push(key());
        ana.asks("uploads.begin", begin(&open[open.len() - 1], "x.jpg", 1_000)).await;
    }
    for _ in 0..5 {
        may_not_begin(&ana, MIB / 2, "invalid").await;
    }
    ana.cancels(&open[0]).await;
    may_begin(&ana, MIB / 2).await;
    may_not_begin(&ana, 1_000, "slow_down").await;
}

#[tokio::test]
async fn ana_sends_one_mebibyte_a_day_if_the_host_sets_this_limit() {
    let server = TestServer::with_manual_clock(&["upload_mib_per_day=1"]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    may_begin(&ana, MIB * 3 / 4).await;
    let no = may_not_begin(&ana, MIB / 2, "slow_down").await;
    assert!(no.retry_ms.is_some_and(|ms| (1..86_400_000).contains(&ms)), "{no:?}");
    may_begin(&ana, MIB / 4).await;
    may_not_begin(&ana, 1, "slow_down").await;
    may_begin(&ben, MIB).await;
    server.later(DAY_MS);
    may_begin(&ana, MIB).await;
}

#[tokio::test]
async fn the_pictures_of_one_user_have_a_space_limit() {
    let server = TestServer::with(&["media_mib_per_user=1"]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let no = may_not_begin(&ana, MIB + 1, "invalid").await;
    assert_eq!(no.message, "Your pictures take up all the room that one person has here.");
    assert_eq!(no.field.as_deref(), Some("pictures"));
    may_begin(&ana, MIB).await;
    let post = ana.posts_picture("tree").await;
    may_not_begin(&ana, MIB, "invalid").await;
    let kept = usize::try_from(server.count("select sum(size_bytes) from files")).unwrap();
    may_not_begin(&ana, MIB - kept + 1, "invalid").await;
    may_begin(&ana, MIB - kept).await;
    may_begin(&ben, MIB).await;
    ana.deletes(post["id"].as_i64().unwrap()).await;
    may_begin(&ana, MIB).await;
}

#[tokio::test]
async fn r4_pictures_leave_some_of_the_disk_free() {
    let server = TestServer::with(&["disk_free_mib_min=1000000000"]).await;
    let ana = server.person("Ana").await;
    let no = may_not_begin(&ana, 1_000, "storage_full").await;
    assert!(no.retry_ms.is_some(), "there may be room again");
    assert_eq!(no.message, "Mellow has no room left. Nothing was saved; your words are kept.");
    wait_until("nothing is left", || server.incoming() == 0).await;
    ana.posts("words are small").await;
}

#[tokio::test]
async fn other_requests_are_answered_during_an_upload() {
    let server = TestServer::with_manual_clock(&["chunks_per_second=1", "requests_per_second=2"]).await;
    let ana = server.person("Ana").await;
    let (upload, picture) = (key(), png(300, 300));
    ana.asks("uploads.begin", begin(&upload, "tree.png", picture.len())).await;
    for at in 0..4 {
        ana.asks("uploads.chunk", chunk_at(&upload, &picture, at * CHUNK)).await;
    }
    let last = chunk_at(&upload, &picture, 4 * CHUNK);
    let no = ana.is_refused("slow_down", "uploads.chunk", last.clone()).await;
    assert_eq!(no.retry_ms, Some(1_000));
    // She has reached the limit of chunks, but not the limit of requests.
    let post_id = ana.posts("hello").await;
    for _ in 0..3 {
        ana.votes(post_id, "positive").await;
    }
    while ana.tries("posts.feed", json!({})).await.is_ok() {}
    // Now she has also reached the limit of requests. A second later only chunks are allowed again.
    let no = ana.is_refused("slow_down", "votes.set", json!({})).await;
    server.later(i64::try_from(no.retry_ms.unwrap()).unwrap());
    ana.votes(post_id, "none").await;
    ana.is_refused("slow_down", "uploads.commit", json!({ "upload": upload })).await;
    server.later(1_000);
    ana.asks("uploads.chunk", last).await;
    ana.commits(&upload).await;
}

#[tokio::test]
async fn r4_below_the_floor_of_free_disk_space_nothing_is_written_but_all_can_be_read_and_deleted() {
    let mut server = TestServer::new().await;
    let mut ana = server.person("Ana").await;
    let mut ben = server.person("Ben").await;
    let picture = ana.posts_picture("look").await;
    let thread = ben.posts("tea?").await;
    let comment = ana.comments(thread, "yes").await;
    let poll = ana.asks_poll("Tea?", &["yes", "no"]).await;
    let group = ana.makes_group("Tea").await;
    let first = post("there was room");
    let ok = ana.asks("posts.create", first.clone()).await;
    server.restarts_with(&["database_free_mib_min=1000000000"]).await;
    ana.reconnects().await;
    ben.reconnects().await;
    let seq = ana.asks("live.probe", json!({})).await["seq"].clone();
    let second = post("there is none");
    let no = ana.is_refused("storage_full", "posts.create", second.clone()).await;
    assert!(no.retry_ms.is_some() && no.message.contains("no room left"), "{no:?}");
    assert_eq!(ana.feed_texts().await, ["there was room", "look"]);
    assert_eq!(ana.asks("posts.create", first).await, ok, "what was done before is answered");
    assert_eq!(ana.asks("live.probe", json!({})).await["seq"], seq, "nothing was written");
    let delete = json!({ "key": key(), "post_id": picture["id"] });
    let ok = ana.asks("posts.delete", delete.clone()).await;
    assert_eq!(ana.asks("posts.delete", delete).await, ok, "sent again");
    ana.deletes_comment(comment).await;
    ana.asks("polls.delete", json!({ "key": key(), "poll_id": poll })).await;
    ana.ends_group(group).await;
    ana.is_refused(
        "storage_full",
        "comments.create",
        json!({ "key": key(), "post_id": thread, "text": "no", "audience": { "type": "public" } }),
    )
    .await;
    ben.deletes_account().await;
    assert_eq!(server.count("select count(*) from files"), 0);
    server.restarts().await;
    server.restarts_with(&[]).await;
    ana.reconnects().await;
    ana.asks("posts.create", second).await;
}

#[tokio::test]
async fn r4_below_the_floor_of_free_disk_space_logins_can_be_ended_and_users_suspended() {
    let mut server = TestServer::new().await;
    let [mut ana, mut ben, mut cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let (mut phone, mut tablet) = (ana.logs_in_on_phone().await, ana.logs_in_on_phone().await);
    promoted(&server, &ana).await;
    server.restarts_with(&["database_free_mib_min=1000000000"]).await;
    for page in [&mut ana, &mut phone, &mut tablet, &mut ben, &mut cleo] {
        page.reconnects().await;
    }
    phone.asks("auth.log_out", json!({})).await;
    ana.asks("auth.log_out_others", json!({ "key": key() })).await;
    assert_eq!(tablet.socket.close_code().await, 4002);
    ana.asks("admin.end_logins", json!({ "key": key(), "user_id": ben.id })).await;
    assert_eq!(ben.socket.close_code().await, 4002);
    let suspend = |suspended: bool| json!({ "key": key(), "user_id": cleo.id, "suspended": suspended });
    ana.asks("admin.suspend", suspend(true)).await;
    assert_eq!(cleo.socket.close_code().await, 4002);
    ana.is_refused("storage_full", "admin.suspend", suspend(false)).await;
    server.restarts_with(&[]).await;
    ana.reconnects().await;
    ana.asks("admin.suspend", suspend(false)).await;
}

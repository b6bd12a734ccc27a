//! Content notes: what an author says before a post is shown. The server sends the note with the post, and quotes
//! nothing of such a post in notifications.

use serde_json::{Value, json};

use crate::admins::promoted;
use crate::notifications::{items, was_sent};
use crate::support::groups::post_for;
use crate::support::person::{Person, edit, noted, post, post_with};
use crate::support::server::{MORNING_MS, TestServer};
use crate::support::value::key;

/// Returns what the newest notification of a user quotes: the note, the post and the comment.
async fn quoted(who: &Person) -> [Value; 3] {
    let newest = items(&who.reads_notifications().await).remove(0);
    ["content_note", "post_text", "comment_text"].map(|name| newest[name].clone())
}

#[tokio::test]
async fn d_u7_a_note_is_part_of_the_post_for_everybody_who_may_see_it() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    let fields = noted(post_with(Some("My aunt"), "She died.", Some("Tea")), "  Grief,\n a  funeral ");
    let made = ana.asks("posts.create", fields).await["post"].clone();
    assert_eq!((&made["content_note"], &made["text"]), (&json!("Grief, a funeral"), &json!("She died.")));
    assert_eq!(ben.receives("posts.created").await["post"]["content_note"], "Grief, a funeral");
    let post_id = made["id"].as_i64().unwrap();
    assert_eq!(ben.opens(post_id).await["content_note"], "Grief, a funeral");
    // It is listed as any other post.
    assert_eq!(ben.feed_texts().await, ["She died."]);
    assert_eq!(ben.tagged_texts("Tea").await, ["She died."]);
    assert_eq!(ben.reads_posts_of(&ana).await["posts"][0]["content_note"], "Grief, a funeral");
    for blank in ["", " \n", "\u{200B}"] {
        let plain = ana.asks("posts.create", noted(post("plain"), blank)).await;
        assert_eq!(plain["post"]["content_note"], Value::Null);
    }
    ana.asks("posts.create", noted(post("long"), &"🌿".repeat(60))).await;
}

#[tokio::test]
async fn d_u8_a_changed_note_is_an_edit_and_an_edit_by_an_older_client_uncovers_nothing() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    let post_id = ana.posts("She died.").await;
    ben.is_up_to_date(&server).await;
    server.later(60_000);
    let with = |note: &str| noted(edit(post_id, None, "She died."), note);

    let ok = ana.asks("posts.update", with(" Grief ")).await;
    assert_eq!((&ok["content_note"], &ok["updated_at_ms"]), (&json!("Grief"), &json!(MORNING_MS + 60_000)));
    let event = ben.receives_only(&server, &["posts.updated"]).await.remove(0);
    assert_eq!((&event["content_note"], &event["text"]), (&json!("Grief"), &json!("She died.")));

    // The same note again changes nothing.
    ana.asks("posts.update", with("Grief")).await;
    ben.receives_nothing(&server).await;

    // An older client sends no note.
    let ok = ana.edits(post_id, None, "She died in May.").await;
    assert_eq!(ok["content_note"], "Grief");
    let event = ben.receives_only(&server, &["posts.updated"]).await.remove(0);
    assert_eq!((&event["content_note"], &event["text"]), (&json!("Grief"), &json!("She died in May.")));

    let ok = ana.asks("posts.update", noted(edit(post_id, None, "She died in May."), " ")).await;
    assert_eq!(ok["content_note"], Value::Null);
    assert_eq!(ben.receives_only(&server, &["posts.updated"]).await[0]["content_note"], Value::Null);
    assert_eq!(ben.opens(post_id).await["content_note"], Value::Null);
}

#[tokio::test]
async fn d_u8_notifications_about_a_post_with_a_note_quote_only_the_note() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let post_id = ana.publishes(noted(post("She died."), "Grief")).await;
    ben.comments(post_id, &format!("So sorry. {}", cleo.mention())).await;
    for (who, kind) in [(&ana, "comment"), (&cleo, "reply")] {
        let delivered = who.receives("notifications.created").await["notification"].clone();
        assert_eq!((&delivered["kind"], &delivered["content_note"]), (&json!(kind), &json!("Grief")));
        assert_eq!(items(&who.reads_notifications().await), [delivered], "the list says what was delivered");
        assert_eq!(quoted(who).await, [json!("Grief"), Value::Null, Value::Null]);
    }
    assert!(!was_sent(&cleo, "She died") && !was_sent(&cleo, "So sorry"), "she has opened no post");

    // The list quotes what is there when it is read.
    ana.asks("posts.update", noted(edit(post_id, None, "She died."), "")).await;
    for who in [&ana, &cleo] {
        assert_eq!(quoted(who).await, [Value::Null, json!("She died."), json!("So sorry. @Cleo")]);
    }
    for who in [&ana, &cleo] {
        who.is_up_to_date(&server).await;
    }
    ana.asks("posts.update", noted(edit(post_id, None, "She died."), "A funeral")).await;
    // An open list covers what it quotes, although Cleo follows nobody and has opened no post.
    assert_eq!(cleo.receives_only(&server, &["posts.updated"]).await[0]["content_note"], "A funeral");
    for who in [&ana, &cleo] {
        assert_eq!(quoted(who).await, [json!("A funeral"), Value::Null, Value::Null]);
    }
    ana.edits(post_id, None, "She died in May.").await;
    cleo.receives_only(&server, &[]).await;
}

#[tokio::test]
async fn d_g5_the_note_of_a_post_is_not_quoted_to_somebody_who_left_its_group() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let group_id = ana.makes_group_with("Family", &[&ben, &cleo]).await;
    let post_id = ana.publishes(noted(post_for(group_id, "She died."), "Grief")).await;
    ben.comments(post_id, &cleo.mention()).await;
    assert_eq!(quoted(&cleo).await[0], "Grief");
    cleo.leaves_group(group_id).await;
    assert_eq!(quoted(&cleo).await, [Value::Null, Value::Null, Value::Null], "only the line stays");
    assert_eq!(quoted(&ana).await[0], "Grief");
}

#[tokio::test]
async fn d_u8_a_report_has_the_note_and_the_words_as_they_were() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    promoted(&server, &ana).await;
    let post_id = ben.publishes(noted(post("How to sharpen them."), "Knives")).await;
    let reports = |about: Value| json!({ "key": key(), "about": about, "reason": "spam", "details": "" });
    cleo.asks("reports.create", reports(json!({ "type": "post", "post_id": post_id }))).await;
    cleo.asks("reports.create", reports(json!({ "type": "user", "user_id": ben.id }))).await;
    ben.asks("posts.update", noted(edit(post_id, None, "Nothing."), "")).await;
    let open = ana.asks("admin.reports", json!({})).await["reports"].clone();
    let [of_person, of_post] = &open.as_array().unwrap()[..] else { panic!("two reports: {open}") };
    let copy = (&of_post["content_note"], &of_post["words"]);
    assert_eq!(copy, (&json!("Knives"), &json!("How to sharpen them.")));
    assert_eq!(of_person["content_note"], Value::Null);
}

//! Mentions: notifications, limits, names, and suggestions.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::person::Person;
use crate::support::server::TestServer;
use crate::support::value::key;

fn comment(post_id: i64, text: &str) -> Value {
    json!({ "key": key(), "post_id": post_id, "text": text, "audience": { "type": "public" } })
}

/// Returns the notifications of a user: kind and actor.
async fn notified(who: &Person) -> Vec<(String, i64)> {
    let page = who.reads_notifications().await;
    let facts =
        |item: &Value| (item["kind"].as_str().unwrap().to_owned(), item["actor_id"].as_i64().unwrap());
    page["notifications"].as_array().unwrap().iter().map(facts).collect()
}

/// Returns the names of the users in a reply or event.
fn named(message: &Value) -> BTreeSet<String> {
    message["users"]
        .as_array()
        .unwrap()
        .iter()
        .map(|user| user["name"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn d_d7_each_user_is_notified_once_of_a_comment_and_the_author_as_such() {
    let server = TestServer::new().await;
    let [ana, ben, cleo, dora] = server.people(["Ana", "Ben", "Cleo", "Dora"]).await;
    let post_id = ana.posts("hello").await;
    let [a, b, c, d] = [&ana, &ben, &cleo, &dora].map(Person::mention);
    // He mentions each of them twice, himself, and an id without an account.
    ben.comments(post_id, &format!("{a} {b} {c} {d} {c} @{}+Else {a} @7+Nobody", cleo.id)).await;
    assert_eq!(notified(&ana).await, [("comment".to_owned(), ben.id)]);
    for who in [&cleo, &dora] {
        assert_eq!(notified(who).await, [("reply".to_owned(), ben.id)]);
        who.receives_only(&server, &["notifications.created"]).await;
    }
    assert!(notified(&ben).await.is_empty());
    // The author mentions others under their own post.
    ana.comments(post_id, &b).await;
    assert_eq!(notified(&ben).await, [("reply".to_owned(), ana.id)]);
    assert_eq!(notified(&ana).await.len(), 1);
}

#[tokio::test]
async fn text_that_resembles_a_mention_notifies_no_one() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let post_id = ana.posts("hello").await;
    let id = ben.id;
    for text in [
        format!("ben@{id}+Ben"),
        format!("7@{id}+Ben"),
        format!("é@{id}+Ben"),
        format!("@0{id}+Ben"),
        format!("@{id}"),
        format!("@{id}+"),
        format!("@{id}+ Ben"),
        format!("@ {id}+Ben"),
        format!("@{id} +Ben"),
        format!("@-{id}+Ben"),
        format!("@{id}0000000+Ben"),
        format!("@{}+Ben", (1_i64 << 53) + id),
        "@Ben".into(),
    ] {
        ana.comments(post_id, &text).await;
        assert_eq!(ana.opens(post_id).await["comments_count"], 1, "{text}");
        let thread = ana.reads_thread(post_id).await;
        assert_eq!((named(&thread), &thread["comments"][0]["text"]), (["Ana".into()].into(), &json!(text)));
        ana.deletes_comment(thread["comments"][0]["id"].as_i64().unwrap()).await;
    }
    ben.receives_nothing(&server).await;
    assert!(notified(&ben).await.is_empty());
    // After any character except a letter or a digit it is a mention, also directly after a line end.
    for text in [format!("(@{id}+Ben)"), format!("\n@{id}+X"), format!("@@{id}+Ben"), format!("🌿@{id}+Ben")]
    {
        ana.comments(post_id, &format!(".{text}")).await;
    }
    assert_eq!(notified(&ben).await.len(), 4);
}

#[tokio::test]
async fn ten_users_may_be_mentioned_and_eleven_are_refused() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let post_id = ana.posts("hello").await;
    let mut crowd = Vec::new();
    for number in 0..11 {
        crowd.push(server.person(&format!("person {number}")).await);
    }
    let words = |people: &[Person]| people.iter().map(Person::mention).collect::<Vec<_>>().join(" ");
    ana.is_up_to_date(&server).await;
    let eleven = comment(post_id, &words(&crowd));
    let no = ana.is_refused("invalid", "comments.create", eleven.clone()).await;
    assert_eq!(
        (no.field.as_deref(), no.message.as_str(), no.retry_ms),
        (Some("text"), "You can mention at most 10 people in one comment. Your words are kept.", None)
    );
    ana.receives_nothing(&server).await;
    for who in &crowd {
        who.receives_nothing(&server).await;
    }
    assert_eq!(server.count("select count(*) from comments"), 0);
    assert_eq!(server.count("select count(*) from notifications"), 0);
    // The refusal did not use the key. Ten users may be mentioned, each several times.
    let mut ten = comment(post_id, &format!("{0} and again {0}", words(&crowd[..10])));
    ten["key"] = eleven["key"].clone();
    ana.asks("comments.create", ten).await;
    for (number, who) in crowd.iter().enumerate() {
        assert_eq!(notified(who).await.len(), usize::from(number < 10));
    }
}

#[tokio::test]
async fn d_a5_the_limit_of_five_hundred_counts_what_people_see() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben Zoë 🌿"]).await;
    let post_id = ana.posts("hello").await;
    let seen = "@Ben Zoë 🌿 ".chars().count();
    let rest = "x".repeat(500 - seen);
    let whole = format!("{} {rest}", ben.mention());
    assert!(whole.chars().count() > 500);
    ana.comments(post_id, &whole).await;
    assert_eq!(ana.reads_thread(post_id).await["comments"][0]["text"], whole);
    let too_long = "This is longer than 500 characters. Your words are kept.";
    let no = ana.is_refused("invalid", "comments.create", comment(post_id, &format!("{whole}x"))).await;
    assert_eq!((no.field.as_deref(), no.message.as_str()), (Some("text"), too_long));
    // Text that is no mention counts as it is.
    let plain = format!("x{whole}");
    ana.is_refused("invalid", "comments.create", comment(post_id, &plain)).await;
    // This text has few visible characters, but too many bytes.
    let heavy = "@9007199254740991+🌿\u{2003}".repeat(166);
    assert!(heavy.trim_end().len() > 4_096);
    let no = ana.is_refused("invalid", "comments.create", comment(post_id, &heavy)).await;
    assert_eq!(no.message, too_long);
    ana.comments(post_id, &"@9007199254740991+🌿\u{2003}".repeat(160)).await;
    assert_eq!(ana.opens(post_id).await["comments_count"], 2);
}

#[tokio::test]
async fn a_comment_is_sent_with_the_names_of_mentioned_users() {
    let server = TestServer::new().await;
    let [ana, ben, cleo, dora, emil] = server.people(["Ana", "Ben", "Cleo", "Dora", "Emil"]).await;
    ben.follows(&ana).await;
    let post_id = ana.posts_tagged("hello", "Moods").await;
    ben.opens(post_id).await;
    ben.is_up_to_date(&server).await;
    let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<BTreeSet<_>>();

    let first = ben.comments(post_id, &format!("{} @7+Nobody", cleo.mention())).await;
    let event = ben.receives("comments.created").await;
    assert_eq!(named(&event), names(&["Ben", "Cleo"]));
    for user in event["users"].as_array().unwrap() {
        assert!(*user == ben.named() || *user == cleo.named(), "{user}");
    }
    ben.comments(post_id, &dora.mention()).await;
    // This comment is not one of the two that are sent with the post.
    ben.comments(post_id, &emil.mention()).await;

    let author_too = names(&["Ana", "Ben", "Cleo", "Dora"]);
    for (op, fields) in [
        ("posts.get", json!({ "post_id": post_id })),
        ("posts.feed", json!({ "tag": null, "before": null })),
        ("posts.feed", json!({ "tag": "moods", "before": null })),
        ("posts.by_author", json!({ "user_id": ana.id, "before": null })),
        ("posts.refresh", json!({ "post_ids": [post_id] })),
    ] {
        assert_eq!(named(&ben.asks(op, fields).await), author_too, "{op}");
    }
    assert_eq!(named(&ben.reads_thread(post_id).await), names(&["Ben", "Cleo", "Dora", "Emil"]));
    let after = ben.asks("comments.page", json!({ "post_id": post_id, "after": first })).await;
    assert_eq!(named(&after), names(&["Ben", "Dora", "Emil"]), "those of this page");
    ben.is_up_to_date(&server).await;
    ben.deletes_comment(first).await;
    assert_eq!(
        named(&ben.receives("comments.deleted").await),
        names(&["Ben", "Dora", "Emil"]),
        "the two that are left"
    );
}

#[tokio::test]
async fn c38_every_name_is_returned_unchanged() {
    for name in [
        "a_b",
        "_x_",
        "Zoë 🌿",
        "שלום עולם",
        "a+b",
        "me@home",
        "O'Neil, Jr.",
        "<b>&amp;",
        "👩‍👩‍👧‍👦",
        "Zoe\u{308} D",
    ] {
        let server = TestServer::new().await;
        let [ana, who] = server.people(["Ana", name]).await;
        let post_id = ana.posts("hello").await;
        let words = format!("hi {} and goodbye", who.mention());
        ana.comments(post_id, &words).await;

        // The text is read as it was written, and its mention leads to the right user.
        let thread = ana.reads_thread(post_id).await;
        let text = thread["comments"][0]["text"].as_str().unwrap();
        assert_eq!(text, mellow::text::block(&words));
        let token = text.strip_prefix("hi @").unwrap().strip_suffix(" and goodbye").unwrap();
        let (id, label) = token.split_once('+').unwrap();
        assert_eq!((id.parse(), label.replace('_', " ")), (Ok(who.id), who.name.replace('_', " ")));
        assert!(thread["users"].as_array().unwrap().contains(&who.named()), "{name}: {thread}");

        // The notification has the same text.
        let event = who.receives("notifications.created").await;
        let preview = format!("hi @{} and goodbye", who.name);
        assert_eq!(event["notification"]["comment_text"], preview);
        assert_eq!(who.reads_notifications().await["notifications"][0]["comment_text"], preview);
    }
}

#[tokio::test]
async fn a_deleted_account_leaves_a_label_and_no_name() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo_Maria"]).await;
    let post_id = ana.posts("hello").await;
    let text = format!("where is {} now", cleo.mention());
    ben.comments(post_id, &text).await;
    let database = server.look();
    database.execute("delete from logins where user_id = ?1", [cleo.id]).unwrap();
    database.execute("delete from users where id = ?1", [cleo.id]).unwrap();

    let thread = ana.reads_thread(post_id).await;
    // Its id is not sent any more, as that of a user whom the reader may not meet.
    assert_eq!(
        (&thread["comments"][0]["text"], &thread["users"]),
        (&json!("where is @Cleo Maria now"), &json!([ben.named()]))
    );
    let item = ana.reads_notifications().await["notifications"][0].clone();
    assert_eq!(item["comment_text"], "where is @Cleo Maria now");
    // A mention of a deleted account is ordinary text.
    ben.comments(post_id, &text).await;
    assert_eq!(ana.opens(post_id).await["comments_count"], 2);
}

// ---- suggestions

async fn offered(who: &Person, post_id: i64, term: &str) -> Vec<String> {
    let ok = who.asks("comments.mentionable", json!({ "post_id": post_id, "term": term })).await;
    ok["users"].as_array().unwrap().iter().map(|user| user["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn suggestions_are_people_of_the_thread_then_followed_people_and_nobody_else() {
    let server = TestServer::new().await;
    let [ana, ben, cleo, dora] = server.people(["Berta Ana", "Ben", "bea_X", "Beate"]).await;
    let [followed, stranger] = server.people(["Bert Followed", "Bess Stranger"]).await;
    let post_id = ana.posts("hello").await;
    let elsewhere = stranger.posts("elsewhere").await;
    cleo.comments(post_id, "one").await;
    ben.comments(post_id, "two").await;
    cleo.comments(post_id, &format!("three {}", stranger.mention())).await;
    stranger.comments(elsewhere, "not here").await;
    // Dora follows one person of the thread, who is offered once. Her followers are not offered.
    for who in [&followed, &ben] {
        dora.follows(who).await;
    }
    stranger.follows(&dora).await;
    ana.follows(&stranger).await;

    assert_eq!(offered(&dora, post_id, "be").await, ["Ben", "Berta Ana", "bea_X", "Bert Followed"]);
    let ok = dora.asks("comments.mentionable", json!({ "post_id": post_id, "term": "ben" })).await;
    assert_eq!(ok, json!({ "users": [ben.named()], "seq": ok["seq"] }));
    // Without a term only the people of the thread are offered.
    assert_eq!(offered(&dora, post_id, "").await, ["Ben", "Berta Ana", "bea_X"]);
    assert_eq!(offered(&dora, post_id, "  ").await, ["Ben", "Berta Ana", "bea_X"]);
    // A user is never offered themselves, also after they commented. A thread with only the viewer offers nobody.
    assert_eq!(offered(&ben, post_id, "").await, ["Berta Ana", "bea_X"]);
    assert_eq!(offered(&stranger, elsewhere, "").await, [""; 0]);
    // Later follows and deleted comments take effect at once.
    dora.unfollows(&followed).await;
    assert_eq!(offered(&dora, post_id, "bert").await, ["Berta Ana"]);
    let late = dora.comments(post_id, "four").await;
    assert_eq!(offered(&ana, post_id, "beat").await, ["Beate"]);
    dora.deletes_comment(late).await;
    assert_eq!(offered(&ana, post_id, "beat").await, [""; 0]);
}

#[tokio::test]
async fn a_term_matches_the_beginning_of_each_word_of_a_name_ignoring_case() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let post_id = ana.posts("hello").await;
    for name in ["Mary-Lou Berg", "anne_marie", "ÖRSTED Straße", "Zoë 🌿", "זואי כהן", "100% me"]
    {
        server.person(name).await.comments(post_id, "here").await;
    }
    for (term, names) in [
        ("m", &["100% me", "Mary-Lou Berg", "anne_marie"][..]),
        ("LOU", &["Mary-Lou Berg"]),
        ("bErG", &["Mary-Lou Berg"]),
        ("mary-lou b", &["Mary-Lou Berg"]),
        ("ary", &[]),
        ("Mari", &["anne_marie"]),
        ("ör", &["ÖRSTED Straße"]),
        ("O\u{308}R", &["ÖRSTED Straße"]),
        ("STRASS", &["ÖRSTED Straße"]),
        ("🌿", &["Zoë 🌿"]),
        ("zoë 🌿", &["Zoë 🌿"]),
        ("כה", &["זואי כהן"]),
        ("100%", &["100% me"]),
        ("%", &[]),
        ("_", &[]),
        ("' or 1=1 --", &[]),
        ("*", &[]),
    ] {
        assert_eq!(offered(&ana, post_id, term).await, names, "{term}");
    }
}

#[tokio::test]
async fn at_most_eight_people_are_suggested() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let post_id = ana.posts("hello").await;
    for number in (0..10).rev() {
        let person = server.person(&format!("Person {number}")).await;
        ben.follows(&person).await;
        if number > 6 {
            person.comments(post_id, "here").await;
        }
    }
    let names = offered(&ben, post_id, "p").await;
    let expected = [7, 8, 9, 0, 1, 2, 3, 4].map(|number| format!("Person {number}"));
    assert_eq!(names, expected);
}

#[tokio::test]
async fn mention_suggestions_are_refused_like_any_read_of_a_post() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let post_id = ana.posts("hello").await;
    let fields = |post_id: i64, term: &str| json!({ "post_id": post_id, "term": term });
    let guest = server.guest().await;
    let no = guest.asks("comments.mentionable", fields(post_id, "")).await.unwrap_err();
    assert_eq!(no.code, "not_signed_in");
    let not_there = ben.is_refused("not_found", "comments.mentionable", fields(7, "A")).await;
    let no = ben.is_refused("invalid", "comments.mentionable", fields(post_id, &"a".repeat(51))).await;
    assert_eq!(no.field.as_deref(), Some("term"));
    ben.is_refused("bad_request", "comments.mentionable", json!({ "post_id": post_id })).await;
    ana.deletes(post_id).await;
    assert_eq!(ben.is_refused("not_found", "comments.mentionable", fields(post_id, "A")).await, not_there);
    // Nobody receives an event because they were suggested or searched for.
    ana.is_up_to_date(&server).await;
    let again = ana.posts("again").await;
    offered(&ben, again, "A").await;
    ana.receives_only(&server, &["posts.created"]).await;
}

#[tokio::test]
async fn mention_suggestions_have_a_rate_limit_of_their_own() {
    let server = TestServer::with_manual_clock(&["suggestions_per_minute=2"]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let post_id = ana.posts("hello").await;
    let fields = json!({ "post_id": post_id, "term": "a" });
    // A term that is refused takes nothing.
    let long = json!({ "post_id": post_id, "term": "a".repeat(51) });
    ben.is_refused("invalid", "comments.mentionable", long).await;
    for _ in 0..2 {
        assert_eq!(offered(&ben, post_id, "a").await, ["Ana"]);
    }
    let no = ben.is_refused("slow_down", "comments.mentionable", fields).await;
    assert_eq!(no.retry_ms, Some(30_000));
    // It stops neither other reads of hers nor somebody else.
    ben.comments(post_id, "hi").await;
    offered(&ana, post_id, "b").await;
    server.later(30_000);
    offered(&ben, post_id, "a").await;
}

//! Keys: a repeated request is applied once and gets the same reply.

use serde_json::{Value, json};

use crate::support::person::{PASSWORD, Person, edit, email_of, noted, post, profile};
use crate::support::server::TestServer;
use crate::support::socket::Socket;
use crate::support::value::{key, key_of};

struct Scene {
    ana: Person,
    ben: Person,
    anas_post: i64,
    doomed_post: i64,
    doomed_comment: i64,
    /// Ben's notification that Ana follows him.
    doomed_notification: i64,
}

async fn scene(server: &TestServer) -> Scene {
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let anas_post = ana.posts_picture("Ana's").await["id"].as_i64().unwrap();
    let doomed_post = ben.posts("doomed").await;
    let doomed_comment = ben.comments(anas_post, "doomed").await;
    ana.follows(&ben).await;
    let doomed_notification = ben.reads_notifications().await["notifications"][0]["id"].as_i64().unwrap();
    Scene { ana, ben, anas_post, doomed_post, doomed_comment, doomed_notification }
}

impl Scene {
    /// Returns every mutation once: its name, its fields, and other fields for the same key.
    fn mutations(&self) -> Vec<(&'static str, Value, Value)> {
        let mut number = 7_000;
        let mut both = |one: Value, other: Value| {
            number += 1;
            let keyed = |mut fields: Value| {
                fields["key"] = key_of(number);
                fields
            };
            (keyed(one), keyed(other))
        };
        let (post_id, mine) = (self.anas_post, self.doomed_post);
        let (update, other_update) = both(edit(mine, None, "once"), edit(mine, None, "twice"));
        let (create, other_create) = both(post("once"), post("twice"));
        let noted_edit = |note: &str| noted(edit(mine, None, "once"), note);
        let (note, other_note) = both(noted_edit("Grief"), edit(mine, None, "once"));
        let (noted_create, other_noted) = both(noted(post("hard"), "Grief"), noted(post("hard"), "Spiders"));
        let (comment, other_comment) = both(
            json!({ "post_id": post_id, "text": "once", "audience": { "type": "public" } }),
            json!({ "post_id": post_id, "text": "twice", "audience": { "type": "public" } }),
        );
        let (vote, other_vote) = both(
            json!({ "post_id": post_id, "vote": "positive" }),
            json!({ "post_id": post_id, "vote": "negative" }),
        );
        let (save, other_save) =
            both(json!({ "post_id": post_id, "saved": true }), json!({ "post_id": post_id, "saved": false }));
        let (follow, other_follow) = both(
            json!({ "user_id": self.ana.id, "following": true }),
            json!({ "user_id": self.ana.id, "following": false }),
        );
        let (uncomment, other_uncomment) =
            both(json!({ "comment_id": self.doomed_comment }), json!({ "comment_id": 7 }));
        let (delete, other_delete) = both(json!({ "post_id": mine }), json!({ "post_id": post_id }));
        let (dismiss, other_dismiss) =
            both(json!({ "notification_id": self.doomed_notification }), json!({ "notification_id": 7 }));
        let (mention, other_mention) = both(
            json!({ "post_id": post_id, "text": format!("once {}", self.ana.mention()), "audience": { "type": "public" } }),
            json!({ "post_id": post_id, "text": format!("twice {}", self.ana.mention()), "audience": { "type": "public" } }),
        );
        let (rename, other_rename) = both(profile("Ben once", ""), profile("Ben twice", ""));
        vec![
            ("posts.create", create, other_create),
            ("comments.create", comment, other_comment),
            ("votes.set", vote, other_vote),
            ("saved.set", save, other_save),
            ("follows.set", follow, other_follow),
            ("posts.update", update, other_update),
            ("posts.update", note, other_note),
            ("posts.create", noted_create, other_noted),
            ("comments.delete", uncomment, other_uncomment),
            ("posts.delete", delete, other_delete),
            ("notifications.delete", dismiss, other_dismiss),
            ("comments.create", mention, other_mention),
            ("profiles.update", rename, other_rename),
        ]
    }
}

/// Returns all rows of the database, except keys, the last `seq` and the bell.
fn everything(server: &TestServer) -> Vec<String> {
    let database = server.look();
    let mut all = Vec::new();
    for table in ["users", "follows", "posts", "votes", "comments", "files", "pictures", "notifications"] {
        let mut rows = database.prepare(&format!("select * from {table} order by 1, 2")).unwrap();
        let columns = rows.column_count();
        let read = rows.query_map([], |row| {
            Ok((0..columns).map(|at| shown(row.get_ref(at).unwrap())).collect::<Vec<_>>().join(" | "))
        });
        all.extend(read.unwrap().map(|row| format!("{table}: {}", row.unwrap())));
    }
    all.retain(|row| !row.contains("bell@") && !row.contains("ding"));
    all
}

fn shown(value: rusqlite::types::ValueRef<'_>) -> String {
    match value {
        rusqlite::types::ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
        other => format!("{other:?}"),
    }
}

#[tokio::test]
async fn r5_a_repeated_request_is_applied_once_on_any_socket_and_after_a_restart() {
    let mut server = TestServer::new().await;
    let mut scene = scene(&server).await;
    let mutations = scene.mutations();
    let mut replies = Vec::new();
    for (op, fields, _) in &mutations {
        replies.push(scene.ben.asks(op, fields.clone()).await);
    }
    let state = everything(&server);
    scene.ana.is_up_to_date(&server).await;

    let phone = scene.ben.logs_in_on_phone().await;
    scene.ben.reconnects().await;
    for who in [&scene.ben, &phone] {
        for ((op, fields, _), reply) in mutations.iter().zip(&replies) {
            assert_eq!(&who.asks(op, fields.clone()).await, reply, "{op}");
        }
    }
    scene.ana.receives_nothing(&server).await;
    let others: i64 = server
        .look()
        .query_row("select count(*) from posts where text = 'once'", [], |row| row.get(0))
        .unwrap();
    assert_eq!(others, 1);

    server.restarts().await;
    scene.ben.reconnects().await;
    for ((op, fields, _), reply) in mutations.iter().zip(&replies) {
        assert_eq!(&scene.ben.asks(op, fields.clone()).await, reply, "{op} after a restart");
    }
    assert_eq!(everything(&server), state);
}

#[tokio::test]
async fn r5_a_post_repeated_after_a_restart_gets_its_reply_after_writes_of_others() {
    let mut server = TestServer::new().await;
    let [mut ana, ben] = server.people(["Ana", "Ben"]).await;
    let fields = post("did it arrive?");
    let reply = ana.asks("posts.create", fields.clone()).await;
    ben.posts("something else").await;
    server.restarts().await;
    ana.reconnects().await;
    assert_eq!(ana.asks("posts.create", fields).await, reply);
}

#[tokio::test]
async fn a_key_used_for_another_request_is_a_conflict_and_changes_nothing() {
    let server = TestServer::new().await;
    let scene = scene(&server).await;
    let mutations = scene.mutations();
    for (op, fields, _) in &mutations {
        scene.ben.asks(op, fields.clone()).await;
    }
    let state = everything(&server);
    scene.ana.is_up_to_date(&server).await;
    scene.ben.is_up_to_date(&server).await;
    for (op, fields, other) in &mutations {
        let no = scene.ben.is_refused("key_conflict", op, other.clone()).await;
        assert_eq!(
            (no.message.as_str(), no.retry_ms),
            ("This was already sent with other words.", None),
            "{op}"
        );
        // The original request still gets its reply.
        scene.ben.asks(op, fields.clone()).await;
    }
    // The key of one request is not valid for a request with another name.
    let mut follow = json!({ "user_id": scene.ana.id, "following": true });
    follow["key"] = mutations[0].1["key"].clone();
    scene.ben.is_refused("key_conflict", "follows.set", follow).await;
    let mut vote = json!({ "post_id": scene.anas_post, "vote": "none" });
    vote["key"] = mutations[0].1["key"].clone();
    scene.ben.is_refused("key_conflict", "votes.set", vote).await;
    assert_eq!(everything(&server), state);
    scene.ana.receives_nothing(&server).await;
    scene.ben.receives_nothing(&server).await;
}

#[tokio::test]
async fn a_conflict_does_not_affect_other_commands_of_the_batch() {
    let server = TestServer::new().await;
    let scene = scene(&server).await;
    let mutations = scene.mutations();
    for (op, fields, _) in &mutations {
        scene.ben.asks(op, fields.clone()).await;
    }
    let mut sent = Vec::new();
    for number in 0..10 {
        for (op, _, other) in &mutations {
            sent.push(scene.ben.socket.sends(op, other.clone()).await);
            let fields = json!({ "key": key(), "post_id": scene.anas_post, "text": format!("{number}"), "audience": { "type": "public" } });
            let good = scene.ana.socket.sends("comments.create", fields).await;
            scene.ana.socket.reply_to(good).await.unwrap();
        }
    }
    for id in sent {
        assert_eq!(scene.ben.socket.reply_to(id).await.unwrap_err().code, "key_conflict");
    }
    // Two of the mutations are comments.
    assert_eq!(scene.ana.opens(scene.anas_post).await["comments_count"], json!(10 * mutations.len() + 2));
}

#[tokio::test]
async fn two_users_may_have_the_same_key() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    for who in [&ana, &ben] {
        let mut fields = post(&who.name);
        fields["key"] = key_of(1);
        who.asks("posts.create", fields).await;
    }
    assert_eq!((ana.feed_texts().await, ben.feed_texts().await), (vec!["Ana".into()], vec!["Ben".into()]));
}

#[tokio::test]
async fn the_same_request_on_two_sockets_at_the_same_time_is_applied_once() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let mut tabs = Vec::new();
    for _ in 0..8 {
        tabs.push(ana.opens_another_tab().await);
    }
    let fields = post("all at once");
    let mut sent = Vec::new();
    for tab in &tabs {
        sent.push(tab.socket.sends("posts.create", fields.clone()).await);
    }
    let mut replies = Vec::new();
    for (tab, id) in tabs.iter().zip(sent) {
        replies.push(tab.socket.reply_to(id).await.unwrap());
    }
    assert!(replies.iter().all(|reply| *reply == replies[0]));
    assert_eq!(ana.feed_texts().await, ["all at once"]);
    ana.is_up_to_date(&server).await;
    let delivered = ana.socket.events();
    assert_eq!(delivered.len(), 1, "{delivered:?}");
}

#[tokio::test]
async fn a_key_has_sixteen_bytes() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    for bad in [
        json!({ "$bin": "00" }),
        json!({ "$bin": "00".repeat(17) }),
        json!("0123456789abcdef"),
        json!(7),
        Value::Null,
    ] {
        let mut fields = post("hello");
        fields["key"] = bad;
        ana.is_refused("bad_request", "posts.create", fields).await;
    }
    let mut without = post("hello");
    without.as_object_mut().unwrap().remove("key");
    ana.is_refused("bad_request", "posts.create", without).await;
}

#[tokio::test]
async fn a_key_is_remembered_for_a_day() {
    let mut server = TestServer::with_manual_clock(&[]).await;
    let mut ana = server.person("Ana").await;
    let fields = post("hello");
    let reply = ana.asks("posts.create", fields.clone()).await;
    server.later(24 * 3_600_000 - 1);
    server.restarts().await;
    ana.reconnects().await;
    assert_eq!(ana.asks("posts.create", fields.clone()).await, reply);
    server.later(2);
    // Expired keys are deleted at the start and every ten minutes.
    server.restarts().await;
    let time_limit = std::time::Instant::now();
    while server.look().query_row("select count(*) from keys", [], |row| row.get::<_, i64>(0)).unwrap() > 0 {
        assert!(time_limit.elapsed() < crate::support::TIMEOUT, "old keys are still there");
        tokio::task::yield_now().await;
    }
    ana.reconnects().await;
    assert_ne!(ana.asks("posts.create", fields).await, reply);
}

fn sign_up(number: u128, email: &str, name: &str, password: &str) -> Value {
    json!({ "key": key_of(number), "email": email, "password": password, "name": name })
}

#[tokio::test]
async fn a_repeated_sign_up_is_the_same_account() {
    let mut server = TestServer::new().await;
    let fields = sign_up(5, &email_of("Ana"), "Ana", PASSWORD);
    let first = server.guest().await.asks("auth.sign_up", fields.clone()).await.unwrap();
    let again = server.guest().await.asks("auth.sign_up", fields.clone()).await.unwrap();
    assert_eq!(first["me"], again["me"]);
    server.restarts().await;
    let later = server.guest().await.asks("auth.sign_up", fields).await.unwrap();
    assert_eq!(first["me"], later["me"]);
    let no = server
        .guest()
        .await
        .asks("auth.sign_up", sign_up(6, &email_of("Ana"), "Ana", PASSWORD))
        .await
        .unwrap_err();
    assert_eq!(no.code, "email_taken", "another key is another sign-up");
}

#[tokio::test]
async fn the_key_of_a_sign_up_without_its_password_gives_no_login() {
    let server = TestServer::new().await;
    server.guest().await.asks("auth.sign_up", sign_up(5, &email_of("Ana"), "Ana", PASSWORD)).await.unwrap();
    let guessed = sign_up(5, &email_of("Ana"), "Ana", "another password");
    let no = server.guest().await.asks("auth.sign_up", guessed).await.unwrap_err();
    assert!(matches!(no.code.as_str(), "bad_credentials" | "email_taken" | "key_conflict"), "{no:?}");
}

#[tokio::test]
async fn the_key_of_another_users_sign_up_is_a_conflict() {
    let server = TestServer::new().await;
    server.guest().await.asks("auth.sign_up", sign_up(5, &email_of("Ana"), "Ana", PASSWORD)).await.unwrap();
    let no = server
        .guest()
        .await
        .asks("auth.sign_up", sign_up(5, &email_of("Ben"), "Ben", PASSWORD))
        .await
        .unwrap_err();
    assert_eq!(no.code, "key_conflict");
    let users: i64 = server.look().query_row("select count(*) from users", [], |row| row.get(0)).unwrap();
    assert_eq!(users, 1);
}

#[tokio::test]
async fn a_sign_up_repeated_before_its_reply_is_the_same_account() {
    let server = TestServer::new().await;
    let (first, second) = (server.guest().await, server.guest().await);
    let fields = sign_up(5, &email_of("Ana"), "Ana", PASSWORD);
    let ask = |guest: Socket, fields: Value| async move { guest.asks("auth.sign_up", fields).await };
    let (one, two) = tokio::join!(ask(first, fields.clone()), ask(second, fields));
    assert_eq!(one.expect("an account")["me"], two.expect("the same account")["me"]);
}

#[tokio::test]
async fn a_request_that_changed_nothing_still_changes_nothing_when_it_is_repeated_late() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let about_ben = |more: Value| {
        let mut fields = json!({ "key": key(), "user_id": ben.id });
        fields.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        fields
    };
    // Each of these requests sets what is set already, and its reply is lost.
    let unblock = about_ben(json!({}));
    ana.asks("people.unblock", unblock.clone()).await;
    let name = profile("Ana", "");
    ana.asks("profiles.update", name.clone()).await;
    let group_id = ana.makes_group("Tea").await;
    let rename = json!({ "key": key(), "group_id": group_id, "name": "Tea" });
    ana.asks("groups.rename", rename.clone()).await;
    let log_out_others = json!({ "key": key() });
    ana.asks("auth.log_out_others", log_out_others.clone()).await;
    // Meanwhile she changes these things on her other device.
    let phone = ana.logs_in_on_phone().await;
    phone.asks("people.block", about_ben(json!({}))).await;
    phone.renames("Anna").await;
    phone.renames_group(group_id, "Coffee").await;
    // The first requests are repeated.
    ana.asks("people.unblock", unblock).await;
    ana.asks("profiles.update", name).await;
    ana.asks("groups.rename", rename).await;
    ana.asks("auth.log_out_others", log_out_others).await;
    phone.is_refused("not_found", "profiles.get", json!({ "user_id": ben.id })).await;
    assert_eq!(phone.visits(&phone).await["name"], "Anna");
    assert_eq!(phone.reads_groups().await[0]["name"], "Coffee");
}

#[tokio::test]
async fn a_user_with_many_keys_gets_no_more_for_requests_that_change_nothing() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let has = |count: i64| {
        server
            .look()
            .execute(
                "with recursive n(n) as (select 1 union all select n + 1 from n where n < ?2)
                 insert into keys (user_id, key, body_hash, answer, made_at_ms)
                   select ?1, randomblob(16), randomblob(16), x'01', 9000000000000 from n",
                (ana.id, count),
            )
            .unwrap();
    };
    let keys = || server.count("select count(*) from keys");
    has(990);
    let before = keys();
    ana.sees_all().await;
    assert_eq!(keys(), before + 1);
    has(10);
    ana.sees_all().await;
    assert_eq!(keys(), before + 11);
    ana.renames("Anna").await;
    assert_eq!(keys(), before + 12, "what changes something is always remembered");
}

#[tokio::test]
async fn the_reply_to_an_edit_contains_no_words_of_others() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let post_id = ana.posts("tea?").await;
    ben.comments(post_id, "his words").await;
    let edited = edit(post_id, None, "tea!");
    let ok = ana.asks("posts.update", edited.clone()).await;
    let event = ana.receives("posts.updated").await;
    for (name, value) in ok.as_object().unwrap() {
        assert_eq!(*value, event[name], "it says what the event says: {name}");
    }
    ana.deletes(post_id).await;
    assert_eq!(ana.asks("posts.update", edited).await, ok, "the same answer");
}

#[tokio::test]
async fn d_s2_a_repeated_comment_does_not_name_whom_its_author_blocked() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let post_id = ana.posts("tea?").await;
    let fields = json!({ "key": key(), "post_id": post_id, "text": format!("with @{}+Ben", ben.id), "audience": { "type": "public" } });
    ana.asks("comments.create", fields.clone()).await;
    ana.asks("people.block", json!({ "key": key(), "user_id": ben.id })).await;
    ana.is_refused("not_found", "comments.create", fields).await;
}

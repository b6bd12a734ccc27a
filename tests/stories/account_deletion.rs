//! The deletion of an account that has data everywhere.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::person::{PASSWORD, Person, edit, post};
use crate::support::picture::jpeg;
use crate::support::server::TestServer;
use crate::support::socket::State;
use crate::support::uploads::{begin, chunk, files_below, post_with_pictures, urls};
use crate::support::value::{contains, key};
use crate::support::wait_until;

/// The name of the user who is deleted.
pub const NAME: &str = "Zora Quillfeather";
/// Texts that only Zora wrote: her name, her address, and one text in each place where users write.
const WORDS: [&str; 12] = [
    NAME,
    "zora.quillfeather",
    "quetzal-title",
    "quetzal-note",
    "quetzal-text",
    "quetzal-tag",
    "quetzal-comment",
    "quetzal-bio",
    "quetzal-alt",
    "quetzal-file",
    "quetzal-group",
    "quetzal-report",
];

/// What others read instead of a mention of her.
const LABEL: &str = "@Zora Quillfeather";

/// Returns a mention of her by others. Its label stays.
fn mention(zora: &Person) -> String {
    format!("@{}+Zora_Quillfeather", zora.id)
}

/// Asserts that a text has nothing of Zora except labels of mentions.
fn has_no_trace(of: &Person, text: &str, place: &str) {
    let text = text.replace(&mention(of), "").replace(LABEL, "");
    for word in WORDS.iter().copied().chain([of.id.to_string().as_str()]) {
        assert!(!text.contains(word), "{place} has {word}: {text}");
    }
}

/// Asserts that no column of the database has anything of Zora.
pub fn database_has_no_trace(server: &TestServer, of: &Person) {
    let database = server.look();
    let mut tables = database.prepare("select name from sqlite_master where type = 'table'").unwrap();
    let tables: Vec<String> = tables.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    assert!(tables.len() >= 12, "{tables:?}");
    let id = [&[0xcf][..], &of.id.to_be_bytes()].concat();
    // `doomed_letters` has the ids of users whose mails must still be removed.
    for table in tables.iter().filter(|table| *table != "doomed_letters") {
        let mut all = database.prepare(&format!("select * from {table}")).unwrap();
        let columns = all.column_count();
        let mut rows = all.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            for column in 0..columns {
                let place = format!("{table}, column {column}");
                match row.get_ref(column).unwrap() {
                    rusqlite::types::ValueRef::Integer(number) => assert_ne!(number, of.id, "{place}"),
                    rusqlite::types::ValueRef::Text(text) => {
                        has_no_trace(of, std::str::from_utf8(text).unwrap(), &place);
                    }
                    rusqlite::types::ValueRef::Blob(blob) => {
                        assert!(!contains(blob, &id), "{place} names her");
                        for word in WORDS {
                            assert!(!contains(blob, word.as_bytes()), "{place} has {word}");
                        }
                    }
                    _ => {}
                }
            }
        }
    }
}

/// Returns the words of Zora that are in the bytes of the data folder.
fn words_on_disk(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for name in files_below(folder) {
        let bytes = std::fs::read(folder.join(&name)).unwrap_or_default();
        for word in WORDS {
            if contains(&bytes, word.as_bytes()) || name.contains(word) {
                found.push(format!("{word} in {name}"));
            }
        }
    }
    found
}

/// Returns every message that a user received after the deletion of Zora, replies included.
fn after_deletion(person: &Person, zora: &Person) -> Vec<Value> {
    let log = person.socket.log();
    let is_it = |message: &Value| message["ev"] == "users.deleted" && message["user_id"] == zora.id;
    let at = log.iter().position(is_it).unwrap_or_else(|| panic!("{} did not receive it", person.name));
    log[at + 1..].to_vec()
}

/// A user creates a group with these members, who follow the user already. Returns its id.
async fn makes_group(owner: &Person, name: &str, others: &[&Person]) -> i64 {
    let made = owner.asks("groups.create", json!({ "key": key(), "name": name })).await;
    let group_id = made["group"]["id"].as_i64().unwrap();
    let user_ids: Vec<i64> = others.iter().map(|other| other.id).collect();
    owner.asks("groups.add", json!({ "key": key(), "group_id": group_id, "user_ids": user_ids })).await;
    group_id
}

/// Returns the groups of a user, with the number of members of each.
async fn groups_of(person: &Person) -> Vec<(i64, i64)> {
    let listed = person.asks("groups.list", json!({})).await;
    let of = |group: &Value, what: &str| group[what].as_i64().unwrap();
    let groups = listed["groups"].as_array().unwrap();
    groups.iter().map(|group| (of(group, "id"), of(group, "members_count"))).collect()
}

/// Zora takes part in everything. Returns the ids of her post and of the others' posts.
async fn takes_part(server: &TestServer, zora: &Person, others: [&Person; 3]) -> (i64, [i64; 3]) {
    let [ben, cleo, _] = others;
    // Writes directly to the database, with `secure_delete` on as in the server.
    let database = server.look();
    database.execute_batch("pragma secure_delete = on").unwrap();
    database.execute("update users set bio = 'quetzal-bio' where id = ?1", [zora.id]).unwrap();
    drop(database);
    for other in others {
        other.follows(zora).await;
        zora.follows(other).await;
        other.visits(zora).await;
    }
    let upload = zora.uploads("quetzal-file.jpg", &jpeg(40, 30)).await;
    let mut fields = post_with_pictures("quetzal-text one", &[(&upload, "quetzal-alt")]);
    fields["title"] = json!("quetzal-title");
    fields["content_note"] = json!("quetzal-note");
    fields["tag"] = json!("quetzal-tag");
    let hers = zora.publishes(fields).await;
    zora.edits(hers, Some("quetzal-title again"), "quetzal-text again").await;
    let mut theirs = [0; 3];
    for (place, other) in others.into_iter().enumerate() {
        let id = other.posts(&format!("by {}", other.name)).await;
        theirs[place] = id;
        for reader in others {
            reader.opens(id).await;
        }
        for number in 0..4 {
            zora.comments(id, &format!("quetzal-comment {number}")).await;
        }
        zora.votes(id, if place == 1 { "negative" } else { "positive" }).await;
        other.votes(hers, "positive").await;
        for (who, post_id) in [(zora, id), (other, hers)] {
            who.saves(post_id).await;
        }
        other.comments(hers, &format!("{} well said", mention(zora))).await;
        ben.comments(id, &format!("as {} says", mention(zora))).await;
        cleo.comments(id, "yes").await;
        for (who, post_id) in [(other, hers), (zora, id)] {
            let about = json!({ "type": "post", "post_id": post_id });
            let report =
                json!({ "key": key(), "about": about, "reason": "other", "details": "quetzal-report" });
            who.asks("reports.create", report).await;
        }
        // The reply has the two oldest comments, which are hers, and is remembered for a day.
        other.edits(id, None, &format!("by {}, edited", other.name)).await;
    }
    (hers, theirs)
}

/// Runs concurrent actions of others. Some of them are too late.
async fn goes_on(person: &Person, hers: i64, theirs: [i64; 3], friend: &Person) {
    for number in 0..12 {
        for post_id in theirs {
            person.comments(post_id, &format!("{} {number}", person.name)).await;
            person.votes(post_id, ["positive", "negative", "none"][number % 3]).await;
        }
        let late = [
            (
                "comments.create",
                json!({ "key": key(), "post_id": hers, "text": "are you there?", "audience": { "type": "public" } }),
            ),
            ("votes.set", json!({ "key": key(), "post_id": hers, "vote": "positive" })),
            ("posts.get", json!({ "post_id": hers })),
            ("posts.feed", json!({ "tag": null, "before": null })),
        ];
        for (op, fields) in late {
            if let Err(no) = person.tries(op, fields).await {
                assert!(["not_found", "busy"].contains(&no.code.as_str()), "{op}: {no:?}");
            }
        }
        person.posts(&format!("{} says {number}", person.name)).await;
        person.unfollows(friend).await;
        person.follows(friend).await;
    }
}

#[tokio::test]
async fn an_account_deleted_during_other_activity_leaves_only_labels() {
    let server = TestServer::new().await;
    let zora = server.person(NAME).await;
    let [ben, cleo, dan] = server.people(["Ben", "Cleo", "Dan"]).await;
    let phone = zora.logs_in_on_phone().await;
    let (hers, theirs) = takes_part(&server, &zora, [&ben, &cleo, &dan]).await;
    let her_group = makes_group(&zora, "quetzal-group", &[&ben, &cleo]).await;
    let his_group = makes_group(&ben, "Ben's group", &[&zora]).await;
    // Ben's own texts there stay his.
    let shared = json!({
        "key": key(), "title": null, "text": "to a few", "tag": null,
        "audience": { "type": "group", "group_id": her_group },
    });
    let his_own = ben.publishes(shared).await;
    // Three open uploads: one with half its bytes, one complete, and one rendered.
    let half = key();
    zora.asks("uploads.begin", begin(&half, "quetzal-file.jpg", 1_000)).await;
    zora.asks("uploads.chunk", chunk(&half, 0, &[1; 100])).await;
    zora.sends_picture(&key(), "quetzal-file.jpg", &jpeg(8, 6)).await;
    zora.uploads("quetzal-file.jpg", &jpeg(8, 6)).await;
    assert_ne!(words_on_disk(server.folder()), [""; 0], "there is something to find");
    let before = ben.asks("live.probe", json!({})).await["seq"].clone();

    let leaves = async {
        let asked = zora.socket.sends("account.delete", json!({ "password": PASSWORD })).await;
        // Her phone continues meanwhile. Its late requests have no effect.
        let mut late = Vec::new();
        for number in 0..40 {
            let requests = [
                ("posts.create", post(&format!("quetzal-text {number}"))),
                (
                    "comments.create",
                    json!({ "key": key(), "post_id": theirs[0], "text": "quetzal-comment", "audience": { "type": "public" } }),
                ),
                ("votes.set", json!({ "key": key(), "post_id": theirs[1], "vote": "none" })),
                ("votes.set", json!({ "key": key(), "post_id": theirs[1], "vote": "positive" })),
                ("follows.set", json!({ "key": key(), "user_id": dan.id, "following": number % 2 == 0 })),
                ("posts.update", edit(hers, None, "quetzal-text anew")),
                ("account.set_privacy", json!({ "key": key(), "hide_numbers": number % 2 == 0 })),
                ("uploads.begin", begin(&key(), "quetzal-file.jpg", 1_000)),
                ("profiles.get", json!({ "user_id": zora.id })),
            ];
            for (op, fields) in requests {
                late.push((op, phone.socket.sends(op, fields).await));
            }
            let asked = late.len();
            let is_answered = |state: &mut State| {
                let is_over = state.closed.is_some();
                let replies = state.log.iter().filter(|message| message.get("re").is_some()).count();
                (is_over || replies >= asked).then_some(is_over)
            };
            if phone.socket.waits("the answers or the end", is_answered).await {
                break;
            }
        }
        assert_eq!(zora.socket.reply_to(asked).await, Ok(json!({})), "delivered before the close");
        for own in [&zora, &phone] {
            assert_eq!(own.socket.close_code().await, 4003);
        }
        let log = phone.socket.log();
        for (op, id) in late {
            let Some(reply) = log.iter().find(|message| message["re"] == id) else { continue };
            let code = reply["err"]["code"].as_str();
            let is_expected =
                |code: &str| ["not_found", "not_signed_in", "slow_down", "invalid", "busy"].contains(&code);
            assert!(code.is_none_or(is_expected), "{op}: {reply}");
        }
    };
    let all = futures_util::future::join4(
        goes_on(&ben, hers, theirs, &cleo),
        goes_on(&cleo, hers, theirs, &dan),
        goes_on(&dan, hers, theirs, &ben),
        leaves,
    );
    all.await;
    for other in [&ben, &cleo, &dan] {
        other.is_up_to_date(&server).await;
        for message in after_deletion(other, &zora) {
            has_no_trace(&zora, &message.to_string(), &format!("what {} received it", other.name));
        }
    }
    database_has_no_trace(&server, &zora);

    // The data of others is correct, and agrees with their last events.
    for (place, post_id) in theirs.into_iter().enumerate() {
        let author = [&ben, &cleo, &dan][place];
        let sql = |what: &str| server.count(&format!("select count(*) from {what} and post_id = {post_id}"));
        let shown = author.opens(post_id).await;
        assert_eq!(shown["comments_count"], sql("comments where true"));
        assert_eq!(shown["positive_count"], sql("votes where vote = 1"));
        assert_eq!(shown["first_comments"][0]["text"], format!("as {LABEL} says"));
        let log = author.socket.log();
        let of_post =
            |message: &&Value| message["post_id"] == post_id || message["comment"]["post_id"] == post_id;
        let last =
            |name: &str| log.iter().rev().filter(of_post).find_map(|message| message.get(name).cloned());
        assert_eq!(last("comments_count"), Some(shown["comments_count"].clone()));
        wait_until("the delayed count is delivered", || {
            let log = author.socket.log();
            let last = log.iter().rev().filter(of_post).find_map(|message| message.get("positive_count"));
            last == Some(&shown["positive_count"])
        })
        .await;
    }
    for other in [&ben, &cleo, &dan] {
        let profile = other.visits(other).await;
        let follows = |column: &str| {
            server.count(&format!("select count(*) from follows where {column} = {}", other.id))
        };
        assert_eq!(profile["followers_count"], follows("followed_id"));
        assert_eq!(profile["following_count"], follows("follower_id"));
        other.is_refused("not_found", "profiles.get", json!({ "user_id": zora.id })).await;
        other.is_refused("not_found", "posts.get", json!({ "post_id": hers })).await;
        let found = other.asks("search.names", json!({ "term": "Zora" })).await;
        assert_eq!(found["users"], json!([]));
    }

    for (who, is_recipient) in [(&ben, true), (&cleo, true), (&dan, false)] {
        let events = who.socket.events();
        let is_it = |event: &Value| event["ev"] == "groups.deleted" && event["group_id"] == her_group;
        assert_eq!(events.iter().any(is_it), is_recipient, "{}", who.name);
    }
    let goes_on = |event: &Value| event["ev"] == "groups.left" && event["group_id"] == his_group;
    assert!(ben.socket.events().iter().any(goes_on));
    assert_eq!(groups_of(&ben).await, [(his_group, 1)]);
    assert_eq!(groups_of(&cleo).await, []);
    let shown = ben.opens(his_own).await;
    assert_eq!(shown["audience"], json!({ "type": "group_deleted" }), "it is never public");

    // A client that was disconnected gets `resync`.
    let tab = ben.opens_another_tab().await;
    let epoch = tab.socket.hello().await["epoch"].clone();
    let fields = json!({ "epoch": epoch, "seq": before, "posts": theirs, "profiles": [zora.id] });
    assert_eq!(tab.asks("live.resume", fields).await["resync"], true);
    assert!(tab.socket.events().is_empty(), "nothing of before is repeated");

    // Nothing of her is on the disk: no files, no names of files, and no byte in the database and its log.
    let is_gone = || server.stored().is_empty() && server.incoming() == 0;
    wait_until("her files are gone", is_gone).await;
    wait_until("they are forgotten", || server.count("select count(*) from doomed_files") == 0).await;
    let folder = server.media().join(format!("posts/{}", zora.id));
    wait_until("her folder is gone", || !folder.exists()).await;
    wait_until("her words are gone", || {
        let found = words_on_disk(server.folder());
        if !found.is_empty() {
            eprintln!("still there: {found:?}");
        }
        found.is_empty()
    })
    .await;
    database_has_no_trace(&server, &zora);
    let check: String = server.look().query_row("pragma integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(check, "ok");
}

#[tokio::test]
async fn others_receive_the_deletion_of_the_account_before_the_new_counts_of_their_own_data() {
    let server = TestServer::new().await;
    let zora = server.person(NAME).await;
    let [ben, cleo] = server.people(["Ben", "Cleo"]).await;
    let his = ben.posts("hello").await;
    let post = zora.posts_picture("quetzal-text").await;
    let [hers, url] = [post["id"].clone(), json!(urls(&post)[0])];
    for reader in [&ben, &cleo] {
        reader.opens(his).await;
        reader.opens(hers.as_i64().unwrap()).await;
    }
    zora.comments(his, "quetzal-comment").await;
    let stays = cleo.comments(his, "hi").await;
    let last = zora.comments(his, "quetzal-comment again").await;
    zora.votes(his, "positive").await;
    cleo.votes(his, "positive").await;
    ben.follows(&zora).await;
    ben.visits(&ben).await;
    let is_two = |event: &Value| event["positive_count"] == 2;
    ben.socket.receives_where("votes.counted", is_two).await;
    ben.is_up_to_date(&server).await;
    cleo.is_up_to_date(&server).await;

    zora.deletes_account().await;
    let received = cleo.receives_only(&server, &["users.deleted", "comments.deleted"]).await;
    assert_eq!(received[0]["user_id"], zora.id);
    assert_eq!((&received[1]["comment_id"], &received[1]["comments_count"]), (&json!(last), &json!(1)));
    assert_eq!(received[1]["first_comments"][0]["id"], stays);
    assert_eq!(received[1]["users"][0]["name"], "Cleo");
    // Ben also receives the deletion first. His counts may follow a moment later.
    for (ev, of, count, left) in [
        ("comments.deleted", "post_id", "comments_count", (his, 1)),
        ("votes.counted", "post_id", "positive_count", (his, 1)),
        ("profiles.counted", "user_id", "following_count", (ben.id, 0)),
    ] {
        let is_it = |state: &mut State| {
            let at = state.log.iter().position(|message| message["ev"] == "users.deleted")?;
            let fits = |event: &&Value| event["ev"] == ev && event[of] == left.0 && event[count] == left.1;
            state.log[at + 1..].iter().find(fits).map(drop)
        };
        ben.socket.waits(ev, is_it).await;
    }
    assert_eq!(ben.fetches(url.as_str().unwrap()).await.status, 404, "at once");
}

#[tokio::test]
async fn the_groups_of_a_deleted_account_are_deleted_and_other_groups_lose_it_as_a_member() {
    let server = TestServer::new().await;
    let zora = server.person(NAME).await;
    let [ben, cleo, dan] = server.people(["Ben", "Cleo", "Dan"]).await;
    for (follower, followed) in [(&ben, &zora), (&cleo, &zora), (&cleo, &ben), (&zora, &ben)] {
        follower.follows(followed).await;
    }
    let hers = makes_group(&zora, "quetzal-group", &[&ben, &cleo]).await;
    let his = makes_group(&ben, "Ben's group", &[&zora, &cleo]).await;
    for who in [&ben, &cleo, &dan] {
        who.is_up_to_date(&server).await;
    }
    zora.deletes_account().await;
    let before = |received: Vec<Value>| -> Vec<Value> {
        let of_groups = |event: &Value| event["ev"].as_str().unwrap().starts_with("groups.");
        received.into_iter().take_while(|event| event["ev"] != "users.deleted").filter(of_groups).collect()
    };
    for who in [&ben, &cleo] {
        let received = before(who.is_up_to_date(&server).await);
        let [left, deleted] = &received[..] else { panic!("{received:?}") };
        assert_eq!(
            left,
            &json!({
                "ev": "groups.left", "group_id": his, "user_id": zora.id, "members_count": 2, "seq": left["seq"],
            })
        );
        assert_eq!(deleted, &json!({ "ev": "groups.deleted", "group_id": hers, "seq": deleted["seq"] }));
        assert_eq!(groups_of(who).await, [(his, 2)]);
        who.is_refused("not_found", "groups.get", json!({ "group_id": hers })).await;
    }
    dan.receives_only(&server, &["users.deleted"]).await;
    database_has_no_trace(&server, &zora);
}

#[tokio::test]
async fn a_deleted_account_stays_deleted_after_a_restart() {
    let mut server = TestServer::new().await;
    let zora = server.person(NAME).await;
    let mut ben = server.person("Ben").await;
    let his = ben.posts("hello").await;
    zora.comments(his, "quetzal-comment").await;
    zora.posts_picture("quetzal-text").await;
    ben.edits(his, None, "hello again").await;
    zora.deletes_account().await;
    server.restarts().await;
    ben.reconnects().await;
    wait_until("her files are gone", || server.stored().is_empty()).await;
    wait_until("they are forgotten", || server.count("select count(*) from doomed_files") == 0).await;
    database_has_no_trace(&server, &zora);
    wait_until("her words are gone", || words_on_disk(server.folder()).is_empty()).await;
    assert_eq!(ben.opens(his).await["comments_count"], 0);
}

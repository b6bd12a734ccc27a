//! Exports: one archive, for one user, once.

use std::collections::BTreeMap;
use std::io::{Cursor, Read};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::support::http;
use crate::support::person::{Person, post_with};
use crate::support::picture::jpeg;
use crate::support::server::{MORNING_MS, TestServer};
use crate::support::uploads::{path_of, post_with_pictures, urls};
use crate::support::value::key;

/// Requests an archive. Returns its address.
async fn asks(person: &Person) -> String {
    person.asks("account.export", json!({})).await["url"].as_str().unwrap().to_owned()
}

/// Returns every file of an archive by its name.
fn unpacked(archive: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let mut archive = zip::ZipArchive::new(Cursor::new(archive)).unwrap();
    let mut files = BTreeMap::new();
    for at in 0..archive.len() {
        let mut file = archive.by_index(at).unwrap();
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).unwrap();
        files.insert(file.name().unwrap().into_owned(), bytes);
    }
    files
}

/// Fetches somebody's archive; returns every file of it by its name.
pub async fn archive_of(person: &Person) -> BTreeMap<String, Vec<u8>> {
    unpacked(&person.fetches(&asks(person).await).await.content)
}

/// Returns the rows of a file of an archive.
pub fn list(files: &BTreeMap<String, Vec<u8>>, name: &str) -> Vec<Value> {
    serde_json::from_slice(&files[name]).unwrap_or_else(|why| panic!("{name}: {why}"))
}

#[tokio::test]
async fn d_l10_an_archive_has_the_languages_of_the_account_and_is_explained_in_english() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    ana.asks("profiles.language", json!({ "key": key(), "language": "pt-BR", "shown": "ar" })).await;
    let files = archive_of(&ana).await;
    let profile = &list(&files, "profile.json")[0];
    assert_eq!((&profile["language"], &profile["language_last_shown"]), (&json!("pt-BR"), &json!("ar")));
    assert!(files["README.txt"].starts_with(b"This is everything you have on Mellow"));
}

#[tokio::test]
async fn anas_archive_contains_all_her_data_and_nothing_else() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    ana.follows(&ben).await;
    cleo.follows(&ana).await;
    let upload = ana.uploads("tree.jpg", &jpeg(40, 30)).await;
    let mut fields = post_with_pictures("under \"trees\" 🌿\nand more", &[(&upload, "A tree.")]);
    fields["title"] = json!("Trees");
    fields["tag"] = json!("Green");
    fields["content_note"] = json!("Heights");
    let post = ana.asks("posts.create", fields).await["post"].clone();
    let his = ben.posts("his words").await;
    let comment_id = ana.comments(his, "well said").await;
    ben.comments(post["id"].as_i64().unwrap(), "his answer").await;
    ana.votes(his, "positive").await;
    ben.votes(post["id"].as_i64().unwrap(), "positive").await;
    cleo.votes(post["id"].as_i64().unwrap(), "negative").await;
    let mood = json!({ "key": key(), "slot": "morning", "mood": "Cozy", "zone": "UTC" });
    ana.asks("moods.set", mood).await;
    server.later(60_000);
    let plain = ana.posts("plain").await;
    ana.edits(plain, None, "plain, edited").await;

    let response = ana.fetches(&asks(&ana).await).await;
    assert_eq!(response.status, 200);
    for (name, value) in [
        ("Content-Type", "application/zip"),
        ("Content-Disposition", "attachment; filename=\"mellow-export-2026-03-01.zip\""),
        ("Cache-Control", "no-store"),
        ("X-Content-Type-Options", "nosniff"),
        ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    ] {
        assert_eq!(response.header(name), Some(value), "{name}");
    }
    let files = unpacked(&response.content);
    let large = path_of(&urls(&post)[0]);
    let mut names: Vec<&str> = files.keys().map(String::as_str).collect();
    names.retain(|name| !name.ends_with(".json"));
    assert_eq!(names, ["README.txt", &format!("media/{large}")]);
    assert_eq!(files[&format!("media/{large}")], std::fs::read(server.media().join(&large)).unwrap());
    let readme = String::from_utf8(files["README.txt"].clone()).unwrap();
    for name in files.keys().filter(|name| name.ends_with(".json")) {
        assert!(readme.contains(name.as_str()), "{name} is explained");
    }

    let morning = "2026-03-01T09:00:00Z";
    assert_eq!(
        list(&files, "profile.json"),
        [json!({
            "id": ana.id, "name": "Ana", "email": ana.email, "email_to_be_confirmed": null, "bio": "",
            "from_color": "blue", "to_color": "blue", "photo": null, "followers": 1, "following": 1,
            "hides_numbers": false, "is_listed": true, "who_can_add_to_groups": "followers",
            "who_can_comment": "everyone", "language": null, "language_last_shown": null, "quiet_hours": null,
            "joined_at": morning,
        })]
    );
    let picture = json!({
        "file": format!("media/{large}"), "moving_file": null, "alt": "A tree.", "width": 40, "height": 30,
    });
    assert_eq!(
        list(&files, "posts.json"),
        [
            json!({
                "id": plain, "title": null, "text": "plain, edited", "tag": null, "content_note": null,
                "audience": "public", "group": null, "written_at": "2026-03-01T09:01:00Z", "edited_at": "2026-03-01T09:01:00Z",
                "imported_from": null, "imported_at": null, "comments": 0,
                "positive_vibes": 0, "pictures": [],
            }),
            json!({
                "id": post["id"], "title": "Trees", "text": "under \"trees\" 🌿\nand more", "tag": "Green",
                "content_note": "Heights", "audience": "public", "group": null, "written_at": morning, "edited_at": null,
                "imported_from": null, "imported_at": null, "comments": 1,
                "positive_vibes": 1, "pictures": [picture],
            }),
        ]
    );
    assert_eq!(
        list(&files, "comments.json"),
        [json!({ "id": comment_id, "post_id": his, "text": "well said", "written_at": morning })]
    );
    assert_eq!(list(&files, "vibes.json"), [json!({ "post_id": his, "vibe": "positive" })]);
    assert_eq!(
        list(&files, "moods.json"),
        [json!({ "date": "2026-03-01", "slot": "morning", "mood": "Cozy", "shared_at": morning })]
    );
    assert_eq!(list(&files, "following.json"), [json!({ "id": ben.id, "name": "Ben" })]);
    assert_eq!(list(&files, "followers.json"), [json!({ "id": cleo.id, "name": "Cleo" })]);
    assert_eq!(
        list(&files, "logins.json"),
        [
            json!({ "device": list(&files, "logins.json")[0]["device"], "began_at": morning, "last_used_at": morning })
        ]
    );
    list(&files, "notifications.json");
    for empty in [
        "passkeys.json",
        "polls.json",
        "poll_votes.json",
        "groups.json",
        "joined_groups.json",
        "left_groups.json",
        "saved.json",
        "reports.json",
    ] {
        assert_eq!(list(&files, empty), [Value::Null; 0]);
    }

    let all: String = files.values().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect();
    for not_hers in [&ben.email, &cleo.email, "his words", "his answer", "negative", &ana.cookie, "$argon2id"]
    {
        assert!(!all.contains(not_hers), "{not_hers}");
    }
}

#[tokio::test]
async fn d_f6_polls_are_in_the_archive_of_their_creator_with_the_tally_if_the_creator_may_see_it() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    ana.follows(&ben).await;
    let (voted, waits) =
        (ana.asks_poll("Tea?", &["yes", "no"]).await, ana.asks_poll("Milk?", &["a", "b"]).await);
    let his = ben.asks_poll("his question", &["his option", "another"]).await;
    for (who, poll_id, option) in [(&ana, voted, 0), (&ben, voted, 1), (&ben, waits, 1), (&ana, his, 1)] {
        who.chooses(poll_id, option).await;
    }
    let (morning, week_later) = ("2026-03-01T09:00:00Z", "2026-03-08T09:00:00Z");
    let of = |id: i64, question: &str, options: [(&str, Value); 2]| {
        let options = options.map(|(text, votes)| json!({ "text": text, "votes": votes }));
        json!({
            "id": id, "question": question, "audience": "public", "group": null, "options": options,
            "asked_at": morning, "closes_at": week_later,
        })
    };
    let tea = of(voted, "Tea?", [("yes", json!(1)), ("no", json!(1))]);
    let files = archive_of(&ana).await;
    let open = of(waits, "Milk?", [("a", Value::Null), ("b", Value::Null)]);
    assert_eq!(list(&files, "polls.json"), [open.clone(), tea.clone()], "no more than her screen says");
    let chosen =
        |poll_id: i64, option: u8| json!({ "poll_id": poll_id, "option": option, "voted_at": morning });
    assert_eq!(list(&files, "poll_votes.json"), [chosen(his, 2), chosen(voted, 1)]);
    let all: String = files.values().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect();
    assert!(!all.contains("his question") && !all.contains("his option"));

    server.later(7 * 24 * 3_600_000);
    let files = archive_of(&ana).await;
    assert_eq!(
        list(&files, "polls.json"),
        [open, tea],
        "nor once it has closed, and with it her right to vote"
    );
}

#[tokio::test]
async fn the_archive_has_groups_and_only_own_texts_of_former_groups() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let makes = async |owner: &Person, name: &str, others: [&Person; 2]| {
        let made = owner.asks("groups.create", json!({ "key": key(), "name": name })).await;
        let group_id = made["group"]["id"].as_i64().unwrap();
        for other in others {
            other.follows(owner).await;
        }
        let user_ids = others.map(|other| other.id);
        let fields = json!({ "key": key(), "group_id": group_id, "user_ids": user_ids });
        owner.asks("groups.add", fields).await;
        group_id
    };
    let own = makes(&ana, "Close \"friends\"", [&cleo, &ben]).await;
    let bens = makes(&ben, "Ben's family", [&ana, &cleo]).await;
    let left = makes(&cleo, "Quetzals", [&ana, &ben]).await;
    let mut posts = Vec::new();
    for group_id in [own, bens, left] {
        let (post_id, poll_id) =
            (ana.posts("to a few").await, ana.asks_poll("to a few?", &["yes", "no"]).await);
        ana.chooses(poll_id, 0).await;
        ben.comments(post_id, "his words").await;
        let database = server.look();
        database
            .execute("update posts set audience = 'group', group_id = ?1 where id = ?2", [group_id, post_id])
            .unwrap();
        database.execute("update polls set group_id = ?1 where id = ?2", [group_id, poll_id]).unwrap();
        posts.push(post_id);
    }
    ana.asks("groups.leave", json!({ "key": key(), "group_id": left })).await;

    let files = archive_of(&ana).await;
    let named = |person: &Person| json!({ "id": person.id, "name": person.name });
    let made_at = "2026-03-01T09:00:00Z";
    let members = [named(&ana), named(&cleo), named(&ben)];
    assert_eq!(
        list(&files, "groups.json"),
        [json!({ "id": own, "name": "Close \"friends\"", "made_at": made_at, "members": members })]
    );
    assert_eq!(
        list(&files, "joined_groups.json"),
        [json!({ "id": bens, "name": "Ben's family", "owner": named(&ben) })]
    );
    let names = ["a group that you are no longer in", "Ben's family", "Close \"friends\""];
    let shared = |file: &str| -> Vec<(Value, Value)> {
        list(&files, file).iter().map(|row| (row["audience"].clone(), row["group"].clone())).collect()
    };
    for file in ["posts.json", "polls.json"] {
        assert_eq!(shared(file), names.map(|name| (json!("group"), json!(name))), "{file}");
    }
    let of = |file: &str, what: &str| -> Vec<Value> {
        list(&files, file).iter().map(|row| row.pointer(what).unwrap().clone()).collect()
    };
    assert_eq!(of("posts.json", "/comments"), [0, 1, 1], "as her screen says");
    assert_eq!(of("polls.json", "/options/0/votes"), [Value::Null, json!(1), json!(1)]);
    let delivered: Vec<Value> = list(&files, "notifications.json")
        .into_iter()
        .filter(|delivered| delivered["kind"] == "comment")
        .collect();
    let known = |delivered: &Value| (delivered["post_id"].clone(), delivered["comment_id"].is_null());
    assert_eq!(
        delivered.iter().map(known).collect::<Vec<_>>(),
        [(Value::Null, true), (json!(posts[1]), false), (json!(posts[0]), false)]
    );
    let all: String = files.values().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect();
    assert!(!all.contains("Quetzals") && !all.contains("his words"));

    // Only she sees a post whose group was deleted.
    ana.asks("groups.delete", json!({ "key": key(), "group_id": own })).await;
    let post = list(&archive_of(&ana).await, "posts.json").pop().unwrap();
    assert_eq!(
        (&post["audience"], &post["group"]),
        (&json!("author"), &json!("a group that no longer exists"))
    );
    // It says no more of the group after she chose that she alone sees it.
    ana.edits_for(json!({ "type": "author" }), post["id"].as_i64().unwrap(), "mine").await;
    let post = list(&archive_of(&ana).await, "posts.json").pop().unwrap();
    assert_eq!((&post["audience"], &post["group"]), (&json!("author"), &Value::Null));
}

#[tokio::test]
async fn expired_moods_are_in_no_archive() {
    let server = TestServer::with_manual_clock(&[]).await;
    let ana = server.person("Ana").await;
    ana.asks("moods.set", json!({ "key": key(), "slot": "morning", "mood": "Cozy", "zone": "UTC" })).await;
    let files = archive_of(&ana).await;
    assert_eq!(list(&files, "moods.json").len(), 1);
    // The mood has expired. It may or may not be deleted already.
    server.later(15 * 3_600_000);
    let files = archive_of(&ana).await;
    assert_eq!(list(&files, "moods.json"), [Value::Null; 0]);
}

#[tokio::test]
async fn a_large_account_is_in_the_archive_completely_and_once() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let his = ben.posts("hello").await;
    let database = server.look();
    for number in 0..250 {
        let sql = format!(
            "insert into comments (id, post_id, author_id, text, created_at_ms)
               values ({number} + 1, {his}, {}, 'comment {number}', {MORNING_MS})",
            ana.id
        );
        database.execute(&sql, []).unwrap();
    }
    drop(database);
    let files = archive_of(&ana).await;
    let texts: Vec<String> = list(&files, "comments.json")
        .iter()
        .map(|comment| comment["text"].as_str().unwrap().to_owned())
        .collect();
    let all: Vec<String> = (0..250).rev().map(|number| format!("comment {number}")).collect();
    assert_eq!(texts, all);
    assert_eq!(list(&files, "posts.json"), [Value::Null; 0]);
}

#[tokio::test]
async fn an_archive_is_fetched_once_by_its_user_within_ten_minutes() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let never = ana.fetches(&format!("/export/{}", "0".repeat(64))).await;
    assert_eq!(
        (never.status, never.content.len(), never.header("Cache-Control")),
        (404, 0, Some("no-store"))
    );
    let url = asks(&ana).await;
    assert_eq!(ben.fetches(&url).await.comparable(), never.comparable(), "somebody else's cookie");
    let guest = http::ask(server.at, "GET", &url, &[], "").await;
    assert_eq!(guest.comparable(), never.comparable(), "no cookie");
    for odd in ["/export/x", "/export/%00", "/export/..%2fmellow.db"] {
        assert_eq!(ana.fetches(odd).await.comparable(), never.comparable(), "{odd}");
    }
    for method in ["HEAD", "POST", "DELETE"] {
        assert_eq!(ana.fetches_with(method, &url, &[]).await.status, 405, "{method}");
    }
    assert_eq!(ana.fetches(&url).await.status, 200, "none of that used it");
    assert_eq!(ana.fetches(&url).await.comparable(), never.comparable(), "a second time");

    let (older, newer) = (asks(&ana).await, asks(&ana).await);
    assert_eq!(ana.fetches(&older).await.comparable(), never.comparable(), "a newer one took its place");
    server.later(10 * 60_000 - 1);
    let phone = ana.logs_in_on_phone().await;
    assert_eq!(phone.fetches(&newer).await.status, 200, "on any device of hers");
    let late = asks(&ana).await;
    server.later(10 * 60_000);
    assert_eq!(ana.fetches(&late).await.comparable(), never.comparable(), "too late");
    let over = asks(&ana).await;
    phone.asks("auth.log_out", json!({})).await;
    assert_eq!(phone.fetches(&over).await.comparable(), never.comparable(), "a login that is over");
}

#[tokio::test]
async fn exports_have_a_rate_limit() {
    let server = TestServer::with_manual_clock(&["exports_per_day=2"]).await;
    let ana = server.person("Ana").await;
    asks(&ana).await;
    asks(&ana).await;
    assert_eq!(ana.is_refused("slow_down", "account.export", json!({})).await.retry_ms, Some(12 * 3_600_000));
}

#[tokio::test]
async fn an_archive_is_complete_without_a_picture_deleted_meanwhile() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let post = ana.posts_picture("a tree").await;
    ana.publishes(post_with(None, "words", None)).await;
    std::fs::remove_file(server.media().join(path_of(&urls(&post)[0]))).unwrap();
    let files = archive_of(&ana).await;
    assert!(files.keys().all(|name| !name.starts_with("media/")));
    assert_eq!(list(&files, "posts.json").len(), 2);
}

#[tokio::test]
async fn s3_an_archive_is_cut_off_when_its_login_ends() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let filling = "insert into posts (id, author_id, text, created_at_ms, updated_at_ms)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)
        select i, ?1, hex(randomblob(1000)), 0, 0 from n";
    server.look().execute(filling, [ana.id]).unwrap();
    let url = asks(&ana).await;
    let mut line = tokio::net::TcpStream::connect(server.at).await.unwrap();
    let head = format!("GET {url} HTTP/1.1\r\nHost: {}\r\nCookie: mellow={}\r\n\r\n", server.at, ana.cookie);
    line.write_all(head.as_bytes()).await.unwrap();
    let mut content = vec![0; 1024];
    line.read_exact(&mut content).await.unwrap();
    assert!(content.starts_with(b"HTTP/1.1 200"));

    ana.logs_in_on_phone().await.asks("auth.log_out_others", json!({ "key": key() })).await;
    // The connection may end in any way, but the last part of the archive is never sent.
    let _ = line.read_to_end(&mut content).await;
    assert!(!content.ends_with(b"\r\n0\r\n\r\n"), "{} bytes", content.len());
}

#[tokio::test]
async fn s17_after_a_block_the_archives_of_both_users_have_nothing_of_the_other() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Anacanary", "Bencanary", "Cleo"]).await;
    for (who, other) in [(&ana, &ben), (&ben, &ana), (&ana, &cleo), (&ben, &cleo)] {
        who.follows(other).await;
    }
    let group_id = cleo.makes_group_with("Tea", &[&ana, &ben]).await;
    ana.makes_group_with("Hers", &[&ben]).await;
    let post_id = cleo.posts("hello").await;
    let shared = cleo.shares(group_id, "for tea").await;
    let own = [ana.posts("hers").await, ben.posts("his").await];
    let polls = [ana.asks_poll("Tea?", &["yes", "no"]).await, ben.asks_poll("Rain?", &["yes", "no"]).await];
    let left = [
        ana.makes_group_with("Left, of Ana", &[&ben]).await,
        ben.makes_group_with("Left, of Ben", &[&ana]).await,
    ];
    ben.leaves_group(left[0]).await;
    ana.leaves_group(left[1]).await;
    for who in [&ana, &ben] {
        for id in own {
            who.votes(id, "positive").await;
            who.comments(id, "I know").await;
        }
        for poll_id in polls {
            who.chooses(poll_id, 0).await;
        }
    }
    for (who, other) in [(&ana, &ben), (&ben, &ana)] {
        // The label is the writer's own text.
        let text = format!("I know @{}+my_\"friend\" and @{}+Cleo", other.id, cleo.id);
        who.comments(post_id, &text).await;
        who.comments(shared, &text).await;
        let theirs = if who.id == ana.id { own[1] } else { own[0] };
        who.saves(theirs).await;
        for about in
            [json!({ "type": "user", "user_id": other.id }), json!({ "type": "post", "post_id": theirs })]
        {
            let report = json!({ "key": key(), "about": about, "reason": "spam", "details": "" });
            who.asks("reports.create", report).await;
        }
    }
    ana.asks("people.block", json!({ "key": key(), "user_id": ben.id })).await;
    for (who, other) in [(&ana, &ben), (&ben, &ana)] {
        let files = archive_of(who).await;
        for (name, bytes) in &files {
            let words = String::from_utf8_lossy(bytes);
            // Ana may know whom she blocked.
            if !(who.id == ana.id && name == "blocked.json") {
                assert!(!words.contains(&other.id.to_string()), "{} of {}: {words}", name, who.name);
                assert!(!words.contains(&other.name), "{} of {}: {words}", name, who.name);
            }
        }
        // As after the end of the other's account.
        let (me, them) = if who.id == ana.id { (0, 1) } else { (1, 0) };
        let all: String = files.values().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect();
        for theirs in [own[them], polls[them], left[them]] {
            assert!(!all.contains(&theirs.to_string()), "{}", who.name);
        }
        assert_eq!(list(&files, "vibes.json"), [json!({ "post_id": own[me], "vibe": "positive" })]);
        assert_eq!(list(&files, "poll_votes.json")[0]["poll_id"], polls[me]);
        for empty in ["saved.json", "reports.json", "left_groups.json"] {
            assert_eq!(list(&files, empty), [Value::Null; 0]);
        }
        let text = format!("I know @my \"friend\" and @{}+Cleo", cleo.id);
        let comments = list(&files, "comments.json");
        let texts: Vec<&Value> = comments.iter().map(|comment| &comment["text"]).collect();
        assert_eq!(texts, [&json!(text), &json!(text), &json!("I know")]);
    }
}

#[tokio::test]
async fn an_archive_does_not_name_the_suspended_owner_of_a_group() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ana.follows(&ben).await;
    ben.makes_group_with("Tea", &[&ana]).await;
    assert_eq!(server.host(&["user", "suspend", &ben.email]).await.code, 0);
    let files = archive_of(&ana).await;
    let [group] = &list(&files, "joined_groups.json")[..] else { panic!("one group") };
    assert_eq!((&group["name"], &group["owner"]), (&json!("Tea"), &json!(null)));
}

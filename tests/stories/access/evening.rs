//! A busy evening. Checks that no message contains data of another user.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::moods::access::mood;
use crate::support::server::TestServer;
use crate::support::value::{pack, request};

/// Field names that no message contains.
const NEVER: [&str; 14] = [
    "negative_count",
    "negative",
    "votes",
    "voters",
    "voter_id",
    "follower_id",
    "followers",
    "password",
    "password_hash",
    "token",
    "token_hash",
    "email_key",
    "login_id",
    "key",
];

/// Checks a message to a user, whose `own` posts may have counts.
pub fn scan(message: &Value, is_me: bool, who: i64, own: &BTreeSet<i64>, path: &str) {
    match message {
        Value::Object(map) => {
            if let (Some(kind), Some(actor_id)) = (map.get("kind"), map.get("actor_id")) {
                let is_own = map["post_id"].as_i64().map(|post_id| own.contains(&post_id));
                let kinds = [("comment", Some(true)), ("reply", Some(false)), ("follow", None)];
                // If they may no longer read the subject, only the notification itself remains.
                let quoted = ["post_id", "comment_id", "comment_text", "post_text", "content_note"];
                let is_bare = quoted.iter().all(|name| map[*name].is_null());
                let fits = is_bare || kinds.iter().any(|(name, whose)| kind == name && *whose == is_own);
                assert!(fits && *actor_id != who, "{path}: {map:?} is a notification of somebody else");
            }
            if is_me {
                assert_eq!(map["id"], who, "{path}: {map:?} is somebody else");
            }
            for (name, value) in map {
                assert!(!NEVER.contains(&name.as_str()), "{path}.{name}");
                if ["email", "pending_email", "hide_numbers"].contains(&name.as_str()) {
                    assert!(is_me, "{path}.{name}: an email address is sent to its owner alone");
                }
                if name == "tally" && !value.is_null() && map.contains_key("choice") {
                    assert!(!map["choice"].is_null(), "{path}: {map:?} is for who voted");
                }
                if name == "positive_count" && !value.is_null() {
                    let id = map.get("id").or(map.get("post_id")).and_then(Value::as_i64).unwrap();
                    assert!(own.contains(&id), "{path}: {map:?} counts somebody else's post");
                }
                scan(value, name == "me" && value.is_object(), who, own, &format!("{path}.{name}"));
            }
        }
        Value::Array(values) => values.iter().for_each(|value| scan(value, false, who, own, path)),
        _ => {}
    }
}

#[tokio::test]
async fn c39_a_busy_evening_delivers_nothing_to_other_users() {
    let server = TestServer::new().await;
    let names = ["Ana", "Ben", "Cleo", "Dora", "Emil"];
    let people = server.people(names).await;
    let [ana, ben, cleo, dora, emil] = &people;
    let mut own: BTreeMap<i64, BTreeSet<i64>> = BTreeMap::new();
    for who in [ben, cleo, dora] {
        who.follows(ana).await;
    }
    ana.follows(ben).await;
    for who in &people {
        who.asks("moods.set", mood()).await;
    }
    let mut posts = Vec::new();
    for round in 0..4 {
        for who in &people {
            let text = format!("{} {round}", who.name);
            let post_id = match round {
                1 => who.posts_picture(&text).await["id"].as_i64().unwrap(),
                _ => who.posts(&text).await,
            };
            own.entry(who.id).or_default().insert(post_id);
            posts.push(post_id);
            for (number, other) in people.iter().enumerate() {
                other.votes(post_id, ["positive", "negative", "none"][(number + round) % 3]).await;
                if other.id != who.id && number % 2 == 0 {
                    other.saves(post_id).await;
                }
                if (number + round) % 2 == 0 {
                    let next = &people[(number + 1) % people.len()];
                    let comment = other.comments(post_id, &format!("hm {}", next.mention())).await;
                    if round == 1 {
                        other.deletes_comment(comment).await;
                    }
                }
            }
        }
        for (who, post_id) in people.iter().zip(&posts) {
            who.edits(*post_id, None, &format!("{} again, {round}", who.name)).await;
        }
        for who in &people {
            who.reads_feed().await;
            who.asks("search.names", json!({ "term": "B" })).await;
            who.asks("comments.mentionable", json!({ "post_id": posts[0], "term": "e" })).await;
            let delivered = who.reads_notifications().await;
            who.dismisses(delivered["notifications"][0]["id"].as_i64().unwrap()).await;
            who.sees_all().await;
            who.asks("moods.today", json!({ "zone": "UTC" })).await;
            who.renames(&format!("{} the {round}th", who.name)).await;
            who.asks("posts.refresh", json!({ "post_ids": posts })).await;
            for side in ["followers", "following"] {
                who.asks("follows.page", json!({ "side": side })).await;
            }
            for other in &people {
                who.visits(other).await;
                who.reads_posts_of(other).await;
            }
            who.reads_thread(posts[0]).await;
            who.reads_saved().await;
            who.opens(posts[0]).await;
        }
        emil.follows(dora).await;
        let poll_id = dora.asks_poll(&format!("question {round}"), &["yes", "no"]).await;
        emil.reads_polls().await;
        if round % 2 == 0 {
            emil.chooses(poll_id, 1).await;
        }
        emil.reads_polls().await;
        emil.unfollows(dora).await;
        dora.reads_polls().await;
    }
    ana.deletes(posts[0]).await;
    for who in &people {
        who.is_up_to_date(&server).await;
        let mut all = who.socket.log();
        // A fresh tab, and the events it missed.
        let tab = who.opens_another_tab().await;
        let epoch = tab.socket.hello().await["epoch"].clone();
        tab.asks("live.resume", json!({ "epoch": epoch, "seq": 1, "posts": posts, "profiles": [ana.id] }))
            .await;
        all.extend(tab.socket.log());
        assert!(all.len() > 100);
        for message in &all {
            scan(message, false, who.id, &own[&who.id], &who.name);
        }
        let emails: Vec<&str> =
            people.iter().filter(|other| other.id != who.id).map(|other| other.email.as_str()).collect();
        for bytes in who.socket.bytes().iter().chain(&tab.socket.bytes()) {
            for email in &emails {
                let found =
                    bytes.windows(email.len()).any(|window| window.eq_ignore_ascii_case(email.as_bytes()));
                assert!(!found, "{} was sent {email}", who.name);
            }
        }
    }
}

#[tokio::test]
async fn odd_requests_read_no_list_of_another_user() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    ben.follows(&ana).await;
    // There is no field for the owner of the list; one that is added is ignored.
    let ok =
        cleo.asks("follows.page", json!({ "side": "followers", "user_id": ana.id, "before": ben.id })).await;
    assert_eq!(ok["users"], json!([]));
    let bytes = pack(&request(1, "follows.page", &json!({ "side": "followers" })));
    let guest = server.guest().await;
    guest.send_bytes(bytes).await;
    assert_eq!(guest.reply_to(1).await.unwrap_err().code, "not_signed_in");
}

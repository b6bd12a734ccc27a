//! Blocking, muting, and removing a follower.

pub mod access;

use serde_json::{Value, json};

use crate::support::groups::of;
use crate::support::person::{Person, texts};
use crate::support::server::TestServer;
use crate::support::value::{key, pack};

/// A word that only Ben's name and texts contain.
const BENS: &str = "benscanary";
/// A word that only Ana's name and texts contain.
const ANAS: &str = "anascanary";

async fn blocks(who: &Person, other: &Person) -> Value {
    who.asks("people.block", about(other)).await
}

fn about(other: &Person) -> Value {
    json!({ "key": key(), "user_id": other.id })
}

fn holds(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

/// Fails if a message from the index `from` on has the id, the name or a text of the other user.
async fn heard_nothing_of(who: &Person, from: usize, other: &Person, canary: &str) {
    let id = pack(&json!(other.id));
    who.socket
        .waits("its messages", |state| {
            for (bytes, message) in state.bytes.iter().zip(&state.log).skip(from) {
                let words = message.to_string();
                assert!(!words.contains(canary), "{} received words of {}: {words}", who.name, other.name);
                assert!(!holds(bytes, &id), "{} received the id of {}: {words}", who.name, other.name);
                assert!(!words.contains(&other.id.to_string()), "{} received the id in {words}", who.name);
            }
            Some(())
        })
        .await;
}

async fn messages(who: &Person) -> usize {
    who.socket.waits("its messages", |state| Some(state.log.len())).await
}

/// Reads everything that one user may read, from every list.
async fn reads_everything(who: &Person, posts: &[i64], group: i64, poll: i64) {
    for (op, fields) in [
        ("posts.feed", json!({})),
        ("posts.feed", json!({ "tag": "tea" })),
        ("posts.by_author", json!({ "user_id": who.id })),
        ("posts.search", json!({ "term": "post" })),
        ("posts.refresh", json!({ "post_ids": posts })),
        ("search.names", json!({ "term": "b" })),
        ("search.names", json!({ "term": "a" })),
        ("search.people", json!({})),
        ("notifications.page", json!({})),
        ("polls.list", json!({})),
        ("moods.today", json!({ "zone": "UTC" })),
        ("groups.list", json!({})),
        ("groups.get", json!({ "group_id": group })),
        ("posts.by_group", json!({ "group_id": group })),
        ("posts.saved", json!({})),
        ("follows.page", json!({ "side": "followers" })),
        ("follows.page", json!({ "side": "following" })),
        ("polls.voters", json!({ "poll_id": poll, "option": 0 })),
    ] {
        who.asks(op, fields).await;
    }
    for post_id in posts {
        for (op, fields) in [
            ("posts.get", json!({ "post_id": post_id })),
            ("comments.page", json!({ "post_id": post_id })),
            ("comments.mentionable", json!({ "post_id": post_id, "term": "" })),
            ("comments.mentionable", json!({ "post_id": post_id, "term": "b" })),
            ("comments.mentionable", json!({ "post_id": post_id, "term": "a" })),
        ] {
            let _ = who.tries(op, fields).await;
        }
    }
}

#[tokio::test]
async fn s17_after_ana_blocked_ben_neither_reads_or_receives_anything_of_the_other() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people([ANAS, BENS, "Cleo"]).await;
    for who in [&ana, &ben] {
        who.follows(&cleo).await;
        cleo.follows(who).await;
    }
    ana.follows(&ben).await;
    ben.follows(&ana).await;
    let group = cleo.makes_group_with("Tea", &[&ana, &ben]).await;
    let bens = ben.posts_tagged(&format!("{BENS} post"), "tea").await;
    let anas = ana.posts_tagged(&format!("{ANAS} post"), "tea").await;
    let cleos = cleo.posts("a post of Cleo").await;
    let shared = cleo.shares(group, "for tea").await;
    let bens_shared = ben.shares(group, &format!("{BENS} for tea")).await;
    let poll = cleo.asks_poll_of(group, "Tea?", &["yes", "no"]).await;
    for who in [&ana, &ben, &cleo] {
        who.chooses(poll, 0).await;
    }
    // The label of a mention is the writer's own text, and stays.
    let mention = |other: &Person| format!("@{}+Friend", other.id);
    for post_id in [cleos, shared] {
        ben.comments(post_id, &format!("{BENS} says {}", mention(&ana))).await;
        ana.comments(post_id, &format!("{ANAS} says {}", mention(&ben))).await;
    }
    let posts = [bens, anas, cleos, shared, bens_shared];
    for (who, post_id) in [(&ana, bens), (&ana, bens_shared), (&ben, anas), (&ben, cleos)] {
        who.saves(post_id).await;
    }
    reads_everything(&ana, &posts, group, poll).await;
    reads_everything(&ben, &posts, group, poll).await;

    blocks(&ana, &ben).await;
    for (who, other) in [(&ana, &ben), (&ben, &ana)] {
        let gone = who.socket.receives_where("users.deleted", |event| event["user_id"] == other.id).await;
        assert_eq!(gone.as_object().unwrap().len(), 3, "as of a deleted account: {gone}");
        who.is_up_to_date(&server).await;
    }
    let from = [messages(&ana).await, messages(&ben).await];
    reads_everything(&ana, &posts, group, poll).await;
    reads_everything(&ben, &posts, group, poll).await;

    // Cleo mentions both. Each of the two acts on topics to which the other is subscribed.
    cleo.comments(cleos, &format!("hello {} and {}", mention(&ana), mention(&ben))).await;
    for (who, canary) in [(&ana, ANAS), (&ben, BENS)] {
        who.comments(cleos, &format!("{canary} again")).await;
        who.comments(shared, &format!("{canary} again")).await;
        who.shares(group, &format!("{canary} again for tea")).await;
        who.asks_poll_of(group, &format!("{canary} asks"), &["yes", "no"]).await;
        who.posts(&format!("{canary} again")).await;
        who.votes(cleos, "positive").await;
        who.renames(&format!("{canary} two")).await;
    }
    let fresh = cleo.posts("seen by both").await;
    for who in [&ana, &ben] {
        who.sees_post("seen by both").await;
        who.is_up_to_date(&server).await;
        who.opens(fresh).await;
    }
    reads_everything(&ana, &posts, group, poll).await;
    reads_everything(&ben, &posts, group, poll).await;
    heard_nothing_of(&ana, from[0], &ben, BENS).await;
    heard_nothing_of(&ben, from[1], &ana, ANAS).await;

    // The hidden mention of the other is plain text of Cleo. Cleo sees everything.
    for who in [&ana, &ben] {
        let thread = who.reads_thread(cleos).await;
        let last = thread["comments"].as_array().unwrap().iter().find(|one| one["author_id"] == cleo.id);
        let hidden = if who.id == ana.id { &ben } else { &ana };
        let words = last.unwrap()["text"].as_str().unwrap();
        assert!(words.contains(&who.id.to_string()) && !words.contains(&hidden.id.to_string()), "{words}");
        assert_eq!((thread["comments"].as_array().unwrap().len(), &thread["comments_count"]), (3, &json!(3)));
        assert_eq!(who.opens(cleos).await["comments_count"], 3);
        assert_eq!(who.asks("groups.get", json!({ "group_id": group })).await["group"]["members_count"], 2);
    }
    assert_eq!(cleo.reads_thread(cleos).await["comments_count"], 5);
    assert_eq!(cleo.asks("groups.get", json!({ "group_id": group })).await["group"]["members_count"], 3);
}

#[tokio::test]
async fn s17_requests_about_the_other_user_get_the_replies_of_a_deleted_account() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let post_id = ben.posts("hello").await;
    let hers = ana.posts("hi").await;
    blocks(&ana, &ben).await;
    for (who, other, post_id) in [(&ana, &ben, post_id), (&ben, &ana, hers)] {
        for (op, fields) in [
            ("profiles.get", json!({ "user_id": other.id })),
            ("posts.by_author", json!({ "user_id": other.id })),
            ("posts.get", json!({ "post_id": post_id })),
            ("comments.page", json!({ "post_id": post_id })),
            (
                "comments.create",
                json!({ "key": key(), "post_id": post_id, "text": "hi", "audience": { "type": "public" } }),
            ),
            ("follows.set", json!({ "key": key(), "user_id": other.id, "following": true })),
            ("people.mute", about(other)),
        ] {
            who.is_refused("not_found", op, fields).await;
        }
    }
    ben.is_refused("not_found", "people.block", about(&ana)).await;
    // Blocking again changes nothing.
    let seq = blocks(&ana, &ben).await;
    assert!(seq["seq"].is_i64());
}

#[tokio::test]
async fn follows_and_memberships_between_the_two_end_and_do_not_return() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    ana.follows(&ben).await;
    let hers = ana.makes_group_with("Hers", &[&ben, &cleo]).await;
    let his = ben.makes_group_with("His", &[&ana]).await;
    blocks(&ana, &ben).await;
    let names = |groups: &[Value]| groups.iter().map(|group| group["name"].clone()).collect::<Vec<_>>();
    assert_eq!(names(&ana.reads_groups().await), ["Hers"]);
    assert_eq!(names(&ben.reads_groups().await), ["His"]);
    ana.is_refused("not_found", "groups.get", json!({ "group_id": his })).await;
    ben.is_refused("not_found", "groups.get", json!({ "group_id": hers })).await;

    ana.asks("people.unblock", about(&ben)).await;
    for (who, other) in [(&ana, &ben), (&ben, &ana)] {
        let back = who.socket.receives_where("users.returned", |event| event["user_id"] == other.id).await;
        assert_eq!(back.as_object().unwrap().len(), 3, "{back}");
        let profile = who.visits(other).await;
        assert_eq!((&profile["followed"], &profile["follows_me"]), (&json!(false), &json!(false)));
    }
    assert_eq!(names(&ana.reads_groups().await), ["Hers"]);
    assert_eq!(names(&ben.reads_groups().await), ["His"]);
}

#[tokio::test]
async fn a_blocked_user_receives_no_tally_of_the_others_polls_also_after_the_block_ended() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    for who in [&ben, &cleo] {
        who.follows(&ana).await;
    }
    let poll_id = ana.asks_poll("Tea?", &["yes", "no"]).await;
    for who in [&ana, &ben] {
        who.chooses(poll_id, 0).await;
    }
    ana.sees_tally(poll_id, &json!([2, 0])).await;
    blocks(&ana, &ben).await;
    ana.asks("people.unblock", about(&ben)).await;
    ben.receives("users.returned").await;
    // He no longer follows her.
    assert!(ben.reads_polls().await.is_empty());
    cleo.chooses(poll_id, 1).await;
    ana.sees_tally(poll_id, &json!([2, 1])).await;
    ben.is_up_to_date(&server).await;
    assert!(!ben.tallies(poll_id).contains(&json!([2, 1])));
}

#[tokio::test]
async fn the_thread_of_a_third_user_is_correct_for_both_at_once() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let post_id = cleo.posts("hello").await;
    let first = ben.comments(post_id, "one").await;
    ana.comments(post_id, "two").await;
    cleo.comments(post_id, "three").await;
    for who in [&ana, &ben, &cleo] {
        who.opens(post_id).await;
        who.is_up_to_date(&server).await;
    }
    blocks(&ana, &ben).await;
    let gone = ana.receives("comments.deleted").await;
    assert_eq!((&gone["comment_id"], &gone["comments_count"]), (&json!(first), &json!(2)));
    assert_eq!(gone["first_comments"].as_array().unwrap().len(), 2);
    assert_eq!(ben.receives("comments.deleted").await["comments_count"], 2);
    cleo.receives_nothing(&server).await;
    ana.is_up_to_date(&server).await;
    ben.is_up_to_date(&server).await;

    cleo.comments(post_id, "four").await;
    for (who, count) in [(&ana, 3), (&ben, 3), (&cleo, 4)] {
        let event = who.sees_comment("four").await;
        assert_eq!(event["comments_count"], count, "{}", who.name);
        assert_eq!(who.opens(post_id).await["comments_count"], count);
    }
    ben.comments(post_id, "five").await;
    ana.receives_nothing(&server).await;
    assert_eq!(cleo.sees_comment("five").await["comments_count"], 5);
}

#[tokio::test]
async fn b1_a_comment_that_is_among_the_oldest_two_for_some_names_only_users_whom_each_viewer_may_see() {
    let server = TestServer::new().await;
    let [ana, ben, cleo, dan, eve] = server.people(["Ana", "Ben", "Cleo", "Dan", "Eve"]).await;
    let group = ana.makes_group_with("Tea", &[&cleo, &dan]).await;
    let post = ana.posts("tea?").await;
    ben.comments(post, "me").await;
    ana.comments(post, "who else?").await;
    let deleted = ana.comments(post, "nobody?").await;
    // This is the second comment for viewers to whom Ben is hidden, and the third for everybody else.
    ana.comments(post, &format!("and @{}+Eve", eve.id)).await;
    // Cleo and Dan see the same comments. The mentioned user is hidden from Dan.
    blocks(&cleo, &ben).await;
    blocks(&dan, &ben).await;
    blocks(&dan, &eve).await;
    for who in [&cleo, &dan] {
        who.opens(post).await;
        who.is_up_to_date(&server).await;
    }
    let from = messages(&dan).await;
    ana.deletes_comment(deleted).await;
    let shown = |event: &Value| {
        let first = event.pointer("/post/first_comments").unwrap_or(&event["first_comments"]);
        let texts: Vec<&str> =
            first.as_array().unwrap().iter().map(|comment| comment["text"].as_str().unwrap()).collect();
        (texts.join(", "), event["users"].as_array().unwrap().iter().any(|user| user["id"] == eve.id))
    };
    let expected = |label: &str| format!("who else?, and {label}");
    let token = format!("@{}+Eve", eve.id);
    assert_eq!(shown(&cleo.receives("comments.deleted").await), (expected(&token), true));
    assert_eq!(shown(&dan.receives("comments.deleted").await), (expected("@Eve"), false));
    ana.edits_for(of(group), post, "tea?").await;
    assert_eq!(shown(&cleo.receives("posts.created").await), (expected(&token), true));
    assert_eq!(shown(&dan.receives("posts.created").await), (expected("@Eve"), false));
    heard_nothing_of(&dan, from, &eve, "evescanary").await;
}

#[tokio::test]
async fn bens_comment_that_arrives_after_the_block_is_refused_and_reaches_nobody() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let post_id = ana.posts("hello").await;
    ben.opens(post_id).await;
    blocks(&ana, &ben).await;
    ana.is_up_to_date(&server).await;
    ben.is_refused(
        "not_found",
        "comments.create",
        json!({ "key": key(), "post_id": post_id, "text": "hi", "audience": { "type": "public" } }),
    )
    .await;
    ana.receives_nothing(&server).await;
}

#[tokio::test]
async fn the_reply_to_a_repeated_key_has_nothing_of_a_user_who_was_blocked_meanwhile() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    let group = ana.makes_group("Tea").await;
    let fields = json!({ "key": key(), "group_id": group, "user_ids": [ben.id] });
    assert_eq!(ana.asks("groups.add", fields.clone()).await["users"][0]["name"], "Ben");
    blocks(&ana, &ben).await;
    ana.is_up_to_date(&server).await;
    let from = messages(&ana).await;
    let again = ana.tries("groups.add", fields).await;
    heard_nothing_of(&ana, from, &ben, "\"Ben\"").await;
    assert!(again.is_err(), "{again:?}");
}

#[tokio::test]
async fn s17_a_client_that_reconnects_after_the_block_gets_resync() {
    let server = TestServer::new().await;
    let [mut ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    ana.follows(&ben).await;
    ana.is_up_to_date(&server).await;
    let cursor = cleo.follows(&ana).await["seq"].clone();
    ben.posts("missed").await;
    let phone = ana.logs_in_on_phone().await;
    blocks(&phone, &ben).await;
    ana.reconnects().await;
    let (hello, from) = (ana.socket.hello().await, messages(&ana).await);
    let reply = ana
        .asks("live.resume", json!({ "epoch": hello["epoch"], "seq": cursor, "posts": [], "profiles": [] }))
        .await;
    assert_eq!(reply["resync"], true, "{reply}");
    heard_nothing_of(&ana, from, &ben, "missed").await;
}

#[tokio::test]
async fn a_muted_user_disappears_from_anas_lists_and_receives_nothing_of_it() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    ana.follows(&ben).await;
    ana.follows(&cleo).await;
    let group = cleo.makes_group_with("Tea", &[&ana, &ben]).await;
    let old = ben.posts("old").await;
    let hers = ana.posts("hers").await;
    ben.comments(hers, "hello").await;
    assert_eq!(ana.reads_notifications().await["notifications"].as_array().unwrap().len(), 1);
    for who in [&ana, &ben, &cleo] {
        who.is_up_to_date(&server).await;
    }
    ana.asks("people.mute", about(&ben)).await;
    let changed = ana.receives("people.changed").await;
    assert_eq!(
        (&changed["user_id"], &changed["muted"], &changed["blocked"]),
        (&json!(ben.id), &json!(true), &json!(false))
    );
    ana.receives("notifications.deleted").await;
    ben.receives_nothing(&server).await;

    ben.posts_tagged("muted words", "tea").await;
    ben.shares(group, "muted in the group").await;
    ben.asks_poll("Muted?", &["yes", "no"]).await;
    ana.receives_nothing(&server).await;
    ben.comments(hers, "still there").await;
    ana.receives_only(&server, &["comments.created"]).await;
    assert_eq!(ana.feed_texts().await, ["hers"]);
    assert_eq!(ana.tagged_texts("tea").await, [""; 0]);
    assert_eq!(texts(&ana.reads_posts_in(group).await), [""; 0]);
    assert_eq!(texts(&cleo.reads_posts_in(group).await), ["muted in the group"]);
    assert_eq!(ana.reads_polls().await, [json!(null); 0]);
    assert_eq!(ana.reads_notifications().await["notifications"], json!([]));

    // Follows, comments, the profile and the page of a post do not change.
    let profile = ana.visits(&ben).await;
    assert_eq!((&profile["followed"], &profile["muted"]), (&json!(true), &json!(true)));
    assert_eq!(texts(&ana.reads_posts_of(&ben).await).len(), 3);
    assert_eq!(ana.opens(old).await["text"], "old");
    assert_eq!(ana.reads_thread(hers).await["comments"].as_array().unwrap().len(), 2);
    let hidden = ana.asks("people.hidden", json!({})).await;
    assert_eq!((&hidden["muted"][0]["name"], &hidden["blocked"]), (&json!("Ben"), &json!([])));

    ana.asks("people.unmute", about(&ben)).await;
    assert_eq!(ana.feed_texts().await.len(), 4);
    assert_eq!(texts(&ana.reads_posts_in(group).await), ["muted in the group"]);
}

#[tokio::test]
async fn a_removed_follower_receives_no_more_posts_and_may_follow_again() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    assert_eq!(ana.visits(&ben).await["follows_me"], true);
    ben.is_up_to_date(&server).await;
    ana.asks("follows.remove", about(&ben)).await;
    ben.receives_only(&server, &["follows.changed"]).await;
    ana.posts("too late").await;
    ben.receives_nothing(&server).await;
    assert_eq!(ben.reads_notifications().await["notifications"], json!([]));
    ben.follows(&ana).await;
    assert_eq!(ben.feed_texts().await, ["too late"]);
}

#[tokio::test]
async fn ana_may_neither_block_nor_mute_herself_and_only_she_sees_her_lists() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ana.is_refused("invalid", "people.block", about(&ana)).await;
    ana.is_refused("invalid", "people.mute", about(&ana)).await;
    ana.is_refused("not_found", "people.block", json!({ "key": key(), "user_id": 7 })).await;
    blocks(&ana, &ben).await;
    let hidden = ana.asks("people.hidden", json!({})).await;
    assert_eq!(hidden["blocked"], json!([{ "id": ben.id, "name": "Ben", "photo_url": null }]));
    let his = ben.asks("people.hidden", json!({})).await;
    assert_eq!((&his["blocked"], &his["muted"]), (&json!([]), &json!([])));
}

//! Groups: their names, their deletion, their limits, and that they do not exist for anyone else.

pub mod access;
mod tapes;

use serde_json::{Value, json};

use crate::support::groups::{self as audience, edit_for, poll_for, post_for};
use crate::support::http;
use crate::support::person::{Person, edit, texts};
use crate::support::server::{MORNING_MS, TestServer};
use crate::support::socket::Socket;
use crate::support::value::{contains, key, pack};
use crate::writes::{Sender, Stage, id_of};

/// The id of a group that does not exist.
pub(super) const NONE: i64 = 77;

pub(super) fn named(name: &str) -> Value {
    json!({ "key": key(), "name": name })
}

pub(super) fn renamed(group_id: i64, name: &str) -> Value {
    json!({ "key": key(), "group_id": group_id, "name": name })
}

pub(super) fn with(group_id: i64, people: &[&Person]) -> Value {
    with_ids(group_id, &people.iter().map(|person| person.id).collect::<Vec<_>>())
}

pub(super) fn with_ids(group_id: i64, user_ids: &[i64]) -> Value {
    json!({ "key": key(), "group_id": group_id, "user_ids": user_ids })
}

pub(super) fn without(group_id: i64, person: &Person) -> Value {
    json!({ "key": key(), "group_id": group_id, "user_id": person.id })
}

pub(super) fn of(group_id: i64) -> Value {
    json!({ "key": key(), "group_id": group_id })
}

/// Creates a group. Returns its id.
pub(super) async fn makes(owner: &Person, name: &str) -> i64 {
    owner.asks("groups.create", named(name)).await["group"]["id"].as_i64().unwrap()
}

/// Creates a group with these members, who follow its owner first.
pub(super) async fn makes_with(owner: &Person, name: &str, others: &[&Person]) -> i64 {
    for other in others {
        other.follows(owner).await;
    }
    let group_id = makes(owner, name).await;
    owner.asks("groups.add", with(group_id, others)).await;
    group_id
}

async fn gets(person: &Person, group_id: i64) -> Value {
    person.asks("groups.get", json!({ "group_id": group_id })).await
}

/// Returns the names of the members, as this user reads them.
pub(super) async fn members(person: &Person, group_id: i64) -> Vec<String> {
    let one = gets(person, group_id).await;
    let members = one["members"].as_array().unwrap();
    assert_eq!(one["group"]["members_count"], members.len());
    members.iter().map(|member| member["name"].as_str().unwrap().to_owned()).collect()
}

pub(super) async fn list(person: &Person) -> Vec<Value> {
    person.asks("groups.list", json!({})).await["groups"].as_array().unwrap().clone()
}

/// Returns the bytes of the reply to the first request of a socket.
async fn first_reply(socket: &Socket, op: &str, fields: Value) -> Vec<u8> {
    let id = socket.sends(op, fields).await;
    assert_eq!(id, 1, "so that replies can be compared");
    let _ = socket.reply_to(id).await;
    let at = socket.log().iter().position(|message| message["re"] == id).unwrap();
    socket.bytes()[at].clone()
}

/// Asserts that no frame that a user received contains anything of a group.
pub(super) fn knows_nothing(person: &Person, group_id: i64, word: &str) {
    let id = pack(&json!(group_id));
    for bytes in person.socket.bytes() {
        assert!(!contains(&bytes, &id) && !contains(&bytes, word.as_bytes()), "{} received it", person.name);
    }
}

#[tokio::test]
async fn ana_creates_a_group_and_only_her_tabs_receive_it() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let tab = ana.opens_another_tab().await;
    ben.follows(&ana).await;
    for who in [&ana, &tab, &ben] {
        who.is_up_to_date(&server).await;
    }
    let ok = ana.asks("groups.create", named("  Quetzal \n friends ")).await;
    let group_id = ok["group"]["id"].as_i64().unwrap();
    let group = json!({
        "id": group_id, "name": "Quetzal friends", "owner_id": ana.id, "members_count": 1,
        "created_at_ms": MORNING_MS,
    });
    assert_eq!(ok, json!({ "group": group, "seq": ok["seq"] }));
    for own in [&ana, &tab] {
        let event = own.receives_only(&server, &["groups.created"]).await.remove(0);
        let seq = &ok["seq"];
        assert_eq!(
            event,
            json!({ "ev": "groups.created", "group": group, "users": [ana.named()], "seq": seq })
        );
    }
    let listed = ana.asks("groups.list", json!({})).await;
    assert_eq!(listed, json!({ "groups": [group], "users": [ana.named()], "seq": listed["seq"] }));
    let one = gets(&ana, group_id).await;
    assert_eq!(one, json!({ "group": group, "members": [ana.named()], "posts_count": 0, "seq": one["seq"] }));
    assert_eq!(list(&ben).await, [Value::Null; 0]);
    ben.receives_nothing(&server).await;
    knows_nothing(&ben, group_id, "uetzal");
}

#[tokio::test]
async fn an_invalid_group_is_refused_with_the_specified_sentence() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let group_id = makes(&ana, "Close friends").await;
    for (name, message) in [
        (" \n", "Please enter a group name."),
        (&*"a".repeat(51), "This is longer than 50 characters. Your words are kept."),
        ("a\u{202E}b", "This has characters that can't be shown. Your words are kept."),
    ] {
        for (op, fields) in [("groups.create", named(name)), ("groups.rename", renamed(group_id, name))] {
            let no = ana.is_refused("invalid", op, fields).await;
            assert_eq!((no.field.as_deref(), no.message.as_str()), (Some("name"), message));
        }
    }
    let many: Vec<i64> = (1..=151).collect();
    for wrong in [&[][..], &[7, 8, 7], &many] {
        ana.is_refused("bad_request", "groups.add", with_ids(group_id, wrong)).await;
    }
    let guest = server.guest().await;
    for (op, fields) in [
        ("groups.list", json!({})),
        ("groups.get", json!({ "group_id": group_id })),
        ("groups.create", named("x")),
        ("groups.leave", of(group_id)),
    ] {
        assert_eq!(guest.asks(op, fields).await.unwrap_err().code, "not_signed_in", "{op}");
    }
}

#[tokio::test]
async fn a_new_group_name_reaches_its_members_and_the_same_name_publishes_nothing() {
    let server = TestServer::new().await;
    let [ana, ben, dan] = server.people(["Ana", "Ben", "Dan"]).await;
    let group_id = makes_with(&ana, "Close friends", &[&ben]).await;
    for who in [&ana, &ben, &dan] {
        who.is_up_to_date(&server).await;
    }
    let ok = ana.asks("groups.rename", renamed(group_id, "Quetzals")).await;
    assert_eq!(ok, json!({ "group_id": group_id, "name": "Quetzals", "seq": ok["seq"] }));
    for who in [&ana, &ben] {
        let event = who.receives_only(&server, &["groups.renamed"]).await.remove(0);
        let seq = &ok["seq"];
        assert_eq!(
            event,
            json!({ "ev": "groups.renamed", "group_id": group_id, "name": "Quetzals", "seq": seq })
        );
        assert_eq!(list(who).await[0]["name"], "Quetzals");
    }
    ana.asks("groups.rename", renamed(group_id, " Quetzals ")).await;
    for who in [&ana, &ben, &dan] {
        who.receives_nothing(&server).await;
    }
    knows_nothing(&dan, group_id, "Quetzals");
}

#[tokio::test]
async fn a_deleted_group_disappears_for_its_members_and_others_receive_nothing() {
    let server = TestServer::new().await;
    let [ana, ben, cleo, dan] = server.people(["Ana", "Ben", "Cleo", "Dan"]).await;
    let group_id = makes_with(&ana, "Close friends", &[&ben, &cleo]).await;
    let stays = makes_with(&ana, "Family", &[&ben]).await;
    cleo.asks("groups.leave", of(group_id)).await;
    let phone = ben.logs_in_on_phone().await;
    for who in [&ana, &ben, &phone, &cleo, &dan] {
        who.is_up_to_date(&server).await;
    }
    let ok = ana.asks("groups.delete", of(group_id)).await;
    for who in [&ana, &ben, &phone] {
        let event = who.receives_only(&server, &["groups.deleted"]).await.remove(0);
        assert_eq!(event, json!({ "ev": "groups.deleted", "group_id": group_id, "seq": ok["seq"] }));
        assert_eq!(list(who).await[0]["id"], stays);
    }
    for who in [&cleo, &dan] {
        who.receives_nothing(&server).await;
    }
    ana.is_refused("not_found", "groups.delete", of(group_id)).await;
    ana.is_refused("not_found", "groups.get", json!({ "group_id": group_id })).await;
    knows_nothing(&dan, group_id, "Close friends");
}

#[tokio::test]
async fn d_g2_a_member_who_is_not_its_owner_changes_nothing() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    cleo.follows(&ben).await;
    let group_id = makes_with(&ana, "Close friends", &[&ben]).await;
    for who in [&ana, &ben] {
        who.is_up_to_date(&server).await;
    }
    for (op, fields) in [
        ("groups.rename", renamed(group_id, "mine")),
        ("groups.delete", of(group_id)),
        ("groups.add", with(group_id, &[&cleo])),
        ("groups.remove", without(group_id, &ana)),
        ("groups.remove", without(group_id, &ben)),
    ] {
        ben.is_refused("not_found", op, fields).await;
    }
    for who in [&ana, &ben] {
        who.receives_nothing(&server).await;
        assert_eq!(members(who, group_id).await, ["Ana", "Ben"]);
    }
}

#[tokio::test]
async fn d_g3_strangers_and_former_members_get_the_reply_of_an_unknown_group() {
    let server = TestServer::new().await;
    let [ana, ben, dan] = server.people(["Ana", "Ben", "Dan"]).await;
    let group_id = makes_with(&ana, "Close friends", &[&ben]).await;
    ben.asks("groups.leave", of(group_id)).await;
    dan.follows(&ana).await;
    for who in [&ben, &dan] {
        let asks = |id: i64| {
            [
                ("groups.get", json!({ "group_id": id })),
                ("posts.by_group", json!({ "group_id": id })),
                ("groups.rename", renamed(id, "mine")),
                ("groups.delete", of(id)),
                ("groups.add", with(id, &[&ana])),
                ("groups.add", with_ids(id, &[NONE])),
                ("groups.remove", without(id, &ana)),
                ("groups.remove", without(id, who)),
                ("groups.leave", of(id)),
            ]
        };
        for ((op, real), (_, none)) in asks(group_id).into_iter().zip(asks(NONE)) {
            let (one, other) = (who.opens_another_tab().await, who.opens_another_tab().await);
            let real = first_reply(&one.socket, op, real).await;
            let none = first_reply(&other.socket, op, none).await;
            assert_eq!(real, none, "{op} by {}", who.name);
            assert!(contains(&real, b"not_found"), "{op}");
        }
        assert_eq!(list(who).await, [Value::Null; 0]);
    }
    assert_eq!(members(&ana, group_id).await, ["Ana"]);
    knows_nothing(&dan, group_id, "Close friends");
}

#[tokio::test]
async fn d_x2_a_group_lists_its_posts_for_members_live_and_newest_first() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let group_id = makes_with(&ana, "Close friends", &[&ben, &cleo]).await;
    let other = makes_with(&ana, "Others", &[&ben]).await;
    ana.posts("for everybody").await;
    ana.shares(other, "for others").await;
    assert_eq!(texts(&ben.reads_posts_in(group_id).await), [""; 0]);
    for number in 0..31 {
        if number % 2 == 0 { &ana } else { &cleo }.shares(group_id, &format!("p{number}")).await;
    }
    ben.is_up_to_date(&server).await;

    let first = ben.reads_posts_in(group_id).await;
    let newest: Vec<String> = (1..31).rev().map(|number| format!("p{number}")).collect();
    assert_eq!(texts(&first), newest);
    assert_eq!(first["groups"], json!([{ "id": group_id, "name": "Close friends", "owner_id": ana.id }]));
    let older = json!({ "group_id": group_id, "before": first["older"] });
    let last = ben.asks("posts.by_group", older).await;
    assert_eq!((texts(&last), &last["older"]), (vec!["p0".to_owned()], &Value::Null));

    // Ben does not follow Cleo. The event is the same that brings the post into his feed.
    let post_id = cleo.shares(group_id, "new").await;
    assert_eq!(ben.sees_post("new").await["audience"], audience::of(group_id));
    ben.reads_posts_in(group_id).await;
    ana.comments(post_id, "hello").await;
    ben.sees_comment("hello").await;
    // A post that is moved leaves the one list for the other.
    let moved = ana.shares(other, "moved").await;
    ana.edits_for(audience::of(group_id), moved, "moved").await;
    assert_eq!(texts(&ben.reads_posts_in(group_id).await)[..2], ["moved", "new"]);
    assert_eq!(texts(&ben.reads_posts_in(other).await), ["for others"]);
}

#[tokio::test]
async fn d_b4_a_post_with_many_negative_votes_stays_in_the_list_of_its_group() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let voters = server.people(["Cleo", "Dan", "Emil", "Fay", "Gil"]).await;
    let members: Vec<&Person> = std::iter::once(&ben).chain(&voters).collect();
    let group_id = makes_with(&ana, "Close friends", &members).await;
    let post_id = ana.shares(group_id, "unloved").await;
    for who in members {
        who.votes(post_id, "negative").await;
    }
    assert_eq!(ben.feed_texts().await, [""; 0]);
    assert_eq!(texts(&ben.reads_posts_in(group_id).await), ["unloved"]);
}

#[tokio::test]
async fn d_x2_the_page_of_a_group_is_unknown_to_everybody_but_its_members() {
    let server = TestServer::new().await;
    let [ana, ben, dan] = server.people(["Ana", "Ben", "Dan"]).await;
    let group_id = makes_with(&ana, "Close friends", &[&ben]).await;
    let page = format!("/groups/{group_id}");
    let get = async |cookie: Option<&str>, path: &str| {
        let cookie = cookie.map(|cookie| format!("mellow={cookie}"));
        let headers: Vec<(&str, &str)> = cookie.iter().map(|cookie| ("Cookie", cookie.as_str())).collect();
        let response = http::ask(server.at, "GET", path, &headers, "").await;
        (response.status, response.body)
    };
    let (_, unknown) = get(None, "/nowhere").await;
    for cookie in [None, Some("odd"), Some(dan.cookie.as_str())] {
        for path in [&page, &format!("/Groups/{group_id}/"), "/groups/77", "/groups/x"] {
            assert_eq!(get(cookie, path).await, (404, unknown.clone()), "{path}");
        }
    }
    for who in [&ana, &ben] {
        assert_eq!(get(Some(&who.cookie), &page).await.0, 200, "{}", who.name);
        assert_eq!(get(Some(&who.cookie), "/groups/77").await.0, 404);
    }
    ben.leaves_group(group_id).await;
    assert_eq!(get(Some(&ben.cookie), &page).await, (404, unknown));
}

#[tokio::test]
async fn d_g8_the_host_limits_groups_and_their_members() {
    let server = TestServer::with(&["groups_per_owner=2", "members_per_group=3"]).await;
    let [ana, ben, cleo, dan] = server.people(["Ana", "Ben", "Cleo", "Dan"]).await;
    let group_id = makes_with(&ana, "one", &[&ben]).await;
    for other in [&cleo, &dan] {
        other.follows(&ana).await;
    }
    let second = makes(&ana, "two").await;
    let no = ana.is_refused("invalid", "groups.create", named("three")).await;
    let words = "You have as many groups as one person can have.";
    assert_eq!((no.field.as_deref(), no.message.as_str()), (Some("name"), words));
    ana.asks("groups.delete", of(second)).await;
    makes(&ana, "three").await;

    let no = ana.is_refused("invalid", "groups.add", with(group_id, &[&cleo, &dan])).await;
    let words = "A group can't have that many members.";
    assert_eq!((no.field.as_deref(), no.message.as_str()), (Some("user_ids"), words));
    assert_eq!(members(&ana, group_id).await, ["Ana", "Ben"], "nobody came");
    ana.asks("groups.add", with(group_id, &[&cleo, &ben])).await;
    ana.is_refused("invalid", "groups.add", with(group_id, &[&dan])).await;
    ana.asks("groups.remove", without(group_id, &ben)).await;
    ana.asks("groups.add", with(group_id, &[&dan])).await;
}

#[tokio::test]
async fn r5_a_repeated_request_is_applied_once_and_gets_the_same_reply() {
    let mut server = TestServer::new().await;
    let [mut ana, mut ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    let create = named("Close friends");
    let made = ana.asks("groups.create", create.clone()).await;
    let group_id = made["group"]["id"].as_i64().unwrap();
    let mut hers = vec![("groups.create", create, made)];
    for (op, fields) in [
        ("groups.rename", renamed(group_id, "Quetzals")),
        ("groups.add", with(group_id, &[&ben])),
        ("groups.remove", without(group_id, &ben)),
        ("groups.add", with(group_id, &[&ben])),
    ] {
        hers.push((op, fields.clone(), ana.asks(op, fields).await));
    }
    let leave = of(group_id);
    let left = ben.asks("groups.leave", leave.clone()).await;
    let delete = of(group_id);
    let deleted = ana.asks("groups.delete", delete.clone()).await;
    hers.push(("groups.delete", delete, deleted));
    for restarts in [false, true] {
        if restarts {
            server.restarts().await;
            ana.reconnects().await;
            ben.reconnects().await;
        }
        for who in [&ana, &ben] {
            who.is_up_to_date(&server).await;
        }
        for (op, fields, reply) in &hers {
            assert_eq!(&ana.asks(op, fields.clone()).await, reply, "{op}");
        }
        assert_eq!(ben.asks("groups.leave", leave.clone()).await, left);
        for who in [&ana, &ben] {
            who.receives_nothing(&server).await;
        }
        assert_eq!(server.count("select count(*) from groups"), 0);
    }
    for (op, fields, _) in &hers {
        let mut other = fields.clone();
        if other.get("group_id").is_some() {
            other["group_id"] = json!(NONE);
        } else {
            other["name"] = json!("another");
        }
        ana.is_refused("key_conflict", op, other).await;
    }
}

#[tokio::test]
async fn group_changes_have_a_rate_limit_and_those_without_effect_do_not_count() {
    let server = TestServer::with_manual_clock(&["group_changes_per_hour=3"]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    let create = named("Close friends");
    let made = ana.asks("groups.create", create.clone()).await;
    let group_id = made["group"]["id"].as_i64().unwrap();
    for _ in 0..5 {
        ana.asks("groups.rename", renamed(group_id, "Close friends")).await;
        ana.asks("groups.add", with(group_id, &[&ana])).await;
        ana.is_refused("not_found", "groups.remove", without(group_id, &ben)).await;
        ana.is_refused("not_found", "groups.delete", of(NONE)).await;
    }
    let add = with(group_id, &[&ben]);
    let added = ana.asks("groups.add", add.clone()).await;
    ana.asks("groups.rename", renamed(group_id, "Family")).await;
    for (op, fields) in [
        ("groups.create", named("another")),
        ("groups.rename", renamed(group_id, "another")),
        ("groups.add", with(group_id, &[&ben])),
    ] {
        assert_eq!(ana.is_refused("slow_down", op, fields).await.retry_ms, Some(20 * 60_000), "{op}");
    }
    // A repeated request gets its reply again, and others are not delayed.
    for (op, fields, reply) in [("groups.create", create, made), ("groups.add", add, added)] {
        assert_eq!(ana.asks(op, fields).await, reply, "{op}");
    }
    makes(&ben, "his").await;
    // Removing a member and deleting a group are not limited.
    ana.asks("groups.remove", without(group_id, &ben)).await;
    ana.asks("groups.delete", of(group_id)).await;
    ana.is_refused("slow_down", "groups.create", named("another")).await;
    server.later(20 * 60_000);
    makes(&ana, "another").await;
}

#[tokio::test]
async fn events_during_a_read_of_the_list_follow_it() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    let seq = ben.asks("groups.list", json!({})).await["seq"].as_i64().unwrap();
    let group_id = makes_with(&ana, "Close friends", &[&ben]).await;
    let event = ben.receives("groups.joined").await;
    assert_eq!(event["group"]["id"], group_id);
    assert!(event["seq"].as_i64().unwrap() > seq);
    ana.renames("Ana Maria").await;
    assert_eq!(ben.receives("users.changed").await["user"]["name"], "Ana Maria");
    assert_eq!(members(&ben, group_id).await, ["Ana Maria", "Ben"]);
}

/// Creates a group, shares posts and polls with it, and narrows the audience of a post of Ana.
pub async fn send_writes(stage: &Stage<'_>, sender: &mut dyn Sender) {
    let Stage { ana, ben, cleo, post_id, .. } = *stage;
    let group_id = id_of(&sender.send(ana, "groups.create", 1, json!({ "name": "Friends" })).await, "group");
    let add = json!({ "group_id": group_id, "user_ids": [ben.id, cleo.id] });
    sender.send(ana, "groups.add", 3, add).await;
    let renamed = json!({ "group_id": group_id, "name": "Close friends" });
    sender.send(ana, "groups.rename", 3, renamed.clone()).await;
    sender.send(ana, "groups.rename", 0, renamed).await;
    let shared = id_of(&sender.send(ben, "posts.create", 3, post_for(group_id, "for us")).await, "post");
    let asked = sender.send(ben, "polls.create", 3, poll_for(group_id, "Tea?", &["yes", "no"])).await;
    sender.send(cleo, "polls.vote", 1, json!({ "poll_id": id_of(&asked, "poll"), "option": 0 })).await;
    let remove = json!({ "group_id": group_id, "user_id": cleo.id });
    sender.send(ana, "groups.remove", 3, remove).await;
    let left = json!({ "group_id": group_id });
    sender.send(ben, "groups.leave", 2, left.clone()).await;
    sender.send(ben, "groups.allow_again", 0, left.clone()).await;
    sender.send(ben, "groups.allow_again", 0, left).await;
    sender.send(ben, "posts.delete", 2, json!({ "post_id": shared })).await;
    // An edit of the text, an edit that narrows the audience and has three events, and an edit that changes nothing.
    sender.send(ana, "posts.update", 3, edit(post_id, None, "hello again")).await;
    let narrowed = edit_for(audience::of(group_id), post_id, "for us");
    sender.send(ana, "posts.update", 4, narrowed.clone()).await;
    sender.send(ana, "posts.update", 0, narrowed).await;
    sender.send(ana, "groups.delete", 1, json!({ "group_id": group_id })).await;
}

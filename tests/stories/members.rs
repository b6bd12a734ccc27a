//! Members of groups: they are added, removed or leave. These stories check what each of them receives.

use mellow::ids::{GroupId, Seq};
use serde_json::{Value, json};

use super::groups::{
    NONE, knows_nothing, list, makes, makes_with, members, named, of, renamed, with, with_ids, without,
};
use crate::support::groups::post_for;
use crate::support::person::Person;
use crate::support::server::{MORNING_MS, TestServer};
use crate::support::value::contains;

#[tokio::test]
async fn d_g1_ana_adds_followers_and_followed_users_and_all_members_receive_it() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben, cleo, dan] = server.people(["Ana", "Ben", "Cleo", "Dan"]).await;
    ana.follows(&ben).await;
    cleo.follows(&ana).await;
    let group_id = makes(&ana, "Close friends").await;
    for who in [&ana, &ben, &cleo, &dan] {
        who.is_up_to_date(&server).await;
    }
    for stranger in [dan.id, NONE] {
        let fields = with_ids(group_id, &[ben.id, stranger]);
        let no = ana.is_refused("invalid", "groups.add", fields).await;
        let words = "You can add people you follow and people who follow you, if they allow it.";
        assert_eq!((no.field.as_deref(), no.message.as_str()), (Some("user_ids"), words));
    }
    assert_eq!(members(&ana, group_id).await, ["Ana"], "nobody came");

    let ok = ana.asks("groups.add", with(group_id, &[&cleo])).await;
    let seq = &ok["seq"];
    assert_eq!(ok, json!({ "group_id": group_id, "users": [cleo.named()], "members_count": 2, "seq": seq }));
    let group = |count: i64| {
        json!({
            "id": group_id, "name": "Close friends", "owner_id": ana.id, "members_count": count,
            "created_at_ms": MORNING_MS,
        })
    };
    let joined = |count: i64, who: &Person, seq: &Value| {
        json!({
            "ev": "groups.joined", "group": group(count), "user_ids": [who.id],
            "users": [ana.named(), who.named()], "seq": seq,
        })
    };
    for who in [&ana, &cleo] {
        assert_eq!(who.receives_only(&server, &["groups.joined"]).await, [joined(2, &cleo, seq)]);
    }
    // Cleo is a member already. She stays a member and receives the addition of Ben.
    let ok = ana.asks("groups.add", with(group_id, &[&ben, &cleo])).await;
    assert_eq!((&ok["users"], &ok["members_count"]), (&json!([ben.named()]), &json!(3)));
    for who in [&ana, &ben, &cleo] {
        assert_eq!(who.receives_only(&server, &["groups.joined"]).await, [joined(3, &ben, &ok["seq"])]);
    }
    for who in [&ana, &ben, &cleo] {
        assert_eq!(members(who, group_id).await, ["Ana", "Cleo", "Ben"]);
        assert_eq!(list(who).await, [group(3)]);
    }
    let ok = ana.asks("groups.add", with(group_id, &[&ben, &ana])).await;
    assert_eq!((&ok["users"], &ok["members_count"]), (&json!([]), &json!(3)), "nobody new");
    for who in [&ana, &ben, &cleo, &dan] {
        who.receives_nothing(&server).await;
    }
    knows_nothing(&dan, group_id, "Close friends");
}

#[tokio::test]
async fn ben_receives_his_removal_and_nothing_of_the_group_after_it() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let group_id = makes_with(&ana, "Close friends", &[&ben, &cleo]).await;
    let tab = ben.opens_another_tab().await;
    for who in [&ana, &ben, &tab, &cleo] {
        who.is_up_to_date(&server).await;
    }
    let ok = ana.asks("groups.remove", without(group_id, &ben)).await;
    assert_eq!(ok, json!({ "seq": ok["seq"] }));
    for who in [&ana, &ben, &tab, &cleo] {
        let event = who.receives_only(&server, &["groups.left"]).await.remove(0);
        assert_eq!(
            event,
            json!({
                "ev": "groups.left", "group_id": group_id, "user_id": ben.id, "members_count": 2,
                "seq": ok["seq"],
            })
        );
    }
    assert_eq!(list(&ben).await, [Value::Null; 0]);
    assert_eq!(members(&cleo, group_id).await, ["Ana", "Cleo"]);

    ana.asks("groups.rename", renamed(group_id, "Quetzals")).await;
    for own in [&ben, &tab] {
        own.receives_nothing(&server).await;
        assert!(own.socket.bytes().iter().all(|bytes| !contains(bytes, b"Quetzals")));
    }
    ana.is_refused("not_found", "groups.remove", without(group_id, &ben)).await;
    // After he is added again, he receives events again.
    ana.asks("groups.add", with(group_id, &[&ben])).await;
    for own in [&ben, &tab] {
        let event = own.receives_only(&server, &["groups.joined"]).await.remove(0);
        assert_eq!((&event["group"]["name"], &event["user_ids"]), (&json!("Quetzals"), &json!([ben.id])));
    }
}

#[tokio::test]
async fn cleo_can_leave_the_group_and_ana_who_owns_it_cannot() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let group_id = makes_with(&ana, "Close friends", &[&ben, &cleo]).await;
    for who in [&ana, &ben, &cleo] {
        who.is_up_to_date(&server).await;
    }
    cleo.asks("groups.leave", of(group_id)).await;
    for who in [&ana, &ben, &cleo] {
        let event = who.receives_only(&server, &["groups.left"]).await.remove(0);
        assert_eq!((&event["user_id"], &event["members_count"]), (&json!(cleo.id), &json!(2)));
    }
    cleo.is_refused("not_found", "groups.leave", of(group_id)).await;
    ana.is_refused("not_found", "groups.leave", of(group_id)).await;
    ana.is_refused("not_found", "groups.remove", without(group_id, &ana)).await;
    assert_eq!(members(&ana, group_id).await, ["Ana", "Ben"]);
}

#[tokio::test]
async fn ben_joins_and_leaves_while_his_tabs_reconnect_and_receives_only_his_events() {
    const ROUNDS: usize = 40;
    let server = TestServer::with_manual_clock(&["group_changes_per_hour=0"]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let group_id = makes_with(&ana, "Friends", &[&ben]).await;
    let phone = ben.logs_in_on_phone().await;
    let is_over = std::cell::Cell::new(false);
    let moves = async {
        for round in 0..ROUNDS {
            ana.asks("groups.rename", renamed(group_id, &format!("inside {round}"))).await;
            ana.asks("groups.remove", without(group_id, &ben)).await;
            // He is no longer a member. He does not receive this, not even after he is added again.
            ana.asks("groups.rename", renamed(group_id, &format!("quetzal {round}"))).await;
            ana.asks("groups.rename", renamed(group_id, "Friends")).await;
            ana.asks("groups.add", with(group_id, &[&ben])).await;
        }
        is_over.set(true);
    };
    let comes_and_goes = async {
        let mut tabs = Vec::new();
        while !is_over.get() {
            let tab = ben.opens_another_tab().await;
            let hello = tab.socket.hello().await;
            let resume = json!({ "epoch": hello["epoch"], "seq": 1, "posts": [], "profiles": [] });
            let mut sent = Vec::new();
            for (op, fields) in [
                ("groups.list", json!({})),
                ("live.resume", resume),
                ("groups.get", json!({ "group_id": group_id })),
            ] {
                sent.push(tab.socket.sends(op, fields).await);
            }
            for id in sent {
                // A read that overlaps his removal is refused.
                let _ = tab.socket.reply_to(id).await;
            }
            tabs.push(tab.socket.bytes());
        }
        tabs
    };
    let ((), tabs) = futures_util::future::join(moves, comes_and_goes).await;
    for own in [&ben, &phone] {
        own.is_up_to_date(&server).await;
        let received = own.socket.events();
        let once = |ev: &str| received.iter().filter(|event| event["ev"] == ev).count();
        assert_eq!((once("groups.renamed"), once("groups.left")), (ROUNDS, ROUNDS));
    }
    let stayed = [ben.socket.bytes(), phone.socket.bytes()];
    let receives_too_much = |bytes: &Vec<u8>| contains(bytes, b"quetzal");
    assert!(!tabs.iter().chain(&stayed).flatten().any(receives_too_much));
    assert_eq!(list(&ben).await[0]["name"], "Friends");
    assert_eq!(members(&ana, group_id).await, ["Ana", "Ben"]);
    assert_eq!(server.groups().running(), [(GroupId(group_id), 2)].into());
}

#[tokio::test]
async fn ben_is_added_again_only_after_his_removal_has_arrived_everywhere() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let group_id = makes_with(&ana, "Close friends", &[&ben]).await;
    let phone = ana.logs_in_on_phone().await;
    // A worker of the server is slow: it has not delivered the removal.
    let slow = server.app().barrier.add_worker(Seq(0));
    let removal = ana.socket.sends("groups.remove", without(group_id, &ben)).await;
    ben.receives("groups.left").await;
    let addition = phone.socket.sends("groups.add", with(group_id, &[&ben])).await;
    // The writer commits in order, so an addition that had been written would be committed before this post.
    phone.posts("Good morning.").await;
    assert_eq!(members(&ana, group_id).await, ["Ana"]);
    assert!(ana.socket.peek(|state| state.reply_to(removal)).is_none());
    assert!(phone.socket.peek(|state| state.reply_to(addition)).is_none());

    drop(slow);
    let [removed, added] = [ana.socket.reply_to(removal).await, phone.socket.reply_to(addition).await];
    let seq = |ok: Result<Value, _>| ok.unwrap()["seq"].as_i64().unwrap();
    assert!(seq(removed) < seq(added));
    ben.receives("groups.joined").await;
    assert_eq!(members(&ben, group_id).await, ["Ana", "Ben"]);
}

#[tokio::test]
async fn a_post_beside_bens_removal_waits_for_nothing_and_never_reaches_him() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let group_id = makes_with(&ana, "Close friends", &[&ben, &cleo]).await;
    let slow = server.app().barrier.add_worker(Seq(0));
    let removal = ana.socket.sends("groups.remove", without(group_id, &ben)).await;
    ben.receives("groups.left").await;
    cleo.publishes(post_for(group_id, "A quetzal!")).await;
    ana.sees_post("A quetzal!").await;
    ben.is_refused("not_found", "posts.create", post_for(group_id, "Where?")).await;
    assert!(ana.socket.peek(|state| state.reply_to(removal)).is_none());
    drop(slow);
    ana.socket.reply_to(removal).await.unwrap();
    ben.receives_nothing(&server).await;
    assert!(ben.socket.bytes().iter().all(|bytes| !contains(bytes, b"quetzal")));
}

#[tokio::test]
async fn nobody_owns_or_is_in_more_than_two_hundred_groups_whatever_the_host_sets() {
    let server = TestServer::with(&["groups_per_owner=0"]).await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    ana.follows(&ben).await;
    let has_two_hundred = |owner: &Person| {
        let database = server.look();
        for id in 1..=200 {
            let sql = "insert into groups (id, owner_id, name, created_at_ms) values (?1, ?2, 'x', 0)";
            database.execute(sql, [owner.id * 1_000 + id, owner.id]).unwrap();
        }
    };
    has_two_hundred(&ben);
    ben.is_refused("invalid", "groups.create", named("one more")).await;
    // Owned groups and other groups are counted separately.
    let group_id = makes_with(&ana, "Close friends", &[&ben]).await;
    assert_eq!(list(&ben).await.len(), 201);
    ana.asks("groups.remove", without(group_id, &ben)).await;
    has_two_hundred(&cleo);
    let sql =
        "insert into members (group_id, user_id, id) select id, ?1, id + 500 from groups where owner_id = ?2";
    server.look().execute(sql, [ben.id, cleo.id]).unwrap();
    let no = ana.is_refused("invalid", "groups.add", with(group_id, &[&ben])).await;
    assert_eq!(no.message, "Somebody you picked is in as many groups as one person can be.");
}

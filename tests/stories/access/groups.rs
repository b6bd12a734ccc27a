//! Groups: members see them; nobody else receives one byte of them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::Scene;
use super::evening::scan;
use crate::support::groups::{edit_for, of};
use crate::support::http;
use crate::support::person::Person;
use crate::support::server::TestServer;
use crate::support::socket::Socket;
use crate::support::uploads::urls;
use crate::support::value::pack;

/// Every text and every name of a group contains this word.
const WORD: &[u8] = b"uetzal";

/// Asserts that these messages contain nothing of a group, except ids that the user sent and that are not found.
pub fn knows_nothing(who: &str, frames: &[Vec<u8>], ids: &[i64]) {
    let holds = |frame: &[u8], word: &[u8]| frame.windows(word.len()).any(|part| part == word);
    for frame in frames {
        let frame_text = String::from_utf8_lossy(frame);
        assert!(!holds(frame, WORD), "{who} was sent {frame_text}");
        let id = ids.iter().find(|id| holds(frame, &pack(&json!(id))));
        assert!(id.is_none() || holds(frame, b"gone"), "{who} was sent {id:?} in {frame_text}");
    }
}

/// Sends every request whose reply could contain data of others.
pub async fn looks_around(who: &Person, author: &Person, posts: &[i64], groups: &[i64]) {
    who.reads_feed().await;
    who.asks("posts.feed", json!({ "tag": "Quiet", "before": null })).await;
    who.reads_posts_of(author).await;
    who.reads_saved().await;
    who.visits(author).await;
    who.reads_polls().await;
    who.reads_groups().await;
    who.reads_notifications().await;
    who.asks("search.names", json!({ "term": "Q" })).await;
    for part in posts.chunks(30) {
        who.asks("posts.refresh", json!({ "post_ids": part })).await;
    }
    for post_id in posts {
        let _ = who.tries("posts.get", json!({ "post_id": post_id })).await;
        let _ = who.tries("comments.page", json!({ "post_id": post_id, "after": null })).await;
        let _ = who.tries("comments.mentionable", json!({ "post_id": post_id, "term": "Q" })).await;
    }
    for group_id in groups {
        let _ = who.tries("groups.get", json!({ "group_id": group_id })).await;
        let _ = who.tries("posts.by_group", json!({ "group_id": group_id })).await;
    }
}

/// Resumes on a new socket with the first cursor; returns the socket, and whether everything is to be read again.
pub async fn reconnects_from_the_beginning(who: &Person, posts: &[i64]) -> (Socket, bool) {
    let tab = who.opens_another_tab().await;
    let epoch = tab.socket.hello().await["epoch"].clone();
    let resumed =
        tab.asks("live.resume", json!({ "epoch": epoch, "seq": 1, "posts": posts, "profiles": [] })).await;
    (tab.socket, resumed["resync"].as_bool().unwrap())
}

#[tokio::test]
async fn s1_a_groups_pictures_are_served_to_members_and_all_refusals_are_equal() {
    let scene = Scene::new().await;
    let Scene { server, author, owner, member, ex_member, .. } = &scene;
    let group_id = owner.makes_group_with("Tea", &[author, member, ex_member]).await;
    let mut shared = crate::support::uploads::post_with_pictures("look", &[]);
    let tree = author.uploads("tree.jpg", &crate::support::picture::jpeg(8, 6)).await;
    shared["pictures"] = json!([{ "upload": tree, "alt": null }]);
    shared["audience"] = of(group_id);
    let post = author.asks("posts.create", shared).await["post"].clone();
    let addresses = urls(&post);
    owner.removes(group_id, ex_member).await;
    let mut noes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut fetch = async |when: &str, may: &[&str]| {
        for (name, cookie) in [
            ("guest", None),
            ("former", Some(&scene.former)),
            ("stranger", Some(&scene.stranger.cookie)),
            ("follower", Some(&scene.follower.cookie)),
            ("ex-member", Some(&ex_member.cookie)),
            ("member", Some(&member.cookie)),
            ("owner", Some(&owner.cookie)),
            ("author", Some(&author.cookie)),
        ] {
            let cookie = cookie.map(|cookie| format!("mellow={cookie}"));
            let headers: Vec<(&str, &str)> =
                cookie.iter().map(|cookie| ("Cookie", cookie.as_str())).collect();
            for url in addresses.iter().cloned().chain([addresses[0].replace("tree", "house")]) {
                let response = http::ask(server.at, "GET", &url, &headers, "").await;
                let is_there = may.contains(&name) && !url.contains("house");
                assert_eq!(response.status, if is_there { 200 } else { 404 }, "{name} fetched {url} {when}");
                if !is_there {
                    noes.entry(response.comparable()).or_default().push(format!("{name}: {url}, {when}"));
                }
            }
        }
    };
    fetch("in the group", &["member", "owner", "author"]).await;
    author.leaves_group(group_id).await;
    fetch("after its author left", &["member", "owner", "author"]).await;
    owner.ends_group(group_id).await;
    fetch("after the group", &["author"]).await;
    let post_id = post["id"].as_i64().unwrap();
    author.asks("posts.update", edit_for(json!({ "type": "public" }), post_id, "look, all")).await;
    fetch("for everybody", &["stranger", "follower", "ex-member", "member", "owner", "author"]).await;
    assert_eq!(noes.len(), 1, "some refusals differ: {noes:#?}");
}

#[tokio::test]
async fn c39_a_busy_evening_in_a_group_delivers_nothing_to_others() {
    let server = TestServer::new().await;
    let people = server.people(["Ana", "Ben", "Cleo", "Dora", "Emil", "Fay"]).await;
    let [ana, ben, cleo, dora, emil, fay] = &people;
    let guest = server.guest().await;
    // Fay follows everybody and everybody follows her, but she is in no group. Emil has no follows.
    for who in [ana, ben, cleo, dora] {
        fay.follows(who).await;
        who.follows(fay).await;
    }
    let mut own: BTreeMap<i64, BTreeSet<i64>> = BTreeMap::new();
    let (mut posts, mut groups, mut ids) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..3 {
        let group_id = ana.makes_group_with(&format!("Quetzals {round}"), &[ben, cleo, dora]).await;
        groups.push(group_id);
        for who in [dora, ana, ben, cleo] {
            // What Dora said herself stays hers.
            let text = if who.id == dora.id { "tea" } else { "Quetzal" };
            let post_id = who.shares(group_id, &format!("{text} {round}")).await;
            own.entry(who.id).or_default().insert(post_id);
            posts.push(post_id);
            for other in [ana, ben, cleo, dora] {
                other.votes(post_id, ["positive", "negative"][usize::from(round == 1)]).await;
                if other.id != who.id {
                    other.saves(post_id).await;
                }
                // A mentioned user who is not a member is not notified.
                let comment = format!("a Quetzal, {} and {}", fay.mention(), ben.mention());
                ids.push(other.comments(post_id, &comment).await);
            }
            who.edits_for(of(group_id), post_id, &format!("{text} {round} again")).await;
            looks_around(who, ana, &posts, &groups).await;
        }
        let poll_id = ben.asks_poll_of(group_id, &format!("Quetzal {round}?"), &["Quetzal", "tea"]).await;
        ids.push(poll_id);
        cleo.chooses(poll_id, 0).await;
        dora.chooses(poll_id, 1).await;
        ana.renames_group(group_id, &format!("Quetzals {round} at night")).await;
        ana.removes(group_id, dora).await;
        dora.is_up_to_date(&server).await;
        let from = dora.socket.bytes().len();
        // All of it again, without her.
        let (hers, last) = (posts[posts.len() - 4], posts[posts.len() - 1]);
        let mut without_her = vec![
            group_id,
            last,
            cleo.comments(last, "Quetzal without her").await,
            ben.comments(hers, "a Quetzal without her, either").await,
            ben.asks_poll_of(group_id, "Quetzal now?", &["yes", "no"]).await,
            ana.shares(group_id, "Quetzal by night").await,
        ];
        own.entry(ana.id).or_default().extend(without_her.last());
        ben.votes(last, "positive").await;
        ana.chooses(poll_id, 0).await;
        cleo.edits_for(of(group_id), last, "Quetzal, she is gone").await;
        ana.renames_group(group_id, "Quetzals without her").await;
        for who in [dora, emil, fay] {
            looks_around(who, ana, &posts, &groups).await;
            who.is_up_to_date(&server).await;
        }
        knows_nothing("Dora, removed,", &dora.socket.bytes()[from..], &without_her);
        ids.append(&mut without_her);
        if round == 1 {
            ana.ends_group(group_id).await;
        }
    }
    for who in [ana, ben, cleo, dora] {
        who.is_up_to_date(&server).await;
        let mut all = who.socket.log();
        all.extend(reconnects_from_the_beginning(who, &posts).await.0.log());
        for message in &all {
            scan(message, false, who.id, &own[&who.id], &who.name);
        }
    }
    ids.extend(&posts);
    for who in [emil, fay] {
        knows_nothing(&who.name, &who.socket.bytes(), &ids);
        let (tab, must_read_again) = reconnects_from_the_beginning(who, &posts).await;
        assert!(!must_read_again, "{} was not replayed to", who.name);
        knows_nothing(&who.name, &tab.bytes(), &ids);
    }
    knows_nothing("a guest", &guest.bytes(), &ids);
    // She wrote in groups that she left. After a reconnect she gets `resync`, and nothing of those groups.
    let (tab, must_read_again) = reconnects_from_the_beginning(dora, &posts).await;
    assert!(must_read_again);
    knows_nothing("Dora, who came back,", &tab.bytes(), &[]);
}

//! R6: the state of a page and the events since equal the state of a fresh page.
//!
//! A small model applies events as the protocol describes. The tapes check the same for the store of the web client.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::person::{Person, edit, noted};
use crate::support::picture::jpeg;
use crate::support::server::TestServer;

/// The data that a page shows.
#[derive(Clone, Debug, PartialEq)]
struct Screen {
    posts: BTreeMap<i64, Value>,
    profiles: BTreeMap<i64, Value>,
    feed: Vec<i64>,
    of_author: Vec<i64>,
    /// The notifications, newest first.
    notifications: Vec<Value>,
    has_unread: bool,
    /// The name and photo of every user who is shown, by id.
    names: BTreeMap<i64, Value>,
}

/// Stores the users in a message.
fn keep_names(names: &mut BTreeMap<i64, Value>, message: &Value) {
    for user in message["users"].as_array().into_iter().flatten() {
        names.insert(user["id"].as_i64().unwrap(), user.clone());
    }
}

/// The viewer of a page, and the profile that is open on it.
struct Eyes<'a> {
    viewer: &'a Person,
    author: &'a Person,
    posts: Vec<i64>,
}

impl Eyes<'_> {
    async fn read(&self) -> (Screen, i64) {
        let feed = self.viewer.reads_feed().await;
        let of_author = self.viewer.reads_posts_of(self.author).await;
        let refreshed = self.viewer.asks("posts.refresh", json!({ "post_ids": self.posts })).await;
        let profile = self.viewer.asks("profiles.get", json!({ "user_id": self.author.id })).await;
        let own = self.viewer.asks("profiles.get", json!({ "user_id": self.viewer.id })).await;
        let delivered = self.viewer.reads_notifications().await;
        let ids = |page: &Value| -> Vec<i64> {
            page["posts"].as_array().unwrap().iter().map(|post| post["id"].as_i64().unwrap()).collect()
        };
        let mut posts = BTreeMap::new();
        // The feed has no counts. The other reads have them, and are applied after it.
        for page in [&feed, &of_author, &refreshed] {
            for post in page["posts"].as_array().unwrap() {
                posts.insert(post["id"].as_i64().unwrap(), post.clone());
            }
        }
        let profiles = [&profile, &own]
            .map(|shown| (shown["profile"]["id"].as_i64().unwrap(), shown["profile"].clone()))
            .into_iter()
            .collect();
        let mut names = BTreeMap::new();
        for page in [&feed, &of_author, &refreshed, &delivered] {
            keep_names(&mut names, page);
        }
        let screen = Screen {
            names,
            posts,
            profiles,
            feed: ids(&feed),
            of_author: ids(&of_author),
            notifications: delivered["notifications"].as_array().unwrap().clone(),
            has_unread: delivered["has_unread"].as_bool().unwrap(),
        };
        assert!(delivered["older"].is_null(), "this model shows one page");
        let tab = self.viewer.opens_another_tab().await.socket.hello().await;
        assert_eq!(
            tab["me"]["has_unread"], delivered["has_unread"],
            "the page and a fresh tab agree on the dot"
        );
        (screen, feed["seq"].as_i64().unwrap())
    }

    /// Changes a screen by one event. Doing so twice changes nothing.
    fn apply(&self, screen: &mut Screen, event: &Value) {
        let post_id = event["post_id"].as_i64().unwrap_or(0);
        keep_names(&mut screen.names, event);
        let author = screen.posts.get(&post_id).map(|post| post["author_id"].clone());
        match event["ev"].as_str().unwrap() {
            "posts.created" => {
                let mut post = event["post"].clone();
                let (id, by) = (post["id"].as_i64().unwrap(), post["author_id"].as_i64().unwrap());
                post["vote"] = json!("none");
                post["saved"] = json!(false);
                post["comments_only_for"] = Value::Null;
                post["positive_count"] = if by == self.viewer.id { json!(0) } else { Value::Null };
                screen.posts.entry(id).or_insert(post);
                // A viewer who receives a post and does not show its author's profile follows the author.
                let follows =
                    screen.profiles.get(&by).is_some_and(|profile| profile["followed"] == json!(true));
                for (list, belongs) in [
                    (&mut screen.feed, by == self.viewer.id || by != self.author.id || follows),
                    (&mut screen.of_author, by == self.author.id),
                ] {
                    if belongs && !list.contains(&id) {
                        list.insert(0, id);
                    }
                }
            }
            "account.changed" => screen.has_unread = event["me"]["has_unread"].as_bool().unwrap(),
            "posts.updated" => {
                let Some(post) = screen.posts.get_mut(&post_id) else { return };
                for name in ["title", "text", "content_note", "audience", "updated_at_ms"] {
                    post[name] = event[name].clone();
                }
            }
            "posts.deleted" => {
                screen.posts.remove(&post_id);
                screen.feed.retain(|id| *id != post_id);
                screen.of_author.retain(|id| *id != post_id);
            }
            "comments.created" => {
                let comment = &event["comment"];
                let Some(post) = screen.posts.get_mut(&comment["post_id"].as_i64().unwrap()) else { return };
                post["comments_count"] = event["comments_count"].clone();
                let first = post["first_comments"].as_array_mut().unwrap();
                if first.len() < 2 && !first.contains(comment) {
                    first.push(comment.clone());
                }
            }
            "comments.deleted" => {
                let Some(post) = screen.posts.get_mut(&post_id) else { return };
                post["comments_count"] = event["comments_count"].clone();
                post["first_comments"] = event["first_comments"].clone();
            }
            "votes.changed" => {
                if let Some(post) = screen.posts.get_mut(&post_id) {
                    post["vote"] = event["vote"].clone();
                }
            }
            "saved.changed" => {
                if let Some(post) = screen.posts.get_mut(&post_id) {
                    post["saved"] = event["saved"].clone();
                }
            }
            "votes.counted" => {
                assert_eq!(author, Some(json!(self.viewer.id)), "only the author receives it: {event}");
                if let Some(post) = screen.posts.get_mut(&post_id) {
                    post["positive_count"] = event["positive_count"].clone();
                }
            }
            "follows.changed" => {
                if let Some(profile) = screen.profiles.get_mut(&event["user_id"].as_i64().unwrap()) {
                    profile["followed"] = event["following"].clone();
                }
            }
            "profiles.counted" => {
                if let Some(profile) = screen.profiles.get_mut(&event["user_id"].as_i64().unwrap()) {
                    for name in ["followers_count", "following_count"] {
                        profile[name] = event[name].clone();
                    }
                }
            }
            "profiles.changed" => {
                let delivered = event["profile"].as_object().unwrap();
                let Some(profile) = screen.profiles.get_mut(&delivered["id"].as_i64().unwrap()) else {
                    return;
                };
                for (name, value) in delivered {
                    profile[name] = value.clone();
                }
            }
            "users.changed" => {
                let user = &event["user"];
                if let Some(held) = screen.names.get_mut(&user["id"].as_i64().unwrap()) {
                    held.clone_from(user);
                }
                let shown = screen.profiles.get_mut(&user["id"].as_i64().unwrap());
                if let Some(profile) = shown {
                    for name in ["name", "photo_url"] {
                        profile[name] = user[name].clone();
                    }
                }
            }
            "notifications.created" => {
                let delivered = &event["notification"];
                if screen.notifications.iter().all(|held| held["id"] != delivered["id"]) {
                    screen.notifications.insert(0, delivered.clone());
                }
                screen.has_unread = true;
            }
            "notifications.deleted" => {
                let gone = event["notification_ids"].as_array().unwrap();
                screen.notifications.retain(|held| !gone.contains(&held["id"]));
                screen.has_unread = event["has_unread"].as_bool().unwrap();
            }
            "notifications.seen" => {
                for held in &mut screen.notifications {
                    held["unread"] = json!(false);
                }
                screen.has_unread = false;
            }
            other => panic!("this model does not know {other}"),
        }
    }
}

/// Runs one action, and checks for every viewer that the screen before it and the events make the screen after it.
async fn prove<T>(what: &str, server: &TestServer, eyes: &[Eyes<'_>], act: impl AsyncFnOnce() -> T) {
    let mut before = Vec::new();
    for eye in eyes {
        // These reads already have the delayed counts of earlier actions.
        before.push(eye.read().await);
        eye.viewer.socket.unread_events();
    }
    act().await;
    for (eye, (screen, seq)) in eyes.iter().zip(before) {
        let who = &eye.viewer.name;
        let mut events = eye.viewer.is_up_to_date(server).await;
        let (fresh, _) = eye.read().await;
        let time_limit = std::time::Instant::now();
        loop {
            let mut shown = screen.clone();
            // Each event is applied twice, because this must change nothing.
            for event in events.iter().chain(&events).filter(|event| event["seq"].as_i64().unwrap() > seq) {
                eye.apply(&mut shown, event);
            }
            if what.contains("follows") {
                // Posts of an unfollowed user stay until the page is read again (D-B11).
                shown.feed.clone_from(&fresh.feed);
                shown.posts.clone_from(&fresh.posts);
                shown.names.extend(fresh.names.clone());
            }
            for (id, post) in &mut shown.posts {
                // A post that only the feed lists is read without its count.
                if fresh.posts.get(id).is_some_and(|fresh| fresh["positive_count"].is_null()) {
                    post["positive_count"] = Value::Null;
                }
            }
            for (held, read) in shown.notifications.iter_mut().zip(&fresh.notifications) {
                // A preview has the text as of its read. No event announces a change of the text.
                if what.contains("edits") && held["id"] == read["id"] {
                    for name in ["post_text", "comment_text", "content_note"] {
                        held[name] = read[name].clone();
                    }
                }
            }
            // Users who are no longer shown may remain. Every user who is shown must be known.
            shown.names.retain(|id, _| fresh.names.contains_key(id));
            if shown == fresh {
                break;
            }
            // A count may be held for a quarter of a second.
            assert!(
                time_limit.elapsed() < crate::support::TIMEOUT,
                "{what}: the screen of {who} differs from a fresh read; received: {events:#?}\n{shown:#?}\n{fresh:#?}"
            );
            events.extend(eye.viewer.is_up_to_date(server).await);
        }
    }
}

#[tokio::test]
async fn r6_old_state_and_events_make_new_state_for_every_action_and_relation() {
    let server = TestServer::new().await;
    let [ana, ben, cleo, dora] = server.people(["Ana", "Ben", "Cleo", "Dora"]).await;
    ben.follows(&ana).await;
    ana.follows(&dora).await;
    let tab = ana.opens_another_tab().await;
    let post_id = ana.posts("first").await;
    let doomed = ana.posts("doomed").await;
    let (one, two) = (ben.comments(post_id, "one").await, cleo.comments(post_id, "two").await);
    ben.comments(post_id, "three").await;
    let eyes: Vec<Eyes> = [&ana, &tab, &ben, &cleo, &dora]
        .map(|viewer| Eyes { viewer, author: &ana, posts: vec![post_id, doomed] })
        .into();

    prove("Ana posts", &server, &eyes, async || ana.posts("new").await).await;
    prove("Ana posts a picture", &server, &eyes, async || ana.posts_picture("look").await).await;
    prove("Ana edits", &server, &eyes, async || ana.edits(post_id, Some("A title"), "anew").await).await;
    prove("Ana edits nothing", &server, &eyes, async || ana.edits(post_id, Some("A title"), "anew").await)
        .await;
    prove("Ana edits the content note of her post", &server, &eyes, async || {
        ana.asks("posts.update", noted(edit(post_id, Some("A title"), "anew"), "Grief")).await
    })
    .await;
    prove("Ana edits what she just posted", &server, &eyes, async || {
        let id = ana.posts_picture("draft").await["id"].as_i64().unwrap();
        ana.edits(id, None, "better").await
    })
    .await;
    prove("Dora posts", &server, &eyes, async || dora.posts("by Dora").await).await;
    for vote in ["positive", "negative", "positive", "none"] {
        prove("Ben votes", &server, &eyes, async || ben.votes(post_id, vote).await).await;
    }
    prove("Ana votes", &server, &eyes, async || ana.votes(post_id, "positive").await).await;
    prove("Ben saves", &server, &eyes, async || ben.saves(post_id).await).await;
    prove("Ben saves again", &server, &eyes, async || ben.saves(post_id).await).await;
    prove("Ben removes it from his saved posts", &server, &eyes, async || ben.unsaves(post_id).await).await;
    prove("Cleo comments", &server, &eyes, async || cleo.comments(post_id, "four").await).await;
    prove("Ben comments on what has none", &server, &eyes, async || ben.comments(doomed, "one").await).await;
    prove("Ben deletes the first comment", &server, &eyes, async || ben.deletes_comment(one).await).await;
    prove("Ana deletes Cleo's comment", &server, &eyes, async || ana.deletes_comment(two).await).await;
    prove("Cleo follows Ana", &server, &eyes, async || cleo.follows(&ana).await).await;
    prove("Cleo unfollows Ana", &server, &eyes, async || cleo.unfollows(&ana).await).await;
    prove("Cleo follows Ana again", &server, &eyes, async || cleo.follows(&ana).await).await;
    prove("Ana has seen it all", &server, &eyes, async || ana.sees_all().await).await;
    prove("Ana has seen it all before", &server, &eyes, async || tab.sees_all().await).await;
    prove("Cleo unfollows Ana, who knows that she followed", &server, &eyes, async || {
        cleo.unfollows(&ana).await
    })
    .await;
    let all = [&ana, &ben, &cleo, &dora].map(Person::mention).join(" ");
    let mentioning = cleo.comments(post_id, &format!("early {all}")).await;
    prove("Cleo mentions everybody", &server, &eyes, async || {
        cleo.comments(post_id, &format!("hello {all}")).await
    })
    .await;
    prove("Ben mentions Dora where there is none", &server, &eyes, async || {
        ben.comments(doomed, &dora.mention()).await
    })
    .await;
    prove("Ana mentions Ben under her own post", &server, &eyes, async || {
        ana.comments(post_id, &format!("{} and {}", ben.mention(), ana.mention())).await
    })
    .await;
    prove("Dora has seen it all", &server, &eyes, async || dora.sees_all().await).await;
    for who in [&ana, &tab, &ben] {
        prove("a user deletes the newest notification", &server, &eyes, async || {
            let newest = who.reads_notifications().await["notifications"][0]["id"].as_i64().unwrap();
            who.dismisses(newest).await
        })
        .await;
    }
    prove("Cleo deletes what mentions everybody", &server, &eyes, async || {
        cleo.deletes_comment(mentioning).await
    })
    .await;
    prove("Cleo edits her name", &server, &eyes, async || cleo.renames("Cleo Maria").await).await;
    prove("Ana edits her name", &server, &eyes, async || ana.renames("Anna").await).await;
    prove("Ana edits her photo", &server, &eyes, async || ana.changes_photo(&jpeg(8, 8)).await).await;
    prove("Ana edits her name to what it is", &server, &eyes, async || ana.renames("Anna").await).await;
    prove("many notifications are made and withdrawn at once", &server, &eyes, async || {
        for round in 0..3 {
            let text = format!("{round} {all}");
            let (kept, withdrawn) = (ben.comments(post_id, &text).await, cleo.comments(post_id, &text).await);
            ana.sees_all().await;
            cleo.deletes_comment(withdrawn).await;
            dora.follows(&cleo).await;
            dora.unfollows(&cleo).await;
            if round == 1 {
                ben.deletes_comment(kept).await;
            }
        }
    })
    .await;
    prove("Ben follows Dora", &server, &eyes, async || ben.follows(&dora).await).await;
    prove("Ana deletes a post", &server, &eyes, async || ana.deletes(doomed).await).await;
    prove("much at once", &server, &eyes, async || {
        for number in 0..5 {
            let post_id = ana.posts(&format!("p{number}")).await;
            ben.opens(post_id).await;
            ben.votes(post_id, "positive").await;
        }
        cleo.votes(post_id, "positive").await;
        dora.votes(post_id, "negative").await;
    })
    .await;
}

#[tokio::test]
async fn c18_after_ten_fast_votes_the_last_one_counts() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let post_id = ana.posts("hello").await;
    let mut sent = Vec::new();
    for tap in 0..11 {
        let vote = if tap % 2 == 0 { "positive" } else { "none" };
        let fields = json!({ "key": crate::support::value::key(), "post_id": post_id, "vote": vote });
        sent.push(ben.socket.sends("votes.set", fields).await);
    }
    let mut last = 0;
    for id in sent {
        let seq = ben.socket.reply_to(id).await.unwrap()["seq"].as_i64().unwrap();
        assert!(seq > last, "in the order they were tapped");
        last = seq;
    }
    assert_eq!(ben.opens(post_id).await["vote"], "positive");
    let delivered: Vec<Value> = ben.is_up_to_date(&server).await;
    assert_eq!((delivered.len(), &delivered[10]["vote"]), (11, &json!("positive")));
}

//! Deliveries: who receives which events. Each test makes every event happen and compares its recipients with a table.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::about;
use super::admins::an_admin;
use super::groups::{knows_nothing, looks_around, reconnects_from_the_beginning};
use super::rows::mood;
use crate::support::groups::of;
use crate::support::person::{PASSWORD, Person, post};
use crate::support::picture::jpeg;
use crate::support::server::TestServer;
use crate::support::value::key;

/// The users who are signed in during the events below.
const WATCHERS: [&str; 12] = [
    "author",
    "author's tab",
    "follower",
    "shows the post",
    "shows the profile",
    "followed once",
    "stranger",
    "showed the post",
    "showed the profile",
    "doer",
    "doer's tab",
    "admin",
];

/// The recipients of each event, besides the user who caused it.
fn delivered() -> BTreeMap<&'static str, &'static [&'static str]> {
    BTreeMap::from([
        ("posts.created", ["author", "author's tab", "follower", "shows the profile"].as_slice()),
        ("posts.updated", &["author", "author's tab", "follower", "shows the profile", "shows the post"]),
        ("posts.deleted", &["author", "author's tab", "follower", "shows the profile", "shows the post"]),
        ("comments.created", &["author", "shows the post"]),
        ("comments.deleted", &["author", "shows the post"]),
        ("votes.changed", &["doer", "doer's tab"]),
        ("votes.counted", &["author", "author's tab"]),
        ("follows.changed", &["doer", "doer's tab"]),
        ("profiles.counted", &["shows the profile"]),
        ("profiles.changed", &["author", "author's tab", "shows the profile"]),
        ("polls.created", &["author", "author's tab", "follower"]),
        ("polls.deleted", &["author", "author's tab", "follower"]),
        ("polls.voted", &["doer", "doer's tab"]),
        // Of the users who see the poll, the one who voted.
        ("polls.counted", &["doer", "doer's tab"]),
        // Any signed-in user may show another's name.
        ("users.changed", &WATCHERS),
        ("users.deleted", &WATCHERS),
        // Any of them may show a post of the author.
        ("comments.allowed", &WATCHERS[2..]),
        ("account.changed", &["author", "author's tab"]),
        ("people.changed", &["author", "author's tab"]),
        ("users.returned", &["author", "author's tab"]),
        ("theme.changed", &WATCHERS),
        ("admin.changed", &["admin"]),
        ("invites.changed", &["author", "author's tab"]),
        ("notifications.created", &["author", "author's tab"]),
        ("notifications.seen", &["author", "author's tab"]),
        ("notifications.deleted", &["author", "author's tab"]),
        ("moods.changed", &["author", "author's tab", "follower"]),
    ])
}

/// The users who are signed in during the events of a group, in order of the story.
const GROUP_WATCHERS: [&str; 11] = [
    "owner",
    "owner's tab",
    "author",
    "author's tab",
    "member",
    "shows the post",
    "follower",
    "shows the profile",
    "removed",
    "left",
    "stranger",
];

/// The recipients of each event of a group, besides the user who caused it.
fn with_group() -> BTreeMap<&'static str, &'static [&'static str]> {
    const MEMBERS: &[&str] = &["owner", "owner's tab", "author", "author's tab", "member", "shows the post"];
    BTreeMap::from([
        ("groups.created", ["owner", "owner's tab"].as_slice()),
        ("groups.renamed", MEMBERS),
        ("groups.joined", MEMBERS),
        ("groups.left", MEMBERS),
        ("groups.deleted", MEMBERS),
        ("posts.created", MEMBERS),
        ("posts.updated", MEMBERS),
        ("posts.deleted", MEMBERS),
        ("comments.created", &["author", "shows the post"]),
        ("comments.deleted", &["author", "shows the post"]),
        ("notifications.created", &["author", "author's tab"]),
        ("notifications.deleted", &["author", "author's tab"]),
        ("votes.changed", &["member"]),
        ("votes.counted", &["author", "author's tab"]),
        ("polls.created", MEMBERS),
        ("polls.voted", &["member"]),
        ("polls.counted", &["member"]),
        ("polls.deleted", MEMBERS),
    ])
}

#[test]
fn every_event_has_a_row() {
    let protocol = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/protocol.md")).unwrap();
    let section = protocol.split("## 6.").nth(1).unwrap().split("## 7.").next().unwrap();
    let events: BTreeSet<&str> = section
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next())
        .filter(|ev| *ev != "hello" && *ev != "beat")
        .collect();
    let rows: BTreeSet<&str> = delivered().into_keys().chain(with_group().into_keys()).collect();
    assert_eq!(rows, events, "please list the recipients of new events");
}

#[tokio::test]
async fn c32_c33_every_event_reaches_its_recipients_and_nobody_else() {
    let server = TestServer::new().await;
    let [author, follower, shows_post, shows_profile, former, stranger, doer] =
        server.people(["Ana", "Fay", "Paul", "Viola", "Emil", "Sten", "Dora"]).await;
    let (authors_tab, doers_tab) = (author.opens_another_tab().await, doer.opens_another_tab().await);
    let (left_post, left_profile) = (stranger.opens_another_tab().await, stranger.opens_another_tab().await);
    follower.follows(&author).await;
    former.follows(&author).await;
    former.unfollows(&author).await;
    let post_id = author.posts("shown").await;
    for who in [&shows_post, &left_post] {
        who.opens(post_id).await;
    }
    left_post.asks("live.leave", json!({ "posts": [post_id], "profiles": [] })).await;
    for who in [&shows_profile, &left_profile] {
        who.visits(&author).await;
    }
    left_profile.asks("live.leave", json!({ "posts": [], "profiles": [author.id] })).await;
    let admin = an_admin(&server).await;
    let guest = server.guest().await;
    let who = [
        &author,
        &authors_tab,
        &follower,
        &shows_post,
        &shows_profile,
        &former,
        &stranger,
        &left_post,
        &left_profile,
        &doer,
        &doers_tab,
        &admin,
    ];
    let watchers: Vec<(&str, &Person)> = WATCHERS.into_iter().zip(who).collect();
    // A user without any relation to the items.
    let leaver = server.person("Lea").await;
    let blocked = server.person("Bea").await;
    author.asks("people.block", about(&blocked)).await;
    let (mut comment_id, mut poll_id) = (0, 0);
    let mut met = BTreeSet::new();
    for act in [
        "post",
        "picture",
        "edit",
        "vote",
        "comment",
        "see",
        "dismiss",
        "uncomment",
        "ask",
        "follow",
        "choose",
        "delete",
        "unask",
        "rename",
        "photo",
        "mood",
        "leave",
        "hide",
        "theme",
        "invite",
        "limit",
        "unblock",
    ] {
        for (_, watcher) in &watchers {
            watcher.is_up_to_date(&server).await;
        }
        match act {
            "post" => drop(author.asks("posts.create", post("new")).await),
            "unblock" => drop(author.asks("people.unblock", about(&blocked)).await),
            "invite" => drop(author.asks("invites.create", json!({ "key": key() })).await),
            "picture" => drop(author.posts_picture("look").await),
            "edit" => drop(author.edits(post_id, None, "shown anew").await),
            "vote" => drop(doer.votes(post_id, "positive").await),
            "comment" => comment_id = doer.comments(post_id, "hi").await,
            "see" => drop(author.sees_all().await),
            "dismiss" => {
                let newest = author.reads_notifications().await["notifications"][0]["id"].as_i64().unwrap();
                author.dismisses(newest).await;
            }
            "uncomment" => doer.deletes_comment(comment_id).await,
            "follow" => {
                doer.follows(&author).await;
                // A count may be delayed; other recipients of one are found below.
                shows_profile.sees_followers(2).await;
                met.insert("profiles.counted".to_owned());
            }
            "delete" => {
                doer.unfollows(&author).await;
                // The unfollow is received first, and its counts are delayed.
                shows_profile.sees_followers(1).await;
                for (_, watcher) in &watchers {
                    watcher.is_up_to_date(&server).await;
                }
                author.deletes(post_id).await;
            }
            "ask" => poll_id = author.asks_poll("Tea?", &["yes", "no"]).await,
            "choose" => drop(doer.chooses(poll_id, 1).await),
            // The user who unfollowed does not receive it.
            "unask" => author.deletes_poll(poll_id).await,
            "rename" => drop(author.renames("Anna").await),
            "limit" => author.lets_comment("followers").await,
            "photo" => drop(author.changes_photo(&jpeg(8, 8)).await),
            "mood" => drop(author.asks("moods.set", mood()).await),
            "leave" => drop(leaver.asks("account.delete", json!({ "password": PASSWORD })).await),
            "hide" => {
                author.hides_numbers(true).await;
                for own in [&author, &authors_tab] {
                    own.receives_where_counted(author.id).await;
                }
            }
            "theme" => {
                let said = server.host(&["theme", "set", "--title=a", "--description=b", "--tag=c"]).await;
                assert_eq!(said.code, 0, "{said:?}");
            }
            _ => unreachable!("one of the actions"),
        }
        let mut received: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        for (name, watcher) in &watchers {
            for event in watcher.is_up_to_date(&server).await {
                received.entry(event["ev"].as_str().unwrap().to_owned()).or_default().insert(name);
            }
        }
        for (ev, names) in received {
            let expected: BTreeSet<&str> = match (act, ev.as_str()) {
                // Numbers that are hidden now are visible only to their owner.
                ("hide", "profiles.counted") => BTreeSet::from(["author", "author's tab"]),
                // A first step of who is new.
                ("follow", "account.changed") => BTreeSet::from(["doer", "doer's tab"]),
                (_, ev) => delivered()[ev].iter().copied().collect(),
            };
            assert_eq!(names, expected, "who received {ev} after {act}");
            met.insert(ev);
        }
    }
    assert!(guest.events().is_empty());
    assert_eq!(met, delivered().into_keys().map(str::to_owned).collect(), "each event happened once");
}

#[tokio::test]
async fn c32_what_happens_in_a_group_reaches_its_members_and_nobody_else() {
    let server = TestServer::new().await;
    let [owner, author, member, shows_post, follower] =
        server.people(["Olga", "Ana", "Mia", "Paul", "Fay"]).await;
    let [shows_profile, removed, left, stranger, nora] =
        server.people(["Viola", "Rex", "Lea", "Sten", "Nora"]).await;
    let (owners_tab, authors_tab) = (owner.opens_another_tab().await, author.opens_another_tab().await);
    let guest = server.guest().await;
    follower.follows(&author).await;
    shows_profile.visits(&author).await;
    nora.follows(&owner).await;
    let group_id =
        owner.makes_group_with("Quetzals", &[&author, &member, &shows_post, &removed, &left]).await;
    let post_id = author.shares(group_id, "Quetzal!").await;
    for who in [&shows_post, &removed, &left] {
        who.opens(post_id).await;
    }
    owner.removes(group_id, &removed).await;
    left.leaves_group(group_id).await;
    let open_id = author.posts("for everybody").await;
    let who = [
        &owner,
        &owners_tab,
        &author,
        &authors_tab,
        &member,
        &shows_post,
        &follower,
        &shows_profile,
        &removed,
        &left,
        &stranger,
    ];
    let watchers: Vec<(&str, &Person)> = GROUP_WATCHERS.into_iter().zip(who).collect();
    for (_, watcher) in &watchers {
        watcher.is_up_to_date(&server).await;
    }
    let outside = ["follower", "shows the profile", "removed", "left", "stranger"];
    let begun: BTreeMap<&str, usize> =
        watchers.iter().map(|(name, watcher)| (*name, watcher.socket.bytes().len())).collect();
    let (mut comment_id, mut poll_id, mut second_id) = (0, 0, 0);
    let mut met = BTreeSet::new();
    for act in [
        "make",
        "add",
        "share",
        "comment",
        "vote",
        "uncomment",
        "edit",
        "ask",
        "choose",
        "unask",
        "rename",
        "narrow",
        "take leave",
        "unshare",
        "end",
    ] {
        for (_, watcher) in &watchers {
            watcher.is_up_to_date(&server).await;
        }
        match act {
            "make" => second_id = owner.makes_group("Quetzals, too").await,
            "add" => drop(owner.adds(group_id, &[&nora]).await),
            "share" => drop(author.shares(group_id, "another Quetzal").await),
            "comment" => comment_id = member.comments(post_id, "which Quetzal?").await,
            "vote" => drop(member.votes(post_id, "positive").await),
            "uncomment" => member.deletes_comment(comment_id).await,
            "edit" => drop(author.edits_for(of(group_id), post_id, "Quetzal?").await),
            "ask" => poll_id = author.asks_poll_of(group_id, "Quetzal or tea?", &["yes", "no"]).await,
            "choose" => drop(member.chooses(poll_id, 0).await),
            "unask" => author.deletes_poll(poll_id).await,
            "rename" => owner.renames_group(group_id, "Quetzals at night").await,
            // The post was public until now. A user who loses it receives only its deletion.
            "narrow" => drop(author.edits_for(of(group_id), open_id, "a Quetzal among us").await),
            "take leave" => nora.leaves_group(group_id).await,
            "unshare" => author.deletes(open_id).await,
            "end" => owner.ends_group(group_id).await,
            _ => unreachable!("one of the actions"),
        }
        let mut received: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        for (name, watcher) in &watchers {
            // Counts may be delayed. A count from before the story is ignored.
            let events = watcher.is_up_to_date(&server).await.into_iter();
            for event in events.filter(|event| event["ev"] != "profiles.counted") {
                received.entry(event["ev"].as_str().unwrap().to_owned()).or_default().insert(name);
            }
        }
        for (ev, names) in received {
            let expected: BTreeSet<&str> = match (act, ev.as_str()) {
                ("narrow", "posts.deleted") => BTreeSet::from(["follower", "shows the profile"]),
                (_, ev) => with_group()
                    .get(ev)
                    .unwrap_or_else(|| panic!("{ev} after {act}"))
                    .iter()
                    .copied()
                    .collect(),
            };
            assert_eq!(names, expected, "who received {ev} after {act}");
            met.insert(ev);
        }
    }
    assert_eq!(met, with_group().into_keys().map(str::to_owned).collect(), "each event happened once");
    assert!(guest.events().is_empty());
    for (name, watcher) in watchers.iter().filter(|(name, _)| outside.contains(name)) {
        looks_around(watcher, &author, &[post_id], &[group_id, second_id]).await;
        let ids = [group_id, second_id, poll_id, comment_id];
        knows_nothing(name, &watcher.socket.bytes()[begun[name]..], &ids);
        let (tab, _) = reconnects_from_the_beginning(watcher, &[post_id]).await;
        knows_nothing(&format!("the new tab of {name}"), &tab.bytes(), &[second_id, poll_id, comment_id]);
    }
}

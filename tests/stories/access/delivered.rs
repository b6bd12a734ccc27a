//! Deliveries: who receives which events. Each test makes every event happen and compares its recipients with a table.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;

use serde_json::json;

use super::about;
use super::admins::an_admin;
use super::groups::{knows_nothing, looks_around, reconnects_from_the_beginning};
use crate::FEATURES;
use crate::feature::{Recipients, all};
use crate::support::person::Person;
use crate::support::server::TestServer;

/// The users who are signed in during the events below.
pub const WATCHERS: &[&str] = &[
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

/// The members among them.
pub const IN_GROUP: &[&str] = &["owner", "owner's tab", "author", "author's tab", "member", "shows the post"];

/// The users who are signed in, and what each of them receives after an act.
pub struct Watch<'a> {
    pub server: &'a TestServer,
    watchers: Vec<(&'static str, &'a Person)>,
    /// Those who act and are not watched.
    others: Vec<(&'static str, &'a Person)>,
    /// The post that some show.
    pub post_id: i64,
    /// The group of that post; 0: it is public.
    pub group_id: i64,
    /// Another post of the author, which is public; 0: there is none.
    pub public_id: i64,
    /// The items of the group that were made while others watched.
    made: RefCell<Vec<i64>>,
    recipients: BTreeMap<&'static str, &'static [&'static str]>,
    met: RefCell<BTreeSet<String>>,
}

impl<'a> Watch<'a> {
    fn new(
        server: &'a TestServer,
        watchers: impl Iterator<Item = (&'static str, &'a Person)>,
        others: &[(&'static str, &'a Person)],
        recipients: Vec<Recipients>,
    ) -> Self {
        let count = recipients.len();
        let (watchers, recipients) = (watchers.collect(), BTreeMap::from_iter(recipients));
        assert_eq!(recipients.len(), count, "an event is listed twice");
        Self {
            server,
            watchers,
            others: others.to_vec(),
            post_id: 0,
            group_id: 0,
            public_id: 0,
            made: RefCell::default(),
            recipients,
            met: RefCell::default(),
        }
    }

    pub fn person(&self, name: &str) -> &'a Person {
        self.watchers.iter().chain(&self.others).find(|(person, _)| *person == name).unwrap().1
    }

    /// Notes an item of the group.
    pub fn makes(&self, id: i64) {
        self.made.borrow_mut().push(id);
    }

    /// Runs an act, and asserts that each event it causes reaches its recipients and nobody else.
    pub async fn sees<T>(&self, act: &str, acts: impl Future<Output = T>) -> T {
        self.sees_but(act, &[], acts).await
    }

    /// Like `sees`, but these events have other recipients in this act.
    pub async fn sees_but<T>(
        &self,
        act: &str,
        unusual: &[(&str, &[&str])],
        acts: impl Future<Output = T>,
    ) -> T {
        for (_, watcher) in &self.watchers {
            watcher.is_up_to_date(self.server).await;
        }
        let done = acts.await;
        let mut received: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        for (name, watcher) in &self.watchers {
            for event in watcher.is_up_to_date(self.server).await {
                received.entry(event["ev"].as_str().unwrap().to_owned()).or_default().insert(name);
            }
        }
        for (ev, names) in received {
            let of_act = unusual.iter().find(|(name, _)| *name == ev).map(|(_, names)| *names);
            // Profile counts are ignored in the story of a group: they may belong to earlier writes.
            let Some(expected) = of_act.or_else(|| self.recipients.get(&ev[..]).copied()) else {
                assert_eq!(ev, "profiles.counted", "{names:?} received it after {act}");
                continue;
            };
            let expected: BTreeSet<&str> = expected.iter().copied().collect();
            assert_eq!(names, expected, "who received {ev} after {act}");
            self.met(&ev);
        }
        done
    }

    /// Notes that an event happened.
    pub fn met(&self, ev: &str) {
        self.met.borrow_mut().insert(ev.to_owned());
    }

    fn met_all(&self) {
        let all = self.recipients.keys().map(|ev| (*ev).to_owned()).collect();
        assert_eq!(*self.met.borrow(), all, "an event of the table did not happen");
    }
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
    let rows = [all(|feature| feature.delivered), all(|feature| feature.in_group)].concat();
    let rows: BTreeSet<&str> = rows.into_iter().map(|(ev, _)| ev).collect();
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
    // A user without any relation to the items, and one whom the author blocked.
    let [leaver, blocked] = server.people(["Lea", "Bea"]).await;
    author.asks("people.block", about(&blocked)).await;
    let others = [("leaver", &leaver), ("blocked", &blocked)];
    let watchers = WATCHERS.iter().copied().zip(who);
    let watch = Watch { post_id, ..Watch::new(&server, watchers, &others, all(|feature| feature.delivered)) };
    for feature in FEATURES {
        (feature.play)(&watch).await;
    }
    for feature in FEATURES {
        (feature.end)(&watch).await;
    }
    watch.met_all();
    assert!(guest.events().is_empty());
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
    let watchers = GROUP_WATCHERS.into_iter().zip(who);
    let watch = Watch {
        post_id,
        group_id,
        public_id: author.posts("for everybody").await,
        ..Watch::new(&server, watchers, &[("newcomer", &nora)], all(|feature| feature.in_group))
    };
    for (_, watcher) in &watch.watchers {
        watcher.is_up_to_date(&server).await;
    }
    let outside = ["follower", "shows the profile", "removed", "left", "stranger"];
    let begun: BTreeMap<&str, usize> =
        watch.watchers.iter().map(|(name, watcher)| (*name, watcher.socket.bytes().len())).collect();
    for feature in FEATURES {
        (feature.play_in_group)(&watch).await;
    }
    for feature in FEATURES {
        (feature.end_in_group)(&watch).await;
    }
    watch.met_all();
    assert!(guest.events().is_empty());
    let made = watch.made.take();
    let all = [&[group_id], &made[..]].concat();
    for (name, watcher) in watch.watchers.iter().filter(|(name, _)| outside.contains(name)) {
        looks_around(watcher, &author, &[post_id], &all).await;
        knows_nothing(name, &watcher.socket.bytes()[begun[name]..], &all);
        // Each of them lost a group or the post that was narrowed, so nothing is replayed. Events are
        // replayed only to viewers who lost nothing: see `c39_` in groups.rs.
        let (tab, must_read_again) = reconnects_from_the_beginning(watcher, &[post_id]).await;
        assert!(must_read_again, "{name} was replayed to");
        knows_nothing(&format!("the new tab of {name}"), &tab.bytes(), &made);
    }
}

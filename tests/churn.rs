//! Two thousand connections and two hundred groups. Users connect, disconnect, join, leave, are removed, write and
//! vote, at once and at random. At the end the group actors agree with the database, and every connection received
//! its own events once, and no others.
//!
//! `MELLOW_CHURN_SEED=7 cargo test --test churn` repeats a run.
#![expect(clippy::unwrap_used, reason = "a failed step ends the test")]

#[path = "churn/client.rs"]
mod client;
#[path = "churn/history.rs"]
mod history;
mod support;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::rc::Rc;

use client::{Client, ConnectionRecord, OkReply, Refused};
use history::{Fact, History, What};
use mellow::clock::Clock;
use mellow::ids::GroupId;
use mellow::seeded_random::SeededRandom;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use support::groups::post_for;
use support::server::TestServer;
use support::value::key;
use tokio::sync::Mutex;
use tokio::task::LocalSet;

const SOCKETS: usize = 2_000;
const PEOPLE: usize = 800;
const GROUPS: usize = 200;
/// The users who can be members of a group: the owner and the followers of the owner.
const GROUP_SIZE: usize = 20;
const STEPS: usize = 12_000;
/// The number of concurrent actions.
const AT_ONCE: usize = 32;
/// How often a request is repeated if the server is busy.
const TRIES_MAX: usize = 100;

/// The random numbers of this run, shared by all concurrent actions.
struct Random(RefCell<SeededRandom>);

impl Random {
    /// Uses `MELLOW_CHURN_SEED`, or a new seed. The seed is printed, so that a failed run can be repeated.
    fn of_this_run() -> Self {
        let given = std::env::var("MELLOW_CHURN_SEED").ok().and_then(|seed| seed.parse().ok());
        let seed = given.unwrap_or_else(|| Clock::Real.now_ms().unsigned_abs());
        println!("MELLOW_CHURN_SEED={seed}");
        Self(RefCell::new(SeededRandom::new(seed, 0)))
    }

    fn below(&self, bound: usize) -> usize {
        self.0.borrow_mut().below(bound)
    }

    fn pick<'a, T>(&self, among: &'a [T]) -> &'a T {
        &among[self.below(among.len())]
    }
}

fn person(number: usize) -> i64 {
    i64::try_from(number).unwrap() + 1
}

fn cookie(person: i64) -> String {
    format!("{person:064x}")
}

/// Makes logged-in users, their follows and their groups. Returns the members of each group.
async fn prepares(folder: &Path, test_groups: &[TestGroup]) -> Vec<(i64, i64)> {
    let opened = mellow::db::open(folder).await.unwrap();
    opened.readers.close();
    opened.writer.close().unwrap();
    let database = rusqlite::Connection::open(folder.join("mellow.db")).unwrap();
    let now_ms = Clock::Real.now_ms();
    database.execute_batch("begin").unwrap();
    for id in (0..PEOPLE).map(person) {
        database
            .execute(
                "insert into users (id, email, email_key, password_hash, name, created_at_ms, updated_at_ms)
                 values (?1, ?2, ?2, 'none', ?3, ?4, ?4)",
                (id, format!("person{id}@example.org"), format!("Person {id}"), now_ms),
            )
            .unwrap();
        let token_hash: [u8; 32] = Sha256::digest(cookie(id)).into();
        database
            .execute(
                "insert into logins (id, user_id, token_hash, created_at_ms, used_at_ms) values (?1, ?1, ?2, ?3, ?3)",
                (id, token_hash, now_ms),
            )
            .unwrap();
    }
    let (mut members, mut next) = (Vec::new(), 10_000);
    for test_group in test_groups {
        let (group, owner) = (test_group.group.get(), test_group.owner);
        database
            .execute(
                "insert into groups (id, owner_id, name, created_at_ms) values (?1, ?2, ?3, ?4)",
                (group, owner, format!("Circle {group}"), now_ms),
            )
            .unwrap();
        members.push((group, owner));
        for (number, id) in test_group.others.iter().enumerate() {
            next += 1;
            database
                .execute(
                    "insert into follows (follower_id, followed_id, id) values (?1, ?2, ?3)",
                    (id, owner, next),
                )
                .unwrap();
            if number % 2 == 0 {
                database
                    .execute(
                        "insert into members (group_id, user_id, id) values (?1, ?2, ?3)",
                        (group, id, next),
                    )
                    .unwrap();
                members.push((group, *id));
            }
        }
    }
    database.execute_batch("commit").unwrap();
    members
}

/// A group. When it is deleted, a new group replaces it here.
struct TestGroup {
    owner: i64,
    /// Other users who can be members.
    others: Vec<i64>,
    group: Cell<i64>,
    /// The posts that were shared with it.
    posts: RefCell<Vec<i64>>,
}

/// A tab of a user. It may have no connection at the moment.
struct Tab {
    person: i64,
    client: Option<Rc<Client>>,
}

/// The result of a request.
struct Granted {
    ok: OkReply,
    client: Rc<Client>,
    /// Whether the request was sent only once.
    is_first: bool,
}

/// All users, and what they did so far.
struct Crowd {
    server: TestServer,
    random: Random,
    test_groups: Vec<TestGroup>,
    /// The tabs. A tab is locked while an action uses it.
    tabs: Vec<Mutex<Tab>>,
    facts: RefCell<BTreeMap<i64, Fact>>,
    /// All connections so far.
    connections: RefCell<Vec<Rc<RefCell<ConnectionRecord>>>>,
    /// How often a request was repeated.
    repeated: Cell<usize>,
    /// The number of actions so far.
    steps_taken: Cell<usize>,
    /// Requests that were refused because the user was not in the group.
    refused: Cell<usize>,
}

impl Crowd {
    fn notes(&self, seq: i64, group: i64, what: What) {
        let before = self.facts.borrow_mut().insert(seq, Fact { group, what });
        assert!(before.is_none(), "two events of one number: {before:?}");
    }

    async fn opens(&self, person: i64) -> Rc<Client> {
        let client = Client::open(self.server.at, person, &cookie(person)).await;
        self.connections.borrow_mut().push(client.record.clone());
        client
    }

    /// Sends a request as a user, by one of their tabs. Returns None if there is no result.
    async fn asks(&self, person: i64, op: &str, fields: Value) -> Option<Granted> {
        let tabs = SOCKETS.div_ceil(PEOPLE);
        let first = self.random.below(tabs);
        for number in 0..tabs {
            let at = usize::try_from(person - 1).unwrap() + PEOPLE * ((first + number) % tabs);
            let Some(tab) = self.tabs.get(at) else { continue };
            let tab = tab.lock().await;
            assert_eq!(tab.person, person);
            let Some(client) = &tab.client else { continue };
            for number in 0..TRIES_MAX {
                match client.asks(op, fields.clone()).await {
                    None => {
                        panic!("{op} {fields}: the connection ended with {:?}", client.record.borrow().ended)
                    }
                    Some(Ok(ok)) => {
                        let is_first = number == 0;
                        return Some(Granted { ok, client: client.clone(), is_first });
                    }
                    // A user who has just left the group cannot be added until they allow it, a moment later.
                    Some(Err(Refused { code }))
                        if code == "not_found" || op == "groups.add" && code == "invalid" =>
                    {
                        self.refused.set(self.refused.get() + 1);
                        return None;
                    }
                    // A member was removed during this read, so the read is sent again.
                    Some(Err(Refused { code })) if code == "busy" => {
                        self.repeated.set(self.repeated.get() + 1)
                    }
                    Some(Err(no)) => panic!("{op} {fields}: {no:?}"),
                }
            }
            panic!("{op} {fields}: {TRIES_MAX} times busy");
        }
        None
    }

    /// Does one random action.
    async fn steps(&self) {
        self.steps_taken.set(self.steps_taken.get() + 1);
        let random = &self.random;
        let test_group = random.pick(&self.test_groups);
        let group = test_group.group.get();
        let someone = if random.below(10) == 0 { test_group.owner } else { *random.pick(&test_group.others) };
        let of = |more: Value| {
            let mut fields = json!({ "key": key(), "group_id": group });
            fields.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            fields
        };
        match random.below(100) {
            0..26 => {
                let made = self.asks(someone, "posts.create", post_for(group, "A quiet word.")).await;
                let Some(Granted { ok, client, is_first }) = made else { return };
                let id = ok.post.unwrap().id;
                let mut record = client.record.borrow_mut();
                // A repeated reply subscribes to nothing.
                let shown = if is_first { &mut record.reads } else { &mut record.perhaps };
                shown.push((id, ok.seq));
                drop(record);
                test_group.posts.borrow_mut().push(id);
                self.notes(ok.seq, group, What::Post { id, author: someone });
            }
            26..46 => {
                let Some(post) = self.a_post(test_group) else { return };
                let fields = json!({ "key": key(), "post_id": post, "text": "Yes.",
                    "audience": { "type": "group", "group_id": group } });
                let Some(Granted { ok, .. }) = self.asks(someone, "comments.create", fields).await else {
                    return;
                };
                let id = ok.comment.unwrap().id;
                self.notes(ok.seq, group, What::Comment { id, post, author: someone });
            }
            46..58 => {
                let Some(post) = self.a_post(test_group) else { return };
                let shown = self.asks(someone, "posts.get", json!({ "post_id": post })).await;
                let Some(Granted { ok, client, .. }) = shown else { return };
                let mut record = client.record.borrow_mut();
                record.reads.push((post, ok.seq));
                record.answered.push((post, ok.received_before));
            }
            58..68 => {
                let ids: BTreeSet<i64> = (0..3).map(|_| *random.pick(&test_group.others)).collect();
                self.adds(test_group, group, ids).await;
            }
            68..75 => {
                let fields = of(json!({ "user_id": someone }));
                let Some(Granted { ok, .. }) = self.asks(test_group.owner, "groups.remove", fields).await
                else {
                    return;
                };
                self.notes(ok.seq, group, What::Left(someone));
            }
            75..80 => {
                let Some(Granted { ok, .. }) = self.asks(someone, "groups.leave", of(json!({}))).await else {
                    return;
                };
                self.notes(ok.seq, group, What::Left(someone));
                // A user who leaves cannot be added again until they allow it.
                self.asks(someone, "groups.allow_again", of(json!({}))).await;
            }
            80..82 => {
                // The name differs each time, because the same name publishes nothing.
                let fields = of(json!({ "name": format!("Circle at {}", self.steps_taken.get()) }));
                let Some(Granted { ok, .. }) = self.asks(test_group.owner, "groups.rename", fields).await
                else {
                    return;
                };
                self.notes(ok.seq, group, What::Renamed);
            }
            82..84 => {
                let Some(Granted { ok, .. }) =
                    self.asks(test_group.owner, "groups.delete", of(json!({}))).await
                else {
                    return;
                };
                self.notes(ok.seq, group, What::Ended);
                test_group.posts.borrow_mut().clear();
                let fields = json!({ "key": key(), "name": "Circle" });
                let Some(Granted { ok, .. }) = self.asks(test_group.owner, "groups.create", fields).await
                else {
                    return;
                };
                let group = ok.group.unwrap().id;
                self.notes(ok.seq, group, What::Made { owner: test_group.owner });
                test_group.group.set(group);
                self.adds(test_group, group, test_group.others.iter().copied().step_by(2).collect()).await;
            }
            84..93 => self.goes().await,
            _ => self.connects().await,
        }
    }

    /// Returns one of the last posts of a group.
    fn a_post(&self, test_group: &TestGroup) -> Option<i64> {
        let posts = test_group.posts.borrow();
        (!posts.is_empty()).then(|| *self.random.pick(&posts[posts.len().saturating_sub(5)..]))
    }

    async fn adds(&self, test_group: &TestGroup, group: i64, ids: BTreeSet<i64>) {
        let fields = json!({ "key": key(), "group_id": group, "user_ids": ids });
        let Some(Granted { ok, .. }) = self.asks(test_group.owner, "groups.add", fields).await else {
            return;
        };
        let came: Vec<i64> = ok.users.iter().map(|user| user.id).collect();
        if !came.is_empty() {
            self.notes(ok.seq, group, What::Joined(came));
        }
    }

    /// Cuts a connection, sometimes right after a last request.
    async fn goes(&self) {
        let mut tab = self.random.pick(&self.tabs).lock().await;
        let Some(client) = tab.client.take() else { return };
        if self.random.below(2) == 0 {
            client.probes().await;
        }
        client.is_cut();
    }

    /// Opens a tab again. Most tabs resume.
    async fn connects(&self) {
        let first = self.random.below(SOCKETS);
        let all = (0..SOCKETS).map(|number| &self.tabs[(first + number) % SOCKETS]);
        // A tab that is locked by a running action is connected.
        let mut away = all.filter_map(|tab| tab.try_lock().ok()).filter(|tab| tab.client.is_none());
        let Some(mut tab) = away.next() else { return };
        let person = tab.person;
        let before =
            self.connections.borrow().iter().rev().find(|held| held.borrow().person == person).cloned();
        let client = self.opens(person).await;
        if let (Some(before), true) = (before, self.random.below(10) < 6) {
            let (cursor, epoch, posts) = {
                let before = before.borrow();
                let posts: BTreeSet<i64> = before.reads.iter().map(|(post, _)| *post).collect();
                (before.cursor(), before.epoch.clone(), posts)
            };
            let fields = json!({ "epoch": epoch, "seq": cursor, "posts": posts, "profiles": [] });
            let resumed = client.asks("live.resume", fields).await.unwrap().unwrap();
            let mut record = client.record.borrow_mut();
            if resumed.resync {
                // A real client would read its screen again. This client has an empty screen.
                record.reads.extend(posts.iter().map(|post| (*post, resumed.seq)));
            } else {
                record.resumed = Some((cursor, resumed.seq));
                // The number of answered actions, and of those that may still run.
                let noted = self.facts.borrow().keys().next_back().copied().unwrap_or(0);
                record.known = noted.max(resumed.seq) + i64::try_from(4 * AT_ONCE).unwrap();
                record.reads.extend(posts.iter().map(|post| (*post, cursor)));
            }
        }
        tab.client = Some(client);
    }
}

#[tokio::test]
async fn two_thousand_connections_receive_their_own_events_only() {
    LocalSet::new().run_until(churns()).await;
}

async fn churns() {
    let random = Random::of_this_run();
    let test_groups: Vec<TestGroup> = (0..GROUPS)
        .map(|number| {
            let owner = person(number * PEOPLE / GROUPS);
            let others: BTreeSet<i64> = (0..GROUP_SIZE).map(|_| person(random.below(PEOPLE))).collect();
            TestGroup {
                owner,
                others: others.into_iter().filter(|id| *id != owner).collect(),
                group: Cell::new(i64::try_from(number).unwrap() + 1),
                posts: RefCell::default(),
            }
        })
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let members = prepares(folder.path(), &test_groups).await;
    let tabs = (0..SOCKETS)
        .map(|number| Mutex::new(Tab { person: person(number % PEOPLE), client: None }))
        .collect();
    let crowd = Rc::new(Crowd {
        server: TestServer::on(folder, &[]),
        random,
        test_groups,
        tabs,
        facts: RefCell::default(),
        connections: RefCell::default(),
        repeated: Cell::new(0),
        steps_taken: Cell::new(0),
        refused: Cell::new(0),
    });

    in_turns(&crowd, SOCKETS, async |crowd: &Crowd, number| {
        let mut tab = crowd.tabs[number].lock().await;
        let person = tab.person;
        tab.client = Some(crowd.opens(person).await);
    })
    .await;
    in_turns(&crowd, STEPS, async |crowd: &Crowd, _| crowd.steps().await).await;

    // Every connection receives all its events.
    let end = crowd.server.publishes_marker().await;
    in_turns(&crowd, SOCKETS, async move |crowd: &Crowd, number| {
        let tab = crowd.tabs[number].lock().await;
        let Some(client) = &tab.client else { return };
        while client.probes().await.expect("an open connection") < end {}
    })
    .await;

    let history = History::new(&members, crowd.facts.take(), end);
    let in_database = members_in_database(&crowd.server);
    assert_eq!(in_database, history.members(), "the replies agree with the database");
    let mut present = BTreeSet::new();
    for tab in &crowd.tabs {
        let tab = tab.lock().await;
        present.extend(tab.client.is_some().then_some(tab.person));
    }
    agree(&crowd.server, &in_database, &present).await;

    let connections = crowd.connections.take();
    let mut faults = Vec::new();
    let mut delivered = 0;
    for record in &connections {
        let record = record.borrow();
        delivered += record.received.len();
        let own = history.faults(&record).into_iter();
        faults.extend(own.map(|fault| {
            format!("person {}, {}, {:?}: {fault}", record.person, record.hello, record.resumed)
        }));
    }
    println!(
        "{} connections received {delivered} events; {} refused, {} repeated",
        connections.len(),
        crowd.refused.get(),
        crowd.repeated.get()
    );
    assert!(
        faults.is_empty(),
        "{} faults, such as\n{}",
        faults.len(),
        faults[..faults.len().min(20)].join("\n")
    );
    assert!(delivered > SOCKETS, "too few deliveries to prove anything: {delivered}");

    // All users disconnect, and the actors end.
    for tab in &crowd.tabs {
        if let Some(client) = tab.lock().await.client.take() {
            client.is_cut();
        }
    }
    drop(connections);
    let begun = std::time::Instant::now();
    while !crowd.server.groups().running().is_empty() {
        assert!(begun.elapsed() < support::TIMEOUT, "actors are left without a present member");
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
}

/// Runs an action this many times, a few at a time.
async fn in_turns(crowd: &Rc<Crowd>, times: usize, act: impl AsyncFn(&Crowd, usize) + Clone + 'static) {
    let next = Rc::new(Cell::new(0));
    let hands: Vec<_> = (0..AT_ONCE)
        .map(|_| {
            let (crowd, next, act) = (crowd.clone(), next.clone(), act.clone());
            tokio::task::spawn_local(async move {
                while next.get() < times {
                    let number = next.replace(next.get() + 1);
                    act(&crowd, number).await;
                }
            })
        })
        .collect();
    for hand in hands {
        hand.await.unwrap();
    }
}

fn members_in_database(server: &TestServer) -> BTreeMap<i64, BTreeSet<i64>> {
    let database = server.look();
    let mut asked = database.prepare("select group_id, user_id from members").unwrap();
    let mut members: BTreeMap<i64, BTreeSet<i64>> = BTreeMap::new();
    for row in asked.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap() {
        let (group, person) = row.unwrap();
        members.entry(group).or_default().insert(person);
    }
    members
}

/// Checks that each group with a connected member has an actor, that no other has, and that the number of connected
/// members is right.
async fn agree(server: &TestServer, members: &BTreeMap<i64, BTreeSet<i64>>, present: &BTreeSet<i64>) {
    let count = |people: &BTreeSet<i64>| people.intersection(present).count();
    let expected: BTreeMap<GroupId, usize> = members
        .iter()
        .map(|(group, people)| (GroupId(*group), count(people)))
        .filter(|(_, count)| *count > 0)
        .collect();
    let begun = std::time::Instant::now();
    // A connection that was just cut may still count as present.
    while server.groups().running() != expected {
        if begun.elapsed() > support::TIMEOUT {
            assert_eq!(server.groups().running(), expected);
        }
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
}

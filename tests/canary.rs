//! The canary: a dozen users act at random. They write, follow, block, mute, share with groups, leave groups, import
//! posts, log in with passkeys, resume from old cursors, and send requests that they may not send. Every text contains a
//! word that is in no other text. All bytes that a user receives, over a socket or HTTP, are searched for words that this
//! user may not read.
//!
//! `MELLOW_CANARY_SEED=7 cargo test --test canary` repeats the choices of a run; `MELLOW_CANARY_OPS=100000` makes it
//! longer.
#![expect(clippy::unwrap_used, reason = "a failed step ends the test")]

#[path = "canary/groups.rs"]
mod groups;
#[path = "canary/imports.rs"]
mod imports;
#[path = "canary/model.rs"]
mod model;
#[path = "canary/passkeys.rs"]
mod passkeys;
#[path = "canary/plan.rs"]
mod plan;
#[path = "canary/polls.rs"]
mod polls;
mod support;
#[path = "canary/tab.rs"]
mod tab;
#[path = "canary/words.rs"]
mod words;

use std::collections::{BTreeMap, VecDeque};
use std::io::{Cursor, Read};

use mellow::seeded_random::SeededRandom;
use model::{Community, Effect, GUEST, PEOPLE, has, leaves_out_muted};
use plan::Plan;
use serde_json::{Value, json};
use support::authenticator::Authenticator;
use support::child::Child;
use support::http;
use support::person::Person;
use support::socket::Socket;
use support::value::key;
use tab::{Inbox, Tab};
use words::{Book, Received, Thing};

const TABS: usize = 2;
/// How many of the last actions a failed run shows.
const TRACE: usize = 40;
/// How many granted requests are remembered, to be sent again.
const AGAIN_MAX: usize = 60;
const OPS: usize = 2_000;
/// The default seed. Concurrent actions still finish in another order in each run. `scripts/prove canary` uses a new
/// seed.
const SEED: u64 = 20_261_123;
/// In each block of this many actions, a user is suspended during the second half.
const SUSPENSION: usize = 300;
/// The kind of a message that is the archive of a user, which is an HTTP response.
const ARCHIVE: &str = "an archive";
/// How many groups there are at the beginning.
const GROUPS: usize = 4;

/// An action of one tab.
pub enum Action {
    Asks { op: &'static str, fields: Value, effect: Effect },
    ComesBack { seq: i64, posts: Vec<i64>, profiles: Vec<i64> },
    Uploads { name: String, then: Box<Action> },
}

/// The result of an action that was granted: the number of the write, if it has one.
struct Granted {
    op: &'static str,
    fields: Value,
    effect: Effect,
    ok: Value,
}

fn seq_of(ok: &Value) -> i64 {
    ok["seq"].as_i64().unwrap_or_else(|| panic!("a write without a number: {ok}"))
}

async fn acts(tab: &mut Tab, action: Action) -> Option<Granted> {
    match action {
        Action::ComesBack { seq, posts, profiles } => {
            tab.comes_back(seq, &posts, &profiles).await;
            None
        }
        Action::Uploads { name, then } => {
            let upload = tab.person.uploads(&name, &support::picture::jpeg(8, 6)).await;
            let Action::Asks { op, mut fields, effect } = *then else { unreachable!("a post") };
            fields["pictures"][0]["upload"] = upload.clone();
            let granted = Box::pin(acts(tab, Action::Asks { op, fields, effect })).await;
            if granted.is_none() {
                tab.person.cancels(&upload).await;
            }
            granted
        }
        Action::Asks { op, fields, effect } => match tab.asks(op, &fields).await {
            Ok(ok) => Some(Granted { op, fields, effect, ok }),
            Err(no) => {
                assert!(
                    !["fault", "bad_request", "unknown_op"].contains(&no.code.as_str()),
                    "{op} {fields}: {no:?}"
                );
                None
            }
        },
    }
}

struct Canary {
    server: Child,
    folder: tempfile::TempDir,
    seed: u64,
    random: SeededRandom,
    community: Community,
    admin: Person,
    guest: Socket,
    people: Vec<Person>,
    /// None while the user of the tab is suspended.
    tabs: Vec<Option<Tab>>,
    /// The passkeys of the users.
    devices: Vec<Authenticator>,
    /// How many files were imported.
    imported: usize,
    again: VecDeque<(usize, &'static str, Value)>,
    trace: VecDeque<String>,
    granted: BTreeMap<&'static str, usize>,
    /// How many words were found in bytes whose recipients may read them.
    found: usize,
    done: usize,
}

impl Canary {
    async fn new(seed: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let log = std::fs::File::create(folder.path().join("server.log")).unwrap();
        let server = Child::starts_with_log(folder.path(), &[("log", "debug")], log);
        let admin = Person::signs_up(server.at, "Ada").await;
        let promoted = support::child::host(folder.path(), &["user", "promote", &admin.email]).await;
        assert_eq!(promoted.code, 0, "{promoted:?}");
        let guest = Socket::open(server.at, None).await;
        let mut community = Community::default();
        let (mut people, mut tabs) = (Vec::new(), Vec::new());
        for who in 0..PEOPLE {
            let address = community.book.makes(Some(who));
            let person = Person::signs_up(server.at, &Book::spelled(address)).await;
            let id = community.book.makes_id(person.id);
            community.replaces(Thing::Address(who), &[], &[address]);
            let name = community.book.makes(Some(who));
            let ok = person.renames(&format!("Ana {}", Book::spelled(name))).await;
            assert!(ok["name"].is_string());
            community.replaces(Thing::Id(who), &[], &[id]);
            community.apply(1, Effect::Profile { who, words: vec![name] }, &Value::Null);
            people.push(person);
        }
        for (who, person) in people.iter().enumerate() {
            for _ in 0..TABS {
                tabs.push(Some(Tab::new(who, person).await));
            }
        }
        let mut canary = Self {
            server,
            folder,
            seed,
            random: SeededRandom::new(seed, 0),
            community,
            admin,
            guest,
            people,
            tabs,
            devices: Vec::new(),
            imported: 0,
            again: VecDeque::new(),
            trace: VecDeque::new(),
            granted: BTreeMap::new(),
            found: 0,
            done: 0,
        };
        canary.begins().await;
        let probed = canary.admin.asks("live.probe", json!({})).await;
        // The worker of the admin may not have read the last write yet.
        canary.community.seq = canary.community.seq.max(probed["seq"].as_i64().unwrap());
        canary
    }

    /// Makes random follows between half of all pairs, some groups, and a passkey of each user.
    async fn begins(&mut self) {
        for who in 0..PEOPLE {
            for other in (0..PEOPLE).filter(|other| *other != who) {
                if self.random.below(2) == 0 {
                    let ok = self.people[who].follows(&self.people[other]).await;
                    self.community.apply(seq_of(&ok), Effect::Follow { who, other, is: true }, &ok);
                }
            }
        }
        for who in 0..GROUPS {
            let name = self.community.book.makes(Some(who));
            let fields = json!({ "key": key(), "name": Book::spelled(name) });
            let ok = self.people[who].asks("groups.create", fields).await;
            self.community.apply(seq_of(&ok), groups::Effect::Make { who, name }.into(), &ok);
            let group = ok["group"]["id"].as_i64().unwrap();
            let near = |other: &usize| {
                let follows = &self.community.follows;
                *other != who && (follows.contains(&(who, *other)) || follows.contains(&(*other, who)))
            };
            let others: Vec<usize> = (0..PEOPLE).filter(near).collect();
            let members: Vec<&Person> = others.iter().map(|other| &self.people[*other]).collect();
            let ok = self.people[who].adds(group, &members).await;
            self.community.apply(seq_of(&ok), groups::Effect::Add { who, group, others }.into(), &ok);
        }
        self.adds_passkeys().await;
    }

    /// Runs several actions of several tabs at once, and then searches everything that was received.
    async fn round(&mut self) {
        let since = self.community.seq;
        self.community.blocks_before = self.community.blocks.clone();
        let count = 1 + self.random.below(6);
        let mut taken: Vec<(usize, Tab, Action)> = Vec::new();
        for _ in 0..count {
            let at = self.random.below(self.tabs.len());
            let Some(tab) = self.tabs[at].take() else { continue };
            let ids: Vec<i64> = self.people.iter().map(|person| person.id).collect();
            let mut plan = Plan {
                community: &mut self.community,
                random: &mut self.random,
                ids: &ids,
                again: &self.again,
            };
            let action = plan.action(tab.viewer);
            let described = match &action {
                Action::Asks { op, fields, .. } => format!("{op} {fields}"),
                Action::ComesBack { seq, .. } => format!("comes back from {seq}"),
                Action::Uploads { then, .. } => match &**then {
                    Action::Asks { fields, .. } => format!("posts a picture {fields}"),
                    _ => unreachable!("a post"),
                },
            };
            self.notes(format!("after {since}: user {} {described}", tab.viewer));
            taken.push((at, tab, action));
        }
        let all = taken.into_iter().map(|(at, mut tab, action)| async move {
            let granted = acts(&mut tab, action).await;
            (at, tab, granted)
        });
        let mut granted = Vec::new();
        for (at, tab, one) in futures_util::future::join_all(all).await {
            granted.extend(one.map(|one| (tab.viewer, one)));
            self.tabs[at] = Some(tab);
        }
        self.grants(granted);
        self.listens(since).await;
        if self.random.below(6) == 0 {
            self.fetches().await;
        }
        match self.random.below(32) {
            0 | 1 => self.imports().await,
            2 => self.logs_in_with_passkey().await,
            _ => {}
        }
        if self.done % SUSPENSION < SUSPENSION / 2 {
            self.returns().await;
        } else {
            self.suspends().await;
        }
    }

    fn notes(&mut self, what: String) {
        self.done += 1;
        self.trace.push_back(what);
        if self.trace.len() > TRACE {
            self.trace.pop_front();
        }
    }

    /// Applies the granted actions in the order of their commits.
    fn grants(&mut self, mut granted: Vec<(usize, Granted)>) {
        granted.sort_by_key(|(_, one)| one.ok["seq"].as_i64());
        for (who, Granted { op, fields, effect, ok }) in granted {
            *self.granted.entry(op).or_default() += 1;
            if matches!(effect, Effect::Nothing) {
                continue;
            }
            let seq = seq_of(&ok);
            if let Some(why) = self.community.objection(&effect) {
                self.fails(&format!("user {who} {why}: {op} {fields} was granted at {seq}"));
            }
            self.community.apply(seq, effect, &ok);
            if plan::can_repeat(op) {
                self.again.push_back((who, op, fields));
                if self.again.len() > AGAIN_MAX {
                    self.again.pop_front();
                }
            }
        }
    }

    /// Waits until every tab has received all events, and searches them.
    async fn listens(&mut self, since: i64) {
        let now = self.community.seq;
        if now > since {
            let tabs = self.tabs.iter().flatten();
            futures_util::future::join_all(tabs.map(|tab| tab.person.socket.has_caught_up(now))).await;
        }
        let mut inboxes: Vec<Inbox> = self.tabs.iter_mut().flatten().flat_map(Tab::hears).collect();
        inboxes.push(Inbox::of(GUEST, &self.guest));
        for inbox in &inboxes {
            self.searches(inbox, since);
        }
    }

    fn searches(&mut self, inbox: &Inbox, begun: i64) {
        let mut since = begun;
        let mut has_met_since = begun;
        for (message, bytes) in &inbox.messages {
            let ok = message.get("ok").unwrap_or(message);
            let kind = inbox.kind(message);
            let seq = match (kind, ok["seq"].as_i64()) {
                // `me` in `hello` may be older than the `seq` of `hello`. The next events bring it up to date.
                ("hello", _) => None,
                // A user who blocks a member first receives that the member left the group.
                ("groups.left", Some(seq)) => Some(seq - 1),
                (_, seq) => seq,
            };
            // One block may end memberships of both users in several groups.
            let from = match kind {
                "groups.left" => begun,
                // A held count is sent before `users.deleted`, which may come after `groups.left` of the same block.
                "profiles.counted" => has_met_since,
                _ => since,
            };
            let received = Received { viewer: inbox.viewer, kind, seq, since: from };
            // The profile of a muted user still shows their posts.
            let is_on_screen =
                message["post"]["author_id"].as_i64().is_some_and(|author| inbox.profiles.contains(&author));
            self.search(&received, bytes, is_on_screen, || message.to_string());
            // From this event on the page knows that it lost a right.
            let own = self.people.get(inbox.viewer).map(|person| person.id);
            let is_loss = match kind {
                "groups.left" => message["user_id"].as_i64() == own,
                "groups.deleted" | "users.deleted" => true,
                _ => false,
            };
            if is_loss {
                since = since.max(message["seq"].as_i64().unwrap());
            }
            if kind == "users.deleted" {
                has_met_since = since;
            }
        }
    }

    fn search(
        &mut self,
        received: &Received<'_>,
        bytes: &[u8],
        is_on_screen: bool,
        describe: impl Fn() -> String,
    ) {
        for number in self.community.book.found(bytes) {
            let thing = self.community.book.thing(number);
            self.found += 1;
            if self.community.is_imported(thing) && imports::NEVER_IN.contains(&received.kind) {
                let (viewer, kind) = (received.viewer, received.kind);
                self.fails(&format!("user {viewer} received {kind} with an imported post\n{}", describe()));
            }
            // The reply to a repeated request has earlier words of the viewer. An archive has all words of the viewer
            // but those of imports that were undone.
            let has_own = match received.kind {
                ARCHIVE => !self.community.undone.contains(&number),
                kind => plan::can_repeat(kind) || imports::OF_FILE.contains(&kind),
            };
            let is_own = has_own && self.community.book.is_by(number, received.viewer);
            if is_own || self.community.may_name_hidden(received.viewer, received.kind, thing) {
                continue;
            }
            let is_list = leaves_out_muted(received.kind, thing) && !is_on_screen;
            if let Some(why) = self.community.book.leak(number, received, self.community.seq, is_list) {
                self.fails(&format!(
                    "user {} received {} with {why}\n{}",
                    received.viewer,
                    received.kind,
                    describe()
                ));
            }
        }
    }

    fn fails(&self, what: &str) -> ! {
        let trace: Vec<&str> = self.trace.iter().map(String::as_str).collect();
        panic!(
            "after {} actions of MELLOW_CANARY_SEED={}: {what}\nthe last actions:\n{}",
            self.done,
            self.seed,
            trace.join("\n")
        );
    }

    /// Fetches something over HTTP. A picture is served to exactly the users who may see its post.
    async fn fetches(&mut self) {
        let viewer = self.random.below(PEOPLE + 1);
        let pictures: Vec<(i64, String)> = self
            .community
            .posts
            .iter()
            .flat_map(|(post, found)| found.pictures.iter().map(|url| (*post, url.clone())))
            .collect();
        let is_in = viewer != GUEST && !self.community.suspended.contains(&viewer);
        let post = *self.community.posts.keys().next_back().unwrap_or(&1);
        let person = self.random.below(PEOPLE);
        let (path, may) = match self.random.below(9) {
            0 => ("/".to_owned(), None),
            1 => (format!("/post/{post}"), None),
            2 => (format!("/profile/{}", self.people[person].id), None),
            3 => ("/metrics".to_owned(), None),
            4 => return self.fetches_archive(viewer).await,
            _ if pictures.is_empty() => return,
            _ => {
                let (post, url) = &pictures[self.random.below(pictures.len())];
                (url.clone(), Some(is_in && has(self.community.readers(Thing::Post(*post)), viewer)))
            }
        };
        let cookie = self.people.get(viewer).map(|person| format!("mellow={}", person.cookie));
        let headers: Vec<(&str, &str)> = cookie.iter().map(|cookie| ("Cookie", cookie.as_str())).collect();
        let response = http::ask(self.server.at, "GET", &path, &headers, "").await;
        self.notes(format!("after {}: user {viewer} fetches {path}", self.community.seq));
        if let Some(may) = may
            && response.status != if may { 200 } else { 404 }
        {
            self.fails(&format!("user {viewer} fetched {path}: {}, may see it: {may}", response.status));
        }
        *self.granted.entry(if may == Some(true) { "a picture" } else { "a page" }).or_default() += 1;
        let received = Received { viewer, kind: "over HTTP", seq: None, since: self.community.seq };
        self.search(&received, &response.bytes, false, || path.clone());
    }

    /// A user fetches their archive.
    async fn fetches_archive(&mut self, viewer: usize) {
        let mut tabs = self.tabs.iter_mut().flatten();
        let Some(tab) = tabs.find(|tab| tab.viewer == viewer) else { return };
        let url = tab.asks("account.export", &json!({})).await.unwrap()["url"].clone();
        let response = tab.person.fetches(url.as_str().unwrap()).await;
        self.notes(format!("after {}: user {viewer} fetches an archive", self.community.seq));
        assert_eq!(response.status, 200);
        *self.granted.entry(ARCHIVE).or_default() += 1;
        let mut archive = zip::ZipArchive::new(Cursor::new(response.content)).unwrap();
        for at in 0..archive.len() {
            let mut file = archive.by_index(at).unwrap();
            let name = file.name().unwrap().into_owned();
            let mut bytes = name.clone().into_bytes();
            file.read_to_end(&mut bytes).unwrap();
            drop(file);
            let kind = if name == "blocked.json" { "people.hidden" } else { ARCHIVE };
            let received = Received { viewer, kind, seq: None, since: self.community.seq };
            self.search(&received, &bytes, false, || format!("{name}: {}", String::from_utf8_lossy(&bytes)));
        }
    }

    /// An admin suspends a user, unless one is suspended already.
    async fn suspends(&mut self) {
        let other = self.random.below(PEOPLE);
        if !self.community.suspended.is_empty() {
            return;
        }
        let since = self.community.seq;
        self.notes(format!("after {since}: the host suspends user {other}"));
        self.host_says(other, true).await;
        for at in 0..self.tabs.len() {
            let Some(mut tab) = self.tabs[at].take_if(|tab| tab.viewer == other) else { continue };
            assert_eq!(tab.person.socket.close_code().await, 4002);
            for inbox in tab.hears() {
                self.searches(&inbox, since);
            }
        }
        self.listens(since).await;
    }

    /// An admin ends the suspension, and the user's tabs connect again.
    async fn returns(&mut self) {
        let Some(other) = self.community.suspended.first().copied() else { return };
        let since = self.community.seq;
        self.notes(format!("after {since}: user {other} is suspended no more"));
        self.host_says(other, false).await;
        self.people[other] = Person::logs_in(self.server.at, &self.people[other].email).await;
        for _ in 0..TABS {
            let tab = Tab::new(other, &self.people[other]).await;
            let place = self.tabs.iter_mut().find(|place| place.is_none()).unwrap();
            *place = Some(tab);
        }
        self.listens(since).await;
    }

    async fn host_says(&mut self, other: usize, is: bool) {
        let fields = json!({ "key": key(), "user_id": self.people[other].id, "suspended": is });
        let ok = self.admin.asks("admin.suspend", fields).await;
        self.community.apply(seq_of(&ok), Effect::Suspend { other, is }, &ok);
        *self.granted.entry("admin.suspend").or_default() += 1;
    }

    fn log(&self) -> Vec<u8> {
        std::fs::read(self.folder.path().join("server.log")).unwrap()
    }
}

fn set_to<T: std::str::FromStr>(name: &str) -> Option<T> {
    std::env::var(name).ok().and_then(|value| value.parse().ok())
}

#[tokio::test]
async fn s2_none_of_a_dozen_users_receives_a_word_that_they_may_not_read() {
    let seed = set_to("MELLOW_CANARY_SEED").unwrap_or(SEED);
    let ops = set_to("MELLOW_CANARY_OPS").unwrap_or(OPS);
    println!("MELLOW_CANARY_SEED={seed}");
    let mut canary = Canary::new(seed).await;
    while canary.done < ops {
        canary.round().await;
    }
    let log = canary.log();
    assert!(!log.is_empty(), "the server logged something");
    for number in canary.community.book.found(&log) {
        let thing = canary.community.book.thing(number);
        assert!(matches!(thing, Thing::Id(_)), "the log has words of {thing:?}");
    }
    println!("{} actions, {} words found where they may be", canary.done, canary.found);
    for op in plan::every() {
        assert!(canary.granted.contains_key(op), "{op} was never granted: {:?}", canary.granted);
    }
    assert!(canary.found > 5 * ops, "the words travel");
}

/// A viewer may read a word from one write on up to another write, as long as the author lets them.
#[test]
fn the_search_finds_words_that_the_viewer_may_not_read_and_no_others() {
    const ANA: usize = 0;
    const BEN: usize = 1;
    const BOTH: u16 = 0b11;
    let mut book = Book::default();
    let label = book.makes_of(Some(ANA), b"Firefox on Linux");
    let (id, word, refused) =
        (book.makes_id(244_526_144_000_001), book.makes(Some(ANA)), book.makes(Some(ANA)));
    book.belongs(id, Thing::Id(ANA));
    book.belongs(word, Thing::Post(7));
    for number in [id, word] {
        book.notes(number, 10, BOTH, 0);
        // From 20 on only Ana may read it. From 30 on both may, and Ben has muted Ana.
        book.notes(number, 20, 1 << ANA, 0);
        book.notes(number, 30, BOTH, 1 << BEN);
    }
    let message = |words: &Value| support::value::pack(words);
    let planted = message(&json!({ "ev": "posts.created", "text": format!("so {}!", Book::spelled(word)) }));
    assert_eq!(book.found(&planted).into_iter().collect::<Vec<_>>(), [word]);
    for bytes in [message(&json!(244_526_144_000_001_i64)), b"/media/posts/244526144000001/x".to_vec()] {
        assert_eq!(book.found(&bytes).into_iter().collect::<Vec<_>>(), [id]);
    }
    let labels = message(&json!({ "devices": ["Firefox on Mac", "Firefox on Linux"] }));
    assert_eq!(book.found(&labels).into_iter().collect::<Vec<_>>(), [label]);
    assert!(book.found(&message(&json!({ "text": "kx12 k kx", "id": 244_526_144_000_002_i64 }))).is_empty());
    let is_leak = |number, viewer, seq, since, now, is_list| {
        let received = Received { viewer, kind: "posts.created", seq, since };
        book.leak(number, &received, now, is_list).is_some()
    };
    for (viewer, seq, since, now, is_list, expected) in [
        (ANA, Some(25), 25, 25, false, false),
        (BEN, Some(10), 10, 15, false, false),
        // An event of a write after which he may not read the word.
        (BEN, Some(20), 15, 20, false, true),
        // A read from before Ben lost the right. It is answered while he has no right, and after he has it again.
        (BEN, Some(19), 19, 20, false, false),
        (BEN, Some(19), 20, 20, false, true),
        // A replay that spans the time in which he could not read it.
        (BEN, Some(19), 30, 31, false, false),
        (BEN, Some(25), 30, 31, false, true),
        // A list leaves out the words of users whom he muted.
        (BEN, Some(30), 30, 31, true, true),
        (BEN, Some(30), 30, 31, false, false),
        (ANA, Some(30), 30, 31, true, false),
        (GUEST, None, 30, 31, false, true),
        (GUEST, Some(12), 12, 12, false, true),
    ] {
        let found = is_leak(word, viewer, seq, since, now, is_list);
        assert_eq!(found, expected, "{viewer} {seq:?} {since} {now} {is_list}");
    }
    assert!(is_leak(refused, ANA, None, 30, 31, false), "what was refused is nowhere");
    assert!(is_leak(refused + 1, ANA, None, 30, 31, false), "a word that nobody wrote");
}

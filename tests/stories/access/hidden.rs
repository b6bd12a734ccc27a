//! A user who blocked the viewer, a suspended user and a deleted one are the same to the viewer (D-S1, D-T2): for every
//! request that names a person, the reply, the events and what the viewer reads afterwards are equal. The requests are
//! found in the generated types, so that a new one without a row fails.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::admins::an_admin;
use crate::support::person::{PASSWORD, Person, email_of};
use crate::support::server::TestServer;
use crate::support::socket::Socket;
use crate::support::value::key;

/// What the viewer and the other user were to each other before.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Before {
    Strangers,
    /// They follow each other. The other is in the viewer's group, commented on a post of the viewer and is known
    /// there.
    Close,
    /// The viewer muted the other, and follows them.
    Muted,
    /// Each of the two left a group of the other.
    Left,
    /// The viewer had blocked the other, who cannot block them any more.
    Blocked,
    /// The viewer came with an invitation of the other.
    Invited,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Deleted,
    Suspended,
    Blocking,
}

/// The ids that requests name.
struct Named {
    other: i64,
    viewer: i64,
    /// The viewer's group, post and poll.
    group: i64,
    post: i64,
    poll: i64,
    /// The other's group and post, and the notification of what they did.
    others_group: i64,
    others_post: i64,
    notification: i64,
    /// The code of the other's invitation.
    invite: String,
    epoch: Value,
    seq: i64,
}

type Row = (&'static str, fn(&Named) -> Value);

fn about(named: &Named) -> Value {
    json!({ "key": key(), "user_id": named.other })
}

/// Every request that has the id of a user in one of its fields.
const BY_ID: &[Row] = &[
    ("admin.delete", |n| json!({ "user_id": n.other, "password": PASSWORD })),
    ("admin.end_logins", about),
    ("admin.people", |n| json!({ "term": null, "before": n.other })),
    ("admin.reset_link", |n| json!({ "user_id": n.other })),
    ("admin.suspend", |n| json!({ "key": key(), "user_id": n.other, "suspended": true })),
    ("auth.log_in_with_passkey", |n| json!({ "challenge": "", "response": "", "user_id": n.other })),
    ("follows.remove", about),
    ("follows.set", |n| json!({ "key": key(), "user_id": n.other, "following": true })),
    ("groups.add", |n| json!({ "key": key(), "group_id": n.group, "user_ids": [n.other] })),
    ("groups.left_of_mine", |n| json!({ "user_id": n.other })),
    ("groups.remove", |n| json!({ "key": key(), "group_id": n.group, "user_id": n.other })),
    ("live.leave", |n| json!({ "posts": [], "profiles": [n.other] })),
    ("live.resume", |n| json!({ "epoch": n.epoch, "seq": n.seq, "posts": [], "profiles": [n.other] })),
    ("people.block", about),
    ("people.mute", about),
    ("people.unblock", about),
    ("people.unmute", about),
    ("polls.voters", |n| json!({ "poll_id": n.poll, "option": 0, "after": n.other })),
    ("posts.by_author", |n| json!({ "user_id": n.other })),
    ("profiles.get", |n| json!({ "user_id": n.other })),
    ("reports.create", |n| {
        let about = json!({ "type": "user", "user_id": n.other });
        json!({ "key": key(), "about": about, "reason": "spam", "details": "" })
    }),
    ("search.people", |n| json!({ "after": { "name_key": "odd", "id": n.other } })),
];

/// Requests that name a person in another way, or something of theirs.
const OTHERWISE: &[Row] = &[
    ("follows.set", |n| json!({ "key": key(), "user_id": n.other, "following": false })),
    ("comments.create", |n| {
        let audience = json!({ "type": "public" });
        let text = format!("hello @{}+Odd", n.other);
        json!({ "key": key(), "post_id": n.post, "text": text, "audience": audience })
    }),
    ("groups.allow_again", |n| json!({ "key": key(), "group_id": n.others_group })),
    ("groups.get", |n| json!({ "group_id": n.others_group })),
    ("invites.get", |n| json!({ "code": n.invite })),
    ("newcomers.dismiss", |_| json!({ "key": key(), "what": "inviter" })),
    ("notifications.delete", |n| json!({ "key": key(), "notification_id": n.notification })),
    ("notifications.read", |_| json!({ "key": key() })),
    ("posts.by_group", |n| json!({ "group_id": n.others_group })),
    ("saved.set", |n| json!({ "key": key(), "post_id": n.others_post, "saved": true })),
    ("saved.set", |n| json!({ "key": key(), "post_id": n.others_post, "saved": false })),
    ("reports.create", |n| {
        let about = json!({ "type": "comment", "comment_id": n.other });
        json!({ "key": key(), "about": about, "reason": "spam", "details": "" })
    }),
];

/// What the viewer reads afterwards.
const READS: &[Row] = &[
    ("comments.mentionable", |n| json!({ "post_id": n.post, "term": "o" })),
    ("comments.page", |n| json!({ "post_id": n.post })),
    ("follows.page", |_| json!({ "side": "followers" })),
    ("follows.page", |_| json!({ "side": "following" })),
    ("groups.candidates", |n| json!({ "group_id": n.group })),
    ("groups.get", |n| json!({ "group_id": n.group })),
    ("groups.list", |_| json!({})),
    ("groups.not_again", |_| json!({})),
    ("moods.today", |_| json!({ "zone": "UTC" })),
    ("notifications.page", |_| json!({})),
    ("people.hidden", |_| json!({})),
    ("polls.list", |_| json!({})),
    ("posts.by_group", |n| json!({ "group_id": n.group })),
    ("posts.feed", |_| json!({})),
    ("posts.get", |n| json!({ "post_id": n.post })),
    ("posts.saved", |_| json!({})),
    ("posts.search", |_| json!({ "term": "hello" })),
    ("profiles.get", |n| json!({ "user_id": n.viewer })),
    ("search.names", |_| json!({ "term": "Odd" })),
    ("search.people", |_| json!({})),
];

/// Returns the requests with a field that has the id of a user, from the types that `make accept` writes.
fn requests_with_a_person() -> BTreeSet<&'static str> {
    let types = include_str!("../../../web/src/engine/types.gen.ts");
    let words = |text: &'static str| text.split(|c: char| !c.is_alphanumeric()).collect::<BTreeSet<_>>();
    let declared: BTreeMap<&str, BTreeSet<&str>> = types
        .lines()
        .filter_map(|line| line.strip_prefix("export type ")?.split_once(" = "))
        .map(|(name, body)| (name, words(body)))
        .collect();
    let mut with_person = BTreeSet::from(["UserId"]);
    loop {
        let more = declared.iter().filter(|(_, body)| !body.is_disjoint(&with_person)).map(|(name, _)| *name);
        let wider: BTreeSet<&str> = with_person.iter().copied().chain(more).collect();
        if wider == with_person {
            break;
        }
        with_person = wider;
    }
    let requests = types.lines().filter_map(|line| {
        let (op, rest) = line.strip_prefix("  \"")?.split_once("\": { fields: ")?;
        Some((op, rest.split_once(", ok: ")?.0))
    });
    requests.filter(|(_, fields)| !words(fields).is_disjoint(&with_person)).map(|(op, _)| op).collect()
}

#[test]
fn every_request_that_names_a_person_has_a_row() {
    let rows: BTreeSet<&str> = BY_ID.iter().map(|(op, _)| *op).collect();
    assert_eq!(rows, requests_with_a_person(), "please add the new request to `BY_ID`");
}

/// A viewer and another user, who then blocks the viewer, is suspended, or deletes the account.
struct Pair {
    server: TestServer,
    viewer: Person,
    named: Named,
}

impl Pair {
    async fn new(before: Before, state: State) -> Self {
        let server = TestServer::new().await;
        let admin = an_admin(&server).await;
        let mut other = server.person("Odd").await;
        let invite =
            other.asks("invites.create", json!({ "key": key() })).await["invites"][0]["code"].clone();
        let invite = invite.as_str().unwrap().to_owned();
        let viewer = match before {
            Before::Invited => {
                let email = email_of("Ana");
                let fields = json!({ "key": key(), "email": email, "password": PASSWORD, "name": "Ana", "invite": invite });
                server.guest().await.asks("auth.sign_up", fields).await.unwrap();
                Person::logs_in(server.at, &email).await
            }
            _ => server.person("Ana").await,
        };
        let (group, others_group) = (viewer.makes_group("Tea").await, other.makes_group("Odds").await);
        let (post, others_post) = (viewer.posts("hello").await, other.posts("odd words").await);
        let poll = viewer.asks_poll("Tea?", &["yes", "no"]).await;
        viewer.chooses(poll, 0).await;
        let mut notification = 7;
        match before {
            Before::Strangers | Before::Invited => {}
            Before::Close => {
                viewer.follows(&other).await;
                other.follows(&viewer).await;
                viewer.adds(group, &[&other]).await;
                viewer.saves(others_post).await;
                other.comments(post, "hi").await;
                viewer.comments(post, &format!("hello {}", other.mention())).await;
                notification = viewer.reads_notifications().await["notifications"][0]["id"].as_i64().unwrap();
            }
            Before::Muted => {
                viewer.follows(&other).await;
                viewer.asks("people.mute", json!({ "key": key(), "user_id": other.id })).await;
            }
            Before::Left => {
                other.follows(&viewer).await;
                viewer.follows(&other).await;
                viewer.adds(group, &[&other]).await;
                other.leaves_group(group).await;
                other.adds(others_group, &[&viewer]).await;
                viewer.leaves_group(others_group).await;
            }
            Before::Blocked => {
                viewer.asks("people.block", json!({ "key": key(), "user_id": other.id })).await;
            }
        }
        match state {
            State::Deleted => other.deletes_account().await,
            State::Suspended => {
                let suspend = json!({ "key": key(), "user_id": other.id, "suspended": true });
                admin.asks("admin.suspend", suspend).await;
            }
            State::Blocking => {
                other.asks("people.block", json!({ "key": key(), "user_id": viewer.id })).await;
            }
        }
        other.socket = Socket::open(server.at, None).await;
        viewer.is_up_to_date(&server).await;
        let hello = viewer.opens_another_tab().await.socket.hello().await;
        let (epoch, seq) = (hello["epoch"].clone(), hello["seq"].as_i64().unwrap());
        let (other, viewer_id) = (other.id, viewer.id);
        let named = Named {
            other,
            viewer: viewer_id,
            group,
            post,
            poll,
            others_group,
            others_post,
            notification,
            invite,
            epoch,
            seq,
        };
        Self { server, viewer, named }
    }

    fn seq(&self) -> i64 {
        self.server.look().query_row("select seq from site", [], |row| row.get(0)).unwrap()
    }

    /// Sends all requests and reads everything. Returns what was received each time. In it each id is a number in the
    /// order of its appearance, times are left out, and a seq is how many writes there were since the request.
    async fn transcript(&self) -> Vec<(String, Value, Vec<Value>)> {
        let Self { server, viewer, named } = self;
        let mut ids = BTreeMap::from([(named.other, 0), (viewer.id, 1), (named.group, 2), (named.post, 3)]);
        let mut transcript = Vec::new();
        for (op, fields) in BY_ID.iter().chain(OTHERWISE).chain(READS) {
            // Sockets that show the profile would receive its events.
            let page = viewer.opens_another_tab().await;
            let before = self.seq();
            let id = page.socket.sends(op, fields(named)).await;
            let reply = page.socket.waits("a reply", |state| state.reply_to(id)).await;
            let wrote = self.seq() - before;
            let events = page.is_up_to_date(server).await;
            let mut plain = |value: Value| without_numbers(value, before, &mut ids);
            let reply = plain(reply);
            let events = events.into_iter().map(&mut plain).collect();
            transcript.push((format!("{op}, {wrote} writes"), reply, events));
        }
        let hello = viewer.opens_another_tab().await.socket.hello().await;
        transcript.push(("hello".into(), without_numbers(hello["me"].clone(), 0, &mut ids), Vec::new()));
        transcript
    }
}

fn without_numbers(value: Value, before: i64, ids: &mut BTreeMap<i64, usize>) -> Value {
    match value {
        Value::Object(fields) => {
            let kept = fields.into_iter().filter(|(name, _)| {
                !name.ends_with("_ms") && !["key", "re", "epoch"].contains(&name.as_str())
            });
            let plain = kept.map(|(name, value)| match (&*name, value.as_i64()) {
                ("seq", Some(seq)) => (name, json!(seq - before)),
                _ => (name, without_numbers(value, before, ids)),
            });
            Value::Object(plain.collect())
        }
        Value::Array(items) => {
            items.into_iter().map(|item| without_numbers(item, before, ids)).collect::<Vec<_>>().into()
        }
        Value::Number(number) if number.as_i64().is_some_and(|id| id > 1_000_000) => {
            let next = ids.len();
            json!(format!("#{}", ids.entry(number.as_i64().unwrap()).or_insert(next)))
        }
        // A message may have the id of a user in a text.
        Value::String(mut text) => {
            for (id, nth) in ids.iter() {
                text = text.replace(&id.to_string(), &format!("#{nth}"));
            }
            text.into()
        }
        other => other,
    }
}

#[tokio::test]
async fn s17_a_blocking_a_suspended_and_a_deleted_user_cannot_be_told_apart_by_any_request_that_names_them() {
    let mut differ = Vec::new();
    for before in
        [Before::Strangers, Before::Close, Before::Muted, Before::Left, Before::Blocked, Before::Invited]
    {
        let deleted = Pair::new(before, State::Deleted).await.transcript().await;
        for state in [State::Suspended, State::Blocking] {
            if (before, state) == (Before::Blocked, State::Blocking) {
                continue;
            }
            let other = Pair::new(before, state).await.transcript().await;
            for (deleted, other) in deleted.iter().zip(&other) {
                if deleted != other {
                    differ.push(format!("{before:?}\n  Deleted {deleted:?}\n  {state:?} {other:?}"));
                }
            }
        }
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}

#[tokio::test]
async fn what_a_suspension_hid_from_ana_is_hers_again_afterwards() {
    let server = TestServer::new().await;
    let admin = an_admin(&server).await;
    let [ana, ben, cleo, dan] = server.people(["Ana", "Ben", "Cleo", "Dan"]).await;
    ben.follows(&ana).await;
    let group = ana.makes_group_with("Tea", &[&ben]).await;
    ana.saves(ben.posts("to keep").await).await;
    for (op, whom) in [("people.mute", &cleo), ("people.block", &dan)] {
        ana.asks(op, json!({ "key": key(), "user_id": whom.id })).await;
    }
    let suspend = async |suspended: bool| {
        for who in [&ben, &cleo, &dan] {
            let fields = json!({ "key": key(), "user_id": who.id, "suspended": suspended });
            admin.asks("admin.suspend", fields).await;
        }
    };
    suspend(true).await;
    // None of these finds anybody.
    let named = |who: &Person| json!({ "key": key(), "user_id": who.id });
    ana.is_refused(
        "not_found",
        "groups.remove",
        json!({ "key": key(), "group_id": group, "user_id": ben.id }),
    )
    .await;
    ana.asks("follows.remove", named(&ben)).await;
    ana.asks("people.unmute", named(&cleo)).await;
    ana.asks("people.unblock", named(&dan)).await;
    assert_eq!(ana.saved_texts().await, [""; 0]);
    suspend(false).await;
    assert_eq!(ana.saved_texts().await, ["to keep"]);
    let seen = ana.opens_group(group).await;
    assert_eq!(seen["members"].as_array().unwrap().len(), 2);
    let followers = ana.asks("follows.page", json!({ "side": "followers" })).await;
    assert_eq!(followers["users"][0]["id"], ben.id);
    let hidden = ana.asks("people.hidden", json!({})).await;
    assert_eq!((&hidden["muted"][0]["id"], &hidden["blocked"][0]["id"]), (&json!(cleo.id), &json!(dan.id)));
}

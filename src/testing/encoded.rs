//! Encoded forms: the bytes of the plain data that may leave this process, in `tests/encoded.json`. They are published
//! events, replies, refusals, viewers and devices, and the messages between fronts and their home.
//!
//! A form changes only with its version, [`ENCODING`]. `UPDATE=1 cargo test --lib encoded::` writes the forms of a new
//! version.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::path::Path;

use bytes::Bytes;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};

use crate::authz::{Device, Viewer};
use crate::cluster::wire::{
    Answer, Ask, AskTerms, Asked, At, AtAnswer, Batch, Beat, FromHome, HomeSettings, Identified, Identify,
    Instance, Missed, PresenceChange, QuietState, Replied, Since, Terms,
};
use crate::error::{Refusal, RefusalView};
use crate::events::{
    ENCODING, Effects, Hours, Loss, Membership, Named, PublishedEvent, Recipients, Right, Topic, users,
};
use crate::ids::{LoginId, Seq, UserId};
use crate::reply::Reply;
use crate::sentence::{Value, Values};
use crate::testing::examples::{ANA, BEN, GROUP, NOW_MS, POLL, POST, SEQ};
use crate::testing::frames::value::{hex, unpack};
use crate::wire::codec;

const CLEO: UserId = UserId(3);
const LOGIN: LoginId = LoginId(7);

/// A form: its name, and its bytes.
type Form = (&'static str, Vec<u8>);

/// Encodes a value, and checks that it is the same when it is decoded.
fn form<T: Serialize + DeserializeOwned + PartialEq + Debug>(name: &'static str, value: T) -> Form {
    let bytes = codec::encode(&value).unwrap();
    assert_eq!(codec::decode::<T>(&bytes), Ok(value), "{name}");
    (name, bytes)
}

/// Returns published events with each field, and each variant that an event has anywhere.
fn events() -> Vec<Form> {
    let named = Named {
        users: users([ANA, CLEO]),
        topics: vec![Topic::Post(POST), Topic::Profile(ANA), Topic::Poll(POLL, Right::Membership(GROUP))],
        only: Some(users([])),
        except: users([UserId(9_007_199_254_740_991)]),
    };
    let all = Effects {
        about: Some(Topic::Post(POST)),
        subscribe: Some(Topic::Profile(ANA)),
        ends: Some(Topic::Poll(POLL, Right::Following(BEN))),
        loss: Some(Loss::Right { users: users([ANA, BEN]), right: Right::Membership(GROUP) }),
        membership: Some(Membership { group_id: GROUP, joined: users([BEN]), left: users([]) }),
        closes: Some((LOGIN, 4001)),
        coalesce: Some(Topic::Post(POST)),
        is_transient: true,
        until_ms: Some(NOW_MS),
        hours: Hours::NotQuiet { but: Some(BEN) },
    };
    let loses = |loss: Loss, hours: Hours| Effects { loss: Some(loss), hours, ..Effects::default() };
    let meeting = Loss::Meeting { users: users([ANA, BEN]), user_id: ANA };
    let kinds = [
        ("event_named", Recipients::Named(named), all),
        ("event_signed_in", Recipients::signed_in(), loses(Loss::Any, Hours::NotQuiet { but: None })),
        (
            "event_signed_in_but",
            Recipients::SignedInBut(users([ANA])),
            loses(Loss::Of(users([ANA, BEN])), Hours::All),
        ),
        ("event_in_quiet_hours", Recipients::users([ANA]), loses(meeting, Hours::Quiet)),
        ("event_to_nobody", Recipients::None, Effects::default()),
    ];
    kinds
        .into_iter()
        .map(|(name, recipients, effects)| {
            let frame = Bytes::from_static(&[0x82, 0, 0xff]);
            form(name, PublishedEvent { seq: SEQ, at_ms: -1, kind: 3, frame, recipients, effects })
        })
        .collect()
}

fn replies() -> Vec<Form> {
    let nothing = Reply {
        ok: Bytes::from_static(&[0x80]),
        seq: SEQ,
        is_read: false,
        subscribe: Vec::new(),
        if_lost: None,
        is_change: false,
        signed_in: None,
    };
    let read = Reply {
        ok: Bytes::from_static(&[0x81, 0xa1, b'a', 0xc3]),
        seq: SEQ,
        is_read: true,
        subscribe: vec![Topic::Post(POST), Topic::Poll(POLL, Right::Following(BEN))],
        if_lost: Some((Right::Meeting, Bytes::from_static(&[0xc0]))),
        is_change: false,
        signed_in: None,
    };
    let signed_in =
        Reply { ok: nothing.ok.clone(), is_change: true, signed_in: Some((ANA, LOGIN)), ..nothing };
    vec![form("reply_read", read), form("reply_signed_in", signed_in)]
}

fn refusals() -> Vec<Form> {
    let values = vec![
        ("max".into(), Value::Number(2_000)),
        // The name of a file.
        ("name".into(), Value::Text("Zoë.jpg".into())),
    ];
    let of_input = RefusalView {
        code: "invalid".into(),
        message: "This is longer than 2,000 characters.".into(),
        why: "too_long".into(),
        values: Values(values),
        field: Some("text".into()),
        retry_ms: None,
    };
    let later = RefusalView {
        code: "busy".into(),
        message: "Please try again in a moment.".into(),
        why: "busy".into(),
        values: Values::default(),
        field: None,
        retry_ms: Some(500),
    };
    vec![form("refusal_of_an_input", of_input), form("refusal_for_now", later)]
}

fn requesters() -> Vec<Form> {
    let hash: [u8; 32] = std::array::from_fn(|at| u8::try_from(at * 8).unwrap());
    vec![
        form("viewer_guest", Viewer::Guest),
        form("viewer_user", Viewer::User { user_id: ANA, login_id: LOGIN }),
        form("device_unknown", Device::default()),
        form("device_known", Device { label: "Firefox on Linux".into(), token_hash: Some(hash) }),
    ]
}

/// Returns the messages between fronts and their home.
fn messages() -> Vec<Form> {
    const HOME: Instance = Instance(0x0123_4567_89ab_cdef);
    const FRONT: Instance = Instance(1);
    let batch = |ends: Option<Vec<(UserId, i64)>>| Batch {
        home: HOME,
        epoch: "an epoch".into(),
        prev: Seq(SEQ.0 - 1),
        last: SEQ,
        quiet: QuietState { version: 2, ends },
        events: Vec::new(),
    };
    let beat = Beat {
        home: HOME,
        started_ms: NOW_MS,
        now_ms: NOW_MS,
        epoch: "an epoch".into(),
        start: Seq(SEQ.0 - 1),
        head: SEQ,
        quiet: 2,
        stops: true,
    };
    let settings = HomeSettings {
        public_url: "https://mellow.example".into(),
        sockets_per_login: 1,
        sockets_per_address: 2,
        http_connections_per_address: 3,
        http_requests_per_minute: 4,
        requests_per_second: 5,
        chunks_per_second: 6,
    };
    let user = Viewer::User { user_id: ANA, login_id: LOGIN };
    let identified = |viewer: Viewer| Identified {
        viewer,
        since: SEQ,
        epoch: "an epoch".into(),
        hello: Bytes::from_static(&[0x80]),
    };
    let request = Asked::Request {
        viewer: user,
        address: [203, 0, 113, 7].into(),
        device: Device::default(),
        op: "posts.create".into(),
        frame: Bytes::from_static(&[0x80]),
    };
    let reply = Reply {
        ok: Bytes::from_static(&[0x80]),
        seq: SEQ,
        is_read: false,
        subscribe: Vec::new(),
        if_lost: None,
        is_change: true,
        signed_in: None,
    };
    let refused = Refusal::NotFound.view();
    let ask = |what: Asked| Ask { front: FRONT, worker: 1, number: 9, what };
    let at = At {
        front: FRONT,
        number: 9,
        delivered: SEQ,
        sockets: 7,
        build: "1.0.0".into(),
        changes: vec![PresenceChange { number: 8, user_id: ANA, by: -1 }],
    };
    vec![
        form("batch", FromHome::Batch(batch(None))),
        form("batch_with_quiet_users", FromHome::Batch(batch(Some(vec![(ANA, NOW_MS)])))),
        form("beat", FromHome::Beat(beat)),
        form("ask_terms", AskTerms { front: FRONT }),
        form("terms", Terms { settings, epoch: "an epoch".into(), head: SEQ, log_from: Seq(1), lanes: 2 }),
        form("since", Since { epoch: "an epoch".into(), from: SEQ, quiet: Some(2) }),
        form("missed", Missed::Batch(batch(None))),
        form("missed_gone", Missed::Gone),
        form("identify", Identify { front: FRONT, token_hash: Some([7; 32]) }),
        form("identified", Answer::Done(identified(user))),
        form("identified_guest", Answer::Done(identified(Viewer::Guest))),
        form("ask", ask(request)),
        form("ask_note_use", ask(Asked::NoteUse(LOGIN))),
        form("replied", Answer::Done(Replied { reply, is_present: true })),
        form("refused", Answer::<Replied>::Refused(refused)),
        form("at", at),
        form("at_answer", AtAnswer { lease_ms: 5_000 }),
    ]
}

/// Adds the names of the fields and variants in an encoded value.
fn add_names(value: &Json, names: &mut BTreeSet<String>) {
    match value {
        Json::Object(map) if map.contains_key("$bin") => {}
        Json::Object(map) => {
            for (name, value) in map {
                names.insert(name.clone());
                add_names(value, names);
            }
        }
        Json::Array(values) => values.iter().for_each(|value| add_names(value, names)),
        Json::String(name) => {
            names.insert(name.clone());
        }
        _ => {}
    }
}

/// Returns the names of the fields and variants in a published event that no form of an event has.
pub(crate) fn unknown_names(event: &PublishedEvent) -> BTreeSet<String> {
    let (mut known, mut met) = (BTreeSet::new(), BTreeSet::new());
    for (_, bytes) in events() {
        add_names(&unpack(&bytes), &mut known);
    }
    add_names(&unpack(&codec::encode(event).unwrap()), &mut met);
    &met - &known
}

#[test]
fn an_encoded_form_changes_only_with_its_version() {
    let forms = [events(), replies(), refusals(), requesters(), messages()].concat();
    let line = |(name, bytes): &Form| json!({ "name": name, "hex": hex(bytes), "value": unpack(bytes) });
    let made = json!({ "version": ENCODING, "forms": forms.iter().map(line).collect::<Json>() });
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/encoded.json");
    let golden: Json = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    if std::env::var_os("UPDATE").is_some() && golden["version"] != made["version"] {
        std::fs::write(&path, serde_json::to_string_pretty(&made).unwrap() + "\n").unwrap();
        return;
    }
    assert_eq!(golden["version"], made["version"], "`make accept` writes the forms of the new version");
    assert_eq!(golden, made, "a form has changed: raise ENCODING in src/events.rs, then `make accept`");
}

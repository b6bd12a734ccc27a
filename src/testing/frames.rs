//! Golden frames: the bytes of every message, in `tests/frames/*.json`, one file for each feature. These tests and
//! those of the web read them.
//!
//! `UPDATE=1 cargo test --lib frames` writes them again. A changed file is a change of the protocol.

#[path = "../../tests/support/value.rs"]
#[expect(dead_code, reason = "keys here are fixed")]
pub(crate) mod value;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde::Serialize;
use serde_json::{Value, json};
use value::{hex, pack, request, unhex, unpack};

use crate::backend::{Backups, Hello, LoginState};
use crate::error::{Field, PictureFault, Refusal};
use crate::features::events::NAMES;
use crate::features::moods::rules::EVENING_NOW;
use crate::features::{self, Request};
use crate::limits::PASSWORD_SHORT;
use crate::socket::wire as live;
use crate::testing::examples::{ANA, BEN, NOW_MS, POLL, POST, SEQ, me, ok};
use crate::wire::{self, PROTOCOL, codec};

/// Returns the name of each request, an example of it and its successful reply, for the features and for the connection
/// itself.
fn exchanges() -> Vec<(&'static str, Value, Vec<u8>)> {
    let of_connection = [
        ("live.probe", json!({}), ok(&live::Probed { seq: SEQ })),
        (
            "live.resume",
            json!({ "epoch": "00ff", "seq": 70_000, "posts": [1, POST.0], "profiles": [BEN.0] }),
            ok(&live::Resumed { resync: true, seq: SEQ }),
        ),
        (
            "live.leave",
            json!({ "posts": [], "profiles": [ANA.0, BEN.0], "polls": [POLL.0] }),
            ok(&live::Left {}),
        ),
    ];
    features::example_messages()
        .into_iter()
        .flat_map(|feature| feature.requests)
        .chain(of_connection)
        .collect()
}

fn requests() -> BTreeMap<&'static str, Value> {
    exchanges().into_iter().map(|(op, request, _)| (op, request)).collect()
}

fn replies() -> BTreeMap<&'static str, Vec<u8>> {
    exchanges().into_iter().map(|(op, _, reply)| (op, reply)).collect()
}

/// Returns an example of each event by its name, for the features and for the connection itself.
fn events() -> BTreeMap<&'static str, Vec<u8>> {
    let hello = Hello {
        ev: "hello",
        epoch: "00ff",
        protocol: PROTOCOL,
        build: "1.0.0+abc",
        now_ms: NOW_MS,
        beat_ms: 25_000,
        me: Some(me()),
        login: LoginState::Live,
        backups: Backups { every_hours: 24, kept: 30 },
    };
    let beat = live::Beat { ev: "beat", sent: 300, back_ms: Some(1_500) };
    let of_connection = [("hello", event(&hello)), ("beat", event(&beat))];
    let events = features::example_messages().into_iter().flat_map(|feature| feature.events);
    events.map(|one| (NAMES[one.kind()], event(&one))).chain(of_connection).collect()
}

fn event(event: &impl Serialize) -> Vec<u8> {
    wire::event(SEQ, &codec::encode(event).unwrap()).to_vec()
}

/// Returns an example of each refusal by its code.
fn refusals() -> BTreeMap<&'static str, Vec<u8>> {
    let all = [
        Refusal::BadFrame,
        Refusal::BadRequest,
        Refusal::UnknownOp,
        Refusal::NotSignedIn,
        Refusal::NotFound,
        Refusal::TooLong(Field::TEXT, 2_000),
        Refusal::CommentsLimited,
        Refusal::NoSuchUser,
        Refusal::BadCredentials,
        Refusal::Suspended,
        Refusal::WrongPassword,
        Refusal::PasskeyUnknown,
        Refusal::PasskeysOff,
        Refusal::LinkExpired,
        Refusal::SlotChanged(EVENING_NOW),
        Refusal::AudienceChanged,
        Refusal::MoodSet,
        Refusal::PollVoted,
        Refusal::PollClosed,
        Refusal::SignUpClosed,
        Refusal::InviteExpired,
        Refusal::EmailTaken,
        Refusal::WeakPassword(PASSWORD_SHORT),
        Refusal::KeyConflict,
        Refusal::PictureTooLarge("Zoë.jpg".into()),
        Refusal::NotAPicture("Zoë.jpg".into(), PictureFault::Unreadable),
        Refusal::UploadGone,
        Refusal::ImportTooBig(512),
        Refusal::ImportsOff,
        Refusal::ImportBusy,
        Refusal::SlowDown(1_200),
        Refusal::Busy,
        Refusal::StorageFull,
        Refusal::Fault,
    ];
    all.into_iter()
        .map(|refusal| {
            // A message that cannot be decoded has no id.
            let re = (refusal != Refusal::BadFrame).then_some(4_294_967_295);
            let Cow::Borrowed(code) = refusal.view().code else { unreachable!("a code of ours is static") };
            (code, wire::reply_err(re, refusal).to_vec())
        })
        .collect()
}

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/frames"))
}

/// Returns every golden frame by its file, then by its name.
fn frames() -> BTreeMap<String, BTreeMap<String, Vec<u8>>> {
    let mut all: BTreeMap<String, BTreeMap<String, Vec<u8>>> = BTreeMap::new();
    let requests = requests().into_iter().map(|(op, fields)| (op, pack(&request(7, op, &fields)))).collect();
    for (kind, frames) in
        [("request", requests), ("reply", replies()), ("refusal", refusals()), ("event", events())]
    {
        for (name, bytes) in frames {
            let file = match name.split_once('.') {
                Some((prefix, _)) => prefix,
                None if kind == "refusal" => "refusals",
                None => "live",
            };
            let name = format!("{kind}_{}", name.replace('.', "_"));
            all.entry(file.into()).or_default().insert(name, bytes);
        }
    }
    all
}

/// Returns the content of a golden file.
fn content_of(frames: &BTreeMap<String, Vec<u8>>) -> String {
    let one = |(name, bytes): (&String, &Vec<u8>)| json!({ "name": name, "hex": hex(bytes), "value": unpack(bytes) });
    serde_json::to_string_pretty(&frames.iter().map(one).collect::<Value>()).unwrap() + "\n"
}

#[test]
fn every_frame_equals_its_golden_file() {
    let files = frames();
    if std::env::var_os("UPDATE").is_some() {
        for old in std::fs::read_dir(folder()).unwrap() {
            std::fs::remove_file(old.unwrap().path()).unwrap();
        }
        for (file, frames) in &files {
            std::fs::write(folder().join(format!("{file}.json")), content_of(frames)).unwrap();
        }
    }
    let mut kept = BTreeSet::new();
    for file in std::fs::read_dir(folder()).unwrap() {
        let path = file.unwrap().path();
        let file = path.file_stem().unwrap().to_string_lossy().into_owned();
        let frames = files.get(&file).unwrap_or_else(|| panic!("{file} has no messages any more"));
        let golden: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        for golden in golden {
            let name = golden["name"].as_str().unwrap().to_owned();
            let bytes = frames.get(&name).unwrap_or_else(|| panic!("{name} is not sent any more"));
            assert_eq!(golden["value"], unpack(bytes), "{name}: the protocol has changed");
            assert_eq!(golden["hex"], hex(bytes), "{name}: the same value in other bytes");
            // The other direction: the stored bytes are read as the stored value.
            assert_eq!(unpack(&unhex(golden["hex"].as_str().unwrap())), golden["value"]);
            kept.insert((file.clone(), name));
        }
    }
    let made: BTreeSet<(String, String)> = files
        .iter()
        .flat_map(|(file, frames)| frames.keys().map(|name| (file.clone(), name.clone())))
        .collect();
    assert_eq!(kept, made, "new frames: UPDATE=1 cargo test --lib frames writes them");
}

#[test]
fn every_request_reply_refusal_and_event_has_a_frame() {
    let ops: BTreeSet<&str> = features::ops().into_iter().chain(live::OPS.iter().copied()).collect();
    let requests: BTreeSet<&str> = requests().into_keys().collect();
    assert_eq!(&requests ^ &ops, BTreeSet::new(), "each request needs an example in its wire.rs");
    let protocol = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/protocol.md")).unwrap();
    let section = protocol.split("## 6.").nth(1).unwrap().split("## 7.").next().unwrap();
    let named: BTreeSet<&str> =
        section.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    assert_eq!(events().into_keys().collect::<BTreeSet<_>>(), named);
    let table = protocol.split("| code | when |").nth(1).unwrap().split("### Sentences").next().unwrap();
    let codes: BTreeSet<&str> = table
        .lines()
        .filter_map(|line| line.split('|').nth(1))
        .flat_map(|cell| cell.split('`').skip(1).step_by(2))
        .collect();
    assert_eq!(refusals().into_keys().collect::<BTreeSet<_>>(), codes);
}

fn is_read(op: &str, bytes: &[u8]) -> Result<(), Refusal> {
    if op.starts_with("live.") {
        live::Request::read(op, bytes).map(drop)
    } else {
        Request::read(op, bytes).map(drop)
    }
}

#[test]
fn w1_every_request_is_decoded_and_a_shorter_or_longer_one_is_refused() {
    for (op, fields) in requests() {
        let bytes = pack(&request(7, op, &fields));
        let head = codec::check(&bytes).unwrap_or_else(|no| panic!("{op}: {no:?}"));
        assert_eq!((head.id, head.op), (7, op));
        is_read(op, &bytes).unwrap();
        for cut in 0..bytes.len() {
            assert_eq!(codec::check(&bytes[..cut]).unwrap_err().1, Refusal::BadFrame, "{op} cut at {cut}");
        }
        for more in 0..=255 {
            let longer = [bytes.as_slice(), &[more]].concat();
            assert_eq!(codec::check(&longer).unwrap_err(), (Some(7), Refusal::BadFrame), "{op} and {more}");
        }
    }
}

#[test]
fn w1_no_changed_byte_makes_the_decoder_panic() {
    for (op, fields) in requests() {
        let bytes = pack(&request(7, op, &fields));
        for at in 0..bytes.len() {
            for value in 0..=255 {
                let mut changed = bytes.clone();
                changed[at] = value;
                if let Ok(head) = codec::check(&changed) {
                    // A changed request is read or refused; it never panics.
                    let _ = is_read(head.op, &changed);
                }
            }
        }
    }
}

#[test]
fn w3_a_reply_carries_its_request_id() {
    for id in [1, 127, 128, 255, 256, 65_535, 65_536, u32::MAX] {
        let ok = unpack(&wire::reply_ok(id, &codec::encode(&live::Probed { seq: SEQ }).unwrap()));
        assert_eq!(ok, json!({ "re": id, "ok": { "seq": 70_000 } }));
        let err = unpack(&wire::reply_err(Some(id), Refusal::NotFound));
        assert_eq!((&err["re"], &err["err"]["code"]), (&json!(id), &json!("not_found")));
    }
    assert_eq!(unpack(&wire::reply_err(None, Refusal::BadFrame))["re"], Value::Null);
}

#[test]
fn w3_a_refusal_always_has_its_six_parts() {
    for (code, bytes) in refusals() {
        let err = unpack(&bytes)["err"].clone();
        let parts: Vec<&String> = err.as_object().unwrap().keys().collect();
        assert_eq!(parts, ["code", "message", "why", "values", "field", "retry_ms"], "{code}");
        assert!(err["message"].as_str().unwrap().len() > 10, "{code} says something");
    }
}

#[test]
fn every_event_begins_with_its_name_and_ends_with_its_seq() {
    for (ev, bytes) in events() {
        let event = unpack(&bytes);
        let names: Vec<&String> = event.as_object().unwrap().keys().collect();
        assert_eq!((names[0].as_str(), names[names.len() - 1].as_str()), ("ev", "seq"));
        assert_eq!((&event["ev"], &event["seq"]), (&json!(ev), &json!(70_000)));
    }
}

/// Turns every whole number of a request into a float.
fn floating(value: &rmpv::Value) -> rmpv::Value {
    match value {
        #[expect(clippy::cast_precision_loss, reason = "ids are below 2^53")]
        rmpv::Value::Integer(number) => rmpv::Value::F64(number.as_i64().unwrap() as f64),
        rmpv::Value::Array(values) => rmpv::Value::Array(values.iter().map(floating).collect()),
        rmpv::Value::Map(entries) => {
            rmpv::Value::Map(entries.iter().map(|(name, value)| (name.clone(), floating(value))).collect())
        }
        other => other.clone(),
    }
}

#[test]
fn w6_every_number_may_come_as_a_whole_float() {
    for (op, fields) in requests() {
        let request = floating(&value::to_wire(&request(7, op, &fields)));
        let mut bytes = Vec::new();
        rmpv::encode::write_value(&mut bytes, &request).unwrap();
        assert_eq!(codec::check(&bytes).unwrap().id, 7);
        is_read(op, &bytes).unwrap_or_else(|no| panic!("{op}: {no:?}"));
    }
}

#[test]
fn w7_an_optional_field_may_be_absent_and_an_unknown_field_is_ignored() {
    for (op, fields) in requests() {
        let given = fields.as_object().unwrap();
        for name in given.keys() {
            let mut fewer = fields.clone();
            fewer.as_object_mut().unwrap().remove(name);
            let mut nil = fields.clone();
            nil[name] = Value::Null;
            let read = |fields: &Value| is_read(op, &pack(&request(7, op, fields)));
            assert_eq!(read(&fewer), read(&nil), "{op} without {name}");
            assert!(matches!(read(&fewer), Ok(()) | Err(Refusal::BadRequest)));
        }
        let mut more = fields.clone();
        more["unknown"] = json!([{ "deep": [1, null, { "$bin": "ff" }] }]);
        is_read(op, &pack(&request(7, op, &more))).unwrap();
    }
}

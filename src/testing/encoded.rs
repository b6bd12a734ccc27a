//! Encoded forms: the bytes of the plain data that may leave this process, in `tests/encoded.json`. They are published
//! events, replies, refusals, viewers and devices.
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
use crate::error::RefusalView;
use crate::events::{
    ENCODING, Effects, Hours, Loss, Membership, Named, PublishedEvent, Recipients, Right, Topic, users,
};
use crate::ids::{LoginId, UserId};
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
    let forms = [events(), replies(), refusals(), requesters()].concat();
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

//! Golden frames: what travels, byte for byte, in `tests/frames/*.json`, read here and by the web.
//!
//! `UPDATE=1 cargo test --test frames` writes them anew. A change there is a change of the protocol.
#![expect(clippy::unwrap_used, reason = "a frame that cannot be read is a failure")]

#[path = "world/value.rs"]
#[expect(dead_code, reason = "keys here are fixed")]
mod value;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use mellow::error::{Field, Refusal, Sentence};
use mellow::features::views::{Audience, Comment, Me, User, Vote};
use mellow::features::{Event, Request, auth, comments, follows, posts, profiles, search, uploads, votes};
use mellow::ids::{CommentId, PostId, Seq, UserId};
use mellow::live::wire as live;
use mellow::wire::{self, codec};
use serde::Serialize;
use serde_json::{Value, json};
use value::{hex, key_of, pack, request, unhex, unpack};

const ANA: UserId = UserId(159_000_000_000_001);
const BEN: UserId = UserId(159_000_000_000_002);
const POST: PostId = PostId(9_007_199_254_740_991);
const NOW_MS: i64 = 1_772_355_600_000;
const SEQ: Seq = Seq(70_000);

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/frames"))
}

fn users() -> Vec<User> {
    vec![
        User { id: ANA, name: "Ana".into(), photo_url: None },
        User {
            id: BEN,
            name: "Zoë 🌿 שלום".into(),
            photo_url: Some("/media/profile-pictures/8/17_ben.card.jpg?token=abc".into()),
        },
    ]
}

fn me() -> Me {
    Me {
        id: ANA,
        name: "Ana".into(),
        photo_url: None,
        email: "ana@example.org".into(),
        pending_email: None,
        hide_numbers: false,
        has_unread: true,
    }
}

fn comment(number: i64) -> Comment {
    Comment {
        id: CommentId(number),
        post_id: POST,
        author_id: BEN,
        text: format!("c{number}"),
        created_at_ms: NOW_MS,
    }
}

/// A picture that stands still, and one that can move.
fn pictures() -> Vec<posts::wire::Picture> {
    let url = |number: u32, ending: &str| {
        format!("/media/posts/{}/{NOW_MS}_{number}_Zo%C3%AB.{ending}?token=AAECAwQFBgcICQoLDA0O_w", ANA.0)
    };
    let picture = |number: u32, alt: &str, width, height, moves: bool| posts::wire::Picture {
        alt: alt.into(),
        width,
        height,
        thumbhash: "1QcSHQRnh493V4dIh4eXh1h4kJUI".into(),
        url: url(number, "jpg"),
        card_url: url(number, "card.jpg"),
        motion_url: moves.then(|| url(number, "motion.gif")),
    };
    vec![picture(0, "Zoë 🌿 by the sea", 1_600, 1_200, false), picture(1, "", 128, 255, true)]
}

fn post() -> posts::wire::Post {
    posts::wire::Post {
        id: POST,
        author_id: ANA,
        title: None,
        text: "one\ntwo".into(),
        tag: Some("Slow Mornings".into()),
        tag_key: Some("slow mornings".into()),
        audience: Audience::Public {},
        pictures: pictures(),
        created_at_ms: NOW_MS,
        updated_at_ms: NOW_MS,
        comments_count: 70_000,
        first_comments: vec![comment(128), comment(65_536)],
    }
}

fn view(vote: Vote, positive_count: Option<i64>) -> posts::wire::PostView {
    posts::wire::PostView { post: post(), vote, positive_count }
}

fn profile() -> profiles::wire::ProfileView {
    let profile = profiles::wire::Profile {
        id: BEN,
        name: "Ben".into(),
        bio: "Quiet.".into(),
        photo_url: Some("/media/profile-pictures/8/17_ben.card.jpg?token=abc".into()),
        photo: Some(profiles::wire::Photo {
            url: "/media/profile-pictures/8/17_ben.jpg?token=abc".into(),
            width: 1_600,
            height: 1_200,
            thumbhash: "1QcSHQRnh493V4dIh4eXh1h4kJUI".into(),
        }),
        from_color: profiles::wire::Color::Blue,
        to_color: profiles::wire::Color::Green,
        created_at_ms: NOW_MS,
        followers_count: Some(3),
        following_count: Some(0),
    };
    profiles::wire::ProfileView { profile, followed: true }
}

/// Every request there is, with every field.
fn requests() -> BTreeMap<&'static str, Value> {
    let key = key_of(0x0001_0203_0405_0607_0809_0a0b_0c0d_0eff);
    let upload = key_of(0xff01_0203_0405_0607_0809_0a0b_0c0d_0e0f);
    let (ana, ben, post) = (ANA.0, BEN.0, POST.0);
    BTreeMap::from([
        (
            "auth.sign_up",
            json!({ "key": key, "email": "ana@example.org", "password": "slow mornings", "name": null }),
        ),
        ("auth.log_in", json!({ "email": "ana@example.org", "password": "slow mornings" })),
        ("auth.log_out", json!({})),
        ("live.probe", json!({})),
        ("live.resume", json!({ "epoch": "00ff", "seq": 70_000, "posts": [1, post], "profiles": [ben] })),
        ("live.leave", json!({ "posts": [], "profiles": [ana, ben] })),
        ("posts.feed", json!({ "tag": "Slow Mornings", "before": null })),
        ("posts.by_author", json!({ "user_id": ana, "before": post })),
        ("posts.get", json!({ "post_id": post })),
        (
            "posts.refresh",
            json!({ "post_ids": [1, 127, 128, 255, 256, 65_535, 65_536, 4_294_967_295_u32, 4_294_967_296_u64, post] }),
        ),
        (
            "posts.create",
            json!({
                "key": key, "title": "A title", "text": "one\ntwo", "tag": null, "audience": { "type": "public" },
                "pictures": [{ "upload": upload, "alt": "Zoë 🌿 by the sea" }, { "upload": key, "alt": null }],
            }),
        ),
        (
            "posts.update",
            json!({ "key": key, "post_id": post, "title": null, "text": "three", "audience": { "type": "public" } }),
        ),
        (
            "uploads.begin",
            json!({
                "upload": upload, "name": "Zoë.jpg", "size_bytes": 10_485_760, "content_type": "image/jpeg",
                "index": 3,
            }),
        ),
        ("uploads.chunk", json!({ "upload": upload, "offset": 65_536, "bytes": { "$bin": "ffd8ffe0" } })),
        ("uploads.commit", json!({ "upload": upload })),
        ("uploads.cancel", json!({ "upload": upload })),
        ("posts.delete", json!({ "key": key, "post_id": post })),
        ("votes.set", json!({ "key": key, "post_id": post, "vote": "negative" })),
        ("comments.create", json!({ "key": key, "post_id": post, "text": "Zoë 🌿 שלום" })),
        ("comments.delete", json!({ "key": key, "comment_id": 65_536 })),
        ("comments.page", json!({ "post_id": post, "after": 128 })),
        ("follows.set", json!({ "key": key, "user_id": ben, "following": true })),
        ("follows.page", json!({ "side": "followers", "before": null })),
        ("profiles.get", json!({ "user_id": ben })),
        ("search.names", json!({ "term": "Zo" })),
    ])
}

fn ok(value: &impl Serialize) -> Vec<u8> {
    wire::reply_ok(7, &codec::encode(value).unwrap()).to_vec()
}

/// What a yes to each request looks like.
fn replies() -> BTreeMap<&'static str, Vec<u8>> {
    let signed_in = || auth::wire::SignedIn { ticket: "00ff".into(), me: me() };
    let one = || posts::wire::One { post: view(Vote::None, Some(0)), users: users(), seq: SEQ };
    let posts = || vec![view(Vote::Positive, None), view(Vote::Negative, Some(3))];
    BTreeMap::from([
        ("auth.sign_up", ok(&signed_in())),
        ("auth.log_in", ok(&signed_in())),
        ("auth.log_out", ok(&auth::wire::Done {})),
        ("live.probe", ok(&live::Probed { seq: SEQ })),
        ("live.resume", ok(&live::Resumed { resync: true, seq: SEQ })),
        ("live.leave", ok(&live::Left {})),
        (
            "posts.feed",
            ok(&posts::wire::FeedPage {
                posts: posts(),
                users: users(),
                older: Some(POST),
                follows_anyone: true,
                seq: SEQ,
            }),
        ),
        ("posts.by_author", ok(&posts::wire::Page { posts: posts(), users: users(), older: None, seq: SEQ })),
        ("posts.get", ok(&one())),
        (
            "posts.refresh",
            ok(&posts::wire::Refreshed { posts: posts(), users: users(), gone: vec![PostId(7)], seq: SEQ }),
        ),
        ("posts.create", ok(&one())),
        ("posts.update", ok(&one())),
        ("posts.delete", ok(&posts::wire::Done { seq: SEQ })),
        ("uploads.begin", ok(&uploads::wire::Begun { offset: 65_536, chunk_bytes: 65_536, window: 4 })),
        ("uploads.chunk", ok(&uploads::wire::Held { offset: 65_540 })),
        ("uploads.commit", ok(&uploads::wire::Committed { width: 1_600, height: 1_200 })),
        ("uploads.cancel", ok(&uploads::wire::Canceled {})),
        ("votes.set", ok(&votes::wire::Voted { post_id: POST, vote: Vote::Negative, seq: SEQ })),
        ("comments.create", ok(&comments::wire::Made { comment: comment(128), seq: SEQ })),
        ("comments.delete", ok(&comments::wire::Done { seq: SEQ })),
        (
            "comments.page",
            ok(&comments::wire::Thread {
                comments: vec![comment(128)],
                users: users(),
                more: false,
                comments_count: 1,
                seq: SEQ,
            }),
        ),
        ("follows.set", ok(&follows::wire::Followed { user_id: BEN, following: false, seq: SEQ })),
        (
            "follows.page",
            ok(&follows::wire::People {
                users: users(),
                older: Some(mellow::ids::FollowId(BEN.0)),
                seq: SEQ,
            }),
        ),
        ("profiles.get", ok(&profiles::wire::Shown { profile: profile(), seq: SEQ })),
        (
            "search.names",
            ok(&search::wire::Results {
                users: vec![search::wire::Found {
                    id: BEN,
                    name: "Ben".into(),
                    bio: String::new(),
                    photo_url: None,
                }],
                seq: SEQ,
            }),
        ),
    ])
}

fn refusals() -> BTreeMap<&'static str, Vec<u8>> {
    let all = [
        Refusal::BadFrame,
        Refusal::BadRequest,
        Refusal::UnknownOp,
        Refusal::NotSignedIn,
        Refusal::NotFound,
        Refusal::Invalid(Field::Text, Sentence::TooLong(2_000)),
        Refusal::NoSuchUser,
        Refusal::BadCredentials,
        Refusal::SignUpClosed,
        Refusal::EmailTaken,
        Refusal::WeakPassword(Sentence::PasswordShort),
        Refusal::KeyConflict,
        Refusal::PictureTooLarge("Zoë.jpg".into()),
        Refusal::NotAPicture("Zoë.jpg".into()),
        Refusal::UploadGone,
        Refusal::SlowDown(1_200),
        Refusal::Busy,
        Refusal::StorageFull,
        Refusal::Fault,
    ];
    all.into_iter()
        .map(|refusal| {
            // What could not be read has no id to answer.
            let re = (refusal != Refusal::BadFrame).then_some(4_294_967_295);
            (refusal.view().code, wire::reply_err(re, refusal).to_vec())
        })
        .collect()
}

fn events() -> BTreeMap<&'static str, Vec<u8>> {
    let nobody: Arc<[UserId]> = Arc::from([]);
    let told = |event: Event| wire::event(SEQ, &codec::encode(&event).unwrap()).to_vec();
    let engine = |body: Vec<u8>| wire::event(SEQ, &body).to_vec();
    BTreeMap::from([
        (
            "hello",
            engine(
                codec::encode(&live::Hello {
                    ev: "hello",
                    epoch: "00ff",
                    protocol: wire::PROTOCOL,
                    build: "0.1.0+abc",
                    now_ms: NOW_MS,
                    beat_ms: 25_000,
                    me: Some(me()),
                    login: live::LoginState::Live,
                })
                .unwrap(),
            ),
        ),
        ("beat", engine(codec::encode(&live::Beat { ev: "beat", sent: 300 }).unwrap())),
        (
            "posts.created",
            told(Event::PostCreated(posts::wire::Created {
                post: post(),
                users: users(),
                followers: nobody.clone(),
            })),
        ),
        (
            "posts.updated",
            told(Event::PostUpdated(posts::wire::Updated {
                post_id: POST,
                author_id: ANA,
                title: Some("A title".into()),
                text: "three".into(),
                audience: Audience::Public {},
                updated_at_ms: NOW_MS + 1,
                followers: nobody.clone(),
            })),
        ),
        (
            "posts.deleted",
            told(Event::PostDeleted(posts::wire::Deleted {
                post_id: POST,
                author_id: ANA,
                followers: nobody,
            })),
        ),
        (
            "comments.created",
            told(Event::CommentCreated(comments::wire::Created {
                comment: comment(128),
                users: users(),
                comments_count: 1,
            })),
        ),
        (
            "comments.deleted",
            told(Event::CommentDeleted(comments::wire::Deleted {
                post_id: POST,
                comment_id: CommentId(128),
                comments_count: 1,
                first_comments: vec![comment(65_536)],
                users: users(),
            })),
        ),
        (
            "votes.changed",
            told(Event::VoteChanged(votes::wire::Changed { post_id: POST, vote: Vote::None, voter_id: ANA })),
        ),
        (
            "votes.counted",
            told(Event::VotesCounted(votes::wire::Counted {
                post_id: POST,
                positive_count: 2,
                author_id: ANA,
            })),
        ),
        (
            "follows.changed",
            told(Event::FollowChanged(follows::wire::Changed {
                user_id: BEN,
                following: true,
                follower_id: ANA,
            })),
        ),
        (
            "profiles.counted",
            told(Event::ProfileCounted(follows::wire::Counted {
                user_id: BEN,
                followers_count: 1,
                following_count: 2,
            })),
        ),
    ])
}

/// Every golden frame by its name.
fn frames() -> BTreeMap<String, Vec<u8>> {
    let named = |kind: &str, name: &str| format!("{kind}_{}", name.replace('.', "_"));
    let mut all = BTreeMap::new();
    for (op, fields) in requests() {
        all.insert(named("request", op), pack(&request(7, op, &fields)));
    }
    for (kind, frames) in [("reply", replies()), ("refusal", refusals()), ("event", events())] {
        all.extend(frames.into_iter().map(|(name, bytes)| (named(kind, name), bytes)));
    }
    all
}

fn file_of(name: &str, bytes: &[u8]) -> String {
    let frame = json!({ "name": name, "hex": hex(bytes), "value": unpack(bytes) });
    serde_json::to_string_pretty(&frame).unwrap() + "\n"
}

#[test]
fn every_frame_is_what_it_was() {
    let frames = frames();
    if std::env::var_os("UPDATE").is_some() {
        for old in std::fs::read_dir(folder()).unwrap() {
            std::fs::remove_file(old.unwrap().path()).unwrap();
        }
        for (name, bytes) in &frames {
            std::fs::write(folder().join(format!("{name}.json")), file_of(name, bytes)).unwrap();
        }
    }
    let mut kept = BTreeSet::new();
    for file in std::fs::read_dir(folder()).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let golden: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let bytes = frames.get(&name).unwrap_or_else(|| panic!("nothing sends {name} any more"));
        assert_eq!(golden["name"], name);
        assert_eq!(golden["value"], unpack(bytes), "{name}: the protocol has changed");
        assert_eq!(golden["hex"], hex(bytes), "{name}: the same value in other bytes");
        // And the other way: the kept bytes are read as the kept value.
        assert_eq!(unpack(&unhex(golden["hex"].as_str().unwrap())), golden["value"]);
        kept.insert(name);
    }
    let made: BTreeSet<String> = frames.into_keys().collect();
    assert_eq!(kept, made, "new frames: UPDATE=1 cargo test --test frames writes them");
}

#[test]
fn every_request_reply_refusal_and_event_has_a_frame() {
    let ops: BTreeSet<&str> = mellow::features::ops().into_iter().chain(live::OPS.iter().copied()).collect();
    assert_eq!(requests().into_keys().collect::<BTreeSet<_>>(), ops);
    assert_eq!(replies().into_keys().collect::<BTreeSet<_>>(), ops);
    let protocol = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/protocol.md")).unwrap();
    let section = protocol.split("## 6.").nth(1).unwrap().split("## 7.").next().unwrap();
    let named: BTreeSet<&str> =
        section.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    assert_eq!(events().into_keys().collect::<BTreeSet<_>>(), named);
    let table = protocol.split("| code | when |").nth(1).unwrap().split("## 3.").next().unwrap();
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
fn w1_every_request_is_read_whole_and_no_cut_or_longer_one_is() {
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
fn w1_no_changed_byte_makes_the_reader_panic() {
    for (op, fields) in requests() {
        let bytes = pack(&request(7, op, &fields));
        for at in 0..bytes.len() {
            for value in 0..=255 {
                let mut changed = bytes.clone();
                changed[at] = value;
                if let Ok(head) = codec::check(&changed) {
                    // Whatever it is now, it is read or refused.
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
fn w3_a_refusal_always_has_its_four_parts() {
    for (code, bytes) in refusals() {
        let err = unpack(&bytes)["err"].clone();
        let parts: Vec<&String> = err.as_object().unwrap().keys().collect();
        assert_eq!(parts, ["code", "message", "field", "retry_ms"], "{code}");
        assert!(err["message"].as_str().unwrap().len() > 10, "{code} says something");
    }
}

#[test]
fn every_event_carries_its_name_first_and_its_number_last() {
    for (ev, bytes) in events() {
        let event = unpack(&bytes);
        let names: Vec<&String> = event.as_object().unwrap().keys().collect();
        assert_eq!((names[0].as_str(), names[names.len() - 1].as_str()), ("ev", "seq"));
        assert_eq!((&event["ev"], &event["seq"]), (&json!(ev), &json!(70_000)));
    }
}

/// Changes every whole number of a request into a float.
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
fn w7_what_may_be_nil_may_be_absent_and_what_is_unknown_is_ignored() {
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

//! Malformed input: the server closes as the protocol says, and others are not affected.

use std::time::Instant;

use mellow::seeded_random::SeededRandom;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use crate::support::TIMEOUT;
use crate::support::child::Child;
use crate::support::person::{Person, post};
use crate::support::raw::{self, BINARY, CLOSE, CONTINUATION, PING, PONG, Raw, TEXT, frame, header};
use crate::support::server::TestServer;
use crate::support::value::{key, pack, request, unpack};

/// The most by which the program may grow. It is a separate process, because other stories run in this one.
const GROWTH_KIB_MAX: u64 = 32 * 1024;

fn probe(id: u32) -> Vec<u8> {
    pack(&request(id, "live.probe", &json!({})))
}

#[tokio::test]
async fn w5_a_text_frame_closes_with_1003() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    ana.socket.send_message(Message::text("hello")).await;
    assert_eq!(ana.socket.close_code().await, 1003);
    for bytes in
        [frame(TEXT, true, true, b"\xff\xfe"), frame(TEXT, false, true, b"hel"), frame(TEXT, true, true, b"")]
    {
        let mut raw = Raw::open(server.at, Some(&ana.cookie)).await;
        raw.sends(&bytes).await;
        assert_eq!(raw.close_code().await, Some(1003), "{bytes:?}");
    }
}

#[tokio::test]
async fn w2_three_malformed_messages_end_the_socket_and_each_is_answered() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let tab = ana.opens_another_tab().await;
    for _ in 0..3 {
        tab.socket.send_bytes(vec![0xc1]).await;
    }
    assert_eq!(tab.socket.close_code().await, 1008);
    let replies: Vec<Value> =
        tab.socket.log().into_iter().filter(|message| message.get("err").is_some()).collect();
    assert_eq!(replies.len(), 3);
    for reply in replies {
        assert_eq!((&reply["re"], &reply["err"]["code"]), (&Value::Null, &json!("bad_frame")));
    }
    ana.posts("others notice nothing").await;
}

#[tokio::test]
async fn w1_every_kind_of_malformed_message_is_a_bad_frame() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let with = |value: Vec<u8>| {
        // {id: 5, op: "live.probe", x: <value>}
        let mut bytes = pack(&json!({ "id": 5, "op": "live.probe" }));
        bytes[0] = 0x83;
        bytes.extend([0xa1, b'x']);
        bytes.extend(value);
        bytes
    };
    let long = |marker: u8, length: u32, rest: usize| {
        let mut bytes = vec![marker];
        bytes.extend(length.to_be_bytes());
        bytes.extend(vec![b'a'; rest]);
        bytes
    };
    let float = |number: f64| [vec![0xcb], number.to_be_bytes().to_vec()].concat();
    let mut trailing = probe(5);
    trailing.push(0);
    let mut doubled = pack(&json!({ "id": 5, "op": "live.probe" }));
    doubled[0] = 0x83;
    doubled.extend([0xa2, b'i', b'd', 0x06]);
    for (what, bytes) in [
        ("nothing", vec![]),
        ("nil", vec![0xc0]),
        ("a list", vec![0x90]),
        ("a number", vec![0x01]),
        ("trailing bytes", trailing),
        ("a cut", probe(5)[..7].to_vec()),
        ("a key twice", doubled),
        ("a key that is no text", vec![0x81, 0x01, 0x01]),
        ("a text that is no UTF-8", with(vec![0xa1, 0xff])),
        ("depth", with(vec![0x91; 10_000])),
        ("depth of 16 and a leaf", with([vec![0x91; 16], vec![0xc0]].concat())),
        ("a text over 16 KiB", with(long(0xdb, 16_385, 16_385))),
        ("a text of 4 GiB", with(long(0xdb, u32::MAX, 10))),
        ("bytes of 4 GiB", with(long(0xc6, u32::MAX, 10))),
        ("a list of 4 milliards", with(long(0xdd, u32::MAX, 0))),
        ("a map of 4 milliards", with(long(0xdf, u32::MAX, 0))),
        ("over 4,096 elements", with([vec![0xdc, 0x10, 0x01], vec![0xc0; 4_097]].concat())),
        ("not a number", with(float(f64::NAN))),
        ("infinity", with(float(f64::INFINITY))),
        ("an extension", with(vec![0xd4, 0x01, 0x00])),
        ("the marker that is never used", with(vec![0xc1])),
        ("a head that is only zeros", vec![0; 64]),
        ("noise", (0..200_u8).map(|byte| byte.wrapping_mul(73)).collect()),
    ] {
        let tab = ana.opens_another_tab().await;
        tab.socket.send_bytes(bytes).await;
        let code = tab
            .socket
            .waits(what, |state| {
                state.log.iter().find_map(|message| Some(message.get("err")?["code"].clone()))
            })
            .await;
        assert_eq!(code, "bad_frame", "{what}");
        tab.socket.asks("live.probe", json!({})).await.expect("once is forgiven");
    }
    ana.socket
        .asks("live.probe", json!({ "x": [[[[[[[[[[[[[["fourteen"]]]]]]]]]]]]]] }))
        .await
        .expect("not too deep");
    ana.socket.asks("live.probe", json!({ "x": "a".repeat(16_384) })).await.expect("not too long");
    ana.socket.asks("live.probe", json!({ "x": vec![0; 4_000] })).await.expect("not too many");
}

#[tokio::test]
async fn w7_missing_and_ill_typed_fields_are_bad_requests_and_unknown_ones_are_ignored() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let post_id = ana.posts("hello").await;
    for (op, fields) in [
        ("posts.get", json!({})),
        ("posts.get", json!({ "post_id": null })),
        ("posts.get", json!({ "post_id": "1" })),
        ("posts.get", json!({ "post_id": 1.5 })),
        ("posts.get", json!({ "post_id": -1 })),
        ("posts.get", json!({ "post_id": 9_007_199_254_740_992_u64 })),
        ("posts.get", json!({ "post_id": u64::MAX })),
        ("posts.get", json!({ "post_id": 1e300 })),
        ("posts.get", json!({ "post_id": [post_id] })),
        ("posts.get", json!({ "post_id": true })),
        ("posts.refresh", json!({ "post_ids": 1 })),
        ("posts.refresh", json!({ "post_ids": [1, "2"] })),
        ("posts.feed", json!({ "tag": 1 })),
        ("posts.feed", json!({ "before": "yesterday" })),
        ("posts.create", json!({ "key": key(), "text": "x" })),
        ("posts.create", json!({ "key": key(), "text": 1, "audience": { "type": "public" } })),
        ("posts.create", json!({ "key": key(), "text": "x", "audience": { "type": "everybody" } })),
        ("posts.create", json!({ "key": key(), "text": "x", "audience": {} })),
        ("posts.create", json!({ "key": key(), "text": "x", "audience": "public" })),
        ("posts.create", json!({ "key": key(), "text": { "$bin": "ff" }, "audience": { "type": "public" } })),
        ("follows.set", json!({ "key": key(), "user_id": ana.id, "following": 1 })),
        ("follows.page", json!({ "side": "both" })),
        ("follows.page", json!({ "side": 0 })),
        ("search.names", json!({ "term": null })),
        ("live.resume", json!({ "epoch": "x", "seq": -1, "posts": [], "profiles": [] })),
        ("live.resume", json!({ "epoch": "x", "seq": 0, "posts": [] })),
        ("live.leave", json!({})),
    ] {
        let no = ana.is_refused("bad_request", op, fields).await;
        assert_eq!((no.field, no.retry_ms), (None, None));
    }
    for op in
        ["", "posts", "posts.", ".get", "posts.burn", "Posts.get", "live.die", "posts.get ", "wire.check"]
    {
        ana.is_refused("unknown_op", op, json!({})).await;
    }
    let ok =
        ana.asks("posts.get", json!({ "post_id": post_id, "colour": "sage", "deep": { "er": [1] } })).await;
    assert_eq!(ok["post"]["id"], post_id);
    assert_eq!(
        ana.asks("posts.feed", json!({})).await,
        ana.asks("posts.feed", json!({ "tag": null, "before": null })).await
    );
    // A request with invalid fields is not a malformed message.
    assert!(ana.socket.is_open());
}

#[tokio::test]
async fn w6_ids_may_come_as_whole_floats() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let post_id = ana.posts("hello").await;
    #[expect(clippy::cast_precision_loss, reason = "ids are below 2^53")]
    let ok = ana.asks("posts.get", json!({ "post_id": post_id as f64 })).await;
    assert_eq!(ok["post"]["id"], post_id);
    ana.socket.send_bytes(pack(&json!({ "id": 4_000_000_000.0, "op": "live.probe" }))).await;
    ana.socket.reply_to(4_000_000_000).await.unwrap();
}

#[tokio::test]
async fn w3_a_request_without_a_valid_id_is_answered_without_one() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    for id in [json!(0), json!(-1), json!(4_294_967_296_u64), json!("1"), Value::Null, json!(1.5)] {
        let tab = ana.opens_another_tab().await;
        tab.socket.send_bytes(pack(&json!({ "id": id, "op": "live.probe" }))).await;
        let reply = tab.socket.waits("a refusal", |state| state.log.get(1).cloned()).await;
        assert_eq!((&reply["re"], &reply["err"]["code"]), (&Value::Null, &json!("bad_request")), "{id}");
    }
    let tab = ana.opens_another_tab().await;
    tab.socket.send_bytes(pack(&json!({ "id": 9 }))).await;
    assert_eq!(tab.socket.reply_to(9).await.unwrap_err().code, "bad_request");
    tab.socket.send_bytes(pack(&json!({ "id": u32::MAX, "op": "live.probe" }))).await;
    tab.socket.reply_to(u32::MAX).await.unwrap();
}

#[tokio::test]
async fn w4_a_frame_that_declares_two_gigabytes_is_refused_at_once_and_costs_no_memory() {
    let folder = tempfile::tempdir().unwrap();
    let child = Child::starts(folder.path(), &[]);
    let ana = Person::signs_up(child.at, "Ana").await;
    let before = child.memory_kib();
    for length in [128 * 1024 + 1, 2 << 30, u64::MAX >> 1, u64::MAX] {
        for opcode in [BINARY, CONTINUATION, PING] {
            let mut raw = Raw::open(child.at, Some(&ana.cookie)).await;
            raw.sends(&header(opcode, true, true, length)).await;
            let begun = Instant::now();
            assert_eq!(raw.close_code().await, Some(1009), "{opcode} {length}");
            assert!(begun.elapsed() < TIMEOUT / 3);
        }
    }
    let grown = child.memory_kib().saturating_sub(before);
    assert!(grown < GROWTH_KIB_MAX, "the server grew by {grown} KiB");
}

#[tokio::test]
async fn w4_frames_of_128_kib_are_read() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let mut raw = Raw::open(server.at, Some(&ana.cookie)).await;
    let fields = json!({ "x": { "$bin": "00".repeat(128 * 1024 - 64) } });
    let message = pack(&request(7, "live.probe", &fields));
    assert!(message.len() < 128 * 1024 && message.len() > 128 * 1024 - 64);
    raw.sends_binary(&message).await;
    assert!(raw.reply_to(7).await.get("ok").is_some());
}

#[tokio::test]
async fn w4_a_message_in_fragments_is_joined_also_with_pings_between() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let mut raw = Raw::open(server.at, Some(&ana.cookie)).await;
    let message = pack(&request(7, "posts.create", &post("in pieces")));
    let (first, rest) = message.split_at(5);
    let (second, third) = rest.split_at(30);
    for (bytes, ping) in [
        (frame(BINARY, false, true, first), "one"),
        (frame(CONTINUATION, false, true, second), "two"),
        (frame(CONTINUATION, false, true, b""), "three"),
    ] {
        raw.sends(&bytes).await;
        raw.sends(&frame(PING, true, true, ping.as_bytes())).await;
        loop {
            let (opcode, payload) = raw.reads().await.expect("a pong");
            if opcode == PONG {
                assert_eq!(payload, ping.as_bytes());
                break;
            }
        }
    }
    raw.sends(&frame(CONTINUATION, true, true, third)).await;
    assert_eq!(raw.reply_to(7).await["ok"]["post"]["text"], "in pieces");
}

#[tokio::test]
async fn w4_a_message_may_arrive_one_byte_at_a_time() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let mut raw = Raw::open(server.at, Some(&ana.cookie)).await;
    for byte in frame(BINARY, true, true, &probe(7)) {
        raw.sends(&[byte]).await;
        tokio::task::yield_now().await;
    }
    assert!(raw.reply_to(7).await.get("ok").is_some());
}

#[tokio::test]
async fn w4_joined_fragments_may_have_at_most_256_kib() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let part = vec![0; 100 * 1024];
    let mut raw = Raw::open(server.at, Some(&ana.cookie)).await;
    raw.sends(&frame(BINARY, false, true, &part)).await;
    raw.sends(&frame(CONTINUATION, false, true, &part)).await;
    raw.sends(&frame(CONTINUATION, false, true, &part)).await;
    assert_eq!(raw.close_code().await, Some(1009));

    // A message just under the limit is read.
    let mut raw = Raw::open(server.at, Some(&ana.cookie)).await;
    let message = pack(&request(7, "live.probe", &json!({ "x": { "$bin": "00".repeat(256 * 1024 - 64) } })));
    let parts: Vec<&[u8]> = message.chunks(100 * 1024).collect();
    for (at, part) in parts.iter().enumerate() {
        let opcode = if at == 0 { BINARY } else { CONTINUATION };
        raw.sends(&frame(opcode, at == parts.len() - 1, true, part)).await;
    }
    assert!(raw.reply_to(7).await.get("ok").is_some());
}

#[tokio::test]
async fn frames_that_break_the_standard_close_with_1002() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let whole = probe(7);
    let mut reserved = frame(BINARY, true, true, &whole);
    reserved[0] |= 0x40;
    for (what, frames, codes) in [
        ("an unmasked frame", vec![frame(BINARY, true, false, &whole)], vec![1002]),
        ("a continuation of nothing", vec![frame(CONTINUATION, true, true, &whole)], vec![1002]),
        (
            "a message within a message",
            vec![frame(BINARY, false, true, &whole), frame(BINARY, true, true, &whole)],
            vec![1002],
        ),
        (
            "a beginning within a message",
            vec![frame(BINARY, false, true, &whole), frame(BINARY, false, true, &whole)],
            vec![1002],
        ),
        ("an unknown opcode", vec![frame(0x3, true, true, &whole)], vec![1002]),
        ("a ping in pieces", vec![frame(PING, false, true, b"x")], vec![1002]),
        ("a ping that is too long", vec![frame(PING, true, true, &[0; 126])], vec![1002]),
        ("a close with half a code", vec![frame(CLOSE, true, true, &[3])], vec![1002]),
        ("a close with a code that nobody may send", vec![frame(CLOSE, true, true, &[3, 0xed])], vec![1002]),
        ("a close whose reason is no text", vec![frame(CLOSE, true, true, &[3, 0xe8, 0xff])], vec![1002]),
        (
            "a length that is longer than it needs to be",
            vec![vec![0x82, 0xfe, 0, 1, 0, 0, 0, 0, 7]],
            vec![1002],
        ),
    ] {
        let mut raw = Raw::open(server.at, Some(&ana.cookie)).await;
        for bytes in frames {
            raw.sends(&bytes).await;
        }
        let code = raw.close_code().await;
        assert!(code.is_some_and(|code| codes.contains(&code)), "{what}: {code:?}");
    }
    ana.posts("others notice nothing").await;
}

#[tokio::test]
async fn a_close_frame_is_answered_with_its_own_code() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    for (payload, code) in [
        (vec![], None),
        (1000_u16.to_be_bytes().to_vec(), Some(1000)),
        (4000_u16.to_be_bytes().to_vec(), Some(4000)),
    ] {
        let mut raw = Raw::open(server.at, Some(&ana.cookie)).await;
        raw.sends(&frame(CLOSE, true, true, &payload)).await;
        let answered = raw.close_code().await;
        assert!(
            answered == code || (code.is_none() && matches!(answered, Some(1000 | 1005))),
            "{code:?}: {answered:?}"
        );
    }
}

#[tokio::test]
async fn random_bytes_affect_no_other_client() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let mut seeded = SeededRandom::new(1, 0);
    let mut random = || seeded.next_u64();
    let good = pack(&request(7, "posts.create", &post("hello")));
    for round in 0..60 {
        let mut raw = Raw::open(server.at, Some(&ana.cookie)).await;
        for _ in 0..4 {
            let mut bytes = if round % 3 == 0 {
                (0..random() % 300).map(|_| random() as u8).collect()
            } else {
                frame(BINARY, true, true, &good)
            };
            if round % 3 != 0 {
                for _ in 0..=random() % 3 {
                    let at = usize::try_from(random()).unwrap() % bytes.len();
                    bytes[at] ^= 1 << (random() % 8);
                }
            }
            raw.sends(&bytes).await;
        }
        drop(raw);
    }
    ana.posts("still here").await;
}

#[tokio::test]
async fn lv4_ten_thousand_requests_without_reading_are_bounded_and_affect_no_one() {
    let folder = tempfile::tempdir().unwrap();
    let child = Child::starts(folder.path(), &[("requests_per_second", "30")]);
    let ana = Person::signs_up(child.at, "Ana").await;
    let ben = Person::signs_up(child.at, "Ben").await;
    let mut flood = Raw::open_with(child.at, Some(&ana.cookie), Some(4_096)).await;
    let before = child.memory_kib();
    let mut bytes = Vec::new();
    for id in 1..=10_000 {
        bytes.extend(frame(BINARY, true, true, &pack(&request(id, "posts.feed", &json!({})))));
    }
    let (mut reader, mut writer) = (Vec::new(), 0);
    // Other clients are answered meanwhile.
    let flooding = async {
        let _ = tokio::time::timeout(TIMEOUT, flood.stream.writable()).await;
        flood.sends(&bytes).await;
        writer = 1;
    };
    let others = async {
        for number in 0..50 {
            ben.posts(&format!("p{number}")).await;
        }
    };
    tokio::join!(flooding, others);
    assert_eq!(writer, 1);
    // The flooding client reads only now: its replies, its refusals and the close frame.
    let mut code = None;
    while let Some((opcode, payload)) = flood.reads().await {
        match opcode {
            BINARY => reader.push(unpack(&payload)),
            CLOSE => code = Some(u16::from_be_bytes([payload[0], payload[1]])),
            _ => {}
        }
    }
    assert!(matches!(code, Some(4429) | None), "it ended with {code:?}");
    let refused = reader.iter().filter(|message| message["err"]["code"] == "slow_down").count();
    let answered = reader.iter().filter(|message| message.get("ok").is_some()).count();
    assert!(answered <= 400, "{answered} answered, {refused} refused");
    let grown = child.memory_kib().saturating_sub(before);
    assert!(grown < GROWTH_KIB_MAX, "the server grew by {grown} KiB");
}

#[tokio::test]
async fn l4_too_many_requests_are_refused_with_a_time_and_then_close_the_socket_with_4429() {
    let server = TestServer::with_manual_clock(&["requests_per_second=1"]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let tab = ana.opens_another_tab().await;
    for _ in 0..4 {
        tab.asks("live.probe", json!({})).await;
    }
    let no = tab.is_refused("slow_down", "live.probe", json!({})).await;
    assert_eq!(no.retry_ms, Some(1_000));
    // The rate limit applies to all sockets of one user together. It does not affect others.
    ana.is_refused("slow_down", "live.probe", json!({})).await;
    ben.asks("live.probe", json!({})).await;
    server.later(1_000);
    tab.asks("live.probe", json!({})).await;
    for _ in 0..241 {
        tab.socket.sends("live.probe", json!({})).await;
    }
    assert_eq!(tab.socket.close_code().await, 4429);
    let slowed = tab.socket.log().iter().filter(|message| message["err"]["code"] == "slow_down").count();
    assert!(slowed > 200, "each was refused: {slowed}");
    assert!(ana.socket.is_open());
}

#[tokio::test]
async fn lv4_more_than_thirty_two_requests_at_once_wait_and_are_all_answered() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let mut ids = Vec::new();
    let mut bytes = Vec::new();
    let mut raw = Raw::open(server.at, Some(&ana.cookie)).await;
    for id in 1..=100_u32 {
        ids.push(id);
        bytes.extend(frame(
            BINARY,
            true,
            true,
            &pack(&request(id, "posts.create", &post(&format!("p{id}")))),
        ));
    }
    raw.sends(&bytes).await;
    let mut replies: Vec<(Value, Value)> = Vec::new();
    while replies.len() < 100 {
        let (opcode, payload) = raw.reads().await.expect("replies");
        let message = if opcode == raw::BINARY { unpack(&payload) } else { continue };
        if message.get("re").is_some() {
            replies.push((message["re"].clone(), message["err"]["code"].clone()));
        }
    }
    let mut answered: Vec<u32> =
        replies.iter().map(|(re, _)| u32::try_from(re.as_u64().unwrap()).unwrap()).collect();
    answered.sort_unstable();
    assert_eq!(answered, ids, "each request has one reply");
    assert!(replies.iter().all(|(_, code)| code.is_null()), "none is refused: {replies:?}");
    let look = server.look();
    let mut texts = look.prepare("select text from posts order by id").unwrap();
    let kept: Vec<String> = texts.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let sent: Vec<String> = ids.iter().map(|id| format!("p{id}")).collect();
    assert_eq!(kept, sent, "in the order they were sent");
}

#[tokio::test]
async fn w8_utf_8_bytes_are_accepted_as_text() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let mut fields = post("");
    fields["text"] = json!({ "$bin": "5a6fc3ab" });
    let ok = ana.asks("posts.create", fields.clone()).await;
    assert_eq!(ok["post"]["text"], "Zoë");
    fields["text"] = json!({ "$bin": "5a6fc3" });
    ana.is_refused("bad_request", "posts.create", fields).await;
}

#[tokio::test]
async fn lv4_pages_count_more_than_small_requests_and_all_are_answered() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    for _ in 0..30 {
        ana.posts(&"🌿".repeat(2_000)).await;
    }
    let mut raw = Raw::open(server.at, Some(&ana.cookie)).await;
    let mut bytes = Vec::new();
    for id in 1..=40_u32 {
        bytes.extend(frame(BINARY, true, true, &pack(&request(id, "posts.feed", &json!({})))));
    }
    raw.sends(&bytes).await;
    let mut fine = 0;
    while fine < 40 {
        let (opcode, payload) = raw.reads().await.expect("a reply to each");
        assert_ne!(opcode, CLOSE, "a client that reads is not cut");
        if opcode == BINARY {
            let message = unpack(&payload);
            if message.get("re").is_some() {
                assert!(message.get("ok").is_some(), "requests over the limit wait: {}", message["err"]);
                fine += 1;
            }
        }
    }
}

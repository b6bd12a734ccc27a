//! The connection: `hello`, beats, reconnects, and closing.

pub mod access;

use serde_json::{Value, json};

use crate::support::child::Child;
use crate::support::person::{Person, post};
use crate::support::raw::Raw;
use crate::support::server::{MORNING_MS, TestServer};
use crate::support::socket::Socket;
use crate::support::value::{key, pack, request};

#[tokio::test]
async fn l1_the_first_message_is_hello_with_the_state_of_the_server() {
    let server = TestServer::with_manual_clock(&[]).await;
    let ana = server.person("Ana").await;
    let seq = ana.asks("posts.create", post("hello")).await["seq"].clone();
    let tab = ana.opens_another_tab().await;
    let hello = tab.socket.hello().await;
    assert_eq!(
        hello,
        json!({
            "ev": "hello", "epoch": hello["epoch"], "protocol": 1, "build": mellow::settings::version(),
            "now_ms": MORNING_MS, "beat_ms": 25_000,
            "me": ana.me(), "login": "live", "seq": seq,
            "backups": { "every_hours": 0, "kept": 30 },
        })
    );
    assert_eq!(hello["epoch"].as_str().unwrap().len(), 32);
}

#[tokio::test]
async fn l2_a_beat_has_the_head_and_the_number_of_events_sent_on_this_socket() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    ben.follows(&ana).await;
    for number in 0..3 {
        ana.posts(&format!("p{number}")).await;
    }
    let last = cleo.asks("posts.create", post("for nobody")).await["seq"].clone();
    let beat = |state: &mut crate::support::socket::State| {
        let at = state.log.iter().position(|message| message["ev"] == "beat")?;
        let delivered = state.log[..at]
            .iter()
            .filter(|m| m.get("ev").is_some_and(|ev| ev != "hello" && ev != "beat"))
            .count();
        Some((state.log[at].clone(), delivered))
    };
    // Only this story takes long, because a beat is sent every 25 s.
    let waiting = tokio::time::timeout(std::time::Duration::from_secs(40), async {
        loop {
            if let Some(found) = ben.socket.peek(beat) {
                break found;
            }
            ben.socket.changes_or_ends().await;
        }
    });
    let (beat, delivered) = waiting.await.expect("a beat within its time");
    assert_eq!(beat, json!({ "ev": "beat", "seq": last, "sent": delivered }));
    assert_eq!(delivered, 5, "the follow, which was his first step, and three posts");
}

fn resume(hello: &Value, seq: i64, posts: &[i64], profiles: &[i64]) -> Value {
    json!({ "epoch": hello["epoch"], "seq": seq, "posts": posts, "profiles": profiles })
}

fn seqs(events: &[Value]) -> Vec<i64> {
    events.iter().map(|event| event["seq"].as_i64().unwrap()).collect()
}

#[tokio::test]
async fn l4_missed_events_are_replayed_once_in_order_before_the_reply() {
    let server = TestServer::new().await;
    let [ana, mut ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    ben.follows(&ana).await;
    let shown = ana.posts("shown").await;
    ben.opens(shown).await;
    ben.visits(&cleo).await;
    ben.is_up_to_date(&server).await;
    let witness = ben.opens_another_tab().await;
    witness.opens(shown).await;
    witness.visits(&cleo).await;
    let cursor = ben.socket.asks("live.probe", json!({})).await.unwrap()["seq"].as_i64().unwrap();

    // The connection is cut, and these writes happen meanwhile.
    let gone = std::mem::replace(&mut ben.socket, Socket::open(server.at, None).await);
    drop(gone);
    for number in 0..10 {
        ana.posts(&format!("p{number}")).await;
        cleo.comments(shown, &format!("c{number}")).await;
        cleo.posts(&format!("by Cleo {number}")).await;
        witness.votes(shown, if number % 2 == 0 { "positive" } else { "negative" }).await;
    }
    ana.follows(&cleo).await;
    witness.receives_where_counted(cleo.id).await;
    witness.is_up_to_date(&server).await;

    ben.reconnects().await;
    let hello = ben.socket.hello().await;
    let ok = ben.asks("live.resume", resume(&hello, cursor, &[shown], &[cleo.id])).await;
    assert_eq!(ok["resync"], json!(false));

    let log = ben.socket.log();
    let reply = log.iter().position(|message| message.get("re").is_some()).unwrap();
    let missed: Vec<Value> = log[1..reply].to_vec();
    assert!(log[reply + 1..].is_empty(), "the reply is last");
    let seen_by = |events: Vec<Value>| -> Vec<Value> {
        events.into_iter().filter(|event| event["seq"].as_i64().unwrap() > cursor).collect()
    };
    assert_eq!(missed, seen_by(witness.socket.events()), "exactly what a connected tab received");
    assert!(seqs(&missed).is_sorted_by(|a, b| a < b));
    assert_eq!(missed.len(), 41);

    // The connection is subscribed again to the topics that it showed.
    ana.comments(shown, "after").await;
    ben.sees_comment("after").await;
}

#[tokio::test]
async fn c5_a_reconnected_client_that_missed_nothing_gets_one_small_reply() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, mut ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    let post_id = ana.posts("hello").await;
    // Counts of the last second are replayed again, in case they were delayed.
    server.later(10_000);
    server.publishes_marker().await;
    // The write at the cursor is replayed, in case its last events were lost. This one is not for Ben.
    let vote = json!({ "key": key(), "post_id": post_id, "vote": "positive" });
    let cursor = ana.asks("votes.set", vote).await["seq"].as_i64().unwrap();
    ben.reconnects().await;
    let hello = ben.socket.hello().await;
    let posts: Vec<i64> = (0..100).chain([post_id]).collect();
    assert_eq!(
        ben.asks("live.resume", resume(&hello, cursor, &posts, &[ana.id])).await["resync"],
        json!(false)
    );
    let bytes = ben.socket.bytes();
    assert_eq!(bytes.len(), 2, "hello and the reply");
    assert!(bytes[1].len() < 256, "{} bytes", bytes[1].len());
}

#[tokio::test]
async fn lv2_an_unknown_cursor_is_answered_with_resync() {
    let mut server = TestServer::new().await;
    let [ana, mut ben] = server.people(["Ana", "Ben"]).await;
    let post_id = ana.posts("hello").await;
    let hello = ben.socket.hello().await;
    let head = server.publishes_marker().await;
    ben.is_up_to_date(&server).await;
    let other_epoch = json!({ "epoch": "0".repeat(32), "seq": head, "posts": [post_id], "profiles": [] });
    for (what, fields) in [
        ("another epoch", other_epoch),
        ("the future", resume(&hello, head + 1_000, &[post_id], &[])),
        ("the far future", resume(&hello, (1 << 53) - 1, &[post_id], &[])),
    ] {
        let ok = ben.asks("live.resume", fields).await;
        assert_eq!(ok["resync"], json!(true), "{what}");
        assert!(ok["seq"].as_i64().unwrap() >= head, "its seq is the cursor from here on");
    }
    ben.receives_nothing(&server).await;
    // The subscriptions begin nevertheless.
    ana.comments(post_id, "now").await;
    ben.sees_comment("now").await;

    // After a restart the event log is empty.
    ana.posts("before the restart").await;
    server.restarts().await;
    ben.reconnects().await;
    let hello = ben.socket.hello().await;
    assert_eq!(ben.asks("live.resume", resume(&hello, head - 1, &[], &[])).await["resync"], json!(true));
    let now = hello["seq"].as_i64().unwrap();
    assert_eq!(
        ben.asks("live.resume", resume(&hello, now, &[], &[])).await["resync"],
        json!(false),
        "nothing was missed"
    );
}

#[tokio::test]
async fn a_client_that_missed_too_many_events_gets_resync() {
    let server = TestServer::new().await;
    let [ana, mut ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    let head = ben.is_up_to_date(&server).await;
    assert_eq!(head.len(), 2, "the follow, which was his first step");
    let cursor = ben.asks("live.probe", json!({})).await["seq"].as_i64().unwrap();
    for number in 0..129 {
        ana.posts(&format!("p{number}")).await;
    }
    ben.reconnects().await;
    let hello = ben.socket.hello().await;
    assert_eq!(ben.asks("live.resume", resume(&hello, cursor, &[], &[])).await["resync"], json!(true));
    // The write at the cursor is replayed too, so there are too many events.
    assert_eq!(ben.asks("live.resume", resume(&hello, cursor + 1, &[], &[])).await["resync"], json!(true));
    assert_eq!(ben.asks("live.resume", resume(&hello, cursor + 2, &[], &[])).await["resync"], json!(false));
    assert_eq!(ben.socket.events().len(), 128);
}

#[tokio::test]
async fn resuming_more_topics_than_the_limit_is_refused() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let hello = ana.socket.hello().await;
    let many: Vec<i64> = (1..=321).collect();
    ana.is_refused("bad_request", "live.resume", resume(&hello, 0, &many, &[])).await;
    ana.is_refused("bad_request", "live.resume", resume(&hello, 0, &[], &many[..17])).await;
    ana.asks("live.resume", resume(&hello, 0, &many[..320], &many[..16])).await;
}

#[tokio::test]
async fn l6_a_connection_receives_topics_it_shows_until_it_leaves_them() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let (first, second) = (ana.posts("first").await, ana.posts("second").await);
    ben.reads_posts_of(&ana).await;
    ben.asks("live.leave", json!({ "posts": [first, 7], "profiles": [7] })).await;
    ana.comments(first, "unheard").await;
    ana.comments(second, "heard").await;
    let received = ben.receives_only(&server, &["comments.created"]).await;
    assert_eq!(received[0]["comment"]["text"], "heard");
}

#[tokio::test]
async fn l6_the_oldest_subscription_is_dropped_at_the_limit() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let first = ana.posts("first").await;
    let second = ana.posts("second").await;
    ben.opens(first).await;
    ben.opens(second).await;
    let others: Vec<i64> = (1..=319).collect();
    let hello = ben.socket.hello().await;
    ben.asks(
        "live.resume",
        json!({ "epoch": hello["epoch"], "seq": hello["seq"], "posts": others, "profiles": [] }),
    )
    .await;
    ben.is_up_to_date(&server).await;
    ana.comments(first, "unheard").await;
    ana.comments(second, "heard").await;
    let received = ben.receives_only(&server, &["comments.created"]).await;
    assert_eq!(received[0]["comment"]["text"], "heard");
}

#[tokio::test]
async fn c3_a_write_during_a_read_is_in_the_page_or_its_event_follows() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    ben.follows(&ana).await;
    let post_id = ana.posts("hello").await;
    for round in 0..40 {
        let tab = ben.opens_another_tab().await;
        let fields = json!({ "key": key(), "post_id": post_id, "text": format!("c{round}"), "audience": { "type": "public" } });
        let written = cleo.socket.sends("comments.create", fields).await;
        let read = tab.socket.sends("comments.page", json!({ "post_id": post_id, "after": null })).await;
        let thread = tab.socket.reply_to(read).await.unwrap();
        let made = cleo.socket.reply_to(written).await.unwrap();
        tab.is_up_to_date(&server).await;

        let id = &made["comment"]["id"];
        let in_page = thread["comments"].as_array().unwrap().iter().any(|comment| comment["id"] == *id);
        let seq = thread["seq"].as_i64().unwrap();
        let delivered: Vec<i64> = tab
            .socket
            .events()
            .iter()
            .filter(|event| event["comment"]["id"] == *id)
            .map(|event| event["seq"].as_i64().unwrap())
            .filter(|delivered| *delivered > seq)
            .collect();
        assert_eq!(
            usize::from(in_page) + delivered.len(),
            1,
            "round {round}: in the page {in_page}, delivered {delivered:?} after {seq}"
        );
        cleo.deletes_comment(id.as_i64().unwrap()).await;
    }
}

#[tokio::test]
async fn c2_the_order_of_events_is_the_order_of_commits_on_every_socket() {
    let server = TestServer::with(&["workers=2"]).await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let mut listeners = Vec::new();
    for name in ["Dora", "Emil", "Finn", "Gina"] {
        let person = server.person(name).await;
        for who in [&ana, &ben, &cleo] {
            person.follows(who).await;
        }
        person.is_up_to_date(&server).await;
        listeners.push(person);
    }
    let mut sent = Vec::new();
    for number in 0..25 {
        for who in [&ana, &ben, &cleo] {
            sent.push((who, who.socket.sends("posts.create", post(&format!("{} {number}", who.name))).await));
        }
    }
    for (who, id) in sent {
        who.socket.reply_to(id).await.unwrap();
    }
    let mut all = Vec::new();
    for listener in &listeners {
        let received = listener.is_up_to_date(&server).await;
        assert_eq!(received.len(), 75);
        assert!(seqs(&received).is_sorted_by(|a, b| a < b));
        all.push(received);
    }
    assert!(all.iter().all(|received| *received == all[0]));
    for who in ["Ana", "Ben", "Cleo"] {
        let own: Vec<&str> = all[0]
            .iter()
            .filter_map(|event| event["post"]["text"].as_str())
            .filter(|text| text.starts_with(who))
            .collect();
        let written: Vec<String> = (0..25).map(|number| format!("{who} {number}")).collect();
        assert_eq!(own, written, "one person's posts are in the order they were sent");
    }
}

#[tokio::test]
async fn lv8_a_stopping_server_closes_all_connections_and_keeps_what_it_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = Child::starts(folder.path(), &[]);
    let ana = Person::signs_up(child.at, "Ana").await;
    let mut others = Vec::new();
    for number in 0..20 {
        others.push(Person::signs_up(child.at, &format!("person {number}")).await);
    }
    let guest = Socket::open(child.at, None).await;
    let mut deaf = Raw::open(child.at, Some(&ana.cookie)).await;
    // The server is under load: everybody has an unanswered request.
    let mut sent = Vec::new();
    for (number, person) in others.iter().enumerate() {
        for at in 0..10 {
            sent.push((person, person.socket.sends("posts.create", post(&format!("{number} {at}"))).await));
        }
    }
    ana.posts("acknowledged").await;
    child.is_asked_to_stop();
    let (status, took) = child.ends().await;
    assert!(status.success(), "{status}");
    assert!(took.as_secs() < 5, "it took {took:?}");
    for socket in others.iter().map(|person| &person.socket).chain([&ana.socket, &guest]) {
        assert_eq!(socket.close_code().await, 1012);
    }
    assert_eq!(deaf.close_code().await, Some(1012));

    assert!(!folder.path().join("mellow.db-wal").exists(), "the log was merged into the database");

    let acknowledged: Vec<i64> = sent
        .iter()
        .filter_map(|(person, id)| {
            let log = person.socket.log();
            let reply = log.iter().find(|message| message.get("re") == Some(&json!(id)))?;
            reply["ok"]["post"]["id"].as_i64()
        })
        .collect();
    let database = rusqlite::Connection::open(folder.path().join("mellow.db")).unwrap();
    for id in &acknowledged {
        let there: bool = database
            .query_row("select exists (select 1 from posts where id = ?1)", [id], |row| row.get(0))
            .unwrap();
        assert!(there, "post {id} was acknowledged and is missing");
    }

    let again = Child::starts(folder.path(), &[]);
    let ana = Person::logs_in(again.at, &ana.email).await;
    assert_eq!(ana.feed_texts().await, ["acknowledged"]);
}

#[tokio::test]
async fn lv3_a_socket_that_reads_nothing_does_not_delay_the_stop() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = Child::starts(folder.path(), &[]);
    let ana = Person::signs_up(child.at, "Ana").await;
    let mut deaf = Raw::open_with(child.at, Some(&ana.cookie), Some(4_096)).await;
    // The client requests much and reads no reply.
    for _ in 0..10 {
        ana.posts(&"long ".repeat(400)).await;
    }
    for id in 1..=200 {
        deaf.sends_binary(&pack(&request(id, "posts.feed", &json!({})))).await;
    }
    child.is_asked_to_stop();
    let (status, took) = child.ends().await;
    assert!(status.success() && took.as_secs() < 5, "{status} after {took:?}");
}

#[tokio::test]
async fn a_program_that_cannot_start_says_why_in_one_line() {
    let server = TestServer::new().await;
    let folder = tempfile::tempdir().unwrap();
    let run =
        |arguments: &[&str]| crate::support::child::program(folder.path()).args(arguments).output().unwrap();
    let taken = run(&["--listen", &server.at.to_string()]);
    let stderr = String::from_utf8(taken.stderr).unwrap();
    assert_eq!((taken.status.code(), stderr.lines().count()), (Some(1), 1), "{stderr}");
    assert!(stderr.contains("is taken by another program"), "{stderr}");

    std::fs::write(folder.path().join("file"), "").unwrap();
    let unwritable = run(&["--listen", "127.0.0.1:0", "--data", "file/in/it"]);
    let stderr = String::from_utf8(unwritable.stderr).unwrap();
    assert!(unwritable.status.code() == Some(1) && stderr.contains("cannot be written"), "{stderr}");

    let wrong = run(&["--posts-per-day", "many"]);
    let stderr = String::from_utf8(wrong.stderr).unwrap();
    assert!(wrong.status.code() == Some(2) && stderr.contains("posts_per_day"), "{stderr}");

    std::fs::create_dir(folder.path().join("broken")).unwrap();
    std::fs::write(folder.path().join("broken/mellow.db"), "this is no database, and never was one").unwrap();
    let broken = run(&["--listen", "127.0.0.1:0", "--data", "broken"]);
    let stderr = String::from_utf8(broken.stderr).unwrap();
    assert!(broken.status.code() == Some(1) && stderr.contains("mellow.db"), "{stderr}");
}

#[tokio::test]
async fn a_database_of_a_newer_mellow_is_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = Child::starts(folder.path(), &[]);
    child.is_asked_to_stop();
    child.ends().await;
    let database = rusqlite::Connection::open(folder.path().join("mellow.db")).unwrap();
    let newer = "insert into _sqlx_migrations (version, description, success, checksum, execution_time)
                 values (9999, 'from the future', true, x'00', 0)";
    database.execute(newer, []).unwrap();
    drop(database);
    let refused = crate::support::child::program(folder.path())
        .args(["--listen", "127.0.0.1:0", "--data"])
        .arg(folder.path())
        .output()
        .unwrap();
    let stderr = String::from_utf8(refused.stderr).unwrap();
    assert!(refused.status.code() == Some(1) && stderr.contains("newer Mellow"), "{stderr}");
}

#[tokio::test]
async fn lv2_after_a_crash_every_cursor_gets_resync() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = Child::starts(folder.path(), &[]);
    let ana = Person::signs_up(child.at, "Ana").await;
    let seq = ana.asks("posts.create", post("the last word")).await["seq"].as_i64().unwrap();
    let epoch = ana.socket.hello().await["epoch"].clone();
    child.dies();

    let again = Child::starts(folder.path(), &[]);
    let ana = Person::logs_in(again.at, &ana.email).await;
    let hello = ana.opens_another_tab().await.socket.hello().await;
    assert_eq!(hello["epoch"], epoch);
    assert!(hello["seq"].as_i64().unwrap() > seq, "the numbers go on with a gap");
    assert_eq!(ana.asks("live.resume", resume(&hello, seq, &[], &[])).await["resync"], json!(true));
    assert_eq!(ana.feed_texts().await, ["the last word"]);
}

#[tokio::test]
async fn a_second_server_on_the_same_folder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = Child::starts(folder.path(), &[]);
    let second = || {
        crate::support::child::program(folder.path())
            .args(["--listen", "127.0.0.1:0", "--data"])
            .arg(folder.path())
            .output()
            .unwrap()
    };
    let refused = second();
    let stderr = String::from_utf8(refused.stderr).unwrap();
    assert!(refused.status.code() == Some(1) && stderr.contains("another Mellow is using"), "{stderr}");
    // A sudden end leaves no lock behind.
    child.dies();
    Child::starts(folder.path(), &[]);
}

#[tokio::test]
async fn a_group_has_an_actor_while_a_member_is_connected() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let look = server.look();
    look.execute("insert into groups (id, owner_id, name, created_at_ms) values (7, ?1, 'Tea', 0)", [ana.id])
        .unwrap();
    look.execute("insert into members (group_id, user_id, id) values (7, ?1, 8)", [ben.id]).unwrap();
    // The test wrote the group directly to the database while they were connected. The server does not know it yet.
    for person in [&ana, &ben, &cleo] {
        person.socket.send_message(tokio_tungstenite::tungstenite::Message::Close(None)).await;
        person.socket.closed().await;
        // A front says it with its next report.
        let user_id = mellow::ids::UserId(person.id);
        crate::support::wait_until("they are gone", || !server.groups().is_connected(user_id)).await;
    }
    // Waits until so many members are connected.
    let seen = async |count: usize| {
        let group = mellow::ids::GroupId(7);
        let expected = (count > 0).then_some((group, count)).into_iter().collect();
        let waiting = async {
            while server.groups().running() != expected {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(std::time::Duration::from_secs(20), waiting).await.expect("who is here");
    };
    seen(0).await;
    // A user connects by the cookie, or by logging in on an open socket.
    let [bens_tab, bens_phone] = [ben.opens_another_tab().await, ben.logs_in_on_phone().await];
    seen(1).await;
    let anas_phone = ana.logs_in_on_phone().await;
    let cleos_phone = cleo.logs_in_on_phone().await;
    seen(2).await;
    bens_tab.socket.send_message(tokio_tungstenite::tungstenite::Message::Close(None)).await;
    bens_tab.socket.closed().await;
    seen(2).await;
    // Logging out ends the presence, as a disconnect does.
    bens_phone.asks("auth.log_out", json!({})).await;
    seen(1).await;
    // Another user signs in on this socket.
    let fields = json!({ "email": cleos_phone.email, "password": crate::support::person::PASSWORD });
    anas_phone.asks("auth.log_in", fields).await;
    seen(0).await;
}

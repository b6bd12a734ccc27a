//! Logging in with a passkey: challenges, counters, limits, and what a browser may return.

use serde_json::{Value, json};

use super::{adds, answers, begins, is_unknown, logs_in, new};
use crate::admins::host;
use crate::notices::{kinds_and_texts, owned};
use crate::support::authenticator::Authenticator;
use crate::support::person::{PASSWORD, Person};
use crate::support::server::TestServer;
use crate::support::socket::Socket;
use crate::support::value::key;

#[tokio::test]
async fn d_v4_a_challenge_works_once_for_five_minutes_and_not_after_a_restart() {
    let mut server = TestServer::with_manual_clock(&[]).await;
    let mut ana = server.person("Ana").await;
    let mut device = adds(&server, &ana, "Laptop").await;
    let (guest, begun) = begins(&server).await;
    let response = device.uses(&begun);
    answers(&guest, &begun, &response).await.unwrap();
    is_unknown(answers(&server.guest().await, &begun, &response).await);

    let (guest, begun) = begins(&server).await;
    server.later(5 * 60_000);
    let response = device.uses(&begun);
    is_unknown(answers(&guest, &begun, &response).await);

    // The answer to one challenge is none to another.
    let ((_, first), (guest, second)) = (begins(&server).await, begins(&server).await);
    let response = device.uses(&first);
    is_unknown(answers(&guest, &second, &response).await);

    let (_, begun) = begins(&server).await;
    let adding = ana.asks("passkeys.begin_add", new("Phone", PASSWORD)).await;
    server.restarts().await;
    ana.reconnects().await;
    let response = device.uses(&begun);
    is_unknown(answers(&server.guest().await, &begun, &response).await);
    let (_, response) = Authenticator::makes(&adding, &Authenticator::origin_of(&server));
    let fields = json!({ "key": key(), "challenge": adding["challenge"], "response": response });
    ana.is_refused("invalid", "passkeys.finish_add", fields).await;
    logs_in(&server, &mut device).await.expect("a new challenge");
}

#[tokio::test]
async fn d_v4_a_challenge_of_one_user_is_none_of_another() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let mut device = adds(&server, &ana, "Laptop").await;
    let begun = ana.asks("passkeys.begin_add", new("Phone", PASSWORD)).await;
    let (_, response) = Authenticator::makes(&begun, &Authenticator::origin_of(&server));
    let fields = json!({ "key": key(), "challenge": begun["challenge"], "response": response });
    ben.is_refused("invalid", "passkeys.finish_add", fields.clone()).await;
    ana.asks("passkeys.finish_add", fields).await;
    let begun = ana.asks("passkeys.begin_use", json!({})).await;
    let response = device.uses(&begun);
    is_unknown(answers(&server.guest().await, &begun, &response).await);
}

#[tokio::test]
async fn d_v4_a_counter_that_goes_back_is_refused() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let mut device = adds(&server, &ana, "Laptop").await;
    device.counter = 7;
    logs_in(&server, &mut device).await.unwrap();
    for counter in [7, 6, 0] {
        let (guest, begun) = begins(&server).await;
        let response = device.uses_with(&begun, counter);
        is_unknown(answers(&guest, &begun, &response).await);
    }
    logs_in(&server, &mut device).await.expect("the device itself");
}

#[tokio::test]
async fn d_v4_a_device_without_a_counter_logs_in_again_and_again() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let device = adds(&server, &ana, "Shared by her devices").await;
    for _ in 0..2 {
        let (guest, begun) = begins(&server).await;
        let response = device.uses_with(&begun, 0);
        answers(&guest, &begun, &response).await.expect("a log-in");
    }
}

#[tokio::test]
async fn d_v4_the_dialog_of_a_person_takes_only_this_persons_passkey() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let mut device = adds(&server, &ana, "Laptop").await;
    for (user_id, is_hers) in [(ben.id, false), (ana.id, true)] {
        let (guest, begun) = begins(&server).await;
        let response = device.uses(&begun);
        let fields = json!({ "challenge": begun["challenge"], "response": response, "user_id": user_id });
        let reply = guest.asks("auth.log_in_with_passkey", fields).await;
        match is_hers {
            true => assert_eq!(reply.unwrap()["me"]["id"], ana.id),
            false => is_unknown(reply),
        }
    }
}

#[tokio::test]
async fn d_v4_what_a_browser_returns_may_be_anything_and_is_refused() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let mut device = adds(&server, &ana, "Laptop").await;
    let (_, begun) = begins(&server).await;
    let good: Value = serde_json::from_str(&device.uses(&begun)).unwrap();
    let changed = |part: &str, to: Value| {
        let mut changed = good.clone();
        changed["response"][part] = to;
        changed.to_string()
    };
    let odd = [
        String::new(),
        "null".into(),
        "{}".into(),
        "[".repeat(1_000),
        changed("userHandle", json!("AAAAAAAAAAAAAAAAAAAAAA")),
        changed("userHandle", json!("AA")),
        changed("signature", json!("AA")),
        changed("authenticatorData", json!("AA")),
        changed("clientDataJSON", json!("e30")),
    ];
    for response in odd {
        let (guest, begun) = begins(&server).await;
        is_unknown(answers(&guest, &begun, &response).await);
    }
    let guest = server.guest().await;
    for challenge in ["", "x", &*"0".repeat(400)] {
        let fields = json!({ "challenge": challenge, "response": good.to_string() });
        is_unknown(guest.asks("auth.log_in_with_passkey", fields).await);
    }
    logs_in(&server, &mut device).await.expect("nothing broke");
}

#[tokio::test]
async fn d_v4_a_suspended_account_is_refused_with_the_reason() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let mut device = adds(&server, &ana, "Laptop").await;
    host(&server, &["user", "suspend", &ana.email]).await;
    assert_eq!(logs_in(&server, &mut device).await.unwrap_err().code, "suspended");
    host(&server, &["user", "unsuspend", &ana.email]).await;
    logs_in(&server, &mut device).await.expect("it stayed");
}

#[tokio::test]
async fn d_v6_a_log_in_with_a_passkey_from_a_new_browser_is_a_mail_and_a_line_on_the_other_devices() {
    let server = TestServer::with(&["login_notices=on"]).await;
    let ana = server.person("Ana").await;
    let mut device = adds(&server, &ana, "Laptop").await;
    server.mail(1).await;
    logs_in(&server, &mut device).await.expect("a log-in");
    assert_eq!(kinds_and_texts(&ana.socket).await, [("login", "")].map(owned));
    assert_eq!(server.mail(2).await.header("Subject"), "New login to your account");
    // Nobody is told of a browser that logged in before.
    let cookie = format!("mellow-device={}", ana.device);
    let known = Socket::open_with(server.at, None, &[("Cookie", &cookie)]).await;
    let begun = known.asks("auth.begin_passkey", json!({})).await.unwrap();
    let response = device.uses(&begun);
    answers(&known, &begun, &response).await.expect("a log-in");
    assert_eq!(kinds_and_texts(&ana.socket).await.len(), 1);
    server.nothing_waits().await;
    server.mail(2).await;
}

#[tokio::test]
async fn s6_log_ins_with_passkeys_are_limited_for_each_network_address() {
    let server = TestServer::with_manual_clock(&["logins_per_quarter=1"]).await;
    let ana = server.person("Ana").await;
    let mut device = adds(&server, &ana, "Laptop").await;
    // One that works does not count.
    for _ in 0..12 {
        logs_in(&server, &mut device).await.expect("a log-in");
    }
    let guest = server.guest().await;
    for _ in 0..10 {
        guest.asks("auth.begin_passkey", json!({})).await.expect("a challenge");
    }
    let no = guest.asks("auth.begin_passkey", json!({})).await.unwrap_err();
    assert_eq!(no.code, "slow_down");
    let elsewhere = [("X-Forwarded-For", "198.51.100.7")];
    let elsewhere = Socket::open_with(server.at, None, &elsewhere).await;
    elsewhere.asks("auth.begin_passkey", json!({})).await.expect("another address");
    // Passwords have limits of their own.
    Person::logs_in(server.at, &ana.email).await;
}

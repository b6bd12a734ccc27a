//! Guesses at passwords: their limits, and who is not affected by them (S6).

use futures_util::StreamExt;
use serde_json::{Value, json};

use crate::auth::{log_in, refusal, sign_up};
use crate::support::http;
use crate::support::person::{PASSWORD, Person};
use crate::support::server::TestServer;
use crate::support::socket::Socket;
use crate::support::value::key;

#[tokio::test]
async fn s6_guessing_is_slowed_down_for_one_account_and_locks_nobody_out() {
    let server = TestServer::with_manual_clock(&["logins_per_quarter=3"]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let guest = server.guest().await;
    for _ in 0..3 {
        assert_eq!(
            refusal(&guest, "auth.log_in", log_in(&ana.email, "a wrong guess")).await.code,
            "bad_credentials"
        );
    }
    let no = refusal(&guest, "auth.log_in", log_in(&ana.email, PASSWORD)).await;
    assert_eq!((no.code.as_str(), no.retry_ms), ("slow_down", Some(5 * 60_000)));
    // A signed-in user stays signed in, and others can log in.
    ana.posts("still here").await;
    Person::logs_in(server.at, &ben.email).await;
    server.later(5 * 60_000);
    guest.asks("auth.log_in", log_in(&ana.email, PASSWORD)).await.unwrap();
}

/// Connects a guest from this network address.
async fn guest_at(server: &TestServer, address: &str) -> Socket {
    Socket::open_with(server.at, None, &[("X-Forwarded-For", address)]).await
}

#[tokio::test]
async fn s6_guesses_at_one_account_have_a_daily_limit_from_however_many_addresses() {
    let server = TestServer::with_manual_clock(&["guesses_per_day=16", "logins_per_quarter=1"]).await;
    let ana = server.person("Ana").await;
    let (mut guesses, mut number) = (0, 0);
    for _ in 0..24 {
        for _ in 0..4 {
            number += 1;
            let guest = guest_at(&server, &format!("203.0.113.{number}")).await;
            match refusal(&guest, "auth.log_in", log_in(&ana.email, "a wrong guess")).await.code.as_str() {
                "bad_credentials" => guesses += 1,
                code => assert_eq!(code, "slow_down"),
            }
        }
        server.later(3_600_000);
    }
    assert!((8..=16).contains(&guesses), "{guesses} guesses in a day");
}

#[tokio::test]
async fn s6_guesses_from_one_network_are_slowed_down_more_and_more() {
    let server = TestServer::with_manual_clock(&["logins_per_quarter=2"]).await;
    let ana = server.person("Ana").await;
    let guest = guest_at(&server, "203.0.113.9").await;
    let mut waits = Vec::new();
    for _ in 0..18 {
        let no = refusal(&guest, "auth.log_in", log_in(&ana.email, "a wrong guess")).await;
        if let Some(wait_ms) = no.retry_ms {
            waits.push(wait_ms);
            server.later(i64::try_from(wait_ms).unwrap());
        }
    }
    assert!(waits.is_sorted() && waits.last() > waits.first(), "{waits:?}");
    // Another address of the same network guesses at the same account.
    for (first, second) in [("2001:db8:1:1::1", "2001:db8:1:1::2"), ("2001:db8:1:3::1", "2001:db8:1:4::1")] {
        let server = TestServer::with_manual_clock(&["logins_per_quarter=1"]).await;
        let ben = server.person("Ben").await;
        let first = guest_at(&server, first).await;
        refusal(&first, "auth.log_in", log_in(&ben.email, "a wrong guess")).await;
        let no = refusal(&guest_at(&server, second).await, "auth.log_in", log_in(&ben.email, PASSWORD)).await;
        assert_eq!(no.code, "slow_down");
    }
}

#[tokio::test]
async fn s6_ben_logs_in_though_others_at_his_address_guess_at_their_accounts() {
    let server = TestServer::with_manual_clock(&["logins_per_quarter=2"]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let guest = server.guest().await;
    for number in 0..19 {
        let email = format!("nobody{number}@people.example.org");
        assert_eq!(refusal(&guest, "auth.log_in", log_in(&email, PASSWORD)).await.code, "no_such_user");
    }
    let guest = server.guest().await;
    refusal(&guest, "auth.log_in", log_in(&ana.email, "a wrong guess")).await;
    guest.asks("auth.log_in", log_in(&ben.email, PASSWORD)).await.unwrap();
}

/// Exchanges the ticket of a sign-in, and returns the cookie of the device.
async fn device_of(server: &TestServer, signed_in: &Value) -> String {
    let origin = format!("http://{}", server.at);
    let headers = [("Origin", origin.as_str()), ("Content-Type", "text/plain")];
    let ticket = signed_in["ticket"].as_str().unwrap();
    let taken = http::ask(server.at, "POST", "/session", &headers, ticket).await;
    let cookies = taken.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("set-cookie"));
    let mut pairs = cookies.map(|(_, value)| value.split(';').next().unwrap());
    pairs.find(|pair| pair.starts_with("mellow-device=")).expect("a cookie of the device").to_owned()
}

#[tokio::test]
async fn s6_ana_logs_in_again_on_her_own_device_whatever_strangers_guess() {
    let server = TestServer::with_manual_clock(&["logins_per_quarter=2", "guesses_per_day=16"]).await;
    let guest = server.guest().await;
    let ok = guest.asks("auth.sign_up", sign_up("ana@example.org", PASSWORD, None)).await.unwrap();
    let device = device_of(&server, &ok).await;
    let device = &device.as_str();
    guest.asks("auth.log_out", json!({})).await.unwrap();

    let stranger = server.guest().await;
    for _ in 0..2 {
        refusal(&stranger, "auth.log_in", log_in("ana@example.org", "a wrong guess")).await;
    }
    for number in 0..20 {
        let guest = guest_at(&server, &format!("203.0.113.{number}")).await;
        refusal(&guest, "auth.log_in", log_in("ana@example.org", "a wrong guess")).await;
    }
    assert_eq!(
        refusal(&stranger, "auth.log_in", log_in("ana@example.org", PASSWORD)).await.code,
        "slow_down"
    );
    let known = Socket::open_with(server.at, None, &[("Cookie", *device)]).await;
    known.asks("auth.log_in", log_in("ana@example.org", PASSWORD)).await.unwrap();
    // The device cookie is no login, and is valid for one account only.
    let known = Socket::open_with(server.at, None, &[("Cookie", *device)]).await;
    assert_eq!(known.hello().await["me"], Value::Null);
    let ben = server.person("Ben").await;
    for _ in 0..2 {
        refusal(&stranger, "auth.log_in", log_in(&ben.email, "a wrong guess")).await;
    }
    assert_eq!(refusal(&known, "auth.log_in", log_in(&ben.email, PASSWORD)).await.code, "slow_down");
}

/// Tries `many` made-up addresses from one network address, some with a password that is too long. Returns how many
/// were answered with anything but `slow_down`.
async fn tries_made_up_addresses(server: &TestServer, from: &str, many: usize) -> usize {
    /// A guest may send 20 messages.
    const OF_SOCKET: usize = 20;
    let numbers: Vec<usize> = (0..many).collect();
    let sockets = numbers.chunks(OF_SOCKET).map(|numbers| async move {
        let guest = guest_at(server, from).await;
        let mut ids = Vec::new();
        for number in numbers {
            let password = if number % 2 == 0 { "a wrong guess".to_owned() } else { "x".repeat(129) };
            let fields = log_in(&format!("nobody{number}@people.example.org"), &password);
            ids.push(guest.sends("auth.log_in", fields).await);
        }
        let mut answered = 0;
        for id in ids {
            let code = guest.reply_to(id).await.expect_err("a refusal").code;
            answered += usize::from(code != "slow_down" && code != "busy");
        }
        answered
    });
    futures_util::stream::iter(sockets).buffer_unordered(20).fold(0, async |all, some| all + some).await
}

#[tokio::test]
async fn s6_a_signed_in_user_uses_her_password_whatever_others_guess_at_her_address_and_at_her_browser() {
    let server = TestServer::with_manual_clock(&["logins_per_quarter=10", "guesses_per_day=200"]).await;
    let ana = server.person("Ana").await;
    // A browser at which she logged in once, and which others use too.
    let guest = server.guest().await;
    let ok = guest.asks("auth.log_in", log_in(&ana.email, PASSWORD)).await.unwrap();
    let device = device_of(&server, &ok).await;
    let shared = Socket::open_with(server.at, None, &[("Cookie", &device)]).await;
    for socket in [server.guest().await, shared] {
        for _ in 0..10 {
            let no = refusal(&socket, "auth.log_in", log_in(&ana.email, "a wrong guess")).await;
            assert_eq!(no.code, "bad_credentials");
        }
        let no = refusal(&socket, "auth.log_in", log_in(&ana.email, "a wrong guess")).await;
        assert_eq!(no.code, "slow_down");
    }
    tries_made_up_addresses(&server, "127.0.0.1", 500).await;

    let fields = json!({ "key": key(), "email": "new@example.net", "password": PASSWORD });
    ana.asks("auth.change_email", fields).await;
    ana.deletes_account().await;
}

#[tokio::test]
async fn s6_a_flood_of_made_up_addresses_from_one_network_does_not_reopen_the_guesses_at_an_account() {
    // The first flood is larger than a limiter. One is enough: in a debug build it takes seconds.
    for (hides, many) in [("false", 58_500), ("true", 1_500)] {
        let hides = format!("login_hides_accounts={hides}");
        let server =
            TestServer::with_manual_clock(&["logins_per_quarter=10", "guesses_per_day=200", &hides]).await;
        let [ana, ben] = server.people(["Ana", "Ben"]).await;
        let guess = async |from: &str| {
            refusal(&guest_at(&server, from).await, "auth.log_in", log_in(&ana.email, "a wrong guess")).await
        };
        let mut guesses = 0;
        for number in 0..100 {
            guesses += usize::from(guess(&format!("203.0.113.{number}")).await.code == "bad_credentials");
        }
        assert_eq!(guesses, 75);

        let answered = tries_made_up_addresses(&server, "198.51.100.1", many).await;

        for number in 100..110 {
            assert_eq!(guess(&format!("203.0.113.{number}")).await.code, "slow_down", "{hides}");
        }
        // One network tests no more addresses for accounts than its limit and that of its first tries allow.
        assert!((100..=400).contains(&answered), "{answered} addresses were tested");
        // Others are not affected, at another address or signed in.
        guest_at(&server, "198.51.100.2")
            .await
            .asks("auth.log_in", log_in(&ben.email, PASSWORD))
            .await
            .unwrap();
        ana.deletes_account().await;
    }
}

#[tokio::test]
async fn s6_a_device_that_claims_to_be_known_gets_no_more_guesses_than_a_stranger() {
    let server = TestServer::with_manual_clock(&["logins_per_quarter=1"]).await;
    let ana = server.person("Ana").await;
    let mut answered = 0;
    for number in 0..20 {
        let cookie = format!("mellow-device={number:064}");
        let headers = [("Cookie", cookie.as_str()), ("X-Forwarded-For", "198.51.100.1")];
        let guest = Socket::open_with(server.at, None, &headers).await;
        let no = refusal(&guest, "auth.log_in", log_in(&ana.email, "a wrong guess")).await;
        answered += usize::from(no.code != "slow_down");
    }
    assert_eq!(answered, 1);
}

#[tokio::test]
async fn s6_a_crowd_at_one_address_logs_in_after_its_limit() {
    let server = TestServer::with_manual_clock(&["logins_per_quarter=1"]).await;
    let ana = server.person("Ana").await;
    for _ in 0..10 {
        Person::logs_in(server.at, &ana.email).await;
    }
    // The limit of the address is used up. Right passwords take nothing from the tries of others.
    for number in 0..40 {
        let person = server.person(&format!("Guest {number}")).await;
        Person::logs_in(server.at, &person.email).await;
    }
}

#[tokio::test]
async fn a_right_password_does_not_count_for_the_rate_limit() {
    let server = TestServer::with_manual_clock(&["logins_per_quarter=2"]).await;
    let ana = server.person("Ana").await;
    for _ in 0..5 {
        Person::logs_in(server.at, &ana.email).await;
    }
}

#[tokio::test]
async fn each_log_in_costs_its_address_one_attempt() {
    let server = TestServer::with_manual_clock(&["logins_per_quarter=1"]).await;
    let ana = server.person("Ana").await;
    // The limit of the address is ten. After that the limit of her account at this address is three.
    for _ in 0..13 {
        Person::logs_in(server.at, &ana.email).await;
    }
    let guest = server.guest().await;
    let no = refusal(&guest, "auth.log_in", log_in(&ana.email, PASSWORD)).await;
    assert_eq!((no.code.as_str(), no.retry_ms), ("slow_down", Some(90_000)));
}

//! Signing up, logging in and logging out.

pub mod access;

use serde_json::{Value, json};

use crate::support::http;
use crate::support::person::{PASSWORD, Person, cookie_for, post};
use crate::support::server::TestServer;
use crate::support::socket::{Refused, Socket};
use crate::support::uploads::files_below;
use crate::support::value::key;

pub fn sign_up(email: &str, password: &str, name: Option<&str>) -> Value {
    json!({ "key": key(), "email": email, "password": password, "name": name })
}

pub fn log_in(email: &str, password: &str) -> Value {
    json!({ "email": email, "password": password })
}

pub async fn refusal(guest: &Socket, op: &str, fields: Value) -> Refused {
    guest.asks(op, fields).await.expect_err("a refusal")
}

#[tokio::test]
async fn ana_signs_up_and_another_tab_is_signed_in_too() {
    let server = TestServer::new().await;
    let guest = server.guest().await;
    let hello = guest.hello().await;
    assert_eq!((&hello["me"], &hello["login"]), (&Value::Null, &json!("none")));

    let ok = guest.asks("auth.sign_up", sign_up("Ana@Example.org", PASSWORD, Some("Ana"))).await.unwrap();

    let me = json!({
        "id": ok["me"]["id"], "name": "Ana", "photo_url": null, "email": "Ana@Example.org", "pending_email": null,
        "hide_numbers": false, "listed": true, "has_unread": false, "inviter": null, "is_admin": false,
        "has_reports": false, "adders": "followers", "commenters": "everyone", "language": null,
        "shown_language": null, "quiet_hours": null, "quiet_until_ms": null,
        "first_steps":
            { "has_photo": false, "has_followed": false, "has_invited": false, "has_answered": false },
    });
    assert_eq!(ok, json!({ "ticket": ok["ticket"], "me": me }));
    guest.asks("posts.create", post("the socket is hers at once")).await.unwrap();
    let cookie = cookie_for(server.at, ok["ticket"].as_str().unwrap()).await.expect("a cookie");
    let tab = Socket::open(server.at, Some(&cookie)).await;
    let hello = tab.hello().await;
    assert_eq!((&hello["me"], &hello["login"]), (&me, &json!("live")));
    assert!(hello.get("ticket").is_none());
}

#[tokio::test]
async fn a_name_left_blank_is_the_part_before_the_at() {
    let server = TestServer::new().await;
    for (email, name, expected) in [
        ("one.two@example.org", None, "one.two"),
        ("three@example.org", Some("  "), "three"),
        ("four@example.org", Some(" Zoë  🌿 "), "Zoë 🌿"),
    ] {
        let ok = server.guest().await.asks("auth.sign_up", sign_up(email, PASSWORD, name)).await.unwrap();
        assert_eq!(ok["me"]["name"], expected);
    }
}

#[tokio::test]
async fn an_invalid_sign_up_is_refused_with_the_specified_sentence() {
    let server = TestServer::new().await;
    server.person("Ana").await;
    for (email, password, name, code, field, message) in [
        ("ana", PASSWORD, None, "invalid", "email", "Please enter a valid email address."),
        (
            "ANA@people.example.ORG",
            PASSWORD,
            None,
            "email_taken",
            "email",
            "This email is already in use. Please use a different email.",
        ),
        ("b@example.org", "short", None, "weak_password", "password", "Please use at least 10 characters."),
        (
            "b@example.org",
            &"xy".repeat(65),
            None,
            "weak_password",
            "password",
            "Please use at most 128 characters.",
        ),
        (
            "b@example.org",
            "Password123",
            None,
            "weak_password",
            "password",
            "That password is too easy to guess.",
        ),
        (
            "bb@example.org",
            "BB@example.org",
            None,
            "weak_password",
            "password",
            "That password is too easy to guess.",
        ),
        (
            "b@example.org",
            PASSWORD,
            Some(&*"a".repeat(51)),
            "invalid",
            "name",
            "This is longer than 50 characters. Your words are kept.",
        ),
        (
            "b@example.org",
            PASSWORD,
            Some("a\u{202E}b"),
            "invalid",
            "name",
            "This name has characters that can't be shown.",
        ),
    ] {
        let guest = server.guest().await;
        let no = refusal(&guest, "auth.sign_up", sign_up(email, password, name)).await;
        assert_eq!(
            (no.code.as_str(), no.field.as_deref(), no.message.as_str()),
            (code, Some(field), message)
        );
        assert_eq!(no.retry_ms, None);
    }
    let users: i64 = server.look().query_row("select count(*) from users", [], |row| row.get(0)).unwrap();
    assert_eq!(users, 1);
}

#[tokio::test]
async fn a_host_may_close_sign_up() {
    let server = TestServer::with(&["signup=closed"]).await;
    let guest = server.guest().await;
    let no = refusal(&guest, "auth.sign_up", sign_up("b@example.org", PASSWORD, None)).await;
    assert_eq!(no.code, "sign_up_closed");
    assert_eq!(no.message, "This Mellow isn't open to new people right now.");
}

#[tokio::test]
async fn a_refused_log_in_has_the_specified_sentence() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let guest = server.guest().await;
    for email in ["nobody@example.org", "not an address"] {
        let no = refusal(&guest, "auth.log_in", log_in(email, PASSWORD)).await;
        assert_eq!(
            (no.code.as_str(), no.field.as_deref(), no.message.as_str()),
            ("no_such_user", Some("email"), "No user found with this email.")
        );
    }
    for password in ["another password", "", &"x".repeat(129)] {
        let no = refusal(&guest, "auth.log_in", log_in(&ana.email, password)).await;
        assert_eq!(
            (no.code.as_str(), no.field.as_deref(), no.message.as_str()),
            ("bad_credentials", Some("password"), "Incorrect email or password. Please try again.")
        );
    }
    let ok = guest.asks("auth.log_in", log_in(" ANA@people.example.org ", PASSWORD)).await.unwrap();
    assert_eq!(ok["me"], ana.me());
    guest.asks("posts.feed", json!({})).await.unwrap();
}

#[tokio::test]
async fn a_password_is_right_on_every_keyboard_and_a_wrong_one_is_one_guess() {
    let server = TestServer::with_manual_clock(&["logins_per_quarter=3"]).await;
    // The same letters, composed by one keyboard and typed apart by another.
    let (composed, apart) = ("Ti\u{1ebf}ng Vi\u{1ec7}t", "Tie\u{302}\u{301}ng Vie\u{323}\u{302}t");
    let guest = server.guest().await;
    for (email, password) in [("a@example.org", composed), ("b@example.org", apart)] {
        server.guest().await.asks("auth.sign_up", sign_up(email, password, None)).await.unwrap();
        for typed in [composed, apart] {
            guest.asks("auth.log_in", log_in(email, typed)).await.unwrap();
        }
    }
    for _ in 0..3 {
        let no = refusal(&guest, "auth.log_in", log_in("a@example.org", "tie\u{302}\u{301}ng khác")).await;
        assert_eq!(no.code, "bad_credentials");
    }
    assert_eq!(refusal(&guest, "auth.log_in", log_in("a@example.org", apart)).await.code, "slow_down");
}

#[tokio::test]
async fn a_host_may_hide_whether_an_address_has_an_account() {
    let server = TestServer::with(&["login_hides_accounts=true"]).await;
    let ana = server.person("Ana").await;
    let guest = server.guest().await;
    let wrong = refusal(&guest, "auth.log_in", log_in(&ana.email, "another password")).await;
    for email in ["nobody@example.org", "not an address"] {
        assert_eq!(refusal(&guest, "auth.log_in", log_in(email, "another password")).await, wrong);
    }
    assert_eq!(wrong.code, "bad_credentials");
}

#[tokio::test]
async fn sign_ups_from_one_address_have_an_hourly_limit() {
    let server = TestServer::with_manual_clock(&["sign_ups_per_hour=2"]).await;
    let guest = server.guest().await;
    // A refused sign-up does not count.
    refusal(&guest, "auth.sign_up", sign_up("ana", PASSWORD, None)).await;
    for email in ["a@example.org", "b@example.org"] {
        server.guest().await.asks("auth.sign_up", sign_up(email, PASSWORD, None)).await.unwrap();
    }
    let no = refusal(&guest, "auth.sign_up", sign_up("c@example.org", PASSWORD, None)).await;
    assert_eq!((no.code.as_str(), no.retry_ms), ("slow_down", Some(1_800_000)));
    server.later(1_800_000);
    guest.asks("auth.sign_up", sign_up("c@example.org", PASSWORD, None)).await.unwrap();
}

#[tokio::test]
async fn s12_a_ticket_becomes_a_cookie_once_and_not_after_thirty_seconds() {
    let server = TestServer::with_manual_clock(&[]).await;
    let guest = server.guest().await;
    let ok = guest.asks("auth.sign_up", sign_up("a@example.org", PASSWORD, None)).await.unwrap();
    let ticket = ok["ticket"].as_str().unwrap();
    let origin = format!("http://{}", server.at);
    let headers = [("Origin", origin.as_str()), ("Content-Type", "text/plain")];
    let response = http::ask(server.at, "POST", "/session", &headers, ticket).await;
    assert_eq!(response.status, 204);
    let cookie = response.header("Set-Cookie").unwrap();
    for part in ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=15552000"] {
        assert!(cookie.contains(part), "{cookie} lacks {part}");
    }
    assert!(!cookie.contains("Secure"), "this host has no TLS: {cookie}");
    assert_eq!(cookie_for(server.at, ticket).await, None, "a ticket works once");

    let ok = guest.asks("auth.log_in", log_in("a@example.org", PASSWORD)).await.unwrap();
    server.later(30_000);
    assert_eq!(cookie_for(server.at, ok["ticket"].as_str().unwrap()).await, None, "it is too old");
    assert_eq!(cookie_for(server.at, "").await, None);
}

#[tokio::test]
async fn credentials_are_stored_only_as_hashes() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let (hash, token): (String, Vec<u8>) = server
        .look()
        .query_row(
            "select password_hash, token_hash from users join logins on user_id = users.id",
            [],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .unwrap();
    assert!(hash.starts_with("$argon2id$v=19$m=64,t=2,p=1$"), "{hash}");
    assert_eq!(token.len(), 32);
    for file in files_below(server.folder()) {
        let bytes = std::fs::read(server.folder().join(file)).unwrap();
        for secret in [PASSWORD.as_bytes(), ana.cookie.as_bytes()] {
            assert!(!bytes.windows(secret.len()).any(|window| window == secret));
        }
    }
}

#[tokio::test]
async fn a_host_with_tls_gets_a_secure_cookie() {
    let server = TestServer::with(&["public_url=https://mellow.example.org"]).await;
    let headers = [("Host", "mellow.example.org"), ("Origin", "https://mellow.example.org")];
    let response = http::ask(server.at, "POST", "/session/end", &headers, "").await;
    assert_eq!(response.status, 204);
    let cookie = response.header("Set-Cookie").unwrap();
    assert!(cookie.starts_with("__Host-mellow=;") && cookie.contains("Secure"), "{cookie}");
}

/// Returns the values of all `Set-Cookie` headers.
fn set_cookies(response: &http::Response) -> Vec<&str> {
    let headers = response.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("set-cookie"));
    headers.map(|(_, value)| value.as_str()).collect()
}

#[tokio::test]
async fn a_ticket_also_becomes_a_cookie_that_says_who_logged_in_and_that_scripts_can_delete() {
    let server = TestServer::new().await;
    let guest = server.guest().await;
    let ok = guest.asks("auth.sign_up", sign_up("a@example.org", PASSWORD, None)).await.unwrap();
    let origin = format!("http://{}", server.at);
    let headers = [("Origin", origin.as_str())];
    let response = http::ask(server.at, "POST", "/session", &headers, ok["ticket"].as_str().unwrap()).await;
    let cookies = set_cookies(&response);
    let named = format!("mellow-user={};", ok["me"]["id"]);
    let user = cookies.iter().find(|cookie| cookie.starts_with(&named)).expect("a cookie of the user");
    assert!(user.contains("SameSite=Strict") && user.contains("Max-Age=15552000"), "{user}");
    assert!(!user.contains("HttpOnly"), "{user}");
    let login = cookies.iter().find(|cookie| cookie.starts_with("mellow=")).expect("a cookie of the login");
    assert!(login.contains("HttpOnly"), "{login}");
}

#[tokio::test]
async fn s3_a_page_that_logged_out_without_a_network_opens_its_sockets_as_a_guest() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let login = format!("mellow={}", ana.cookie);
    let offers = ("Sec-WebSocket-Protocol", "mellow.1, guest");
    let hello = Socket::open_with(server.at, None, &[("Cookie", &login), offers]).await.hello().await;
    assert_eq!((&hello["me"], &hello["login"]), (&Value::Null, &json!("none")));
    let hello = Socket::open_with(server.at, None, &[("Cookie", &login)]).await.hello().await;
    assert_eq!(hello["login"], "live", "a client may send the cookie of the login alone");
}

#[tokio::test]
async fn s3_a_page_that_logged_out_without_a_network_ends_its_login_later_by_http() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let (tab, phone) = (ana.opens_another_tab().await, ana.logs_in_on_phone().await);
    let (origin, login) = (format!("http://{}", server.at), format!("mellow={}", ana.cookie));
    let headers = [("Origin", origin.as_str()), ("Cookie", login.as_str())];
    for _ in 0..2 {
        let response = http::ask(server.at, "POST", "/session/end", &headers, "").await;
        assert_eq!(response.status, 204, "again, too");
        for name in ["mellow=;", "mellow-user=;"] {
            let cookies = set_cookies(&response);
            let gone = cookies.iter().find(|cookie| cookie.starts_with(name)).expect("a removal");
            assert!(gone.contains("Max-Age=0"), "{gone}");
        }
    }
    for tab in [&ana, &tab] {
        assert_eq!(tab.socket.close_code().await, 4001);
    }
    phone.posts("still here").await;
    let hello = Socket::open(server.at, Some(&ana.cookie)).await.hello().await;
    assert_eq!(hello["login"], "ended");
}

#[tokio::test]
async fn a_log_out_that_cannot_be_written_now_keeps_the_cookies_so_that_the_browser_tries_again() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let (origin, login) = (format!("http://{}", server.at), format!("mellow={}", ana.cookie));
    let headers = [("Origin", origin.as_str()), ("Cookie", login.as_str())];
    let refuses = "create trigger refuses before delete on logins begin select raise(abort, 'not now'); end";
    server.look().execute_batch(refuses).unwrap();
    let refused = http::ask(server.at, "POST", "/session/end", &headers, "").await;
    assert_eq!((refused.status, set_cookies(&refused).len()), (503, 0));
    server.look().execute_batch("drop trigger refuses").unwrap();
    assert_eq!(http::ask(server.at, "POST", "/session/end", &headers, "").await.status, 204);
    assert_eq!(ana.socket.close_code().await, 4001);
}

#[tokio::test]
async fn ana_logs_out_and_every_tab_of_that_browser_closes_but_her_phone_stays() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let mut tabs = Vec::new();
    for _ in 0..4 {
        tabs.push(ana.opens_another_tab().await);
    }
    let phone = ana.logs_in_on_phone().await;

    assert_eq!(tabs[0].asks("auth.log_out", json!({})).await, json!({}), "she is answered first");

    for tab in tabs.iter().chain([&ana]) {
        assert_eq!(tab.socket.close_code().await, 4001);
    }
    phone.posts("still here").await;
    let again = Socket::open(server.at, Some(&ana.cookie)).await;
    let hello = again.hello().await;
    assert_eq!((&hello["me"], &hello["login"]), (&Value::Null, &json!("ended")));
    assert_eq!(refusal(&again, "posts.feed", json!({})).await.code, "not_signed_in");
}

#[tokio::test]
async fn s3_after_a_log_out_nothing_more_is_received() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    let (tab, other) = (ben.opens_another_tab().await, ben.opens_another_tab().await);
    // The log-out and the write are sent together.
    let log_out = tab.socket.sends("auth.log_out", json!({})).await;
    let late = tab.socket.sends("posts.create", post("after the log-out")).await;
    for text in ["one", "two", "three"] {
        ana.posts(text).await;
    }
    for socket in [&tab.socket, &other.socket] {
        assert_eq!(socket.close_code().await, 4001);
    }
    let log = tab.socket.log();
    let replied_at = log.iter().position(|message| message["re"] == log_out).expect("a reply to the log-out");
    let after: Vec<&Value> = log[replied_at + 1..].iter().filter(|message| message["re"] != late).collect();
    assert!(after.is_empty(), "{after:?}");
}

#[tokio::test]
async fn a_login_that_was_not_used_for_thirty_days_is_over() {
    const DAY_MS: i64 = 24 * 3_600_000;
    let server = TestServer::with_manual_clock(&[]).await;
    let ana = server.person("Ana").await;
    // A login that is used every 29 days lasts 180 days.
    for _ in 0..6 {
        server.later(29 * DAY_MS);
        ana.opens_another_tab().await;
    }
    server.later(7 * DAY_MS);
    let hello = Socket::open(server.at, Some(&ana.cookie)).await.hello().await;
    assert_eq!(hello["login"], "ended", "181 days");

    let ben = server.person("Ben").await;
    server.later(30 * DAY_MS + 1);
    let hello = Socket::open(server.at, Some(&ben.cookie)).await.hello().await;
    assert_eq!(hello["login"], "ended", "30 days unused");
}

#[tokio::test]
async fn an_invalid_or_missing_cookie_is_a_guest() {
    let server = TestServer::new().await;
    for cookie in ["", "0", &"a".repeat(64)] {
        let hello = Socket::open(server.at, Some(cookie)).await.hello().await;
        assert_eq!((&hello["me"], &hello["login"]), (&Value::Null, &json!("ended")), "{cookie}");
    }
}

#[tokio::test]
async fn a_tab_may_belong_to_another_user_after_a_log_in() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    ben.follows(&ana).await;
    let tab = ben.opens_another_tab().await;
    tab.asks("auth.log_in", log_in(&cleo.email, PASSWORD)).await;
    ana.posts("for Ben").await;
    ben.sees_post("for Ben").await;
    // It is a new browser for Cleo.
    tab.receives_only(&server, &["notices.changed"]).await;
    let hers: Person = server.person("Dora").await;
    hers.posts("unrelated").await;
    tab.posts("from Cleo").await;
    assert_eq!(cleo.feed_texts().await, ["from Cleo"]);
}

#[tokio::test]
async fn one_browser_has_one_login_and_a_new_one_ends_the_old() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let tab = ana.opens_another_tab().await;
    let guest = server.guest().await;
    let ok = guest.asks("auth.log_in", log_in(&ben.email, PASSWORD)).await.unwrap();
    let (origin, cookie) = (format!("http://{}", server.at), format!("mellow={}", ana.cookie));
    let headers = [("Origin", origin.as_str()), ("Cookie", cookie.as_str()), ("Content-Type", "text/plain")];
    let response = http::ask(server.at, "POST", "/session", &headers, ok["ticket"].as_str().unwrap()).await;
    assert_eq!(response.status, 204);
    // The tabs reconnect with the new cookie of the browser.
    assert_eq!(tab.socket.close_code().await, 1012);
    let hello = Socket::open(server.at, Some(&ana.cookie)).await.hello().await;
    assert_eq!(hello["login"], "ended");
    ben.posts("my other login lives").await;
}

#[tokio::test]
async fn the_fifty_first_login_ends_the_one_that_was_idle_longest() {
    let server = TestServer::with_manual_clock(&[]).await;
    let first = server.person("Ana").await;
    server.later(1_000);
    let second = first.logs_in_on_phone().await;
    for _ in 0..49 {
        server.later(1_000);
        first.logs_in_on_phone().await;
    }
    assert_eq!(first.socket.close_code().await, 4002);
    second.posts("still here").await;
    let logins: i64 = server.look().query_row("select count(*) from logins", [], |row| row.get(0)).unwrap();
    assert_eq!(logins, 50);
}

#[tokio::test]
async fn a_tab_that_stays_open_for_weeks_keeps_its_login_alive() {
    const DAY_MS: i64 = 24 * 3_600_000;
    let server = TestServer::with_manual_clock(&[]).await;
    let ana = server.person("Ana").await;
    for _ in 0..3 {
        server.later(20 * DAY_MS);
        ana.asks("live.probe", json!({})).await;
        // The use is recorded by a separate write. After the marker that write is committed too.
        server.publishes_marker().await;
        ana.posts("hm").await;
    }
    ana.opens_another_tab().await;
}

#[tokio::test]
async fn asking_whether_an_address_is_taken_is_rate_limited() {
    let server = TestServer::with_manual_clock(&["sign_ups_per_hour=3"]).await;
    let ana = server.person("Ana").await;
    let guest = server.guest().await;
    for _ in 0..2 {
        let no = refusal(&guest, "auth.sign_up", sign_up(&ana.email, PASSWORD, None)).await;
        assert_eq!(no.code, "email_taken");
    }
    let no = refusal(&guest, "auth.sign_up", sign_up(&ana.email, PASSWORD, None)).await;
    assert_eq!(no.code, "slow_down");
}

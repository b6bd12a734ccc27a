//! A forgotten password: mails in the outbox folder of a host without a mail server.

use serde_json::{Value, json};

use crate::support::mail::outbox;
use crate::support::person::PASSWORD;
use crate::support::server::TestServer;
use crate::support::socket::{Refused, Socket};
use crate::support::value::key;
use crate::support::wait_until;

const NEW_PASSWORD: &str = "slower evenings";
const MINUTE_MS: i64 = 60_000;

async fn forgets(guest: &Socket, email: &str) {
    let ok = guest.asks("auth.request_reset", json!({ "email": email })).await.unwrap();
    assert_eq!(ok, json!({}));
}

async fn resets(guest: &Socket, token: &str, password: &str) -> Result<Value, Refused> {
    guest.asks("auth.reset_password", json!({ "key": key(), "token": token, "password": password })).await
}

async fn logs_in(guest: &Socket, email: &str, password: &str) -> Result<Value, Refused> {
    guest.asks("auth.log_in", json!({ "email": email, "password": password })).await
}

async fn is_over(guest: &Socket, token: &str) {
    let no = resets(guest, token, NEW_PASSWORD).await.expect_err("a link that is over");
    assert_eq!((no.code.as_str(), no.message.as_str()), ("link_expired", "This link has expired."));
    assert_eq!((no.field, no.retry_ms), (None, None));
}

#[tokio::test]
async fn ana_sets_a_new_password_by_a_link() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let guest = server.guest().await;
    forgets(&guest, "ANA@people.example.org").await;

    let mail = server.mail(1).await;
    assert_eq!(mail.header("Subject"), "Reset your password");
    assert_eq!(mail.header("To"), "ana@people.example.org");
    assert_eq!(mail.header("From"), "Mellow <mellow@localhost>");
    assert!(mail.has("Date") && mail.header("Message-ID").ends_with("@localhost>"));
    assert!(mail.link().starts_with(&format!("http://{}/reset#", server.at)), "{}", mail.link());
    assert_eq!(mail.token().len(), 43);
    let (name, _) = &outbox(server.folder())[0];
    assert!(name.ends_with(&format!("-{}.eml", ana.id)), "{name} says whose it is");
    server.nothing_waits().await;

    assert_eq!(resets(&guest, mail.token(), NEW_PASSWORD).await.unwrap(), json!({}));
    assert_eq!(logs_in(&guest, &ana.email, PASSWORD).await.unwrap_err().code, "bad_credentials");
    let ok = logs_in(&guest, &ana.email, NEW_PASSWORD).await.unwrap();
    assert_eq!(ok["me"]["id"], ana.id);
}

#[tokio::test]
async fn c41_a_new_password_ends_every_earlier_login() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let (tab, phone, ben) =
        (ana.opens_another_tab().await, ana.logs_in_on_phone().await, server.person("Ben").await);
    ana.asks("auth.send_reset", json!({ "key": key() })).await;
    let mail = server.mail(1).await;

    // She sends it on a signed-in socket, which receives the reply before it is closed.
    assert_eq!(resets(&phone.socket, mail.token(), NEW_PASSWORD).await.unwrap(), json!({}));

    for socket in [&ana.socket, &tab.socket, &phone.socket] {
        assert_eq!(socket.close_code().await, 4002);
    }
    for cookie in [&ana.cookie, &phone.cookie] {
        assert_eq!(Socket::open(server.at, Some(cookie)).await.hello().await["login"], "ended");
    }
    ben.posts("nothing of mine ended").await;
}

#[tokio::test]
async fn a_token_with_hidden_characters_around_it_works() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    ana.asks("auth.send_reset", json!({ "key": key() })).await;
    let pasted = format!(" \u{202A}{}\u{202C}\u{200B}", server.mail(1).await.token());
    assert_eq!(resets(&ana.socket, &pasted, NEW_PASSWORD).await.unwrap(), json!({}));
}

#[tokio::test]
async fn a_link_works_once() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let guest = server.guest().await;
    forgets(&guest, &ana.email).await;
    let mail = server.mail(1).await;
    resets(&guest, mail.token(), NEW_PASSWORD).await.unwrap();
    is_over(&guest, mail.token()).await;
    for token in ["", "x", &"A".repeat(43), &"A".repeat(3_000), &mail.token()[..42]] {
        is_over(&guest, token).await;
    }
    logs_in(&guest, &ana.email, NEW_PASSWORD).await.unwrap();
}

#[tokio::test]
async fn a_link_works_for_thirty_minutes_and_not_longer() {
    let server = TestServer::with_manual_clock(&[]).await;
    let ana = server.person("Ana").await;
    let guest = server.guest().await;
    forgets(&guest, &ana.email).await;
    let first = server.mail(1).await;
    server.later(30 * MINUTE_MS);
    is_over(&guest, first.token()).await;

    forgets(&guest, &ana.email).await;
    let second = server.mail(2).await;
    server.later(30 * MINUTE_MS - 1);
    resets(&guest, second.token(), NEW_PASSWORD).await.unwrap();
}

#[tokio::test]
async fn a_newer_link_ends_the_older() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let guest = server.guest().await;
    forgets(&guest, &ana.email).await;
    let first = server.mail(1).await;
    forgets(&guest, &ana.email).await;
    let second = server.mail(2).await;
    is_over(&guest, first.token()).await;
    resets(&guest, second.token(), NEW_PASSWORD).await.unwrap();
}

#[tokio::test]
async fn a_weak_password_is_refused_and_the_link_still_works() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let guest = server.guest().await;
    forgets(&guest, &ana.email).await;
    let mail = server.mail(1).await;
    for weak in ["short", "Password123", "ANA@people.example.org"] {
        let no = resets(&guest, mail.token(), weak).await.unwrap_err();
        assert_eq!((no.code.as_str(), no.field.as_deref()), ("weak_password", Some("password")));
    }
    resets(&guest, mail.token(), NEW_PASSWORD).await.unwrap();
}

#[tokio::test]
async fn a_lost_reply_is_repeated() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let guest = server.guest().await;
    forgets(&guest, &ana.email).await;
    let mail = server.mail(1).await;
    let asked = json!({ "key": key(), "token": mail.token(), "password": NEW_PASSWORD });
    guest.asks("auth.reset_password", asked.clone()).await.unwrap();
    let again = server.guest().await;
    assert_eq!(again.asks("auth.reset_password", asked.clone()).await.unwrap(), json!({}));
    // The password is not part of the comparison, so nobody can try passwords with a key.
    let mut other = asked;
    other["password"] = json!("another password");
    assert_eq!(again.asks("auth.reset_password", other).await.unwrap(), json!({}));
    logs_in(&again, &ana.email, NEW_PASSWORD).await.unwrap();

    let fields = json!({ "key": key() });
    let phone = logs_in_with(&server, &ana.email).await;
    phone.asks("auth.send_reset", fields.clone()).await.unwrap();
    server.mail(2).await;
    phone.asks("auth.send_reset", fields).await.unwrap();
    phone.asks("auth.send_reset", json!({ "key": key() })).await.unwrap();
    server.mail(3).await;
}

async fn logs_in_with(server: &TestServer, email: &str) -> Socket {
    let guest = server.guest().await;
    logs_in(&guest, email, NEW_PASSWORD).await.unwrap();
    guest
}

#[tokio::test]
async fn s7_the_answer_is_the_same_whether_or_not_the_address_has_an_account() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let guest = server.guest().await;
    for email in ["nobody@people.example.org", "not an address", "", "a\r\nBcc: b@example.org"] {
        forgets(&guest, email).await;
    }
    let commits = |server: &TestServer| {
        let seq: i64 = server.look().query_row("select seq from site", [], |row| row.get(0)).unwrap();
        seq
    };
    let before = commits(&server);
    forgets(&guest, "nobody@people.example.org").await;
    assert_eq!(commits(&server), before + 1);
    forgets(&guest, &ana.email).await;
    assert_eq!(commits(&server), before + 2, "one step for either");
    // Her mail is the only one, because the requests before it were for unknown addresses.
    assert_eq!(server.mail(1).await.header("To"), ana.email);
    let links: i64 = server.look().query_row("select count(*) from links", [], |row| row.get(0)).unwrap();
    assert_eq!(links, 1);
}

#[tokio::test]
async fn s13_mails_to_one_address_are_limited_and_guests_do_not_learn_it() {
    let server = TestServer::with_manual_clock(&["mails_per_hour=2"]).await;
    let ana = server.person("Ana").await;
    let guest = server.guest().await;
    for count in 1..=2 {
        forgets(&guest, &ana.email).await;
        server.mail(count).await;
    }
    for _ in 0..3 {
        forgets(&guest, &ana.email).await;
        forgets(&guest, "nobody@people.example.org").await;
    }
    server.nothing_waits().await;
    assert_eq!(outbox(server.folder()).len(), 2);

    // However often strangers request links for her address, she can still do everything.
    for count in 3..=4 {
        ana.asks("auth.send_reset", json!({ "key": key() })).await;
        server.mail(count).await;
    }
    let no = ana.is_refused("slow_down", "auth.send_reset", json!({ "key": key() })).await;
    assert_eq!(no.retry_ms, Some(30 * 60_000));
    server.later(30 * MINUTE_MS);
    ana.asks("auth.send_reset", json!({ "key": key() })).await;
    let mail = server.mail(5).await;
    resets(&guest, mail.token(), NEW_PASSWORD).await.unwrap();
}

#[tokio::test]
async fn link_requests_from_one_network_address_are_limited() {
    let server = TestServer::with_manual_clock(&["mails_per_hour=1"]).await;
    let guest = server.guest().await;
    for number in 0..10 {
        forgets(&guest, &format!("nobody{number}@example.org")).await;
    }
    let no = guest.asks("auth.request_reset", json!({ "email": "one.more@example.org" })).await.unwrap_err();
    assert_eq!(no.code, "slow_down");
}

#[tokio::test]
async fn s13_many_accounts_at_one_network_address_share_a_mail_limit() {
    let server = TestServer::with_manual_clock(&["mails_per_hour=1"]).await;
    for number in 0..10 {
        let someone = server.person(&format!("Somebody {number}")).await;
        someone.asks("auth.send_reset", json!({ "key": key() })).await;
    }
    let one_more = server.person("One more").await;
    one_more.is_refused("slow_down", "auth.send_reset", json!({ "key": key() })).await;
    server.later(60 * MINUTE_MS);
    one_more.asks("auth.send_reset", json!({ "key": key() })).await;
}

#[tokio::test]
async fn trying_many_links_is_limited() {
    let server = TestServer::with_manual_clock(&["logins_per_quarter=1"]).await;
    let guest = server.guest().await;
    for op in ["auth.reset_password", "auth.confirm_email", "auth.undo_email"] {
        for _ in 0..3 {
            let fields = json!({ "key": key(), "token": "A".repeat(43), "password": NEW_PASSWORD });
            assert_eq!(guest.asks(op, fields).await.unwrap_err().code, "link_expired");
        }
    }
    is_over(&guest, &"A".repeat(43)).await;
    let no = resets(&guest, &"A".repeat(43), NEW_PASSWORD).await.unwrap_err();
    assert_eq!(no.code, "slow_down");
}

#[tokio::test]
async fn s13_no_name_and_no_address_changes_a_mail() {
    let server = TestServer::new().await;
    for (email, name) in [
        ("o'brien+tag=x@people.example.org", "\"Ana\" <eve@example.org>"),
        ("a{b}|c@people.example.org", "Bcc: eve@example.org"),
        ("%0d%0a@people.example.org", "<script>alert(1)</script>"),
    ] {
        let guest = server.guest().await;
        let fields = json!({ "key": key(), "email": email, "password": PASSWORD, "name": name });
        guest.asks("auth.sign_up", fields).await.unwrap();
        let before = outbox(server.folder()).len();
        guest.asks("auth.send_reset", json!({ "key": key() })).await.unwrap();
        let mail = server.mail(before + 1).await;
        assert_eq!(mail.header("To"), email);
        assert!(!mail.has("Bcc") && !mail.has("Cc"));
        assert!(
            !mail.raw.contains("eve@") && !mail.raw.contains("<script"),
            "no name is in it: {}",
            mail.raw
        );
    }
}

#[tokio::test]
async fn s13_a_mail_to_a_stranger_has_no_words_of_the_user_who_signed_up_with_their_address() {
    let server = TestServer::new().await;
    let eve = server.guest().await;
    let fields = json!({ "key": key(), "email": "stranger@people.example.org", "password": PASSWORD });
    eve.asks("auth.sign_up", fields).await.unwrap();
    for words in [
        "x@Your\u{2800}account\u{2800}is\u{2800}locked\u{2800}go\u{2800}to\u{2800}https.evil.example",
        "x@evil.example/unlock",
        "x@evil.example/?unlock=1",
        "https://evil.example/@x.example",
        "x:y@evil.example",
    ] {
        let fields = json!({ "key": key(), "email": words, "password": PASSWORD });
        let no = eve.asks("auth.change_email", fields).await.expect_err(words);
        assert_eq!((no.code.as_str(), no.field.as_deref()), ("invalid", Some("email")), "{words}");
    }
    let fields = json!({ "key": key(), "email": "you-won-a-prize@evil.example", "password": PASSWORD });
    eve.asks("auth.change_email", fields).await.unwrap();
    let mail = server.mail_to("stranger@people.example.org", 2).await;
    assert!(!mail.raw.contains("evil") && !mail.raw.contains("prize"), "{}", mail.raw);
}

#[tokio::test]
async fn an_undeliverable_address_is_not_retried() {
    let server = TestServer::new().await;
    let guest = server.guest().await;
    let fields = json!({ "key": key(), "email": "dots@people.example.org", "password": PASSWORD });
    guest.asks("auth.sign_up", fields).await.unwrap();
    // Such an address is no longer accepted, so it is written to the database.
    let changed = server.look().execute("update users set email = '..dots..@people.example.org'", []);
    assert_eq!(changed.unwrap(), 1);
    guest.asks("auth.send_reset", json!({ "key": key() })).await.unwrap();
    server.nothing_waits().await;
    assert!(outbox(server.folder()).is_empty());
    // Others receive their mails.
    let ana = server.person("Ana").await;
    forgets(&server.guest().await, &ana.email).await;
    server.mail(1).await;
}

#[tokio::test]
async fn mails_are_sent_after_a_restart_and_those_of_deleted_accounts_are_removed() {
    let mut server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    for person in [&ana, &ben] {
        person.asks("auth.send_reset", json!({ "key": key() })).await;
    }
    server.mail(2).await;
    server.nothing_waits().await;
    server.stops().await;
    // Meanwhile an account was deleted, and a mail was committed but not sent.
    let now_ms = 4_000_000_000_000_i64;
    let file = server.look();
    file.execute_batch(&format!(
        "pragma foreign_keys = on;
         delete from users where id = {};
         insert into mails (id, user_id, kind, to_email, token, created_at_ms, expires_at_ms, next_try_at_ms)
         values (9007199254740000, {}, 'reset', 'ben@people.example.org', 'left-behind', 0, {now_ms}, 0)",
        ana.id, ben.id
    ))
    .unwrap();
    drop(file);
    server.starts();
    wait_until("only Ben's mails remain", || {
        let mails = outbox(server.folder());
        mails.len() == 2 && mails.iter().all(|(name, _)| name.ends_with(&format!("-{}.eml", ben.id)))
    })
    .await;
    assert!(server.mail(2).await.link().ends_with("/reset#left-behind"));
    let look = server.look();
    wait_until("the list of deleted accounts is empty", || {
        look.query_row("select count(*) from doomed_letters", [], |row| row.get::<_, i64>(0)) == Ok(0)
    })
    .await;
}

#[tokio::test]
async fn the_token_of_a_link_is_stored_only_as_a_hash() {
    let server = TestServer::with(&["public_url=https://mellow.example.org"]).await;
    let ana = server_person(&server).await;
    ana.asks("auth.send_reset", json!({ "key": key() })).await.unwrap();
    let mail = server.mail(1).await;
    assert!(mail.link().starts_with("https://mellow.example.org/reset#"), "{}", mail.link());
    assert_eq!(mail.header("From"), "Mellow <mellow@mellow.example.org>");
    server.nothing_waits().await;
    let look = server.look();
    let hash: Vec<u8> = look.query_row("select token_hash from links", [], |row| row.get(0)).unwrap();
    let held: [u8; 32] =
        sha2::Digest::finalize(<sha2::Sha256 as sha2::Digest>::new_with_prefix(mail.token())).into();
    assert_eq!(hash, held);
}

/// Connects to a server with its own public name.
async fn server_person(server: &TestServer) -> Socket {
    let headers = [("Host", "mellow.example.org"), ("Origin", "https://mellow.example.org")];
    let socket = Socket::open_with(server.at, None, &headers).await;
    let fields =
        json!({ "key": key(), "email": "ana@people.example.org", "password": PASSWORD, "name": "Ana" });
    socket.asks("auth.sign_up", fields).await.unwrap();
    socket
}

#[tokio::test]
async fn guests_may_send_only_the_requests_for_guests() {
    let server = TestServer::new().await;
    let guest = server.guest().await;
    for (op, fields) in [
        ("auth.send_reset", json!({ "key": key() })),
        ("auth.change_email", json!({ "key": key(), "email": "x@example.org", "password": PASSWORD })),
        ("auth.logins", json!({})),
        ("auth.log_out_others", json!({ "key": key() })),
    ] {
        assert_eq!(guest.asks(op, fields).await.unwrap_err().code, "not_signed_in", "{op}");
    }
}

#[tokio::test]
async fn a_log_in_with_the_old_password_does_not_outlive_a_concurrent_change() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    ana.asks("auth.send_reset", json!({ "key": key() })).await;
    let mail = server.mail(1).await;
    let guest = server.guest().await;
    // Both requests are sent at once. In either order no login by the old password stays.
    let reset = guest
        .sends(
            "auth.reset_password",
            json!({ "key": key(), "token": mail.token(), "password": NEW_PASSWORD }),
        )
        .await;
    let others: Vec<Socket> = {
        let mut others = Vec::new();
        for _ in 0..8 {
            let other = server.guest().await;
            let _ = other.sends("auth.log_in", json!({ "email": ana.email, "password": PASSWORD })).await;
            others.push(other);
        }
        others
    };
    guest.reply_to(reset).await.unwrap();
    for other in &others {
        // Each log-in is refused, or its socket is closed.
        other
            .waits("a no or the end", |state| {
                let refused = state.log.iter().any(|message| message.get("err").is_some());
                (refused || state.closed.is_some()).then_some(())
            })
            .await;
    }
    let logins: i64 = server.look().query_row("select count(*) from logins", [], |row| row.get(0)).unwrap();
    assert_eq!(logins, 0);
}

#[tokio::test]
async fn the_token_of_a_sent_mail_is_not_in_the_database_and_its_log() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let guest = server.guest().await;
    forgets(&guest, &ana.email).await;
    let mail = server.mail(1).await;
    let token = mail.token().as_bytes();
    let is_gone = || {
        ["mellow.db", "mellow.db-wal"].iter().all(|name| {
            let bytes = std::fs::read(server.folder().join(name)).unwrap();
            !bytes.windows(token.len()).any(|part| part == token)
        })
    };
    crate::support::wait_until("the token is erased", is_gone).await;
    resets(&guest, mail.token(), NEW_PASSWORD).await.unwrap();
}

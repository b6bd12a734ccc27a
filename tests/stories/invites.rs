//! Invitations: who makes them, who signs up with them, and when they end.

pub mod access;

use serde_json::{Value, json};

use crate::support::http;
use crate::support::person::{PASSWORD, Person, email_of};
use crate::support::server::TestServer;
use crate::support::socket::{Refused, Socket};
use crate::support::value::key;
use crate::writes::{Sender, Stage};

const DAY_MS: i64 = 24 * 60 * 60_000;

/// Makes an invitation. Returns its code.
async fn invites(who: &Person) -> String {
    let ok = who.asks("invites.create", json!({ "key": key() })).await;
    ok["invites"][0]["code"].as_str().unwrap().to_owned()
}

async fn looks_at(guest: &Socket, code: &str) -> Result<Value, Refused> {
    guest.asks("invites.get", json!({ "code": code })).await
}

/// Signs up with an invitation.
async fn comes(server: &TestServer, name: &str, code: Option<&str>) -> Result<Value, String> {
    let fields =
        json!({ "key": key(), "email": email_of(name), "password": PASSWORD, "name": name, "invite": code });
    let guest = server.guest().await;
    guest.asks("auth.sign_up", fields).await.map(|ok| ok["me"].clone()).map_err(|no| no.code)
}

#[tokio::test]
async fn a_user_signs_up_with_an_invitation_and_is_asked_whether_to_follow_the_inviter() {
    let server = TestServer::with_manual_clock(&[]).await;
    let ana = server.person("Ana").await;
    let tab = ana.opens_another_tab().await;
    let made = ana.asks("invites.create", json!({ "key": key() })).await;
    let [invite] = &made["invites"].as_array().unwrap()[..] else { panic!("{made}") };
    let code = invite["code"].as_str().unwrap();
    assert!(code.len() * 6 >= 96, "{code}");
    assert_eq!((&invite["uses"], &invite["uses_max"]), (&json!(0), &json!(20)));
    let begun = invite["created_at_ms"].as_i64().unwrap();
    assert_eq!(invite["ends_at_ms"], begun + 30 * DAY_MS);
    assert_eq!(tab.receives("invites.changed").await["invites"], made["invites"]);

    let guest = server.guest().await;
    assert_eq!(looks_at(&guest, code).await.unwrap(), json!({ "name": "Ana", "user_id": null }));
    let ben = server.person("Ben").await;
    assert_eq!(
        ben.asks("invites.get", json!({ "code": code })).await,
        json!({ "name": "Ana", "user_id": ana.id })
    );

    let cleo = comes(&server, "Cleo", Some(code)).await.unwrap();
    assert_eq!(cleo["inviter"], ana.named());
    let used = tab.socket.receives_where("invites.changed", |event| event["invites"][0]["uses"] == 1).await;
    assert!(!used.to_string().contains("Cleo"), "who came by it is not said: {used}");
    let by: i64 = server.count("select count(*) from users where name = 'Cleo' and invited_by is not null");
    assert_eq!(by, 1);

    let cleo = Person::logs_in(server.at, &email_of("Cleo")).await;
    cleo.follows(&ana).await;
    let me = cleo.socket.receives("account.changed").await["me"].clone();
    assert_eq!((&me["inviter"], &me["first_steps"]["has_followed"]), (&json!(null), &json!(true)));

    let dan = comes(&server, "Dan", Some(code)).await.unwrap();
    assert_eq!(dan["inviter"]["name"], "Ana");
    let dan = Person::logs_in(server.at, &email_of("Dan")).await;
    let phone = dan.logs_in_on_phone().await;
    dan.asks("newcomers.dismiss", json!({ "key": key(), "what": "inviter" })).await;
    assert_eq!(phone.receives("account.changed").await["me"]["inviter"], json!(null));
}

#[tokio::test]
async fn an_invitation_that_has_ended_has_one_reply_whatever_ended_it() {
    let server = TestServer::with_manual_clock(&["signup=invite", "invite_days=1", "invite_uses=1"]).await;
    let ana = host_lets_in(&server, "Ana").await;
    let guest = server.guest().await;
    let mut over = vec![("never was", "A".repeat(22)), ("is none", String::new())];
    let used = invites(&ana).await;
    let zora = comes(&server, "Zora", Some(&used)).await;
    assert!(zora.is_ok(), "{zora:?}");
    over.push(("used up", used));
    let revoked = invites(&ana).await;
    ana.asks("invites.revoke", json!({ "key": key(), "code": revoked })).await;
    over.push(("revoked", revoked));
    let zora = Person::logs_in(server.at, &email_of("Zora")).await;
    let orphan = invites(&zora).await;
    assert!(looks_at(&guest, &orphan).await.is_ok());
    zora.deletes_account().await;
    over.push(("whose maker is gone", orphan));
    let late = invites(&ana).await;
    server.later(DAY_MS);
    over.push(("too old", late));
    for (why, code) in &over {
        // Opens a new connection, because a guest's connection may send few requests.
        let no = looks_at(&server.guest().await, code).await.unwrap_err();
        assert_eq!(
            (no.code.as_str(), no.message.as_str()),
            ("invite_expired", "This invite has expired."),
            "{why}"
        );
        assert_eq!(comes(&server, "Ben", Some(code)).await, Err("invite_expired".into()), "{why}");
    }
    assert_eq!(comes(&server, "Ben", None).await, Err("invite_expired".into()));
    assert_eq!(server.count("select count(*) from users"), 1, "nobody came");
    let fresh = invites(&ana).await;
    assert!(comes(&server, "Ben", Some(&fresh)).await.is_ok());
    assert_eq!(ana.asks("invites.list", json!({})).await["invites"].as_array().unwrap().len(), 1);
}

/// Signs up a user with an invitation of the host, on a server that requires invitations.
async fn host_lets_in(server: &TestServer, name: &str) -> Person {
    let code = "H".repeat(22);
    let sql = "insert into invites (code, created_at_ms, uses_max) values (?1, 0, 1)";
    server.look().execute(sql, [&code]).unwrap();
    assert_eq!(
        looks_at(&server.guest().await, &code).await.unwrap(),
        json!({ "name": null, "user_id": null })
    );
    let me = comes(server, name, Some(&code)).await.unwrap();
    assert_eq!(me["inviter"], json!(null));
    Person::logs_in(server.at, &email_of(name)).await
}

#[tokio::test]
async fn the_last_use_of_an_invitation_is_for_one_user_however_many_sign_up_at_once() {
    let server = TestServer::with(&["signup=invite", "invite_uses=1"]).await;
    let ana = host_lets_in(&server, "Ana").await;
    let code = invites(&ana).await;
    let names = ["Ben", "Cleo", "Dan", "Eve"];
    let came = futures_util::future::join_all(names.map(|name| comes(&server, name, Some(&code)))).await;
    assert_eq!(came.iter().filter(|came| came.is_ok()).count(), 1, "{came:?}");
    assert_eq!(server.count("select count(*) from users"), 2);
}

#[tokio::test]
async fn r5_a_repeated_sign_up_with_an_invitation_uses_it_once() {
    let server = TestServer::with(&["signup=invite", "invite_uses=1"]).await;
    let ana = host_lets_in(&server, "Ana").await;
    let code = invites(&ana).await;
    let fields = json!({ "key": key(), "email": email_of("Ben"), "password": PASSWORD, "name": "Ben", "invite": code });
    for _ in 0..2 {
        let ok = server.guest().await.asks("auth.sign_up", fields.clone()).await.unwrap();
        assert_eq!(ok["me"]["inviter"], ana.named());
    }
    assert_eq!(server.count("select uses from invites where maker_id is not null"), 1);
}

#[tokio::test]
async fn if_everybody_may_sign_up_an_ended_invitation_does_not_prevent_a_sign_up() {
    let server = TestServer::new().await;
    let me = comes(&server, "Ben", Some("A")).await.unwrap();
    assert_eq!(me["inviter"], json!(null));
}

#[tokio::test]
async fn strangers_without_an_invitation_do_not_learn_which_addresses_have_accounts() {
    let mut server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let code = invites(&ana).await;
    server.restarts_with(&["signup=invite"]).await;
    for code in [None, Some("made-up")] {
        assert_eq!(comes(&server, "Ana", code).await.unwrap_err(), "invite_expired");
        assert_eq!(comes(&server, "Ben", code).await.unwrap_err(), "invite_expired");
    }
    assert_eq!(comes(&server, "Ana", Some(&code)).await.unwrap_err(), "email_taken");
}

#[tokio::test]
async fn the_host_decides_who_invites_and_the_page_says_who_may_sign_up() {
    for (settings, may_make, work, expected) in [
        (&["invites=members"][..], true, true, None),
        (&["invites=host"], false, true, None),
        (&["invites=off"], false, false, None),
        (&["signup=invite"], true, true, Some("invite")),
        (&["signup=closed"], false, false, Some("closed")),
    ] {
        let mut server = TestServer::new().await;
        let mut ana = server.person("Ana").await;
        let code = invites(&ana).await;
        server.restarts_with(settings).await;
        ana.reconnects().await;
        assert_eq!(looks_at(&server.guest().await, &code).await.is_ok(), work, "{settings:?}");
        // A member sees and revokes what works, also if only the host may make more.
        if work {
            let own = ana.asks("invites.list", json!({})).await;
            assert_eq!((&own["invites"][0]["code"], &own["may_create"]), (&json!(code), &json!(may_make)));
        }
        for (op, fields, may) in [
            ("invites.list", json!({}), work),
            ("invites.create", json!({ "key": key() }), may_make),
            ("invites.revoke", json!({ "key": key(), "code": code }), work),
        ] {
            let done = ana.tries(op, fields).await.map(drop).map_err(|no| no.code);
            assert_eq!(done, if may { Ok(()) } else { Err("not_found".into()) }, "{settings:?} {op}");
        }
        let page = http::ask(server.at, "GET", "/signup", &[], "").await.body;
        let offered = page
            .split("name=\"mellow:signup\" content=\"")
            .nth(1)
            .map(|rest| rest.split('"').next().unwrap());
        assert_eq!(offered, expected, "{settings:?}");
    }
}

#[tokio::test]
async fn a_user_makes_ten_invitations_a_day_and_has_a_hundred_at_a_time() {
    let server = TestServer::with_manual_clock(&["invites_per_day=10"]).await;
    let ana = server.person("Ana").await;
    for _ in 0..10 {
        invites(&ana).await;
    }
    ana.is_refused("slow_down", "invites.create", json!({ "key": key() })).await;

    let server = TestServer::with_manual_clock(&[]).await;
    let ana = server.person("Ana").await;
    for _ in 0..100 {
        invites(&ana).await;
    }
    let no = ana.is_refused("invalid", "invites.create", json!({ "key": key() })).await;
    assert_eq!(no.field.as_deref(), Some("invites"));
    server.later(30 * DAY_MS);
    invites(&ana).await;
    assert_eq!(server.count("select count(*) from invites"), 1, "what has ended makes room");
}

#[tokio::test]
async fn nobody_revokes_anothers_invitation() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let code = invites(&ana).await;
    ben.is_refused("not_found", "invites.revoke", json!({ "key": key(), "code": code })).await;
    assert_eq!(ben.asks("invites.list", json!({})).await["invites"], json!([]));
    assert!(looks_at(&server.guest().await, &code).await.is_ok());
}

#[tokio::test]
async fn a_code_that_was_pasted_with_spaces_and_hidden_marks_is_revoked() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let code = invites(&ana).await;
    let pasted = format!(" \u{200e}{code}\u{200f}\n");
    let left = ana.asks("invites.revoke", json!({ "key": key(), "code": pasted })).await;
    assert_eq!(left["invites"], json!([]));
}

#[tokio::test]
async fn s17_after_a_block_an_invitation_does_not_name_its_maker_to_the_other_user() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let code = invites(&ana).await;
    comes(&server, "Ben", Some(&code)).await.unwrap();
    let ben = Person::logs_in(server.at, &email_of("Ben")).await;
    let bens = invites(&ben).await;
    ana.asks("people.block", json!({ "key": key(), "user_id": ben.id })).await;
    for (who, code) in [(&ben, &code), (&ana, &bens)] {
        who.is_refused("invite_expired", "invites.get", json!({ "code": code })).await;
    }
    assert_eq!(ben.opens_another_tab().await.socket.hello().await["me"]["inviter"], json!(null));
    let (cleo, guest) = (server.person("Cleo").await, server.guest().await);
    assert_eq!(cleo.asks("invites.get", json!({ "code": code })).await["name"], "Ana");
    assert_eq!(looks_at(&guest, &code).await.unwrap()["name"], "Ana");

    ana.asks("people.unblock", json!({ "key": key(), "user_id": ben.id })).await;
    assert_eq!(ben.asks("invites.get", json!({ "code": code })).await["user_id"], ana.id);
}

/// Makes two invitations, revokes one, and dismisses the first steps.
pub async fn send_writes(stage: &Stage<'_>, sender: &mut dyn Sender) {
    let ana = stage.ana;
    let made = sender.send(ana, "invites.create", 2, json!({})).await;
    let code = made["invites"][0]["code"].clone();
    let more = sender.send(ana, "invites.create", 1, json!({})).await;
    let is_other = |invite: &&Value| invite["code"] != code;
    let other = more["invites"].as_array().unwrap().iter().find(is_other).unwrap()["code"].clone();
    sender.send(ana, "invites.revoke", 1, json!({ "code": other })).await;
    sender.send(ana, "newcomers.dismiss", 1, json!({ "what": "steps" })).await;
    sender.send(ana, "newcomers.dismiss", 0, json!({ "what": "steps" })).await;
}

#[tokio::test]
async fn a_guest_who_tries_many_codes_is_slowed_down_and_one_whose_code_works_is_not() {
    let server = TestServer::with_manual_clock(&["logins_per_quarter=1"]).await;
    let ana = server.person("Ana").await;
    let code = invites(&ana).await;
    for _ in 0..15 {
        assert_eq!(looks_at(&server.guest().await, &code).await.unwrap()["name"], "Ana");
    }
    let guest = server.guest().await;
    for _ in 0..10 {
        assert_eq!(looks_at(&guest, "nonsense").await.unwrap_err().code, "invite_expired");
    }
    let no = looks_at(&guest, "nonsense").await.unwrap_err();
    assert_eq!((no.code.as_str(), no.retry_ms), ("slow_down", Some(90_000)));
    // Passwords at this address, and guests at another one, have limits of their own.
    Person::logs_in(server.at, &ana.email).await;
    let elsewhere = Socket::open_with(server.at, None, &[("X-Forwarded-For", "203.0.113.9")]).await;
    assert_eq!(looks_at(&elsewhere, &code).await.unwrap()["name"], "Ana");
}

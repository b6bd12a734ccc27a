//! Changing the email address: requested with the password, confirmed by one link, and undone by another.

use serde_json::{Value, json};

use crate::support::mail::{Mail, outbox};
use crate::support::person::{PASSWORD, Person};
use crate::support::server::TestServer;
use crate::support::socket::{Refused, Socket};
use crate::support::value::key;

const NEW: &str = "Ana.New@example.net";
const HOUR_MS: i64 = 3_600_000;

async fn changes(person: &Person, email: &str) -> Result<Value, Refused> {
    let fields = json!({ "key": key(), "email": email, "password": PASSWORD });
    person.tries("auth.change_email", fields).await
}

/// Requests a new address. Returns the mail to the new address and the notice to the old one.
async fn asks_for(server: &TestServer, person: &Person, email: &str) -> (Mail, Mail) {
    let before = outbox(server.folder()).len();
    changes(person, email).await.unwrap();
    server.mail(before + 2).await;
    let mut mails = outbox(server.folder()).split_off(before).into_iter().map(|(_, mail)| mail);
    let (confirm, notice) = (mails.next().unwrap(), mails.next().unwrap());
    assert_eq!(confirm.header("Subject"), "Confirm your new email");
    assert_eq!(notice.header("Subject"), "Your email is about to change");
    (confirm, notice)
}

async fn confirms(guest: &Socket, mail: &Mail) -> Result<Value, Refused> {
    guest.asks("auth.confirm_email", json!({ "key": key(), "token": mail.token() })).await
}

async fn undoes(guest: &Socket, mail: &Mail) -> Result<Value, Refused> {
    let token = mail.token().strip_prefix("undo-").expect("a link that undoes");
    guest.asks("auth.undo_email", json!({ "key": key(), "token": token })).await
}

async fn me(person: &Person) -> Value {
    Socket::open(person.at, Some(&person.cookie)).await.hello().await["me"].clone()
}

async fn logs_in(server: &TestServer, email: &str, password: &str) -> Result<Value, Refused> {
    server.guest().await.asks("auth.log_in", json!({ "email": email, "password": password })).await
}

fn is_over(reply: Result<Value, Refused>) {
    assert_eq!(reply.expect_err("a link that is over").code, "link_expired");
}

#[tokio::test]
async fn ana_moves_to_a_new_address() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let tab = ana.opens_another_tab().await;

    let ok = changes(&ana, NEW).await.unwrap();
    assert_eq!(ok, json!({ "pending_email": NEW, "seq": ok["seq"] }));
    let received = tab.receives("account.changed").await;
    assert_eq!(
        (&received["me"]["email"], &received["me"]["pending_email"]),
        (&json!(ana.email), &json!(NEW))
    );
    assert_eq!(me(&ana).await["pending_email"], NEW);

    let confirm = server.mail_to("Ana.New@example.net", 2).await;
    let notice = server.mail_to(&ana.email, 2).await;
    assert!(confirm.link().starts_with(&format!("http://{}/verify#", server.at)));
    assert!(notice.link().starts_with(&format!("http://{}/verify#undo-", server.at)));
    assert!(!notice.text.contains(NEW), "a stranger whose address she signed up with reads no words of hers");
    assert!(!confirm.text.contains(&ana.email), "a stranger who gets it learns nothing of her");

    // Until the confirmation the old address is valid.
    logs_in(&server, &ana.email, PASSWORD).await.unwrap();
    assert_eq!(logs_in(&server, NEW, PASSWORD).await.unwrap_err().code, "no_such_user");

    assert_eq!(confirms(&server.guest().await, &confirm).await.unwrap(), json!({}));
    let received = tab.receives("account.changed").await;
    assert_eq!((&received["me"]["email"], &received["me"]["pending_email"]), (&json!(NEW), &Value::Null));
    logs_in(&server, "ana.new@example.net", PASSWORD).await.unwrap();
    assert_eq!(logs_in(&server, &ana.email, PASSWORD).await.unwrap_err().code, "no_such_user");
    is_over(confirms(&server.guest().await, &confirm).await);
    ana.posts("I am still logged in").await;
}

#[tokio::test]
async fn an_invalid_new_address_is_refused() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    for (email, password, code, field, message) in [
        (NEW, "not hers at all", "wrong_password", "password", "Incorrect password. Please try again."),
        ("ana", PASSWORD, "invalid", "email", "Please enter a valid email address."),
        (
            "BEN@people.example.org",
            PASSWORD,
            "email_taken",
            "email",
            "This email is already in use. Please use a different email.",
        ),
        ("ANA@people.example.org", PASSWORD, "invalid", "email", "This is your email already."),
    ] {
        let fields = json!({ "key": key(), "email": email, "password": password });
        let no = ana.is_refused(code, "auth.change_email", fields).await;
        assert_eq!((no.field.as_deref(), no.message.as_str()), (Some(field), message));
    }
    assert_eq!(me(&ana).await["pending_email"], Value::Null);
    let waiting: i64 = server.look().query_row("select count(*) from mails", [], |row| row.get(0)).unwrap();
    assert_eq!(waiting, 0);
    assert!(outbox(server.folder()).is_empty());
    ben.posts("nothing happened to me").await;
}

#[tokio::test]
async fn s6_guesses_of_a_signed_in_user_are_limited_and_counted_apart_from_those_at_the_log_in() {
    let server = TestServer::with_manual_clock(&["logins_per_quarter=2"]).await;
    let ana = server.person("Ana").await;
    for _ in 0..2 {
        let fields = json!({ "key": key(), "email": NEW, "password": "a guess of mine" });
        ana.is_refused("wrong_password", "auth.change_email", fields).await;
    }
    let fields = json!({ "key": key(), "email": NEW, "password": PASSWORD });
    // On whatever socket, and from whatever address.
    let elsewhere = [("X-Forwarded-For", "198.51.100.7")];
    let elsewhere = Socket::open_with(server.at, Some(&ana.cookie), &elsewhere).await;
    assert_eq!(elsewhere.asks("auth.change_email", fields.clone()).await.unwrap_err().code, "slow_down");
    ana.is_refused("slow_down", "auth.change_email", fields).await;
    ana.is_refused("slow_down", "account.delete", json!({ "password": PASSWORD })).await;
    logs_in(&server, &ana.email, PASSWORD).await.unwrap();
}

#[tokio::test]
async fn a_second_change_replaces_the_first() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let (first, _) = asks_for(&server, &ana, "first@example.net").await;
    let (second, _) = asks_for(&server, &ana, "second@example.net").await;
    is_over(confirms(&server.guest().await, &first).await);
    confirms(&server.guest().await, &second).await.unwrap();
    assert_eq!(me(&ana).await["email"], "second@example.net");
}

#[tokio::test]
async fn c42_the_link_to_the_old_address_cancels_the_change() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let (confirm, notice) = asks_for(&server, &ana, NEW).await;
    ana.receives("account.changed").await;

    assert_eq!(undoes(&server.guest().await, &notice).await.unwrap(), json!({}));

    let received = ana.receives("account.changed").await;
    assert_eq!(
        (&received["me"]["email"], &received["me"]["pending_email"]),
        (&json!(ana.email), &Value::Null)
    );
    is_over(confirms(&server.guest().await, &confirm).await);
    is_over(undoes(&server.guest().await, &notice).await);
    // A cancelled change ends no login.
    ana.posts("still here").await;
}

#[tokio::test]
async fn c42_the_link_to_the_old_address_restores_it_after_the_change() {
    let server = TestServer::with_manual_clock(&[]).await;
    let ana = server.person("Ana").await;
    let (confirm, notice) = asks_for(&server, &ana, "eve@example.net").await;
    confirms(&server.guest().await, &confirm).await.unwrap();
    // Eve tries to keep the account: a link for a new password, and another change with a notice to her own address.
    let eve = Person::logs_in(server.at, "eve@example.net").await;
    eve.asks("auth.send_reset", json!({ "key": key() })).await;
    let reset = server.mail(3).await;
    let (further, eves_notice) = asks_for(&server, &eve, "eve.too@example.net").await;
    server.later(71 * HOUR_MS);

    undoes(&server.guest().await, &notice).await.unwrap();

    for socket in [&ana.socket, &eve.socket] {
        assert_eq!(socket.close_code().await, 4002);
    }
    let fields = json!({ "key": key(), "token": reset.token(), "password": "a third password" });
    is_over(server.guest().await.asks("auth.reset_password", fields).await);
    is_over(confirms(&server.guest().await, &further).await);
    is_over(undoes(&server.guest().await, &eves_notice).await);
    let back = Person::logs_in(server.at, &ana.email).await;
    assert_eq!((back.id, &me(&back).await["pending_email"]), (ana.id, &Value::Null));
}

#[tokio::test]
async fn nobody_else_takes_an_address_that_its_owner_may_still_restore() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let (confirm, notice) = asks_for(&server, &ana, "eve@example.net").await;
    confirms(&server.guest().await, &confirm).await.unwrap();

    let sign_up = json!({ "key": key(), "email": "ANA@people.example.org", "password": PASSWORD });
    let no = server.guest().await.asks("auth.sign_up", sign_up).await.unwrap_err();
    assert_eq!(no.code, "email_taken");
    assert_eq!(changes(&ben, &ana.email).await.unwrap_err().code, "email_taken");

    undoes(&server.guest().await, &notice).await.unwrap();
    Person::logs_in(server.at, &ana.email).await;
}

#[tokio::test]
async fn an_address_counts_as_taken_in_any_case_and_spelling() {
    let server = TestServer::with_manual_clock(&[]).await;
    let old = "Zo\u{cb}@people.example.org";
    let sign_up = json!({ "key": key(), "email": old, "password": PASSWORD, "name": "Zo\u{eb}" });
    let zoe = server.guest().await;
    zoe.asks("auth.sign_up", sign_up.clone()).await.unwrap();
    let fields = json!({ "key": key(), "email": "eve@example.net", "password": PASSWORD });
    zoe.asks("auth.change_email", fields).await.unwrap();
    server.mail(2).await;
    let mails = outbox(server.folder());
    let (confirm, notice) = (&mails[0].1, &mails[1].1);
    confirms(&server.guest().await, confirm).await.unwrap();

    for taken in [old, "zo\u{eb}@people.example.org", "ZO\u{cb}@PEOPLE.example.org"] {
        let mut again = sign_up.clone();
        (again["key"], again["email"]) = (key(), json!(taken));
        let no = server.guest().await.asks("auth.sign_up", again).await.unwrap_err();
        assert_eq!(no.code, "email_taken", "{taken}");
    }
    undoes(&server.guest().await, notice).await.unwrap();
    logs_in(&server, old, PASSWORD).await.unwrap();
}

#[tokio::test]
async fn three_days_after_a_change_the_old_address_is_free() {
    let server = TestServer::with_manual_clock(&[]).await;
    let ana = server.person("Ana").await;
    let (confirm, notice) = asks_for(&server, &ana, NEW).await;
    confirms(&server.guest().await, &confirm).await.unwrap();
    server.later(72 * HOUR_MS);
    is_over(undoes(&server.guest().await, &notice).await);
    let sign_up = json!({ "key": key(), "email": ana.email, "password": PASSWORD });
    server.guest().await.asks("auth.sign_up", sign_up).await.unwrap();
}

#[tokio::test]
async fn a_confirmation_is_refused_after_a_day_or_if_the_address_was_taken() {
    let server = TestServer::with_manual_clock(&[]).await;
    let ana = server.person("Ana").await;
    let (late, _) = asks_for(&server, &ana, NEW).await;
    server.later(24 * HOUR_MS);
    is_over(confirms(&server.guest().await, &late).await);

    let (confirm, _) = asks_for(&server, &ana, "shared@example.net").await;
    let sign_up = json!({ "key": key(), "email": "shared@example.net", "password": PASSWORD });
    server.guest().await.asks("auth.sign_up", sign_up).await.unwrap();
    let no = confirms(&server.guest().await, &confirm).await.unwrap_err();
    assert_eq!((no.code.as_str(), no.field.as_deref()), ("email_taken", Some("email")));
    assert_eq!(me(&ana).await["email"], ana.email);
}

#[tokio::test]
async fn a_new_password_cancels_a_pending_change_but_not_the_link_that_undoes_one() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let (confirm, notice) = asks_for(&server, &ana, "eve@example.net").await;
    ana.asks("auth.send_reset", json!({ "key": key() })).await;
    let reset = server.mail(3).await;
    let guest = server.guest().await;
    let fields = json!({ "key": key(), "token": reset.token(), "password": "slower evenings" });
    guest.asks("auth.reset_password", fields).await.unwrap();
    is_over(confirms(&guest, &confirm).await);
    let ok = logs_in(&server, &ana.email, "slower evenings").await.unwrap();
    assert_eq!(ok["me"]["pending_email"], Value::Null);
    undoes(&guest, &notice).await.unwrap();
}

#[tokio::test]
async fn a_lost_reply_is_repeated_and_no_mail_is_sent_twice() {
    let server = TestServer::with_manual_clock(&["mails_per_hour=2", "logins_per_quarter=2"]).await;
    let ana = server.person("Ana").await;
    let fields = json!({ "key": key(), "email": NEW, "password": PASSWORD });
    let first = ana.asks("auth.change_email", fields.clone()).await;
    for _ in 0..3 {
        assert_eq!(ana.asks("auth.change_email", fields.clone()).await, first);
    }
    let mut other = fields;
    other["email"] = json!("other@example.net");
    ana.is_refused(
        "slow_down",
        "auth.change_email",
        json!({ "key": key(), "email": NEW, "password": PASSWORD }),
    )
    .await;
    server.later(HOUR_MS);
    ana.is_refused("key_conflict", "auth.change_email", other).await;
    server.mail(2).await;

    let (guest, confirm) = (server.guest().await, server.mail_to(NEW, 2).await);
    let fields = json!({ "key": key(), "token": confirm.token() });
    for _ in 0..2 {
        assert_eq!(guest.asks("auth.confirm_email", fields.clone()).await.unwrap(), json!({}));
    }
    let notice = server.mail_to(&ana.email, 2).await;
    let token = notice.token().strip_prefix("undo-").unwrap();
    let fields = json!({ "key": key(), "token": token });
    for _ in 0..2 {
        assert_eq!(guest.asks("auth.undo_email", fields.clone()).await.unwrap(), json!({}));
    }
}

#[tokio::test]
async fn changes_are_limited_by_account_and_by_new_address() {
    let server = TestServer::with_manual_clock(&["mails_per_hour=4"]).await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    for _ in 0..2 {
        changes(&ana, "victim@example.net").await.unwrap();
    }
    assert_eq!(changes(&ana, "other@example.net").await.unwrap_err().code, "slow_down");
    for _ in 0..2 {
        changes(&ben, "victim@example.net").await.unwrap();
    }
    let no = changes(&cleo, "Victim@example.net").await.unwrap_err();
    assert_eq!((no.code.as_str(), no.retry_ms), ("slow_down", Some(15 * 60_000)));
    changes(&cleo, "cleo@example.net").await.unwrap();
}

#[tokio::test]
async fn a_mail_to_a_non_ascii_address_reaches_it() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let new = "zo\u{eb}@m\u{fc}sli.example";
    changes(&ana, new).await.unwrap();
    server.mail(2).await;
    let mails = outbox(server.folder());
    let confirm = &mails[0].1;
    assert!(confirm.header("To").ends_with("@xn--msli-0ra.example"), "{}", confirm.header("To"));
    confirms(&server.guest().await, confirm).await.unwrap();
    assert_eq!(me(&ana).await["email"], new);
}

#[tokio::test]
async fn if_the_host_hides_accounts_a_change_to_a_taken_address_reveals_nothing_and_changes_nothing() {
    let server = TestServer::with(&["login_hides_accounts=true"]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let ok = changes(&ana, &ben.email).await.unwrap();
    assert_eq!(ok, json!({ "pending_email": ben.email, "seq": ok["seq"] }), "as for any address");
    server.mail(2).await;
    let mut mails = outbox(server.folder()).into_iter().map(|(_, mail)| mail);
    let to_ben = mails.find(|mail| mail.header("To").contains(&ben.email)).unwrap();
    let no = confirms(&server.guest().await, &to_ben).await.unwrap_err();
    assert_eq!(no.code, "email_taken", "only who reads his mail learns it");
    assert_eq!(me(&ana).await["email"], ana.email);
    assert_eq!(me(&ben).await["email"], ben.email);
    logs_in(&server, &ben.email, PASSWORD).await.unwrap();
}

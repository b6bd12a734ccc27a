//! Sending mail, with a real mail server that has STARTTLS, a log-in, and failures.

use std::path::Path;

use serde_json::{Value, json};

use crate::admins::promoted;
use crate::support::child::Child;
use crate::support::mail::outbox;
use crate::support::person::Person;
use crate::support::port::Port;
use crate::support::server::TestServer;
use crate::support::smtp::{Certificate, LOGIN, LOGIN_IN_URL, SmtpServer};
use crate::support::value::key;

const MINUTE_MS: i64 = 60_000;

async fn asks_for_a_link(person: &Person) {
    person.asks("auth.send_reset", json!({ "key": key() })).await;
}

async fn with_smtp(settings: &[String]) -> TestServer {
    let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
    TestServer::with_manual_clock(&settings).await
}

fn tries(server: &TestServer) -> Option<i64> {
    server.look().query_row("select tries from mails", [], |row| row.get(0)).ok()
}

async fn was_tried(server: &TestServer, times: i64) {
    crate::support::wait_until(&format!("a mail was tried {times} times"), || tries(server) == Some(times))
        .await;
}

#[tokio::test]
async fn a_mail_is_sent_over_tls_after_a_log_in() {
    let certificate = Certificate::new();
    for (wrapped, url) in [
        (false, "smtp://LOGIN@localhost:PORT?tls=required"),
        (false, "smtp://LOGIN@127.0.0.1:PORT"),
        (true, "smtps://LOGIN@localhost:PORT"),
    ] {
        let smtp = SmtpServer::private(&certificate, wrapped, 0).await;
        let url = url.replace("LOGIN", LOGIN_IN_URL).replace("PORT", &smtp.port.to_string());
        let server = with_smtp(&[
            format!("smtp_url={url}"),
            certificate.trusted(),
            "smtp_from=A Mellow <post@mellow.example.org>".into(),
        ])
        .await;
        let ana = server.person("Ana").await;
        asks_for_a_link(&ana).await;

        let (taken, mail) = smtp.takes(1).await;
        assert_eq!((&taken["tls"], &taken["user"]), (&json!(true), &json!(LOGIN.0)), "{url}");
        assert_eq!(smtp.reported("login")[0]["tls"], true, "the password never travelled in clear");
        assert_eq!((&taken["from"], &taken["to"]), (&json!("post@mellow.example.org"), &json!([ana.email])));
        assert_eq!(mail.header("From"), "\"A Mellow\" <post@mellow.example.org>");
        assert_eq!(mail.header("Subject"), "Reset your password");
        assert!(mail.link().contains("/reset#"));
        server.nothing_waits().await;
        assert!(outbox(server.folder()).is_empty(), "it does not lie around as well");
    }
}

#[tokio::test]
async fn a_mail_server_on_this_machine_accepts_mails_without_tls() {
    let smtp = SmtpServer::plain("take").await;
    let server = with_smtp(&[format!("smtp_url=smtp://127.0.0.1:{}", smtp.port)]).await;
    let ana = server.person("Ana").await;
    let fields =
        json!({ "key": key(), "email": "new@example.net", "password": crate::support::person::PASSWORD });
    ana.asks("auth.change_email", fields).await;
    smtp.waits_for("mail", 2).await;
    let mut to: Vec<Value> = smtp.reported("mail").iter().map(|mail| mail["to"][0].clone()).collect();
    to.sort_by_key(ToString::to_string);
    assert_eq!(to, [json!(ana.email), json!("new@example.net")]);
}

#[tokio::test]
async fn no_mail_is_sent_to_a_server_that_cannot_prove_its_name_or_has_no_tls() {
    let stranger = SmtpServer::private(&Certificate::of_somebody_else(), false, 0).await;
    let (clear, other) = (SmtpServer::plain("take").await, Certificate::new());
    for (smtp, login) in [(&stranger, true), (&clear, false)] {
        let login = if login { format!("{LOGIN_IN_URL}@") } else { String::new() };
        let url = format!("smtp_url=smtp://{login}localhost:{}?tls=required", smtp.port);
        let server = with_smtp(&[url, other.trusted()]).await;
        let ana = server.person("Ana").await;
        asks_for_a_link(&ana).await;
        was_tried(&server, 1).await;
        smtp.waits_for("connect", 1).await;
        for event in ["login", "recipient", "mail"] {
            assert_eq!(smtp.reported(event), Vec::<Value>::new(), "{event}");
        }
    }
}

#[tokio::test]
async fn a_mail_waits_while_the_mail_server_is_down_and_survives_a_restart() {
    let certificate = Certificate::new();
    let reserved = Port::reserve();
    let port = reserved.at.port();
    let url = format!("smtp_url=smtp://{LOGIN_IN_URL}@localhost:{port}?tls=required");
    let mut server = with_smtp(&[url, certificate.trusted()]).await;
    let ana = server.person("Ana").await;
    asks_for_a_link(&ana).await;
    was_tried(&server, 1).await;
    server.restarts().await;
    server.later(MINUTE_MS);
    was_tried(&server, 2).await;
    let smtp = SmtpServer::private(&certificate, false, port).await;
    server.later(5 * MINUTE_MS);
    let (taken, mail) = smtp.takes(1).await;
    assert_eq!((&taken["to"], &taken["tls"]), (&json!([ana.email]), &json!(true)));
    assert_eq!(mail.header("Date"), "Sun, 01 Mar 2026 09:00:00 +0000", "when it was written");
    server.nothing_waits().await;
}

#[tokio::test]
async fn a_busy_mail_server_is_tried_less_and_less_often_until_the_link_expires() {
    let smtp = SmtpServer::plain("451").await;
    let server = with_smtp(&[format!("smtp_url=smtp://127.0.0.1:{}", smtp.port)]).await;
    let ana = server.person("Ana").await;
    asks_for_a_link(&ana).await;
    for (times, pause) in [(1, 1), (2, 5), (3, 15)] {
        was_tried(&server, times).await;
        smtp.waits_for("recipient", usize::try_from(times).unwrap()).await;
        server.later(pause * MINUTE_MS - 1);
        // The next try is not due yet. Requests are answered meanwhile, and an early tick changes nothing.
        server.publishes_marker().await;
        assert_eq!(tries(&server), Some(times));
        server.later(1);
    }
    // The fourth try is the last, because the link would be expired an hour later.
    server.nothing_waits().await;
    smtp.waits_for("recipient", 4).await;
}

#[tokio::test]
async fn a_mail_that_was_refused_temporarily_is_retried_and_arrives() {
    let mut smtp = SmtpServer::plain("451").await;
    let server = with_smtp(&[format!("smtp_url=smtp://127.0.0.1:{}", smtp.port)]).await;
    let ana = server.person("Ana").await;
    asks_for_a_link(&ana).await;
    was_tried(&server, 1).await;
    smtp.feels("take").await;
    server.later(MINUTE_MS);
    let (_, mail) = smtp.takes(1).await;
    assert!(mail.link().contains("/reset#"));
    server.nothing_waits().await;
}

#[tokio::test]
async fn an_address_that_the_server_refuses_for_good_ends_at_once() {
    let mut smtp = SmtpServer::plain("550").await;
    let server = with_smtp(&[format!("smtp_url=smtp://127.0.0.1:{}", smtp.port)]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    asks_for_a_link(&ana).await;
    smtp.waits_for("recipient", 1).await;
    server.nothing_waits().await;
    // Mails to other addresses are still sent.
    smtp.feels("take").await;
    asks_for_a_link(&ben).await;
    let (taken, _) = smtp.takes(1).await;
    assert_eq!(taken["to"], json!([ben.email]));
}

#[tokio::test]
async fn a_wrong_smtp_password_loses_no_mail() {
    let certificate = Certificate::new();
    let smtp = SmtpServer::private(&certificate, false, 0).await;
    let url = format!("smtp_url=smtp://mellow:wrong@localhost:{}?tls=required", smtp.port);
    let server = with_smtp(&[url, certificate.trusted()]).await;
    let ana = server.person("Ana").await;
    asks_for_a_link(&ana).await;
    was_tried(&server, 1).await;
    // Mellow may record the failure before this test reads the report of the mail server.
    smtp.waits_for("login", 1).await;
    assert!(smtp.reported("mail").is_empty());
}

/// `mellow check` and the page of admins say what the host must mend. `part` is a part of it.
async fn says_what_to_mend(server: &TestServer, admin: &Person, part: &str) {
    let checked = server.host(&["check"]).await;
    assert_eq!(checked.code, 1, "{checked:?}");
    assert!(checked.why.contains(part) && checked.text.contains("mail: "), "{checked:?}");
    let figures = admin.asks("admin.health", json!({})).await;
    assert!(figures["mail_failure"].as_str().unwrap().contains(part), "{figures:?}");
}

#[tokio::test]
async fn what_a_mail_server_refuses_about_the_host_loses_no_mail_and_the_host_learns_what_to_mend() {
    for (mood, part) in [
        ("greeting 554", "554"),
        ("sender 550", "to the sender; check smtp_from"),
        // Postfix refuses the name and the sender only when it knows the recipient.
        ("recipient 504", "to the recipient; check smtp_from, smtp_hello"),
        ("text 530", "to the text; check smtp_from, smtp_hello and the login in smtp_url"),
    ] {
        let mut smtp = SmtpServer::plain(mood).await;
        let server = with_smtp(&[format!("smtp_url=smtp://127.0.0.1:{}", smtp.port)]).await;
        let ana = server.person("Ana").await;
        asks_for_a_link(&ana).await;
        was_tried(&server, 1).await;
        promoted(&server, &ana).await;
        says_what_to_mend(&server, &ana, part).await;
        smtp.feels("take").await;
        server.later(MINUTE_MS);
        server.nothing_waits().await;
        let (taken, mail) = smtp.takes(if mood.starts_with("text") { 2 } else { 1 }).await;
        assert_eq!(taken["to"], json!([ana.email]), "{mood}");
        assert!(mail.link().contains("/reset#"));
        let checked = server.host(&["check"]).await;
        assert_eq!((checked.code, &*checked.why), (0, ""), "{mood}");
    }
}

#[tokio::test]
async fn a_sender_that_a_mail_server_cannot_write_loses_no_mail() {
    let smtp = SmtpServer::plain("ascii").await;
    let from = "smtp_from=Mellow <post\u{e9}@mellow.example.org>".into();
    let server = with_smtp(&[format!("smtp_url=smtp://127.0.0.1:{}", smtp.port), from]).await;
    let ana = server.person("Ana").await;
    asks_for_a_link(&ana).await;
    was_tried(&server, 1).await;
    promoted(&server, &ana).await;
    says_what_to_mend(&server, &ana, "check smtp_from").await;
}

#[tokio::test]
async fn a_login_that_is_refused_and_a_certificate_that_is_not_trusted_are_said() {
    let certificate = Certificate::new();
    let smtp = SmtpServer::private(&certificate, false, 0).await;
    for (login, trusted, part) in [
        ("mellow:wrong", &certificate, "to the login; check the name and password in smtp_url"),
        (LOGIN_IN_URL, &Certificate::of_somebody_else(), "check smtp_url and smtp_ca"),
    ] {
        let url = format!("smtp_url=smtp://{login}@localhost:{}?tls=required", smtp.port);
        let server = with_smtp(&[url, trusted.trusted()]).await;
        let ana = server.person("Ana").await;
        asks_for_a_link(&ana).await;
        was_tried(&server, 1).await;
        promoted(&server, &ana).await;
        says_what_to_mend(&server, &ana, part).await;
    }
}

#[tokio::test]
async fn a_mail_server_that_wants_a_name_with_a_dot_gets_one() {
    for setting in ["smtp_hello=post.example.org", "smtp_hello="] {
        let smtp = SmtpServer::plain("dotted").await;
        let server = with_smtp(&[format!("smtp_url=smtp://127.0.0.1:{}", smtp.port), setting.into()]).await;
        let ana = server.person("Ana").await;
        asks_for_a_link(&ana).await;
        smtp.takes(1).await;
        let name = smtp.reported("hello")[0]["name"].as_str().unwrap().to_owned();
        assert!(
            setting.ends_with(&name) || setting == "smtp_hello=" && name.contains('.'),
            "{setting}: {name}"
        );
    }
}

#[tokio::test]
async fn a_silent_mail_server_delays_no_request() {
    let smtp = SmtpServer::plain("silent").await;
    let folder = tempfile::tempdir().unwrap();
    let url = format!("smtp://127.0.0.1:{}", smtp.port);
    let mut child = Child::starts(folder.path(), &[("smtp_url", &url)]);
    let ana = Person::signs_up(child.at, "Ana").await;
    // These are more mails than are sent at a time.
    for _ in 0..3 {
        asks_for_a_link(&ana).await;
    }
    smtp.waits_for("connect", 1).await;
    ana.posts("a post meanwhile").await;
    child.is_asked_to_stop();
    let (status, took) = child.ends().await;
    assert!(status.success());
    assert!(took < std::time::Duration::from_secs(5), "{took:?}");
    let waiting: i64 = look(folder.path());
    assert_eq!(waiting, 1, "the mail of the newest link waits for the next start");
}

fn look(folder: &Path) -> i64 {
    let database = rusqlite::Connection::open(folder.join("mellow.db")).unwrap();
    database.query_row("select count(*) from mails", [], |row| row.get(0)).unwrap()
}

#[tokio::test]
async fn a_mail_to_a_non_ascii_address_is_given_up_if_the_mail_server_does_not_support_it() {
    let smtp = SmtpServer::plain("take").await;
    let server = with_smtp(&[format!("smtp_url=smtp://127.0.0.1:{}", smtp.port)]).await;
    let ana = server.person("Ana").await;
    let email = "zo\u{eb}@m\u{fc}sli.example";
    let fields = json!({ "key": key(), "email": email, "password": crate::support::person::PASSWORD });
    ana.asks("auth.change_email", fields).await;
    smtp.waits_for("mail", 2).await;
    server.nothing_waits().await;
    let to: Vec<Value> = smtp.reported("mail").iter().map(|mail| mail["to"][0].clone()).collect();
    assert!(to.contains(&json!(ana.email)), "{to:?}");
    assert!(to.iter().any(|to| to.as_str().unwrap().starts_with("zo\u{eb}@")), "{to:?}");
}

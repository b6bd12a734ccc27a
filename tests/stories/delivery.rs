//! Letters on their way: a real mail server with STARTTLS and a log-in, and the same one in bad moods.

use std::path::Path;

use serde_json::{Value, json};

use crate::world::child::Child;
use crate::world::mail::outbox;
use crate::world::person::Person;
use crate::world::server::World;
use crate::world::smtp::{Certificate, LOGIN, LOGIN_IN_URL, SmtpServer};
use crate::world::value::key;

const MINUTE_MS: i64 = 60_000;

async fn asks_for_a_link(person: &Person) {
    person.asks("auth.send_reset", json!({ "key": key() })).await;
}

async fn told(settings: &[String]) -> World {
    let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
    World::told(&settings).await
}

fn tries(world: &World) -> Option<i64> {
    world.look().query_row("select tries from mails", [], |row| row.get(0)).ok()
}

async fn was_tried(world: &World, times: i64) {
    crate::world::comes_true(&format!("a letter was tried {times} times"), || tries(world) == Some(times))
        .await;
}

#[tokio::test]
async fn a_letter_goes_out_over_tls_and_after_a_log_in() {
    let certificate = Certificate::new();
    for (wrapped, url) in [
        (false, "smtp://LOGIN@localhost:PORT?tls=required"),
        (false, "smtp://LOGIN@127.0.0.1:PORT"),
        (true, "smtps://LOGIN@localhost:PORT"),
    ] {
        let server = SmtpServer::private(&certificate, wrapped, 0).await;
        let url = url.replace("LOGIN", LOGIN_IN_URL).replace("PORT", &server.port.to_string());
        let world = told(&[
            format!("smtp_url={url}"),
            certificate.trusted(),
            "smtp_from=A Mellow <post@mellow.example.org>".into(),
        ])
        .await;
        let ana = world.person("Ana").await;
        asks_for_a_link(&ana).await;

        let (taken, mail) = server.takes(1).await;
        assert_eq!((&taken["tls"], &taken["user"]), (&json!(true), &json!(LOGIN.0)), "{url}");
        assert_eq!(server.said("login")[0]["tls"], true, "the password never travelled in clear");
        assert_eq!((&taken["from"], &taken["to"]), (&json!("post@mellow.example.org"), &json!([ana.email])));
        assert_eq!(mail.header("From"), "\"A Mellow\" <post@mellow.example.org>");
        assert_eq!(mail.header("Subject"), "Reset your password");
        assert!(mail.link().contains("/reset#"));
        world.nothing_waits().await;
        assert!(outbox(world.folder()).is_empty(), "it does not lie around as well");
    }
}

#[tokio::test]
async fn a_mail_server_on_this_machine_takes_letters_as_they_are() {
    let server = SmtpServer::plain("take").await;
    let world = told(&[format!("smtp_url=smtp://127.0.0.1:{}", server.port)]).await;
    let ana = world.person("Ana").await;
    let fields =
        json!({ "key": key(), "email": "new@example.net", "password": crate::world::person::PASSWORD });
    ana.asks("auth.change_email", fields).await;
    server.says("mail", 2).await;
    let mut to: Vec<Value> = server.said("mail").iter().map(|mail| mail["to"][0].clone()).collect();
    to.sort_by_key(ToString::to_string);
    assert_eq!(to, [json!(ana.email), json!("new@example.net")]);
}

#[tokio::test]
async fn nothing_is_sent_to_a_server_that_cannot_prove_its_name_or_speaks_in_clear() {
    let stranger = SmtpServer::private(&Certificate::of_somebody_else(), false, 0).await;
    let (clear, other) = (SmtpServer::plain("take").await, Certificate::new());
    for (server, login) in [(&stranger, true), (&clear, false)] {
        let login = if login { format!("{LOGIN_IN_URL}@") } else { String::new() };
        let url = format!("smtp_url=smtp://{login}localhost:{}?tls=required", server.port);
        let world = told(&[url, other.trusted()]).await;
        let ana = world.person("Ana").await;
        asks_for_a_link(&ana).await;
        was_tried(&world, 1).await;
        server.says("connect", 1).await;
        for event in ["login", "recipient", "mail"] {
            assert_eq!(server.said(event), Vec::<Value>::new(), "{event}");
        }
    }
}

#[tokio::test]
async fn a_letter_waits_for_a_mail_server_that_is_down_and_for_a_restart_of_ours() {
    let certificate = Certificate::new();
    let port = {
        // Somebody's port, until it is given back here.
        let server = SmtpServer::private(&certificate, false, 0).await;
        server.port
    };
    let url = format!("smtp_url=smtp://{LOGIN_IN_URL}@localhost:{port}?tls=required");
    let mut world = told(&[url, certificate.trusted()]).await;
    let ana = world.person("Ana").await;
    asks_for_a_link(&ana).await;
    was_tried(&world, 1).await;
    world.restarts().await;
    world.later(MINUTE_MS);
    was_tried(&world, 2).await;
    let server = SmtpServer::private(&certificate, false, port).await;
    world.later(5 * MINUTE_MS);
    let (taken, mail) = server.takes(1).await;
    assert_eq!((&taken["to"], &taken["tls"]), (&json!([ana.email]), &json!(true)));
    assert_eq!(mail.header("Date"), "Sun, 01 Mar 2026 09:00:00 +0000", "when it was written");
    world.nothing_waits().await;
}

#[tokio::test]
async fn a_server_that_has_no_time_is_asked_less_and_less_and_no_longer_than_the_link_works() {
    let server = SmtpServer::plain("451").await;
    let world = told(&[format!("smtp_url=smtp://127.0.0.1:{}", server.port)]).await;
    let ana = world.person("Ana").await;
    asks_for_a_link(&ana).await;
    for (times, pause) in [(1, 1), (2, 5), (3, 15)] {
        was_tried(&world, times).await;
        server.says("recipient", usize::try_from(times).unwrap()).await;
        world.later(pause * MINUTE_MS - 1);
        // Not yet: she is served meanwhile, and a look at the clock changes nothing.
        world.rings().await;
        assert_eq!(tries(&world), Some(times));
        world.later(1);
    }
    // The fourth try is the last: an hour later the link would be over.
    world.nothing_waits().await;
    server.says("recipient", 4).await;
}

#[tokio::test]
async fn a_letter_that_was_turned_away_for_a_while_arrives_by_itself() {
    let mut server = SmtpServer::plain("451").await;
    let world = told(&[format!("smtp_url=smtp://127.0.0.1:{}", server.port)]).await;
    let ana = world.person("Ana").await;
    asks_for_a_link(&ana).await;
    was_tried(&world, 1).await;
    server.feels("take").await;
    world.later(MINUTE_MS);
    let (_, mail) = server.takes(1).await;
    assert!(mail.link().contains("/reset#"));
    world.nothing_waits().await;
}

#[tokio::test]
async fn an_address_that_the_server_refuses_for_good_ends_at_once() {
    let mut server = SmtpServer::plain("550").await;
    let world = told(&[format!("smtp_url=smtp://127.0.0.1:{}", server.port)]).await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    asks_for_a_link(&ana).await;
    server.says("recipient", 1).await;
    world.nothing_waits().await;
    // Others are not held against it.
    server.feels("take").await;
    asks_for_a_link(&ben).await;
    let (taken, _) = server.takes(1).await;
    assert_eq!(taken["to"], json!([ben.email]));
}

#[tokio::test]
async fn a_wrong_password_of_the_host_costs_nobody_a_letter() {
    let certificate = Certificate::new();
    let server = SmtpServer::private(&certificate, false, 0).await;
    let url = format!("smtp_url=smtp://mellow:wrong@localhost:{}?tls=required", server.port);
    let world = told(&[url, certificate.trusted()]).await;
    let ana = world.person("Ana").await;
    asks_for_a_link(&ana).await;
    was_tried(&world, 1).await;
    assert_eq!(server.said("login").len(), 1);
    assert!(server.said("mail").is_empty());
}

#[tokio::test]
async fn a_mail_server_that_never_says_a_word_keeps_nobody_waiting() {
    let server = SmtpServer::plain("silent").await;
    let folder = tempfile::tempdir().unwrap();
    let url = format!("smtp://127.0.0.1:{}", server.port);
    let mut child = Child::starts(folder.path(), &[("smtp_url", &url)]);
    let ana = Person::signs_up(child.at, "Ana").await;
    // More than are sent at a time.
    for _ in 0..3 {
        asks_for_a_link(&ana).await;
    }
    server.says("connect", 1).await;
    ana.posts("answered, written and told").await;
    child.is_asked_to_stop();
    let (status, took) = child.ends().await;
    assert!(status.success());
    assert!(took < std::time::Duration::from_secs(5), "{took:?}");
    let waiting: i64 = look(folder.path());
    assert_eq!(waiting, 1, "the newest link's letter waits for the next start");
}

fn look(folder: &Path) -> i64 {
    let database = rusqlite::Connection::open(folder.join("mellow.db")).unwrap();
    database.query_row("select count(*) from mails", [], |row| row.get(0)).unwrap()
}

#[tokio::test]
async fn an_address_in_other_letters_goes_to_a_server_that_knows_them_or_ends() {
    let server = SmtpServer::plain("take").await;
    let world = told(&[format!("smtp_url=smtp://127.0.0.1:{}", server.port)]).await;
    let ana = world.person("Ana").await;
    let email = "zo\u{eb}@m\u{fc}sli.example";
    let fields = json!({ "key": key(), "email": email, "password": crate::world::person::PASSWORD });
    ana.asks("auth.change_email", fields).await;
    server.says("mail", 2).await;
    world.nothing_waits().await;
    let to: Vec<Value> = server.said("mail").iter().map(|mail| mail["to"][0].clone()).collect();
    assert!(to.contains(&json!(ana.email)), "{to:?}");
    assert!(to.iter().any(|to| to.as_str().unwrap().starts_with("zo\u{eb}@")), "{to:?}");
}

//! Notices: what happened to an account, on its devices that did not do it, and in a mail.

use serde_json::{Value, json};

use crate::access::delivered::Watch;
use crate::access::rows::{NOBODY, SIGNED_IN};
use crate::feature::{Feature, NONE};
use crate::passkeys::{adds, passkeys};
use crate::support::mail::{Mail, outbox};
use crate::support::person::{PASSWORD, Person, email_of};
use crate::support::server::{MORNING_MS, TestServer};
use crate::support::socket::Socket;
use crate::support::value::key;
use crate::writes::{Sender, Stage};

pub const FEATURE: Feature = Feature {
    rows: &[
        ("notices.list", |_| json!({}), SIGNED_IN, None),
        // The reply does not tell whether there is such a notice.
        ("notices.answer", |_| about(&json!(7)), SIGNED_IN, None),
        ("notices.end_login", |_| about(&json!(7)), NOBODY, None),
    ],
    delivered: &[("notices.changed", &["doer", "doer's tab"])],
    play: |watch| Box::pin(play(watch)),
    writes: |stage, sender| Box::pin(send_writes(stage, sender)),
    reads: &["notices.list"],
    ..NONE
};

const DAY_MS: i64 = 24 * 3_600_000;
const FIREFOX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";

/// The fields of an answer to a notice.
fn about(id: &Value) -> Value {
    json!({ "key": key(), "notice_id": id })
}

async fn play(watch: &Watch<'_>) {
    let doer = watch.person("doer");
    watch.sees("a log-in from a new browser", Person::logs_in(doer.at, &doer.email)).await;
}

/// Two other browsers of Ana log in. She knows one of them, and ends the other login.
async fn send_writes(stage: &Stage<'_>, sender: &mut dyn Sender) {
    for op in ["notices.answer", "notices.end_login"] {
        let browser = Person::logs_in(stage.server.at, &stage.ana.email).await;
        let id = notices(&stage.ana.socket).await[0]["id"].clone();
        sender.send(stage.ana, op, 2, json!({ "notice_id": id })).await;
        if op == "notices.answer" {
            browser.asks("auth.log_out", json!({})).await;
        }
        browser.socket.closed().await;
    }
}

/// Reads the notices of a page, newest first.
async fn notices(page: &Socket) -> Vec<Value> {
    let listed = page.asks("notices.list", json!({})).await.expect("a list");
    listed["notices"].as_array().unwrap().clone()
}

/// Reads the kinds and the texts of the notices of a page, newest first.
pub async fn kinds_and_texts(page: &Socket) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    notices(page).await.iter().map(|notice| (text(&notice["kind"]), text(&notice["text"]))).collect()
}

pub fn owned((kind, text): (&str, &str)) -> (String, String) {
    (kind.to_owned(), text.to_owned())
}

/// Logs in from a browser that never did, of this kind.
async fn logs_in_from(server: &TestServer, email: &str, user_agent: &str) -> Socket {
    let browser = Socket::open_with(server.at, None, &[("User-Agent", user_agent)]).await;
    browser.asks("auth.log_in", json!({ "email": email, "password": PASSWORD })).await.expect("a log-in");
    browser
}

fn count(server: &TestServer, sql: &str) -> i64 {
    server.look().query_row(sql, [], |row| row.get(0)).unwrap()
}

/// A server that mails notices, whose clock moves only with `later`.
async fn with_mails() -> TestServer {
    TestServer::with_manual_clock(&["login_notices=on"]).await
}

/// Asserts that a mail to Ana has these facts, and nothing about people or networks.
fn says(mail: &Mail, server: &TestServer, subject: &str, facts: &[&str]) {
    assert_eq!(mail.header("Subject"), subject);
    assert_eq!(mail.header("To"), email_of("Ana"));
    assert_eq!(mail.link(), format!("http://{}/settings", server.at));
    for fact in facts {
        assert!(mail.text.lines().any(|line| line == *fact), "{fact} in {}", mail.text);
    }
    let rest = mail.text.replace(mail.link(), "");
    for word in ["Ana", "ana@", "127.0.0.1"] {
        assert!(!rest.contains(word), "{word} in {rest}");
    }
}

#[tokio::test]
async fn d_v6_a_log_in_from_a_new_browser_is_one_mail_and_one_line_on_the_other_devices() {
    let server = with_mails().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let tab = ana.opens_another_tab().await;
    let phone = ana.logs_in_on_phone().await;
    let browser = logs_in_from(&server, &ana.email, FIREFOX).await;
    let mut ids = Vec::new();
    for page in [&ana, &tab, &phone] {
        let event = page.receives("notices.changed").await;
        assert_eq!(event.as_object().unwrap().len(), 2, "a name and a number: {event}");
        let listed = notices(&page.socket).await;
        let [notice] = &listed[..] else { panic!("one notice, not {listed:?}") };
        assert_eq!(
            (&notice["kind"], &notice["text"], &notice["at_ms"]),
            (&json!("login"), &json!("Firefox on Linux"), &json!(MORNING_MS))
        );
        assert_eq!(notice.as_object().unwrap().len(), 4);
        ids.push(notice["id"].as_i64().unwrap());
    }
    assert_eq!(ids[0], ids[1], "two tabs of one browser see the same notice");
    assert_ne!(ids[0], ids[2], "each login has its own");
    assert!(notices(&browser).await.is_empty(), "the device that did it sees none");
    let mail = server.mail(1).await;
    let facts = ["Device: Firefox on Linux", "Time: 01/Mar/26, 09:00 (UTC)"];
    says(&mail, &server, "New login to your account", &facts);
    server.nothing_waits().await;
    assert_eq!(outbox(server.folder()).len(), 1);
    ben.receives_nothing(&server).await;
    assert!(notices(&ben.socket).await.is_empty());
}

#[tokio::test]
async fn d_v6_a_passkey_that_was_added_and_one_that_was_removed_are_a_mail_and_a_line_each() {
    let server = with_mails().await;
    let ana = server.person("Ana").await;
    let phone = ana.logs_in_on_phone().await;
    adds(&server, &ana, "Quetzal").await;
    let added = server.mail(1).await;
    let id = passkeys(&phone).await[0]["id"].clone();
    phone.asks("passkeys.remove", json!({ "key": key(), "passkey_id": id, "password": PASSWORD })).await;
    let removed = server.mail(2).await;
    let facts = ["Device: A browser", "Time: 01/Mar/26, 09:00 (UTC)"];
    says(&added, &server, "A passkey was added to your account", &facts);
    says(&removed, &server, "A passkey was removed from your account", &facts);
    assert!(!added.raw.contains("Quetzal") && !removed.raw.contains("Quetzal"), "no name is mailed");
    // Each device has the line about what the other one did.
    assert_eq!(kinds_and_texts(&phone.socket).await, [("passkey_added", "Quetzal")].map(owned));
    assert_eq!(kinds_and_texts(&ana.socket).await, [("passkey_removed", "Quetzal")].map(owned));
    server.nothing_waits().await;
    assert_eq!(outbox(server.folder()).len(), 2);
}

#[tokio::test]
async fn d_v6_a_mail_has_the_language_of_the_account_and_an_unknown_browser_has_no_name() {
    let server = TestServer::with_manual_clock(&["login_notices=on", "site_timezone=Europe/Berlin"]).await;
    let ana = server.person("Ana").await;
    ana.asks("profiles.language", json!({ "key": key(), "language": "de", "shown": "de" })).await;
    logs_in_from(&server, &ana.email, "curl/8.5.0").await;
    assert_eq!(notices(&ana.socket).await[0]["text"], "");
    let mail = server.mail(1).await;
    for line in ["Gerät: Ein Browser", "Zeit: 01.03.2026, 10:00 (Europe/Berlin)"] {
        assert!(mail.text.lines().any(|held| held == line), "{}", mail.text);
    }
}

#[tokio::test]
async fn d_v6_a_known_device_makes_no_notice_and_no_mail_also_after_a_reset() {
    let server = with_mails().await;
    let ana = server.person("Ana").await;
    ana.logs_in_on_phone().await;
    let browser = Person::logs_in(server.at, &ana.email).await;
    assert_eq!(notices(&ana.socket).await.len(), 1);
    browser.logs_in_on_phone().await;
    assert_eq!(notices(&ana.socket).await.len(), 1, "it is known from its first log-in on");
    server.mail(1).await;
    // The mark of a device is valid for one account only.
    let ben = server.person("Ben").await;
    Person::logs_in_on(server.at, &ben.email, &ana.device).await;
    assert_eq!(notices(&ben.socket).await.len(), 1);
    assert_eq!(server.mail(2).await.header("To"), ben.email);

    ana.asks("auth.send_reset", json!({ "key": key() })).await;
    let token = server.mail(3).await.token().to_owned();
    let reset = json!({ "key": key(), "token": token, "password": PASSWORD });
    server.guest().await.asks("auth.reset_password", reset).await.unwrap();
    assert_eq!(ana.socket.close_code().await, 4002);
    let ana = ana.logs_in_on_phone().await;
    ana.logs_in_on_phone().await;
    assert!(notices(&ana.socket).await.is_empty());
    server.nothing_waits().await;
    server.mail(3).await;
}

#[tokio::test]
async fn d_v6_a_sign_up_is_no_new_login_also_if_it_is_repeated() {
    let server = with_mails().await;
    let fields = json!({ "key": key(), "email": email_of("Ana"), "password": PASSWORD, "name": "Ana" });
    let (first, second) = (server.guest().await, server.guest().await);
    first.asks("auth.sign_up", fields.clone()).await.unwrap();
    // The reply was lost.
    second.asks("auth.sign_up", fields).await.unwrap();
    assert!(notices(&first).await.is_empty());
    assert_eq!(count(&server, "select count(*) from logins"), 2);
    server.nothing_waits().await;
    assert!(outbox(server.folder()).is_empty());
}

#[tokio::test]
async fn d_v6_that_was_me_answers_on_one_device_and_only_for_its_own_notices() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let phone = ana.logs_in_on_phone().await;
    let browser = logs_in_from(&server, &ana.email, FIREFOX).await;
    let (anas, phones) = (notices(&ana.socket).await, notices(&phone.socket).await);
    let (own, phones) = (&anas[0]["id"], &phones[0]["id"]);
    for other in [&ben.socket, &browser, &phone.socket] {
        other.asks("notices.answer", about(own)).await.unwrap();
        assert_eq!(other.asks("notices.end_login", about(own)).await.unwrap_err().code, "not_found");
    }
    assert_eq!(notices(&ana.socket).await.len(), 1, "nobody else's answer counts");
    let tab = ana.opens_another_tab().await;
    ana.asks("notices.answer", about(own)).await;
    tab.receives("notices.changed").await;
    assert!(notices(&tab.socket).await.is_empty());
    assert_eq!(notices(&phone.socket).await[0]["id"], *phones, "the phone was not asked yet");
    // A button that was pressed too late does not say that a login ended.
    ana.is_refused("not_found", "notices.end_login", about(own)).await;
    assert!(browser.is_open());
    assert_eq!(count(&server, "select count(*) from logins"), 4);
}

#[tokio::test]
async fn d_v6_log_it_out_ends_that_login_at_once_and_every_notice_about_it() {
    let server = TestServer::with_manual_clock(&[]).await;
    let ana = server.person("Ana").await;
    let phone = ana.logs_in_on_phone().await;
    server.later(1);
    let browser = Person::logs_in(server.at, &ana.email).await;
    let browsers_tab = browser.opens_another_tab().await;
    let another = logs_in_from(&server, &ana.email, FIREFOX).await;
    let listed = notices(&phone.socket).await;
    assert_eq!(listed.len(), 2);
    let fields = about(&listed[1]["id"]);
    let ended = phone.asks("notices.end_login", fields.clone()).await;
    for page in [&browser, &browsers_tab] {
        assert_eq!(page.socket.close_code().await, 4002);
    }
    let hello = Socket::open(server.at, Some(&browser.cookie)).await.hello().await;
    assert_eq!(hello["login"], "ended");
    for page in [&ana, &phone] {
        let left = notices(&page.socket).await;
        assert_eq!((left.len(), &left[0]["text"]), (1, &json!("Firefox on Linux")), "only the other one");
    }
    assert_eq!(phone.asks("notices.end_login", fields).await, ended, "a lost reply is given again");
    assert!(another.is_open());
    ana.posts("she is still here").await;
    // The browser does not come back in silence. One that was known before still does.
    Person::logs_in_on(server.at, &ana.email, &browser.device).await;
    assert_eq!(notices(&phone.socket).await.len(), 2);
    ana.logs_in_on_phone().await;
    assert_eq!(notices(&phone.socket).await.len(), 2);
}

#[tokio::test]
async fn d_v6_log_it_out_also_ends_what_that_browser_began_since_in_silence() {
    let server = TestServer::with_manual_clock(&[]).await;
    let ana = server.person("Ana").await;
    let phone = ana.logs_in_on_phone().await;
    server.later(1);
    let stranger = Person::logs_in(server.at, &ana.email).await;
    let listed = notices(&ana.socket).await;
    // A browser that is known by now logs in without a notice, and its first login is over.
    let again = stranger.logs_in_on_phone().await;
    stranger.asks("auth.log_out", json!({})).await;
    stranger.socket.closed().await;
    let once_more = again.logs_in_on_phone().await;
    assert_eq!(notices(&ana.socket).await, listed);
    ana.asks("notices.end_login", about(&listed[0]["id"])).await;
    for page in [&again, &once_more] {
        assert_eq!(page.socket.close_code().await, 4002);
    }
    for page in [&ana, &phone] {
        page.posts("she is still here").await;
    }
    assert_eq!(count(&server, "select count(*) from logins"), 2);
}

#[tokio::test]
async fn d_v6_a_login_that_ended_by_itself_is_not_forgotten_and_the_press_only_removes_the_line() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let browser = logs_in_from(&server, &ana.email, FIREFOX).await;
    browser.asks("auth.log_out", json!({})).await.unwrap();
    browser.closed().await;
    let listed = notices(&ana.socket).await;
    assert_eq!(listed.len(), 1, "a stranger who logs out again does not hide");
    ana.asks("notices.end_login", about(&listed[0]["id"])).await;
    assert!(notices(&ana.socket).await.is_empty());
    ana.posts("she is still here").await;
}

#[tokio::test]
async fn d_v6_a_stranger_who_logs_in_again_and_again_ends_none_of_the_logins_that_were_there_before() {
    let server = TestServer::with_manual_clock(&[]).await;
    let ana = server.person("Ana").await;
    let phone = ana.logs_in_on_phone().await;
    server.later(1_000);
    let stranger = Person::logs_in(server.at, &ana.email).await;
    let [on_laptop, on_phone] = [notices(&ana.socket).await, notices(&phone.socket).await];
    for _ in 0..50 {
        server.later(1_000);
        Person::logs_in(server.at, &ana.email).await;
        server.later(1_000);
        // This browser is known by now, so that nobody is told.
        stranger.logs_in_on_phone().await;
    }
    assert_eq!(stranger.socket.close_code().await, 4002);
    assert_eq!(count(&server, "select count(*) from logins"), 50);
    for (page, first) in [(&ana, on_laptop), (&phone, on_phone)] {
        page.posts("she is still here").await;
        assert_eq!(notices(&page.socket).await.last(), first.last(), "and sees what happened first");
    }
}

#[tokio::test]
async fn d_v6_a_notice_that_is_not_answered_stays_for_thirty_days_and_no_longer() {
    let server = TestServer::with_manual_clock(&[]).await;
    let ana = server.person("Ana").await;
    logs_in_from(&server, &ana.email, FIREFOX).await;
    server.later(20 * DAY_MS);
    // The use is recorded by a separate write. After the marker that write is committed too.
    ana.asks("live.probe", json!({})).await;
    server.publishes_marker().await;
    server.later(10 * DAY_MS);
    assert_eq!(notices(&ana.socket).await.len(), 1);
    server.later(1);
    assert!(notices(&ana.socket).await.is_empty());
    assert_eq!(notices(&ana.opens_another_tab().await.socket).await, [Value::Null; 0]);
}

#[tokio::test]
async fn d_u3_quiet_hours_hold_back_no_notice() {
    let server = TestServer::with_manual_clock(&[]).await;
    let ana = server.person("Ana").await;
    let days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
    let hours =
        json!({ "key": key(), "on": true, "from": "08:00", "to": "10:00", "days": days, "zone": "UTC" });
    ana.asks("quiet.set", hours).await;
    let is_quiet = |event: &Value| !event["me"]["quiet_until_ms"].is_null();
    ana.socket.receives_where("account.changed", is_quiet).await;
    logs_in_from(&server, &ana.email, FIREFOX).await;
    ana.receives("notices.changed").await;
    assert_eq!(notices(&ana.socket).await.len(), 1);
}

#[tokio::test]
async fn d_v6_a_host_switches_the_mails_off_and_the_notices_stay() {
    let server = TestServer::with(&["login_notices=off"]).await;
    let ana = server.person("Ana").await;
    logs_in_from(&server, &ana.email, FIREFOX).await;
    assert_eq!(notices(&ana.socket).await.len(), 1);
    server.nothing_waits().await;
    assert!(outbox(server.folder()).is_empty());
}

#[tokio::test]
async fn s13_mails_about_log_ins_are_limited_for_each_account_and_the_notices_are_not() {
    let server = TestServer::with_manual_clock(&["login_notices=on", "mails_per_hour=2"]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    for _ in 0..3 {
        logs_in_from(&server, &ana.email, FIREFOX).await;
    }
    server.nothing_waits().await;
    server.mail(2).await;
    assert_eq!(notices(&ana.socket).await.len(), 3);
    logs_in_from(&server, &ben.email, FIREFOX).await;
    assert_eq!(server.mail(3).await.header("To"), ben.email);
    // She can still ask for a link.
    ana.asks("auth.send_reset", json!({ "key": key() })).await;
    server.mail(4).await;
}

#[tokio::test]
async fn notices_go_with_their_account() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    logs_in_from(&server, &ana.email, FIREFOX).await;
    assert_eq!(count(&server, "select count(*) from notices"), 1);
    ana.deletes_account().await;
    assert_eq!(count(&server, "select count(*) from notices"), 0);
    assert_eq!(count(&server, "select count(*) from mails"), 0);
}

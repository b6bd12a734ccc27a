//! The list of logins, and ending all others.

use serde_json::{Value, json};

use crate::support::person::{PASSWORD, Person};
use crate::support::server::TestServer;
use crate::support::socket::Socket;
use crate::support::value::key;
use crate::writes::{Sender, Stage};

const FIREFOX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";
const IPHONE: &str = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 \
    (KHTML, like Gecko) Version/26.1 Mobile/15E148 Safari/604.1";

async fn logins(socket: &Socket) -> Vec<Value> {
    socket.asks("auth.logins", json!({})).await.unwrap()["logins"].as_array().unwrap().clone()
}

fn devices(logins: &[Value]) -> Vec<&str> {
    logins.iter().map(|login| login["device"].as_str().unwrap_or_default()).collect()
}

#[tokio::test]
async fn ana_sees_where_she_is_logged_in_the_last_used_first() {
    let server = TestServer::with_manual_clock(&[]).await;
    let laptop = Socket::open_with(server.at, None, &[("User-Agent", FIREFOX)]).await;
    let fields = json!({ "key": key(), "email": "ana@example.org", "password": PASSWORD, "name": "Ana" });
    laptop.asks("auth.sign_up", fields).await.unwrap();
    server.later(1_000);
    let phone = Socket::open_with(server.at, None, &[("User-Agent", IPHONE)]).await;
    phone.asks("auth.log_in", json!({ "email": "ana@example.org", "password": PASSWORD })).await.unwrap();
    server.later(1_000);
    let program = Person::logs_in(server.at, "ana@example.org").await;
    server.person("Ben").await;

    let seen = logins(&laptop).await;
    assert_eq!(devices(&seen), ["", "Safari on iPhone", "Firefox on Linux"]);
    let current: Vec<bool> = seen.iter().map(|login| login["current"] == true).collect();
    assert_eq!(current, [false, false, true]);
    assert!(seen[1]["created_at_ms"].as_i64() < seen[0]["created_at_ms"].as_i64());
    assert!(seen.iter().all(|login| login["used_at_ms"].is_i64() && login["id"].is_i64()));
    assert_eq!(seen[0].as_object().unwrap().get("token_hash"), None);
    let theirs = logins(&program.socket).await;
    assert_eq!(theirs[0]["current"], true, "each sees itself as the current one");
}

#[tokio::test]
async fn ana_logs_out_everywhere_else() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let (tab, phone, tablet) =
        (ana.opens_another_tab().await, ana.logs_in_on_phone().await, ana.logs_in_on_phone().await);
    let fields = json!({ "key": key() });
    assert_eq!(ana.asks("auth.log_out_others", fields.clone()).await, json!({}));
    for socket in [&phone.socket, &tablet.socket] {
        assert_eq!(socket.close_code().await, 4002);
    }
    assert_eq!(logins(&ana.socket).await.len(), 1);
    tab.posts("this browser stays").await;
    ben.posts("others too").await;
    // A repeated request with the same key does not end a login that began meanwhile.
    let again = ana.logs_in_on_phone().await;
    ana.asks("auth.log_out_others", fields).await;
    again.posts("still here").await;
}

#[tokio::test]
async fn an_expired_login_is_not_listed() {
    const DAY_MS: i64 = 24 * 3_600_000;
    let server = TestServer::with_manual_clock(&[]).await;
    let ana = server.person("Ana").await;
    server.later(31 * DAY_MS);
    let phone = ana.logs_in_on_phone().await;
    assert_eq!(logins(&phone.socket).await.len(), 1);
}

/// Sends writes about logins and mails, for an address with an account and one without.
pub async fn send_writes(stage: &Stage<'_>, sender: &mut dyn Sender) {
    let Stage { server, ana, ben, .. } = *stage;
    let guest = server.guest().await;
    let asks = async |op: &str, fields: Value| guest.asks(op, fields).await.unwrap();
    for email in [ana.email.as_str(), "nobody@people.example.org"] {
        let reply = asks("auth.request_reset", json!({ "email": email }));
        sender.send_once("auth.request_reset", 0, Box::pin(reply)).await;
    }
    server.mail(1).await;
    sender.send(ana, "auth.send_reset", 0, json!({})).await;
    server.mail(2).await;
    let change = json!({ "email": "ana.new@people.example.org", "password": PASSWORD });
    sender.send(ana, "auth.change_email", 1, change).await;
    let token = server.mail_to("ana.new@people.example.org", 4).await.token().to_owned();
    sender.send(ana, "auth.confirm_email", 1, json!({ "token": token })).await;
    sender.send(ana, "auth.log_out_others", 0, json!({})).await;
    asks("auth.request_reset", json!({ "email": "ana.new@people.example.org" })).await;
    let token = server.mail(5).await.token().to_owned();
    let reset = json!({ "token": token, "password": "a new and longer password" });
    sender.send_as_guest("auth.reset_password", 0, reset).await;
    let log_in = json!({ "email": ben.email, "password": PASSWORD });
    // Ben's page and the new one receive that there is a notice.
    sender.send_once("auth.log_in", 2, Box::pin(asks("auth.log_in", log_in))).await;
    sender.send_once("auth.log_out", 0, Box::pin(asks("auth.log_out", json!({})))).await;
}

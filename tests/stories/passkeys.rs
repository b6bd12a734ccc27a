//! Passkeys: adding, naming and removing them, where they work, and what they never do. [`log_in`] is about log-ins.

mod log_in;

use mellow::features::auth::device_hash;
use serde_json::{Value, json};

use crate::access::delivered::Watch;
use crate::access::rows::Then::{Invalid, NotSignedIn, PasskeyUnknown};
use crate::access::rows::{Columns, NOBODY, SIGNED_IN};
use crate::admins::{host, log_of, promoted};
use crate::backups::{backup, restore};
use crate::exports::{archive_of, list};
use crate::feature::{Feature, NONE};
use crate::notices::{kinds_and_texts, owned};
use crate::support::authenticator::{Authenticator, options};
use crate::support::http;
use crate::support::person::{PASSWORD, Person, cookie_for};
use crate::support::server::TestServer;
use crate::support::socket::{Refused, Socket};
use crate::support::value::{contains, key};
use crate::writes::{Sender, Stage};

/// A challenge that nobody began.
const NO_CHALLENGE: &str = "000102030405060708090a0b0c0d0e0f";
const HAS_NOT_BEGUN: Columns =
    [NotSignedIn, Invalid, Invalid, Invalid, Invalid, NotSignedIn, Invalid, Invalid, Invalid];
const HAS_NO_PASSKEY: Columns = [
    NotSignedIn,
    PasskeyUnknown,
    PasskeyUnknown,
    PasskeyUnknown,
    PasskeyUnknown,
    NotSignedIn,
    PasskeyUnknown,
    PasskeyUnknown,
    PasskeyUnknown,
];

pub const FEATURE: Feature = Feature {
    rows: &[
        ("passkeys.list", |_| json!({}), SIGNED_IN, None),
        ("passkeys.begin_add", |_| new("Laptop", PASSWORD), SIGNED_IN, None),
        (
            "passkeys.finish_add",
            |_| json!({ "key": key(), "challenge": NO_CHALLENGE, "response": "{}" }),
            HAS_NOT_BEGUN,
            None,
        ),
        ("passkeys.rename", |_| json!({ "key": key(), "passkey_id": 7, "name": "Laptop" }), NOBODY, None),
        ("passkeys.begin_use", |_| json!({}), HAS_NO_PASSKEY, None),
        ("passkeys.remove", |_| json!({ "key": key(), "passkey_id": 7, "password": PASSWORD }), NOBODY, None),
    ],
    delivered: &[("passkeys.changed", &["doer", "doer's tab"])],
    play: |watch| Box::pin(play(watch)),
    writes: |stage, sender| Box::pin(send_writes(stage, sender)),
    reads: &["passkeys.list", "passkeys.begin_add", "passkeys.begin_use"],
    ..NONE
};

async fn play(watch: &Watch<'_>) {
    watch.sees("add a passkey", adds(watch.server, watch.person("doer"), "Laptop")).await;
}

/// Cleo adds a passkey, names it, logs in with it in a browser that is known, and removes it.
async fn send_writes(stage: &Stage<'_>, sender: &mut dyn Sender) {
    let Stage { server, cleo, .. } = *stage;
    let begun = cleo.asks("passkeys.begin_add", new("Laptop", PASSWORD)).await;
    let (mut device, response) = Authenticator::makes(&begun, &Authenticator::origin_of(server));
    let finish = json!({ "challenge": begun["challenge"], "response": response });
    let id = sender.send(cleo, "passkeys.finish_add", 1, finish).await["passkey"]["id"].clone();
    sender.send(cleo, "passkeys.rename", 1, json!({ "passkey_id": id, "name": "Old laptop" })).await;
    let known = "0".repeat(64);
    let insert = "insert into devices (user_id, token_hash, used_at_ms) values (?1, ?2, ?3)";
    server.look().execute(insert, (cleo.id, device_hash(&known), 1_i64 << 50)).unwrap();
    let cookie = format!("mellow-device={known}");
    let browser = Socket::open_with(server.at, None, &[("Cookie", cookie.as_str())]).await;
    let begun = browser.asks("auth.begin_passkey", json!({})).await.unwrap();
    let log_in = json!({ "challenge": begun["challenge"], "response": device.uses(&begun) });
    let reply = async { browser.asks("auth.log_in_with_passkey", log_in).await.unwrap() };
    sender.send_once("auth.log_in_with_passkey", 0, Box::pin(reply)).await;
    browser.asks("auth.log_out", json!({})).await.unwrap();
    browser.closed().await;
    sender.send(cleo, "passkeys.remove", 1, json!({ "passkey_id": id, "password": PASSWORD })).await;
}

fn new(name: &str, password: &str) -> Value {
    json!({ "name": name, "password": password })
}

/// Adds a passkey. Returns the device.
pub async fn adds(server: &TestServer, person: &Person, name: &str) -> Authenticator {
    let begun = person.asks("passkeys.begin_add", new(name, PASSWORD)).await;
    let (device, response) = Authenticator::makes(&begun, &Authenticator::origin_of(server));
    let fields = json!({ "key": key(), "challenge": begun["challenge"], "response": response });
    let saved = person.asks("passkeys.finish_add", fields).await;
    assert_eq!((&saved["passkey"]["name"], &saved["passkey"]["used_at_ms"]), (&json!(name), &Value::Null));
    device
}

pub async fn passkeys(person: &Person) -> Vec<Value> {
    person.asks("passkeys.list", json!({})).await["passkeys"].as_array().unwrap().clone()
}

async fn names(person: &Person) -> Vec<String> {
    passkeys(person).await.iter().map(|passkey| passkey["name"].as_str().unwrap().to_owned()).collect()
}

/// Begins a log-in, as a guest.
async fn begins(server: &TestServer) -> (Socket, Value) {
    let guest = server.guest().await;
    let begun = guest.asks("auth.begin_passkey", json!({})).await.expect("a challenge");
    (guest, begun)
}

/// Answers a challenge.
async fn answers(guest: &Socket, begun: &Value, response: &str) -> Result<Value, Refused> {
    let fields = json!({ "challenge": begun["challenge"], "response": response });
    guest.asks("auth.log_in_with_passkey", fields).await
}

/// Logs in with a passkey.
async fn logs_in(server: &TestServer, device: &mut Authenticator) -> Result<Value, Refused> {
    let (guest, begun) = begins(server).await;
    let response = device.uses(&begun);
    answers(&guest, &begun, &response).await
}

fn is_unknown(reply: Result<Value, Refused>) {
    let no = reply.expect_err("an unknown passkey");
    assert_eq!(no.code, "passkey_unknown");
    assert_eq!(no.message, "That passkey isn't known here. Please use your password.");
}

/// Returns the fields that remove a passkey by the use of another one.
async fn removal(person: &Person, id: &Value, device: &mut Authenticator) -> Value {
    let begun = person.asks("passkeys.begin_use", json!({})).await;
    json!({ "key": key(), "passkey_id": id, "challenge": begun["challenge"], "response": device.uses(&begun) })
}

#[tokio::test]
async fn d_v1_ana_adds_a_passkey_and_logs_in_with_it_in_another_browser() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let tab = ana.opens_another_tab().await;
    ben.is_up_to_date(&server).await;
    let mut device = adds(&server, &ana, "Ana's laptop").await;
    tab.receives("passkeys.changed").await;
    ben.receives_nothing(&server).await;
    let listed = ana.asks("passkeys.list", json!({})).await;
    let one = &listed["passkeys"][0];
    assert_eq!(listed["available"], true);
    let shown = json!({
        "id": one["id"], "name": "Ana's laptop", "host": null, "added_at_ms": one["added_at_ms"],
        "used_at_ms": null,
    });
    assert_eq!(one, &shown, "and nothing of the key");

    let (guest, begun) = begins(&server).await;
    let response = device.uses(&begun);
    let ok = answers(&guest, &begun, &response).await.unwrap();
    assert_eq!((&ok["me"]["id"], &ok["me"]["email"]), (&json!(ana.id), &json!(ana.email)));
    guest.asks("posts.create", crate::support::person::post("this socket is hers")).await.unwrap();
    let cookie = cookie_for(server.at, ok["ticket"].as_str().unwrap()).await.expect("a cookie");
    let opened = Socket::open(server.at, Some(&cookie)).await.hello().await;
    assert_eq!(opened["me"]["id"], ana.id);
    assert!(passkeys(&ana).await[0]["used_at_ms"].is_i64());
    logs_in(&server, &mut device).await.expect("again");
    Person::logs_in(server.at, &ana.email).await;
}

#[tokio::test]
async fn d_v1_the_handle_is_random_and_the_same_for_all_passkeys_of_a_user() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let (laptop, phone) = (adds(&server, &ana, "Laptop").await, adds(&server, &ana, "Phone").await);
    let his = adds(&server, &ben, "His").await;
    assert_eq!(laptop.handle(), phone.handle());
    assert_ne!(laptop.handle(), his.handle());
    assert_eq!(laptop.handle().len(), 16);
    assert!(!contains(laptop.handle(), &ana.id.to_be_bytes()));
    let begun = ana.asks("passkeys.begin_add", new("Tablet", PASSWORD)).await;
    let excluded: Vec<Value> = options(&begun)["excludeCredentials"].as_array().unwrap().clone();
    let ids: Vec<&Value> = excluded.iter().map(|one| &one["id"]).collect();
    assert_eq!(ids, [&json!(laptop.id()), &json!(phone.id())], "these devices make no other one");
}

#[tokio::test]
async fn d_v1_of_two_first_passkeys_that_are_begun_at_once_the_later_one_is_added_at_another_try() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let tab = ana.opens_another_tab().await;
    let [first, second] = [
        ana.asks("passkeys.begin_add", new("Laptop", PASSWORD)).await,
        tab.asks("passkeys.begin_add", new("Phone", PASSWORD)).await,
    ];
    let finish = |begun: &Value| {
        let (device, response) = Authenticator::makes(begun, &Authenticator::origin_of(&server));
        let fields = json!({ "key": key(), "challenge": begun["challenge"], "response": response });
        (device, fields)
    };
    let (laptop, fields) = finish(&first);
    ana.asks("passkeys.finish_add", fields).await;
    let (_, fields) = finish(&second);
    let no = tab.is_refused("invalid", "passkeys.finish_add", fields).await;
    assert_eq!(no.why, "passkey_not_added");
    assert_eq!(adds(&server, &tab, "Phone").await.handle(), laptop.handle());
    assert_eq!(names(&ana).await, ["Laptop", "Phone"]);
}

#[tokio::test]
async fn d_v1_a_device_that_does_not_verify_its_user_is_refused() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let begun = ana.asks("passkeys.begin_add", new("Laptop", PASSWORD)).await;
    let (_, response) = Authenticator::makes_unverified(&begun, &Authenticator::origin_of(&server));
    let fields = json!({ "key": key(), "challenge": begun["challenge"], "response": response });
    let no = ana.is_refused("invalid", "passkeys.finish_add", fields).await;
    assert_eq!((&*no.why, &*no.message), ("passkey_not_added", "The passkey was not added."));
    assert!(passkeys(&ana).await.is_empty());

    let mut device = adds(&server, &ana, "Laptop").await;
    device.verifies = false;
    is_unknown(logs_in(&server, &mut device).await);
    device.verifies = true;
    logs_in(&server, &mut device).await.expect("a device that verifies");
}

#[tokio::test]
async fn d_v1_an_account_has_ten_passkeys() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    for number in 1..=10 {
        adds(&server, &ana, &format!("Number {number}")).await;
    }
    let no = ana.is_refused("invalid", "passkeys.begin_add", new("One more", PASSWORD)).await;
    assert_eq!((&*no.why, &*no.message), ("passkeys_full", "You have 10 passkeys. Remove one first."));
    let first = passkeys(&ana).await[0]["id"].clone();
    ana.asks("passkeys.remove", json!({ "key": key(), "passkey_id": first, "password": PASSWORD })).await;
    adds(&server, &ana, "One more").await;
}

#[tokio::test]
async fn ana_names_a_passkey_and_nobody_else_does() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    adds(&server, &ana, "Laptop").await;
    let id = passkeys(&ana).await[0]["id"].clone();
    let rename = |name: &str| json!({ "key": key(), "passkey_id": id, "name": name });
    ben.is_refused("not_found", "passkeys.rename", rename("His now")).await;
    for (name, why) in
        [("", "passkey_name_blank"), (" \u{200b} ", "passkey_name_blank"), (&*"x".repeat(41), "too_long")]
    {
        let no = ana.is_refused("invalid", "passkeys.rename", rename(name)).await;
        assert_eq!((&*no.why, no.field.as_deref()), (why, Some("name")));
        let no = ana.is_refused("invalid", "passkeys.begin_add", new(name, PASSWORD)).await;
        assert_eq!(no.why, why);
    }
    ana.asks("passkeys.rename", rename("  Old \n laptop ")).await;
    assert_eq!(names(&ana).await, ["Old laptop"]);
}

#[tokio::test]
async fn d_v1_of_two_passkeys_each_logs_in_and_a_removed_one_does_not() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let mut laptop = adds(&server, &ana, "Laptop").await;
    let mut phone = adds(&server, &ana, "Phone").await;
    for device in [&mut laptop, &mut phone] {
        assert_eq!(logs_in(&server, device).await.unwrap()["me"]["id"], ana.id);
    }
    let id = passkeys(&ana).await[0]["id"].clone();
    let (guest, begun) = begins(&server).await;
    ana.asks("passkeys.remove", json!({ "key": key(), "passkey_id": id, "password": PASSWORD })).await;
    assert_eq!(names(&ana).await, ["Phone"]);
    let response = laptop.uses(&begun);
    is_unknown(answers(&guest, &begun, &response).await);
    logs_in(&server, &mut phone).await.expect("the other one stays");
}

#[tokio::test]
async fn d_v2_a_passkey_of_an_earlier_host_name_is_listed_with_it_and_can_only_be_removed() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let mut device = adds(&server, &ana, "Laptop").await;
    server.look().execute("update passkeys set host = 'old.example'", ()).unwrap();
    let one = passkeys(&ana).await.remove(0);
    assert_eq!(one["host"], "old.example");
    is_unknown(logs_in(&server, &mut device).await);
    ana.is_refused("passkey_unknown", "passkeys.begin_use", json!({})).await;
    let rename = json!({ "key": key(), "passkey_id": one["id"], "name": "Other" });
    ana.is_refused("not_found", "passkeys.rename", rename).await;
    // Another one can be added beside it.
    adds(&server, &ana, "Here").await;
    ana.asks("passkeys.remove", json!({ "key": key(), "passkey_id": one["id"], "password": PASSWORD })).await;
    assert_eq!(names(&ana).await, ["Here"]);
}

#[tokio::test]
async fn d_v2_what_a_page_of_another_origin_made_is_refused() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    for origin in ["https://mellow.example", "http://localhost:1", "http://localhost.mellow.example"] {
        let begun = ana.asks("passkeys.begin_add", new("Laptop", PASSWORD)).await;
        let (_, response) = Authenticator::makes(&begun, origin);
        let fields = json!({ "key": key(), "challenge": begun["challenge"], "response": response });
        ana.is_refused("invalid", "passkeys.finish_add", fields).await;
    }
    let mut device = adds(&server, &ana, "Laptop").await;
    device.origin = "http://localhost:1".into();
    is_unknown(logs_in(&server, &mut device).await);
}

/// Returns the host name of passkeys that the page has; empty if they can work nowhere.
async fn host_of_page(server: &TestServer) -> Option<String> {
    let page = http::ask(server.at, "GET", "/login", &[], "").await.body;
    let rest = page.split("name=\"mellow:passkeys\" content=\"").nth(1)?;
    rest.split('"').next().map(str::to_owned)
}

#[tokio::test]
async fn d_v2_at_an_ip_address_nobody_has_passkeys_and_all_else_works() {
    let mut server = TestServer::new().await;
    let mut ana = server.person("Ana").await;
    adds(&server, &ana, "Laptop").await;
    assert_eq!(host_of_page(&server).await.as_deref(), Some("localhost"));
    server.restarts_with(&[&format!("public_url=http://{}", server.at)]).await;
    ana.reconnects().await;
    assert_eq!(host_of_page(&server).await.as_deref(), Some(""));
    let listed = ana.asks("passkeys.list", json!({})).await;
    assert_eq!((&listed["available"], &listed["passkeys"][0]["host"]), (&json!(false), &json!("localhost")));
    let no = ana.is_refused("passkeys_off", "passkeys.begin_add", new("Phone", PASSWORD)).await;
    assert_eq!(no.message, "Passkeys don't work here.");
    let guest = server.guest().await;
    assert_eq!(guest.asks("auth.begin_passkey", json!({})).await.unwrap_err().code, "passkeys_off");
    let id = &listed["passkeys"][0]["id"];
    ana.asks("passkeys.remove", json!({ "key": key(), "passkey_id": id, "password": PASSWORD })).await;
    assert!(passkeys(&ana).await.is_empty());
}

#[tokio::test]
async fn a_host_switches_passkeys_off_and_they_stay_stored() {
    let mut server = TestServer::new().await;
    let mut ana = server.person("Ana").await;
    let mut device = adds(&server, &ana, "Laptop").await;
    let id = passkeys(&ana).await[0]["id"].clone();
    server.restarts_with(&["passkeys=off"]).await;
    ana.reconnects().await;
    assert_eq!(host_of_page(&server).await, None);
    let listed = ana.asks("passkeys.list", json!({})).await;
    assert_eq!((&listed["available"], &listed["passkeys"]), (&json!(false), &json!([])));
    for (op, fields) in [
        ("passkeys.begin_add", new("Phone", PASSWORD)),
        ("passkeys.finish_add", json!({ "key": key(), "challenge": NO_CHALLENGE, "response": "{}" })),
        ("passkeys.rename", json!({ "key": key(), "passkey_id": id, "name": "Phone" })),
        ("passkeys.begin_use", json!({})),
        ("passkeys.remove", json!({ "key": key(), "passkey_id": id, "password": PASSWORD })),
        ("auth.begin_passkey", json!({})),
        ("auth.log_in_with_passkey", json!({ "challenge": NO_CHALLENGE, "response": "{}" })),
        ("auth.reset_passkeys", json!({ "token": "any" })),
    ] {
        ana.is_refused("passkeys_off", op, fields).await;
    }
    server.restarts_with(&[]).await;
    logs_in(&server, &mut device).await.expect("they are back");
}

#[tokio::test]
async fn d_v3_adding_asks_for_the_current_password_and_ends_no_login() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let phone = ana.logs_in_on_phone().await;
    let no = ana.is_refused("wrong_password", "passkeys.begin_add", new("Laptop", "not hers at all")).await;
    let expected = ("Incorrect password. Please try again.", Some("password"));
    assert_eq!((&*no.message, no.field.as_deref()), expected);
    adds(&server, &ana, "Laptop").await;
    phone.posts("still here").await;
    let guest = server.guest().await;
    let no = guest.asks("passkeys.begin_add", new("Laptop", PASSWORD)).await.unwrap_err();
    assert_eq!(no.code, "not_signed_in");
}

#[tokio::test]
async fn s6_guesses_at_the_password_for_a_passkey_are_limited() {
    let server = TestServer::with_manual_clock(&["logins_per_quarter=2"]).await;
    let ana = server.person("Ana").await;
    for _ in 0..2 {
        ana.is_refused("wrong_password", "passkeys.begin_add", new("Laptop", "a guess of mine")).await;
    }
    ana.is_refused("slow_down", "passkeys.begin_add", new("Laptop", PASSWORD)).await;
    let remove = json!({ "key": key(), "passkey_id": 7, "password": PASSWORD });
    ana.is_refused("slow_down", "passkeys.remove", remove).await;
}

#[tokio::test]
async fn d_v3_a_passkey_is_removed_with_the_password_or_with_any_own_passkey() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let tablet = ana.logs_in_on_phone().await;
    let mut laptop = adds(&server, &ana, "Laptop").await;
    adds(&server, &ana, "Phone").await;
    let mut his = adds(&server, &ben, "His").await;
    let ids: Vec<Value> = passkeys(&ana).await.iter().map(|passkey| passkey["id"].clone()).collect();
    let wrong = json!({ "key": key(), "passkey_id": ids[1], "password": "not hers at all" });
    ana.is_refused("wrong_password", "passkeys.remove", wrong).await;
    for odd in [
        json!({ "key": key(), "passkey_id": ids[1] }),
        json!({ "key": key(), "passkey_id": ids[1], "password": PASSWORD, "challenge": "x", "response": "{}" }),
    ] {
        ana.is_refused("bad_request", "passkeys.remove", odd).await;
    }
    // Ben's passkey shows nothing to Ana, and he removes none of hers.
    let begun = ana.asks("passkeys.begin_use", json!({})).await;
    let allowed = options(&begun)["allowCredentials"].clone();
    assert_eq!(allowed.as_array().unwrap().len(), 2);
    let mut fields = json!({ "key": key(), "passkey_id": ids[1], "challenge": begun["challenge"] });
    fields["response"] = json!(his.uses(&begun));
    ana.is_refused("passkey_unknown", "passkeys.remove", fields).await;
    let fields = removal(&ben, &ids[1], &mut his).await;
    ben.is_refused("not_found", "passkeys.remove", fields).await;
    assert_eq!(names(&ana).await, ["Laptop", "Phone"]);

    let fields = removal(&ana, &ids[1], &mut laptop).await;
    let first = ana.asks("passkeys.remove", fields.clone()).await;
    assert_eq!(ana.asks("passkeys.remove", fields).await, first, "a repeat gets the first reply");
    // A passkey may remove itself.
    let fields = removal(&ana, &ids[0], &mut laptop).await;
    ana.asks("passkeys.remove", fields).await;
    assert!(passkeys(&ana).await.is_empty());
    tablet.posts("no login ended").await;
}

#[tokio::test]
async fn d_v3_a_new_password_keeps_passkeys_unless_their_user_removes_them_too() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let mut device = adds(&server, &ana, "Laptop").await;
    let guest = server.guest().await;
    let counts = async |token: &str| {
        guest.asks("auth.reset_passkeys", json!({ "token": token })).await.unwrap()["passkeys"].clone()
    };
    for (sent, removes) in [(1, None), (2, Some(false)), (3, Some(true))] {
        guest.asks("auth.request_reset", json!({ "email": ana.email })).await.unwrap();
        let token = server.mail(sent).await.token().to_owned();
        assert_eq!(counts(&token).await, 1);
        let mut fields = json!({ "key": key(), "token": token, "password": format!("new password {sent}") });
        fields["remove_passkeys"] = json!(removes);
        guest.asks("auth.reset_password", fields.clone()).await.unwrap();
        guest.asks("auth.reset_password", fields).await.expect("a repeat");
        assert_eq!(counts(&token).await, 0, "the link was used");
        let logged_in = logs_in(&server, &mut device).await;
        match removes {
            Some(true) => is_unknown(logged_in),
            _ => drop(logged_in.expect("a passkey that stays")),
        }
    }
    for token in ["AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "odd", ""] {
        assert_eq!(counts(token).await, 0, "{token}");
    }
}

#[tokio::test]
async fn the_host_removes_the_passkeys_of_somebody_who_is_told_and_the_log_says_so() {
    let server = TestServer::with(&["login_notices=on"]).await;
    let [ada, ana] = server.people(["Ada", "Ana"]).await;
    promoted(&server, &ada).await;
    let mut device = adds(&server, &ana, "Laptop").await;
    adds(&server, &ana, "Phone").await;
    let removed = host(&server, &["user", "remove-passkeys", &ana.email]).await;
    assert_eq!(removed, "Removed 2 passkeys of Ana\n");
    ana.receives("passkeys.changed").await;
    assert!(passkeys(&ana).await.is_empty());
    let told = kinds_and_texts(&ana.socket).await;
    assert_eq!(told, [("passkey_removed", "Phone"), ("passkey_removed", "Laptop")].map(owned));
    // The first two are of the passkeys that she added. No device of hers did this.
    let mail = server.mail(4).await;
    assert_eq!(mail.header("Subject"), "A passkey was removed from your account");
    assert!(mail.header("To") == ana.email && !mail.text.contains("Device:"), "{}", mail.text);
    is_unknown(logs_in(&server, &mut device).await);
    assert_eq!(host(&server, &["user", "remove-passkeys", &ana.email]).await, "Removed 0 passkeys of Ana\n");
    assert_eq!(log_of(&ada).await[0], "command passkeys_removed Ana");
    assert_eq!(log_of(&ada).await.len(), 2, "none is logged that was not there");
}

#[tokio::test]
async fn d_v7_the_archive_names_passkeys_without_keys_and_a_deletion_deletes_them() {
    let server = TestServer::with_manual_clock(&[]).await;
    let ana = server.person("Ana").await;
    let mut device = adds(&server, &ana, "Laptop").await;
    adds(&server, &ana, "Phone").await;
    server.later(60_000);
    logs_in(&server, &mut device).await.unwrap();
    let files = archive_of(&ana).await;
    let (morning, later) = ("2026-03-01T09:00:00Z", "2026-03-01T09:01:00Z");
    let of = |name: &str, last: Option<&str>| json!({ "name": name, "host": "localhost", "added_at": morning, "last_used_at": last });
    assert_eq!(list(&files, "passkeys.json"), [of("Phone", None), of("Laptop", Some(later))]);
    ana.deletes_account().await;
    let left: i64 = server.look().query_row("select count(*) from passkeys", [], |row| row.get(0)).unwrap();
    assert_eq!(left, 0);
    is_unknown(logs_in(&server, &mut device).await);
}

#[tokio::test]
async fn d_v7_a_restored_backup_holds_passkeys_and_they_log_in() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let mut laptop = adds(&server, &ana, "Laptop").await;
    let made = backup(&server, &[]).await;
    let mut phone = adds(&server, &ana, "Phone").await;
    let (data, restored) = restore(&made).await;
    assert_eq!(restored.code, 0, "{}", restored.why);
    let other = TestServer::on(data, &[]);
    // The host name is the same; the address of the pages has another port.
    for device in [&mut laptop, &mut phone] {
        device.origin = Authenticator::origin_of(&other);
    }
    assert_eq!(logs_in(&other, &mut laptop).await.unwrap()["me"]["id"], ana.id);
    is_unknown(logs_in(&other, &mut phone).await);
    let again = Person::logs_in(other.at, &ana.email).await;
    assert_eq!(names(&again).await, ["Laptop"], "the other one was added after the backup");
    adds(&other, &again, "Tablet").await;
}

#[tokio::test]
async fn d_v7_ids_of_devices_and_handles_are_only_in_options_for_their_user() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    let mut device = adds(&server, &ana, "Quetzal").await;
    let tab = ana.opens_another_tab().await;
    let answered = logs_in(&server, &mut device).await.unwrap();
    passkeys(&tab).await;
    ana.posts("hello").await;
    ben.sees_post("hello").await;
    let (id, handle) = (device.id(), device.handle().to_vec());
    let archive: Vec<Vec<u8>> = archive_of(&tab).await.into_values().collect();
    let of_tab = [tab.socket.bytes(), archive, vec![answered.to_string().into_bytes()]].concat();
    for bytes in [of_tab, ben.socket.bytes()].concat() {
        assert!(!contains(&bytes, id.as_bytes()) && !contains(&bytes, &handle));
    }
    for bytes in ben.socket.bytes() {
        assert!(!contains(&bytes, b"Quetzal"), "nor does anybody learn a name");
    }
}

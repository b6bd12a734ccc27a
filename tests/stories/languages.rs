//! The languages of Mellow's own words: that of an account, those of the host, and that of mails.

use std::io::Read;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::auth::{refusal, sign_up};
use crate::support::child::host;
use crate::support::http;
use crate::support::person::{PASSWORD, Person, email_of};
use crate::support::server::TestServer;
use crate::support::value::key;

fn languages(language: Option<&str>, shown: &str) -> Value {
    json!({ "key": key(), "language": language, "shown": shown })
}

/// The languages in a message about the own account.
fn of_me(me: &Value) -> (Option<&str>, Option<&str>) {
    (me["language"].as_str(), me["shown_language"].as_str())
}

/// Returns an English sentence without values that the app says.
fn sentence() -> String {
    let listed = std::fs::read_to_string("web/languages/en.json").unwrap();
    let listed: Value = serde_json::from_str(&listed).unwrap();
    let mut words = listed["words"].as_object().unwrap().keys();
    words.find(|words| !words.contains(['{', '|'])).unwrap().clone()
}

/// A folder in which the host adds Finnish.
fn with_finnish(words: Value) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let file = json!({
        "language": "fi", "name": "Suomi", "words": words,
        "themes": { "1": { "title": "Pieni asia", "text": "Kerro siitä." } },
    });
    std::fs::create_dir(folder.path().join("languages")).unwrap();
    write_finnish(folder.path(), &file.to_string());
    folder
}

fn write_finnish(folder: &Path, text: &str) {
    std::fs::write(folder.join("languages/fi.json"), text).unwrap();
}

async fn page(server: &TestServer) -> String {
    let page = http::ask(server.at, "GET", "/", &[], "").await;
    assert_eq!(page.status, 200, "the web app is built before it is tested");
    page.body
}

#[tokio::test]
async fn a_guest_who_chose_a_language_has_an_account_in_it() {
    let server = TestServer::new().await;
    let guest = server.guest().await;
    let mut fields = sign_up(&email_of("Ana"), PASSWORD, Some("Ana"));
    fields["language"] = json!("xx");
    let no = refusal(&guest, "auth.sign_up", fields.clone()).await;
    assert_eq!((no.code.as_str(), no.field.as_deref()), ("invalid", Some("language")));
    assert_eq!(no.why, "language_unknown");
    assert_eq!(no.message, "Mellow doesn't know this language.");
    fields["language"] = json!("uk");
    let ok = guest.asks("auth.sign_up", fields.clone()).await.unwrap();
    assert_eq!(of_me(&ok["me"]), (Some("uk"), None));
    let again = server.guest().await.asks("auth.sign_up", fields.clone()).await.unwrap();
    assert_eq!(of_me(&again["me"]), (Some("uk"), None), "r5: the same account");
    fields["language"] = json!("de");
    let other = refusal(&server.guest().await, "auth.sign_up", fields).await;
    assert_eq!(other.code, "email_taken", "another language is another sign-up");
}

#[tokio::test]
async fn d_l2_a_choice_reaches_the_accounts_other_tab_at_once_and_nobody_else() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let tab = ana.opens_another_tab().await;
    ben.visits(&ana).await;
    let choice = languages(Some("pt-BR"), "pt-BR");
    let ok = ana.asks("profiles.language", choice.clone()).await;
    assert_eq!(ok, json!({ "language": "pt-BR", "shown_language": "pt-BR", "seq": ok["seq"] }));
    for own in [&ana, &tab] {
        let changed = own.receives("account.changed").await;
        assert_eq!(of_me(&changed["me"]), (Some("pt-BR"), Some("pt-BR")));
    }
    // A repeat, and the same languages again, publish nothing.
    assert_eq!(ana.asks("profiles.language", choice).await, ok, "r5: done once");
    ana.asks("profiles.language", languages(Some("pt-BR"), "pt-BR")).await;
    tab.receives_nothing(&server).await;
    ben.receives_nothing(&server).await;
    ana.asks("profiles.language", languages(None, "de")).await;
    let changed = tab.receives("account.changed").await;
    assert_eq!(of_me(&changed["me"]), (None, Some("de")), "each device has its own");
    let hello = ana.opens_another_tab().await.socket.hello().await;
    assert_eq!(of_me(&hello["me"]), (None, Some("de")));
}

#[tokio::test]
async fn a_language_that_mellow_does_not_know_is_refused() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let long = "x".repeat(10_000);
    for fields in [
        languages(Some("xx"), "en"),
        languages(Some(""), "en"),
        languages(Some("pt-br"), "en"),
        languages(Some("fi"), "en"),
        languages(Some(&long), "en"),
        languages(None, "xx"),
        languages(None, ""),
    ] {
        let no = ana.is_refused("invalid", "profiles.language", fields).await;
        assert_eq!(no.field.as_deref(), Some("language"));
    }
    ana.is_refused("bad_request", "profiles.language", json!({ "key": key(), "language": "de" })).await;
    ana.receives_nothing(&server).await;
}

#[tokio::test]
async fn two_devices_in_different_languages_use_up_a_limit_of_their_own() {
    let server = TestServer::with_manual_clock(&["profile_edits_per_hour=1"]).await;
    let ana = server.person("Ana").await;
    for shown in ["de", "fr"].repeat(30) {
        ana.asks("profiles.language", languages(None, shown)).await;
    }
    ana.is_refused("slow_down", "profiles.language", languages(None, "de")).await;
    ana.renames("Anna").await;
}

#[tokio::test]
async fn d_l7_a_mail_is_in_the_language_of_its_account() {
    let server = TestServer::with(&["language=pl"]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let guest = server.guest().await;
    let forgets = async |who: &Person| {
        guest.asks("auth.request_reset", json!({ "email": who.email })).await.unwrap();
    };
    ana.asks("profiles.language", languages(None, "de")).await;
    forgets(&ana).await;
    let mail = server.mail(1).await;
    assert!(mail.text.starts_with("Neues Passwort wählen\n\nHallo,\n\n"), "{}", mail.text);
    assert!(mail.html.contains("<html lang=\"de\">"), "{}", mail.html);
    assert!(mail.header("Subject").starts_with("Neues Passwort =?utf-8?"), "{}", mail.header("Subject"));
    assert_eq!(mail.token().len(), 43);
    let fields = json!({ "key": key(), "token": mail.token(), "password": "slower evenings" });
    guest.asks("auth.reset_password", fields).await.unwrap();

    // What she chose wins over what her client shows.
    let ana = {
        let fields = json!({ "email": ana.email, "password": "slower evenings" });
        let socket = server.guest().await;
        socket.asks("auth.log_in", fields).await.unwrap();
        socket
    };
    ana.asks("profiles.language", languages(Some("ar"), "ja")).await.unwrap();
    ana.asks("auth.send_reset", json!({ "key": key() })).await.unwrap();
    let mail = server.mail(2).await;
    assert!(mail.text.contains("مرحبًا،"), "{}", mail.text);
    assert!(mail.html.contains("<html lang=\"ar\" dir=\"rtl\">"), "{}", mail.html);
    mail.link();

    // Ben never said, so the host's language counts.
    forgets(&ben).await;
    let mail = server.mail(3).await;
    assert!(mail.text.starts_with("Ustaw nowe hasło\n"), "{}", mail.text);
}

#[tokio::test]
async fn d_l12_the_host_adds_a_language() {
    let words = sentence();
    let server = TestServer::on(with_finnish(json!({ &words: "Sana" })), &[]);
    let served = http::ask(server.at, "GET", "/languages/fi.json", &[("Accept-Encoding", "br")], "").await;
    assert_eq!(served.status, 200);
    for (name, value) in
        [("Content-Type", "application/json"), ("Cache-Control", "no-cache"), ("Vary", "Accept-Encoding")]
    {
        assert_eq!(served.header(name), Some(value));
    }
    assert_eq!(served.header("Content-Encoding"), None);
    let packed = [("Accept-Encoding", "gzip, deflate, br")];
    let gzip = http::ask(server.at, "GET", "/languages/fi.json", &packed, "").await;
    assert_eq!(
        (gzip.header("Content-Encoding"), gzip.header("Vary")),
        (Some("gzip"), Some("Accept-Encoding"))
    );
    assert_ne!(gzip.header("ETag"), served.header("ETag"));
    let mut unpacked = String::new();
    flate2::read::GzDecoder::new(&gzip.content[..]).read_to_string(&mut unpacked).unwrap();
    assert_eq!(unpacked, served.body);
    let file: Value = serde_json::from_str(&served.body).unwrap();
    assert_eq!((&file["language"], &file["name"]), (&json!("fi"), &json!("Suomi")));
    assert_eq!(file["words"], json!({ &words: "Sana" }));
    assert_eq!(file["themes"]["1"]["title"], "Pieni asia");
    let etag = served.header("ETag").unwrap();
    let held = http::ask(server.at, "GET", "/languages/fi.json", &[("If-None-Match", etag)], "").await;
    assert_eq!((held.status, held.header("ETag"), held.content.len()), (304, Some(etag), 0));

    assert!(
        page(&server)
            .await
            .contains("<html lang=\"en\" data-languages=\"{&quot;fi&quot;:&quot;Suomi&quot;}\">")
    );
    let ana = server.person("Ana").await;
    ana.asks("profiles.language", languages(Some("fi"), "fi")).await;
    ana.asks("auth.send_reset", json!({ "key": key() })).await;
    let mail = server.mail(1).await;
    assert_eq!(mail.header("Subject"), "Reset your password", "the host's file has no mails");
    let checked = server.host(&["check"]).await;
    assert_eq!((checked.code, checked.findings().lines().last()), (0, Some("languages: 1")), "{checked:?}");

    // A sentence that an upgrade changed is no fault.
    let server = TestServer::on(with_finnish(json!({ "A sentence of old": "Sana" })), &[]);
    let checked = server.host(&["check"]).await;
    let note =
        "languages: languages/fi.json: \"A sentence of old\" is left out: this Mellow has no such sentence";
    let lines: Vec<&str> = checked.findings().lines().collect();
    assert!(lines.ends_with(&[note, "languages: 1"]), "{checked:?}");
    assert_eq!((checked.code, &*checked.why), (0, ""));
}

#[tokio::test]
async fn d_l12_a_wrong_sentence_of_the_host_is_left_out_and_named() {
    let words = sentence();
    let folder = with_finnish(json!({ &words: "Sana {n}" }));
    let server = TestServer::on(folder, &[]);
    let served = http::ask(server.at, "GET", "/languages/fi.json", &[], "").await;
    let file: Value = serde_json::from_str(&served.body).unwrap();
    assert_eq!(file["words"], json!({}));
    assert_eq!(file["themes"]["1"]["title"], "Pieni asia", "the others stay");
    let checked = server.host(&["check"]).await;
    assert_eq!(checked.code, 1);
    let line = checked.text.lines().last().unwrap();
    assert!(line.starts_with("languages: languages/fi.json: ") && line.contains("no value {n}"), "{line}");

    // A file that cannot be read is no reason not to start.
    let folder = with_finnish(json!({}));
    write_finnish(folder.path(), "{\n\"language\": fi }");
    let server = TestServer::on(folder, &[]);
    assert_eq!(http::ask(server.at, "GET", "/languages/fi.json", &[], "").await.status, 404);
    let checked = server.host(&["check"]).await;
    assert!(checked.text.contains("languages: languages/fi.json is left out: line 2: "), "{checked:?}");
}

#[tokio::test]
async fn a_language_is_served_to_everybody_and_an_unknown_one_is_not_found() {
    let server = TestServer::with(&["language=de"]).await;
    assert!(page(&server).await.contains("<html lang=\"de\" data-languages=\"{}\">"));
    let plain = ("Accept-Encoding", "");
    let own = http::ask(server.at, "GET", "/languages/en.json", &[plain], "").await;
    assert_eq!((own.status, own.header("Cache-Control")), (200, Some("no-cache")), "the web app is built");
    let etag = own.header("ETag").unwrap();
    let held = http::ask(server.at, "GET", "/languages/en.json", &[plain, ("If-None-Match", etag)], "").await;
    assert_eq!((held.status, held.content.len()), (304, 0));
    let head = http::ask(server.at, "HEAD", "/languages/en.json", &[plain], "").await;
    assert_eq!((head.status, head.header("ETag"), head.content.len()), (200, Some(etag), 0));
    assert_eq!(http::ask(server.at, "HEAD", "/languages/xx.json", &[], "").await.status, 404);
    let mut etags = vec![etag.to_owned()];
    for encoding in ["br", "gzip"] {
        let accepts = ("Accept-Encoding", encoding);
        let packed = http::ask(server.at, "GET", "/languages/en.json", &[accepts], "").await;
        assert_eq!((packed.status, packed.header("Content-Encoding")), (200, Some(encoding)));
        assert_eq!(packed.header("Vary"), Some("Accept-Encoding"));
        assert!(packed.content.len() * 2 < own.content.len(), "{encoding}");
        let etag = packed.header("ETag").unwrap();
        let held =
            http::ask(server.at, "GET", "/languages/en.json", &[accepts, ("If-None-Match", etag)], "").await;
        assert_eq!((held.status, held.header("Vary"), held.content.len()), (304, Some("Accept-Encoding"), 0));
        assert!(!etags.contains(&etag.to_owned()), "each form has its own");
        etags.push(etag.to_owned());
    }
    for path in ["/languages/xx.json", "/languages/EN.json", "/languages/%2e%2e%2findex.json"] {
        assert_eq!(http::ask(server.at, "GET", path, &[], "").await.status, 404, "{path}");
    }
    assert_eq!(http::ask(server.at, "POST", "/languages/en.json", &[], "x").await.status, 405);
    let english = TestServer::new().await;
    assert!(page(&english).await.contains("<html lang=\"en\">"), "the page stays as it is built");
}

#[tokio::test]
async fn a_server_whose_language_is_not_there_starts_in_english() {
    // A restored folder has no languages of the host.
    let server = TestServer::with(&["language=fi"]).await;
    assert!(page(&server).await.contains("<html lang=\"en\">"));
    let ana = server.person("Ana").await;
    ana.asks("auth.send_reset", json!({ "key": key() })).await;
    assert_eq!(server.mail(1).await.header("Subject"), "Reset your password");

    std::fs::write(server.folder().join("mellow.toml"), "language = \"fi\"\n").unwrap();
    let checked = server.host(&["check"]).await;
    let fault = "languages: language = \"fi\" is not here, so English is used: it takes en, de, es, fr, pl, \
                 pt-BR, uk, ja, ar, or the tag of a file in languages/";
    assert_eq!(checked.text.lines().last(), Some(fault), "{checked:?}");
    assert_eq!((checked.code, checked.why), (1, format!("mellow: {fault}\n")));

    let folder = tempfile::tempdir().unwrap();
    let result = host(folder.path(), &["serve", "--language=English"]).await;
    let why = "mellow: language = \"English\" (--language): it takes the tag of a language, such as en, de or pt-BR\n";
    assert_eq!((result.code, &*result.why), (2, why));
}

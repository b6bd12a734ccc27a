//! Admins and the host's commands: who is an admin, what admins see and change, and what others receive of it.

pub mod access;

use serde_json::{Value, json};

use crate::support::child::CommandResult;
use crate::support::http;
use crate::support::person::{PASSWORD, Person};
use crate::support::server::TestServer;
use crate::support::value::key;
use crate::writes::{Sender, Stage};

const DAY_MS: i64 = 24 * 3_600_000;

/// Runs a command that succeeds. Returns its output.
pub async fn host(server: &TestServer, arguments: &[&str]) -> String {
    let result = server.host(arguments).await;
    assert_eq!((result.code, &*result.why), (0, ""), "{arguments:?}: {result:?}");
    result.text
}

/// Runs a command that fails. Returns the reason.
pub async fn host_fails(server: &TestServer, code: i32, arguments: &[&str]) -> String {
    let CommandResult { code: got, text, why } = server.host(arguments).await;
    assert_eq!((got, &*text), (code, ""), "{arguments:?}: {why}");
    assert!(why.starts_with("mellow: ") && (code == 2 || why.lines().count() == 1), "{why}");
    why
}

/// Returns the link in the output of a command. A second line says that it has the address of this machine.
fn first_line(output: &str) -> &str {
    output.lines().next().unwrap()
}

/// Makes a user an admin, and waits until their page has received it.
pub async fn promoted(server: &TestServer, who: &Person) {
    host(server, &["user", "promote", &who.email]).await;
    assert_eq!(who.receives("account.changed").await["me"]["is_admin"], true);
}

pub async fn people(admin: &Person, term: &str) -> Vec<Value> {
    let page = admin.asks("admin.people", json!({ "term": term })).await;
    page["people"].as_array().unwrap().clone()
}

/// Returns the log as lines of `who act whom`, newest first.
pub async fn log_of(admin: &Person) -> Vec<String> {
    let page = admin.asks("admin.log", json!({})).await;
    let line = |line: &Value| {
        let name = |who: &Value| who["name"].as_str().unwrap_or("nobody").to_owned();
        let by = if line["by_command"] == true { "command".into() } else { name(&line["admin"]) };
        format!("{by} {} {}", line["act"].as_str().unwrap(), name(&line["user"]))
    };
    page["lines"].as_array().unwrap().iter().map(line).collect()
}

#[tokio::test]
async fn a_command_makes_a_user_an_admin_and_ends_that_also_on_open_pages() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let tab = ana.opens_another_tab().await;
    ana.is_refused("not_found", "admin.people", json!({})).await;
    let result = host(&server, &["user", "promote", "  ANA@people.example.org "]).await;
    assert_eq!(result, "Promoted Ana (ana@people.example.org)\n");
    for page in [&ana, &tab] {
        assert_eq!(page.receives("account.changed").await["me"]["is_admin"], true);
    }
    assert_eq!(people(&ana, "").await.len(), 2);
    host(&server, &["user", "promote", &ana.id.to_string()]).await;
    assert_eq!(log_of(&ana).await, ["command promoted Ana"], "what is so already is not logged again");

    assert!(host(&server, &["user", "demote", &ana.email]).await.starts_with("Demoted Ana"));
    let changed = tab.socket.receives_where("account.changed", |event| event["me"]["is_admin"] == false);
    changed.await;
    for op in ["admin.people", "admin.log", "theme.schedule", "invites.all"] {
        ana.is_refused("not_found", op, json!({})).await;
    }
    ben.receives_nothing(&server).await;
}

#[tokio::test]
async fn commands_work_without_a_server_in_the_same_way() {
    let mut server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    server.stops().await;
    host(&server, &["user", "promote", &ana.email]).await;
    host(&server, &["user", "delete", &ben.email, "--yes"]).await;
    let listed = host(&server, &["user", "list"]).await;
    let lines: Vec<&str> = listed.lines().collect();
    assert_eq!(lines[0], "id\tname\temail\tjoined\tstate");
    let [id, name, email, joined, state] = lines[1].split('\t').collect::<Vec<_>>()[..] else {
        panic!("{listed}")
    };
    assert_eq!((id, name, email, state), (&*ana.id.to_string(), "Ana", "ana@people.example.org", "admin"));
    assert!(joined.len() == 10 && joined.starts_with("20"), "{joined}");
    assert_eq!(lines.len(), 2, "{listed}");
    server.starts();
    let ana = Person::logs_in(server.at, &ana.email).await;
    assert_eq!(log_of(&ana).await, ["command deleted nobody", "command promoted Ana"]);
}

#[tokio::test]
async fn the_list_of_accounts_is_complete_however_many_there_are() {
    let server = TestServer::new().await;
    server
        .look()
        .execute_batch(
            "with recursive n(i) as (select 1 union all select i + 1 from n where i < 4001)
             insert into users (id, email, email_key, password_hash, name, created_at_ms, updated_at_ms)
             select i, 'p' || i || '@example.org', 'p' || i || '@example.org', '', 'P' || i, 0, 0 from n",
        )
        .unwrap();
    let listed = host(&server, &["user", "list"]).await;
    let ids: Vec<i64> =
        listed.lines().skip(1).map(|line| line.split('\t').next().unwrap().parse().unwrap()).collect();
    assert_eq!(ids, (1..=4001).collect::<Vec<_>>());
    assert!(listed.lines().nth(1).unwrap().ends_with("\t1970-01-01\tactive"));
}

#[tokio::test]
async fn a_failed_command_prints_one_line() {
    let server = TestServer::with(&["invites=off"]).await;
    let ana = server.person("Ana").await;
    promoted(&server, &ana).await;
    for who in ["nobody@example.org", "7", "Ana", ""] {
        let why = host_fails(&server, 1, &["user", "promote", who]).await;
        assert!(why.contains(&format!("\"{who}\"")), "{why}");
    }
    let why = host_fails(&server, 2, &["user", "delete", &ana.email]).await;
    assert!(why.contains("--yes"), "{why}");
    for arguments in [vec!["user", "delete", &ana.email, "--yes"], vec!["user", "reset-link", &ana.email]] {
        assert!(host_fails(&server, 1, &arguments).await.contains("mellow user demote"));
    }
    assert!(host_fails(&server, 1, &["invite"]).await.contains("invites = off"));
    assert!(host_fails(&server, 1, &["invite", "revoke", "abc"]).await.contains("\"abc\""));
    for arguments in
        [vec!["user"], vec!["user", "promote"], vec!["user", "paint"], vec!["invite", "--days=x"]]
    {
        assert_eq!(server.host(&arguments).await.code, 2, "{arguments:?}");
    }
    assert_eq!(server.count("select count(*) from users"), 1);
}

#[tokio::test]
async fn a_command_on_a_full_disk_says_so_and_mentions_no_text_of_users() {
    let mut server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    host(&server, &["user", "suspend", &ben.email]).await;
    let link = host(&server, &["invite"]).await;
    let code = first_line(&link).rsplit('/').next().unwrap();
    server.restarts_with(&["database_free_mib_min=1000000000"]).await;
    for arguments in [
        vec!["user", "promote", &ana.email],
        vec!["user", "unsuspend", &ben.email],
        vec!["user", "reset-link", &ana.email],
        vec!["invite"],
        vec!["invite", "revoke", code],
        vec!["theme", "set", "--title", "Boats", "--description", "Which one?", "--tag", "boats"],
    ] {
        let why = host_fails(&server, 1, &arguments).await;
        assert!(why.contains("the disk is full") && !why.contains("words"), "{arguments:?}: {why}");
    }
    // Commands that delete or suspend still work.
    assert!(host(&server, &["user", "suspend", &ana.email]).await.starts_with("Suspended Ana"));
    assert!(host(&server, &["user", "delete", &ana.email, "--yes"]).await.starts_with("Deleted Ana"));
}

#[tokio::test]
async fn a_backup_that_was_made_is_not_refused_as_if_nothing_had_happened() {
    let mut server = TestServer::new().await;
    let mut ana = server.person("Ana").await;
    promoted(&server, &ana).await;
    server.restarts_with(&["database_free_mib_min=1000000000"]).await;
    ana.reconnects().await;
    // The log of admins has no room for it.
    ana.is_refused("fault", "admin.back_up", json!({})).await;
    assert!(host(&server, &["check"]).await.contains("backups: 1"));
}

#[tokio::test]
async fn an_admin_finds_users_by_a_part_of_the_name_or_a_whole_address_and_sees_no_address() {
    let server = TestServer::new().await;
    let [ana, zora] = server.people(["Ana", "Zora Quill"]).await;
    promoted(&server, &ana).await;
    let all = ana.asks("admin.people", json!({ "term": null, "before": null })).await;
    let named = |found: &[Value]| -> Vec<String> {
        found.iter().map(|one| one["user"]["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(named(all["people"].as_array().unwrap()), ["Zora Quill", "Ana"], "newest first");
    assert!(!all.to_string().contains("people.example.org"), "{all}");
    for term in ["QUI", "a q", "zora", " zora_quill@PEOPLE.example.org "] {
        assert_eq!(named(&people(&ana, term).await), ["Zora Quill"], "{term}");
    }
    for term in ["zora_quill@", "people.example.org", "%", "Zoë"] {
        assert_eq!(named(&people(&ana, term).await), [""; 0], "{term}");
    }
    ana.is_refused("invalid", "admin.people", json!({ "term": "a".repeat(255) })).await;
    drop(zora);
    // An open list receives that a user signed up.
    let ben = server.person("Ben").await;
    ana.receives("admin.changed").await;
    assert_eq!(named(&people(&ana, "").await)[0], ben.name);
}

#[tokio::test]
async fn a_page_has_fifty_accounts() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    promoted(&server, &ana).await;
    server
        .look()
        .execute_batch(
            "with recursive n(i) as (select 1 union all select i + 1 from n where i < 70)
             insert into users (id, email, email_key, password_hash, name, name_key, created_at_ms, updated_at_ms)
             select i, 'p@' || i, 'p@' || i, '', 'P' || i, 'p' || i, 0, 0 from n",
        )
        .unwrap();
    let first = ana.asks("admin.people", json!({})).await;
    let ids = |page: &Value| -> Vec<i64> {
        page["people"].as_array().unwrap().iter().map(|one| one["user"]["id"].as_i64().unwrap()).collect()
    };
    assert_eq!((ids(&first).len(), &first["has_more"]), (50, &json!(true)));
    let next = ana.asks("admin.people", json!({ "before": ids(&first)[49] })).await;
    assert_eq!(next["has_more"], false);
    let all: Vec<i64> = ids(&first).into_iter().chain(ids(&next)).skip(1).collect();
    assert_eq!(all, (1..=70).rev().collect::<Vec<_>>());
}

#[tokio::test]
async fn an_admin_ends_the_logins_of_a_user() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    promoted(&server, &ana).await;
    let phone = ben.logs_in_on_phone().await;
    ana.asks("admin.end_logins", json!({ "key": key(), "user_id": ben.id })).await;
    for page in [&ben, &phone] {
        assert_eq!(page.socket.close_code().await, 4002);
    }
    assert_eq!(log_of(&ana).await[0], "Ana logins_ended Ben");
    Person::logs_in(server.at, &ben.email).await;
}

#[tokio::test]
async fn an_admin_deletes_an_account_with_their_own_password() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    promoted(&server, &ana).await;
    let fields = |password: &str| json!({ "user_id": ben.id, "password": password });
    ana.is_refused("wrong_password", "admin.delete", fields("not mine at all")).await;
    cleo.is_refused("not_found", "admin.delete", fields(PASSWORD)).await;
    ana.asks("admin.delete", fields(PASSWORD)).await;
    assert_eq!(ben.socket.close_code().await, 4003);
    assert_eq!(cleo.receives("users.deleted").await["user_id"], ben.id);
    ana.is_refused("not_found", "admin.delete", fields(PASSWORD)).await;
    assert_eq!(log_of(&ana).await[0], "Ana deleted nobody", "nothing of an account that is gone is kept");
    // Lines about a deleted account stay, without the name.
    ana.asks("admin.end_logins", json!({ "key": key(), "user_id": cleo.id })).await;
    host(&server, &["user", "delete", &cleo.email, "--yes"]).await;
    assert_eq!(log_of(&ana).await[..2], ["command deleted nobody", "Ana logins_ended nobody"]);
}

#[tokio::test]
async fn a_link_for_a_new_password_works_once_and_its_user_is_notified_by_mail() {
    let server = TestServer::with_manual_clock(&[]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    promoted(&server, &ana).await;
    let made = ana.asks("admin.reset_link", json!({ "user_id": ben.id })).await;
    let url = made["url"].as_str().unwrap();
    let token = url.strip_prefix(&format!("http://{}/reset#", server.at)).unwrap();
    let mail = server.mail_to(&ben.email, 1).await;
    assert!(mail.raw.contains("Subject: A password link was made for you"), "{}", mail.raw);
    assert!(!mail.raw.contains(token), "the mail tells of the link and does not have it");
    assert_eq!(log_of(&ana).await[0], "Ana reset_link Ben");

    // A newer link replaces it, also one that a command made.
    let newer = host(&server, &["user", "reset-link", &ben.email]).await;
    let newer = first_line(&newer).strip_prefix(&format!("http://{}/reset#", server.at)).unwrap();
    let guest = server.guest().await;
    let reset = |token: &str| json!({ "key": key(), "token": token, "password": "another long one" });
    assert_eq!(guest.asks("auth.reset_password", reset(token)).await.unwrap_err().code, "link_expired");
    guest.asks("auth.reset_password", reset(newer)).await.unwrap();
    assert_eq!(ben.socket.close_code().await, 4002);
    assert_eq!(guest.asks("auth.reset_password", reset(newer)).await.unwrap_err().code, "link_expired");

    let late = host(&server, &["user", "reset-link", &ben.id.to_string()]).await;
    server.later(31 * 60_000);
    let late = first_line(&late).rsplit_once('#').unwrap().1;
    assert_eq!(guest.asks("auth.reset_password", reset(late)).await.unwrap_err().code, "link_expired");
}

#[tokio::test]
async fn admins_cannot_change_the_account_of_an_admin() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    promoted(&server, &ana).await;
    promoted(&server, &ben).await;
    for (op, fields) in [
        ("admin.end_logins", json!({ "key": key(), "user_id": ben.id })),
        ("admin.reset_link", json!({ "user_id": ben.id })),
        ("admin.delete", json!({ "user_id": ben.id, "password": PASSWORD })),
        ("admin.end_logins", json!({ "key": key(), "user_id": ana.id })),
    ] {
        let no = ana.is_refused("invalid", op, fields).await;
        assert!(no.message.contains("mellow user demote"), "{}", no.message);
    }
    assert_eq!(log_of(&ana).await, ["command promoted Ben", "command promoted Ana"]);
}

#[tokio::test]
async fn the_page_of_admins_is_unknown_to_everybody_else() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let status = async |cookie: Option<&str>, path: &str| {
        let cookie = cookie.map(|cookie| format!("mellow={cookie}"));
        let headers: Vec<(&str, &str)> = cookie.iter().map(|cookie| ("Cookie", cookie.as_str())).collect();
        let response = http::ask(server.at, "GET", path, &headers, "").await;
        (response.status, response.body)
    };
    let (_, unknown) = status(None, "/nowhere").await;
    for cookie in [None, Some("odd"), Some(ana.cookie.as_str())] {
        for path in ["/admin", "/admin/", "/Admin", "/admin?tab=people"] {
            assert_eq!(status(cookie, path).await, (404, unknown.clone()), "{path}");
        }
    }
    promoted(&server, &ana).await;
    assert_eq!(status(Some(&ana.cookie), "/admin?tab=people").await.0, 200);
    assert_eq!(status(Some(&ben.cookie), "/admin").await.0, 404);
}

#[tokio::test]
async fn admins_and_commands_invite_where_members_may_not() {
    let server = TestServer::with_manual_clock(&["invites=host", "invite_uses=3"]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    promoted(&server, &ana).await;
    ben.is_refused("not_found", "invites.create", json!({ "key": key() })).await;
    let made = ana.asks("invites.create", json!({ "key": key() })).await;
    let link = host(&server, &["invite", "--days", "2", "--uses", "0"]).await;
    let code = first_line(&link).strip_prefix(&format!("http://{}/invite/", server.at)).unwrap();
    assert!(
        link.ends_with("\nThis link has the address of this machine alone, because public_url is not set.\n")
    );
    let guest = server.guest().await;
    assert_eq!(guest.asks("invites.get", json!({ "code": code })).await.unwrap()["name"], Value::Null);

    let all = ana.asks("invites.all", json!({})).await;
    let [first, second] = &all["invites"].as_array().unwrap()[..] else { panic!("{all}") };
    let (by_command, by_ana) = if first["maker"].is_null() { (first, second) } else { (second, first) };
    assert_eq!(by_ana["maker"]["name"], "Ana");
    assert_eq!(by_ana["invite"], made["invites"][0]);
    let command = &by_command["invite"];
    assert_eq!((&command["code"], &command["uses_max"]), (&json!(code), &Value::Null));
    let life = command["ends_at_ms"].as_i64().unwrap() - command["created_at_ms"].as_i64().unwrap();
    assert_eq!(life, 2 * DAY_MS);

    let listed = host(&server, &["invite", "list"]).await;
    let own = made["invites"][0]["code"].as_str().unwrap();
    assert!(listed.starts_with("code\tmaker\tuses\tends\n"), "{listed}");
    assert!(listed.contains(&format!("{code}\tCommand line\t0\t2026-03-03\n")), "{listed}");
    assert!(listed.contains(&format!("{own}\tAna\t0 of 3\t2026-03-31\n")), "{listed}");

    assert_eq!(host(&server, &["invite", "revoke", own]).await, format!("Revoked {own}\n"));
    let changed = ana.socket.receives_where("invites.changed", |event| event["invites"] == json!([]));
    changed.await;
    ana.asks("invites.revoke", json!({ "key": key(), "code": code })).await;
    assert_eq!(
        log_of(&ana).await,
        [
            "Ana invite_revoked nobody",
            "command invite_revoked nobody",
            "command invite_made nobody",
            "Ana invite_made nobody",
            "command promoted Ana"
        ]
    );
}

#[tokio::test]
async fn an_admin_revokes_the_invitation_of_a_member_who_receives_that() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    promoted(&server, &ana).await;
    let made = ben.asks("invites.create", json!({ "key": key() })).await;
    let code = &made["invites"][0]["code"];
    ben.receives("invites.changed").await;
    cleo.is_refused("not_found", "invites.revoke", json!({ "key": key(), "code": code })).await;
    let own = ana.asks("invites.revoke", json!({ "key": key(), "code": code })).await;
    assert_eq!(own["invites"], json!([]));
    assert_eq!(ben.receives("invites.changed").await["invites"], json!([]));
    assert_eq!(log_of(&ana).await[0], "Ana invite_revoked nobody", "what a member does is not logged");
    assert_eq!(log_of(&ana).await.len(), 2);
}

#[tokio::test]
async fn an_admin_sets_the_themes_of_the_next_two_weeks() {
    let server = TestServer::with_manual_clock(&["themes_file="]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    promoted(&server, &ana).await;
    let days = async || ana.asks("theme.schedule", json!({})).await["days"].as_array().unwrap().clone();
    let before = days().await;
    assert_eq!((before.len(), &before[0]["day"]), (14, &json!("2026-03-01")));
    assert!(before.iter().all(|day| day["is_set"] == false && !day["theme"].is_null()));
    let set = |day: &str, title: &str| json!({ "key": key(), "day": day, "title": title, "description": "Which one?", "tag": "#boats" });
    ana.asks("theme.set", set("2026-03-14", "Boats")).await;
    ana.asks("theme.set", set("2026-03-01", "Ships")).await;
    assert_eq!(ben.receives("theme.changed").await["theme"]["title"], "Ships");
    let planned = days().await;
    assert_eq!((&planned[13]["theme"]["tag"], &planned[13]["is_set"]), (&json!("boats"), &json!(true)));
    for (fields, field) in [
        (set("2026-02-28", "Boats"), "day"),
        (set("2031-01-01", "Boats"), "day"),
        (set("today!", "Boats"), "day"),
        (set("2026-03-02", " "), "title"),
        (set("2026-03-02", &"a".repeat(101)), "title"),
    ] {
        let no = ana.is_refused("invalid", "theme.set", fields).await;
        assert_eq!(no.field.as_deref(), Some(field));
    }
    ben.is_refused("not_found", "theme.set", set("2026-03-02", " ")).await;
    ana.asks("theme.clear", json!({ "key": key(), "day": "2026-03-01" })).await;
    assert_eq!(ben.receives("theme.changed").await["theme"], before[0]["theme"]);
    ana.is_refused("not_found", "theme.clear", json!({ "key": key(), "day": "2026-03-01" })).await;
    assert_eq!(log_of(&ana).await[..2], ["Ana theme_cleared nobody", "Ana theme_set nobody"]);
}

/// Reports something to the host.
pub async fn reports(who: &Person, about: Value) {
    let fields = json!({ "key": key(), "about": about, "reason": "other", "details": "Every day." });
    who.asks("reports.create", fields).await;
}

#[tokio::test]
async fn a_reported_admin_does_not_learn_of_the_report_while_there_is_another_and_never_who_made_it() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    promoted(&server, &ana).await;
    promoted(&server, &ben).await;
    let post = ana.posts("mean words").await;
    ana.is_up_to_date(&server).await;
    reports(&cleo, json!({ "type": "post", "post_id": post })).await;
    assert_eq!(ben.receives("account.changed").await["me"]["has_reports"], true);
    let bens = ben.asks("admin.reports", json!({})).await["reports"][0].clone();
    assert_eq!(bens["reporter"]["name"], "Cleo");
    for event in ana.is_up_to_date(&server).await {
        assert_eq!(event["ev"], "admin.changed", "{event}");
    }
    assert_eq!(ana.asks("admin.reports", json!({})).await["reports"], json!([]));
    let named = |id: &Value| json!({ "key": key(), "report_id": id });
    for op in ["admin.dismiss_report", "admin.remove_content"] {
        ana.is_refused("not_found", op, named(&bens["id"])).await;
    }

    // The only admin can still work.
    host(&server, &["user", "demote", &ben.email]).await;
    assert_eq!(ana.receives("account.changed").await["me"]["has_reports"], true);
    let anas = ana.asks("admin.reports", json!({})).await["reports"][0].clone();
    assert_eq!((&anas["id"], &anas["reporter"]), (&bens["id"], &Value::Null));
    ana.asks("admin.dismiss_report", named(&anas["id"])).await;
    assert_eq!(ana.receives("account.changed").await["me"]["has_reports"], false);
}

#[tokio::test]
async fn an_admin_handles_reports_and_the_dot_disappears_with_the_last_one() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    promoted(&server, &ana).await;
    let post = ben.posts("cheap bowls").await;
    let comment = ben.comments(post, "look").await;
    reports(&cleo, json!({ "type": "post", "post_id": post })).await;
    assert_eq!(ana.receives("account.changed").await["me"]["has_reports"], true);
    reports(&cleo, json!({ "type": "comment", "comment_id": comment })).await;
    reports(&cleo, json!({ "type": "user", "user_id": ben.id })).await;
    let open = async || ana.asks("admin.reports", json!({})).await["reports"].as_array().unwrap().clone();
    let [person, on_comment, on_post] = &open().await[..] else { panic!("three reports") };
    assert_eq!((&person["view"], &person["words"]), (&json!(format!("/profile/{}", ben.id)), &json!("Ben")));
    assert_eq!(on_comment["view"], format!("/post/{post}"));
    assert_eq!((&on_post["words"], &on_post["details"]), (&json!("cheap bowls"), &json!("Every day.")));
    assert_eq!((&on_post["reporter"]["name"], &on_post["author"]["name"]), (&json!("Cleo"), &json!("Ben")));
    let handles = |report: &Value| json!({ "key": key(), "report_id": report["id"] });

    // A user is not content that can be removed.
    ana.is_refused("not_found", "admin.remove_content", handles(person)).await;
    ana.asks("admin.remove_content", handles(on_comment)).await;
    assert_eq!(ben.receives("comments.deleted").await["comment_id"], comment);
    cleo.opens(post).await;
    ana.asks("admin.remove_content", handles(on_post)).await;
    cleo.is_refused("not_found", "posts.get", json!({ "post_id": post })).await;
    ana.is_refused("not_found", "admin.remove_content", handles(on_post)).await;
    ana.asks("admin.dismiss_report", handles(person)).await;
    ana.socket.receives_where("account.changed", |event| event["me"]["has_reports"] == false).await;
    assert_eq!(open().await, [Value::Null; 0]);
    assert_eq!(
        log_of(&ana).await[..3],
        ["Ana report_dismissed Ben", "Ana content_removed Ben", "Ana content_removed Ben"]
    );
}

#[tokio::test]
async fn reported_content_of_a_group_that_an_admin_is_not_in_is_removed_unseen() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    promoted(&server, &ana).await;
    cleo.follows(&ben).await;
    let group = ben.makes_group_with("Tea", &[&cleo]).await;
    let post = ben.shares(group, "for us").await;
    let comment = ben.comments(post, "psst").await;
    let poll = ben.asks_poll_of(group, "Tea?", &["yes", "no"]).await;
    cleo.opens(post).await;
    for about in [
        json!({ "type": "comment", "comment_id": comment }),
        json!({ "type": "poll", "poll_id": poll }),
        json!({ "type": "post", "post_id": post }),
    ] {
        reports(&cleo, about).await;
        let open = ana.asks("admin.reports", json!({})).await["reports"][0].clone();
        assert_eq!(open["view"], Value::Null, "no way in: {open}");
        ana.asks("admin.remove_content", json!({ "key": key(), "report_id": open["id"] })).await;
    }
    cleo.receives("comments.deleted").await;
    assert_eq!(cleo.receives("polls.deleted").await["poll_id"], poll);
    assert_eq!(cleo.receives("posts.deleted").await["post_id"], post);
}

#[tokio::test]
async fn an_admin_sees_the_health_of_the_server_and_makes_a_backup() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    promoted(&server, &ana).await;
    let health = async || ana.asks("admin.health", json!({})).await;
    let before = health().await;
    assert!(before["sockets"].as_i64().unwrap() >= 1, "{before}");
    assert!(before["database_bytes"].as_i64().unwrap() > 4_096, "{before}");
    assert!(before["free_bytes"].as_i64().unwrap() > 0, "{before}");
    assert_eq!(before["version"], mellow::settings::version());
    ana.asks("admin.back_up", json!({})).await;
    let after = health().await;
    let count = |health: &Value| health["backups"].as_array().unwrap().len();
    assert_eq!(count(&after), count(&before) + 1);
    let name = after["backups"][0]["name"].as_str().unwrap();
    assert!(server.folder().join("backups").join(name).join("mellow.db").exists(), "{name}");
    assert_eq!(after["backup_failure"], Value::Null);
    assert_eq!(log_of(&ana).await[0], "Ana backed_up nobody");
}

#[tokio::test]
async fn the_log_keeps_entries_for_a_year() {
    let mut server = TestServer::with_manual_clock(&[]).await;
    let ana = server.person("Ana").await;
    promoted(&server, &ana).await;
    server.later(365 * DAY_MS - 1);
    server.restarts().await;
    host(&server, &["user", "demote", &ana.email]).await;
    host(&server, &["user", "promote", &ana.email]).await;
    let ana = Person::logs_in(server.at, &ana.email).await;
    assert_eq!(log_of(&ana).await.len(), 3);
    server.later(1);
    server.restarts().await;
    crate::support::wait_until("the oldest line is gone", || {
        server.count("select count(*) from admin_log") == 2
    })
    .await;
}

/// Cleo becomes an admin and does what admins can do. Only pages of admins receive this.
pub async fn send_writes(stage: &Stage<'_>, emil_id: &Value, doomed: i64, sender: &mut dyn Sender) {
    let Stage { server, cleo, .. } = *stage;
    assert_eq!(server.host(&["user", "promote", &cleo.email]).await.code, 0);
    cleo.receives("account.changed").await;
    let day = "2027-01-01";
    let theme = json!({ "day": day, "title": "Boats", "description": "Which?", "tag": "b" });
    sender.send(cleo, "theme.set", 1, theme).await;
    sender.send(cleo, "theme.clear", 1, json!({ "day": day })).await;
    sender.send_once("admin.back_up", 1, Box::pin(cleo.asks("admin.back_up", json!({})))).await;
    for (about, op) in [
        (json!({ "type": "user", "user_id": emil_id }), "admin.dismiss_report"),
        (json!({ "type": "post", "post_id": doomed }), "admin.remove_content"),
    ] {
        let report = json!({ "about": about, "reason": "spam", "details": "" });
        sender.send(cleo, "reports.create", 2, report).await;
        let open = cleo.asks("admin.reports", json!({})).await["reports"][0]["id"].clone();
        sender.send(cleo, op, 2, json!({ "report_id": open })).await;
    }
    let link = cleo.asks("admin.reset_link", json!({ "user_id": emil_id }));
    sender.send_once("admin.reset_link", 1, Box::pin(link)).await;
    sender.send(cleo, "admin.end_logins", 1, json!({ "user_id": emil_id })).await;
    sender.send(cleo, "admin.suspend", 3, json!({ "user_id": emil_id, "suspended": true })).await;
    sender.send(cleo, "admin.suspend", 3, json!({ "user_id": emil_id, "suspended": false })).await;
    let deleted = cleo.asks("admin.delete", json!({ "user_id": emil_id, "password": PASSWORD }));
    sender.send_once("admin.delete", 3, Box::pin(deleted)).await;
}

//! Reports to the host: who makes them, and that nobody else receives anything of them.

pub mod access;

use serde_json::{Value, json};

use crate::admins::{log_of, promoted};
use crate::support::person::{PASSWORD, Person};
use crate::support::server::TestServer;
use crate::support::value::key;
use crate::writes::{Sender, Stage};

const DAY_MS: i64 = 24 * 60 * 60_000;

fn report(about: &Value, reason: &str, details: &str) -> Value {
    json!({ "key": key(), "about": about, "reason": reason, "details": details })
}

fn of_post(post_id: i64) -> Value {
    json!({ "type": "post", "post_id": post_id })
}

/// Returns every open report: the name of the reporter, the reason, the details, and the reported text at that time.
fn open(server: &TestServer) -> Vec<[String; 4]> {
    let database = server.look();
    let mut reports = database
        .prepare(
            "select u.name, r.reason, r.details, r.words from reports r join users u on u.id = r.reporter_id
              where r.handled_at_ms is null order by r.id",
        )
        .unwrap();
    let columns = |row: &rusqlite::Row<'_>| Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?]);
    reports.query_map([], columns).unwrap().map(Result::unwrap).collect()
}

#[tokio::test]
async fn d_s6_a_report_reaches_the_host_with_the_text_of_that_time_and_nobody_else_receives_it() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    let bens_tab = ben.opens_another_tab().await;
    let post_id = ana.posts("what nobody should read").await;
    for who in [&ana, &ben, &bens_tab] {
        who.opens(post_id).await;
        who.is_up_to_date(&server).await;
    }
    ben.asks("reports.create", report(&of_post(post_id), "private", "my address")).await;
    ben.asks("reports.create", report(&json!({ "type": "user", "user_id": ana.id }), "spam", "")).await;
    for who in [&ana, &ben, &bens_tab] {
        who.receives_nothing(&server).await;
    }
    ana.edits(post_id, None, "something else").await;
    let expected = [
        ["Ben", "private", "my address", "what nobody should read"].map(str::to_owned),
        ["Ben", "spam", "", "Ana"].map(str::to_owned),
    ];
    assert_eq!(open(&server), expected);
    ana.deletes(post_id).await;
    assert_eq!(open(&server), expected, "the copy outlives the post");
}

#[tokio::test]
async fn d_s6_another_report_of_the_same_thing_replaces_the_first() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let post_id = ana.posts("hello").await;
    ben.asks("reports.create", report(&of_post(post_id), "spam", "")).await;
    let (about, no) = (of_post(post_id), "invalid");
    for details in ["", " \n\u{200B}"] {
        let refused = ben.is_refused(no, "reports.create", report(&about, "other", details)).await;
        assert_eq!((refused.field.as_deref(), refused.retry_ms), (Some("details"), None));
        assert_eq!(refused.message, "Please say what it is about.");
    }
    ben.is_refused(no, "reports.create", report(&about, "hate", &"a".repeat(501))).await;
    ben.is_refused("bad_request", "reports.create", report(&about, "boredom", "")).await;
    ben.asks("reports.create", report(&about, "other", "it is worse")).await;
    assert_eq!(open(&server), [["Ben", "other", "it is worse", "hello"].map(str::to_owned)]);
}

#[tokio::test]
async fn reports_have_a_daily_limit_and_refused_ones_do_not_count() {
    let server = TestServer::with_manual_clock(&["reports_per_day=2"]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let post_id = ana.posts("hello").await;
    for about in [of_post(7), of_post(post_id), of_post(7), of_post(post_id)] {
        drop(ben.tries("reports.create", report(&about, "spam", "")).await);
    }
    let slow = ben.is_refused("slow_down", "reports.create", report(&of_post(post_id), "spam", "")).await;
    assert!(slow.retry_ms.is_some());
    server.later(DAY_MS);
    ben.asks("reports.create", report(&of_post(post_id), "spam", "")).await;
}

#[tokio::test]
async fn reports_are_deleted_with_the_account_of_the_reporter_and_with_that_of_the_author() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let leaves = async |who: &Person| who.asks("account.delete", json!({ "password": PASSWORD })).await;
    let (anas, cleos) = (ana.posts("hers").await, cleo.posts("hers too").await);
    ben.asks("reports.create", report(&of_post(anas), "spam", "")).await;
    ben.asks("reports.create", report(&of_post(cleos), "spam", "")).await;
    cleo.asks("reports.create", report(&of_post(anas), "spam", "")).await;
    leaves(&ana).await;
    assert_eq!(open(&server), [["Ben", "spam", "", "hers too"].map(str::to_owned)]);
    leaves(&ben).await;
    assert_eq!(open(&server).len(), 0);
}

#[tokio::test]
async fn d_s6_the_log_does_not_tell_an_admin_that_another_one_dismissed_a_report_about_them() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    promoted(&server, &ana).await;
    promoted(&server, &ben).await;
    for author in [&ana, &cleo] {
        let post = author.posts("mean words").await;
        let reporter = if author.id == ana.id { &cleo } else { &ana };
        reporter.asks("reports.create", report(&of_post(post), "spam", "")).await;
    }
    for report in ben.asks("admin.reports", json!({})).await["reports"].as_array().unwrap() {
        ben.asks("admin.dismiss_report", json!({ "key": key(), "report_id": report["id"] })).await;
    }
    let dismissed = async |who: &Person| {
        let log = log_of(who).await;
        log.into_iter().filter(|line| line.contains("dismissed")).collect::<Vec<_>>()
    };
    assert_eq!(dismissed(&ben).await, ["Ben report_dismissed Ana", "Ben report_dismissed Cleo"]);
    assert_eq!(dismissed(&ana).await, ["Ben report_dismissed Cleo"]);
}

/// A report of a post.
pub async fn send_writes(stage: &Stage<'_>, sender: &mut dyn Sender) {
    let about = json!({ "type": "post", "post_id": stage.post_id });
    let report = json!({ "about": about, "reason": "spam", "details": "" });
    sender.send(stage.ben, "reports.create", 0, report).await;
}

//! Suspended users: what they receive, and that nothing names them to anybody else.

use serde_json::{Value, json};

use crate::admins::{host, host_fails, log_of, people, promoted, reports};
use crate::support::person::{PASSWORD, Person, edit};
use crate::support::server::TestServer;
use crate::support::value::key;

#[tokio::test]
async fn a_suspended_account_is_logged_out_and_refused_with_the_reason_at_the_next_log_in() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    promoted(&server, &ana).await;
    let post = ben.posts("hello").await;
    let suspend = |suspended: bool| json!({ "key": key(), "user_id": ben.id, "suspended": suspended });
    ana.asks("admin.suspend", suspend(true)).await;
    assert_eq!(ben.socket.close_code().await, 4002);
    assert_eq!(cleo.receives("users.deleted").await["user_id"], ben.id);
    assert_eq!(people(&ana, "ben").await[0]["is_suspended"], true);
    cleo.is_refused("not_found", "posts.get", json!({ "post_id": post })).await;
    let guest = server.guest().await;
    let log_in = |password: &str| json!({ "email": ben.email, "password": password });
    let no = guest.asks("auth.log_in", log_in(PASSWORD)).await.unwrap_err();
    assert_eq!((&*no.code, &*no.message), ("suspended", "This account is suspended."));
    let no = guest.asks("auth.log_in", log_in("another long one")).await.unwrap_err();
    assert_eq!(no.code, "bad_credentials", "others learn nothing");
    let listed = host(&server, &["user", "list"]).await;
    assert!(listed.lines().any(|line| line.contains("\tBen\t") && line.ends_with("\tsuspended")), "{listed}");
    let why = host_fails(&server, 1, &["user", "promote", &ben.email]).await;
    assert!(why.contains("unsuspend"), "{why}");

    assert!(host(&server, &["user", "unsuspend", &ben.email]).await.starts_with("Unsuspended Ben"));
    assert_eq!(cleo.receives("users.returned").await["user_id"], ben.id);
    let ben = Person::logs_in(server.at, &ben.email).await;
    assert_eq!(cleo.opens(post).await["id"], post);
    assert_eq!(ben.opens(post).await["id"], post, "nothing was deleted");
    assert!(host(&server, &["user", "suspend", &ben.email]).await.starts_with("Suspended Ben"));
    assert_eq!(ben.socket.close_code().await, 4002);
    assert_eq!(
        log_of(&ana).await[..3],
        ["command suspended Ben", "command unsuspended Ben", "Ana suspended Ben"]
    );
}

#[tokio::test]
async fn ad6_a_suspended_member_cannot_be_removed_from_a_group_and_is_in_it_again_afterwards() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    promoted(&server, &ana).await;
    let group_id = cleo.makes_group_with("Tea", &[&ana, &ben]).await;
    ana.asks("admin.suspend", json!({ "key": key(), "user_id": ben.id, "suspended": true })).await;
    for who in [&ana, &cleo] {
        who.receives("users.deleted").await;
        who.is_up_to_date(&server).await;
    }
    let named = json!({ "key": key(), "group_id": group_id, "user_id": ben.id });
    cleo.is_refused("not_found", "groups.remove", named).await;
    for who in [&ana, &cleo] {
        who.receives_nothing(&server).await;
    }
    ana.asks("admin.suspend", json!({ "key": key(), "user_id": ben.id, "suspended": false })).await;
    let ben = Person::logs_in(server.at, &ben.email).await;
    assert_eq!(ben.reads_groups().await.len(), 1);
}

#[tokio::test]
async fn ad6_nobody_receives_the_deletion_of_a_suspended_account_or_of_its_posts() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    promoted(&server, &ana).await;
    cleo.makes_group_with("Tea", &[&ana, &ben]).await;
    cleo.follows(&ben).await;
    let post = ben.posts("hello").await;
    cleo.opens(post).await;
    cleo.visits(&ben).await;
    reports(&cleo, json!({ "type": "post", "post_id": post })).await;
    ana.asks("admin.suspend", json!({ "key": key(), "user_id": ben.id, "suspended": true })).await;
    cleo.receives("users.deleted").await;
    let dan = server.person("Dan").await;
    for who in [&cleo, &dan] {
        who.is_up_to_date(&server).await;
    }
    let report = &ana.asks("admin.reports", json!({})).await["reports"][0]["id"];
    ana.asks("admin.remove_content", json!({ "key": key(), "report_id": report })).await;
    ana.asks("admin.delete", json!({ "user_id": ben.id, "password": PASSWORD })).await;
    for who in [&cleo, &dan] {
        for event in who.is_up_to_date(&server).await {
            assert!(!event.to_string().contains(&ben.id.to_string()), "{} received {event}", who.name);
        }
    }
    assert_eq!(people(&ana, "ben").await, [Value::Null; 0]);
}

#[tokio::test]
async fn ad6_the_counts_of_a_suspended_user_are_sent_to_nobody() {
    let server = TestServer::new().await;
    let [ana, ben, mut cleo, dan, eve] = server.people(["Ana", "Ben", "Cleo", "Dan", "Eve"]).await;
    promoted(&server, &ana).await;
    ben.follows(&dan).await;
    ben.follows(&eve).await;
    let hello = cleo.socket.hello().await;
    ana.asks("admin.suspend", json!({ "key": key(), "user_id": ben.id, "suspended": true })).await;
    cleo.receives("users.deleted").await;
    // Her page showed both profiles when it lost its connection.
    cleo.reconnects().await;
    let now = ana.asks("live.probe", json!({})).await["seq"].clone();
    let shows = json!({ "epoch": hello["epoch"], "seq": now, "posts": [], "profiles": [ben.id, dan.id] });
    cleo.asks("live.resume", shows).await;
    cleo.is_up_to_date(&server).await;
    // With her account, a follow of Ben ends.
    eve.deletes_account().await;
    ana.follows(&dan).await;
    let counted = cleo.receives("profiles.counted").await;
    assert_eq!((&counted["user_id"], &counted["followers_count"]), (&json!(dan.id), &json!(1)));
}

#[tokio::test]
async fn ad6_a_repeated_edit_gets_its_first_reply_which_names_no_user_who_was_suspended_since() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    promoted(&server, &ana).await;
    let post_id = cleo.posts("tea?").await;
    ben.comments(post_id, "his words").await;
    let edited = edit(post_id, None, "tea!");
    let ok = cleo.asks("posts.update", edited.clone()).await;
    ana.asks("admin.suspend", json!({ "key": key(), "user_id": ben.id, "suspended": true })).await;
    let again = cleo.asks("posts.update", edited).await;
    assert_eq!(again, ok);
    assert!(!again.to_string().contains(&ben.id.to_string()), "{again}");
}

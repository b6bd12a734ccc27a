//! The first steps of a new user.

use serde_json::{Value, json};

use crate::access::rows::SIGNED_IN;
use crate::feature::{Feature, NONE};
use crate::support::person::Person;
use crate::support::picture::jpeg;
use crate::support::server::TestServer;
use crate::support::socket::Socket;
use crate::support::value::key;

pub const FEATURE: Feature = Feature {
    rows: &[("newcomers.dismiss", |_| json!({ "key": key(), "what": "steps" }), SIGNED_IN, None)],
    ..NONE
};

/// Returns the steps that are done, as a new tab receives them.
async fn steps(who: &Person) -> Value {
    let tab = Socket::open(who.at, Some(&who.cookie)).await;
    tab.hello().await["me"]["first_steps"].clone()
}

#[tokio::test]
async fn a_step_that_a_new_user_has_done_is_done_on_all_devices_and_stays_done() {
    let server = TestServer::with_manual_clock(&["themes_file="]).await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let none =
        json!({ "has_photo": false, "has_followed": false, "has_invited": false, "has_answered": false });
    assert_eq!(ana.me()["first_steps"], none);
    let phone = ana.logs_in_on_phone().await;
    let learns = async |step: &str| {
        phone.socket.receives_where("account.changed", |event| event["me"]["first_steps"][step] == true).await
    };
    ana.follows(&ben).await;
    learns("has_followed").await;
    let upload = ana.uploads_photo("me.jpg", &jpeg(8, 6)).await;
    ana.asks("profiles.set_photo", json!({ "key": key(), "upload": upload })).await;
    learns("has_photo").await;
    ana.asks("invites.create", json!({ "key": key() })).await;
    learns("has_invited").await;
    ana.posts_tagged("hello", "something else").await;
    let theme = ana.asks("theme.get", json!({})).await["theme"]["tag"].as_str().unwrap().to_owned();
    assert_eq!(steps(&ana).await["has_answered"], false);
    ana.posts_tagged("mine", &theme.to_uppercase()).await;
    learns("has_answered").await;
    ana.unfollows(&ben).await;
    assert_eq!(steps(&ana).await["has_followed"], true);

    ana.asks("newcomers.dismiss", json!({ "key": key(), "what": "steps" })).await;
    phone.socket.receives_where("account.changed", |event| event["me"]["first_steps"].is_null()).await;
    assert_eq!(steps(&ana).await, json!(null), "for good");
}

#[tokio::test]
async fn a_post_with_the_tag_of_the_hosts_own_theme_does_the_step() {
    let server = TestServer::with_manual_clock(&["themes_file="]).await;
    let ana = server.person("Ana").await;
    let rotation = ana.asks("theme.get", json!({})).await["theme"]["tag"].as_str().unwrap().to_owned();
    server.host(&["theme", "set", "--title=Boats", "--description=Which?", "--tag=boats"]).await;
    ana.posts_tagged("not any more", &rotation).await;
    assert_eq!(steps(&ana).await["has_answered"], false);
    ana.posts_tagged("mine", "Boats").await;
    assert_eq!(steps(&ana).await["has_answered"], true);
}

#[tokio::test]
async fn an_account_older_than_the_first_steps_has_none() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    server.look().execute("delete from newcomers", []).unwrap();
    assert_eq!(steps(&ana).await, json!(null));
    ana.follows(&ben).await;
    assert!(!ana.is_up_to_date(&server).await.iter().any(|event| event["ev"] == "account.changed"));
}

//! Settings for others: who may comment on a user's posts, and who may add the user to groups.

use serde_json::{Value, json};

use crate::support::person::Person;
use crate::support::server::TestServer;
use crate::support::value::key;

impl Person {
    /// Sets who may add this user to groups.
    async fn lets_add(&self, who: &str) {
        self.asks("account.set_privacy", json!({ "key": key(), "adders": who })).await;
    }

    async fn may_not_comment(&self, post_id: i64) {
        let no = self.is_refused("comments_limited", "comments.create", comment(post_id)).await;
        assert_eq!((no.field, no.retry_ms), (None, None));
    }

    async fn may_not_add(&self, group_id: i64, other: &Self) {
        let fields = json!({ "key": key(), "group_id": group_id, "user_ids": [other.id] });
        let no = self.is_refused("invalid", "groups.add", fields).await;
        assert_eq!(no.field.as_deref(), Some("user_ids"));
    }

    async fn candidates(&self, group_id: i64) -> Vec<Value> {
        let page = self.asks("groups.candidates", json!({ "group_id": group_id, "before": null })).await;
        page["users"].as_array().unwrap().iter().map(|user| user["name"].clone()).collect()
    }

    async fn groups_left(&self) -> Value {
        self.asks("groups.not_again", json!({})).await["groups"].clone()
    }
}

fn comment(post_id: i64) -> Value {
    json!({ "key": key(), "post_id": post_id, "text": "hello", "audience": { "type": "public" } })
}

#[tokio::test]
async fn d_s8_the_author_decides_who_may_comment_and_open_screens_receive_it() {
    let server = TestServer::new().await;
    let [ana, fan, friend, stranger] = server.people(["Ana", "Fan", "Friend", "Stranger"]).await;
    fan.follows(&ana).await;
    ana.follows(&friend).await;
    let old = ana.posts("from before").await;
    let everyone = [&ana, &fan, &friend, &stranger];
    for who in everyone {
        assert_eq!(who.opens(old).await["comments_only_for"], json!(null));
        who.comments(old, "before").await;
    }
    let results = async |commenters: &str| {
        for who in everyone {
            who.is_up_to_date(&server).await;
        }
        ana.lets_comment(commenters).await;
        let mut results = Vec::new();
        for who in everyone {
            let events = who.is_up_to_date(&server).await;
            let allowed: Vec<Value> =
                events.into_iter().filter(|event| event["ev"] == "comments.allowed").collect();
            assert!(allowed.iter().all(|event| event["author_id"] == ana.id));
            results.push(allowed.iter().map(|event| event["only_for"].clone()).collect::<Vec<_>>());
        }
        results
    };
    let (nothing, yes, no) = (vec![], vec![json!(null)], |who: &str| vec![json!(who)]);

    let followers = "followers";
    assert_eq!(results(followers).await, [nothing.clone(), yes.clone(), no(followers), no(followers)]);
    for who in [&ana, &fan] {
        who.comments(old, "as before").await;
        assert_eq!(who.opens(old).await["comments_only_for"], json!(null));
    }
    for who in [&friend, &stranger] {
        who.may_not_comment(old).await;
        assert_eq!(who.opens(old).await["comments_only_for"], followers);
        assert_eq!(who.reads_thread(old).await["comments_count"], 6, "what was said stays");
    }

    let followed = "followed";
    assert_eq!(results(followed).await, [nothing.clone(), no(followed), yes.clone(), no(followed)]);
    for who in [&ana, &friend] {
        who.comments(old, "as before").await;
    }
    for who in [&fan, &stranger] {
        who.may_not_comment(old).await;
        assert_eq!(who.opens(old).await["comments_only_for"], followed);
    }
    let feed = fan.reads_feed().await;
    assert_eq!(feed["posts"][0]["comments_only_for"], followed);

    assert_eq!(results("everyone").await, [nothing, yes.clone(), yes.clone(), yes]);
    stranger.comments(old, "at last").await;
}

#[tokio::test]
async fn d_s8_the_beginning_or_end_of_a_follow_changes_who_may_comment_at_once() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let post_id = ana.posts("hello").await;
    let bens_tab = ben.opens_another_tab().await;
    ana.lets_comment("followers").await;
    ben.may_not_comment(post_id).await;
    for (follows, only_for) in [(true, json!(null)), (false, json!("followers"))] {
        for who in [&ben, &bens_tab, &cleo] {
            who.is_up_to_date(&server).await;
        }
        if follows {
            ben.follows(&ana).await;
        } else {
            ben.unfollows(&ana).await;
        }
        assert_eq!(bens_tab.receives("comments.allowed").await["only_for"], only_for);
        assert_eq!(ben.opens(post_id).await["comments_only_for"], only_for);
        cleo.receives_nothing(&server).await;
    }
    ana.lets_comment("followed").await;
    for (follows, only_for) in [(true, json!(null)), (false, json!("followed"))] {
        for who in [&ben, &bens_tab, &cleo] {
            who.is_up_to_date(&server).await;
        }
        if follows {
            ana.follows(&ben).await;
        } else {
            ana.unfollows(&ben).await;
        }
        assert_eq!(bens_tab.receives("comments.allowed").await["only_for"], only_for);
        assert_eq!(ben.opens(post_id).await["comments_only_for"], only_for);
        cleo.receives_nothing(&server).await;
    }
    ben.may_not_comment(post_id).await;
}

#[tokio::test]
async fn d_s8_a_follower_who_is_removed_loses_the_box_at_once() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    ana.lets_comment("followers").await;
    ben.follows(&ana).await;
    let post_id = ana.posts("hello").await;
    ben.comments(post_id, "hi").await;
    ben.is_up_to_date(&server).await;
    ana.asks("follows.remove", json!({ "key": key(), "user_id": ben.id })).await;
    assert_eq!(ben.receives("comments.allowed").await["only_for"], "followers");
    ben.may_not_comment(post_id).await;
}

#[tokio::test]
async fn d_s8_in_a_group_all_members_comment_and_a_post_that_becomes_public_is_like_any_other() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let group_id = ben.makes_group_with("Tea", &[&ana]).await;
    let post_id = ana.shares(group_id, "for us").await;
    ana.unfollows(&ben).await;
    ana.lets_comment("followed").await;
    ana.edits(post_id, None, "for all").await;
    ben.may_not_comment(post_id).await;
    let other = ana.shares(group_id, "for us again").await;
    ben.comments(other, "hello").await;
}

#[tokio::test]
async fn d_s7_a_user_decides_who_may_add_them_to_groups() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let group_id = ana.makes_group("Tea").await;
    let can_be_added = async || ana.visits(&ben).await["can_be_added"].clone();
    ana.follows(&ben).await;
    ana.adds(group_id, &[&ben]).await;
    ana.removes(group_id, &ben).await;
    ben.lets_add("followed").await;
    assert_eq!(can_be_added().await, false);
    ana.may_not_add(group_id, &ben).await;
    ben.follows(&ana).await;
    assert_eq!(can_be_added().await, true);
    assert_eq!(ana.candidates(group_id).await, ["Ben"]);
    ana.adds(group_id, &[&ben]).await;
    ben.lets_add("nobody").await;
    assert_eq!(ana.candidates(group_id).await, ["Ben"], "he is in it");
    ana.removes(group_id, &ben).await;
    assert_eq!(ana.candidates(group_id).await, [""; 0]);
    assert_eq!(can_be_added().await, false);
    ana.may_not_add(group_id, &ben).await;
    ben.lets_add("followers").await;
    ana.adds(group_id, &[&ben]).await;
}

#[tokio::test]
async fn d_s7_a_user_who_left_a_group_is_not_added_to_it_until_they_allow_it() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let group_id = ana.makes_group_with("Tea", &[&ben, &cleo]).await;
    ben.leaves_group(group_id).await;
    ana.removes(group_id, &cleo).await;
    ana.renames_group(group_id, "Coffee").await;
    ana.may_not_add(group_id, &ben).await;
    assert_eq!(ana.candidates(group_id).await, ["Cleo"]);
    ana.adds(group_id, &[&cleo]).await;
    assert_eq!(ben.groups_left().await, json!([{ "id": group_id, "name": "Tea" }]), "as it was called then");
    assert_eq!(cleo.groups_left().await, json!([]));
    let of_mine = async |owner: &Person| {
        owner.asks("groups.left_of_mine", json!({ "user_id": ben.id })).await["group_ids"].clone()
    };
    assert_eq!((of_mine(&ana).await, of_mine(&cleo).await), (json!([group_id]), json!([])));
    let other = ana.makes_group("Cake").await;
    ana.adds(other, &[&ben]).await;

    let allow = json!({ "key": key(), "group_id": group_id });
    assert_eq!(ben.asks("groups.allow_again", allow).await["groups"], json!([]));
    ana.adds(group_id, &[&ben]).await;
    ben.leaves_group(group_id).await;
    ana.ends_group(group_id).await;
    assert_eq!(ben.groups_left().await, json!([]), "nobody is added to a group that is gone");
}

#[tokio::test]
async fn d_s9_the_owner_of_a_group_deletes_comments_on_its_posts_and_on_no_others() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let group_id = ana.makes_group_with("Tea", &[&ben, &cleo]).await;
    let (shared, public) = (ben.shares(group_id, "for us").await, ben.posts("for all").await);
    ana.opens(shared).await;
    let in_group = cleo.comments(shared, "unkind").await;
    let in_public = cleo.comments(public, "unkind").await;
    let groups = &ana.asks("posts.get", json!({ "post_id": shared })).await["groups"];
    assert_eq!(groups, &json!([{ "id": group_id, "name": "Tea", "owner_id": ana.id }]));
    ana.deletes_comment(in_group).await;
    assert_eq!(ana.receives("comments.deleted").await["comment_id"], in_group);
    let no = |comment_id: i64| json!({ "key": key(), "comment_id": comment_id });
    ana.is_refused("not_found", "comments.delete", no(in_public)).await;
}

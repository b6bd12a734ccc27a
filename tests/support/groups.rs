//! Actions of users in groups.

use serde_json::{Value, json};

use super::person::{Person, edit, poll, post};
use super::value::key;

/// Returns the audience of a group.
pub fn of(group_id: i64) -> Value {
    json!({ "type": "group", "group_id": group_id })
}

/// The fields of a post for a group.
pub fn post_for(group_id: i64, text: &str) -> Value {
    with_audience(post(text), of(group_id))
}

/// The fields of a poll for a group.
pub fn poll_for(group_id: i64, question: &str, options: &[&str]) -> Value {
    with_audience(poll(question, options), of(group_id))
}

/// The fields of an edit that changes the audience.
pub fn edit_for(audience: Value, post_id: i64, text: &str) -> Value {
    with_audience(edit(post_id, None, text), audience)
}

fn with_audience(mut fields: Value, audience: Value) -> Value {
    fields["audience"] = audience;
    fields
}

impl Person {
    /// Creates a group. Returns its id.
    pub async fn makes_group(&self, name: &str) -> i64 {
        let fields = json!({ "key": key(), "name": name });
        self.asks("groups.create", fields).await["group"]["id"].as_i64().unwrap()
    }

    /// Creates a group with these members. They follow its owner first, so that they can be added.
    pub async fn makes_group_with(&self, name: &str, others: &[&Self]) -> i64 {
        for other in others {
            other.follows(self).await;
        }
        let group_id = self.makes_group(name).await;
        self.adds(group_id, others).await;
        group_id
    }

    pub async fn renames_group(&self, group_id: i64, name: &str) {
        self.asks("groups.rename", json!({ "key": key(), "group_id": group_id, "name": name })).await;
    }

    pub async fn ends_group(&self, group_id: i64) {
        self.asks("groups.delete", json!({ "key": key(), "group_id": group_id })).await;
    }

    pub async fn adds(&self, group_id: i64, others: &[&Self]) -> Value {
        let ids: Vec<i64> = others.iter().map(|other| other.id).collect();
        self.asks("groups.add", json!({ "key": key(), "group_id": group_id, "user_ids": ids })).await
    }

    pub async fn removes(&self, group_id: i64, other: &Self) {
        let fields = json!({ "key": key(), "group_id": group_id, "user_id": other.id });
        self.asks("groups.remove", fields).await;
    }

    pub async fn leaves_group(&self, group_id: i64) {
        self.asks("groups.leave", json!({ "key": key(), "group_id": group_id })).await;
    }

    /// Publishes a text for a group. Returns the id of the post.
    pub async fn shares(&self, group_id: i64, text: &str) -> i64 {
        self.publishes(post_for(group_id, text)).await
    }

    /// Creates a poll for a group. Returns its id.
    pub async fn asks_poll_of(&self, group_id: i64, question: &str, options: &[&str]) -> i64 {
        let fields = poll_for(group_id, question, options);
        self.asks("polls.create", fields).await["poll"]["id"].as_i64().unwrap()
    }

    /// Edits the texts and the audience of a post.
    pub async fn edits_for(&self, audience: Value, post_id: i64, text: &str) -> Value {
        self.asks("posts.update", edit_for(audience, post_id, text)).await
    }

    /// Returns the groups of this user.
    pub async fn reads_groups(&self) -> Vec<Value> {
        self.asks("groups.list", json!({})).await["groups"].as_array().unwrap().clone()
    }

    /// Reads the newest posts of a group.
    pub async fn reads_posts_in(&self, group_id: i64) -> Value {
        self.asks("posts.by_group", json!({ "group_id": group_id, "before": null })).await
    }

    /// Returns a group with its members.
    pub async fn opens_group(&self, group_id: i64) -> Value {
        self.asks("groups.get", json!({ "group_id": group_id })).await
    }
}

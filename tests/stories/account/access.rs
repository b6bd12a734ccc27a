//! Accounts: who may send which request, and who receives which event.

use serde_json::json;

use crate::access::delivered::{WATCHERS, Watch};
use crate::access::rows::SIGNED_IN;
use crate::feature::{Feature, NONE};
use crate::support::person::PASSWORD;
use crate::support::value::key;

pub const FEATURE: Feature = Feature {
    rows: &[
        ("account.set_privacy", |_| json!({ "key": key(), "hide_numbers": true }), SIGNED_IN, None),
        ("account.export", |_| json!({}), SIGNED_IN, None),
        ("account.delete", |_| json!({ "password": PASSWORD }), SIGNED_IN, None),
    ],
    delivered: &[("users.deleted", WATCHERS), ("account.changed", &["author", "author's tab"])],
    end: |watch| Box::pin(end(watch)),
    reads: &["account.export"],
    ..NONE
};

/// Somebody deletes their account, and the author hides their own numbers, which then only the author receives.
async fn end(watch: &Watch<'_>) {
    watch.sees("leave", watch.person("leaver").asks("account.delete", json!({ "password": PASSWORD }))).await;
    let own: &[&str] = &["author", "author's tab"];
    let hidden = async {
        let author = watch.person("author");
        author.hides_numbers(true).await;
        for name in own {
            watch.person(name).receives_where_counted(author.id).await;
        }
    };
    watch.sees_but("hide", &[("profiles.counted", own)], hidden).await;
}

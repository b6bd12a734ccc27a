//! Invitations: who may send which request, and who receives which event.

use serde_json::json;

use crate::access::delivered::Watch;
use crate::access::rows::Then::{InviteExpired, NotFound};
use crate::access::rows::{EVERYBODY, NOBODY, SIGNED_IN, THE_AUTHOR, Things};
use crate::feature::{Feature, NONE};
use crate::support::value::key;

pub const FEATURE: Feature = Feature {
    rows: &[
        ("invites.get", |things| json!({ "code": code(things) }), EVERYBODY, Some(InviteExpired)),
        ("invites.list", |_| json!({}), SIGNED_IN, None),
        ("invites.create", |_| json!({ "key": key() }), SIGNED_IN, None),
        (
            "invites.revoke",
            |things| json!({ "key": key(), "code": code(things) }),
            THE_AUTHOR,
            Some(NotFound),
        ),
    ],
    for_admins: &[("invites.all", |_| json!({ "after": null }), NOBODY, None)],
    delivered: &[("invites.changed", &["author", "author's tab"])],
    end: |watch| Box::pin(end(watch)),
    writes: |stage, sender| Box::pin(super::send_writes(stage, sender)),
    reads: &["invites.all", "invites.get", "invites.list"],
    ..NONE
};

fn code(things: Things) -> String {
    String::from_utf8_lossy(&things.invite).into_owned()
}

async fn end(watch: &Watch<'_>) {
    watch.sees("invite", watch.person("author").asks("invites.create", json!({ "key": key() }))).await;
}

//! Profiles: who may send which request, and who receives which event.

use serde_json::json;

use crate::access::delivered::{WATCHERS, Watch};
use crate::access::rows::Then::{NotFound, UploadGone};
use crate::access::rows::{SIGNED_IN, THE_SENDER};
use crate::feature::{Feature, NONE};
use crate::support::person::profile;
use crate::support::picture::jpeg;
use crate::support::uploads::photo;
use crate::support::value::{key, key_of};

pub const FEATURE: Feature = Feature {
    rows: &[
        ("profiles.get", |things| json!({ "user_id": things.author }), SIGNED_IN, Some(NotFound)),
        ("profiles.update", |_| profile("Somebody", "tea"), SIGNED_IN, None),
        ("profiles.set_photo", |things| photo(&key_of(things.photo)), THE_SENDER, Some(UploadGone)),
        ("profiles.language", |_| json!({ "key": key(), "language": "de", "shown": "de" }), SIGNED_IN, None),
    ],
    delivered: &[
        ("profiles.changed", &["author", "author's tab", "shows the profile"]),
        // Any signed-in user may show another's name.
        ("users.changed", WATCHERS),
    ],
    end: |watch| Box::pin(end(watch)),
    writes: |stage, sender| Box::pin(super::send_writes(stage, sender)),
    reads: &["profiles.get"],
    ..NONE
};

/// Another name and a photo.
async fn end(watch: &Watch<'_>) {
    let author = watch.person("author");
    watch.sees("rename", author.renames("Anna")).await;
    watch.sees("photo", author.changes_photo(&jpeg(8, 8))).await;
}

//! Comments: who may send which request, and who receives which event.

use serde_json::json;

use crate::access::delivered::{WATCHERS, Watch};
use crate::access::rows::Then::{NotFound, NotSignedIn, Yes};
use crate::access::rows::{MEMBERS, NOBODY, SIGNED_IN, THE_AUTHOR};
use crate::feature::{Feature, NONE};
use crate::support::groups::of;
use crate::support::value::key;

pub const FEATURE: Feature = Feature {
    rows: &[
        (
            "comments.create",
            |things| json!({ "key": key(), "post_id": things.post, "text": "hi", "audience": { "type": "public" } }),
            SIGNED_IN,
            Some(NotFound),
        ),
        (
            "comments.delete",
            |things| json!({ "key": key(), "comment_id": things.comment }),
            THE_AUTHOR,
            Some(NotFound),
        ),
        (
            "comments.mentionable",
            |things| json!({ "post_id": things.post, "term": "" }),
            SIGNED_IN,
            Some(NotFound),
        ),
        ("comments.page", |things| json!({ "post_id": things.post }), SIGNED_IN, Some(NotFound)),
    ],
    of_group: &[
        (
            "comments.create",
            |things| json!({ "key": key(), "post_id": things.shared.post, "text": "hi", "audience": of(things.group) }),
            MEMBERS,
            Some(NotFound),
        ),
        // The author of the comment, the author of the post, and the owner of the group.
        (
            "comments.delete",
            |things| json!({ "key": key(), "comment_id": things.shared.comment }),
            [NotSignedIn, NotFound, NotFound, NotFound, Yes, NotSignedIn, Yes, NotFound, Yes],
            Some(NotFound),
        ),
        (
            "comments.mentionable",
            |things| json!({ "post_id": things.shared.post, "term": "" }),
            MEMBERS,
            Some(NotFound),
        ),
        ("comments.page", |things| json!({ "post_id": things.shared.post }), MEMBERS, Some(NotFound)),
    ],
    of_left: &[
        ("comments.page", |things| json!({ "post_id": things.shared.left_post }), MEMBERS, Some(NotFound)),
        (
            "comments.create",
            |things| json!({ "key": key(), "post_id": things.shared.left_post, "text": "hi", "audience": of(things.group) }),
            MEMBERS,
            Some(NotFound),
        ),
        ("comments.page", |things| json!({ "post_id": things.shared.orphan }), NOBODY, Some(NotFound)),
        (
            "comments.create",
            |things| json!({ "key": key(), "post_id": things.shared.orphan, "text": "hi", "audience": { "type": "public" } }),
            NOBODY,
            Some(NotFound),
        ),
        (
            "comments.mentionable",
            |things| json!({ "post_id": things.shared.orphan, "term": "" }),
            NOBODY,
            Some(NotFound),
        ),
    ],
    delivered: &[
        ("comments.created", &["author", "shows the post"]),
        ("comments.deleted", &["author", "shows the post"]),
        // Any of them may show a post of the author.
        ("comments.allowed", WATCHERS.split_at(2).1),
    ],
    in_group: &[
        ("comments.created", &["author", "shows the post"]),
        ("comments.deleted", &["author", "shows the post"]),
    ],
    play: |watch| Box::pin(play(watch)),
    end: |watch| Box::pin(end(watch)),
    play_in_group: |watch| Box::pin(play_in_group(watch)),
    writes: |stage, sender| Box::pin(super::send_writes(stage, sender)),
    reads: &["comments.mentionable", "comments.page"],
    ..NONE
};

/// A comment and its end.
async fn play(watch: &Watch<'_>) {
    let doer = watch.person("doer");
    let comment_id = watch.sees("comment", doer.comments(watch.post_id, "hi")).await;
    watch.sees("uncomment", doer.deletes_comment(comment_id)).await;
}

/// The author lets only followers comment.
async fn end(watch: &Watch<'_>) {
    watch.sees("limit", watch.person("author").lets_comment("followers")).await;
}

/// The same in a group.
async fn play_in_group(watch: &Watch<'_>) {
    let member = watch.person("member");
    let comment_id = watch.sees("comment", member.comments(watch.post_id, "which Quetzal?")).await;
    watch.sees("uncomment", member.deletes_comment(comment_id)).await;
    watch.makes(comment_id);
}

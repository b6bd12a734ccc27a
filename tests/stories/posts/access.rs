//! Posts: who may send which request, and who receives which event.

use serde_json::json;

use crate::access::delivered::{IN_GROUP, Watch};
use crate::access::rows::Then::{Gone, Invalid, NotFound, NotSignedIn, Yes};
use crate::access::rows::{MEMBERS, NOBODY, SIGNED_IN, THE_AUTHOR, THE_EX_MEMBER, members};
use crate::feature::{Feature, NONE};
use crate::support::groups::{edit_for, of, post_for};
use crate::support::person::{edit, post};
use crate::support::value::key;

pub const FEATURE: Feature = Feature {
    rows: &[
        ("posts.feed", |_| json!({}), SIGNED_IN, None),
        ("posts.by_author", |things| json!({ "user_id": things.author }), SIGNED_IN, Some(NotFound)),
        ("posts.by_group", |things| json!({ "group_id": things.group }), MEMBERS, Some(NotFound)),
        ("posts.saved", |_| json!({}), SIGNED_IN, None),
        ("posts.search", |_| json!({ "term": "hello" }), SIGNED_IN, None),
        ("posts.get", |things| json!({ "post_id": things.post }), SIGNED_IN, Some(NotFound)),
        ("posts.refresh", |things| json!({ "post_ids": [things.post] }), SIGNED_IN, Some(Gone)),
        ("posts.create", |_| post("mine"), SIGNED_IN, None),
        ("posts.update", |things| edit(things.post, None, "mine"), THE_AUTHOR, Some(NotFound)),
        (
            "posts.delete",
            |things| json!({ "key": key(), "post_id": things.post }),
            THE_AUTHOR,
            Some(NotFound),
        ),
    ],
    of_group: &[
        ("posts.get", |things| json!({ "post_id": things.shared.post }), MEMBERS, Some(NotFound)),
        (
            "posts.refresh",
            |things| json!({ "post_ids": [things.shared.post] }),
            members(Yes, Gone),
            Some(Gone),
        ),
        ("posts.create", |things| post_for(things.group, "ours"), MEMBERS, Some(NotFound)),
        (
            "posts.update",
            |things| edit_for(of(things.group), things.shared.post, "ours"),
            THE_AUTHOR,
            Some(NotFound),
        ),
        // Authors may change the audience of their own public posts to a group.
        (
            "posts.update",
            |things| edit_for(of(things.group), things.post, "ours"),
            THE_AUTHOR,
            Some(NotFound),
        ),
        (
            "posts.delete",
            |things| json!({ "key": key(), "post_id": things.shared.post }),
            THE_AUTHOR,
            Some(NotFound),
        ),
    ],
    of_left: &[
        (
            "posts.get",
            |things| json!({ "post_id": things.shared.left_post }),
            [NotSignedIn, NotFound, NotFound, NotFound, Yes, NotSignedIn, Yes, Yes, Yes],
            Some(NotFound),
        ),
        (
            "posts.update",
            |things| edit_for(json!({ "type": "author" }), things.shared.left_post, "mine"),
            THE_EX_MEMBER,
            Some(NotFound),
        ),
        // The members still read it, and would read the new words.
        (
            "posts.update",
            |things| edit_for(json!({ "type": "group", "group_id": null }), things.shared.left_post, "mine"),
            [NotSignedIn, NotFound, NotFound, NotFound, NotFound, NotSignedIn, NotFound, Invalid, NotFound],
            Some(NotFound),
        ),
        (
            "posts.update",
            |things| edit_for(of(things.group), things.shared.left_post, "mine"),
            NOBODY,
            Some(NotFound),
        ),
        (
            "posts.delete",
            |things| json!({ "key": key(), "post_id": things.shared.left_post }),
            THE_EX_MEMBER,
            Some(NotFound),
        ),
        ("posts.get", |things| json!({ "post_id": things.shared.orphan }), THE_AUTHOR, Some(NotFound)),
        (
            "posts.delete",
            |things| json!({ "key": key(), "post_id": things.shared.orphan }),
            THE_AUTHOR,
            Some(NotFound),
        ),
    ],
    delivered: &[
        ("posts.created", &["author", "author's tab", "follower", "shows the profile"]),
        ("posts.updated", &["author", "author's tab", "follower", "shows the profile", "shows the post"]),
        ("posts.deleted", &["author", "author's tab", "follower", "shows the profile", "shows the post"]),
    ],
    in_group: &[("posts.created", IN_GROUP), ("posts.updated", IN_GROUP), ("posts.deleted", IN_GROUP)],
    play: |watch| Box::pin(play(watch)),
    end: |watch| Box::pin(end(watch)),
    play_in_group: |watch| Box::pin(play_in_group(watch)),
    reads: &[
        "posts.by_author",
        "posts.by_group",
        "posts.feed",
        "posts.get",
        "posts.refresh",
        "posts.saved",
        "posts.search",
    ],
    ..NONE
};

/// A post, one with a picture, and an edit of the post that some show.
async fn play(watch: &Watch<'_>) {
    let author = watch.person("author");
    watch.sees("post", author.asks("posts.create", post("new"))).await;
    watch.sees("picture", author.posts_picture("look")).await;
    watch.sees("edit", author.edits(watch.post_id, None, "shown anew")).await;
}

/// The end of the post that some show.
async fn end(watch: &Watch<'_>) {
    watch.sees("delete", watch.person("author").deletes(watch.post_id)).await;
}

/// Another post in the group, an edit of the one that some show, and a public post that becomes one of the group.
async fn play_in_group(watch: &Watch<'_>) {
    let Watch { group_id, post_id: shown, public_id: public, .. } = *watch;
    let author = watch.person("author");
    watch.sees("share", author.shares(group_id, "another Quetzal")).await;
    watch.sees("edit", author.edits_for(of(group_id), shown, "Quetzal?")).await;
    // A user who loses it receives only its deletion.
    let losers: &[&str] = &["follower", "shows the profile"];
    let narrowed = author.edits_for(of(group_id), public, "a Quetzal among us");
    watch.sees_but("narrow", &[("posts.deleted", losers)], narrowed).await;
    watch.sees("unshare", author.deletes(public)).await;
}

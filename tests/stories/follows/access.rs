//! Follows: who may send which request, and who receives which event.

use serde_json::json;

use crate::access::delivered::Watch;
use crate::access::rows::Then::{NotFound, Yes};
use crate::access::rows::{SIGNED_IN, THE_OTHERS};
use crate::feature::{Feature, NONE};
use crate::support::value::key;

pub const FEATURE: Feature = Feature {
    rows: &[
        (
            "follows.set",
            |things| json!({ "key": key(), "user_id": things.author, "following": true }),
            THE_OTHERS,
            Some(NotFound),
        ),
        ("follows.remove", |things| json!({ "key": key(), "user_id": things.author }), SIGNED_IN, Some(Yes)),
        ("follows.page", |_| json!({ "side": "followers" }), SIGNED_IN, None),
    ],
    delivered: &[("follows.changed", &["doer", "doer's tab"]), ("profiles.counted", &["shows the profile"])],
    play: |watch| Box::pin(play(watch)),
    reads: &["follows.page"],
    ..NONE
};

/// A follow, and the profile's count.
async fn play(watch: &Watch<'_>) {
    let [author, doer, shows_profile] =
        ["author", "doer", "shows the profile"].map(|name| watch.person(name));
    // A first follow is one of a newcomer's first steps.
    let first_step: (&str, &[&str]) = ("account.changed", &["doer", "doer's tab"]);
    let followed = async {
        doer.follows(author).await;
        // A count may be delayed. If anybody else receives it, a later act fails.
        shows_profile.sees_followers(2).await;
        watch.met("profiles.counted");
    };
    watch.sees_but("follow", &[first_step], followed).await;
    doer.unfollows(author).await;
    // The unfollow is received first, and its counts are delayed.
    shows_profile.sees_followers(1).await;
}

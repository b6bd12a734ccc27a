//! Polls: who may send which request, and who receives which event.

use serde_json::json;

use crate::access::delivered::{IN_GROUP, Watch};
use crate::access::rows::Then::{NotFound, NotSignedIn, PollVoted, Yes};
use crate::access::rows::{MEMBERS, SIGNED_IN, THE_AUTHOR};
use crate::feature::{Feature, NONE};
use crate::support::groups::poll_for;
use crate::support::person::{Person, poll};
use crate::support::value::key;

pub const FEATURE: Feature = Feature {
    rows: &[
        // No one here follows the author yet.
        ("polls.list", |_| json!({ "before": null }), SIGNED_IN, None),
        ("polls.create", |_| poll("mine?", &["yes", "no"]), SIGNED_IN, None),
        (
            "polls.vote",
            |things| json!({ "key": key(), "poll_id": things.poll, "option": 0 }),
            [NotSignedIn, NotFound, Yes, NotFound, PollVoted, NotSignedIn, NotFound, NotFound, NotFound],
            Some(NotFound),
        ),
        // The voters: the follower may see the poll and has not voted.
        (
            "polls.voters",
            |things| json!({ "poll_id": things.poll, "option": 0, "after": null }),
            THE_AUTHOR,
            Some(NotFound),
        ),
        // A viewer who may not see a tally gets none, without a refusal.
        ("polls.tallies", |things| json!({ "poll_ids": [things.poll] }), SIGNED_IN, None),
        (
            "polls.delete",
            |things| json!({ "key": key(), "poll_id": things.poll }),
            THE_AUTHOR,
            Some(NotFound),
        ),
    ],
    of_group: &[
        ("polls.create", |things| poll_for(things.group, "ours?", &["yes", "no"]), MEMBERS, Some(NotFound)),
        // Following its creator is no right to it.
        (
            "polls.vote",
            |things| json!({ "key": key(), "poll_id": things.shared.poll, "option": 0 }),
            [NotSignedIn, NotFound, NotFound, NotFound, PollVoted, NotSignedIn, Yes, NotFound, Yes],
            Some(NotFound),
        ),
        (
            "polls.voters",
            |things| json!({ "poll_id": things.shared.poll, "option": 0, "after": null }),
            THE_AUTHOR,
            Some(NotFound),
        ),
        (
            "polls.delete",
            |things| json!({ "key": key(), "poll_id": things.shared.poll }),
            THE_AUTHOR,
            Some(NotFound),
        ),
    ],
    delivered: &[
        ("polls.created", &["author", "author's tab", "follower"]),
        ("polls.deleted", &["author", "author's tab", "follower"]),
        ("polls.voted", &["doer", "doer's tab"]),
        // Of the users who see the poll, the one who voted.
        ("polls.counted", &["doer", "doer's tab"]),
    ],
    in_group: &[
        ("polls.created", IN_GROUP),
        ("polls.voted", &["member"]),
        ("polls.counted", &["member"]),
        ("polls.deleted", IN_GROUP),
    ],
    play: |watch| Box::pin(play(watch)),
    play_in_group: |watch| Box::pin(play_in_group(watch)),
    writes: |stage, sender| Box::pin(super::send_writes(stage, sender)),
    reads: &["polls.list", "polls.tallies", "polls.voters"],
    ..NONE
};

/// The author asks a poll. The doer follows, answers it and unfollows. Then the author deletes it.
async fn play(watch: &Watch<'_>) {
    let [author, doer] = ["author", "doer"].map(|name| watch.person(name));
    let poll_id = watch.sees("ask", author.asks_poll("Tea?", &["yes", "no"])).await;
    doer.follows(author).await;
    watch.sees("choose", doer.chooses(poll_id, 1)).await;
    doer.unfollows(author).await;
    // The unfollow is received first, and its counts are delayed.
    watch.person("shows the profile").sees_followers(1).await;
    // The user who unfollowed does not receive the deletion.
    watch.sees("unask", author.asks("polls.delete", json!({ "key": key(), "poll_id": poll_id }))).await;
}

/// The same in a group.
async fn play_in_group(watch: &Watch<'_>) {
    let author = watch.person("author");
    let asked = author.asks_poll_of(watch.group_id, "Quetzal or tea?", &["yes", "no"]);
    let poll_id = watch.sees("ask", asked).await;
    watch.sees("choose", watch.person("member").chooses(poll_id, 0)).await;
    watch.sees("unask", author.asks("polls.delete", json!({ "key": key(), "poll_id": poll_id }))).await;
    watch.makes(poll_id);
}

/// Deletes every open poll of this user, because a user may have only a few open polls at a time.
pub async fn delete_all_of(creator: &Person) {
    for poll in creator.reads_polls().await.iter().filter(|poll| poll["creator_id"] == creator.id) {
        creator.asks("polls.delete", json!({ "key": key(), "poll_id": poll["id"] })).await;
    }
}

//! Groups: who may send which request, and who receives which event.

use serde_json::json;

use crate::access::delivered::{IN_GROUP, Watch};
use crate::access::rows::Then::{NotFound, Yes};
use crate::access::rows::{MEMBERS, SIGNED_IN, THE_OTHER_MEMBERS, THE_OWNER};
use crate::feature::{Feature, NONE};
use crate::support::value::key;

pub const FEATURE: Feature = Feature {
    rows: &[
        ("groups.list", |_| json!({}), SIGNED_IN, None),
        ("groups.get", |things| json!({ "group_id": things.group }), MEMBERS, Some(NotFound)),
        ("groups.create", |_| json!({ "key": key(), "name": "mine" }), SIGNED_IN, None),
        (
            "groups.rename",
            |things| json!({ "key": key(), "group_id": things.group, "name": "mine" }),
            THE_OWNER,
            Some(NotFound),
        ),
        (
            "groups.delete",
            |things| json!({ "key": key(), "group_id": things.group }),
            THE_OWNER,
            Some(NotFound),
        ),
        (
            "groups.add",
            |things| json!({ "key": key(), "group_id": things.group, "user_ids": [things.other] }),
            THE_OWNER,
            Some(NotFound),
        ),
        (
            "groups.remove",
            |things| json!({ "key": key(), "group_id": things.group, "user_id": things.member }),
            THE_OWNER,
            Some(NotFound),
        ),
        (
            "groups.leave",
            |things| json!({ "key": key(), "group_id": things.group }),
            THE_OTHER_MEMBERS,
            Some(NotFound),
        ),
        (
            "groups.candidates",
            |things| json!({ "group_id": things.group, "before": null }),
            THE_OWNER,
            Some(NotFound),
        ),
        // A group that the viewer did not leave changes nothing, like one that is not there.
        ("groups.not_again", |_| json!({}), SIGNED_IN, None),
        ("groups.left_of_mine", |things| json!({ "user_id": things.author }), SIGNED_IN, Some(Yes)),
        (
            "groups.allow_again",
            |things| json!({ "key": key(), "group_id": things.group }),
            SIGNED_IN,
            Some(Yes),
        ),
    ],
    in_group: &[
        ("groups.created", &["owner", "owner's tab"]),
        ("groups.renamed", IN_GROUP),
        ("groups.joined", IN_GROUP),
        ("groups.left", IN_GROUP),
        ("groups.deleted", IN_GROUP),
    ],
    play_in_group: |watch| Box::pin(play_in_group(watch)),
    end_in_group: |watch| Box::pin(end_in_group(watch)),
    writes: |stage, sender| Box::pin(super::send_writes(stage, sender)),
    reads: &["groups.candidates", "groups.get", "groups.left_of_mine", "groups.list", "groups.not_again"],
    ..NONE
};

/// Another group, and another member.
async fn play_in_group(watch: &Watch<'_>) {
    let owner = watch.person("owner");
    let second_id = watch.sees("make", owner.makes_group("Quetzals, too")).await;
    watch.sees("add", owner.adds(watch.group_id, &[watch.person("newcomer")])).await;
    watch.makes(second_id);
}

/// Another name, a member who leaves, and the end of the group.
async fn end_in_group(watch: &Watch<'_>) {
    let group_id = watch.group_id;
    let owner = watch.person("owner");
    watch.sees("rename", owner.renames_group(group_id, "Quetzals at night")).await;
    watch.sees("take leave", watch.person("newcomer").leaves_group(group_id)).await;
    watch.sees("end", owner.ends_group(group_id)).await;
}

//! The golden messages of groups.

use mellow::features::events::Event;
use mellow::features::groups::wire;
use mellow::ids::FollowId;
use serde_json::json;

use super::{ANA, BEN, GROUP, Messages, NOW_MS, SEQ, event, key, no_one, ok, users};

/// The group as its members see it.
fn group() -> wire::Group {
    wire::Group {
        id: GROUP,
        name: "Tea & 🌿".into(),
        owner_id: ANA,
        members_count: 128,
        created_at_ms: NOW_MS,
    }
}

fn left_group() -> wire::LeftGroup {
    wire::LeftGroup { id: GROUP, name: "Tea & 🌿".into() }
}

pub fn messages() -> Messages {
    Messages {
        requests: vec![
            ("groups.list", json!({}), ok(&wire::Listed { groups: vec![group()], users: users(), seq: SEQ })),
            (
                "groups.get",
                json!({ "group_id": GROUP.0 }),
                ok(&wire::One { group: group(), members: users(), posts_count: 65_536, seq: SEQ }),
            ),
            (
                "groups.create",
                json!({ "key": key(), "name": "Tea & 🌿" }),
                ok(&wire::Made { group: group(), seq: SEQ }),
            ),
            (
                "groups.rename",
                json!({ "key": key(), "group_id": GROUP.0, "name": "Coffee שלום" }),
                ok(&wire::Renaming { group_id: GROUP, name: "Coffee שלום".into(), seq: SEQ }),
            ),
            ("groups.delete", json!({ "key": key(), "group_id": GROUP.0 }), ok(&wire::Done { seq: SEQ })),
            (
                "groups.add",
                json!({ "key": key(), "group_id": GROUP.0, "user_ids": [ANA.0, BEN.0] }),
                ok(&wire::Added { group_id: GROUP, users: users(), members_count: 128, seq: SEQ }),
            ),
            (
                "groups.remove",
                json!({ "key": key(), "group_id": GROUP.0, "user_id": BEN.0 }),
                ok(&wire::Done { seq: SEQ }),
            ),
            ("groups.leave", json!({ "key": key(), "group_id": GROUP.0 }), ok(&wire::Done { seq: SEQ })),
            (
                "groups.candidates",
                json!({ "group_id": GROUP.0, "before": 65_536 }),
                ok(&wire::Candidates { users: users(), older: Some(FollowId(65_536)), seq: SEQ }),
            ),
            ("groups.not_again", json!({}), ok(&wire::LeftGroups { groups: vec![left_group()], seq: SEQ })),
            (
                "groups.left_of_mine",
                json!({ "user_id": BEN.0 }),
                ok(&wire::LeftMine { group_ids: vec![GROUP], seq: SEQ }),
            ),
            (
                "groups.allow_again",
                json!({ "key": key(), "group_id": GROUP.0 }),
                ok(&wire::LeftGroups { groups: Vec::new(), seq: SEQ }),
            ),
        ],
        events: vec![
            (
                "groups.created",
                event(Event::GroupCreated(wire::Created { group: group(), users: vec![users()[0].clone()] })),
            ),
            (
                "groups.renamed",
                event(Event::GroupRenamed(wire::Renamed {
                    group_id: GROUP,
                    name: "Coffee שלום".into(),
                    members: vec![ANA, BEN],
                })),
            ),
            (
                "groups.joined",
                event(Event::GroupJoined(wire::Joined {
                    group: group(),
                    user_ids: vec![BEN],
                    users: users(),
                    recipients: no_one(),
                    changes: Some((vec![ANA, BEN], vec![BEN])),
                })),
            ),
            (
                "groups.left",
                event(Event::GroupLeft(wire::Left {
                    group_id: GROUP,
                    user_id: BEN,
                    members_count: 127,
                    recipients: no_one(),
                    members: Some(vec![ANA]),
                })),
            ),
            (
                "groups.deleted",
                event(Event::GroupDeleted(wire::Deleted { group_id: GROUP, members: vec![ANA, BEN] })),
            ),
        ],
    }
}

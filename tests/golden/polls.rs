//! The golden messages of polls.

use mellow::events::Right;
use mellow::features::events::Event;
use mellow::features::polls::wire;
use mellow::features::shared::views::Audience;
use serde_json::json;

use super::{
    ANA, BEN, GROUP, IN_GROUP, Messages, NOW_MS, POLL, SEQ, event, group_names, key, no_one, ok, users,
};

fn poll() -> wire::Poll {
    wire::Poll {
        id: POLL,
        creator_id: ANA,
        question: "Tea or coffee?".into(),
        options: vec!["Tea 🌿".into(), "Coffee".into()],
        audience: Audience::Public {},
        created_at_ms: NOW_MS,
        closes_at_ms: NOW_MS + 604_800_000,
    }
}

/// A poll as sent to a user who voted for this option, or has not voted.
fn poll_view(choice: Option<u8>) -> wire::PollView {
    wire::PollView { poll: poll(), choice, tally: choice.map(|_| vec![128, 0]) }
}

/// A poll for everybody, and one for a group.
fn polls() -> Vec<wire::PollView> {
    let open = poll_view(None);
    let of_group = wire::PollView { poll: wire::Poll { audience: IN_GROUP, ..open.poll }, ..open };
    vec![poll_view(Some(0)), of_group]
}

pub fn messages() -> Messages {
    Messages {
        requests: vec![
            (
                "polls.list",
                json!({ "before": POLL.0 }),
                ok(&wire::Listed {
                    polls: polls(),
                    users: users(),
                    groups: group_names(),
                    older: Some(POLL),
                    seq: SEQ,
                }),
            ),
            (
                "polls.create",
                json!({
                    "key": key(), "question": "Tea or coffee?", "options": ["Tea 🌿", "Coffee"],
                    "audience": { "type": "group", "group_id": GROUP.0 },
                }),
                ok(&wire::One { poll: poll_view(None), users: users(), groups: Vec::new(), seq: SEQ }),
            ),
            (
                "polls.vote",
                json!({ "key": key(), "poll_id": POLL.0, "option": 0 }),
                ok(&wire::Voted { poll_id: POLL, choice: 0, tally: Some(vec![128, 0]), seq: SEQ }),
            ),
            (
                "polls.tallies",
                json!({ "poll_ids": [POLL.0, 7] }),
                ok(&wire::Tallied {
                    tallies: vec![wire::Tally { poll_id: POLL, tally: vec![128, 0] }],
                    seq: SEQ,
                }),
            ),
            (
                "polls.voters",
                json!({ "poll_id": POLL.0, "option": 3, "after": BEN.0 }),
                ok(&wire::Chose { users: users(), more: Some(BEN), seq: SEQ }),
            ),
            ("polls.delete", json!({ "key": key(), "poll_id": POLL.0 }), ok(&wire::Done { seq: SEQ })),
        ],
        events: vec![
            (
                "polls.created",
                event(Event::PollCreated(wire::Created {
                    poll: wire::Poll { audience: IN_GROUP, ..poll() },
                    users: users(),
                    groups: group_names(),
                    recipients: no_one(),
                })),
            ),
            (
                "polls.deleted",
                event(Event::PollDeleted(wire::Deleted {
                    poll_id: POLL,
                    right: Right::Membership(GROUP),
                    recipients: no_one(),
                })),
            ),
            (
                "polls.voted",
                event(Event::PollVoted(wire::Chosen {
                    poll_id: POLL,
                    choice: 1,
                    tally: vec![128, 1],
                    voter_id: BEN,
                    right: Right::Following(ANA),
                })),
            ),
            (
                "polls.counted",
                event(Event::PollCounted(wire::Counted {
                    poll_id: POLL,
                    tally: vec![128, 2],
                    right: Right::Following(ANA),
                    apart: no_one(),
                })),
            ),
        ],
    }
}

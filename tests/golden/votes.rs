//! The golden messages of votes.

use mellow::features::events::Event;
use mellow::features::shared::views::Vote;
use mellow::features::votes::wire;
use serde_json::json;

use super::{ANA, Messages, POST, SEQ, event, key, ok};

pub fn messages() -> Messages {
    Messages {
        requests: vec![(
            "votes.set",
            json!({ "key": key(), "post_id": POST.0, "vote": "negative" }),
            ok(&wire::Voted { post_id: POST, vote: Vote::Negative, seq: SEQ }),
        )],
        events: vec![
            (
                "votes.changed",
                event(Event::VoteChanged(wire::Changed { post_id: POST, vote: Vote::None, voter_id: ANA })),
            ),
            (
                "votes.counted",
                event(Event::VotesCounted(wire::Counted {
                    post_id: POST,
                    positive_count: 2,
                    author_id: ANA,
                })),
            ),
        ],
    }
}

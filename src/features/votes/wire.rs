//! Requests, replies and events of votes.

use serde::{Deserialize, Serialize};

use crate::features::key::Key;
use crate::ids::{PostId, Seq, UserId};
use crate::model::vote::Vote;
use crate::wire::requests;

requests! {
    "votes.set" Set -> Voted,
}

/// Sets the viewer's vote. It sets the state and does not toggle it.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Set {
    pub key: Key,
    pub post_id: PostId,
    pub vote: Vote,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Voted {
    pub post_id: PostId,
    pub vote: Vote,
    pub seq: Seq,
}

/// The viewer's vote on a post changed. The event is sent to the connections of the voter.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Changed {
    pub post_id: PostId,
    pub vote: Vote,
    #[serde(skip)]
    pub voter_id: UserId,
}

/// The count of positive votes changed. The event is sent to the connections of the author.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Counted {
    pub post_id: PostId,
    #[cfg_attr(test, ts(type = "number"))]
    pub positive_count: i64,
    #[serde(skip)]
    pub author_id: UserId,
}

#[cfg(test)]
pub(crate) mod examples {
    use serde_json::json;

    use crate::features::events::Event;
    use crate::model::vote::Vote;
    use crate::testing::examples::{ANA, Messages, POST, SEQ, key, ok};

    pub(crate) fn messages() -> Messages {
        Messages {
            requests: vec![(
                "votes.set",
                json!({ "key": key(), "post_id": POST.0, "vote": "negative" }),
                ok(&super::Voted { post_id: POST, vote: Vote::Negative, seq: SEQ }),
            )],
            events: vec![
                Event::VoteChanged(super::Changed { post_id: POST, vote: Vote::None, voter_id: ANA }),
                Event::VotesCounted(super::Counted { post_id: POST, positive_count: 2, author_id: ANA }),
            ],
        }
    }
}

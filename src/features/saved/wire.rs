//! Requests, replies and events of saved posts.

use serde::{Deserialize, Serialize};

use crate::features::key::Key;
use crate::ids::{PostId, Seq, UserId};
use crate::wire::requests;

requests! {
    "saved.set" Set -> Saved,
}

/// Saves a post, or removes it from the saved ones. It sets the state and does not toggle it.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Set {
    pub key: Key,
    pub post_id: PostId,
    pub saved: bool,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Saved {
    pub post_id: PostId,
    pub saved: bool,
    pub seq: Seq,
}

/// The viewer saved a post, or removed it from the saved ones. The event is sent to the viewer's own connections.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Changed {
    pub post_id: PostId,
    pub saved: bool,
    #[serde(skip)]
    pub user_id: UserId,
}

#[cfg(test)]
pub(crate) mod examples {
    use serde_json::json;

    use crate::features::events::Event;
    use crate::testing::examples::{ANA, Messages, POST, SEQ, key, ok};

    pub(crate) fn messages() -> Messages {
        Messages {
            requests: vec![(
                "saved.set",
                json!({ "key": key(), "post_id": POST.0, "saved": true }),
                ok(&super::Saved { post_id: POST, saved: true, seq: SEQ }),
            )],
            events: vec![Event::SavedChanged(super::Changed { post_id: POST, saved: false, user_id: ANA })],
        }
    }
}

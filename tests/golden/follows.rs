//! The golden messages of follows.

use mellow::features::events::Event;
use mellow::features::follows::wire;
use mellow::ids::FollowId;
use serde_json::json;

use super::{ANA, BEN, Messages, SEQ, event, key, no_one, ok, users};

pub fn messages() -> Messages {
    Messages {
        requests: vec![
            (
                "follows.set",
                json!({ "key": key(), "user_id": BEN.0, "following": true }),
                ok(&wire::Followed { user_id: BEN, following: false, seq: SEQ }),
            ),
            ("follows.remove", json!({ "key": key(), "user_id": BEN.0 }), ok(&wire::Done { seq: SEQ })),
            (
                "follows.page",
                json!({ "side": "followers", "before": null }),
                ok(&wire::People { users: users(), older: Some(FollowId(BEN.0)), seq: SEQ }),
            ),
        ],
        events: vec![
            (
                "follows.changed",
                event(Event::FollowChanged(wire::Changed {
                    user_id: BEN,
                    following: true,
                    follower_id: ANA,
                })),
            ),
            (
                "profiles.counted",
                event(Event::ProfileCounted(wire::Counted {
                    user_id: BEN,
                    followers_count: 1,
                    following_count: 2,
                    hide_numbers: false,
                    apart: no_one(),
                })),
            ),
        ],
    }
}

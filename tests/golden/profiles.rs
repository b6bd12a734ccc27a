//! The golden messages of profiles.

use mellow::features::events::Event;
use mellow::features::profiles::wire;
use serde_json::json;

use super::{BEN, Messages, NOW_MS, SEQ, event, key, no_one, ok, photo_url, upload, users};

fn profile() -> wire::ProfileView {
    let profile = wire::Profile {
        id: BEN,
        name: "Ben".into(),
        bio: "Quiet.".into(),
        photo_url: Some(photo_url("card.jpg")),
        photo: Some(wire::Photo {
            url: photo_url("jpg"),
            width: 1_600,
            height: 1_200,
            thumbhash: "1QcSHQRnh493V4dIh4eXh1h4kJUI".into(),
        }),
        from_color: wire::Color::Blue,
        to_color: wire::Color::Green,
        created_at_ms: NOW_MS,
        followers_count: Some(3),
        following_count: Some(0),
    };
    wire::ProfileView { profile, followed: true, can_be_added: true, follows_me: false, muted: true }
}

/// A profile whose owner hides its numbers, without a photo.
fn hidden() -> wire::Profile {
    let profile = profile().profile;
    wire::Profile { photo_url: None, photo: None, followers_count: None, following_count: None, ..profile }
}

pub fn messages() -> Messages {
    Messages {
        requests: vec![
            ("profiles.get", json!({ "user_id": BEN.0 }), ok(&wire::Shown { profile: profile(), seq: SEQ })),
            (
                "profiles.update",
                json!({ "key": key(), "name": "Ana 🌿", "bio": "Quiet.\nMostly.", "from_color": "red", "to_color": "purple" }),
                ok(&wire::Shown { profile: profile(), seq: SEQ }),
            ),
            (
                "profiles.set_photo",
                json!({ "key": key(), "upload": upload() }),
                ok(&wire::Shown { profile: profile(), seq: SEQ }),
            ),
        ],
        events: vec![
            (
                "profiles.changed",
                event(Event::ProfileChanged(wire::Changed { profile: hidden(), apart: no_one() })),
            ),
            (
                "users.changed",
                event(Event::UserRenamed(wire::Renamed { user: users()[1].clone(), apart: no_one() })),
            ),
        ],
    }
}

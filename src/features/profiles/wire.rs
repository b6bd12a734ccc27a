//! Requests, replies and events of profiles.

use serde::{Deserialize, Serialize};

use crate::db::sql::kept_as_text;
use crate::events::Users;
use crate::features::key::Key;
use crate::ids::{Seq, UserId};
use crate::model::users::User;
use crate::wire::named;
use crate::wire::requests;

requests! {
    "profiles.get" Get -> Shown,
    "profiles.update" Update -> Shown,
    "profiles.set_photo" SetPhoto -> Shown,
    "profiles.language" SetLanguage -> Language,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Get {
    pub user_id: UserId,
}

/// Sets the viewer's own name, bio and two colours. All four are required.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Update {
    pub key: Key,
    pub name: String,
    pub bio: String,
    pub from_color: Color,
    pub to_color: Color,
}

/// Makes an upload (`purpose: "photo"`) the viewer's photo.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SetPhoto {
    pub key: Key,
    /// A committed upload of the viewer.
    pub upload: Key,
}

/// Sets the language of Mellow's words and mails for the viewer. Nobody else learns of it.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SetLanguage {
    pub key: Key,
    /// The tag of the chosen language, such as `pt-BR`; None for that of each device.
    pub language: Option<String>,
    /// The tag of the language that this client shows now.
    pub shown: String,
}

/// The languages of the viewer's account.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Language {
    pub language: Option<String>,
    pub shown_language: String,
    pub seq: Seq,
}

/// A profile. It is the same for every viewer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Profile {
    pub id: UserId,
    pub name: String,
    pub bio: String,
    /// The address of the small size of the photo; None if the user has none, and the app shows initials.
    pub photo_url: Option<String>,
    /// The larger size of the photo.
    pub photo: Option<Photo>,
    pub from_color: Color,
    pub to_color: Color,
    #[cfg_attr(test, ts(type = "number"))]
    pub created_at_ms: i64,
    /// None for other viewers if the user hides numbers.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub followers_count: Option<i64>,
    #[cfg_attr(test, ts(type = "number | null"))]
    pub following_count: Option<i64>,
}

/// A profile as this viewer sees it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ProfileView {
    #[serde(flatten)]
    pub profile: Profile,
    /// Whether the viewer follows this user.
    pub followed: bool,
    /// Whether the viewer may add this user to groups if the viewer follows them.
    pub can_be_added: bool,
    /// Whether this user follows the viewer.
    pub follows_me: bool,
    /// Whether the viewer muted this user.
    pub muted: bool,
}

/// A photo in its larger size.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Photo {
    pub url: String,
    pub width: u32,
    pub height: u32,
    /// A thumbhash in base64.
    pub thumbhash: String,
}

/// The five colours of a banner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", try_from = "String")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Color {
    Red,
    Blue,
    Green,
    Yellow,
    Purple,
}

named!(Color { Red = "red", Blue = "blue", Green = "green", Yellow = "yellow", Purple = "purple" });
kept_as_text!(Color);

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Shown {
    pub profile: ProfileView,
    pub seq: Seq,
}

/// A profile was changed. The event is sent to its owner and to connections that show it.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Changed {
    /// The profile. It has counts only if they are public. The owner already knows hidden counts.
    pub profile: Profile,
    /// The users who may not meet this one.
    #[serde(skip)]
    pub hidden_from: Users,
}

/// A user has a new name or photo. The event is sent to all signed-in connections.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Renamed {
    pub user: User,
    /// The users who may not meet this one.
    #[serde(skip)]
    pub hidden_from: Users,
}

#[cfg(test)]
pub(crate) mod examples {
    use serde_json::json;

    use crate::features::events::Event;
    use crate::testing::examples::{BEN, Messages, NOW_MS, SEQ, key, left_out, ok, photo_url, upload, users};

    fn profile() -> super::ProfileView {
        let profile = super::Profile {
            id: BEN,
            name: "Ben".into(),
            bio: "Quiet.".into(),
            photo_url: Some(photo_url("card.jpg")),
            photo: Some(super::Photo {
                url: photo_url("jpg"),
                width: 1_600,
                height: 1_200,
                thumbhash: "1QcSHQRnh493V4dIh4eXh1h4kJUI".into(),
            }),
            from_color: super::Color::Blue,
            to_color: super::Color::Green,
            created_at_ms: NOW_MS,
            followers_count: Some(3),
            following_count: Some(0),
        };
        super::ProfileView { profile, followed: true, can_be_added: true, follows_me: false, muted: true }
    }

    /// A profile without a photo and with hidden numbers.
    fn hidden() -> super::Profile {
        let profile = profile().profile;
        super::Profile {
            photo_url: None,
            photo: None,
            followers_count: None,
            following_count: None,
            ..profile
        }
    }

    pub(crate) fn messages() -> Messages {
        Messages {
            requests: vec![
                (
                    "profiles.get",
                    json!({ "user_id": BEN.0 }),
                    ok(&super::Shown { profile: profile(), seq: SEQ }),
                ),
                (
                    "profiles.update",
                    json!({ "key": key(), "name": "Ana 🌿", "bio": "Quiet.\nMostly.", "from_color": "red", "to_color": "purple" }),
                    ok(&super::Shown { profile: profile(), seq: SEQ }),
                ),
                (
                    "profiles.set_photo",
                    json!({ "key": key(), "upload": upload() }),
                    ok(&super::Shown { profile: profile(), seq: SEQ }),
                ),
                (
                    "profiles.language",
                    json!({ "key": key(), "language": null, "shown": "pt-BR" }),
                    ok(&super::Language { language: None, shown_language: "pt-BR".into(), seq: SEQ }),
                ),
            ],
            events: vec![
                Event::ProfileChanged(super::Changed { profile: hidden(), hidden_from: left_out() }),
                Event::UserRenamed(super::Renamed { user: users()[1].clone(), hidden_from: left_out() }),
            ],
        }
    }
}

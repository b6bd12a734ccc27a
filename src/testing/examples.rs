//! Shared code of the examples at the bottom of each `wire.rs`. There is one example of each request, reply and event.
//! `src/testing/frames.rs` keeps their bytes in golden files.

use serde::Serialize;
use serde_json::Value;

use crate::events::{Users, users as users_of};
use crate::features::events::Event;
use crate::ids::{CommentId, GroupId, PollId, PostId, Seq, UserId};
use crate::model::audience::Audience;
use crate::model::choices::{Adders, Commenters};
use crate::model::comments::Comment;
use crate::model::groups::GroupName;
use crate::model::me::{FirstSteps, Me};
use crate::model::quiet::QuietHours;
use crate::model::users::User;
use crate::testing::frames::value::key_of;
use crate::wire::{self, codec};

/// The messages of one feature.
pub(crate) struct Messages {
    /// The name of each request, an example of it with every field, and its successful reply.
    pub(crate) requests: Vec<(&'static str, Value, Vec<u8>)>,
    pub(crate) events: Vec<Event>,
}

pub(crate) fn ok(value: &impl Serialize) -> Vec<u8> {
    wire::reply_ok(7, &codec::encode(value).unwrap()).to_vec()
}

pub(crate) fn key() -> Value {
    key_of(0x0001_0203_0405_0607_0809_0a0b_0c0d_0eff)
}

pub(crate) fn upload() -> Value {
    key_of(0xff01_0203_0405_0607_0809_0a0b_0c0d_0e0f)
}

/// Users who receive an event.
pub(crate) fn some_users() -> Users {
    users_of([ANA, BEN])
}

/// Users whom an event leaves out.
pub(crate) fn left_out() -> Users {
    users_of([UserId(99)])
}

pub(crate) const ANA: UserId = UserId(159_000_000_000_001);
pub(crate) const BEN: UserId = UserId(159_000_000_000_002);
pub(crate) const POST: PostId = PostId(9_007_199_254_740_991);
pub(crate) const GROUP: GroupId = GroupId(8_589_934_592);
pub(crate) const POLL: PollId = PollId(4_294_967_297);
pub(crate) const NOW_MS: i64 = 1_772_355_600_000;
pub(crate) const SEQ: Seq = Seq(70_000);

/// The code of an invitation, with which its link ends.
pub(crate) const CODE: &str = "AAECAwQFBgcICQoLDA0ODw";

/// The audience of an item that its group's members see.
pub(crate) const IN_GROUP: Audience = Audience::Group { group_id: Some(GROUP) };

/// The audience of an item of a group that its author is no longer in, as the author sees it.
pub(crate) const IN_NO_GROUP: Audience = Audience::Group { group_id: None };

/// Returns the address of Ben's photo, in the larger size or the small one.
pub(crate) fn photo_url(ending: &str) -> String {
    format!("/media/profile-pictures/{}/{NOW_MS}_Zo%C3%AB.{ending}?token=AAECAwQFBgcICQoLDA0O_w", BEN.0)
}

pub(crate) fn users() -> Vec<User> {
    vec![
        User { id: ANA, name: "Ana".into(), photo_url: None },
        User { id: BEN, name: "Zoë 🌿 שלום".into(), photo_url: Some(photo_url("card.jpg")) },
    ]
}

pub(crate) fn me() -> Me {
    Me {
        id: ANA,
        name: "Ana".into(),
        photo_url: None,
        email: "ana@example.org".into(),
        pending_email: None,
        hide_numbers: false,
        listed: true,
        adders: Adders::Followed,
        commenters: Commenters::Followers,
        language: Some("pt-BR".into()),
        shown_language: None,
        quiet_hours: Some(quiet_hours()),
        quiet_until_ms: None,
        has_unread: true,
        first_steps: Some(FirstSteps { has_photo: true, ..FirstSteps::default() }),
        inviter: Some(users().remove(1)),
        is_admin: true,
        has_reports: true,
    }
}

pub(crate) fn quiet_hours() -> QuietHours {
    QuietHours::kept(true, "22:00".into(), "07:00".into(), 65, "Europe/Berlin".into())
}

pub(crate) fn comment(number: i64) -> Comment {
    Comment {
        id: CommentId(number),
        post_id: POST,
        author_id: BEN,
        text: format!("c{number}"),
        created_at_ms: NOW_MS,
    }
}

/// Returns the name of the group, as it is sent with the items of the group.
pub(crate) fn group_names() -> Vec<GroupName> {
    vec![GroupName { id: GROUP, name: "Tea & 🌿".into(), owner_id: ANA }]
}

//! The content of the golden frames: every request, reply and event once, by feature.

mod account;
mod admin;
mod auth;
mod comments;
mod follows;
mod groups;
mod invites;
mod live;
mod moods;
mod newcomers;
mod notifications;
mod people;
mod polls;
mod posts;
mod profiles;
mod refusals;
mod reports;
mod search;
mod theme;
mod uploads;
mod votes;

pub use refusals::refusals;

use std::collections::BTreeMap;

use mellow::events::Users;
use mellow::features::events::Event;
use mellow::features::shared::views::{
    Adders, Audience, Comment, Commenters, FirstSteps, GroupName, Me, User,
};
use mellow::ids::{CommentId, GroupId, PollId, PostId, Seq, UserId};
use mellow::wire::{self, codec};
use serde::Serialize;
use serde_json::Value;

use crate::value::key_of;

/// The messages of one feature.
pub struct Messages {
    /// Each request by its name, with every field, and its successful reply.
    requests: Vec<(&'static str, Value, Vec<u8>)>,
    /// Each event by its name.
    events: Vec<(&'static str, Vec<u8>)>,
}

fn all() -> [Messages; 20] {
    [
        account::messages(),
        admin::messages(),
        auth::messages(),
        comments::messages(),
        follows::messages(),
        groups::messages(),
        invites::messages(),
        live::messages(),
        moods::messages(),
        newcomers::messages(),
        notifications::messages(),
        people::messages(),
        polls::messages(),
        posts::messages(),
        profiles::messages(),
        reports::messages(),
        search::messages(),
        theme::messages(),
        uploads::messages(),
        votes::messages(),
    ]
}

pub fn requests() -> BTreeMap<&'static str, Value> {
    all().into_iter().flat_map(|of| of.requests).map(|(op, request, _)| (op, request)).collect()
}

pub fn replies() -> BTreeMap<&'static str, Vec<u8>> {
    all().into_iter().flat_map(|of| of.requests).map(|(op, _, reply)| (op, reply)).collect()
}

pub fn events() -> BTreeMap<&'static str, Vec<u8>> {
    all().into_iter().flat_map(|of| of.events).collect()
}

fn ok(value: &impl Serialize) -> Vec<u8> {
    wire::reply_ok(7, &codec::encode(value).unwrap()).to_vec()
}

fn event(event: Event) -> Vec<u8> {
    sent(&event)
}

fn sent(event: &impl Serialize) -> Vec<u8> {
    wire::event(SEQ, &codec::encode(event).unwrap()).to_vec()
}

fn key() -> Value {
    key_of(0x0001_0203_0405_0607_0809_0a0b_0c0d_0eff)
}

fn upload() -> Value {
    key_of(0xff01_0203_0405_0607_0809_0a0b_0c0d_0e0f)
}

fn no_one() -> Users {
    Users::default()
}

const ANA: UserId = UserId(159_000_000_000_001);
const BEN: UserId = UserId(159_000_000_000_002);
const POST: PostId = PostId(9_007_199_254_740_991);
const GROUP: GroupId = GroupId(8_589_934_592);
const POLL: PollId = PollId(4_294_967_297);
const NOW_MS: i64 = 1_772_355_600_000;
pub const SEQ: Seq = Seq(70_000);

/// What an invitation's link ends with.
const CODE: &str = "AAECAwQFBgcICQoLDA0ODw";

/// For its members alone.
const IN_GROUP: Audience = Audience::Group { group_id: Some(GROUP) };

/// For a group that is gone, or that the viewer is not in: the author's alone.
const IN_NO_GROUP: Audience = Audience::Group { group_id: None };

/// Where Ben's photo is: the larger size, or the small one.
fn photo_url(ending: &str) -> String {
    format!("/media/profile-pictures/{}/{NOW_MS}_Zo%C3%AB.{ending}?token=AAECAwQFBgcICQoLDA0O_w", BEN.0)
}

fn users() -> Vec<User> {
    vec![
        User { id: ANA, name: "Ana".into(), photo_url: None },
        User { id: BEN, name: "Zoë 🌿 שלום".into(), photo_url: Some(photo_url("card.jpg")) },
    ]
}

fn me() -> Me {
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
        has_unread: true,
        first_steps: Some(FirstSteps { has_photo: true, ..FirstSteps::default() }),
        inviter: Some(users().remove(1)),
        is_admin: true,
        has_reports: true,
    }
}

fn comment(number: i64) -> Comment {
    Comment {
        id: CommentId(number),
        post_id: POST,
        author_id: BEN,
        text: format!("c{number}"),
        created_at_ms: NOW_MS,
    }
}

/// The group by name, as it is sent with what is shared with it.
fn group_names() -> Vec<GroupName> {
    vec![GroupName { id: GROUP, name: "Tea & 🌿".into(), owner_id: ANA }]
}

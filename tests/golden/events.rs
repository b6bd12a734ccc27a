//! The golden events.

use std::collections::BTreeMap;

use mellow::backend::{Backups, Hello, LoginState};
use mellow::events::{Right, Users};
use mellow::features::events::Event;
use mellow::features::notifications::wire::Kind;
use mellow::features::shared::views::{Commenters, Me, Vote};
use mellow::features::theme::wire::Changed;
use mellow::features::{
    account, admin, comments, follows, groups, invites, moods, notifications, people, polls, posts, profiles,
    votes,
};
use mellow::ids::{CommentId, NotificationId};
use mellow::socket::wire as live;
use mellow::wire::{self, codec};

use super::{
    ANA, BEN, GROUP, IN_GROUP, NOW_MS, POLL, POST, SEQ, comment, group, group_names, invite_list, me, mood,
    notification, poll, post, profile, users,
};

/// A profile whose owner hides its numbers, without a photo.
fn hidden() -> profiles::wire::Profile {
    let profile = profile().profile;
    profiles::wire::Profile {
        photo_url: None,
        photo: None,
        followers_count: None,
        following_count: None,
        ..profile
    }
}

pub fn events() -> BTreeMap<&'static str, Vec<u8>> {
    let no_one = Users::default();
    let encoded = |event: Event| wire::event(SEQ, &codec::encode(&event).unwrap()).to_vec();
    let engine = |body: Vec<u8>| wire::event(SEQ, &body).to_vec();
    BTreeMap::from([
        (
            "hello",
            engine(
                codec::encode(&Hello {
                    ev: "hello",
                    epoch: "00ff",
                    protocol: wire::PROTOCOL,
                    build: "0.1.0+abc",
                    now_ms: NOW_MS,
                    beat_ms: 25_000,
                    me: Some(me()),
                    login: LoginState::Live,
                    backups: Backups { every_hours: 24, kept: 30 },
                })
                .unwrap(),
            ),
        ),
        ("beat", engine(codec::encode(&live::Beat { ev: "beat", sent: 300, back_ms: Some(1_500) }).unwrap())),
        (
            "posts.created",
            encoded(Event::PostCreated(posts::wire::Created {
                post: post(),
                users: users(),
                groups: Vec::new(),
                recipients: no_one.clone(),
                only: None,
                except: no_one.clone(),
            })),
        ),
        (
            "posts.updated",
            encoded(Event::PostUpdated(posts::wire::Updated {
                post_id: POST,
                author_id: ANA,
                title: Some("A title".into()),
                text: "three".into(),
                audience: IN_GROUP,
                groups: group_names(),
                updated_at_ms: NOW_MS + 1,
                recipients: no_one.clone(),
                only: None,
                except: no_one.clone(),
            })),
        ),
        (
            "posts.deleted",
            encoded(Event::PostDeleted(posts::wire::Deleted {
                post_id: POST,
                author_id: ANA,
                recipients: no_one.clone(),
                was_public: true,
                kept_by: Some(no_one.clone()),
                apart: no_one.clone(),
            })),
        ),
        (
            "comments.created",
            encoded(Event::CommentCreated(comments::wire::Created {
                comment: comment(128),
                users: users(),
                comments_count: 1,
                readers: comments::wire::Readers::default(),
            })),
        ),
        (
            "comments.deleted",
            encoded(Event::CommentDeleted(comments::wire::Deleted {
                post_id: POST,
                comment_id: CommentId(128),
                comments_count: 1,
                first_comments: vec![comment(65_536)],
                users: users(),
                readers: comments::wire::Readers::default(),
            })),
        ),
        (
            "votes.changed",
            encoded(Event::VoteChanged(votes::wire::Changed {
                post_id: POST,
                vote: Vote::None,
                voter_id: ANA,
            })),
        ),
        (
            "votes.counted",
            encoded(Event::VotesCounted(votes::wire::Counted {
                post_id: POST,
                positive_count: 2,
                author_id: ANA,
            })),
        ),
        (
            "follows.changed",
            encoded(Event::FollowChanged(follows::wire::Changed {
                user_id: BEN,
                following: true,
                follower_id: ANA,
            })),
        ),
        (
            "profiles.counted",
            encoded(Event::ProfileCounted(follows::wire::Counted {
                user_id: BEN,
                followers_count: 1,
                following_count: 2,
                hide_numbers: false,
                apart: no_one.clone(),
            })),
        ),
        (
            "profiles.changed",
            encoded(Event::ProfileChanged(profiles::wire::Changed {
                profile: hidden(),
                apart: no_one.clone(),
            })),
        ),
        (
            "users.changed",
            encoded(Event::UserRenamed(profiles::wire::Renamed {
                user: users()[1].clone(),
                apart: no_one.clone(),
            })),
        ),
        ("users.deleted", encoded(Event::UserDeleted(account::wire::Ended::for_one(BEN, ANA)))),
        (
            "users.returned",
            encoded(Event::UserReturned(account::wire::Returned {
                user_id: BEN,
                viewers: account::wire::Viewers::AllBut(no_one.clone()),
            })),
        ),
        (
            "people.changed",
            encoded(Event::PeopleChanged(people::wire::Changed {
                user_id: BEN,
                blocked: false,
                muted: true,
                viewer_id: ANA,
            })),
        ),
        (
            "comments.allowed",
            encoded(Event::CommentsAllowed(comments::wire::Allowed {
                author_id: BEN,
                only_for: Some(Commenters::Followers),
                to: comments::wire::AllowedTo::AllBut(no_one.clone()),
            })),
        ),
        (
            "account.changed",
            encoded(Event::AccountChanged(account::wire::Changed {
                me: Me { pending_email: Some("ana@new.example.org".into()), hide_numbers: true, ..me() },
            })),
        ),
        (
            "notifications.created",
            encoded(Event::NotificationCreated(notifications::wire::Created {
                notification: notification(Kind::Reply),
                users: vec![users()[1].clone()],
                user_id: ANA,
            })),
        ),
        (
            "notifications.deleted",
            encoded(Event::NotificationsDeleted(notifications::wire::Deleted {
                notification_ids: vec![NotificationId(65_536), NotificationId(4_294_967_296)],
                has_unread: false,
                user_id: ANA,
            })),
        ),
        (
            "moods.changed",
            encoded(Event::MoodChanged(moods::wire::Changed {
                mood: mood(),
                users: vec![users()[1].clone()],
                recipients: no_one.clone(),
            })),
        ),
        (
            "polls.created",
            encoded(Event::PollCreated(polls::wire::Created {
                poll: polls::wire::Poll { audience: IN_GROUP, ..poll() },
                users: users(),
                groups: group_names(),
                recipients: no_one.clone(),
            })),
        ),
        (
            "polls.deleted",
            encoded(Event::PollDeleted(polls::wire::Deleted {
                poll_id: POLL,
                right: Right::Membership(GROUP),
                recipients: no_one.clone(),
            })),
        ),
        (
            "polls.voted",
            encoded(Event::PollVoted(polls::wire::Chosen {
                poll_id: POLL,
                choice: 1,
                tally: vec![128, 1],
                voter_id: BEN,
                right: Right::Following(ANA),
            })),
        ),
        (
            "polls.counted",
            encoded(Event::PollCounted(polls::wire::Counted {
                poll_id: POLL,
                tally: vec![128, 2],
                right: Right::Following(ANA),
                apart: no_one.clone(),
            })),
        ),
        (
            "groups.created",
            encoded(Event::GroupCreated(groups::wire::Created {
                group: group(),
                users: vec![users()[0].clone()],
            })),
        ),
        (
            "groups.renamed",
            encoded(Event::GroupRenamed(groups::wire::Renamed {
                group_id: GROUP,
                name: "Coffee שלום".into(),
                members: vec![ANA, BEN],
            })),
        ),
        (
            "groups.joined",
            encoded(Event::GroupJoined(groups::wire::Joined {
                group: group(),
                user_ids: vec![BEN],
                users: users(),
                recipients: no_one.clone(),
                changes: Some((vec![ANA, BEN], vec![BEN])),
            })),
        ),
        (
            "groups.left",
            encoded(Event::GroupLeft(groups::wire::Left {
                group_id: GROUP,
                user_id: BEN,
                members_count: 127,
                recipients: no_one.clone(),
                members: Some(vec![ANA]),
            })),
        ),
        (
            "groups.deleted",
            encoded(Event::GroupDeleted(groups::wire::Deleted { group_id: GROUP, members: vec![ANA, BEN] })),
        ),
        (
            "invites.changed",
            encoded(Event::InvitesChanged(invites::wire::Changed { invites: invite_list(), maker_id: ANA })),
        ),
        (
            "admin.changed",
            encoded(Event::AdminChanged(admin::wire::Changed { admins: vec![ANA], has_demoted: false })),
        ),
        ("theme.changed", encoded(Event::ThemeChanged(Changed { theme: None }))),
        ("notifications.seen", encoded(Event::NotificationsSeen(notifications::wire::Seen { user_id: ANA }))),
    ])
}

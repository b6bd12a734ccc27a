//! The golden replies and refusals.

use std::collections::BTreeMap;

use mellow::error::{Field, Refusal, Sentence};
use mellow::features::notifications::wire::Kind;
use mellow::features::polls::wire::{Poll, PollView};
use mellow::features::posts::wire::{Post, PostView};
use mellow::features::shared::admins::Act;
use mellow::features::shared::reports::{About, Reason};
use mellow::features::shared::views::{Adders, Commenters, Done, Vote};
use mellow::features::theme::wire::{Days, Planned, Today};
use mellow::features::{
    account, admin, auth, comments, follows, groups, invites, moods, newcomers, notifications, people, polls,
    posts, profiles, reports, search, uploads, votes,
};
use mellow::ids::{FollowId, LoginId, NotificationId, PostId, ReportId};
use mellow::socket::wire as live;
use mellow::wire::{self, codec};
use serde::Serialize;

use super::{
    ANA, BEN, GROUP, IN_GROUP, IN_NO_GROUP, NOW_MS, POLL, POST, SEQ, comment, day, group, group_names,
    invite_list, me, mood, notification, poll_view, profile, theme, users, view,
};

fn left_group() -> groups::wire::LeftGroup {
    groups::wire::LeftGroup { id: GROUP, name: "Tea & 🌿".into() }
}

fn ok(value: &impl Serialize) -> Vec<u8> {
    wire::reply_ok(7, &codec::encode(value).unwrap()).to_vec()
}

fn login(id: i64, device: &str, current: bool) -> auth::wire::Login {
    let device = device.into();
    auth::wire::Login { id: LoginId(id), device, created_at_ms: NOW_MS, used_at_ms: NOW_MS + 1, current }
}

/// The successful reply to each request.
pub fn replies() -> BTreeMap<&'static str, Vec<u8>> {
    let signed_in = || auth::wire::SignedIn { ticket: "00ff".into(), me: me() };
    let shared = |post: PostView, audience| PostView { post: Post { audience, ..post.post }, ..post };
    let one =
        || posts::wire::One { post: view(Vote::None, Some(0)), users: users(), groups: Vec::new(), seq: SEQ };
    // One for everybody, one for a group, and one whose group is gone.
    let posts = || {
        vec![
            view(Vote::Positive, None),
            shared(view(Vote::None, None), IN_GROUP),
            PostView { comments_only_for: Some(Commenters::Followed), ..view(Vote::None, None) },
            shared(view(Vote::Negative, Some(3)), IN_NO_GROUP),
        ]
    };
    let polls = || {
        let open = poll_view(None);
        let of_group = PollView { poll: Poll { audience: IN_GROUP, ..open.poll }, ..open };
        vec![poll_view(Some(0)), of_group]
    };
    BTreeMap::from([
        ("auth.sign_up", ok(&signed_in())),
        ("auth.log_in", ok(&signed_in())),
        ("auth.log_out", ok(&auth::wire::Done {})),
        ("auth.request_reset", ok(&auth::wire::Done {})),
        ("auth.send_reset", ok(&auth::wire::Done {})),
        ("auth.reset_password", ok(&auth::wire::Done {})),
        (
            "auth.change_email",
            ok(&auth::wire::Pending { pending_email: "ana@new.example.org".into(), seq: SEQ }),
        ),
        ("auth.confirm_email", ok(&auth::wire::Done {})),
        ("auth.undo_email", ok(&auth::wire::Done {})),
        (
            "auth.logins",
            ok(&auth::wire::Listed {
                logins: vec![login(1, "Firefox on Linux", true), login(2, "", false)],
                seq: SEQ,
            }),
        ),
        ("auth.log_out_others", ok(&auth::wire::Done {})),
        ("live.probe", ok(&live::Probed { seq: SEQ })),
        ("live.resume", ok(&live::Resumed { resync: true, seq: SEQ })),
        ("live.leave", ok(&live::Left {})),
        (
            "posts.feed",
            ok(&posts::wire::FeedPage {
                posts: posts(),
                users: users(),
                groups: group_names(),
                older: Some(POST),
                follows_anyone: true,
                seq: SEQ,
            }),
        ),
        (
            "posts.by_author",
            ok(&posts::wire::Page {
                posts: posts(),
                users: users(),
                groups: group_names(),
                older: None,
                seq: SEQ,
            }),
        ),
        ("posts.get", ok(&one())),
        (
            "posts.refresh",
            ok(&posts::wire::Refreshed {
                posts: posts(),
                users: users(),
                groups: group_names(),
                gone: vec![PostId(7)],
                seq: SEQ,
            }),
        ),
        ("posts.create", ok(&one())),
        (
            "posts.update",
            ok(&posts::wire::Edited {
                post_id: POST,
                author_id: ANA,
                title: Some("A title".into()),
                text: "three".into(),
                audience: IN_GROUP,
                groups: group_names(),
                updated_at_ms: NOW_MS + 1,
                seq: SEQ,
            }),
        ),
        ("posts.delete", ok(&posts::wire::Done { seq: SEQ })),
        ("uploads.begin", ok(&uploads::wire::Begun { offset: 65_536, chunk_bytes: 65_536, window: 4 })),
        ("uploads.chunk", ok(&uploads::wire::Held { offset: 65_540 })),
        ("uploads.commit", ok(&uploads::wire::Committed { width: 1_600, height: 1_200 })),
        ("uploads.cancel", ok(&uploads::wire::Canceled {})),
        ("votes.set", ok(&votes::wire::Voted { post_id: POST, vote: Vote::Negative, seq: SEQ })),
        ("comments.create", ok(&comments::wire::Made { comment: comment(128), seq: SEQ })),
        ("comments.delete", ok(&comments::wire::Done { seq: SEQ })),
        ("comments.mentionable", ok(&comments::wire::Offered { users: users(), seq: SEQ })),
        (
            "comments.page",
            ok(&comments::wire::Thread {
                comments: vec![comment(128)],
                users: users(),
                more: false,
                comments_count: 1,
                seq: SEQ,
            }),
        ),
        ("follows.set", ok(&follows::wire::Followed { user_id: BEN, following: false, seq: SEQ })),
        ("follows.remove", ok(&follows::wire::Done { seq: SEQ })),
        ("people.block", ok(&people::wire::Done { seq: SEQ })),
        ("people.unblock", ok(&people::wire::Done { seq: SEQ })),
        ("people.mute", ok(&people::wire::Done { seq: SEQ })),
        ("people.unmute", ok(&people::wire::Done { seq: SEQ })),
        (
            "people.hidden",
            ok(&people::wire::HiddenPeople { blocked: vec![users()[1].clone()], muted: users(), seq: SEQ }),
        ),
        (
            "follows.page",
            ok(&follows::wire::People { users: users(), older: Some(FollowId(BEN.0)), seq: SEQ }),
        ),
        ("profiles.get", ok(&profiles::wire::Shown { profile: profile(), seq: SEQ })),
        ("profiles.update", ok(&profiles::wire::Shown { profile: profile(), seq: SEQ })),
        ("profiles.set_photo", ok(&profiles::wire::Shown { profile: profile(), seq: SEQ })),
        (
            "search.names",
            ok(&search::wire::Results {
                users: vec![found("Ben")], close: vec![found("Zoë-Ben")], seq: SEQ
            }),
        ),
        (
            "search.people",
            ok(&search::wire::Directory {
                users: vec![found("Ben")],
                next: Some(search::wire::Place { name_key: "ben".into(), id: BEN }),
                seq: SEQ,
            }),
        ),
        (
            "notifications.page",
            ok(&notifications::wire::Listed {
                notifications: vec![notification(Kind::Comment), notification(Kind::Follow)],
                users: users(),
                older: Some(NotificationId(65_536)),
                has_unread: true,
                seq: SEQ,
            }),
        ),
        ("notifications.read", ok(&notifications::wire::Done { seq: SEQ })),
        ("notifications.delete", ok(&notifications::wire::Done { seq: SEQ })),
        (
            "polls.list",
            ok(&polls::wire::Listed {
                polls: polls(),
                users: users(),
                groups: group_names(),
                older: Some(POLL),
                seq: SEQ,
            }),
        ),
        (
            "polls.create",
            ok(&polls::wire::One { poll: poll_view(None), users: users(), groups: Vec::new(), seq: SEQ }),
        ),
        (
            "polls.vote",
            ok(&polls::wire::Voted { poll_id: POLL, choice: 0, tally: Some(vec![128, 0]), seq: SEQ }),
        ),
        (
            "polls.tallies",
            ok(&polls::wire::Tallied {
                tallies: vec![polls::wire::Tally { poll_id: POLL, tally: vec![128, 0] }],
                seq: SEQ,
            }),
        ),
        ("polls.voters", ok(&polls::wire::Chose { users: users(), more: Some(BEN), seq: SEQ })),
        ("polls.delete", ok(&polls::wire::Done { seq: SEQ })),
        (
            "account.set_privacy",
            ok(&account::wire::Set {
                hide_numbers: true,
                listed: false,
                adders: Adders::Nobody,
                commenters: Commenters::Everyone,
                seq: SEQ,
            }),
        ),
        ("invites.get", ok(&invites::wire::Shown { name: Some("Ben".into()), user_id: Some(BEN) })),
        ("invites.list", ok(&invites::wire::Listed { invites: invite_list(), seq: SEQ })),
        ("invites.create", ok(&invites::wire::Listed { invites: invite_list(), seq: SEQ })),
        ("invites.revoke", ok(&invites::wire::Listed { invites: Vec::new(), seq: SEQ })),
        ("reports.create", ok(&reports::wire::Done { seq: SEQ })),
        (
            "invites.all",
            ok(&invites::wire::AllListed {
                invites: invite_list()
                    .into_iter()
                    .zip([users().pop(), None])
                    .map(|(invite, maker)| invites::wire::Made { invite, maker })
                    .collect(),
                next: Some(invites::wire::Place {
                    created_at_ms: NOW_MS,
                    code: "DwECAwQFBgcICQoLDA0OAA".into(),
                }),
                seq: SEQ,
            }),
        ),
        (
            "theme.schedule",
            ok(&Days {
                days: vec![
                    Planned { day: "2026-11-21".into(), theme: Some(theme()), is_set: true },
                    Planned { day: "2026-11-22".into(), theme: None, is_set: false },
                ],
                seq: SEQ,
            }),
        ),
        ("theme.set", ok(&Done { seq: SEQ })),
        ("theme.clear", ok(&Done { seq: SEQ })),
        (
            "admin.people",
            ok(&admin::wire::PeoplePage {
                people: vec![admin::wire::Person {
                    user: users().remove(1),
                    created_at_ms: NOW_MS,
                    inviter: users().into_iter().next(),
                    is_admin: true,
                    is_suspended: false,
                }],
                has_more: true,
                seq: SEQ,
            }),
        ),
        ("admin.suspend", ok(&Done { seq: SEQ })),
        (
            "admin.reports",
            ok(&admin::wire::ReportsPage {
                reports: vec![admin::wire::Report {
                    id: ReportId(65_536),
                    about: About::Comment { comment_id: mellow::ids::CommentId(65_536) },
                    reason: Reason::Other,
                    details: "Every day. 🌿".into(),
                    words: "hm".into(),
                    reported_at_ms: NOW_MS,
                    reporter: users().remove(0),
                    author: users().remove(1),
                    view: Some("/post/9007199254740991".into()),
                    may_suspend: true,
                }],
                has_more: false,
                seq: SEQ,
            }),
        ),
        ("admin.dismiss_report", ok(&Done { seq: SEQ })),
        ("admin.remove_content", ok(&Done { seq: SEQ })),
        (
            "admin.health",
            ok(&admin::wire::Figures {
                sockets: 31,
                writer_queue: 0,
                database_bytes: 4_294_967_296,
                media_bytes: 65_536,
                free_bytes: None,
                backups: vec![admin::wire::Kept {
                    name: "mellow-20261122T074400Z".into(),
                    made_at_ms: NOW_MS,
                }],
                backup_failure: Some("the disk is full".into()),
                version: "0.1.0+abc".into(),
            }),
        ),
        ("admin.back_up", ok(&Done { seq: SEQ })),
        ("admin.end_logins", ok(&Done { seq: SEQ })),
        ("admin.reset_link", ok(&admin::wire::Link { url: "https://mellow.example/reset#AAEC".into() })),
        ("admin.delete", ok(&Done { seq: SEQ })),
        (
            "admin.log",
            ok(&admin::wire::LogPage {
                lines: vec![
                    admin::wire::Line {
                        id: 65_536,
                        at_ms: NOW_MS,
                        by_command: false,
                        admin: users().into_iter().next(),
                        act: Act::LoginsEnded,
                        user: users().pop(),
                    },
                    admin::wire::Line {
                        id: 1,
                        at_ms: NOW_MS,
                        by_command: true,
                        admin: None,
                        act: Act::Deleted,
                        user: None,
                    },
                ],
                has_more: false,
                seq: SEQ,
            }),
        ),
        ("newcomers.dismiss", ok(&newcomers::wire::Dismissed { seq: SEQ })),
        ("account.export", ok(&account::wire::Ready { url: "/export/00ff".into() })),
        ("account.delete", ok(&account::wire::Gone {})),
        (
            "moods.today",
            ok(&moods::wire::Listed { mine: day(true), moods: vec![mood()], users: users(), seq: SEQ }),
        ),
        ("moods.set", ok(&moods::wire::Shared { mine: day(false), seq: SEQ })),
        ("groups.list", ok(&groups::wire::Listed { groups: vec![group()], users: users(), seq: SEQ })),
        (
            "groups.get",
            ok(&groups::wire::One { group: group(), members: users(), posts_count: 65_536, seq: SEQ }),
        ),
        (
            "groups.candidates",
            ok(&groups::wire::Candidates { users: users(), older: Some(FollowId(65_536)), seq: SEQ }),
        ),
        ("groups.not_again", ok(&groups::wire::LeftGroups { groups: vec![left_group()], seq: SEQ })),
        ("groups.left_of_mine", ok(&groups::wire::LeftMine { group_ids: vec![GROUP], seq: SEQ })),
        ("groups.allow_again", ok(&groups::wire::LeftGroups { groups: Vec::new(), seq: SEQ })),
        ("groups.create", ok(&groups::wire::Made { group: group(), seq: SEQ })),
        (
            "groups.rename",
            ok(&groups::wire::Renaming { group_id: GROUP, name: "Coffee שלום".into(), seq: SEQ }),
        ),
        ("groups.delete", ok(&groups::wire::Done { seq: SEQ })),
        (
            "groups.add",
            ok(&groups::wire::Added { group_id: GROUP, users: users(), members_count: 128, seq: SEQ }),
        ),
        ("groups.remove", ok(&groups::wire::Done { seq: SEQ })),
        ("groups.leave", ok(&groups::wire::Done { seq: SEQ })),
        ("theme.get", ok(&Today { theme: Some(theme()), seq: SEQ })),
    ])
}

pub fn refusals() -> BTreeMap<&'static str, Vec<u8>> {
    let all = [
        Refusal::BadFrame,
        Refusal::BadRequest,
        Refusal::UnknownOp,
        Refusal::NotSignedIn,
        Refusal::NotFound,
        Refusal::Invalid(Field::Text, Sentence::TooLong(2_000)),
        Refusal::CommentsLimited,
        Refusal::NoSuchUser,
        Refusal::BadCredentials,
        Refusal::Suspended,
        Refusal::WrongPassword,
        Refusal::LinkExpired,
        Refusal::SlotChanged("evening"),
        Refusal::AudienceChanged,
        Refusal::MoodSet,
        Refusal::PollVoted,
        Refusal::PollClosed,
        Refusal::SignUpClosed,
        Refusal::InviteExpired,
        Refusal::EmailTaken,
        Refusal::WeakPassword(Sentence::PasswordShort),
        Refusal::KeyConflict,
        Refusal::PictureTooLarge("Zoë.jpg".into()),
        Refusal::NotAPicture("Zoë.jpg".into()),
        Refusal::UploadGone,
        Refusal::SlowDown(1_200),
        Refusal::Busy,
        Refusal::StorageFull,
        Refusal::Fault,
    ];
    all.into_iter()
        .map(|refusal| {
            // A message that cannot be decoded has no id.
            let re = (refusal != Refusal::BadFrame).then_some(4_294_967_295);
            (refusal.view().code, wire::reply_err(re, refusal).to_vec())
        })
        .collect()
}

fn found(name: &str) -> search::wire::Found {
    search::wire::Found { id: BEN, name: name.into(), bio: String::new(), photo_url: None, followed: true }
}

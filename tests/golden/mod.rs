//! The content of the golden frames: every request, reply and event once.

mod events;
mod replies;
mod requests;

pub use events::events;
pub use replies::{refusals, replies};
pub use requests::requests;

use mellow::features::invites::wire::Invite;
use mellow::features::shared::views::{
    Adders, Audience, Comment, Commenters, FirstSteps, GroupName, Me, User, Vote,
};
use mellow::features::theme::wire::Theme;
use mellow::features::{groups, moods, notifications, polls, posts, profiles};
use mellow::ids::{CommentId, GroupId, NotificationId, PollId, PostId, Seq, UserId};

pub const ANA: UserId = UserId(159_000_000_000_001);
pub const BEN: UserId = UserId(159_000_000_000_002);
pub const POST: PostId = PostId(9_007_199_254_740_991);
pub const GROUP: GroupId = GroupId(8_589_934_592);
pub const NOW_MS: i64 = 1_772_355_600_000;
pub const SEQ: Seq = Seq(70_000);

/// Where Ben's photo is: the larger size, or the small one.
fn photo_url(ending: &str) -> String {
    format!("/media/profile-pictures/{}/{NOW_MS}_Zo%C3%AB.{ending}?token=AAECAwQFBgcICQoLDA0O_w", BEN.0)
}

pub fn users() -> Vec<User> {
    vec![
        User { id: ANA, name: "Ana".into(), photo_url: None },
        User { id: BEN, name: "Zoë 🌿 שלום".into(), photo_url: Some(photo_url("card.jpg")) },
    ]
}

pub fn me() -> Me {
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

/// Two invitations: one that has ends, and one that has none.
pub fn invite_list() -> Vec<Invite> {
    let invite = |code: &str, ends: bool| Invite {
        code: code.into(),
        created_at_ms: NOW_MS,
        ends_at_ms: ends.then_some(NOW_MS + 2_592_000_000),
        uses: 3,
        uses_max: ends.then_some(20),
    };
    vec![invite("AAECAwQFBgcICQoLDA0ODw", true), invite("DwECAwQFBgcICQoLDA0OAA", false)]
}

pub fn comment(number: i64) -> Comment {
    Comment {
        id: CommentId(number),
        post_id: POST,
        author_id: BEN,
        text: format!("c{number}"),
        created_at_ms: NOW_MS,
    }
}

/// A picture that does not move, and one that does.
pub fn pictures() -> Vec<posts::wire::Picture> {
    let url = |number: u32, ending: &str| {
        format!("/media/posts/{}/{NOW_MS}_{number}_Zo%C3%AB.{ending}?token=AAECAwQFBgcICQoLDA0O_w", ANA.0)
    };
    let picture = |number: u32, alt: &str, width, height, moves: bool| posts::wire::Picture {
        alt: alt.into(),
        width,
        height,
        thumbhash: "1QcSHQRnh493V4dIh4eXh1h4kJUI".into(),
        url: url(number, "jpg"),
        card_url: url(number, "card.jpg"),
        motion_url: moves.then(|| url(number, "motion.gif")),
    };
    vec![picture(0, "Zoë 🌿 by the sea", 1_600, 1_200, false), picture(1, "", 128, 255, true)]
}

pub fn post() -> posts::wire::Post {
    posts::wire::Post {
        id: POST,
        author_id: ANA,
        title: None,
        text: "one\ntwo".into(),
        tag: Some("Slow Mornings".into()),
        tag_key: Some("slow mornings".into()),
        audience: Audience::Public {},
        pictures: pictures(),
        created_at_ms: NOW_MS,
        updated_at_ms: NOW_MS,
        comments_count: 70_000,
        first_comments: vec![comment(128), comment(65_536)],
    }
}

pub fn view(vote: Vote, positive_count: Option<i64>) -> posts::wire::PostView {
    posts::wire::PostView { post: post(), vote, positive_count, comments_only_for: None }
}

pub fn profile() -> profiles::wire::ProfileView {
    let profile = profiles::wire::Profile {
        id: BEN,
        name: "Ben".into(),
        bio: "Quiet.".into(),
        photo_url: Some(photo_url("card.jpg")),
        photo: Some(profiles::wire::Photo {
            url: photo_url("jpg"),
            width: 1_600,
            height: 1_200,
            thumbhash: "1QcSHQRnh493V4dIh4eXh1h4kJUI".into(),
        }),
        from_color: profiles::wire::Color::Blue,
        to_color: profiles::wire::Color::Green,
        created_at_ms: NOW_MS,
        followers_count: Some(3),
        following_count: Some(0),
    };
    profiles::wire::ProfileView {
        profile,
        followed: true,
        can_be_added: true,
        follows_me: false,
        muted: true,
    }
}

pub const POLL: PollId = PollId(4_294_967_297);

pub fn poll() -> polls::wire::Poll {
    polls::wire::Poll {
        id: POLL,
        creator_id: ANA,
        question: "Tea or coffee?".into(),
        options: vec!["Tea 🌿".into(), "Coffee".into()],
        audience: Audience::Public {},
        created_at_ms: NOW_MS,
        closes_at_ms: NOW_MS + 604_800_000,
    }
}

/// The group by name, as it is sent with what is shared with it.
pub fn group_names() -> Vec<GroupName> {
    vec![GroupName { id: GROUP, name: "Tea & 🌿".into(), owner_id: ANA }]
}

/// The group as its members see it.
pub fn group() -> groups::wire::Group {
    groups::wire::Group {
        id: GROUP,
        name: "Tea & 🌿".into(),
        owner_id: ANA,
        members_count: 128,
        created_at_ms: NOW_MS,
    }
}

/// For its members alone.
pub const IN_GROUP: Audience = Audience::Group { group_id: Some(GROUP) };

/// For a group that is gone, or that the viewer is not in: the author's alone.
pub const IN_NO_GROUP: Audience = Audience::Group { group_id: None };

/// A poll as sent to a user who voted for this option, or has not voted.
pub fn poll_view(choice: Option<u8>) -> polls::wire::PollView {
    polls::wire::PollView { poll: poll(), choice, tally: choice.map(|_| vec![128, 0]) }
}

pub fn theme() -> Theme {
    Theme {
        day: "2026-11-21".into(),
        title: "The view from your window".into(),
        description: "What is in it? \"All\" & 🌿.".into(),
        tag: "windows".into(),
    }
}

/// A notification of a comment, unseen, or of a follow, seen.
pub fn notification(kind: notifications::wire::Kind) -> notifications::wire::Notification {
    let of_comment = kind != notifications::wire::Kind::Follow;
    notifications::wire::Notification {
        id: NotificationId(if of_comment { 4_294_967_296 } else { 65_536 }),
        kind,
        actor_id: BEN,
        post_id: of_comment.then_some(POST),
        comment_id: of_comment.then_some(CommentId(128)),
        comment_text: of_comment.then(|| "@Ana come and see!".into()),
        post_text: of_comment.then(|| "one two".into()),
        created_at_ms: NOW_MS,
        unread: of_comment,
    }
}

/// The viewer's own evening, before and after it is set.
pub fn day(open: bool) -> moods::wire::Day {
    moods::wire::Day {
        slot: moods::wire::Slot::Evening,
        slot_ends_at_ms: NOW_MS + 54_000_000,
        open,
        morning: Some("Mind Blown".into()),
        evening: (!open).then(|| "Cozy".into()),
    }
}

/// The moods of a user who shared one in the morning and none in the evening.
pub fn mood() -> moods::wire::Mood {
    moods::wire::Mood {
        user_id: BEN,
        morning: Some("Snacking".into()),
        evening: None,
        made_at_ms: NOW_MS,
        expires_at_ms: NOW_MS + 54_000_000,
    }
}

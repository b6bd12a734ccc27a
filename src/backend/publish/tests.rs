//! Published events are plain data: every kind of event, encoded and decoded, gives the same bytes to the same
//! connections.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::*;
use crate::authz::Viewer;
use crate::delivery::barrier::Barrier;
use crate::delivery::connections::Connections;
use crate::events::{self, Behind, Effects, Loss, Membership, Named, Recipients, Right, Topic, Users, users};
use crate::features::shared::views::{Adders, Audience, Comment, Commenters, Me, User, Vote};
use crate::features::testing::{ANA, BEN, CLEO};
use crate::features::{
    account, auth, comments, follows, groups, moods, notifications, people, polls, posts, profiles, votes,
};
use crate::ids::{CommentId, GroupId, LoginId, NotificationId, PollId, PostId, UserId};
use crate::transport::send_queue::SendQueue;

const POST: PostId = PostId(31);
const POLL: PollId = PollId(41);
const TEA: GroupId = GroupId(71);
const IN_TEA: Audience = Audience::Group { group_id: Some(TEA) };
/// The write that all of them belong to.
const SEQ: Seq = Seq(101);

fn people() -> Users {
    users([ANA, BEN])
}

fn person(id: UserId) -> User {
    User { id, name: "Zoë 🌿".into(), photo_url: None }
}

fn comment() -> Comment {
    Comment { id: CommentId(51), post_id: POST, author_id: BEN, text: "words".into(), created_at_ms: 7 }
}

fn post(audience: Audience) -> posts::wire::Post {
    posts::wire::Post {
        id: POST,
        author_id: ANA,
        title: None,
        text: "words".into(),
        tag: None,
        tag_key: None,
        audience,
        pictures: Vec::new(),
        created_at_ms: 7,
        updated_at_ms: 7,
        comments_count: 1,
        first_comments: vec![comment()],
    }
}

fn of_posts() -> Vec<Event> {
    let created = |audience| posts::wire::Created {
        post: post(audience),
        users: vec![person(ANA)],
        groups: Vec::new(),
        recipients: people(),
        only: None,
        except: users([UserId(99)]),
    };
    let updated = |audience| posts::wire::Updated {
        post_id: POST,
        author_id: ANA,
        title: Some("title".into()),
        text: "words".into(),
        audience,
        groups: Vec::new(),
        updated_at_ms: 8,
        recipients: people(),
        only: (audience == IN_TEA).then(people),
        except: users([]),
    };
    let deleted = |was_public, kept_by| {
        let recipients = people();
        Event::PostDeleted(posts::wire::Deleted {
            post_id: POST,
            author_id: ANA,
            recipients,
            was_public,
            kept_by,
            apart: users([UserId(99)]),
        })
    };
    let commented = |only| {
        let (comment, users) = (comment(), vec![person(BEN)]);
        let readers = comments::wire::Readers { only, except: events::users([UserId(99)]) };
        Event::CommentCreated(comments::wire::Created { comment, users, comments_count: 1, readers })
    };
    vec![
        Event::PostCreated(created(Audience::Public {})),
        Event::PostCreated(created(IN_TEA)),
        Event::PostUpdated(updated(Audience::Public {})),
        Event::PostUpdated(updated(IN_TEA)),
        commented(None),
        commented(Some(people())),
        Event::CommentDeleted(comments::wire::Deleted {
            post_id: POST,
            comment_id: CommentId(51),
            comments_count: 0,
            first_comments: Vec::new(),
            users: Vec::new(),
            readers: comments::wire::Readers { only: Some(people()), except: users([]) },
        }),
        Event::VoteChanged(votes::wire::Changed { post_id: POST, vote: Vote::Positive, voter_id: BEN }),
        Event::VotesCounted(votes::wire::Counted { post_id: POST, positive_count: 2, author_id: ANA }),
        deleted(true, Some(users([ANA]))),
        deleted(false, None),
    ]
}

fn of_polls() -> Vec<Event> {
    let right = Right::Following(ANA);
    let poll = polls::wire::Poll {
        id: POLL,
        creator_id: ANA,
        question: "Tea?".into(),
        options: vec!["yes".into(), "no".into()],
        audience: Audience::Public {},
        created_at_ms: 7,
        closes_at_ms: 8,
    };
    let (recipients, tally) = (people(), vec![1, 0]);
    vec![
        Event::PollCreated(polls::wire::Created {
            poll,
            users: vec![person(ANA)],
            groups: Vec::new(),
            recipients: recipients.clone(),
        }),
        Event::PollVoted(polls::wire::Chosen {
            poll_id: POLL,
            choice: 0,
            tally: tally.clone(),
            voter_id: BEN,
            right,
        }),
        Event::PollCounted(polls::wire::Counted { poll_id: POLL, tally, right, apart: users([UserId(99)]) }),
        Event::PollDeleted(polls::wire::Deleted { poll_id: POLL, right, recipients }),
    ]
}

fn of_groups() -> Vec<Event> {
    let group = groups::wire::Group {
        id: TEA,
        name: "Tea".into(),
        owner_id: ANA,
        members_count: 2,
        created_at_ms: 7,
    };
    let members = vec![ANA, BEN];
    vec![
        Event::GroupCreated(groups::wire::Created { group: group.clone(), users: vec![person(ANA)] }),
        Event::GroupRenamed(groups::wire::Renamed {
            group_id: TEA,
            name: "Coffee".into(),
            members: members.clone(),
        }),
        Event::GroupJoined(groups::wire::Joined {
            group,
            user_ids: vec![BEN],
            users: vec![person(BEN)],
            recipients: people(),
            changes: Some((members.clone(), vec![BEN])),
        }),
        Event::GroupLeft(groups::wire::Left {
            group_id: TEA,
            user_id: BEN,
            members_count: 1,
            recipients: people(),
            members: Some(vec![ANA]),
        }),
        Event::GroupDeleted(groups::wire::Deleted { group_id: TEA, members }),
    ]
}

fn of_people() -> Vec<Event> {
    let profile = profiles::wire::Profile {
        id: ANA,
        name: "Ana".into(),
        bio: String::new(),
        photo_url: None,
        photo: None,
        from_color: profiles::wire::Color::Blue,
        to_color: profiles::wire::Color::Red,
        created_at_ms: 7,
        followers_count: None,
        following_count: None,
    };
    let me = Me {
        id: ANA,
        name: "Ana".into(),
        photo_url: None,
        email: "ana@example.org".into(),
        pending_email: None,
        hide_numbers: true,
        listed: true,
        adders: Adders::Nobody,
        commenters: Commenters::Followed,
        has_unread: false,
        first_steps: None,
        inviter: None,
        is_admin: false,
        has_reports: false,
    };
    let notification = notifications::wire::Notification {
        id: NotificationId(61),
        kind: notifications::wire::Kind::Reply,
        actor_id: BEN,
        post_id: Some(POST),
        comment_id: Some(CommentId(51)),
        created_at_ms: 7,
        unread: true,
        comment_text: Some("words".into()),
        post_text: Some("words".into()),
    };
    let mood = moods::wire::Mood {
        user_id: ANA,
        morning: Some("Cozy".into()),
        evening: None,
        made_at_ms: 7,
        expires_at_ms: 8,
    };
    let follow = |following| {
        Event::FollowChanged(follows::wire::Changed { user_id: ANA, following, follower_id: BEN })
    };
    let counted = |hide_numbers| {
        let (user_id, followers_count, following_count) = (ANA, 1, 2);
        Event::ProfileCounted(follows::wire::Counted {
            user_id,
            followers_count,
            following_count,
            hide_numbers,
            apart: users([UserId(99)]),
        })
    };
    vec![
        follow(true),
        follow(false),
        counted(false),
        counted(true),
        Event::ProfileChanged(profiles::wire::Changed { profile, apart: users([UserId(99)]) }),
        Event::UserRenamed(profiles::wire::Renamed { user: person(ANA), apart: users([UserId(99)]) }),
        Event::AccountChanged(account::wire::Changed { me }),
        Event::NotificationCreated(notifications::wire::Created {
            notification,
            users: vec![person(BEN)],
            user_id: ANA,
        }),
        Event::NotificationsDeleted(notifications::wire::Deleted {
            notification_ids: vec![NotificationId(61)],
            has_unread: false,
            user_id: ANA,
        }),
        Event::NotificationsSeen(notifications::wire::Seen { user_id: ANA }),
        Event::MoodChanged(moods::wire::Changed { mood, users: vec![person(ANA)], recipients: people() }),
        Event::ThemeChanged(theme::wire::Changed { theme: None }),
        Event::UserDeleted(account::wire::Ended {
            user_id: ANA,
            viewers: account::wire::Viewers::AllBut(users([])),
        }),
        Event::UserReturned(account::wire::Returned {
            user_id: ANA,
            viewers: account::wire::Viewers::One(BEN),
        }),
        Event::PeopleChanged(people::wire::Changed {
            user_id: ANA,
            blocked: true,
            muted: false,
            viewer_id: BEN,
        }),
        Event::LoginEnded(auth::wire::Ended::logged_out(LoginId(20))),
    ]
}

/// Every kind of event, in each form that its publication takes.
fn every_kind() -> Vec<Event> {
    [of_posts(), of_polls(), of_groups(), of_people()].into_iter().flatten().collect()
}

/// Returns the name of each kind that is published.
fn kinds() -> BTreeSet<&'static str> {
    let source = include_str!("../../features/mod.rs");
    let marks = source.split("#[serde(rename = \"").skip(1);
    marks.map(|rest| rest.split('"').next().unwrap()).collect()
}

/// Returns the bytes that each connection receives of these events: of Ana, of Ben, who subscribes to nothing, of
/// Cleo, who shows everything, of Ben by another login, and of a guest.
fn delivered(events: &[PublishedEvent]) -> BTreeMap<&'static str, Vec<u8>> {
    let (log, barrier) = (Arc::new(EventLog::new(Seq(SEQ.0 - 1))), Arc::new(Barrier::default()));
    let beat = |seq: Seq, sent, _| Bytes::from(format!("beat {} {sent}", seq.0));
    let mut connections = Connections::new(log.clone(), &barrier, beat);
    let right = Right::Following(ANA);
    let all = [Topic::Post(POST), Topic::Profile(ANA), Topic::Poll(POLL, right)];
    let mut queues: Vec<(&str, Rc<SendQueue>)> = Vec::new();
    for (name, user, login, topics) in [
        ("ana", Some(ANA), 10, &[][..]),
        ("ben", Some(BEN), 20, &[]),
        ("bens phone", Some(BEN), 21, &[]),
        ("cleo", Some(CLEO), 30, &all),
        ("guest", None, 0, &all),
    ] {
        let queue = SendQueue::new(None);
        let id = connections.add(queue.clone());
        let head = connections.head();
        if let Some(user_id) = user {
            connections.sign_in(id, Viewer::User { user_id, login_id: LoginId(login) }, head);
        }
        connections.subscribe(id, topics, head, Behind::Topics);
        queues.push((name, queue));
    }
    log.append(SEQ, events.iter().cloned().map(Arc::new));
    while connections.turn() {}
    connections.close_all(1_000);
    let drained = |queue: &SendQueue| {
        let mut bytes = Vec::new();
        while let Some(taken) = queue.take() {
            bytes.extend_from_slice(&taken);
        }
        bytes
    };
    queues.iter().map(|(name, queue)| (*name, drained(queue))).collect()
}

fn decoded(event: &PublishedEvent) -> PublishedEvent {
    codec::decode(&codec::encode(event).unwrap()).unwrap()
}

#[test]
fn every_kind_of_event_encoded_and_decoded_gives_the_same_bytes_to_the_same_connections() {
    let mut met = BTreeSet::new();
    let events: Vec<PublishedEvent> =
        every_kind().iter().map(|event| published(SEQ, 1_772_355_600_000, event)).collect();
    for (event, plain) in every_kind().iter().zip(&events) {
        let copy = decoded(plain);
        assert_eq!(&copy, plain);
        let (before, after) = (delivered(std::slice::from_ref(plain)), delivered(&[copy]));
        assert_eq!(before, after, "{event:?}");
        if let Ok(body) = codec::encode(event) {
            let value = rmpv::decode::read_value(&mut &body[..]).unwrap();
            met.extend(kinds().into_iter().find(|kind| value["ev"].as_str() == Some(kind)));
        }
    }
    assert_eq!(met, kinds(), "every kind is here");
    // And all of them as one write, with their effects on each other.
    let copies: Vec<_> = events.iter().map(decoded).collect();
    let all = delivered(&events);
    assert_eq!(all, delivered(&copies));
    assert!(["ana", "ben", "bens phone", "cleo"].iter().all(|name| all[name].len() > 500));
    assert!(all["guest"].len() < 100, "a goodbye alone");
}

#[test]
fn whatever_an_event_may_carry_survives_being_encoded() {
    let named = Named {
        users: users([ANA, CLEO]),
        topics: vec![Topic::Post(POST), Topic::Profile(ANA), Topic::Poll(POLL, Right::Membership(TEA))],
        only: Some(users([])),
        except: users([UserId(9_007_199_254_740_991)]),
    };
    let effects = Effects {
        about: Some(Topic::Post(POST)),
        subscribe: Some(Topic::Profile(ANA)),
        ends: Some(Topic::Poll(POLL, Right::Following(BEN))),
        loss: Some(Loss::Right { users: people(), right: Right::Membership(TEA) }),
        membership: Some(Membership {
            group_id: TEA,
            members: people(),
            joined: users([BEN]),
            left: users([]),
        }),
        closes: Some((LoginId(7), 4001)),
        coalesce: Some(Topic::Post(POST)),
        is_transient: true,
        until_ms: Some(7),
    };
    let any = Effects { loss: Some(Loss::Any), ..Effects::default() };
    for (recipients, effects) in [
        (Recipients::Named(named), effects),
        (Recipients::signed_in(), any),
        (
            Recipients::SignedInBut(users([ANA])),
            Effects { loss: Some(Loss::Of(people())), ..Effects::default() },
        ),
        (
            Recipients::users([ANA]),
            Effects { loss: Some(Loss::Apart { users: people(), user_id: ANA }), ..Effects::default() },
        ),
        (Recipients::None, Effects::default()),
    ] {
        let frame = Bytes::from_static(&[0x82, 0, 0xff]);
        let event = PublishedEvent { seq: SEQ, at_ms: -1, kind: 3, frame, recipients, effects };
        assert_eq!(decoded(&event), event);
    }
}

#[test]
fn the_end_of_a_login_is_no_frame() {
    let event = published(SEQ, 0, &Event::LoginEnded(auth::wire::Ended::logged_out(LoginId(20))));
    assert!(event.frame.is_empty());
    let got = delivered(&[event]);
    assert_eq!(got["ben"][..2], [0x88, u8::try_from(got["ben"].len() - 2).unwrap()], "closed at once");
    assert_eq!(got["bens phone"], got["ana"], "his other login stays");
}

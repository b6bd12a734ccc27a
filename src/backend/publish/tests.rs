//! Tests that an event that was encoded and decoded gives the same bytes to the same connections.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::*;
use crate::authz::Viewer;
use crate::delivery::barrier::Barrier;
use crate::delivery::connections::Connections;
use crate::events::{MissedEvents, Right, Topic, users};
use crate::features::events::NAMES;
use crate::features::{self, account, auth, comments, follows, notifications, posts};
use crate::ids::{LoginId, UserId};
use crate::model::audience::Audience;
use crate::quiet_users::QuietUsers;
use crate::testing::encoded;
use crate::testing::examples::{ANA, BEN, POLL, POST, me, some_users};
use crate::transport::send_queue::SendQueue;

const CLEO: UserId = UserId(3);
/// The write that all events belong to.
const SEQ: Seq = Seq(101);

/// Returns every kind of event, in each form that its publication takes, and the end of a login.
fn every_kind() -> Vec<Event> {
    let examples = || features::example_messages().into_iter().flat_map(|feature| feature.events);
    let others = examples().filter_map(in_another_form);
    examples().chain(others).chain([Event::LoginEnded(auth::wire::Ended::logged_out(LoginId(20)))]).collect()
}

/// Returns an event in the other form that its publication takes; None if it has only one form.
fn in_another_form(event: Event) -> Option<Event> {
    Some(match event {
        Event::PostUpdated(updated) => {
            Event::PostUpdated(posts::wire::Updated { audience: Audience::Public {}, ..updated })
        }
        Event::PostDeleted(deleted) => {
            Event::PostDeleted(posts::wire::Deleted { was_public: false, kept_by: None, ..deleted })
        }
        Event::CommentCreated(created) => {
            let readers = comments::wire::Readers { only: Some(some_users()), ..created.readers };
            Event::CommentCreated(comments::wire::Created { readers, ..created })
        }
        Event::CommentDeleted(deleted) => {
            let readers = comments::wire::Readers { only: Some(some_users()), ..deleted.readers };
            Event::CommentDeleted(comments::wire::Deleted { readers, ..deleted })
        }
        Event::FollowChanged(changed) => {
            Event::FollowChanged(follows::wire::Changed { following: !changed.following, ..changed })
        }
        Event::ProfileCounted(counted) => {
            Event::ProfileCounted(follows::wire::Counted { hide_numbers: !counted.hide_numbers, ..counted })
        }
        Event::NotificationsDeleted(deleted) => {
            Event::NotificationsDeleted(notifications::wire::Deleted { has_unread: true, ..deleted })
        }
        Event::UserDeleted(ended) => {
            let viewers = account::wire::Viewers::AllBut(users([]));
            Event::UserDeleted(account::wire::Ended { viewers, ..ended })
        }
        _ => return None,
    })
}

/// Returns a service that knows of no quiet hours.
fn no_quiet_hours() -> QuietService {
    QuietService::new(Arc::default(), Vec::new(), 0)
}

/// Returns an event as plain data, in each of its forms.
fn forms(event: &Event) -> Vec<PublishedEvent> {
    published(SEQ, 1_772_355_600_000, event, &no_quiet_hours()).collect()
}

/// Returns the bytes that each connection receives from these events. Ana subscribes to nothing, nor does Ben, who is
/// connected by two logins. Cleo and a guest subscribe to everything.
fn delivered(events: &[PublishedEvent]) -> BTreeMap<&'static str, Vec<u8>> {
    delivered_to(events, &Arc::default())
}

/// Like [`delivered`], while these users are in quiet hours.
fn delivered_to(events: &[PublishedEvent], quiet_users: &Arc<QuietUsers>) -> BTreeMap<&'static str, Vec<u8>> {
    let (log, barrier) = (Arc::new(EventLog::new(Seq(SEQ.0 - 1))), Arc::new(Barrier::default()));
    let beat = |seq: Seq, sent, _| Bytes::from(format!("beat {} {sent}", seq.0));
    let mut connections = Connections::new(log.clone(), quiet_users.clone(), &barrier, beat);
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
        connections.subscribe(id, topics, head, MissedEvents::OfTopics);
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

/// Returns the set of users in quiet hours: Ana, Ben and Cleo.
fn all_quiet() -> Arc<QuietUsers> {
    let quiet_users = Arc::<QuietUsers>::default();
    quiet_users.set([ANA, BEN, CLEO].map(|user_id| (user_id, Some(1_772_355_600_001))));
    quiet_users
}

fn decoded(event: &PublishedEvent) -> PublishedEvent {
    codec::decode(&codec::encode(event).unwrap()).unwrap()
}

#[test]
fn every_kind_of_event_encoded_and_decoded_gives_the_same_bytes_to_the_same_connections() {
    let events: Vec<PublishedEvent> = every_kind().iter().flat_map(forms).collect();
    for event in every_kind() {
        let forms = forms(&event);
        let copies: Vec<_> = forms.iter().map(decoded).collect();
        assert_eq!(copies, forms);
        assert_eq!(delivered(&copies), delivered(&forms), "{event:?}");
        let when_quiet = |forms: &[PublishedEvent]| delivered_to(forms, &all_quiet());
        assert_eq!(when_quiet(&copies), when_quiet(&forms), "in quiet hours: {event:?}");
    }
    let has = |hours: Hours| events.iter().any(|event| event.effects.hours == hours);
    assert!(has(Hours::Quiet) && has(Hours::NotQuiet { but: None }), "both forms of an event are here");
    let met: BTreeSet<usize> = every_kind().iter().map(Event::kind).collect();
    assert_eq!(met, (0..=NAMES.len()).collect(), "every kind is here");
    // All of them in one write, where they affect one another.
    let copies: Vec<_> = events.iter().map(decoded).collect();
    let all = delivered(&events);
    assert_eq!(all, delivered(&copies));
    assert!(["ana", "ben", "bens phone", "cleo"].iter().all(|name| all[name].len() > 500));
    assert!(all["guest"].len() < 100, "a goodbye alone");
}

#[test]
fn an_event_has_no_field_and_no_variant_that_the_golden_file_lacks() {
    for event in every_kind().iter().flat_map(forms) {
        let unknown = encoded::unknown_names(&event);
        assert!(unknown.is_empty(), "src/testing/encoded.rs needs a form with {unknown:?}: {event:?}");
    }
}

#[test]
fn the_end_of_a_login_is_sent_as_no_event() {
    let events = forms(&Event::LoginEnded(auth::wire::Ended::logged_out(LoginId(20))));
    assert!(events.iter().all(|event| event.frame.is_empty()));
    let got = delivered(&events);
    assert_eq!(got["ben"][..2], [0x88, u8::try_from(got["ben"].len() - 2).unwrap()], "closed at once");
    assert_eq!(got["bens phone"], got["ana"], "his other login stays");
}

#[test]
fn d_u3_in_quiet_hours_no_event_says_that_something_is_unread_or_waits() {
    let quiet_users = all_quiet();
    let says = |bytes: &[u8], field: &str| {
        let is_true = [field.as_bytes(), &[0xc3]].concat();
        bytes.windows(is_true.len()).any(|part| part == is_true)
    };
    let of = |event: &Event| NAMES.get(event.kind()).copied().unwrap_or("");
    let mut withheld = BTreeSet::new();
    for event in every_kind() {
        let forms = forms(&event);
        let (loud, quiet) = (delivered(&forms), delivered_to(&forms, &quiet_users));
        for (name, bytes) in &quiet {
            for field in ["unread", "has_unread", "has_reports"] {
                assert!(!says(bytes, field), "{name} receives {event:?}");
            }
            if bytes.len() < loud[name].len() {
                withheld.insert(of(&event));
            }
        }
    }
    assert_eq!(
        withheld,
        BTreeSet::from(["notifications.created", "polls.created", "posts.created"]),
        "everything else is sent"
    );
}

#[test]
fn d_u3_in_quiet_hours_an_admin_is_not_sent_an_account_because_of_a_report() {
    let forms = forms(&Event::AccountChanged(account::wire::Changed {
        me: me(),
        cause: account::wire::Cause::Reports,
    }));
    let [hours] = forms.iter().map(|form| form.effects.hours).collect::<Vec<_>>()[..] else {
        panic!("{forms:?}")
    };
    assert_eq!(hours, Hours::NotQuiet { but: None });
}

#[test]
fn d_u3_ones_own_new_post_and_poll_are_sent_in_quiet_hours() {
    let quiet_users = all_quiet();
    for event in every_kind() {
        let author_id = match &event {
            Event::PostCreated(created) => created.post.author_id,
            Event::PollCreated(created) => created.poll.creator_id,
            _ => continue,
        };
        let forms = forms(&event);
        let [hours] = forms.iter().map(|form| form.effects.hours).collect::<Vec<_>>()[..] else {
            panic!("{forms:?}")
        };
        assert_eq!(hours, Hours::NotQuiet { but: Some(author_id) });
        let reach = quiet_users.reach(hours);
        let reached = [ANA, BEN, CLEO].map(|user_id| (user_id, reach.includes(user_id)));
        assert!(reached.iter().all(|(user_id, is_reached)| *is_reached == (*user_id == author_id)));
    }
}

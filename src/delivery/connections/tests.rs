//! Recipients and order of delivery, tested with one worker and its connections.

use std::time::Duration;

use futures_util::FutureExt;

use super::*;
use crate::delivery::coalescing::pause_of;
use crate::delivery::testing::{
    ANA, BEN, CLEO, POLL, POST, START, TEA, TEA_POLL, TestConnection, Worker, all_lose, count, event, loses,
    on, on_only, to, viewer, with,
};
use crate::events::{Effects, Hours, Right, users};
use crate::limits::LOG_EVENTS_MAX;

mod turns;

const NOTHING: [&str; 0] = [];

fn three(worker: &mut Worker) -> [TestConnection; 3] {
    [ANA, BEN, CLEO].map(|user_id| worker.connect(user_id))
}

#[test]
fn an_event_reaches_every_connection_of_the_users_it_names() {
    let mut worker = Worker::new();
    let [ana, ben, cleo] = three(&mut worker);
    let (bens_phone, guest) = (worker.connect(BEN), worker.guest());
    worker.write([event("for Ben and Cleo", to(&[BEN, CLEO]))]);
    for line in [&ben, &bens_phone, &cleo] {
        assert_eq!(line.got(), ["for Ben and Cleo"]);
    }
    for line in [&ana, &guest] {
        assert_eq!(line.got(), NOTHING);
    }
}

#[test]
fn an_event_for_more_users_than_the_worker_has_reaches_those_it_has() {
    let mut worker = Worker::new();
    let [ana, ben, cleo] = three(&mut worker);
    let many = Recipients::users((2..500).map(UserId));
    let Recipients::Named(named) = many.clone() else { unreachable!() };
    let spared = Recipients::Named(Named { except: users([BEN]), ..named });
    worker.write([event("a post", many), event("not for Ben", spared)]);
    assert_eq!((ana.got().len(), ben.got(), cleo.got().len()), (0, vec!["a post".to_owned()], 2));
}

#[test]
fn an_event_for_everybody_reaches_signed_in_connections() {
    let mut worker = Worker::new();
    let [ana, ben, _] = three(&mut worker);
    let guest = worker.guest();
    worker.write([event("Ana has a new name", Recipients::signed_in())]);
    assert_eq!((ana.got().len(), ben.got().len(), guest.got().len()), (1, 1, 0));
}

#[test]
fn an_event_reaches_users_and_subscribers_in_the_hours_that_it_is_for() {
    let mut worker = Worker::new();
    let [ana, ben, cleo] = three(&mut worker);
    worker.connections.subscribe(cleo.id, &[POST], START, MissedEvents::OfViewer);
    worker.quiet_users.set([(BEN, Some(7)), (CLEO, Some(7))]);
    let post = |words, hours| {
        let recipients = Recipients::users_and(users([ANA, BEN]), [POST]);
        with(event(words, recipients), Effects { hours, ..Effects::default() })
    };
    let all =
        |words, hours| with(event(words, Recipients::signed_in()), Effects { hours, ..Effects::default() });
    worker.write([
        post("waits", Hours::NotQuiet { but: None }),
        post("Ben's own waits", Hours::NotQuiet { but: Some(BEN) }),
        post("says less", Hours::Quiet),
        all("news", Hours::NotQuiet { but: None }),
        post("words", Hours::All),
    ]);
    assert_eq!(ana.got(), ["waits", "Ben's own waits", "news", "words"]);
    assert_eq!(ben.got(), ["Ben's own waits", "says less", "words"]);
    assert_eq!(cleo.got(), ["says less", "words"]);
    worker.quiet_users.set([(BEN, None)]);
    worker.write([post("waits", Hours::NotQuiet { but: None })]);
    assert_eq!((ben.got(), cleo.got()), (vec!["waits".to_owned()], vec![]));
}

#[test]
fn an_event_of_a_topic_reaches_its_subscribers_alone() {
    let mut worker = Worker::new();
    let [ana, ben, cleo] = three(&mut worker);
    let guest = worker.guest();
    let other = Topic::Post(PostId(32));
    for (line, topic) in [(&ana, POST), (&ben, POST), (&cleo, other), (&guest, POST)] {
        worker.connections.subscribe(line.id, &[topic], START, MissedEvents::OfViewer);
    }
    worker.write([event("a comment", on(&[POST]))]);
    assert_eq!((ana.got().len(), ben.got().len()), (1, 1));
    assert_eq!((cleo.got(), guest.got()), (vec![], vec![]), "another post, and nobody we know");
    worker.connections.unsubscribe(ben.id, &[PostId(31)], &[], &[]);
    worker.write([event("another", on(&[POST]))]);
    assert_eq!((ana.got().len(), ben.got().len()), (1, 0));
}

#[test]
fn an_event_of_a_group_reaches_only_subscribers_who_are_members() {
    let mut worker = Worker::new();
    let lines = three(&mut worker);
    for line in &lines {
        worker.connections.subscribe(line.id, &[POST], START, MissedEvents::OfViewer);
    }
    worker.write([event("said in the group", on_only(POST, &[ANA, BEN]))]);
    assert_eq!(lines.map(|line| line.got().len()), [1, 1, 0]);
}

#[test]
fn a_post_with_a_smaller_audience_is_gone_for_the_others_alone() {
    let mut worker = Worker::new();
    let lines = three(&mut worker);
    let dora = worker.connect(UserId(4));
    worker.connections.subscribe(dora.id, &[POST], START, MissedEvents::OfViewer);
    worker.connections.subscribe(lines[1].id, &[POST], START, MissedEvents::OfViewer);
    // Ben and Cleo follow Ana. Ben is in the group that may still see the post.
    let named = Named {
        users: users([ANA, BEN, CLEO]),
        topics: vec![POST],
        except: users([ANA, BEN]),
        ..Named::default()
    };
    worker.write([event("gone", Recipients::Named(named))]);
    assert_eq!(lines.map(|line| line.got().len()), [0, 0, 1]);
    assert_eq!(dora.got(), ["gone"], "she showed it");
}

#[test]
fn an_event_that_names_a_connection_twice_is_delivered_once() {
    let mut worker = Worker::new();
    let [ana, ben, _] = three(&mut worker);
    let profile = Topic::Profile(ANA);
    worker.connections.subscribe(ben.id, &[POST, profile], START, MissedEvents::OfViewer);
    let recipients = Recipients::users_and(users([ANA, BEN]), [POST, profile]);
    worker.write([event("an edit", recipients.clone()), event("once more", recipients)]);
    assert_eq!(ana.got(), ["an edit", "once more"]);
    assert_eq!(ben.got(), ["an edit", "once more"]);
}

#[test]
fn the_events_of_a_turn_are_joined_once_for_all_who_receive_the_same() {
    let mut worker = Worker::new();
    let [ana, ben, cleo] = three(&mut worker);
    worker.write(["one", "two"].map(|words| event(words, to(&[ANA, BEN]))));
    let [anas, bens] = [&ana, &ben].map(|line| line.queue.waiting());
    assert_eq!((anas.len(), &anas), (1, &bens));
    assert_eq!(anas[0].as_ptr(), bens[0].as_ptr(), "joined once");
    assert_eq!((ana.got(), cleo.got()), (vec!["one".to_owned(), "two".into()], vec![]));
}

#[test]
fn a_write_without_events_moves_the_head() {
    let mut worker = Worker::new();
    let ben = worker.connect(BEN);
    let seq = worker.write([]);
    assert_eq!((worker.connections.head(), ben.got()), (seq, vec![]));
    assert!(worker.barrier.wait(seq).now_or_never().is_some());
}

#[test]
fn a_user_who_unfollows_gets_no_tally_and_no_earlier_one_again() {
    let mut worker = Worker::new();
    let [_, ben, cleo] = three(&mut worker);
    for line in [&ben, &cleo] {
        worker.connections.subscribe(line.id, &[POLL, POST], START, MissedEvents::OfViewer);
    }
    let seq = worker.write([loses("unfollowed", BEN, Right::Following(ANA))]);
    worker.write([event("a tally", on(&[POLL])), event("a comment", on(&[POST]))]);
    assert_eq!(ben.got(), ["unfollowed", "a comment"], "a post that is shown stays");
    assert_eq!(cleo.got(), ["a tally", "a comment"]);
    let outdated = |user_id, seq| worker.connections.has_lost(user_id, None, seq);
    assert!(outdated(BEN, START) && !outdated(BEN, seq));
    assert!(!outdated(CLEO, START) && !outdated(ANA, START));
}

#[test]
fn a_blocked_user_gets_no_tally_of_the_other_and_keeps_those_of_third_users() {
    let mut worker = Worker::new();
    let [_, ben, cleo] = three(&mut worker);
    let cleos = Topic::Poll(PollId(44), Right::Following(CLEO));
    for line in [&ben, &cleo] {
        worker.connections.subscribe(line.id, &[POLL, cleos], START, MissedEvents::OfViewer);
    }
    worker.write([blocked("Ana is gone", BEN, ANA)]);
    worker.write([event("Ana's tally", on(&[POLL])), event("Cleo's tally", on(&[cleos]))]);
    assert_eq!(ben.got(), ["Ana is gone", "Cleo's tally"]);
    assert_eq!(cleo.got(), ["Ana's tally", "Cleo's tally"]);
}

#[test]
fn a_held_count_is_delivered_before_a_block_and_before_a_loss_for_all() {
    for ends in [blocked("Ana is gone", BEN, ANA), all_lose("Ana is gone", Recipients::signed_in())] {
        let mut worker = Worker::new();
        let ben = worker.connect(BEN);
        worker.connections.subscribe(ben.id, &[TEA_POLL], START, MissedEvents::OfViewer);
        worker.write([count("one", TEA_POLL), count("two", TEA_POLL)]);
        assert_eq!(ben.got(), ["one"]);
        worker.write([ends]);
        worker.releases(Instant::now() + pause_of(TEA_POLL));
        assert_eq!(ben.got(), ["two", "Ana is gone"]);
    }
}

/// An event for this user: one of the two blocked the other.
fn blocked(words: &str, user_id: UserId, other_id: UserId) -> PublishedEvent {
    let loss = Some(Loss::Meeting { users: users([user_id]), user_id: other_id });
    with(event(words, to(&[user_id])), Effects { loss, ..Effects::default() })
}

#[test]
fn a_former_member_gets_nothing_of_the_groups_polls_and_others_do() {
    let mut worker = Worker::new();
    let [_, ben, cleo] = three(&mut worker);
    for line in [&ben, &cleo] {
        worker.connections.subscribe(line.id, &[TEA_POLL, POLL], START, MissedEvents::OfViewer);
    }
    worker.write([loses("removed", BEN, Right::Membership(TEA))]);
    worker.write([event("the group's tally", on(&[TEA_POLL])), event("Ana's tally", on(&[POLL]))]);
    assert_eq!(ben.got(), ["removed", "Ana's tally"]);
    assert_eq!(cleo.got(), ["the group's tally", "Ana's tally"]);
    // After a new log-in on the same connection, earlier reads stay outdated.
    worker.connections.sign_in(ben.id, viewer(BEN), worker.log.head());
    assert!(worker.connections.has_lost(BEN, None, START));
}

#[test]
fn after_a_loss_for_all_every_earlier_read_is_outdated() {
    let mut worker = Worker::new();
    let seq = worker.commit([all_lose("an account ended", Recipients::signed_in())]);
    assert!(!worker.connections.has_lost(ANA, None, START), "not before it is delivered");
    worker.connections.turn();
    for user_id in [ANA, BEN, CLEO] {
        assert!(worker.connections.has_lost(user_id, None, START));
        assert!(!worker.connections.has_lost(user_id, None, seq));
    }
}

#[test]
fn an_ended_topic_has_no_subscribers_and_a_deleted_user_ends_their_polls() {
    let mut worker = Worker::new();
    let [_, ben, _] = three(&mut worker);
    let (profile, bens_poll) = (Topic::Profile(ANA), Topic::Poll(PollId(43), Right::Following(BEN)));
    let ends = |words: &str, topic| {
        let effects = Effects { ends: Some(topic), ..Effects::default() };
        with(event(words, Recipients::signed_in()), effects)
    };
    let all = [POST, profile, POLL, TEA_POLL, bens_poll];
    worker.connections.subscribe(ben.id, &all, START, MissedEvents::OfViewer);
    // Held tallies are dropped with their polls.
    worker.write([count("one", POLL), count("two", POLL)]);
    worker.write([ends("the post is gone", POST), ends("the poll is gone", TEA_POLL)]);
    let held = |worker: &Worker| all.map(|topic| worker.connections.subscriptions.has(ben.id, topic));
    assert_eq!(held(&worker), [false, true, true, false, true]);
    assert!(worker.connections.holds_counts());
    worker.write([ends("Ana is gone", profile)]);
    assert_eq!(held(&worker), [false, false, false, false, true]);
    assert!(!worker.connections.holds_counts());
    assert_eq!(ben.got(), ["one", "the post is gone", "the poll is gone", "Ana is gone"]);
}

#[test]
fn a_vote_subscribes_every_connection_of_the_voter_to_the_tally() {
    let mut worker = Worker::new();
    let [_, ben, cleo] = three(&mut worker);
    let phone = worker.connect(BEN);
    let voted = Effects { subscribe: Some(POLL), ..Effects::default() };
    worker.write([with(event("voted", to(&[BEN])), voted), count("a tally", POLL)]);
    for line in [&ben, &phone] {
        assert_eq!(line.got(), ["voted", "a tally"]);
    }
    assert_eq!(cleo.got(), NOTHING, "she has not voted");
}

#[test]
fn the_first_count_is_sent_at_once_and_the_newest_after_each_pause() {
    let mut worker = Worker::new();
    let ben = worker.connect(BEN);
    worker.connections.subscribe(ben.id, &[POLL], START, MissedEvents::OfViewer);
    worker.write(["one", "two", "three"].map(|words| count(words, POLL)));
    assert_eq!(ben.got(), ["one"]);
    let now = Instant::now();
    worker.releases(now);
    assert_eq!(ben.got(), NOTHING, "the pause runs");
    worker.releases(now + pause_of(POLL));
    assert_eq!(ben.got(), ["three"]);
    // The next pause runs, and nothing is held.
    assert!(worker.connections.holds_counts());
    worker.releases(now + pause_of(POLL) * 2 + Duration::from_millis(1));
    assert!(!worker.connections.holds_counts());
    worker.write([count("four", POLL)]);
    assert_eq!(ben.got(), ["four"]);
}

#[test]
fn a_held_tally_does_not_reach_a_user_who_lost_the_right_meanwhile() {
    let mut worker = Worker::new();
    let [_, ben, cleo] = three(&mut worker);
    for line in [&ben, &cleo] {
        worker.connections.subscribe(line.id, &[TEA_POLL], START, MissedEvents::OfViewer);
    }
    worker.write([count("one", TEA_POLL), count("two", TEA_POLL)]);
    worker.write([loses("removed", BEN, Right::Membership(TEA))]);
    worker.releases(Instant::now() + pause_of(TEA_POLL));
    assert_eq!(ben.got(), ["one", "removed"]);
    assert_eq!(cleo.got(), ["one", "two"]);
}

#[test]
fn closing_delivers_held_events_and_the_next_number_and_nothing_more() {
    let mut worker = Worker::new();
    let (ben, guest) = (worker.connect(BEN), worker.guest());
    worker.connections.subscribe(ben.id, &[POLL], START, MissedEvents::OfViewer);
    let seq = worker.write([count("one", POLL), count("two", POLL)]);
    assert_eq!(ben.got(), ["one"]);
    worker.connections.close_all(1_000);
    assert!(!worker.connections.takes_connections());
    let beat = |sent| format!("beat {} {sent} back 1000", seq.0 + 1);
    assert_eq!(ben.got(), ["two".to_owned(), beat(2), "closed 1012".into()]);
    assert_eq!(guest.got(), [beat(0), "closed 1012".into()]);
    worker.write([event("too late", Recipients::signed_in())]);
    assert_eq!(ben.got(), NOTHING);
}

#[test]
fn a_front_without_its_lease_sends_nothing_more_and_closes_its_connections() {
    let lease = Arc::<Lease>::default();
    let mut worker = Worker::new();
    worker.connections = worker.connections.with_lease(Some(lease.clone()));
    assert!(!worker.connections.takes_connections(), "not before the first lease");
    let soon = crate::clock::since_boot_ms() + 600_000;
    lease.extend(soon);
    assert!(worker.connections.takes_connections());

    let [ana, ben, _] = three(&mut worker);
    let first = worker.write([event("one", to(&[BEN]))]);
    assert_eq!(ben.got(), ["one"]);
    lease.end();
    worker.write([event("two", to(&[BEN]))]);
    let beat = |sent| format!("beat {} {sent} back 1000", first.0);
    assert_eq!(ben.got(), [beat(1), "closed 1012".into()], "and it says what it received");
    assert_eq!(ana.got(), [beat(0), "closed 1012".into()]);
    assert!(!worker.connections.takes_connections());

    // A lease that ended and began again before anybody looked is another one.
    lease.extend(soon);
    assert!(worker.connections.takes_connections());
    let ben = worker.connect(BEN);
    worker.write([]);
    ben.got();
    worker.commit([event("three", to(&[BEN]))]);
    lease.end();
    lease.extend(soon);
    assert!(worker.connections.takes_connections());
    assert!(ben.got().contains(&"closed 1012".to_owned()));
}

#[test]
fn a_front_that_stops_says_its_own_last_write() {
    let lease = Arc::<Lease>::default();
    lease.extend(crate::clock::since_boot_ms() + 600_000);
    let mut worker = Worker::new();
    worker.connections = worker.connections.with_lease(Some(lease));
    worker.connections.takes_connections();
    let ben = worker.connect(BEN);
    let seq = worker.write([event("one", to(&[BEN]))]);
    worker.connections.close_all(1_000);
    assert_eq!(ben.got(), ["one".to_owned(), format!("beat {} 1 back 1000", seq.0), "closed 1012".into()]);
}

#[test]
fn a_heartbeat_says_the_last_write_and_how_many_events_were_sent() {
    let mut worker = Worker::new();
    let (ben, guest) = (worker.connect(BEN), worker.guest());
    let seq = worker.write([event("one", to(&[BEN])), event("two", to(&[BEN]))]);
    assert_eq!(ben.got().len(), 2);
    for _ in 1..BEAT_MS / TICK_MS {
        worker.connections.tick();
    }
    assert_eq!(ben.got(), NOTHING);
    worker.connections.tick();
    assert_eq!(ben.queue.waiting().last(), Some(&PING));
    assert_eq!(ben.got(), [format!("beat {} 2", seq.0)]);
    assert_eq!(guest.got(), [format!("beat {} 0", seq.0)]);
}

/// Runs ticks. The peers of these connections take everything.
fn ticks(worker: &mut Worker, count: u64, lines: &[&TestConnection]) {
    for _ in 0..count {
        worker.connections.tick();
        for line in lines {
            while line.queue.take().is_some() {}
        }
    }
}

#[test]
fn a_peer_that_is_silent_for_a_minute_is_cut_unless_it_is_not_read() {
    let mut worker = Worker::new();
    let [ana, ben, cleo] = three(&mut worker);
    let all = [&ana, &ben, &cleo];
    let silent = SILENCE_MS_MAX / TICK_MS;
    ticks(&mut worker, silent, &all);
    assert!(all.iter().all(|line| line.queue.is_open()));
    worker.connections.note_frame(ana.id, false);
    // Ben's requests in flight are at their limit, so nothing that he sends is read.
    ben.queue.wait_for_room(std::task::Waker::noop());
    ticks(&mut worker, 1, &all);
    assert!(ana.queue.is_open() && ben.queue.is_open() && cleo.queue.is_cut());
    // Once he is read again, he has a minute to send something.
    ben.queue.wake_reader();
    ticks(&mut worker, silent, &all);
    assert!(ben.queue.is_open());
    ticks(&mut worker, 1, &all);
    assert!(ben.queue.is_cut());
}

#[test]
fn an_idle_guest_is_closed_and_a_user_is_not() {
    let mut worker = Worker::new();
    let [ben, guest, busy] = [worker.connect(BEN), worker.guest(), worker.guest()];
    for tick in 0..GUEST_IDLE_MS_MAX / TICK_MS {
        for (line, is_request) in [(&ben, false), (&guest, false), (&busy, tick == 7)] {
            worker.connections.note_frame(line.id, is_request);
        }
        ticks(&mut worker, 1, &[&ben, &guest, &busy]);
    }
    assert!(guest.queue.is_open());
    worker.connections.tick();
    assert_eq!(guest.got(), ["closed 4408"], "pongs are no requests");
    assert!(ben.queue.is_open() && busy.queue.is_open());
}

#[test]
fn a_peer_that_takes_nothing_is_cut() {
    let mut worker = Worker::new();
    let [ana, ben, _] = three(&mut worker);
    worker.write([event("words", to(&[ANA, BEN]))]);
    for _ in 0..STALL_MS_MAX / TICK_MS {
        ticks(&mut worker, 1, &[&ana]);
    }
    assert!(ben.queue.is_open());
    ticks(&mut worker, 1, &[&ana]);
    assert!(ana.queue.is_open() && ben.queue.is_cut());
}

#[test]
fn a_worker_that_falls_behind_the_log_makes_its_clients_reconnect() {
    let mut worker = Worker::new();
    let (ben, guest) = (worker.connect(BEN), worker.guest());
    let seq = worker.commit((0..=LOG_EVENTS_MAX).map(|_| event("words", to(&[BEN]))));
    assert!(!worker.connections.turn());
    for line in [&ben, &guest] {
        assert_eq!(line.got(), ["closed 1012"]);
    }
    assert_eq!(worker.connections.head(), seq);
    assert!(worker.connections.has_lost(BEN, None, START));
    assert!(worker.barrier.wait(seq).now_or_never().is_some(), "nobody waits for it");
    let again = worker.connect(BEN);
    worker.write([event("and on", to(&[BEN]))]);
    assert_eq!((again.got(), ben.got()), (vec!["and on".to_owned()], vec![]));
}

#[test]
fn a_login_that_ends_closes_its_connections_after_their_earlier_events() {
    let mut worker = Worker::new();
    let [ana, ben, _] = three(&mut worker);
    let other = worker.guest();
    worker.connections.sign_in(other.id, Viewer::User { user_id: BEN, login_id: LoginId(99) }, START);
    let closes = Effects { closes: Some((LoginId(BEN.0 * 10), 4001)), ..Effects::default() };
    let ended = PublishedEvent { frame: Bytes::new(), ..with(event("", Recipients::None), closes) };
    worker.write([event("before", Recipients::signed_in()), ended, event("after", Recipients::signed_in())]);
    assert_eq!(ben.got(), ["before", "closed 4001"]);
    for line in [&ana, &other] {
        assert_eq!(line.got(), ["before", "after"]);
    }
}

#[test]
fn a_new_viewer_of_a_connection_gets_no_events_of_the_previous_one() {
    let mut worker = Worker::new();
    let line = worker.connect(BEN);
    worker.connections.subscribe(line.id, &[POLL, POST], START, MissedEvents::OfViewer);
    worker.connections.sign_in(line.id, viewer(CLEO), START);
    worker.write([event("for Ben", to(&[BEN])), count("a tally", POLL), event("for Cleo", to(&[CLEO]))]);
    assert_eq!(line.got(), ["for Cleo"]);
    worker.connections.remove(line.id);
    worker.write([event("nobody", Recipients::signed_in()), event("nobody", on(&[POST]))]);
    assert_eq!(line.got(), NOTHING);
    assert!(
        worker.connections.users.is_empty() && worker.connections.subscriptions.of(POST).next().is_none()
    );
}

#[test]
fn an_event_that_closes_a_login_may_have_other_recipients() {
    let mut worker = Worker::new();
    let [ana, ben, _] = three(&mut worker);
    let closes = Effects { closes: Some((LoginId(BEN.0 * 10), 4001)), ..Effects::default() };
    worker.write([event("before", to(&[ANA, BEN])), with(event("Ben is gone", to(&[ANA])), closes)]);
    assert_eq!(ana.got(), ["before", "Ben is gone"]);
    assert_eq!(ben.got(), ["before", "closed 4001"]);
}

//! Tests that the checks of a simulated client find each kind of fault in its frames.

use fixedbitset::FixedBitSet;
use mellow_loadtest::check::Checker;
use mellow_loadtest::counts::Counted;
use mellow_loadtest::events::{self, Head, Kind};
use mellow_loadtest::expected::{Expected, Shown, set_of};
use mellow_loadtest::msgpack::Writer;

const SOCKETS: usize = 4;
const POST: u64 = 70;
const COMMENT: u64 = 80;
const POLL: u64 = 90;

fn event(ev: &str, seq: u64, fields: u8) -> Writer {
    Writer::default().map(fields + 2).text("ev").text(ev).text("seq").number(seq)
}

/// Returns the event of a post with the number of its action.
fn post(seq: u64, id: u64, mark: u64) -> Vec<u8> {
    let out = event("posts.created", seq, 1).text("post").map(2).text("id").number(id);
    out.text("text").text(&format!("#{mark} Good morning.")).done()
}

fn comment(seq: u64, mark: u64, count: u64) -> Vec<u8> {
    let out = event("comments.created", seq, 2).text("comment").map(3).text("id").number(COMMENT + seq);
    let out = out.text("post_id").number(POST).text("text").text(&format!("#{mark} Yes."));
    out.text("comments_count").number(count).done()
}

fn tally(seq: u64, counts: [u64; 3]) -> Vec<u8> {
    let out = event("polls.counted", seq, 2).text("poll_id").number(POLL).text("tally").array(3);
    counts.iter().fold(out, |out, count| out.number(*count)).done()
}

/// Returns a checker whose sockets are all connected as of the write 5.
fn checker() -> Checker {
    let mut checker = Checker::new(FixedBitSet::with_capacity(SOCKETS), false);
    for socket in 0..SOCKETS {
        assert!(!checker.opened(socket, 5));
    }
    checker
}

/// Records that the write `seq` is a post for the sockets 0 to 2, whose action has the number `mark`.
fn posted(checker: &mut Checker, seq: u64, mark: u64) {
    let expected = Expected::new(Kind::PostCreated, POST + seq, set_of(SOCKETS, 0..3));
    let expected = Expected { mark: Some(mark), ..expected };
    checker.acted(seq, format!("Post {mark}"), 0, vec![expected], 10);
}

/// Lets a socket receive an event.
fn message(checker: &mut Checker, socket: usize, message: &[u8], now_us: u64) {
    let Some(Head::Event { kind, seq }) = events::head(message) else { panic!("no event: {message:?}") };
    checker.event(socket, kind, seq, message, now_us);
}

/// Returns the faults so far.
fn faults(checker: &Checker) -> Vec<String> {
    checker.faults().0.iter().map(|fault| fault.says.clone()).collect()
}

#[track_caller]
fn one_fault(checker: &Checker, socket: usize, says: &str) {
    let faults = faults(checker);
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert!(faults[0].starts_with(&format!("person {socket}: ")) && faults[0].contains(says), "{faults:?}");
}

#[test]
fn events_received_once_and_in_order_pass_before_and_after_the_reply() {
    let mut checker = checker();
    message(&mut checker, 0, &post(6, POST + 6, 1), 5);
    posted(&mut checker, 6, 1);
    posted(&mut checker, 7, 2);
    for socket in 0..3 {
        if socket > 0 {
            message(&mut checker, socket, &post(6, POST + 6, 1), 20);
        }
        assert_eq!(checker.unfinished(), if socket < 2 { 2 } else { 1 });
        message(&mut checker, socket, &post(7, POST + 7, 2), 30);
    }
    assert_eq!(checker.unfinished(), 0);
    checker.finish();
    assert_eq!(faults(&checker), [""; 0]);
    assert_eq!((checker.deliveries, checker.delivery.total(), checker.last_delivery.total()), (6, 6, 2));
}

#[test]
fn a_lost_event_is_found() {
    let mut checker = checker();
    posted(&mut checker, 6, 1);
    for socket in 0..2 {
        message(&mut checker, socket, &post(6, POST + 6, 1), 20);
    }
    checker.finish();
    one_fault(&checker, 2, "never came");
}

#[test]
fn a_lost_event_is_found_by_the_count_of_a_beat() {
    let mut checker = checker();
    posted(&mut checker, 6, 1);
    message(&mut checker, 0, &event("beat", 6, 1).text("sent").number(1).done(), 20);
    one_fault(&checker, 0, "sent Some(1) events here, and 0 came");
}

#[test]
fn a_doubled_event_is_found() {
    let mut checker = checker();
    posted(&mut checker, 6, 1);
    message(&mut checker, 0, &post(6, POST + 6, 1), 20);
    message(&mut checker, 0, &post(6, POST + 6, 1), 20);
    one_fault(&checker, 0, "came twice");
}

#[test]
fn a_reordered_event_is_found() {
    let mut checker = checker();
    posted(&mut checker, 6, 1);
    posted(&mut checker, 7, 2);
    message(&mut checker, 0, &post(7, POST + 7, 2), 20);
    message(&mut checker, 0, &post(6, POST + 6, 1), 20);
    one_fault(&checker, 0, "the write 6 came after 7");
    let last_frames = &checker.faults().0[0].last_frames;
    assert_eq!(last_frames.len(), 2);
    assert!(
        last_frames[0].contains("posts.created of the write 7") && last_frames[0].contains("Good morning"),
        "{last_frames:?}"
    );
}

#[test]
fn a_foreign_event_is_found_before_and_after_the_answer() {
    let mut early = checker();
    message(&mut early, 3, &post(6, POST + 6, 1), 5);
    posted(&mut early, 6, 1);
    one_fault(&early, 3, "not for them");
    let mut late = checker();
    posted(&mut late, 6, 1);
    message(&mut late, 3, &post(6, POST + 6, 1), 20);
    one_fault(&late, 3, "not for them");
}

#[test]
fn an_event_without_a_write_is_found() {
    let mut checker = checker();
    message(&mut checker, 1, &post(6, POST + 6, 1), 5);
    checker.finish();
    one_fault(&checker, 1, "no action of the plan");
    let mut checker = self::checker();
    posted(&mut checker, 6, 1);
    message(&mut checker, 0, &event("groups.left", 6, 1).text("group_id").number(3).done(), 20);
    one_fault(&checker, 0, "groups.left is not what");
}

#[test]
fn an_event_of_another_post_or_with_other_bytes_is_found() {
    let mut other = checker();
    posted(&mut other, 6, 1);
    message(&mut other, 0, &post(6, POST + 6, 2), 20);
    one_fault(&other, 0, "is not what \"Post 1\" is about");
    let mut differs = checker();
    posted(&mut differs, 6, 1);
    message(&mut differs, 0, &post(6, POST + 6, 1), 20);
    message(&mut differs, 1, &[post(6, POST + 6, 1), vec![0xc0]].concat(), 20);
    one_fault(&differs, 1, "is not what others received");
}

#[test]
fn a_comment_reaches_clients_that_show_its_post_with_the_right_count() {
    let shows = |checker: &mut Checker, socket, seq| {
        checker.shows(socket, &Shown { seq, posts: &[POST], is_read: true });
    };
    let commented = |checker: &mut Checker, seq, mark| {
        checker.changed(Counted::Comments(POST), Some((seq, 0, 1)));
        let showing = checker.showing(POST, seq);
        let expected = Expected::new(Kind::CommentCreated, COMMENT + seq, showing);
        let expected = Expected { second: POST, mark: Some(mark), ..expected };
        checker.acted(seq, "a comment".into(), 0, vec![expected], 10);
    };
    let begin = || {
        let mut checker = checker();
        shows(&mut checker, 0, 5);
        checker.request_sent(Counted::Comments(POST), [1]);
        commented(&mut checker, 6, 1);
        checker
    };
    let mut right = begin();
    message(&mut right, 0, &comment(6, 1, 1), 20);
    // This reply arrived late and lacks the comment.
    shows(&mut right, 1, 5);
    assert_eq!(right.unfinished(), 1);
    message(&mut right, 1, &comment(6, 1, 1), 20);
    // This reply has the comment.
    shows(&mut right, 2, 6);
    right.finish();
    assert_eq!(faults(&right), [""; 0]);

    let mut foreign = begin();
    message(&mut foreign, 3, &comment(6, 1, 1), 20);
    one_fault(&foreign, 3, "does not show");
    let leaves = || {
        let mut checker = begin();
        checker.leaves(0, &[POST]);
        checker
    };
    let mut in_flight = leaves();
    message(&mut in_flight, 0, &comment(6, 1, 1), 20);
    let mut not_sent = leaves();
    not_sent.left(0, &[POST]);
    for checker in [&mut in_flight, &mut not_sent] {
        checker.finish();
        assert_eq!(faults(checker), [""; 0]);
    }
    let mut after_the_answer = leaves();
    after_the_answer.left(0, &[POST]);
    message(&mut after_the_answer, 0, &comment(6, 1, 1), 20);
    one_fault(&after_the_answer, 0, "does not show");
    let mut wrong = begin();
    message(&mut wrong, 0, &comment(6, 1, 2), 20);
    one_fault(&wrong, 0, "a wrong count");
    let mut lost = begin();
    lost.finish();
    one_fault(&lost, 0, "never came");
}

#[test]
fn a_wrong_tally_and_a_foreign_tally_are_found() {
    let poll_votes = Counted::PollVotes(POLL);
    let begin = || {
        let mut checker = checker();
        for (socket, seq, option) in [(0, 6, 1), (1, 7, 2)] {
            checker.request_sent(poll_votes, [socket]);
            checker.changed(poll_votes, Some((seq, option, 1)));
        }
        checker
    };
    let mut right = begin();
    // Counts are delayed, and some are left out.
    message(&mut right, 1, &tally(7, [0, 1, 1]), 20);
    message(&mut right, 0, &tally(6, [0, 1, 0]), 20);
    message(&mut right, 0, &tally(7, [0, 1, 1]), 20);
    right.finish();
    assert_eq!(faults(&right), [""; 0]);

    let mut wrong = begin();
    message(&mut wrong, 0, &tally(7, [1, 1, 0]), 20);
    one_fault(&wrong, 0, "a wrong tally");
    let mut foreign = begin();
    message(&mut foreign, 2, &tally(7, [0, 1, 1]), 20);
    one_fault(&foreign, 2, "a count that is not for them");
    let mut stale = begin();
    message(&mut stale, 0, &tally(6, [0, 1, 0]), 20);
    stale.finish();
    one_fault(&stale, 0, "the last count never came");
}

#[test]
fn a_reconnected_client_may_receive_events_twice_and_misses_none() {
    let begin = || {
        let mut checker = checker();
        posted(&mut checker, 6, 1);
        message(&mut checker, 0, &post(6, POST + 6, 1), 20);
        checker.lost(0);
        posted(&mut checker, 7, 2);
        posted(&mut checker, 8, 3);
        for socket in 1..3 {
            for (seq, mark) in [(6, 1), (7, 2), (8, 3)] {
                message(&mut checker, socket, &post(seq, POST + seq, mark), 30);
            }
        }
        assert_eq!(checker.unfinished(), 2);
        assert!(checker.opened(0, 8));
        assert_eq!(checker.cursor(0), 6);
        checker
    };
    let mut right = begin();
    for (seq, mark) in [(6, 1), (7, 2), (8, 3)] {
        message(&mut right, 0, &post(seq, POST + seq, mark), 40);
    }
    right.resumed(0, 8, false);
    right.finish();
    assert_eq!((right.cursor(0), faults(&right)), (8, Vec::new()));

    let mut lost = begin();
    message(&mut lost, 0, &post(8, POST + 8, 3), 40);
    lost.resumed(0, 8, false);
    lost.finish();
    one_fault(&lost, 0, "the write 7, never came");

    let mut doubled = begin();
    message(&mut doubled, 0, &post(7, POST + 7, 2), 40);
    message(&mut doubled, 0, &post(8, POST + 8, 3), 40);
    doubled.resumed(0, 8, false);
    message(&mut doubled, 0, &post(8, POST + 8, 3), 50);
    one_fault(&doubled, 0, "came twice");

    // After a resync nothing is replayed.
    let mut resync = begin();
    resync.resumed(0, 8, true);
    assert_eq!(resync.unfinished(), 0);
    posted(&mut resync, 9, 4);
    resync.finish();
    let faults = faults(&resync);
    assert!(faults.len() == 1 && faults[0].contains("the write 9, never came"), "{faults:?}");
}

#[test]
fn events_that_a_read_lacks_may_be_received_again_after_it() {
    let mut checker = checker();
    for (seq, mark) in [(6, 1), (7, 2)] {
        posted(&mut checker, seq, mark);
        message(&mut checker, 0, &post(seq, POST + seq, mark), 20);
    }
    checker.shows(0, &Shown { seq: 6, posts: &[], is_read: true });
    message(&mut checker, 0, &post(7, POST + 7, 2), 30);
    assert_eq!(faults(&checker), [""; 0]);
    // An event that the read contains must not follow it.
    message(&mut checker, 0, &post(6, POST + 6, 1), 30);
    one_fault(&checker, 0, "the write 6 came after 7");
}

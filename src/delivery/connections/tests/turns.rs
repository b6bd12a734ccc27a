//! Turns: a worker reads and writes so much at a time, and what happens between two turns, or within a write that is read
//! in part, loses nothing and keeps the order.

use super::*;

#[test]
fn a_turn_has_a_bound_and_the_next_goes_on_where_it_ended() {
    let mut worker = Worker::new();
    let ben = worker.connect(BEN);
    let seq = worker.commit((0..TURN_EVENTS_MAX + 1).map(|number| event(&number.to_string(), to(&[BEN]))));
    assert!(worker.connections.turn(), "more remains");
    assert_eq!(worker.connections.head(), START, "the write is delivered in part");
    assert!(worker.barrier.wait(seq).now_or_never().is_none());
    assert!(!worker.connections.turn());
    assert_eq!(worker.connections.head(), seq);
    assert!(worker.barrier.wait(seq).now_or_never().is_some());
    let expected: Vec<String> = (0..TURN_EVENTS_MAX + 1).map(|number| number.to_string()).collect();
    assert_eq!(ben.got(), expected);
}

/// Ben has more tabs than a turn writes to, and one of them is left.
fn all_but_one_written(worker: &mut Worker) -> (Vec<TestConnection>, Seq) {
    let tabs: Vec<_> = (0..=TURN_SOCKETS_MAX).map(|_| worker.connect(BEN)).collect();
    let seq = worker.commit([event("words", to(&[BEN]))]);
    assert!(worker.connections.turn(), "more remains");
    let (left, written): (Vec<_>, Vec<_>) = tabs.into_iter().partition(|tab| tab.queue.waiting().is_empty());
    assert_eq!((left.len(), written.len()), (1, TURN_SOCKETS_MAX));
    assert!(written.iter().all(|tab| tab.got() == ["words"]));
    assert!(worker.barrier.wait(seq).now_or_never().is_none(), "one tab lacks it");
    (left.into_iter().chain(written).collect(), seq)
}

#[test]
fn what_is_for_many_is_written_in_several_turns_to_each_once_and_in_order() {
    let mut worker = Worker::new();
    let (tabs, seq) = all_but_one_written(&mut worker);
    worker.write([event("more", to(&[BEN]))]);
    assert_eq!(tabs[0].got(), ["words", "more"]);
    assert!(tabs[1..].iter().all(|tab| tab.got() == ["more"]));
    assert!(worker.barrier.wait(seq).now_or_never().is_some());
}

#[test]
fn who_asks_between_two_turns_gets_the_events_before_the_answer_and_not_again() {
    let mut worker = Worker::new();
    let (tabs, seq) = all_but_one_written(&mut worker);
    worker.connections.write_to(tabs[0].id);
    assert_eq!((tabs[0].got(), worker.connections.head()), (vec!["words".to_owned()], seq));
    worker.write([event("more", to(&[BEN]))]);
    assert!(tabs.iter().all(|tab| tab.got() == ["more"]));
}

#[test]
fn a_heartbeat_between_two_turns_follows_the_events_up_to_its_number() {
    let mut worker = Worker::new();
    let (tabs, seq) = all_but_one_written(&mut worker);
    // The beat is due at the next tick. Earlier ticks would count as ticks in which the peer takes nothing.
    worker.connections.ticks += BEAT_MS / TICK_MS - 1;
    worker.connections.tick();
    assert_eq!(tabs[0].got(), ["words".to_owned(), format!("beat {} 1", seq.0)]);
}

#[test]
fn a_tally_that_is_released_between_two_turns_waits_for_the_next() {
    let mut worker = Worker::new();
    let tabs: Vec<_> = (0..=TURN_SOCKETS_MAX).map(|_| worker.connect(BEN)).collect();
    for tab in &tabs {
        worker.connections.subscribe(tab.id, &[POLL], START, Behind::Own);
    }
    worker.write([count("one", POLL)]);
    worker.write([count("two", POLL)]);
    assert!(tabs.iter().all(|tab| tab.got() == ["one"]));
    worker.commit([event("words", to(&[BEN]))]);
    worker.connections.turn();
    worker.connections.release_held(Instant::now() + pause_of(POLL));
    assert_eq!(tabs.iter().filter(|tab| tab.queue.waiting().is_empty()).count(), 1, "no more was written");
    while worker.connections.turn() {}
    assert!(tabs.iter().all(|tab| tab.got() == ["words", "two"]));
}

#[test]
fn a_login_that_ends_between_two_turns_closes_behind_its_events() {
    let mut worker = Worker::new();
    let (tabs, _) = all_but_one_written(&mut worker);
    let closes = Effects { closes: Some((LoginId(BEN.0 * 10), 4001)), ..Effects::default() };
    worker.write([with(event("", Recipients::None), closes)]);
    assert_eq!(tabs[0].got(), ["words", "closed 4001"]);
    assert!(tabs[1..].iter().all(|tab| tab.got() == ["closed 4001"]));
}

#[test]
fn closing_between_two_turns_delivers_the_rest_and_what_is_new() {
    let mut worker = Worker::new();
    let (tabs, _) = all_but_one_written(&mut worker);
    let seq = worker.commit([event("more", to(&[BEN]))]);
    worker.connections.close_all(5);
    let end = [format!("beat {} 2 back 5", seq.0 + 1), "closed 1012".into()];
    assert_eq!(tabs[0].got(), [&["words".to_owned(), "more".into()][..], &end].concat());
    assert!(tabs[1..].iter().all(|tab| tab.got() == [&["more".to_owned()][..], &end].concat()));
}

#[test]
fn a_connection_that_ends_between_two_turns_leaves_its_place_to_another() {
    let mut worker = Worker::new();
    let (tabs, seq) = all_but_one_written(&mut worker);
    worker.connections.remove(tabs[0].id);
    let next = worker.connect_since(CLEO, seq);
    assert_eq!(next.id, tabs[0].id);
    worker.write([event("more", to(&[CLEO]))]);
    assert_eq!((next.got(), tabs[0].got()), (vec!["more".to_owned()], vec![]));
}

/// One turn reads the first event of a write with two, and not the second. Returns the write before.
fn read_in_part(worker: &mut Worker, first: PublishedEvent) -> Seq {
    let before = worker.commit((1..TURN_EVENTS_MAX).map(|_| event("words", to(&[CLEO]))));
    worker.commit([first, event("second", on(&[POST]))]);
    assert!(worker.connections.turn(), "more remains");
    assert_eq!(worker.connections.head(), before);
    before
}

#[test]
fn a_write_that_is_read_in_part_reaches_whole_who_subscribes_then() {
    let mut worker = Worker::new();
    let [_, ben, _] = three(&mut worker);
    let before = read_in_part(&mut worker, event("first", on(&[POST])));
    worker.connections.subscribe(ben.id, &[POST], before, Behind::Own);
    while worker.connections.turn() {}
    assert_eq!(ben.got(), ["first", "second"]);
}

#[test]
fn a_write_that_is_read_in_part_reaches_whole_who_connects_then() {
    let mut worker = Worker::new();
    let before = read_in_part(&mut worker, event("first", to(&[BEN])));
    let ben = worker.connect_since(BEN, before);
    while worker.connections.turn() {}
    assert_eq!(ben.got(), ["first"]);
}

#[test]
fn who_resumes_within_a_write_that_is_read_in_part_gets_everything_in_order() {
    let mut worker = Worker::new();
    let earlier = worker.write([event("earlier", on(&[POST]))]);
    read_in_part(&mut worker, event("first", on(&[POST])));
    let ben = worker.connect(BEN);
    worker.connections.add_topics(ben.id, &[POST]);
    assert!(worker.connections.resume(ben.id, earlier, 0));
    while worker.connections.turn() {}
    assert_eq!(ben.got(), ["earlier", "first", "second"]);
}

#[test]
fn a_loss_in_a_write_that_is_read_in_part_makes_earlier_reads_outdated() {
    let mut worker = Worker::new();
    let _ben = worker.connect(BEN);
    let before = read_in_part(&mut worker, loses("left", BEN, Right::Membership(TEA)));
    assert!(worker.connections.has_lost(BEN, None, before));
    assert!(!worker.connections.has_lost(BEN, None, Seq(before.0 + 1)));
}

#[test]
fn a_login_that_ends_in_a_write_that_is_read_in_part_opens_no_socket() {
    let mut worker = Worker::new();
    let closes = Effects { closes: Some((LoginId(BEN.0 * 10), 4001)), ..Effects::default() };
    let before = read_in_part(&mut worker, with(event("", Recipients::None), closes));
    let ben = worker.connect_since(BEN, before);
    assert_eq!(ben.got(), ["closed 4001"]);
}

//! Turns. A worker reads and writes a limited amount in each turn. Whatever happens between two turns, or while a write
//! is read only in part, no event is lost and the order stays.

use super::*;

#[test]
fn a_turn_reads_a_limited_number_of_events_and_the_next_continues() {
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

/// Connects one tab more of Ben than a turn writes to, and runs one turn. The first of the returned tabs is not written
/// to yet.
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
fn an_event_for_many_is_written_in_several_turns_once_to_each_and_in_order() {
    let mut worker = Worker::new();
    let (tabs, seq) = all_but_one_written(&mut worker);
    worker.write([event("more", to(&[BEN]))]);
    assert_eq!(tabs[0].got(), ["words", "more"]);
    assert!(tabs[1..].iter().all(|tab| tab.got() == ["more"]));
    assert!(worker.barrier.wait(seq).now_or_never().is_some());
}

#[test]
fn a_request_between_two_turns_gets_the_events_before_its_reply_and_not_again() {
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
    // The heartbeat is due at the next tick. The ticks before it are skipped, because the peer would take nothing
    // during them.
    worker.connections.ticks += BEAT_MS / TICK_MS - 1;
    worker.connections.tick();
    assert_eq!(tabs[0].got(), ["words".to_owned(), format!("beat {} 1", seq.0)]);
}

#[test]
fn a_tally_released_between_two_turns_waits_for_the_next_turn() {
    let mut worker = Worker::new();
    let tabs: Vec<_> = (0..=TURN_SOCKETS_MAX).map(|_| worker.connect(BEN)).collect();
    for tab in &tabs {
        worker.connections.subscribe(tab.id, &[POLL], START, MissedEvents::OfViewer);
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
fn a_login_that_ends_between_two_turns_closes_after_its_events() {
    let mut worker = Worker::new();
    let (tabs, _) = all_but_one_written(&mut worker);
    let closes = Effects { closes: Some((LoginId(BEN.0 * 10), 4001)), ..Effects::default() };
    worker.write([with(event("", Recipients::None), closes)]);
    assert_eq!(tabs[0].got(), ["words", "closed 4001"]);
    assert!(tabs[1..].iter().all(|tab| tab.got() == ["closed 4001"]));
}

#[test]
fn closing_between_two_turns_delivers_the_rest_and_new_events() {
    let mut worker = Worker::new();
    let (tabs, _) = all_but_one_written(&mut worker);
    let seq = worker.commit([event("more", to(&[BEN]))]);
    worker.connections.close_all(5);
    let end = [format!("beat {} 2 back 5", seq.0 + 1), "closed 1012".into()];
    assert_eq!(tabs[0].got(), [&["words".to_owned(), "more".into()][..], &end].concat());
    assert!(tabs[1..].iter().all(|tab| tab.got() == [&["more".to_owned()][..], &end].concat()));
}

#[test]
fn a_connection_that_ends_between_two_turns_frees_its_id() {
    let mut worker = Worker::new();
    let (tabs, seq) = all_but_one_written(&mut worker);
    worker.connections.remove(tabs[0].id);
    let next = worker.connect_since(CLEO, seq);
    assert_eq!(next.id, tabs[0].id);
    worker.write([event("more", to(&[CLEO]))]);
    assert_eq!((next.got(), tabs[0].got()), (vec!["more".to_owned()], vec![]));
}

/// Runs a turn that reads the first of the two events of a write, and not the second. Returns the write before it.
fn read_in_part(worker: &mut Worker, first: PublishedEvent) -> Seq {
    let before = worker.commit((1..TURN_EVENTS_MAX).map(|_| event("words", to(&[CLEO]))));
    worker.commit([first, event("second", on(&[POST]))]);
    assert!(worker.connections.turn(), "more remains");
    assert_eq!(worker.connections.head(), before);
    before
}

#[test]
fn a_write_that_is_read_in_part_reaches_a_new_subscriber_whole() {
    let mut worker = Worker::new();
    let [_, ben, _] = three(&mut worker);
    let before = read_in_part(&mut worker, event("first", on(&[POST])));
    worker.connections.subscribe(ben.id, &[POST], before, MissedEvents::OfViewer);
    while worker.connections.turn() {}
    assert_eq!(ben.got(), ["first", "second"]);
}

#[test]
fn a_write_that_is_read_in_part_reaches_a_new_connection_whole() {
    let mut worker = Worker::new();
    let before = read_in_part(&mut worker, event("first", to(&[BEN])));
    let ben = worker.connect_since(BEN, before);
    while worker.connections.turn() {}
    assert_eq!(ben.got(), ["first"]);
}

#[test]
fn a_client_that_resumes_while_a_write_is_read_in_part_gets_everything_in_order() {
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
fn a_login_that_ends_in_a_write_that_is_read_in_part_opens_no_connection() {
    let mut worker = Worker::new();
    let closes = Effects { closes: Some((LoginId(BEN.0 * 10), 4001)), ..Effects::default() };
    let before = read_in_part(&mut worker, with(event("", Recipients::None), closes));
    let ben = worker.connect_since(BEN, before);
    assert_eq!(ben.got(), ["closed 4001"]);
}

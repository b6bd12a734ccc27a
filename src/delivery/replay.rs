//! Replay: delivers the events that a connection missed, after a read, after a write that subscribes, at sign-in, and
//! after a reconnect.
//!
//! Only events that name the viewer are replayed, and of these only those for the viewer's present hours. If the viewer
//! missed an event and then lost a right, nothing is replayed, and the client reads again: after a `resync`, or after
//! its connection was closed.

use std::collections::HashSet;
use std::sync::Arc;

use super::ConnectionId;
use super::connections::{Connection, Connections};
use crate::authz::Viewer;
use crate::events::{MissedEvents, PublishedEvent, Recipients, Topic};
use crate::ids::Seq;
use crate::limits::{COUNT_PAUSE_MS, REPLAY_MAX};

impl Connections {
    /// Delivers the events since the write `since`, up to the position of this worker. Later events follow as usual.
    /// `which` selects the events: those about one of these topics, or all that name the viewer. If the log no longer
    /// reaches back to `since`, the connection is closed, so that the client reconnects and reads again.
    pub(super) fn catch_up(&mut self, id: ConnectionId, since: Seq, topics: &[Topic], which: MissedEvents) {
        let Some(Connection { queue, viewer, .. }) = self.connections.get(id) else { return };
        // No event names a guest, so a guest missed nothing.
        if since >= self.newest || *viewer == Viewer::Guest {
            return;
        }
        let is_of_a_topic = |event: &PublishedEvent| match &event.recipients {
            Recipients::None | Recipients::SignedInBut(_) => false,
            Recipients::Named(named) => {
                named.topics.iter().chain(&event.effects.about).any(|topic| topics.contains(topic))
            }
        };
        let Some(mut missed) = self.log.after(since, self.position) else {
            return queue.leave(1012, "catch up");
        };
        if let Some(code) = missed.iter().find_map(|event| closes(event, *viewer)) {
            return queue.leave(code, "this login is over");
        }
        // A connection that subscribes to these topics has the right to them now. Losses of other rights do not matter.
        missed.retain(|event| which == MissedEvents::OfViewer || is_of_a_topic(event));
        match self.missed(id, missed) {
            Some(missed) => self.push(id, &missed),
            None => queue.leave(1012, "catch up"),
        }
    }

    /// Delivers the events that a reconnected client missed. They include those of the write `seq`, the cursor of the
    /// client, because it may have received only some of them. Events that have ended by `now_ms` are left out. Returns
    /// false if the client must read again: the log does not reach back that far, too many events were missed, or the
    /// user lost a right meanwhile.
    pub fn resume(&mut self, id: ConnectionId, seq: Seq, now_ms: i64) -> bool {
        let Some(missed) = self.log.since(seq, self.position) else { return false };
        let held = self.held_shortly_before(id, seq);
        let Some(mut missed) = self.missed(id, held.into_iter().chain(missed).collect()) else {
            return false;
        };
        let is_over =
            |event: &PublishedEvent| event.effects.until_ms.is_some_and(|until_ms| until_ms <= now_ms);
        missed.retain(|event| !event.effects.is_transient && !is_over(event));
        if missed.len() > REPLAY_MAX {
            return false;
        }
        self.push(id, &missed);
        true
    }

    /// Returns the counts that were published shortly before a write. They may have been held when the connection was
    /// lost. A count is left out if the viewer lost a right after it, or if its topic has ended.
    fn held_shortly_before(&self, id: ConnectionId, seq: Seq) -> Vec<Arc<PublishedEvent>> {
        let Some(user_id) = self.connections.get(id).and_then(|connection| connection.viewer.user_id())
        else {
            return Vec::new();
        };
        let mut held =
            self.log.shortly_before(Seq(seq.0 - 1), 4 * i64::try_from(COUNT_PAUSE_MS).unwrap_or(0));
        let is_loss = |event: &Arc<PublishedEvent>| {
            event.effects.loss.as_ref().is_some_and(|loss| loss.concerns(user_id, None))
        };
        let since_loss = held.iter().position(is_loss).unwrap_or(held.len());
        held.truncate(since_loss);
        let mut ended = HashSet::new();
        held.retain(|event| {
            ended.extend(event.effects.ends);
            event.effects.coalesce.is_some_and(|topic| !ended.contains(&topic))
        });
        held.reverse();
        held
    }

    /// Returns the events that name the connection; None if its user loses a right after one of them.
    fn missed(&self, id: ConnectionId, events: Vec<Arc<PublishedEvent>>) -> Option<Vec<Arc<PublishedEvent>>> {
        let user_id = self.connections.get(id)?.viewer.user_id()?;
        // Quiet hours count as they are now, also for an event that was published before they began.
        let is_named = |event: &Arc<PublishedEvent>| {
            event.recipients.names(user_id, |topic| self.subscriptions.has(id, topic))
                && self.quiet_users.reach(event.effects.hours).includes(user_id)
        };
        let mut is_past_one = false;
        for event in &events {
            if is_past_one && event.effects.loss.as_ref().is_some_and(|loss| loss.concerns(user_id, None)) {
                return None;
            }
            is_past_one |= is_named(event);
        }
        let mut missed = newest(events);
        missed.retain(is_named);
        Some(missed)
    }
}

/// Returns the close code if an event closes the viewer's connection.
fn closes(event: &PublishedEvent, viewer: Viewer) -> Option<u16> {
    match (event.effects.closes, viewer) {
        (Some((closed, code)), Viewer::User { login_id, .. }) if closed == login_id => Some(code),
        _ => None,
    }
}

/// Leaves out events that a later one replaces: all counts of a topic but the newest, and events about a topic that has
/// ended.
fn newest(mut events: Vec<Arc<PublishedEvent>>) -> Vec<Arc<PublishedEvent>> {
    let (mut counts, mut ended) = (HashSet::new(), HashSet::new());
    events.reverse();
    events.retain(|event| {
        let effects = &event.effects;
        let is_over = effects.about.is_some_and(|topic| ended.contains(&topic));
        ended.extend(effects.ends);
        !is_over && effects.coalesce.is_none_or(|topic| counts.insert(topic))
    });
    events.reverse();
    events
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delivery::testing::{
        ANA, BEN, CLEO, POLL, POST, START, TEA, TEA_POLL, TestConnection, Worker, all_lose, count, event,
        loses, on, on_only, to, with,
    };
    use crate::events::{Effects, Hours, Named, Recipients, Right, Topic, Users, users};
    use crate::ids::{LoginId, PostId, UserId};

    const NOTHING: [&str; 0] = [];
    const NOW_MS: i64 = 1_000;

    fn about(topic: Topic, event: PublishedEvent) -> PublishedEvent {
        with(event, Effects { about: Some(topic), ..Effects::default() })
    }

    fn ends(topic: Topic, event: PublishedEvent) -> PublishedEvent {
        with(event, Effects { ends: Some(topic), ..Effects::default() })
    }

    fn transient(event: PublishedEvent) -> PublishedEvent {
        let effects = Effects { is_transient: true, ..event.effects.clone() };
        with(event, effects)
    }

    /// Reconnects a user who shows these topics and has this cursor. Returns the events that they receive, or None if
    /// they must read again.
    fn reconnects(worker: &mut Worker, user_id: UserId, topics: &[Topic], seq: Seq) -> Option<Vec<String>> {
        let line = worker.connect(user_id);
        let head = worker.connections.head();
        worker.connections.subscribe(line.id, topics, head, MissedEvents::OfViewer);
        assert_eq!(line.got(), NOTHING);
        let is_known = worker.connections.resume(line.id, seq, NOW_MS);
        let got = line.got();
        assert!(is_known || got.is_empty());
        is_known.then_some(got)
    }

    fn next(seq: Seq) -> Seq {
        Seq(seq.0 + 1)
    }

    #[test]
    fn l3_a_read_is_followed_by_the_events_it_lacks_and_no_others() {
        let mut worker = Worker::new();
        let [ben, cleo] = [BEN, CLEO].map(|user_id| worker.connect(user_id));
        let first = worker.write([event("a name", Recipients::signed_in()), event("for Ben", to(&[BEN]))]);
        let second = worker.write([event("a comment", on(&[POST])), event("elsewhere", on(&[POLL]))]);
        let got = |line: &TestConnection| line.got();
        assert_eq!((got(&ben).len(), got(&cleo).len()), (2, 1));
        // A read that includes the newest write lacks nothing.
        worker.connections.subscribe(ben.id, &[POST], second, MissedEvents::OfViewer);
        assert_eq!(got(&ben), NOTHING);
        worker.connections.subscribe(cleo.id, &[POST], first, MissedEvents::OfViewer);
        assert_eq!(got(&cleo), ["a comment"]);
        // An older read that subscribes to nothing lacks the events for all users, and those about topics that are
        // already subscribed to.
        worker.connections.subscribe(cleo.id, &[], START, MissedEvents::OfViewer);
        assert_eq!(got(&cleo), ["a name", "a comment"]);
        let guest = worker.guest();
        worker.connections.subscribe(guest.id, &[POST], START, MissedEvents::OfViewer);
        assert_eq!(got(&guest), NOTHING, "nobody we know");
        assert!(guest.queue.is_open());
    }

    #[test]
    fn a_reply_is_followed_by_the_events_that_it_selects() {
        let mut worker = Worker::new();
        let ben = worker.connect(BEN);
        worker.connections.subscribe(ben.id, &[POLL], START, MissedEvents::OfTopics);
        worker.write([
            event("a name", Recipients::signed_in()),
            event("for Ben", to(&[BEN])),
            about(POST, event("an edit of the post", to(&[BEN]))),
            event("a comment", on(&[POST])),
            event("a tally of what he shows", on(&[POLL])),
        ]);
        worker.write([about(POST, event("a comment for Ana", to(&[ANA])))]);
        assert_eq!(ben.got().len(), 4);
        let mut delivered = |which| {
            worker.connections.subscribe(ben.id, &[POST], START, which);
            ben.got()
        };
        assert_eq!(delivered(MissedEvents::OfTopics), ["an edit of the post", "a comment"]);
        let all = ["a name", "for Ben", "an edit of the post", "a comment", "a tally of what he shows"];
        assert_eq!(delivered(MissedEvents::OfViewer), all);
    }

    #[test]
    fn a_write_that_subscribes_gets_events_since_it_despite_other_losses() {
        let mut worker = Worker::new();
        let ben = worker.connect(BEN);
        let seq = worker.write([event("his post", to(&[BEN]))]);
        worker.write([event("a comment", on_only(POST, &[BEN]))]);
        worker.write([loses("unfollowed", BEN, Right::Following(ANA)), event("another", on(&[POST]))]);
        assert_eq!(ben.got(), ["his post", "unfollowed"]);
        worker.connections.subscribe(ben.id, &[POST], seq, MissedEvents::OfTopics);
        assert_eq!(ben.got(), ["a comment", "another"]);
    }

    #[test]
    fn a_read_is_outdated_if_its_user_lost_a_right_since() {
        let mut worker = Worker::new();
        let seq = worker.write([loses("removed", BEN, Right::Membership(TEA))]);
        let has_lost = |worker: &Worker, user_id, since| worker.connections.has_lost(user_id, None, since);
        assert!(has_lost(&worker, BEN, START) && !has_lost(&worker, BEN, seq));
        assert!(!has_lost(&worker, CLEO, START));
        assert!(has_lost(&worker, CLEO, Seq(7)), "nobody can tell");
        worker.write([all_lose("Ana is gone", Recipients::signed_in())]);
        assert!(has_lost(&worker, CLEO, seq) && has_lost(&worker, BEN, seq));
        assert!(!has_lost(&worker, CLEO, worker.log.head()));
    }

    #[test]
    fn a_user_outside_the_group_receives_no_events_after_a_refused_read() {
        let mut worker = Worker::new();
        let [ben, cleo] = [BEN, CLEO].map(|user_id| worker.connect(user_id));
        let seq = worker.write([event("said in the group", on_only(POST, &[ANA, BEN]))]);
        for line in [&ben, &cleo] {
            worker.connections.subscribe(line.id, &[POST], START, MissedEvents::OfViewer);
            assert!(worker.connections.resume(line.id, seq, NOW_MS));
        }
        assert_eq!(ben.got(), ["said in the group", "said in the group"]);
        assert_eq!(cleo.got(), NOTHING);
    }

    #[test]
    fn a_connection_gets_events_since_its_user_was_identified() {
        let mut worker = Worker::new();
        let first = worker.write([event("one", to(&[BEN]))]);
        worker.write([transient(event("two", to(&[BEN]))), event("for Ana", to(&[ANA]))]);
        let ben = worker.connect_since(BEN, first);
        assert_eq!(ben.got(), ["two"]);
        assert_eq!(worker.connect_since(CLEO, START).got(), NOTHING);
        // An event that is committed but not yet delivered here is delivered later, once.
        worker.commit([event("three", to(&[BEN]))]);
        let again = worker.connect_since(BEN, first);
        assert_eq!(again.got(), ["two"]);
        worker.connections.turn();
        assert_eq!(again.got(), ["three"]);
    }

    #[test]
    fn signing_in_with_a_login_that_ended_closes_the_connection() {
        let mut worker = Worker::new();
        let closes = Effects { closes: Some((LoginId(BEN.0 * 10), 4001)), ..Effects::default() };
        worker.write([event("words", to(&[BEN, CLEO])), with(event("", Recipients::None), closes)]);
        assert_eq!(worker.connect_since(BEN, START).got(), ["closed 4001"]);
        assert_eq!(worker.connect_since(CLEO, START).got(), ["words"]);
    }

    #[test]
    fn a_read_older_than_the_log_makes_the_client_reconnect() {
        let mut worker = Worker::new();
        let ben = worker.connect_since(BEN, Seq(7));
        assert_eq!(ben.got(), ["closed 1012"]);
        let cleo = worker.connect(CLEO);
        worker.connections.subscribe(cleo.id, &[POST], Seq(7), MissedEvents::OfViewer);
        assert_eq!(cleo.got(), ["closed 1012"]);
    }

    #[test]
    fn a_read_before_a_loss_of_rights_makes_the_client_reconnect() {
        let mut worker = Worker::new();
        let [ben, cleo] = [BEN, CLEO].map(|user_id| worker.connect(user_id));
        worker.write([event("to both", to(&[BEN, CLEO]))]);
        worker.write([loses("removed", BEN, Right::Membership(TEA))]);
        assert_eq!((ben.got().len(), cleo.got().len()), (2, 1));
        for line in [&ben, &cleo] {
            worker.connections.subscribe(line.id, &[TEA_POLL], START, MissedEvents::OfViewer);
        }
        assert_eq!(ben.got(), ["closed 1012"]);
        assert_eq!(cleo.got(), ["to both"]);
    }

    #[test]
    fn a_reconnected_client_gets_missed_events_including_those_of_its_cursor() {
        let mut worker = Worker::new();
        let first = worker.write([event("one", to(&[BEN])), event("the rest of one", to(&[BEN]))]);
        worker.write([event("for Ana", to(&[ANA])), event("a comment", on(&[POST]))]);
        let last = worker.write([event("a name", Recipients::signed_in())]);
        let mut back =
            |user_id, topics: &[Topic], seq| reconnects(&mut worker, user_id, topics, seq).unwrap();
        assert_eq!(back(BEN, &[], first), ["one", "the rest of one", "a name"]);
        assert_eq!(back(BEN, &[POST], next(first)), ["a comment", "a name"]);
        assert_eq!(back(BEN, &[], last), ["a name"]);
        assert_eq!(back(CLEO, &[POLL], START), ["a name"]);
        worker.write([]);
        let head = worker.connections.head();
        assert_eq!(reconnects(&mut worker, BEN, &[], head).unwrap(), NOTHING, "nothing missed");
    }

    #[test]
    fn a_client_with_a_forgotten_cursor_reads_again() {
        let mut worker = Worker::new();
        let seq = worker.write([event("one", to(&[BEN]))]);
        for unknown in [next(seq), Seq(START.0 - 1), Seq(0)] {
            assert_eq!(reconnects(&mut worker, BEN, &[], unknown), None, "{unknown:?}");
        }
        let guest = worker.guest();
        assert!(!worker.connections.resume(guest.id, seq, NOW_MS));
        assert_eq!(guest.got(), NOTHING);
    }

    #[test]
    fn a_client_whose_cursor_is_ahead_of_the_worker_missed_nothing() {
        let mut worker = Worker::new();
        let seq = worker.commit([event("one", to(&[BEN]))]);
        let ben = worker.connect(BEN);
        assert!(worker.connections.resume(ben.id, seq, NOW_MS));
        assert_eq!(ben.got(), NOTHING);
        worker.connections.turn();
        assert_eq!(ben.got(), ["one"]);
    }

    #[test]
    fn after_a_loss_of_rights_only_a_client_that_missed_an_earlier_event_reads_again() {
        let mut worker = Worker::new();
        let first = worker.write([event("to both", to(&[BEN, CLEO]))]);
        let removal = worker.write([
            loses("removed", BEN, Right::Membership(TEA)),
            event("what goes with it", to(&[BEN, CLEO])),
        ]);
        worker.write([event("later", to(&[BEN, CLEO]))]);
        let mut back = |user_id, seq| reconnects(&mut worker, user_id, &[], seq);
        assert_eq!(back(BEN, first), None);
        let rest = ["removed", "what goes with it", "later"].map(str::to_owned).to_vec();
        assert_eq!(back(BEN, removal), Some(rest.clone()), "what lost the right is the first of it");
        assert_eq!(back(BEN, next(removal)).unwrap(), ["later"]);
        assert_eq!(back(CLEO, first).unwrap(), ["to both", "what goes with it", "later"], "not hers");
        let dora = UserId(4);
        assert_eq!(back(dora, START).unwrap(), NOTHING);
        // No event before the loss named Dora.
        worker.write([event("for Ben", to(&[BEN]))]);
        let seq = worker.write([loses("Dora unfollowed", dora, Right::Following(ANA))]);
        assert_eq!(reconnects(&mut worker, dora, &[], START).unwrap(), ["Dora unfollowed"]);
        assert_eq!(reconnects(&mut worker, BEN, &[], seq).unwrap(), NOTHING);
    }

    #[test]
    fn an_event_of_a_shown_topic_counts_as_missed_before_a_loss() {
        let mut worker = Worker::new();
        let first = worker.write([event("a tally", on(&[TEA_POLL]))]);
        worker.write([loses("removed", BEN, Right::Membership(TEA))]);
        assert_eq!(reconnects(&mut worker, BEN, &[TEA_POLL], first), None);
        assert_eq!(reconnects(&mut worker, BEN, &[POST], first).unwrap(), ["removed"]);
    }

    #[test]
    fn after_a_loss_for_all_nothing_earlier_is_replayed() {
        let mut worker = Worker::new();
        let first = worker.write([event("for Ben", to(&[BEN]))]);
        let ended = worker.write([all_lose("Ana is gone", Recipients::signed_in())]);
        assert_eq!(reconnects(&mut worker, BEN, &[], first), None);
        assert_eq!(reconnects(&mut worker, CLEO, &[], first).unwrap(), ["Ana is gone"]);
        assert_eq!(reconnects(&mut worker, BEN, &[], ended).unwrap(), ["Ana is gone"]);
    }

    #[test]
    fn only_the_deletion_of_a_deleted_post_is_replayed() {
        let mut worker = Worker::new();
        let other = Topic::Post(PostId(32));
        let first = worker.write([
            about(POST, event("a comment", on(&[POST]))),
            about(other, event("another post", to(&[BEN]))),
        ]);
        worker.write([ends(POST, event("gone", Recipients::users_and(Users::from([BEN]), [POST])))]);
        for (user_id, expected) in [(BEN, &["another post", "gone"][..]), (CLEO, &["gone"])] {
            assert_eq!(reconnects(&mut worker, user_id, &[POST], first).unwrap(), expected);
        }
    }

    #[test]
    fn a_read_is_followed_by_events_that_its_client_could_not_apply_before() {
        let mut worker = Worker::new();
        let ben = worker.connect(BEN);
        worker.write([ends(POST, event("gone", to(&[BEN]))), event("his vote", to(&[BEN]))]);
        assert_eq!(ben.got(), ["gone", "his vote"]);
        worker.connections.subscribe(ben.id, &[POST], START, MissedEvents::OfViewer);
        assert_eq!(ben.got(), ["gone", "his vote"]);
    }

    #[test]
    fn only_the_newest_count_is_replayed() {
        let mut worker = Worker::new();
        let profile = Topic::Profile(ANA);
        let first = worker.write([count("one", POST), event("her profile", on(&[profile]))]);
        worker.write([count("two", POST), count("another count", profile), event("words", to(&[BEN]))]);
        worker.write([count("three", POST), event("her new profile", on(&[profile]))]);
        let got = reconnects(&mut worker, BEN, &[POST, profile], first).unwrap();
        assert_eq!(got, ["her profile", "another count", "words", "three", "her new profile"]);
    }

    #[test]
    fn a_reply_depends_on_the_loss_of_its_own_right_once_that_is_delivered() {
        let mut worker = Worker::new();
        worker.write([loses("unfollowed", BEN, Right::Following(ANA))]);
        let seq = worker.commit([loses("removed", BEN, Right::Membership(TEA))]);
        let has_lost = |worker: &Worker, right, since| worker.connections.has_lost(BEN, Some(right), since);
        assert!(has_lost(&worker, Right::Following(ANA), START));
        assert!(!has_lost(&worker, Right::Membership(TEA), START), "not before it is delivered");
        worker.connections.turn();
        assert!(has_lost(&worker, Right::Membership(TEA), START));
        assert!(!has_lost(&worker, Right::Following(CLEO), START), "another right");
        assert!(!has_lost(&worker, Right::Membership(TEA), seq), "he came back");
        worker.write([all_lose("Ana is gone", Recipients::signed_in())]);
        assert!(has_lost(&worker, Right::Membership(TEA), seq));
    }

    #[test]
    fn a_count_that_was_held_when_the_connection_was_lost_is_replayed() {
        let mut worker = Worker::new();
        let pause_ms = i64::try_from(COUNT_PAUSE_MS).unwrap();
        worker.write([count("long ago", POST)]);
        worker.passes_ms(5 * pause_ms);
        worker.write([count("one", POLL), event("words", to(&[BEN]))]);
        worker.passes_ms(pause_ms);
        worker.write([count("two", POLL)]);
        let cursor = worker.write([event("more words", to(&[BEN]))]);
        let got = reconnects(&mut worker, BEN, &[POST, POLL], cursor).unwrap();
        assert_eq!(got, ["two", "more words"], "only counts, and only of shortly before");
    }

    #[test]
    fn a_count_up_to_four_pauses_before_the_last_event_before_the_cursor_is_replayed() {
        let mut worker = Worker::new();
        let pause_ms = i64::try_from(COUNT_PAUSE_MS).unwrap();
        worker.write([count("a count", POLL)]);
        worker.passes_ms(4 * pause_ms);
        worker.write([event("other words", to(&[CLEO]))]);
        worker.passes_ms(3 * pause_ms);
        let cursor = worker.write([event("words", to(&[BEN]))]);
        assert_eq!(reconnects(&mut worker, BEN, &[POLL], cursor).unwrap(), ["a count", "words"]);
    }

    #[test]
    fn an_event_whose_time_is_over_is_not_replayed() {
        let until = |words, until_ms| {
            let effects = Effects { until_ms: Some(until_ms), ..Effects::default() };
            with(event(words, to(&[BEN])), effects)
        };
        let mut worker = Worker::new();
        let cursor = worker.write([until("over", NOW_MS), until("not yet over", NOW_MS + 1)]);
        assert_eq!(reconnects(&mut worker, BEN, &[], cursor).unwrap(), ["not yet over"]);
    }

    #[test]
    fn a_count_before_a_loss_or_an_end_is_not_replayed() {
        let is_gone = |after: PublishedEvent| {
            let mut worker = Worker::new();
            worker.write([count("a count", POST)]);
            worker.write([after]);
            let cursor = worker.write([event("words", to(&[BEN]))]);
            reconnects(&mut worker, BEN, &[POST, POLL], cursor).unwrap() == ["words"]
        };
        assert!(!is_gone(event("other words", to(&[CLEO]))));
        assert!(!is_gone(loses("hers", CLEO, Right::Membership(TEA))));
        assert!(is_gone(loses("his", BEN, Right::Membership(TEA))));
        assert!(is_gone(all_lose("everybody", to(&[CLEO]))));
        let ends = |topic| Effects { ends: Some(topic), ..Effects::default() };
        assert!(is_gone(with(event("its end", to(&[CLEO])), ends(POST))));
        assert!(!is_gone(with(event("another's end", to(&[CLEO])), ends(POLL))));
    }

    #[test]
    fn transient_events_are_not_replayed() {
        let mut worker = Worker::new();
        let first = worker.write([transient(event("a mood", to(&[BEN]))), event("words", to(&[BEN]))]);
        worker.write([transient(count("a tally", POLL))]);
        assert_eq!(reconnects(&mut worker, BEN, &[POLL], first).unwrap(), ["words"]);
        // After a read that subscribes to their topic they are delivered.
        let ben = worker.connect(BEN);
        worker.connections.subscribe(ben.id, &[POLL], first, MissedEvents::OfViewer);
        assert_eq!(ben.got(), ["a tally"]);
    }

    #[test]
    fn an_event_is_replayed_in_the_hours_that_it_is_for_also_if_it_is_older_than_they() {
        let mut worker = Worker::new();
        let during = |words, hours| with(event(words, to(&[BEN])), Effects { hours, ..Effects::default() });
        let first = worker.write([
            during("a dot", Hours::NotQuiet { but: None }),
            during("no dot", Hours::Quiet),
            during("his own", Hours::NotQuiet { but: Some(BEN) }),
            event("words", to(&[BEN])),
        ]);
        worker.quiet_users.set([(BEN, Some(7))]);
        assert_eq!(reconnects(&mut worker, BEN, &[], first).unwrap(), ["no dot", "his own", "words"]);
        let ben = worker.connect_since(BEN, START);
        assert_eq!(ben.got(), ["no dot", "his own", "words"]);
        worker.quiet_users.set([(BEN, None)]);
        assert_eq!(reconnects(&mut worker, BEN, &[], first).unwrap(), ["a dot", "his own", "words"]);
    }

    #[test]
    fn a_client_that_missed_too_much_reads_again() {
        let mut worker = Worker::new();
        let first = worker.write((0..REPLAY_MAX).map(|number| event(&number.to_string(), to(&[BEN]))));
        worker.write((0..REPLAY_MAX).map(|_| transient(event("a mood", to(&[BEN])))));
        assert_eq!(reconnects(&mut worker, BEN, &[], first).unwrap().len(), REPLAY_MAX);
        worker.write([event("one more", to(&[BEN]))]);
        assert_eq!(reconnects(&mut worker, BEN, &[], first), None);
        assert_eq!(reconnects(&mut worker, CLEO, &[], first).unwrap(), NOTHING, "not hers");
    }

    #[test]
    fn replay_has_exactly_the_recipients_of_delivery() {
        let mut worker = Worker::new();
        let lines = [ANA, BEN, CLEO].map(|user_id| worker.connect(user_id));
        let topics: [&[Topic]; 3] = [&[POST], &[POST, POLL], &[]];
        for (line, topics) in lines.iter().zip(topics) {
            worker.connections.subscribe(line.id, topics, START, MissedEvents::OfViewer);
        }
        let mut first = None;
        for only in [None, Some(users([ANA])), Some(users([]))] {
            for except in [users([]), users([BEN]), users([ANA, CLEO])] {
                for (number, to) in [users([]), users([BEN, CLEO]), users([ANA])].into_iter().enumerate() {
                    for topics in [&[][..], &[POST], &[POLL, POST]] {
                        let (users, topics, only, except) =
                            (to.clone(), topics.to_vec(), only.clone(), except.clone());
                        let words = format!("{only:?} {except:?} {number} {topics:?}");
                        let named = Named { users, topics, only, except };
                        let seq = worker.write([event(&words, Recipients::Named(named))]);
                        first = first.or(Some(seq));
                    }
                }
            }
        }
        for (line, user_id, topics) in [(&lines[0], ANA, 0), (&lines[1], BEN, 1), (&lines[2], CLEO, 2)]
            .map(|(line, user_id, at)| (line, user_id, topics[at]))
        {
            let live = line.got();
            assert!(!live.is_empty());
            assert_eq!(reconnects(&mut worker, user_id, topics, first.unwrap()).unwrap(), live);
        }
    }
}

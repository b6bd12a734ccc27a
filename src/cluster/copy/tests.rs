//! A home and a front, joined by a hub that loses, repeats and delays messages. What the front has at the end is what
//! the home has: nothing is lost, nothing is doubled, or the front began anew.

use bytes::Bytes;
use futures_util::{FutureExt, StreamExt};

use super::*;
use crate::cluster::link::{Fate, Hub, Message, Messages};
use crate::cluster::publisher::{Publisher, Source};
use crate::cluster::seal::Keys;
use crate::cluster::sealed::SealedLink;
use crate::cluster::wire::{FromHome, HomeSettings, Pieces};
use crate::events::{Effects, Loss, Recipients};
use crate::ids::UserId;
use crate::limits::{CLUSTER_PIECE_BYTES, LOG_EVENTS_MAX};
use crate::random::hex;

const ANA: UserId = UserId(1);

/// The last write before the home starts.
const START: Seq = Seq(100);

struct Cluster {
    hub: Arc<Hub>,
    source: Source,
    publisher: Publisher,
    copy: LogCopy,
    log: Arc<EventLog>,
    quiet_users: Arc<QuietUsers>,
    received: Received,
    /// How often the front asked, and how often it began anew.
    asked: u32,
    begun_anew: u32,
}

/// What arrives at the front.
struct Received {
    link: Arc<SealedLink>,
    messages: Messages,
    pieces: Pieces,
}

fn linked(hub: &Arc<Hub>) -> Arc<SealedLink> {
    let keys = Keys::read(&hex(&[7; 32]), None).unwrap();
    SealedLink::new(Arc::new(hub.link()), keys).unwrap()
}

/// A home that starts after the write `start`.
fn home(number: u64, epoch: &str, start: Seq) -> Source {
    Source {
        home: Instance(number),
        started_ms: i64::try_from(number).unwrap(),
        epoch: epoch.into(),
        start,
        log: Arc::new(EventLog::new(Seq(start.0 + 1))),
        quiet_users: Arc::default(),
    }
}

fn terms(source: &Source) -> Terms {
    let (head, log_from) = (source.log.head(), source.log.lasts_after());
    Terms { settings: HomeSettings::default(), epoch: source.epoch.clone(), head, log_from, lanes: 1 }
}

fn event(seq: Seq, frame: Bytes, effects: Effects) -> Arc<PublishedEvent> {
    Arc::new(PublishedEvent { seq, at_ms: 0, kind: 0, frame, recipients: Recipients::None, effects })
}

/// Commits one write with an event for each word. Returns its number.
fn commit(source: &Source, words: &[&str]) -> Seq {
    let seq = Seq(source.log.head().0 + 1);
    let events = words.iter().map(|word| event(seq, word.as_bytes().to_vec().into(), Effects::default()));
    source.log.append(seq, events);
    seq
}

/// Returns the numbers and words of a log.
fn content(log: &EventLog) -> Vec<(i64, String)> {
    let events = log.after(log.complete_after(), log.end()).unwrap();
    events.iter().map(|event| (event.seq.0, String::from_utf8(event.frame.to_vec()).unwrap())).collect()
}

impl Cluster {
    async fn new() -> Self {
        let (hub, source) = (Arc::<Hub>::default(), home(1, "one", START));
        let publisher = Publisher::new(source.clone(), linked(&hub), "log".into());
        let link = linked(&hub);
        let messages = link.link.subscribe("log").await.unwrap();
        let (log, quiet_users) = (Arc::new(EventLog::starting_after(START)), Arc::<QuietUsers>::default());
        let copy = LogCopy::new(log.clone(), quiet_users.clone(), source.home, &terms(&source));
        let received = Received { link, messages, pieces: Pieces::default() };
        Self { hub, source, publisher, copy, log, quiet_users, received, asked: 0, begun_anew: 0 }
    }

    /// Commits and publishes one write.
    fn write(&mut self, words: &[&str]) {
        commit(&self.source, words);
        self.publisher.publish();
    }

    fn beat(&mut self) {
        self.publisher.beat(0, false);
    }

    /// The home is started again, with this history.
    fn starts_again(&mut self, epoch: &str, start: Seq) {
        self.source = home(self.source.home.0 + 1, epoch, start);
        self.publisher = Publisher::new(self.source.clone(), linked(&self.hub), "log".into());
    }

    /// Handles what has arrived. Returns what followed from each message.
    fn receive(&mut self) -> Vec<Next> {
        let mut nexts = Vec::new();
        // Without the budget of a task, which would hide the later ones of many messages.
        while let Some(Some(message)) =
            tokio::task::unconstrained(self.received.messages.next()).now_or_never()
        {
            let Some(from_home) = self.received.link.read(&message, &mut self.received.pieces) else {
                continue;
            };
            let next = match from_home {
                FromHome::Batch(batch) => self.copy.batch(batch),
                FromHome::Beat(beat) => self.copy.beat(&beat),
            };
            nexts.push(next);
            self.follow(next);
        }
        nexts
    }

    /// Asks the home until nothing is missing.
    fn follow(&mut self, mut next: Next) {
        loop {
            next = match next {
                Next::Nothing | Next::Appended { .. } => return,
                Next::Fill => {
                    self.asked += 1;
                    self.copy.missed(self.source.missed(&self.copy.since()))
                }
                Next::BeginAnew => {
                    self.begun_anew += 1;
                    self.copy.begin_anew(&terms(&self.source))
                }
            };
        }
    }

    /// Returns whether the front has everything that its home is known to have.
    fn is_whole(&self) -> bool {
        self.copy.quiet.is_some() && self.log.head() >= self.copy.heard
    }

    /// Checks that the front has what the home has.
    fn assert_same(&self) {
        assert!(self.is_whole());
        assert_eq!(
            (self.log.head(), content(&self.log)),
            (self.source.log.head(), content(&self.source.log))
        );
    }
}

/// Decides about the batches and beats in their order: `L`ost, `T`wice, `D`elayed, anything else arrives.
fn fates(fates: &str) -> impl FnMut(&Message) -> Fate + Send + 'static {
    let mut fates = fates.to_owned().into_bytes().into_iter();
    move |_| match fates.next() {
        Some(b'L') => Fate::IsLost,
        Some(b'T') => Fate::ArrivesTwice,
        Some(b'D') => Fate::IsLate,
        _ => Fate::Arrives,
    }
}

#[actix_web::test]
async fn a_front_has_each_event_of_its_home_in_order() {
    let mut cluster = Cluster::new().await;
    for words in [&["a"][..], &["b", "c"], &[], &["d"]] {
        cluster.write(words);
    }
    cluster.beat();
    let nexts = cluster.receive();
    assert_eq!(nexts.last(), Some(&Next::Nothing), "the beat says nothing new");
    cluster.assert_same();
    // The start of the home took the number 101.
    let expected = [(102, "a"), (103, "b"), (103, "c"), (105, "d")];
    assert_eq!(content(&cluster.log), expected.map(|(seq, word)| (seq, word.to_owned())));
    assert_eq!((cluster.asked, cluster.begun_anew), (0, 0));
}

#[actix_web::test]
async fn a_hole_is_filled_by_the_next_batch_or_beat() {
    let mut cluster = Cluster::new().await;
    cluster.hub.decide(fates(".L..L"));
    for word in ["a", "b", "c", "d"] {
        cluster.write(&[word]);
    }
    cluster.receive();
    cluster.assert_same();
    cluster.write(&["e"]);
    cluster.receive();
    assert_eq!((cluster.asked, cluster.log.head()), (1, Seq(105)), "nothing came after `e` yet");
    cluster.beat();
    cluster.receive();
    cluster.assert_same();
    assert_eq!((cluster.asked, cluster.begun_anew), (2, 0));
}

#[actix_web::test]
async fn a_batch_that_is_repeated_or_late_changes_nothing() {
    let mut cluster = Cluster::new().await;
    cluster.hub.decide(fates("TTD."));
    for word in ["a", "b", "c", "d"] {
        cluster.write(&[word]);
    }
    cluster.receive();
    cluster.assert_same();
    let before = cluster.asked;
    cluster.hub.let_late_ones_arrive();
    assert_eq!(cluster.receive(), [Next::Nothing]);
    cluster.assert_same();
    assert_eq!((before, cluster.asked, cluster.begun_anew), (1, 1, 0));
}

#[actix_web::test]
async fn a_batch_of_which_two_pieces_are_lost_is_asked_for() {
    let mut cluster = Cluster::new().await;
    // The large batch comes in four pieces, with the second and the third lost.
    cluster.hub.decide(fates("..LL."));
    cluster.write(&["a"]);
    let large = "x".repeat(3 * CLUSTER_PIECE_BYTES);
    cluster.write(&[&large]);
    cluster.receive();
    assert_eq!(cluster.log.head(), Seq(102));
    cluster.write(&["b"]);
    cluster.receive();
    cluster.assert_same();
    assert_eq!((cluster.asked, cluster.begun_anew), (1, 0));
}

#[actix_web::test]
async fn batches_that_come_while_a_hole_is_filled_are_kept() {
    let mut cluster = Cluster::new().await;
    cluster.hub.decide(fates("L"));
    for word in ["a", "b", "c"] {
        cluster.write(&[word]);
    }
    let mut batches = Vec::new();
    while let Some(Some(message)) = cluster.received.messages.next().now_or_never() {
        match cluster.received.link.read(&message, &mut cluster.received.pieces) {
            Some(FromHome::Batch(batch)) => batches.push(batch),
            other => panic!("{other:?}"),
        }
    }
    let [b, c]: [Batch; 2] = batches.try_into().unwrap();
    assert_eq!(cluster.copy.batch(b), Next::Fill);
    let since = cluster.copy.since();
    // The answer has `a` alone, as if it had been made earlier.
    let a = home(1, "one", START);
    commit(&a, &["a"]);
    assert_eq!(cluster.copy.batch(c), Next::Nothing, "one question at a time");
    assert_eq!(cluster.copy.missed(a.missed(&since)), Next::Appended { is_awaited: false });
    cluster.assert_same();
}

#[actix_web::test]
async fn a_question_that_is_not_answered_is_asked_again() {
    let mut cluster = Cluster::new().await;
    cluster.hub.decide(fates("L"));
    cluster.write(&["a"]);
    cluster.beat();
    let mut beats = 0;
    while let Some(Some(message)) = cluster.received.messages.next().now_or_never() {
        let Some(FromHome::Beat(beat)) = cluster.received.link.read(&message, &mut Pieces::default()) else {
            panic!("a beat");
        };
        assert_eq!(cluster.copy.beat(&beat), Next::Fill);
        assert_eq!(cluster.copy.beat(&beat), Next::Nothing);
        cluster.copy.unanswered();
        assert_eq!(cluster.copy.beat(&beat), Next::Fill);
        cluster.follow(Next::Fill);
        beats += 1;
    }
    assert_eq!(beats, 1);
    cluster.assert_same();
}

#[actix_web::test]
async fn a_home_that_starts_again_is_followed_if_nothing_was_missed() {
    let mut cluster = Cluster::new().await;
    cluster.write(&["a"]);
    cluster.receive();
    let before = content(&cluster.log);
    cluster.starts_again("one", cluster.log.head());
    cluster.write(&["b"]);
    assert_eq!(cluster.receive(), [Next::Nothing], "another home is nobody until it is followed");
    let next = cluster.copy.follow(cluster.source.home, cluster.source.start, &terms(&cluster.source));
    cluster.follow(next);
    assert!(cluster.is_whole());
    assert_eq!(content(&cluster.log), [before, vec![(104, "b".to_owned())]].concat());
    assert_eq!((cluster.asked, cluster.begun_anew), (1, 0));
}

#[actix_web::test]
async fn a_front_that_missed_the_end_of_the_home_before_begins_anew() {
    let mut cluster = Cluster::new().await;
    cluster.write(&["a"]);
    cluster.receive();
    // One more write was committed and not published.
    cluster.starts_again("one", Seq(cluster.log.head().0 + 1));
    cluster.write(&["b"]);
    let next = cluster.copy.follow(cluster.source.home, cluster.source.start, &terms(&cluster.source));
    cluster.follow(next);
    cluster.assert_same();
    assert_eq!(cluster.begun_anew, 1);
}

#[actix_web::test]
async fn a_front_that_has_writes_that_the_home_never_had_begins_anew() {
    let mut cluster = Cluster::new().await;
    cluster.write(&["lost"]);
    cluster.receive();
    // Another home continues the data as they were before, and is ahead again when the front finds it.
    cluster.starts_again("one", START);
    for word in ["a", "b", "c"] {
        cluster.write(&[word]);
    }
    assert!(cluster.log.head() < cluster.source.log.head());
    let next = cluster.copy.follow(cluster.source.home, cluster.source.start, &terms(&cluster.source));
    cluster.follow(next);
    cluster.assert_same();
    assert_eq!(cluster.begun_anew, 1);
}

#[actix_web::test]
async fn another_history_begins_anew_even_with_lower_numbers() {
    let mut cluster = Cluster::new().await;
    cluster.write(&["a"]);
    cluster.receive();
    let position = cluster.log.end();
    cluster.starts_again("two", Seq(7));
    cluster.write(&["b"]);
    let next = cluster.copy.follow(cluster.source.home, cluster.source.start, &terms(&cluster.source));
    assert_eq!(next, Next::BeginAnew);
    cluster.follow(next);
    cluster.assert_same();
    assert_eq!(&*cluster.copy.epoch, "two");
    assert!(cluster.log.read(position, 9).is_none(), "the connections of before are closed");
}

#[actix_web::test]
async fn a_front_that_missed_more_than_the_home_keeps_begins_anew() {
    let mut cluster = Cluster::new().await;
    cluster.write(&["a"]);
    cluster.receive();
    let many = vec!["x"; LOG_EVENTS_MAX];
    commit(&cluster.source, &many);
    commit(&cluster.source, &["b"]);
    cluster.publisher.publish();
    cluster.beat();
    cluster.receive();
    cluster.assert_same();
    assert_eq!(cluster.begun_anew, 1);
}

#[actix_web::test]
async fn a_front_begins_at_a_home_that_drops_events_before_it_asks() {
    let mut cluster = Cluster::new().await;
    let many = vec!["x"; LOG_EVENTS_MAX / 16 + 1];
    for _ in 0..16 {
        commit(&cluster.source, &many);
    }
    let next = cluster.copy.begin_anew(&terms(&cluster.source));
    commit(&cluster.source, &many);
    cluster.follow(next);
    assert!(cluster.is_whole());
    assert_eq!(cluster.begun_anew, 0);
}

#[actix_web::test]
async fn a_home_that_has_more_than_it_gives_is_not_asked_for_ever() {
    let mut cluster = Cluster::new().await;
    let empty = home(1, "one", START);
    cluster.write(&["a"]);
    cluster.beat();
    while let Some(Some(message)) = cluster.received.messages.next().now_or_never() {
        if let Some(FromHome::Beat(beat)) = cluster.received.link.read(&message, &mut Pieces::default()) {
            assert_eq!(cluster.copy.beat(&beat), Next::Fill);
        }
    }
    assert_eq!(cluster.copy.missed(empty.missed(&cluster.copy.since())), Next::Fill, "it has the start");
    assert_eq!(cluster.copy.missed(empty.missed(&cluster.copy.since())), Next::BeginAnew);
}

#[actix_web::test]
async fn an_event_that_takes_a_right_away_is_awaited() {
    let mut cluster = Cluster::new().await;
    cluster.write(&["a"]);
    let seq = Seq(cluster.source.log.head().0 + 1);
    let effects = Effects { loss: Some(Loss::Any), ..Effects::default() };
    cluster.source.log.append(seq, [event(seq, Bytes::new(), effects)]);
    cluster.publisher.publish();
    let nexts = [false, true].map(|is_awaited| Next::Appended { is_awaited });
    assert_eq!(cluster.receive(), nexts);
}

#[actix_web::test]
async fn a_front_knows_who_is_in_quiet_hours_before_the_events_that_follow() {
    let mut cluster = Cluster::new().await;
    cluster.source.quiet_users.set([(ANA, Some(7))]);
    cluster.write(&["a"]);
    cluster.receive();
    assert_eq!(cluster.quiet_users.until_ms(ANA), Some(7));
    cluster.source.quiet_users.set([(ANA, None)]);
    cluster.hub.decide(fates("L"));
    cluster.write(&["Ana reads again"]);
    cluster.write(&["b"]);
    cluster.receive();
    cluster.assert_same();
    assert_eq!((cluster.quiet_users.until_ms(ANA), cluster.asked), (None, 1), "the answer has them too");
    // A change without an event.
    cluster.source.quiet_users.set([(ANA, Some(8))]);
    cluster.beat();
    assert_eq!(cluster.receive(), [Next::Nothing; 2]);
    assert_eq!(cluster.quiet_users.until_ms(ANA), Some(8));
}

#[actix_web::test]
async fn whatever_is_lost_repeated_or_late_nothing_is_missing_in_the_end() {
    for seed in 0..40 {
        let mut cluster = Cluster::new().await;
        let mut dice = fastrand::Rng::with_seed(seed);
        let mut fate = dice.fork();
        cluster.hub.decide(move |_| match fate.u32(..10) {
            0 | 1 => Fate::IsLost,
            2 => Fate::ArrivesTwice,
            3 => Fate::IsLate,
            _ => Fate::Arrives,
        });
        for number in 0..200 {
            let words: Vec<String> = (0..dice.usize(..4)).map(|at| format!("{number}.{at}")).collect();
            commit(&cluster.source, &words.iter().map(String::as_str).collect::<Vec<_>>());
            match dice.u32(..8) {
                0 => cluster.hub.let_late_ones_arrive(),
                1 => cluster.beat(),
                2 => drop(cluster.receive()),
                3 => cluster.source.quiet_users.set([(ANA, Some(number))]),
                4 => {}
                _ => cluster.publisher.publish(),
            }
        }
        cluster.hub.decide(|_| Fate::Arrives);
        cluster.beat();
        cluster.receive();
        cluster.assert_same();
        assert_eq!(cluster.quiet_users.until_ms(ANA), cluster.source.quiet_users.until_ms(ANA), "{seed}");
        assert_eq!(cluster.begun_anew, 0, "{seed}");
    }
}

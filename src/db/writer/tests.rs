//! Numbers, keys and counts of the writer.

use std::sync::Mutex;

use bytes::Bytes;

use super::*;
use crate::wire::codec;

/// A command that publishes these texts.
#[derive(Default)]
struct TestCommand {
    words: Vec<&'static str>,
    key: Option<KeyUse>,
    is_housekeeping: bool,
    is_refused: bool,
    changes_nothing: bool,
    if_lost: Option<(Right, &'static str)>,
}

impl WriteCommand for TestCommand {
    type Event = &'static str;
    type Value = &'static str;

    fn key(&self) -> Option<&KeyUse> {
        self.key.as_ref()
    }

    fn is_housekeeping(&self) -> bool {
        self.is_housekeeping
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, &'static str>) -> Result<&'static str, Error> {
        self.words.iter().for_each(|words| transaction.publish(words));
        if self.changes_nothing {
            transaction.changes_nothing();
        }
        if let Some((right, words)) = self.if_lost {
            transaction.reply_if_lost(right, &words)?;
        }
        if self.is_refused { Err(Refusal::NotFound.into()) } else { Ok("done") }
    }
}

/// A command that makes the writer wait.
struct Waits(std::sync::mpsc::Receiver<()>);

impl WriteCommand for Waits {
    type Event = &'static str;
    type Value = ();

    fn apply(&mut self, _: &mut Transaction<'_, &'static str>) -> Result<(), Error> {
        let _ = self.0.recv();
        Ok(())
    }
}

/// The only right that users have in these tests.
const HELD: Right = Right::Membership(GroupId(1));

fn encoded(words: &str) -> Bytes {
    codec::encode(&words).unwrap().into()
}

type Published = Arc<Mutex<Vec<(Seq, Vec<(Seq, &'static str)>)>>>;

/// Runs a test with a writer, the number of the last write and the published events.
fn with_writer<F: Future<Output = ()>>(test: impl FnOnce(WriterHandle<&'static str>, Seq, Published) -> F) {
    System::new().block_on(async move {
        let folder = tempfile::tempdir().unwrap();
        let opened = crate::db::open(folder.path()).await.unwrap();
        let published = Published::default();
        let publishing = published.clone();
        let publish = Box::new(move |committed: Committed<&'static str>| {
            publishing.lock().unwrap().push((committed.head, committed.events));
        });
        let (floor, clock) = (DiskFloor::default(), Clock::Real);
        let has_right: HasRight = |_, _, right| Ok(right == HELD);
        let writer = start(opened.writer, floor, clock, opened.ids, opened.seq, publish, has_right);
        test(writer, opened.seq, published).await;
    });
}

#[test]
fn a_writer_accepts_many_commands_before_its_thread_runs() {
    with_writer(|writer, _, _| async move {
        let crowd = (0..limits::WRITER_QUEUE_MAX).map(|_| writer.submit(TestCommand::default()));
        let results = futures_util::future::join_all(crowd).await;
        assert_eq!(results.iter().filter(|result| result.is_err()).count(), 0);
    });
}

#[test]
fn one_write_takes_one_number_however_many_events_it_has() {
    with_writer(|writer, Seq(start), published| async move {
        let does = async |command: TestCommand| writer.submit(command).await;
        let numbers = |done: CommandResult<&'static str>| done.map(|done| done.seq.0 - start);
        let command =
            |words: &[&'static str]| TestCommand { words: words.to_vec(), ..TestCommand::default() };
        assert_eq!(numbers(does(command(&["a", "b", "c"])).await), Ok(1));
        assert_eq!(numbers(does(command(&[])).await), Ok(2), "without an event too");
        assert_eq!(numbers(does(command(&["d"])).await), Ok(3));
        let published: Vec<_> = published.lock().unwrap().drain(..).collect();
        let [one, two, three] = [1, 2, 3].map(|number| Seq(start + number));
        let expected =
            [(one, vec![(one, "a"), (one, "b"), (one, "c")]), (two, vec![]), (three, vec![(three, "d")])];
        assert_eq!(published, expected);
    });
}

#[test]
fn a_command_is_counted_until_it_is_done_even_if_its_request_is_gone() {
    with_writer(|writer, _, _| async move {
        let (goes_on, waits) = std::sync::mpsc::channel();
        let first = futures_util::FutureExt::now_or_never(writer.submit(Waits(waits)));
        let second = futures_util::FutureExt::now_or_never(writer.submit(TestCommand::default()));
        assert_eq!((first, second), (None, None), "the requests end before the commands are done");
        let load = |counted: &AtomicUsize| counted.load(Ordering::Relaxed);
        assert_eq!((load(&writer.load().commands), load(&writer.load().bytes)), (2, 512));
        goes_on.send(()).unwrap();
        writer.submit(TestCommand::default()).await.unwrap();
        assert_eq!((load(&writer.load().commands), load(&writer.load().bytes)), (0, 0));
    });
}

#[test]
fn a_refused_repeated_or_housekeeping_command_takes_no_number() {
    with_writer(|writer, Seq(start), published| async move {
        let does = async |command: TestCommand| writer.submit(command).await;
        let guests = |number| KeyUse { user_id: UserId(0), key: [number; 16], body_hash: [7; 16] };
        let keyed =
            |number| TestCommand { words: vec!["a"], key: Some(guests(number)), ..TestCommand::default() };
        assert_eq!(does(keyed(1)).await.unwrap().seq, Seq(start + 1));
        let refused = TestCommand { words: vec!["never"], is_refused: true, ..TestCommand::default() };
        assert_eq!(does(refused).await, Err(Refusal::NotFound));
        let again = does(keyed(1)).await.unwrap();
        assert_eq!((again.seq, again.ok), (Seq(start + 1), encoded("done")), "as of now");
        let quiet = TestCommand { is_housekeeping: true, ..TestCommand::default() };
        assert!(does(quiet).await.is_ok());
        let has_events = TestCommand { words: vec!["b"], is_housekeeping: true, ..TestCommand::default() };
        assert_eq!(does(has_events).await.unwrap().seq, Seq(start + 2), "what is published has a number");
        assert_eq!(does(keyed(2)).await.unwrap().seq, Seq(start + 3));
        let events: Vec<_> = published.lock().unwrap().drain(..).flat_map(|(_, events)| events).collect();
        assert_eq!(events, [(Seq(start + 1), "a"), (Seq(start + 2), "b"), (Seq(start + 3), "a")]);
    });
}

#[test]
fn a_repeated_key_gives_the_first_reply_without_a_value() {
    with_writer(|writer, _, _| async move {
        let key = KeyUse { user_id: UserId(0), key: [1; 16], body_hash: [7; 16] };
        for value in [Some("done"), None] {
            let command = TestCommand { key: Some(key.clone()), ..TestCommand::default() };
            let done = writer.submit(command).await.unwrap();
            assert_eq!((done.value, done.ok), (value, encoded("done")));
        }
    });
}

#[test]
fn the_key_of_a_command_that_changed_nothing_is_remembered_while_its_user_has_few() {
    with_writer(|writer, _, _| async move {
        let does = |number: u128, is_change: bool, body: u8| {
            let key = Some(KeyUse { user_id: UserId(0), key: number.to_le_bytes(), body_hash: [body; 16] });
            let command = TestCommand { key, changes_nothing: !is_change, ..TestCommand::default() };
            writer.submit(command)
        };
        // A remembered key cannot be used for another request.
        let is_remembered = async |number| does(number, false, 8).await == Err(Refusal::KeyConflict);
        let few = u128::try_from(limits::KEYS_OF_NOTHING_MAX).unwrap() - 1;
        for done in futures_util::future::join_all((0..few).map(|number| does(number, true, 7))).await {
            assert!(done.is_ok());
        }
        for (number, is_change, then) in
            [(few, false, true), (few + 1, false, false), (few + 2, true, true), (few + 3, false, false)]
        {
            assert!(does(number, is_change, 7).await.is_ok());
            assert_eq!(is_remembered(number).await, then, "{number}");
        }
    });
}

#[test]
fn a_repeated_reply_depends_on_the_same_right() {
    with_writer(|writer, _, _| async move {
        let does = async |number, right| {
            let key = Some(KeyUse { user_id: UserId(0), key: [number; 16], body_hash: [7; 16] });
            let command = TestCommand { key, if_lost: Some((right, "less")), ..TestCommand::default() };
            let done = writer.submit(command).await.unwrap();
            (done.ok, done.if_lost)
        };
        let [all, less] = ["done", "less"].map(encoded);
        // The right may be lost after the writer replied and before the session sends the reply.
        for _ in 0..2 {
            assert_eq!(does(1, HELD).await, (all.clone(), Some((HELD, less.clone()))));
        }
        for (number, lost) in [(2, Right::Following(UserId(1))), (3, Right::Membership(GroupId(2)))] {
            assert_eq!(does(number, lost).await, (all.clone(), Some((lost, less.clone()))));
            assert_eq!(does(number, lost).await, (less.clone(), None));
        }
    });
}

#[test]
fn the_writes_of_a_batch_are_numbered_one_by_one() {
    with_writer(|writer, Seq(start), published| async move {
        let crowd = (0..40).map(|number| {
            let words = vec!["a"; number % 3];
            writer.submit(TestCommand { words, is_refused: number % 5 == 0, ..TestCommand::default() })
        });
        let results = futures_util::future::join_all(crowd).await;
        let numbers: Vec<i64> = results.iter().flatten().map(|done| done.seq.0 - start).collect();
        assert_eq!(numbers, (1..=32).collect::<Vec<_>>());
        let published = published.lock().unwrap();
        assert_eq!(published.last().unwrap().0, Seq(start + 32));
        assert!(published.iter().flat_map(|(_, events)| events).is_sorted_by_key(|(seq, _)| *seq));
    });
}

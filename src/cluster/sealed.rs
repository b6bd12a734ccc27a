//! A link over which values are sent: encoded, cut into pieces and sealed. It also matches answers with their questions.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::oneshot;

use super::link::{Link, Message, Messages};
use super::seal::{Keys, Unopened};
use super::wire::{self, Instance, Pieces};
use crate::counters;
use crate::random::random;
use crate::wire::codec;

/// A link and the keys of this process.
pub struct SealedLink {
    pub link: Arc<dyn Link>,
    keys: Arc<Keys>,
    /// The number of the next message. It begins at random, so that no other process has the same ones.
    next: AtomicU64,
}

impl SealedLink {
    /// Joins a link and keys.
    ///
    /// # Errors
    /// One line: the system has no random bytes.
    pub fn new(link: Arc<dyn Link>, keys: impl Into<Arc<Keys>>) -> Result<Arc<Self>, String> {
        let next = random().map(u64::from_be_bytes).map_err(|why| why.to_string())?;
        Ok(Arc::new(Self { link, keys: keys.into(), next: AtomicU64::new(next) }))
    }

    /// Sends a value. Returns false if it is lost.
    pub fn send(&self, subject: &str, reply: Option<&str>, value: &impl Serialize) -> bool {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let sent = codec::encode(value).and_then(|bytes| {
            for piece in wire::cut(number, &bytes) {
                let sealed = self.keys.seal(subject, reply, &piece)?;
                if !self.link.publish(Message::new(subject, reply.map(str::to_owned), sealed)) {
                    return Ok(false);
                }
            }
            Ok(true)
        });
        sent.unwrap_or_else(|why| {
            log::error!("{why}");
            false
        })
    }

    /// Opens a message, and adds it to the pieces of its subject. Returns the encoded value when it is whole.
    ///
    /// # Errors
    /// Why it cannot be opened. It is counted.
    pub fn open(&self, message: &Message, pieces: &mut Pieces) -> Result<Option<Bytes>, Unopened> {
        let opened = self.keys.open(&message.subject, message.reply.as_deref(), &message.bytes);
        if opened.is_err() {
            counters::CLUSTER_UNOPENED.add(1);
        }
        Ok(pieces.add(opened?.into()))
    }

    /// Like [`SealedLink::open`], and decodes the value. What cannot be opened or decoded is None.
    pub fn read<T: DeserializeOwned>(&self, message: &Message, pieces: &mut Pieces) -> Option<T> {
        decode(&self.open(message, pieces).ok()??)
    }
}

/// Decodes a value that was opened; None if it is none of its type, which is counted.
#[must_use]
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    let decoded = codec::decode(bytes).ok();
    if decoded.is_none() {
        counters::CLUSTER_UNOPENED.add(1);
    }
    decoded
}

/// Nobody answered a question. Whoever it was for may have received it nevertheless.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unanswered;

/// The questions of a process that wait for their answers.
pub struct Questions {
    link: Arc<SealedLink>,
    /// The beginning of the subjects of answers.
    inbox: String,
    waiting: Mutex<HashMap<u64, Waiting>>,
    next: AtomicU64,
}

struct Waiting {
    pieces: Pieces,
    answer: oneshot::Sender<Result<Bytes, Unanswered>>,
}

/// A question that was sent.
pub struct Question {
    questions: Arc<Questions>,
    number: u64,
    answer: oneshot::Receiver<Result<Bytes, Unanswered>>,
}

impl Questions {
    /// Subscribes to the answers of this process, and receives them in a task of this thread.
    ///
    /// # Errors
    /// One line that says why the link cannot subscribe.
    pub async fn start_here(link: Arc<SealedLink>, process: Instance) -> Result<Arc<Self>, String> {
        let inbox = format!("_INBOX.{process}");
        let answers = link.link.subscribe(&format!("{inbox}.*")).await?;
        let questions = Arc::new(Self { link, inbox, waiting: Mutex::default(), next: AtomicU64::new(1) });
        actix_web::rt::spawn(questions.clone().receive(answers));
        Ok(questions)
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<u64, Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn receive(self: Arc<Self>, mut answers: Messages) {
        while let Some(message) = answers.next().await {
            let number = message.subject.rsplit('.').next().and_then(|number| number.parse::<u64>().ok());
            let Some(number) = number else { continue };
            let mut waiting = self.waiting();
            let Some(question) = waiting.get_mut(&number) else { continue };
            let answer = match message.is_unheard {
                true => Err(Unanswered),
                false => match self.link.open(&message, &mut question.pieces) {
                    Ok(Some(bytes)) => Ok(bytes),
                    Ok(None) | Err(_) => continue,
                },
            };
            if let Some(question) = waiting.remove(&number) {
                // Whoever asked may have given up.
                let _ = question.answer.send(answer);
            }
        }
    }

    /// Sends a question. The questions of one thread are sent in their order.
    ///
    /// # Errors
    /// [`Unanswered`] if it is lost.
    pub fn ask(self: &Arc<Self>, subject: &str, value: &impl Serialize) -> Result<Question, Unanswered> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let (answer, answered) = oneshot::channel();
        self.waiting().insert(number, Waiting { pieces: Pieces::default(), answer });
        let question = Question { questions: self.clone(), number, answer: answered };
        let reply = format!("{}.{number}", self.inbox);
        if self.link.send(subject, Some(&reply), value) { Ok(question) } else { Err(Unanswered) }
    }

    /// Gives up all questions that wait: nobody will answer them.
    pub fn give_up(&self) {
        self.waiting().clear();
    }
}

impl Question {
    /// Waits for the answer.
    ///
    /// # Errors
    /// [`Unanswered`] if there is none within `time_limit`.
    pub async fn answer<T: DeserializeOwned>(mut self, time_limit: Duration) -> Result<T, Unanswered> {
        let answer = tokio::time::timeout(time_limit, &mut self.answer).await;
        let bytes = answer.ok().and_then(Result::ok).ok_or(Unanswered)??;
        decode(&bytes).ok_or(Unanswered)
    }
}

impl Drop for Question {
    fn drop(&mut self) {
        self.questions.waiting().remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::link::{Fate, Hub};
    use crate::limits::CLUSTER_PIECE_BYTES;
    use crate::random::hex;

    const SOON: Duration = Duration::from_secs(60);

    fn linked(hub: &Arc<Hub>) -> Arc<SealedLink> {
        let keys = Keys::read(&hex(&[7; 32]), None).unwrap();
        SealedLink::new(Arc::new(hub.link()), keys).unwrap()
    }

    /// A home that answers each question with as many bytes as it asks for.
    async fn answers(hub: &Arc<Hub>) {
        let link = linked(hub);
        let mut asked = link.link.subscribe("home.*").await.unwrap();
        actix_web::rt::spawn(async move {
            let mut pieces = Pieces::default();
            while let Some(message) = asked.next().await {
                let bytes: usize = link.read(&message, &mut pieces).unwrap();
                link.send(message.reply.as_deref().unwrap(), None, &Bytes::from(vec![7; bytes]));
            }
        });
    }

    #[actix_web::test]
    async fn each_question_has_its_own_answer_and_a_long_one_comes_in_pieces() {
        let hub = Arc::<Hub>::default();
        answers(&hub).await;
        let questions = Questions::start_here(linked(&hub), Instance(1)).await.unwrap();
        let asked =
            [0, 3 * CLUSTER_PIECE_BYTES, 5].map(|bytes| (bytes, questions.ask("home.a", &bytes).unwrap()));
        assert_eq!(questions.waiting().len(), 3);
        for (bytes, question) in asked {
            assert_eq!(question.answer::<Bytes>(SOON).await.unwrap().len(), bytes);
        }
        assert!(questions.waiting().is_empty());
    }

    #[actix_web::test]
    async fn a_question_without_an_answer_ends_and_leaves_nothing() {
        let hub = Arc::<Hub>::default();
        let questions = Questions::start_here(linked(&hub), Instance(1)).await.unwrap();
        let unheard = questions.ask("home.a", &1_usize).unwrap();
        assert_eq!(unheard.answer::<Bytes>(SOON).await, Err(Unanswered), "nobody is there");

        answers(&hub).await;
        hub.decide(|message| if message.reply.is_none() { Fate::IsLost } else { Fate::Arrives });
        let lost = questions.ask("home.a", &1_usize).unwrap();
        assert_eq!(
            lost.answer::<Bytes>(Duration::from_millis(20)).await,
            Err(Unanswered),
            "the answer is lost"
        );
        let given_up = questions.ask("home.a", &1_usize).unwrap();
        questions.give_up();
        assert_eq!(given_up.answer::<Bytes>(SOON).await, Err(Unanswered));
        assert!(questions.waiting().is_empty());
    }

    #[actix_web::test]
    async fn a_message_of_another_cluster_is_dropped_and_counted() {
        let hub = Arc::<Hub>::default();
        let ours = linked(&hub);
        let mut received = ours.link.subscribe("log").await.unwrap();
        let keys = Keys::read(&hex(&[8; 32]), None).unwrap();
        let theirs = SealedLink::new(Arc::new(hub.link()), keys).unwrap();
        assert!(theirs.send("log", None, &1));
        let before = counters::CLUSTER_UNOPENED.get();
        let opened = ours.open(&received.next().await.unwrap(), &mut Pieces::default());
        assert_eq!(opened, Err(Unopened::Key));
        assert!(counters::CLUSTER_UNOPENED.get() > before);
    }
}

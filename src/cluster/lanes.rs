//! The lanes of a home: threads that answer the requests of the sockets of fronts.
//!
//! All requests of a socket come in one lane. They begin in the order of their arrival, as at a socket of the home. A
//! request is begun once: what arrives again is dropped.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use actix::Arbiter;
use futures_util::{FutureExt, StreamExt};
use tokio::sync::watch;

use super::fronts::Fronts;
use super::link::{Broker, Message, Messages};
use super::seal::Keys;
use super::sealed::SealedLink;
use super::wire::{Answer, Ask, Asked, Instance, Pieces, Replied};
use crate::backend::AppBackend;
use crate::error::Refusal;
use crate::limits::{CLOSE_MS_MAX, CLUSTER_LOOKUPS, CLUSTER_UNDER_WAY_MS};
use crate::socket::{Backend, NoReply, RequestResult, Requester};

/// Makes the backend of a lane. Each lane calls it on its own thread.
pub type MakeBackend = Arc<dyn Fn() -> AppBackend + Send + Sync>;

/// The lanes of a home.
pub struct Lanes {
    arbiters: Vec<Arbiter>,
    stops: watch::Sender<bool>,
    running: Arc<AtomicUsize>,
}

/// What a lane has.
struct Lane {
    backend: AppBackend,
    fronts: Arc<Fronts>,
    link: Arc<SealedLink>,
    running: Arc<AtomicUsize>,
}

/// A request that is being answered. Dropping it counts it as answered.
struct Running(Arc<AtomicUsize>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Lanes {
    /// Starts a lane for each of these subjects, with a connection of its own. They connect at the same time, because a
    /// home does not wait long for a broker that is away.
    ///
    /// # Errors
    /// One line that says why a lane cannot connect.
    pub async fn start(
        broker: &Broker,
        keys: &Arc<Keys>,
        subjects: Vec<String>,
        fronts: &Arc<Fronts>,
        backend: &MakeBackend,
    ) -> Result<Self, String> {
        let (stops, running) = (watch::Sender::new(false), Arc::<AtomicUsize>::default());
        let (mut arbiters, mut beginning) = (Vec::new(), Vec::new());
        for subject in subjects {
            let (broker, keys, fronts, backend) =
                (broker.clone(), keys.clone(), fronts.clone(), backend.clone());
            let (stopped, running) = (stops.subscribe(), running.clone());
            let (begun, begins) = tokio::sync::oneshot::channel();
            let arbiter = Arbiter::new();
            arbiter.spawn_fn(move || {
                actix_web::rt::spawn(async move {
                    match subscribe(&broker, keys, &subject).await {
                        Ok((link, asks)) => {
                            let lane = Rc::new(Lane { backend: backend(), fronts, link, running });
                            let _ = begun.send(Ok(()));
                            lane.run(asks, stopped).await;
                        }
                        Err(why) => drop(begun.send(Err(why))),
                    }
                });
            });
            arbiters.push(arbiter);
            beginning.push(begins);
        }
        for begins in beginning {
            begins.await.map_err(|_| "a lane ended".to_owned())??;
        }
        Ok(Self { arbiters, stops, running })
    }

    /// Begins the requests that are under way and no more, and waits until those that were begun are answered, or for as
    /// long as a stop may wait.
    pub async fn stop(&self) {
        tokio::time::sleep(Duration::from_millis(CLUSTER_UNDER_WAY_MS)).await;
        self.stops.send_replace(true);
        let begun = Instant::now();
        while self.running.load(Ordering::SeqCst) > 0 && begun.elapsed() < Duration::from_millis(CLOSE_MS_MAX)
        {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Ends the threads.
    pub fn end(&self) {
        for arbiter in &self.arbiters {
            arbiter.stop();
        }
    }
}

/// Connects, and subscribes to the requests of one lane.
async fn subscribe(
    broker: &Broker,
    keys: Arc<Keys>,
    subject: &str,
) -> Result<(Arc<SealedLink>, Messages), String> {
    let link = SealedLink::new(broker.connect().await?, keys)?;
    let asks = link.link.subscribe(subject).await?;
    Ok((link, asks))
}

impl Lane {
    async fn run(self: Rc<Self>, asks: Messages, mut stopped: watch::Receiver<bool>) {
        let (mut pieces, mut numbers) = (Pieces::default(), Numbers::default());
        let lane = self.clone();
        let new = asks.filter_map(move |message| {
            let ask = lane.link.read::<Ask>(&message, &mut pieces);
            let ask = ask.filter(|ask| numbers.is_new(ask));
            std::future::ready(ask.map(|ask| (ask, message)))
        });
        let lane = self.clone();
        // Several logins are looked up at a time, and their requests begin in the order of their arrival.
        let checked = new.map(move |(ask, message): (Ask, Message)| {
            let lane = lane.clone();
            async move {
                let checked = match &ask.what {
                    // The removals of rights do not wait for a front that has no lease.
                    Asked::Request { .. } if !lane.fronts.has(ask.front, Instant::now()) => {
                        Err(Refusal::Busy)
                    }
                    Asked::Request { viewer, .. } => lane.backend.check_login(*viewer).await,
                    Asked::NoteUse(_) => Ok(()),
                };
                (ask, message, checked)
            }
        });
        let stopped = async move { drop(stopped.wait_for(|stops| *stops).await) };
        let mut checked = std::pin::pin!(checked.buffered(CLUSTER_LOOKUPS).take_until(Box::pin(stopped)));
        while let Some((ask, message, checked)) = checked.next().await {
            self.clone().begin(ask, message, checked);
        }
    }

    /// Begins to answer a request at once, and goes on in a task of its own.
    fn begin(self: Rc<Self>, ask: Ask, message: Message, checked: Result<(), Refusal>) {
        let Ask { front, what, .. } = ask;
        let (viewer, address, device, op, frame) = match what {
            Asked::Request { viewer, address, device, op, frame } => (viewer, address, device, op, frame),
            Asked::NoteUse(login_id) => return self.backend.note_use(login_id),
        };
        self.running.fetch_add(1, Ordering::SeqCst);
        let running = Running(self.running.clone());
        let mut answering = Box::pin(async move {
            let requester = Requester { viewer, address, device: Rc::new(device) };
            let result = match checked.and_then(|()| self.backend.admit(viewer, &op)) {
                Ok(()) => self.backend.ask(requester, &op, &frame).await,
                Err(refusal) => Err(refusal.into()),
            };
            if let Some(answer) = self.answer(front, result)
                && let Some(reply) = &message.reply
            {
                self.link.send(reply, None, &answer);
            }
            drop(running);
        });
        // Like a session, because later requests must begin after this one.
        if (&mut answering).now_or_never().is_none() {
            actix_web::rt::spawn(answering);
        }
    }

    /// Returns the answer; None if nobody knows whether the request was done.
    fn answer(
        &self,
        front: Instance,
        result: RequestResult<<AppBackend as Backend>::Presence>,
    ) -> Option<Answer<Replied>> {
        match result {
            Ok((reply, presence)) => {
                let signed_in = reply.signed_in.map(|(user_id, _)| user_id);
                let is_present = signed_in.zip(presence).is_some_and(|(user_id, presence)| {
                    self.fronts.connect(front, user_id, presence, Instant::now())
                });
                Some(Answer::Done(Replied { reply, is_present }))
            }
            Err(NoReply::Refused(refusal)) => Some(Answer::Refused(refusal.view())),
            Err(NoReply::Unknown) => None,
        }
    }
}

/// The numbers of the last requests of each worker of each front.
#[derive(Default)]
struct Numbers(HashMap<(Instance, u32), u64>);

/// Workers whose last numbers are kept. A front that starts again has other workers.
const WORKERS_KEPT: usize = 16_384;

impl Numbers {
    /// Returns whether a request comes after all earlier ones of its worker, and notes it.
    fn is_new(&mut self, ask: &Ask) -> bool {
        if self.0.len() >= WORKERS_KEPT {
            // The fronts that are gone are most of them. What a front sent before this is no longer known.
            self.0.retain(|(front, _), _| *front == ask.front);
        }
        let last = self.0.entry((ask.front, ask.worker)).or_insert(0);
        let is_new = ask.number > *last;
        *last = ask.number.max(*last);
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::LoginId;

    #[test]
    fn a_request_that_arrives_again_or_late_is_not_begun() {
        let mut numbers = Numbers::default();
        let mut is_new = |front, worker, number| {
            let what = Asked::NoteUse(LoginId(1));
            numbers.is_new(&Ask { front: Instance(front), worker, number, what })
        };
        let begun = [(1, 0, 1), (1, 0, 1), (1, 0, 3), (1, 0, 2), (1, 1, 1), (2, 0, 1), (1, 0, 4)]
            .map(|(front, worker, number)| is_new(front, worker, number));
        assert_eq!(begun, [true, false, true, false, true, true, true]);
    }
}

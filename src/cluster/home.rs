//! The home's side of a cluster: publishes the event log, answers its fronts, and counts them.
//!
//! It runs on threads of its own, so the writer, the sockets and background work of the home are as without it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use actix::Arbiter;
use futures_util::StreamExt;
use tokio::sync::{Notify, mpsc, oneshot, watch};

use super::fronts::Fronts;
use super::lanes::{Lanes, MakeBackend};
use super::link::{Broker, Message, Messages};
use super::publisher::{Publisher, Source};
use super::seal::Keys;
use super::sealed::SealedLink;
use super::why_failed;
use super::wire::{
    Answer, AskTerms, At, FromHome, HomeSettings, Identified, Identify, Instance, Pieces, Since, Subjects,
    Terms,
};
use crate::backend::AppBackend;
use crate::clock::Clock;
use crate::delivery::dispatcher::Dispatchers;
use crate::error::Refusal;
use crate::ids::UserId;
use crate::limits::CLUSTER_BEAT_MS;
use crate::settings::Settings;
use crate::socket::{Backend, Identity};

/// How often leases are looked at.
const EXPIRE_EVERY: Duration = Duration::from_millis(100);

/// What the home's side needs of its process.
pub struct Parts {
    pub source: Source,
    pub fronts: Arc<Fronts>,
    pub dispatchers: Arc<Dispatchers>,
    pub clock: Clock,
    pub settings: HomeSettings,
    /// The number of lanes; at least 1.
    pub lanes: u32,
    pub backend: MakeBackend,
}

/// The home's side, which runs.
pub struct HomeSide {
    arbiter: Arbiter,
    lanes: Lanes,
    fronts: Arc<Fronts>,
    /// Asks the publisher for its last beats.
    stop: mpsc::UnboundedSender<oneshot::Sender<()>>,
    /// Why the home must end; None as long as it need not.
    failed: watch::Receiver<Option<String>>,
}

impl HomeSettings {
    /// Returns what fronts take from the settings of their home.
    #[must_use]
    pub fn of(settings: &Settings) -> Self {
        Self {
            public_url: settings.public_url.origin.clone().unwrap_or_default(),
            sockets_per_login: settings.sockets_per_login,
            sockets_per_address: settings.sockets_per_address,
            http_connections_per_address: settings.http_connections_per_address,
            http_requests_per_minute: settings.http_requests_per_minute,
            requests_per_second: settings.requests_per_second,
            chunks_per_second: settings.chunks_per_second,
        }
    }
}

/// What answers the questions of fronts, on the thread of the publisher.
struct Answers {
    source: Source,
    fronts: Arc<Fronts>,
    settings: HomeSettings,
    lanes: u32,
    backend: AppBackend,
    link: Arc<SealedLink>,
}

/// The questions of fronts.
#[derive(Clone, Copy)]
enum Kind {
    Terms,
    Since,
    Identify,
    At,
}

/// Starts the home's side.
///
/// # Errors
/// One line that says why it cannot: the broker does not answer, or another home runs.
pub async fn start(
    broker: &Broker,
    keys: &Arc<Keys>,
    subjects: &Subjects,
    parts: Parts,
) -> Result<HomeSide, String> {
    let home = parts.source.home;
    let asks = (0..parts.lanes).map(|lane| subjects.ask(home, lane)).collect();
    let lanes = Lanes::start(broker, keys, asks, &parts.fronts, &parts.backend).await?;
    let (stop, stops) = mpsc::unbounded_channel();
    let (fails, failed) = watch::channel(None);
    let (begun, begins) = oneshot::channel();
    let arbiter = Arbiter::new();
    let (broker, keys, subjects, fronts) =
        (broker.clone(), keys.clone(), subjects.clone(), parts.fronts.clone());
    arbiter.spawn_fn(move || {
        actix_web::rt::spawn(async move {
            let started = start_here(&broker, keys, &subjects, parts, stops, fails).await;
            // If nobody waits any more, the process ends.
            let _ = begun.send(started);
        });
    });
    begins.await.map_err(|_| "the publisher ended".to_owned())??;
    Ok(HomeSide { arbiter, lanes, fronts, stop, failed })
}

async fn start_here(
    broker: &Broker,
    keys: Arc<Keys>,
    subjects: &Subjects,
    parts: Parts,
    stops: mpsc::UnboundedReceiver<oneshot::Sender<()>>,
    fails: watch::Sender<Option<String>>,
) -> Result<(), String> {
    let Parts { source, fronts, dispatchers, clock, settings, lanes, backend } = parts;
    let link = SealedLink::new(broker.connect().await?, keys)?;
    let home = source.home;
    let others = link.link.subscribe(&subjects.log()).await?;
    let answers = Arc::new(Answers {
        source: source.clone(),
        fronts: fronts.clone(),
        settings,
        lanes,
        backend: backend(),
        link: link.clone(),
    });
    for (subject, kind) in [
        (subjects.terms(home), Kind::Terms),
        (subjects.since(home), Kind::Since),
        (subjects.identify(home), Kind::Identify),
        (subjects.at(home), Kind::At),
    ] {
        let questions = link.link.subscribe(&subject).await?;
        actix_web::rt::spawn(answers.clone().receive(questions, kind));
    }
    actix_web::rt::spawn(end_if_replaced(source.clone(), link.clone(), others, fails));
    actix_web::rt::spawn(async move {
        loop {
            tokio::time::sleep(EXPIRE_EVERY).await;
            fronts.expire(Instant::now());
        }
    });
    let woken = Arc::<Notify>::default();
    dispatchers.add_reader(woken.clone());
    let publisher = Publisher::new(source, link, subjects.log());
    actix_web::rt::spawn(publish(publisher, woken, clock, stops));
    Ok(())
}

/// Publishes what is new, and beats, until the home stops.
async fn publish(
    mut publisher: Publisher,
    woken: Arc<Notify>,
    clock: Clock,
    mut stops: mpsc::UnboundedReceiver<oneshot::Sender<()>>,
) {
    let mut beats = tokio::time::interval(Duration::from_millis(CLUSTER_BEAT_MS));
    beats.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut is_stopping = false;
    loop {
        tokio::select! {
            () = woken.notified() => publisher.publish(),
            _ = beats.tick() => publisher.beat(clock.now_ms(), is_stopping),
            Some(stopped) = stops.recv() => {
                is_stopping = true;
                publisher.beat(clock.now_ms(), is_stopping);
                publisher.flush().await;
                let _ = stopped.send(());
            }
        }
    }
}

/// Ends this home when it hears one that started later.
async fn end_if_replaced(
    source: Source,
    link: Arc<SealedLink>,
    mut others: Messages,
    fails: watch::Sender<Option<String>>,
) {
    let mut pieces = Pieces::default();
    while let Some(message) = others.next().await {
        if let Some(FromHome::Beat(beat)) = link.read(&message, &mut pieces)
            && (beat.started_ms, beat.home) > (source.started_ms, source.home)
        {
            fails.send_replace(Some("another home of this community has started, so this one ends".into()));
        }
    }
}

/// Fails if a home of this community publishes within two beats.
///
/// # Errors
/// One line that says so, or that the broker does not answer.
pub async fn check_alone(broker: &Broker, keys: &Arc<Keys>, subjects: &Subjects) -> Result<(), String> {
    let link = SealedLink::new(broker.connect().await?, keys.clone())?;
    let mut messages = link.link.subscribe(&subjects.log()).await?;
    let mut pieces = Pieces::default();
    let listen = async {
        while let Some(message) = messages.next().await {
            match link.read::<FromHome>(&message, &mut pieces) {
                Some(FromHome::Beat(beat)) if !beat.stops => return,
                _ => {}
            }
        }
        std::future::pending().await
    };
    match tokio::time::timeout(Duration::from_millis(CLUSTER_BEAT_MS * 3 / 2), listen).await {
        Ok(()) => Err("a home of this community is running already. Stop it first.".into()),
        Err(_) => Ok(()),
    }
}

impl Answers {
    async fn receive(self: Arc<Self>, mut questions: Messages, kind: Kind) {
        let mut pieces = Pieces::default();
        while let Some(message) = questions.next().await {
            match kind {
                Kind::Terms => self.answer(&message, &mut pieces, |_: AskTerms| self.terms()),
                Kind::Since => self.answer(&message, &mut pieces, |since: Since| self.source.missed(&since)),
                Kind::At => self.at(&message, &mut pieces),
                Kind::Identify => {
                    if let Some(identify) = self.link.read::<Identify>(&message, &mut pieces) {
                        let answers = self.clone();
                        actix_web::rt::spawn(async move {
                            let identified = answers.identify(identify).await;
                            answers.send(&message, &identified);
                        });
                    }
                }
            }
        }
    }

    fn send(&self, question: &Message, answer: &impl serde::Serialize) {
        if let Some(reply) = &question.reply {
            self.link.send(reply, None, answer);
        }
    }

    fn answer<Q: serde::de::DeserializeOwned, A: serde::Serialize>(
        &self,
        message: &Message,
        pieces: &mut Pieces,
        answer: impl FnOnce(Q) -> A,
    ) {
        if let Some(question) = self.link.read(message, pieces) {
            self.send(message, &answer(question));
        }
    }

    fn terms(&self) -> Terms {
        let Source { epoch, log, .. } = &self.source;
        Terms {
            settings: self.settings.clone(),
            epoch: epoch.clone(),
            head: log.head(),
            log_from: log.lasts_after(),
            lanes: self.lanes,
        }
    }

    fn at(self: &Arc<Self>, message: &Message, pieces: &mut Pieces) {
        let Some(at) = self.link.read::<At>(message, pieces) else { return };
        let Some((answer, unread)) = self.fronts.at(&at, Instant::now()) else { return };
        self.send(message, &answer);
        if !unread.is_empty() {
            actix_web::rt::spawn(self.clone().connect_all(at.front, unread));
        }
    }

    /// Registers these users of a front as connected. If their groups cannot be read now, it tries again.
    async fn connect_all(self: Arc<Self>, front: Instance, mut unread: Vec<UserId>) {
        loop {
            let presences = self.backend.connect_all(unread.clone()).await;
            self.fronts.keep(front, presences);
            unread = self.fronts.unread(front, unread);
            if unread.is_empty() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(CLUSTER_BEAT_MS)).await;
        }
    }

    async fn identify(&self, identify: Identify) -> Answer<Identified> {
        if !self.fronts.has(identify.front, Instant::now()) {
            return Answer::Refused(Refusal::Busy.view());
        }
        match self.backend.identify(identify.token_hash).await {
            Ok(Identity { viewer, since, presence, hello }) => {
                // A guest is registered nowhere.
                if let Some((user_id, presence)) = viewer.user_id().zip(presence)
                    && !self.fronts.connect(identify.front, user_id, presence, Instant::now())
                {
                    return Answer::Refused(Refusal::Busy.view());
                }
                Answer::Done(Identified {
                    viewer,
                    since,
                    epoch: self.source.epoch.clone(),
                    hello: hello.into(),
                })
            }
            Err(refusal) => Answer::Refused(refusal.view()),
        }
    }
}

impl HomeSide {
    /// Returns why the home must end; waits for ever if it need not.
    pub fn failed(&self) -> impl Future<Output = String> + use<> {
        why_failed(self.failed.clone())
    }

    /// Says that the home stops, and waits until the requests that were begun are answered. After this, no request of a
    /// front begins.
    pub async fn stop_asks(&self) {
        self.fronts.lengthen(Instant::now());
        self.beat_at_stop().await;
        self.lanes.stop().await;
    }

    /// Publishes what the writer committed last, and ends the threads.
    pub async fn end(self) {
        self.beat_at_stop().await;
        self.lanes.end();
        self.arbiter.stop();
    }

    async fn beat_at_stop(&self) {
        let (stopped, stop) = oneshot::channel();
        if self.stop.send(stopped).is_ok() {
            let _ = tokio::time::timeout(Duration::from_millis(CLUSTER_BEAT_MS), stop).await;
        }
    }
}

//! The backend of the sockets of a front: it asks the home.
//!
//! Guarantees:
//! - The requests of a socket are sent in their order, and each is sent once. Whether a request without an answer was
//!   done is for its key to say, as after any lost connection.
//! - While no home is there, requests wait in their order. Those of a lease that is over are not sent: their sockets are
//!   closed, and the clients repeat them elsewhere.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, oneshot};

use super::front::{Front, OpenHome, answer};
use super::presences::Presence;
use super::sealed::{Question, Unanswered};
use super::wire::{Answer, Ask, Asked, Identified, Identify, Instance, Replied};
use crate::authz::Viewer;
use crate::backend;
use crate::counters;
use crate::error::{Refusal, RefusalView};
use crate::ids::LoginId;
use crate::limits::{
    CATCH_UP_MS_MAX, CLUSTER_ANSWER_MS_MAX, CLUSTER_ASKS_MAX, CLUSTER_SLOW_ANSWER_MS_MAX, CLUSTER_WAIT_MS_MAX,
};
use crate::socket::{Backend, Cost, Identity, NoReply, RequestResult, Requester};

/// The backend of one worker's sessions.
pub struct RemoteBackend {
    front: Arc<Front>,
    queue: mpsc::UnboundedSender<Waiting>,
}

/// A request that is not sent yet.
struct Waiting {
    what: Asked,
    /// The front when its socket sent it. A front that lost its lease is another one.
    front: Instance,
    since: Instant,
    /// Receives the question when it is sent. None for what has no answer.
    sent: Option<oneshot::Sender<Result<Question, Unanswered>>>,
}

/// A request that is not answered yet. Dropping it counts it as answered.
struct Counted(Arc<Front>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.asks.fetch_sub(1, Ordering::SeqCst);
    }
}

impl RemoteBackend {
    /// Makes the backend of a worker, and starts the task on its thread that sends its requests.
    #[must_use]
    pub fn start_here(front: Arc<Front>, worker: u32) -> Self {
        let (queue, waiting) = mpsc::unbounded_channel();
        actix_web::rt::spawn(send(front.clone(), worker, waiting));
        Self { front, queue }
    }

    fn count(&self) -> Result<Counted, Refusal> {
        let counted = Counted(self.front.clone());
        if self.front.asks.fetch_add(1, Ordering::SeqCst) >= CLUSTER_ASKS_MAX {
            return Err(Refusal::Busy);
        }
        Ok(counted)
    }
}

/// Sends the requests of a worker in their order.
async fn send(front: Arc<Front>, worker: u32, mut waiting: mpsc::UnboundedReceiver<Waiting>) {
    let mut number = 0;
    while let Some(Waiting { what, front: asked_by, since, sent }) = waiting.recv().await {
        number += 1;
        let ask = Ask { front: asked_by, worker, number, what };
        let question = loop {
            let time_limit = Duration::from_millis(CLUSTER_WAIT_MS_MAX).saturating_sub(since.elapsed());
            let Some(OpenHome { home, lanes }) = front.open_home(time_limit).await else {
                break Err(Unanswered);
            };
            if front.instance() != asked_by {
                break Err(Unanswered);
            }
            let subject = front.subjects.ask(home, worker % lanes);
            if let Asked::NoteUse(_) = ask.what {
                // A use that is lost is noted by a later request.
                front.link.send(&subject, None, &ask);
                break Err(Unanswered);
            }
            match front.questions.ask(&subject, &ask) {
                Ok(question) => break Ok(question),
                // The link is away and did not take it, so this is no second try.
                Err(Unanswered) if time_limit > AGAIN => tokio::time::sleep(AGAIN).await,
                Err(Unanswered) => break Err(Unanswered),
            }
        };
        if let Some(sent) = sent {
            // The connection may have ended.
            let _ = sent.send(question);
        }
    }
}

/// Pause until a link that is away is tried again.
const AGAIN: Duration = Duration::from_millis(50);

fn refused(view: RefusalView) -> Refusal {
    Refusal::OfHome(Box::new(view))
}

async fn identify(front: &Front, token_hash: Option<[u8; 32]>) -> Result<Identity<Presence>, Refusal> {
    if front.lease.held().is_none() {
        return Err(Refusal::Busy);
    }
    let catch_up = Duration::from_millis(CATCH_UP_MS_MAX);
    let OpenHome { home, .. } = front.open_home(catch_up).await.ok_or(Refusal::Busy)?;
    let identify = Identify { front: front.instance(), token_hash };
    let question = front.questions.ask(&front.subjects.identify(home), &identify);
    match answer::<Answer<Identified>>(question).await {
        Ok(Answer::Done(Identified { viewer, since, epoch, hello })) => {
            let presence = viewer.user_id().map(|user_id| front.presences.add(identify.front, user_id));
            // A client that comes from another front is thus never ahead of this one.
            let has_since = front.has(since, catch_up).await;
            // The home counts no connection of a front that lost its lease meanwhile.
            if !has_since || epoch != front.epoch() || identify.front != front.instance() {
                return Err(Refusal::Busy);
            }
            Ok(Identity { viewer, since, presence, hello: hello.to_vec() })
        }
        Ok(Answer::Refused(view)) => Err(refused(view)),
        Err(Unanswered) => Err(Refusal::Busy),
    }
}

impl Backend for RemoteBackend {
    type Presence = Presence;

    async fn identify(&self, token_hash: Option<[u8; 32]>) -> Result<Identity<Presence>, Refusal> {
        identify(&self.front, token_hash).await
    }

    fn ask(
        &self,
        requester: Requester,
        op: &str,
        request: &[u8],
    ) -> impl Future<Output = RequestResult<Presence>> + use<> + 'static {
        let counted = self.count();
        let Requester { viewer, address, device } = requester;
        let device = Rc::unwrap_or_clone(device);
        let frame = bytes::Bytes::copy_from_slice(request);
        let what = Asked::Request { viewer, address, device, op: op.to_owned(), frame };
        let answer_ms = match backend::cost(op).is_awaited {
            true => CLUSTER_ANSWER_MS_MAX,
            false => CLUSTER_SLOW_ANSWER_MS_MAX,
        };
        let (front, queue) = (self.front.clone(), self.queue.clone());
        async move {
            let _counted = counted?;
            let (sent, was_sent) = oneshot::channel();
            let asked_by = front.instance();
            let waiting = Waiting { what, front: asked_by, since: Instant::now(), sent: Some(sent) };
            // The request is in its place from here on.
            queue.send(waiting).map_err(|_| NoReply::Unknown)?;
            let answer = async move {
                let question = was_sent.await.map_err(|_| Unanswered)??;
                question.answer::<Answer<Replied>>(Duration::from_millis(answer_ms)).await
            };
            match answer.await {
                Ok(Answer::Done(Replied { reply, is_present })) => {
                    counters::ASKS_DONE.add(1);
                    let signed_in = reply.signed_in.filter(|_| is_present);
                    let presence = signed_in.map(|(user_id, _)| front.presences.add(asked_by, user_id));
                    Ok((reply, presence))
                }
                Ok(Answer::Refused(view)) => {
                    counters::ASKS_REFUSED.add(1);
                    Err(refused(view).into())
                }
                Err(Unanswered) => {
                    counters::ASKS_UNANSWERED.add(1);
                    Err(NoReply::Unknown)
                }
            }
        }
    }

    fn cost(&self, op: &str) -> Cost {
        backend::cost(op)
    }

    /// The home counts too, over all fronts.
    fn admit(&self, viewer: Viewer, op: &str) -> Result<(), Refusal> {
        let Some(user_id) = viewer.user_id() else { return Ok(()) };
        let limiter = if backend::is_chunk(op) { &self.front.chunks } else { &self.front.requests };
        limiter.take(user_id, self.front.now_ms())
    }

    fn note_use(&self, login_id: LoginId) {
        let (what, front) = (Asked::NoteUse(login_id), self.front.instance());
        let waiting = Waiting { what, front, since: Instant::now(), sent: None };
        // The use is noted by a later request.
        let _ = self.queue.send(waiting);
    }

    fn now_ms(&self) -> i64 {
        self.front.now_ms()
    }

    fn has_epoch(&self, epoch: &str) -> bool {
        *self.front.epoch() == *epoch
    }
}

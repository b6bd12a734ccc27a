//! The delivery barrier: waits until every worker has delivered everything up to a write.
//!
//! The reply to a request that takes a right away waits for the barrier. After that reply, no connection receives an
//! event that the right allowed.

use std::sync::{Mutex, PoisonError};

use tokio::sync::watch;

use crate::ids::Seq;

/// The write up to which each worker has delivered. The workers and the waiting requests share it.
#[derive(Default)]
pub struct Barrier(Mutex<Vec<watch::Receiver<Seq>>>);

impl Barrier {
    /// Adds a worker that has delivered everything up to `seq`. The worker sends each later write to the returned
    /// sender. Dropping the sender removes the worker from the barrier.
    #[must_use]
    pub fn add_worker(&self, seq: Seq) -> watch::Sender<Seq> {
        let (up_to, watched) = watch::channel(seq);
        let mut workers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Workers of other processes come and go.
        workers.retain(|worker| worker.has_changed().is_ok());
        workers.push(watched);
        up_to
    }

    /// Returns the write up to which every worker has delivered; None without a worker.
    #[must_use]
    pub fn delivered(&self) -> Option<Seq> {
        let workers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let running = workers.iter().filter(|worker| worker.has_changed().is_ok());
        running.map(|worker| *worker.borrow()).min()
    }

    /// Waits until every worker has delivered everything up to the write `seq`. The wait has no time limit, because a
    /// worker delivers within moments unless its thread is broken, and a reply before that would break the promise.
    pub async fn wait(&self, seq: Seq) {
        let workers = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for mut worker in workers {
            // An error means that the worker and its connections have ended.
            let _ = worker.wait_for(|up_to| *up_to >= seq).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[actix_web::test]
    async fn the_barrier_waits_for_the_slowest_worker() {
        let barrier = Barrier::default();
        let [quick, slow] = [barrier.add_worker(Seq(4)), barrier.add_worker(Seq(4))];
        let mut waiting = std::pin::pin!(barrier.wait(Seq(5)));
        assert!((&mut waiting).now_or_never().is_none());
        quick.send_replace(Seq(6));
        assert!((&mut waiting).now_or_never().is_none(), "one of two");
        assert_eq!(barrier.delivered(), Some(Seq(4)));
        slow.send_replace(Seq(5));
        waiting.await;
        assert_eq!(barrier.delivered(), Some(Seq(5)));
        drop([quick, slow]);
        assert_eq!(barrier.delivered(), None);
    }

    #[actix_web::test]
    async fn the_barrier_does_not_wait_for_a_worker_that_ended() {
        let barrier = Barrier::default();
        barrier.wait(Seq(5)).await;
        let worker = barrier.add_worker(Seq(4));
        let mut waiting = std::pin::pin!(barrier.wait(Seq(5)));
        assert!((&mut waiting).now_or_never().is_none());
        drop(worker);
        waiting.await;
    }
}
